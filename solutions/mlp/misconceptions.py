"""Wrong answers to the multi-layer perceptron, each with the hint a teacher would give."""

from redink.checks import misconception

# -- activations -------------------------------------------------------------------------------------------------------

misconception(
    "linear_slope_is_z", "activations",
    hint="When z grows by 0.1, by how much does g(z) = z grow? Does it depend on z?",
    old="return Z, np.ones_like(Z)",
    new="return Z, Z",
)

misconception(
    "linear_slope_is_one_number", "activations",
    hint="How many slopes are there: one for all, or one for each z? Look at the shapes of your two results.",
    old="return Z, np.ones_like(Z)",
    new="return Z, 1.0",
)

misconception(
    "sigmoid_slope_from_the_input", "activations",
    hint="In σ(1 − σ), is σ what went in or what came out?",
    old="return S, S * (1 - S)",
    new="return S, Z * (1 - Z)",
)

misconception(
    "sigmoid_overflows", "activations",
    hint="What is e^800 on your computer, and inf divided by inf?",
    old="small = np.exp(-np.abs(Z))\n    S = np.where(Z >= 0, 1, small) / (1 + small)",
    new="S = np.exp(Z) / (1 + np.exp(Z))",
)

misconception(
    "sigmoid_turned_round", "activations",
    hint="Is your sigmoid near 1 on the right, or on the left? Which sign has z in e^−z?",
    old="S = np.where(Z >= 0, 1, small) / (1 + small)",
    new="S = np.where(Z >= 0, small, 1) / (1 + small)",
)

misconception(
    "tanh_slope_without_the_square", "activations",
    hint="Evaluate your slope at −z and at z. Tanh is as steep on either side.",
    old="return bent, 1 - bent**2",
    new="return bent, 1 - bent",
)

misconception(
    "tanh_slope_from_the_input", "activations",
    hint="In 1 − tanh², square what comes out, not what goes in. Can a slope of tanh be negative?",
    old="return bent, 1 - bent**2",
    new="return bent, 1 - Z**2",
)

misconception(
    "tanh_slope_loses_the_inner_two", "activations",
    hint="In tanh z = 2σ(2z) − 1 the 2 stands outside and inside. Which of them does your slope have?",
    old="return bent, 1 - bent**2",
    new="return bent, (1 - bent**2) / 2",
)

misconception(
    "tanh_slope_is_that_of_the_sigmoid", "activations",
    hint="At 0 tanh is as steep as a line through 0 with slope 1. How steep is the sigmoid at its best?",
    old="return bent, 1 - bent**2",
    new="return bent, (1 - bent**2) / 4",
)

misconception(
    "tanh_slope_by_the_rule_of_the_sigmoid", "activations",
    hint="σ(1 − σ) is the rule of the sigmoid. What does it give for tanh where tanh is negative?",
    old="return bent, 1 - bent**2",
    new="return bent, bent * (1 - bent)",
)

misconception(
    "tanh_is_stretched_in_height_alone", "activations",
    hint="2σ(z) − 1 has the right range. Compare it with tanh at z = 1: what else was stretched?",
    old="bent = np.tanh(Z)",
    new="bent = np.tanh(Z / 2)",
)

misconception(
    "tanh_overflows", "activations",
    hint="The formula with four exponentials is right on paper. Try it at z = 800.",
    old="bent = np.tanh(Z)",
    new="bent = (np.exp(Z) - np.exp(-Z)) / (np.exp(Z) + np.exp(-Z))",
)

# tanh is made of the sigmoid, and goes down with it.
TOGETHER = "Your tanh is a stretched sigmoid, so it fails where that does. What is e^800 on your computer?"

misconception(
    "sigmoid_overflows_and_tanh_with_it", "activations",
    hint=TOGETHER,
    old="small = np.exp(-np.abs(Z))\n    S = np.where(Z >= 0, 1, small) / (1 + small)",
    new="S = np.exp(Z) / (1 + np.exp(Z))",
)
misconception(
    "sigmoid_overflows_and_tanh_with_it", "activations",
    hint=TOGETHER,
    old="bent = np.tanh(Z)",
    new="bent = 2 * sigmoid(2 * Z)[0] - 1",
)

misconception(
    "hard_tanh_clips_at_zero", "activations",
    hint="Which range does tanh have, and which your clipped one?",
    old="return np.clip(Z, -1, 1), np.where(np.abs(Z) < 1, 1.0, 0.0)",
    new="return np.clip(Z, 0, 1), np.where((Z > 0) & (Z < 1), 1.0, 0.0)",
)

misconception(
    "hard_tanh_forgets_to_shut_the_slope", "activations",
    hint="At z = 3, move z a little. Does the clipped value move?",
    old="np.where(np.abs(Z) < 1, 1.0, 0.0)",
    new="np.ones(np.shape(Z))",
)

misconception(
    "hard_tanh_has_the_slope_of_tanh", "activations",
    hint="Between its two kinks hard tanh is a straight line. How steep is that, at z = 0.5?",
    old="np.where(np.abs(Z) < 1, 1.0, 0.0)",
    new="1 - np.clip(Z, -1, 1) ** 2",
)

misconception(
    "hard_tanh_is_steep_at_its_ends", "activations",
    hint="Exactly at −1 and 1 there are two slopes to choose from. Which one do the conventions take?",
    old="np.where(np.abs(Z) < 1, 1.0, 0.0)",
    new="np.where(np.abs(Z) <= 1, 1.0, 0.0)",
)

misconception(
    "hard_tanh_is_steep_at_its_left_end", "activations",
    hint="Which slope has your function exactly at −1, and which exactly at 1? One rule holds for both kinks.",
    old="np.where(np.abs(Z) < 1, 1.0, 0.0)",
    new="np.where((Z >= -1) & (Z < 1), 1.0, 0.0)",
)

misconception(
    "hard_tanh_is_steep_at_its_right_end", "activations",
    hint="Which slope has your function exactly at −1, and which exactly at 1? One rule holds for both kinks.",
    old="np.where(np.abs(Z) < 1, 1.0, 0.0)",
    new="np.where((Z > -1) & (Z <= 1), 1.0, 0.0)",
)

misconception(
    "relu_is_steep_at_zero", "activations",
    hint="Exactly at 0 there are two slopes to choose from. Which one do the conventions take?",
    old="return np.maximum(0, Z), np.where(Z > 0, 1.0, 0.0)",
    new="return np.maximum(0, Z), np.where(Z >= 0, 1.0, 0.0)",
)

misconception(
    "relu_lets_every_gradient_pass", "activations",
    hint="Where the unit gives 0 whatever z is, how steep is it?",
    old="return np.maximum(0, Z), np.where(Z > 0, 1.0, 0.0)",
    new="return np.maximum(0, Z), np.ones(np.shape(Z))",
)

misconception(
    "leaky_slope_is_zero_below", "activations",
    hint="What is the leak for? See which slope it leaves on the negative side.",
    old="np.where(Z > 0, 1.0, alpha)",
    new="np.where(Z > 0, 1.0, 0.0)",
)

misconception(
    "leaky_is_steep_at_zero", "activations",
    hint="Between the slopes 1 and α, which one is the flatter, and so the one at 0?",
    old="np.where(Z > 0, 1.0, alpha)",
    new="np.where(Z >= 0, 1.0, alpha)",
)

misconception(
    "leaky_slope_is_alpha_z", "activations",
    hint="Below 0 the value is αz. Differentiate that in z.",
    old="np.where(Z > 0, 1.0, alpha)",
    new="np.where(Z > 0, 1.0, alpha * Z)",
)

misconception(
    "leaky_leaks_a_hundredth_always", "activations",
    hint="alpha is handed to you. What does your function do with another one?",
    old="return np.where(Z > 0, Z, alpha * Z), np.where(Z > 0, 1.0, alpha)",
    new="return np.where(Z > 0, Z, 0.01 * Z), np.where(Z > 0, 1.0, 0.01)",
)


@misconception(
    "sigmoid_cut_to_integers",
    "activations",
    hint="Give it np.array([-1, 2]). Which kind of numbers fits into the array that you fill?",
)
def sigmoid(Z):
    S, above = np.zeros_like(Z), Z >= 0
    S[above] = 1 / (1 + np.exp(-Z[above]))
    S[~above] = np.exp(Z[~above]) / (1 + np.exp(Z[~above]))
    return S, S * (1 - S)


@misconception(
    "leaky_relu_cut_to_integers",
    "activations",
    hint="Give it np.array([-3, 2]). Which kind of numbers fits into the array that you fill?",
)
def leaky_relu(Z, alpha=0.01):
    bent = Z.copy()
    bent[Z <= 0] = alpha * Z[Z <= 0]
    return bent, np.where(Z > 0, 1.0, alpha)


