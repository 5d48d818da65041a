"""Wrong answers about recurrent networks, each with the hint a teacher would give."""

from redink.checks import misconception

# -- cell --------------------------------------------------------------------------------------------------------------

misconception(
    "transposes_U", "cell",
    hint="Which index of U names the unit that is being computed, the row or the column? Look at the conventions.",
    old="return np.tanh(x @ V.T + h @ U.T + c)",
    new="return np.tanh(x @ V.T + h @ U + c)",
)

misconception(
    "forgets_the_bias", "cell",
    hint="Three terms go into the tanh. Set x and h to 0: what should be left?",
    old="return np.tanh(x @ V.T + h @ U.T + c)",
    new="return np.tanh(x @ V.T + h @ U.T)",
)

misconception(
    "squashes_with_a_sigmoid", "cell",
    hint="Can your state be negative?",
    old="return np.tanh(x @ V.T + h @ U.T + c)",
    new="return sigmoid(x @ V.T + h @ U.T + c)",
)

misconception(
    "forgets_to_squash", "cell",
    hint="Let your network run for a hundred steps. How large do its states become?",
    old="return np.tanh(x @ V.T + h @ U.T + c)",
    new="return x @ V.T + h @ U.T + c",
)

misconception(
    "starts_from_nothing", "cell",
    hint="What is the state before the first step? It was given to you.",
    old="    h, states = h0, []\n    for t in range(x.shape[1]):\n        h = rnn_cell(",
    new="    h, states = np.zeros_like(h0), []\n    for t in range(x.shape[1]):\n        h = rnn_cell(",
)

misconception(
    "starts_afresh_at_every_step", "cell",
    hint="Which state does the second step begin with?",
    old="h = rnn_cell(x[:, t], h, V, U, c)",
    new="h = rnn_cell(x[:, t], h0, V, U, c)",
)

misconception(
    "gives_every_sequence_the_same_start", "cell",
    hint="h0 has a row for each sequence of the batch. Which of them does the second sequence begin with?",
    old="    h, states = h0, []\n    for t in range(x.shape[1]):\n        h = rnn_cell(",
    new="    h, states = np.broadcast_to(h0[0], h0.shape), []\n    for t in range(x.shape[1]):\n        h = rnn_cell(",
)


