"""Right answers to BERT, written another way: all of them get full marks."""

import torch

from redink.checks import alternative

# -- tokenizer ---------------------------------------------------------------------------------------------------------


@alternative("tries_every_known_piece", "tokenizer")
def word_pieces(word, vocab):
    pieces, rest, mark = [], word, ""
    while rest:
        fits = [k for k in range(1, len(rest) + 1) if mark + rest[:k] in vocab]
        if not fits:
            return ["[UNK]"]
        pieces.append(mark + rest[: max(fits)])
        rest, mark = rest[max(fits) :], "##"
    return pieces


@alternative("encodes_into_an_array", "tokenizer")
def encode(text, vocab):
    ids = []
    for word in text.split():
        ids.extend(vocab[piece] for piece in word_pieces(word.lower(), vocab))
    return np.array(ids)


@alternative("decodes_piece_by_piece", "tokenizer")
def decode(ids, vocab):
    names = sorted(vocab, key=vocab.get)
    text = ""
    for number in ids:
        name = names[int(number)]
        text += name[2:] if name.startswith("##") else " " + name
    return text[1:]


@alternative("packs_into_lists", "tokenizer")
def pack(first, second, length, vocab):
    pair = second is not None
    a, b = first, second if pair else []
    while len(a) + len(b) + 2 + pair > length:
        if len(b) >= len(a):
            b = b[:-1]
        else:
            a = a[:-1]
    row = [(vocab["[CLS]"], 0)] + [(one, 0) for one in a] + [(vocab["[SEP]"], 0)]
    if pair:
        row += [(one, 1) for one in b] + [(vocab["[SEP]"], 1)]
    real = [1] * len(row) + [0] * (length - len(row))
    row += [(vocab["[PAD]"], 0)] * (length - len(row))
    return [one for one, _ in row], [segment for _, segment in row], real


# -- choose ------------------------------------------------------------------------------------------------------------


@alternative("asks_each_token", "choose")
def eligible(ids, special_ids):
    return [[int(one) not in set(special_ids) for one in row] for row in ids]


@alternative("tosses_coins_for_ordinary_tokens_alone", "choose")
def choose(ids, special_ids, rate, rng):
    selected = np.zeros(ids.shape, dtype=int)
    may = np.asarray(eligible(ids, special_ids))
    selected[may] = rng.binomial(1, rate, size=int(may.sum()))
    return selected


@alternative("tosses_one_coin_at_a_time", "choose")
def choose(ids, special_ids, rate, rng):
    special, selected = set(special_ids), []
    for row in ids.tolist():
        selected.append([one not in special and rng.uniform() >= 1 - rate for one in row])
    return selected


@alternative("draws_how_many_and_then_which", "choose")
def choose(ids, special_ids, rate, rng):
    places = np.flatnonzero(eligible(ids, special_ids))
    many = rng.binomial(len(places), rate)
    selected = np.zeros(ids.size, dtype=bool)
    selected[rng.choice(places, size=many, replace=False)] = True
    return selected.reshape(ids.shape)


# -- corrupt -----------------------------------------------------------------------------------------------------------


@alternative("draws_a_kind_of_cover", "corrupt")
def corrupt(ids, chosen, vocab_size, mask_id, special_ids, rng):
    inputs, labels = ids.copy(), np.full_like(ids, -100)
    labels[chosen] = ids[chosen]
    kind = rng.choice(3, size=ids.shape, p=[0.1, 0.8, 0.1])
    inputs[chosen & (kind == 1)] = mask_id
    replace = chosen & (kind == 2)
    ordinary = np.array([k for k in range(vocab_size) if k not in special_ids])
    inputs[replace] = ordinary[rng.integers(len(ordinary), size=int(replace.sum()))]
    return inputs, labels


