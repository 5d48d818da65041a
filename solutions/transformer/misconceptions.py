"""Wrong answers to the transformer, each with the hint a teacher would give."""

from redink.checks import misconception

# -- attention ---------------------------------------------------------------------------------------------------------

misconception(
    "averages_the_embeddings", "attention",
    hint="What is averaged in the end: the words as they came, or what each of them has to say?",
    old="return X @ W_q.T, X @ W_k.T, X @ W_v.T",
    new="return X @ W_q.T, X @ W_k.T, X",
)

misconception(
    "takes_queries_for_keys", "attention",
    hint="Which matrix makes what a word looks for, and which what it offers?",
    old="return X @ W_q.T, X @ W_k.T, X @ W_v.T",
    new="return X @ W_k.T, X @ W_q.T, X @ W_v.T",
)

misconception(
    "forgets_the_scale", "attention",
    hint="How large is an inner product of 256 numbers, typically? Something must hold it down.",
    old="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    new="S = Q @ np.swapaxes(K, -1, -2)",
)

misconception(
    "divides_by_the_width", "attention",
    hint="A sum of d independent terms has variance d. How large is it typically?",
    old="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    new="S = Q @ np.swapaxes(K, -1, -2) / Q.shape[-1]",
)

misconception(
    "divides_by_the_root_of_the_sentence", "attention",
    hint="Over what does the inner product sum: over the words of the sentence, or over something else?",
    old="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    new="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(K.shape[-2])",
)

misconception(
    "divides_by_the_root_of_the_values_width", "attention",
    hint="The values take no part in the scores. Whose width is it then?",
    old="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    new="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(V.shape[-1])",
)


@misconception(
    "softmax_over_the_queries",
    "attention",
    hint="Each query has one unit of attention to spend. Which sums of your P are 1?",
)
def attention(Q, K, V, mask=None):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    top = S.max(axis=-2, keepdims=True)
    powers = np.exp(S - np.where(np.isfinite(top), top, 0))
    total = powers.sum(axis=-2, keepdims=True)
    P = powers / np.where(total > 0, total, 1)
    return P @ V, P


@misconception(
    "masks_after_the_softmax",
    "attention",
    hint="Do the weights of a masked row still sum to 1? Block first, normalise then.",
)
def attention(Q, K, V, mask=None):
    S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
    P = np.exp(S - S.max(axis=-1, keepdims=True))
    P = P / P.sum(axis=-1, keepdims=True)
    P = P if mask is None else P * mask
    return P @ V, P


misconception(
    "a_score_of_zero_is_a_mask", "attention",
    hint="What weight does a score of 0 get? e⁰ is not 0.",
    old="S = np.where(mask, S, -np.inf)",
    new="S = np.where(mask, S, 0)",
)

misconception(
    "true_means_blocked", "attention",
    hint="In this notebook, what does True in a mask allow?",
    old="S = np.where(mask, S, -np.inf)",
    new="S = np.where(mask, -np.inf, S)",
)

misconception(
    "a_million_is_infinite", "attention",
    hint="Mask a whole row: if all its scores are equally low, what does the softmax make of them?",
    old="S = np.where(mask, S, -np.inf)",
    new="S = np.where(mask, S, -1e6)",
)

misconception(
    "an_empty_row_is_nan", "attention",
    hint="What is −∞ − (−∞)? Say what you want in a row where nothing may be seen.",
    old="powers = np.exp(S - np.where(np.isfinite(top), top, 0))",
    new="powers = np.exp(S - top)",
)

misconception(
    "attention_overflows", "attention",
    hint="What is e^1000 on your computer? A softmax does not mind if all scores of a row are shifted.",
    old="powers = np.exp(S - np.where(np.isfinite(top), top, 0))",
    new="powers = np.exp(S)",
)

misconception(
    "looks_into_the_future", "attention",
    hint="Rows are queries. On which side of the diagonal does the future lie?",
    old="return np.tril(np.ones((n, n), dtype=bool))",
    new="return np.triu(np.ones((n, n), dtype=bool))",
)

misconception(
    "a_word_may_not_see_itself", "attention",
    hint="What may the first word attend to?",
    old="return np.tril(np.ones((n, n), dtype=bool))",
    new="return np.tril(np.ones((n, n), dtype=bool), -1)",
)

misconception(
    "marks_the_blanks", "attention",
    hint="True may be attended to. Are those the words, or the blanks?",
    old="return (np.arange(m) < np.asarray(lengths)[:, None])[:, None, :]",
    new="return (np.arange(m) >= np.asarray(lengths)[:, None])[:, None, :]",
)

misconception(
    "sees_one_blank", "attention",
    hint="A sentence of 2 words: which places do they have, counted from 0?",
    old="return (np.arange(m) < np.asarray(lengths)[:, None])[:, None, :]",
    new="return (np.arange(m) <= np.asarray(lengths)[:, None])[:, None, :]",
)

misconception(
    "padding_without_an_axis_for_queries", "attention",
    hint="The scores are B×n×m. Against which of these axes does numpy lay the first axis of your mask?",
    old="return (np.arange(m) < np.asarray(lengths)[:, None])[:, None, :]",
    new="return np.arange(m) < np.asarray(lengths)[:, None]",
)

@misconception(
    "projects_into_integers",
    "attention",
    hint="Try an X of whole numbers, written without points. Which kind of numbers fits into the arrays that you fill?",
)
def project(X, W_q, W_k, W_v):
    made = [np.zeros((*X.shape[:-1], len(W)), dtype=X.dtype) for W in (W_q, W_k, W_v)]
    for one, W in zip(made, (W_q, W_k, W_v)):
        one[...] = X @ W.T
    return made


misconception(
    "outputs_of_the_kind_of_the_values", "attention",
    hint="Values of 1 and 2, weighted by halves: does their mean fit into an array of the values' own kind?",
    old="    return P @ V, P\n",
    new="    return (P @ V).astype(V.dtype), P\n",
)

misconception(
    "a_billion_is_infinite", "attention",
    hint="You mend the rows that see nothing. Now let every score that is allowed be −1e12: who wins?",
    old="S = np.where(mask, S, -np.inf)\n    top = S.max(axis=-1, keepdims=True)",
    new="S = np.where(mask, S, -1e9)\n        S = np.where(np.any(mask, axis=-1, keepdims=True), S, -np.inf)\n    top = S.max(axis=-1, keepdims=True)",
)

misconception(
    "subtracts_the_top_of_what_is_hidden", "attention",
    hint="The largest score of a row may be one that is not allowed. What do the others become after your shift?",
    old="    top = S.max(axis=-1, keepdims=True)\n",
    new="    top = (Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])).max(axis=-1, keepdims=True)\n",
)


@misconception(
    "scales_the_queries_in_place",
    "attention",
    hint="Print Q before and after a call. Whose array is it that you divide?",
)
def attention(Q, K, V, mask=None):
    if Q.dtype.kind == "i":
        Q = Q.astype(float)
    Q /= np.sqrt(Q.shape[-1])
    S = Q @ np.swapaxes(K, -1, -2)
    if mask is not None:
        S = np.where(mask, S, -np.inf)
    top = S.max(axis=-1, keepdims=True)
    powers = np.exp(S - np.where(np.isfinite(top), top, 0))
    total = powers.sum(axis=-1, keepdims=True)
    P = powers / np.where(total > 0, total, 1)
    return P @ V, P

misconception(
    "marks_the_future", "attention",
    hint="In this notebook True means: may attend. What may the first word see in your mask?",
    old="return np.tril(np.ones((n, n), dtype=bool))",
    new="return np.triu(np.ones((n, n), dtype=bool), 1)",
)

misconception(
    "sees_one_word_ahead", "attention",
    hint="In row t, which is the last True? May position t see position t + 1?",
    old="return np.tril(np.ones((n, n), dtype=bool))",
    new="return np.tril(np.ones((n, n), dtype=bool), 1)",
)

misconception(
    "one_budget_for_all_queries", "attention",
    hint="Each query has one unit of attention to spend. What do your rows sum to?",
    old="top = S.max(axis=-1, keepdims=True)",
    new="top = S.max(axis=(-2, -1), keepdims=True)",
)
misconception(
    "one_budget_for_all_queries", "attention",
    hint="Each query has one unit of attention to spend. What do your rows sum to?",
    old="total = powers.sum(axis=-1, keepdims=True)",
    new="total = powers.sum(axis=(-2, -1), keepdims=True)",
)

misconception(
    "scales_after_the_softmax", "attention",
    hint="Do your weights still sum to 1? What is divided: the scores, or the weights?",
    old="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    new="S = Q @ np.swapaxes(K, -1, -2)",
)
misconception(
    "scales_after_the_softmax", "attention",
    hint="Do your weights still sum to 1? What is divided: the scores, or the weights?",
    old="P = powers / np.where(total > 0, total, 1)",
    new="P = powers / np.where(total > 0, total, 1) / np.sqrt(Q.shape[-1])",
)

misconception(
    "multiplies_by_the_root", "attention",
    hint="The wider the vectors, the larger their inner products. Does your factor hold them down, or push them up?",
    old="S = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])",
    new="S = Q @ np.swapaxes(K, -1, -2) * np.sqrt(Q.shape[-1])",
)

misconception(
    "an_allowed_key_gets_a_point", "attention",
    hint="What does adding True to a score do? And adding False: is that key hidden?",
    old="S = np.where(mask, S, -np.inf)",
    new="S = S + mask",
)

misconception(
    "the_weights_come_first", "attention",
    hint="In which order does the docstring return the two?",
    old="    return P @ V, P\n",
    new="    return P, P @ V\n",
)

misconception(
    "a_square_padding_mask", "attention",
    hint="How many queries share the padding mask of a sentence? Which length has the middle axis?",
    old="return (np.arange(m) < np.asarray(lengths)[:, None])[:, None, :]",
    new="return np.repeat((np.arange(m) < np.asarray(lengths)[:, None])[:, None, :], m, axis=1)",
)

misconception(
    "blanks_stand_in_front", "attention",
    hint="Where are the blanks of a short sentence: before its words, or behind them?",
    old="return (np.arange(m) < np.asarray(lengths)[:, None])[:, None, :]",
    new="return (np.arange(m) >= m - np.asarray(lengths)[:, None])[:, None, :]",
)

# -- backward ----------------------------------------------------------------------------------------------------------

misconception(
    "the_softmax_acts_on_each_number", "backward",
    hint="If one score rises, do the weights of the others stay as they are?",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return P * (1 - P) * dP",
)

