"""Grading: run the named checks of an exercise against an answer, whatever the answer does."""

import linecache
import sys
import textwrap
import threading
import time
import traceback
from contextlib import redirect_stdout
from dataclasses import dataclass
from typing import Any

from nextword.exercises.asking import CLOSE, Differs, differs
from nextword.exercises.catalogue import VALUES, Check, Exercise, exercise
from nextword.exercises.comparing import LONGEST_TEXT, cut_to_line, kind_of, same, short
from nextword.exercises.limits import OutOfTime, Printed, within

LONGEST_GRADING = 10.0
"""How many seconds the checks of one answer may take, together, if the reader says nothing."""

LONGEST_WAIT = 3600
"""How many seconds a reader may say."""

ONE_AT_A_TIME = threading.RLock()
"""Standard output is one for all threads, so gradings take turns."""


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
        held: the claims of the checks that hold.
        failed: the claims of those that do not.
        outcomes: both, in the order of the checks, with what is told of each. Where nothing was checked, nothing is told of one.
    """

    text: str
    held: tuple[str, ...]
    failed: tuple[str, ...]
    outcomes: tuple[Outcome, ...] = ()


def grade(ident: str, answer: Any, seconds: float = LONGEST_GRADING) -> bool:
    """Print the named checks of an exercise for an answer, and say whether all hold.

    What is wrong with the answer is told, never raised: an exception in it, a wrong type or shape, an endless loop.

    Args:
        ident: the exercise, such as "20.3".
        answer: the reader's function, class or value.
        seconds: how long all checks together may take.

    Raises:
        ValueError: there is no such exercise, or ``seconds`` is out of range.
    """
    if not (isinstance(seconds, (int, float)) and 0 < seconds <= LONGEST_WAIT):
        raise ValueError(f"seconds must be above 0 and at most {LONGEST_WAIT}, not {seconds!r}")
    told = report(exercise(ident), answer, seconds)
    try:
        print(told.text)
    except UnicodeEncodeError:  # a terminal with few letters
        encoding = sys.stdout.encoding or "ascii"
        print(told.text.encode(encoding, "backslashreplace").decode(encoding))
    return not told.failed


def report(found: Exercise, answer: Any, seconds: float = LONGEST_GRADING) -> Report:
    """The named checks of an exercise for an answer, as text, and which of them fail."""
    lines = [f"Exercise {found.ident}: {found.title}"]
    if problem := _no_answer(found, answer):
        claims = tuple(check.claim for check in found.checks(answer))
        lines += textwrap.wrap(f"Nothing was checked: {problem}", LONGEST_TEXT)
        return Report("\n".join(lines), (), claims, tuple(Outcome(claim, False) for claim in claims))
    printed = Printed()
    with ONE_AT_A_TIME, redirect_stdout(printed):
        outcomes = examine(found, answer, seconds)
    for outcome in outcomes:
        mark = "ok   " if outcome.held else "NOT  "
        lines += textwrap.wrap(outcome.claim, LONGEST_TEXT, initial_indent=mark, subsequent_indent=" " * 5)
        lines += ["       " + line for line in outcome.said.split("\n") if line]
    lines += printed.told()
    held = tuple(outcome.claim for outcome in outcomes if outcome.held)
    failed = tuple(outcome.claim for outcome in outcomes if not outcome.held)
    lines.append(f"{len(held)} of {len(outcomes)} checks hold")
    return Report("\n".join(map(_printable, lines)), held, failed, tuple(outcomes))


def _printable(line: str) -> str:
    """The line with characters that a terminal would obey written as escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in line)


def _no_answer(found: Exercise, answer: Any) -> str:
    """Why there is nothing to check, or nothing."""
    if found.level not in VALUES:
        what = f"the function or class {found.name} itself is asked"
        return "" if callable(answer) else f"{what}, and this is {kind_of(answer)}"
    if answer is None or answer is ...:
        return "there is no answer yet"
    return "a value is asked, and this is a function: hand in what it returns" if callable(answer) else ""


