# %% [markdown]
# # BERT: learning by filling gaps
#
# *The cat sat on the … and purred.* You filled the gap before you reached the full stop. To do it you used grammar (a
# noun is missing), knowledge of the world (cats sit on mats, not on clouds), and both sides of the gap: *on the* before
# it, *purred* after it. Somebody who can fill such gaps in any text must have understood a good deal of it.
#
# That is the whole trick behind BERT. Take text that exists anyway, hide some of its words, train a network to say what
# they were. Nobody has to label anything: **the answers are in the text itself**, which is why it is called
# *self-supervised* learning. The network is the Transformer's encoder, and you know it. What is new is the game that it
# is made to play, and the game is all in the details: which words are hidden, with what, who is asked, who may look
# where. Every one of these details is a place where well-known code has been quietly wrong, with a loss that went down
# nicely all the same.
#
# So in this assignment you write the game. You cut text into pieces, choose what to hide, hide it, score the answers,
# and find out with a test of your own whether a network can peek. In the end you play it on a language whose truth we
# know: there is a number that no honest network can beat. You will come down to it, and see what it means to go below.
#
# **How to work here.** Read a section, write the functions below it, run the `check` cell after them. A check that
# fails shows the smallest example it failed on. Cells with plots are there to look at and to play with; they are not
# graded. When you hand in, more checks run than the ones you have here: they ask whether the idea is right, not only
# the example. Seven questions make the hundred points, in between six and seven hours. What comes after them is extra.

# %%
from collections.abc import Callable

import matplotlib.pyplot as plt
import numpy as np
import torch

from redink import check
from redink_datasets import hopping

torch.set_num_threads(1)  # the networks here are small: one thread is faster than several

# %% [markdown]
# ## The idea
#
# Two ways to learn from bare text. A *language model* reads from left to right and predicts the next word:
#
# $$p(x_t \mid x_1,\dots,x_{t-1}) .$$
#
# A *masked language model* predicts words that were hidden, from everything else:
#
# $$p(x_t \mid \tilde x), \qquad \tilde x = \text{the sentence with some words hidden.}$$
#
# The second sees more, so it can guess better. It is also a *denoising auto-encoder*: it gets a damaged sentence and
# must give back the undamaged one. What it cannot do so well is write, for a sentence that grows word by word has no
# right side yet.
#
# Here is a toy language in which *guess better* can be worked out exactly. It has seven words, which stand on a circle.
# The next word is usually one step further (55 %), often two steps (30 %), rarely anything else. Run the cell. The word
# in the middle is hidden. On the left you know the word before it, in the middle you know the word after it, on the
# right you know both. (The bars are counts, over 400,000 triples of words.)

# %% tags=["explore"]
chain = hopping(np.random.default_rng(2), words=7)
P = chain.table  # P[a, b]: the chance that b follows a
before = 0
after = int(P[P[before].argmax()].argmax())  # two steps on

circle = [before]
while len(circle) < 7:
    circle.append(int(P[circle[-1]].argmax()))  # the likeliest word is one step further

triples = chain.sample(np.random.default_rng(3), 400_000, 3)  # counted, not worked out
starts, ends = triples[:, 0] == before, triples[:, 2] == after
from_left, from_right, from_both = (
    np.bincount(triples[which, 1], minlength=7) / which.sum()
    for which in (starts, ends, starts & ends)
)

figure, panels = plt.subplots(1, 3, figsize=(11, 3), sharey=True)
titles = [f"after word {before}", f"before word {after}", "between the two"]
for panel, chances, title in zip(
    panels, [from_left, from_right, from_both], titles, strict=True
):
    panel.bar(np.arange(7), chances[circle], color="tab:blue")
    panel.set(title=f"a hidden word {title}", xlabel="word, around the circle", ylim=(0, 1))
    panel.set_xticks(range(7), circle)
panels[0].set_ylabel("probability")
plt.show()

# %% [markdown]
# ## Conventions
#
# They hold in the whole notebook, and the checks hold you to them.
#
# - A *token* is a piece of text with a number, its **id**. Sentences stand in rows: `ids` has shape $B\times L$.
# - Ids and labels come as 64-bit integers, the usual ones of numpy and torch; what you return may be of any integer type.
# - A *blank* is a space, a tab or a line break.
# - *Special* tokens are not text: `[PAD]` fills a row up, `[UNK]` stands for a word that cannot be written, `[CLS]`
#   opens a row, `[SEP]` closes a sentence, `[MASK]` hides. Their ids are handed to your functions. They can be any
#   numbers, and **0 may well be an ordinary word**.
# - Each token that is not special is **selected independently with probability 0.15**. So a sentence of 20 words has 3
#   selected ones on average, and now and then none, or seven. One that has none stays without.
# - A selected token becomes `[MASK]` with probability 0.8, a random ordinary token with probability 0.1, and stays as it
#   is with probability 0.1.
# - The **label** of a selected place is the id that stood there *before* anything was done to it. Everywhere else the
#   label is $-100$, which means *not asked*.
# - Losses are means over the places that are asked, in the whole batch. Nothing asked: the loss is 0. The logarithm is
#   the natural one.
# - Attention masks are true/false, rows look at columns: `mask[i, j]` is true when place $i$ may look at place $j$.
# - All chance comes from the `rng` that is handed in. The same generator in the same state gives the same result, and a
#   second call gives another.
# - Numbers may come as integers, and what is computed from them is not cut to integers.
# - What stands where nobody is asked, or what is said there, does not matter, not even if it is infinite or no number at
#   all (NaN): neither in a loss, nor in a training, nor in a test.
# - A call leaves nothing behind for the next one: no array, no mask, no optimiser, no switch of torch. A function that is
#   called again answers as if it were the first time.
# - Functions never change the arrays that they are given. Changing one costs one check of the question (the first that sees
#   it); the other checks look only at what is returned. Functions that take tensors work on whatever device these live on.
#
# ## Once by hand
#
# One short sentence, through the whole game. The sentence is *the cat sleeps*; the vocabulary happens to know `sleep`
# and the ending `##s`. For each token that may be selected we draw a number $u$ between 0 and 1, and select it if
# $u<0.15$. For each selected one we draw another number $v$: below 0.8 it is masked, below 0.9 it becomes a random word,
# otherwise it stays. Cover the last two rows and work them out.
#
# | place | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |:--|:-:|:-:|:-:|:-:|:-:|:-:|:-:|
# | token | [CLS] | the | cat | sleep | ##s | [SEP] | [PAD] |
# | id | 2 | 5 | 6 | 13 | 12 | 3 | 0 |
# | may be selected | no | yes | yes | yes | yes | no | no |
# | $u$ | | 0.62 | 0.08 | 0.91 | 0.11 | | |
# | $v$ | | | 0.35 | | 0.97 | | |
# | **input** | 2 | 5 | **4** | 13 | **12** | 3 | 0 |
# | **label** | −100 | −100 | **6** | −100 | **12** | −100 | −100 |
#
# Place 2 was hidden behind `[MASK]` (id 4). Place 4 was selected *and left alone*: its input is what it always was, and
# yet it has a label. The network is asked about it like about any other selected place, and cannot tell that it was
# not tampered with. That is on purpose, and we will see why.
#
# Now say that the network gives *cat* the probability $\tfrac12$ at place 2, and *##s* the probability $\tfrac14$ at
# place 4. What it says anywhere else is nobody's business. The loss is
#
# $$-\tfrac12\left(\ln\tfrac12+\ln\tfrac14\right) = \tfrac12\,(0.693+1.386) = 1.040 .$$