@alternative("halves_what_is_not_masked", "corrupt")
def corrupt(ids, chosen, vocab_size, mask_id, special_ids, rng):
    inputs, labels = np.array(ids), np.where(chosen, ids, -100)
    masked = chosen & (rng.random(ids.shape) < 0.8)
    replaced = chosen & ~masked & (rng.random(ids.shape) < 0.5)
    inputs[masked] = mask_id
    weights = np.ones(vocab_size)
    weights[special_ids] = 0
    inputs[replaced] = rng.choice(
        vocab_size, size=replaced.sum(), p=weights / weights.sum()
    )
    return inputs, labels


@alternative("hides_one_token_at_a_time", "corrupt")
def corrupt(ids, chosen, vocab_size, mask_id, special_ids, rng):
    inputs, labels = ids.tolist(), [[-100] * ids.shape[1] for _ in ids]
    for b, t in zip(*np.nonzero(chosen)):
        labels[b][t] = inputs[b][t]
        cover = rng.random()
        if cover >= 0.2:
            inputs[b][t] = mask_id
        elif cover >= 0.1:
            while True:
                inputs[b][t] = int(rng.integers(vocab_size))
                if inputs[b][t] not in special_ids:
                    break
    return inputs, labels


# -- loss --------------------------------------------------------------------------------------------------------------


@alternative("place_by_place", "loss")
def mlm_loss(logits, labels):
    places = [(b, t) for b, t in np.ndindex(labels.shape) if labels[b, t] != -100]
    total, gradient = 0.0, np.zeros(logits.shape)
    for b, t in places:
        z = logits[b, t] - max(logits[b, t])
        p = np.exp(z) / sum(np.exp(z))
        total += np.log(sum(np.exp(z))) - z[labels[b, t]]
        gradient[b, t] = p / len(places)
        gradient[b, t, labels[b, t]] -= 1 / len(places)
    return total / max(len(places), 1), gradient


@alternative("with_a_weight_for_each_place", "loss")
def mlm_loss(logits, labels):
    asked = (labels != -100).astype(float)
    logits = np.where(asked[..., None], logits, 0.0)
    weight = asked / max(asked.sum(), 1.0)
    truth = np.eye(logits.shape[-1])[np.maximum(labels, 0)]
    z = logits - logits.max(axis=-1, keepdims=True)
    log_sum = np.logaddexp.reduce(z, axis=-1)
    p = np.exp(z - log_sum[..., None])
    loss = np.einsum("bt,bt->", weight, log_sum - np.einsum("btk,btk->bt", z, truth))
    return np.float64(loss), weight[..., None] * (p - truth)


@alternative("the_loss_in_float32", "loss")
def mlm_loss(logits, labels):
    asked = labels != -100
    many = max(asked.sum(), 1)
    gradient = np.zeros(logits.shape, dtype=np.float32)
    z = (logits - logits.max(axis=-1, keepdims=True)).astype(np.float32)[asked]
    log_p = z - np.log(np.exp(z).sum(axis=-1, keepdims=True))
    rows = np.arange(len(z))
    gradient[asked] = np.exp(log_p) / np.float32(many)
    gradient[np.nonzero(asked) + (labels[asked],)] -= np.float32(1 / many)
    return np.float32(-log_p[rows, labels[asked]].sum() / many), gradient


# -- masks -------------------------------------------------------------------------------------------------------------


@alternative("patterns_from_triangles", "masks")
def attention_mask(length, kind, prefix=0):
    if kind == "bidirectional":
        return np.full((length, length), 1)
    pattern = np.tril(np.ones((length, length), dtype=int))
    if kind == "prefix":
        pattern[:prefix, :prefix] = 1
    return pattern


@alternative("labels_in_lists", "masks")
def next_word_labels(ids, prefix=0):
    found = []
    for row in ids.tolist():
        last = len(row) - 1
        found.append(
            [row[i + 1] if prefix - 1 <= i < last else -100 for i in range(len(row))]
        )
    return found