def nothing(*arguments: Any, **named: Any) -> None:
    """An answer that says nothing."""


def trials(found: Exercise) -> tuple[Report, Report, Report, Report]:
    """The reports of the exercise's own solution, of its typical wrong answers, and of an answer that says nothing."""
    first, second = found.wrong
    own = (found.solution, first.answer, second.answer)
    right, one, other = (report(found, found.answer_of(answer)) for answer in own)
    return right, one, other, report(found, "" if found.level in VALUES else nothing)


def examine(found: Exercise, answer: Any, seconds: float = LONGEST_GRADING) -> list[Outcome]:
    """The outcome of each check, in order. After the time is up, the rest is not run."""
    outcomes: list[Outcome] = []
    ends = time.monotonic() + seconds
    before = ""
    for check in found.checks(answer):
        left = ends - time.monotonic()
        if left <= 0:
            outcomes.append(Outcome(check.claim, False, "not run: the time was up before"))
            continue
        outcome = _outcome(found, check, left, seconds)
        again = outcome.said and outcome.said == before and outcome.said.startswith("it raised ")
        before = outcome.said
        outcomes.append(Outcome(check.claim, False, "it raised the same again") if again else outcome)
    return outcomes


def _outcome(found: Exercise, check: Check, left: float, seconds: float) -> Outcome:
    """What became of a check. All that may run an answer's code, its ``__eq__`` and ``__repr__`` too, is within the limit."""
    try:
        return within(left, lambda: _asked(found, check))
    except OutOfTime:
        said = f"stopped: it did not end within {seconds:g} seconds. Is there an endless loop?"
    except BaseException:  # in telling what was raised
        said = "it raised an error that cannot be told"
    return Outcome(check.claim, False, said)


def _asked(found: Exercise, check: Check) -> Outcome:
    """Ask, compare and say. What was expected is told, unless that is what the reader is asked to predict."""
    means = check.means
    try:
        got = check.got()
        if same(got, check.expected):
            return Outcome(check.claim, True)
        said = _compared(found, got, check.expected)
    except OutOfTime:
        raise
    except Differs as difference:
        said = str(difference)
    except BaseException as error:  # a reader's code may raise anything, SystemExit and KeyboardInterrupt too
        means = means if isinstance(error, ArithmeticError) else ""  # another error says nothing of it
        return Outcome(check.claim, False, "\n".join([_raised(error), *textwrap.wrap(means, LONGEST_TEXT)]))
    if said.endswith(CLOSE):
        means = ""
    asked = getattr(check.got, "asked", check.got)
    call = [f"{asked.shown(found.name)}:"] if hasattr(asked, "shown") else []
    return Outcome(check.claim, False, "\n".join([*call, said, *textwrap.wrap(means, LONGEST_TEXT)]))


def _compared(found: Exercise, got: object, expected: object) -> str:
    if got is None and expected is not None and found.level not in VALUES:
        return f"got None, expected {short(expected)}\nIs a return missing?"
    if found.level != "predict":
        return differs(got, expected)
    asked, given = kind_of(expected), kind_of(got)
    return f"got {short(got)}" + (f"\nThis is {given}, and {asked} is asked." if asked != given else "")


def _raised(error: BaseException) -> str:
    """What was raised, and at which line of the answer."""
    ours = ("nextword", __name__)
    lines = [
        (number, linecache.getline(frame.f_code.co_filename, number).strip())
        for frame, number in traceback.walk_tb(error.__traceback__)
        if not str(frame.f_globals.get("__name__")).startswith(ours)
    ]
    where = "\n" + cut_to_line(f"at line {lines[-1][0]}: {lines[-1][1]}") if lines and lines[-1][1] else ""
    try:
        text = cut_to_line(str(error).split("\n")[0])
    except OutOfTime:
        raise
    except BaseException:  # its __str__ is a reader's code as well
        text = ""
    return f"it raised {type(error).__name__}{': ' + text if text else ''}{where}"
