"""Which words come next, and how probable each is: bars to one scale, a group of them for each context."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings.svg import (
    FULL,
    INK,
    INK_2,
    MEDIUM,
    ROUNDING,
    SMALL,
    WIDTH,
    Canvas,
    is_count,
    is_list,
    is_probability,
    is_text,
    plural,
    probability,
    refuse,
    rows,
    text_width,
    visible,
)

NAME = "next_words"
NEEDED = (
    "a list of {context, rows}: context text, rows a list of [word, probability, count] with each word once, "
    "probabilities from 0 to 1 that add up to at most 1, count from 0 or None"
)

BAR = 13.0  # height of a bar
ROW = 20.0  # from one bar to the next
DECIMALS = 3
WORDS = 150.0  # room for the longest word
LEAST = 40.0  # room that must be left for the longest bar


@dataclass(frozen=True)
class Row:
    """A word that may come next, its probability, and how often it came if that is known."""

    word: str
    probability: float
    count: int | None

    @property
    def label(self) -> str:
        text = probability(self.probability, DECIMALS)
        return text if self.count is None else f"{text} · {self.count}×"

    @property
    def told(self) -> str:
        text = f"{visible(self.word)} {probability(self.probability, DECIMALS)}"
        return text if self.count is None else f"{text}, counted {plural(self.count, 'time')}"


@dataclass(frozen=True)
class Group:
    """A context and the words that may follow it, in the order given."""

    context: str
    rows: tuple[Row, ...]


def next_words(figures: Mapping[str, Any], ident: str) -> str:
    """Draw the next-word distribution after each context, all to one scale.

    Args:
        figures: `next_words`, a list of {"context", "rows"}; a row is [word, probability, count], where the
            count may be None.
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: The figure is missing or malformed; the message names it and what is needed.
    """
    groups = [_read(item) for item in rows(figures, NAME, NAME, NEEDED)]
    every = [row for group in groups for row in group.rows]
    words = max(text_width(visible(row.word), MEDIUM, mono=True) for row in every)
    values = max(text_width(row.label, SMALL) for row in every)
    left = 1 + words + 8
    room = WIDTH - 1 - values - 6 - left
    if room < LEAST:
        word, label = (max(texts, key=len) for texts in zip(*[(r.word, r.label) for r in every], strict=True))
        refuse(
            NAME, NAME, NEEDED, f"has the word {word!r} and the values {label!r}: no room is left for bars"
        )
    scale = room / (max(row.probability for row in every) or 1.0)
    canvas = Canvas(NAME, ident, "Probabilities of the next word", _describe(groups))
    y = 0.0
    for group in groups:
        y = _draw(canvas, group, y, left, scale)
    counted = any(row.count is not None for row in every)
    legend = "At a bar: probability" + (" · count." if counted else ".")
    spaces = any(" " in row.word for row in every)
    canvas.text(1, y + 8, legend + (" A dot is a space." if spaces else ""), INK_2)
    return canvas.finish(y + 14)


def _read(item: object) -> Group:
    if not isinstance(item, Mapping):
        refuse(NAME, NAME, NEEDED, f"has {item!r}")
    for key in ("context", "rows"):
        if key not in item:
            refuse(NAME, NAME, NEEDED, f"has {dict(item)!r} without {key!r}")
    context = item["context"]
    if not (is_text(context) and text_width(context, MEDIUM, bold=True) <= WIDTH - 2):
        refuse(NAME, NAME, NEEDED, f"has the context {context!r}, not a text that fits in a line")
    if not (is_list(item["rows"]) and item["rows"]):
        refuse(NAME, NAME, NEEDED, f"has rows = {item['rows']!r} for {context!r}")
    found = tuple(_read_row(row, context) for row in item["rows"])
    if len({visible(row.word) for row in found}) < len(found):
        refuse(NAME, NAME, NEEDED, f"has a word more than once in the rows of {context!r}")
    total = math.fsum(row.probability for row in found)
    if total > 1 + ROUNDING:
        refuse(NAME, NAME, NEEDED, f"has probabilities that add up to {total!r} for {context!r}")
    return Group(context, found)


def _read_row(row: object, context: str) -> Row:
    if not (isinstance(row, (list, tuple)) and len(row) == 3):
        refuse(NAME, NAME, NEEDED, f"has the row {row!r} for {context!r}")
    word, chance, count = row
    if not (is_text(word) and is_probability(chance)):
        refuse(NAME, NAME, NEEDED, f"has the row {row!r} for {context!r}")
    if not (count is None or is_count(count) or (count == 0 and type(count) is int)):
        refuse(NAME, NAME, NEEDED, f"has the row {row!r} for {context!r}")
    if text_width(visible(word), MEDIUM, mono=True) > WORDS:
        most = int(WORDS / text_width("x", MEDIUM, mono=True))
        refuse(NAME, NAME, NEEDED, f"has the word {word!r}, longer than the {most} letters that fit")
    return Row(word, float(chance), count)


def _draw(canvas: Canvas, group: Group, y: float, left: float, scale: float) -> float:
    """Draw one context from `y` downwards and return where the next one starts."""
    canvas.text(1, y + 13, group.context, INK, MEDIUM, bold=True)
    y += 22
    for row in group.rows:
        canvas.text(left - 8, y + 11, visible(row.word), INK, MEDIUM, anchor="end", mono=True)
        length = row.probability * scale
        if length:
            canvas.box(left, y, length, BAR, FULL, FULL, 1)
        canvas.text(left + length + 6, y + 11, row.label, INK)
        y += ROW
    return y + 12


def _describe(groups: list[Group]) -> str:
    told = [f"{group.context}: {'; '.join(row.told for row in group.rows)}" for group in groups]
    return f"A bar for each word, as long as its probability. {'. '.join(told)}."