# %% [markdown]
# ## Question: word pieces and packing
#
# A network's vocabulary is a fixed list. A list of all words would be endless: *unfriended*, *Wolverhampton*,
# *sleeeep*. The other extreme, a list of letters, has no unknown words, but makes sentences five times as long, and the
# cost of attention grows with the square of the length. **Word pieces** are the middle way. Frequent words are in the
# list whole; rare ones are put together from pieces. A piece that continues a word is written with `##` in front:
# `##able` is another entry than `able`, with another id.
#
# A word is cut from left to right, **greedily**: find the longest piece in the vocabulary that the rest of the word
# begins with, cut it off, go on. Say that the vocabulary has `un`, `una`, `##ff`, `##aff` and `##able`:
#
# | rest of the word | longest piece that fits |
# |:--|:--|
# | unaffable | `una` (longer than `un`) |
# | ffable | `##ff` |
# | able | `##able` |
#
# Greedy is fast and always gives the same answer, and it is short-sighted. Take `##ff` out of the vocabulary. `una` is
# still the longest beginning, and now nothing fits *ffable*: a dead end. There *is* another way to cut the word, `un`,
# `##aff`, `##able`, but nobody goes back to look for it. After a dead end **the whole word becomes a single `[UNK]`**,
# and the pieces found so far are thrown away.
#
# **Text to ids and back.** `encode` makes the text lower-case, splits it at blanks, cuts each word and looks up the ids.
# It knows no special tokens: if somebody writes `[UNK]` in a text, that is the word *[unk]*.
# `decode` is the way back: tokens are joined by one blank, and a piece with `##` is glued to what stands before it
# instead.
#
# **Packing.** BERT reads one or two sentences in one row of fixed length:
#
# $$\texttt{[CLS]}\quad a_1\dots a_m\quad \texttt{[SEP]}\quad b_1\dots b_n\quad \texttt{[SEP]}\quad \texttt{[PAD]}\dots\texttt{[PAD]}$$
#
# With it go two more rows. The *segments* are 0 for `[CLS]`, the first sentence and its `[SEP]`, then 1 for the second
# sentence and *its* `[SEP]`, then 0 for the padding. And *real* is true for everything that is not padding.
#
# When the two sentences do not fit, remove the last token of the longer one, again and again, until they do; when both
# are equally long, remove from the second. The special tokens are never removed. A single sentence is packed as
# `[CLS] a [SEP]`, and cut at its end when it is too long.


# %%
def word_pieces(word: str, vocab: dict[str, int]) -> list[str]:
    """Cut a word into pieces, the longest first, from left to right.

    vocab: the known pieces (as keys). The first piece stands in it as it is, each later one
        with ## in front.
    Returns the pieces, with their ##; or ["[UNK]"] when at some point no piece fits.
    """
    ### BEGIN SOLUTION
    pieces: list[str] = []
    start = 0
    while start < len(word):
        for end in range(len(word), start, -1):
            piece = ("##" if start else "") + word[start:end]
            if piece in vocab:
                break
        else:
            return ["[UNK]"]
        pieces.append(piece)
        start = end
    return pieces
    ### END SOLUTION


def encode(text: str, vocab: dict[str, int]) -> list[int]:
    """Give the ids of a text: made lower-case, split at blanks, each word cut into pieces.

    There may be several blanks between two words.
    vocab: piece → id; it has "[UNK]".
    """
    ### BEGIN SOLUTION
    words = text.lower().split()
    return [vocab[piece] for word in words for piece in word_pieces(word, vocab)]
    ### END SOLUTION


def decode(ids: list[int], vocab: dict[str, int]) -> str:
    """Give the text of some ids: joined by single blanks, pieces with ## glued on without.

    vocab: piece → id. Special tokens are written like any other token. The first of the ids
    does not begin with ##.
    """
    ### BEGIN SOLUTION
    tokens = {number: piece for piece, number in vocab.items()}
    return " ".join(tokens[number] for number in ids).replace(" ##", "")
    ### END SOLUTION


