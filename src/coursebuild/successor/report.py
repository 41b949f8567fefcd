"""Says how the successor's pages compare with those of MkDocs, as Markdown that can be read in a terminal."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from coursebuild.faults import Fault, report
from coursebuild.successor.comparison import DECISIVE, Difference, Shown

COUNTED = ("panels", "outputs", "claims")
EXAMPLES = 3
LONGEST = 120


@dataclass(frozen=True)
class Compared:
    """A page by MkDocs and by Zensical; nothing where one has not built it.

    Attributes:
        path: the page's file.
        is_known: whether it is known that Zensical cannot build it.
    """

    path: str
    first: Shown | None
    second: Shown | None
    differences: tuple[Difference, ...] = ()
    is_known: bool = False

    @property
    def is_false(self) -> bool:
        """Whether the page lacks what every build must show."""
        if self.first is None or self.second is None:
            return not self.is_known
        return any(difference.aspect in DECISIVE for difference in self.differences)

    @property
    def verdict(self) -> str:
        """The comparison in a few words."""
        if self.first is None:
            return "not built by MkDocs"
        if self.second is None:
            return "lacking: Zensical runs no notebooks" if self.is_known else "not built by Zensical"
        if not self.differences:
            return "same"
        return "differs in " + ", ".join(difference.aspect for difference in self.differences)


def is_refused(pages: Iterable[Compared], faults: Iterable[Fault]) -> bool:
    """Whether the successor's site may not stand for the course."""
    return any(page.is_false for page in pages) or any(True for _ in faults)


def written(pages: list[Compared], faults: list[Fault], lacking: list[str]) -> str:
    """The whole report.

    Args:
        pages: all pages of the course.
        faults: what the gate refuses.
        lacking: what the site as a whole lacks, in words.
    """
    parts = ["## The course by Zensical, beside that by MkDocs", "\n".join(_totals(pages, faults))]
    parts.append("\n".join(_table(pages)))
    if details := list(_details(pages)):
        parts.append("### What differs\n\n" + "\n".join(details))
    if lacking:
        parts.append(
            "### What Zensical's site lacks as a whole\n\n" + "\n".join(f"- {what}" for what in lacking)
        )
    if faults:
        parts.append(f"### The gate refuses it\n\n```text\n{report(faults)}\n```")
    return "\n\n".join(parts) + "\n"


def _totals(pages: list[Compared], faults: list[Fault]) -> Iterator[str]:
    same = sum(page.verdict == "same" for page in pages)
    lacking = sum(page.second is None for page in pages)
    differ = [difference for page in pages for difference in page.differences]
    aspects = ", ".join(dict.fromkeys(difference.aspect for difference in differ))
    count = sum(bool(page.differences) for page in pages)
    yield f"- Pages: {same} of {len(pages)} are the same, {count} differ{' in ' + aspects if aspects else ''}, {lacking} are lacking."
    for aspect in COUNTED:
        first = sum(page.first.count(aspect) for page in pages if page.first and page.second)
        second = sum(page.second.count(aspect) for page in pages if page.first and page.second)
        changed = sum(max(len(one.first), len(one.second)) for one in differ if one.aspect == aspect)
        numbers = f"{first}" if first == second else f"{first} by MkDocs, {second} by Zensical"
        yield f"- {aspect.capitalize()} of the pages that both have: {numbers}; {f'{changed} differ' if changed else 'all the same'}."
    yield f"- Faults that the gate found: {len(faults)}."


def _table(pages: list[Compared]) -> Iterator[str]:
    width = max((len(page.path) for page in pages), default=4)
    yield f"| {'page':{width}} | panels | outputs | claims | Zensical's page |"
    yield f"| {'-' * width} | -----: | ------: | -----: | --- |"
    for page in pages:
        counts = [page.first.count(aspect) if page.first else 0 for aspect in COUNTED]
        panels, outputs, claims = counts
        yield f"| {page.path:{width}} | {panels:6} | {outputs:7} | {claims:6} | {page.verdict} |"


def _details(pages: list[Compared]) -> Iterator[str]:
    for page in pages:
        for difference in page.differences:
            for name, things in (("MkDocs", difference.first), ("Zensical", difference.second)):
                for thing in things[:EXAMPLES]:
                    shown = " ".join(thing.replace("`", "'").split())
                    short = shown if len(shown) <= LONGEST else shown[: LONGEST - 1] + "…"
                    yield f"- {page.path}: {difference.aspect}, only by {name}: `{short}`"
                if len(things) > EXAMPLES:
                    yield f"- {page.path}: {difference.aspect}, only by {name}: and {len(things) - EXAMPLES} more"
