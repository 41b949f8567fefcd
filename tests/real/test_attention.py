"""nextword's attention, blocks, norms and positions against torch and Transformers, in float32 and in float64.

The plain functions compute in float64. For float32 they get the same numbers, each of which float32 can hold, and the
library computes in float32: the difference is the rounding of the library.
"""

import math
import random
from collections.abc import Callable, Iterator
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional
from transformers import LlamaConfig
from transformers.models.ctrl.modeling_ctrl import positional_encoding
from transformers.models.distilbert.modeling_distilbert import create_sinusoidal_embeddings
from transformers.models.gptj import modeling_gptj
from transformers.models.llama.modeling_llama import (
    LlamaMLP,
    LlamaRMSNorm,
    LlamaRotaryEmbedding,
    apply_rotary_pos_emb,
)

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
from nextword.positions import rotate, rotate_rows, sinusoidal_positions
from nextword.transformer import (
    feed_forward,
    gelu,
    layer_norm,
    post_norm_block,
    pre_norm_block,
    relu,
    rms_norm,
    silu,
    swiglu,
)

torch.set_num_threads(1)

CASES = 200

Measured = Callable[[str, int, float], None]
Lists = list[list[float]]

FLOATS = [pytest.param(torch.float32, 1e-6, id="float32"), pytest.param(torch.float64, 1e-12, id="float64")]
both = pytest.mark.parametrize(("dtype", "limit"), FLOATS)


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


class Draws:
    """Random sizes, matrices and masks of one seed; every number fits into float32."""

    def __init__(self, seed: str) -> None:
        self.rng = random.Random(seed)

    def size(self, largest: int) -> int:
        return self.rng.randint(1, largest)

    def vector(self, width: int, spread: float = 1.0) -> list[float]:
        return [float(np.float32(self.rng.gauss(0, spread))) for _ in range(width)]

    def matrix(self, rows: int, columns: int, spread: float = 1.0) -> Lists:
        return [self.vector(columns, spread) for _ in range(rows)]

    def weights(self, rows: int, columns: int) -> Lists:
        """Weights that keep the size of what they are multiplied by."""
        return self.matrix(rows, columns, 1 / math.sqrt(rows))

    def mask(self, n: int, m: int) -> list[list[bool]]:
        """At random, but no query is left with nothing to look at."""
        rows = [[self.rng.random() < 0.6 for _ in range(m)] for _ in range(n)]
        for row in rows:
            row[self.rng.randrange(m)] = True
        return rows


def gap(ours: Any, theirs: Tensor) -> float:
    """The largest difference between two results of one shape; where a number is above 1, in proportion to it."""
    plain = torch.as_tensor(np.asarray(ours), dtype=torch.float64)
    assert plain.shape == theirs.shape
    difference = (plain - theirs.double()).abs() / plain.abs().clamp(min=1)
    return float(difference.max())


def set_to(parameter: Tensor, values: Any) -> None:
    parameter.copy_(torch.tensor(values, dtype=parameter.dtype))


def their_attention(
    width: int, heads: int, dtype: torch.dtype, projections: list[Lists]
) -> nn.MultiheadAttention:
    """nn.MultiheadAttention with our weights: it multiplies by the transpose, and stacks three of them."""
    layer = nn.MultiheadAttention(width, heads, bias=False, batch_first=True, dtype=dtype).eval()
    load_attention(layer, projections, dtype)
    return layer


def load_attention(layer: nn.MultiheadAttention, projections: list[Lists], dtype: torch.dtype) -> None:
    w_q, w_k, w_v, w_o = (torch.tensor(w, dtype=dtype).T for w in projections)
    layer.in_proj_weight.copy_(torch.cat([w_q, w_k, w_v]))
    layer.out_proj.weight.copy_(w_o)


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
    measured(f"attention = scaled_dot_product_attention, {masked}, {dtype}", CASES, largest)


