"""nextword's norms, feed-forward layers, blocks and positions against torch and Transformers, in float32 and in float64."""

from collections.abc import Iterator
from unittest.mock import Mock

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

from nextword.attention import (
    multi_head_attention,
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

from .conftest import Measured
from .drawn import CASES, Draws, Lists, both, gap, load_attention, set_to


@pytest.fixture(autouse=True)
def _no_gradients() -> Iterator[None]:
    with torch.no_grad():
        yield


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
    measured("layer norm", "nn.LayerNorm", CASES, largest, limit, dtype)


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
    measured("RMS norm", "nn.RMSNorm", CASES, largest, limit, dtype)


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
    measured(
        f"RMS norm, {str(dtype).removeprefix('torch.')} given",
        "LlamaRMSNorm",
        CASES,
        largest,
        1e-6,
        "float32",
    )


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
    measured("SwiGLU", "LlamaMLP", CASES, largest, limit, dtype)


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
    measured("ReLU, both GELUs, SiLU", "torch.nn.functional", len(xs), max(differences), limit, dtype)


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
        width, inner = heads * (3 + draws.size(3)), draws.size(12)
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
    measured(f"{order}-norm block", "nn.TransformerEncoderLayer", CASES, largest, limit, dtype)


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
    measured("sinusoidal positions", "DistilBERT", compared, largest, 1e-6, "float32")


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
    measured("sinusoidal positions, reordered", "CTRL", compared, largest, 1e-12, "float64")


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
    source = "Llama" if pairing == "halved" else "GPT-J"
    measured(f"rotary positions, {pairing}", source, 2 * CASES, largest, limit, dtype)


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
    measured(f"rotary angles to position {n - 1}", "Llama, GPT-J", 2 * n, largest, n * 2**-23, "float32")