@misconception(
    "relu_works_on_the_callers_array",
    "activations",
    hint="After the call, look at the Z that you passed in.",
)
def relu(Z):
    slope = np.where(Z > 0, 1.0, 0.0)
    Z[Z < 0] = 0
    return Z, slope


# -- losses ------------------------------------------------------------------------------------------------------------

misconception(
    "classes_counted_from_one", "losses",
    hint="Where is the 1 for label 0?",
    old="T[np.arange(len(labels)), labels] = 1.0",
    new="T[np.arange(len(labels)), labels - 1] = 1.0",
)

misconception(
    "one_hot_columns", "losses",
    hint="Examples stand in rows. How many rows has your array?",
    old="T[np.arange(len(labels)), labels] = 1.0\n    return T\n",
    new="T[np.arange(len(labels)), labels] = 1.0\n    return T.T\n",
)

misconception(
    "counts_the_classes_in_the_labels", "losses",
    hint="Nobody in this batch belongs to the last class. How many columns should there be all the same?",
    old="T = np.zeros((len(labels), K))",
    new="T = np.zeros((len(labels), np.max(labels) + 1))",
)

misconception(
    "softmax_over_the_examples", "losses",
    hint="Add up a row of your probabilities, then a column. Which of the two should be 1?",
    old="powers = np.exp(O - O.max(axis=1, keepdims=True))\n    return powers / powers.sum(axis=1, keepdims=True)",
    new="powers = np.exp(O - O.max(axis=0, keepdims=True))\n    return powers / powers.sum(axis=0, keepdims=True)",
)

misconception(
    "softmax_over_the_whole_table", "losses",
    hint="Add up one row of your probabilities. Each example has probabilities of its own.",
    old="return powers / powers.sum(axis=1, keepdims=True)",
    new="return powers / powers.sum()",
)

misconception(
    "softmax_overflows", "losses",
    hint="What can you subtract from every logit of a row without changing a single probability?",
    old="powers = np.exp(O - O.max(axis=1, keepdims=True))",
    new="powers = np.exp(O)",
)

misconception(
    "softmax_shifts_by_the_largest_of_all", "losses",
    hint="One row has logits near 0, another near 10,000. What is left of the first after your shift?",
    old="powers = np.exp(O - O.max(axis=1, keepdims=True))",
    new="powers = np.exp(O - O.max())",
)

misconception(
    "log_sum_exp_shifts_by_the_largest_of_all", "losses",
    hint="One row has logits near 0, another near −10,000. What is left of the second after your shift, and its logarithm?",
    old="peak = O.max(axis=1)\n",
    new="peak = np.full(len(O), O.max())\n",
)

# softmax and log_sum_exp by one helper, or one by the other.
SHIFT = "Rows far apart: what is left of the lower one after your shift? Whose largest logit should a row lose?"

misconception(
    "everything_shifts_by_the_largest_of_all", "losses",
    hint=SHIFT,
    old="powers = np.exp(O - O.max(axis=1, keepdims=True))",
    new="powers = np.exp(O - O.max())",
)
misconception(
    "everything_shifts_by_the_largest_of_all", "losses",
    hint=SHIFT,
    old="peak = O.max(axis=1)\n",
    new="peak = np.full(len(O), O.max())\n",
)

misconception(
    "log_sum_exp_overflows", "losses",
    hint="Take the largest logit out of the sum before you exponentiate. Where does it come back?",
    old="peak = O.max(axis=1)\n    return peak + np.log",
    new="peak = 0 * O.max(axis=1)\n    return peak + np.log",
)

misconception(
    "log_sum_exp_forgets_the_shift", "losses",
    hint="Add 5 to all logits. By how much should log Σ e^o grow, and by how much does yours?",
    old="return peak + np.log",
    new="return 0 * peak + np.log",
)

misconception(
    "log_sum_exp_as_a_column", "losses",
    hint="n numbers are asked for. Which shape do yours have?",
    old="peak = O.max(axis=1)\n    return peak + np.log(np.exp(O - peak[:, None]).sum(axis=1))",
    new="peak = O.max(axis=1, keepdims=True)\n    return peak + np.log(np.exp(O - peak).sum(axis=1, keepdims=True))",
)

misconception(
    "takes_the_log_of_a_rounded_softmax", "losses",
    hint="A probability of 10^−400 is 0 in the computer. Which form of the loss never writes it down?",
    old="costs = T * (log_sum_exp(O)[:, None] - O)",
    new="costs = -T * np.log(softmax(O))",
)

misconception(
    "a_little_something_in_the_logarithm", "losses",
    hint="However wrong the network is, how large can your loss become at most? Which form needs no small number added?",
    old="costs = T * (log_sum_exp(O)[:, None] - O)",
    new="costs = -T * np.log(softmax(O) + 1e-12)",
)

misconception(
    "cross_entropy_sums_over_examples", "losses",
    hint="Write every example down twice. Should the loss change?",
    old="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)\n    return float(costs.sum() / len(O)), dO",
    new="dO = T.sum(axis=1, keepdims=True) * softmax(O) - T\n    return float(costs.sum()), dO",
)

misconception(
    "cross_entropy_gradient_forgets_the_mean", "losses",
    hint="Your loss is a mean. Is your gradient the gradient of that mean?",
    old="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)",
    new="dO = T.sum(axis=1, keepdims=True) * softmax(O) - T",
)

misconception(
    "cross_entropy_averages_over_classes", "losses",
    hint="Over what is the mean taken: over examples, or over every number in the table?",
    old="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)\n    return float(costs.sum() / len(O)), dO",
    new="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / O.size\n    return float(costs.mean()), dO",
)

misconception(
    "cross_entropy_loss_averages_over_classes", "losses",
    hint="Your gradient belongs to a mean over examples. Over what do you average the loss itself?",
    old="return float(costs.sum() / len(O)), dO",
    new="return float(costs.mean()), dO",
)

misconception(
    "cross_entropy_loss_sums", "losses",
    hint="Your gradient is that of a mean. Is your loss one?",
    old="return float(costs.sum() / len(O)), dO",
    new="return float(costs.sum()), dO",
)

misconception(
    "divides_by_the_weight_of_the_targets", "losses",
    hint="Rows may sum to other numbers than 1, and then count for more. By what does the text divide: n, or the sum of all t?",
    old="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)\n    return float(costs.sum() / len(O)), dO",
    new="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / T.sum()\n    return float(costs.sum() / T.sum()), dO",
)

misconception(
    "reads_one_label_from_the_targets", "losses",
    hint="A target may say 0.7 and 0.3. What becomes of the 0.3 in your loss?",
    old="costs = T * (log_sum_exp(O)[:, None] - O)\n",
    new="T = np.eye(O.shape[1])[T.argmax(axis=1)]\n    costs = T * (log_sum_exp(O)[:, None] - O)\n",
)

misconception(
    "targets_always_sum_to_one", "losses",
    hint="p − t came out because Σt = 1. Go back one line, to where Σt still stands.",
    old="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)",
    new="dO = (softmax(O) - T) / len(O)",
)

misconception(
    "every_row_has_the_mean_weight", "losses",
    hint="Let one example of the batch count three times as much as another. Whose Σt multiplies whose p in your gradient?",
    old="(T.sum(axis=1, keepdims=True) * softmax(O) - T)",
    new="(T.sum() / len(O) * softmax(O) - T)",
)

misconception(
    "every_row_has_the_weight_of_the_first", "losses",
    hint="Let one example of the batch count three times as much as another. Whose Σt multiplies whose p in your gradient?",
    old="(T.sum(axis=1, keepdims=True) * softmax(O) - T)",
    new="(T[0].sum() * softmax(O) - T)",
)

misconception(
    "gradient_of_the_log_likelihood", "losses",
    hint="If the network says 0.9 and the truth is 1, should the loss fall when that logit grows?",
    old="dO = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)",
    new="dO = (T - T.sum(axis=1, keepdims=True) * softmax(O)) / len(O)",
)

misconception(
    "binary_gradient_loses_a_sign", "losses",
    hint="Take y = 0. When p grows, does the loss −log(1 − p) grow or fall?",
    old="dp = (-y / p + (1 - y) / (1 - p)) / len(p)",
    new="dp = (-y / p - (1 - y) / (1 - p)) / len(p)",
)

