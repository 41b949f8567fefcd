"""Several heads in a batch padded on the left: the root is that of a head, heads are merged, and a row may see nothing."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import (
    attention_scores,
    causal_mask,
    combine_masks,
    merge_heads,
    multi_head_attention,
    padding_mask,
    split_heads,
)
from nextword.exercises.asking import agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.matrices import Matrix, Vector, draw_matrix, vector_matrix
from nextword.softmax import softmax


def start(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    heads: int,
    real: list[bool],
) -> Matrix:
    """Causal attention of several heads over a padded text.

    queries, keys: shape (n, heads x d). values: shape (n, heads x e).
    real: n flags, False for padding, which no token may look at.
    Returns (n, heads x e); a row that may look at nothing is all zeros.
    """
    raise NotImplementedError("split, attend with each head, merge")


def solution(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    heads: int,
    real: list[bool],
) -> Matrix:
    """Causal attention of several heads over a padded text.

    queries, keys: shape (n, heads x d). values: shape (n, heads x e).
    real: n flags, False for padding, which no token may look at.
    Returns (n, heads x e); a row that may look at nothing is all zeros.
    """
    split = [split_heads(rows, heads) for rows in (queries, keys, values)]
    outputs = []
    for q, k, v in zip(*split, strict=True):
        root = math.sqrt(len(q[0]))
        rows = range(len(q))
        outputs.append([attend_from(i, q, k, v, real, root) for i in rows])
    return merge_heads(outputs)


def attend_from(
    i: int,
    q: Matrix,
    k: Matrix,
    v: Matrix,
    real: list[bool],
    root: float,
) -> Vector:
    """Row i of one head."""
    seen = [j for j in range(i + 1) if real[j]]
    if not seen:
        return [0.0] * len(v[0])
    (products,) = attention_scores([q[i]], [k[j] for j in seen], scaled=False)
    weights = softmax([product / root for product in products])
    return vector_matrix(weights, [v[j] for j in seen])


def root_of_the_model(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    heads: int,
    real: list[bool],
) -> Matrix:
    """Divides each head's scores by the root of the whole width."""
    root = math.sqrt(len(queries[0]))
    split = [split_heads(rows, heads) for rows in (queries, keys, values)]
    outputs = []
    for q, k, v in zip(*split, strict=True):
        rows = range(len(q))
        outputs.append([attend_from(i, q, k, v, real, root) for i in rows])
    return merge_heads(outputs)


def mean_of_heads(
    queries: Matrix,
    keys: Matrix,
    values: Matrix,
    heads: int,
    real: list[bool],
) -> Matrix:
    """Averages what the heads found."""
    split = [split_heads(rows, heads) for rows in (queries, keys, values)]
    outputs = []
    for q, k, v in zip(*split, strict=True):
        root = math.sqrt(len(q[0]))
        rows = range(len(q))
        outputs.append([attend_from(i, q, k, v, real, root) for i in rows])
    return [
        [math.fsum(column) / heads for column in zip(*rows, strict=True)]
        for rows in zip(*outputs, strict=True)
    ]


def checks(answer: Any) -> Iterator[Check]:
    """Shapes, a root worked out by hand, the library on random rows, and padding in front."""
    rng = random.Random(20)
    n, heads, e = 3, 2, 2
    drawn = _rows(n, heads, 3, e, rng)
    yield Check(
        "A row is as wide as the values: heads stand side by side",
        lambda: [len(row) for row in fresh(answer, *drawn, heads, [True] * n)()],
        [heads * e] * n,
        "Put heads side by side: a mean blurs what they found apart.",
    )
    width = 4
    far = [math.log(3) / 2] * heads * width
    asking = [[1.0] * heads * width for _ in range(2)]
    yield Check(
        "Each head divides its scores by the root of its own width",
        lambda: fresh(
            answer, asking, [[0.0] * heads * width, far], [[0.0, 0.0], [4.0, 8.0]], heads, [True] * 2
        )()[-1],
        [3.0, 6.0],
        "A score sums a head's products; the root of the model's width is too large.",
    )
    flags = [[True], [True] * 2, [True, False], [True, False, True], [True, True, False, False, True]]
    cases = [(*_rows(len(real), h, h, 1, rng), h, real) for h, real in enumerate(flags, 1)]
    yield Check(
        "On random rows it agrees with nextword.attention, padded or not",
        agrees(answer, _by_library, cases),
        True,
    )
    pads = 2
    rows = _rows(2, heads, 1, 1, rng)
    padded = [more + part for more, part in zip(_rows(pads, heads, 1, 1, rng), rows, strict=True)]
    real = [False] * pads + [True] * len(rows[0])
    yield Check(
        "Padding in front changes nothing for the real tokens",
        lambda: list(fresh(answer, *padded, heads, real)())[pads:],
        _by_library(*rows, heads, [True] * len(rows[0])),
        "The causal mask does not hide what stands in front: padding needs a mask too.",
    )
    yield Check(
        "A row that may look at nothing is all zeros",
        lambda: list(fresh(answer, *padded, heads, real)())[:pads],
        [[0.0] * heads] * pads,
        "A softmax over nothing divides zero by zero: such a row is a case of its own.",
    )


def _rows(n: int, heads: int, d: int, e: int, rng: random.Random) -> tuple[Matrix, Matrix, Matrix]:
    """Queries, keys and values of several heads at random, short to read."""
    drawn = (draw_matrix(n, heads * width, 1.5, rng) for width in (d, d, e))
    q, k, v = ([[round(x, 1) for x in row] for row in part] for part in drawn)
    return q, k, v


def _by_library(q: Matrix, k: Matrix, v: Matrix, heads: int, real: list[bool]) -> Matrix:
    """The merged heads of the library; the first token must be real."""
    mask = combine_masks(causal_mask(len(real)), padding_mask(real))
    return multi_head_attention(*_unprojected(q, k, v), heads, mask)[0]


def _unprojected(q: Matrix, k: Matrix, v: Matrix) -> tuple[Matrix, Matrix, Matrix, Matrix, Matrix]:
    """Tokens and projections that give just these queries, keys and values, and leave the merged heads as they are.

    A token is a one at its own place, so a projection hands it the row of that place.
    """
    tokens, as_it_is = (
        [[float(i == j) for j in range(size)] for i in range(size)] for size in (len(q), len(v[0]))
    )
    return tokens, q, k, v, as_it_is


EXERCISE = Exercise(
    ident="20.7",
    title="Heads over a padded text",
    level="implement",
    name="padded_heads",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            root_of_the_model,
            "divides by the root of the model's width, not of a head's",
            "Each head divides its scores by the root of its own width",
        ),
        Wrong(
            mean_of_heads,
            "averages the heads instead of putting them side by side",
            "A row is as wide as the values: heads stand side by side",
        ),
    ),
)
