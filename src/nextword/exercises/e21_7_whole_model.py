"""A whole model in the conventions of GPT-2, whose faults raise nothing: no last norm, another GELU, no positions.

Exact GELU in place of the tanh form: github.com/OpenNMT/CTranslate2/issues/1658. A last norm that was made and never
called: lesson 21.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from nextword.attention import causal_mask, multi_head_attention
from nextword.exercises.asking import Differs, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import (
    Matrix,
    Vector,
    add,
    dot,
    draw_matrix,
    matmul,
    scale,
    shape_of,
    transpose,
)
from nextword.transformer import feed_forward, gelu, layer_norm, pre_norm_block

Model = dict[str, Any]
"""The weights of a model, by the names that the starting point lists."""


def start(ids: Sequence[int], model: Model) -> Matrix:
    """The logits of a model like GPT-2: shape (n, V), for n token ids."""
    # model["tokens"]: shape (V, d), the embedding and the unembedding
    # model["positions"]: shape (L, d), a learned table, L at least n
    # model["heads"]: how many heads attention has
    # model["last_norm"]: gamma and beta, of width d
    # model["blocks"]: a dict for each block, the lowest first, with
    #   "norm_1", "norm_2": gamma and beta, of width d
    #   "attention": w_q, w_k, w_v, w_o, each of shape (d, d)
    #   "feed_forward": w_1, b_1, w_2, b_2; between them GELU, tanh form
    raise NotImplementedError("embed, run the blocks, read out")


def stream_of(
    ids: Sequence[int],
    model: Model,
    bend: Callable[[float], float],
) -> Matrix:
    """The stream behind the last block, shape (n, d)."""
    n, heads, attend = len(ids), model["heads"], multi_head_attention
    mask = causal_mask(n)
    x = add([model["tokens"][i] for i in ids], model["positions"][:n])
    for block in model["blocks"]:
        w_q, w_k, w_v, w_o = block["attention"]
        w_1, b_1, w_2, b_2 = block["feed_forward"]
        read = [layer_norm(row, *block["norm_1"]) for row in x]
        x = add(x, attend(read, w_q, w_k, w_v, w_o, heads, mask)[0])
        read = [layer_norm(row, *block["norm_2"]) for row in x]
        bent = [feed_forward(y, w_1, b_1, w_2, b_2, bend) for y in read]
        x = add(x, bent)
    return x


def tanh_gelu(x: float) -> float:
    """GELU in the form of GPT-2."""
    return gelu(x, form="tanh")


def solution(ids: Sequence[int], model: Model) -> Matrix:
    """Embed, run the blocks, normalize, and read out."""
    stream = stream_of(ids, model, tanh_gelu)
    read = [layer_norm(row, *model["last_norm"]) for row in stream]
    return matmul(read, transpose(model["tokens"]))


def no_last_norm(ids: Sequence[int], model: Model) -> Matrix:
    """Read out the stream as the last block left it."""
    stream = stream_of(ids, model, tanh_gelu)
    return matmul(stream, transpose(model["tokens"]))


def exact_gelu(ids: Sequence[int], model: Model) -> Matrix:
    """Bend by the error function."""
    stream = stream_of(ids, model, gelu)
    read = [layer_norm(row, *model["last_norm"]) for row in stream]
    return matmul(read, transpose(model["tokens"]))


def draw_model(rng: random.Random, size: int, d: int, heads: int, layers: int) -> Model:
    """A model of random weights, with gammas near one."""

    def norm() -> tuple[Vector, Vector]:
        return [1 + n for n in draw_matrix(1, d, 0.3, rng)[0]], draw_matrix(1, d, 0.3, rng)[0]

    def block() -> Model:
        shapes = [(d, 4 * d), (1, 4 * d), (4 * d, d), (1, d)]
        w_1, b_1, w_2, b_2 = (draw_matrix(*shape, 0.8, rng) for shape in shapes)
        return {
            "norm_1": norm(),
            "attention": tuple(draw_matrix(d, d, 0.8, rng) for _ in range(4)),
            "norm_2": norm(),
            "feed_forward": (w_1, b_1[0], w_2, b_2[0]),
        }

    return {
        "tokens": draw_matrix(size, d, 1.0, rng),
        "positions": draw_matrix(12, d, 1.0, rng),
        "heads": heads,
        "last_norm": norm(),
        "blocks": [block() for _ in range(layers)],
    }


def silenced(block: Model) -> Model:
    """The block with attention that adds nothing: its output projection is zero."""
    *projections, w_o = block["attention"]
    return {**block, "attention": (*projections, scale(w_o, 0))}


def reference_block(block: Model, heads: int, x: Matrix) -> Matrix:
    """The library's block with these weights."""
    w_q, w_k, w_v, w_o = block["attention"]
    w_1, b_1, w_2, b_2 = block["feed_forward"]
    return pre_norm_block(
        x,
        lambda rows: multi_head_attention(rows, w_q, w_k, w_v, w_o, heads, causal_mask(len(rows)))[0],
        lambda row: feed_forward(row, w_1, b_1, w_2, b_2, tanh_gelu),
        lambda row: layer_norm(row, *block["norm_1"]),
        lambda row: layer_norm(row, *block["norm_2"]),
    )


