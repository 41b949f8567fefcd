"""nextword's attention against torch, in float32 and in float64.

The plain functions compute in float64. For float32 they get the same numbers, each of which float32 can hold, and the
library computes in float32: the difference is the rounding of the library.
"""

import math
from collections.abc import Iterator

import numpy as np
import pytest
import torch
from torch.nn import functional

from nextword.arrays import causal_multi_head_attention, causal_softmax, merge_from_heads, split_into_heads
from nextword.attention import (
    KVCache,
    attend_next,
    causal_mask,
    combine_masks,
    grouped_query_attention,
    masked_softmax,
    multi_head_attention,
    padding_mask,
    scaled_dot_product_attention,
)

from .conftest import Measured
from .drawn import CASES, Draws, both, gap, their_attention


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


# Attention.


@both
@pytest.mark.parametrize("masked", ["no mask", "a mask", "causal"])
def test_attention_is_scaled_dot_product_attention(
    masked: str, dtype: torch.dtype, limit: float, measured: Measured
) -> None:
    draws = Draws(f"sdpa {masked}")
    largest = 0.0
    for _ in range(CASES):
        n, d, e = draws.size(8), draws.size(8), draws.size(8)
        m = n if masked == "causal" else draws.size(8)
        parts = draws.matrix(n, d), draws.matrix(m, d), draws.matrix(m, e)
        mask = {"no mask": None, "a mask": draws.mask(n, m), "causal": causal_mask(n)}[masked]
        ours, weights = scaled_dot_product_attention(*parts, mask)
        q, k, v = (torch.tensor(part, dtype=dtype) for part in parts)
        flags = torch.tensor(mask) if masked == "a mask" else None
        theirs = functional.scaled_dot_product_attention(
            q[None], k[None], v[None], attn_mask=flags, is_causal=masked == "causal"
        )
        scores = q @ k.T / math.sqrt(d)
        hidden = scores if mask is None else scores.masked_fill(~torch.tensor(mask), -math.inf)
        largest = max(largest, gap(ours, theirs[0]), gap(weights, hidden.softmax(-1)))
    assert largest < limit
    measured(f"attention, {masked}", "scaled_dot_product_attention", CASES, largest, limit, dtype)


@both
def test_multi_head_attention_is_nn_multihead_attention_with_the_opposite_mask(
    dtype: torch.dtype, limit: float, measured: Measured, documented: Measured
) -> None:
    draws = Draws("multi-head")
    largest, opposed = 0.0, 0
    for _ in range(CASES):
        n, heads = draws.size(7), draws.size(4)
        width = heads * draws.size(4)
        x, projections = draws.matrix(n, width), [draws.weights(width, width) for _ in range(4)]
        mask = draws.mask(n, n)
        ours, weights = multi_head_attention(x, *projections, heads, mask)
        layer = their_attention(width, heads, dtype, projections)
        tokens, blocked = torch.tensor([x], dtype=dtype), ~torch.tensor(mask)
        theirs, each = layer(tokens, tokens, tokens, attn_mask=blocked, average_attn_weights=False)
        unweighted, none = layer(tokens, tokens, tokens, attn_mask=blocked, need_weights=False)
        _, mean = layer(
            tokens, tokens, tokens, attn_mask=blocked
        )  # weights by default: the mean over the heads
        assert none is None
        differences = [gap(ours, theirs[0]), gap(ours, unweighted[0]), gap(weights, each[0])]
        largest = max(largest, *differences, gap(np.mean(weights, axis=0), mean[0]))
        if not blocked.any():
            continue
        wrong, _ = layer(tokens, tokens, tokens, attn_mask=torch.tensor(mask))  # True = may look, as here
        assert wrong.isnan().any() or gap(ours, wrong[0]) > limit
        opposed += 1
    assert opposed > CASES / 2
    assert largest < limit
    if dtype is torch.float64:
        documented("mask, True: looked at", "hidden, in MultiheadAttention", CASES, opposed)
    measured("multi-head attention, opposite mask", "nn.MultiheadAttention", CASES, largest, limit, dtype)


@both
def test_a_padding_mask_is_the_opposite_of_key_padding_mask(
    dtype: torch.dtype, limit: float, measured: Measured
) -> None:
    draws = Draws("padding")
    largest = 0.0
    for _ in range(CASES):
        n, heads = draws.size(7), draws.size(3)
        width = heads * draws.size(4)
        x, projections = draws.matrix(n, width), [draws.weights(width, width) for _ in range(4)]
        real = [place < draws.size(n) or place == 0 for place in range(n)]
        mask = combine_masks(causal_mask(n), padding_mask(real))
        ours, _ = multi_head_attention(x, *projections, heads, mask)
        layer = their_attention(width, heads, dtype, projections)
        tokens = torch.tensor([x], dtype=dtype)
        blocked = ~torch.tensor(causal_mask(n))
        theirs, _ = layer(
            tokens,
            tokens,
            tokens,
            attn_mask=blocked,
            key_padding_mask=~torch.tensor([real]),
            need_weights=False,
        )
        largest = max(largest, gap(ours, theirs[0]))
    assert largest < limit
    measured("causal and padding mask, opposite", "nn.MultiheadAttention", CASES, largest, limit, dtype)


