"""What the drawings share: a canvas that writes plain SVG, and the checks on the figures they are given."""

import math
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeGuard

# Units of the view box. On a screen 360 px wide a drawing has some 328 px, so that 12.5 units are 11.4 px.
WIDTH = 360.0
SMALL = 12.5
MEDIUM = 14.0

ROUNDING = 1e-9  # by which probabilities that add up to one may miss it
NOISE = 1e-12  # what differs by less, in proportion, is the same but for rounding errors
MOST = 10**15  # from here on numbers are too large to draw

# Colours are custom properties of course.css; the fallbacks keep a drawing legible without that file.
INK = "var(--course-ink, currentColor)"
INK_2 = "var(--course-ink-2, currentColor)"
PAPER = "var(--course-paper, transparent)"
GRID = "var(--course-line, transparent)"
LINE = "var(--course-line-strong, currentColor)"
CELL = "var(--course-drawing-cell, transparent)"
JOINT = "var(--course-drawing-joint, transparent)"
FULL = "var(--course-drawing-full, transparent)"
FULL_INK = "var(--course-drawing-full-ink, currentColor)"
HEAT = "var(--course-drawing-heat, transparent)"
HEAT_2 = "var(--course-drawing-heat-2, transparent)"
SERIES = tuple(f"var(--course-drawing-series-{n}, currentColor)" for n in range(1, 7))

MONO = "var(--md-code-font-family, monospace)"
SANS = "var(--md-text-font-family, sans-serif)"


# Advances of characters, in ems: in DejaVu Sans, the widest of the usual fonts, none of the class has more.
NARROW = frozenset("Ifijlrt .,:;-·'|/\\()[]!⁰¹²³⁴⁵⁶⁷⁸⁹")
WIDE = frozenset("MWmw@%—…æœ½™←→")
BOLD = 1.17  # times as wide


def text_width(text: str, size: float, mono: bool = False, bold: bool = False) -> float:
    """Width that `text` needs, in units: an estimate on the safe side, as fonts are the reader's own."""
    width = size * math.fsum(_mono_advance(c) if mono else _advance(c) for c in printable(text))
    return width * BOLD if bold and not mono else width


def _mono_advance(character: str) -> float:
    return 1.05 if unicodedata.east_asian_width(character) in "WF" else 0.61


def _advance(character: str) -> float:
    """Width of a character of a proportional font, in ems."""
    if character in NARROW:
        return 0.42
    if character in WIDE:
        return 1.02
    if character.isascii() and not character.isupper() and character not in "#&+<=>^~":
        return 0.64
    if character < "Ͱ" and character.islower():
        return 0.66
    if (character < "Ͱ" and character not in "ÆŒ") or character in "⁻↑↓≤≥":
        return 0.85
    return 0.85 if "Ͱ" <= character < "Ѐ" else 1.1