misconception(
    "binary_gradient_is_the_joined_one", "losses",
    hint="p − y is the gradient in the logit. Which one is asked for here?",
    old="dp = (-y / p + (1 - y) / (1 - p)) / len(p)",
    new="dp = (p - y) / len(p)",
)

misconception(
    "binary_gradient_turned_round", "losses",
    hint="Take y = 1. When p grows, does the loss −log p grow or fall? And what does your gradient say?",
    old="dp = (-y / p + (1 - y) / (1 - p)) / len(p)",
    new="dp = (y / p - (1 - y) / (1 - p)) / len(p)",
)

misconception(
    "binary_gradient_forgets_the_mean", "losses",
    hint="The binary loss is a mean over n examples. Where is the n in its gradient?",
    old="dp = (-y / p + (1 - y) / (1 - p)) / len(p)",
    new="dp = -y / p + (1 - y) / (1 - p)",
)

misconception(
    "binary_loss_forgets_the_zeros", "losses",
    hint="What does an example with y = 0 cost you?",
    old="costs = -(y * np.log(p) + (1 - y) * np.log(1 - p))",
    new="costs = -(y * np.log(p))",
)

misconception(
    "clips_the_probabilities", "losses",
    hint="A p of 10^−20 is a probability too. Is it still the same when you take its logarithm?",
    old="    costs = -(y * np.log(p)",
    new="    p = np.clip(p, 1e-7, 1 - 1e-7)\n    costs = -(y * np.log(p)",
)

misconception(
    "adds_a_little_to_the_probabilities", "losses",
    hint="0 < p < 1 is promised. What does the small number in your logarithm do to a p of 10^−20?",
    old="costs = -(y * np.log(p) + (1 - y) * np.log(1 - p))",
    new="costs = -(y * np.log(p + 1e-12) + (1 - y) * np.log(1 - p + 1e-12))",
)

misconception(
    "binary_loss_sums", "losses",
    hint="Write every example down twice. Should the binary loss change?",
    old="dp = (-y / p + (1 - y) / (1 - p)) / len(p)\n    return float(costs.mean()), dp",
    new="dp = -y / p + (1 - y) / (1 - p)\n    return float(costs.sum()), dp",
)

misconception(
    "logit_loss_overflows", "losses",
    hint="Is your log(1 + e^z) a number at z = 1000?",
    old="return float(np.mean(np.logaddexp(0, z) - y * z)), (chance - y) / len(z)",
    new="return float(np.mean(np.log(1 + np.exp(z)) - y * z)), (chance - y) / len(z)",
)

misconception(
    "logit_loss_through_the_probability", "losses",
    hint="Far out σ(z) is rounded to 0 or 1. What is the logarithm of that? Which form of the loss needs no p?",
    old="return float(np.mean(np.logaddexp(0, z) - y * z)), (chance - y) / len(z)",
    new="return binary_cross_entropy(chance, y)[0], (chance - y) / len(z)",
)

misconception(
    "logit_loss_of_clipped_probabilities", "losses",
    hint="At z = −10,000 and y = 1 the loss is 10,000. How large can yours become, whatever z is?",
    old="return float(np.mean(np.logaddexp(0, z) - y * z)), (chance - y) / len(z)",
    new="return binary_cross_entropy(np.clip(chance, 1e-12, 1 - 1e-12), y)[0], (chance - y) / len(z)",
)

misconception(
    "logit_loss_with_the_other_sign", "losses",
    hint="Take y = 1 and a large z: the network is sure, and right. What does your loss say?",
    old="return float(np.mean(np.logaddexp(0, z) - y * z)), (chance - y) / len(z)",
    new="return float(np.mean(np.logaddexp(0, -z) - y * z)), (chance - y) / len(z)",
)

misconception(
    "logit_gradient_forgets_the_mean", "losses",
    hint="The loss of the logits is a mean over n examples. Where is the n in its gradient?",
    old="- y * z)), (chance - y) / len(z)",
    new="- y * z)), chance - y",
)

misconception(
    "slope_of_the_sigmoid_counted_twice", "losses",
    hint="p − y has the slope of the sigmoid in it already: it cancelled the denominators.",
    old="- y * z)), (chance - y) / len(z)",
    new="- y * z)), (chance - y) * chance * (1 - chance) / len(z)",
)

misconception(
    "binary_gradient_of_the_likelihood", "losses",
    hint="y − σ climbs the likelihood. You want the gradient of the loss.",
    old="- y * z)), (chance - y) / len(z)",
    new="- y * z)), (y - chance) / len(z)",
)

misconception(
    "squared_error_without_the_half", "losses",
    hint="Here the square comes with a ½. Look at the gradient that the text gives.",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(np.sum(gap**2) / len(O)), 2 * gap / len(O)",
)

misconception(
    "squared_error_loss_without_the_half", "losses",
    hint="Differentiate your squared error. Is that the gradient which you return?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(np.sum(gap**2) / len(O)), gap / len(O)",
)

misconception(
    "squared_error_gradient_keeps_the_two", "losses",
    hint="What is the half in front of the square for, once you differentiate?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(0.5 * np.sum(gap**2) / len(O)), 2 * gap / len(O)",
)

misconception(
    "squared_error_averages_over_outputs", "losses",
    hint="Over outputs it is a sum, over examples a mean. Which did you take over which?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(0.5 * np.mean(gap**2)), gap / O.size",
)

misconception(
    "squared_error_loss_averages_over_outputs", "losses",
    hint="Your gradient belongs to a sum over outputs. What do you take over the outputs in the loss?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(0.5 * np.mean(gap**2)), gap / len(O)",
)

misconception(
    "squared_error_sums_over_examples", "losses",
    hint="Write every example down twice. Should the squared error change?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(0.5 * np.sum(gap**2)), gap",
)

misconception(
    "squared_error_gradient_forgets_the_mean", "losses",
    hint="Half the squared error, averaged over n examples: where is the n in your gradient?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(0.5 * np.sum(gap**2) / len(O)), gap",
)

misconception(
    "squared_error_gradient_points_downhill", "losses",
    hint="If an output is too large, should the loss grow or fall when it grows further?",
    old="return float(0.5 * np.sum(gap**2) / len(O)), gap / len(O)",
    new="return float(0.5 * np.sum(gap**2) / len(O)), -gap / len(O)",
)


@misconception(
    "squared_error_cut_to_integers",
    "losses",
    hint="Give it arrays of integers. Which kind of numbers fits into an array that is made like O?",
)
def squared_error(O, T):
    dO = np.zeros_like(O)
    dO[:] = (O - T) / len(O)
    return float(0.5 * np.sum((O - T) ** 2) / len(O)), dO


@misconception(
    "cross_entropy_cut_to_integers",
    "losses",
    hint="Give it logits that are integers. Which kind of numbers fits into an array that is made like O?",
)
def cross_entropy(O, T):
    costs, dO = T * (log_sum_exp(O)[:, None] - O), np.zeros_like(O)
    dO[:] = (T.sum(axis=1, keepdims=True) * softmax(O) - T) / len(O)
    return float(costs.sum() / len(O)), dO


misconception(
    "squared_error_gradient_loses_its_column", "losses",
    hint="With a single output, which shape has O, and which your gradient?",
    old="np.sum(gap**2) / len(O)), gap / len(O)",
    new="np.sum(gap**2) / len(O)), np.squeeze(gap / len(O))",
)

# -- forward -----------------------------------------------------------------------------------------------------------

misconception(
    "forward_forgets_the_bias", "forward",
    hint="With X = 0, what does your first layer give? What should it give?",
    old="bent, slope = g(H @ W.T + b)",
    new="bent, slope = g(H @ W.T)",
)


@misconception(
    "adds_the_bias_after_the_bend",
    "forward",
    hint="Does the bias stand inside g or outside?",
)
def forward(layers, activations, X):
    H, cache = X, []
    for (W, b), g in zip(layers, activations, strict=True):
        bent, slope = g(H @ W.T)
        cache.append((H, slope))
        H = bent + b
    return H, cache


@misconception(
    "the_last_layer_is_always_linear",
    "forward",
    hint="How many activations are you given, and how many do you use?",
)
def forward(layers, activations, X):
    H, cache = X, []
    for l, ((W, b), g) in enumerate(zip(layers, activations, strict=True), 1):
        Z = H @ W.T + b
        bent, slope = g(Z) if l < len(layers) else (Z, np.ones_like(Z))
        cache.append((H, slope))
        H = bent
    return H, cache


@misconception(
    "returns_the_last_layer_unbent",
    "forward",
    hint="The last activation gave you a slope, and a value with it. What became of the value?",
)
def forward(layers, activations, X):
    H, cache = X, []
    for (W, b), g in zip(layers, activations, strict=True):
        Z = H @ W.T + b
        bent, slope = g(Z)
        cache.append((H, slope))
        H = bent
    return Z, cache


