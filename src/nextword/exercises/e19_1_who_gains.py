"""What heat does to each probability, where lesson 19 looks at the ranks: a token behind the favourite can lose too."""

import math
from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import kind_of, short
from nextword.softmax import softmax


def start() -> list[list[str]]:
    """Which of the first tokens gain when a step is cooled, and heated."""
    weights = [36, 25, 9, 1, 1, 1, 1, 1, 1, 1]
    logits = [math.log(weight) for weight in weights]
    plain = softmax(logits)
    moves = []
    for temperature in (0.5, 2):
        changed = softmax(logits, temperature)
        pairs = list(zip(plain, changed, strict=True))[:4]
        moves.append(["up" if new > old else "down" for old, new in pairs])
    return moves


def solution() -> list[list[str]]:
    """Square the weights, or take their roots, and compare the shares."""
    weights = [36, 25, 9, 1, 1, 1, 1, 1, 1, 1]
    squares = [weight**2 for weight in weights]
    roots = [math.isqrt(weight) for weight in weights]
    moves = []
    for changed in (squares, roots):
        new, old = sum(changed), sum(weights)
        gains = [changed[i] * old > weights[i] * new for i in range(4)]
        moves.append(["up" if gain else "down" for gain in gains])
    return moves


def favourite_against_the_rest() -> list[list[str]]:
    """Cold gives to the favourite, heat takes from it alone."""
    cooled = ["up", "down", "down", "down"]
    heated = ["down", "up", "up", "up"]
    return [cooled, heated]


def against_an_even_share() -> list[list[str]]:
    """Heat moves each share towards the mean, cold away from it."""
    weights = [36, 25, 9, 1, 1, 1, 1, 1, 1, 1]
    even = sum(weights) / len(weights)
    cooled = ["up" if weight > even else "down" for weight in weights[:4]]
    heated = ["down" if weight > even else "up" for weight in weights[:4]]
    return [cooled, heated]


def part(answer: Any, place: int, number: int) -> Any:
    """A part of an answer, if the answer is a list of so many."""
    if kind_of(answer) != "a list":
        raise Differs(f"got {short(answer)}\nThis is {kind_of(answer)}, and a list is asked.")
    if len(answer) != number:
        raise Differs(f"got a list of {len(answer)}, and one of {number} is asked")
    return answer[place]


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted moves must be."""
    cooled, heated = solution()
    yield Check(
        "It says who gains and who loses when the step is cooled",
        lambda: part(answer, 0, 2),
        cooled,
        "An even share decides nothing: square the weights, sum, and divide.",
    )
    yield Check(
        "It says who gains and who loses when it is heated",
        lambda: part(answer, 1, 2),
        heated,
        "The favourite need not pay alone: divide by the new sum.",
    )


EXERCISE = Exercise(
    ident="19.1",
    title="Who gains when a step is heated?",
    level="predict",
    name="who_gains",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            favourite_against_the_rest,
            "lets heat take from the favourite and give to all others",
            "It says who gains and who loses when it is heated",
        ),
        Wrong(
            against_an_even_share,
            "moves every token straight towards an even share, or away from it",
            "It says who gains and who loses when the step is cooled",
        ),
    ),
)
