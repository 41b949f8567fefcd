"""The summary of what changed, as one comment."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from coursebuild.review.changes import Changes, FigureChange, ListingChange, PageChange, PanelChange
from coursebuild.review.course import Claim
from coursebuild.review.markdown import (
    code,
    contrast,
    count,
    cut,
    details,
    diff,
    escape,
    prose,
    spoken,
    table,
    words,
)

MARKER = "<!-- what a reader sees of this change -->"
"""The first line of every summary, by which an earlier comment is found."""

LONGEST = 60_000
"""Characters at most; GitHub takes 65,536, and .ci/comment.py adds some."""

TABLE = 20_000
NAMES = 2_500
"""Characters at most of the table of pages, and of a list of names."""

STEPS = (400, 120, 40, 12)
"""How many lines a block, and items a list, may have: the first number with which all sections fit."""

APPROVED = (
    "Outputs, claims and figures are shown as approved in <code>tests/outputs</code>; "
    "nothing was run for this summary. The tests refuse a run that differs from what is approved."
)
UNCHANGED = "No output, figure, claim or page has changed"
NOUNS = {"output": "output", "figure": "figure", "claim": "claim", "page": "page"}


@dataclass(frozen=True)
class Section:
    """A part of the summary that may be left out: its name, how much changed in it, its text with at most so many lines a block."""

    name: str
    weight: int
    text: Callable[[int], str]


@dataclass(frozen=True)
class Sides:
    """What is compared, and the address of a file of the new side on the web (empty: there is none)."""

    old: str
    new: str
    web: str = ""

    def file(self, path: str, line: int = 0) -> str:
        """A file's name, linked if it has an address."""
        place = f"{path}:{line}" if line else path
        safe = all(character.isalnum() or character in "/._-" for character in path)
        if not self.web or not safe:
            return code(place)
        return f'<a href="{self.web}/{path}?plain=1{f"#L{line}" if line else ""}">{code(place)}</a>'


def write(changes: Changes, sides: Sides, longest: int | None = LONGEST) -> str:
    """The summary, at most so many characters long (None: whole); it says what is left out."""
    compared = f"{code(cut(sides.old, 100))} → {code(cut(sides.new, 100))}"
    if not changes.pages and not changes.panels and not changes.listings:
        other = f"\n\n{_others(changes)}" if changes.others else ""
        return f"{MARKER}\n### {UNCHANGED}\n\n{compared}. {APPROVED}{other}\n"
    head = [
        MARKER,
        f"### {headline(changes)}",
        f"{compared}. {APPROVED}",
        _overview(changes, sides, longest and TABLE),
    ]
    if changes.others:
        head.append(_others(changes))
    start = "\n\n".join([f"{head[0]}\n{head[1]}", *head[2:]])
    sections = list(_sections(changes, sides))
    if longest is None:
        texts = {section.name: section.text(10**9) for section in sections}
    else:
        texts = _kept(sections, longest - len(start) - NAMES - 500)
    left = [section.name for section in sections if section.name not in texts]
    if left:
        verb = "is" if len(left) == 1 else "are"
        note = f"**{count(len(left), 'section')} {verb} left out for length:** {_named(left)}. <code>make review</code> shows all."
        start += f"\n\n{note}"
    return (
        "\n\n".join([start, *(texts[section.name] for section in sections if section.name in texts)]) + "\n"
    )


def headline(changes: Changes) -> str:
    """What changed, in numbers."""
    counts = changes.counts
    said = [count(counts[key], noun) for key, noun in NOUNS.items() if counts[key] or key == "page"]
    return f"What changed in the course: {', '.join(said)}"


def _kept(sections: Sequence[Section], room: int) -> dict[str, str]:
    """The texts of the sections, shortened until all fit; if they do not, those with most changes that do."""
    texts: dict[str, str] = {}
    for lines in STEPS:
        texts = {section.name: section.text(lines) for section in sections}
        if sum(len(text) + 2 for text in texts.values()) <= room:
            return texts
    kept = {}
    for section in sorted(sections, key=lambda section: -section.weight):
        text = texts[section.name]
        if len(text) + 2 <= room:
            kept[section.name] = text
            room -= len(text) + 2
    return kept


def _named(names: Sequence[str]) -> str:
    """As many names as there is room for, as code."""
    shown: list[str] = []
    for name in names:
        shown.append(code(cut(name, 200)))
        if sum(map(len, shown)) > NAMES:
            return ", ".join([*shown[:-1], "…"])
    return ", ".join(shown)


def _others(changes: Changes) -> str:
    verb = "is" if len(changes.others) == 1 else "are"
    what = f"{count(len(changes.others), 'changed file')} {verb} not shown, or not in full"
    return details(what, [_named(changes.others)])