misconception(
    "one_activation_for_all_layers", "forward",
    hint="Give the layers different activations. Does each of them use its own?",
    old="bent, slope = g(H @ W.T + b)",
    new="bent, slope = activations[0](H @ W.T + b)",
)

misconception(
    "asks_every_activation_twice", "forward",
    hint="An activation may be slow, or have chance in it. How often do you ask it, and how often need you?",
    old="bent, slope = g(H @ W.T + b)",
    new="bent, slope = g(H @ W.T + b)[0], g(H @ W.T + b)[1]",
)

misconception(
    "keeps_what_came_out", "forward",
    hint="To move a weight, the way back must know what the weight was multiplied with.",
    old="cache.append((H, slope))\n        H = bent",
    new="cache.append((bent, slope))\n        H = bent",
)

misconception(
    "keeps_what_came_out_for_the_slope", "forward",
    hint="The second entry of a pair should say how steep the bend was, not how high.",
    old="cache.append((H, slope))\n        H = bent",
    new="cache.append((H, bent))\n        H = bent",
)

misconception(
    "takes_the_slope_at_the_output", "forward",
    hint="At which point is g′ evaluated: at what entered the bend, or at what left it?",
    old="cache.append((H, slope))\n        H = bent",
    new="cache.append((H, g(bent)[1]))\n        H = bent",
)

misconception(
    "keeps_what_entered_the_bend", "forward",
    hint="The second entry of a pair should say how steep the bend was. Which of the two results of g is that?",
    old="cache.append((H, slope))\n        H = bent",
    new="cache.append((H, H @ W.T + b))\n        H = bent",
)


@misconception(
    "centres_every_batch",
    "forward",
    hint="Feed one example alone, then with others. Should its output change?",
)
def forward(layers, activations, X):
    H, cache = X, []
    for (W, b), g in zip(layers, activations, strict=True):
        Z = H @ W.T
        bent, slope = g(Z - Z.mean(axis=0) + b)
        cache.append((H, slope))
        H = bent
    return H, cache


misconception(
    "transposes_where_the_shapes_demand_it", "forward",
    hint="The convention decides about the transpose, not the shapes. What does a layer do that has as many units as inputs?",
    old="bent, slope = g(H @ W.T + b)",
    new="bent, slope = g(H @ (W if H.shape[1] == W.shape[0] else W.T) + b)",
)


@misconception(
    "one_cache_for_all_calls",
    "forward",
    hint="Call forward twice. How many pairs are in the second cache, and when is a default argument made?",
)
def forward(layers, activations, X, cache=[]):
    H = X
    for (W, b), g in zip(layers, activations, strict=True):
        bent, slope = g(H @ W.T + b)
        cache.append((H, slope))
        H = bent
    return H, cache


misconception(
    "the_output_loses_an_axis", "forward",
    hint="What shape has the output for one example, or for one unit? n×K holds for n = 1 and K = 1 too.",
    old="return H, cache",
    new="return H.squeeze(), cache",
)

# -- backward ----------------------------------------------------------------------------------------------------------


@misconception(
    "forgets_the_slope_of_the_output",
    "backward",
    hint="dO is the gradient in what the last layer gave. What is it in the last Z?",
)
def backward(layers, cache, dO):
    G, gradients, last = dO, [], True
    for (W, _), (H, slope) in zip(reversed(layers), reversed(cache), strict=True):
        delta = G if last else G * slope
        last = False
        gradients.append((delta.T @ H, delta.sum(axis=0)))
        G = delta @ W
    return gradients[::-1], G


@misconception(
    "forgets_the_slopes_of_hidden_layers",
    "backward",
    hint="A ReLU that is shut passes nothing forward. What does it pass back in your code?",
)
def backward(layers, cache, dO):
    G, gradients = dO * cache[-1][1], []
    for (W, _), (H, _) in zip(reversed(layers), reversed(cache), strict=True):
        gradients.append((G.T @ H, G.sum(axis=0)))
        G = G @ W
    return gradients[::-1], G


misconception(
    "passes_on_what_came_before_the_gate", "backward",
    hint="Which gradient goes down through W: the one before the slope was applied, or after?",
    old="G = delta @ W",
    new="G = G @ W",
)

misconception(
    "averages_in_every_layer", "backward",
    hint="The mean was taken once, in the loss, and dO knows of it. How often do you take it?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((delta.T @ H / len(H), delta.sum(axis=0) / len(H)))",
)

misconception(
    "averages_the_bias_gradient", "backward",
    hint="One bias, many examples: what does the chain rule do with many ways?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((delta.T @ H, delta.mean(axis=0)))",
)

misconception(
    "one_bias_gradient_for_each_example", "backward",
    hint="A bias has K numbers. What shape has its gradient in your code?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((delta.T @ H, delta))",
)

misconception(
    "biases_get_no_gradient", "backward",
    hint="In how many of the z does the bias of a unit occur?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((delta.T @ H, np.zeros(delta.shape[1])))",
)

misconception(
    "transposes_the_weight_gradient", "backward",
    hint="W is out by in. What shape has its gradient in your code?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((H.T @ delta, delta.sum(axis=0)))",
)

misconception(
    "weight_gradient_from_the_raw_gradient", "backward",
    hint="W sits before the bend. Has your gradient gone back through the bend when it meets H?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((G.T @ H, G.sum(axis=0)))",
)

misconception(
    "gradients_from_last_to_first", "backward",
    hint="You walked from the last layer to the first. In which order are the pairs wanted?",
    old="return gradients[::-1], G",
    new="return gradients, G",
)

misconception(
    "stops_before_the_first_weights", "backward",
    hint="What you return for X has the shape of Z₁. One step is missing.",
    old="return gradients[::-1], G",
    new="return gradients[::-1], delta",
)

misconception(
    "starts_from_ones", "backward",
    hint="Does your answer depend on dO? It is where the loss speaks.",
    old="G, gradients = dO, []\n    for (W, _)",
    new="G, gradients = np.ones_like(dO), []\n    for (W, _)",
)

misconception(
    "multiplies_the_slopes_into_the_callers_array", "backward",
    hint="After the call, look at the dO that you passed in. Whose array did you multiply?",
    old="delta = G * slope\n",
    new="delta = np.multiply(G, slope, out=G)\n",
)

misconception(
    "averages_the_weight_gradient", "backward",
    hint="The mean was taken once, in the loss. Do W and b agree on that in your code?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append((delta.T @ H / len(H), delta.sum(axis=0)))",
)

misconception(
    "weight_gradient_loses_an_axis", "backward",
    hint="Take a layer with a single unit. Which shape has its W, and which your gradient of it?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append(((delta.T @ H).squeeze(), delta.sum(axis=0)))",
)

misconception(
    "both_gradients_lose_an_axis", "backward",
    hint="Take a layer with a single unit. Which shapes have its W and b, and which your gradients of them?",
    old="gradients.append((delta.T @ H, delta.sum(axis=0)))",
    new="gradients.append(((delta.T @ H).squeeze(), delta.sum(axis=0).squeeze()))",
)

# -- gradcheck ---------------------------------------------------------------------------------------------------------

misconception(
    "differences_to_one_side", "gradcheck",
    hint="By how much does your difference miss for x², and by how much would a central one?",
    old="found[place] = (f(centre + step) - f(centre - step)) / (2 * h)",
    new="found[place] = (f(centre + step) - f(centre)) / h",
)

misconception(
    "divides_by_h_instead_of_two", "gradcheck",
    hint="How far apart are the two places at which you evaluate f?",
    old="found[place] = (f(centre + step) - f(centre - step)) / (2 * h)",
    new="found[place] = (f(centre + step) - f(centre - step)) / h",
)

misconception(
    "takes_a_step_of_its_own", "gradcheck",
    hint="Call it with h = 0.5 and with h = 0.1 on x³. The answers should differ.",
    old="step[place] = h",
    new="step[place] = h = 1e-5",
)

misconception(
    "loses_the_step_in_integers", "gradcheck",
    hint="Add 0.00001 to an entry of an integer array. What is in it then?",
    old="centre = np.array(x, dtype=float)\n    found = np.zeros_like(centre)",
    new="centre = np.array(x)\n    found = np.zeros(centre.shape)",
)


