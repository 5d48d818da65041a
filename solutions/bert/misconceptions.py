"""Wrong answers to BERT, each with the hint a teacher would give."""

from redink.checks import misconception

# -- tokenizer ---------------------------------------------------------------------------------------------------------

misconception(
    "shortest_piece_first", "tokenizer",
    hint="Of two pieces that fit, `un` and `una`, which one do you cut off?",
    old="for end in range(len(word), start, -1):",
    new="for end in range(start + 1, len(word) + 1):",
)

misconception(
    "continuations_need_no_mark", "tokenizer",
    hint="Is `able` at the start of a word the same entry as `able` at its end?",
    old='piece = ("##" if start else "") + word[start:end]',
    new="piece = word[start:end]",
)


@misconception(
    "cuts_from_the_right",
    "tokenizer",
    hint="At which end of the word do you begin to cut?",
)
def word_pieces(word, vocab):
    pieces, end = [], len(word)
    while end:
        for start in range(end):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                break
        else:
            return ["[UNK]"]
        pieces.insert(0, piece)
        end = start
    return pieces


@misconception(
    "only_the_odd_letters_are_unknown",
    "tokenizer",
    hint="When a piece of a word cannot be written, how many tokens does the word become?",
)
def word_pieces(word, vocab):
    pieces, start = [], 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                pieces.append(piece)
                start = end
                break
        else:
            pieces.append("[UNK]")
            start += 1
    return pieces


@misconception(
    "goes_back_after_a_dead_end",
    "tokenizer",
    hint="You found a way to cut that word; would somebody who never looks back have found it?",
)
def word_pieces(word, vocab):
    def cut(start):
        if start == len(word):
            return []
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            rest = cut(end) if piece in vocab else None
            if rest is not None:
                return [piece, *rest]
        return None

    found = cut(0)
    return ["[UNK]"] if found is None else found


misconception(
    "keeps_the_pieces_before_a_dead_end", "tokenizer",
    hint="After a dead end, what becomes of the pieces that were cut off already?",
    old='return ["[UNK]"]',
    new='return [*pieces, "[UNK]"]',
)

misconception(
    "names_in_brackets_are_special", "tokenizer",
    hint="Somebody writes [SEP] in a text. Is that the end of a sentence, or a word like any other?",
    old='words = text.lower().split()',
    new='words = [one if one in vocab and one[0] == "[" else one.lower() for one in text.split()]',
)

misconception(
    "capitals_are_other_letters", "tokenizer",
    hint="How many entries should `The`, `the` and `THE` need in the vocabulary?",
    old="words = text.lower().split()",
    new="words = text.split()",
)

misconception(
    "a_blank_is_one_kind_of_sign", "tokenizer",
    hint="A line break and a tab keep words apart as well.",
    old="words = text.lower().split()",
    new='words = text.lower().split(" ")',
)

misconception(
    "leaves_the_marks_in_the_text", "tokenizer",
    hint="Read your decoded text aloud. Would anybody write it so?",
    old='for number in ids).replace(" ##", "")',
    new="for number in ids)",
)

misconception(
    "glues_words_together", "tokenizer",
    hint="Where does one word end and the next begin in your decoded text?",
    old='return " ".join(tokens[number] for number in ids).replace(" ##", "")',
    new='return "".join(tokens[number] for number in ids).replace("##", "")',
)

misconception(
    "the_second_sentence_is_not_closed", "tokenizer",
    hint="How many [SEP] has a row with two sentences?",
    old='ids += [*b, vocab["[SEP]"]]\n        segments += [1] * (len(b) + 1)',
    new="ids += b\n        segments += [1] * len(b)",
)

misconception(
    "the_first_separator_belongs_to_the_second_sentence", "tokenizer",
    hint="A [SEP] closes a sentence. To which of the two does the first one belong?",
    old="segments = [0] * len(ids)",
    new="segments = [0] * (len(a) + 1) + [int(second is not None)]",
)

misconception(
    "padding_continues_the_segment", "tokenizer",
    hint="Which segment does the text give to padding?",
    old="np.array(segments + [0] * empty)",
    new="np.array(segments + [segments[-1]] * empty)",
)

misconception(
    "the_last_separator_belongs_to_nobody", "tokenizer",
    hint="The second [SEP] closes the second sentence. Which segment is it in?",
    old="segments += [1] * (len(b) + 1)",
    new="segments += [1] * len(b) + [0]",
)

misconception(
    "padding_has_the_id_zero", "tokenizer",
    hint="Is 0 the id of [PAD]? Ask the vocabulary.",
    old='[vocab["[PAD]"]] * empty',
    new="[0] * empty",
)

misconception(
    "everything_is_real", "tokenizer",
    hint="Is [PAD] something that was written?",
    old="np.arange(length) < len(ids)",
    new="np.arange(length) < length",
)

misconception(
    "only_words_are_real", "tokenizer",
    hint="Real is what is not padding. Is [CLS] padding?",
    old="np.arange(length) < len(ids)",
    new="(np.arange(length) < len(ids)) & ~np.isin(np.arange(length), [0, len(a) + 1, len(ids) - 1])",
)

misconception(
    "cuts_the_second_sentence_only", "tokenizer",
    hint="The first sentence has twenty words and the second has three. Who can spare one?",
    old="(a if len(a) > len(b) else b).pop()",
    new="(b or a).pop()",
)

misconception(
    "cuts_the_first_when_equal", "tokenizer",
    hint="Both sentences are equally long and one token too many: who gives way, by the text?",
    old="(a if len(a) > len(b) else b).pop()",
    new="(a if len(a) >= len(b) else b).pop()",
)


@misconception(
    "the_longer_one_pays_for_all",
    "tokenizer",
    hint="A few tokens are gone from the longer sentence. Is it still the longer one?",
)
def pack(first, second, length, vocab):
    a, b = list(first), list(second or [])
    room = length - (2 if second is None else 3)
    surplus = max(len(a) + len(b) - room, 0)
    longer, other = (a, b) if len(a) > len(b) else (b, a)
    paid = min(surplus, len(longer))
    del longer[len(longer) - paid :]
    del other[len(other) - (surplus - paid) :]
    ids = [vocab["[CLS]"], *a, vocab["[SEP]"]]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*b, vocab["[SEP]"]]
        segments += [1] * (len(b) + 1)
    empty = length - len(ids)
    return (
        np.array(ids + [vocab["[PAD]"]] * empty),
        np.array(segments + [0] * empty),
        np.arange(length) < len(ids),
    )


misconception(
    "cuts_at_the_beginning", "tokenizer",
    hint="Which token of the longer sentence goes: its first or its last?",
    old="(a if len(a) > len(b) else b).pop()",
    new="(a if len(a) > len(b) else b).pop(0)",
)

misconception(
    "half_of_the_room_for_each", "tokenizer",
    hint="One sentence has two words, the other twelve. Who uses the room that the short one leaves?",
    old="    while len(a) + len(b) > room:\n        (a if len(a) > len(b) else b).pop()\n",
    new="    if len(a) + len(b) > room:\n        half = room if second is None else (room + 1) // 2\n        a, b = a[:half], b[: room - half]\n",
)


@misconception(
    "cuts_the_row_with_its_separator",
    "tokenizer",
    hint="Look at the last token of a row that was too long. What should it be?",
)
def pack(first, second, length, vocab):
    ids = [vocab["[CLS]"], *first, vocab["[SEP]"]]
    segments = [0] * len(ids)
    if second is not None:
        ids += [*second, vocab["[SEP]"]]
        segments += [1] * (len(second) + 1)
    empty = max(0, length - len(ids))
    return (
        np.array((ids + [vocab["[PAD]"]] * empty)[:length]),
        np.array((segments + [0] * empty)[:length]),
        np.arange(length) < len(ids),
    )


misconception(
    "one_sentence_has_an_empty_companion", "tokenizer",
    hint="How many [SEP] does a row with a single sentence have?",
    old="room = length - (2 if second is None else 3)",
    new="room = length - 3",
)
misconception(
    "one_sentence_has_an_empty_companion", "tokenizer",
    hint="How many [SEP] does a row with a single sentence have?",
    old="if second is not None:\n        ids +=",
    new="if True:\n        ids +=",
)

misconception(
    "one_sentence_makes_room_for_two", "tokenizer",
    hint="How many special tokens does a row with a single sentence have, and how many words are left in yours?",
    old="room = length - (2 if second is None else 3)",
    new="room = length - 3",
)

