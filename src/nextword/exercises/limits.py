"""Bounds on what an answer may do while it is graded: the time it takes, and how much of what it prints is kept."""

import contextlib
import io
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, TypeVar

MOST_LINES = 10
GRACE = 1.0
"""For how many seconds an answer is asked to stop, again and again, before it is left alone."""

T = TypeVar("T")


class OutOfTime(BaseException):
    """The time is up. Not an `Exception`, so that an answer which catches those does not catch it."""


def within(seconds: float, ask: Callable[[], T]) -> T:
    """What ``ask`` gives, asked in a thread of its own, so that one that never ends can be left behind.

    Where there are no threads (in a browser), the clock is looked at in each line instead.

    Raises:
        OutOfTime: the time is up. An answer that catches everything may still be running; what never leaves C, such as
            ``sum`` of a long range, lets nothing else run, so nothing can stop it.
    """
    found: list[T] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(ask())
        except BaseException as error:  # to be told by the thread that waits
            failed.append(error)

    thread = threading.Thread(target=work, daemon=True)
    try:
        thread.start()
    except RuntimeError:
        return _by_the_clock(seconds, ask)
    thread.join(seconds)
    ends = time.monotonic() + GRACE
    was_late = thread.is_alive()
    while thread.is_alive() and time.monotonic() < ends:
        _raise_in(thread)
        thread.join(0.05)
    if was_late:
        raise OutOfTime
    if failed:
        raise failed[0]
    return found[0]


def _raise_in(thread: threading.Thread) -> None:
    """Ask a thread to end, where this Python can."""
    with contextlib.suppress(ImportError, AttributeError):
        import ctypes

        identity = ctypes.c_ulong(thread.ident or 0)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(identity, ctypes.py_object(OutOfTime))


def _by_the_clock(seconds: float, ask: Callable[[], T]) -> T:
    ends = time.monotonic() + seconds

    def look(frame: FrameType, event: str, argument: Any) -> Any:
        if time.monotonic() > ends:
            raise OutOfTime
        return look

    before = sys.gettrace()
    sys.settrace(look)
    try:
        return ask()
    finally:
        sys.settrace(before)


class Printed(io.TextIOBase):
    """Stands for standard output while an answer is graded: the first lines are kept, the others counted."""

    def __init__(self) -> None:
        super().__init__()
        self.kept: list[str] = [""]
        self.more = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Keep the text while there are few lines, each cut to what a page shows."""
        first, *others = str(text).split("\n")
        self._add(first)
        for line in others:
            if len(self.kept) < MOST_LINES:
                self.kept.append("")
                self._add(line)
            else:
                self.more += 1
        return len(text)

    def _add(self, text: str) -> None:
        if not self.more:
            self.kept[-1] = (self.kept[-1] + text)[:80]

    def close(self) -> None:
        """Stay open: what is graded next may print as well."""

    def told(self) -> list[str]:
        """What the answer printed, for the report; nothing if it printed nothing."""
        lines = [line for line in self.kept if line]
        more = [f"| … and {self.more} more lines"] if self.more else []
        return ["your code printed:", *("| " + line for line in lines), *more] if lines else []
