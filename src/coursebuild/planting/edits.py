"""Changes in the files of pages: in the code of a panel, a lab or an exercise, and in the prose beside it, with their lines."""

import ast
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from coursebuild.source import OPENING, Fence, Line, lines_of, read

Section = list[str]
"""The lines of a piece of code that Python can read by itself: a panel's, or a cell's."""


@dataclass(frozen=True)
class Written:
    """A changed file: its text, and for each section the line of the file at which each of its lines stands."""

    text: str
    rows: tuple[tuple[int, ...], ...]


class Markdown:
    """A page of Markdown with the block at a line of it, whose code is the one section."""

    def __init__(self, text: str, line: int) -> None:
        self.lines = lines_of(text)
        self.line = line
        self.fence: Fence = next(fence for fence in read(text).fences if fence.line == line)
        opening = OPENING.match(self.lines[line - 1])
        self.prefix = opening["prefix"].expandtabs(4) if opening else ""
        body = self.fence.body.split("\n") if self.fence.body else []
        self.after = line + len(body) + 1
        """The line that closes the block."""
        self.sections: list[Section] = [body]

    def with_sections(self, sections: list[Section]) -> Written:
        """The page with other code in the block."""
        [code] = sections
        new = [(self.prefix + line).rstrip() for line in code]
        lines = [*self.lines[: self.line], *new, *self.lines[self.after - 1 :]]
        return Written("\n".join(lines) + "\n", (tuple(range(self.line + 1, self.line + 1 + len(code))),))

    def with_header(self, old: str, new: str) -> Written:
        """The page with something else in the block's first line."""
        lines = [*self.lines]
        lines[self.line - 1] = lines[self.line - 1].replace(old, new, 1)
        return Written("\n".join(lines) + "\n", ((self.line,),))

    def with_paragraph(self, text: str) -> Written:
        """The page with a paragraph after the block; its line is the one row."""
        lines = [*self.lines[: self.after], "", self.prefix + text, "", *self.lines[self.after :]]
        return Written("\n".join(lines) + "\n", ((self.after + 2,),))

    def with_line(self, number: int, text: str) -> Written:
        """The page with another text in one of its lines."""
        lines = [*self.lines]
        lines[number - 1] = text
        return Written("\n".join(lines) + "\n", ((number,),))

    def prose(self) -> Iterator[Line]:
        """The lines of prose, those below the block first."""
        prose = read("\n".join(self.lines)).prose
        yield from (line for line in prose if line.number > self.line)
        yield from (line for line in prose if line.number < self.line)