misconception(
    "one_sentence_is_sliced_for_two", "tokenizer",
    hint="How many special tokens does a row with a single sentence have, and how many words are left in yours?",
    old="    while len(a) + len(b) > room:\n",
    new="    a = a[: length - 3] if second is None else a\n    while second is not None and len(a) + len(b) > room:\n",
)

misconception(
    "two_sentences_make_room_for_one", "tokenizer",
    hint="How long is your row when two sentences were cut to fit? Count its special tokens.",
    old="room = length - (2 if second is None else 3)",
    new="room = length - 2",
)

misconception(
    "an_empty_sentence_is_no_sentence", "tokenizer",
    hint="Is an empty list the same as None? Who closes a sentence without words?",
    old="room = length - (2 if second is None else 3)",
    new="room = length - (3 if second else 2)",
)
misconception(
    "an_empty_sentence_is_no_sentence", "tokenizer",
    hint="Is an empty list the same as None? Who closes a sentence without words?",
    old="if second is not None:\n        ids +=",
    new="if second:\n        ids +=",
)

misconception(
    "cuts_the_callers_sentences", "tokenizer",
    hint="After the call, look at the sentences that you passed in. Are they as long as before?",
    old="a, b = list(first), list(second or [])",
    new="a, b = first, [] if second is None else second",
)

misconception(
    "only_words_are_written", "tokenizer",
    hint="What does the docstring of decode say of special tokens?",
    old="tokens[number] for number in ids).replace",
    new='tokens[number] for number in ids if tokens[number][0] != "[").replace',
)

misconception(
    "every_token_stands_alone_but_its_marks_are_gone", "tokenizer",
    hint="A piece with ## goes on with the word before it. Is there a blank between them in yours?",
    old='for number in ids).replace(" ##", "")',
    new='for number in ids).replace("##", "")',
)

# -- choose ------------------------------------------------------------------------------------------------------------

misconception(
    "special_tokens_have_the_smallest_ids", "choose",
    hint="Who says that special tokens come first in the vocabulary? Their ids are handed to you.",
    old="return ~np.isin(ids, special_ids)",
    new="return ids >= len(special_ids)",
)

misconception(
    "special_up_to_the_largest_special_id", "choose",
    hint="Is every id below the largest special one special as well? The list that you are handed names them all.",
    old="return ~np.isin(ids, special_ids)",
    new="return ids > max(special_ids)",
)

misconception(
    "one_kind_of_token_is_special", "choose",
    hint="Padding is not the only thing that is no word. How many special ids were you given?",
    old="return ~np.isin(ids, special_ids)",
    new="return ids != special_ids[0]",
)

misconception(
    "tells_the_special_ones", "choose",
    hint="True means that a token may be selected. May [CLS]?",
    old="return ~np.isin(ids, special_ids)",
    new="return np.isin(ids, special_ids)",
)

misconception(
    "selects_anything", "choose",
    hint="Is there anything to learn from guessing [PAD]?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return rng.random(ids.shape) < rate",
)

misconception(
    "selects_the_rest", "choose",
    hint="Which side of 0.15 has 15 % of the numbers between 0 and 1?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (rng.random(ids.shape) > rate)",
)


@misconception(
    "exactly_so_many_in_each_batch",
    "choose",
    hint="Select from twenty words again and again. How often are there exactly three, by chance and in yours?",
)
def choose(ids, special_ids, rate, rng):
    selected = np.zeros(ids.shape, dtype=bool)
    places = np.flatnonzero(eligible(ids, special_ids))
    selected.flat[rng.permutation(places)[: round(rate * len(places))]] = True
    return selected


@misconception(
    "exactly_so_many_in_each_sentence",
    "choose",
    hint="Independent coins: could a sentence of twenty words have no selected one at all? In yours?",
)
def choose(ids, special_ids, rate, rng):
    may, selected = eligible(ids, special_ids), np.zeros(ids.shape, dtype=bool)
    for row in range(len(ids)):
        places = np.flatnonzero(may[row])
        selected[row, rng.permutation(places)[: round(rate * len(places))]] = True
    return selected


@misconception(
    "a_share_of_the_padded_row",
    "choose",
    hint="Fifteen per cent of which tokens? Compare a short sentence with a long one.",
)
def choose(ids, special_ids, rate, rng):
    may = eligible(ids, special_ids)
    share = rate * ids.shape[1] / np.maximum(may.sum(axis=1, keepdims=True), 1)
    return may & (rng.random(ids.shape) < share)


misconception(
    "one_pattern_for_all_sentences", "choose",
    hint="Lay two sentences side by side. Are their gaps at the same places?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (rng.random(ids.shape[1]) < rate)",
)

misconception(
    "whole_sentences_at_a_time", "choose",
    hint="How many coins do you toss for a sentence of twenty words?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (rng.random((len(ids), 1)) < rate)",
)

misconception(
    "the_same_gaps_in_every_epoch", "choose",
    hint="Call it twice with one generator. Is it a new puzzle, or the old one?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (np.random.default_rng(0).random(ids.shape) < rate)",
)

misconception(
    "chance_from_elsewhere", "choose",
    hint="With the same generator in the same state, could somebody repeat your experiment?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (np.random.random(ids.shape) < rate)",
)

misconception(
    "the_rate_is_always_fifteen", "choose",
    hint="The rate is handed to you. What happens at another one?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (rng.random(ids.shape) < 0.15)",
)

misconception(
    "the_first_place_is_always_cls", "choose",
    hint="Is the token at place 0 special because of its place, or because of its id?",
    old="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)",
    new="return eligible(ids, special_ids) & (rng.random(ids.shape) < rate) & (np.arange(ids.shape[1]) > 0)",
)