def printable(text: str) -> str:
    """`text` with every character that cannot be shown (or stand in XML) written as its code."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def visible(piece: str) -> str:
    """A word or token as it is written in a picture: white space made visible."""
    return piece.replace(" ", "·").replace("\n", "↵").replace("\t", "⇥")


def probability(value: float, decimals: int) -> str:
    """A probability with so many decimals: zero is `0`, what is above it and below one is not rounded to them.

    Near zero there are two digits, as `8 × 10⁻⁶`; near one, `> 0.999`.
    """
    if value == 0:
        return "0"
    text = f"{value:.{decimals}f}"
    if value < 1 <= float(text):
        return f"> {1 - 10.0**-decimals:.{decimals}f}"
    return text if float(text) else significant(value, 2)


def significant(value: float, digits: int) -> str:
    """`value` with so many significant digits and no trailing zeros; far from 1 as `1.5 × 10⁻⁶`.

    A whole number is never rounded to another. What is below one is not rounded up to it, but has more digits.
    """
    if value == int(value):
        whole = int(value)
        if not whole or float(f"{whole:.{digits - 1}e}") != whole:
            return str(whole)
    while abs(value) < 1 - NOISE and abs(float(f"{value:.{digits - 1}e}")) == 1:
        digits += 1
    rounded = f"{value:.{digits - 1}e}"
    power = int(rounded.partition("e")[2])
    if not -5 < power < 6:
        return scientific(value, digits)
    return trimmed(f"{float(rounded):.{max(0, digits - 1 - power)}f}")


def scientific(value: float, digits: int) -> str:
    """`value`, not zero, as `1.5 × 10⁻⁶` with so many significant digits, a power of ten as `10⁻⁶`."""
    mantissa, _, power = f"{value:.{digits - 1}e}".partition("e")
    ten = "10" + str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return ten if trimmed(mantissa) == "1" else f"{trimmed(mantissa)} × {ten}"


def trimmed(decimal: str) -> str:
    """A decimal without the zeros at its end: `2.50` is `2.5`."""
    return decimal.rstrip("0").rstrip(".") if "." in decimal else decimal


def number(value: float) -> str:
    """A coordinate with at most two decimals and no trailing zeros."""
    return trimmed(f"{value:.2f}")


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

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        fill: str,
        stroke: str = LINE,
        radius: float = 3,
    ) -> None:
        attributes = {
            "x": number(x),
            "y": number(y),
            "width": number(width),
            "height": number(height),
            "rx": number(radius),
            "fill": fill,
            "stroke": stroke,
        }
        ET.SubElement(self.root, "rect", attributes)

    def stem(self, x: float, top: float, bottom: float) -> None:
        attributes = {"d": f"M{number(x)} {number(top)}V{number(bottom)}", "fill": "none", "stroke": LINE}
        ET.SubElement(self.root, "path", attributes)

    def line(
        self, points: Sequence[tuple[float, float]], stroke: str, width: float = 1, dash: str = ""
    ) -> None:
        """Straight lines from point to point; `dash` as SVG writes it, empty for none."""
        data = "L".join(f"{number(x)} {number(y)}" for x, y in points)
        attributes = {"d": f"M{data}", "fill": "none", "stroke": stroke, "stroke-linejoin": "round"}
        if width != 1:
            attributes["stroke-width"] = number(width)
        if dash:
            attributes["stroke-dasharray"] = dash
        ET.SubElement(self.root, "path", attributes)

    def lines(
        self, pieces: Sequence[tuple[tuple[float, float], tuple[float, float]]], stroke: str, width: float = 1
    ) -> None:
        """Straight lines that do not hang together, as one path; nothing if there are none."""
        if not pieces:
            return
        ends = [f"M{number(x)} {number(y)}L{number(u)} {number(v)}" for (x, y), (u, v) in pieces]
        attributes = {"d": "".join(ends), "fill": "none", "stroke": stroke}
        if width != 1:
            attributes["stroke-width"] = number(width)
        ET.SubElement(self.root, "path", attributes)

    def shades(self, cells: Sequence[tuple[tuple[float, float, float, float], float]], fill: str) -> None:
        """Rectangles (x, y, width, height), each with a share of a colour: 0 none of it, 1 all."""
        group = ET.SubElement(self.root, "g", {"fill": fill}) if cells else self.root
        for (x, y, width, height), share in cells:
            attributes = {"x": number(x), "y": number(y), "width": number(width), "height": number(height)}
            ET.SubElement(group, "rect", attributes | {"fill-opacity": f"{round(share, 3):g}"})

    def shape(self, corners: Sequence[tuple[float, float]], fill: str, stroke: str) -> None:
        """A closed shape."""
        data = "L".join(f"{number(x)} {number(y)}" for x, y in corners)
        ET.SubElement(self.root, "path", {"d": f"M{data}Z", "fill": fill, "stroke": stroke})

    def circle(self, x: float, y: float, radius: float, fill: str, stroke: str, width: float = 1) -> None:
        attributes = {"cx": number(x), "cy": number(y), "r": number(radius), "fill": fill, "stroke": stroke}
        if width != 1:
            attributes["stroke-width"] = number(width)
        ET.SubElement(self.root, "circle", attributes)

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
        halo: bool = False,
        turned: bool = False,
    ) -> None:
        attributes = {"x": number(x), "y": number(y)}
        if turned:  # it runs upwards
            attributes["transform"] = f"rotate(-90 {number(x)} {number(y)})"
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
        if halo:  # a rim of paper, for text that may stand on a line
            attributes |= {"stroke": PAPER, "stroke-width": "3", "paint-order": "stroke"}
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
    value = of_size(figures, drawing, key, needed)
    if not is_list(value) or not value:
        refuse(drawing, key, needed, f"is {value!r}")
    assert isinstance(value, Sequence)
    return value


def of_size(figures: Mapping[str, Any], drawing: str, key: str, needed: str) -> object:
    """The figure `key`, in which no whole number may be so long that Python could not compare or write it."""
    if key not in figures:
        refuse(drawing, key, needed, "is missing")
    waiting = [figures[key]]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            waiting += [*value.keys(), *value.values()]
        elif is_list(value):
            waiting += value
        elif isinstance(value, int) and abs(value) >= MOST:
            digits = len(f"{MOST - 1}")
            refuse(
                drawing, key, needed, f"has a whole number of more than {digits} digits, too large to draw"
            )
    return figures[key]


def is_list(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, (str, bytes))


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def is_number(value: object) -> TypeGuard[float]:
    """A finite number; not True or False."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def is_probability(value: object) -> TypeGuard[float]:
    return is_number(value) and 0 <= value <= 1 + ROUNDING


def is_text(value: object) -> bool:
    return isinstance(value, str) and value != ""


def is_name(value: object) -> bool:
    """Text that looks different from every other name: no spaces at its ends, none doubled."""
    return isinstance(value, str) and value != "" and value == " ".join(value.split())
