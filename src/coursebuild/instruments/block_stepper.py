"""The block stepper: numbers on their way through a transformer block, and the size of the stream in a deep stack."""

import functools
import math
import random
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings import blocks
from coursebuild.instruments.heat import fixed, heat_map
from coursebuild.instruments.parameters import Choice, Parameter, State, Whole
from coursebuild.instruments.pictures import table
from nextword.attention import causal_mask, multi_head_attention
from nextword.matrices import Matrix, Vector, add, draw_matrix, matmul, scale
from nextword.transformer import (
    EPS,
    feed_forward,
    layer_norm,
    linear_layer,
    post_norm_block,
    pre_norm_block,
    relu,
    root_mean_square,
)

TITLE = "Block stepper"
SHOWS = (
    "nextword.transformer.pre_norm_block",
    "nextword.transformer.post_norm_block",
    "nextword.transformer.layer_norm",
    "nextword.transformer.feed_forward",
    "nextword.transformer.root_mean_square",
    "nextword.attention.multi_head_attention",
    "nextword.attention.causal_mask",
)
TOKENS = ("the", "cat", "drank", "milk")
X = ((0.2, -1.4, 0.9, 3.1), (1.0, 0.1, -0.3, 0.0), (-2.0, 0.5, 0.4, 1.2), (0.3, 0.3, -1.1, 0.7))
D, D_FF, LIMIT = 4, 16, 0.5
DEEPEST = 100
TOP = 10_000.0
"""The size from which on a stream is not followed any more, as in the picture of panel 21.7."""

STEPS = {
    "pre": (
        ("norm", "Layer norm", (0,)),
        ("attention", "Causal attention", (1,)),
        ("add", "Add to the stream", (0, 2)),
        ("norm", "Layer norm", (3,)),
        ("feed_forward", "Feed-forward", (4,)),
        ("add", "Add to the stream", (3, 5)),
    ),
    "post": (
        ("attention", "Causal attention", (0,)),
        ("add", "Add to the stream", (0, 1)),
        ("norm", "Layer norm", (2,)),
        ("feed_forward", "Feed-forward", (3,)),
        ("add", "Add to the stream", (3, 4)),
        ("norm", "Layer norm", (5,)),
    ),
}
"""What each step of a block does, its name, and the steps whose results it reads; 0 is the block's input."""

ORDERS = (("pre", "Pre-norm"), ("post", "Post-norm"))
CURVES = {"pre": "pre-norm", "post": "post-norm", "none": "no norm"}
SEEDS = ("42", "43", "44", "45", "46")
"""Those of panel 21.7."""
ALIKE = 5e-5
"""By how much numbers may differ and be written the same."""

PARAMETERS: tuple[Parameter, ...] = (
    Choice(name="order", label="Where the norm is", start="pre", choices=ORDERS),
    Whole(name="step", label="Step", start=1, least=0, most=6),
    Whole(name="token", label="Token", start=0, least=0, most=len(TOKENS) - 1),
    Whole(name="feature", label="Number of its vector", start=0, least=0, most=D - 1),
    Whole(name="block", label="Block of the stack", start=1, least=1, most=DEEPEST),
    Choice(
        name="weights",
        label="Weights of further blocks",
        start="reused",
        choices=(("reused", "the same in each block"), ("fresh", "fresh in each block")),
    ),
    Choice(
        name="seed",
        label="Seed, as in panel 21.7",
        start=SEEDS[0],
        choices=tuple((seed, seed) for seed in SEEDS),
    ),
)


@dataclass(frozen=True)
class Weights:
    """The weights of a block: attention of one head, and a feed-forward layer."""

    w_q: Matrix
    w_k: Matrix
    w_v: Matrix
    w_o: Matrix
    w_1: Matrix
    b_1: Vector
    w_2: Matrix
    b_2: Vector

    def attention(self, rows: Matrix) -> Matrix:
        mask = causal_mask(len(rows))
        return multi_head_attention(rows, self.w_q, self.w_k, self.w_v, self.w_o, 1, mask)[0]

    def feed_forward(self, row: Vector) -> Vector:
        return feed_forward(row, self.w_1, self.b_1, self.w_2, self.b_2)