misconception(
    "subtracts_the_plain_mean", "backward",
    hint="Better than which mean? Look at the weights in the formula.",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return P * (dP - dP.mean(axis=-1, keepdims=True))",
)

misconception(
    "every_score_feels_it_alike", "backward",
    hint="Can a score whose weight is 0 be moved by a gradient?",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return dP - (P * dP).sum(axis=-1, keepdims=True)",
)

misconception(
    "sums_over_the_queries", "backward",
    hint="A softmax belongs to one query. Over what does its sum run?",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return P * (dP - (P * dP).sum(axis=-2, keepdims=True))",
)

misconception(
    "the_scale_is_gone_on_the_way_back", "backward",
    hint="A constant factor in the forward pass: what becomes of it in the derivative?",
    old="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(Q.shape[-1])",
    new="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P)",
)

misconception(
    "scales_only_the_queries", "backward",
    hint="The scale belongs to the scores. Through which of the two factors do they send their gradient?",
    old="return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV",
    new="return dS @ K, np.swapaxes(dS, -1, -2) @ Q * np.sqrt(Q.shape[-1]), dV",
)

misconception(
    "forgets_the_softmax_on_the_way_back", "backward",
    hint="Between dP and dS stands a softmax.",
    old="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(Q.shape[-1])",
    new="dS = dZ @ np.swapaxes(V, -1, -2) / np.sqrt(Q.shape[-1])",
)

misconception(
    "a_value_gets_an_equal_share", "backward",
    hint="Z = P V. How much of a value is in the output of a query?",
    old="dV = np.swapaxes(P, -1, -2) @ dZ",
    new="dV = np.full_like(np.swapaxes(P, -1, -2), 1 / P.shape[-1]) @ dZ",
)

misconception(
    "only_the_queries_reach_the_words", "backward",
    hint="By how many ways does X enter attention?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = dQ @ W_q",
)

misconception(
    "only_the_values_reach_the_words", "backward",
    hint="A word is not only what it says. What else did it make of itself?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = dV @ W_v",
)

misconception(
    "averages_the_three_ways", "backward",
    hint="Move X a little: do the three effects on the loss add up, or average?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = (dQ @ W_q + dK @ W_k + dV @ W_v) / 3",
)

misconception(
    "gradients_of_weights_are_in_by_out", "backward",
    hint="A gradient has the shape of the thing itself. What is the shape of W_q?",
    old="dW_q, dW_k, dW_v = (one.reshape(-1, one.shape[-1]).T @ flat for one in (dQ, dK, dV))",
    new="dW_q, dW_k, dW_v = (flat.T @ one.reshape(-1, one.shape[-1]) for one in (dQ, dK, dV))",
)

misconception(
    "averages_the_weights_over_the_batch", "backward",
    hint="The same W served every sentence. If a mean is wanted, the loss has taken it already.",
    old="    return dX, dW_q, dW_k, dW_v",
    new="    return dX, dW_q / len(X), dW_k / len(X), dW_v / len(X)",
)

@misconception(
    "a_slope_cut_to_integers",
    "backward",
    hint="Try a dP of whole numbers, written without points. Which kind of numbers fits into the array that you fill?",
)
def softmax_backward(dP, P):
    dS = np.zeros_like(dP)
    for place in np.ndindex(*P.shape[:-1]):
        p = P[place]
        dS[place] = p * (dP[place] - p @ dP[place])
    return dS


@misconception(
    "takes_the_mean_away_in_place",
    "backward",
    hint="Print dP before and after a call. How many arrays are there?",
)
def softmax_backward(dP, P):
    if dP.dtype.kind == "i":
        dP = dP.astype(float)
    dP -= (P * dP).sum(axis=-1, keepdims=True)
    return P * dP


misconception(
    "gradients_of_the_kind_of_the_inputs", "backward",
    hint="Queries may be whole numbers. Must their gradients be?",
    old="return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV",
    new="return (dS @ K).astype(Q.dtype), (np.swapaxes(dS, -1, -2) @ Q).astype(K.dtype), dV.astype(V.dtype)",
)

misconception(
    "a_gradient_of_the_kind_of_the_words", "backward",
    hint="X may be made of whole numbers. Must its gradient be?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = (dQ @ W_q + dK @ W_k + dV @ W_v).astype(X.dtype)",
)

misconception(
    "weights_learn_from_the_first_sentence", "backward",
    hint="Which sentences of the batch did W_q serve, and from which does it learn with you?",
    old="dW_q, dW_k, dW_v = (one.reshape(-1, one.shape[-1]).T @ flat for one in (dQ, dK, dV))",
    new="dW_q, dW_k, dW_v = (one[0].T @ X[0] for one in (dQ, dK, dV))",
)

misconception(
    "subtracts_the_plain_sum", "backward",
    hint="Is it the sum of dp that is taken away, or a mean of it? With which weights?",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return P * (dP - dP.sum(axis=-1, keepdims=True))",
)

misconception(
    "nothing_is_taken_away", "backward",
    hint="Attention is a budget: more for one is less for others. What does each row of your dS sum to?",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return P * dP",
)

misconception(
    "the_mean_minus_the_gradient", "backward",
    hint="More of a value that is better than the mean: should its score rise, or fall?",
    old="return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="return P * ((P * dP).sum(axis=-1, keepdims=True) - dP)",
)

misconception(
    "scales_twice_on_the_way_back", "backward",
    hint="How often was divided by √d_k on the way there? And on your way back?",
    old="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(Q.shape[-1])",
    new="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / Q.shape[-1]",
)

misconception(
    "scales_only_the_keys", "backward",
    hint="The scale belongs to the scores, which both factors made. Whose gradient lacks it?",
    old="return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV",
    new="return dS @ K * np.sqrt(Q.shape[-1]), np.swapaxes(dS, -1, -2) @ Q, dV",
)

misconception(
    "the_way_back_scales_by_the_values", "backward",
    hint="Which width was under the root on the way there: that of the keys, or that of the values?",
    old="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(Q.shape[-1])",
    new="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(V.shape[-1])",
)

misconception(
    "multiplies_by_the_scale_on_the_way_back", "backward",
    hint="The scores are a product divided by √d_k. Is their derivative divided by it too, or multiplied?",
    old="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) / np.sqrt(Q.shape[-1])",
    new="dS = softmax_backward(dZ @ np.swapaxes(V, -1, -2), P) * np.sqrt(Q.shape[-1])",
)

misconception(
    "the_values_are_scaled_too", "backward",
    hint="Z = P V. Is there a root between the values and the output?",
    old="return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV",
    new="return dS @ K, np.swapaxes(dS, -1, -2) @ Q, dV / np.sqrt(Q.shape[-1])",
)

misconception(
    "what_a_word_says_does_not_come_back", "backward",
    hint="A word made three things of itself. Through which of them does nothing come back to it with you?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = dQ @ W_q + dK @ W_k",
)

misconception(
    "what_a_word_offers_does_not_come_back", "backward",
    hint="Query, key, value: through which of the three does nothing come back to X with you?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = dQ @ W_q + dV @ W_v",
)

misconception(
    "what_a_word_looks_for_does_not_come_back", "backward",
    hint="X made queries as well. What do they send back?",
    old="dX = dQ @ W_q + dK @ W_k + dV @ W_v",
    new="dX = dK @ W_k + dV @ W_v",
)

misconception(
    "averages_the_weights_over_all_words", "backward",
    hint="The same W served every word of every sentence. Are its effects on the loss averaged, or added up?",
    old="    return dX, dW_q, dW_k, dW_v",
    new="    return dX, dW_q / len(flat), dW_k / len(flat), dW_v / len(flat)",
)

misconception(
    "divides_the_weights_by_their_sum", "backward",
    hint="A query that sees nothing has a row of zeros in P. What does your softmax_backward make of such a row?",
    old="    return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
    new="    P = P / P.sum(axis=-1, keepdims=True)\n    return P * (dP - (P * dP).sum(axis=-1, keepdims=True))",
)

# -- heads -------------------------------------------------------------------------------------------------------------

misconception(
    "splits_by_one_reshape", "heads",
    hint="Print head 0 of the example in the table. Does it have a piece of every word, or some of the words?",
    old="return X.unflatten(-1, (heads, -1)).transpose(-3, -2)",
    new="return X.reshape(X.shape[0], heads, X.shape[1], -1)",
)

misconception(
    "deals_the_columns_like_cards", "heads",
    hint="Are the columns of head 0 neighbours?",
    old="return X.unflatten(-1, (heads, -1)).transpose(-3, -2)",
    new="return X.unflatten(-1, (-1, heads)).movedim(-1, -3)",
)

misconception(
    "merges_by_one_reshape", "heads",
    hint="Splitting moved an axis. Undo that move before you glue the columns together.",
    old="return X.transpose(-3, -2).flatten(-2)",
    new="return X.reshape(X.shape[0], X.shape[2], -1)",
)


@misconception(
    "reshapes_there_and_back",
    "heads",
    hint="merge undoes split, and still: does the last word see the first? Ask each head which words it has.",
    old="return X.unflatten(-1, (heads, -1)).transpose(-3, -2)",
    new="return X.reshape(X.shape[0], heads, X.shape[1], -1)",
)
def merge_heads(X):
    return X.reshape(X.shape[0], X.shape[2], -1)


misconception(
    "scales_by_the_whole_width", "heads",
    hint="How many numbers does one head multiply and add?",
    old="scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])",
    new="scores = q @ k.transpose(-1, -2) / math.sqrt(x.shape[-1])",
)

misconception(
    "heads_forget_the_scale", "heads",
    hint="Is there a root in each head's scores?",
    old="scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])",
    new="scores = q @ k.transpose(-1, -2)",
)

misconception(
    "does_not_mix_the_heads", "heads",
    hint="What is `out` for?",
    old="        return self.out(merge_heads(weights @ v))",
    new="        return merge_heads(weights @ v)",
)

misconception(
    "does_not_mix_the_heads_without_a_mask", "heads",
    hint="You have two ways out of forward. Does each of them mix the heads?",
    old="            return self.out(merge_heads(scores.softmax(dim=-1) @ v))",
    new="            return merge_heads(scores.softmax(dim=-1) @ v)",
)

misconception(
    "keys_and_values_come_from_x", "heads",
    hint="When memory is another sentence, who reads it?",
    old="        q = split_heads(self.query(x), self.heads)\n",
    new="        q, memory = split_heads(self.query(x), self.heads), x\n",
)

misconception(
    "values_come_from_x", "heads",
    hint="What is looked at and what is taken home belong together.",
    old="v = split_heads(self.value(memory), self.heads)",
    new="v = split_heads(self.value(x), self.heads)",
)

