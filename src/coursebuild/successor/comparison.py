"""Compares two builds of the course page by page: what a reader sees of panels, and what else the pages show."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from bs4 import BeautifulSoup, Tag

from coursebuild.links import FIGURES, Content, target

DECISIVE = ("panels", "outputs", "claims", "answers", "numbers", "blocks")
"""What must be the same: the panels' code, what they printed, the claims, the graded answers of exercises, the numbers that prose
quotes, and blocks: listings, drawings, formulas and instruments."""

ASPECTS = (*DECISIVE, "text", "links", "anchors")
"""All that is compared."""

BLOCKS = ", ".join(f"figure.{name}" for name in sorted(FIGURES))
OF_THE_BUILDER = re.compile(r' (?:href|src|data-search-exclude)="[^"]*"')
"""Links are an aspect of their own; and Zensical takes out what it is told to leave out of its search."""


@dataclass
class Shown:
    """What a page shows, by aspect: each thing of it and how often it is there."""

    aspects: dict[str, Counter[str]] = field(default_factory=lambda: {name: Counter() for name in ASPECTS})

    def count(self, aspect: str) -> int:
        """How many things the page has of an aspect."""
        return self.aspects[aspect].total()


@dataclass(frozen=True)
class Difference:
    """An aspect in which a page differs: what only the first build shows of it, and what only the second."""

    aspect: str
    first: tuple[str, ...]
    second: tuple[str, ...]


def text_of(part: Tag) -> str:
    """The words of a part of a page, with single spaces."""
    return " ".join(part.get_text().split())


def code_of(parts: Iterable[Tag]) -> str:
    """Preformatted text as it stands, since spaces and lines are part of it."""
    return "\n".join(part.get_text() for part in parts)


def shown(article: str, url: str) -> Shown:
    """What the article of the page at an address shows."""
    soup = BeautifulSoup(article, "html.parser")
    found = Shown()
    _panels(soup, found)
    for number in soup.select("a.bound"):
        found.aspects["numbers"][f"{number.get('title', '')}: {text_of(number)}"] += 1
    for block in soup.select(BLOCKS):
        found.aspects["blocks"][OF_THE_BUILDER.sub("", str(block))] += 1
    for link in soup.select("a[href]"):
        place = target(url, str(link["href"]))
        to = "#".join(filter(None, place)) if place else link["href"]
        found.aspects["links"][f"{text_of(link)} → {to or 'the front page'}"] += 1
    anchors = Content(article).anchors
    found.aspects["anchors"] = Counter(
        name for name in anchors if not name.startswith("__")
    )  # the theme's own
    for part in soup.select("script, style"):
        part.decompose()
    lines = (" ".join(line.split()) for line in soup.get_text().splitlines())
    found.aspects["text"] = Counter(line for line in lines if line)
    return found


def _panels(soup: BeautifulSoup, found: Shown) -> None:
    for panel in soup.select('section.panel[id^="panel-"]'):
        name = panel["id"]
        own = [code for code in panel.select("pre") if code.find_parent(class_="panel__output") is None]
        found.aspects["panels"][f"{name}: {code_of(own)}"] += 1
        for output in panel.select(".panel__output"):
            found.aspects["outputs"][f"{name}: {code_of(output.select('pre')) or text_of(output)}"] += 1
    for answers in soup.select('section.panel[id^="answers-"]'):
        found.aspects["answers"][f"{answers['id']}: {code_of(answers.select('pre'))}"] += 1
    for claim in soup.select("li.claim"):
        found.aspects["claims"][f"{claim.get('id', '')}: {text_of(claim)}"] += 1


def differences(first: Shown, second: Shown) -> list[Difference]:
    """In what two builds of a page differ."""
    found = []
    for aspect in ASPECTS:
        here, there = first.aspects[aspect], second.aspects[aspect]
        if here != there:
            only = (tuple(sorted((a - b).elements())) for a, b in ((here, there), (there, here)))
            found.append(Difference(aspect, *only))
    return found
