"""What a tree says of the course: its pages, panels, exercises and labs, and the outputs that were approved.

Nothing is run, and nothing of the tree is imported: what a panel prints, claims and names is read from its approved output.
"""

import ast
import json
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from coursebuild import approval, exercises, lanes, notebooks, runner, source
from coursebuild.library import Library
from coursebuild.prose import Given, quoting_lines, references
from coursebuild.source import Fence, Line, Source

UNREADABLE = (LookupError, SyntaxError, ValueError, OSError, RecursionError, MemoryError)
HEADING = re.compile(r"^(#{1,6})\s+(?P<title>.*?)\s*#*\s*$")
ALONE = re.compile(r"^\s*(?:[-*+]\s|\d+[.)]\s|\||>|!!!|\?\?\?|===|:::|<!--)")
SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(\[*_`$]*[A-Z`\[])")
API = re.compile(r"^:::\s+([A-Za-z_][\w.]*)\s*$")


@dataclass(frozen=True)
class Claim:
    """A claim as its sentence reads, and the two sides of its check as they are written (empty where they are not known)."""

    sentence: str
    got: str = ""
    expected: str = ""


@dataclass(frozen=True)
class Approved:
    """An approved output: what is printed beside the claims, the claims, the figures as text, and what it was run with."""

    printed: str = ""
    claims: tuple[str, ...] = ()
    figures: dict[str, str] = field(default_factory=dict)
    origin: str = ""

    def value(self, name: str) -> object:
        """A figure's value.

        Raises:
            LookupError, ValueError: there is none, or its text is no literal.
        """
        try:
            return ast.literal_eval(self.figures[name])
        except (SyntaxError, RecursionError, MemoryError) as error:
            raise ValueError(f"{name} is no literal") from error


@dataclass(frozen=True)
class Panel:
    """Something that is run: a panel, an exercise or a lab; ``parts`` are its sources, by what each of them is.

    ``unapproved`` are the claims that its code makes and no approved output has.
    """

    ident: str
    kind: str
    title: str
    page: str
    parts: dict[str, str]
    approved: Approved | None
    claims: tuple[Claim, ...]
    unapproved: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sentence:
    """A sentence as it is written, below which heading it stands, and the line on which its paragraph begins."""

    text: str
    heading: str
    line: int


@dataclass(frozen=True)
class Page:
    """A page as its author wrote it: its sentences, its other blocks, and what it shows of the library.

    ``draws`` are its drawings and instruments, each with the panel from which it is made.
    """

    path: str
    text: str
    sentences: tuple[Sentence, ...]
    blocks: str
    cells: tuple[str, ...]
    shows: frozenset[str]
    draws: frozenset[tuple[str, str]]


@dataclass(frozen=True)
class Course:
    """All of it; ``listings`` are the sources that pages show, by name."""

    pages: dict[str, Page]
    panels: dict[str, Panel]
    listings: dict[str, str]

    def reads(self, text: str) -> str:
        """A sentence as a reader sees it: its figures with their approved values."""
        pieces, position = [], 0
        for found in sorted(references(Line(0, text)), key=lambda item: item.start):
            shown = text[found.start : found.end]
            if isinstance(found, Given):
                shown = found.text
            elif (panel := self.panels.get(found.panel)) and panel.approved:
                try:
                    shown = found.written(panel.approved.value(found.name))
                except (LookupError, ValueError):
                    pass  # the build refuses it; here it stays as it is written
            pieces += [text[position : found.start], shown]
            position = found.end
        return "".join([*pieces, text[position:]])

    @cached_property
    def quotes(self) -> dict[tuple[str, str], list[tuple[str, Sentence]]]:
        """The sentences that quote each figure, with their pages."""
        found: dict[tuple[str, str], list[tuple[str, Sentence]]] = {}
        for path, page in self.pages.items():
            for sentence in page.sentences:
                for one in references(Line(0, sentence.text)):
                    places = [] if isinstance(one, Given) else found.setdefault((one.panel, one.name), [])
                    if (path, sentence) not in places:
                        places.append((path, sentence))
        return found


def read(root: Path) -> Course:
    """The course in a folder."""
    library = Library(root / "src")
    pages: dict[str, Page] = {}
    panels: dict[str, Panel] = {}
    for path, _ in approval.pages_of(root) if (root / "docs").is_dir() else ():
        if path.is_symlink():
            continue
        name = path.relative_to(root).as_posix()
        text = _text(path)
        cells: tuple[str, ...] = ()
        if path.suffix == ".ipynb":
            parsed, labs = _notebook(name, text)
            cells = _cells(text)
            found = [_panel(root, ident, "lab", title, name, {"code": code}) for ident, title, code in labs]
        else:
            parsed = source.read(text)
            found = list(_panels(root, library, name, parsed))
        panels |= {panel.ident: panel for panel in found if panel.ident not in panels}
        pages[name] = Page(
            name, text, tuple(_sentences(parsed)), _blocks(parsed), cells, _shown(parsed), _drawn(parsed)
        )
    shown = {name for page in pages.values() for name in page.shows}
    return Course(pages, panels, dict(_listings(library, shown)))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


def _notebook(name: str, text: str) -> tuple[Source, list[tuple[str, str, str]]]:
    """The text of a notebook, and of its program the id, title and code."""
    try:
        parsed, labs, _ = notebooks.parse(name, text)
    except UNREADABLE:
        return Source((), ()), []  # the build says why
    return parsed, [(lab.ident, lab.title, lab.code) for lab in labs]


def _cells(text: str) -> tuple[str, ...]:
    try:
        return tuple(f"[{cell.kind}]\n{cell.text}" for cell in notebooks.cells(text))
    except UNREADABLE:
        return ()


def _is_panel(fence: Fence) -> bool:
    return fence.language == "python" and "exec" in fence.option and "id" in fence.option


def _panels(root: Path, library: Library, page: str, parsed: Source) -> Iterator[Panel]:
    for fence in parsed.fences:
        option = fence.option
        if _is_panel(fence):
            told = {key: value for key, value in fence.options if key not in ("exec", "id", "title")}
            options = (
                {"options": "\n".join(f'{key}="{value}"' for key, value in told.items())} if told else {}
            )
            parts = {"code": fence.body, **options}
            yield _panel(root, option["id"], "panel", option.get("title", ""), page, parts)
        elif fence.language == exercises.LANGUAGE and option.get("show") == "start" and option.get("id"):
            ident = option["id"]
            title, parts = _exercise(library, ident)
            yield _panel(root, exercises.panel_of(ident), "exercise", title, page, parts)


def _exercise(library: Library, ident: str) -> tuple[str, dict[str, str]]:
    try:
        found = exercises.read(library, ident)
    except UNREADABLE:
        return "", {}  # the build says why
    one, other = found.wrong
    said = "\n".join(line.text for line in found.said)
    return found.title, {
        "level": found.level,
        "starting point": found.start,
        "solution": found.solution,
        "first wrong answer": f"# {one.does}\n{one.source}",
        "second wrong answer": f"# {other.does}\n{other.source}",
        "what a reader is told": said,
        "checks": _checks_of(found.lines),
    }


def _checks_of(lines: tuple[str, ...]) -> str:
    """The function of an exercise's module that grades an answer."""
    body = ast.parse("\n".join(lines)).body
    found = [node for node in body if isinstance(node, ast.FunctionDef) and node.name == "checks"]
    return "\n".join("\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in found)


def _panel(root: Path, ident: str, kind: str, title: str, page: str, parts: dict[str, str]) -> Panel:
    is_name = re.fullmatch(r"[\w.-]+", ident) is not None
    approved = _approved(root, ident) if is_name else None
    written = tuple(_written(parts.get("code", "")))
    if approved is None:
        return Panel(ident, kind, title, page, parts, None, tuple(claim for claim, _ in written))
    said = approved.claims
    claims = tuple(map(Claim, said))
    if len(said) == len(written):
        claims = tuple(replace(claim, sentence=one) for one, (claim, _) in zip(said, written, strict=True))
    unapproved = tuple(claim.sentence for claim, plain in written if plain and claim.sentence not in said)
    return Panel(ident, kind, title, page, parts, approved, claims, unapproved)


def _approved(root: Path, ident: str) -> Approved | None:
    path = approval.approved_path(root, ident)
    if not path.is_file():
        return None
    printed, _, named = _text(path).partition(runner.FIGURES)
    lines = printed.split("\n")
    figures = dict(line.split(" = ", 1) for line in named.splitlines() if " = " in line)
    claims = tuple(line.removeprefix(runner.OK) for line in lines if line.startswith(runner.OK))
    rest = "\n".join(line for line in lines if not line.startswith(runner.OK))
    return Approved(rest, claims, figures, _origin(root, ident))


def _origin(root: Path, ident: str) -> str:
    path = lanes.record_path(root, ident)
    if not path.is_file():
        return ""
    try:
        record: dict[str, Any] = json.loads(_text(path))
        packages = ", ".join(f"{name} {version}" for name, version in sorted(record["packages"].items()))
        return f"{packages}, Python {record['python']}, {record['date']}"
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "a record that cannot be read"


def _written(code: str) -> Iterator[tuple[Claim, bool]]:
    """The claims that a panel's code makes, as they are written there, and whether the sentence is plain text."""
    try:
        nodes = list(ast.walk(ast.parse(code)))
    except UNREADABLE:
        return
    calls = [
        node
        for node in nodes
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"
    ]
    for call in sorted(calls, key=lambda node: (node.lineno, node.col_offset)):
        given = dict(zip(("claim", "got", "expected"), call.args, strict=False))
        given |= {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg}
        claim = given.get("claim")
        literal = claim.value if isinstance(claim, ast.Constant) and isinstance(claim.value, str) else None
        sentence = literal if literal is not None else _unparsed(claim)
        found = Claim(sentence, _unparsed(given.get("got")), _unparsed(given.get("expected")))
        yield found, literal is not None


def _unparsed(node: ast.expr | None) -> str:
    try:
        return ast.unparse(node) if node is not None else ""
    except RecursionError:
        return "…"


def _sentences(parsed: Source) -> Iterator[Sentence]:
    """The sentences of a page, those of captions included, below their headings."""
    heading, paragraph, first, last = "", list[str](), 0, 0

    def done() -> Iterator[Sentence]:
        text = " ".join(" ".join(paragraph).split())
        for piece in SENTENCE.split(text) if not text.startswith("|") else [text]:
            if piece.strip():
                yield Sentence(piece.strip(), heading, first)
        paragraph.clear()

    lines = sorted([*parsed.meta, *quoting_lines(parsed)], key=lambda line: line.number)
    meta = {line.number for line in parsed.meta}
    for line in lines:
        titled = HEADING.match(line.text)
        begins = titled or not line.text.strip() or ALONE.match(line.text) or line.number in meta
        if paragraph and (begins or line.number > last + 1):
            yield from done()
        last = line.number
        if titled:
            heading = titled["title"]
        if line.text.strip():
            first = first if paragraph else line.number
            paragraph.append(line.text)
        if titled:
            yield from done()
    yield from done()


def _blocks(parsed: Source) -> str:
    """The blocks that are no panels: listings, drawings, instruments, formulas, terminals."""
    captioned = {"drawing", "instrument", exercises.LANGUAGE}  # their text is read with the sentences
    shown = []
    for fence in parsed.fences:
        if not _is_panel(fence):
            options = "".join(f' {key}="{value}"' for key, value in fence.options)
            body = "" if fence.language in captioned else textwrap.indent(f"\n{fence.body}", "    ")
            shown.append(f"{fence.language or 'text'}{options}{body.rstrip()}")
    return "\n".join(shown)


def _shown(parsed: Source) -> frozenset[str]:
    listed = {fence.option["listing"] for fence in parsed.fences if "listing" in fence.option}
    return frozenset(listed | {match[1] for line in parsed.prose if (match := API.match(line.text))})


def _drawn(parsed: Source) -> frozenset[tuple[str, str]]:
    return frozenset(
        (f"{fence.language} {fence.option.get('draw') or fence.option.get('use', '')}", fence.option["panel"])
        for fence in parsed.fences
        if fence.language in ("drawing", "instrument") and "panel" in fence.option
    )


def _listings(library: Library, names: set[str]) -> Iterator[tuple[str, str]]:
    """The sources that pages show, by name: of functions, and of whole modules that an API page describes."""
    for name in sorted(names):
        try:
            yield name, library.listing(name).text
        except UNREADABLE:
            try:
                yield name, library.module(name).text
            except UNREADABLE:
                continue  # the build refuses it