misconception(
    "a_mask_for_each_head", "heads",
    hint="Write down the shapes of scores and mask, one below the other, from the right. What stands above B?",
    old="shared = mask.unsqueeze(-3)",
    new="shared = mask",
)

misconception(
    "heads_take_true_for_blocked", "heads",
    hint="Whose convention is this: ours, or that of nn.MultiheadAttention?",
    old="shared = mask.unsqueeze(-3)",
    new="shared = ~mask.unsqueeze(-3)",
)

misconception(
    "adds_infinity_and_mends_nan", "heads",
    hint="The output is right. Now look at the gradients of a row that sees nothing: a NaN that was covered up comes back.",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="walls = torch.zeros_like(scores).masked_fill(~shared, -torch.inf)\n        weights = (scores + walls).softmax(dim=-1).nan_to_num()",
)

misconception(
    "a_blind_word_looks_everywhere", "heads",
    hint="Mask a whole row: what do equal scores, however low, make of it?",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="weights = scores.masked_fill(~shared, -1e9).softmax(dim=-1)",
)

misconception(
    "heads_take_a_billion_for_infinite", "heads",
    hint="What if the scores that are allowed are smaller still than what you fill in?",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)",
    new="scores = scores.masked_fill(~shared, -1e9).masked_fill(blind, 0.0)",
)

misconception(
    "heads_take_a_billion_away", "heads",
    hint="Is a score that is large enough still hidden after your subtraction?",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)",
    new="scores = (scores - 1e9 * ~shared).masked_fill(blind, 0.0)",
)

misconception(
    "knows_a_mask_by_its_first_size", "heads",
    hint="Three sentences of three words, and a mask of 3×4: how many axes has it? Do you count axes, or compare sizes?",
    old="shared = mask.unsqueeze(-3)",
    new="shared = mask[:, None] if len(mask) == len(x) else mask",
)

misconception(
    "the_weights_pass_no_gradient", "heads",
    hint="The output is right. Which ways lead back from it to the queries, and is there one that you have cut?",
    old="        return self.out(merge_heads(weights @ v))",
    new="        return self.out(merge_heads(weights.detach() @ v))",
)

misconception(
    "makes_a_tensor_on_the_cpu", "heads",
    hint="On which device is a tensor that you make without saying where?",
    old="shared = mask.unsqueeze(-3)",
    new="shared = mask.unsqueeze(-3) & torch.ones(mask.shape[-2:], dtype=torch.bool)",
)

misconception(
    "a_blind_word_is_nan", "heads",
    hint="Mask a whole row. What is a softmax over nothing but −∞, and what do you want there?",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="weights = scores.masked_fill(~shared, -torch.inf).softmax(dim=-1)",
)

misconception(
    "heads_mask_after_the_softmax", "heads",
    hint="Do the weights of a masked row still sum to 1? Block first, normalise then.",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="weights = scores.softmax(dim=-1) * shared",
)

misconception(
    "heads_take_zero_for_a_mask", "heads",
    hint="What weight does a score of 0 get? e⁰ is not 0.",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)",
    new="scores = scores.masked_fill(~shared, 0.0)",
)

misconception(
    "scales_by_the_number_of_heads", "heads",
    hint="What is under the root: how many heads there are, or how wide one of them is?",
    old="scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])",
    new="scores = q @ k.transpose(-1, -2) / math.sqrt(self.heads)",
)

misconception(
    "heads_divide_by_their_width", "heads",
    hint="A sum of e independent terms has variance e. How large is it typically?",
    old="scores = q @ k.transpose(-1, -2) / math.sqrt(q.shape[-1])",
    new="scores = q @ k.transpose(-1, -2) / q.shape[-1]",
)

misconception(
    "keys_come_from_x", "heads",
    hint="Who is looked at: x, or memory? Which of the two makes your keys?",
    old="k = split_heads(self.key(memory), self.heads)",
    new="k = split_heads(self.key(x), self.heads)",
)

misconception(
    "queries_come_from_the_memory", "heads",
    hint="Who asks, and who answers? How many rows should come out: those of x, or those of memory?",
    old="        q = split_heads(self.query(x), self.heads)\n",
    new="        x, memory = memory, x\n        q = split_heads(self.query(x), self.heads)\n",
)

misconception(
    "heads_share_the_softmax_of_the_queries", "heads",
    hint="Each query has one unit of attention to spend. Over which axis does your softmax run?",
    old="return self.out(merge_heads(scores.softmax(dim=-1) @ v))",
    new="return self.out(merge_heads(scores.softmax(dim=-2) @ v))",
)
misconception(
    "heads_share_the_softmax_of_the_queries", "heads",
    hint="Each query has one unit of attention to spend. Over which axis does your softmax run?",
    old="weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="weights = scores.softmax(dim=-2).masked_fill(blind, 0.0)",
)

misconception(
    "the_mask_is_forgotten", "heads",
    hint="Change a word that the mask hides. Does the output move?",
    old="        if mask is None:\n            return self.out(merge_heads(scores.softmax(dim=-1) @ v))",
    new="        if True:\n            return self.out(merge_heads(scores.softmax(dim=-1) @ v))",
)

misconception(
    "heads_are_merged_in_turns", "heads",
    hint="Merge what you have split: are the columns of head 0 neighbours again?",
    old="return X.transpose(-3, -2).flatten(-2)",
    new="return X.movedim(-3, -1).flatten(-2)",
)

misconception(
    "sentences_swap_their_masks", "heads",
    hint="Take two sentences with different masks. In which order do your sentences and heads stand, and in which order their masks?",
    old="shared = mask.unsqueeze(-3)",
    new="shared = mask.unsqueeze(-3)\n        if mask.dim() == 3:\n            shared = mask.repeat(self.heads, 1, 1).unflatten(0, (len(mask), self.heads))",
)

misconception(
    "the_smallest_number_is_infinite", "heads",
    hint="Mask a whole row: what do equal scores, however low, make of it?",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="weights = scores.masked_fill(~shared, torch.finfo(scores.dtype).min).softmax(dim=-1)",
)

misconception(
    "a_sentence_is_blind_as_a_whole", "heads",
    hint="In a sentence of three words one may see nothing, and the other two see much. What weights has the first of them with you?",
    old="blind = ~shared.any(dim=-1, keepdim=True)\n        "
    "scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="blind = ~shared.any(dim=-1, keepdim=True).any(dim=-2, keepdim=True)\n        "
    "weights = scores.masked_fill(~shared, torch.finfo(scores.dtype).min).softmax(dim=-1).masked_fill(blind, 0.0)",
)

misconception(
    "keeps_the_keys_of_the_last_call", "heads",
    hint="Call your module, change the weights of `key`, and call it again with the very same tensors. Does the answer change?",
    old="        k = split_heads(self.key(memory), self.heads)\n        v = split_heads(self.value(memory), self.heads)\n",
    new="        if torch.is_grad_enabled() or getattr(self, \"kept\", [None])[0] is not memory:\n"
    "            k, v = (split_heads(one(memory), self.heads) for one in (self.key, self.value))\n"
    "            self.kept = [memory, k, v]\n"
    "        _, k, v = self.kept\n",
)

_ASKS = "Which words does a mask speak of: those that are seen, or those that ask? May a word that nobody sees ask for something?"
misconception(
    "a_blank_may_not_ask", "heads", hint=_ASKS,
    old="        return self.out(merge_heads(weights @ v))",
    new="        if x is memory and mask.dim() == 3 and mask.shape[1] == 1:\n"
    "            weights = weights * shared.transpose(-1, -2)\n"
    "        return self.out(merge_heads(weights @ v))",
)

misconception(
    "whom_nobody_sees_may_not_ask", "heads", hint=_ASKS,
    old="        return self.out(merge_heads(weights @ v))",
    new="        if shared.shape[-2] == shared.shape[-1]:\n"
    "            weights = weights * shared.any(dim=-2, keepdim=True).transpose(-1, -2)\n"
    "        return self.out(merge_heads(weights @ v))",
)

# -- positions ---------------------------------------------------------------------------------------------------------

misconception(
    "sines_first_then_cosines", "positions",
    hint="Each hand owns one sine and one cosine, side by side. Where are your cosines?",
    old="return np.stack([np.sin(hands), np.cos(hands)], axis=-1).reshape(n, d)",
    new="return np.concatenate([np.sin(hands), np.cos(hands)], axis=-1)",
)

misconception(
    "cosines_stand_first", "positions",
    hint="What is the encoding of position 0? Look at column 0 of the formula.",
    old="return np.stack([np.sin(hands), np.cos(hands)], axis=-1).reshape(n, d)",
    new="return np.stack([np.cos(hands), np.sin(hands)], axis=-1).reshape(n, d)",
)

misconception(
    "every_column_has_its_own_frequency", "positions",
    hint="Is sin² + cos² of two neighbouring columns 1? They must turn at the same speed.",
    old="hands = np.arange(n)[:, None] * 10000.0 ** (-np.arange(0, d, 2) / d)\n    return np.stack([np.sin(hands), np.cos(hands)], axis=-1).reshape(n, d)",
    new="hands = np.arange(n)[:, None] * 10000.0 ** (-np.arange(d) / d)\n    return np.where(np.arange(d) % 2, np.cos(hands), np.sin(hands))",
)

misconception(
    "counts_hands_by_one", "positions",
    hint="How slow should the last hand be? Compare your exponent with 2i/d.",
    old="10000.0 ** (-np.arange(0, d, 2) / d)",
    new="10000.0 ** (-np.arange(d // 2) / d)",
)

misconception(
    "counts_positions_from_one", "positions",
    hint="Where do the hands stand at the first word?",
    old="hands = np.arange(n)[:, None] *",
    new="hands = np.arange(1, n + 1)[:, None] *",
)

misconception(
    "turns_backwards", "positions",
    hint="Try it on position 0, where the sine is 0 and the cosine 1. Where does your matrix lead?",
    old="R[i, i + 1], R[i + 1, i] = np.sin(turn), -np.sin(turn)",
    new="R[i, i + 1], R[i + 1, i] = -np.sin(turn), np.sin(turn)",
)

misconception(
    "turns_all_hands_alike", "positions",
    hint="Going one word on, does the slow hand turn as far as the fast one?",
    old="turn = k * 10000.0 ** (-i / d)",
    new="turn = k",
)

misconception(
    "a_reflection_for_a_rotation", "positions",
    hint="A turn keeps lengths. Is R Rᵀ the identity in yours? Look at the signs of the two sines.",
    old="R[i, i + 1], R[i + 1, i] = np.sin(turn), -np.sin(turn)",
    new="R[i, i + 1], R[i + 1, i] = np.sin(turn), np.sin(turn)",
)

