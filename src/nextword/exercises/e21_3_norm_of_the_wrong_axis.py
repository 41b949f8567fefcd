"""A layer norm over the wrong axis lets tokens see one another, future ones too.

Met in github.com/OpenNMT/OpenNMT-tf/pull/6 and github.com/google-deepmind/dm-haiku/issues/700; the divisor in
github.com/harvardnlp/annotated-transformer/pull/119.
"""

import math
import random
from collections.abc import Iterator
from statistics import fmean, pvariance, stdev
from typing import Any

from nextword.exercises.asking import Differs, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Matrix, Vector, draw_matrix, shape_of
from nextword.transformer import layer_norm


def start(
    x: Matrix,
    gamma: Vector,
    beta: Vector,
    eps: float = 1e-5,
) -> Matrix:
    """Layer norm of a stream, shape (n, d); gamma and beta have width d."""
    columns = list(zip(*x, strict=True))
    means = [fmean(column) for column in columns]
    roots = [math.sqrt(pvariance(column) + eps) for column in columns]
    normed = []
    for row in x:
        centred = [n - mean for n, mean in zip(row, means, strict=True)]
        parts = zip(centred, roots, gamma, beta, strict=True)
        normed.append([c / root * g + b for c, root, g, b in parts])
    return normed


def solution(
    x: Matrix,
    gamma: Vector,
    beta: Vector,
    eps: float = 1e-5,
) -> Matrix:
    """Take the mean and the root of each row, over its features."""
    normed = []
    for row in x:
        mean = fmean(row)
        root = math.sqrt(pvariance(row) + eps)
        parts = zip(row, gamma, beta, strict=True)
        normed.append([(n - mean) / root * g + b for n, g, b in parts])
    return normed


def over_everything(
    x: Matrix,
    gamma: Vector,
    beta: Vector,
    eps: float = 1e-5,
) -> Matrix:
    """Take one mean and one root of all numbers of the stream."""
    numbers = [n for row in x for n in row]
    mean = fmean(numbers)
    root = math.sqrt(pvariance(numbers) + eps)
    normed = []
    for row in x:
        parts = zip(row, gamma, beta, strict=True)
        normed.append([(n - mean) / root * g + b for n, g, b in parts])
    return normed


def of_a_sample(
    x: Matrix,
    gamma: Vector,
    beta: Vector,
    eps: float = 1e-5,
) -> Matrix:
    """Take the spread of a sample, and add eps to it."""
    normed = []
    for row in x:
        mean, spread = fmean(row), stdev(row)
        parts = zip(row, gamma, beta, strict=True)
        root = spread + eps
        normed.append([(n - mean) / root * g + b for n, g, b in parts])
    return normed


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
    """What a layer norm of all tokens must do."""
    ones, zeros = [1.0] * 4, [0.0] * 4
    x = draw_matrix(3, 4, 2.0, random.Random(213))
    later = [*x[:-1], [5.0, -3.0, 0.0, 9.0]]

    def earlier_rows() -> bool | None:
        before, after = (fresh(answer, rows, ones, zeros)() for rows in (x, later))
        if before is None or shape_of(before) != shape_of(x):
            return off(before, x, "a number is off by")
        return off(after[:-1], before[:-1], "with another last token an earlier row changes by")

    yield Check(
        "A row does not change with the token after it",
        earlier_rows,
        True,
        "Mean and variance are those of a single token's features.",
    )
    spike = [1.0, 0.0, 0.0, 0.0]
    yield Check(
        "Without eps the mean square of each row is one",
        lambda: [fmean(n * n for n in row) for row in fresh(answer, [spike, x[0]], ones, zeros, 0)()],
        [1.0, 1.0],
        "If no rows mix any more: divide by the width, not by one less.",
    )
    near = [[0.0, 1.0, 2.0, 5.0], [3.0, 1.0, 1.0, 0.0]]
    far = [[n + 1e8 for n in row] for row in near]
    yield Check(
        "A large number that is added to all numbers changes nothing",
        lambda: off(
            fresh(answer, far, ones, zeros)(), fresh(answer, near, ones, zeros)(), "a number changes by"
        ),
        True,
        "Take the mean away first: large squares leave no room for a spread.",
    )
    small = [[1e-3 * n for n in row] for row in x]
    yield Check(
        "On a small stream, where eps counts, it is the library's norm",
        lambda: off(
            fresh(answer, small, ones, zeros)(), [layer_norm(row) for row in small], "a number is off by"
        ),
        True,
        "The root is of the variance plus eps: eps is added inside of it.",
    )
    gamma, beta = [2.0, -1.0, 0.5, 3.0], [0.1, 0.2, 0.3, 0.4]
    wanted = [layer_norm(row, gamma, beta, 0.1) for row in x]
    yield Check(
        "With gamma, beta and another eps too it is the library's norm",
        lambda: off(fresh(answer, x, gamma, beta, 0.1)(), wanted, "a number is off by"),
        True,
    )


EXERCISE = Exercise(
    ident="21.3",
    title="A norm that sees the future",
    level="find the bug",
    name="norm_stream",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            over_everything,
            "takes one mean and one variance for all tokens together",
            "A row does not change with the token after it",
        ),
        Wrong(
            of_a_sample,
            "takes the spread of a sample, as torch.std does, and adds eps to that",
            "Without eps the mean square of each row is one",
        ),
    ),
)