@alternative("pokes_and_mends", "masks")
def reach(predict, ids, others):
    tokens = list(ids)
    before = predict(np.array(tokens))
    columns = []
    for j in range(len(tokens)):
        tokens[j] = others[j]
        after = predict(np.array(tokens))
        tokens[j] = ids[j]
        columns.append(
            [any(abs(a - b) > 1e-9 for a, b in zip(x, y)) for x, y in zip(after, before)]
        )
    return np.array(columns).T


# -- mlm ---------------------------------------------------------------------------------------------------------------


@alternative("multiplies_in_the_logarithm", "mlm")
def two_sided(P, left, right):
    logs = np.log(P)[left] + np.log(P)[:, right].T
    logs = logs - np.logaddexp.reduce(logs, axis=1)[:, None]
    return np.exp(logs)


@alternative("divides_by_two_steps", "mlm")
def two_sided(P, left, right):
    two_steps = P @ P
    return [
        [P[a, k] * P[k, b] / two_steps[a, b] for k in range(len(P))]
        for a, b in zip(left, right)
    ]


@alternative("trains_on_the_asked_rows_alone", "mlm")
def train_mlm(model, batches, rate):
    steps, losses = torch.optim.Adam(list(model.parameters()), rate), []
    model.train()
    for ids, labels in batches:
        steps.zero_grad(set_to_none=True)
        asked = labels != -100
        log_p = torch.log_softmax(model(ids)[asked], dim=-1)
        picked = log_p.gather(1, labels[asked][:, None]).squeeze(1)
        loss = -picked.sum() / asked.sum()
        loss.backward()
        steps.step()
        losses.append(loss.detach().reshape(1))
    return torch.cat(losses)


@alternative("scores_by_cross_entropy", "mlm")
def hidden_nll(model, ids, places, mask_id):
    model.eval()
    spot = torch.nn.functional.one_hot(places, ids.shape[1]).bool()
    logits = model(torch.where(spot, torch.full_like(ids, mask_id), ids)).detach()
    wanted = torch.where(spot, ids, torch.full_like(ids, -100))
    every = torch.nn.functional.cross_entropy(
        logits.transpose(1, 2), wanted, ignore_index=-100, reduction="none"
    )
    return every.sum(dim=1)


@alternative("scores_one_sentence_at_a_time", "mlm")
def hidden_nll(model, ids, places, mask_id):
    found = []
    with torch.inference_mode():
        for b in range(len(ids)):
            row, place = ids[b].clone(), places[b]
            row[place] = mask_id
            scores = model(row[None])[0, place]
            found.append(torch.logsumexp(scores, dim=0) - scores[ids[b, place]])
    return torch.stack(found)


@alternative("clears_before_and_behind_each_step", "mlm")
def train_mlm(model, batches, rate):
    model.zero_grad()
    adam, losses = torch.optim.Adam(model.parameters(), lr=rate), []
    for inputs, labels in batches:
        scores = model(inputs).movedim(-1, 1)
        loss = torch.nn.CrossEntropyLoss(ignore_index=-100)(scores, labels)
        loss.backward()
        adam.step()
        adam.zero_grad(set_to_none=False)
        losses.append(loss.data)
    return torch.stack(losses)


@alternative("asks_autograd_for_the_gradients", "mlm")
def train_mlm(model, batches, rate):
    parameters, losses = list(model.parameters()), []
    adam = torch.optim.Adam(parameters, rate)
    for inputs, labels in batches:
        scores, answers = model(inputs)[labels != -100], labels[labels != -100]
        rows = torch.arange(len(answers), device=answers.device)
        loss = (scores.logsumexp(dim=1) - scores[rows, answers]).mean()
        slopes = torch.autograd.grad(loss, parameters, allow_unused=True)
        for parameter, slope in zip(parameters, slopes):
            parameter.grad = slope
        adam.step()
        losses.append(loss.detach())
    return torch.stack(losses)