def reference(ids: Sequence[int], model: Model) -> Matrix:
    """The logits of each token from the tokens up to it alone, by the library's blocks."""
    logits = []
    for n in range(1, len(ids) + 1):
        x = add([model["tokens"][i] for i in ids[:n]], model["positions"][:n])
        for block in model["blocks"]:
            x = reference_block(block, model["heads"], x)
        last = layer_norm(x[-1], *model["last_norm"])
        logits.append([dot(last, row) for row in model["tokens"]])
    return logits


def off(got: Any, wanted: Matrix) -> bool | None:
    """Whether two matrices of logits are the same; by how much they are not is told."""
    if got is None:
        return None
    if shape_of(got) != shape_of(wanted):
        raise Differs(f"got shape {shape_of(got)}, expected {shape_of(wanted)}")
    most = furthest(got, wanted)
    if not most <= 1e-9:
        raise Differs(f"a logit is off by {most:.3g}")
    return True


def furthest(one: Matrix, other: Matrix) -> float:
    """How far two matrices are apart at most; nan if that is no finite number."""
    pairs = [pair for rows in zip(one, other, strict=True) for pair in zip(*rows, strict=True)]
    gaps = [abs(float(a) - float(b)) for a, b in pairs]
    return max(gaps) if all(map(math.isfinite, gaps)) else math.nan


def checks(answer: Any) -> Iterator[Check]:
    """What a causal model of this build must do."""
    rng = random.Random(217)
    model = draw_model(rng, size=7, d=4, heads=2, layers=2)
    ids, later = [3, 1, 4, 1], [3, 1, 4, 6]

    def earlier_rows() -> bool:
        one, other = (fresh(answer, each, model)()[: len(ids) - 1] for each in (ids, later))
        if not furthest(one, other) <= 1e-9:
            raise Differs(f"an earlier row changes by {furthest(one, other):.3g}")
        return True

    def twice_a_word() -> bool:
        first, second = fresh(answer, [5, 5], model)()
        if not furthest([first], [second]) > 1e-9:
            raise Differs("got the same row at both places")
        return True

    yield Check(
        "There is a row for each token, with a logit for each word",
        lambda: [len(row) for row in fresh(answer, ids, model)()],
        [len(model["tokens"])] * len(ids),
    )
    yield Check(
        "Another last token changes no earlier row",
        earlier_rows,
        True,
        "Attention needs the causal mask: each row looks at itself and at what came before.",
    )
    yield Check(
        "The same word gets other logits at another place",
        twice_a_word,
        True,
        "Without the table of positions a word repeated is a row repeated.",
    )
    bare = {**model, "blocks": []}
    yield Check(
        "Without blocks it normalizes the embedding and reads it out",
        lambda: off(fresh(answer, ids, bare)(), reference(ids, bare)),
        True,
        "No block normalizes its sum: a last norm must stand before the unembedding.",
    )
    quiet = {**model, "blocks": [silenced(block) for block in model["blocks"]]}
    yield Check(
        "With attention silenced its feed-forward layers are GPT-2's",
        lambda: off(fresh(answer, ids, quiet)(), reference(ids, quiet)),
        True,
        "If all is well without blocks: is GELU of the tanh form?",
    )
    long = [0, 2, 4, 2, 1]
    other = draw_model(rng, size=5, d=6, heads=3, layers=3)
    yield Check(
        "On random weights it is the library's blocks in a row",
        lambda: off(fresh(answer, long, other)(), reference(long, other)),
        True,
    )


EXERCISE = Exercise(
    ident="21.7",
    title="Build GPT-2 around the block",
    level="implement",
    name="gpt2_logits",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            no_last_norm,
            "reads out the stream without the last norm",
            "Without blocks it normalizes the embedding and reads it out",
        ),
        Wrong(
            exact_gelu,
            "takes the exact form of GELU",
            "With attention silenced its feed-forward layers are GPT-2's",
        ),
    ),
)
