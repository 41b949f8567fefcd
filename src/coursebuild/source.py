"""Reads a page's Markdown as its author wrote it: fences, prose and references to figures, each with its line."""

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from coursebuild.faults import Problem

OPENING = re.compile(r"^(?P<prefix>[> \t]*)(?P<fence>`{3,}|~{3,})[ \t]*(?P<info>.*?)[ \t]*$")
HEADER = re.compile(r"""^(?P<language>[\w#.+-]+)?(?P<options>(?:[ \t]+[A-Za-z]\w*="[^"]*")*)$""")
OPTION = re.compile(r"""([A-Za-z]\w*)="([^"]*)\"""")
REFERENCE = re.compile(
    r"\[\[(?P<panel>[\w-]+(?:\.[\w-]+)*)\.(?P<name>[A-Za-z_]\w*)(?::(?P<spec>[^\[\]|]*))?\]\]"
)
GIVEN = re.compile(r"\[\[(?P<text>[^\[\]|]+)\|(?P<reason>[^\[\]|]+)\]\]")
LISTED = re.compile(r"^\[\[(?P<what>ledger|corrections|refusals)\]\]\s*$")
"""Where a page shows all claims, all errors that were confirmed, or all kinds of refusal."""
INLINE_CODE = re.compile(r"(?<!`)(?P<ticks>`+)(?!`)(?P<code>.+?)(?<!`)(?P=ticks)(?!`)")


@dataclass(frozen=True)
class Fence:
    """A fenced block: its opening line in the file, its language, its options and its text.

    ``problem`` says why Markdown would not take the block as the author means it.
    """

    line: int
    language: str
    options: tuple[tuple[str, str], ...]
    body: str
    problem: Problem | None = None

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


def _header(info: str) -> tuple[str, tuple[tuple[str, str], ...], Problem | None]:
    match = HEADER.match(info)
    if not match:
        language = re.split(r"[\s{=]", info, maxsplit=1)[0]
        return (
            language,
            (),
            Problem("options-unreadable", f'cannot read the options {info!r}; write each as name="value"'),
        )
    options = tuple(OPTION.findall(match["options"]))
    names = [name for name, _ in options]
    twice = sorted({name for name in names if names.count(name) > 1})
    problem = Problem("option-twice", f"option {twice[0]} is given twice") if twice else None
    return match["language"] or "", options, problem


def lines_of(text: str) -> list[str]:
    """The lines of a text as Markdown and editors count them; the last one's end adds none."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _split(line: str, width: int) -> tuple[str, str]:
    """The indentation and quote marks of a line, at most ``width`` columns of them, and the rest."""
    marks = re.match(r"[> ]*", line.expandtabs(4)[:width])
    cut = len(marks[0]) if marks else 0
    return line.expandtabs(4)[:cut], line.expandtabs(4)[cut:]


class _Block:
    """A block that is being read, by the rules of SuperFences for blocks in lists, admonitions and quotes."""

    def __init__(self, prefix: str, fence: str) -> None:
        self.prefix, self.fence = prefix.expandtabs(4), fence
        self.body: list[str] = []
        self.empty = False

    def take(self, line: str) -> bool | None:
        """Whether the line belongs to the block: False where it closes it, None where it breaks it."""
        marks, rest = _split(line, len(self.prefix))
        quotes, own = marks.count(">"), self.prefix.count(">")
        if quotes > own or (len(marks) < len(self.prefix) and rest and (marks + rest).strip()):
            return None
        if own and rest and self.empty and quotes < own:
            return None
        if rest.rstrip() == self.fence:
            return False
        self.empty = not rest.strip()
        self.body.append(rest)
        return True


def split_front_matter(text: str) -> tuple[list[str], int]:
    """The lines of a file, and how many of them are front matter (its fences of dashes included)."""
    lines = lines_of(text)
    if lines and lines[0].rstrip() == "---":
        for number, line in enumerate(lines[1:], 2):
            if line.rstrip() in ("---", "..."):
                return lines, number
    return lines, 0


@functools.lru_cache(maxsize=512)
def read(text: str) -> Source:
    """Split a page's text into fences and prose.

    A block is closed, as in SuperFences, by a line with the same fence at the same indentation; one that is never closed,
    or that a line with less indentation breaks, is no block there, so it comes back with a ``problem``.
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
        block = _Block(opening["prefix"], opening["fence"])
        end = index + 1
        taken: bool | None = True
        while end < len(lines) and (taken := block.take(lines[end])):
            end += 1
        language, options, problem = _header(opening["info"])
        if end == len(lines):
            problem = Problem(
                "block-open", f"the block is never closed: no later line is {block.prefix}{block.fence}"
            )
        elif taken is None:
            message = f"line {end + 1} has less indentation than the block's first, so Markdown takes the block apart"
            problem = Problem("block-broken", message)
        fences.append(Fence(index + 1, language.lstrip("."), options, "\n".join(block.body), problem))
        index = end if taken is None else end + 1
    meta = tuple(Line(number, line) for number, line in enumerate(lines[1 : max(start - 1, 1)], 2))
    return Source(tuple(fences), tuple(prose), meta)


def code_spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The inline code of a line: start, end (marks included) and the code."""
    for match in INLINE_CODE.finditer(text):
        yield match.start(), match.end(), match["code"].strip()