def _overview(changes: Changes, sides: Sides, longest: int | None) -> str:
    """The pages that changed, those with most changes first, as far as there is room."""
    panels = {panel.now.ident: panel for panel in changes.panels}
    rows: list[list[str]] = []
    for page in sorted(changes.pages, key=lambda page: -_weight(page, panels)):
        rows.append([_place(page.path, sides, page.new is not None), _happened(page, panels)])
        if longest is not None and sum(len(cell) + 6 for row in rows for cell in row) > longest:
            rows.pop()
            break
    left = len(changes.pages) - len(rows)
    text = table(["page", "what changed"], rows)
    return text + (f"\n\n*{count(left, 'more page')} changed.*" if left else "")


def _place(path: str, sides: Sides, is_there: bool) -> str:
    return sides.file(path) if is_there else code(path)


def _weight(page: PageChange, panels: dict[str, PanelChange]) -> int:
    return len(page.sentences) + sum(_size(panels[ident]) for ident in page.panels)


def _size(panel: PanelChange) -> int:
    """How much a reader sees of a change: what was run counts more than code."""
    return 10 * (len(panel.claims) + len(panel.figures) + bool(panel.output)) + len(panel.sources) + 1


def _happened(page: PageChange, panels: dict[str, PanelChange]) -> str:
    said = []
    if page.old is None:
        said.append("**new page**")
    elif page.new is None:
        said.append("**removed**")
    elif page.old.path != page.new.path:
        said.append(f"**renamed** from {code(page.old.path)}")
    kinds = [(one.old is not None, one.new is not None) for one in page.sentences]
    if kinds:
        parts = {"changed": (True, True), "new": (False, True), "removed": (True, False)}
        numbers = [f"{kinds.count(key)} {word}" for word, key in parts.items() if kinds.count(key)]
        said.append(f"sentences: {', '.join(numbers)}")
    if page.quotes:
        said.append(f"{count(page.quotes, 'sentence')} by a figure")
    said += [f"{code(name)}" for name in page.drawn[:6]]
    if page.cells:
        said.append(count(page.cells, "cell"))
    if page.blocks and page.old and page.new:
        said.append("other blocks")
    shown = [code(ident) + _brief(panels[ident]) for ident in page.panels[:12]]
    shown += [f"{len(page.panels) - 12} more panels"] if len(page.panels) > 12 else []
    said += shown
    if page.listings:
        names = ", ".join(map(code, page.listings[:6])) + (", …" if len(page.listings) > 6 else "")
        said.append(f"source shown: {names}")
    return " · ".join(said) or "layout only"


def _brief(panel: PanelChange) -> str:
    if panel.old is None:
        return " new"
    if panel.new is None:
        return " removed"
    said = ["output"] if panel.output else []
    said += [count(len(panel.figures), "figure")] if panel.figures else []
    said += [count(len(panel.claims), "claim")] if panel.claims else []
    said += list(panel.sources) if not said else []
    said += ["run of record"] if panel.origin and not said else []
    said += ["renamed" if panel.is_renamed else "moved"] if panel.is_moved and not said else []
    return f" ({', '.join(said)})"


def _sections(changes: Changes, sides: Sides) -> Iterator[Section]:
    for panel in sorted(changes.panels, key=lambda panel: -_size(panel)):
        if panel.is_moved and not panel.is_renamed and _size(panel) == 1 and not panel.origin:
            continue  # with its page, as the table says
        yield Section(
            f"{panel.now.kind} {panel.now.ident}",
            _size(panel),
            lambda lines, panel=panel: _panel(panel, sides, lines),  # type: ignore[misc]
        )
    for page in changes.pages:
        if page.sentences or page.blocks:
            yield Section(
                page.path,
                len(page.sentences) + bool(page.blocks),
                lambda lines, page=page: _page(page, sides, lines),  # type: ignore[misc]
            )
    for listing in changes.listings:
        yield Section(
            listing.name,
            2 + len(listing.pages),
            lambda lines, listing=listing: _listing(listing, sides, lines),  # type: ignore[misc]
        )


def _panel(panel: PanelChange, sides: Sides, lines: int) -> str:
    now = panel.now
    said = _brief(panel).strip()
    title = f": {spoken(now.title)}" if now.title else ""
    parts = [f"On {_place(now.page, sides, panel.new is not None)}."]
    if panel.is_moved and panel.old:
        before = panel.old
        parts.append(
            f"Before: {code(before.ident)}, {escape(before.title) or 'no title'}, on {code(before.page)}."
        )
    if panel.origin:
        parts.append(f"Run of record: {code(panel.origin[0])} → {code(panel.origin[1])}")
    if panel.new is not None and panel.new.approved is None:
        parts.append("**No output is approved yet**: <code>make approve</code>.")
    if panel.new is not None and panel.new.unapproved:
        said_so = ", ".join(f"“{escape(cut(claim, 200))}”" for claim in panel.new.unapproved[:lines])
        number = count(len(panel.new.unapproved), "claim")
        parts.append(f"**{number} of its code in no approved output** (<code>make approve</code>): {said_so}")
    parts.append(_claims(panel, lines))
    parts.append(_figures(panel.figures, sides, lines))
    if panel.drawn:
        made = ", ".join(f"{code(name)} on {sides.file(page)}" for name, page in panel.drawn[:lines])
        parts.append(f"Made from its figures: {made}.")
    if panel.output:
        parts += ["**Output**", diff(*panel.output, lines)]
    sources = [(name, diff(*pair, lines)) for name, pair in panel.sources.items()]
    parts += [details(spoken(name[0].upper() + name[1:]), [shown]) for name, shown in sources]
    return details(f"<b>{now.kind.capitalize()} {code(now.ident)}</b>{title} {said}", parts)