misconception(
    "measures_invariance", "positions",
    hint="The outputs may move, as long as they move with their words.",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.abs(f(X[order]) - f(X)).max())",
)

misconception(
    "moves_the_outputs_back", "positions",
    hint="Row i of ΠX is row order[i] of X. Is your Π the same on both sides?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.abs(f(X[order]) - f(X)[np.argsort(order)]).max())",
)

misconception(
    "deviations_cancel", "positions",
    hint="What if all deviations are negative?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float((f(X[order]) - f(X)[order]).mean())",
)

misconception(
    "only_rises_count", "positions",
    hint="What if the largest deviation is downwards?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float((f(X[order]) - f(X)[order]).max())",
)

misconception(
    "measures_in_whole_numbers", "positions",
    hint="X may be made of whole numbers. Are the outputs of f of the same kind?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.abs(f(X[order]).astype(X.dtype) - f(X)[order].astype(X.dtype)).max())",
)

misconception(
    "cuts_the_exponents", "positions",
    hint="For d = 6, print the speed of each hand. Do all of them differ?",
    old="10000.0 ** (-np.arange(0, d, 2) / d)",
    new="10000.0 ** (-(np.arange(0, d, 2) // d))",
)

misconception(
    "a_step_back_is_a_step_on", "positions",
    hint="Go on by 3 and back by 3: are you where you were?",
    old="turn = k * 10000.0 ** (-i / d)",
    new="turn = abs(k) * 10000.0 ** (-i / d)",
)

misconception(
    "doubles_the_columns", "positions",
    hint="In 10000^(−2i/d), does i count columns or hands? Which number has your second hand?",
    old="10000.0 ** (-np.arange(0, d, 2) / d)",
    new="10000.0 ** (-2 * np.arange(0, d, 2) / d)",
)

misconception(
    "the_hands_get_faster", "positions",
    hint="The first hand turns fastest. By how many radians does your last one turn in a word?",
    old="10000.0 ** (-np.arange(0, d, 2) / d)",
    new="10000.0 ** (np.arange(0, d, 2) / d)",
)

misconception(
    "the_slowest_hand_stands_first", "positions",
    hint="Which hand is the fast one: the first, or the last?",
    old="10000.0 ** (-np.arange(0, d, 2) / d)",
    new="10000.0 ** (-np.arange(0, d, 2)[::-1] / d)",
)

misconception(
    "the_turn_doubles_the_columns", "positions",
    hint="In ω_i, does i count columns or hands? Compare the hands of your matrix with those of sinusoids.",
    old="turn = k * 10000.0 ** (-i / d)",
    new="turn = k * 10000.0 ** (-2 * i / d)",
)

misconception(
    "the_turn_counts_hands_by_one", "positions",
    hint="How slow is the last hand in sinusoids, and how slow in your matrix? Compare your exponent with 2i/d.",
    old="turn = k * 10000.0 ** (-i / d)",
    new="turn = k * 10000.0 ** (-i / 2 / d)",
)

misconception(
    "sines_stand_on_the_diagonal", "positions",
    hint="Column 2i is the sine. Which of the two rows of a hand belongs to it?",
    old="        R[i, i] = R[i + 1, i + 1] = np.cos(turn)\n        R[i, i + 1], R[i + 1, i] = np.sin(turn), -np.sin(turn)",
    new="        R[i, i], R[i + 1, i + 1] = np.sin(turn), -np.sin(turn)\n        R[i, i + 1] = R[i + 1, i] = np.cos(turn)",
)

misconception(
    "the_mean_deviation", "positions",
    hint="Is it the largest deviation that is asked for, or the mean one?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.abs(f(X[order]) - f(X)[order]).mean())",
)

misconception(
    "the_sum_of_deviations", "positions",
    hint="Is it the largest deviation that is asked for, or all of them together?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.abs(f(X[order]) - f(X)[order]).sum())",
)

misconception(
    "the_length_of_the_deviation", "positions",
    hint="max |…| is the largest entry. What does a norm of the whole difference measure?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.linalg.norm(f(X[order]) - f(X)[order]))",
)

misconception(
    "squares_the_deviation", "positions",
    hint="In the docstring, is the deviation squared?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(((f(X[order]) - f(X)[order]) ** 2).max())",
)

misconception(
    "shuffles_only_the_outputs", "positions",
    hint="Two outputs are compared. Are both of yours outputs of f?",
    old="return float(np.abs(f(X[order]) - f(X)[order]).max())",
    new="return float(np.abs(f(X)[order] - f(X)).max())",
)

# -- layers ------------------------------------------------------------------------------------------------------------

misconception(
    "the_encoder_norms_behind_always", "layers",
    hint="Two forms are asked for. Which one does pre_norm=True want?",
    old="if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.attention(",
    new="if False:\n            calm = self.norm1(x)\n            x = x + self.attention(",
)

misconception(
    "the_encoder_norms_before_always", "layers",
    hint="Two forms are asked for. Which one does pre_norm=False want?",
    old="if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.attention(",
    new="if True:\n            calm = self.norm1(x)\n            x = x + self.attention(",
)

misconception(
    "no_way_round_the_attention", "layers",
    hint="With the attention silent, what comes out of your layer?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x = self.attention(calm, calm, mask)",
)

misconception(
    "no_way_round_the_feed_forward_net", "layers",
    hint="With the feed-forward net silent, what comes out of your layer?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return self.fall(self.rise(self.norm2(x)).relu())",
)

misconception(
    "the_straight_way_is_normalised", "layers",
    hint="In the pre-norm form, does the straight way pass through a norm?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x = calm + self.attention(calm, calm, mask)",
)

misconception(
    "only_the_queries_are_normalised", "layers",
    hint="In self-attention queries, keys and values are made of the same thing. Which one?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x = x + self.attention(calm, x, mask)",
)

misconception(
    "the_encoder_drops_its_mask", "layers",
    hint="Who tells the attention which words are blanks?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x = x + self.attention(calm, calm, None)",
)

misconception(
    "one_norm_serves_twice", "layers",
    hint="How many norms does the layer own, and how many do you use?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(self.norm1(x)).relu())",
)

misconception(
    "two_linear_maps_in_a_row", "layers",
    hint="What are two linear maps without anything between them?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(self.norm2(x)))",
)

misconception(
    "the_feed_forward_net_reads_the_mean", "layers",
    hint="Each position has its own thoughts: what may it know of the others here?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(self.norm2(x)).relu()).mean(dim=1, keepdim=True)",
)

misconception(
    "the_last_norm_stands_inside", "layers",
    hint="In the post-norm form, what is the very last thing that happens?",
    old="return self.norm2(x + self.fall(self.rise(x).relu()))",
    new="return x + self.norm2(self.fall(self.rise(x).relu()))",
)

_INSIDE = "In the post-norm form, is the norm taken of the sublayer alone, or of the sum? Look where the bracket closes."
misconception(
    "both_norms_stand_inside", "layers", hint=_INSIDE,
    old="x = self.norm1(x + self.attention(x, x, mask))",
    new="x = x + self.norm1(self.attention(x, x, mask))",
)
misconception(
    "both_norms_stand_inside", "layers", hint=_INSIDE,
    old="return self.norm2(x + self.fall(self.rise(x).relu()))",
    new="return x + self.norm2(self.fall(self.rise(x).relu()))",
)

misconception(
    "the_decoders_norms_stand_inside", "layers", hint=_INSIDE,
    old="""x = self.norm1(x + self.self_attention(x, x, past))
        x = self.norm2(x + self.cross_attention(x, memory, memory_mask))
        return self.norm3(x + self.fall(self.rise(x).relu()))""",
    new="""x = x + self.norm1(self.self_attention(x, x, past))
        x = x + self.norm2(self.cross_attention(x, memory, memory_mask))
        return x + self.norm3(self.fall(self.rise(x).relu()))""",
)

misconception(
    "the_decoder_sees_the_future", "layers",
    hint="Change the last target word. Do the outputs before it move?",
    old="x = x + self.self_attention(calm, calm, past)",
    new="x = x + self.self_attention(calm, calm, None)",
)

misconception(
    "the_decoder_sees_only_the_future", "layers",
    hint="Rows are queries: which triangle is the past?",
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = torch.ones(n, n, dtype=torch.bool, device=x.device).triu()",
)

misconception(
    "self_attention_reads_the_encoder", "layers",
    hint="Two attentions, two sources. Which of them is called after the *self*?",
    old="x = x + self.self_attention(calm, calm, past)",
    new="x = x + self.self_attention(calm, memory, None)",
)

misconception(
    "shows_the_blanks_of_the_memory", "layers",
    hint="Some places of the memory are blank. Who tells the second attention?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), memory)",
)

misconception(
    "cross_attention_reads_itself", "layers",
    hint="Change a word of the memory. Does anything move?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), self.norm2(x), None)",
)

misconception(
    "normalises_the_memory", "layers",
    hint="The memory comes from the encoder as it should be. Which of your norms touches it?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), self.norm2(memory), memory_mask)",
)

misconception(
    "normalises_the_memory_in_both_forms", "layers",
    hint="The memory comes from the encoder as it should be. Which of your norms touches it?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), self.norm2(memory), memory_mask)",
)
misconception(
    "normalises_the_memory_in_both_forms", "layers",
    hint="The memory comes from the encoder as it should be. Which of your norms touches it?",
    old="x = self.norm2(x + self.cross_attention(x, memory, memory_mask))",
    new="x = self.norm2(x + self.cross_attention(x, self.norm2(memory), memory_mask))",
)

misconception(
    "forgets_the_blanks_of_the_memory", "layers",
    hint="The memory has blanks too. Who hides them?",
    old="x = self.norm2(x + self.cross_attention(x, memory, memory_mask))",
    new="x = self.norm2(x + self.cross_attention(x, memory, None))",
)

misconception(
    "asks_the_memory_first", "layers",
    hint="In which order do the three sublayers stand?",
    old="x = self.norm1(x + self.self_attention(x, x, past))\n        x = self.norm2(x + self.cross_attention(x, memory, memory_mask))",
    new="x = self.norm1(x + self.cross_attention(x, memory, memory_mask))\n        x = self.norm2(x + self.self_attention(x, x, past))",
)

misconception(
    "the_encoder_norms_behind_by_default", "layers",
    hint="Which form does a layer have if nobody says? Look at its signature.",
    old="self, width: int, hidden: int, attention: nn.Module, pre_norm: bool = True",
    new="self, width: int, hidden: int, attention: nn.Module, pre_norm: bool = False",
)

