"""A mask that writes zero into the scores: a zero is a score like any other, and its exponential is not zero."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import causal_mask, masked_softmax
from nextword.exercises.asking import Differs, agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same, short
from nextword.matrices import Matrix, draw_matrix
from nextword.softmax import softmax


def start(scores: Matrix) -> Matrix:
    """Weights of causal attention: row i is shared out among keys 0 to i.

    scores: shape (n, n), a row for each query. Returns shape (n, n).
    """
    weights = []
    for i, row in enumerate(scores):
        seen = [score if j <= i else 0.0 for j, score in enumerate(row)]
        weights.append(softmax(seen))
    return weights


def solution(scores: Matrix) -> Matrix:
    """Weights of causal attention: row i is shared out among keys 0 to i.

    scores: shape (n, n), a row for each query. Returns shape (n, n).
    """
    weights = []
    for i, row in enumerate(scores):
        seen = [x if j <= i else -math.inf for j, x in enumerate(row)]
        weights.append(softmax(seen))
    return weights


def masks_weights(scores: Matrix) -> Matrix:
    """Sets weights of later keys to zero after the softmax."""
    weights = []
    for i, row in enumerate(scores):
        shared = softmax(row)
        weights.append([w if j <= i else 0.0 for j, w in enumerate(shared)])
    return weights


def turns_the_mask(scores: Matrix) -> Matrix:
    """Takes rows for keys: each token sees itself and what comes later."""
    weights = []
    for i, row in enumerate(scores):
        seen = [x if i <= j else -math.inf for j, x in enumerate(row)]
        weights.append(softmax(seen))
    return weights


SCORES = [
    [-1.0, 2.0, 0.5, 3.0],
    [0.0, -2.0, 4.0, 1.0],
    [1.0, 1.0, -3.0, 2.0],
    [2.0, -1.0, 0.0, 1.0],
]


def checks(answer: Any) -> Iterator[Check]:
    """On fixed scores what a causal row must be, and on random ones what the library gives."""
    n = len(SCORES)
    ask = fresh(answer, SCORES)
    yield Check(
        "Each token looks at itself and at all before it",
        lambda: _all_seen(ask(), n),
        True,
        "Rows are queries, columns keys: hide the columns behind a row's own, no more.",
    )
    yield Check(
        "A later key gets a weight of exactly zero",
        lambda: _none_leaks(ask(), n),
        True,
        "A score of zero is no weight of zero: its exponential is one.",
    )
    yield Check(
        "The weights of each row sum to one",
        lambda: [math.fsum(row) for row in ask()],
        [1.0] * n,
        "What is hidden after the softmax has taken its share already: it is lost.",
    )
    other = [[*row[:-1], 9.0] for row in SCORES]
    yield Check(
        "What the last key scores changes the last row alone",
        lambda: _changed(ask(), fresh(answer, other)()),
        True,
        "A hidden key must have no part in the sum that divides its row.",
    )
    rng = random.Random(20)
    drawn = [draw_matrix(size, size, 3.0, rng) for size in (1, 2, 6)]
    far_below = [[-2e9, 0.0], [0.0, 0.0]]
    yield Check(
        "On other scores it agrees with nextword.attention.masked_softmax",
        agrees(answer, _by_library, [(rows,) for rows in [*drawn, far_below]]),
        True,
    )


def _by_library(scores: Matrix) -> Matrix:
    """Weights by the library's mask."""
    return masked_softmax(scores, causal_mask(len(scores)))


def _all_seen(weights: Matrix, n: int) -> bool:
    """Whether no weight up to a row's own key is zero; the first row with one is told."""
    for i, row in enumerate(weights):
        own = list(row[: i + 1])
        if not all(weight > 0 for weight in own):
            raise Differs(f"row {i} gives {short(own)} to the keys up to its own")
    return len(weights) == n


def _none_leaks(weights: Matrix, n: int) -> bool:
    """Whether all weights of later keys are zero; the first row with another is told."""
    for i, row in enumerate(weights):
        later = list(row[i + 1 :])
        if any(later):
            raise Differs(f"row {i} gives {short(later)} to later keys")
    return len(weights) == n


def _changed(before: Matrix, after: Matrix) -> bool:
    """Whether the last row alone changes; which ones do is told."""
    pairs = zip(before, after, strict=True)
    rows = [i for i, (old, new) in enumerate(pairs) if not same(list(old), list(new))]
    if rows != [len(SCORES) - 1]:
        raise Differs(f"these rows change: {', '.join(map(str, rows)) or 'none'}")
    return True


EXERCISE = Exercise(
    ident="20.2",
    title="The future shines through",
    level="find the bug",
    name="causal_weights",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            masks_weights,
            "masks the weights instead of the scores, so the hidden keys take their share first",
            "The weights of each row sum to one",
        ),
        Wrong(
            turns_the_mask,
            "has the rows and columns of the mask turned round, so that it hides the past and shows the future",
            "Each token looks at itself and at all before it",
        ),
    ),
)