alternative(
    "reads_the_real_places_of_one_row_at_a_time",
    "mlm",
    old="        x = self.token(ids) + self.place(place) + self.segment(segments)\n"
    "        blocked = None if real is None else ~real\n"
    "        for layer in self.layers:\n"
    "            x = layer(x, src_key_padding_mask=blocked)\n"
    "        return self.norm(x)\n",
    new="        real = torch.ones_like(ids, dtype=torch.bool) if real is None else real\n"
    "        found = torch.zeros(*ids.shape, self.norm.bias.shape[0], device=ids.device).to(self.norm.bias)\n"
    "        rows = []\n"
    "        for one, kinds, words, nothing in zip(ids, segments, real, found, strict=True):\n"
    "            x = self.segment(kinds[words]) + self.place(place[words]) + self.token(one[words])\n"
    "            for layer in self.layers:\n"
    "                x = layer(x[None])[0]\n"
    "            rows.append(nothing.index_copy(0, place[words], self.norm(x)))\n"
    "        return torch.stack(rows)\n",
)
alternative(
    "adds_minus_infinity_to_the_scores",
    "mlm",
    old="        for layer in self.layers:\n            x = layer(x, src_key_padding_mask=blocked)\n",
    new="        for layer in self.layers:\n"
    "            heads = layer.self_attn.num_heads\n"
    "            more = None\n"
    "            if blocked is not None:\n"
    "                more = x.new_zeros(ids.shape).masked_fill(blocked, float('-inf'))[:, None, None]\n"
    "                more = more.expand(-1, heads, ids.shape[1], -1).flatten(0, 1)\n"
    "            x = layer(x, src_mask=more)\n",
)
alternative(
    "writes_the_layers_by_hand",
    "mlm",
    old="            x = layer(x, src_key_padding_mask=blocked)\n",
    new="            y = layer.norm1(x)\n"
    "            y, _ = layer.self_attn(y, y, y, key_padding_mask=blocked)\n"
    "            x = x + y\n"
    "            x = x + layer.linear2(torch.relu(layer.linear1(layer.norm2(x))))\n",
)
alternative(
    "looks_vectors_up_in_tables",
    "mlm",
    old="x = self.token(ids) + self.place(place) + self.segment(segments)",
    new="x = self.token.weight[ids] + self.place.weight[place] + self.segment.weight[segments]",
)

# -- concepts ----------------------------------------------------------------------------------------------------------

alternative(
    "answers_in_small_letters",
    "concepts",
    old='rates="BCA"',
    new='rates=" bca "',
)
alternative(
    "answers_by_arithmetic",
    "concepts",
    old="no_mask=0.216",
    new="no_mask=(1 - 0.15 * 0.8) ** 12",
)

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("solves_the_quadratic", "report")
def wilson(k, n, z=1.96):
    if not n:
        return np.array([0.0, 1.0])
    roots = np.sort(np.roots([1 + z * z / n, -(2 * k + z * z) / n, (k / n) ** 2]).real)
    return np.clip(roots, 0, 1)


@alternative("reports_row_by_row", "report")
def report(ids, inputs, labels, mask_id, special_ids):
    counts = dict(selected=0, masked=0, kept=0, changed=0)
    may = 0
    for one, shown, label in zip(ids.ravel(), inputs.ravel(), labels.ravel()):
        may += one not in special_ids
        if label == -100:
            continue
        counts["selected"] += 1
        counts["masked" if shown == mask_id else "kept" if shown == one else "changed"] += 1
    found = {}
    for what, k in counts.items():
        n = may if what == "selected" else counts["selected"]
        found[what] = np.array([k / n if n else 0.0, *wilson(k, n)])
    return found


@alternative("a_head_in_one_expression", "cls")
class ClsHead(torch.nn.Module):
    def __init__(self, width, classes, device=None):
        super().__init__()
        self.dense, self.out = (
            torch.nn.Linear(width, many, device=device) for many in (width, classes)
        )

    def forward(self, states):
        first = states.select(1, 0) @ self.dense.weight.T + self.dense.bias
        return first.tanh() @ self.out.weight.T + self.out.bias


@alternative("bytes_as_an_array", "alphabets")
def byte_ids(text):
    return np.frombuffer(text.encode(), dtype=np.uint8)