@misconception(
    "writes_the_step_into_integers",
    "gradcheck",
    hint="Put 1.99999 into an array of integers. What do you read there afterwards?",
)
def numerical_gradient(f, x, h=1e-5):
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        above, below = x.copy(), x.copy()
        above[place] = x[place] + h
        below[place] = x[place] - h
        found[place] = (f(above) - f(below)) / (2 * h)
    return found


VIEW = "When is ravel a view of an array, and when a copy? Try your function at the transpose of a matrix."


@misconception(
    "steps_through_a_copy",
    "gradcheck",
    hint=VIEW,
)
def numerical_gradient(f, x, h=1e-5):
    x = np.array(x, dtype=float)
    flat, found = x.ravel(), np.zeros(x.size)
    for i in range(x.size):
        before = flat[i]
        flat[i] = before + h
        above = f(x)
        flat[i] = before - h
        found[i] = (above - f(x)) / (2 * h)
        flat[i] = before
    return found.reshape(x.shape)


misconception(
    "checks_through_a_copy", "gradcheck",
    hint=VIEW,
    old="        nudge = np.zeros_like(base)\n        nudge[place] = h\n",
    new="        nudge = np.zeros_like(base)\n        nudge.ravel()[np.ravel_multi_index(place, base.shape)] = h\n",
)

misconception(
    "the_central_difference_keeps_its_own_step", "gradcheck",
    hint="Follow h through gradient_check. Which of the three differences see the h that was asked for?",
    old="c = (r + s) / 2",
    new="c = numerical_gradient(f, x)",
)

misconception(
    "checks_with_steps_cut_to_integers", "gradcheck",
    hint="gradient_check takes integers too. What becomes of h in an array of them?",
    old="    base = np.array(x, dtype=float)\n",
    new="    base = np.array(x)\n",
)


@misconception(
    "leaves_x_moved",
    "gradcheck",
    hint="After the call, look at the x that you passed in.",
)
def numerical_gradient(f, x, h=1e-5):
    if x.dtype.kind == "i":
        x = x.astype(float)
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        x[place] += h
        above = f(x)
        x[place] -= 2 * h
        found[place] = (above - f(x)) / (2 * h)
    return found


misconception(
    "accuses_kinks", "gradcheck",
    hint="At a kink a claim may be as good as another. Is it fair to call it wrong?",
    old="wrong = ~kink & ~(np.abs(claim - c) <= 1e-6 * np.maximum(1, np.abs(c)))",
    new="wrong = ~(np.abs(claim - c) <= 1e-6 * np.maximum(1, np.abs(c)))",
)

misconception(
    "lets_a_nan_pass", "gradcheck",
    hint="Is nan > 1 true? Is nan <= 1? Which way round must the question be asked?",
    old="~(np.abs(claim - c) <= 1e-6 * np.maximum(1, np.abs(c)))",
    new="(np.abs(claim - c) > 1e-6 * np.maximum(1, np.abs(c)))",
)

misconception(
    "sees_no_kinks", "gradcheck",
    hint="Compare the slope on the right with the slope on the left. Where do they part?",
    old="kink = np.abs(r - s) > 0.01 * np.maximum(1, np.maximum(np.abs(r), np.abs(s)))",
    new="kink = np.zeros(r.shape, dtype=bool)",
)

misconception(
    "measures_all_against_the_largest", "gradcheck",
    hint="One slope is 40, another 0.3. How far may a claim be from each of them?",
    old="1e-6 * np.maximum(1, np.abs(c))",
    new="1e-6 * max(1, np.abs(c).max())",
)

misconception(
    "measures_kinks_with_one_ruler", "gradcheck",
    hint="A function with slope 40 may bend more than one with slope 0.3 before you call it a kink. How much more?",
    old="0.01 * np.maximum(1, np.maximum(np.abs(r), np.abs(s)))",
    new="0.01",
)

misconception(
    "checks_with_a_step_of_its_own", "gradcheck",
    hint="Call gradient_check with another h on x². Do r and s change as they should?",
    old="    base = np.array(x, dtype=float)\n",
    new="    base, h = np.array(x, dtype=float), 1e-5\n",
)

misconception(
    "one_kink_excuses_everything", "gradcheck",
    hint="A kink in one coordinate says nothing about the others.",
    old="wrong = ~kink & ~(np.abs(claim - c)",
    new="wrong = ~np.any(kink) & ~(np.abs(claim - c)",
)

misconception(
    "one_verdict_for_the_whole_array", "gradcheck",
    hint="One number is wrong and the others are right. Whom does your checker accuse?",
    old="    return wrong, kink",
    new="    return np.full(wrong.shape, wrong.any()), kink",
)

misconception(
    "one_percent_is_near_enough", "gradcheck",
    hint="A factor of 1.001 in a gradient is a bug. Does your checker notice?",
    old="(np.abs(claim - c) <= 1e-6 * np.maximum(1, np.abs(c)))",
    new="(np.abs(claim - c) <= 1e-2 * np.maximum(1, np.abs(c)))",
)

misconception(
    "compares_sizes_only", "gradcheck",
    hint="Claim the right gradient with its sign turned. Does your checker object?",
    old="(np.abs(claim - c) <= 1e-6",
    new="(np.abs(np.abs(claim) - np.abs(c)) <= 1e-6",
)

misconception(
    "measures_against_the_largest", "gradcheck",
    hint="Next to large gradients a small one can be quite wrong. Measure each against itself.",
    old="<= 1e-6 * np.maximum(1, np.abs(c)))",
    new="<= 1e-4 * np.linalg.norm(c))",
)

# -- experiment --------------------------------------------------------------------------------------------------------

misconception(
    "softmax_before_the_cross_entropy", "experiment",
    hint="What does your cross_entropy want: logits or probabilities?",
    old="loss, dO = cross_entropy(logits, T)",
    new="loss, dO = cross_entropy(softmax(logits), T)",
)

misconception(
    "divides_the_gradients_by_n_again", "experiment",
    hint="Write every example twice: your loss stays the same. Do your gradients?",
    old="return loss, backward(layers, cache, dO)[0]",
    new="return loss, backward(layers, cache, dO / len(X))[0]",
)

misconception(
    "climbs", "experiment",
    hint="The gradient points to where the loss grows. Which way do you go?",
    old="(W - rate * dW, b - rate * db)",
    new="(W + rate * dW, b + rate * db)",
)

misconception(
    "trains_the_weights_alone", "experiment",
    hint="Which half of the parameters is the same after your training as before?",
    old="(W - rate * dW, b - rate * db)",
    new="(W - rate * dW, b)",
)

misconception(
    "notes_the_loss_after_the_step", "experiment",
    hint="Is your first entry the loss of the network that you were given?",
    old="    return layers, losses\n",
    new="    return layers, losses[1:] + [loss_and_gradients(layers, batches[-1])[0]]\n",
)

misconception(
    "asks_for_the_loss_again_after_the_step", "experiment",
    hint="You ask for the loss once more when the step is done. Of which layers is that the loss: old or new?",
    old="        losses.append(loss)\n        layers = [\n            (W - rate * dW, b - rate * db)\n            for (W, b), (dW, db) in zip(layers, gradients, strict=True)\n        ]\n",
    new="        layers = [\n            (W - rate * dW, b - rate * db)\n            for (W, b), (dW, db) in zip(layers, gradients, strict=True)\n        ]\n        losses.append(loss_and_gradients(layers, batch)[0])\n",
)

misconception(
    "sees_only_the_first_batch", "experiment",
    hint="How many batches are there, and which of them do you look at?",
    old="loss, gradients = loss_and_gradients(layers, batch)",
    new="loss, gradients = loss_and_gradients(layers, batches[0])",
)

misconception(
    "all_gradients_from_the_start", "experiment",
    hint="After the first step you are somewhere else. At which weights is the second gradient taken?",
    old="    losses = []\n    for batch in batches:\n        loss, gradients = loss_and_gradients(layers, batch)",
    new="    losses, origin = [], layers\n    for batch in batches:\n        loss, gradients = loss_and_gradients(origin, batch)",
)

misconception(
    "leaves_out_the_shorter_batches", "experiment",
    hint="Ten examples in batches of 4: how many steps is that, and how many losses do you return?",
    old="    for batch in batches:\n",
    new="    for batch in batches:\n        if len(batch) < len(batches[0]):\n            continue\n",
)

misconception(
    "leaves_out_the_last_batch", "experiment",
    hint="How many batches come in, and how many losses do you return?",
    old="    for batch in batches:\n",
    new="    for batch in batches[:-1]:\n",
)