def pack(
    first: list[int], second: list[int] | None, length: int, vocab: dict[str, int]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Pack one or two sentences into a row: [CLS] first [SEP] second [SEP] [PAD] …

    first, second: ids; second is None when there is only one sentence: [CLS] first [SEP].
        A sentence may be empty, and still has its [SEP].
    vocab: has "[CLS]", "[SEP]" and "[PAD]".
    length: at least 3 for two sentences and 2 for one, so that the special tokens fit.
    Too long: the longer sentence loses its last token, the second one where they are equal,
        until all of it fits into `length`.

    Returns (ids, segments, real), each of `length` entries:
        segments: 1 for the second sentence and its [SEP], otherwise 0.
        real: True for what is not padding.
    """
    ### BEGIN SOLUTION
    a, b = list(first), list(second or [])
    room = length - (2 if second is None else 3)
    while len(a) + len(b) > room:
        (a if len(a) > len(b) else b).pop()
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
    ### END SOLUTION


# %%
check("tokenizer")

# %% [markdown]
# ## Question: choosing fifteen in a hundred
#
# Each token that is not special is selected with probability 0.15, *independently of all others*. Think of a biased
# coin for each token. Two shortcuts are not the same thing:
#
# - *Exactly* 15 % of each sentence. Then the tokens know of each other (if the first three of twenty are selected, no
#   other can be), a sentence of three words always gets none or always one, and the rate depends on the rounding.
# - 15 % of the *row*, padding and all. Then short sentences are hit harder than long ones, although nobody meant that.
#
# How far from 15 % does chance stray? Of $n$ tokens, the number that is selected is binomial, with mean $0.15\,n$ and
# standard deviation $\sqrt{0.15\cdot0.85\,n}$. For $n=100\,000$ that is $15\,000\pm113$. So a program that selects
# 14 % is not unlucky. The checks here count, and use the exact binomial tail; they fail a right answer less than once in
# ten million runs.
#
# Selecting *afresh each time* matters too. Every epoch shows the same sentence with other gaps, so that the network
# cannot learn the answers by heart.


# %%
def eligible(ids: np.ndarray, special_ids: list[int]) -> np.ndarray:
    """Say which tokens may be selected: those that are not special.

    ids: B×L integers.  special_ids: the ids of all special tokens, in no order.
    Returns B×L truth values.
    """
    ### BEGIN SOLUTION
    return ~np.isin(ids, special_ids)
    ### END SOLUTION


def choose(
    ids: np.ndarray, special_ids: list[int], rate: float, rng: np.random.Generator
) -> np.ndarray:
    """Select each token that is not special with probability `rate`, independently.

    ids: B×L integers.  special_ids: the ids of all special tokens.
    rate: from 0, where nothing is selected, to 1.  rng: the only source of chance.
    Returns B×L truth values: True where a token is selected.
    """
    ### BEGIN SOLUTION
    return eligible(ids, special_ids) & (rng.random(ids.shape) < rate)
    ### END SOLUTION


# %%
check("choose")

# %% [markdown]
# Count yourself. The bars are 4000 sentences of 20 words each; the dots are what a binomial law says. If somebody had
# selected exactly three in each sentence, where would the bars be?

# %% tags=["explore"]
selected = choose(np.full((4000, 20), 7), [0, 1, 2, 3, 4], 0.15, np.random.default_rng(0))
per_sentence = np.bincount(np.asarray(selected).sum(axis=1), minlength=21)[:11]

chance = [0.85**20]
for k in range(10):  # the chance of k + 1 from that of k
    chance.append(chance[-1] * (20 - k) / (k + 1) * 0.15 / 0.85)
plt.figure(figsize=(7, 3.5))
plt.bar(np.arange(11), per_sentence, color="0.8", label="sentences, counted")
plt.plot(np.arange(11), 4000 * np.array(chance), "o", color="tab:red", label="binomial law")
plt.xlabel("selected words in a sentence of 20")
plt.legend()
plt.show()

# %% [markdown]
# ## Question: hiding, 80, 10, 10
#
# The obvious thing to do with a selected token is to put `[MASK]` in its place, always. It has a flaw. The network would
# learn: *where there is a `[MASK]`, think; elsewhere, never mind*. But when it is used later, on real text, there is no
# `[MASK]` anywhere. So BERT hides with three kinds of cover:
#
# | with probability | the input becomes | so that |
# |:-:|:--|:--|
# | 0.8 | `[MASK]` | there is a gap to fill |
# | 0.1 | a random ordinary token | no word can be trusted blindly |
# | 0.1 | what it was | a word that looks right may be right |
#
# So of all eligible tokens 12 % are masked, 1.5 % are replaced at random, 1.5 % are selected and left alone, and 85 % are
# never in play.
#
# Four things to get right.
#
# - **One draw, three bins.** Draw once for each selected place and look into which bin the number falls. Whoever masks
#   80 %, *then* replaces 10 % of the rest, has 2 % instead of 10 %. Ten per cent of what? Of the selected ones.
# - **The random token is ordinary**: uniform over the ids from 0 to `vocab_size` − 1 that are not special. It may
#   happen to be the very token that stood there. (So a little more than 10 % end up looking as before: with $m$ ordinary
#   ids it is $0.1+0.1/m$.)
# - **Keep the answer before you hide it.** The label is the original id, for all three kinds: a denoising auto-encoder is
#   asked for the clean text.
# - **Work on a copy.** The caller needs the text again in the next epoch.
#
# Which places are selected is decided already; it comes in as `chosen`.


# %%
def corrupt(
    ids: np.ndarray,
    chosen: np.ndarray,
    vocab_size: int,
    mask_id: int,
    special_ids: list[int],
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """Hide the selected tokens: 80 % become [MASK], 10 % a random token, 10 % stay.

    ids: B×L integers from 0 … vocab_size−1.  chosen: B×L truth values, never true at a
        special token.
    special_ids: the ids of all special tokens; mask_id is one of them.
    rng: the only source of chance. Every place is drawn independently; the random token is
        uniform over the ids that are not special, and may equal the original.

    Returns (inputs, labels), B×L integers each:
        inputs: what the network sees.
        labels: the original id where chosen, −100 elsewhere.
    """
    ### BEGIN SOLUTION
    labels = np.where(chosen, ids, -100)
    draw = rng.random(ids.shape)
    ordinary = np.setdiff1d(np.arange(vocab_size), special_ids)
    strangers = rng.choice(ordinary, size=ids.shape)
    hidden = np.where(draw < 0.8, mask_id, np.where(draw < 0.9, strangers, ids))
    return np.where(chosen, hidden, ids), labels
    ### END SOLUTION


# %%
check("corrupt")

# %% [markdown]
# A batch as the network meets it, made by your two functions. The grey squares are the sentence, as it is. Dark blue is
# `[MASK]`, orange is a stranger (a random token), and light blue was selected and left alone: it looks exactly like its grey
# neighbours to the network. Run the cell again with another seed.

# %% tags=["explore"]
rng = np.random.default_rng(1)
ids = rng.integers(5, 200, size=(16, 48))
ids[:, 0] = 2
for row, words in enumerate(rng.integers(20, 46, size=16)):
    ids[row, words], ids[row, words + 1 :] = 3, 0
chosen = choose(ids, [0, 1, 2, 3, 4], 0.15, rng)
inputs, labels = corrupt(ids, chosen, 200, 4, [0, 1, 2, 3, 4], rng)

kind = np.where(ids < 5, 0, 1)  # special, ordinary
kind[chosen] = np.where(inputs == 4, 2, np.where(inputs != ids, 3, 4))[chosen]
colours = plt.matplotlib.colors.ListedColormap(
    ["white", "0.85", "midnightblue", "tab:orange", "lightskyblue"]
)
plt.figure(figsize=(10, 3.6))
plt.imshow(kind, cmap=colours, vmin=0, vmax=4)
bar = plt.colorbar(ticks=np.arange(5) * 0.8 + 0.4)
bar.ax.set_yticklabels(["special", "not selected", "[MASK]", "random token", "left alone"])
plt.xlabel("place in the row")
plt.ylabel("sentence")
plt.yticks(range(0, 16, 5))
plt.show()

# %% [markdown]
# ## Question: a loss at the asked places
#
# The network gives a row of $V$ scores, the *logits* $z_{bt}$, for each place $t$ of each sentence $b$. Softmax makes
# probabilities of them. Let $\mathcal A$ be the set of asked places, those whose label is not $-100$, and $y_{bt}$ the
# label there. The *surprise* at a place is $-\log p$ of its label (the negative log-likelihood, or cross-entropy). The loss is
# the mean surprise over the asked places of the whole batch,
#
# $$\ell = \frac{1}{|\mathcal A|}\sum_{(b,t)\in\mathcal A} -\log p_{bt}[y_{bt}], \qquad p_{bt}=\operatorname{softmax}(z_{bt}),$$
#
# and you return its gradient with respect to the logits as well. Derive it. Begin with a single asked place and two words,
# of which word 0 is the right one. There $-\log p[0]=\log(1+e^{z_1-z_0})$, and its derivative with respect to $z_1$ is
# $p_1$, that with respect to $z_0$ is $-p_1=p_0-1$: raise the wrong logit and the loss grows, the more so the likelier the
# wrong word is already. Now take $V$ words, $-\log p[y]=-z_y+\log\sum_ke^{z_k}$. Then see what the mean does, and what
# the logits get that nobody asked about. Two facts to hold your formula against: for two words it is the line above, and
# over the words of one place the gradient sums to 0. (It is written out at the end of the notebook.)
#
# The mean is over *asked* places. Dividing by $B\cdot L$ makes the loss six or seven times too small and leaves the direction
# right, so nobody notices, except that the learning rate is off and two runs with different padding cannot be compared.
# Averaging over the places of each sentence first gives the words of a sentence with few gaps more weight than others.
#
# Two traps. **0 is a word**: only $-100$ means *not asked*. And with short batches it happens that nothing is asked at
# all; the mean of nothing is not a number, and a single NaN ruins every weight of the network. Then the loss is 0, and so
# is the gradient.
#
# And one from before: $e^{1000}$ is not a number that your computer has. Subtract the largest logit of each row first; it
# changes nothing else. Write it in numpy: `torch` is forbidden inside this function, since it would do it all for you.


# %%
def mlm_loss(logits: np.ndarray, labels: np.ndarray) -> tuple[float, np.ndarray]:
    """Give the masked-language-model loss and its gradient with respect to the logits.

    logits: B×L×V.  labels: B×L, an id from 0 … V−1 where a place is asked, −100 where not.
        Where a place is not asked, its logits may be anything, NaN too.
    Returns (the mean of −log p[label] over the asked places, its gradient: B×L×V).
    If nothing is asked, the loss is 0, and so is every entry of the gradient.
    """
    ### BEGIN SOLUTION
    asked = labels != -100
    gradient = np.zeros(logits.shape)
    many = int(asked.sum())
    if many == 0:
        return 0.0, gradient
    z = logits[asked] - logits[asked].max(axis=1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(axis=1, keepdims=True))
    rows, answers = np.arange(many), labels[asked]
    slope = np.exp(log_p)
    slope[rows, answers] -= 1
    gradient[asked] = slope / many
    return float(-log_p[rows, answers].mean()), gradient
    ### END SOLUTION


# %%
check("loss")

# %% [markdown]
# ## Question: who may look where
#
# Why not simply train the encoder to predict the next word, like any language model? Because it looks in both
# directions. At place $t$ it would be asked for word $t+1$, and word $t+1$ stands right there in its input. It would
# learn to copy, reach a loss of almost 0, and know nothing. This is a **leak**. There are three honest ways out, and each
# of them is a pattern of who may look where.
#
# | name | place $i$ may look at place $j$ if | what it is asked for | known from |
# |:--|:--|:--|:--|
# | causal | $j\le i$ | the next word, everywhere | GPT: a decoder |
# | bidirectional | always | the hidden words, which are not in the input | BERT: an encoder |
# | prefix | $j\le i$, or $j$ is in the prefix | the next word, from the end of the prefix on | the prefix language model |
#
# The *prefix* is the first part of the row, of a given number of places. It is read in both directions, like a question
# that is read as a whole; the rest is written word by word. (An encoder–decoder such as T5 does the same with two
# networks: the encoder reads $x_1\dots x_T$ in both directions, the decoder writes what follows.) Within the prefix a place can see the next word, so there it
# must not be asked for it. The first place that is asked is the *last* one of the prefix: the word that follows it is the
# first word that is written.
#
# With $L=5$ and a prefix of 2, the words being $x_0\dots x_4$:
#
# | place | 0 | 1 | 2 | 3 | 4 |
# |:--|:-:|:-:|:-:|:-:|:-:|
# | may look at | 0, 1 | 0, 1 | 0 to 2 | 0 to 3 | 0 to 4 |
# | label | $-100$ | $x_2$ | $x_3$ | $x_4$ | $-100$ |
#
# The last place is never asked: nothing follows it. A causal language model is the same with a prefix of 0 (or of 1).
#
# **How do you find a leak in a network that somebody else wrote?** Not by reading its code. Poke it (*perturb* its
# input): replace one word at a time, and see which outputs move. `reach` does that. `predict` is any function that maps $L$
# ids to an output for each of the $L$ places.


# %%
def attention_mask(length: int, kind: str, prefix: int = 0) -> np.ndarray:
    """Say who may look where.

    kind: "causal", "bidirectional" or "prefix".
    prefix: how many places the prefix has; only for kind "prefix".
    Returns length×length truth values: [i, j] is True when place i may look at place j.
    """
    ### BEGIN SOLUTION
    i, j = np.arange(length)[:, None], np.arange(length)[None, :]
    if kind == "causal":
        return j <= i
    if kind == "prefix":
        return (j <= i) | (j < prefix)
    return np.ones((length, length), dtype=bool)
    ### END SOLUTION


def next_word_labels(ids: np.ndarray, prefix: int = 0) -> np.ndarray:
    """Give the labels of a language model that is shown a prefix and asked for the rest.

    ids: B×L.  prefix: how many places the prefix has, 0 … L.
    Returns B×L: the id of the next place, −100 where a place is not asked. Asked are the
    last place of the prefix and all after it, but not the last place of the row.
    """
    ### BEGIN SOLUTION
    labels = np.full(ids.shape, -100)
    first = max(prefix - 1, 0)
    labels[:, first:-1] = ids[:, first + 1 :]
    return labels
    ### END SOLUTION


def reach(
    predict: Callable[[np.ndarray], np.ndarray], ids: np.ndarray, others: np.ndarray
) -> np.ndarray:
    """Find out which inputs each output depends on, by replacing one token at a time.

    predict: L ids ↦ L×K outputs; the same ids always give the same outputs.
    ids: L ids.  others: L ids; others[j] differs from ids[j] and is put in its place.
    Returns L×L truth values: [i, j] is True when replacing token j alone changes any of the
    K outputs of place i (by more than 1e-9, however large the outputs are).
    """
    ### BEGIN SOLUTION
    base = np.asarray(predict(ids.copy()))
    found = np.zeros((len(ids), len(ids)), dtype=bool)
    for j in range(len(ids)):
        poked = ids.copy()
        poked[j] = others[j]
        found[:, j] = np.abs(np.asarray(predict(poked)) - base).max(axis=1) > 1e-9
    return found
    ### END SOLUTION


# %%
check("masks")

# %% [markdown]
# Three patterns, and in red which places could read their own answer if asked for the next word. Now you see why a causal
# model may be asked everywhere, a prefix model from the last place of its prefix on, and a bidirectional one nowhere.

# %% tags=["explore"]
length, figure = 8, plt.figure(figsize=(10, 3.4))
for number, kind in enumerate(["causal", "bidirectional", "prefix"], start=1):
    pattern = np.asarray(attention_mask(length, kind, prefix=3)).astype(float)
    panel = figure.add_subplot(1, 3, number)
    panel.imshow(pattern, cmap="Blues", vmin=0, vmax=1.6)
    for i in range(length - 1):
        if pattern[i, i + 1]:
            panel.plot(i + 1, i, "s", color="tab:red", markersize=9)
    panel.set(title=kind, xlabel="looks at place")
    panel.set(xticks=range(length), yticks=range(length))
    if number == 1:
        panel.set_ylabel("place")
plt.show()

# %% [markdown]
# ## Question: down to the floor
#
# Back to the toy language. The next word depends on the last one alone, through the table $P$: the chance of $k$ after
# $a$ is $P_{ak}$. Hide one word in the middle of a sentence. What can anybody know about it? The words further away say
# nothing that the two neighbours do not say already, and for neighbours $a$ and $b$, Bayes' rule gives
#
# $$p(x_t=k\mid x_{t-1}=a,\;x_{t+1}=b) \;\propto\; P_{ak}\,P_{kb} ,$$
#
# where $\propto$ leaves out a factor that is the same for all $k$. You know what the chances of all $k$ sum to.
#
# Nobody can do better than to say exactly these probabilities. Their mean surprise is a **floor**: a network that is
# above it can still learn; a network that is *below* it, by more than chance allows, has seen the answers. With $h$ the
# mean entropy of the next word given the last one, and $h_2$ that of the word *two* places on, the floor is $2h-h_2$, the
# *conditional entropy* of the hidden word given both neighbours. (The chain rule of entropy, once for each order in which
# the two words after $a$ can be described: the hidden word and then $b$, which costs $h+h$; or $b$ and then the hidden word,
# which costs $h_2$ and the floor.) For our chain:
#
# | what is known | mean surprise, in nats |
# |:--|:-:|
# | nothing | $\ln 7 = 1.946$ |
# | one neighbour | $h = 1.216$ |
# | both neighbours | $2h-h_2 = 0.811$ |
#
# **How can a network get there?** Take the logarithm of Bayes' rule: $\log P_{ak}+\log P_{kb}+\text{const}$. A *sum*: one
# score for what stands on the left, one for what stands on the right. Three tables that add up (left, here, right) hold
# the truth exactly. An attention layer can do it too, if one head learns to look left and another to look right.
#
# **The encoder.** What goes in at each place is a sum of three vectors: one for the token, one for the place, one for the
# segment (0 or 1: which of the two sentences of `pack` it belongs to). Then come layers, and a last layer norm; this gives
# the *states*, a vector for each place. A linear head makes a score for every word of them. The layers are torch's own,
# `nn.TransformerEncoderLayer` (if you have written one yourself, you know what is in it). They look everywhere, which is
# what BERT wants, but nobody may look at *padding*. Mind the trap: in our `real`, true means *a word*; in the argument
# `src_key_padding_mask` of torch's layer, true means *blocked*.
#
# You write the encoder, and three functions: the truth, the training, and the test. Mind the test. To score a word, you
# must hide it, and it alone: if the same word stands elsewhere in the sentence too, there it stays. A model that has been
# trained with 10 % left alone has learnt that what it sees is often right. (Nothing here drops out at random, so a model
# answers alike in the modes `train` and `eval`: leave it as you find it, or set it, as you like.)


# %%
class Bert(torch.nn.Module):
    """An encoder over `vocab` tokens, for rows of at most `length` places.

    depth: how many layers; 0 is allowed.
    """

    def __init__(self, vocab: int, width: int, length: int, heads: int, depth: int) -> None:
        super().__init__()
        self.token = torch.nn.Embedding(vocab, width)
        self.place = torch.nn.Embedding(length, width)
        self.segment = torch.nn.Embedding(2, width)
        self.layers = torch.nn.ModuleList(
            torch.nn.TransformerEncoderLayer(
                width, heads, 2 * width, dropout=0.0, batch_first=True, norm_first=True
            )
            for _ in range(depth)
        )
        self.norm = torch.nn.LayerNorm(width)
        self.head = torch.nn.Linear(width, vocab)

    def states(
        self,
        ids: torch.Tensor,
        segments: torch.Tensor | None = None,
        real: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Read rows in both directions: token + place + segment, the layers, the norm.

        ids: B×L integers.  segments: B×L, 0 or 1; without them all are 0.
        real: B×L truth values; no place looks where it is False, which may be anywhere in a
            row, but not in all of it. A place keeps its number, also behind places that
            are not real. Without `real` all are real, whatever their ids are.
        Returns B×L×width. What it says at places that are not real does not matter.
        """
        ### BEGIN SOLUTION
        segments = torch.zeros_like(ids) if segments is None else segments
        place = torch.arange(ids.shape[1], device=ids.device)
        x = self.token(ids) + self.place(place) + self.segment(segments)
        blocked = None if real is None else ~real
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=blocked)
        return self.norm(x)
        ### END SOLUTION

    def forward(
        self,
        ids: torch.Tensor,
        segments: torch.Tensor | None = None,
        real: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """Give a logit for every token at every place, by `head`.  Returns B×L×vocab."""
        ### BEGIN SOLUTION
        return self.head(self.states(ids, segments, real))
        ### END SOLUTION


# %%
def two_sided(P: np.ndarray, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Give the probability of every word between two known ones, in a chain with table P.

    P: V×V, P[a, k] is the chance that k follows a.  left, right: n ids each. A pair of them
        may be rare, one in 10³⁰, but some word between them has a product above 1e-300.
    Returns n×V: entry [i, k] is p(k | left[i] before it, right[i] after it).
    """
    ### BEGIN SOLUTION
    joint = P[left] * P[:, right].T
    return joint / joint.sum(axis=1, keepdims=True)
    ### END SOLUTION


def train_mlm(
    model: torch.nn.Module, batches: list[tuple[torch.Tensor, torch.Tensor]], rate: float
) -> torch.Tensor:
    """Train a masked language model, one step of Adam for each batch.

    model: maps inputs to B×L×V logits; it is trained in place. Gradients that it brings
        along from elsewhere do not count.
    batches: pairs (inputs, labels). inputs: what the model reads, such as B×L ids; hand it
        over as it is. labels: B×L integers, −100 where not asked. Each batch has at least
        one asked place, and lives on the model's device.
    rate: the learning rate of torch.optim.Adam; its other settings are the defaults. Every
        call begins with an Adam of its own.

    Returns the losses, one for each batch, each from before its step, as a 1-D tensor
    without gradient, on the model's device. A loss is a mean over the asked places.
    """
    ### BEGIN SOLUTION
    optimiser = torch.optim.Adam(model.parameters(), lr=rate)
    losses = []
    for inputs, labels in batches:
        scores = model(inputs)
        loss = torch.nn.functional.cross_entropy(
            scores.flatten(0, 1), labels.flatten(), ignore_index=-100
        )
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses)
    ### END SOLUTION


def hidden_nll(
    model: torch.nn.Module, ids: torch.Tensor, places: torch.Tensor, mask_id: int
) -> torch.Tensor:
    """Give −log p of one word of each sentence, hidden behind [MASK] for the occasion.

    model: maps B×L ids to B×L×V logits.  ids: B×L.  places: B integers, the place of the
    word in each sentence. All live on one device. ids itself stays as it is, and after the
    test a model can be trained. A surprise may be as large as the model makes it.
    Returns B numbers, without gradient, on the same device.
    """
    ### BEGIN SOLUTION
    rows = torch.arange(len(ids), device=ids.device)
    veiled = ids.clone()
    veiled[rows, places] = mask_id
    with torch.no_grad():
        log_p = torch.log_softmax(model(veiled)[rows, places], dim=-1)
    return -log_p[rows, ids[rows, places]]
    ### END SOLUTION


# %%
check("mlm")

# %% [markdown]
# Now the experiment: two networks learn the toy language from gaps alone, with every piece of the game written by you.
# `Neighbours` is the three tables. The other one is *your* `Bert`, with one layer of four heads, which is told nothing
# about neighbours: it has to find out that they matter. The cell takes about five seconds; put `steps = 200` if yours is
# slower.
#
# The right panel is measured by *your* `hidden_nll` on fresh sentences: one word of each is hidden. Beside it, the same
# networks on the same words, *not* hidden: that is what a leak looks like as a number. Nobody can honestly be there.

# %% tags=["explore"]
steps, batch, length, words = 400, 128, 8, 7
mask_id = words  # the words are 0 … 6


class Neighbours(torch.nn.Module):
    """Three tables that add up: for the word on the left, here, and on the right."""

    def __init__(self) -> None:
        super().__init__()
        self.tables = torch.nn.Parameter(torch.zeros(3, words + 1, words))

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        around = torch.nn.functional.pad(ids, (1, 1), value=mask_id)
        left, here, right = around[:, :-2], around[:, 1:-1], around[:, 2:]
        return self.tables[0, left] + self.tables[1, here] + self.tables[2, right]


rng = np.random.default_rng(0)
chain = hopping(rng, words)
batches = []
for _ in range(steps):
    ids = chain.sample(rng, batch, length)
    chosen = choose(ids, [mask_id], 0.15, rng)
    inputs, labels = corrupt(ids, chosen, words + 1, mask_id, [mask_id], rng)
    batches.append((torch.as_tensor(inputs), torch.as_tensor(labels)))

fresh = chain.sample(rng, 4000, length)
places = rng.integers(1, length - 1, size=4000)
left, word, right = (
    np.take_along_axis(fresh, places[:, None] + step, axis=1)[:, 0] for step in (-1, 0, 1)
)
truth = two_sided(chain.table, left, right)
floor = np.array([-np.log(chances[one]) for chances, one in zip(truth, word, strict=True)])
in_sight = np.where(np.arange(length) == places[:, None], fresh, -100)  # one label a row

torch.manual_seed(0)
figure, panels = plt.subplots(1, 2, figsize=(12, 4), sharey=True)
bert = Bert(words + 1, 32, length, 4, 1)
models = [(Neighbours(), 0.05, "tab:green"), (bert, 0.005, "tab:blue")]
for model, rate, colour in models:
    name = type(model).__name__
    losses = train_mlm(model, batches, rate).numpy()
    smooth = np.convolve(losses, np.full(20, 1 / 20), mode="valid")
    panels[0].plot(np.arange(len(smooth)) + 20, smooth, color=colour, label=name)
    asked = torch.as_tensor(fresh), torch.as_tensor(places)
    honest = hidden_nll(model, *asked, mask_id).numpy()
    with torch.no_grad():
        leaking, _ = mlm_loss(model(asked[0]).numpy(), in_sight)
    panels[1].plot([0, 1], [honest.mean(), leaking], "o", color=colour, label=name)
    excess = honest - floor
    error = excess.std() / len(excess) ** 0.5
    print(f"{name}: {excess.mean():.3f} ± {error:.3f} nats above the floor")
levels = {
    "nothing known": np.log(words),
    "one neighbour known": chain.entropy_rate(),
    "both known: the floor": floor.mean(),
}
for panel in panels:
    for what, level in levels.items():
        panel.axhline(level, color="0.5", linestyle="--", linewidth=1)
    panel.legend()
for what, level in levels.items():
    panels[1].annotate(what, (0.5, level + 0.02), fontsize=8, ha="center")
panels[0].set(title="while training", xlabel="step", ylabel="nats per asked word")
panels[1].set(title="on fresh sentences", xticks=[0, 1], xlim=(-0.5, 1.5), ylim=(0, 2.1))
panels[1].set_xticklabels(["word hidden", "word left in place"])
plt.show()

# %% [markdown]
# Two things to wonder about. The training loss settles near 1.0, well *above* what is measured on fresh sentences. Why?
# (In training a neighbour may be hidden or replaced as well, and the first and the last word have only one.) And what did
# the heads of your `Bert` find? The next cell shows where each place looks, averaged over sentences. Somebody looks one to
# the left, somebody one to the right; nobody told them.

# %% tags=["explore"]
heard: list[torch.Tensor] = []  # what the first norm of the layer hands to the attention
ear = bert.layers[0].norm1.register_forward_hook(lambda *told: heard.append(told[-1]))
with torch.no_grad():
    bert.states(torch.as_tensor(inputs))
    ear.remove()
    x = torch.cat(heard)
    _, looks = bert.layers[0].self_attn(x, x, x, average_attn_weights=False)
figure, panels = plt.subplots(1, 4, figsize=(11, 3), sharey=True)
for head, panel in enumerate(panels):
    panel.imshow(looks[:, head].mean(dim=0), cmap="Blues", vmin=0, vmax=1)
    panel.set(title=f"head {head}", xlabel="looks at place")
panels[0].set_ylabel("place")
plt.show()

# %% [markdown]
# ## It reads English
#
# The same encoder, the same game, a real language: the documentation strings of Python and numpy, which you have installed
# already. The vocabulary is the 300 most frequent words and the letters, so that your `word_pieces` can spell what is rare.
# Each row is a pair of lines, packed by your `pack`, segments and all. A tenth of the rows is kept aside. It takes about
# ten seconds.
#
# Then it fills gaps: above each panel the line, with its hidden word; the bars are its five best guesses. Before you look: which gaps will it fill, and which not? Write lines of your own.

# %% tags=["explore"]
import builtins
import inspect
import re
from collections import Counter

sources = (builtins, np, np.ndarray, str, dict, list, re, inspect)
described = [one for place in sources for one in vars(place).values() if callable(one)]
texts = dict.fromkeys(inspect.getdoc(one) or "" for one in described)
lines = [line.lower() for text in texts for line in text.split("\n")]
lines = [" ".join(re.findall(r"[a-z]+", line)) for line in lines if len(line) > 40]
frequent = Counter(word for line in lines for word in line.split()).most_common(300)
alphabet = [chr(97 + k) for k in range(26)]
special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
pieces = [*special, *alphabet, *("##" + one for one in alphabet)]
pieces = list(dict.fromkeys([*pieces, *(word for word, _ in frequent)]))
vocab = {piece: number for number, piece in enumerate(pieces)}

encoded = [encode(line, vocab) for line in lines]
packed = [pack(*pair, 24, vocab) for pair in zip(encoded[::2], encoded[1::2], strict=False)]
texts_ids, segments, real = (np.array(part) for part in zip(*packed, strict=True))
rng = np.random.default_rng(0)
kept = rng.permutation(len(packed))[: len(packed) // 10]
used = np.setdiff1d(np.arange(len(packed)), kept)


class Packed(torch.nn.Module):
    """Hands the segments and the padding of each row to the encoder, with its ids."""

    def __init__(self, encoder: torch.nn.Module) -> None:
        super().__init__()
        self.encoder = encoder

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        return self.encoder(rows[..., 0], rows[..., 1], rows[..., 2].bool())


def game(chosen_rows: np.ndarray) -> tuple[torch.Tensor, torch.Tensor]:
    """Hide words of some rows; ids, segments and real are stacked."""
    ids = texts_ids[chosen_rows]
    chosen = choose(ids, list(range(5)), 0.15, rng)
    inputs, labels = corrupt(ids, chosen, len(vocab), 4, list(range(5)), rng)
    rows = np.stack([inputs, segments[chosen_rows], real[chosen_rows]], axis=-1)
    return torch.as_tensor(rows), torch.as_tensor(labels)


torch.manual_seed(0)
reader = Bert(len(vocab), 48, 24, 4, 1)
for vectors in (reader.token, reader.place, reader.segment):
    vectors.weight.data *= 0.1  # a quiet start: it learns faster
batches = [game(rng.choice(used, size=64)) for _ in range(500)]
losses = train_mlm(Packed(reader), batches, 7e-3).numpy()
unseen, answers = game(kept)
with torch.no_grad():
    surprise, _ = mlm_loss(Packed(reader)(unseen).numpy(), answers.numpy())

figure, panels = plt.subplots(1, 4, figsize=(13, 3.2), layout="constrained")
smooth = np.convolve(losses, np.full(20, 1 / 20), mode="valid")
panels[0].plot(np.arange(len(smooth)) + 20, smooth)
panels[0].axhline(
    surprise, color="tab:red", linestyle="--", label=f"unseen: {surprise:.2f}"
)
panels[0].set(title="nats per asked piece", xlabel="step")
panels[0].legend()
gaps = ["return the [MASK] of the array", "if [MASK] is none the default is used",
        "the colour of the [MASK] is green"]  # fmt: skip
for panel, gap in zip(panels[1:], gaps, strict=True):
    words_of = [vocab[word] if word in vocab else vocab["[UNK]"] for word in gap.split()]
    row, of, there = (
        torch.as_tensor(part)[None] for part in pack(words_of, None, 24, vocab)
    )
    with torch.no_grad():
        chances = reader(row, of, there)[0, (row[0] == 4).int().argmax()].softmax(dim=-1)
    best = chances.topk(5)
    panel.barh([pieces[one] for one in best.indices][::-1], best.values.flip(0))
    panel.set_title(gap, fontsize=9)
plt.show()

# %% [markdown]
# It knows which kind of word is missing: after *return the* comes a noun, and one that its library is about. About colours it
# has read nothing, and it fills that gap no less surely than the others, with what stands between *the* and *is* there. It
# does not know that it does not know. BERT itself read 3.3 billion words ($3.3\cdot10^9$), and this one about a hundred
# thousand.

# %% [markdown]
# ## What else one should know
#
# **How much to hide.** Hide 1 % and nearly every word is still there to guess from, but of five sentences
# of twenty words four ask nothing, and training crawls. Hide most of it and there are plenty of questions, and nothing left to answer them from: the
# loss soon stands still, far above the floor. Fifteen per cent is a compromise, not a law.
#
# **What it costs.** The encoder reads all places in parallel, so nothing has to wait; that is not the problem. But it
# computes all of a long row, with attention between all pairs of places, and only the 15 % that are asked give a gradient
# at their output. A causal model is asked at every place of a row but the last.
#
# **What it is good for.** An encoder reads: it gives each word a vector that knows its whole sentence. Put a small layer on
# top, train on a few thousand labelled examples, and it classifies sentences, finds names, matches questions with answers.
# For a label of the whole row one takes the vector at `[CLS]`, a place that stands for no word and so is free to gather
# what the others say. What an encoder does not do naturally is write. For that one takes a decoder (GPT), or both (T5).

# %% [markdown]
# ## Question: ten short questions
#
# Answer each with one of the words in quotation marks, or with a number. Most of them take a line of calculation; two are
# runs to read.
#
# 1. `damaged`. A row has 512 tokens, none of them special; there are 100 ordinary ids. At how many places do you expect the
#    input to differ from the original? (A number, with two decimals.)
# 2. `no_mask`. A sentence of 12 ordinary words. With which probability is there no `[MASK]` at all in its input? (A number,
#    with three decimals.)
# 3. `trust`. You are told that a place was selected, and you see that its input is not `[MASK]`. The vocabulary is huge. With
#    which probability is the word that you see the original? (A number.)
# 4. `rates`. Three runs on the toy language (floors: 1.95, 1.22 and 0.81 nats), with everything equal but the selection rate:
#    it is 1, 15 or 80 in a hundred, not in this order. Training loss, the mean of the last 50 steps, after 50, 200, 400 and 1600 steps. Run A: 1.90,
#    1.63, 1.55, 1.53. Run B: 2.10, 1.96, 1.58, 0.94. Run C: 1.93, 1.14, 1.05, 1.00. Which run has which rate? (The three letters,
#    the smallest rate first, as in `"ABC"`.)
# 5. `verdict`. Another language has nine words, $h=1.50$ and $h_2=1.90$ nats. A network has learnt it from gaps. Its surprise
#    at hidden words of fresh sentences is 1.04 nats, with a standard error of 0.005. What do you say? `"learnt"`: it has come
#    down to the floor. `"longer"`: it is above the floor, train on. `"one_side"`: it looks at one side alone. `"leak"`: it
#    sees what it is asked for.
# 6. `may_look`. How many of the 36 entries of a prefix mask are true, for 6 places of which 4 are the prefix? (A number.)
# 7. `writing`. BERT is made to write. One `[MASK]` is put behind a prompt of 10 tokens, the likeliest word takes its place, one
#    `[MASK]` is put behind that, and so on, until 20 words are written. Each time all places of the row are computed anew, for
#    each of them sees the new word. How many places are computed in all? (A number.)
# 8. `lessons`. Rows of 128 ordinary tokens. How many times as many answers per row does a causal language model get as BERT
#    does, on average? (A number, with two decimals.)
# 9. `surprise`. A batch of two sentences, of three places each. The labels are 5, −100, 0 and −100, 7, −100. To the word that
#    stands there, at each place, the network gives the probabilities ⅓, ⅛, ⅙ and ¼, ½, ⅕. What is the loss? (A number, with
#    three decimals.)
# 10. `bytes`. How many tokens is *naïve café*, written in the alphabet of the 256 bytes (UTF-8; each accented letter takes
#     two)? (A number.)

# %%
concept_answers = {
    "damaged": None,  # a number
    "no_mask": None,  # a number
    "trust": None,  # a number
    "rates": None,  # "ABC", "ACB", "BAC", "BCA", "CAB" or "CBA"
    "verdict": None,  # "learnt", "longer", "one_side" or "leak"
    "may_look": None,  # a number
    "writing": None,  # a number
    "lessons": None,  # a number
    "surprise": None,  # a number
    "bytes": None,  # a number
}
### BEGIN SOLUTION
concept_answers.update(
    damaged=69.04,
    no_mask=0.216,
    trust=0.5,
    rates="BCA",
    verdict="leak",
    may_look=27,
    writing=410,
    lessons=6.61,
    surprise=1.195,
    bytes=12,
)
### END SOLUTION

# %%
check("concepts")

# %% [markdown]
# That was the core. What follows is extra: each part stands alone, in any order.
#
# ## Extra: is it really fifteen?
#
# You are handed somebody's data: the original ids, the inputs, the labels. Was the game played by the rules? Count, and
# say how sure you are. A count of $k$ in $n$ gives the fraction $\hat p=k/n$. The interval that everybody knows,
# $\hat p\pm z\sqrt{\hat p(1-\hat p)/n}$, is at its worst where we need it: with $k=0$ it has width 0, as if ten
# tries without a random word proved that there never are any. *Wilson's* interval asks the question the right way round:
# for which $p$ would $k$ not be surprising, $|\hat p-p|\le z\sqrt{p(1-p)/n}$? Square it, and it is a quadratic inequality in
# $p$; the interval ends at its two roots. With $k=0$ it reads $p^2\le z^2p(1-p)/n$, so $p$ runs from 0 to $z^2/(n+z^2)$:
# for $n=10$ and $z=1.96$ to 0.278. Solve it for any $k$. With $n=0$ nothing is known: from 0 to 1.
#
# Four fractions are asked. *selected* is of the **eligible** tokens. The other three are of the **selected** ones, and sum
# to 1: *masked* (the input is `[MASK]`), *kept* (the input is the original), *changed* (the input is something else).
# Of a fair game one expects 0.15, 0.8, a little over 0.1, a little under 0.1.


# %%
def wilson(k: int, n: int, z: float = 1.96) -> tuple[float, float]:
    """Give Wilson's interval for a fraction, from k hits in n tries; (0, 1) if n is 0."""
    ### BEGIN SOLUTION
    if n == 0:
        return 0.0, 1.0
    p = k / n
    middle = p + z**2 / (2 * n)
    reach_out = z * np.sqrt(p * (1 - p) / n + z**2 / (4 * n**2))
    scale = 1 + z**2 / n
    return float((middle - reach_out) / scale), float((middle + reach_out) / scale)
    ### END SOLUTION


def report(
    ids: np.ndarray,
    inputs: np.ndarray,
    labels: np.ndarray,
    mask_id: int,
    special_ids: list[int],
) -> dict[str, list[float]]:
    """Report what was done to a batch: fractions, each with its 95 % interval (z = 1.96).

    ids, inputs, labels: B×L; labels are −100 where a token was not selected, and so at
        every special token.
    Returns {"selected": [fraction, low, high], "masked": …, "kept": …, "changed": …}.
    "selected" is a fraction of the tokens that are not special, the others are fractions of
    the selected ones. A fraction of nothing is 0.
    """
    ### BEGIN SOLUTION
    asked = labels != -100
    masked = asked & (inputs == mask_id)
    kept = asked & (inputs == ids)
    many = int(asked.sum())
    counts = {
        "selected": (many, int(np.sum(eligible(ids, special_ids)))),
        "masked": (int(masked.sum()), many),
        "kept": (int(kept.sum()), many),
        "changed": (many - int(masked.sum()) - int(kept.sum()), many),
    }
    return {what: [k / max(n, 1), *wilson(k, n)] for what, (k, n) in counts.items()}
    ### END SOLUTION


# %%
check("report")

# %% [markdown]
# Wilson's interval, written out:
#
# $$\frac{\hat p+\frac{z^2}{2n}\;\pm\; z\sqrt{\frac{\hat p(1-\hat p)}{n}+\frac{z^2}{4n^2}}}{1+\frac{z^2}{n}} .$$
#
# The intervals of your own game (grey), as the number of sentences grows. Each dashed line is what the rules say; about one in
# twenty intervals misses its line, and should.

# %% tags=["explore"]
rng = np.random.default_rng(4)
sizes = (4 * 2.0 ** np.arange(10)).astype(int)
figure, panels = plt.subplots(1, 4, figsize=(12, 3), sharex=True, layout="constrained")
found = []
for size in sizes:
    ids = rng.integers(1, 8, size=(size, 20))
    chosen = choose(ids, [0], 0.15, rng)
    found.append(report(ids, *corrupt(ids, chosen, 8, 0, [0], rng), 0, [0]))
wanted = {"selected": 0.15, "masked": 0.8, "kept": 0.1 + 0.1 / 7, "changed": 0.1 - 0.1 / 7}
for panel, (what, rule) in zip(panels, wanted.items(), strict=True):
    middle, low, high = np.array([one[what] for one in found]).T
    panel.fill_between(sizes, low, high, color="0.85")
    panel.plot(sizes, middle, ".-", color="tab:blue")
    panel.axhline(rule, color="black", linestyle="--", linewidth=1)
    panel.set(title=what, xscale="log", xlabel="sentences")
plt.show()

# %% [markdown]
# ## Extra: the `[CLS]` head
#
# The encoder gives a vector of $d$ numbers for each place. For a label of the whole row, BERT takes the vector at
# `[CLS]`, place 0, and puts a small network on top:
#
# $$\text{logits} = W_{\text{out}}\,\tanh\!\left(W_{\text{dense}}\,h_0+b_{\text{dense}}\right)+b_{\text{out}} .$$
#
# Every other place is ignored *here*, padding included; what they know has come to place 0 through attention. Write it as
# a module with two linear layers that are called `dense` ($d\to d$) and `out` ($d\to K$), made on the given device. (It is
# built and checked here, and not trained: that would take a task with labels. `ClsHead(…)(bert.states(ids))` is how it
# would be called.)


# %%
class ClsHead(torch.nn.Module):
    """A classifier of whole rows, on the encoder's output at [CLS].

    Parameters: dense.weight d×d, dense.bias d, out.weight K×d, out.bias K.
    """

    def __init__(self, width: int, classes: int, device: str | None = None) -> None:
        """Make the two layers `dense` (width → width) and `out` (width → classes)."""
        super().__init__()
        ### BEGIN SOLUTION
        self.dense = torch.nn.Linear(width, width, device=device)
        self.out = torch.nn.Linear(width, classes, device=device)
        ### END SOLUTION

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Map the encoder's states, B×L×d with [CLS] at place 0, to logits: B×K."""
        ### BEGIN SOLUTION
        return self.out(torch.tanh(self.dense(states[:, 0])))
        ### END SOLUTION


# %%
check("cls")

# %% [markdown]
# ## Extra: words, characters, bytes
#
# The large-vocabulary problem, in numbers. The same text can be cut into words, into characters, or into the bytes of its
# UTF-8 encoding. Bytes need a vocabulary of 256 and never meet an unknown, in any language: a plain letter is one
# byte, `é` is two, `語` is three.


# %%
def byte_ids(text: str) -> list[int]:
    """Give the UTF-8 bytes of a text, as numbers from 0 … 255."""
    ### BEGIN SOLUTION
    return list(text.encode("utf-8"))
    ### END SOLUTION


def from_byte_ids(ids: list[int]) -> str:
    """Give the text of some bytes, which are numbers from 0 … 255.

    Bytes that are no valid UTF-8 become U+FFFD (in Python: errors="replace").
    """
    ### BEGIN SOLUTION
    return bytes(ids).decode("utf-8", errors="replace")
    ### END SOLUTION


def granularity(text: str) -> dict[str, list[int]]:
    """Compare three ways to cut a text.

    Returns {"words": [tokens, different], "characters": …, "bytes": …}: how many tokens the
    text has, and how many different ones. Words are what stands between blanks; each blank
    counts as a character, and as a byte.
    """
    ### BEGIN SOLUTION
    cuts = {"words": text.split(), "characters": list(text), "bytes": byte_ids(text)}
    return {name: [len(tokens), len(set(tokens))] for name, tokens in cuts.items()}
    ### END SOLUTION


# %%
check("alphabets")

# %% [markdown]
# ## The gradient, written out
#
# Only for who has found it already. With $e_k$ for the vector that is 1 at entry $k$ and 0 elsewhere,
#
# $$\frac{\partial\ell}{\partial z_{bt}} = \frac{1}{|\mathcal A|}\,\bigl(p_{bt}-e_{y_{bt}}\bigr)\ \text{ if } (b,t)\in\mathcal A,\qquad\text{and } 0 \text{ otherwise:}$$
#
# probabilities minus truth, at the asked places alone.
#
# ## What you have now
#
# The game that taught machines to read, with every rule in place, an encoder that plays it, and the habit of checking each
# of them: rates by counting, with an interval that admits what it does not know; leaks by poking; a loss by the floor that
# it must not fall through. A program that breaks one of the rules still trains, and its curve still goes down. Only the
# count, the poke and the floor tell.
