"""Reads a notebook as a page: its text cells as prose with the lines of its file, and what a run of it left behind."""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

from coursebuild.faults import Fault
from coursebuild.source import Fence, Line, Source
from coursebuild.source import read as read_markdown

STDERR = "application/vnd.jupyter.stderr"


def cells(text: str) -> list[dict[str, Any]]:
    """The cells of a notebook.

    Raises:
        ValueError: the text is no notebook.
    """
    found = json.loads(text)["cells"]
    return [{**cell, "source": "".join(cell["source"])} for cell in found]


def line_of(text: str, cell: int) -> int:
    """The line of the notebook's file at which a cell begins."""
    starts = [match.start() for match in re.finditer(r'"cell_type"\s*:', text)]
    return text.count("\n", 0, starts[cell]) + 1 if cell < len(starts) else 1


def read(text: str) -> Source:
    """The text cells as prose; every line of a cell carries the line at which its cell begins in the file."""
    fences: list[Fence] = []
    prose: list[Line] = []
    try:
        found = cells(text)
    except (ValueError, KeyError, TypeError):
        return Source((), ())
    for number, cell in enumerate(found):
        start = line_of(text, number)
        if cell["cell_type"] == "code":
            fences += [Fence(start, "text", (), "", problem) for problem in _problems_of_code(cell)]
            continue
        part = read_markdown(cell["source"])
        prose += [Line(start, line.text) for line in part.prose]
        fences += [
            type(fence)(start, fence.language, fence.options, fence.body, fence.problem)
            for fence in part.fences
        ]
    return Source(tuple(fences), tuple(prose))


def _problems_of_code(cell: dict[str, Any]) -> Iterator[str]:
    """What would let a cell show something that its run did not print."""
    if cell.get("outputs"):
        yield "the cell has outputs stored in the file; clear them, the build runs the cell"
    for tag in ("skip-execution", "raises-exception"):
        if tag in cell.get("metadata", {}).get("tags", []):
            yield f"the tag {tag} would let the cell pass without a run or with an error"


def explain(path: str, text: str, error: Exception) -> Fault:
    """The fault of a notebook whose run ended with an error: which cell, and what came."""
    name, value = getattr(error, "ename", type(error).__name__), getattr(error, "evalue", str(error))
    try:
        found = cells(text)
    except (ValueError, KeyError, TypeError):
        return Fault(path, 1, "notebook", f"the file is no notebook: {error}")
    code = [(number, cell["source"]) for number, cell in enumerate(found) if cell["cell_type"] == "code"]
    at = next((number for number, source in code if source.strip() and source.strip() in str(error)), None)
    subject = "notebook" if at is None else f"cell {at + 1}"
    return Fault(path, line_of(text, at or 0), subject, f"{name}: {value}")


class _Errors(HTMLParser):
    """Collects what a notebook's rendered page shows of its standard error."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "div":
            return
        if self.depth:
            self.depth += 1
        elif dict(attrs).get("data-mime-type") == STDERR:
            self.depth = 1
            self.found.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag == "div" and self.depth:
            self.depth -= 1

    def handle_data(self, data: str) -> None:
        if self.depth:
            self.found[-1] += data


def stderr_of(path: str, html: str) -> list[Fault]:
    """What the run of a notebook wrote to standard error, warnings included."""
    parser = _Errors()
    parser.feed(html)
    return [Fault(path, 1, "notebook", f"output on stderr: {text.strip()[:500]}") for text in parser.found]


ADDED = re.compile(r"<(script|style)\b[^>]*>.*?</\1\s*>", re.DOTALL | re.IGNORECASE)


def without_additions(html: str) -> str:
    """The rendered notebook without the scripts and styles of its converter: some load from other hosts, all are heavy.

    The site's own style sheet takes their place.
    """
    return ADDED.sub("", html)