misconception(
    "the_decoder_norms_behind_by_default", "layers",
    hint="Which form does a decoder layer have if nobody says? Look at its signature.",
    old="        cross_attention: nn.Module,\n        pre_norm: bool = True,",
    new="        cross_attention: nn.Module,\n        pre_norm: bool = False,",
)

misconception(
    "an_encoder_without_a_mask_is_causal", "layers",
    hint="What may be seen where no mask is given?",
    old="            x = x + self.attention(calm, calm, mask)",
    new="            n = x.shape[1]\n            mask = torch.ones(n, n, dtype=torch.bool, device=x.device).tril() if mask is None else mask\n            x = x + self.attention(calm, calm, mask)",
)

misconception(
    "adds_to_the_input_in_place", "layers",
    hint="Print x before and after a call of the layer. Whose tensor does += change?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x += self.attention(calm, calm, mask)",
)

misconception(
    "overwrites_what_the_way_back_needs", "layers",
    hint="The output is right, and .backward() complains. Which tensor did a norm keep for the way back, and what did += do to it?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x += self.cross_attention(self.norm2(x), memory, memory_mask)",
)

misconception(
    "the_memory_learns_nothing", "layers",
    hint="How does the encoder learn what the decoder needs? Follow the gradient from the loss to the memory.",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), memory.detach(), memory_mask)",
)

misconception(
    "the_decoder_keeps_its_first_mask", "layers",
    hint="Call one layer for three words, and then for five. For how many is your mask?",
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = self.past = getattr(self, \"past\", torch.ones(n, n, dtype=torch.bool, device=x.device).tril())",
)

misconception(
    "the_causal_mask_stays_on_the_cpu", "layers",
    hint="On which device is your causal mask when x is on another?",
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = torch.ones(n, n, dtype=torch.bool).tril()",
)

# Who writes the sublayer once, for both forms, makes the mistake in both.

misconception(
    "both_forms_show_the_blanks_of_the_memory", "layers",
    hint="Some places of the memory are blank. Who tells the second attention?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), memory)",
)
misconception(
    "both_forms_show_the_blanks_of_the_memory", "layers",
    hint="Some places of the memory are blank. Who tells the second attention?",
    old="x = self.norm2(x + self.cross_attention(x, memory, memory_mask))",
    new="x = self.norm2(x + self.cross_attention(x, memory))",
)

misconception(
    "both_forms_drop_the_encoders_mask", "layers",
    hint="Who tells the attention which words are blanks?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x = x + self.attention(calm, calm, None)",
)
misconception(
    "both_forms_drop_the_encoders_mask", "layers",
    hint="Who tells the attention which words are blanks?",
    old="x = self.norm1(x + self.attention(x, x, mask))",
    new="x = self.norm1(x + self.attention(x, x, None))",
)

misconception(
    "both_forms_see_the_future", "layers",
    hint="Change the last target word. Do the outputs before it move?",
    old="x = x + self.self_attention(calm, calm, past)",
    new="x = x + self.self_attention(calm, calm, None)",
)
misconception(
    "both_forms_see_the_future", "layers",
    hint="Change the last target word. Do the outputs before it move?",
    old="x = self.norm1(x + self.self_attention(x, x, past))",
    new="x = self.norm1(x + self.self_attention(x, x, None))",
)

misconception(
    "the_decoder_takes_true_for_blocked", "layers",
    hint="In this notebook True means: may attend. What may the first target word see in your mask?",
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)",
)

misconception(
    "the_decoder_may_not_see_itself", "layers",
    hint="What may the first target word attend to?",
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril(-1)",
)

misconception(
    "both_forms_read_themselves", "layers",
    hint="Change a word of the memory. Does anything move?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(self.norm2(x), self.norm2(x), None)",
)
misconception(
    "both_forms_read_themselves", "layers",
    hint="Change a word of the memory. Does anything move?",
    old="x = self.norm2(x + self.cross_attention(x, memory, memory_mask))",
    new="x = self.norm2(x + self.cross_attention(x, x, None))",
)

misconception(
    "both_forms_go_no_way_round_the_encoders_attention", "layers",
    hint="With the attention silent, what comes out of your layer?",
    old="x = x + self.attention(calm, calm, mask)",
    new="x = self.attention(calm, calm, mask)",
)
misconception(
    "both_forms_go_no_way_round_the_encoders_attention", "layers",
    hint="With the attention silent, what comes out of your layer?",
    old="x = self.norm1(x + self.attention(x, x, mask))",
    new="x = self.norm1(self.attention(x, x, mask))",
)

misconception(
    "both_forms_go_no_way_round_the_encoders_net", "layers",
    hint="With the feed-forward net silent, what comes out of your layer?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return self.fall(self.rise(self.norm2(x)).relu())",
)
misconception(
    "both_forms_go_no_way_round_the_encoders_net", "layers",
    hint="With the feed-forward net silent, what comes out of your layer?",
    old="return self.norm2(x + self.fall(self.rise(x).relu()))",
    new="return self.norm2(self.fall(self.rise(x).relu()))",
)

misconception(
    "both_forms_go_no_way_round_the_memory", "layers",
    hint="With the second attention silent, what is left of the target words?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = self.cross_attention(self.norm2(x), memory, memory_mask)",
)
misconception(
    "both_forms_go_no_way_round_the_memory", "layers",
    hint="With the second attention silent, what is left of the target words?",
    old="x = self.norm2(x + self.cross_attention(x, memory, memory_mask))",
    new="x = self.norm2(self.cross_attention(x, memory, memory_mask))",
)

misconception(
    "the_encoders_net_is_linear", "layers",
    hint="What are two linear maps without anything between them?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(self.norm2(x)))",
)
misconception(
    "the_encoders_net_is_linear", "layers",
    hint="What are two linear maps without anything between them?",
    old="return self.norm2(x + self.fall(self.rise(x).relu()))",
    new="return self.norm2(x + self.fall(self.rise(x)))",
)

misconception(
    "the_decoders_net_is_linear", "layers",
    hint="What are two linear maps without anything between them? Look at the decoder's.",
    old="return x + self.fall(self.rise(self.norm3(x)).relu())",
    new="return x + self.fall(self.rise(self.norm3(x)))",
)
misconception(
    "the_decoders_net_is_linear", "layers",
    hint="What are two linear maps without anything between them? Look at the decoder's.",
    old="return self.norm3(x + self.fall(self.rise(x).relu()))",
    new="return self.norm3(x + self.fall(self.rise(x)))",
)

misconception(
    "the_encoders_net_ends_in_a_relu", "layers",
    hint="Can your feed-forward net lower a number of x? Where does the relu stand in F?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(self.norm2(x))).relu()",
)
misconception(
    "the_encoders_net_ends_in_a_relu", "layers",
    hint="Can your feed-forward net lower a number of x? Where does the relu stand in F?",
    old="return self.norm2(x + self.fall(self.rise(x).relu()))",
    new="return self.norm2(x + self.fall(self.rise(x)).relu())",
)

misconception(
    "the_decoders_net_ends_in_a_relu", "layers",
    hint="Can the decoder's net lower a number of x? Where does the relu stand in F?",
    old="return x + self.fall(self.rise(self.norm3(x)).relu())",
    new="return x + self.fall(self.rise(self.norm3(x))).relu()",
)
misconception(
    "the_decoders_net_ends_in_a_relu", "layers",
    hint="Can the decoder's net lower a number of x? Where does the relu stand in F?",
    old="return self.norm3(x + self.fall(self.rise(x).relu()))",
    new="return self.norm3(x + self.fall(self.rise(x)).relu())",
)

misconception(
    "one_norm_serves_twice_in_both_forms", "layers",
    hint="How many norms does the layer own, and how many do you use?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(self.norm1(x)).relu())",
)
misconception(
    "one_norm_serves_twice_in_both_forms", "layers",
    hint="How many norms does the layer own, and how many do you use?",
    old="return self.norm2(x + self.fall(self.rise(x).relu()))",
    new="return self.norm1(x + self.fall(self.rise(x).relu()))",
)

misconception(
    "the_decoders_third_norm_is_idle", "layers",
    hint="How many norms does the decoder layer own, and how many do you use?",
    old="return x + self.fall(self.rise(self.norm3(x)).relu())",
    new="return x + self.fall(self.rise(self.norm2(x)).relu())",
)
misconception(
    "the_decoders_third_norm_is_idle", "layers",
    hint="How many norms does the decoder layer own, and how many do you use?",
    old="return self.norm3(x + self.fall(self.rise(x).relu()))",
    new="return self.norm2(x + self.fall(self.rise(x).relu()))",
)

misconception(
    "the_encoders_net_reads_it_raw", "layers",
    hint="In the pre-norm form, what stands between y and the feed-forward net?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="return x + self.fall(self.rise(x).relu())",
)

misconception(
    "the_decoders_net_reads_it_raw", "layers",
    hint="In the decoder's pre-norm form, what stands between u and the feed-forward net?",
    old="return x + self.fall(self.rise(self.norm3(x)).relu())",
    new="return x + self.fall(self.rise(x).relu())",
)

misconception(
    "asks_the_memory_without_a_norm", "layers",
    hint="In the pre-norm form, what is done to y before it asks the memory?",
    old="x = x + self.cross_attention(self.norm2(x), memory, memory_mask)",
    new="x = x + self.cross_attention(x, memory, memory_mask)",
)

misconception(
    "the_decoders_straight_way_is_normalised", "layers",
    hint="In the decoder's pre-norm form, does the straight way pass through a norm?",
    old="x = x + self.self_attention(calm, calm, past)",
    new="x = calm + self.self_attention(calm, calm, past)",
)

misconception(
    "the_straight_way_to_the_net_is_normalised", "layers",
    hint="In the pre-norm form, what is added to what the net says: y, or LN₂(y)?",
    old="return x + self.fall(self.rise(self.norm2(x)).relu())",
    new="x = self.norm2(x)\n            return x + self.fall(self.rise(x).relu())",
)

misconception(
    "the_decoder_norms_behind_always", "layers",
    hint="Two forms are asked for. Which one does the decoder have with pre_norm=True?",
    old="if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.self_attention(",
    new="if False:\n            calm = self.norm1(x)\n            x = x + self.self_attention(",
)

misconception(
    "the_decoder_norms_before_always", "layers",
    hint="Two forms are asked for. Which one does the decoder have with pre_norm=False?",
    old="if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.self_attention(",
    new="if True:\n            calm = self.norm1(x)\n            x = x + self.self_attention(",
)

