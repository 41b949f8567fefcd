"""Greedy takes the likeliest token at each step, which need not be the likeliest text, however sure the first step is."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from nextword.exercises.catalogue import Check, Exercise, Wrong

Model = Mapping[str, Mapping[str, float]]
"""The probabilities of the first word under "", of the second under the first."""

TIMES = 2
"""How much more probable than greedy's text another one has to be."""


def probability(model: Model, first: str, second: str) -> float:
    """Multiply along a text: first word, then second after it."""
    return model[""][first] * model[first][second]


def start(model: Model) -> bool:
    """Is some text more than TIMES times as probable as greedy's?"""
    first = max(model[""], key=lambda word: model[""][word])
    second = max(model[first], key=lambda word: model[first][word])
    greedy = best = probability(model, first, second)
    for one in model[""]:
        for other in model[one]:
            best = max(best, probability(model, one, other))
    return best > TIMES * greedy


def solution() -> Model:
    """After the favourite nothing is likely, after the other all is sure."""
    return {
        "": {"the": 0.6, "once": 0.4},
        "the": {"king": 0.3, "queen": 0.3, "fox": 0.2, "sea": 0.2},
        "once": {"upon": 1.0},
    }


def a_surer_second_word() -> Model:
    """Give the rival the surer second word."""
    return {
        "": {"the": 0.7, "once": 0.3},
        "the": {"king": 0.6, "queen": 0.4},
        "once": {"upon": 1.0},
    }


def a_doubtful_first_word() -> Model:
    """Let the first step be open, then all is easy."""
    return {
        "": {"the": 0.4, "once": 0.35, "long": 0.25},
        "the": {"king": 0.3, "queen": 0.3, "fox": 0.2, "sea": 0.2},
        "once": {"upon": 1.0},
        "long": {"ago": 1.0},
    }


def is_distribution(row: Any) -> bool:
    """Is there a word, are all possible, and do they sum to one?"""
    shares = list(row.values())
    return bool(shares) and min(shares) > 0 and abs(math.fsum(shares) - 1) < 1e-9


def checks(answer: Any) -> Iterator[Check]:
    """What the model must have, and be."""
    yield Check(
        "Every row is a distribution, and every first word has a row",
        lambda: all(is_distribution(answer[word]) for word in ("", *answer[""])),
        True,
        "Each row holds probabilities: all above zero, with a sum of one",
    )
    yield Check(
        "Greedy's first word is more probable than all other first words together",
        lambda: max(answer[""].values()) > math.fsum(answer[""].values()) / 2 + 1e-9,
        True,
        "Raise the favourite above the rest. Greedy can still lose by what follows it",
    )
    yield Check(
        "Another text is more probable than greedy's, by more than the factor TIMES",
        lambda: start(answer),
        True,
        "Probabilities multiply along a text. Make what follows greedy's word thin",
    )


EXERCISE = Exercise(
    ident="19.6",
    title="Greedy loses, though it starts well",
    level="find an example",
    name="beats_greedy",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            a_surer_second_word,
            "gives the rival a surer second word, and a less probable text",
            "Another text is more probable than greedy's, by more than the factor TIMES",
        ),
        Wrong(
            a_doubtful_first_word,
            "lets greedy lose after a first step that was open",
            "Greedy's first word is more probable than all other first words together",
        ),
    ),
)