@both
def test_multi_head_attention_is_nn_multihead_attention_with_the_opposite_mask(
    dtype: torch.dtype, limit: float, measured: Measured
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
    measured(f"multi_head_attention = nn.MultiheadAttention, mask inverted, {dtype}", CASES, largest)


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
    measured(f"causal and padding mask = attn_mask and key_padding_mask inverted, {dtype}", CASES, largest)


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
    dtype: torch.dtype, limit: float, measured: Measured
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
    measured(f"rows beside a fully masked one, {dtype}", CASES, largest)


@both
def test_is_causal_with_one_query_sees_the_first_key_alone_and_attend_next_sees_all(
    dtype: torch.dtype, limit: float, measured: Measured
) -> None:
    draws = Draws("next token")
    largest = 0.0
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
    assert largest < limit
    measured(f"attend_next = rows of causal scaled_dot_product_attention, {dtype}", CASES, largest)


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
    measured(f"grouped_query_attention = enable_gqa, {dtype}", CASES, largest)


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
    measured(f"arrays.causal_multi_head_attention = nn.MultiheadAttention, {dtype}", CASES, largest)


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
    measured(f"arrays.causal_softmax = torch softmax, {dtype}", CASES, largest)


# Norms, feed-forward layers and blocks.


@both
def test_layer_norm_is_nn_layer_norm(dtype: torch.dtype, limit: float, measured: Measured) -> None:
    draws = Draws("layer norm")
    largest = 0.0
    for _ in range(CASES):
        width = 1 + draws.size(31)
        x, gamma, beta = draws.vector(width), draws.vector(width, 0.5), draws.vector(width, 0.5)
        layer = nn.LayerNorm(width, dtype=dtype)
        token = torch.tensor(x, dtype=dtype)
        largest = max(largest, gap(layer_norm(x), layer(token)))
        set_to(layer.weight, gamma)
        set_to(layer.bias, beta)
        largest = max(largest, gap(layer_norm(x, gamma, beta), layer(token)))
    assert largest < limit
    measured(f"layer_norm = nn.LayerNorm, {dtype}", CASES, largest)


@both
def test_rms_norm_is_nn_rms_norm(dtype: torch.dtype, limit: float, measured: Measured) -> None:
    draws = Draws("rms norm")
    largest = 0.0
    for _ in range(CASES):
        width = draws.size(32)
        x, gamma = draws.vector(width), draws.vector(width, 0.5)
        layer = nn.RMSNorm(width, eps=1e-5, dtype=dtype)
        set_to(layer.weight, gamma)
        largest = max(largest, gap(rms_norm(x, gamma), layer(torch.tensor(x, dtype=dtype))))
    assert largest < limit
    measured(f"rms_norm = nn.RMSNorm, {dtype}", CASES, largest)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64], ids=["float32", "float64"])
def test_rms_norm_is_llama_rms_norm_which_computes_in_float32_whatever_it_gets(
    dtype: torch.dtype, measured: Measured
) -> None:
    draws = Draws("Llama's norm")
    largest = 0.0
    for _ in range(CASES):
        width = draws.size(32)
        x, gamma = draws.vector(width), draws.vector(width, 0.5)
        layer = LlamaRMSNorm(width, eps=1e-5).to(dtype)
        set_to(layer.weight, gamma)
        theirs = layer(torch.tensor(x, dtype=dtype))
        assert theirs.dtype == dtype
        largest = max(largest, gap(rms_norm(x, gamma), theirs))
    assert 1e-9 < largest < 1e-6  # not 1e-12, even in float64
    measured(f"rms_norm = LlamaRMSNorm, {dtype}, inside float32", CASES, largest)


@both
def test_swiglu_is_llama_mlp(dtype: torch.dtype, limit: float, measured: Measured) -> None:
    draws = Draws("swiglu")
    largest = 0.0
    for _ in range(CASES):
        width, inner = draws.size(8), draws.size(16)
        w_gate, w_up = draws.weights(width, inner), draws.weights(width, inner)
        w_down, x = draws.weights(inner, width), draws.vector(width)
        config = LlamaConfig(hidden_size=width, intermediate_size=inner, num_attention_heads=1, head_dim=2)
        layer = LlamaMLP(config).to(dtype)
        for linear, weights in ((layer.gate_proj, w_gate), (layer.up_proj, w_up), (layer.down_proj, w_down)):
            linear.weight.copy_(torch.tensor(weights, dtype=dtype).T)
        largest = max(largest, gap(swiglu(x, w_gate, w_up, w_down), layer(torch.tensor(x, dtype=dtype))))
    assert largest < limit
    measured(f"swiglu = LlamaMLP, {dtype}", CASES, largest)


@both
def test_activations_are_those_of_torch(dtype: torch.dtype, limit: float, measured: Measured) -> None:
    xs = Draws("activations").vector(1_000, 3.0)
    points = torch.tensor(xs, dtype=dtype)
    differences = [
        gap([relu(x) for x in xs], functional.relu(points)),
        gap([gelu(x) for x in xs], functional.gelu(points)),
        gap([gelu(x, "tanh") for x in xs], functional.gelu(points, approximate="tanh")),
        gap([silu(x) for x in xs], functional.silu(points)),
    ]
    assert max(differences) < limit
    measured(f"relu, gelu (both forms), silu = torch, {dtype}", len(xs), max(differences))


