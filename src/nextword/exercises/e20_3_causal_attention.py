"""Causal attention from nothing; softmax over the wrong axis and a mask off by one are its usual bugs."""

import math
import random
from collections.abc import Iterator
from operator import mul
from typing import Any

from nextword.attention import attention_scores, causal_mask, scaled_dot_product_attention
from nextword.exercises.asking import Differs, agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same
from nextword.matrices import Matrix, draw_matrix, matmul
from nextword.softmax import softmax


def start(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Causal attention of one head.

    queries, keys: shape (n, d), a row for each token.
    values: shape (n, e). Returns the outputs, shape (n, e).
    """
    raise NotImplementedError("score, divide, mask, softmax, average")


def solution(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Causal attention of one head.

    queries, keys: shape (n, d), a row for each token.
    values: shape (n, e). Returns the outputs, shape (n, e).
    """
    root = math.sqrt(len(keys[0]))
    outputs = []
    for i, query in enumerate(queries):
        seen = keys[: i + 1]  # a key that is never scored is masked
        scores = [math.fsum(map(mul, query, key)) / root for key in seen]
        top = max(scores)
        exps = [math.exp(score - top) for score in scores]
        weights = [x / math.fsum(exps) for x in exps]
        columns = zip(*values[: i + 1], strict=True)
        outputs.append([math.fsum(map(mul, weights, c)) for c in columns])
    return outputs


def shares_columns(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Takes the softmax of each column: of one key, over the queries."""
    masked = [
        [score if j <= i else -math.inf for j, score in enumerate(row)]
        for i, row in enumerate(attention_scores(queries, keys))
    ]
    columns = [softmax(column) for column in zip(*masked, strict=True)]
    weights = [list(row) for row in zip(*columns, strict=True)]
    return matmul(weights, values)


def looks_ahead(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Lets each token see one key too many."""
    scores = attention_scores(queries, keys)
    outputs = []
    for i, row in enumerate(scores):
        weights = softmax(row[: i + 2])
        outputs += matmul([weights], values[: i + 2])
    return outputs


def checks(answer: Any) -> Iterator[Check]:
    """Laws that causal attention obeys, a root worked out by hand, and the library on random rows."""
    rng = random.Random(20)
    n, e = 4, 2
    drawn = _rows(n, 3, e, rng)
    yield Check(
        "It returns a row for each token, as wide as a value",
        lambda: [len(row) for row in fresh(answer, *drawn)()],
        [e] * n,
        "Return the outputs alone; an average of values is as wide as a value.",
    )
    alike = [[3.0] for _ in range(3)]
    yield Check(
        "Values that are all alike come out as they are",
        fresh(answer, [[1.0], [0.0], [2.0]], [[2.0], [1.0], [0.0]], alike),
        alike,
        "Softmax goes along a row: it shares out one query among keys.",
    )
    yield Check(
        "A new token at any place leaves all outputs before it alone",
        lambda: all(_leaves_earlier(answer, at, drawn) for at in range(n)),
        True,
        "A token sees itself and what came before, not what it must predict.",
    )
    width = 9
    far = [math.log(3) / 3] * width
    yield Check(
        "Scores are divided by the root of the width of a key",
        lambda: fresh(answer, [far, [1.0] * width], [[0.0] * width, far], [[0.0], [4.0]])()[-1],
        [3.0],
        "Divide by the root of a key's width: not the width, not the root of n.",
    )
    yield Check(
        "Scores far below or above zero raise no error",
        fresh(answer, [[-1000.0], [1000.0]], [[1.0], [2.0]], [[1.0], [5.0]]),
        [[1.0], [5.0]],
    )
    shapes = [(1, 1, 1), (2, 1, 1), (3, 2, 1), (n, 3, e), (6, 4, 3)]
    yield Check(
        "On random rows it agrees with nextword.attention",
        agrees(answer, _by_library, [_rows(*shape, rng) for shape in shapes]),
        True,
    )


def _rows(n: int, d: int, e: int, rng: random.Random) -> tuple[Matrix, Matrix, Matrix]:
    """Queries, keys and values at random, short to read."""
    drawn = (draw_matrix(n, width, 2.0, rng) for width in (d, d, e))
    queries, keys, values = ([[round(x, 1) for x in row] for row in part] for part in drawn)
    return queries, keys, values


def _by_library(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """The outputs of the library."""
    return scaled_dot_product_attention(queries, keys, values, causal_mask(len(queries)))[0]


def _leaves_earlier(answer: Any, at: int, rows: tuple[Matrix, Matrix, Matrix]) -> bool:
    """Whether no output before a place moves when another token stands there; the first that does is told."""
    new = [[[5.0] * len(x) if i == at else x for i, x in enumerate(part)] for part in rows]
    before, after = (fresh(answer, *parts)() for parts in (rows, new))
    for i, (old, now) in enumerate(zip(before[:at], after[:at], strict=True)):
        if not same(list(now), list(old)):
            raise Differs(f"a new token at place {at} moves the output of place {i}")
    return len(before) == len(after) == len(rows[0])


EXERCISE = Exercise(
    ident="20.3",
    title="Causal attention from nothing",
    level="implement",
    name="my_attention",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            shares_columns,
            "takes the softmax over the queries, the wrong axis",
            "Values that are all alike come out as they are",
        ),
        Wrong(
            looks_ahead,
            "looks one key too far",
            "A new token at any place leaves all outputs before it alone",
        ),
    ),
)
