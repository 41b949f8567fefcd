"""One decoding step with its settings in the order of Transformers, which counts the prompt's tokens as used.

The order of filters and heat (lesson 19), what is divided (github.com/huggingface/transformers/issues/2302), and the
token that crosses top-p are what readers get wrong.
"""

import math
import random
from collections.abc import Iterator, Sequence
from typing import Any

from nextword.decoding import decode_distribution
from nextword.exercises.asking import agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong

Logits = Sequence[float]
Ids = Sequence[int]


def start(
    logits: Logits,
    prompt: Ids,
    written: Ids,
    penalty: float,
    temperature: float,
    top_k: int,
    top_p: float,
) -> list[float]:
    """Give the probabilities from which the next token is drawn.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        prompt: the ids that the user gave; they count as used.
        written: the ids that were drawn since.
        penalty: divides a positive logit of a used token, multiplies any
            other one; at least 1. It acts first.
        temperature: above 0. It acts second.
        top_k: from 1 to V, third. Of equal logits the lower id is kept.
        top_p: above 0 and at most 1, last, of what top-k left; 1 is off.

    Returns:
        V probabilities that sum to 1, zero for what cannot be drawn.
    """
    raise NotImplementedError("penalize, heat, cut, cut, divide")


def penalized(logits: Logits, used: Ids, penalty: float) -> list[float]:
    """Divide or multiply the logit of each used token, once."""
    lowered = list(logits)
    for token in set(used):
        z = lowered[token]
        lowered[token] = z / penalty if z > 0 else z * penalty
    return lowered


def shares_of(logits: Logits, kept: Ids, heat: float) -> dict[int, float]:
    """The softmax over those tokens that are kept."""
    best = max(logits)
    weights = {t: math.exp((logits[t] - best) / heat) for t in kept}
    total = math.fsum(weights.values())
    return {token: weight / total for token, weight in weights.items()}


def solution(
    logits: Logits,
    prompt: Ids,
    written: Ids,
    penalty: float,
    temperature: float,
    top_k: int,
    top_p: float,
) -> list[float]:
    """Give the probabilities from which the next token is drawn."""
    scores = penalized(logits, [*prompt, *written], penalty)
    ranked = sorted(range(len(scores)), key=lambda token: -scores[token])
    shares = shares_of(scores, ranked[:top_k], temperature)
    kept: list[int] = []
    mass = 0.0
    for token, share in shares.items():
        if top_p < 1 and mass >= top_p:
            break
        kept.append(token)
        mass += share
    left = shares_of(scores, kept, temperature)
    return [left.get(token, 0.0) for token in range(len(scores))]


def without_the_crossing_token(
    logits: Logits,
    prompt: Ids,
    written: Ids,
    penalty: float,
    temperature: float,
    top_k: int,
    top_p: float,
) -> list[float]:
    """Stop before the sum would exceed top-p; the best token always stays."""
    scores = penalized(logits, [*prompt, *written], penalty)
    ranked = sorted(range(len(scores)), key=lambda token: -scores[token])
    shares = shares_of(scores, ranked[:top_k], temperature)
    kept: list[int] = []
    mass = 0.0
    for token, share in shares.items():
        mass += share
        if kept and mass > top_p:
            break
        kept.append(token)
    left = shares_of(scores, kept, temperature)
    return [left.get(token, 0.0) for token in range(len(scores))]


def heated_last(
    logits: Logits,
    prompt: Ids,
    written: Ids,
    penalty: float,
    temperature: float,
    top_k: int,
    top_p: float,
) -> list[float]:
    """Cut first, and heat what is left."""
    scores = penalized(logits, [*prompt, *written], penalty)
    ranked = sorted(range(len(scores)), key=lambda token: -scores[token])
    kept: list[int] = []
    mass = 0.0
    for token, share in shares_of(scores, ranked[:top_k], 1.0).items():
        if top_p < 1 and mass >= top_p:
            break
        kept.append(token)
        mass += share
    left = shares_of(scores, kept, temperature)
    return [left.get(token, 0.0) for token in range(len(scores))]