@misconception(
    "normalises_over_the_steps",
    "cell",
    hint="Add up your probabilities of one step over the classes. Then over the steps. Which sum is 1?",
)
def token_probabilities(h, W, b):
    z = h @ W.T + b
    powers = np.exp(z - z.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@misconception(
    "takes_the_softmax_of_the_state",
    "cell",
    hint="The softmax is taken of the output scores. What do you take it of?",
)
def token_probabilities(h, W, b):
    powers = np.exp(h - h.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True) @ W.T + b


misconception(
    "lets_the_softmax_overflow", "cell",
    hint="What is np.exp(1000)? Which number can you subtract from all scores without changing the result?",
    old="powers = np.exp(scores - scores.max(axis=-1, keepdims=True))",
    new="powers = np.exp(scores)",
)

misconception(
    "labels_by_the_largest_unit", "cell",
    hint="How many units has the state, and how many classes are there? Which of them do you choose among?",
    old="return (h @ W.T + b).argmax(axis=-1)",
    new="return h.argmax(axis=-1)",
)

misconception(
    "labels_without_the_output_bias", "cell",
    hint="Which class wins where the state is 0?",
    old="return (h @ W.T + b).argmax(axis=-1)",
    new="return (h @ W.T).argmax(axis=-1)",
)

misconception(
    "writes_the_states_into_h0", "cell",
    hint="After the call, look at the h0 that you passed in. Whose array did you write the states into?",
    old="        h = rnn_cell(x[:, t], h, V, U, c)\n        states.append(h)\n",
    new="        h[:] = rnn_cell(x[:, t], h, V, U, c)\n        states.append(h.copy())\n",
)

misconception(
    "keeps_one_array_for_all_states", "cell",
    hint="All your states are the last one. How many arrays have you made, and how many names for them?",
    old="    h, states = h0, []\n    for t in range(x.shape[1]):\n        h = rnn_cell(x[:, t], h, V, U, c)",
    new="    h, states = h0 * 1.0, []\n    for t in range(x.shape[1]):\n        h[:] = rnn_cell(x[:, t], h, V, U, c)",
)


@misconception(
    "states_in_the_type_of_x",
    "cell",
    hint="Try one-hot inputs and an h0 of zeros, written without points. Which kind of numbers fits into the array that you fill?",
)
def rnn_forward(x, h0, V, U, c):
    h, states = h0, np.zeros((*x.shape[:2], len(c)), dtype=x.dtype)
    for t in range(x.shape[1]):
        h = rnn_cell(x[:, t], h, V, U, c)
        states[:, t] = h
    return states


misconception(
    "subtracts_the_largest_score_of_all", "cell",
    hint="One step has scores near 0, another near 3000. What is left of the first after your subtraction?",
    old="powers = np.exp(scores - scores.max(axis=-1, keepdims=True))",
    new="powers = np.exp(scores - scores.max())",
)

misconception(
    "gives_the_state_before_each_step", "cell",
    hint="h[:, 0] is the state after the first step. Which one do you write down there?",
    old="        h = rnn_cell(x[:, t], h, V, U, c)\n        states.append(h)\n",
    new="        states.append(h)\n        h = rnn_cell(x[:, t], h, V, U, c)\n",
)

misconception(
    "probabilities_without_the_output_bias", "cell",
    hint="Let the state be 0. Are all classes equally probable then, or is something left?",
    old="    scores = h @ W.T + b\n    powers",
    new="    scores = h @ W.T\n    powers",
)

misconception(
    "labels_over_the_steps", "cell",
    hint="How many labels does a sequence of T steps get? Over which axis do you look for the largest score?",
    old="return (h @ W.T + b).argmax(axis=-1)",
    new="return (h @ W.T + b).argmax(axis=1)",
)

misconception(
    "lets_the_last_of_equals_win", "cell",
    hint="Two classes have the same score. Which of them wins by the conventions, and which in your function?",
    old="return (h @ W.T + b).argmax(axis=-1)",
    new="return len(b) - 1 - (h @ W.T + b)[..., ::-1].argmax(axis=-1)",
)

# -- loss --------------------------------------------------------------------------------------------------------------

misconception(
    "divides_by_all_places", "loss",
    hint="Do blanks count? Append ten of them to every sequence: does your loss change?",
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new="    loss = -log_p[rows, places, right].sum() / mask.size",
)

misconception(
    "forgets_the_mask", "loss",
    hint="Change the target of a padded place. Should the loss notice?",
    old="rows, places = np.nonzero(mask)",
    new="rows, places = np.nonzero(np.ones_like(mask))",
)

misconception(
    "sums_over_the_tokens", "loss",
    hint="A sum or a mean? Copy the batch twice: does your loss double?",
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new="    loss = -log_p[rows, places, right].sum()",
)

misconception(
    "forgets_the_minus", "loss",
    hint="A probability is at most 1. Which sign has its logarithm, and which sign should a loss have?",
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new="    loss = log_p[rows, places, right].sum() / len(rows)",
)

misconception(
    "averages_the_means_of_the_sequences", "loss",
    hint="How much does a token of a short sequence weigh in your mean, against one of a long sequence?",
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new=(
        "    chosen = np.where(mask, targets, 0)[:, :, None]\n"
        "    costs = np.where(mask, -np.take_along_axis(log_p, chosen, 2)[:, :, 0], 0)\n"
        "    loss = np.mean(costs.sum(axis=1) / mask.sum(axis=1))"
    ),
)

_WEIGHT = "How much does a token of a short sequence weigh in your mean, against one of a long sequence?"
_COSTS = (
    "    weight = mask / (np.maximum(mask.sum(axis=1), 1)[:, None] * {many})\n"
    "    loss = -(log_p[rows, places, right] * weight[rows, places]).sum()"
)
misconception(
    "a_mean_of_means_with_its_gradient", "loss", hint=_WEIGHT,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new=_COSTS.format(many="mask.any(axis=1).sum()"),
)
misconception(
    "a_mean_of_means_with_its_gradient", "loss", hint=_WEIGHT,
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope * weight[:, :, None]",
)

misconception(
    "a_mean_of_means_over_all_rows", "loss", hint=_WEIGHT,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new=_COSTS.format(many="len(mask)"),
)
misconception(
    "a_mean_of_means_over_all_rows", "loss", hint=_WEIGHT,
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope * weight[:, :, None]",
)

misconception(
    "a_mean_of_means_in_the_loss_alone", "loss", hint=_WEIGHT,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new=_COSTS.format(many="mask.any(axis=1).sum()"),
)

misconception(
    "takes_the_logarithm_of_a_rounded_zero", "loss",
    hint="A score 1000 below the best has a probability that your computer calls 0. Can you find log p without p?",
    old="log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))",
    new="log_p = np.log(np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True))",
)

misconception(
    "forgets_the_mean_in_the_gradient", "loss",
    hint="The loss is a mean. Is your gradient the gradient of a mean, or of a sum?",
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope",
)

misconception(
    "sends_gradients_into_the_padding", "loss",
    hint="What happens to the loss when a score in a padded place changes? And what does your gradient say?",
    old="slope = np.where(mask[:, :, None], np.exp(log_p), 0.0)",
    new="slope = np.exp(log_p)",
)

misconception(
    "pushes_every_class_down", "loss",
    hint="Which way should the score of the right class go? Look at the sign of its gradient.",
    old="    slope[rows, places, right] -= 1.0\n",
    new="",
)

misconception(
    "takes_perplexity_to_base_two", "loss",
    hint="In which base is the loss measured here? A uniform model over 6 symbols must have a perplexity of 6.",
    old="return float(np.exp(sequence_loss(logits, targets, mask)[0]))",
    new="return float(2 ** sequence_loss(logits, targets, mask)[0])",
)


@misconception(
    "averages_the_perplexities_of_the_tokens",
    "loss",
    hint="The exponential of a mean, or the mean of exponentials? Which of the two can a single token ruin?",
)
def perplexity(logits, targets, mask):
    z = logits - logits.max(axis=-1, keepdims=True)
    chosen = np.take_along_axis(z, np.where(mask, targets, 0)[:, :, None], axis=2)[:, :, 0]
    return float(np.exp(np.log(np.exp(z).sum(axis=-1)) - chosen)[mask].mean())


misconception(
    "multiplies_the_blanks_by_zero", "loss",
    hint="A blank may hold anything, also what is no number. What is 0 times NaN?",
    old="slope = np.where(mask[:, :, None], np.exp(log_p), 0.0)",
    new="slope = np.exp(log_p) * mask[:, :, None]",
)

misconception(
    "reads_the_class_of_a_blank", "loss",
    hint="Which class does a target of −100 name, and must anybody look it up?",
    old="    right = targets[rows, places]\n    loss = -log_p[rows, places, right].sum() / len(rows)",
    new=(
        "    right = targets[rows, places]\n"
        "    costs = -np.take_along_axis(log_p, targets[:, :, None], axis=2)[:, :, 0]\n"
        "    loss = costs[mask].sum() / len(rows)"
    ),
)

misconception(
    "takes_the_mask_for_a_length", "loss",
    hint="A mask says of each place whether it is real. Must the real ones all stand at the front?",
    old="rows, places = np.nonzero(mask)",
    new=(
        "mask = np.arange(mask.shape[1]) < mask.sum(axis=1)[:, None]\n"
        "    rows, places = np.nonzero(mask)"
    ),
)

misconception(
    "adds_a_little_before_the_logarithm", "loss",
    hint="What is the largest surprise that your loss can express, and what does the right class cost 1000 below the best?",
    old="log_p = shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))",
    new="log_p = np.log(np.exp(shifted) / np.exp(shifted).sum(axis=-1, keepdims=True) + 1e-12)",
)

misconception(
    "one_maximum_for_all_steps", "loss",
    hint="One step has scores near 0, another near 3000. What is left of the first after your shift, and its logarithm?",
    old="shifted = logits - logits.max(axis=-1, keepdims=True)",
    new="shifted = logits - logits[mask].max()",
)

misconception(
    "the_slope_has_the_type_of_the_scores", "loss",
    hint="Give it scores that are whole numbers. Is your gradient made of whole numbers too, and must it be?",
    old="return float(loss), slope / len(rows)",
    new="return float(loss), (slope / len(rows)).astype(logits.dtype)",
)

_BLANKS = "Do blanks count? Append ten of them to every sequence: do your loss and its gradient change?"
misconception(
    "divides_both_by_all_places", "loss", hint=_BLANKS,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new="    loss = -log_p[rows, places, right].sum() / mask.size",
)
misconception(
    "divides_both_by_all_places", "loss", hint=_BLANKS,
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope / mask.size",
)

misconception(
    "divides_the_gradient_by_all_places", "loss",
    hint="Over how many tokens is your loss a mean, and over how many is your gradient?",
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope / mask.size",
)

_SEQUENCES = "Over what is the mean: over the sequences of the batch, or over their tokens?"
misconception(
    "divides_by_the_sequences", "loss", hint=_SEQUENCES,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new="    loss = -log_p[rows, places, right].sum() / len(mask)",
)
misconception(
    "divides_by_the_sequences", "loss", hint=_SEQUENCES,
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope / len(mask)",
)

_SUM = "A sum or a mean? Copy the batch twice: do your loss and its gradient double?"
misconception(
    "sums_the_loss_and_its_gradient", "loss", hint=_SUM,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new="    loss = -log_p[rows, places, right].sum()",
)
misconception(
    "sums_the_loss_and_its_gradient", "loss", hint=_SUM,
    old="return float(loss), slope / len(rows)",
    new="return float(loss), slope",
)

misconception(
    "a_mean_of_means_over_all_rows_in_the_loss_alone", "loss", hint=_WEIGHT,
    old="    loss = -log_p[rows, places, right].sum() / len(rows)",
    new=_COSTS.format(many="len(mask)"),
)

misconception(
    "turns_the_gradient_round", "loss",
    hint="Raise the score of the right class a little. Does the loss rise or fall, and which sign has your gradient there?",
    old="return float(loss), slope / len(rows)",
    new="return float(loss), -slope / len(rows)",
)

misconception(
    "takes_the_mean_of_the_probabilities_alone", "loss",
    hint="Two things stand in the bracket, p and the one-hot vector. Which of them do you divide by the number of tokens?",
    old="    slope[rows, places, right] -= 1.0\n    return float(loss), slope / len(rows)",
    new="    slope = slope / len(rows)\n    slope[rows, places, right] -= 1.0\n    return float(loss), slope",
)

misconception(
    "inverts_the_perplexity", "loss",
    hint="Among how many symbols does a uniform model over 6 choose? More than one, surely.",
    old="return float(np.exp(sequence_loss(logits, targets, mask)[0]))",
    new="return float(np.exp(-sequence_loss(logits, targets, mask)[0]))",
)

_ALONE = "\n".join(
    (
        "    alone = [[one[n : n + 1] for one in (logits, targets, mask)] for n in range(len(mask)) if mask[n].any()]",
        "    costs = np.array([sequence_loss(*one)[0] for one in alone])",
        "    return float({})",
    )
)
_PERPLEXITY = "    return float(np.exp(sequence_loss(logits, targets, mask)[0]))"
misconception(
    "perplexity_of_a_mean_of_means", "loss", hint=_WEIGHT,
    old=_PERPLEXITY,
    new=_ALONE.format("np.exp(costs.mean())"),
)

misconception(
    "perplexity_of_a_mean_over_all_rows", "loss", hint=_WEIGHT,
    old=_PERPLEXITY,
    new=_ALONE.format("np.exp(costs.sum() / len(mask))"),
)

misconception(
    "averages_the_perplexities_of_the_sequences", "loss",
    hint="The exponential of a mean, or the mean of exponentials? And how much does a short sequence weigh in yours?",
    old=_PERPLEXITY,
    new=_ALONE.format("np.exp(costs).mean()"),
)

# -- bptt --------------------------------------------------------------------------------------------------------------

misconception(
    "forgets_the_arrow_to_the_next_step", "bptt",
    hint="How many arrows leave h_t? One goes into the loss at t. Where does the other one go?",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = dh[:, t] * (1 - h[:, t] ** 2)",
)

misconception(
    "forgets_the_loss_in_between", "bptt",
    hint="The loss looks at every state, not only at the last one.",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = (later + (dh[:, t] if t == h.shape[1] - 1 else 0)) * (1 - h[:, t] ** 2)",
)

misconception(
    "forgets_the_slope_of_tanh", "bptt",
    hint="Between h_t and a_t stands a tanh. What does it do to a gradient?",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = dh[:, t] + later",
)

misconception(
    "takes_the_slope_at_the_output", "bptt",
    hint="The slope of tanh is 1 − tanh². Is h already the tanh, or what goes into it?",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = (dh[:, t] + later) * (1 - np.tanh(h[:, t]) ** 2)",
)

misconception(
    "sends_back_through_U_transposed", "bptt",
    hint="Forwards a row of states is multiplied by U.T. By what, then, is a row of gradients multiplied?",
    old="        later = da[:, t] @ U\n    dV",
    new="        later = da[:, t] @ U.T\n    dV",
)

misconception(
    "sends_back_what_has_not_passed_the_tanh", "bptt",
    hint="On its way from h_t to the state before it, a gradient passes two things. You take it through one.",
    old="        later = da[:, t] @ U\n    dV",
    new="        later = (dh[:, t] + later) @ U\n    dV",
)

misconception(
    "what_comes_back_skips_the_tanh", "bptt",
    hint="Two gradients arrive at h_t. Which of them passes the tanh of this step in yours, and which should?",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = dh[:, t] * (1 - h[:, t] ** 2) + later",
)

misconception(
    "pairs_a_gradient_with_its_own_state", "bptt",
    hint="Which state was multiplied by U to make h_t?",
    old='dU = np.einsum("nth,ntk->hk", da, before)',
    new='dU = np.einsum("nth,ntk->hk", da, h)',
)

misconception(
    "takes_the_state_before_the_first_for_zero", "bptt",
    hint="What is the state before the first step? U was multiplied by it.",
    old="before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)  # h_{t−1} at place t",
    new="before = np.concatenate([0 * h0[:, None], h[:, :-1]], axis=1)",
)

misconception(
    "averages_over_the_steps", "bptt",
    hint="Sum or mean? Read how the private copies of U become one. Was the mean not already taken in the loss?",
    old="return da @ V, later, dV, dU, da.sum(axis=(0, 1))",
    new="return da @ V, later, dV / h.shape[1], dU / h.shape[1], da.sum(axis=0).mean(axis=0)",
)

misconception(
    "averages_over_the_batch", "bptt",
    hint="Sum or mean over the sequences? Whatever averaging there is was done in the loss.",
    old="return da @ V, later, dV, dU, da.sum(axis=(0, 1))",
    new="return da @ V, later, dV / len(x), dU / len(x), da.sum(axis=1).mean(axis=0)",
)

misconception(
    "keeps_the_gradient_of_one_step_only", "bptt",
    hint="The same V, U and c are used at every step. Whose gradient is left in your arrays at the end?",
    old="return da @ V, later, dV, dU, da.sum(axis=(0, 1))",
    new="return da @ V, later, da[:, 0].T @ x[:, 0], da[:, 0].T @ before[:, 0], da[:, 0].sum(axis=0)",
)

misconception(
    "stops_before_h0", "bptt",
    hint="You have the gradient at a_1. What stands between it and h0?",
    old="return da @ V, later, dV, dU, da.sum(axis=(0, 1))",
    new="return da @ V, da[:, 0], dV, dU, da.sum(axis=(0, 1))",
)

misconception(
    "walks_forwards_in_time", "bptt",
    hint="To know what h_t is worth you need to know what the state after it is worth. Where must you begin?",
    old="for t in reversed(range(h.shape[1])):\n        da[:, t] = (dh",
    new="for t in range(h.shape[1]):\n        da[:, t] = (dh",
)

misconception(
    "adds_into_the_upstream_gradient", "bptt",
    hint="After the call, look at the dh that you passed in. Whose array did you add to?",
    old="        da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="        dh[:, t] = dh[:, t] + later\n        da[:, t] = dh[:, t] * (1 - h[:, t] ** 2)",
)

_IN_PLACE = "After the call, look at the dh that you passed in. Is dh[:, t] a copy, or a piece of the caller's array?"
misconception(
    "adds_into_a_piece_of_the_upstream_gradient", "bptt", hint=_IN_PLACE,
    old="        da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="        whole = dh[:, t]\n        whole += later\n        da[:, t] = whole * (1 - h[:, t] ** 2)",
)

misconception(
    "takes_asarray_for_a_copy", "bptt", hint=_IN_PLACE,
    old="        da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new=(
        "        dh = np.asarray(dh, dtype=float)\n"
        "        dh[:, t] += later\n"
        "        da[:, t] = dh[:, t] * (1 - h[:, t] ** 2)"
    ),
)

