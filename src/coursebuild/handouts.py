"""Notebooks to work in: each lab as it is, and of each page of exercises its statements, hints and starting points, without answers."""

import json
import os
import posixpath
import re
import sys
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from coursebuild import exercises, notebooks
from coursebuild.exercises import Exercise
from coursebuild.faults import report
from coursebuild.panels import is_python
from coursebuild.press import OWN, Page, Press
from coursebuild.prose import Given, references, without_comments
from coursebuild.source import Line, Source, code_spans, lines_of

LINK = re.compile(r"(?<!!)\[(?P<text>(?:[^\[\]]|\[[^\[\]]*\])*)\]\((?P<to>[^()\s]*)\)")
BLOCK = re.compile(r"^(?P<fence>`{3,}|~{3,})[^\n]*\n.*?^(?P=fence)[ \t]*$", re.MULTILINE | re.DOTALL)
CONTAINER = re.compile(r'(?:\?\?\?\+?|!!!) \w+(?: "(?P<title>[^"]*)")?\s*$')
NOTEBOOK = {
    "metadata": {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}
KINDS = {"exercises": "exercises", "labs": "lab"}
"""The folders of pages that have a notebook, and how its copy's name ends."""

WORKED = "lab"
"""The folder in which `make lab` puts the notebooks."""


def address(page: Page) -> str:
    """Where the site keeps the notebook of a page, or nothing if it has none."""
    has_one = page.is_notebook or page.exercises
    return f"{page.url}{PurePosixPath(page.url).name}.ipynb" if has_one else ""


def notebook(press: Press, page: Page, site: str = "", beside: bool = False) -> str:
    """The notebook of a page, its links made such that they lead somewhere; see `_linked`."""
    if page.is_notebook:
        text = (press.root / page.path).read_text(encoding="utf-8", errors="replace")
        return lab_copy(text, page.url, site, beside)
    cells: list[dict[str, object]] = [
        {
            "cell_type": kind,
            "id": f"cell-{number}",
            "metadata": {},
            "source": (_linked(text, "exercises/", site, beside) if kind == "markdown" else text).splitlines(
                keepends=True
            ),
            **({"execution_count": None, "outputs": []} if kind == "code" else {}),
        }
        for number, (kind, text) in enumerate(_cells(press, page), 1)
    ]
    return json.dumps({"cells": cells, **NOTEBOOK}, indent=1, ensure_ascii=False) + "\n"


def lab_copy(text: str, url: str, site: str, beside: bool) -> str:
    """A lab to work in: as it is, but for its links."""
    try:
        notebooks.cells(text)
    except notebooks.Unreadable:
        return text  # its fault is on record
    content = json.loads(text)
    for cell in content["cells"]:
        if cell["cell_type"] == "markdown":
            linked = _linked("".join(cell["source"]), url, site, beside)
            cell["source"] = linked.splitlines(keepends=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def _cells(press: Press, page: Page) -> Iterator[tuple[str, str]]:
    """The cells of a page: its text between the blocks of exercises, and of each the start and the grading."""
    lines = {line.number: _plain(press, line) for line in without_comments(page.source.prose)}
    lines |= dict(_blocks_of_text(press.root / page.path, page.source))
    blocks = {fence.line: fence for fence in exercises.of_page(page.source)}
    text: list[str] = []
    for number in sorted({*lines, *blocks}):
        if number in lines:
            text.append(lines[number])
            continue
        if shown := "\n".join(_unfolding(text)).strip():
            yield "markdown", shown
        text = []
        if blocks[number].option["show"] == "start" and blocks[number].option["id"] in page.exercises:
            yield from _work(page.exercises[blocks[number].option["id"]])
    if shown := "\n".join(_unfolding(text)).strip():
        yield "markdown", shown


def _blocks_of_text(path: Path, source: Source) -> Iterator[tuple[int, str]]:
    """The lines of the blocks that show a text, as they stand on the page, their first and last included."""
    rows = lines_of(path.read_text(encoding="utf-8-sig"))
    for fence in source.fences:
        if fence.language not in OWN and not is_python(fence) and not fence.problem:
            last = fence.line + fence.body.count("\n") + (2 if fence.body else 1)
            last += not rows[last - 1].strip()  # of a block that holds an empty line alone
            yield from ((number, rows[number - 1]) for number in range(fence.line, last + 1))


def _work(asked: Exercise) -> Iterator[tuple[str, str]]:
    yield "code", asked.start
    answer = "answer = None  # your value\n" if asked.is_value else ""
    yield "code", f"from nextword.exercises import grade\n\n{answer}{asked.call};"


def _plain(press: Press, line: Line) -> str:
    """A line of a page as a notebook can show it: figures by their values."""
    text = line.text
    for found in sorted(references(line), key=lambda item: -item.start):
        try:
            value = found.text if isinstance(found, Given) else press.figure(found)
        except (LookupError, ValueError):
            continue  # its fault is on record
        text = text[: found.start] + value + text[found.end :]
    return text


def _linked(text: str, home: str, site: str, beside: bool) -> str:
    """Markdown of a page with links that lead somewhere from a notebook.

    Args:
        text: the Markdown.
        home: where links of the page are relative to, on the site or in docs/: ``exercises/``, ``labs/17-tokenization/``.
        site: the address of the site, or nothing: then a link to it is its text alone.
        beside: whether the other notebooks lie in the same folder.
    """
    code = [range(*match.span()) for match in BLOCK.finditer(text)]
    code += [range(start, end) for start, end, _ in code_spans(text)]

    def link(match: re.Match[str]) -> str:
        to = match["to"]
        if "://" in to or any(match.start() in span for span in code):
            return match[0]
        goal = posixpath.normpath(posixpath.join(home, to.partition("#")[0]))
        goal = re.sub(r"\.(?:md|ipynb)$", "", goal)
        kind, _, name = goal.partition("/")
        if beside and kind in KINDS and name:
            return f"[{match['text']}]({name}-{KINDS[kind]}.ipynb)"
        anchor = "#" + to.partition("#")[2] if "#" in to else ""
        return f"[{match['text']}]({site.rstrip('/')}/{goal}/{anchor})" if site else str(match["text"])

    return LINK.sub(link, text)


def _unfolding(lines: list[str]) -> Iterator[str]:
    """Hints as HTML that unfolds, for the notation of the site is not known to notebooks."""
    inside = False
    for text, before in zip(lines, ["", *lines], strict=False):
        if inside and CONTAINER.match(before) and not text.strip():
            continue
        if inside and text.strip() and not text.startswith("    "):
            yield from ("</details>", "")
            inside = False
        if container := CONTAINER.match(text):
            yield from (f"<details><summary>{container['title'] or 'Note'}</summary>", "")
            inside = True
        else:
            yield text.removeprefix("    ") if inside else text
    if inside:
        yield "</details>"


def lab(root: Path) -> int:
    """Put the labs and the exercises into the folder in which a reader works on them; what is there already stays as it is.

    A page of exercises that has a fault is refused, as it is by the build.
    """
    docs, folder = root / "docs", root / WORKED
    press = Press(root)
    pages = sorted(docs.joinpath("exercises").glob("*.md"))
    press.prepare([(path, f"exercises/{path.stem}/") for path in pages])
    own = [fault for fault in press.faults if fault.kind != "panel-unknown"]
    if own:
        print(report(own), file=sys.stderr)
        return 1
    site = os.environ.get("SITE_URL", "")
    made = {
        f"{path.stem}-lab.ipynb": lab_copy(
            path.read_text(encoding="utf-8"), f"labs/{path.stem}/", site, beside=True
        )
        for path in docs.joinpath("labs").glob("*.ipynb")
    }
    for page in press.pages.values():
        made[f"{PurePosixPath(page.url).name}-exercises.ipynb"] = notebook(press, page, site, beside=True)
    folder.mkdir(exist_ok=True)
    for name, text in sorted(made.items()):
        path = folder / name
        if not path.exists():
            path.write_text(text, encoding="utf-8", newline="\n")
        elif path.read_text(encoding="utf-8") != text:
            print(f"{WORKED}/{name} is yours, so it stays as it is; remove it to begin anew")
    return 0
