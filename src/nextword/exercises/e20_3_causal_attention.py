"""Causal attention from nothing; softmax over the wrong axis and a mask off by one are its usual bugs."""

import math
import random
from collections.abc import Iterator
from operator import mul
from typing import Any

from nextword.attention import attention_scores, causal_mask, scaled_dot_product_attention
from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same
from nextword.matrices import Matrix, draw_matrix, matmul
from nextword.softmax import softmax


def start(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Causal attention of one head, without the library.

    queries, keys: shape (n, d), a row for each token.
    values: shape (n, e). Returns the outputs, shape (n, e).
    """
    raise NotImplementedError("score, divide, mask, softmax, average")


def solution(queries: Matrix, keys: Matrix, values: Matrix) -> Matrix:
    """Causal attention of one head, without the library.

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
    n, d, e = 4, 3, 2
    queries, keys = draw_matrix(n, d, 2.0, rng), draw_matrix(n, d, 2.0, rng)
    values = draw_matrix(n, e, 2.0, rng)
    right, _ = scaled_dot_product_attention(queries, keys, values, causal_mask(n))
    yield Check(
        "It returns a row for each token, as wide as a value",
        lambda: [len(row) for row in fresh(answer, queries, keys, values)()],
        [e] * n,
        "Return the outputs alone; an average of values is as wide as a value.",
    )
    alike = [[3.0]] * n
    yield Check(
        "Values that are all alike come out as they are: the weights of each row sum to one",
        fresh(answer, queries, keys, alike),
        alike,
        "Softmax shares out a row: one query among its keys, not a key among queries.",
    )
    yield Check(
        "A new token at any place leaves all outputs before it alone",
        lambda: [_moves_earlier(answer, at, queries, keys, values) for at in range(n)],
        [False] * n,
        "A token sees itself and what came before; one more is what it must predict.",
    )
    width = 9
    far = [math.log(3) / 3] * width
    yield Check(
        "Scores are divided by the root of the width of a key",
        lambda: fresh(answer, [[1.0] * width] * 2, [[0.0] * width, far], [[0.0], [4.0]])()[-1],
        [3.0],
        "It is the root of the width of a key: not the width, not the root of n.",
    )
    yield Check(
        "Large scores raise no error: the largest takes all",
        lambda: fresh(answer, [[1000.0], [1000.0]], [[1.0], [2.0]], [[1.0], [5.0]])()[-1],
        [5.0],
        "Subtract a row's largest score before the exponential.",
    )
    yield Check(
        "On random rows it agrees with nextword.attention",
        lambda: same(fresh(answer, queries, keys, values)(), right),
        True,
    )


def _moves_earlier(answer: Any, at: int, queries: Matrix, keys: Matrix, values: Matrix) -> bool:
    """Whether an output before a place moves when another token stands there."""
    rows = (queries, keys, values)
    new = [[[5.0] * len(x) if i == at else x for i, x in enumerate(part)] for part in rows]
    before, after = (fresh(answer, *parts)() for parts in (rows, new))
    old, now = ([list(row) for row in outputs[:at]] for outputs in (before, after))
    return not same(now, old) or len(before) != len(queries)


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
            "Values that are all alike come out as they are: the weights of each row sum to one",
        ),
        Wrong(
            looks_ahead,
            "looks one key too far",
            "A new token at any place leaves all outputs before it alone",
        ),
    ),
)