def _claims(panel: PanelChange, lines: int) -> str:
    items = []
    for change in panel.claims[:lines]:
        old, new = change.old, change.new
        if old is None and new is not None:
            items.append(f"- added: {words(None, new.sentence)}{_sides(new)}")
        elif new is None and old is not None:
            items.append(f"- removed: {words(old.sentence, None)}{_sides(old)}")
        elif old is not None and new is not None:
            items.append(_changed_claim(old, new))
    left = len(panel.claims) - lines
    items += [f"- *{count(left, 'more claim')}*"] if left > 0 else []
    return "\n".join(["**Claims**\n", *items]) if items else ""


def _sides(claim: Claim) -> str:
    if not claim.got and not claim.expected:
        return ""
    return f"<br>{code(cut(claim.got, 200))} is to be {code(cut(claim.expected, 200))}"


def _changed_claim(old: Claim, new: Claim) -> str:
    said = []
    reworded = old.sentence != new.sentence
    if (old.expected, old.got) != (new.expected, new.got) and new.expected:
        if old.expected != new.expected:
            said.append(f"expected {_both(old.expected, new.expected)}")
        if old.got != new.got:
            said.append(f"looks at {_both(old.got, new.got)}")
    sentence = words(old.sentence, new.sentence) if reworded else escape(new.sentence)
    kind = "reworded" if reworded else "checked otherwise"
    return "<br>".join([f"- {kind}: {sentence}", *said])


def _both(old: str, new: str) -> str:
    return " → ".join(code(side or "") for side in contrast(old, new, 200))


def _figures(figures: Sequence[FigureChange], sides: Sides, lines: int) -> str:
    if not figures:
        return ""
    rows = [[code(one.name), *map(_value, contrast(one.old, one.new, 160))] for one in figures[:lines]]
    left = len(figures) - lines
    parts = ["**Figures**", table(["figure", "old", "new"], rows)]
    parts += [f"*{count(left, 'more figure')}*"] if left > 0 else []
    quotes = [(one.name, quote) for one in figures for quote in one.quotes]
    changed = [(name, quote) for name, quote in quotes if quote.old != quote.new]
    items = []
    for name, quote in changed[:lines]:
        place = (
            f"{sides.file(quote.page, quote.line)}{f', “{prose(quote.heading)}”' if quote.heading else ''}"
        )
        items.append(f"- {code(name)} in {place}: {words(quote.old, quote.new)}")
    items += [f"- *{count(len(changed) - lines, 'more place')}*"] if len(changed) > lines else []
    same = len(quotes) - len(changed)
    items += (
        [f"- {count(same, 'quotation')} as before, by {'its' if same == 1 else 'their'} rounding"]
        if same
        else []
    )
    return "\n\n".join([*parts, "\n".join(items)] if items else parts)


def _value(value: str | None) -> str:
    return "*none*" if value is None else code(value)


def _page(page: PageChange, sides: Sides, lines: int) -> str:
    parts, heading = [], None
    for change in page.sentences[:lines]:
        if change.heading != heading:
            heading = change.heading
            parts.append(f"**{prose(heading) or 'Before the first heading'}**")
        where = f"<sub>{change.line}</sub> " if change.line else ""
        parts.append(f"{where}{words(change.old, change.new)}")
    left = len(page.sentences) - lines
    parts += [f"*{count(left, 'more sentence')}*"] if left > 0 else []
    if page.blocks:
        parts += ["**Other blocks**", diff(*page.blocks, lines)]
    parts.insert(0, _place(page.path, sides, page.new is not None))
    what = f"Text of {code(page.path)}: {count(len(page.sentences), 'sentence')}"
    return details(what, parts)


def _listing(listing: ListingChange, sides: Sides, lines: int) -> str:
    pages = ", ".join(map(sides.file, listing.pages)) or "no page"
    return details(
        f"Source of {code(listing.name)}, as pages show it",
        [f"Shown on {pages}.", diff(listing.old, listing.new, lines)],
    )
