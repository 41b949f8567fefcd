"""The errors that were confirmed: what a page said, what is right, and the check that guards it now.

They stand in ``docs/reference/corrections.toml``, newest first; a page shows them where it says ``[[corrections]]``.
"""

import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from coursebuild import addresses, numbers
from coursebuild.faults import Fault, Unfit
from coursebuild.prose import Reference, references
from coursebuild.source import REFERENCE, Line, code_spans

if TYPE_CHECKING:
    from coursebuild.press import Press

SOURCE = Path("docs") / "reference" / "corrections.toml"
KEYS = ("date", "where", "wrong", "right", "guard")
TEST = re.compile(r"^(?P<file>tests/[\w/]+\.py)::(?P<name>test_\w+)$")


@dataclass(frozen=True)
class Correction:
    """A confirmed error.

    Attributes:
        date: the day of the correction.
        where: the address of the page, panel or claim, relative to the site's root.
        wrong: what a reader was told.
        right: what is so, with figures quoted as in prose, and none typed.
        guard: the address of the claim that guards it now, or a test: ``tests/….py::test_…``.
        line: where it begins in the file.
        lines: where each key stands.
    """

    date: datetime.date
    where: str
    wrong: str
    right: str
    guard: str
    line: int
    lines: dict[str, int]


def _fault(kind: str, line: int, message: str, hint: str = "") -> Fault:
    return Fault(kind, SOURCE.as_posix(), line, "correction", message, hint)


def read(root: Path) -> tuple[list[Correction], list[Fault]]:
    """The corrections of a project, and what is wrong with them as they are written."""
    path = root / SOURCE
    if not path.exists():
        return [], []
    text = path.read_text(encoding="utf-8")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"at line (\d+)", str(error))
        return [], [
            _fault(
                "correction-unreadable",
                int(line[1]) if line else text.count("\n") + 1,
                f"it is no TOML: {error}",
            )
        ]
    if other := sorted(set(content) - {"correction"}):
        return [], [_fault("correction-unreadable", 1, f"unknown table {other[0]!r}")]
    entries = content.get("correction", [])
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        return [], [_fault("correction-unreadable", 1, "a correction begins with [[correction]]")]
    starts = [number for number, line in enumerate(text.split("\n"), 1) if line.strip() == "[[correction]]"]
    found: list[Correction] = []
    faults: list[Fault] = []
    for entry, start in zip(entries, starts, strict=True):
        lines = _lines(text, start)
        problems = list(_problems(entry, start, lines))
        faults += problems
        if not problems:
            found.append(Correction(**entry, line=start, lines=lines))
    faults += [
        _fault("correction-order", after.line, "it stands below an earlier one; the newest comes first")
        for before, after in pairwise(found)
        if after.date > before.date
    ]
    return found, faults


def _lines(text: str, start: int) -> dict[str, int]:
    """The line of each key of the table that begins at a line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n")[start:], start + 1):
        if line.startswith("[["):
            break
        if match := re.match(r"\s*([\w-]+)\s*=", line):
            lines.setdefault(match[1], number)
    return lines


def _problems(entry: dict[str, Any], start: int, lines: dict[str, int]) -> Iterator[Fault]:
    for name, value in entry.items():
        line = lines.get(name, start)
        if name not in KEYS:
            yield _fault("correction-malformed", line, f"unknown key {name!r}")
        elif name == "date":
            if type(value) is not datetime.date:
                yield _fault(
                    "correction-malformed", line, f"the date is {value!r}, not a day such as 2026-11-30"
                )
        elif not isinstance(value, str):
            yield _fault("correction-malformed", line, f"{name} is {value!r}, not a text")
        elif not value.strip():
            yield _fault("correction-malformed", line, f"{name} says nothing")
    for name in KEYS:
        if name not in entry:
            yield _fault("correction-malformed", start, f"it does not say {name}")


def faults(press: "Press") -> Iterator[Fault]:
    """What is wrong with the corrections of a press whose panels are all well: what they name must be there."""
    found, written = press.corrections
    yield from written
    known = addresses.of_site(press)
    for one in found:
        yield from _faults_of_where(press, one, known)
        yield from _faults_of_right(press, one)
        yield from _faults_of_guard(press, one, known)


def _faults_of_where(press: "Press", one: Correction, known: dict[str, str]) -> Iterator[Fault]:
    url, sharp, _ = one.where.partition("#")
    if not any(page.url == url for page in press.pages.values()):
        yield _fault("correction-place", one.lines["where"], f"where: {url} is no page of the site")
    elif sharp and press.record.successor(one.where) not in known:
        yield _fault(
            "correction-place", one.lines["where"], f"where: {one.where} is no address of a panel or a claim"
        )


def _faults_of_right(press: "Press", one: Correction) -> Iterator[Fault]:
    line, text = one.lines["right"], one.right
    for found in references(Line(0, text)):
        try:
            press.figure(found) if isinstance(found, Reference) else ""
        except Unfit as error:
            yield _fault(error.kind, line, str(error))
    rest = REFERENCE.sub("x", text)
    if odd := re.search(r"\[\[.*?\]\]", rest):
        yield _fault("brackets-unreadable", line, f"{odd[0]!r} is no figure")
        return
    for start, end, _ in list(code_spans(rest)):
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for number in numbers.find(rest):
        message = f"the number {number.text!r} is typed by hand into right"
        yield _fault("correction-number-typed", line, message)


def _faults_of_guard(press: "Press", one: Correction, known: dict[str, str]) -> Iterator[Fault]:
    line, guard = one.lines["guard"], one.guard
    if "::" in guard:
        test = TEST.match(guard)
        path = press.root / test["file"] if test else None
        text = path.read_text(encoding="utf-8") if path and path.is_file() else ""
        if not test or not re.search(rf"^\s*(?:async )?def {test['name']}\(", text, re.MULTILINE):
            yield _fault("correction-guard-gone", line, f"guard: there is no test {guard}")
    elif not known.get(guard):
        after = press.record.successor(guard)
        hint = f"name {after}, its address now" if known.get(after) else ""
        yield _fault("correction-guard-gone", line, f"guard: {guard} is no claim of the site", hint)
