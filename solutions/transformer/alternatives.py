"""Right answers to the transformer, written another way: all of them get full marks."""

from redink.checks import alternative


class nn:  # stands for torch's while this file is read: only the source of what follows counts
    Module = object


# -- attention ---------------------------------------------------------------------------------------------------------


@alternative("projects_by_einsum", "attention")
def project(X, W_q, W_k, W_v):
    return [np.einsum("...nd,kd->...nk", X, W) for W in (W_q, W_k, W_v)]


@alternative("attends_one_query_at_a_time", "attention")
def attention(Q, K, V, mask=None):
    n, m = Q.shape[-2], K.shape[-2]
    allowed = np.broadcast_to(True if mask is None else mask, (*Q.shape[:-1], m))
    Z, P = np.zeros((*Q.shape[:-1], V.shape[-1])), np.zeros((*Q.shape[:-1], m))
    for lead in np.ndindex(*Q.shape[:-2]):
        for i in range(n):
            seen = [j for j in range(m) if allowed[lead][i, j]]
            if not seen:
                continue
            scores = [sum(Q[lead][i] * K[lead][j]) / len(Q[lead][i]) ** 0.5 for j in seen]
            powers = [math.exp(score - max(scores)) for score in scores]
            for j, power in zip(seen, powers):
                P[lead][i, j] = power / sum(powers)
                Z[lead][i] += P[lead][i, j] * V[lead][j]
    return Z, P


@alternative("attends_in_float32", "attention")
def attention(Q, K, V, mask=None):
    Q, K, V = (one.astype(np.float32) for one in (Q, K, V))
    S = np.einsum("...nk,...mk->...nm", Q, K) / np.float32(np.sqrt(Q.shape[-1]))
    if mask is None:
        mask = np.ones(S.shape, dtype=bool)
    S = S - np.max(np.where(mask, S, -1e30), axis=-1, keepdims=True)
    P = np.exp(np.where(mask, S, 0)) * mask
    P = P / np.maximum(P.sum(axis=-1, keepdims=True), 1e-30)
    return (P @ V).astype(np.float32), P.astype(np.float32)


@alternative("adds_minus_infinity_and_mends_nan", "attention")
def attention(Q, K, V, mask=None):
    S = Q @ K.swapaxes(-1, -2) * Q.shape[-1] ** -0.5
    if mask is not None:
        S = S + np.where(mask, 0.0, -np.inf)
    with np.errstate(invalid="ignore"):
        P = np.exp(S - S.max(axis=-1, keepdims=True))
        P = np.nan_to_num(P / P.sum(axis=-1, keepdims=True))
    return P @ V, P


@alternative("compares_positions", "attention")
def causal_mask(n):
    return [[s <= t for s in range(n)] for t in range(n)]


alternative(
    "compares_positions_at_once",
    "attention",
    old="return np.tril(np.ones((n, n), dtype=bool))",
    new="return np.arange(n)[:, None] >= np.arange(n)",
)


@alternative("fills_the_padding_mask_row_by_row", "attention")
def padding_mask(lengths, m):
    mask = np.zeros((len(lengths), 1, m), dtype=bool)
    for b, length in enumerate(lengths):
        mask[b, 0, : int(length)] = True
    return mask


# -- backward ----------------------------------------------------------------------------------------------------------


@alternative("writes_out_the_jacobian", "backward")
def softmax_backward(dP, P):
    dS = np.zeros_like(P)
    for place in np.ndindex(*P.shape[:-1]):
        p = P[place]
        dS[place] = (np.diag(p) - np.outer(p, p)) @ dP[place]
    return dS


@alternative("goes_back_by_einsum", "backward")
def attention_backward(dZ, Q, K, V, P):
    dP = np.einsum("...nv,...mv->...nm", dZ, V)
    dS = P * dP - P * np.einsum("...nm,...nm->...n", P, dP)[..., None]
    scale = 1 / math.sqrt(K.shape[-1])
    dQ = scale * np.einsum("...nm,...mk->...nk", dS, K)
    dK = scale * np.einsum("...nm,...nk->...mk", dS, Q)
    return [dQ, dK, np.einsum("...nm,...nv->...mv", P, dZ)]


@alternative("goes_back_in_float32", "backward")
def attention_backward(dZ, Q, K, V, P):
    dZ, Q, K, V, P = (one.astype(np.float32) for one in (dZ, Q, K, V, P))
    dP = dZ @ np.swapaxes(V, -1, -2)
    mean = (dZ * (P @ V)).sum(axis=-1, keepdims=True)  # Σ p dp = dz · z
    dS = P * (dP - mean) / np.float32(np.sqrt(Q.shape[-1]))
    return dS @ K, np.swapaxes(dS, -1, -2) @ Q, np.swapaxes(P, -1, -2) @ dZ


