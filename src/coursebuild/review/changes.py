"""What differs between two courses, old against new. Nothing here reads a file."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from coursebuild.review.course import Approved, Claim, Course, Page, Panel, Sentence

ALIKE = 0.6
"""From which likeness on two texts are one that was changed, rather than two."""

LONGEST = 20_000
"""So many characters at most of two texts are compared for likeness."""

MANY = 2_000
"""From so many items on, those that come often are left out where sequences are aligned, which else takes too long."""

FEW = 100
"""So many new things at most are compared with so many that are gone: the work grows with the product."""

Pair = tuple[str, str]
"""A text as it was and as it is."""


@dataclass(frozen=True)
class FigureChange:
    """A figure with its old and new value (None: there was or is none), and the sentences that quote it, as they read."""

    name: str
    old: str | None
    new: str | None
    quotes: tuple["Quote", ...] = ()


@dataclass(frozen=True)
class Quote:
    """A sentence that quotes a figure: where it stands, as it read (nothing: the figure is new), and as it reads now."""

    page: str
    line: int
    heading: str
    old: str
    new: str


@dataclass(frozen=True)
class ClaimChange:
    """A claim that was added (no old one), removed (no new one), or changed: its sentence or a side of its check."""

    old: Claim | None
    new: Claim | None


@dataclass(frozen=True)
class PanelChange:
    """A panel, exercise or lab that changed; ``sources`` are its changed parts by name.

    ``drawn`` is what is made from its figures, where these changed: the name of each drawing or instrument, and its page.
    """

    old: Panel | None
    new: Panel | None
    sources: dict[str, Pair]
    output: Pair | None
    claims: tuple[ClaimChange, ...]
    figures: tuple[FigureChange, ...]
    origin: Pair | None
    drawn: tuple[tuple[str, str], ...] = ()

    @property
    def now(self) -> Panel:
        """The panel as it is, or was if it is gone."""
        panel = self.new or self.old
        assert panel is not None
        return panel

    @property
    def is_renamed(self) -> bool:
        """Whether it has another name or title."""
        old, new = self.old, self.new
        return old is not None and new is not None and (old.ident, old.title) != (new.ident, new.title)

    @property
    def is_moved(self) -> bool:
        """Whether it stands on another page, has another name or another title."""
        old, new = self.old, self.new
        if old is None or new is None:
            return False
        return (old.ident, old.page, old.title) != (new.ident, new.page, new.title)


@dataclass(frozen=True)
class SentenceChange:
    """A sentence as it read and as it reads; None where there was or is none."""

    heading: str
    line: int
    old: str | None
    new: str | None


@dataclass(frozen=True)
class PageChange:
    """A page whose file changed, or what it shows: ``panels`` and ``listings`` are the changed ones on it.

    ``quotes`` counts the sentences that read otherwise because a figure changed, ``drawn`` are the drawings made from one.
    """

    old: Page | None
    new: Page | None
    sentences: tuple[SentenceChange, ...]
    blocks: Pair | None
    cells: int
    panels: tuple[str, ...] = ()
    listings: tuple[str, ...] = ()
    quotes: int = 0
    drawn: tuple[str, ...] = ()

    @property
    def path(self) -> str:
        """Where it is, or was if it is gone."""
        page = self.new or self.old
        assert page is not None
        return page.path

    @property
    def is_rewritten(self) -> bool:
        """Whether its own text changed, or its place."""
        old, new = self.old, self.new
        return old is None or new is None or (old.path, old.text) != (new.path, new.text)


@dataclass(frozen=True)
class ListingChange:
    """A function or module of the library whose source changed, and the pages that show it."""

    name: str
    old: str
    new: str
    pages: tuple[str, ...]


@dataclass(frozen=True)
class Changes:
    """All that changed. ``others`` are changed files of which no more is known."""

    pages: tuple[PageChange, ...]
    panels: tuple[PanelChange, ...]
    listings: tuple[ListingChange, ...]
    others: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[str, int]:
        """How many outputs, figures, claims, sentences, listings and pages changed."""
        return {
            "output": sum(panel.output is not None for panel in self.panels),
            "figure": sum(len(panel.figures) for panel in self.panels),
            "claim": sum(len(panel.claims) for panel in self.panels),
            "sentence": sum(len(page.sentences) for page in self.pages),
            "listing": len(self.listings),
            "page": len(self.pages),
        }


def between(old: Course, new: Course, files: Sequence[str] = ()) -> Changes:
    """What changed from one course to another; ``files`` are the files that differ."""
    panels = tuple(_panels(old, new))
    listings = tuple(_listings(old, new))
    pages = tuple(_pages(old, new, panels, listings))
    seen = {page.path for page in pages} | {page.old.path for page in pages if page.old}
    whole = {f"src/{listing.name.replace('.', '/')}.py" for listing in listings}
    told = {f"tests/outputs/{one.ident}" for panel in panels for one in (panel.old, panel.new) if one}
    others = tuple(name for name in files if name not in seen | whole and name.rpartition(".")[0] not in told)
    return Changes(pages, panels, listings, others)


def matched(old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[tuple[str | None, str | None]]:
    """The names of both sides in pairs: the same name, else the likest text of those that are gone or new; else alone."""
    gone = {name: text for name, text in old.items() if name not in new}
    fresh = {name: text for name, text in new.items() if name not in old}
    renamed: dict[str, str] = {}
    if len(gone) <= FEW and len(fresh) <= FEW:
        likenesses = [
            (likeness(before, after), second, first)
            for first, before in gone.items()
            for second, after in fresh.items()
        ]
        for ratio, second, first in sorted(likenesses, key=lambda item: -item[0]):
            if ratio >= ALIKE and second not in renamed and first not in renamed.values():
                renamed[second] = first
    for name in new:
        yield (name if name in old else renamed.get(name)), name
    for name in gone:
        if name not in renamed.values():
            yield name, None


def likeness(old: str, new: str) -> float:
    """How much of two texts is the same, from 0 to 1, word by word."""
    before, after = old[:LONGEST].split(), new[:LONGEST].split()
    matcher = SequenceMatcher(None, before, after, autojunk=len(after) > MANY)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    return matcher.ratio()


def aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """The places of both sequences in pairs, in the order of the new one: equal, changed but alike, or alone."""
    matcher = SequenceMatcher(None, old, new, autojunk=len(new) > MANY)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            yield from zip(range(start, end), range(first, last), strict=True)
            continue
        before = {str(index): old[index] for index in range(start, end)}
        after = {f"+{index}": new[index] for index in range(first, last)}
        for one, other in matched(before, after):
            yield None if one is None else int(one), None if other is None else int(other)


def _panels(old: Course, new: Course) -> Iterator[PanelChange]:
    def code(course: Course) -> dict[str, str]:
        return {ident: "\n".join(panel.parts.values()) for ident, panel in course.panels.items()}

    for first, second in matched(code(old), code(new)):
        before = old.panels[first] if first else None
        after = new.panels[second] if second else None
        change = PanelChange(
            before,
            after,
            _sources(before, after),
            _output(before, after),
            tuple(_claims(before.claims if before else (), after.claims if after else ())),
            tuple(_figures(old, new, before, after)),
            _origin(before, after),
        )
        if after and change.figures:
            change = replace(change, drawn=tuple(_drawn(new, after.ident)))
        said = change.sources or change.output or change.claims or change.figures or change.origin
        if said or change.is_moved or before is None or after is None:
            yield change


def _drawn(course: Course, ident: str) -> Iterator[tuple[str, str]]:
    for path, page in course.pages.items():
        yield from ((name, path) for name, panel in sorted(page.draws) if panel == ident)


def _sources(old: Panel | None, new: Panel | None) -> dict[str, Pair]:
    before, after = old.parts if old else {}, new.parts if new else {}
    both = {name: (before.get(name, ""), after.get(name, "")) for name in {**before, **after}}
    return {name: pair for name, pair in both.items() if pair[0] != pair[1]}


def _approved(panel: Panel | None) -> Approved:
    return (panel.approved if panel else None) or Approved()


def _output(old: Panel | None, new: Panel | None) -> Pair | None:
    before, after = _approved(old).printed, _approved(new).printed
    return (before, after) if before != after else None


def _origin(old: Panel | None, new: Panel | None) -> Pair | None:
    before, after = _approved(old).origin, _approved(new).origin
    return (before, after) if before != after else None


def _claims(old: Sequence[Claim], new: Sequence[Claim]) -> Iterator[ClaimChange]:
    """Claims are paired by their sentence, else by what they look at, else by likeness."""
    gone, fresh = list(old), list(new)
    for key in (_whole, _sentence, _got):
        for claim in list(fresh):
            twin = next((other for other in gone if key(claim) and key(claim) == key(other)), None)
            if twin is not None:
                gone.remove(twin)
                fresh.remove(claim)
                if twin != claim:
                    yield ClaimChange(twin, claim)
    before, after = [claim.sentence for claim in gone], [claim.sentence for claim in fresh]
    for one, other in aligned(before, after):
        yield ClaimChange(None if one is None else gone[one], None if other is None else fresh[other])


def _whole(claim: Claim) -> tuple[str, ...]:
    return claim.sentence, claim.got, claim.expected


def _sentence(claim: Claim) -> tuple[str, ...]:
    return (claim.sentence,)


def _got(claim: Claim) -> tuple[str, ...]:
    return (claim.got,) if claim.got else ()


def _figures(old: Course, new: Course, before: Panel | None, after: Panel | None) -> Iterator[FigureChange]:
    was, now = _approved(before).figures, _approved(after).figures
    for name in {**was, **now}:
        if was.get(name) != now.get(name):
            quotes = []
            for page, sentence in new.quotes.get((after.ident, name), []) if after else []:
                place = (page, sentence.line, sentence.heading)
                renamed = sentence.text if name in was else ""
                if before and after and before.ident != after.ident:
                    renamed = renamed.replace(f"[[{after.ident}.", f"[[{before.ident}.")
                quotes.append(Quote(*place, old.reads(renamed), new.reads(sentence.text)))
            yield FigureChange(name, was.get(name), now.get(name), tuple(quotes))


def _listings(old: Course, new: Course) -> Iterator[ListingChange]:
    for name in sorted({**old.listings, **new.listings}):
        before, after = old.listings.get(name, ""), new.listings.get(name, "")
        if before != after:
            yield ListingChange(name, before, after, tuple(_showing(old, new, name)))


def _showing(old: Course, new: Course, name: str) -> list[str]:
    course = new if any(name in page.shows for page in new.pages.values()) else old
    return sorted(path for path, page in course.pages.items() if name in page.shows)


def _pages(
    old: Course, new: Course, panels: Sequence[PanelChange], listings: Sequence[ListingChange]
) -> Iterator[PageChange]:
    texts = [{path: page.text for path, page in course.pages.items()} for course in (old, new)]
    both = [one for panel in panels for one in panel.figures if one.old is not None and one.new is not None]
    quotes = [quote for figure in both for quote in figure.quotes]
    for first, second in matched(*texts):
        before = old.pages[first] if first else None
        after = new.pages[second] if second else None
        path = second or first or ""
        shown = [change.now.ident for change in panels if change.now.page == path]
        listed = [change.name for change in listings if path in change.pages]
        change = PageChange(
            before,
            after,
            tuple(_sentences(old, new, before, after)),
            _pair(before.blocks if before else "", after.blocks if after else ""),
            _changed(before.cells if before else (), after.cells if after else ()),
            tuple(shown),
            tuple(listed),
            len({quote for quote in quotes if quote.page == path and quote.old != quote.new}),
            tuple(name for panel in panels for name, page in panel.drawn if page == path),
        )
        if change.is_rewritten or shown or listed or change.quotes or change.drawn:
            yield change


def _pair(old: str, new: str) -> Pair | None:
    return (old, new) if old != new else None


def _changed(old: Sequence[str], new: Sequence[str]) -> int:
    """How many items of a sequence are new, gone or changed."""
    return sum(one is None or other is None or old[one] != new[other] for one, other in aligned(old, new))


def _sentences(old: Course, new: Course, before: Page | None, after: Page | None) -> Iterator[SentenceChange]:
    was: Sequence[Sentence] = before.sentences if before else ()
    now: Sequence[Sentence] = after.sentences if after else ()
    for one, other in aligned([one.text for one in was], [one.text for one in now]):
        first = was[one] if one is not None else None
        second = now[other] if other is not None else None
        if first and second and first.text == second.text:
            continue
        was_read = old.reads(first.text) if first else None
        reads = new.reads(second.text) if second else None
        if first and second and was_read == reads:
            was_read, reads = first.text, second.text  # what it quotes has another name, or another reason
        place = second or first
        if place:
            yield SentenceChange(place.heading, second.line if second else 0, was_read, reads)