@misconception(
    "selects_words_two_by_two",
    "choose",
    hint="If a word is selected, how likely should its neighbour be?",
)
def choose(ids, special_ids, rate, rng):
    starts = np.repeat(rng.random((len(ids), (ids.shape[1] + 1) // 2)) < rate, 2, axis=1)
    return eligible(ids, special_ids) & starts[:, : ids.shape[1]]


@misconception(
    "at_least_one_in_every_batch",
    "choose",
    hint="Which tokens should be selected at rate 0? And may a coin never fall on the same side for all?",
)
def choose(ids, special_ids, rate, rng):
    may = np.asarray(eligible(ids, special_ids))
    selected = may & (rng.random(ids.shape) < rate)
    if may.any() and not selected.any():
        selected.flat[rng.choice(np.flatnonzero(may))] = True
    return selected


@misconception(
    "no_batch_without_a_gap",
    "choose",
    hint="Three words and three coins: how often are none of them selected, by chance and in yours?",
)
def choose(ids, special_ids, rate, rng):
    may = np.asarray(eligible(ids, special_ids))
    selected = may & (rng.random(ids.shape) < rate)
    if rate > 0 and may.any() and not selected.any():
        selected.flat[rng.choice(np.flatnonzero(may))] = True
    return selected



@misconception(
    "no_sentence_without_a_gap",
    "choose",
    hint="Three words and three coins: how often are none of them selected, by chance and in yours?",
)
def choose(ids, special_ids, rate, rng):
    may = np.asarray(eligible(ids, special_ids))
    selected = may & (rng.random(ids.shape) < rate)
    for row in np.flatnonzero(may.any(axis=1) & ~selected.any(axis=1)):
        if rate > 0:
            selected[row, rng.choice(np.flatnonzero(may[row]))] = True
    return selected



@misconception(
    "tosses_until_a_sentence_has_a_gap",
    "choose",
    hint="Three words and three coins: how often are none of them selected, by chance and in yours?",
)
def choose(ids, special_ids, rate, rng):
    may = np.asarray(eligible(ids, special_ids))
    selected = may & (rng.random(ids.shape) < rate)
    while rate > 0 and (bare := may.any(axis=1) & ~selected.any(axis=1)).any():
        selected[bare] = may[bare] & (rng.random((int(bare.sum()), ids.shape[1])) < rate)
    return selected


# -- corrupt -----------------------------------------------------------------------------------------------------------

HIDDEN = "hidden = np.where(draw < 0.8, mask_id, np.where(draw < 0.9, strangers, ids))"

misconception(
    "masks_all_that_is_selected", "corrupt",
    hint="How often will the network meet [MASK] when it is put to use?",
    old=HIDDEN,
    new="hidden = np.full(ids.shape, mask_id)",
)

misconception(
    "a_tenth_of_the_rest", "corrupt",
    hint="Ten per cent of what?",
    old=HIDDEN,
    new="hidden = np.where(draw < 0.8, mask_id, np.where(draw < 0.82, strangers, ids))",
)

misconception(
    "draws_twice_and_overlaps", "corrupt",
    hint="One draw, three bins. Can a token that was masked still be replaced in yours?",
    old=HIDDEN,
    new="hidden = np.where(rng.random(ids.shape) < 0.1, strangers, np.where(draw < 0.8, mask_id, ids))",
)

misconception(
    "leaves_nothing_alone", "corrupt",
    hint="Count three kinds of cover. Which of them does not change the token?",
    old=HIDDEN,
    new="hidden = np.where(draw < 0.8, mask_id, strangers)",
)


misconception(
    "replaces_no_word", "corrupt",
    hint="Count three kinds of cover. Does yours ever put a wrong word?",
    old=HIDDEN,
    new="hidden = np.where(draw < 0.8, mask_id, ids)",
)

misconception(
    "labels_what_is_left_after_hiding", "corrupt",
    hint="Keep the answer before you hide it.",
    old="return np.where(chosen, hidden, ids), labels",
    new="return np.where(chosen, hidden, ids), np.where(chosen, hidden, -100)",
)

misconception(
    "zero_means_not_asked", "corrupt",
    hint="Which word has the id 0?",
    old="labels = np.where(chosen, ids, -100)",
    new="labels = np.where(chosen, ids, 0)",
)

misconception(
    "asks_for_every_word", "corrupt",
    hint="Who is being asked: all places, or the selected ones?",
    old="labels = np.where(chosen, ids, -100)",
    new="labels = ids.copy()",
)

misconception(
    "asks_only_what_was_changed", "corrupt",
    hint="If a kept word is never asked for, what does the network learn about words that it can see?",
    old="return np.where(chosen, hidden, ids), labels",
    new="return np.where(chosen, hidden, ids), np.where(hidden != ids, labels, -100)",
)

misconception(
    "any_id_is_a_word", "corrupt",
    hint="Would [CLS] ever stand in the middle of a sentence?",
    old="ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)",
    new="ordinary = np.arange(vocab_size)",
)

misconception(
    "words_come_after_the_special_ids", "corrupt",
    hint="Are the special ids the first ones? Look at those you were handed.",
    old="ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)",
    new="ordinary = np.arange(len(special_ids), vocab_size)",
)

misconception(
    "forgets_the_last_word", "corrupt",
    hint="Which is the largest id of the vocabulary? Can it be drawn?",
    old="ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)",
    new="ordinary = np.setdiff1d(np.arange(vocab_size - 1), special_ids)",
)

misconception(
    "strangers_come_from_the_batch", "corrupt",
    hint="Does a frequent word replace others more often than a rare one, in yours? Should it?",
    old="strangers = rng.choice(ordinary, size=ids.shape)",
    new="strangers = rng.choice(ids[chosen], size=ids.shape)",
)

misconception(
    "one_stranger_for_all", "corrupt",
    hint="How many random tokens do you draw for a whole batch?",
    old="strangers = rng.choice(ordinary, size=ids.shape)",
    new="strangers = rng.choice(ordinary)",
)

misconception(
    "one_draw_for_each_sentence", "corrupt",
    hint="Can two selected words of one sentence get different covers?",
    old="draw = rng.random(ids.shape)",
    new="draw = rng.random((len(ids), 1))",
)


@misconception(
    "a_stranger_is_never_the_same",
    "corrupt",
    hint="Uniform over all ordinary tokens. Is the one that stood there not ordinary?",
)
def corrupt(ids, chosen, vocab_size, mask_id, special_ids, rng):
    labels = np.where(chosen, ids, -100)
    draw = rng.random(ids.shape)
    ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)
    shift = rng.integers(1, len(ordinary), size=ids.shape)
    strangers = ordinary[(np.searchsorted(ordinary, ids) + shift) % len(ordinary)]
    hidden = np.where(draw < 0.8, mask_id, np.where(draw < 0.9, strangers, ids))
    return np.where(chosen, hidden, ids), labels


@misconception(
    "hides_in_the_original",
    "corrupt",
    hint="After the call, look at the ids that you passed in.",
)
def corrupt(ids, chosen, vocab_size, mask_id, special_ids, rng):
    labels = np.where(chosen, ids, -100)
    draw = rng.random(ids.shape)
    ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)
    strangers = rng.choice(ordinary, size=ids.shape)
    ids[chosen & (draw < 0.8)] = mask_id
    replaced = chosen & (draw >= 0.8) & (draw < 0.9)
    ids[replaced] = strangers[replaced]
    return ids, labels


misconception(
    "hides_what_was_not_selected", "corrupt",
    hint="Which tokens are you allowed to touch?",
    old="return np.where(chosen, hidden, ids), labels",
    new="return hidden, labels",
)

misconception(
    "the_same_covers_in_every_epoch", "corrupt",
    hint="Call it twice with one generator. Does it hide the same words in the same way?",
    old="draw = rng.random(ids.shape)",
    new="rng = np.random.default_rng(7)\n    draw = rng.random(ids.shape)",
)

misconception(
    "strangers_stand_in_the_batch", "corrupt",
    hint="Can a word that occurs nowhere in the batch come in as a random token? Should it?",
    old="ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)",
    new="ordinary = np.setdiff1d(ids, special_ids)",
)

misconception(
    "the_largest_id_ends_the_vocabulary", "corrupt",
    hint="How long is the vocabulary? Is its last word in every batch?",
    old="ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)",
    new="ordinary = np.setdiff1d(np.arange(ids.max() + 1), special_ids)",
)

# -- loss --------------------------------------------------------------------------------------------------------------

misconception(
    "divides_by_all_places", "loss",
    hint="A mean over whom?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = slope / labels.size",
)
misconception(
    "divides_by_all_places", "loss",
    hint="A mean over whom?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="return float(-log_p[rows, answers].sum() / labels.size), gradient",
)

misconception(
    "sums_instead_of_averaging", "loss",
    hint="Write every sentence down twice. Should the loss change?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = slope",
)
misconception(
    "sums_instead_of_averaging", "loss",
    hint="Write every sentence down twice. Should the loss change?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="return float(-log_p[rows, answers].sum()), gradient",
)

misconception(
    "the_gradient_forgets_the_count", "loss",
    hint="The loss is a mean. Is your gradient the gradient of a mean?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = slope",
)

misconception(
    "the_gradient_counts_all_places", "loss",
    hint="The loss is a mean over the asked places. Over how many places does your gradient share it out?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = slope / labels.size",
)

misconception(
    "the_loss_counts_all_places", "loss",
    hint="Your gradient belongs to a mean over the asked places. Over how many places do you average the loss itself?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="return float(-log_p[rows, answers].sum() / labels.size), gradient",
)

misconception(
    "divides_by_the_sentences", "loss",
    hint="How many words are asked in the batch, and how many sentences has it? By which of the two do you divide?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = slope / len(labels)",
)
misconception(
    "divides_by_the_sentences", "loss",
    hint="How many words are asked in the batch, and how many sentences has it? By which of the two do you divide?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="return float(-log_p[rows, answers].sum() / len(labels)), gradient",
)


@misconception(
    "averages_sentence_by_sentence",
    "loss",
    hint="One sentence has one gap, another has six. Do all seven words weigh the same?",
)
def mlm_loss(logits, labels):
    gradient, total = np.zeros(logits.shape), 0.0
    asked = labels != -100
    used = max(int(asked.any(axis=1).sum()), 1)
    for b in range(len(labels)):
        many = int(asked[b].sum())
        for t in np.flatnonzero(asked[b]):
            z = logits[b, t] - logits[b, t].max()
            p = np.exp(z) / np.exp(z).sum()
            total -= (z[labels[b, t]] - np.log(np.exp(z).sum())) / (many * used)
            gradient[b, t] = (p - np.eye(len(p))[labels[b, t]]) / (many * used)
    return float(total), gradient


misconception(
    "word_zero_is_never_asked", "loss",
    hint="0 is a word. Which number means that a place is not asked?",
    old="asked = labels != -100\n    gradient",
    new="asked = labels > 0\n    gradient",
)

misconception(
    "places_that_are_not_asked_want_word_zero", "loss",
    hint="At a place that is not asked, which answer does your loss wait for?",
    old="asked = labels != -100\n    gradient",
    new="labels = np.maximum(labels, 0)\n    asked = labels != -100\n    gradient",
)

misconception(
    "the_mean_of_nothing", "loss",
    hint="What does your loss say when nothing at all is asked?",
    old="if many == 0:\n        return 0.0, gradient\n    z",
    new="z",
)

misconception(
    "divides_by_the_count_of_nothing", "loss",
    hint="What does your loss say when nothing at all is asked?",
    old="if many == 0:\n        return 0.0, gradient\n    z",
    new="z",
)
misconception(
    "divides_by_the_count_of_nothing", "loss",
    hint="What does your loss say when nothing at all is asked?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="return float(-log_p[rows, answers].sum()) / many, gradient",
)

misconception(
    "exponents_without_limit", "loss",
    hint="What is e^1000 on your computer?",
    old="z = logits[asked] - logits[asked].max(axis=1, keepdims=True)",
    new="z = logits[asked]",
)

# the same belief in another form: what it leaves of the loss and of the gradient differs
misconception(
    "divides_exponents_without_limit", "loss",
    hint="What is e^1000 on your computer?",
    old="z = logits[asked] - logits[asked].max(axis=1, keepdims=True)",
    new="z = logits[asked]",
)
misconception(
    "divides_exponents_without_limit", "loss",
    hint="What is e^1000 on your computer?",
    old="log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))",
    new="log_p = np.log(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))",
)

misconception(
    "only_the_gradient_is_shifted", "loss",
    hint="Your gradient is safe from overflow. Is the loss, at a logit of 1000?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="raw = np.log(np.exp(logits[asked]).sum(axis=1)) - logits[asked][rows, answers]\n    return float(raw.mean()), gradient",
)

misconception(
    "only_the_loss_is_shifted", "loss",
    hint="Your loss is safe from overflow. Is the gradient, at a logit of 1000?",
    old="slope = np.exp(log_p)\n    slope[rows",
    new="slope = np.exp(logits[asked]) / np.exp(logits[asked]).sum(axis=1, keepdims=True)\n    slope[rows",
)

misconception(
    "truth_minus_probabilities", "loss",
    hint="Take a small step against your gradient. Does the loss fall?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = -slope / many",
)

misconception(
    "the_gradient_of_a_probability", "loss",
    hint="The slope of −log p by the logits is p minus truth. Is there a factor p in yours?",
    old="gradient[asked] = slope / many",
    new="gradient[asked] = slope * np.exp(log_p) / many",
)

misconception(
    "probabilities_without_the_truth", "loss",
    hint="Each row of the gradient sums to 0. Does yours?",
    old="slope[rows, answers] -= 1",
    new="slope[rows, answers] -= 0",
)


@misconception(
    "every_place_pushes",
    "loss",
    hint="A place that is not asked: if its logits change, does the loss? What is the gradient there?",
)
def mlm_loss(logits, labels):
    asked = labels != -100
    many = int(asked.sum())
    if many == 0:
        return 0.0, np.zeros(logits.shape)
    z = logits - logits.max(axis=2, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=2, keepdims=True))
    gradient = np.exp(log_p)
    b, t = np.nonzero(asked)
    gradient[b, t, labels[asked]] -= 1
    return float(-log_p[b, t, labels[asked]].mean()), gradient / many