@misconception(
    "trains_the_callers_arrays",
    "experiment",
    hint="Train twice from the same start. Is it still the same start the second time?",
)
def train(loss_and_gradients, layers, batches, rate):
    losses = []
    for batch in batches:
        loss, gradients = loss_and_gradients(layers, batch)
        losses.append(loss)
        for (W, b), (dW, db) in zip(layers, gradients, strict=True):
            W -= rate * dW
            b -= rate * db
    return layers, losses


misconception(
    "counts_the_mistakes", "experiment",
    hint="What should a perfect network get: 0 or 1?",
    old="return float(np.mean(outputs.argmax(axis=1) == labels))",
    new="return float(np.mean(outputs.argmax(axis=1) != labels))",
)

misconception(
    "counts_instead_of_a_fraction", "experiment",
    hint="A fraction lies between 0 and 1.",
    old="return float(np.mean(outputs.argmax(axis=1) == labels))",
    new="return float(np.sum(outputs.argmax(axis=1) == labels))",
)

misconception(
    "accuracy_in_per_cent", "experiment",
    hint="A fraction lies between 0 and 1. How large is your accuracy when all are right?",
    old="return float(np.mean(outputs.argmax(axis=1) == labels))",
    new="return 100 * float(np.mean(outputs.argmax(axis=1) == labels))",
)

misconception(
    "squares_without_the_root", "experiment",
    hint="Double the loss: the size of a gradient doubles. What does yours do?",
    old="return [float(np.linalg.norm(dW)) for dW, _ in gradients]",
    new="return [float(np.sum(dW**2)) for dW, _ in gradients]",
)

misconception(
    "means_of_squares_for_the_norm", "experiment",
    hint="Under the root, are the squares added up or averaged?",
    old="return [float(np.linalg.norm(dW)) for dW, _ in gradients]",
    new="return [float(np.sqrt(np.mean(dW**2))) for dW, _ in gradients]",
)

misconception(
    "sums_of_sizes_for_the_norm", "experiment",
    hint="‖·‖ is the root of a sum of squares. What do you add up?",
    old="return [float(np.linalg.norm(dW)) for dW, _ in gradients]",
    new="return [float(np.sum(np.abs(dW))) for dW, _ in gradients]",
)

misconception(
    "norms_with_the_biases", "experiment",
    hint="Whose gradient is measured: that of W, or of W and b together?",
    old="return [float(np.linalg.norm(dW)) for dW, _ in gradients]",
    new="return [float(np.sqrt(np.sum(dW**2) + np.sum(db**2))) for dW, db in gradients]",
)

misconception(
    "largest_singular_value_for_the_norm", "experiment",
    hint="Which norm is asked for: the largest stretch of the matrix, or the root of its summed squares?",
    old="return [float(np.linalg.norm(dW)) for dW, _ in gradients]",
    new="return [float(np.linalg.norm(dW, 2)) for dW, _ in gradients]",
)

misconception(
    "norms_from_last_to_first", "experiment",
    hint="Which layer does your first number belong to?",
    old="return [float(np.linalg.norm(dW)) for dW, _ in gradients]",
    new="return [float(np.linalg.norm(dW)) for dW, _ in gradients][::-1]",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

misconception(
    "blames_the_depth_for_exact_zeros", "concepts",
    hint="A fading gradient is small. These are exactly 0, in the last W too. What would make them so?",
    old='stuck_run="zeros"',
    new='stuck_run="fading"',
)

misconception(
    "blames_the_rate_for_exact_zeros", "concepts",
    hint="A rate that is too large makes the loss jump about. Does this one? And why would it make gradients exactly 0?",
    old='stuck_run="zeros"',
    new='stuck_run="rate"',
)

misconception(
    "calls_exact_zeros_converged", "concepts",
    hint="ln 10 = 2.3026 is what guessing among ten classes costs. Has a network learnt what it can that guesses?",
    old='stuck_run="zeros"',
    new='stuck_run="converged"',
)

misconception(
    "trains_longer_against_fading", "concepts",
    hint="If layer 1 gets a twenty-thousandth of what layer 6 gets, how much longer would you have to train?",
    old='fading_run="relu"',
    new='fading_run="epochs"',
)

misconception(
    "clips_against_fading", "concepts",
    hint="Clipping makes large gradients smaller. Are these too large?",
    old='fading_run="relu"',
    new='fading_run="clip"',
)

misconception(
    "larger_batches_against_fading", "concepts",
    hint="A larger batch makes a gradient less noisy. By what is it multiplied on its way through a layer?",
    old='fading_run="relu"',
    new='fading_run="batch"',
)

misconception(
    "adds_the_slopes_of_a_chain", "concepts",
    hint="Does the chain rule add the slopes along one way, or multiply them?",
    old="chain=1024",
    new="chain=20",
)

misconception(
    "counts_one_slope_for_a_chain", "concepts",
    hint="That is the bound for one unit. Five stand in a row.",
    old="chain=1024",
    new="chain=4",
)

misconception(
    "counts_one_unit_too_few_in_a_chain", "concepts",
    hint="How many units does the signal pass, from the first input to the last output?",
    old="chain=1024",
    new="chain=256",
)

misconception(
    "counts_the_kinks_and_no_flat_side", "concepts",
    hint="Two ReLUs have two kinks, so three pieces. But each ReLU is flat on one of its sides. Can the three pieces go up, down and up again?",
    old="fever=3",
    new="fever=2",
)

misconception(
    "one_unit_for_each_temperature", "concepts",
    hint="Draw the output as a line of straight pieces, above and below 0 as it should be. Where does it need a kink?",
    old="fever=3",
    new="fever=4",
)

misconception(
    "dead_units_lose_their_incoming_weights_alone", "concepts",
    hint="The weights into the unit are not all of its parameters. Go through the others: what is each multiplied by?",
    old="dead_unit=6",
    new="dead_unit=3",
)

misconception(
    "dead_units_still_speak", "concepts",
    hint="What does the unit send on? And with what is the gradient of a weight multiplied that leads out of it?",
    old="dead_unit=6",
    new="dead_unit=4",
)

misconception(
    "dead_units_keep_their_bias", "concepts",
    hint="Where does the bias of the unit stand: inside the ReLU or outside?",
    old="dead_unit=6",
    new="dead_unit=5",
)

misconception(
    "counts_the_examples_that_fit", "concepts",
    hint="Work out the average loss of each.",
    old='risk="second"',
    new='risk="first"',
)

misconception(
    "wants_the_losses_of_others", "concepts",
    hint="Which losses are averaged in the empirical risk?",
    old='risk="second"',
    new='risk="unknown"',
)

misconception(
    "takes_a_mean_of_one_for_less", "concepts",
    hint="Work out the two averages. Are they equal?",
    old='risk="second"',
    new='risk="both"',
)

misconception(
    "parts_before_their_edges", "concepts",
    hint="What is a wheel put together from?",
    old='first_layer="BDAC"',
    new='first_layer="ABDC"',
)

misconception(
    "parts_before_their_corners", "concepts",
    hint="Which is smaller and simpler, a wheel or a corner?",
    old='first_layer="BDAC"',
    new='first_layer="BADC"',
)

misconception(
    "corners_before_edges", "concepts",
    hint="How many edges meet in a corner?",
    old='first_layer="BDAC"',
    new='first_layer="DBAC"',
)

misconception(
    "counts_units_for_patterns", "concepts",
    hint="Each unit doubles the number of patterns.",
    old="codes=64",
    new="codes=36",
)

misconception(
    "leaves_one_pattern_out", "concepts",
    hint="All units off is a pattern too.",
    old="codes=64",
    new="codes=63",
)

misconception(
    "counts_two_for_each_unit", "concepts",
    hint="Write down the patterns of three units. How many are there?",
    old="codes=64",
    new="codes=12",
)

misconception(
    "reads_the_sigmoid_as_the_probability", "concepts",
    hint="The softmax comes after the sigmoid. What does it make of logits between 0 and 1?",
    old="last_layer=23.2",
    new="last_layer=100",
)

misconception(
    "takes_ten_ones_for_the_denominator", "concepts",
    hint="Write down the ten terms below the fraction line. The class that you favour is among them.",
    old="last_layer=23.2",
    new="last_layer=27",
)

misconception(
    "squashes_only_two_classes", "concepts",
    hint="The softmax divides by a sum over all classes. How many are there?",
    old="last_layer=23.2",
    new="last_layer=73",
)

misconception(
    "squashed_logits_are_all_alike", "concepts",
    hint="Equal logits give 10 per cent. How far apart can two logits be after a sigmoid?",
    old="last_layer=23.2",
    new="last_layer=10",
)

misconception(
    "gives_a_share_for_per_cent", "concepts",
    hint="The last layer: is your number a share, or per cent?",
    old="last_layer=23.2",
    new="last_layer=0.23",
)

misconception(
    "random_labels_make_pictures_unlike", "concepts",
    hint="The pictures are the same in both runs. Does their likeness change when their labels do?",
    old='riddle="capacity"',
    new='riddle="likeness"',
)

misconception(
    "random_labels_say_nothing_of_fitting", "concepts",
    hint="Could both runs happen if descent prefers simple weights, whenever simple ones fit?",
    old='riddle="capacity"',
    new='riddle="descent"',
)

misconception(
    "random_labels_refute_small_starts", "concepts",
    hint="Both runs begin with small weights. Which explanation says that the second run could not end at 100 %?",
    old='riddle="capacity"',
    new='riddle="start"',
)

misconception(
    "writes_a_number_in_quotes", "concepts",
    hint="A number is asked for, and a number needs no quotes.",
    old="codes=64",
    new='codes="64"',
)

# -- affine (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "inputs_have_biases_too", "affine",
    hint="Which units compute a sum? The inputs are only given.",
    old="sum(widths[1:])",
    new="sum(widths)",
)

