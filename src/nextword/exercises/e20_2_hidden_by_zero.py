"""A mask that writes zero into the scores: a zero is a score like any other, and its exponential is not zero."""

import math
import random
from collections.abc import Iterator
from typing import Any

from nextword.attention import causal_mask, masked_softmax
from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same
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


def hides_itself(scores: Matrix) -> Matrix:
    """Hides each token's own key too, behind a large negative number."""
    weights = []
    for i, row in enumerate(scores):
        seen = [-1e9 if j >= i else score for j, score in enumerate(row)]
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
        "Each token may look at itself: no weight on the diagonal is zero",
        lambda: [row[i] > 0 for i, row in enumerate(ask())],
        [True] * n,
        "Hide later keys only: with its own hidden too, the first row sees nothing.",
    )
    yield Check(
        "A later key gets a weight of exactly zero",
        lambda: [row[i + 1 :] for i, row in enumerate(ask())],
        [[0.0] * (n - 1 - i) for i in range(n)],
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
        "What the last key scores changes only the last row",
        lambda: [list(a) == list(b) for a, b in zip(ask(), fresh(answer, other)(), strict=True)],
        [True] * (n - 1) + [False],
        "A hidden key must have no part in the sum that divides its row.",
    )
    drawn = draw_matrix(6, 6, 3.0, random.Random(20))
    yield Check(
        "On random scores it agrees with nextword.attention.masked_softmax",
        lambda: same(fresh(answer, drawn)(), masked_softmax(drawn, causal_mask(len(drawn)))),
        True,
    )


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
            hides_itself,
            "hides each token's own key too, and fills with a large negative number: no error, no odd row sum",
            "Each token may look at itself: no weight on the diagonal is zero",
        ),
    ),
)
