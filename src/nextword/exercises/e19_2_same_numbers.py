"""A seed fixes the uniform numbers, not the tokens: they are laid on whatever shares the settings left."""

from bisect import bisect_right
from collections.abc import Iterator
from fractions import Fraction
from itertools import accumulate
from typing import Any

from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import kind_of, short

WORDS = ("tea", "milk", "water", "ink")
WEIGHTS = (4, 3, 2, 1)
NUMBERS = (0.15, 0.5, 0.95, 0.42, 0.68)
"""Uniform numbers, as a generator might give them after one seed, in order."""


def start() -> list[str]:
    """The texts that the same numbers draw under other settings."""
    texts = []
    for top_k, temperature in [(4, 1), (2, 1), (4, 0.5)]:
        kept = [weight ** (1 / temperature) for weight in WEIGHTS[:top_k]]
        text = []
        for number in NUMBERS:
            place, running = 0, kept[0] / sum(kept)
            while number >= running:
                place += 1
                running += kept[place] / sum(kept)
            text.append(WORDS[place])
        texts.append(" ".join(text))
    return texts


def lay(weights: list[int]) -> str:
    """Lay the numbers on stretches as long as the weights' shares."""
    ends = list(accumulate(Fraction(w, sum(weights)) for w in weights))
    exact = [Fraction(str(number)) for number in NUMBERS]
    return " ".join(WORDS[bisect_right(ends, number)] for number in exact)


def solution() -> list[str]:
    """Each setting has stretches of its own, which fill the whole line."""
    squares = [weight**2 for weight in WEIGHTS]
    return [lay(list(WEIGHTS)), lay(list(WEIGHTS[:2])), lay(squares)]


def cut_without_sharing_out() -> list[str]:
    """Leave the shares as they were; the last word kept takes the rest."""
    plain = lay(list(WEIGHTS))
    last = WORDS[1]
    cut = [word if word in WORDS[:2] else last for word in plain.split()]
    return [plain, " ".join(cut), lay([weight**2 for weight in WEIGHTS])]


def divide_the_probabilities() -> list[str]:
    """Divide shares, not logits, by the temperature; the sum cancels it."""
    plain = lay(list(WEIGHTS))
    return [plain, lay(list(WEIGHTS[:2])), plain]


def part(answer: Any, place: int, number: int) -> Any:
    """A part of an answer, if the answer is a list of so many."""
    if kind_of(answer) != "a list":
        raise Differs(f"got {short(answer)}\nThis is {kind_of(answer)}, and a list is asked.")
    if len(answer) != number:
        raise Differs(f"got a list of {len(answer)}, and one of {number} is asked")
    return answer[place]


def checks(answer: Any) -> Iterator[Check]:
    """What the predicted texts must be."""
    plain, cut, cooled = solution()
    yield Check(
        "It has the text without any filter",
        lambda: part(answer, 0, 3),
        plain,
        "A number draws the first word at which the running sum exceeds it.",
    )
    yield Check(
        "It has the text that the same numbers draw after top-k",
        lambda: part(answer, 1, 3),
        cut,
        "The words that are left fill the whole line, so their ends move.",
    )
    yield Check(
        "It has the text that the same numbers draw from the cooled step",
        lambda: part(answer, 2, 3),
        cooled,
        "Temperature acts on logits, so on powers of weights, not on shares.",
    )


EXERCISE = Exercise(
    ident="19.2",
    title="The same seed, other settings",
    level="predict",
    name="same_numbers",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            cut_without_sharing_out,
            "cuts words off and leaves the shares of the others as they were",
            "It has the text that the same numbers draw after top-k",
        ),
        Wrong(
            divide_the_probabilities,
            "divides the probabilities by the temperature, not the logits",
            "It has the text that the same numbers draw from the cooled step",
        ),
    ),
)