class Notebook:
    """A notebook's file, whose code cells are the sections."""

    TOKEN = "planted-at-"

    def __init__(self, text: str) -> None:
        self.content: dict[str, Any] = json.loads(text)
        self.code = [n for n, cell in enumerate(self.content["cells"]) if cell["cell_type"] == "code"]
        self.text = [n for n, cell in enumerate(self.content["cells"]) if cell["cell_type"] == "markdown"]
        self.sections: list[Section] = [self._source(number) for number in self.code]

    def _source(self, number: int) -> list[str]:
        return "".join(self.content["cells"][number]["source"]).split("\n")

    def _with_cells(self, sources: dict[int, list[str]]) -> Written:
        """The file with other lines in some cells. Each line stands on a line of its own, which a token finds."""
        content = json.loads(json.dumps(self.content))
        for number, cell in enumerate(content["cells"]):
            count = len(sources.get(number, self._source(number)))
            cell["source"] = [f"{self.TOKEN}{number}-{at}." for at in range(count)]
        places: dict[tuple[int, int], int] = {}
        rows = json.dumps(content, indent=1, ensure_ascii=False).split("\n")
        for row, line in enumerate(rows):
            mark = line.strip().removesuffix(",").strip('"')
            if not mark.startswith(self.TOKEN):
                continue
            number, at = map(int, mark.removeprefix(self.TOKEN).removesuffix(".").split("-"))
            source = sources.get(number, self._source(number))
            end = "\n" if at < len(source) - 1 else ""
            comma = "," if line.endswith(",") else ""
            places[number, at] = row + 1
            rows[row] = "    " + json.dumps(source[at] + end, ensure_ascii=False) + comma
        found = tuple(
            tuple(places[number, at] for at in range(len(source))) for number, source in sources.items()
        )
        return Written("\n".join(rows) + "\n", found)

    def with_sections(self, sections: list[Section]) -> Written:
        """The notebook with other code in its cells."""
        return self._with_cells(dict(zip(self.code, sections, strict=True)))

    def with_tag(self, section: int, tag: str) -> Written:
        """The notebook with a tag on a code cell; the rows are those of the cell, from the line that says its kind."""
        self.content["cells"][self.code[section]]["metadata"] = {"tags": [tag]}
        written = self._with_cells({self.code[section]: self.sections[section]})
        rows = written.text.split("\n")
        last = written.rows[0][-1]
        first = max(row for row in range(1, last) if '"cell_type"' in rows[row - 1])
        return Written(written.text, (tuple(range(first, last + 1)),))

    def with_paragraph(self, text: str) -> Written:
        """The notebook with a paragraph at the end of its middle text cell."""
        number = self.text[len(self.text) // 2]
        written = self._with_cells({number: [*self._source(number), "", text]})
        return Written(written.text, (written.rows[0][-1:],))

    def with_line(self, number: int, text: str) -> Written:
        """The notebook with another text in one of the lines that `prose` gives."""
        cell, at = divmod(number, 10_000)
        source = self._source(cell)
        source[at] = text
        written = self._with_cells({cell: source})
        return Written(written.text, (written.rows[0][at : at + 1],))

    def prose(self) -> Iterator[Line]:
        """The lines of the text cells, from the middle one on, each with a number that `with_line` knows."""
        middle = len(self.text) // 2
        for cell in [*self.text[middle:], *self.text[:middle]]:
            source = "\n".join(self._source(cell))
            yield from (Line(cell * 10_000 + line.number - 1, line.text) for line in read(source).prose)


Page = Markdown | Notebook


# In code


def first_row(statement: ast.stmt) -> int:
    """The line at which a statement begins, its decorators included."""
    decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def drawn_place(sections: list[Section], seed: str) -> tuple[int, int]:
    """A place between two statements, drawn by a seed: the section, and how many of its lines stand before."""
    places = [
        (number, place)
        for number, section in enumerate(sections)
        for place in [
            *(first_row(statement) - 1 for statement in ast.parse("\n".join(section)).body),
            len(section),
        ]
    ]
    return random.Random(seed).choice(places)


def inserted(sections: list[Section], place: tuple[int, int], lines: list[str]) -> list[Section]:
    """The sections with lines put in at a place."""
    number, before = place
    return [
        [*section[:before], *lines, *section[before:]] if at == number else [*section]
        for at, section in enumerate(sections)
    ]


def checks_of(section: Section) -> list[ast.Expr]:
    """The statements of a section that are checks."""
    return [
        statement
        for statement in ast.parse("\n".join(section)).body
        if isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Name)
        and statement.value.func.id == "check"
    ]


def argument(call: ast.Call, place: int, name: str) -> ast.expr:
    """An argument of a call, by place or by name."""
    named: dict[str | None, ast.expr] = {keyword.arg: keyword.value for keyword in call.keywords}
    return named[name] if name in named else call.args[place]


def falsified(section: Section, values: list[ast.expr]) -> Section:
    """The section with each of some values put into a list, so that nothing which equalled it does; no line moves."""
    lines = [line.encode() for line in section]
    for value in reversed(values):
        last, end = (value.end_lineno or value.lineno) - 1, value.end_col_offset or 0
        lines[last] = lines[last][:end] + b", 'planted']" + lines[last][end:]
        first, start = value.lineno - 1, value.col_offset
        lines[first] = lines[first][:start] + b"[" + lines[first][start:]
    return [line.decode() for line in lines]


def without(section: Section, statement: ast.stmt) -> Section:
    """The section without a statement."""
    return [*section[: first_row(statement) - 1], *section[(statement.end_lineno or statement.lineno) :]]