@both
@pytest.mark.parametrize("order", ["pre", "post"])
def test_a_block_is_nn_transformer_encoder_layer(
    order: str, dtype: torch.dtype, limit: float, measured: Measured, monkeypatch: pytest.MonkeyPatch
) -> None:
    draws = Draws(f"block {order}")
    largest, fused = 0.0, Mock(wraps=torch._transformer_encoder_layer_fwd)
    monkeypatch.setattr(torch, "_transformer_encoder_layer_fwd", fused)
    for case in range(CASES):
        n, heads = draws.size(6), draws.size(3)
        width, inner = heads * (1 + draws.size(3)), draws.size(12)
        x, projections = draws.matrix(n, width), [draws.weights(width, width) for _ in range(4)]
        ff = (
            draws.weights(width, inner),
            draws.vector(inner, 0.3),
            draws.weights(inner, width),
            draws.vector(width, 0.3),
        )
        norms = [(draws.vector(width, 0.5), draws.vector(width, 0.5)) for _ in range(2)]
        activation, bend = (("relu", relu), ("gelu", gelu))[case % 2]
        mask = draws.mask(n, n)
        block = pre_norm_block if order == "pre" else post_norm_block
        ours = block(
            x,
            lambda rows, p=projections, h=heads, m=mask: multi_head_attention(rows, *p, h, m)[0],
            lambda row, f=ff, a=bend: feed_forward(row, *f, a),
            lambda row, g=norms[0]: layer_norm(row, *g),
            lambda row, g=norms[1]: layer_norm(row, *g),
        )
        layer = nn.TransformerEncoderLayer(
            width,
            heads,
            inner,
            dropout=0.0,
            activation=activation,
            batch_first=True,
            norm_first=order == "pre",
            dtype=dtype,
        )
        load_block(layer, projections, ff, norms, dtype)
        tokens, blocked = torch.tensor([x], dtype=dtype), ~torch.tensor(mask)
        largest = max(largest, gap(ours, layer.train()(tokens, src_mask=blocked)[0]))  # its own Python code
        largest = max(
            largest, gap(ours, layer.eval()(tokens, src_mask=blocked)[0])
        )  # the fused path, if heads are even
    assert CASES / 5 < fused.call_count < CASES
    assert largest < limit
    measured(f"{order}_norm_block = nn.TransformerEncoderLayer, {dtype}", CASES, largest)


def load_block(
    layer: nn.TransformerEncoderLayer,
    projections: list[Lists],
    ff: tuple[Lists, list[float], Lists, list[float]],
    norms: list[tuple[list[float], list[float]]],
    dtype: torch.dtype,
) -> None:
    """Our weights, and no biases in attention, which ours does not have."""
    load_attention(layer.self_attn, projections, dtype)
    layer.self_attn.in_proj_bias.zero_()
    layer.self_attn.out_proj.bias.zero_()
    w_1, b_1, w_2, b_2 = (torch.tensor(part, dtype=dtype) for part in ff)
    layer.linear1.weight.copy_(w_1.T)
    layer.linear1.bias.copy_(b_1)
    layer.linear2.weight.copy_(w_2.T)
    layer.linear2.bias.copy_(b_2)
    for norm, (gamma, beta) in zip((layer.norm1, layer.norm2), norms, strict=True):
        set_to(norm.weight, gamma)
        set_to(norm.bias, beta)


# Positions.


def test_sinusoids_are_those_of_distilbert_in_float32(measured: Measured) -> None:
    largest, compared = 0.0, 0
    for width in (2, 4, 6, 16, 64):
        table = nn.Parameter(torch.empty(512, width))
        create_sinusoidal_embeddings(512, width, table)  # float64 inside, kept as float32
        largest = max(largest, gap(sinusoidal_positions(512, width), table))
        compared += 512 * width
    assert largest < 1e-6
    measured("sinusoidal_positions = DistilBERT's, torch.float32", compared, largest)


