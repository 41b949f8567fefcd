"""Reads a page's Markdown as its author wrote it: fences, prose and references to figures, each with its line."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

OPENING = re.compile(r"^(?P<prefix>[> \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*?)[ \t]*$")
HEADER = re.compile(r"""^(?P<language>[\w#.+-]+)?(?P<options>(?:[ \t]+[A-Za-z]\w*="[^"]*")*)$""")
OPTION = re.compile(r"""([A-Za-z]\w*)="([^"]*)\"""")
REFERENCE = re.compile(r"\[\[(?P<panel>[\w-]+(?:\.[\w-]+)*)\.(?P<name>[A-Za-z_]\w*)(?::(?P<spec>[^\[\]|]*))?\]\]")
GIVEN = re.compile(r"\[\[(?P<text>[^\[\]|]+)\|(?P<reason>[^\[\]|]+)\]\]")
LEDGER = re.compile(r"^\[\[ledger\]\]\s*$")
INLINE_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)")


@dataclass(frozen=True)
class Fence:
    """A fenced block: its opening line in the file, its language, its options and its text.

    ``problem`` says why Markdown would not take the block as the author means it, or is empty.
    """

    line: int
    language: str
    options: tuple[tuple[str, str], ...]
    body: str
    problem: str = ""

    @cached_property
    def option(self) -> dict[str, str]:
        """The options as a dict; of a repeated one the last."""
        return dict(self.options)


@dataclass(frozen=True)
class Line:
    """A line of prose and its number in the file."""

    number: int
    text: str


@dataclass(frozen=True)
class Source:
    """The parts of a page. ``meta`` are the lines of its front matter."""

    fences: tuple[Fence, ...]
    prose: tuple[Line, ...]
    meta: tuple[Line, ...] = ()


def _header(info: str) -> tuple[str, tuple[tuple[str, str], ...], str]:
    match = HEADER.match(info)
    if not match:
        language = re.split(r"[\s{=]", info, maxsplit=1)[0]
        return language, (), f'cannot read the options {info!r}; write each as name="value"'
    options = tuple(OPTION.findall(match["options"]))
    names = [name for name, _ in options]
    twice = sorted({name for name in names if names.count(name) > 1})
    return match["language"] or "", options, f"option {twice[0]} is given twice" if twice else ""


def _strip(prefix: str, line: str) -> str:
    """The line without the indentation (or quote marks) that its fence has."""
    for mark in prefix:
        if line[:1] == mark or (mark.isspace() and line[:1].isspace()):
            line = line[1:]
        else:
            break
    return line


def split_front_matter(text: str) -> tuple[list[str], int]:
    """The lines of a file, and how many of them are front matter (its fences of dashes included)."""
    lines = text.splitlines()
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], 2):
            if line.rstrip() in ("---", "..."):
                return lines, number
    return lines, 0


def read(text: str) -> Source:
    """Split a page's text into fences and prose.

    A block is closed, as in SuperFences, by a line with the same fence; one that is never closed is no block there,
    so it comes back with a ``problem``.
    """
    lines, start = split_front_matter(text)
    fences: list[Fence] = []
    prose: list[Line] = []
    index = start
    while index < len(lines):
        opening = OPENING.match(lines[index])
        if not opening or ("`" in opening["info"] and opening["fence"][0] == "`"):
            prose.append(Line(index + 1, lines[index]))
            index += 1
            continue
        fence, prefix = opening["fence"], opening["prefix"]
        end = index + 1
        while end < len(lines) and lines[end].lstrip("> \t").rstrip() != fence:
            end += 1
        language, options, problem = _header(opening["info"])
        if end == len(lines):
            problem = f"the block is never closed: no later line is {fence}"
        body = "\n".join(_strip(prefix, line) for line in lines[index + 1 : end])
        fences.append(Fence(index + 1, language.lstrip("."), options, body, problem))
        index = end + 1
    meta = tuple(Line(number, line) for number, line in enumerate(lines[1 : max(start - 1, 1)], 2))
    return Source(tuple(fences), tuple(prose), meta)


def code_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The inline code of a line: start, end (marks included) and the code."""
    for match in INLINE_CODE.finditer(text):
        yield match.start(), match.end(), match["code"].strip()