misconception(
    "the_gradient_has_the_type_of_its_array", "bptt",
    hint="x is one-hot and holds integers. Which kind of numbers fits into a zeros_like of it?",
    old="return da @ V, later, dV, dU, da.sum(axis=(0, 1))",
    new="dx = np.zeros_like(x)\n    dx[:] = da @ V\n    return dx, later, dV, dU, da.sum(axis=(0, 1))",
)

misconception(
    "clips_on_the_way_back", "bptt",
    hint="Multiply the upstream gradient by a million. By what should all five gradients be multiplied, and by what are yours?",
    old="        later = da[:, t] @ U\n    dV",
    new="        later = np.clip(da[:, t] @ U, -100.0, 100.0)\n    dV",
)

misconception(
    "forgets_to_square_the_tanh", "bptt",
    hint="The slope of tanh is 1 at 0 and falls on both sides. What is yours for a negative state?",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = (dh[:, t] + later) * (1 - h[:, t])",
)

misconception(
    "takes_the_slope_of_the_step_before", "bptt",
    hint="Which state came out of the tanh that you go back through?",
    old="da[:, t] = (dh[:, t] + later) * (1 - h[:, t] ** 2)",
    new="da[:, t] = (dh[:, t] + later) * (1 - before[:, t] ** 2)",
)

misconception(
    "sends_the_upstream_gradient_to_the_inputs", "bptt",
    hint="x_t goes into a_t. Which of your gradients is the one at a_t?",
    old="return da @ V, later, dV, dU, da.sum(axis=(0, 1))",
    new="return dh @ V, later, dV, dU, da.sum(axis=(0, 1))",
)

# -- clipping ----------------------------------------------------------------------------------------------------------

misconception(
    "takes_the_largest_eigenvalue_for_the_radius", "clipping",
    hint="How fast do the powers of −2 grow? And those of 2i?",
    old="return float(np.abs(np.linalg.eigvals(U)).max())",
    new="return float(np.linalg.eigvals(U).real.max())",
)

misconception(
    "looks_at_the_real_parts_alone", "clipping",
    hint="A quarter turn has the eigenvalues i and −i. How far from 0 are they, and what does your function say?",
    old="return float(np.abs(np.linalg.eigvals(U)).max())",
    new="return float(np.abs(np.linalg.eigvals(U).real).max())",
)

misconception(
    "takes_the_norm_for_the_radius", "clipping",
    hint="A singular value is the size of an eigenvalue only where U is normal. Which does the radius want?",
    old="return float(np.abs(np.linalg.eigvals(U)).max())",
    new="return float(np.linalg.norm(U, 2))",
)

misconception(
    "takes_U_for_symmetric", "clipping",
    hint="eigvalsh and eigh look at one triangle of the matrix only. Is U symmetric?",
    old="return float(np.abs(np.linalg.eigvals(U)).max())",
    new="return float(np.abs(np.linalg.eigvalsh(U)).max())",
)

misconception(
    "forgets_the_slopes_of_the_steps", "clipping",
    hint="Your norms are those of a linear network. What does a saturated tanh do to a gradient?",
    old="product = product @ ((1 - state**2)[:, None] * U)",
    new="product = product @ U",
)

misconception(
    "puts_the_slopes_on_the_wrong_side", "clipping",
    hint="Which comes last in a step, U or the tanh? A slope belongs to a row or to a column of U accordingly.",
    old="product = product @ ((1 - state**2)[:, None] * U)",
    new="product = product @ ((1 - state**2)[None, :] * U)",
)

misconception(
    "multiplies_in_the_wrong_order", "clipping",
    hint="Matrices do not commute. In the product, at which end does the earliest step stand?",
    old="product = product @ ((1 - state**2)[:, None] * U)",
    new="product = ((1 - state**2)[:, None] * U) @ product",
)

misconception(
    "lists_the_norms_from_the_end", "clipping",
    hint="Which entry of your answer belongs to h_0? The norm of ∂h_T/∂h_T is 1: where should it stand?",
    old="return np.array(norms[::-1])",
    new="return np.array(norms)",
)

misconception(
    "takes_the_frobenius_norm", "clipping",
    hint="How large is your norm of the identity? np.linalg.norm of a matrix needs to be told which norm you want.",
    old="    norms = [1.0]\n    for state in h[::-1]:\n        product = product @ ((1 - state**2)[:, None] * U)\n        norms.append(np.linalg.norm(product, 2))",
    new="    norms = [np.sqrt(len(U))]\n    for state in h[::-1]:\n        product = product @ ((1 - state**2)[:, None] * U)\n        norms.append(np.linalg.norm(product))",
)


@misconception(
    "believes_that_the_radius_says_it_all",
    "clipping",
    hint="A power of the radius is what happens in the long run, in a linear network. Multiply the steps themselves.",
)
def jacobian_norms(h, U):
    return np.max(np.abs(np.linalg.eigvals(U))) ** np.arange(len(h), -1.0, -1.0)


misconception(
    "clips_each_array_alone", "clipping",
    hint="If every array gets a factor of its own, does the step still point the same way?",
    old="return [g * factor for g in gradients], norm",
    new="return [g * min(1.0, limit / max(np.sqrt(np.sum(g**2)), 1e-300)) for g in gradients], norm",
)

misconception(
    "clips_each_number", "clipping",
    hint="Each number is limited on its own here. Does the whole gradient still point in the same direction?",
    old="return [g * factor for g in gradients], norm",
    new="return [np.clip(g, -limit, limit) for g in gradients], norm",
)

misconception(
    "lengthens_short_gradients", "clipping",
    hint="What should happen to a gradient that is shorter than the limit?",
    old="factor = limit / norm if norm > limit else 1.0",
    new="factor = limit / norm if norm > 0 else 1.0",
)

misconception(
    "always_rescales", "clipping",
    hint="What should happen to a gradient that is shorter than the limit? And to one that is 0?",
    old="factor = limit / norm if norm > limit else 1.0",
    new="factor = limit / norm",
)

misconception(
    "always_rescales_and_makes_no_numbers", "clipping",
    hint="What should happen to a gradient that is shorter than the limit? And to one that is 0?",
    old="factor = limit / norm if norm > limit else 1.0",
    new="factor = limit / np.float64(norm)",
)

misconception(
    "tells_the_norm_after_clipping", "clipping",
    hint="Whoever watches a training run wants to see the explosion. Which norm shows it, before or after?",
    old="return [g * factor for g in gradients], norm",
    new="return [g * factor for g in gradients], norm * factor",
)

misconception(
    "forgets_the_root_of_the_norm", "clipping",
    hint="What is the length of the vector (3, 4)?",
    old="norm = float(np.sqrt(sum(np.sum(g**2) for g in gradients)))",
    new="norm = float(sum(np.sum(g**2) for g in gradients))",
)

misconception(
    "adds_up_the_norms", "clipping",
    hint="Put all arrays into one long vector. Is its length the sum of their lengths?",
    old="norm = float(np.sqrt(sum(np.sum(g**2) for g in gradients)))",
    new="norm = float(sum(np.sqrt(np.sum(g**2)) for g in gradients))",
)

misconception(
    "divides_by_a_norm_of_zero", "clipping",
    hint="What does your function do with gradients that are all 0?",
    old="factor = limit / norm if norm > limit else 1.0",
    new="factor = np.minimum(1.0, limit / np.float64(norm)) if norm else np.nan",
)

misconception(
    "does_not_cut_at_all", "clipping",
    hint="Give it k = 1 and k = T. Should both give the same gradients?",
    old="for start in reversed(range(0, x.shape[1], k)):",
    new="k = x.shape[1]\n    for start in reversed(range(0, x.shape[1], k)):",
)

misconception(
    "resets_the_state_at_the_cut", "clipping",
    hint="Carry the value, cut the gradient. Which state does a window begin with?",
    old="entered = h[:, start - 1] if start else h0  # a value, handed over",
    new="entered = np.zeros_like(h0) if start else h0",
)

misconception(
    "begins_every_window_at_h0", "clipping",
    hint="Only the first window begins at h0. Which state was handed to the one after it?",
    old="entered = h[:, start - 1] if start else h0  # a value, handed over",
    new="entered = h0",
)

misconception(
    "keeps_one_window_only", "clipping",
    hint="Every window has its share in the gradients of V, U and c. Whose share is left at the end?",
    old="dV, dU, dc = dV + parts[0], dU + parts[1], dc + parts[2]",
    new="dV, dU, dc = parts",
)

misconception(
    "takes_dh0_from_the_last_window", "clipping",
    hint="h0 goes into the first window only. Which window's answer do you return for it?",
    old="for start in reversed(range(0, x.shape[1], k)):",
    new="for start in range(0, x.shape[1], k):",
)


_WINDOWS = "Count your windows for T = 5 and k = 2. In which of them is step 5?"