def data() -> dict[str, Any]:
    """The block's input, and the measures that its weights are drawn by."""
    return {
        "tokens": TOKENS,
        "x": X,
        "width": D,
        "wide": D_FF,
        "limit": LIMIT,
        "eps": EPS,
        "deepest": DEEPEST,
        "top": TOP,
        "alike": ALIKE,
        "orders": dict(ORDERS),
        "steps": STEPS,
    }


def _drawn(rng: random.Random) -> Weights:
    """Weights in the order in which panel 21.3 draws them."""
    shapes = [(D, D)] * 4 + [(D, D_FF), (1, D_FF), (D_FF, D), (1, D)]
    w_q, w_k, w_v, w_o, w_1, b_1, w_2, b_2 = (
        draw_matrix(rows, columns, LIMIT, rng) for rows, columns in shapes
    )
    return Weights(w_q, w_k, w_v, w_o, w_1, b_1[0], w_2, b_2[0])


@functools.cache
def _weights(seed: str, fresh: bool) -> list[Weights]:
    """Those of each block of the stack."""
    rng = random.Random(int(seed))
    first = _drawn(rng)
    return [first, *(_drawn(rng) if fresh else first for _ in range(DEEPEST - 1))]


def _block(order: str, stream: Matrix, weights: Weights) -> Matrix:
    """What a block makes of a stream, in an order or without any norm."""
    if order == "post":
        return post_norm_block(stream, weights.attention, weights.feed_forward)
    norm = layer_norm if order == "pre" else list
    return pre_norm_block(stream, weights.attention, weights.feed_forward, norm, norm)


@functools.cache
def _streams(seed: str, fresh: bool, order: str) -> list[Matrix]:
    """The stream before the first block and behind each, while it is smaller than ``TOP``."""
    streams: list[Matrix] = [[list(vector) for vector in X]]
    for weights in _weights(seed, fresh):
        stream = _block(order, streams[-1], weights)
        if root_mean_square(stream) >= TOP:
            break
        streams.append(stream)
    return streams


@functools.cache
def _sizes(seed: str, fresh: bool, order: str) -> list[float]:
    return [root_mean_square(stream) for stream in _streams(seed, fresh, order)]


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    """The steps of the block, how the chosen number comes about, and the stream's size by depth."""
    fresh, order, at = state["weights"] == "fresh", state["order"], state["block"]
    weights = _weights(state["seed"], fresh)[at - 1]
    steps = _steps(_streams(state["seed"], fresh, order)[at - 1], order, weights)
    return {
        "steps": [{"rows": rows, "rms": root_mean_square(rows)} for rows in steps],
        "alike": all(max(column) - min(column) < ALIKE for column in zip(*steps[-1], strict=True)),
        "detail": _detail(steps, state, weights),
        "depth": {name: _depth(state["seed"], fresh, name, at) for name in CURVES},
    }


def _steps(x: Matrix, order: str, weights: Weights) -> list[Matrix]:
    """The block's input, and what each step gives."""
    found = [x]
    for kind, _, reads in STEPS[order]:
        rows = found[reads[0]]
        if kind == "norm":
            found.append([layer_norm(vector) for vector in rows])
        elif kind == "attention":
            found.append(weights.attention(rows))
        elif kind == "feed_forward":
            found.append([weights.feed_forward(vector) for vector in rows])
        else:
            found.append(add(rows, found[reads[1]]))
    return found


