"""Top-p on logits in the order of the vocabulary: a mask that was counted in ranked order belongs to the ranked ids.

Lesson 19 shows steps whose logits are sorted already, on which this bug cannot be seen.
"""

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

from nextword.decoding import keep_top_p
from nextword.exercises.asking import agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.softmax import softmax


def start(logits: Sequence[float], p: float) -> list[float]:
    """Keep the most probable tokens, as few as have the mass p.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        p: the mass, above 0 and below 1.

    Returns:
        V logits, minus infinity where removed. The token with which the sum
        reaches p is kept. Among equal logits the lower id ranks first.
    """
    shares = sorted(softmax(logits), reverse=True)
    size, mass = 0, 0.0
    while size < len(shares) and mass < p:
        mass += shares[size]
        size += 1
    return [z if i < size else -math.inf for i, z in enumerate(logits)]


def solution(logits: Sequence[float], p: float) -> list[float]:
    """Keep the most probable tokens, as few as have the mass p."""
    shares = softmax(logits)
    ranked = sorted(range(len(logits)), key=lambda i: -logits[i])
    size, mass = 0, 0.0
    while size < len(ranked) and mass < p:
        mass += shares[ranked[size]]
        size += 1
    kept = set(ranked[:size])
    return [z if i in kept else -math.inf for i, z in enumerate(logits)]


def in_ranked_order(logits: Sequence[float], p: float) -> list[float]:
    """Sort the logits as well, so that they match the mask."""
    best_first = sorted(logits, reverse=True)
    shares = softmax(best_first)
    size, mass = 0, 0.0
    while size < len(shares) and mass < p:
        mass += shares[size]
        size += 1
    return [z if i < size else -math.inf for i, z in enumerate(best_first)]


def by_a_threshold(logits: Sequence[float], p: float) -> list[float]:
    """Keep whatever is as large as the last logit that is needed."""
    best_first = sorted(logits, reverse=True)
    shares = softmax(best_first)
    size, mass = 0, 0.0
    while size < len(shares) and mass < p:
        mass += shares[size]
        size += 1
    least = best_first[size - 1]
    return [z if z >= least else -math.inf for z in logits]


def checks(answer: Any) -> Iterator[Check]:
    """What must be left, and where."""
    gone = -math.inf
    yield Check(
        "What is kept stays in its place, wherever the best token stands",
        fresh(answer, [0.0, 1.0, 7.0, 3.0], 0.9),
        [gone, gone, 7.0, gone],
        "The sum was taken in ranked order: carry the ids along, mark those.",
    )
    yield Check(
        "Of equal logits it keeps the lower ids, no more than p needs",
        fresh(answer, [0.0, 2.0, 2.0, 2.0], 0.5),
        [gone, 2.0, 2.0, gone],
        "A threshold lets in all tokens that tie with the last one needed.",
    )
    yield Check(
        "The token with which the sum reaches p is kept, even the first",
        agrees(answer, keep_top_p, [([1.0, 2.0, 0.0], 0.8), ([0.0, 6.0, 1.0], 0.5)]),
        True,
        "Without the crossing token less than p is left, perhaps nothing.",
    )
    rng = random.Random(19)
    steps = [
        ([round(rng.gauss(0, 2), 1) for _ in range(6)], round(rng.uniform(0.1, 0.95), 2)) for _ in range(40)
    ]
    yield Check(
        "It agrees with the library on random steps and an even one",
        agrees(answer, keep_top_p, [*steps, ([0.0] * 4, 0.5)]),
        True,
        "Rank the ids of this step by hand, and add up until p is reached.",
    )


EXERCISE = Exercise(
    ident="19.5",
    title="A filter that every test passed",
    level="find the bug",
    name="nucleus",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            in_ranked_order,
            "sorts the logits too, and gives them back in ranked order",
            "What is kept stays in its place, wherever the best token stands",
        ),
        Wrong(
            by_a_threshold,
            "keeps all that is as large as the last logit needed",
            "Of equal logits it keeps the lower ids, no more than p needs",
        ),
    ),
)