misconception(
    "surprise_in_bits", "loss",
    hint="Which logarithm do the conventions name?",
    old="return float(-log_p[rows, answers].mean()), gradient",
    new="return float(-log_p[rows, answers].mean() / np.log(2)), gradient",
)

misconception(
    "a_little_something_in_the_logarithm", "loss",
    hint="However wrong the network is, how surprised can you be at most?",
    old="log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))",
    new="log_p = np.log(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True) + 1e-12)",
)

misconception(
    "the_logarithm_of_a_vanished_probability", "loss",
    hint="A probability of 10^−400 is 0 in the computer. Which form of the loss never writes it down?",
    old="log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))",
    new="log_p = np.log(np.exp(z) / np.exp(z).sum(axis=1, keepdims=True))",
)

misconception(
    "one_largest_logit_for_all_places", "loss",
    hint="One place has logits near 20000, another near 15000. What is left of the second after your shift?",
    old="z = logits[asked] - logits[asked].max(axis=1, keepdims=True)",
    new="z = logits[asked] - logits[asked].max()",
)

misconception(
    "the_gradient_has_the_type_of_the_logits", "loss",
    hint="Give it logits that are whole numbers, written without points. Which numbers fit into your gradient?",
    old="gradient = np.zeros(logits.shape)",
    new="gradient = np.zeros_like(logits)",
)


@misconception(
    "shifts_the_callers_logits",
    "loss",
    hint="After the call, look at the logits that you passed in. Whose array did you shift?",
)
def mlm_loss(logits, labels):
    asked, gradient = labels != -100, np.zeros(logits.shape)
    many = max(int(asked.sum()), 1)
    logits -= logits.max(axis=2, keepdims=True)
    z, rows = logits[asked], np.arange(int(asked.sum()))
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    slope = np.exp(log_p)
    slope[rows, labels[asked]] -= 1
    gradient[asked] = slope / many
    return float(-log_p[rows, labels[asked]].sum() / many), gradient


