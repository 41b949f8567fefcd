"""Asking an answer: with fresh arguments, for a refusal, or for agreement with the right function on many cases."""

import copy
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from nextword.exercises.comparing import LONGEST_TEXT, cut_to_line, same, short

CLOSE = "They are close, but not within one part in a billion."


class Differs(Exception):
    """An answer is not what it should be; says how."""


@dataclass
class Call:
    """A call of an answer, with copies of its arguments, so that one that changes them does not spoil the next check."""

    answer: Callable[..., Any]
    arguments: tuple[Any, ...]
    named: dict[str, Any] = field(default_factory=dict)

    def __call__(self) -> Any:
        """Ask."""
        return self.answer(*copy.deepcopy(self.arguments), **copy.deepcopy(self.named))

    def shown(self, name: str) -> str:
        """The call as a reader would write it, cut where it is long."""
        parts = [short(argument) for argument in self.arguments]
        parts += [f"{key}={short(value)}" for key, value in self.named.items()]
        text = f"{name}({', '.join(parts)})"
        return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


@dataclass
class Refusal:
    """Asks whether a call is refused with a `ValueError`; any other error is told as it is."""

    asked: Call

    def __call__(self) -> bool:
        """True if it is.

        Raises:
            Differs: the call gave a value.
        """
        try:
            got = self.asked()
        except ValueError:
            return True
        raise Differs(f"got {short(got)}, expected a ValueError")


@dataclass
class Agreement:
    """Asks an answer and the right function the same, case by case, up to the first in which they differ."""

    answer: Callable[..., Any]
    right: Callable[..., Any]
    cases: Iterable[tuple[Any, ...]]
    asked: Call | None = None

    def __call__(self) -> bool:
        """True if they agree in each case.

        Raises:
            Differs: they differ in one; ``asked`` is the call.
        """
        for case in self.cases:
            self.asked = Call(self.answer, case)
            got, expected = self.asked(), Call(self.right, case)()
            if not same(got, expected):
                raise Differs(differs(got, expected))
        return True


def differs(got: object, expected: object) -> str:
    """What came and what was expected, on one line if it is short."""
    one, other = short(got), short(expected)
    if one == other:
        return f"got {cut_to_line(repr(got))}\nexpected {cut_to_line(repr(expected))}\n{CLOSE}"
    fits = len(one) + len(other) < LONGEST_TEXT - len("got , expected ")
    return f"got {one}{', ' if fits else chr(10)}expected {other}"


def fresh(answer: Callable[..., Any], *arguments: Any, **named: Any) -> Call:
    """What a check asks: the answer with these arguments, copied for each call."""
    return Call(answer, arguments, named)


def refuses(answer: Callable[..., Any], *arguments: Any, **named: Any) -> Refusal:
    """What a check asks that expects True: whether the answer refuses these arguments with a `ValueError`."""
    return Refusal(Call(answer, arguments, named))


def agrees(
    answer: Callable[..., Any], right: Callable[..., Any], cases: Iterable[tuple[Any, ...]]
) -> Agreement:
    """What a check asks that expects True: whether the answer gives what the right function gives, in each case.

    A case is the tuple of a call's arguments. The first case in which they differ is told.
    """
    return Agreement(answer, right, list(cases))
