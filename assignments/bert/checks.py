"""Public checks of BERT: they find the usual slips, on examples small enough to read.

Chance. What is random is judged by counting: a count that is binomial under the rules fails when it lies in a tail whose
exact probability is below 1e-9 (both sides together). One grading makes 34 such counts: here 1 of choose and 3 of corrupt,
on published and on secret seeds; in the hidden checks 3 + 4 + 2 of choose and 3 + 7 + 6 + 1 of corrupt. A right solution
fails one of them with a probability below 34 · 1e-9. What else is left to chance: the trained model, which is 16.2 nats
below the floor with a probability of at most e^−16.2 = 9.2e-8, and too far above it with about 1e-12 (both are worked out
beside that check); and coincidences, each with a probability below 1e-14. Together it is below 1.3e-7.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from redink.checks import Fail, answers_have_form, check, close
from redink.checks.stand_ins import SPECIAL, encoder_weights, letters, loaded, numbered

if TYPE_CHECKING:
    import torch  # the box has it; the grader need not

# -- tokenizer ---------------------------------------------------------------------------------------------------------


def stems(rng, many):
    """Make stems and endings of different letters; each word of a stem and endings can be cut in one way alone."""
    return ["".join(letters(rng, int(rng.integers(2, 5)))) for _ in range(many)]


@check("tokenizer", calls="word_pieces", covers="R230 R308")
def the_longest_piece_is_cut_off_first(rng, trial):
    """word_pieces cuts off the longest piece that fits, again and again, from the left."""
    if trial == 0:
        known = ["un", "una", "##ff", "##aff", "##able", "##a", "##ble", "able"]
        return dict(word="unaffable", vocab=numbered(rng, known))
    a, b, c, d, e = letters(rng, 5)
    known = [
        a,
        a + b,
        a + b + c,
        f"##{c}",
        f"##{d}",
        f"##{d}{e}",
        f"##{c}{d}{e}",
        f"##{e}",
        c,
        d + e,
        a + b + c + d + e + a,
    ]
    word = a + b + c + d + e if trial == 1 else a + b + c + d + e + c + e + d + e
    return dict(word=word, vocab=numbered(rng, known))


@check("tokenizer", covers="R230 R308")
def a_dead_end_makes_the_whole_word_unknown(rng, trial):
    """A word becomes a single [UNK] when the cutting comes to a dead end, even if it could have been cut another way."""
    if trial == 0:
        return dict(word="unaffable", whole="una", vocab=numbered(rng, ["un", "una", "##aff", "##able", "ff"]))
    a, b, c, d, e = letters(rng, 5)
    known = [a, a + b, f"##{b}{c}", f"##{d}", f"##{e}", c] + ([f"##{c}{d}{e}"] if trial == 2 else [])
    return dict(word=a + b + c + d + (e + c if trial == 2 else ""), whole=a + b + d + e, vocab=numbered(rng, known))


@a_dead_end_makes_the_whole_word_unknown.when
def _(student, word, whole, vocab):
    return dict(pieces=student.word_pieces(word, vocab), of_another=student.word_pieces(whole, vocab))


def some_text(rng, words):
    """Write a text of words that can all be written, and the vocabulary it needs."""
    starts, ends = stems(rng, 4), stems(rng, 3)
    text = []
    for number in range(words):
        text.append(starts[int(rng.integers(4))] + "".join(ends[int(k)] for k in rng.integers(3, size=number % 3)))
    vocab = numbered(
        rng, [*starts, *(f"##{end}" for end in ends), *letters(rng, 26), *(f"##{one}" for one in letters(rng, 26))]
    )
    return text, vocab


@check("tokenizer", covers="R230 R308")
def text_comes_back_from_its_ids(rng, trial):
    """encode gives the ids of the pieces, and decode makes the same text of them again."""
    if trial == 0:
        vocab = numbered(rng, ["the", "cat", "sleep", "##s", "##ing"])
        return dict(text="the cat sleeps", vocab=vocab)
    text, vocab = some_text(rng, [5, 12][trial - 1])
    return dict(text=" ".join(text), vocab=vocab)


@text_comes_back_from_its_ids.when
def _(student, text, vocab):
    ids = student.encode(text, vocab)
    return dict(ids=ids, text=student.decode(ids, vocab))


@check("tokenizer", trials=4, calls="pack", returns="ids segments real")
def two_sentences_share_a_row(rng, trial):
    """pack gives [CLS] a [SEP] b [SEP] [PAD] …, the segments, and which places are real; b may be empty."""
    m, n, length = [(2, 1, 7), (3, 5, 14), (6, 4, 21), (3, 0, 8)][trial]
    vocab = numbered(rng, letters(rng, 9))
    words = [vocab[token] for token in vocab if token not in SPECIAL]
    return dict(
        first=rng.choice(words, size=m).tolist(), second=rng.choice(words, size=n).tolist(), length=length, vocab=vocab
    )


# -- choose ------------------------------------------------------------------------------------------------------------


def tail(k, n, p):
    """Give the exact probability that a binomial count is as far out as k on its side, doubled for the other side."""
    if not 0 <= k <= n or n == 0:
        return 0.0
    if k < n * p:
        k, p = n - k, 1 - p
    first = (
        math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p)
    )
    more = np.arange(k, min(n, k + 200_000))  # n may be anything that was returned
    return min(1.0, 2 * math.exp(first) * (1 + float(np.cumprod((n - more) / (more + 1) * (p / (1 - p))).sum())))


def expect(k, n, p, what):
    """Fail when a count cannot be chance: less likely than one in a thousand million."""
    if tail(int(k), int(n), p) < 1e-9:
        raise Fail(f"{what}: {k} of {n}, where about {n * p:.0f} are expected; chance does not stray so far")


def named(k, n, p):
    """Name a count for comparison: as expected, or a rate so rough that other draws under the same rule are named alike."""
    k, n = int(k), int(n)
    if tail(k, n, p) >= 1e-9:
        return "as expected"
    return "none" if k == 0 else f"about {5 * round(20 * k / n)} %"


@check("choose", trials=4, calls="eligible", covers="R299")
def special_tokens_may_not_be_selected(rng, trial):
    """eligible is False at special tokens, whatever their numbers are, and True at all others."""
    rows, length, size, many = [(1, 5, 6, 2), (3, 7, 11, 3), (8, 13, 30, 5), (6, 1, 7, 1)][trial]
    special = [[0, 4], [5, 2, 9], [29, 0, 17, 3, 11], [3]][trial]
    ids = rng.integers(size, size=(rows, length))
    ids.flat[: many + 2] = [*special, *np.setdiff1d(np.arange(size), special)[:2]]
    return dict(ids=rng.permuted(ids, axis=1), special_ids=special)


@check("choose", covers="R299")
def special_tokens_are_never_selected(rng, trial):
    """In a hundred calls of choose at rate ½ every ordinary token is selected some time, and no special one ever."""
    rows, length, size = [(2, 4, 6), (3, 8, 12), (5, 11, 40)][trial]
    special = [[0, 4], [5, 2, 9], [29, 0, 17, 3, 11]][trial]
    ids = rng.integers(size, size=(rows, length))
    ids[:, 0], ids[:, -1] = special[0], special[-1]
    ids[:, 1] = np.setdiff1d(np.arange(size), special)[0]
    return dict(ids=ids, special_ids=special, seed=int(rng.integers(2**31)))


@special_tokens_are_never_selected.when
def _(student, ids, special_ids, seed):
    rng = np.random.default_rng(seed)
    return sum(np.asarray(student.choose(ids, special_ids, 0.5, rng)).astype(int) for _ in range(100))


@special_tokens_are_never_selected.view
def _(seen):
    # who selects by a seed of his own selects the same tokens in all calls, and which ones says nothing
    return "the same in all calls" if np.isin(seen, (0, 100)).all() else (seen > 0).tolist()


@special_tokens_are_never_selected.then
def _(seen, ids, special_ids):
    special = np.isin(ids, special_ids)
    if seen.shape != ids.shape:
        raise Fail(f"expected one truth value for each token, shape {ids.shape}")
    if (seen[special] != 0).any():
        raise Fail(f"the special token {ids[special & (seen != 0)][0]} was selected")
    if (seen[~special] == 0).any():
        raise Fail(f"the ordinary token {ids[~special & (seen == 0)][0]} was not selected once in 100 calls at rate ½")


@check("choose", trials=1, covers="R299")
def fifteen_in_a_hundred_are_selected(rng):
    """Of 120,000 ordinary tokens choose selects about 15 %; what chance allows is worked out exactly."""
    return dict(rows=6000, length=20, seed=int(rng.integers(2**31)))


@fifteen_in_a_hundred_are_selected.when
def _(student, rows, length, seed):
    rng = np.random.default_rng(seed)
    ids = rng.integers(3, 50, size=(rows, length))
    return int(np.asarray(student.choose(ids, [0, 2, 50], 0.15, rng)).astype(bool).sum())


@fifteen_in_a_hundred_are_selected.view
def _(seen, rows, length):
    return named(seen, rows * length, 0.15)


@fifteen_in_a_hundred_are_selected.then
def _(seen, rows, length):
    expect(int(seen), rows * length, 0.15, "tokens were selected")


@check("choose", covers="R299")
def a_new_puzzle_in_every_call(rng, trial):
    """The same generator in the same state selects the same tokens; called again, it selects others."""
    rows, length = [(5, 12), (9, 30), (16, 41)][trial]
    return dict(ids=rng.integers(4, 30, size=(rows, length)), seed=int(rng.integers(2**31)))


@a_new_puzzle_in_every_call.when
def _(student, ids, seed):
    one, other = np.random.default_rng(seed), np.random.default_rng(seed)
    calls = [student.choose(ids, [1, 3], 0.5, rng) for rng in (one, one, other)]
    return [np.asarray(selected).astype(np.uint8) for selected in calls]


def relations(first, second, again):
    """Say how three calls are related: two with one generator, one with another in the state of the first."""
    return dict(
        again_equals_first=bool(np.array_equal(first, again)),
        second_equals_first=bool(np.array_equal(first, second)),
        shape=list(np.shape(first)),
    )


@a_new_puzzle_in_every_call.view
def _(seen):
    return relations(*seen)


@a_new_puzzle_in_every_call.then
def _(seen, ids):
    found = relations(*seen)
    close(found["shape"], list(ids.shape), what="the shape of what is selected")
    if found["second_equals_first"]:  # at rate ½, 60 tokens agree by chance with probability 2⁻⁶⁰
        raise Fail("two calls in a row select the same tokens")
    if not found["again_equals_first"]:
        raise Fail(
            "the same generator in the same state does not select the same tokens: where does the chance come from?"
        )


@check("choose", trials=4, covers="R299")
def rates_of_0_and_1_leave_nothing_to_chance(rng, trial):
    """At rate 0 choose selects nothing, not even one token; at rate 1 it selects every token that is not special."""
    rows, length, size = [(1, 4, 6), (3, 7, 11), (5, 1, 9), (2, 5, 8)][trial]
    special = [[0, 4], [5, 2, 9], [3], [1, 6]][trial]
    ids = rng.integers(size, size=(rows, length))
    ids[0, 0], ids[-1, -1] = special[0], np.setdiff1d(np.arange(size), special)[0]
    if trial == 3:
        ids[1] = rng.choice(special, size=length)  # a row of padding
    return dict(ids=ids, special_ids=special, seed=int(rng.integers(2**31)))


@rates_of_0_and_1_leave_nothing_to_chance.when
def _(student, ids, special_ids, seed):
    rng = np.random.default_rng(seed)
    # a right solution may also compare with ≤ or >, and then fails where a draw is exactly 0: 2⁻⁵³ for each token
    calls = [student.choose(ids, special_ids, rate, rng) for rate in (0.0, 1.0)]
    return [np.asarray(selected).astype(np.uint8) for selected in calls]


# -- corrupt -----------------------------------------------------------------------------------------------------------


def to_hide(rng, trial):
    """Draw sentences, special tokens with scattered numbers, and places to hide; word 0 is ordinary and hidden somewhere.

    In the last trial there are as many sentences as places, and nothing is selected.
    """
    rows, length, size = [(1, 7, 9), (4, 9, 15), (7, 13, 33), (4, 4, 11)][trial]
    special = [[8, 3], [5, 2, 9], [29, 31, 17, 3, 11], [6, 1]][trial]
    ids = rng.integers(size, size=(rows, length))
    ids[:, 0], ids[:, -1], ids[:, 1], ids[:, 2] = special[1], special[1], 0, size - 2
    chosen = (rng.random((rows, length)) < 0.4) & ~np.isin(ids, special)
    chosen[:, 1], chosen[:, 2] = True, False
    if trial == 3:
        chosen[:] = False
    return dict(
        ids=ids, chosen=chosen, vocab_size=size, mask_id=special[0], special_ids=special, seed=int(rng.integers(2**31))
    )


@check("corrupt", trials=4, covers="R300 R297 R298 R310")
def labels_are_the_words_before_they_were_hidden(rng, trial):
    """A label is the original id where a token is selected, whatever its cover, and −100 elsewhere, in each of 100 calls."""
    return to_hide(rng, trial)


@labels_are_the_words_before_they_were_hidden.when
def _(student, ids, chosen, vocab_size, mask_id, special_ids, seed):
    made = [
        student.corrupt(ids, chosen, vocab_size, mask_id, special_ids, np.random.default_rng(seed + k))
        for k in range(100)
    ]
    labels = np.array([np.asarray(labels) for _, labels in made])
    return dict(smallest=labels.min(axis=0), largest=labels.max(axis=0))


@labels_are_the_words_before_they_were_hidden.view
def _(seen, ids):
    # a cover that one place in ten has is met by every place in a hundred calls, except with probability 0.9¹⁰⁰ < 3e-5
    smallest, largest = np.asarray(seen["smallest"]), np.asarray(seen["largest"])
    return np.select(
        [smallest == largest, (smallest == -100) & (largest == ids)],
        [smallest, np.full(ids.shape, -200)],  # always this one; the original in some calls and −100 in others
        np.full(ids.shape, -300),  # various ones
    )


@labels_are_the_words_before_they_were_hidden.then
def _(seen, expected):
    close(seen, expected)


@check("corrupt", trials=4, covers="R300")
def what_is_not_selected_stays(rng, trial):
    """Tokens that are not selected stay as they are, also where none is selected."""
    return to_hide(rng, trial)


@what_is_not_selected_stays.when
def _(student, ids, chosen, vocab_size, mask_id, special_ids, seed):
    made = [
        student.corrupt(ids, chosen, vocab_size, mask_id, special_ids, np.random.default_rng(seed + k))
        for k in range(16)
    ]
    return np.array([inputs for inputs, _ in made])


@what_is_not_selected_stays.view
def _(seen, chosen):
    return seen[:, ~chosen]


@what_is_not_selected_stays.then
def _(seen, ids, chosen):
    if seen.shape != (16, *ids.shape):
        raise Fail(f"expected inputs of shape {ids.shape}")
    close(seen[:, ~chosen], np.tile(ids[~chosen], (16, 1)), what="the tokens that are not selected")
    if chosen.any() and (seen == ids).all():  # at least one selected token, 16 times: by chance below 0.121¹⁶ < 1e-14
        raise Fail("in 16 calls nothing at all was hidden")


@check("corrupt", trials=1, covers="R300 R301")
def eighty_ten_and_ten_in_a_hundred(rng):
    """Of 120,000 selected tokens 80 % become [MASK], 10 % a random token, 10 % stay; what chance allows is exact."""
    # one of each sentence: whether the tokens of a sentence know of each other is asked elsewhere
    return dict(rows=120_000, length=2, seed=int(rng.integers(2**31)))


@eighty_ten_and_ten_in_a_hundred.when
def _(student, rows, length, seed):
    rng = np.random.default_rng(seed)
    ids = rng.integers(3, 12, size=(rows, length))
    chosen = np.eye(length, dtype=bool)[rng.integers(length, size=rows)]
    inputs, _ = student.corrupt(ids, chosen, 12, 1, [0, 1, 2], rng)
    pairs = 12 * ids[chosen] + np.asarray(inputs).astype(int)[chosen]
    return np.bincount(pairs, minlength=144).reshape(12, 12)  # which word became what


# one random token in nine is the word itself
SHARES = dict(masked=0.8, unchanged=0.1 + 0.1 / 9, changed=0.1 - 0.1 / 9)


def split(table):
    """Count masked, unchanged and changed tokens in a table of original against input; the mask is 1."""
    masked, same = int(table[:, 1].sum()), int(np.trace(table))
    return dict(masked=masked, unchanged=same, changed=int(table.sum()) - masked - same)


@eighty_ten_and_ten_in_a_hundred.view
def _(seen):
    if seen[:, [0, 2]].any():
        return "special ones too"  # how many of them are possible decides the other shares
    return {name: named(count, seen.sum(), SHARES[name]) for name, count in split(seen).items()}


@eighty_ten_and_ten_in_a_hundred.then
def _(seen, rows):
    for name, count in split(seen).items():
        expect(count, rows, SHARES[name], f"selected tokens are {name} afterwards")


# -- loss --------------------------------------------------------------------------------------------------------------


def asked(rng, rows, length, size, whole=False, share=0.35):
    """Draw logits, whole or not, and labels: each row with another number of asked places, word 0 among the answers."""
    if rows == 1:  # by hand: p is a half, a third, a quarter …
        logits = np.log(rng.integers(1, 4, size=(1, length, size)))
        return dict(logits=logits, labels=np.array([[size - 1, -100, 0]]))
    logits = 2 * rng.normal(size=(rows, length, size))
    if whole:
        logits = rng.integers(-4, 5, size=logits.shape)
    labels = np.where(rng.random((rows, length)) < share, rng.integers(size, size=(rows, length)), -100)
    labels[0, :2], labels[-1, -1] = (size - 1, 0), -100
    labels[0, 2:] = -100
    labels[1:, 0] = rng.integers(1, size, size=rows - 1)
    labels[1:, 1] = np.where(np.arange(rows - 1) % 2, -100, 1)
    return dict(logits=logits, labels=labels)


@check("loss", trials=4, tol=1e-5, covers="R297")
def the_loss_is_the_mean_surprise_at_asked_places(rng, trial):
    """The loss is the mean of −log p[label] over all asked places of the batch; logits may be integers."""
    return asked(rng, *[(1, 3, 2), (3, 7, 5), (6, 9, 11), (3, 5, 4)][trial], whole=trial == 3)


@the_loss_is_the_mean_surprise_at_asked_places.when
def _(student, logits, labels):
    return student.mlm_loss(logits, labels)[0]


@check("loss", trials=4, tol=1e-5, covers="R297")
def the_gradient_is_probabilities_minus_truth(rng, trial):
    """The gradient with respect to the logits sums to 0 at each asked place, and is 0 elsewhere; logits may be integers."""
    return asked(rng, *[(1, 3, 2), (3, 7, 5), (6, 9, 11), (3, 5, 4)][trial], whole=trial == 3)


@the_gradient_is_probabilities_minus_truth.when
def _(student, logits, labels):
    return student.mlm_loss(logits, labels)[1]


@check("loss", tol=1e-5, returns="loss gradient", covers="R297")
def zero_is_a_word(rng, trial):
    """A label of 0 asks for word 0; only −100 means that a place is not asked."""
    rows, length, size = [(1, 2, 3), (3, 5, 4), (4, 9, 7)][trial]
    labels = np.where(rng.random((rows, length)) < 0.4, 0, -100)
    labels[:, 0], labels[:, -1] = 0, -100
    logits = 2 * rng.normal(size=(rows, length, size))
    if trial == 0:  # by hand: the probabilities are fractions of small numbers
        logits = np.log(rng.integers(1, 4, size=logits.shape))
    return dict(logits=logits, labels=labels)


# -- masks -------------------------------------------------------------------------------------------------------------


@check("masks", trials=9, calls="attention_mask", covers="R304 R307")
def three_patterns_of_looking(rng, trial):
    """attention_mask gives the causal, the bidirectional and the prefix pattern: rows look at columns."""
    length = [3, 4, 5, 7, 6, 9, 1, 4, 6][trial]
    if trial > 6:  # the whole row is prefix; none of it is
        return dict(length=length, kind="prefix", prefix=[length, 0][trial - 7])
    if trial % 3 < 2:
        return dict(length=length, kind=("causal", "bidirectional")[trial % 3])
    return dict(length=length, kind="prefix", prefix=int(rng.integers(2, length - 1)))


@check("masks", trials=6, calls="next_word_labels", covers="R305 R307")
def labels_are_the_words_that_follow(rng, trial):
    """next_word_labels gives the next id from the last place of the prefix on, and −100 where nothing is asked."""
    rows, length, prefix = [(1, 5, 2), (3, 8, 0), (4, 11, 6), (5, 5, 5), (3, 1, 0), (2, 6, None)][trial]
    ids = rng.integers(60, size=(rows, length))
    return dict(ids=ids) if prefix is None else dict(ids=ids, prefix=prefix)


def to_poke(rng, length, width):
    """Draw a network of one layer with a random pattern of looking, and two rows of ids that differ everywhere."""
    size = length + 4
    sees = rng.random((length, length)) < 0.5
    sees[0, 1], sees[1, 0] = True, False  # so that the pattern is not symmetric
    weights = np.where(sees, rng.uniform(0.5, 2, size=(length, length)) / length, 0.0)  # small: nothing saturates
    ids = rng.integers(size, size=length)
    others = (ids + rng.integers(1, size, size=length)) % size
    return dict(ids=ids, others=others, weights=weights, vectors=rng.normal(size=(size, width)))


@check("masks", trials=4, covers="R305")
def poking_shows_who_looks_where(rng, trial):
    """reach finds exactly the inputs on which each output of a given network depends."""
    return to_poke(rng, *[(3, 3), (6, 3), (10, 3), (5, 1)][trial])


@poking_shows_who_looks_where.when
def _(student, ids, others, weights, vectors):
    return student.reach(lambda tokens: np.tanh(weights @ vectors[np.asarray(tokens)]), ids, others)


# -- mlm ---------------------------------------------------------------------------------------------------------------


@check("mlm", trials=5, calls="two_sided", covers="R297")
def both_neighbours_are_asked(rng, trial):
    """two_sided gives P[a, k]·P[k, b], made to sum to 1 over k, for each pair of neighbours, also for rare ones."""
    size, many = [(3, 2), (5, 7), (8, 30), (4, 1), (6, 6)][trial]
    P = rng.dirichlet(np.full(size, 0.8), size=size) + 0.02
    if trial == 0:  # tenths
        P = rng.permuted(np.tile([0.2, 0.3, 0.5], (3, 1)), axis=1)
    if trial == 4:  # nearly always the next word on a circle: other pairs have products around 1e-15, or 1e-30
        P = 1e-15 * rng.uniform(1, 9, size=P.shape) + np.roll(np.eye(size), 1, axis=1)
    return dict(
        P=P / P.sum(axis=1, keepdims=True),
        left=rng.integers(size, size=many),
        right=rng.integers(size, size=many),
    )


@check("mlm", trials=4, tol=1e-5, covers="R297")
def one_step_of_adam_for_each_batch(rng, trial):
    """train_mlm takes one step of Adam for each batch and gives the losses, each from before its step, without gradient."""
    # in the last trial the model says NaN where it reads the last id, and is not asked there
    size, width, rows, length, many = [(2, 2, 1, 2, 1), (5, 4, 3, 6, 4), (7, 3, 5, 8, 9), (4, 3, 3, 5, 3)][trial]
    inputs = rng.integers(size + 1, size=(many, rows, length))
    labels = np.where(rng.random(inputs.shape) < 0.3, rng.integers(size, size=inputs.shape), -100)
    labels[:, 0, 0], labels[:, -1, -1] = 0, -100
    inputs[:, 0, 0], inputs[:, -1, -1] = rng.integers(size), size
    said = np.zeros((size + 1, size))  # is added to what the model says where it reads an id
    if trial == 3:
        labels[inputs == size] = -100
        said[size] = [np.nan, np.inf, -np.inf, np.nan]
    words, out = rng.normal(size=(size + 1, width)), rng.normal(size=(size, width))
    if trial == 0:  # by hand: both words are equally likely, and the first step of Adam is the rate, up or down
        words, out = np.zeros(words.shape), rng.permuted(np.array([[1.0, -2.0], [3.0, 0.5]]), axis=1)
    return dict(
        words=words,
        out=out,
        said=said,
        inputs=inputs,
        labels=labels,
        rate=[0.1, 0.03, 0.05, 0.04][trial],
    )


@one_step_of_adam_for_each_batch.when
def _(student, words, out, said, inputs, labels, rate):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.words = torch.nn.Parameter(torch.tensor(words))
            self.out = torch.nn.Parameter(torch.tensor(out))
            self.register_buffer("said", torch.tensor(said))

        def forward(self, ids):
            scores = torch.tanh(self.words[ids] + self.words[ids].mean(dim=1, keepdim=True)) @ self.out.T
            more = self.said[ids]
            return torch.where(torch.isfinite(more), scores + more, more)

    model = Model()
    batches = [(torch.from_numpy(one), torch.from_numpy(other)) for one, other in zip(inputs, labels, strict=True)]
    losses = student.train_mlm(model, batches, rate)
    return dict(
        losses=losses,
        words=model.words.detach(),
        out=model.out.detach(),
        has_gradient=torch.as_tensor(losses).requires_grad,
    )


@check("mlm", trials=6, tol=1e-5, covers="R297")
def a_word_is_hidden_before_it_is_scored(rng, trial):
    """hidden_nll hides one word of each sentence behind [MASK], gives −log p of the word that was there, leaves no trace."""
    # the word may stand elsewhere too, what is said at other places may be NaN, and a surprise may be as large as 60
    size, rows, length = [(3, 2, 4), (5, 6, 7), (8, 11, 9), (6, 1, 5), (5, 4, 6), (7, 5, 6)][trial]
    mask_id = size if trial < 2 else int(rng.integers(1, size - 1))  # the mask need not be the last id
    tables = rng.normal(size=(3, size + 1, size + (trial > 1)))
    if trial == 0:  # by hand: the probabilities are fractions
        tables = np.log(rng.integers(1, 4, size=tables.shape))
    words = np.setdiff1d(np.arange(size + 1), [mask_id])
    ids, places = rng.choice(words, size=(rows, length)), rng.integers(length, size=rows)
    ids[0, (places[0] + 2) % length] = ids[0, places[0]]  # a word that stands twice
    if trial == 4:  # at the word 0 the model says NaN
        tables[1, words[0]] = np.nan
        ids[:, 1:] = np.where(ids[:, 1:] == words[0], words[1], ids[:, 1:])
        ids[:, 0], places = words[0], 1 + places % (length - 1)
    if trial == 5:  # the word on the left forbids the one after it
        tables[0] -= 60 * np.eye(*tables.shape[1:])
        ids[np.arange(rows), places] = ids[np.arange(rows), places - 1]
    return dict(tables=tables, ids=ids, places=places, mask_id=mask_id)


@a_word_is_hidden_before_it_is_scored.when
def _(student, tables, ids, places, mask_id):
    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.tables = torch.nn.Parameter(torch.tensor(tables))

        def forward(self, ids):
            left, here, right = torch.roll(ids, 1, dims=1), ids, torch.roll(ids, -1, dims=1)
            return self.tables[0, left] + 3 * self.tables[1, here] + self.tables[2, right]

    with torch.enable_grad():  # what is switched off in here is on again behind it
        surprise = student.hidden_nll(Model(), torch.from_numpy(ids), torch.from_numpy(places), mask_id)
        trains = torch.is_grad_enabled()
    return dict(surprise=surprise, has_gradient=torch.as_tensor(surprise).requires_grad, a_model_can_be_trained=trains)


@a_word_is_hidden_before_it_is_scored.view
def _(seen, tables):
    # who adds a small number to a probability is surprised by 40 at most, whatever that number is
    surprise = np.asarray(seen["surprise"])
    return dict(seen, surprise="little") if tables[0].min() < -40 and np.max(surprise) < 40 else seen


@a_word_is_hidden_before_it_is_scored.then
def _(seen, expected):
    close(seen, expected, tol=1e-5)


@check("mlm", trials=4, covers="R304")
def an_encoder_of_three_sums(rng, trial):
    """Bert adds token, place and segment, and looks anywhere but at padding; unless told, all are 0 and real."""
    sizes = [(1, 2, 2, 3, 1, 0), (1, 2, 2, 3, 1, 1), (2, 4, 5, 6, 3, 1), (3, 5, 7, 4, 2, 2)]
    B, L, vocab, width, heads, depth = sizes[trial]
    weights = encoder_weights(rng, vocab, width, L + 1, depth)
    if trial < 2:  # a second place that is padding; short numbers, first without a layer, to be done by hand
        weights = {name: np.sign(one) * np.maximum(np.abs(one).round(1), 0.1) for name, one in weights.items()}
    lengths = rng.permutation(np.resize(np.arange(1, L), B))
    ids = rng.integers(vocab, size=(B, L))
    ids[0, :2] = 1, 0  # 0 is a word
    return dict(
        ids=ids,
        segments=rng.permuted(np.resize([0, 1], (B, L)), axis=1),
        real=np.arange(L) < lengths[:, None],
        weights=weights,
        heads=heads,
        depth=depth,
    )


@an_encoder_of_three_sums.when
def _(student, ids, segments, real, weights, heads, depth):
    vocab, width = weights["token.weight"].shape
    model = loaded(student.Bert(vocab, width, len(weights["place.weight"]), heads, depth), weights)
    words, again = torch.tensor(real), torch.tensor(ids)  # copies: what is changed in place is charged by itself
    return dict(
        packed=model(torch.from_numpy(ids), torch.from_numpy(segments), torch.from_numpy(real))[words],
        alone=model(again.clone()),
        states=model.states(again),
    )


# -- concepts ----------------------------------------------------------------------------------------------------------

the_answers_have_the_form_that_is_asked = answers_have_form(
    "concepts",
    damaged=float,
    no_mask=float,
    trust=float,
    rates=("abc", "acb", "bac", "bca", "cab", "cba"),
    verdict=("learnt", "longer", "one_side", "leak"),
    may_look=float,
    writing=float,
    lessons=float,
    surprise=float,
    bytes=float,
)


# -- report (extra) ----------------------------------------------------------------------------------------------------


@check("report", trials=4, calls="wilson", tol=1e-5, returns="low high")
def an_interval_for_a_fraction(rng, trial):
    """wilson gives the interval of the formula, for the z that is given and for its default."""
    n = [10, 57, 900, 24][trial]
    if trial == 3:
        return dict(k=int(rng.integers(1, n)), n=n)
    return dict(k=int(rng.integers(1, n // 2)), n=n, z=[1.96, 2.5, 3.3][trial])


def played(reference, rng, trial):
    """Play the game on a batch."""
    rows, length, size = [(2, 8, 9), (6, 15, 14), (30, 23, 40)][trial]
    special = [[0, 4], [5, 2, 9], [29, 0, 17, 3, 11]][trial]
    ordinary = np.setdiff1d(np.arange(size), special)
    ids = rng.choice(ordinary, size=(rows, length))
    ids[:, 0], ids[::2, -2:] = special[1], special[0] if trial else special[1]
    ids[0, 1] = ordinary[0]  # in one trial this is 0
    selected = (rng.random(ids.shape) < 0.3) & ~np.isin(ids, special)
    selected[0, 1:5] = True
    mask_id = special[-1]
    inputs, labels = reference.corrupt(ids, selected, size, mask_id, special, rng)
    inputs[0, 1:5] = mask_id, ordinary[ordinary != ids[0, 2]][0], ids[0, 3], mask_id  # each of the three at least once
    return dict(ids=ids, inputs=inputs, labels=labels, mask_id=mask_id, special_ids=special)


@check("report", calls="report", tol=1e-5, covers="R300")
def four_fractions_with_their_intervals(rng, trial, reference):
    """report counts selected of eligible, and masked, kept and changed of selected, each with its interval."""
    return played(reference, rng, trial)


# -- cls (extra) -------------------------------------------------------------------------------------------------------


def head_and_states(rng, trial):
    """Draw the weights of a head, and states for it."""
    rows, length, width, classes = [(2, 3, 2, 3), (4, 7, 5, 3), (9, 6, 8, 4), (1, 4, 3, 1)][trial]
    states = rng.normal(size=(rows, length, width))
    if trial == 3:
        states[:, 2:] = np.nan  # padding
    made = dict(
        states=states,
        dense_weight=rng.normal(size=(width, width)),
        dense_bias=rng.normal(size=width),
        out_weight=rng.normal(size=(classes, width)),
        out_bias=rng.normal(size=classes),
    )
    return {name: one.round(1) for name, one in made.items()} if trial == 0 else made


@check("cls", trials=4, tol=1e-5, covers="R303")
def two_layers_on_the_first_place(rng, trial):
    """ClsHead maps the states at place 0 through dense, tanh and out, whatever stands elsewhere; one row stays a row."""
    return head_and_states(rng, trial)


@two_layers_on_the_first_place.when
def _(student, states, dense_weight, dense_bias, out_weight, out_bias):
    head = student.ClsHead(len(dense_bias), len(out_bias)).double()
    weights = {"dense.weight": dense_weight, "dense.bias": dense_bias, "out.weight": out_weight, "out.bias": out_bias}
    head.load_state_dict({name: torch.tensor(value) for name, value in weights.items()}, strict=False)
    return head(torch.from_numpy(states)).detach()


@check("cls", trials=1, weight=0, covers="R303")
def the_head_is_made_on_the_given_device():
    """Runs on whatever device it is given."""
    return dict(width=4, classes=3)


@the_head_is_made_on_the_given_device.when
def _(student, width, classes):
    device = "cuda" if torch.cuda.is_available() else "meta"
    head = student.ClsHead(width, classes, device=device)
    made = head(torch.zeros(2, 5, width, device=device))
    return [device, made.device.type]


@the_head_is_made_on_the_given_device.then
def _(seen):
    if seen[0] != seen[1]:
        raise Fail(f"was asked to live on {seen[0]}, and the logits are on {seen[1]}")


# -- alphabets (extra) -------------------------------------------------------------------------------------------------

TEXTS = (
    ("café", "naïve cafés, naïve guests", "語 and 文字 are words, words, words"),
    ("übermütig", "a b a b ab", "Ωμέγα: 100 % of α and ω", "The cat saw the Cat"),
)


def shuffled(rng, text, trial):
    """Draw words from a text, some of them twice; the first text stays as it is."""
    words = text.split()
    return text if trial == 0 else " ".join(words[k] for k in rng.integers(len(words), size=len(words) + 3))


@check("alphabets", covers="R308 R230")
def bytes_there_and_back(rng, trial):
    """byte_ids gives the UTF-8 bytes of a text, and from_byte_ids makes the text of them again."""
    return dict(text=shuffled(rng, TEXTS[0][trial], trial))


@bytes_there_and_back.when
def _(student, text):
    ids = student.byte_ids(text)
    return dict(ids=ids, text=student.from_byte_ids(ids))


@check("alphabets", trials=4, calls="granularity", covers="R308")
def three_ways_to_cut_a_text(rng, trial):
    """granularity counts the tokens, and the different ones, as words, characters and bytes."""
    return dict(text=shuffled(rng, TEXTS[1][trial], trial))