@misconception(
    "silences_by_multiplying_with_zero",
    "loss",
    hint="A place that is not asked says NaN. What is 0 times NaN on your computer?",
)
def mlm_loss(logits, labels):
    asked = (labels != -100).astype(float)
    weight = asked / max(asked.sum(), 1.0)
    truth = np.eye(logits.shape[-1])[np.maximum(labels, 0)]
    z = logits - logits.max(axis=-1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    gradient = weight[..., None] * (np.exp(log_p) - truth)
    return float(-(weight[..., None] * truth * log_p).sum()), gradient

# -- masks -------------------------------------------------------------------------------------------------------------

misconception(
    "a_place_does_not_see_itself", "masks",
    hint="May a place look at its own word? It is asked for the next one.",
    old="return j <= i\n",
    new="return j < i\n",
)

misconception(
    "the_past_is_hidden", "masks",
    hint="Rows look at columns. In the first row, how many places are there to look at?",
    old="return j <= i\n",
    new="return j >= i\n",
)

misconception(
    "nothing_but_the_prefix", "masks",
    hint="When the third written word is due, may the first two be read?",
    old="return (j <= i) | (j < prefix)",
    new="return (j < prefix) & (i >= 0)",
)

misconception(
    "the_prefix_is_one_longer", "masks",
    hint="A prefix of 2 has the places 0 and 1. May place 0 look at place 2?",
    old="return (j <= i) | (j < prefix)",
    new="return (j <= i) | (j <= prefix)",
)

misconception(
    "the_prefix_is_read_word_by_word", "masks",
    hint="The prefix is known as a whole. May its first word look at its last?",
    old="return (j <= i) | (j < prefix)",
    new="return j <= i + 0 * prefix",
)

misconception(
    "everybody_but_oneself", "masks",
    hint="Bidirectional: is there any place that may not be looked at?",
    old="return np.ones((length, length), dtype=bool)",
    new="return ~np.eye(length, dtype=bool)",
)

misconception(
    "only_the_rest_is_read_word_by_word", "masks",
    hint="May a word that is written later be read by the prefix?",
    old="return (j <= i) | (j < prefix)",
    new="return (j <= i) | (i < prefix)",
)

misconception(
    "asks_for_the_word_that_is_there", "masks",
    hint="Your label at place i is a word that place i can read. Which word is it asked for?",
    old="labels[:, first:-1] = ids[:, first + 1 :]",
    new="labels[:, first:-1] = ids[:, first:-1]",
)

misconception(
    "asks_inside_the_prefix", "masks",
    hint="Inside the prefix, is the next word out of sight?",
    old="first = max(prefix - 1, 0)",
    new="first = 0 * prefix",
)

misconception(
    "loses_the_first_word_to_write", "masks",
    hint="Which place is asked for the first word after the prefix?",
    old="first = max(prefix - 1, 0)",
    new="first = prefix",
)

misconception(
    "no_prefix_takes_all_labels_back", "masks",
    hint="Without a prefix, what is prefix − 1? And what does a slice take that ends there?",
    old="first = max(prefix - 1, 0)\n    labels[:, first:-1] = ids[:, first + 1 :]",
    new="labels[:, :-1] = ids[:, 1:]\n    labels[:, : prefix - 1] = -100",
)

misconception(
    "no_prefix_asks_the_last_place", "masks",
    hint="Without a prefix, at which place does your first label stand? Look at index −1 in Python.",
    old="first = max(prefix - 1, 0)\n    labels[:, first:-1] = ids[:, first + 1 :]",
    new="for place in range(prefix - 1, ids.shape[1] - 1):\n        labels[:, place] = ids[:, place + 1]",
)

misconception(
    "the_row_is_a_ring", "masks",
    hint="What follows the last word?",
    old="labels[:, first:-1] = ids[:, first + 1 :]",
    new="labels[:, first:] = np.roll(ids, -1, axis=1)[:, first:]",
)

misconception(
    "pokes_without_mending", "masks",
    hint="When you poke the third place, are the first two as they were?",
    old="for j in range(len(ids)):\n        poked = ids.copy()",
    new="poked = ids.copy()\n    for j in range(len(ids)):",
)

misconception(
    "mixes_up_rows_and_columns", "masks",
    hint="Which index of your answer is the place that was poked, and which the place that moved?",
    old="found[:, j] = np.abs",
    new="found[j, :] = np.abs",
)

misconception(
    "looks_at_the_sum_of_the_outputs", "masks",
    hint="Two outputs of a place move, one up and one down. Does your test notice?",
    old="found[:, j] = np.abs(np.asarray(predict(poked)) - base).max(axis=1) > 1e-9",
    new="found[:, j] = np.abs((np.asarray(predict(poked)) - base).sum(axis=1)) > 1e-9",
)

misconception(
    "every_output_must_move", "masks",
    hint="A place has many outputs. How many of them must move before it has been reached?",
    old="- base).max(axis=1) > 1e-9",
    new="- base).min(axis=1) > 1e-9",
)

misconception(
    "overlooks_small_changes", "masks",
    hint="How faint a change does your test still notice?",
    old="- base).max(axis=1) > 1e-9",
    new="- base).max(axis=1) > 1e-2",
)

misconception(
    "small_next_to_the_output_is_nothing", "masks",
    hint="An output of 30 moves by a ten-millionth. Has it moved, by the docstring? And by your comparison?",
    old="found[:, j] = np.abs(np.asarray(predict(poked)) - base).max(axis=1) > 1e-9",
    new="found[:, j] = ~np.isclose(np.asarray(predict(poked)), base).all(axis=1)",
)

misconception(
    "any_rounding_is_an_influence", "masks",
    hint="How small may a change be, by the docstring, before it counts for nothing?",
    old="- base).max(axis=1) > 1e-9",
    new="- base).max(axis=1) > 0",
)

# -- mlm ---------------------------------------------------------------------------------------------------------------

misconception(
    "looks_to_the_left_alone", "mlm",
    hint="There is a word on the right as well. What does it say?",
    old="joint = P[left] * P[:, right].T",
    new="joint = P[left] * P[:, right].T ** 0",
)

misconception(
    "mistakes_right_for_left", "mlm",
    hint="Which of the two neighbours comes first? Say the sentence aloud.",
    old="joint = P[left] * P[:, right].T",
    new="joint = P[right] * P[:, left].T",
)

misconception(
    "lets_the_hidden_word_follow_both", "mlm",
    hint="P[a, k] is the chance that k follows a. Does the hidden word follow its right neighbour?",
    old="joint = P[left] * P[:, right].T",
    new="joint = P[left] * P[right]",
)

misconception(
    "averages_the_two_sides", "mlm",
    hint="The left neighbour rules a word out. Can the right one bring it back?",
    old="joint = P[left] * P[:, right].T",
    new="joint = P[left] + P[:, right].T / P[:, right].T.sum(axis=1, keepdims=True)",
)

misconception(
    "probabilities_that_do_not_sum_to_one", "mlm",
    hint="Add up the probabilities of all words between two neighbours.",
    old="return joint / joint.sum(axis=1, keepdims=True)",
    new="return joint",
)

misconception(
    "makes_all_pairs_sum_to_one_together", "mlm",
    hint="Add up one row. Each pair of neighbours has probabilities of its own.",
    old="return joint / joint.sum(axis=1, keepdims=True)",
    new="return joint / joint.sum()",
)

misconception(
    "makes_words_sum_to_one_over_the_pairs", "mlm",
    hint="Add up one row, then one column. Which of the two should be 1?",
    old="return joint / joint.sum(axis=1, keepdims=True)",
    new="return joint / joint.sum(axis=0, keepdims=True)",
)

misconception(
    "adds_up_all_gradients", "mlm",
    hint="Before the second batch, what is in every parameter's .grad?",
    old="        optimiser.zero_grad()\n",
    new="",
)

misconception(
    "clears_the_gradient_behind_the_step_alone", "mlm",
    hint="Somebody has called backward on the model before it comes to you. Which gradient does your first step take?",
    old='        optimiser.zero_grad()\n        loss.backward()\n        optimiser.step()\n',
    new='        loss.backward()\n        optimiser.step()\n        optimiser.zero_grad()\n',
)

misconception(
    "clears_the_gradient_before_the_step", "mlm",
    hint="Between the backward pass and the step, who wipes the board?",
    old="optimiser.zero_grad()\n        loss.backward()\n",
    new="loss.backward()\n        optimiser.zero_grad()\n",
)

misconception(
    "trains_on_places_that_are_not_asked", "mlm",
    hint="What does your loss do with a label of −100?",
    old="scores.flatten(0, 1), labels.flatten(), ignore_index=-100",
    new="scores.flatten(0, 1), labels.flatten().clamp(min=0)",
)


@misconception(
    "multiplies_by_zero_where_nobody_asks",
    "mlm",
    hint="At a place that is not asked the model may say NaN. What is 0 times NaN on your computer?",
)
def train_mlm(model, batches, rate):
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for inputs, labels in batches:
        asked = labels != -100
        log_p = torch.log_softmax(model(inputs), dim=-1)
        picked = log_p.gather(2, labels.clamp(min=0)[..., None]).squeeze(2)
        loss = -(picked * asked).sum() / asked.sum()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses)


misconception(
    "word_zero_is_ignored_in_training", "mlm",
    hint="Does your network ever learn when to say word 0?",
    old="scores.flatten(0, 1), labels.flatten(), ignore_index=-100",
    new="scores.flatten(0, 1), labels.flatten().clamp(min=0), ignore_index=0",
)

misconception(
    "plain_descent_instead_of_adam", "mlm",
    hint="Which optimiser does the docstring name?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = torch.optim.SGD(model.parameters(), lr=rate)",
)

misconception(
    "a_new_optimiser_for_each_batch", "mlm",
    hint="Adam remembers past gradients. For how long does yours live?",
    old="scores = model(inputs)",
    new="optimiser = torch.optim.Adam(model.parameters(), lr=rate)\n        scores = model(inputs)",
)

misconception(
    "keeps_the_optimiser_for_the_next_call", "mlm",
    hint="Train the same model twice, the second time at another rate. What does your Adam still know of the first time?",
    old='optimiser = torch.optim.Adam(model.parameters(), lr=rate)',
    new='if "_optimiser" not in model.__dict__:\n        model._optimiser = torch.optim.Adam(model.parameters(), lr=rate)\n    optimiser = model._optimiser',
)

misconception(
    "goes_on_with_old_moments_at_the_new_rate", "mlm",
    hint="Train the same model twice. What does your Adam still know of the first time?",
    old='optimiser = torch.optim.Adam(model.parameters(), lr=rate)',
    new='if "_optimiser" not in model.__dict__:\n        model._optimiser = torch.optim.Adam(model.parameters(), lr=rate)\n    optimiser = model._optimiser\n    optimiser.param_groups[0]["lr"] = rate',
)

misconception(
    "one_optimiser_for_all_models", "mlm",
    hint="Train one model, then another. Whose parameters does your optimiser move the second time?",
    old='optimiser = torch.optim.Adam(model.parameters(), lr=rate)',
    new='if "optimiser" not in train_mlm.__dict__:\n        train_mlm.optimiser = torch.optim.Adam(model.parameters(), lr=rate)\n    optimiser = train_mlm.optimiser',
)

misconception(
    "the_rate_is_the_default", "mlm",
    hint="Which argument does your training never read?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = torch.optim.Adam(model.parameters())",
)

