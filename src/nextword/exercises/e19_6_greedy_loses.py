"""Greedy takes the likeliest token at each step, which need not be the likeliest text, however sure the first step is."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short

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


def row(model: Any, word: str) -> Mapping[str, float]:
    """The probabilities under a word, looked through."""
    if not isinstance(model, Mapping) or not isinstance(model.get(word), Mapping):
        raise Differs(f"the model has no dict under {short(word)}")
    found: Mapping[str, float] = model[word]
    shares = list(found.values())
    if not shares or not min(shares) > 0:
        raise Differs(f"under {short(word)}, a probability is not above zero, or there is none")
    if not abs(math.fsum(shares) - 1) < 1e-9:
        raise Differs(f"under {short(word)}, the probabilities sum to {short(math.fsum(shares))}")
    return found


def leads(model: Model) -> bool:
    """Has the favourite more than all other first words together?"""
    best, whole = max(model[""].values()), math.fsum(model[""].values())
    if not best > whole / 2 + 1e-9:
        raise Differs(f"the favourite has {short(best)}, all others have {short(whole - best)}")
    return True


def is_beaten(model: Model) -> bool:
    """What the program says, with both probabilities where it says no."""
    if not start(model):
        first = max(model[""], key=lambda word: model[""][word])
        second = max(model[first], key=lambda word: model[first][word])
        greedy = probability(model, first, second)
        texts = [(one, other) for one in model[""] for other in model[one]]
        best = max((probability(model, *text) for text in texts if text != (first, second)), default=0.0)
        factor = f"{short(best / greedy)} times as much"
        raise Differs(f"greedy's text has {short(greedy)}, the best other {short(best)}: {factor}")
    return True


def checks(answer: Any) -> Iterator[Check]:
    """What the model must have, and be."""
    yield Check(
        "Every row is a distribution, and every first word has a row",
        lambda: all(row(answer, word) for word in ("", *row(answer, ""))),
        True,
        "Each row holds probabilities: all above zero, with a sum of one.",
    )
    yield Check(
        "Greedy's first word has more than all other first words together",
        lambda: leads(answer),
        True,
        "Raise the favourite. Greedy can still lose by what follows it.",
    )
    yield Check(
        f"Another text is more than {TIMES} times as probable as greedy's",
        lambda: is_beaten(answer),
        True,
        "Probabilities multiply: make all that follows greedy's word rare.",
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
            f"Another text is more than {TIMES} times as probable as greedy's",
        ),
        Wrong(
            a_doubtful_first_word,
            "lets greedy lose after a first step that was open",
            "Greedy's first word has more than all other first words together",
        ),
    ),
)
