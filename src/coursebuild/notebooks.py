"""Reads a notebook as a page: its text cells as prose with the lines of its file, and what a run of it left behind."""

import itertools
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html.parser import HTMLParser
from pathlib import PurePosixPath

from coursebuild.faults import Fault
from coursebuild.inspection import inputs, inspect_code
from coursebuild.panels import Panel
from coursebuild.prose import lint
from coursebuild.source import Fence, Line, Source
from coursebuild.source import read as read_markdown

STDERR = "application/vnd.jupyter.stderr"
SHOWN = (STDERR, "application/vnd.jupyter.stdout", "text/plain")
"""The kinds of text that a cell puts out, as the converter names them."""


HIDING_TAGS = {
    "skip-execution",
    "raises-exception",
    "hide-output",
    "hide_output",
    "remove_output",
    "remove_cell",
    "hide_cell",
}


class Unreadable(ValueError):
    """The file is no notebook that the press can vouch for."""


@dataclass(frozen=True)
class Lab(Panel):
    """The code cells of a notebook as one program: they run in order, in one namespace, like a panel's code.

    Attributes:
        lines: for each line of the code its cell's number and the line of the notebook's file.
    """

    lines: tuple[tuple[int, int], ...] = ()

    @property
    def subject(self) -> str:
        """How messages name the lab."""
        return "notebook"

    def line_at(self, line: int) -> int:
        """The line of the notebook's file at which a line of the code stands."""
        return self.lines[line - 1][1] if 0 < line <= len(self.lines) else self.line

    def fault(self, kind: str, message: str, line: int = 0, hint: str = "") -> Fault:
        """A fault at a line of the code, placed at the cell and at the line of the notebook's file."""
        if not 0 < line <= len(self.lines):
            return Fault(kind, self.path, self.line, self.subject, message, hint, self.ident)
        cell, place = self.lines[line - 1]
        return Fault(kind, self.path, place, f"cell {cell}", message, hint, self.ident)


@dataclass(frozen=True)
class Cell:
    """A cell: its kind, its text, the line at which it begins in the file, and what is said of it beside its text."""

    kind: str
    text: str
    line: int
    tags: frozenset[str]
    has_outputs: bool


def cells(text: str) -> list[Cell]:
    """The cells of a notebook.

    Raises:
        Unreadable: the text is no notebook of format 4, the one format whose cells the converter shows as they are.
    """
    try:
        notebook = json.loads(text)
        if notebook["nbformat"] != 4:
            raise Unreadable(f"its format is {notebook['nbformat']!r}; save it in format 4")
        starts = [match.start() for match in re.finditer(r'"cell_type"\s*:', text)]
        found = [
            Cell(
                str(cell["cell_type"]),
                "".join(cell["source"]),
                text.count("\n", 0, starts[number]) + 1,
                frozenset(map(str, cell.get("metadata", {}).get("tags") or ())),
                bool(cell.get("outputs")),
            )
            for number, cell in enumerate(notebook["cells"])
        ]
    except Unreadable:
        raise
    except (ValueError, KeyError, TypeError, IndexError, AttributeError) as error:
        raise Unreadable(f"it is no notebook: {type(error).__name__}: {error}") from error
    return found


def parse(name: str, text: str) -> tuple[Source, list[Panel], list[Fault]]:
    """The prose of the text cells, the code cells as one program, and what is wrong with either.

    A cell is read by itself, as the converter renders it by itself.
    """
    try:
        found = cells(text)
    except Unreadable as error:
        return Source((), ()), [], [Fault("notebook-unreadable", name, 1, "notebook", str(error))]
    code, lines, faults = _code(name, text, found)
    stem = PurePosixPath(name).stem.lower()
    lab = Lab(f"lab-{re.sub(r'[^a-z0-9]+', '-', stem)}.1", stem, code, name, 1, lines=tuple(lines))
    claims, problems = inspect_code(lab)
    panels: list[Panel] = [replace(lab, claims=tuple(claims))] if code.strip() else []
    faults += problems if panels else []
    fences: list[Fence] = []
    prose: list[Line] = []
    rows = text.split("\n")
    for cell in found:
        if cell.kind == "code":
            continue
        part, at_rows = read_markdown(cell.text), [cell.line, *rows_of(cell, rows)]
        last = len(at_rows) - 1
        at = Source(
            tuple(replace(fence, line=at_rows[min(fence.line, last)]) for fence in part.fences),
            tuple(Line(at_rows[min(line.number, last)], line.text) for line in (*part.meta, *part.prose)),
        )
        faults += lint(name, at, inputs(panels))
        fences += at.fences
        prose += at.prose
    return Source(tuple(fences), tuple(prose)), panels, faults


def _code(name: str, text: str, found: list[Cell]) -> tuple[str, list[tuple[int, int]], list[Fault]]:
    """The code of all cells, where each of its lines stands, and what would let a cell show what it did not do."""
    rows = text.split("\n")
    code: list[str] = []
    lines: list[tuple[int, int]] = []
    faults: list[Fault] = []
    for number, cell in enumerate(found, 1):
        if cell.kind != "code":
            continue

        def refuse(kind: str, message: str, line: int, number: int = number) -> None:
            faults.append(Fault(kind, name, line, f"cell {number}", message))

        if cell.has_outputs:
            refuse(
                "cell-with-outputs",
                "it has outputs stored in the file; clear them, the build runs the cell",
                cell.line,
            )
        for tag in sorted(cell.tags & HIDING_TAGS):
            refuse(
                "cell-tag",
                f"the tag {tag} would let it pass without a run, or hide what it showed",
                cell.line,
            )
        for line, at in zip(cell.text.split("\n"), rows_of(cell, rows), strict=True):
            if line.lstrip().startswith(("%", "!")):
                refuse(
                    "cell-not-python", f"{line.strip()!r} is no Python: a cell is what a script could be", at
                )
                line = ""
            code.append(line)
            lines.append((number, at))
        code.append("")
        lines.append((number, at))
    return "\n".join(code), lines, faults


