"""The errors that were confirmed: what a page said, what is right, and the check that guards it now.

They stand in ``docs/reference/corrections.toml``, newest first; a page shows them where it says ``[[corrections]]``.
"""

import ast
import datetime
import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeGuard

from coursebuild import addresses, numbers
from coursebuild.faults import Fault, Unfit
from coursebuild.prose import NAME, Reference, references
from coursebuild.source import REFERENCE, Line, code_spans

if TYPE_CHECKING:
    from coursebuild.press import Press

SOURCE = Path("docs") / "reference" / "corrections.toml"
KEYS = ("date", "where", "wrong", "right", "guard")
TEST = re.compile(r"^(?P<file>tests/(?:\w+/)*test_\w+\.py)::(?P<name>test_\w+)$")
OFF = {"skip", "skipif", "xfail"}
"""The marks of pytest under which a test may fail, or not run, and nobody hears of it."""


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
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        return [], [_fault("correction-unreadable", 1, f"it is no UTF-8: {error.reason}")]
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
    if len(starts) != len(entries):
        message = "a correction begins with [[correction]] on a line of its own, and each text is on one line"
        return [], [_fault("correction-unreadable", (starts or [1])[0], message)]
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
        if name in KEYS and name not in lines:
            message = f"{name} does not stand as it is at the beginning of a line"
            yield _fault("correction-malformed", start, message, f"write {name} = … on a line of its own")
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
    for start, end, code in list(code_spans(rest)):
        if all(NAME.fullmatch(number.text) for number in numbers.find(code)):
            rest = rest[:start] + " " * (end - start) + rest[end:]
    for number in numbers.find(rest):
        message = f"the number {number.text!r} is typed by hand into right"
        yield _fault("correction-number-typed", line, message)


def _faults_of_guard(press: "Press", one: Correction, known: dict[str, str]) -> Iterator[Fault]:
    line, guard = one.lines["guard"], one.guard
    if "::" in guard:
        if problem := _problem_of_test(press.root, guard):
            yield _fault("correction-guard-gone", line, f"guard: {problem}")
    elif not known.get(guard):
        after = press.record.successor(guard)
        hint = f"name {after}, its address now" if known.get(after) else ""
        yield _fault("correction-guard-gone", line, f"guard: {guard} is no claim of the site", hint)


def _problem_of_test(root: Path, guard: str) -> str:
    """Why a test guards nothing: pytest finds none there, it is switched off, or it does nothing; else nothing."""
    file, _, name = guard.partition("::")
    try:
        tree = ast.parse((root / file).read_text(encoding="utf-8") if TEST.match(guard) else "")
    except (OSError, ValueError, SyntaxError):
        tree = ast.parse("")
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    tests = [node for node in tree.body if isinstance(node, functions) and node.name == name]
    if not tests:
        return f"there is no test {guard}"
    marks = [*tests[-1].decorator_list, *(node.value for node in tree.body if _is_mark(node))]
    if off := OFF & {
        part.attr for mark in marks for part in ast.walk(mark) if isinstance(part, ast.Attribute)
    }:
        return f"the test {guard} is marked {', '.join(sorted(off))}, so it may fail unheard"
    if not any(
        isinstance(part, (ast.Assert, ast.Call)) for node in tests[-1].body for part in ast.walk(node)
    ):
        return f"the test {guard} asserts nothing"
    return ""


def _is_mark(node: ast.stmt) -> TypeGuard[ast.Assign]:
    """Whether a statement marks all tests of its file."""
    return isinstance(node, ast.Assign) and "pytestmark" in {ast.unparse(target) for target in node.targets}
