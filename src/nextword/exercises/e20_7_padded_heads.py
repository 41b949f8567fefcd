"""Several heads in a batch padded on the left: the root is that of a head, heads are merged, and a row may see nothing."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import (
    attention_scores,
    causal_mask,
    merge_heads,
    multi_head_attention,
    split_heads,
)
from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same
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
    """Shapes, a root worked out by hand, padding, and the library on random rows."""
    rng = random.Random(20)
    n, pads, heads, d, e = 4, 2, 2, 3, 2
    q, k = draw_matrix(n, heads * d, 1.5, rng), draw_matrix(n, heads * d, 1.5, rng)
    v = draw_matrix(n, heads * e, 1.5, rng)
    alone, _ = multi_head_attention(*_unprojected(q, k, v), heads, causal_mask(n))
    yield Check(
        "The heads' outputs stand side by side: a row is as wide as the values",
        lambda: [len(row) for row in fresh(answer, q, k, v, heads, [True] * n)()],
        [heads * e] * n,
        "Put heads side by side: a mean blurs what they found apart.",
    )
    width = 4
    far = [math.log(3) / 2] * heads * width
    yield Check(
        "Each head divides its scores by the root of its own width",
        fresh(
            answer,
            [[1.0] * heads * width] * 2,
            [[0.0] * heads * width, far],
            [[0.0, 0.0], [4.0, 8.0]],
            heads,
            [True] * 2,
        ),
        [[0.0, 0.0], [3.0, 6.0]],
        "A score sums as many products as a head is wide; the model's root is too large.",
    )
    yield Check(
        "On random rows without padding it agrees with nextword.attention",
        lambda: same(fresh(answer, q, k, v, heads, [True] * n)(), alone),
        True,
    )
    padded = [draw_matrix(pads, len(rows[0]), 1.5, rng) + rows for rows in (q, k, v)]
    real = [False] * pads + [True] * n
    yield Check(
        "Padding in front changes nothing for the real tokens",
        lambda: same(fresh(answer, *padded, heads, real)()[pads:], alone),
        True,
        "A causal mask does not hide what stands in front: combine it with padding's.",
    )
    yield Check(
        "A row that may look at nothing is all zeros",
        lambda: fresh(answer, *padded, heads, real)()[:pads],
        [[0.0] * heads * e] * pads,
        "A softmax over nothing divides zero by zero; elsewhere that nan then spreads.",
    )


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
            "The heads' outputs stand side by side: a row is as wide as the values",
        ),
    ),
)
