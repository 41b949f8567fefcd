"""Reads a page's prose: binds numbers to figures, and refuses numbers that were typed by hand."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from coursebuild import numbers
from coursebuild.faults import Fault
from coursebuild.source import GIVEN, LEDGER, REFERENCE, Fence, Line, Source, code_spans

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
SPOKEN = re.compile(r"""\b(?:alt|title|aria-label|content)\s*=\s*(?P<quote>["'])(?P<text>.*?)(?P=quote)""")
EXPRESSION = re.compile(r"^[A-Za-z_]\S*$|[A-Za-z_].*[=<>\[\](){}+*/:]|[=<>\[\](){}+*/:].*[A-Za-z_]")
HIDDEN = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=\])\([^()\s]*(?=[\s)])",  # the address of a link or picture
        r"^\s*\[[^\]]+\]:\s+\S+",  # the address of a reference
        r"<https?://[^>]*>",
        r"\{:?\s*[#.][^{}]*\}",  # an attribute list
        r"^[> \t]*\d+[.)](?=\s)",  # the number of a list's item
        r"\[\^[\w-]+\]:?",  # a footnote's mark
        r"^:::\s.*$",  # an API entry
    )
)


@dataclass(frozen=True)
class Reference:
    """``[[17.5.ratio:.2f]]``: a figure of a panel, how to write it, and where in the line it stands."""

    line: int
    start: int
    end: int
    panel: str
    name: str
    spec: str

    def written(self, value: object) -> str:
        """The value as the page shows it.

        Raises:
            ValueError: the format does not fit the value.
        """
        if self.spec == "words":
            return numbers.spelled(value)
        if isinstance(value, (list, dict)) and not self.spec:
            raise ValueError("a list or dict has no one form in prose; name a figure for the value that you quote")
        try:
            return format(value, self.spec)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{value!r} cannot be written as {self.spec!r}: {error}") from error


@dataclass(frozen=True)
class Given:
    """``[[two|a definition]]``: a number that no run could contradict, with the reason, shown in the ledger."""

    line: int
    start: int
    end: int
    text: str
    reason: str


def references(line: Line) -> Iterator[Reference | Given]:
    """What a line quotes from panels, and what it declares as given."""
    for match in REFERENCE.finditer(line.text):
        yield Reference(line.number, *match.span(), match["panel"], match["name"], match["spec"] or "")
    for match in GIVEN.finditer(line.text):
        yield Given(line.number, *match.span(), match["text"].strip(), match["reason"].strip())


def without_comments(lines: Iterable[Line]) -> list[Line]:
    """The lines with what stands in HTML comments blanked, line numbers and columns kept."""
    lines = list(lines)
    text = COMMENT.sub(
        lambda match: re.sub(r"[^\n]", " ", match[0]), "\n".join(line.text for line in lines)
    ).split("\n")
    return [Line(line.number, shown) for line, shown in zip(lines, text, strict=True)]


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def visible(line: Line, quoted: Callable[[str], bool]) -> str:
    """What a reader sees of a line that its author typed as it is: no addresses, tags, references, quoted inputs."""
    text = line.text
    for pattern in (REFERENCE, GIVEN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    for start, end, code in list(code_spans(text)):
        if all(map(quoted, re.findall(r"\w*\d\w*", code))) or EXPRESSION.search(code):
            text = _blank(text, start, end)
    spoken = " ".join(match["text"] for tag in TAG.findall(text) for match in SPOKEN.finditer(tag))
    text = TAG.sub(lambda match: " " * len(match[0]), text)
    for pattern in HIDDEN:
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return numbers.normalise(f"{text} {spoken}")


def lint(path: str, source: Source, inputs: set[str]) -> list[Fault]:
    """Refuse each number that an author typed into the prose, titles and captions of a page.

    Args:
        path: the page's file, for the messages.
        source: the page.
        inputs: words inside the string literals of the page's panels; prose may quote them in inline code.
    """
    faults = []
    texts = [*without_comments(source.prose), *source.meta, *_texts_of_fences(source.fences)]
    for line in texts:
        for number in numbers.find(visible(line, inputs.__contains__)):
            faults.append(
                Fault(
                    path,
                    line.number,
                    "prose",
                    f"the number {number.text!r} is typed by hand, so a run could contradict it",
                    f"quote a figure of a panel, [[17.1.name]], or say why none is needed: [[{number.text}|the reason]]",
                )
            )
    return faults


def _texts_of_fences(fences: Iterable[Fence]) -> Iterator[Line]:
    """The prose inside fences: titles, and the captions of drawings."""
    for fence in fences:
        if title := fence.option.get("title"):
            yield Line(fence.line, title)
        if fence.language == "drawing":
            for offset, text in enumerate(fence.body.split("\n"), 1):
                yield Line(fence.line + offset, text)


def quoting_lines(source: Source) -> list[Line]:
    """The lines that may hold references: prose and the captions of drawings."""
    captions = [line for line in _texts_of_fences(f for f in source.fences if f.language == "drawing")]
    return [line for line in without_comments(source.prose) if not LEDGER.match(line.text)] + captions


def malformed(path: str, line: Line) -> list[Fault]:
    """Double brackets that are neither a figure nor a given number, so they would appear on the page as they are."""
    text = line.text
    for pattern in (REFERENCE, GIVEN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    for start, end, _ in list(code_spans(text)):
        text = _blank(text, start, end)
    if "[[" not in text:
        return []
    return [
        Fault(
            path,
            line.number,
            "prose",
            f"cannot read {text[text.index('[[') :].split(']]')[0]}]]",
            "write [[17.1.name]] or [[17.1.name:.2f]] for a figure, [[number|reason]] for a given number",
        )
    ]