def rows_of(cell: Cell, rows: list[str]) -> Iterator[int]:
    """For each line of a cell the line of the file that holds it: one for each, or one for all if its text is one string there."""
    at = cell.line
    for line in cell.text.split("\n"):
        written = {json.dumps(line, ensure_ascii=escaped)[1:-1] for escaped in (True, False)}
        whole = {f'"{text}{end}"' for text in written for end in ("\\n", "")}
        later = range(at + 1, len(rows) + 1)
        at = next(
            (row for row in later if rows[row - 1].strip().removesuffix(",") in whole),
            next((row for row in (at, *later) if any(text in rows[row - 1] for text in written)), at),
        )
        yield at


def explain(path: str, text: str, error: Exception) -> Fault:
    """The fault of a notebook whose run ended with an error: which cell, and what came."""
    name, value = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    try:
        found = cells(text)
    except Unreadable as problem:
        return Fault("notebook-unreadable", path, 1, "notebook", str(problem))
    for number, cell in enumerate(found, 1):
        if cell.kind == "code" and cell.text.strip() and cell.text.strip() in str(error):
            return Fault("cell-raises", path, cell.line, f"cell {number}", f"{name}: {value}")
    return Fault("cell-raises", path, 1, "notebook", f"{name}: {value}")


class _Outputs(HTMLParser):
    """Collects what a notebook's rendered page shows that its code cells put out: which of them, what kind of text, the text."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = self.cell = self.output = self.code_cells = 0  # the depths are counted in <div>
        self.found: list[tuple[int, str, str]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "div":
            return
        told = dict(attrs)
        self.depth += 1
        if not self.cell and "jp-CodeCell" in (told.get("class") or "").split():
            self.cell = self.depth  # the converter wraps a cell in another element of its class
            self.code_cells += 1
        kind = told.get("data-mime-type") or ""
        if not self.output and kind in SHOWN:
            self.output = self.depth
            self.found.append((self.code_cells, kind, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag != "div":
            return
        self.output = 0 if self.output == self.depth else self.output
        self.cell = 0 if self.cell == self.depth else self.cell
        self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.output:
            number, kind, text = self.found[-1]
            self.found[-1] = (number, kind, text + data)


def outputs_of(html: str) -> list[tuple[int, str, str]]:
    """What the code cells of a rendered notebook put out: the number of the cell among them, the kind of text, the text."""
    parser = _Outputs()
    parser.feed(html)
    return parser.found


def stderr_of(path: str, html: str) -> list[Fault]:
    """What the run of a notebook wrote to standard error, warnings included."""
    return [
        Fault("output-on-stderr", path, 1, "notebook", f"output on stderr: {text.strip()[:500]}")
        for _, kind, text in outputs_of(html)
        if kind == STDERR
    ]


def unapproved_in(path: str, text: str, html: str, printed: str) -> list[Fault]:
    """The first line that a notebook's page shows and that its run as a program did not print, or the other way round.

    The run has nothing of its surroundings, and what it printed is what was approved. The kernel that makes the page has a folder
    and an environment.

    Args:
        path: the notebook's file.
        text: the text of the file.
        html: its rendered page.
        printed: what its run printed.
    """
    shown = [
        (number, line)
        for number, kind, output in outputs_of(html)
        if kind != STDERR
        for line in _lines(output)
    ]
    code = [(number, cell) for number, cell in enumerate(cells(text), 1) if cell.kind == "code"]
    for at, line in itertools.zip_longest(shown, _lines(printed)):
        if at is None or at[1] != line:
            number, cell = code[at[0] - 1 if at else len(code) - 1]
            came = "nothing more" if at is None else repr(at[1])
            wanted = "nothing more" if line is None else repr(line)
            message = f"the page shows {came}, its run as a program printed {wanted}"
            return [Fault("cell-differs", path, cell.line, f"cell {number}", message)]
    return []


def _lines(output: str) -> list[str]:
    return [line.rstrip() for line in output.split("\n") if line.strip()]


ADDED = re.compile(r"<(script|style)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


CLIPBOARD = re.compile(
    r'<div class="zeroclipboard-container">.*?</clipboard-copy>\s*</div>|<div class="clipboard-copy-txt".*?</div>',
    re.DOTALL,
)
CELL = re.compile(r'(<div class="highlight-ipynb[^>]*><pre>)<span></span>(.*?)\n?(</pre>)', re.DOTALL)


def without_additions(html: str) -> str:
    """The rendered notebook without the scripts and styles of its converter: some load from other hosts, all are heavy.

    The site's own style sheet takes their place, and its button that copies code, for which each cell's code is marked as code.
    """
    return CELL.sub(r"\1<span></span><code>\2\n</code>\3", CLIPBOARD.sub("", ADDED.sub("", html)))
