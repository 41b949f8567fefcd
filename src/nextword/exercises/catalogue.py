"""What an exercise is, and where each one lies."""

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

LEVELS = ("predict", "find the bug", "implement", "explore")
"""What is asked of the reader, from the easiest on."""


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
    """A typical wrong answer, and the claim that must fail for it: the one that names the misunderstanding."""

    answer: Any
    fails: str


@dataclass(frozen=True)
class Exercise:
    """An exercise, all of it but its text.

    Attributes:
        ident: the lesson and a number, such as "20.3".
        title: what is asked, in a few words.
        level: one of `LEVELS`.
        name: the name of the function or class that the reader writes; for "predict", of the value.
        start: what the reader begins with; for "predict", the program whose value is asked.
        solution: a right answer; for "predict", what computes it.
        checks: the named checks of an answer, each with its own fresh inputs.
        wrong: typical wrong answers; for "predict", what computes them.
    """

    ident: str
    title: str
    level: str
    name: str
    start: Callable[..., Any] | type
    solution: Callable[..., Any] | type
    checks: Callable[[Any], Iterator[Check]]
    wrong: tuple[Wrong, ...]

    def __post_init__(self) -> None:
        if not re.fullmatch(r"\d+\.\d+", self.ident):
            raise ValueError(f"ident must be a lesson and a number, such as '20.3', not {self.ident!r}")
        if self.level not in LEVELS:
            raise ValueError(f"level must be one of {', '.join(LEVELS)}, not {self.level!r}")
        if not self.name.isidentifier():
            raise ValueError(f"name must be an identifier, not {self.name!r}")

    def answer_of(self, answer: Any) -> Any:
        """What is graded where the exercise's own code is the answer: for "predict", the value that it computes."""
        return answer() if self.level == "predict" else answer


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