misconception(
    "the_memory_is_read_as_if_it_were_written", "layers",
    hint="Take a target and a memory of the same length. Is there a reason to hide the memory's second word from the first target word?",
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()\n"
    "        if memory_mask is not None and memory_mask.shape[-2:] == past.shape:\n"
    "            memory_mask = memory_mask & past",
)

_OPENED = "One word may see nothing of what is asked. Which mask reaches the attention for it, and what should that word get?"
misconception(
    "the_decoder_opens_what_is_empty", "layers", hint=_OPENED,
    old="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()",
    new="past = torch.ones(n, n, dtype=torch.bool, device=x.device).tril()\n"
    "        if memory_mask is not None:\n"
    "            memory_mask = memory_mask | ~memory_mask.any(dim=-1, keepdim=True)",
)

misconception(
    "the_encoder_opens_what_is_empty", "layers", hint=_OPENED,
    old="if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.attention(",
    new="mask = None if mask is None else mask | ~mask.any(dim=-1, keepdim=True)\n"
    "        if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.attention(",
)

_ONCE = "Make a layer, set layer.pre_norm = False, and then call it. In which moment does your layer look at its form?"
_ENCODER = (
    "        self.attention, self.pre_norm = attention, pre_norm\n",
    "if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.attention(",
)
_DECODER = (
    "        self.pre_norm = pre_norm\n",
    "if self.pre_norm:\n            calm = self.norm1(x)\n            x = x + self.self_attention(",
)
for _name, _layers in {
    "the_encoder_chooses_its_form_once": [_ENCODER],
    "the_decoder_chooses_its_form_once": [_DECODER],
    "both_layers_choose_their_form_once": [_ENCODER, _DECODER],
}.items():
    for _made, _used in _layers:
        misconception(_name, "layers", hint=_ONCE, old=_made, new=_made + "        self.before = pre_norm\n")
        misconception(_name, "layers", hint=_ONCE, old=_used, new=_used.replace("self.pre_norm", "self.before"))

# -- gpt ---------------------------------------------------------------------------------------------------------------

misconception(
    "forgets_the_positions", "gpt",
    hint="Say one token five times. What tells your first block which of the five is which?",
    old="x = self.token(tokens) + self.position(torch.arange(n, device=tokens.device))",
    new="x = self.token(tokens)",
)

misconception(
    "forgets_the_causal_mask", "gpt",
    hint="Is your loss below the entropy of the source? Who told the model?",
    old="x = block(x, mask)",
    new="x = block(x, None)",
)

misconception(
    "the_model_takes_true_for_blocked", "gpt",
    hint="What does True in a mask allow here? Look at what the first token may see.",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).triu(1)",
)

misconception(
    "every_token_sees_only_itself", "gpt",
    hint="Change an early token: does a later position move at all?",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="mask = torch.eye(n, dtype=torch.bool, device=tokens.device)",
)

misconception(
    "forgets_the_last_norm", "gpt",
    hint="What stands between the last block and the head?",
    old="return self.head(self.norm(x))",
    new="return self.head(x)",
)

misconception(
    "gives_probabilities_for_logits", "gpt",
    hint="The loss takes a softmax of what you return. How many softmaxes is that?",
    old="return self.head(self.norm(x))",
    new="return self.head(self.norm(x)).softmax(dim=-1)",
)

misconception(
    "the_next_token_has_logits", "gpt",
    hint="Do your probabilities sum to 1?",
    old="return self(tokens)[:, -1].softmax(dim=-1)",
    new="return self(tokens)[:, -1]",
)

misconception(
    "reads_the_next_token_from_the_first_position", "gpt",
    hint="Which position has seen all tokens?",
    old="return self(tokens)[:, -1].softmax(dim=-1)",
    new="return self(tokens)[:, 0].softmax(dim=-1)",
)

misconception(
    "predicts_the_token_it_is_given", "gpt",
    hint="Print one row of tokens and, below it, what each position must predict.",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits.log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, :, None]).mean()",
)

misconception(
    "predicts_the_token_before", "gpt",
    hint="Which of the two is cut at its beginning, and which at its end?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits[:, 1:].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, :-1, None]).mean()",
)

misconception(
    "the_last_position_predicts_the_first_token", "gpt",
    hint="The last position's prediction: against what can it be held?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits.log_softmax(dim=-1)\n    return -logs.gather(-1, tokens.roll(-1, 1)[..., None]).mean()",
)

misconception(
    "sums_over_a_sequence", "gpt",
    hint="The mean is over all predictions. By how many do you divide?",
    old="return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="return -logs.gather(-1, tokens[:, 1:, None]).sum() / len(tokens)",
)

misconception(
    "counts_a_prediction_for_every_token", "gpt",
    hint="A row of five tokens: how many of its predictions can be held against something? By how many do you divide?",
    old="return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="return -logs.gather(-1, tokens[:, 1:, None]).sum() / tokens.numel()",
)

misconception(
    "gradients_pile_up", "gpt",
    hint="In torch a gradient is added to the one that is there. Who clears it away?",
    old="        optimiser.zero_grad()\n",
    new="",
)

misconception(
    "plain_descent_for_adam", "gpt",
    hint="Which optimiser is asked for?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = torch.optim.SGD(model.parameters(), lr=rate)",
)

misconception(
    "trains_on_the_same_rows_for_ever", "gpt",
    hint="How many of the sequences does your training ever see?",
    old="rows = tokens[chosen.to(tokens.device)]",
    new="rows = tokens[:batch]",
)

misconception(
    "notes_the_loss_after_the_step", "gpt",
    hint="Which loss belongs to a step: the one before it, or the one after?",
    old="losses.append(loss.item())",
    new="losses.append(next_token_loss(model(rows), rows).item())",
)

misconception(
    "never_steps", "gpt",
    hint="The gradients are there. Who uses them?",
    old="        optimiser.step()\n",
    new="",
)

misconception(
    "the_model_keeps_its_first_mask", "gpt",
    hint="Give one model two tokens, and then four. For how many is your mask?",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="mask = self.mask = getattr(self, \"mask\", torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril())",
)

misconception(
    "one_block_does_all_the_work", "gpt",
    hint="The blocks that you are given may differ. Which of them do you call?",
    old="x = block(x, mask)",
    new="x = self.blocks[0](x, mask)",
)

misconception(
    "the_blocks_run_backwards", "gpt",
    hint="Which block reads the embeddings: the first in the list, or the last?",
    old="for block in self.blocks:",
    new="for block in reversed(self.blocks):",
)

misconception(
    "takes_the_logarithm_of_what_has_vanished", "gpt",
    hint="A token that is 2000 logits behind: what is its probability in your computer, and the logarithm of that?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)",
    new="logs = logits[:, :-1].softmax(dim=-1).log()",
)

misconception(
    "a_little_is_added_before_the_logarithm", "gpt",
    hint="How large can your loss become at most, and how large should it be for a token that is 2000 logits behind?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)",
    new="logs = (logits[:, :-1].softmax(dim=-1) + 1e-9).log()",
)

misconception(
    "weighs_the_last_prediction_with_zero", "gpt",
    hint="What is 0 times NaN? Is the last position left out with you, or does it only count nothing?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits.log_softmax(dim=-1).gather(-1, tokens.roll(-1, 1)[..., None])[..., 0]\n    counts = torch.ones_like(logs)\n    counts[:, -1] = 0\n    return -(counts * logs).sum() / counts.sum()",
)

misconception(
    "one_optimiser_for_all_models", "gpt",
    hint="Train one model, and then another one. Whose parameters does your optimiser know?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = train.__dict__.setdefault(\"optimiser\", torch.optim.Adam(model.parameters(), lr=rate))",
)

misconception(
    "throws_its_own_dice", "gpt",
    hint="Train twice, with generators of different seeds. Do your batches differ?",
    old="chosen = torch.as_tensor(rng.integers(len(tokens), size=batch))",
    new="rng = np.random.default_rng(len(losses))\n        chosen = torch.as_tensor(rng.integers(len(tokens), size=batch))",
)

misconception(
    "a_batch_of_one_loses_its_axis", "gpt",
    hint="One sequence alone is a batch too. Which shape do its probabilities have?",
    old="return self(tokens)[:, -1].softmax(dim=-1)",
    new="return self(tokens)[:, -1].softmax(dim=-1).squeeze()",
)

misconception(
    "the_models_mask_stays_on_the_cpu", "gpt",
    hint="On which device is a mask that you make without saying where?",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="mask = torch.ones(n, n, dtype=torch.bool).tril()",
)

misconception(
    "cuts_both_at_the_end", "gpt",
    hint="Print one row of tokens and, below it, what each position must predict. Is it the token that it has just read?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, :-1, None]).mean()",
)

misconception(
    "cuts_both_at_the_beginning", "gpt",
    hint="Position 1 has read token 1. Which token must it predict, and which one do you hold against it?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits[:, 1:].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
)

misconception(
    "looks_two_tokens_ahead", "gpt",
    hint="How many tokens lie between a position and the one that it predicts?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="logs = logits[:, :-2].log_softmax(dim=-1)\n    return -logs.gather(-1, tokens[:, 2:, None]).mean()",
)

misconception(
    "a_softmax_before_the_loss", "gpt",
    hint="Logits go into a softmax once. How many does the loss take of yours?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)",
    new="logs = logits[:, :-1].softmax(dim=-1).log_softmax(dim=-1)",
)

misconception(
    "the_probability_for_its_logarithm", "gpt",
    hint="What is your loss for a token of probability 1? And what is −log 1?",
    old="logs = logits[:, :-1].log_softmax(dim=-1)",
    new="logs = logits[:, :-1].softmax(dim=-1)",
)

misconception(
    "rewards_the_right_token_with_a_minus", "gpt",
    hint="Should a better model have a smaller loss, or a larger one?",
    old="return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="return logs.gather(-1, tokens[:, 1:, None]).mean()",
)

misconception(
    "the_loss_is_a_sum", "gpt",
    hint="Twice as many sequences: should the loss be twice as large?",
    old="return -logs.gather(-1, tokens[:, 1:, None]).mean()",
    new="return -logs.gather(-1, tokens[:, 1:, None]).sum()",
)

misconception(
    "the_tokens_of_a_batch_compete", "gpt",
    hint="Which of your sums are 1: those over the vocabulary, or those over the batch?",
    old="return self(tokens)[:, -1].softmax(dim=-1)",
    new="return self(tokens)[:, -1].softmax(dim=0)",
)

misconception(
    "a_distribution_for_every_position", "gpt",
    hint="How many distributions does one sequence get? Only one token comes next.",
    old="return self(tokens)[:, -1].softmax(dim=-1)",
    new="return self(tokens).softmax(dim=-1)",
)