def test_sinusoids_are_those_of_ctrl_in_float64_where_cosines_stand_behind_all_sines(
    measured: Measured,
) -> None:
    largest, compared = 0.0, 0
    for width in (2, 4, 6, 16, 64):
        halves = positional_encoding(512, width, torch.float64)
        neighbours = halves.view(512, 2, width // 2).transpose(1, 2).reshape(512, width)
        largest = max(largest, gap(sinusoidal_positions(512, width), neighbours))
        if width > 2:
            assert gap(sinusoidal_positions(512, width), halves) > 0.1
        compared += 512 * width
    assert largest < 1e-12
    measured("sinusoidal_positions = CTRL's, reordered, torch.float64", compared, largest)


def rotary_tables(n: int, width: int, base: float, start: int) -> tuple[Tensor, Tensor]:
    """Cosines and sines of shape (n, width / 2), computed by torch in float64."""
    exponents = torch.arange(0, width, 2, dtype=torch.float64) / width
    angles = torch.arange(start, start + n, dtype=torch.float64)[:, None] / base**exponents
    return angles.cos(), angles.sin()


@both
@pytest.mark.parametrize("pairing", ["halved", "interleaved"])
def test_rotary_is_apply_rotary_pos_emb(
    pairing: str, dtype: torch.dtype, limit: float, measured: Measured
) -> None:
    draws = Draws(f"rotary {pairing}")
    largest, told_apart = 0.0, 0
    for _ in range(CASES):
        n, width = draws.size(8), 2 * draws.size(6)
        base, start = draws.rng.choice([10_000.0, 500_000.0, 100.0]), draws.rng.randint(0, 1_000)
        queries, keys = draws.matrix(n, width), draws.matrix(n, width)
        cos, sin = (table.to(dtype) for table in rotary_tables(n, width, base, start))
        q, k = torch.tensor(queries, dtype=dtype), torch.tensor(keys, dtype=dtype)
        if pairing == "halved":  # Llama and most others
            both_halves = torch.cat([cos, cos], -1)[None], torch.cat([sin, sin], -1)[None]
            turned = apply_rotary_pos_emb(q[None, None], k[None, None], *both_halves)
            theirs = [part[0, 0] for part in turned]
        else:  # GPT-J: (batch, n, heads, width), sines before cosines
            theirs = [
                modeling_gptj.apply_rotary_pos_emb(part[None, :, None], sin[None], cos[None])[0, :, 0]
                for part in (q, k)
            ]
        for ours, their in zip((queries, keys), theirs, strict=True):
            largest = max(largest, gap(rotate_rows(ours, pairing, base, start), their))
            other = "interleaved" if pairing == "halved" else "halved"
            told_apart += gap(rotate_rows(ours, other, base, start), their) > 1e-3
    assert told_apart > CASES
    assert largest < limit
    source = "Llama's" if pairing == "halved" else "GPT-J's"
    measured(f"rotate_rows, {pairing} = {source} apply_rotary_pos_emb, {dtype}", 2 * CASES, largest)


def test_the_tables_of_llama_and_gptj_hold_our_angles_as_far_as_float32_goes(measured: Measured) -> None:
    width, n = 16, 64
    config = LlamaConfig(hidden_size=width, num_attention_heads=1, head_dim=width)
    assert config.rope_parameters["rope_theta"] == 10_000
    cos, sin = LlamaRotaryEmbedding(config)(torch.zeros(1, dtype=torch.float32), torch.arange(n)[None])
    table = modeling_gptj.create_sinusoidal_positions(n, width)
    half = width // 2
    largest = 0.0
    for position in range(n):
        pointing = rotate([1.0] * half + [0.0] * half, position, "halved")  # each pair starts at angle 0
        for theirs in (
            torch.cat([cos[0, position, :half], sin[0, position, :half]]),
            table[position].roll(half),  # sines stand first
        ):
            largest = max(largest, gap(pointing, theirs))
    assert largest < n * 2**-23  # the angle is a product in float32: its error grows with the position
    measured(
        f"angles of LlamaRotaryEmbedding and GPT-J up to position {n - 1}, torch.float32", 2 * n, largest
    )


def test_masked_softmax_is_softmax_over_minus_infinity(measured: Measured) -> None:
    draws = Draws("masked softmax")
    largest = 0.0
    for _ in range(CASES):
        n, m = draws.size(8), draws.size(8)
        scores, mask = draws.matrix(n, m, 5.0), draws.mask(n, m)
        hidden = torch.tensor(scores, dtype=torch.float64).masked_fill(~torch.tensor(mask), -math.inf)
        largest = max(largest, gap(masked_softmax(scores, mask), hidden.softmax(-1)))
    assert largest < 1e-12
    measured("masked_softmax = torch softmax over minus infinity, torch.float64", CASES, largest)
