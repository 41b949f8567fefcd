"""What an exercise is, and where each one lies."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

LEVELS = ("predict", "find the bug", "find an example", "implement")
"""What is asked of the reader."""

VALUES = ("predict", "find an example")
"""The levels whose answer is a value; of the others it is a function or a class."""


@dataclass(frozen=True)
class Check:
    """A named check of an answer: what the answer gives must equal what is expected.

    Attributes:
        claim: what a right answer does, as a sentence.
        got: asks the answer; called once, and allowed to fail in any way.
        expected: the right value, from the solution, a law or a source.
        means: what a reader who fails has probably misunderstood, or nothing.
    """

    claim: str
    got: Callable[[], object]
    expected: object
    means: str = ""


@dataclass(frozen=True)
class Wrong:
    """A typical wrong answer.

    Attributes:
        answer: the answer, a function or class; where a value is asked, a function that computes it.
        does: what it does, so that the sentence "It …" can go on with it: "counts pairs across words".
        fails: the claim of the check that tells it first: the one whose ``means`` names the misunderstanding.
    """

    answer: Callable[..., Any]
    does: str
    fails: str


@dataclass(frozen=True)
class Exercise:
    """An exercise, all of it but its text.

    Attributes:
        ident: the lesson and a number, such as "20.3".
        title: what is asked, in a few words.
        level: one of `LEVELS`.
        name: how the function or class is called that the reader writes, or the program that is asked about.
        start: what the reader begins with; where a value is asked, the program that it is about.
        solution: a right answer; where a value is asked, a function that computes it.
        checks: the named checks of an answer, each with its own fresh inputs.
        wrong: typical wrong answers, two of them.
    """

    ident: str
    title: str
    level: str
    name: str
    start: Callable[..., Any]
    solution: Callable[..., Any]
    checks: Callable[[Any], Iterator[Check]]
    wrong: tuple[Wrong, Wrong]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d+\.\d+", self.ident):
            raise ValueError(f"ident must be a lesson and a number, such as '20.3', not {self.ident!r}")
        if self.level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {self.level!r}")
        if not self.name.isidentifier():
            raise ValueError(f"name must be an identifier, not {self.name!r}")

    def answer_of(self, own: Callable[..., Any]) -> Any:
        """What is graded of the exercise's own code: where a value is asked, the one that it computes."""
        return own() if self.level in VALUES else own


def _modules() -> dict[str, str]:
    """The module of each exercise, in the order of lessons and numbers."""
    import nextword.exercises as package

    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        if match := re.fullmatch(r"e(\d+)_(\d+)_\w+", module.name):
            found[int(match[1]), int(match[2])] = f"{package.__name__}.{module.name}"
    return {f"{lesson}.{number}": found[lesson, number] for lesson, number in sorted(found)}


def exercise(ident: str) -> Exercise:
    """One exercise, by the lesson and its number.

    Raises:
        ValueError: there is no such exercise.
    """
    modules = _modules()
    if not isinstance(ident, str) or ident not in modules:
        raise ValueError(f"ident must be one of {', '.join(modules)}, not {ident!r}")
    found: Exercise = importlib.import_module(modules[ident]).EXERCISE
    return found


def exercises(lesson: int | None = None) -> list[Exercise]:
    """All exercises, or those of a lesson, in their order."""
    idents = [ident for ident in _modules() if lesson is None or ident.split(".")[0] == str(lesson)]
    return [exercise(ident) for ident in idents]