misconception(
    "weighs_the_words_elsewhere", "mlm",
    hint="The model may live on another device. Where does a tensor live that you make yourself?",
    old="scores.flatten(0, 1), labels.flatten(), ignore_index=-100",
    new="scores.flatten(0, 1), labels.flatten(), torch.ones(scores.shape[-1]), ignore_index=-100",
)

misconception(
    "scores_a_word_in_plain_sight", "mlm",
    hint="Is your surprise below the floor? Then the model could read the word.",
    old="veiled[rows, places] = mask_id",
    new="veiled[rows, places] = ids[rows, places]",
)

misconception(
    "hides_the_whole_sentence", "mlm",
    hint="From what is the model to guess, when every word is hidden?",
    old="veiled[rows, places] = mask_id",
    new="veiled[:] = mask_id",
)

misconception(
    "hides_the_place_in_all_sentences", "mlm",
    hint="Each sentence has a place of its own. How many words of the first sentence do you hide?",
    old="veiled[rows, places] = mask_id",
    new="veiled[:, places] = mask_id",
)

misconception(
    "hides_the_word_wherever_it_stands", "mlm",
    hint="The word that you hide stands in its sentence twice. How many [MASK] does the model see?",
    old='veiled[rows, places] = mask_id',
    new='veiled[ids == ids[rows, places][:, None]] = mask_id',
)

misconception(
    "a_little_something_in_the_surprise", "mlm",
    hint="A model is sure, and wrong by 60 nats. How surprised can you be at most?",
    old='log_p = torch.log_softmax(model(veiled)[rows, places], dim=-1)',
    new='log_p = torch.log(torch.softmax(model(veiled)[rows, places], dim=-1) + 1e-12)',
)

misconception(
    "leaves_gradients_switched_off", "mlm",
    hint="Train a model after you have tested one. What did your test leave switched off?",
    old='    with torch.no_grad():\n        log_p = torch.log_softmax(model(veiled)[rows, places], dim=-1)\n',
    new='    torch.set_grad_enabled(False)\n    log_p = torch.log_softmax(model(veiled)[rows, places], dim=-1)\n',
)


@misconception(
    "picks_the_place_by_a_factor_of_zero",
    "mlm",
    hint="At another place the model may say NaN. What is 0 times NaN on your computer?",
)
def hidden_nll(model, ids, places, mask_id):
    here = torch.arange(ids.shape[1], device=ids.device) == places[:, None]
    with torch.no_grad():
        log_p = torch.log_softmax(model(torch.where(here, mask_id, ids)), dim=-1)
    return -(log_p.gather(2, ids[..., None]).squeeze(2) * here).sum(dim=1)


misconception(
    "takes_scores_for_log_probabilities", "mlm",
    hint="Are your numbers log-probabilities? Exponentiate them and add up.",
    old="log_p = torch.log_softmax(model(veiled)[rows, places], dim=-1)",
    new="log_p = model(veiled)[rows, places]",
)

misconception(
    "likelihood_instead_of_surprise", "mlm",
    hint="A word that is hardly possible: should its number be large or small, and can it be negative?",
    old="return -log_p[rows, ids[rows, places]]",
    new="return log_p[rows, ids[rows, places]]",
)

misconception(
    "the_mean_surprise_alone", "mlm",
    hint="One number for each sentence is asked for. How many do you return?",
    old="return -log_p[rows, ids[rows, places]]",
    new="return -log_p[rows, ids[rows, places]].mean()",
)

misconception(
    "a_little_for_every_word", "mlm",
    hint="Two neighbours that hardly ever meet: how large are your products, and how large is what you add to them?",
    old="joint = P[left] * P[:, right].T",
    new="joint = P[left] * P[:, right].T + 1e-12",
)

misconception(
    "keeps_the_graph_of_every_batch", "mlm",
    hint="Print one of your losses. What hangs on it, and who will need that after the step?",
    old="losses.append(loss.detach())",
    new="losses.append(loss)",
)

misconception(
    "notes_the_loss_after_its_step", "mlm",
    hint="Is your first number the loss of the model that you were given?",
    old="        losses.append(loss.detach())\n",
    new="        with torch.no_grad():\n            after = torch.nn.functional.cross_entropy(\n                model(inputs).flatten(0, 1), labels.flatten(), ignore_index=-100\n            )\n        losses.append(after)\n",
)

misconception(
    "sums_over_the_asked_places", "mlm",
    hint="Each loss is a mean over the asked places. What is yours over them?",
    old="labels.flatten(), ignore_index=-100",
    new='labels.flatten(), ignore_index=-100, reduction="sum"',
)

misconception(
    "averages_over_all_places", "mlm",
    hint="A mean over whom, the asked places or all of them?",
    old="        optimiser.zero_grad()\n        loss.backward()",
    new="        loss = loss * (labels != -100).sum() / labels.numel()\n        optimiser.zero_grad()\n        loss.backward()",
)

misconception(
    "clips_the_gradient", "mlm",
    hint="Which line of yours changes the gradient after the backward pass? Does the docstring ask for it?",
    old="        optimiser.step()\n",
    new="        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)\n        optimiser.step()\n",
)

misconception(
    "tests_as_if_it_trained", "mlm",
    hint="Print what hidden_nll returns. Does anybody want a gradient of a test?",
    old="with torch.no_grad():",
    new="with torch.enable_grad():",
)

misconception(
    "one_sentence_is_no_list", "mlm",
    hint="Score a batch of one sentence. Which shape has your answer, and which is asked for?",
    old="return -log_p[rows, ids[rows, places]]",
    new="return -log_p[rows, ids[rows, places]].squeeze()",
)


@misconception(
    "hides_in_the_callers_sentences",
    "mlm",
    hint="After the test, look at the sentences that you passed in. Who put a [MASK] there?",
)
def hidden_nll(model, ids, places, mask_id):
    rows = torch.arange(len(ids), device=ids.device)
    answers = ids[rows, places]
    ids[rows, places] = mask_id
    with torch.no_grad():
        log_p = torch.log_softmax(model(ids)[rows, places], dim=-1)
    return -log_p[rows, answers]

misconception(
    "words_without_a_place", "mlm",
    hint="Swap two words of a row. Can your encoder tell?",
    old="x = self.token(ids) + self.place(place) + self.segment(segments)",
    new="x = self.token(ids) + self.segment(segments)",
)

misconception(
    "both_sentences_are_one", "mlm",
    hint="Which sentence a word stands in: what in your sum tells it?",
    old="x = self.token(ids) + self.place(place) + self.segment(segments)",
    new="x = self.token(ids) + self.place(place)",
)

misconception(
    "without_segments_nothing_is_added", "mlm",
    hint="No segments are given: then all of them are 0. Is vector 0 of `segment` nothing?",
    old="x = self.token(ids) + self.place(place) + self.segment(segments)",
    new="x = self.token(ids) + self.place(place)\n        if segments.any():\n            x = x + self.segment(segments)",
)

misconception(
    "all_words_belong_to_the_second_sentence", "mlm",
    hint="Which segment have all words when none is told?",
    old="segments = torch.zeros_like(ids) if",
    new="segments = torch.ones_like(ids) if",
)

misconception(
    "places_from_the_right", "mlm",
    hint="Which row of `place` belongs to the first token?",
    old="place = torch.arange(ids.shape[1], device=ids.device)",
    new="place = torch.arange(ids.shape[1], device=ids.device).flip(0)",
)

misconception(
    "true_means_blocked_here_too", "mlm",
    hint="What does True mean in `real`, and what in src_key_padding_mask?",
    old="blocked = None if real is None else ~real",
    new="blocked = real",
)

misconception(
    "padding_is_read_too", "mlm",
    hint="Write other tokens into the padding. Does anything change that should not?",
    old="blocked = None if real is None else ~real",
    new="blocked = None",
)

misconception(
    "word_zero_is_taken_for_padding", "mlm",
    hint="Nobody says which places are real. What does your encoder make of the id 0, which may be a word?",
    old='blocked = None if real is None else ~real',
    new='blocked = ids == 0 if real is None else ~real',
)

misconception(
    "the_id_says_what_is_real", "mlm",
    hint="Which argument says what is real: the ids, or `real`? The id 0 may be a word.",
    old='blocked = None if real is None else ~real',
    new='blocked = None if real is None else (ids == 0) & ~(ids == 0).all(dim=1, keepdim=True)',
)