misconception(
    "a_new_optimiser_in_every_step", "gpt",
    hint="Adam remembers the gradients before. For how long does yours live?",
    old="        optimiser.zero_grad()\n",
    new="        optimiser = torch.optim.Adam(model.parameters(), lr=rate)\n        optimiser.zero_grad()\n",
)

misconception(
    "adam_chooses_its_own_rate", "gpt",
    hint="Train with a rate of 0.5 and with one of 0.03. Does anything change?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new="optimiser = torch.optim.Adam(model.parameters())",
)

misconception(
    "positions_count_backwards", "gpt",
    hint="Which row of `position` belongs to the first token?",
    old="self.position(torch.arange(n, device=tokens.device))",
    new="self.position(torch.arange(n, device=tokens.device).flip(0))",
)

misconception(
    "one_position_for_all", "gpt",
    hint="Say one token five times. What tells your first block which of the five is which?",
    old="self.position(torch.arange(n, device=tokens.device))",
    new="self.position(torch.full((n,), n - 1, device=tokens.device))",
)

misconception(
    "the_model_may_not_see_the_present", "gpt",
    hint="Position t has seen tokens 0 … t. Which of them does your mask hide?",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril(-1)",
)

misconception(
    "shows_the_last_token_alone", "gpt",
    hint="How much of what is written may the model read before it goes on?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="new = pick(next_token(tokens[:, -1:]))",
)

misconception(
    "shows_all_that_is_written", "gpt",
    hint="How many tokens can a model of `length` positions read? What do you show it when there are more?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="new = pick(next_token(tokens))",
)

misconception(
    "shows_the_beginning_for_ever", "gpt",
    hint="When the text is longer than the window, which end of it matters for the next token?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="new = pick(next_token(tokens[:, :length]))",
)

misconception(
    "the_window_is_one_too_short", "gpt",
    hint="How many tokens do you show when there are more than enough? How many may you?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="new = pick(next_token(tokens[:, -length:][:, max(0, tokens[:, -length:].shape[1] - length + 1):] if length > 1 else tokens[:, -1:]))",
)

misconception(
    "always_takes_the_likeliest", "gpt",
    hint="Who decides which token is taken: you, or what you were handed?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="new = next_token(tokens[:, -length:]).argmax(dim=-1)",
)

misconception(
    "asks_once_for_all_tokens", "gpt",
    hint="What was written a moment ago: does your next question contain it?",
    old="        for _ in range(count):\n            new = pick(next_token(tokens[:, -length:]))",
    new="        answer = next_token(tokens[:, -length:])\n        for _ in range(count):\n            new = pick(answer)",
)

misconception(
    "gives_back_what_is_new_alone", "gpt",
    hint="What does the answer begin with?",
    old="tokens = torch.cat([tokens, new[:, None]], dim=1)\n    return tokens",
    new="tokens = torch.cat([tokens, new[:, None]], dim=1)\n    return tokens[:, tokens.shape[1] - count :]",
)

misconception(
    "writes_in_front", "gpt",
    hint="On which side of the text does the next token belong?",
    old="torch.cat([tokens, new[:, None]], dim=1)",
    new="torch.cat([new[:, None], tokens], dim=1)",
)

misconception(
    "writes_one_token_too_few", "gpt",
    hint="Ask for one token. How many do you get?",
    old="for _ in range(count):",
    new="for _ in range(count - 1):",
)

misconception(
    "writes_one_token_too_many", "gpt",
    hint="Ask for no token at all. How many do you get?",
    old="for _ in range(count):",
    new="for _ in range(count + 1):",
)

misconception(
    "picks_twice_and_keeps_one", "gpt",
    hint="How often do you throw the dice for one token?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="shown = tokens[:, -length:]\n            pick(next_token(shown))\n            new = pick(next_token(shown))",
)

misconception(
    "the_window_stands_still", "gpt",
    hint="Print what you show in each step, once the text is longer than `length`. Are the newest tokens among it?",
    old="    with torch.no_grad():\n        for _ in range(count):\n            new = pick(next_token(tokens[:, -length:]))",
    new="    start = max(0, tokens.shape[1] - length)\n    with torch.no_grad():\n        for _ in range(count):\n"
    "            new = pick(next_token(tokens[:, start : start + length]))",
)

misconception(
    "picks_row_by_row", "gpt",
    hint="Write one token behind each of three texts. How often do you call `pick` for it, and what shape does it get?",
    old="new = pick(next_token(tokens[:, -length:]))",
    new="new = torch.cat([pick(row[None]) for row in next_token(tokens[:, -length:])])",
)

misconception(
    "writes_before_it_counts", "gpt",
    hint="Ask for no token at all. How many do you get?",
    old="for _ in range(count):",
    new="for _ in range(max(1, count)):",
)

misconception(
    "a_mask_for_each_sentence", "gpt",
    hint="Which shape of mask are the blocks promised? How many axes has yours?",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="mask = torch.ones(len(tokens), n, n, dtype=torch.bool, device=tokens.device).tril()",
)

misconception(
    "leaves_the_model_in_eval", "gpt",
    hint="Look at model.training before you ask for the next token, and again afterwards. What will a training that goes on find?",
    old="        return self(tokens)[:, -1].softmax(dim=-1)",
    new="        self.eval()\n        return self(tokens)[:, -1].softmax(dim=-1)",
)

misconception(
    "leaves_the_model_in_train", "gpt",
    hint="Call model.eval(), ask for the next token, and look at model.training. In which mode was it, and in which is it now?",
    old="        return self(tokens)[:, -1].softmax(dim=-1)",
    new="        self.eval()\n        found = self(tokens)[:, -1].softmax(dim=-1)\n        self.train()\n        return found",
)

misconception(
    "clears_the_gradients_too_late", "gpt",
    hint="Somebody called .backward() on the model before you train it. What does your very first step add to that gradient?",
    old="        optimiser.zero_grad()\n        loss.backward()\n        optimiser.step()\n",
    new="        loss.backward()\n        optimiser.step()\n        optimiser.zero_grad()\n",
)

misconception(
    "the_model_keeps_its_optimiser", "gpt",
    hint="Train the same model twice, one step each. What does the Adam of the second call remember, and what should it?",
    old="optimiser = torch.optim.Adam(model.parameters(), lr=rate)",
    new='optimiser = model.__dict__.setdefault("optimiser", torch.optim.Adam(model.parameters(), lr=rate))',
)

misconception(
    "draws_with_the_dice_of_torch", "gpt",
    hint="Train two equal models, with an rng of the same seed. Do they see the same batches? Where does your chance come from?",
    old="chosen = torch.as_tensor(rng.integers(len(tokens), size=batch))",
    new="chosen = torch.randint(len(tokens), (batch,))",
)

misconception(
    "one_row_is_never_drawn", "gpt",
    hint="Train on four rows for a hundred steps and count how often each is drawn. Look at both ends of the range you draw from.",
    old="chosen = torch.as_tensor(rng.integers(len(tokens), size=batch))",
    new="chosen = torch.as_tensor(rng.integers(max(1, len(tokens) - 1), size=batch))",
)

misconception(
    "cuts_its_batches_from_neighbours", "gpt",
    hint="Take row 0. With which rows can it ever be in one batch, with yours?",
    old="chosen = torch.as_tensor(rng.integers(len(tokens), size=batch))",
    new="chosen = int(rng.integers(len(tokens) - batch + 1)) + torch.arange(batch)",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "divides_by_the_root_of_the_head", "concepts",
    hint="divisor: that would be right for queries of variance 1. What is the variance of a product of two of these numbers?",
    old="divisor=16",
    new="divisor=8",
)

misconception(
    "variances_are_divided", "concepts",
    hint="divisor: what is compared, a variance or a spread?",
    old="divisor=16",
    new="divisor=256",
)

misconception(
    "the_spread_doubles_the_variance", "concepts",
    hint="divisor: entries of variance 4 have which spread? By how much do the scores grow?",
    old="divisor=16",
    new="divisor=128**0.5",
)

misconception(
    "divides_by_the_root_of_the_layer", "concepts",
    hint="divisor: how wide is one head?",
    old="divisor=16",
    new="divisor=2 * 768**0.5",
)

misconception(
    "divides_by_the_root_of_the_words", "concepts",
    hint="divisor: an inner product sums over dimensions, not over words.",
    old="divisor=16",
    new="divisor=2 * 50**0.5",
)

misconception(
    "writes_the_divisor_in_words", "concepts",
    hint="divisor: a number is asked for, without quotation marks.",
    old="divisor=16",
    new='divisor="sixteen"',
)

misconception(
    "forgets_who_mixes_the_heads", "concepts",
    hint="parameters: which matrix do you use after the heads have spoken?",
    old="parameters=4 * 256**2",
    new="parameters=3 * 256**2",
)

misconception(
    "every_head_has_a_whole_layer", "concepts",
    hint="parameters: to how many dimensions does one head project?",
    old="parameters=4 * 256**2",
    new="parameters=16 * 4 * 256**2",
)

misconception(
    "one_head_for_all", "concepts",
    hint="parameters: one head is small. How many of them are there?",
    old="parameters=4 * 256**2",
    new="parameters=4 * 256 * 16",
)

misconception(
    "linear_layers_always_have_a_bias", "concepts",
    hint="parameters: look at how the four maps are made. What did they leave out?",
    old="parameters=4 * 256**2",
    new="parameters=4 * (256**2 + 256)",
)

misconception(
    "a_small_loss_is_a_good_model", "concepts",
    hint="leak: where does the floor of the causal mask lie? Is this run above it, or below?",
    old='leak="s <= 2t"',
    new='leak="s <= t"',
)

misconception(
    "one_key_too_many_for_every_query", "concepts",
    hint="leak: with that mask, which of the 11 predictions would still cost anything? And how much is 11 times 0.127?",
    old='leak="s <= 2t"',
    new='leak="s <= t + 1"',
)

misconception(
    "who_sees_less_cheats", "concepts",
    hint="leak: write down which keys query 4 sees with that mask. Is the token that it should predict among them?",
    old='leak="s <= 2t"',
    new='leak="2s <= t"',
)

misconception(
    "compares_the_smaller_weights", "concepts", hint="saturated: one of the two weights alone does not tell. What stands in ds₁?",
    old="saturated=2.89",
    new="saturated=3.4",
)

misconception(
    "the_loss_of_slope_is_the_root", "concepts",
    hint="saturated: what are p₁ and p₂ with the division, and what are they without it?",
    old="saturated=2.89",
    new="saturated=2",
)