def test_true_means_keep_in_sdpa_as_here_and_block_in_nn_multihead_attention() -> None:
    one = torch.eye(2, dtype=torch.float64)
    x = torch.tensor([[[1.0, 0.0], [0.0, 1.0]]], dtype=torch.float64)
    first_only = torch.tensor([[True, False], [True, False]])
    kept = functional.scaled_dot_product_attention(x, x, x, attn_mask=first_only)
    assert kept[0].tolist() == [[1.0, 0.0], [1.0, 0.0]]
    rows = x[0].tolist()
    ours, _ = scaled_dot_product_attention(rows, rows, rows, first_only.tolist())
    assert ours == [[1.0, 0.0], [1.0, 0.0]]
    layer = their_attention(2, 1, torch.float64, [one.tolist()] * 4)
    blocked, _ = layer(x, x, x, attn_mask=first_only)
    assert blocked[0].tolist() == [[0.0, 1.0], [0.0, 1.0]]


@both
def test_a_fully_masked_row_is_zero_in_sdpa_nan_in_softmax_and_refused_here(
    dtype: torch.dtype, limit: float, measured: Measured, documented: Measured
) -> None:
    draws = Draws("fully masked")
    largest = 0.0
    for _ in range(CASES):
        n, d = 1 + draws.size(6), draws.size(6)
        x = draws.matrix(n, d)
        mask, empty = draws.mask(n, n), draws.rng.randrange(n)
        mask[empty] = [False] * n
        with pytest.raises(ValueError, match=f"row {empty} of mask must be True somewhere"):
            scaled_dot_product_attention(x, x, x, mask)
        tokens, flags = torch.tensor([x], dtype=dtype), torch.tensor(mask)
        theirs = functional.scaled_dot_product_attention(tokens, tokens, tokens, attn_mask=flags)[0]
        assert theirs[empty].tolist() == [0.0] * d
        scores = tokens[0] @ tokens[0].T / math.sqrt(d)
        assert scores.masked_fill(~flags, -math.inf).softmax(-1)[empty].isnan().all()
        layer = their_attention(d, 1, dtype, [torch.eye(d).tolist()] * 4)
        asked, _ = layer(tokens, tokens, tokens, attn_mask=~flags)
        assert asked[0, empty].isnan().all()  # with weights: a softmax
        fused, _ = layer(tokens, tokens, tokens, attn_mask=~flags, need_weights=False)
        assert fused[0, empty].tolist() == [0.0] * d  # without: scaled_dot_product_attention
        others = [row for row in range(n) if row != empty]
        ours, _ = scaled_dot_product_attention(
            [x[row] for row in others], x, x, [mask[row] for row in others]
        )
        largest = max(largest, gap(ours, theirs[others]), gap(ours, asked[0, others]))
    assert largest < limit
    if dtype is torch.float64:
        documented("fully masked row: refused", "zeros, or nan from softmax", CASES, CASES)
    measured("rows beside a fully masked one", "scaled_dot_product_attention", CASES, largest, limit, dtype)


@both
def test_is_causal_with_one_query_sees_the_first_key_alone_and_attend_next_sees_all(
    dtype: torch.dtype, limit: float, measured: Measured, documented: Measured
) -> None:
    draws = Draws("next token")
    largest, blind = 0.0, 0
    for _ in range(CASES):
        n, d, e = draws.size(7), draws.size(6), draws.size(6)
        queries, keys, values = draws.matrix(n, d), draws.matrix(n, d), draws.matrix(n, e)
        cache = KVCache()
        ours = [attend_next(cache, *rows)[0] for rows in zip(queries, keys, values, strict=True)]
        q, k, v = (torch.tensor([part], dtype=dtype) for part in (queries, keys, values))
        whole = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        largest = max(largest, gap(ours, whole[0]))
        last = functional.scaled_dot_product_attention(q[:, -1:], k, v)
        largest = max(largest, gap([ours[-1]], last[0]))
        wrong = functional.scaled_dot_product_attention(q[:, -1:], k, v, is_causal=True)
        assert gap([values[0]], wrong[0]) < limit
        blind += gap([ours[-1]], wrong[0]) > limit
    assert largest < limit
    assert blind > CASES / 2
    if dtype is torch.float64:
        documented("last query: looks at all keys", "at the first key, is_causal", CASES, blind)
    measured("next token from a KV cache", "scaled_dot_product_attention", CASES, largest, limit, dtype)