def weighed(*weights: int) -> list[float]:
    """Logits whose probabilities are in proportion to these weights."""
    return [math.log(weight) for weight in weights]


def library(
    logits: Logits,
    prompt: Ids,
    written: Ids,
    penalty: float,
    temperature: float,
    top_k: int,
    top_p: float,
) -> list[float]:
    """The same step by the taught library."""
    return decode_distribution(
        logits,
        [*prompt, *written],
        repetition_penalty=penalty,
        temperature=temperature,
        top_k=top_k,
        top_p=top_p,
    )


def steps(number: int) -> list[tuple[Any, ...]]:
    """Random steps with all settings on; some of their logits are equal."""
    rng = random.Random(19)
    found: list[tuple[Any, ...]] = []
    for _ in range(number):
        logits = [round(rng.gauss(0, 1.5), 1) for _ in range(4)]
        used = [[rng.randrange(4)], [rng.randrange(4) for _ in range(2)]]
        settings = (rng.uniform(1, 2), rng.uniform(0.5, 2), rng.randint(2, 4), rng.uniform(0.2, 0.98))
        found.append((logits, *used, *(round(value, 2) for value in settings)))
    return found


def checks(answer: Any) -> Iterator[Check]:
    """What the probabilities of a step must be."""
    yield Check(
        "The token with which the sum reaches top-p is kept",
        fresh(answer, weighed(1, 4, 2, 3), [], [], 1.0, 1.0, 4, 0.65),
        [0.0, 4 / 7, 0.0, 3 / 7],
        "Top-p keeps as few as have the mass, the crossing token among them.",
    )
    yield Check(
        "Heat acts before top-p: a cooled step needs fewer tokens",
        fresh(answer, weighed(3, 2, 1), [], [], 1.0, 0.5, 3, 0.6),
        [1.0, 0.0, 0.0],
        "Top-p weighs the heated shares, here those of the squared weights.",
    )
    yield Check(
        "Top-p weighs the shares of what top-k left",
        fresh(answer, weighed(5, 2, 1, 1, 1), [], [], 1.0, 1.0, 2, 0.6),
        [1.0, 0.0, 0.0, 0.0, 0.0],
        "What top-k left is divided by its sum, so fewer tokens reach top-p.",
    )
    yield Check(
        "Used tokens pay once: positive logits divided, others multiplied",
        fresh(answer, [2.0, -1.0, 0.5], [], [0, 1, 0], 2.0, 1.0, 3, 1.0),
        decode_distribution([1.0, -2.0, 0.5]),
        "Dividing a negative logit raises it; how often it came plays no part.",
    )
    yield Check(
        "The prompt's tokens are used ones, and the penalty acts first",
        fresh(answer, [4.0, 3.0, -1.0], [0], [], 2.0, 1.0, 2, 0.5),
        [0.0, 1.0, 0.0],
        "The penalty looks at the whole context, and top-k ranks what it left.",
    )
    even: list[tuple[Any, ...]] = [
        ([0.0] * 4, [], [], 1.0, 1.0, top_k, top_p) for top_k, top_p in ((2, 1.0), (4, 0.5))
    ]
    yield Check(
        "It agrees with the library where all settings act together",
        agrees(answer, library, [*steps(60), *even]),
        True,
        "Redo this step by hand, one setting after the other.",
    )


EXERCISE = Exercise(
    ident="19.7",
    title="The whole step",
    level="implement",
    name="chances",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            without_the_crossing_token,
            "leaves out the token with which the sum exceeds top-p",
            "The token with which the sum reaches top-p is kept",
        ),
        Wrong(
            heated_last,
            "cuts first and heats what is left",
            "Heat acts before top-p: a cooled step needs fewer tokens",
        ),
    ),
)