@misconception("leaves_out_a_shorter_last_window", "clipping", hint=_WINDOWS)
def truncated_backward(dh, x, h, h0, V, U, k):
    dx, dV, dU, dc = np.zeros(x.shape), 0.0, 0.0, 0.0
    for start in reversed(range(0, max(x.shape[1] - k, 0) + 1, k)):
        window = slice(start, start + k)
        entered = h[:, start - 1] if start else h0
        dx[:, window], dh0, *parts = rnn_backward(
            dh[:, window], x[:, window], h[:, window], entered, V, U
        )
        dV, dU, dc = dV + parts[0], dU + parts[1], dc + parts[2]
    return dx, dh0, dV, dU, dc


@misconception("counts_whole_windows_only", "clipping", hint=_WINDOWS)
def truncated_backward(dh, x, h, h0, V, U, k):
    dx, dh0 = np.zeros(x.shape), np.zeros(h0.shape)
    dV, dU, dc = np.zeros(V.shape), np.zeros(U.shape), np.zeros(len(U))
    for start in reversed(range(0, x.shape[1] // k * k, k)):
        window = slice(start, start + k)
        entered = h[:, start - 1] if start else h0
        dx[:, window], dh0, *parts = rnn_backward(
            dh[:, window], x[:, window], h[:, window], entered, V, U
        )
        dV, dU, dc = dV + parts[0], dU + parts[1], dc + parts[2]
    return dx, dh0, dV, dU, dc


@misconception(
    "counts_the_windows_from_the_end",
    "clipping",
    hint="Where does the first window begin? If T is no multiple of k, which window is the short one?",
)
def truncated_backward(dh, x, h, h0, V, U, k):
    dx, dV, dU, dc = np.zeros(x.shape), 0.0, 0.0, 0.0
    for stop in range(x.shape[1], 0, -k):
        window = slice(max(0, stop - k), stop)
        entered = h[:, window.start - 1] if window.start else h0
        dx[:, window], dh0, *parts = rnn_backward(
            dh[:, window], x[:, window], h[:, window], entered, V, U
        )
        dV, dU, dc = dV + parts[0], dU + parts[1], dc + parts[2]
    return dx, dh0, dV, dU, dc


misconception(
    "shortens_the_callers_arrays", "clipping",
    hint="After the call, look at the gradients that you passed in. Are they still as long as they were?",
    old="return [g * factor for g in gradients], norm",
    new=(
        "for g in gradients:\n"
        "        g[...] = g * factor if factor < 1 else g\n"
        "    return gradients, norm"
    ),
)

misconception(
    "divides_by_a_little_more_than_the_norm", "clipping",
    hint="Gradients of norm 10⁻⁷, and a limit of half that. How long are they after your clipping?",
    old="factor = limit / norm if norm > limit else 1.0",
    new="factor = min(1.0, limit / (norm + 1e-6))",
)

misconception(
    "multiplies_the_norms", "clipping",
    hint="The norm of a product is at most the product of the norms. Which of the two is asked for?",
    old="        norms.append(np.linalg.norm(product, 2))\n",
    new="        norms.append(norms[-1] * np.linalg.norm((1 - state**2)[:, None] * U, 2))\n",
)

misconception(
    "gives_the_norms_of_single_steps", "clipping",
    hint="How many steps lie between h_0 and h_T? How many of them are in your first entry?",
    old="product = product @ ((1 - state**2)[:, None] * U)",
    new="product = (1 - state**2)[:, None] * U",
)

misconception(
    "squashes_the_states_again", "clipping",
    hint="The slope of tanh is 1 − tanh². Are the states that you get already the tanh, or what goes into it?",
    old="product = product @ ((1 - state**2)[:, None] * U)",
    new="product = product @ ((1 - np.tanh(state) ** 2)[:, None] * U)",
)

misconception(
    "takes_the_largest_entry_for_the_norm", "clipping",
    hint="How long is the vector (3, 4)? Longer than its largest entry.",
    old="norm = float(np.sqrt(sum(np.sum(g**2) for g in gradients)))",
    new="norm = float(max(np.abs(g).max() for g in gradients))",
)


@misconception(
    "adds_up_what_every_window_sends_back",
    "clipping",
    hint="Every window sends something back to the state it was handed. Which of those states is h0?",
)
def truncated_backward(dh, x, h, h0, V, U, k):
    dx, dh0, dV, dU, dc = np.zeros(x.shape), 0.0, 0.0, 0.0, 0.0
    for start in range(0, x.shape[1], k):
        window = slice(start, start + k)
        entered = h[:, start - 1] if start else h0
        dx[:, window], *parts = rnn_backward(
            dh[:, window], x[:, window], h[:, window], entered, V, U
        )
        dh0, dV, dU, dc = dh0 + parts[0], dV + parts[1], dU + parts[2], dc + parts[3]
    return dx, dh0, dV, dU, dc

# -- lstm --------------------------------------------------------------------------------------------------------------

misconception(
    "stacks_the_output_gate_third", "lstm",
    hint="In which order are the four blocks stacked here? Other books have other orders.",
    old="g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])",
    new="o, g = sigmoid(a[:, 2 * H : 3 * H]), np.tanh(a[:, 3 * H :])",
)

misconception(
    "stacks_the_forget_gate_first", "lstm",
    hint="Which of the blocks comes first here, input or forget?",
    old="i, f = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])",
    new="f, i = sigmoid(a[:, :H]), sigmoid(a[:, H : 2 * H])",
)

misconception(
    "makes_the_candidate_a_gate", "lstm",
    hint="Can your LSTM ever subtract from its cell? A content needs a sign.",
    old="g, o = np.tanh(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])",
    new="g, o = sigmoid(a[:, 2 * H : 3 * H]), sigmoid(a[:, 3 * H :])",
)

misconception(
    "writes_over_the_cell", "lstm",
    hint="Which gate decides how much of the old cell stays, and where is it in your line?",
    old="c = f * c + i * g\n",
    new="c = i * g\n",
)

misconception(
    "never_forgets", "lstm",
    hint="Shut the forget gate. What should be left of the old cell?",
    old="c = f * c + i * g\n",
    new="c = c + i * g\n",
)

misconception(
    "couples_the_gates", "lstm",
    hint="Can your LSTM write without forgetting? It has two separate gates for that.",
    old="c = f * c + i * g\n",
    new="c = f * c + (1 - f) * g\n",
)

misconception(
    "carries_h_on_the_belt", "lstm",
    hint="Two states travel, h and c. Which of them does the forget gate act on?",
    old="c = f * c + i * g\n",
    new="c = f * h + i * g\n",
)

misconception(
    "shows_the_bare_cell", "lstm",
    hint="A cell can grow beyond 1. Can h?",
    old="h = o * np.tanh(c)\n        steps.append((h, c, np.hstack",
    new="h = o * c\n        steps.append((h, c, np.hstack",
)

misconception(
    "returns_the_gates_before_their_squashing", "lstm",
    hint="A gate is a number between 0 and 1. Are yours?",
    old="steps.append((h, c, np.hstack([i, f, g, o])))",
    new="steps.append((h, c, a))",
)

misconception(
    "starts_the_lstm_from_nothing", "lstm",
    hint="Which h and which c does the first step begin with? They were given to you.",
    old="    H = h0.shape[1]\n    h, c, steps = h0, c0, []\n    for t in range(x.shape[1]):\n        a = x[:, t] @ V.T + h @ U.T + b",
    new="    H = h0.shape[1]\n    h, c, steps = 0 * h0, 0 * c0, []\n    for t in range(x.shape[1]):\n        a = x[:, t] @ V.T + h @ U.T + b",
)

misconception(
    "cuts_the_belt", "lstm",
    hint="c_t reaches the loss through h_t. Through what else?",
    old="dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)",
    new="dc = dh_t * o[:, t] * (1 - shown[:, t] ** 2) + (dc_last if t == x.shape[1] - 1 else 0)",
)

misconception(
    "ignores_what_arrives_at_the_last_cell", "lstm",
    hint="Something may arrive at c_T from outside. Where does it go in your function?",
    old="dh_later, dc = np.zeros_like(h0), dc_last",
    new="dh_later, dc = np.zeros_like(h0), np.zeros_like(c0)",
)

misconception(
    "takes_what_arrives_through_the_last_forget_gate", "lstm",
    hint="What arrives from outside arrives at c_T. Which gates stand between there and c_T, and which do you take it through?",
    old="dh_later, dc = np.zeros_like(h0), dc_last",
    new="dh_later, dc = np.zeros_like(h0), dc_last * f[:, -1]",
)

misconception(
    "takes_what_arrives_through_the_last_output_gate", "lstm",
    hint="dc_last arrives at the cell itself. Does it pass the output gate and the tanh before it gets there?",
    old="dh_later, dc = np.zeros_like(h0), dc_last",
    new="dh_later, dc = np.zeros_like(h0), dc_last * o[:, -1] * (1 - shown[:, -1] ** 2)",
)

misconception(
    "lets_what_arrives_at_the_cell_arrive_at_h", "lstm",
    hint="Two arrays come in from above, dh and dc_last. At which state of the last step does each of them arrive?",
    old="dh_later, dc = np.zeros_like(h0), dc_last",
    new="dh_later, dc = dc_last, np.zeros_like(c0)",
)

misconception(
    "forgets_that_h_feeds_the_gates", "lstm",
    hint="h_t goes into the loss, and into the four gates of the next step. How many gradients come back to it?",
    old="dh_t = dh[:, t] + dh_later",
    new="dh_t = dh[:, t]",
)

misconception(
    "keeps_the_whole_gradient_on_the_belt", "lstm",
    hint="What is the derivative of c_t in c_{t−1}? It is 1 only where nothing is forgotten.",
    old="        dc = dc * f[:, t]\n",
    new="",
)

_GATE = "Between c_{t−1} and c_t stands one forget gate. Of which step is it, and of which is the one that you multiply by?"
misconception(
    "goes_back_through_the_gate_before", "lstm", hint=_GATE,
    old="        dc = dc * f[:, t]\n",
    new="        dc = dc * f[:, max(t - 1, 0)]\n",
)

misconception(
    "goes_back_through_the_gate_before_and_round", "lstm", hint=_GATE,
    old="        dc = dc * f[:, t]\n",
    new="        dc = dc * f[:, t - 1]\n",
)

misconception(
    "goes_back_through_the_gate_too_early", "lstm", hint=_GATE,
    old="dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)",
    new="dc = f[:, t] * dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)",
)
misconception(
    "goes_back_through_the_gate_too_early", "lstm", hint=_GATE,
    old="        dc = dc * f[:, t]\n",
    new="",
)

misconception(
    "gives_the_forget_gate_the_new_cell", "lstm",
    hint="Which cell does the forget gate multiply, the one before the step or the one after it?",
    old="dc * c_before[:, t] * f[:, t] * (1 - f[:, t]),",
    new="dc * c[:, t] * f[:, t] * (1 - f[:, t]),",
)

misconception(
    "forgets_the_tanh_between_c_and_h", "lstm",
    hint="Between the cell and h stands the output gate, and something else.",
    old="dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)",
    new="dc = dc + dh_t * o[:, t]",
)

misconception(
    "takes_the_candidate_for_a_sigmoid_backwards", "lstm",
    hint="Three of the four blocks are sigmoids. What is the slope of the fourth?",
    old="dc * i[:, t] * (1 - g[:, t] ** 2),",
    new="dc * i[:, t] * g[:, t] * (1 - g[:, t]),",
)

misconception(
    "forgets_the_slope_of_the_output_gate", "lstm",
    hint="The fourth block: you have the gradient at o. What stands between it and a?",
    old="dh_t * shown[:, t] * o[:, t] * (1 - o[:, t]),",
    new="dh_t * shown[:, t],",
)

misconception(
    "pairs_the_lstm_gradient_with_its_own_state", "lstm",
    hint="Which h was multiplied by U at step t?",
    old='dU = np.einsum("nta,nth->ah", da, h_before)',
    new='dU = np.einsum("nta,nth->ah", da, h)',
)

misconception(
    "averages_the_lstm_over_the_batch", "lstm",
    hint="Sum or mean over the sequences? Whatever averaging there is was done in the loss.",
    old="return da @ V, dh_later, dc, dV, dU, da.sum(axis=(0, 1))",
    new="return da @ V, dh_later, dc, dV / len(x), dU / len(x), da.sum(axis=1).mean(axis=0)",
)

misconception(
    "adds_into_what_arrives_at_the_last_cell", "lstm",
    hint="After the call, look at the dc_last that you passed in. Whose array did you add to?",
    old="        dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)\n",
    new="        dc[:] = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)\n",
)


@misconception(
    "cells_in_the_type_of_c0",
    "lstm",
    hint="A cell that begins at 0 may be written without a point. Which kind of numbers fits into your array of cells?",
)
def lstm_forward(x, h0, c0, V, U, b):
    N, T, H = len(x), x.shape[1], h0.shape[1]
    h, c = np.zeros((N, T + 1, H)), np.zeros((N, T + 1, H), dtype=c0.dtype)
    h[:, 0], c[:, 0], gates = h0, c0, np.zeros((N, T, 4 * H))
    for t in range(T):
        i, f, g, o = np.split(x[:, t] @ V.T + h[:, t] @ U.T + b, 4, axis=1)
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c[:, t + 1] = f * c[:, t] + i * g
        h[:, t + 1] = o * np.tanh(c[:, t + 1])
        gates[:, t] = np.hstack([i, f, g, o])
    return h[:, 1:], c[:, 1:], gates

misconception(
    "squashes_what_the_gate_shows", "lstm",
    hint="What is squashed: the cell, or what the output gate has let through?",
    old="h = o * np.tanh(c)\n        steps.append((h, c, np.hstack",
    new="h = np.tanh(o * c)\n        steps.append((h, c, np.hstack",
)

misconception(
    "forgets_the_slope_of_the_input_gate", "lstm",
    hint="The first block: you have the gradient at i. What stands between it and a?",
    old="dc * g[:, t] * i[:, t] * (1 - i[:, t]),",
    new="dc * g[:, t],",
)

misconception(
    "forgets_the_slope_of_the_forget_gate", "lstm",
    hint="The second block: you have the gradient at f. What stands between it and a?",
    old="dc * c_before[:, t] * f[:, t] * (1 - f[:, t]),",
    new="dc * c_before[:, t],",
)

misconception(
    "forgets_the_slope_of_the_candidate", "lstm",
    hint="The third block: you have the gradient at g. What stands between it and a?",
    old="dc * i[:, t] * (1 - g[:, t] ** 2),",
    new="dc * i[:, t],",
)

misconception(
    "gives_the_output_gate_the_bare_cell", "lstm",
    hint="What does the output gate multiply: the cell, or its tanh?",
    old="dh_t * shown[:, t] * o[:, t] * (1 - o[:, t]),",
    new="dh_t * c[:, t] * o[:, t] * (1 - o[:, t]),",
)

misconception(
    "takes_h_for_the_tanh_of_the_cell", "lstm",
    hint="The slope of the tanh between the cell and h needs what came out of that tanh. Is that h?",
    old="dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)",
    new="dc = dc + dh_t * o[:, t] * (1 - h[:, t] ** 2)",
)

misconception(
    "sends_back_through_a_shut_output_gate", "lstm",
    hint="A shut output gate shows nothing of the cell. How much gradient should come back through it?",
    old="dc = dc + dh_t * o[:, t] * (1 - shown[:, t] ** 2)",
    new="dc = dc + dh_t * (1 - shown[:, t] ** 2)",
)

misconception(
    "stops_before_c0", "lstm",
    hint="You have the gradient at c_1. Which gate stands between it and c0?",
    old="        dc = dc * f[:, t]\n",
    new="        dc = dc * f[:, t] if t else dc\n",
)

misconception(
    "takes_the_first_h_of_the_lstm_for_zero", "lstm",
    hint="Which h was multiplied by U at the first step? It was given to you.",
    old="h_before = np.concatenate([h0[:, None], h[:, :-1]], axis=1)",
    new="h_before = np.concatenate([0 * h0[:, None], h[:, :-1]], axis=1)",
)

misconception(
    "takes_the_first_cell_for_zero", "lstm",
    hint="Which cell did the forget gate multiply at the first step? It was given to you.",
    old="c_before = np.concatenate([c0[:, None], c[:, :-1]], axis=1)",
    new="c_before = np.concatenate([0 * c0[:, None], c[:, :-1]], axis=1)",
)

# -- experiment --------------------------------------------------------------------------------------------------------

misconception(
    "feeds_the_answer", "experiment",
    hint="To predict a symbol, the network may read what came before it. What does it read at the same place?",
    old="return torch.cat([first, tokens[:, :-1]], dim=1)",
    new="return tokens",
)

misconception(
    "moves_the_inputs_the_wrong_way", "experiment",
    hint="Write inputs and targets under each other. Is each input older than its target, or younger?",
    old="return torch.cat([first, tokens[:, :-1]], dim=1)",
    new="return torch.cat([tokens[:, 1:], first], dim=1)",
)

misconception(
    "begins_with_the_last_symbol", "experiment",
    hint="There is nothing before the first symbol. What stands there instead, and what do you put there?",
    old="return torch.cat([first, tokens[:, :-1]], dim=1)",
    new="return torch.roll(tokens, 1, dims=1)",
)

misconception(
    "makes_the_start_symbol_on_the_cpu", "experiment",
    hint="Where does a new tensor live if nobody says where?",
    old="first = torch.full_like(tokens[:, :1], start)",
    new="first = torch.full((len(tokens), 1), start)",
)

misconception(
    "reads_from_both_ends", "experiment",
    hint="A bidirectional network has read the rest of the text. May it, when it is to predict it?",
    old=(
        "        self.recurrent = torch.nn.LSTM(hidden, hidden, batch_first=True)\n"
        "        self.output = torch.nn.Linear(hidden, vocabulary)"
    ),
    new=(
        "        self.recurrent = torch.nn.LSTM(\n"
        "            hidden, hidden, batch_first=True, bidirectional=True\n"
        "        )\n"
        "        self.output = torch.nn.Linear(2 * hidden, vocabulary)"
    ),
)

misconception(
    "forgets_that_the_batch_comes_first", "experiment",
    hint="Which axis does torch's recurrent layer take for time, unless it is told otherwise?",
    old="self.recurrent = torch.nn.LSTM(hidden, hidden, batch_first=True)",
    new="self.recurrent = torch.nn.LSTM(hidden, hidden)",
)

misconception(
    "ignores_the_state_it_is_given", "experiment",
    hint="Generation goes one symbol at a time. What would your model remember from one call to the next?",
    old="states, state = self.recurrent(self.embedding(inputs), state)",
    new="states, state = self.recurrent(self.embedding(inputs))",
)

misconception(
    "reads_every_symbol_alone", "experiment",
    hint="Your model does as well as one that knows only the last symbol. Does its memory run along the text?",
    old="        states, state = self.recurrent(self.embedding(inputs), state)\n",
    new=(
        "        states, _ = self.recurrent(self.embedding(inputs.reshape(-1, 1)))\n"
        "        states = states.reshape(*inputs.shape, -1)\n"
    ),
)

misconception(
    "takes_scores_for_log_probabilities", "experiment",
    hint="Add up e to your log-probabilities over all symbols. Is it 1?",
    old="log_p = torch.log_softmax(scores, dim=-1)",
    new="log_p = scores",
)

misconception(
    "normalises_over_the_places_of_the_text", "experiment",
    hint="A softmax makes numbers that compete sum to 1. Who competes here, the symbols or the places?",
    old="log_p = torch.log_softmax(scores, dim=-1)",
    new="log_p = torch.log_softmax(scores, dim=1)",
)

misconception(
    "forgets_the_logarithm", "experiment",
    hint="Probabilities are multiplied along a text, log-probabilities are added. Which of them do you return?",
    old="log_p = torch.log_softmax(scores, dim=-1)",
    new="log_p = torch.softmax(scores, dim=-1)",
)

misconception(
    "trains_on_one_batch", "experiment",
    hint="How many of the training sequences has your model ever seen?",
    old="batch = tokens[torch.randint(len(tokens), (64,), device=device)]",
    new="batch = tokens[:64]",
)

misconception(
    "climbs_instead_of_descending", "experiment",
    hint="Print the loss every fifty steps. Does it do what a loss should: fall, and come to rest well above 0?",
    old="loss = -token_log_probabilities(model, batch, vocabulary).mean()",
    new="loss = token_log_probabilities(model, batch, vocabulary).mean()",
)

misconception(
    "never_takes_a_step", "experiment",
    hint="Compare the weights before and after your training. How far have they moved?",
    old="        optimiser.step()\n        calm.step()\n",
    new="",
)

misconception(
    "never_clears_the_gradients", "experiment",
    hint="What does backward do with the gradients that are there already? Look at them after the second step.",
    old="        optimiser.zero_grad()\n",
    new="",
)

misconception(
    "keeps_the_end_symbol", "experiment",
    hint="The end symbol says that the text is over. Is it a part of the text?",
    old="        if symbol == end:\n            break\n        made.append(symbol)",
    new="        made.append(symbol)\n        if symbol == end:\n            break",
)

misconception(
    "takes_the_start_symbol_out_of_the_text", "experiment",
    hint="What if the model itself chooses the start symbol in the middle of a text? Whose choice is it that you leave out?",
    old="        made.append(symbol)\n    return made",
    new="        made.append(symbol)\n    return [one for one in made if one != start]",
)

misconception(
    "talks_past_the_end", "experiment",
    hint="What does your function do when the model says that the text is over?",
    old="        if symbol == end:\n            break\n        made.append(symbol)",
    new="        made.append(symbol)",
)

misconception(
    "puts_the_start_symbol_into_the_text", "experiment",
    hint="The start symbol is only ever an input.",
    old="    return made",
    new="    return [start, *made]",
)

misconception(
    "drops_the_state_between_symbols", "experiment",
    hint="Which state does your second step get?",
    old="scores, state = step(symbol, state)",
    new="scores, _ = step(symbol, state)",
)

misconception(
    "feeds_the_start_symbol_again_and_again", "experiment",
    hint="What does the model read at its second step? It should be what it has just said.",
    old="scores, state = step(symbol, state)",
    new="scores, state = step(start, state)",
)

misconception(
    "stops_one_symbol_late", "experiment",
    hint="Ask for a text of at most 0 symbols. How long is yours?",
    old="while len(made) < max_length:",
    new="while len(made) <= max_length:",
)

misconception(
    "never_samples", "experiment",
    hint="Generate twice with the same rng. Should the two texts always be the same?",
    old="symbol = int(rng.choice(len(p), p=p / p.sum()))",
    new="symbol = int(np.argmax(scores))",
)

# Before the next one, which it looks like after a while: of two that explain as much, the first gives the hint.
misconception(
    "makes_probabilities_in_the_model_s_own_array", "experiment",
    hint="Whose array are the scores that step returns? Look at the model's table after you have generated one text.",
    old="p = np.exp(scores - np.max(scores))",
    new="p = scores\n            p -= p.max()\n            np.exp(p, out=p)",
)

misconception(
    "samples_all_symbols_alike", "experiment",
    hint="Do your samples depend on the scores?",
    old="symbol = int(rng.choice(len(p), p=p / p.sum()))",
    new="symbol = int(rng.integers(len(p)))",
)

misconception(
    "exponents_without_a_limit", "experiment",
    hint="e to the power 900 is more than a float can hold. What may you subtract from all scores first?",
    old="p = np.exp(scores - np.max(scores))",
    new="p = np.exp(scores)",
)

misconception(
    "samples_in_proportion_to_the_scores", "experiment",
    hint="Scores are not probabilities, and may be negative. What makes probabilities of them?",
    old="p = np.exp(scores - np.max(scores))",
    new="p = scores - np.min(scores)",
)

misconception(
    "moves_the_targets_too", "experiment",
    hint="After inputs = tokens, how many tensors are there? Look at the tokens once the start symbol is in.",
    old="return torch.cat([first, tokens[:, :-1]], dim=1)",
    new="tokens[:] = torch.cat([first, tokens[:, :-1]], dim=1)\n    return tokens",
)

misconception(
    "takes_the_logarithm_of_a_softmax", "experiment",
    hint="A symbol scores 2000 below the best. What is its probability on your computer, and what is the logarithm of that?",
    old="log_p = torch.log_softmax(scores, dim=-1)",
    new="log_p = torch.softmax(scores, dim=-1).log()",
)

misconception(
    "shifts_the_model_s_own_scores", "experiment",
    hint="step gave you its scores. Were they a copy, or the model's own? Look at them after your subtraction.",
    old="p = np.exp(scores - np.max(scores))",
    new="scores -= np.max(scores)\n            p = np.exp(scores)",
)

misconception(
    "leaves_out_the_last_sequence", "experiment",
    hint="Which index has the last of your training sequences? Can your draw ever be that number?",
    old="torch.randint(len(tokens), (64,), device=device)",
    new="torch.randint(len(tokens) - 1, (64,), device=device)",
)

misconception(
    "leaves_out_the_first_sequence", "experiment",
    hint="Which index has the first of your training sequences? Can your draw ever be that number?",
    old="torch.randint(len(tokens), (64,), device=device)",
    new="torch.randint(1, len(tokens), (64,), device=device)",
)

_KEPT = "Call your training twice. Are the two models the same object, and what does the second training do to the first model?"
misconception(
    "keeps_the_model_for_the_next_training", "experiment", hint=_KEPT,
    old="def train_char_lm(\n",
    new="kept = {}\n\n\ndef train_char_lm(\n",
)
misconception(
    "keeps_the_model_for_the_next_training", "experiment", hint=_KEPT,
    old="    model = CharLM(vocabulary, hidden).to(device)\n",
    new=(
        "    model = kept.setdefault((vocabulary, hidden), CharLM(vocabulary, hidden))\n"
        "    model = model.to(device)\n"
    ),
)

_DROPOUT = "Ask your trained model the same question twice. In which mode is a module of torch after its training?"
misconception(
    "leaves_the_dropout_on", "experiment", hint=_DROPOUT,
    old="self.output = torch.nn.Linear(hidden, vocabulary)",
    new=(
        "self.output = torch.nn.Sequential(\n"
        "            torch.nn.Dropout(0.1), torch.nn.Linear(hidden, vocabulary)\n"
        "        )"
    ),
)

# At a constant rate the gradients of earlier batches keep the model from its source as well.
@misconception(
    "never_clears_the_gradients_and_never_calms",
    "experiment",
    hint="What does backward do with the gradients that are there already? Look at them after the second step.",
)
def train_char_lm(tokens, vocabulary, hidden=24, steps=300, device="cpu"):
    tokens = tokens.to(device)
    model = CharLM(vocabulary, hidden).to(device)
    optimiser = torch.optim.Adam(model.parameters(), lr=0.017)
    for _ in range(steps):
        batch = tokens[torch.randint(len(tokens), (64,), device=device)]
        loss = -token_log_probabilities(model, batch, vocabulary).mean()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model


misconception(
    "samples_with_a_generator_of_its_own", "experiment",
    hint="Draw twice with generators of one seed. Are your texts the same? Whose chance do you use?",
    old="symbol = int(rng.choice(len(p), p=p / p.sum()))",
    new="symbol = int(np.random.choice(len(p), p=p / p.sum()))",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "counts_a_unit_of_an_lstm_four_times", "concepts",
    hint="Item size: four times the rows, yes. But does a network with four times the units have four times the parameters?",
    old="    size=16.0,\n",
    new="    size=28,\n",
)

misconception(
    "forgets_the_four_blocks", "concepts",
    hint="Item size: how many blocks are stacked on top of each other in the LSTM's V?",
    old="    size=16.0,\n",
    new="    size=7,\n",
)

misconception(
    "takes_every_single_step", "concepts",
    hint="Item skips: which way is the shortest, and how many factors meet a gradient that takes it?",
    old='    skips=0.262,\n',
    new="    skips=1.53e-6,\n",
)

misconception(
    "takes_one_step_for_the_whole_way", "concepts",
    hint="Item skips: how many connections of ten steps make a way of sixty?",
    old="    skips=0.262,\n",
    new="    skips=0.8,\n",
)

misconception(
    "forgets_the_square_of_the_state", "concepts",
    hint="Item balance: the slope of tanh is 1 − h². For which h is 1.25 times that equal to 1?",
    old="    balance=0.447,\n",
    new="    balance=0.2,\n",
)

misconception(
    "takes_the_slope_for_the_state", "concepts",
    hint="Item balance: you have found the slope that undoes U. Which state has that slope?",
    old="    balance=0.447,\n",
    new="    balance=0.8,\n",
)

misconception(
    "sees_only_the_small_gradients", "concepts",
    hint="Item run: the gradient is small at the end. But what was it when the loss jumped?",
    old='    run="exploded",\n',
    new='    run="vanished",\n',
)

misconception(
    "calls_a_jump_overfitting", "concepts",
    hint="Item run: who overfits has a small loss in training. What happened to the gradient when this one jumped?",
    old='    run="exploded",\n',
    new='    run="overfitted",\n',
)

misconception(
    "calls_a_flat_line_the_goal", "concepts",
    hint="Item run: the loss has come to rest. Was it not far lower before?",
    old='    run="exploded",\n',
    new='    run="converged",\n',
)

misconception(
    "compares_with_the_entropy_rate", "concepts",
    hint="Item below: the entropy rate is a mean over all texts. What does the source itself say about this one, and how many nats in all is the model ahead?",
    old='    below="nothing",\n',
    new='    below="leak",\n',
)

misconception(
    "believes_in_talent", "concepts",
    hint="Item below: two nats on one text. By the inequality above, how often is an honest model so far ahead?",
    old='    below="nothing",\n',
    new='    below="better",\n',
)

misconception(
    "calls_a_small_loss_overfitting", "concepts",
    hint="Item below: who overfits is good on the training data. On which data was this loss measured?",
    old='    below="nothing",\n',
    new='    below="overfitting",\n',
)

misconception(
    "answers_with_the_gate", "concepts",
    hint="Item bias: the gate is σ of its bias. Have you gone back through the σ?",
    old="    bias=3.345,\n",
    new="    bias=0.966,\n",
)

misconception(
    "blames_the_memory", "concepts",
    hint="Item drift: on true texts the two-hundredth symbol is predicted as well as the tenth. Can it have forgotten?",
    old='    drift="mistakes",\n',
    new='    drift="forgets",\n',
)

misconception(
    "blames_overfitting", "concepts",
    hint="Item drift: were the true texts, on which the loss stays low, not fresh?",
    old='    drift="mistakes",\n',
    new='    drift="overfitted",\n',
)

misconception(
    "blames_the_draws", "concepts",
    hint="Item drift: the tenth symbol is drawn by chance too. What is different about what the model has read before the two-hundredth?",
    old='    drift="mistakes",\n',
    new='    drift="draws",\n',
)

misconception(
    "adds_the_perplexities_of_the_letters", "concepts",
    hint="Item letters: the surprises of the letters of a word are added. What happens to their exponentials?",
    old="    letters=243.0,\n",
    new="    letters=15,\n",
)

misconception(
    "a_perplexity_is_a_perplexity", "concepts",
    hint="Item letters: a word is a word once all of its characters are guessed. Among how many words of five characters does the model choose?",
    old="    letters=243.0,\n",
    new="    letters=3,\n",
)

misconception(
    "writes_without_the_input_gate", "concepts",
    hint="Item counter: what is added to the cell at each a: the candidate, or what the input gate lets through of it?",
    old="    counter=3.0,\n",
    new="    counter=2,\n",
)

misconception(
    "shows_the_bare_cell_by_hand", "concepts",
    hint="Item shown: what does the output gate multiply: the cell, or its tanh?",
    old="    shown=0.25,\n",
    new="    shown=0.2075,\n",
)

misconception(
    "answers_in_words_of_its_own", "concepts",
    hint="Answer with one of the words that are offered.",
    old='    below="nothing",\n',
    new='    below="it is chance",\n',
)

# -- gru (extra) -------------------------------------------------------------------------------------------------------

misconception(
    "resets_after_the_product", "gru",
    hint="In the classic form, is r multiplied with h, or with U h?",
    old="candidate = np.tanh(a[:, 2 * H :] + (r * h) @ U[2 * H :].T)",
    new="candidate = np.tanh(a[:, 2 * H :] + r * (h @ U[2 * H :].T))",
)

misconception(
    "never_resets", "gru",
    hint="Shut the reset gate. What should the candidate still see?",
    old="candidate = np.tanh(a[:, 2 * H :] + (r * h) @ U[2 * H :].T)",
    new="candidate = np.tanh(a[:, 2 * H :] + h @ U[2 * H :].T)",
)

misconception(
    "updates_the_old_state", "gru",
    hint="In the classic form, which of the two does u weigh, the candidate or the old state?",
    old="h = u * candidate + (1 - u) * h",
    new="h = (1 - u) * candidate + u * h",
)

misconception(
    "stacks_the_update_gate_first", "gru",
    hint="In which order are the blocks stacked?",
    old="        r = sigmoid(a[:, :H] + h @ U[:H].T)\n        u = sigmoid(a[:, H : 2 * H] + h @ U[H : 2 * H].T)",
    new="        u = sigmoid(a[:, :H] + h @ U[:H].T)\n        r = sigmoid(a[:, H : 2 * H] + h @ U[H : 2 * H].T)",
)

misconception(
    "keeps_the_second_bias_out_of_the_reset", "gru",
    hint="torch has two biases for a reason. Which of them does its reset gate reach?",
    old="n = np.tanh(an + r * sn)",
    new="n = np.tanh(an + r * (sn - b_state[-sn.shape[1] :]) + b_state[-sn.shape[1] :])",
)

misconception(
    "resets_before_the_product_in_torch_s_form", "gru",
    hint="In torch's form, is the state multiplied by U before the reset, or after it?",
    old="n = np.tanh(an + r * sn)",
    new="n = np.tanh(an + (r * h) @ U[2 * h.shape[1] :].T + b_state[2 * h.shape[1] :])",
)

misconception(
    "lets_z_weigh_the_candidate", "gru",
    hint="In torch's form, a z of 1 keeps something. What?",
    old="h = (1 - z) * n + z * h",
    new="h = z * n + (1 - z) * h",
)

# -- variants (extra) --------------------------------------------------------------------------------------------------

misconception(
    "lets_the_output_gate_see_the_old_cell", "variants",
    hint="The output gate decides what to show of the new cell. Which cell does yours look at?",
    old=(
        "        c = f * c + i * np.tanh(ag)\n"
        "        h = sigmoid(ao + P[2] * c) * np.tanh(c)"
    ),
    new=(
        "        o = sigmoid(ao + P[2] * c)\n"
        "        c = f * c + i * np.tanh(ag)\n"
        "        h = o * np.tanh(c)"
    ),
)

misconception(
    "peeps_at_h", "variants",
    hint="A peephole looks at the cell. What do yours look at?",
    old="i, f = sigmoid(ai + P[0] * c), sigmoid(af + P[1] * c)",
    new="i, f = sigmoid(ai + P[0] * h), sigmoid(af + P[1] * h)",
)

misconception(
    "leaves_the_forget_gate_blind", "variants",
    hint="Three gates have a peephole. How many of yours do?",
    old="i, f = sigmoid(ai + P[0] * c), sigmoid(af + P[1] * c)",
    new="i, f = sigmoid(ai + P[0] * c), sigmoid(af)",
)

misconception(
    "writes_as_much_as_it_keeps", "variants",
    hint="Coupled gates: if nearly everything is kept, how much room is there for what is new?",
    old="c = keep * c + (1 - keep) * np.tanh(ag)",
    new="c = keep * c + keep * np.tanh(ag)",
)

misconception(
    "forgets_what_it_should_keep", "variants",
    hint="Open the forget gate, f = 1. What should be left of the old cell?",
    old="c = keep * c + (1 - keep) * np.tanh(ag)",
    new="c = (1 - keep) * c + keep * np.tanh(ag)",
)

misconception(
    "changes_the_cell_it_was_given", "variants",
    hint="After the call, look at the c0 that you passed in. Is it still where the sequence began?",
    old="c = keep * c + (1 - keep) * np.tanh(ag)",
    new="c[:] = keep * c + (1 - keep) * np.tanh(ag)\n        c = c.copy()",
)

# -- birnn (extra) -----------------------------------------------------------------------------------------------------

misconception(
    "leaves_the_backward_states_turned_round", "birnn",
    hint="The second network's first state belongs to the last place of the sentence. Where do you put it?",
    old="joined[n, :length] = np.concatenate([there[0], back[0, ::-1]], axis=1)",
    new="joined[n, :length] = np.concatenate([there[0], back[0]], axis=1)",
)

misconception(
    "reads_forwards_twice", "birnn",
    hint="What does the second network know at the first place of the sentence? It should know all of it.",
    old="        back = rnn_forward(alone[:, ::-1], backward[0][n : n + 1], *backward[1:])\n        joined[n, :length] = np.concatenate([there[0], back[0, ::-1]], axis=1)",
    new="        back = rnn_forward(alone, backward[0][n : n + 1], *backward[1:])\n        joined[n, :length] = np.concatenate([there[0], back[0]], axis=1)",
)

misconception(
    "joins_the_backward_states_first", "birnn",
    hint="Which half comes first?",
    old="joined[n, :length] = np.concatenate([there[0], back[0, ::-1]], axis=1)",
    new="joined[n, :length] = np.concatenate([back[0, ::-1], there[0]], axis=1)",
)


@misconception(
    "begins_in_the_padding",
    "birnn",
    hint="With which symbol does your backward network begin a short sentence: a real one, or a blank?",
)
def birnn_forward(x, lengths, forward, backward):
    there = rnn_forward(x, *forward)
    back = rnn_forward(x[:, ::-1], *backward)[:, ::-1]
    real = np.arange(x.shape[1]) < np.asarray(lengths)[:, None]
    return np.where(real[:, :, None], np.concatenate([there, back], axis=2), 0.0)


misconception(
    "starts_the_upper_layers_from_nothing", "birnn",
    hint="Every layer was given a state to start from.",
    old="        x = rnn_forward(x, start, V, U, c)\n    return x",
    new="        x = rnn_forward(x, np.zeros_like(start), V, U, c)\n    return x",
)

misconception(
    "runs_the_first_layer_only", "birnn",
    hint="How many layers have you run?",
    old="        x = rnn_forward(x, start, V, U, c)\n    return x",
    new="        return rnn_forward(x, start, V, U, c)\n    return x",
)

misconception(
    "pools_the_padding_too", "birnn",
    hint="Where does a short sequence end, at its last real step or at the end of the rectangle?",
    old="real, half = states[:length], states.shape[1] // 2",
    new="real, half = states, states.shape[1] // 2",
)

misconception(
    "takes_both_ends_at_the_last_step", "birnn",
    hint="Where has the backward half read everything: at the last step, or at the first?",
    old='"ends": np.append(real[-1, :half], real[0, half:]),',
    new='"ends": real[-1],',
)

misconception(
    "averages_the_tagging_loss", "birnn",
    hint="A function with sum in its name sums.",
    old="return float(sequence_loss(logits, tags, real)[0] * real.sum())",
    new="return float(sequence_loss(logits, tags, real)[0])",
)

misconception(
    "tags_the_blanks", "birnn",
    hint="How many real steps does the batch have, and over how many do you sum?",
    old="return float(sequence_loss(logits, tags, real)[0] * real.sum())",
    new="return float(sequence_loss(logits, tags, np.ones_like(real))[0] * real.size)",
)

misconception(
    "multiplies_the_padded_states_by_zero", "birnn",
    hint="At padded steps anything may stand, also what is no number. What is 0 times NaN?",
    old='"mean": real.mean(axis=0),',
    new='"mean": (states * (np.arange(len(states)) < length)[:, None]).sum(axis=0) / length,',
)

misconception(
    "lets_a_zero_win", "birnn",
    hint="All real states of a unit are negative. What is their maximum, and where does your 0 come from?",
    old='"max": real.max(axis=0),',
    new='"max": np.where((np.arange(len(states)) < length)[:, None], states, 0).max(axis=0),',
)

# -- batches (extra) ---------------------------------------------------------------------------------------------------

misconception(
    "pads_in_front", "batches",
    hint="At which end are sequences filled up here?",
    old="    mask = np.arange(lengths.max()) < lengths[:, None]\n    tokens = np.full",
    new="    mask = np.arange(lengths.max())[::-1] < lengths[:, None]\n    tokens = np.full",
)

misconception(
    "takes_every_filler_for_padding", "batches",
    hint="May a real token be equal to the filler? Then what tells them apart?",
    old="    return tokens, mask\n",
    new="    return tokens, tokens != filler\n",
)

misconception(
    "sorts_the_longest_first", "batches",
    hint="Which sequences come first, the short ones or the long ones?",
    old='order = np.argsort(lengths, kind="stable").tolist()',
    new='order = np.argsort(-np.asarray(lengths), kind="stable").tolist()',
)

misconception(
    "does_not_sort", "batches",
    hint="Neighbours in a batch should be alike in length. Are yours?",
    old='order = np.argsort(lengths, kind="stable").tolist()',
    new="order = list(range(len(lengths)))",
)

misconception(
    "turns_round_those_of_equal_length", "batches",
    hint="Two sequences of the same length: which of them came first, and which comes first now?",
    old='order = np.argsort(lengths, kind="stable").tolist()',
    new="order = sorted(range(len(lengths)), key=lambda i: (lengths[i], -i))",
)

misconception(
    "pads_every_batch_to_the_longest_of_all", "batches",
    hint="To which length is a batch of short sequences padded? There is no long one in it.",
    old="return sum(max(batch) * len(batch) - sum(batch) for batch in found)",
    new="return sum(max(lengths) * len(batch) - sum(batch) for batch in found)",
)

misconception(
    "counts_all_the_places", "batches",
    hint="Do you count the padded places, or all of them?",
    old="return sum(max(batch) * len(batch) - sum(batch) for batch in found)",
    new="return sum(max(batch) * len(batch) for batch in found)",
)

misconception(
    "wipes_the_state_in_the_padding", "batches",
    hint="A padded step must change nothing. What has become of the state after yours?",
    old="h = np.where(mask[:, t, None], moved, h)",
    new="h = np.where(mask[:, t, None], moved, 0.0)",
)

misconception(
    "runs_on_through_the_padding", "batches",
    hint="What does your network do at a step that is not real?",
    old="h = np.where(mask[:, t, None], moved, h)",
    new="h = moved",
)

misconception(
    "blends_with_the_mask", "batches",
    hint="A padded input may be anything, also what is no number. What is 0 times NaN?",
    old="h = np.where(mask[:, t, None], moved, h)",
    new="h = mask[:, t, None] * moved + (1 - mask[:, t, None]) * h",
)

misconception(
    "takes_the_mask_for_a_length_too", "batches",
    hint="Must a mask begin with its real steps? What does your network do with one that has a hole?",
    old="h = np.where(mask[:, t, None], moved, h)",
    new="h = np.where(mask.sum(axis=1)[:, None] > t, moved, h)",
)

misconception(
    "finds_a_sequence_by_its_length", "batches",
    hint="Two sequences have the same length. Whose index do you write down twice?",
    old='order = np.argsort(lengths, kind="stable").tolist()',
    new="order = [lengths.index(length) for length in sorted(lengths)]",
)

misconception(
    "leaves_the_last_few_out", "batches",
    hint="Seven sequences in batches of three. How many of them are in one of yours?",
    old="for at in range(0, len(order), size)]",
    new="for at in range(0, len(order) - size + 1, size)]",
)

# -- dropout (extra) ---------------------------------------------------------------------------------------------------

misconception(
    "does_not_make_up_for_what_is_dropped", "dropout",
    hint="What is the mean of your mask? With inverted dropout it is 1.",
    old="return (rng.random((n, hidden)) >= p) / (1 - p)",
    new="return (rng.random((n, hidden)) >= p) * 1.0",
)

misconception(
    "keeps_with_probability_p", "dropout",
    hint="Is p the probability to keep a unit, or to drop it?",
    old="return (rng.random((n, hidden)) >= p) / (1 - p)",
    new="return (rng.random((n, hidden)) < p) / (1 - p)",
)

misconception(
    "drops_the_same_units_in_every_sequence", "dropout",
    hint="One mask for all the steps of a sequence. And for all the sequences?",
    old="return (rng.random((n, hidden)) >= p) / (1 - p)",
    new="return np.repeat(rng.random((1, hidden)) >= p, n, axis=0) / (1 - p)",
)

misconception(
    "drops_whole_sequences", "dropout",
    hint="Each unit has its own luck. How many numbers do you draw?",
    old="return (rng.random((n, hidden)) >= p) / (1 - p)",
    new="return np.repeat(rng.random((n, 1)) >= p, hidden, axis=1) / (1 - p)",
)

misconception(
    "drops_with_a_generator_of_its_own", "dropout",
    hint="Draw twice with generators of one seed. Are your masks the same? Whose chance do you use?",
    old="return (rng.random((n, hidden)) >= p) / (1 - p)",
    new="return (np.random.random((n, hidden)) >= p) / (1 - p)",
)

misconception(
    "always_the_same_luck", "dropout",
    hint="Every batch needs new masks. When do yours change?",
    old="return (rng.random((n, hidden)) >= p) / (1 - p)",
    new="return (np.random.default_rng(0).random((n, hidden)) >= p) / (1 - p)",
)

misconception(
    "lets_dropped_outputs_into_the_recurrence", "dropout",
    hint="The outputs are dropped on their way up. Does your next step see them whole?",
    old="        outputs.append(on_outputs[:, t] * h)",
    new="        h = on_outputs[:, t] * h\n        outputs.append(h)",
)

misconception(
    "spares_the_first_state", "dropout",
    hint="The state's mask acts inside every step. Also inside the first?",
    old="h = rnn_cell(x[:, t], on_state * h, V, U, c)",
    new="h = rnn_cell(x[:, t], on_state * h if t else h, V, U, c)",
)

misconception(
    "shows_the_dropped_state", "dropout",
    hint="The state's mask belongs in front of U. Do your outputs feel it as well?",
    old="        outputs.append(on_outputs[:, t] * h)",
    new="        outputs.append(on_outputs[:, t] * on_state * h)",
)

misconception(
    "drops_units_of_the_state_it_was_given", "dropout",
    hint="After the call, look at the h0 that you passed in. Which of its units are 0 now?",
    old="    h, outputs = h0, []\n    for t in range(x.shape[1]):\n",
    new="    h, outputs = h0, []\n    for t in range(x.shape[1]):\n        h[:] = on_state * h if t == 0 else h\n",
)

# -- likelihood (extra) ------------------------------------------------------------------------------------------------

misconception(
    "predicts_a_symbol_after_reading_it", "likelihood",
    hint="Sum the probabilities of all sequences of two symbols. Is it 1? Which state predicts a symbol?",
    old='h = rnn_forward(model["E"][shifted], zeros, model["V"], model["U"], model["c"])',
    new='h = rnn_forward(model["E"][tokens], zeros, model["V"], model["U"], model["c"])',
)

misconception(
    "begins_with_symbol_zero", "likelihood",
    hint="Which row of E belongs to the start symbol?",
    old='shifted = np.column_stack([np.full(len(tokens), len(model["b"])), tokens[:, :-1]])',
    new="shifted = np.column_stack([np.zeros(len(tokens), dtype=int), tokens[:, :-1]])",
)

misconception(
    "gives_the_mean_of_the_steps", "likelihood",
    hint="The probability of a sequence is a product. What is its logarithm?",
    old="return np.log(np.take_along_axis(p, tokens[:, :, None], axis=2)).sum(axis=(1, 2))",
    new="return np.log(np.take_along_axis(p, tokens[:, :, None], axis=2)).mean(axis=(1, 2))",
)

misconception(
    "forgets_the_priors", "likelihood",
    hint="Two models find a text equally probable, and one class is a hundred times as frequent. Which do you say?",
    old="return (scores + np.log(priors)[:, None]).argmax(axis=0)",
    new="return scores.argmax(axis=0)",
)

misconception(
    "adds_a_probability_to_a_logarithm", "likelihood",
    hint="Scores are logarithms here. Are your priors?",
    old="return (scores + np.log(priors)[:, None]).argmax(axis=0)",
    new="return (scores + priors[:, None]).argmax(axis=0)",
)

misconception(
    "chooses_the_most_surprised_model", "likelihood",
    hint="Is a log-probability of −3 better or worse than one of −7?",
    old="return (scores + np.log(priors)[:, None]).argmax(axis=0)",
    new="return (scores + np.log(priors)[:, None]).argmin(axis=0)",
)

misconception(
    "multiplies_before_the_logarithm", "likelihood",
    hint="A thousand probabilities, multiplied: which number does your computer have for that, and what is its logarithm?",
    old="return np.log(np.take_along_axis(p, tokens[:, :, None], axis=2)).sum(axis=(1, 2))",
    new="return np.log(np.take_along_axis(p, tokens[:, :, None], axis=2).prod(axis=(1, 2)))",
)

misconception(
    "goes_back_to_probabilities", "likelihood",
    hint="e to the power −1000 is 0 on your computer, for every class. Need you leave the logarithms to compare?",
    old="return (scores + np.log(priors)[:, None]).argmax(axis=0)",
    new="return (np.exp(scores) * priors[:, None]).argmax(axis=0)",
)
