"""What the drawings share: a canvas that writes plain SVG, and the checks on the figures they are given."""

import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

# Units of the view box. On a screen 360 px wide a drawing has some 328 px, so that 12.5 units are 11.4 px.
WIDTH = 360.0
SMALL = 12.5
MEDIUM = 14.0

# Colours are custom properties of course.css; the fallbacks keep a drawing legible without that file.
INK = "var(--course-ink, currentColor)"
INK_2 = "var(--course-ink-2, currentColor)"
LINE = "var(--course-line-strong, currentColor)"
CELL = "var(--course-drawing-cell, transparent)"
JOINT = "var(--course-drawing-joint, transparent)"
FULL = "var(--course-drawing-full, transparent)"
FULL_INK = "var(--course-drawing-full-ink, currentColor)"

MONO = "var(--md-code-font-family, monospace)"
SANS = "var(--md-text-font-family, sans-serif)"


def text_width(text: str, size: float, mono: bool = False) -> float:
    """Width that `text` needs, in units: an estimate on the safe side, as fonts are the reader's own."""
    advance = 0.61 if mono else 0.58
    return sum(size * (1.05 if unicodedata.east_asian_width(c) in "WF" else advance) for c in text)


def printable(text: str) -> str:
    """`text` with every character that cannot be shown (or stand in XML) written as its code."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def number(value: float) -> str:
    """A coordinate with at most two decimals and no trailing zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Canvas:
    """An SVG picture with a title and a description, built one shape at a time."""

    def __init__(self, name: str, ident: str, title: str, description: str) -> None:
        if not ident:
            raise ValueError(f"drawing {name}: ident is empty; it must be unique on the page, as '17.1'")
        prefix = f"{name.replace('_', '-')}-{ident}"
        self.root = ET.Element(
            "svg",
            {
                "xmlns": "http://www.w3.org/2000/svg",
                "role": "img",
                "aria-labelledby": f"{prefix}-title",
                "aria-describedby": f"{prefix}-desc",
                "fill": INK,
                "font-family": SANS,
                "font-size": number(SMALL),
            },
        )
        ET.SubElement(self.root, "title", {"id": f"{prefix}-title"}).text = printable(title)
        ET.SubElement(self.root, "desc", {"id": f"{prefix}-desc"}).text = printable(description)

    def box(self, x: float, y: float, width: float, height: float, fill: str, stroke: str = LINE) -> None:
        attributes = {
            "x": number(x),
            "y": number(y),
            "width": number(width),
            "height": number(height),
            "rx": "3",
            "fill": fill,
            "stroke": stroke,
        }
        ET.SubElement(self.root, "rect", attributes)

    def stem(self, x: float, top: float, bottom: float) -> None:
        attributes = {"d": f"M{number(x)} {number(top)}V{number(bottom)}", "fill": "none", "stroke": LINE}
        ET.SubElement(self.root, "path", attributes)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        fill: str = INK,
        size: float = SMALL,
        anchor: str = "start",
        mono: bool = False,
        bold: bool = False,
    ) -> None:
        attributes = {"x": number(x), "y": number(y)}
        if fill != INK:
            attributes["fill"] = fill
        if size != SMALL:
            attributes["font-size"] = number(size)
        if anchor != "start":
            attributes["text-anchor"] = anchor
        if mono:
            attributes["font-family"] = MONO
        if bold:
            attributes["font-weight"] = "700"
        ET.SubElement(self.root, "text", attributes).text = printable(text)

    def finish(self, height: float, width: float = WIDTH) -> str:
        """The SVG as text, with its size fixed."""
        self.root.set("viewBox", f"0 0 {number(width)} {number(height)}")
        self.root.set("width", number(width))
        self.root.set("height", number(height))
        return ET.tostring(self.root, encoding="unicode")


def plural(count: int, noun: str) -> str:
    """`1 token`, `6 tokens`."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def refuse(drawing: str, key: str, needed: str, got: str) -> NoReturn:
    """Say which figure a drawing cannot use, and what it needs."""
    raise ValueError(f"drawing {drawing}: figure {key!r} {got}; needed: {needed}")


def rows(figures: Mapping[str, Any], drawing: str, key: str, needed: str) -> Sequence[Any]:
    """The figure `key`, which must be a list that is not empty."""
    if key not in figures:
        refuse(drawing, key, needed, "is missing")
    value = figures[key]
    if not is_list(value) or not value:
        refuse(drawing, key, needed, f"is {value!r}")
    assert isinstance(value, Sequence)
    return value


def is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""