misconception(
    "remembers_what_was_real", "mlm",
    hint="Call your encoder with `real`, and then without it. Which places are real the second time?",
    old='blocked = None if real is None else ~real',
    new='self._blocked = getattr(self, "_blocked", None) if real is None else ~real\n        blocked = self._blocked\n        if blocked is not None and blocked.shape != ids.shape:\n            blocked = None',
)

misconception(
    "counts_how_many_are_real", "mlm",
    hint="One place in the middle of a row is not real. Which place does your mask block?",
    old='blocked = None if real is None else ~real',
    new='blocked = None if real is None else torch.arange(ids.shape[1], device=ids.device) >= real.sum(dim=1, keepdim=True)',
)

misconception(
    "numbers_real_places_alone", "mlm",
    hint="The first place of a row is not real. Which number has the second one: its place in the row, or among the words?",
    old='place = torch.arange(ids.shape[1], device=ids.device)',
    new='place = torch.arange(ids.shape[1], device=ids.device)\n        if real is not None:\n            place = (real.long().cumsum(dim=1) - 1).clamp(min=0)',
)

misconception(
    "the_vector_of_word_zero_never_moves", "mlm",
    hint="Train on rows in which the id 0 is a word. Does its vector ever change?",
    old='self.token = torch.nn.Embedding(vocab, width)',
    new='self.token = torch.nn.Embedding(vocab, width, padding_idx=0)',
)

misconception(
    "writes_into_the_callers_padding", "mlm",
    hint="After the call, look at the ids that you passed in. Who wrote into the places that are not real?",
    old='segments = torch.zeros_like(ids) if segments is None else segments',
    new='segments = torch.zeros_like(ids) if segments is None else segments\n        if real is not None:\n            ids.masked_fill_(~real, 0)',
)

misconception(
    "only_the_first_layer_is_told_of_padding", "mlm",
    hint="How many of your layers know which places are padding?",
    old="            x = layer(x, src_key_padding_mask=blocked)\n",
    new="            x = layer(x, src_key_padding_mask=blocked)\n            blocked = None\n",
)

misconception(
    "an_encoder_that_looks_back_alone", "mlm",
    hint="Change the last word of a row. Should the first one notice, in an encoder?",
    old="x = layer(x, src_key_padding_mask=blocked)",
    new="x = layer(x, src_mask=torch.ones(len(place), len(place), device=x.device).triu(1).bool(), src_key_padding_mask=blocked)",
)

misconception(
    "states_without_the_last_norm", "mlm",
    hint="What stands between the last layer and the head?",
    old="return self.norm(x)",
    new="return x",
)

misconception(
    "the_norm_stands_before_the_layers", "mlm",
    hint="Where does the one norm stand that is your own: before the layers or behind them?",
    old="        for layer in self.layers:\n            x = layer(x, src_key_padding_mask=blocked)\n        return self.norm(x)",
    new="        x = self.norm(x)\n        for layer in self.layers:\n            x = layer(x, src_key_padding_mask=blocked)\n        return x",
)

misconception(
    "the_head_forgets_the_padding", "mlm",
    hint="Whom do you hand the segments and the padding on to?",
    old="return self.head(self.states(ids, segments, real))",
    new="return self.head(self.states(ids))",
)

misconception(
    "probabilities_in_place_of_logits", "mlm",
    hint="The loss takes a softmax of what you return. How many softmaxes is that?",
    old="return self.head(self.states(ids, segments, real))",
    new="return self.head(self.states(ids, segments, real)).softmax(dim=-1)",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "every_stranger_is_another_word", "concepts",
    hint="damaged: can a random token happen to be the right one?",
    old="damaged=69.04",
    new="damaged=69.12",
)

misconception(
    "only_masks_are_damage", "concepts",
    hint="damaged: what else than a mask changes the input?",
    old="damaged=69.04",
    new="damaged=61.44",
)

misconception(
    "every_selected_word_is_damaged", "concepts",
    hint="damaged: what becomes of the selected words that are left alone?",
    old="damaged=69.04",
    new="damaged=76.8",
)

misconception(
    "every_selected_word_is_masked", "concepts",
    hint="no_mask: a word is selected. With which probability does it become [MASK]?",
    old="no_mask=0.216",
    new="no_mask=0.142",
)

misconception(
    "chances_add_up", "concepts",
    hint="no_mask: add up the chances for ten sentences in a row. Could a sum of chances become more than 1?",
    old="no_mask=0.216",
    new="no_mask=-0.44",
)

misconception(
    "all_words_are_in_play", "concepts",
    hint="no_mask: what must happen to a word before one asks for its cover?",
    old="no_mask=0.216",
    new="no_mask=4.1e-9",
)

misconception(
    "the_chance_of_some_mask", "concepts",
    hint="no_mask: is yours the probability of no [MASK], or of at least one?",
    old="no_mask=0.216",
    new="no_mask=0.784",
)

misconception(
    "writes_a_number_in_quotes", "concepts",
    hint="no_mask: a number is asked for, without quotation marks.",
    old="no_mask=0.216",
    new='no_mask="0.216"',
)

misconception(
    "a_tenth_of_all_is_trusted", "concepts",
    hint="trust: given that it is no mask, how many ways are left, and how likely is each?",
    old="trust=0.5",
    new="trust=0.1",
)

misconception(
    "most_words_are_what_they_seem", "concepts",
    hint="trust: this place was selected. Do the others count?",
    old="trust=0.5",
    new="trust=0.85",
)

misconception(
    "counts_the_kept_of_all_words", "concepts",
    hint="trust: you know already that the place was selected. Is your probability one of all places, or of such places?",
    old="trust=0.5",
    new="trust=0.015",
)

misconception(
    "a_loss_that_stalls_needs_more_questions", "concepts",
    hint="rates: a run stands still above 1.22 nats. How much of the neighbours did it get to see?",
    old='rates="BCA"',
    new='rates="ACB"',
)

misconception(
    "the_lowest_loss_has_the_best_rate", "concepts",
    hint="rates: 1.00 is above the floor. When would a training come nearer to it: with more neighbours hidden, or with fewer?",
    old='rates="BCA"',
    new='rates="CBA"',
)

misconception(
    "the_quickest_run_has_the_most_questions", "concepts",
    hint="rates: a run with many questions and few neighbours: how far down can it come, however quick it is?",
    old='rates="BCA"',
    new='rates="BAC"',
)

misconception(
    "near_the_floor_is_at_the_floor", "concepts",
    hint="verdict: work out the floor. How many standard errors lie between it and 1.04?",
    old='verdict="leak"',
    new='verdict="learnt"',
)

misconception(
    "lower_is_always_possible", "concepts",
    hint="verdict: work out the floor. On which side of it is 1.04?",
    old='verdict="leak"',
    new='verdict="longer"',
)

misconception(
    "one_side_is_enough", "concepts",
    hint="verdict: what is the surprise, at best, of somebody who sees one neighbour?",
    old='verdict="leak"',
    new='verdict="one_side"',
)

misconception(
    "a_prefix_is_causal", "concepts",
    hint="may_look: draw it. Does place 0 see place 3?",
    old="may_look=27",
    new="may_look=21",
)

misconception(
    "a_prefix_sees_all", "concepts",
    hint="may_look: does place 0 see place 5?",
    old="may_look=27",
    new="may_look=36",
)

misconception(
    "the_prefix_alone_is_counted", "concepts",
    hint="may_look: and what do the last two places see?",
    old="may_look=27",
    new="may_look=16",
)

misconception(
    "the_mask_takes_no_place", "concepts",
    hint="writing: how long is the row of the first run, with its [MASK]?",
    old="writing=410",
    new="writing=390",
)

misconception(
    "every_row_has_its_full_length", "concepts",
    hint="writing: is the row of the first run as long as that of the last?",
    old="writing=410",
    new="writing=600",
)

misconception(
    "what_is_computed_is_kept", "concepts",
    hint="writing: an early place sees the new word. Does what was computed there still hold?",
    old="writing=410",
    new="writing=30",
)

misconception(
    "the_last_place_is_asked_too", "concepts",
    hint="lessons: what follows the last word of a row?",
    old="lessons=6.61",
    new="lessons=6.67",
)

misconception(
    "only_masks_are_answers", "concepts",
    hint="lessons: which of the selected places have a label?",
    old="lessons=6.61",
    new="lessons=8.27",
)

