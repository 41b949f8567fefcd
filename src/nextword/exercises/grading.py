"""Grading: run the named checks of an exercise against an answer, whatever the answer does."""

import copy
import linecache
import math
import signal
import sys
import textwrap
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any

from nextword.exercises.catalogue import Check, Exercise, exercise

LONGEST_GRADING = 10.0
"""How long the checks of one answer may take, together."""

LONGEST_TEXT = 76


class OutOfTime(BaseException):
    """The time is up. Not an `Exception`, so that an answer which catches those does not catch it."""


@dataclass(frozen=True)
class Outcome:
    """What became of a check: whether it held, and what the reader is told if it did not."""

    claim: str
    held: bool
    said: str = ""


@dataclass(frozen=True)
class Report:
    """What became of an answer.

    Attributes:
        text: what the reader is told.
        failed: the claims of the checks that do not hold.
    """

    text: str
    failed: tuple[str, ...]


def grade(ident: str, answer: Any, seconds: float = LONGEST_GRADING) -> bool:
    """Print the named checks of an exercise for an answer, and say whether all hold.

    What is wrong with the answer is told, never raised: an exception in it, a wrong type or shape, an endless loop.

    Args:
        ident: the exercise, such as "20.3".
        answer: the reader's function, class or value.
        seconds: how long all checks together may take.

    Raises:
        ValueError: there is no such exercise, or ``seconds`` is not positive.
    """
    if not (isinstance(seconds, (int, float)) and seconds > 0):
        raise ValueError(f"seconds must be a positive number, not {seconds!r}")
    told = report(exercise(ident), answer, seconds)
    print(told.text)
    return not told.failed


def report(found: Exercise, answer: Any, seconds: float = LONGEST_GRADING) -> Report:
    """The named checks of an exercise for an answer, as text, and which of them fail."""
    outcomes = examine(found, answer, seconds)
    lines = [f"Exercise {found.ident}: {found.title}"]
    for outcome in outcomes:
        lines.append(f"{'ok  ' if outcome.held else 'NOT '} {outcome.claim}")
        lines += ["       " + line for line in outcome.said.splitlines()]
    failed = tuple(outcome.claim for outcome in outcomes if not outcome.held)
    lines.append(f"{len(outcomes) - len(failed)} of {len(outcomes)} checks hold")
    return Report("\n".join(lines), failed)


def trials(found: Exercise) -> tuple[Report, Report, Report]:
    """The reports of the exercise's own solution and of its typical wrong answers."""
    first, second = found.wrong
    own = (found.solution, first.answer, second.answer)
    right, one, other = (report(found, found.answer_of(answer)) for answer in own)
    return right, one, other


def examine(found: Exercise, answer: Any, seconds: float = LONGEST_GRADING) -> list[Outcome]:
    """The outcome of each check, in order. After the time is up, the rest is not run."""
    outcomes: list[Outcome] = []
    ends = time.monotonic() + seconds
    for check in found.checks(answer):
        left = ends - time.monotonic()
        if left <= 0:
            outcomes.append(Outcome(check.claim, False, "not run: the time was up before"))
            continue
        outcomes.append(_outcome(check, left, seconds, found.level != "predict"))
    return outcomes


def _outcome(check: Check, left: float, seconds: float, tells: bool) -> Outcome:
    """What became of a check. It tells what was expected, unless that is what is asked."""
    try:
        with time_limit(left):
            got = check.got()
            if same(got, check.expected):
                return Outcome(check.claim, True)
            said = _differs(short(got), short(check.expected) if tells else "")
    except OutOfTime:
        return Outcome(
            check.claim,
            False,
            f"stopped: it did not end within {seconds:g} seconds. Is there an endless loop?",
        )
    except BaseException as error:  # a reader's code may raise anything, SystemExit and KeyboardInterrupt too
        said = _raised(error)
    return Outcome(check.claim, False, "\n".join([said, *textwrap.wrap(check.means, LONGEST_TEXT)]))


def _differs(got: str, expected: str) -> str:
    if not expected:
        return f"got {got}"
    gap = ", " if len(got) + len(expected) < LONGEST_TEXT - len("got , expected ") else "\n"
    return f"got {got}{gap}expected {expected}"


