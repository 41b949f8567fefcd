"""A block whose feed-forward layer reads the stream from before attention: it passes each test of one sublayer alone.

That is the parallel block of GPT-NeoX, there by a switch (GPT-J has one with a single norm); ports have taken one for the
other: github.com/huggingface/transformers/pull/18695, github.com/deepspeedai/DeepSpeed/pull/2446. The sum from the normalized copy: github.com/pytorch/pytorch/issues/61165.
"""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import causal_mask, scaled_dot_product_attention
from nextword.exercises.asking import Differs, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Matrix, Vector, add, draw_matrix, shape_of
from nextword.transformer import (
    MatrixFunction,
    VectorFunction,
    feed_forward,
    layer_norm,
    pre_norm_block,
)


def start(
    x: Matrix,
    attention: MatrixFunction,
    mlp: VectorFunction,
    norm_1: VectorFunction,
    norm_2: VectorFunction,
) -> Matrix:
    """One pre-norm block of GPT-2; x is the stream, shape (n, d)."""
    moved = attention([norm_1(row) for row in x])
    bent = [mlp(norm_2(row)) for row in x]
    return add(add(x, moved), bent)


def solution(
    x: Matrix,
    attention: MatrixFunction,
    mlp: VectorFunction,
    norm_1: VectorFunction,
    norm_2: VectorFunction,
) -> Matrix:
    """Let each sublayer read the stream as it is by then."""
    h = add(x, attention([norm_1(row) for row in x]))
    return add(h, [mlp(norm_2(row)) for row in h])


def old_stream(
    x: Matrix,
    attention: MatrixFunction,
    mlp: VectorFunction,
    norm_1: VectorFunction,
    norm_2: VectorFunction,
) -> Matrix:
    """Read the new stream, but add to the old one."""
    h = add(x, attention([norm_1(row) for row in x]))
    return add(x, [mlp(norm_2(row)) for row in h])


def normed_copy(
    x: Matrix,
    attention: MatrixFunction,
    mlp: VectorFunction,
    norm_1: VectorFunction,
    norm_2: VectorFunction,
) -> Matrix:
    """Let the normalized copy take the stream's name."""
    x = [norm_1(row) for row in x]
    x = add(x, attention(x))
    x = [norm_2(row) for row in x]
    return add(x, [mlp(row) for row in x])


def silent(rows: Matrix) -> Matrix:
    """Attention that adds nothing."""
    return [[0.0] * len(row) for row in rows]


def silent_row(row: Vector) -> Vector:
    """A feed-forward layer that adds nothing."""
    return [0.0] * len(row)


def from_before(rows: Matrix) -> Matrix:
    """Attention that hands each token the row before it."""
    return [[0.0] * len(rows[0]), *rows[:-1]]


def copies(row: Vector) -> Vector:
    """A feed-forward layer that copies the first number to the last place."""
    return [*[0.0] * (len(row) - 1), row[0]]


def doubled(row: Vector) -> Vector:
    """Stands for a norm, and can be told from another."""
    return [2 * number for number in row]


def turned(row: Vector) -> Vector:
    """Stands for a norm, and can be told from another."""
    return row[::-1]


def off(got: Any, wanted: Matrix, what: str) -> bool | None:
    """Whether two matrices are the same; by how much they are not is told."""
    if got is None:
        return None
    if shape_of(got) != shape_of(wanted):
        raise Differs(f"got shape {shape_of(got)}, expected {shape_of(wanted)}")
    rows = zip(got, wanted, strict=True)
    gaps = [float(a) - float(b) for row, other in rows for a, b in zip(row, other, strict=True)]
    most = max(map(abs, gaps)) if all(map(math.isfinite, gaps)) else math.nan
    if not most <= 1e-9:
        raise Differs(f"{what} {most:.3g}")
    return True


def checks(answer: Any) -> Iterator[Check]:
    """What a pre-norm block must do, with sublayers that show it."""
    rng = random.Random(214)
    x = draw_matrix(5, 4, 3.0, rng)
    yield Check(
        "With sublayers that add nothing it returns its input",
        lambda: off(fresh(answer, x, silent, silent_row, layer_norm, layer_norm)(), x, "a number is off by"),
        True,
        "The norm is for what a sublayer reads, not for what is added to.",
    )
    pair = [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]
    yield Check(
        "What attention added is in the stream at the end",
        fresh(answer, pair, from_before, silent_row, list, list),
        [[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]],
        "The second sum starts from the stream with attention in it.",
    )
    yield Check(
        "The feed-forward layer can use what attention has just brought",
        fresh(answer, pair, from_before, copies, list, list),
        [[1.0, 0.0, 1.0], [1.0, 0.0, 1.0]],
        "The feed-forward layer reads the stream behind the first sum.",
    )
    yield Check(
        "Each sublayer has a norm of its own",
        fresh(answer, pair, from_before, copies, doubled, turned),
        [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
        "Here one norm stretches a row, and the other turns it around.",
    )
    w_1, w_2 = draw_matrix(4, 8, 1.0, rng), draw_matrix(8, 4, 1.0, rng)

    def attention(rows: Matrix) -> Matrix:
        return scaled_dot_product_attention(rows, rows, rows, causal_mask(len(rows)))[0]

    def mlp(row: Vector) -> Vector:
        return feed_forward(row, w_1, [0.3] * 8, w_2, [0.2] * 4)

    wanted = pre_norm_block(x, attention, mlp)

    yield Check(
        "On random weights it is the library's block",
        lambda: off(fresh(answer, x, attention, mlp, layer_norm, layer_norm)(), wanted, "a number is off by"),
        True,
    )


EXERCISE = Exercise(
    ident="21.4",
    title="The block that passes the silence test",
    level="find the bug",
    name="block",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            old_stream,
            "adds to the stream from before attention, whose part is lost",
            "What attention added is in the stream at the end",
        ),
        Wrong(
            normed_copy,
            "lets the normalized copy take the place of the stream",
            "With sublayers that add nothing it returns its input",
        ),
    ),
)