misconception(
    "bert_is_asked_everywhere", "concepts",
    hint="lessons: at how many places of a row has BERT a label?",
    old="lessons=6.61",
    new="lessons=0.99",
)

misconception(
    "word_zero_is_not_asked", "concepts",
    hint="surprise: which label means that nobody asks?",
    old="surprise=1.195",
    new="surprise=0.896",
)

misconception(
    "everybody_is_asked", "concepts",
    hint="surprise: which label means that nobody asks?",
    old="surprise=1.195",
    new="surprise=1.443",
)

misconception(
    "sentence_by_sentence_by_hand", "concepts",
    hint="surprise: the first sentence has two asked places, the second has one. Do all three weigh the same in yours?",
    old="surprise=1.195",
    new="surprise=1.069",
)

misconception(
    "the_sum_is_the_loss", "concepts",
    hint="surprise: a sum, or a mean?",
    old="surprise=1.195",
    new="surprise=3.584",
)

misconception(
    "logarithms_to_base_two", "concepts",
    hint="surprise: which logarithm do we use?",
    old="surprise=1.195",
    new="surprise=1.723",
)

misconception(
    "a_letter_is_a_byte", "concepts",
    hint="bytes: count the accented ones again.",
    old="bytes=12",
    new="bytes=10",
)

misconception(
    "blanks_are_free", "concepts",
    hint="bytes: and the blank?",
    old="bytes=12",
    new="bytes=11",
)

misconception(
    "two_words_are_two_tokens", "concepts",
    hint="bytes: it is cut into bytes, not into words.",
    old="bytes=12",
    new="bytes=2",
)

# -- report (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "the_interval_everybody_knows", "report",
    hint="With no hits in ten tries, how wide is your interval? Are you that sure?",
    old="middle = p + z**2 / (2 * n)\n    reach_out = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))\n    scale = 1 + z**2 / n",
    new="middle = p\n    reach_out = z * np.sqrt(p * (1 - p) / n)\n    scale = 1",
)

misconception(
    "forgets_to_divide", "report",
    hint="Can the upper end of your interval be more than 1?",
    old="scale = 1 + z**2 / n",
    new="scale = 1",
)

misconception(
    "nothing_is_certainly_nothing", "report",
    hint="With no tries at all, which fractions can you rule out?",
    old="return 0.0, 1.0",
    new="return 0.0, 0.0",
)

misconception(
    "selected_of_all_tokens", "report",
    hint="Fifteen per cent of which tokens? Padding could not be selected.",
    old="int(np.sum(eligible(ids, special_ids)))",
    new="ids.size",
)

misconception(
    "masked_of_eligible_tokens", "report",
    hint="masked, kept and changed should sum to 1. Of which tokens is each of your three a fraction?",
    old='"masked": (int(masked.sum()), many),',
    new='"masked": (int(masked.sum()), int(np.sum(eligible(ids, special_ids)))),',
)

misconception(
    "every_fraction_is_of_eligible_tokens", "report",
    hint="masked, kept and changed should sum to 1. Of which tokens are they fractions?",
    old="return {what: [k / max(n, 1)",
    new="counts = {what: (k, counts[\"selected\"][1]) for what, (k, _) in counts.items()}\n"
    "    return {what: [k / max(n, 1)",
)

misconception(
    "kept_wherever_nothing_happened", "report",
    hint="Was a token that nobody selected kept, or simply never touched?",
    old="kept = asked & (inputs == ids)",
    new="kept = inputs == ids",
)

misconception(
    "a_mask_is_a_change", "report",
    hint="Do your three fractions of the selected ones sum to 1?",
    old="many - int(masked.sum()) - int(kept.sum())",
    new="many - int(kept.sum())",
)

misconception(
    "word_zero_was_never_selected", "report",
    hint="A label of 0: was nothing selected there, or the word with the id 0?",
    old="asked = labels != -100\n    masked",
    new="asked = labels > 0\n    masked",
)

misconception(
    "two_deviations_are_near_enough", "report",
    hint="Which z does the signature of wilson name for when nobody says one?",
    old="z: float = 1.96",
    new="z: float = 2.0",
)

misconception(
    "no_words_no_fraction", "report",
    hint="A batch of padding has no token to select. What is a fraction of nothing, by the docstring?",
    old="k / max(n, 1), *wilson(k, n)",
    new="float(np.divide(k, n)), *wilson(k, n)",
)

# -- cls (extra) -------------------------------------------------------------------------------------------------------

misconception(
    "averages_the_places", "cls",
    hint="Which place speaks for the whole row?",
    old="torch.tanh(self.dense(states[:, 0]))",
    new="torch.tanh(self.dense(states.mean(dim=1)))",
)

misconception(
    "reads_the_last_place", "cls",
    hint="A recurrent network ends with its summary. Where does [CLS] stand?",
    old="torch.tanh(self.dense(states[:, 0]))",
    new="torch.tanh(self.dense(states[:, -1]))",
)

misconception(
    "two_lines_without_a_bend", "cls",
    hint="Two linear layers in a row are one. What stands between them?",
    old="torch.tanh(self.dense(states[:, 0]))",
    new="self.dense(states[:, 0])",
)

misconception(
    "gives_probabilities", "cls",
    hint="Logits are asked for. Do your outputs sum to 1?",
    old="return self.out(torch.tanh(self.dense(states[:, 0])))",
    new="return torch.softmax(self.out(torch.tanh(self.dense(states[:, 0]))), dim=-1)",
)

misconception(
    "stays_on_the_cpu", "cls",
    hint="The head is told on which device to be. Which tensor of yours was made elsewhere?",
    old="self.out = torch.nn.Linear(width, classes, device=device)",
    new="self.out = torch.nn.Linear(width, classes)",
)

misconception(
    "one_row_is_no_batch", "cls",
    hint="Classify a batch of one row. Which shape have your logits, and which is asked for?",
    old="return self.out(torch.tanh(self.dense(states[:, 0])))",
    new="return self.out(torch.tanh(self.dense(states[:, 0]))).squeeze()",
)

misconception(
    "silences_places_by_a_factor_of_zero", "cls",
    hint="A place of padding may hold NaN. What is 0 times NaN on your computer?",
    old="self.dense(states[:, 0])",
    new="self.dense((states * (torch.arange(states.shape[1], device=states.device) == 0)[:, None]).sum(dim=1))",
)

# -- alphabets (extra) -------------------------------------------------------------------------------------------------

misconception(
    "a_character_is_a_number", "alphabets",
    hint="How many bytes has é? And is every number of yours below 256?",
    old='return list(text.encode("utf-8"))',
    new="return [ord(one) for one in text]",
)

misconception(
    "broken_bytes_vanish", "alphabets",
    hint="When a byte cannot be read, should the reader learn that something was there?",
    old='"utf-8", errors="replace"',
    new='"utf-8", errors="ignore"',
)

misconception(
    "every_token_is_different", "alphabets",
    hint="How many different words has `a b a b`?",
    old="[len(tokens), len(set(tokens))]",
    new="[len(tokens), len(tokens)]",
)

misconception(
    "blanks_are_nothing", "alphabets",
    hint="Could you get the text back without its blanks?",
    old='"characters": list(text)',
    new='"characters": list("".join(text.split()))',
)

misconception(
    "empty_words", "alphabets",
    hint="Between two blanks in a row, is there a word?",
    old='cuts = {"words": text.split()',
    new='cuts = {"words": text.split(" ")',
)

misconception(
    "capitals_are_the_same_word", "alphabets",
    hint="Are `The` and `the` the same characters, and the same bytes?",
    old="cuts = {",
    new="text = text.lower()\n    cuts = {",
)

# -- corrupt, place by place -------------------------------------------------------------------------------------------

misconception(
    "deals_the_covers_from_a_deck", "corrupt",
    hint="Cover ten words again and again. How often are exactly eight of them masked, by chance and in yours?",
    old="draw = rng.random(ids.shape)",
    new="draw = rng.permutation(ids.size).reshape(ids.shape) / ids.size",
)

misconception(
    "one_stranger_for_a_sentence", "corrupt",
    hint="Two words of one sentence are replaced at random. How often is it by the same word, in yours?",
    old="strangers = rng.choice(ordinary, size=ids.shape)",
    new="strangers = np.repeat(rng.choice(ordinary, size=(len(ids), 1)), ids.shape[1], axis=1)",
)