misconception(
    "biases_counted_as_weights", "affine",
    hint="From 4 features to 3 logits: 12 weights. Where do your others come from?",
    old="return sum(i * o for i, o in",
    new="return sum((i + 1) * o for i, o in",
)

misconception(
    "reshapes_instead_of_transposing", "affine",
    hint="The shape is right. Is the weight from input 0 to unit 1 still the same?",
    old="return [(V.T, b) for V, b in foreign]",
    new="return [(V.reshape(V.shape[::-1]), b) for V, b in foreign]",
)

misconception(
    "biases_stay_where_they_are", "affine",
    hint="The first bias goes through the layers after it, too.",
    old="W_all, b_all = W @ W_all, W @ b_all + b",
    new="W_all, b_all = W @ W_all, b",
)

misconception(
    "the_first_bias_goes_through_every_layer", "affine",
    hint="Two layers come out right, and three do not. Which bias goes into the third one?",
    old="W_all, b_all = W @ W_all, W @ b_all + b",
    new="W_all, b_all = W @ W_all, W @ layers[0][1] + b",
)

misconception(
    "multiplies_in_reading_order", "affine",
    hint="Which matrix touches x first, and so stands next to it?",
    old="W_all, b_all = W @ W_all, W @ b_all + b",
    new="W_all, b_all = W_all @ W, W @ b_all + b",
)



@misconception(
    "multiplies_on_the_right_from_the_identity",
    "affine",
    hint="Which matrix touches x first, and so stands next to it? Let the shapes tell you.",
)
def collapse(layers):
    width = layers[0][0].shape[1]
    W_all, b_all = np.eye(width), np.zeros(width)
    for W, b in layers:
        W_all, b_all = W_all @ W, W @ b_all + b
    return W_all, b_all


# -- init (extra) ------------------------------------------------------------------------------------------------------

misconception(
    "variance_from_the_outputs", "init",
    hint="How many terms has the sum z of one unit: as many as the layer has inputs, or units?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="rng.normal(scale=np.sqrt(gain / o), size=(o, i))",
)

misconception(
    "variance_taken_for_the_deviation", "init",
    hint="Is it the variance or the standard deviation that your generator wants?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="rng.normal(scale=gain / i, size=(o, i))",
)

misconception(
    "weights_with_a_positive_mean", "init",
    hint="Every unit then sums up its inputs with the same sign. What do ten such layers make of it?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="rng.normal(loc=0.1, scale=np.sqrt(gain / i), size=(o, i))",
)

misconception(
    "uniform_with_the_deviation_for_its_edge", "init",
    hint="A uniform distribution on ±a has the variance a²/3. Which a do you need?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="rng.uniform(-np.sqrt(gain / i), np.sqrt(gain / i), size=(o, i))",
)

misconception(
    "random_biases", "init",
    hint="What tells the units apart already? Then where may the biases begin?",
    old="size=(o, i)), np.zeros(o)))",
    new="size=(o, i)), rng.normal(size=o)))",
)

misconception(
    "draws_from_another_generator", "init",
    hint="Call it twice with generators of the same seed. Do you get the same network?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="np.random.normal(scale=np.sqrt(gain / i), size=(o, i))",
)

misconception(
    "the_same_weights_for_every_unit", "init",
    hint="Look at two rows of your W. How will these two units ever become different?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="np.tile(rng.normal(scale=np.sqrt(gain / i), size=(1, i)), (o, 1))",
)

misconception(
    "all_weights_equal", "init",
    hint="Who breaks the symmetry?",
    old="rng.normal(scale=np.sqrt(gain / i), size=(o, i))",
    new="np.full((o, i), np.sqrt(gain / i))",
)


@misconception(
    "twins_do_not_count_at_all",
    "init",
    hint="Three units, two of them twins: how many different units are there?",
)
def distinct_units(layers, tol=1e-9):
    counts = []
    for (W, b), (onward, _) in zip(layers, layers[1:], strict=False):
        units = np.column_stack([W, b, onward.T])
        apart = np.abs(units[:, None] - units).max(axis=2)
        counts.append(int(np.sum((apart <= tol).sum(axis=1) == 1)))
    return counts


misconception(
    "twins_by_what_comes_in", "init",
    hint="Two units hear the same and are heard differently. Do they get the same gradient?",
    old="units, known = np.column_stack([W, b, onward.T]), []",
    new="units, known = np.column_stack([W, b]), []",
)

misconception(
    "twins_without_their_biases", "init",
    hint="Equal weights, different thresholds: do such units compute the same?",
    old="units, known = np.column_stack([W, b, onward.T]), []",
    new="units, known = np.column_stack([W, onward.T]), []",
)

misconception(
    "twins_to_the_last_bit", "init",
    hint="After some training, rounding has touched the twins. What is tol for?",
    old="if not any(np.abs(unit - other).max() <= tol for other in known):",
    new="if not any(np.abs(unit - other).max() <= 0 for other in known):",
)

misconception(
    "a_twin_of_a_twin_is_a_twin", "init",
    hint="The third unit is a twin of the second, and the second did not count. With whom is the third to be compared?",
    old="                known.append(unit)\n",
    new="                counts_so_far += 1\n            known.append(unit)\n",
)
misconception(
    "a_twin_of_a_twin_is_a_twin", "init",
    hint="The third unit is a twin of the second, and the second did not count. With whom is the third to be compared?",
    old="units, known = np.column_stack([W, b, onward.T]), []",
    new="units, known, counts_so_far = np.column_stack([W, b, onward.T]), [], 0",
)
misconception(
    "a_twin_of_a_twin_is_a_twin", "init",
    hint="The third unit is a twin of the second, and the second did not count. With whom is the third to be compared?",
    old="counts.append(len(known))",
    new="counts.append(counts_so_far)",
)

misconception(
    "a_tolerance_of_its_own", "init",
    hint="Call it with tol = 0.1. Does your answer change?",
    old="if not any(np.abs(unit - other).max() <= tol for other in known):",
    new="if not any(np.abs(unit - other).max() <= 1e-9 for other in known):",
)

# -- autodiff (extra) --------------------------------------------------------------------------------------------------

misconception(
    "the_last_use_wins", "autodiff",
    hint="Two ways lead from x to the result. What does the chain rule do with them?",
    old="parent.grad += node.grad * slope",
    new="parent.grad = node.grad * slope",
)

misconception(
    "old_gradients_are_kept", "autodiff",
    hint="Call backward twice. Has the derivative doubled?",
    old="            node.grad = 0.0\n",
    new="",
)

misconception(
    "product_slopes_not_exchanged", "autodiff",
    hint="Of u·v, what is the derivative in u: u or v?",
    old="[(self, other.data), (other, self.data)]",
    new="[(self, self.data), (other, other.data)]",
)

misconception(
    "power_keeps_its_exponent", "autodiff",
    hint="The derivative of x³ is not 3x³.",
    old="[(self, k * self.data ** (k - 1))]",
    new="[(self, k * self.data**k)]",
)

misconception(
    "slope_of_log_is_log", "autodiff",
    hint="(log f)′ = f′/f. What is that for f = x?",
    old="[(self, 1.0 / self.data)]",
    new="[(self, float(np.log(self.data)))]",
)

misconception(
    "relu_passes_everything_back", "autodiff",
    hint="Try relu at −2: how steep is it there?",
    old="[(self, 1.0 if self.data > 0 else 0.0)]",
    new="[(self, 1.0)]",
)