def _detail(steps: list[Matrix], state: State, weights: Weights) -> dict[str, Any]:
    """What the chosen number of the step is computed from."""
    if not state["step"]:
        return {}
    token, feature = state["token"], state["feature"]
    kind, _, reads = STEPS[state["order"]][state["step"] - 1]
    rows = steps[reads[0]]
    vector = rows[token]
    if kind == "norm":
        mean = math.fsum(vector) / D
        variance = math.fsum((number - mean) ** 2 for number in vector) / D
        return {"mean": mean, "variance": variance, "root": math.sqrt(variance + EPS)}
    if kind == "attention":
        (_, [shares]) = multi_head_attention(
            rows, weights.w_q, weights.w_k, weights.w_v, weights.w_o, 1, causal_mask(len(rows))
        )
        values = matmul(matmul(rows, weights.w_v), weights.w_o)
        return {"weights": shares[token], "values": [value[feature] for value in values]}
    if kind == "feed_forward":
        wide = [relu(number) for number in linear_layer(vector, weights.w_1, weights.b_1)]
        return {"wide": wide, "column": [out[feature] for out in weights.w_2], "bias": weights.b_2[feature]}
    return {"terms": [steps[place][token][feature] for place in reads]}


def _depth(seed: str, fresh: bool, order: str, at: int) -> dict[str, Any]:
    """The stream's size before and behind each block, what is read behind the present one, and what that changed."""
    streams, sizes = _streams(seed, fresh, order), _sizes(seed, fresh, order)
    if at >= len(streams):
        return {"sizes": sizes, "read": None, "change": None}
    rows = streams[at]
    change = add(rows, scale(streams[at - 1], -1))
    return {
        "sizes": sizes,
        "read": root_mean_square([layer_norm(vector) for vector in rows] if order == "pre" else rows),
        "change": root_mean_square(change) / sizes[at - 1],
    }


# Without scripts -------------------------------------------------------------------------------------------


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The block as a diagram, what the step reads and gives, and the stream's size behind the block."""
    order, step, steps = state["order"], state["step"], view["steps"]
    places = [*(STEPS[order][step - 1][2] if step else ()), step]
    bound = max(abs(number) for place in places for vector in steps[place]["rows"] for number in vector)
    drawn = [blocks({"blocks": [_diagram(order, steps)]}, "try-block-stepper")]
    for place in places:
        name = STEPS[order][place - 1][1].lower() if place else f"x, the input of block {state['block']}"
        title = f"{name} · rms {steps[place]['rms']:.2f}"
        drawn.append(
            heat_map(
                f"try-block-stepper-{place}",
                f"{'Gives' if place == step else 'Reads'} {title}",
                TOKENS,
                [str(feature) for feature in range(D)],
                steps[place]["rows"],
                bound,
                lambda number: fixed(number, 4 if bound < 10 else 2 if bound < 100 else 1).replace("-", "−"),
                (state["token"], state["feature"]),
            )
        )
    depth = [
        [
            CURVES[name],
            *(
                ("–", "–", "–")
                if one["read"] is None
                else (fixed(one["sizes"][state["block"]], 2), fixed(one["read"], 2), f"{one['change']:.0%}")
            ),
        ]
        for name, one in view["depth"].items()
    ]
    return f'<div class="drawing">{"".join(drawn)}</div>' + table(
        f"Behind block {state['block']}. Changed by: the rms of output minus input, as a share of the input’s rms.",
        ("Order", "Size (rms)", "The next sublayer reads", "Changed by"),
        depth,
    )


def _diagram(order: str, steps: list[dict[str, Any]]) -> dict[str, Any]:
    """The block as the drawing of that name takes it: branches, and what stands on the stream itself."""
    named = [
        [name.lower(), f"rms {step['rms']:.2f}"]
        for (_, name, _), step in zip(STEPS[order], steps[1:], strict=True)
    ]
    if order == "pre":
        sublayers = [{"branch": named[at : at + 2], "after": []} for at in (0, 3)]
    else:
        sublayers = [{"branch": [named[at]], "after": [named[at + 2]]} for at in (0, 3)]
    return {"name": dict(ORDERS)[order], "input": "x", "output": "y", "sublayers": sublayers}
