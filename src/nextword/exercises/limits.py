"""Bounds on what an answer may do while it is graded: the time it takes, and how much of what it prints is kept."""

import io
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

MOST_LINES = 10


class OutOfTime(BaseException):
    """The time is up. Not an `Exception`, so that an answer which catches those does not catch it."""


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


class Printed(io.TextIOBase):
    """Stands for standard output while an answer is graded: the first lines are kept, the others counted."""

    def __init__(self) -> None:
        super().__init__()
        self.kept = ""
        self.lines = 0

    def writable(self) -> bool:
        """Yes."""
        return True

    def write(self, text: str) -> int:
        """Keep the text while there are few lines, each cut to what a page shows."""
        for piece in str(text).splitlines(keepends=True):
            if self.lines < MOST_LINES and len(self.kept) < MOST_LINES * 80:
                self.kept += piece[:80]
            self.lines += piece.endswith("\n")
        return len(text)

    def close(self) -> None:
        """Stay open: what is graded next may print as well."""

    def told(self) -> list[str]:
        """What the answer printed, for the report; nothing if it printed nothing."""
        if not self.kept:
            return []
        shown = self.kept.splitlines()[:MOST_LINES]
        more = self.lines - len(shown)
        return [
            "your code printed:",
            *("| " + line for line in shown),
            *([f"| … and {more} more lines"] if more > 0 else []),
        ]
