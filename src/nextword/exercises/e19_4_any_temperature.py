"""Softmax at any temperature, zero included: overflow, ties, and the tiny number that stands in for zero.

A temperature of zero that is clamped to something tiny is in many samplers; lesson 19 says what zero means.
"""

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

from nextword.decoding import decode_distribution
from nextword.exercises.asking import Differs, agrees, fresh, refuses
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.softmax import softmax


def start(logits: Sequence[float], temperature: float) -> list[float]:
    """Turn logits into probabilities; temperature 0 means greedy.

    Args:
        logits: V numbers of any size; minus infinity is impossible, and at
            least one is not.
        temperature: any finite number of at least 0.

    Returns:
        V numbers that sum to 1. At temperature 0 the largest logit has 1,
        among equals the first.

    Raises:
        ValueError: the temperature is negative, infinite or nan.
    """
    raise NotImplementedError("subtract, divide, exponentiate, divide")


def refuse(temperature: float) -> None:
    """Refuse what is no temperature."""
    if not (math.isfinite(temperature) and temperature >= 0):
        raise ValueError(f"temperature must be finite, >= 0: {temperature}")


def solution(logits: Sequence[float], temperature: float) -> list[float]:
    """Turn logits into probabilities; temperature 0 means greedy."""
    refuse(temperature)
    best = max(logits)
    if temperature == 0:
        first = list(logits).index(best)
        return [float(token == first) for token in range(len(logits))]
    weights = [math.exp((z - best) / temperature) for z in logits]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def by_the_formula(logits: Sequence[float], temperature: float) -> list[float]:
    """Exponentiate the logits as they are."""
    refuse(temperature)
    if temperature == 0:
        first = list(logits).index(max(logits))
        return [float(token == first) for token in range(len(logits))]
    weights = [math.exp(z / temperature) for z in logits]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def with_a_floor(logits: Sequence[float], temperature: float) -> list[float]:
    """Put something tiny in place of zero."""
    refuse(temperature)
    heat = max(temperature, 1e-6)
    best = max(logits)
    weights = [math.exp((z - best) / heat) for z in logits]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


LARGE = 1000.0


def library(logits: Sequence[float], temperature: float) -> list[float]:
    """The same by the taught library."""
    if temperature == 0:
        return decode_distribution(logits, temperature=0)
    return softmax(logits, temperature)


def refuses_each(answer: Any, logits: Sequence[float], temperatures: Sequence[float]) -> bool:
    """Does it refuse all of these temperatures?"""
    for temperature in temperatures:
        try:
            refuses(answer, logits, temperature)()
        except Differs as difference:
            raise Differs(f"temperature {temperature}: {difference}") from None
    return True


def checks(answer: Any) -> Iterator[Check]:
    """What the probabilities must be."""
    near = [2.0, 1.0, -1.0]
    yield Check(
        "Moving all logits far up or far down changes nothing",
        agrees(answer, library, [([z + far for z in near], 0.8) for far in (LARGE, -LARGE)]),
        True,
        "exp overflows, or all become zero: subtract the largest logit first.",
    )
    yield Check(
        "At temperature zero the first of the largest logits has it all",
        fresh(answer, [1.0, 4.0, 4.0, -2.0], 0),
        [0.0, 1.0, 0.0, 0.0],
        "Zero means argmax. A tiny temperature in its place draws between ties.",
    )
    yield Check(
        "Near zero the largest share all alike, and nothing overflows",
        agrees(
            answer, library, [([3.0, 5.0, 4.0], 1e-3), ([1.0, 4.0, 4.0], 1e-6), ([3.0, 5.0, 4.0], 1e-308)]
        ),
        True,
        "Zero alone is greedy. Subtract the largest logit first, then divide.",
    )
    impossible = [-math.inf, 1.0, 0.0]
    yield Check(
        "What is impossible stays impossible, cold or hot",
        agrees(answer, library, [(impossible, heat) for heat in (0, 0.5, 100)]),
        True,
    )
    rng = random.Random(19)
    steps = [
        ([round(rng.gauss(0, 4), 1) for _ in range(5)], round(rng.uniform(0.2, 3), 1)) for _ in range(20)
    ]
    yield Check(
        "It agrees with the library on random logits and temperatures",
        agrees(answer, library, steps),
        True,
    )
    yield Check(
        "A temperature that is negative, infinite or nan is refused",
        lambda: refuses_each(answer, near, [-0.5, math.inf, math.nan]),
        True,
        "No comparison with nan is true; `math.isfinite` sees it.",
    )


EXERCISE = Exercise(
    ident="19.4",
    title="Softmax at any temperature",
    level="implement",
    name="probabilities",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            by_the_formula,
            "computes the formula as it is printed, without subtracting first",
            "Moving all logits far up or far down changes nothing",
        ),
        Wrong(
            with_a_floor,
            "puts a tiny temperature in the place of zero",
            "At temperature zero the first of the largest logits has it all",
        ),
    ),
)