@both
def test_grouped_query_attention_is_enable_gqa(dtype: torch.dtype, limit: float, measured: Measured) -> None:
    draws = Draws("grouped")
    largest = 0.0
    for _ in range(CASES):
        n, key_heads, per = draws.size(6), draws.size(3), draws.size(3)
        heads, d_k, d_v, d = key_heads * per, draws.size(4), draws.size(4), draws.size(6)
        x = draws.matrix(n, d)
        widths = heads * d_k, key_heads * d_k, key_heads * d_v
        projections = [draws.weights(d, width) for width in widths] + [draws.weights(heads * d_v, d)]
        ours, _ = grouped_query_attention(x, *projections, heads, key_heads, causal_mask(n))
        tokens = torch.tensor(x, dtype=dtype)
        w_q, w_k, w_v, w_o = (torch.tensor(w, dtype=dtype) for w in projections)
        q = (tokens @ w_q).view(1, n, heads, d_k).transpose(1, 2)
        k = (tokens @ w_k).view(1, n, key_heads, d_k).transpose(1, 2)
        v = (tokens @ w_v).view(1, n, key_heads, d_v).transpose(1, 2)
        theirs = functional.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        largest = max(largest, gap(ours, theirs.transpose(1, 2).reshape(n, heads * d_v) @ w_o))
    assert largest < limit
    measured("grouped-query attention", "sdpa with enable_gqa", CASES, largest, limit, dtype)


# nextword.arrays.


@both
def test_attention_of_arrays_is_nn_multihead_attention(
    dtype: torch.dtype, limit: float, measured: Measured
) -> None:
    draws = Draws("arrays")
    largest = 0.0
    for _ in range(CASES):
        batch, n, heads = draws.size(3), draws.size(12), draws.size(4)
        width = heads * draws.size(8)
        projections = [draws.weights(width, width) for _ in range(4)]
        tokens = torch.tensor([draws.matrix(n, width) for _ in range(batch)], dtype=dtype)
        x = tokens.numpy()
        ours, weights = causal_multi_head_attention(
            x, *(np.array(w, dtype=x.dtype) for w in projections), heads=heads
        )
        layer = their_attention(width, heads, dtype, projections)
        blocked = ~torch.tensor(causal_mask(n))
        theirs, each = layer(tokens, tokens, tokens, attn_mask=blocked, average_attn_weights=False)
        fused, _ = layer(tokens, tokens, tokens, attn_mask=blocked, is_causal=True, need_weights=False)
        assert ours.dtype == weights.dtype == x.dtype
        largest = max(largest, gap(ours, theirs), gap(weights, each), gap(ours, fused))
    assert largest < limit
    measured("multi-head attention on arrays", "nn.MultiheadAttention", CASES, largest, limit, dtype)


@both
def test_softmax_and_heads_of_arrays_are_those_of_torch(
    dtype: torch.dtype, limit: float, measured: Measured
) -> None:
    draws = Draws("arrays in parts")
    largest = 0.0
    for _ in range(CASES):
        n, heads, width = draws.size(10), draws.size(4), draws.size(4)
        scores = torch.tensor([draws.matrix(n, n, 5.0) for _ in range(2)], dtype=dtype)
        hidden = scores.masked_fill(~torch.tensor(causal_mask(n)), -math.inf)
        largest = max(largest, gap(causal_softmax(scores.numpy()), hidden.softmax(-1)))
        tokens = torch.tensor([draws.matrix(n, heads * width)], dtype=dtype)
        parts = tokens.view(1, n, heads, width).transpose(1, 2)
        assert gap(split_into_heads(tokens.numpy(), heads), parts) == 0
        assert gap(merge_from_heads(parts.numpy()), tokens) == 0
    assert largest < limit
    measured("causal softmax on arrays", "softmax over -inf", CASES, largest, limit, dtype)


def test_masked_softmax_is_softmax_over_minus_infinity(measured: Measured) -> None:
    draws = Draws("masked softmax")
    largest = 0.0
    for _ in range(CASES):
        n, m = draws.size(8), draws.size(8)
        scores, mask = draws.matrix(n, m, 5.0), draws.mask(n, m)
        hidden = torch.tensor(scores, dtype=torch.float64).masked_fill(~torch.tensor(mask), -math.inf)
        largest = max(largest, gap(masked_softmax(scores, mask), hidden.softmax(-1)))
    assert largest < 1e-12
    measured("masked softmax", "softmax over -inf", CASES, largest, 1e-12, "float64")