def _raised(error: BaseException) -> str:
    """What was raised, and at which line of the answer."""
    ours = ("nextword", __name__)
    lines = [
        (number, linecache.getline(frame.f_code.co_filename, number).strip())
        for frame, number in traceback.walk_tb(error.__traceback__)
        if not str(frame.f_globals.get("__name__")).startswith(ours)
    ]
    where = f", at line {lines[-1][0]}: {lines[-1][1]}" if lines and lines[-1][1] else ""
    text = _cut(str(error).split("\n")[0]) if _quiet(lambda: str(error)) else ""
    return f"it raised {type(error).__name__}{': ' + text if text else ''}{where}"


def _quiet(ask: Callable[[], object]) -> bool:
    try:
        ask()
    except Exception:
        return False
    return True


def same(got: Any, expected: Any, tolerance: float = 1e-9) -> bool:
    """Whether two values are the same to a reader: lists and tuples and arrays alike, floats to a tolerance.

    A truth value equals only a truth value, and text only text.
    """
    if hasattr(got, "tolist") and not isinstance(got, (list, tuple)):
        got = got.tolist()
    if isinstance(expected, bool) or isinstance(got, bool):
        return isinstance(got, bool) and isinstance(expected, bool) and got == expected
    if isinstance(expected, (int, float)):
        return isinstance(got, (int, float)) and _near(float(got), float(expected), tolerance)
    if isinstance(expected, (str, bytes)) or expected is None:
        return type(got) is type(expected) and bool(got == expected)
    if isinstance(expected, Mapping):
        return (
            isinstance(got, Mapping)
            and got.keys() == expected.keys()
            and all(same(got[key], expected[key], tolerance) for key in expected)
        )
    if isinstance(expected, Set):
        return isinstance(got, Set) and got == expected
    if isinstance(expected, Sequence):
        return (
            isinstance(got, Sequence)
            and not isinstance(got, (str, bytes))
            and len(got) == len(expected)
            and all(same(a, b, tolerance) for a, b in zip(got, expected, strict=True))
        )
    return bool(got == expected)


def _near(got: float, expected: float, tolerance: float) -> bool:
    if math.isnan(expected) or math.isinf(expected):
        return (math.isnan(got) and math.isnan(expected)) or got == expected
    return abs(got - expected) <= tolerance * max(1.0, abs(expected))


def short(value: object) -> str:
    """A value as a reader can take it in: floats to six digits, long ones cut, with their length or shape."""
    try:
        text = _rounded(value)
    except BaseException:  # __repr__ of a reader's class may fail in any way
        return f"a {type(value).__name__} that cannot be printed"
    if len(text) <= LONGEST_TEXT:
        return text
    shape = _shape(value)
    return f"{_cut(text)}{f' (shape {shape})' if shape else ''}"


def _rounded(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_rounded, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(_rounded, value)) + ("," if len(value) == 1 else "") + ")"
    return repr(value)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"


def _shape(value: Any) -> str:
    """The lengths of nested lists, such as "3 x 4"."""
    sizes = []
    while isinstance(value, (list, tuple)) and value:
        sizes.append(str(len(value)))
        value = value[0]
    return " x ".join(sizes)


def fresh(answer: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[], Any]:
    """Ask an answer with copies of the arguments, so that one that changes them does not spoil the next check."""
    return lambda: answer(*copy.deepcopy(arguments), **copy.deepcopy(named))


def refuses(answer: Callable[..., Any], *arguments: Any, **named: Any) -> Callable[[], bool]:
    """Ask whether an answer refuses these arguments with a `ValueError`; any other error is told as it is."""
    ask = fresh(answer, *arguments, **named)

    def refused() -> bool:
        try:
            ask()
        except ValueError:
            return True
        return False

    return refused


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `OutOfTime` in the block once the time is up.

    By a timer of the system where there is one and this is the main thread; else by looking at the clock at each line,
    which is slower and does not see what runs outside Python.
    """
    if threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        with _by_timer(seconds):
            yield
    else:
        with _by_trace(seconds):
            yield


@contextmanager
def _by_timer(seconds: float) -> Iterator[None]:
    def stop(number: int, frame: FrameType | None) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.2)  # again, for an answer that catches everything
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def _by_trace(seconds: float) -> Iterator[None]:
    ends = time.monotonic() + seconds

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        if time.monotonic() > ends:
            raise OutOfTime
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        yield
    finally:
        sys.settrace(before)