@alternative("sums_over_sentences_and_words", "backward")
def projection_backward(dQ, dK, dV, X, W_q, W_k, W_v):
    dX, slopes = np.zeros(X.shape), [np.zeros(W.shape) for W in (W_q, W_k, W_v)]
    for b in range(X.shape[0]):
        for t in range(X.shape[1]):
            for slope, W, down in zip(slopes, (W_q, W_k, W_v), (dQ, dK, dV)):
                slope += np.outer(down[b, t], X[b, t])
                dX[b, t] += down[b, t] @ W
    return (dX, *slopes)


# -- heads -------------------------------------------------------------------------------------------------------------


@alternative("splits_by_chunks", "heads")
def split_heads(X, heads):
    return torch.stack(X.chunk(heads, dim=-1), dim=1)


@alternative("splits_by_view_and_permute", "heads")
def split_heads(X, heads):
    B, n, d = X.shape
    return X.view(B, n, heads, d // heads).permute(0, 2, 1, 3).contiguous()


@alternative("merges_by_joining", "heads")
def merge_heads(X):
    return torch.cat([X[:, j] for j in range(X.shape[1])], dim=-1)


@alternative("attends_head_by_head", "heads")
class MultiHeadAttention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.out = nn.Linear(width, width, bias=False)

    def forward(self, x, memory, mask=None):
        each = x.shape[-1] // self.heads
        q, k, v = self.query(x), self.key(memory), self.value(memory)
        found = []
        for j in range(self.heads):
            own = slice(j * each, (j + 1) * each)
            scores = torch.einsum("bne,bme->bnm", q[..., own], k[..., own]) / each**0.5
            if mask is None:
                weights = torch.softmax(scores, dim=-1)
            else:
                weights = torch.softmax(torch.where(mask, scores, -1e30), dim=-1) * mask
            found.append(weights @ v[..., own])
        return self.out(torch.cat(found, dim=-1))


alternative(
    "normalises_its_own_exponentials",
    "heads",
    old="weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="powers = torch.exp(scores - scores.amax(dim=-1, keepdim=True)) * shared\n        weights = powers / powers.sum(dim=-1, keepdim=True).clamp_min(1e-30)",
)

alternative(
    "fills_in_infinity_and_mends_nan",
    "heads",
    old="scores = scores.masked_fill(~shared, -torch.inf).masked_fill(blind, 0.0)\n        weights = scores.softmax(dim=-1).masked_fill(blind, 0.0)",
    new="weights = torch.where(shared, scores, -torch.inf).softmax(dim=-1).nan_to_num()",
)

# -- positions ---------------------------------------------------------------------------------------------------------


@alternative("fills_the_clock_number_by_number", "positions")
def sinusoids(n, d):
    table = [[0.0] * d for _ in range(n)]
    for p in range(n):
        for i in range(d // 2):
            angle = p / 10000 ** (2 * i / d)
            table[p][2 * i], table[p][2 * i + 1] = math.sin(angle), math.cos(angle)
    return table


@alternative("turns_complex_numbers", "positions")
def sinusoids(n, d):
    hands = np.exp(1j * np.arange(n)[:, None] / 10000 ** (np.arange(0, d, 2) / d))
    table = np.empty((n, d), dtype=np.float32)
    table[:, 0::2], table[:, 1::2] = hands.imag, hands.real
    return table


@alternative("solves_for_the_rotation", "positions")
def rotation(k, d):
    R = np.eye(d)
    for i in range(d // 2):
        w = np.exp(-np.log(10000) * 2 * i / d)
        c, s = np.cos(k * w), np.sin(k * w)
        R[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return R


@alternative("measures_after_moving_back", "positions")
def equivariance_gap(f, X, order):
    back = np.argsort(order)
    return np.max(np.abs(f(X[order])[back] - f(X)))


# -- layers ------------------------------------------------------------------------------------------------------------


@alternative("wraps_the_sublayers", "layers")
class EncoderLayer(nn.Module):
    def __init__(self, width, hidden, attention, pre_norm=True):
        super().__init__()
        self.attention, self.pre_norm = attention, pre_norm
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.rise, self.fall = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x, mask=None):
        def around(x, norm, sublayer):
            return x + sublayer(norm(x)) if self.pre_norm else norm(x + sublayer(x))

        x = around(x, self.norm1, lambda y: self.attention(y, y, mask=mask))
        return around(x, self.norm2, lambda y: self.fall(torch.relu(self.rise(y))))


@alternative("decodes_in_steps", "layers")
class DecoderLayer(nn.Module):
    def __init__(self, width, hidden, self_attention, cross_attention, pre_norm=True):
        super().__init__()
        self.self_attention, self.cross_attention = self_attention, cross_attention
        self.pre_norm = pre_norm
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.norm3 = nn.LayerNorm(width)
        self.rise, self.fall = nn.Linear(width, hidden), nn.Linear(hidden, width)

    def forward(self, x, memory, memory_mask=None):
        place = torch.arange(x.shape[1], device=x.device)
        past = place[None, :] <= place[:, None]
        before = (lambda norm, y: norm(y)) if self.pre_norm else (lambda norm, y: y)
        after = (lambda norm, y: y) if self.pre_norm else (lambda norm, y: norm(y))
        q = before(self.norm1, x)
        y = after(self.norm1, x + self.self_attention(q, q, past.expand(len(x), -1, -1)))
        q = before(self.norm2, y)
        u = after(self.norm2, y + self.cross_attention(q, memory, memory_mask))
        wide = nn.functional.relu(self.rise(before(self.norm3, u)))
        return after(self.norm3, u + self.fall(wide))


# -- gpt ---------------------------------------------------------------------------------------------------------------


alternative(
    "looks_positions_up_as_a_slice",
    "gpt",
    old="x = self.token(tokens) + self.position(torch.arange(n, device=tokens.device))",
    new="x = self.token.weight[tokens] + self.position.weight[:n].unsqueeze(0)",
)

alternative(
    "masks_by_comparing_positions",
    "gpt",
    old="mask = torch.ones(n, n, dtype=torch.bool, device=tokens.device).tril()",
    new="place = torch.arange(n, device=tokens.device)\n        mask = place[:, None] >= place",
)


@alternative("uses_the_library_loss", "gpt")
def next_token_loss(logits, tokens):
    flat = logits[:, :-1].reshape(-1, logits.shape[-1])
    return nn.functional.cross_entropy(flat, tokens[:, 1:].reshape(-1))


@alternative("trains_epoch_by_epoch", "gpt")
def train(model, tokens, steps, batch, rate, rng):
    optimiser, losses, left = (
        torch.optim.AdamW(model.parameters(), rate, weight_decay=0),
        [],
        [],
    )
    model.train()
    while len(losses) < steps:
        if len(left) < batch:
            left = list(rng.permutation(len(tokens)))
        chosen, left = left[:batch], left[batch:]
        optimiser.zero_grad(set_to_none=False)
        rows = tokens[chosen]
        loss = next_token_loss(model(rows), rows)
        loss.backward()
        optimiser.step()
        losses.append(loss.detach())
    return torch.stack(losses)


@alternative("writes_into_a_sheet_of_the_right_size", "gpt")
def generate(next_token, tokens, count, length, pick):
    B, n = tokens.shape
    sheet = torch.zeros(B, n + count, dtype=tokens.dtype, device=tokens.device)
    sheet[:, :n] = tokens
    for end in range(n, n + count):
        shown = sheet[:, max(0, end - length) : end].clone()
        sheet[:, end] = pick(next_token(shown).detach())
    return sheet


# -- concepts ----------------------------------------------------------------------------------------------------------

alternative("answers_in_capitals", "concepts", old='leak="s <= 2t"', new='leak=" S <= 2T"')
alternative("answers_with_a_root", "concepts", old="divisor=16", new="divisor=np.sqrt(256)")

# -- extra -------------------------------------------------------------------------------------------------------------


@alternative("captions_region_by_region", "image")
def image_attention(Z, F, A, b):
    query = np.ones(len(Z)) @ Z / len(Z)
    fits = [float(region @ query) / math.sqrt(Z.shape[1]) for region in F]
    powers = [math.exp(fit - max(fits)) for fit in fits]
    p = [power / sum(powers) for power in powers]
    context = sum(weight * region for weight, region in zip(p, F))
    d = len(query)
    return p, (A[:, :d] @ query + A[:, d:] @ context + b).tolist()


@alternative("counts_by_formulas", "costs")
def generation_scores(n, cached):
    return n * (n + 1) // 2 if cached else n * (n + 1) * (2 * n + 1) // 6


@alternative("walks_the_signal", "costs")
def longest_path(kind, n, w):
    if kind == "attention":
        return 1
    at, steps = 0, 0
    while at < n - 1:
        window = 2 if kind == "recurrent" else w
        at += (window - 1) * (w**steps if kind == "dilated" else 1)
        steps += 1
    return steps