misconception(
    "relu_rises_at_zero", "autodiff",
    hint="At 0 relu has a corner. Which slope is agreed on there?",
    old="[(self, 1.0 if self.data > 0 else 0.0)]",
    new="[(self, 1.0 if self.data >= 0 else 0.0)]",
)

COUNTING = """if uses[parent] == 0:
                    complete.append(parent)"""

misconception(
    "passes_on_before_all_is_in", "autodiff",
    hint="A node's gradient may go further down only when everything made of it has reported.",
    old=COUNTING,
    new="""if parent not in visited:
                    visited.add(parent)
                    complete.insert(0, parent)""",
)
misconception(
    "passes_on_before_all_is_in", "autodiff",
    hint="A node's gradient may go further down only when everything made of it has reported.",
    old="complete = [self]\n        while complete:",
    new="complete, visited = [self], {self}\n        while complete:",
)

SEARCH = """        uses: dict[Value, int] = {self: 0}
        found = [self]
        for node in found:  # the list grows while we walk it: everything below the result
            node.grad = 0.0
            for parent, _ in node.parents:
                if parent not in uses:
                    found.append(parent)
                uses[parent] = uses.get(parent, 0) + 1
        self.grad = 1.0
        complete = [self]
        while complete:
            node = complete.pop()
            for parent, slope in node.parents:
                parent.grad += node.grad * slope
                uses[parent] -= 1
                if uses[parent] == 0:
                    complete.append(parent)"""

misconception(
    "sorts_by_recursion", "autodiff",
    hint="How deep may functions call themselves in Python, and how long is the chain?",
    old=SEARCH,
    new="""        order, known = [], set()

        def visit(node):
            if node not in known:
                known.add(node)
                for parent, _ in node.parents:
                    visit(parent)
                node.grad = 0.0
                order.append(node)

        visit(self)
        self.grad = 1.0
        for node in reversed(order):
            for parent, slope in node.parents:
                parent.grad += node.grad * slope""",
)

# -- blocks (extra) ----------------------------------------------------------------------------------------------------

misconception(
    "the_way_back_forgets_the_shortcut", "blocks",
    hint="X reaches Y in two ways. How many of them does your way back take?",
    old="return X + change, lambda dY: dY + back_through(dY)",
    new="return X + change, lambda dY: back_through(dY)",
)

misconception(
    "the_way_back_takes_only_the_shortcut", "blocks",
    hint="X reaches Y through F as well.",
    old="return X + change, lambda dY: dY + back_through(dY)",
    new="return X + change, lambda dY: dY",
)

misconception(
    "a_block_without_its_shortcut", "blocks",
    hint="If F gives 0, what should come out?",
    old="return X + change, lambda dY: dY + back_through(dY)",
    new="return change, lambda dY: back_through(dY)",
)

misconception(
    "norm_with_the_unbiased_variance", "blocks",
    hint="By what does the text divide the sum of squares: d or d − 1?",
    old="root = np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)",
    new="root = np.sqrt(X.var(axis=1, keepdims=True, ddof=1) + eps)",
)

misconception(
    "eps_outside_the_root", "blocks",
    hint="Where does ε stand: under the root or beside it?",
    old="root = np.sqrt((centred**2).mean(axis=1, keepdims=True) + eps)",
    new="root = np.sqrt((centred**2).mean(axis=1, keepdims=True)) + eps",
)

misconception(
    "mean_and_variance_stand_still", "blocks",
    hint="When one x moves, the mean of its row moves too, and so does the variance.",
    old="inner = q - q.mean(axis=1, keepdims=True) - spread",
    new="inner = q",
)

misconception(
    "the_variance_stands_still", "blocks",
    hint="Stretch a row: Y stays the same. So which direction can the gradient not have?",
    old="inner = q - q.mean(axis=1, keepdims=True) - spread",
    new="inner = q - q.mean(axis=1, keepdims=True)",
)

misconception(
    "the_mean_stands_still", "blocks",
    hint="Move a whole row by 1: Y stays the same. So which direction can the gradient not have?",
    old="inner = q - q.mean(axis=1, keepdims=True) - spread",
    new="inner = q - spread",
)

misconception(
    "the_way_back_forgets_the_root", "blocks",
    hint="Stretch X by 10 and Y stays the same. What becomes of the gradient in X, and of yours?",
    old="return inner / root, (dY * hat).sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
    new="return inner, (dY * hat).sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
)

misconception(
    "gamma_gets_the_gradient_of_beta", "blocks",
    hint="γ is multiplied with x̂, and β is not. Where is x̂ in the gradient of γ?",
    old="(dY * hat).sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
    new="dY.sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
)

misconception(
    "gamma_sees_the_unnormalised_rows", "blocks",
    hint="γ is multiplied with x̂. With what do you multiply dY for its gradient?",
    old="(dY * hat).sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
    new="(dY * X).sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
)

misconception(
    "gamma_and_beta_take_the_mean", "blocks",
    hint="One γ, many examples: what does the chain rule do with many ways?",
    old="(dY * hat).sum(axis=0), dY.sum(axis=0)\n\n    return gamma",
    new="(dY * hat).mean(axis=0), dY.mean(axis=0)\n\n    return gamma",
)

misconception(
    "gamma_forgotten_on_the_way_back", "blocks",
    hint="Y is γ times x̂. What does that make of dY?",
    old="q = dY * gamma",
    new="q = dY",
)


@misconception(
    "norms_over_the_batch",
    "blocks",
    hint="Feed one row alone. Which numbers should its mean be taken over?",
)
def layer_norm(X, gamma, beta, eps=1e-5):
    centred = X - X.mean(axis=0)
    root = np.sqrt((centred**2).mean(axis=0) + eps)
    hat = centred / root

    def back(dY):
        q = dY * gamma
        inner = q - q.mean(axis=0) - hat * (q * hat).mean(axis=0)
        return inner / root, (dY * hat).sum(axis=0), dY.sum(axis=0)

    return gamma * hat + beta, back


misconception(
    "dropout_without_the_scale", "blocks",
    hint="Does the expected output change between training and testing?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training",
    new="factor = (rng.random(X.shape) >= p) / 1.0 if training",
)

misconception(
    "p_is_what_is_kept", "blocks",
    hint="With p = 0.8, how many of ten numbers survive here?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training",
    new="factor = (rng.random(X.shape) < p) / p if training",
)

misconception(
    "scales_by_what_is_dropped", "blocks",
    hint="One of ten is dropped. By what must the other nine be multiplied to make up for it?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training",
    new="factor = (rng.random(X.shape) >= p) / p if training",
)

misconception(
    "drops_at_test_time_too", "blocks",
    hint="What is `training` for?",
    old="/ (1 - p) if training else np.ones(X.shape)",
    new="/ (1 - p)",
)

misconception(
    "one_mask_for_all_examples", "blocks",
    hint="Is each number dropped independently of the same feature in another example?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training",
    new="factor = (rng.random((1, X.shape[1])) >= p) / (1 - p) if training",
)

misconception(
    "drops_with_a_generator_of_its_own", "blocks",
    hint="Drop twice with generators of one seed. Are the masks the same? Whose chance do you use?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training",
    new="factor = (np.random.random(X.shape) >= p) / (1 - p) if training",
)

misconception(
    "always_the_same_luck", "blocks",
    hint="Every batch needs a new mask. When does yours change?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training",
    new="factor = (np.random.default_rng(0).random(X.shape) >= p) / (1 - p) if training",
)

misconception(
    "the_way_back_ignores_the_mask", "blocks",
    hint="A number that was dropped had no influence. What is the loss's derivative in it?",
    old="return X * factor, lambda dY: dY * factor",
    new="return X * factor, lambda dY: dY",
)

misconception(
    "a_new_mask_on_the_way_back", "blocks",
    hint="Which numbers were dropped: those of now, or those of the forward pass?",
    old="return X * factor, lambda dY: dY * factor",
    new="return X * factor, lambda dY: dropout(dY, p, rng, training)[0]",
)

misconception(
    "the_way_back_scales_at_test_time_too", "blocks",
    hint="Without training Y is X. What is then the derivative of Y in X?",
    old="return X * factor, lambda dY: dY * factor",
    new="return X * factor, lambda dY: dY * (factor if training else factor / (1 - p))",
)

misconception(
    "scales_at_test_time_instead", "blocks",
    hint="At test time the output is to be the input. When must the scale come in, so that nothing is left to do then?",
    old="factor = (rng.random(X.shape) >= p) / (1 - p) if training else np.ones(X.shape)",
    new="factor = (rng.random(X.shape) >= p) * 1.0 if training else np.full(X.shape, 1 - p)",
)