misconception(
    "divides_their_slope_by_yours", "concepts",
    hint="saturated: whose softmax is nearer to saturation, and whose gradient is then the smaller one?",
    old="saturated=2.89",
    new="saturated=1 / 2.89",
)

misconception(
    "goes_on_through_the_products", "concepts",
    hint="saturated: the question ends at ds₁. How far back did you go?",
    old="saturated=2.89",
    new="saturated=2.89 / 2",
)

misconception(
    "a_causal_layer_forgets_the_order", "concepts",
    hint="swapped: the third word asks the same of the same two others. But what do the second layer's keys come from?",
    old='swapped="1 and 0"',
    new='swapped="1 and 1"',
)

misconception(
    "every_order_is_seen_at_once", "concepts",
    hint="swapped: in one layer, which keys and values does the last word see, before and after?",
    old='swapped="1 and 0"',
    new='swapped="0 and 0"',
)

misconception(
    "the_first_place_stays", "concepts",
    hint="swapped: which word stands at each place afterwards, and what does its query ask?",
    old='swapped="1 and 0"',
    new='swapped="2 and 1"',
)

misconception(
    "the_target_asks_itself", "concepts",
    hint="cross: from which sentence are the keys?",
    old="cross=4 * 7 * 5",
    new="cross=4 * 5 * 5",
)

misconception(
    "the_source_asks_itself", "concepts",
    hint="cross: from which sentence are the queries?",
    old="cross=4 * 7 * 5",
    new="cross=4 * 7 * 7",
)

misconception(
    "heads_share_their_scores", "concepts",
    hint="cross: each head has an opinion of its own. How many scores is that?",
    old="cross=4 * 7 * 5",
    new="cross=7 * 5",
)

misconception(
    "scores_are_counted_by_width", "concepts",
    hint="cross: how many numbers is one inner product, whatever its width?",
    old="cross=4 * 7 * 5",
    new="cross=16 * 7 * 5",
)

misconception(
    "the_prompt_is_wasted_once", "concepts",
    hint="wasted: it keeps nothing. What does the second call compute anew?",
    old="wasted=sum(range(20, 120)) - 100",
    new="wasted=19",
)

misconception(
    "every_prediction_is_wasted", "concepts",
    hint="wasted: how many predictions does the first call make, and how many of these are used?",
    old="wasted=sum(range(20, 120)) - 100",
    new="wasted=sum(range(20, 120))",
)

misconception(
    "scores_alone_count", "concepts",
    hint="crossover: is averaging the values free?",
    old="crossover=1024",
    new="crossover=2048",
)

misconception(
    "words_against_width", "concepts",
    hint="crossover: count both sides. How many products of matrices with n·n in them are there, and how many projections?",
    old="crossover=1024",
    new="crossover=512",
)

misconception(
    "weights_in_a_row_are_independent", "concepts",
    hint="unchanged: when one score of a row grows, what happens to the other weights of that row?",
    old="unchanged=1 + 2 + 3 + 4",
    new="unchanged=36 - 8",
)

misconception(
    "only_who_asks_differs", "concepts",
    hint="unchanged: the fifth word asks something else. Does it also offer something else, and to whom?",
    old="unchanged=1 + 2 + 3 + 4",
    new="unchanged=36 - 5",
)

misconception(
    "the_new_word_asks_as_the_old_one", "concepts",
    hint="unchanged: does the new word ask what the old one asked?",
    old="unchanged=1 + 2 + 3 + 4",
    new="unchanged=1 + 2 + 3 + 4 + 5",
)

misconception(
    "attention_is_a_convolution", "concepts",
    hint="unchanged: what are these weights computed from? A convolution learns its weights; does attention?",
    old="unchanged=1 + 2 + 3 + 4",
    new="unchanged=36",
)

misconception(
    "transformers_are_parallel_always", "concepts",
    hint="ticks: which target words are known when the decoder begins to write?",
    old="ticks=4 + 15 * 4",
    new="ticks=4 + 4",
)

misconception(
    "the_source_is_read_for_every_word", "concepts",
    hint="ticks: does the source change while the translation is written? How often must it be read?",
    old="ticks=4 + 15 * 4",
    new="ticks=15 * (4 + 4)",
)

misconception(
    "a_decoder_layer_is_no_wait", "concepts",
    hint="ticks: the second decoder layer reads what the first one made. Can both work at the same tick on one word?",
    old="ticks=4 + 15 * 4",
    new="ticks=4 + 15",
)

misconception(
    "windows_of_one_size_reach_as_far", "concepts",
    hint="ticks: how far back does the second layer look, and how far the third? Add up how far a signal comes.",
    old="ticks=4 + 15 * 4",
    new="ticks=40 + 15 * 4",
)

misconception(
    "convolutions_read_word_by_word", "concepts",
    hint="ticks: all 81 words are known from the start. How many of them can one layer of the reader work on in one tick?",
    old="ticks=4 + 15 * 4",
    new="ticks=81 + 15 * 4",
)

misconception(
    "one_layer_more_to_be_sure", "concepts",
    hint="ticks: how many places back has a signal come after one layer, after two, after three? How many are needed?",
    old="ticks=4 + 15 * 4",
    new="ticks=5 + 15 * 4",
)

# -- image (extra) -----------------------------------------------------------------------------------------------------

misconception(
    "divides_by_the_dimension", "image",
    hint="A mean over words: how many words are there, and by what do you divide?",
    old="q = Z.mean(axis=0)",
    new="q = Z.sum(axis=0) / Z.shape[1]",
)

misconception(
    "asks_with_the_sum", "image",
    hint="Say the caption twice. Should it ask twice as loudly?",
    old="q = Z.mean(axis=0)",
    new="q = Z.sum(axis=0)",
)

misconception(
    "regions_are_not_scaled", "image",
    hint="The fits are inner products of d numbers. What holds them down?",
    old="fits = F @ q / np.sqrt(len(q))",
    new="fits = F @ q",
)

misconception(
    "scales_by_the_root_of_the_regions", "image",
    hint="Over what does F q sum: regions, or dimensions?",
    old="fits = F @ q / np.sqrt(len(q))",
    new="fits = F @ q / np.sqrt(len(F))",
)

misconception(
    "puts_the_context_on_top", "image",
    hint="In [q; c], who stands on top?",
    old="np.concatenate([q, F.T @ p])",
    new="np.concatenate([F.T @ p, q])",
)

misconception(
    "exponentials_of_whatever_comes", "image",
    hint="What is e to the power of 1500, for a computer? And which number may be taken from all fits without changing p?",
    old="p = np.exp(fits - fits.max())",
    new="p = np.exp(fits)",
)

misconception(
    "shifts_by_the_smallest_fit", "image",
    hint="Three regions fit by −1500, 0 and 1500. After your shift, which is the largest number in the exponential?",
    old="p = np.exp(fits - fits.max())",
    new="p = np.exp(fits - fits.min())",
)

misconception(
    "asks_in_whole_numbers", "image",
    hint="Two words, 1 and 2: does their mean fit into an array of their own kind?",
    old="q = Z.mean(axis=0)",
    new="q = Z.mean(axis=0).astype(Z.dtype)",
)

# -- costs (extra) -----------------------------------------------------------------------------------------------------

misconception(
    "a_score_is_one_multiplication", "costs",
    hint="How many multiplications is one inner product?",
    old='"attention": (n * n * d, 1)',
    new='"attention": (n * n, 1)',
)

misconception(
    "recurrence_runs_at_once", "costs",
    hint="What does step t of a recurrence wait for?",
    old='"recurrent": (n * d * d, n)',
    new='"recurrent": (n * d * d, 1)',
)

misconception(
    "recurrence_is_linear_in_the_width", "costs",
    hint="A recurrent step multiplies a vector by a matrix. How large is the matrix?",
    old='"recurrent": (n * d * d, n)',
    new='"recurrent": (n * d, n)',
)

misconception(
    "convolution_channels_do_not_mix", "costs",
    hint="Every output channel looks at every input channel. How many pairs is that?",
    old='"convolution": (w * n * d * d, 1)',
    new='"convolution": (w * n * d, 1)',
)

misconception(
    "every_convolution_reaches_by_powers", "costs",
    hint="By how many places does an ordinary window bring a signal on, layer after layer?",
    old='if kind == "dilated":',
    new='if kind in ("dilated", "convolution"):',
)

misconception(
    "trusts_the_logarithm", "costs",
    hint="Print math.log(125, 5). Count instead.",
    old="layers, reach = 0, 1\n        while reach < n:\n            layers, reach = layers + 1, reach * w\n        return layers",
    new="return math.ceil(math.log(n, w))",
)

misconception(
    "a_window_brings_its_whole_width", "costs",
    hint="A window of 2 sees itself and one neighbour. How far does a signal get in one layer?",
    old="return -(-(n - 1) // (w - 1))",
    new="return -(-(n - 1) // w)",
)

misconception(
    "counts_words_not_steps", "costs",
    hint="From the first of two words to the second: how many steps?",
    old="        return n - 1\n",
    new="        return n\n",
)

misconception(
    "one_layer_after_the_other", "costs",
    hint="May the second layer begin before the first has read the last word?",
    old='return n * layers, layers if kind == "attention" else n + layers - 1',
    new='return n * layers, layers if kind == "attention" else n * layers',
)

misconception(
    "depth_is_free_in_a_recurrent_stack", "costs",
    hint="The last cell of the top layer waits for the cell below it, too.",
    old='return n * layers, layers if kind == "attention" else n + layers - 1',
    new='return n * layers, layers if kind == "attention" else n',
)

misconception(
    "only_cross_attention_counts", "costs",
    hint="Three attentions: the source looks at itself, the target at itself, and the target at the source.",
    old="return M * M + M * N + N * N",
    new="return M * N",
)

misconception(
    "generates_in_one_pass", "costs",
    hint="How often is the layer called to generate n tokens?",
    old="return sum(t if cached else t * t for t in range(1, n + 1))",
    new="return n * n",
)

misconception(
    "the_cache_keeps_scores", "costs",
    hint="With a cache, how many keys does the new token meet in call t?",
    old="return sum(t if cached else t * t for t in range(1, n + 1))",
    new="return sum(1 if cached else t for t in range(1, n + 1))",
)

misconception(
    "divides_with_a_point", "costs",
    hint="Your formula is right. How many digits does a float keep, and how many has n(n + 1)(2n + 1) for n = 400000?",
    old="return sum(t if cached else t * t for t in range(1, n + 1))",
    new="return int(n * (n + 1) / 2 if cached else n * (n + 1) * (2 * n + 1) / 6)",
)
