"""Formulas: LaTeX on a page becomes MathML when the site is built, so a browser shows it without a script."""

import functools
import html
import re
from collections.abc import Iterator

from math_core import LatexError, LatexToMathML

from coursebuild import numbers
from coursebuild.source import code_spans

INLINE = re.compile(r"(?<![\\$\w])\$(?![\s$])(?P<latex>[^$\n]*[^\s$\\])\$(?![\w$])")
"""A formula in a line of prose: ``$p(x)$``."""
FREE = {"0", "1", "2"}
"""Numbers that a formula may have: they belong to definitions (a sum from one, a logarithm to base two)."""
NUMBER = re.compile(r"\d+(?:\.\d+)?")
TEXT = re.compile(r"\\(?:text|mathrm|operatorname)\w*\*?\{([^{}]*)\}")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")

RANGES = (
    "U+20-7E, U+A0, U+B1, U+B7, U+D7, U+302-304, U+391-3A9, U+3B1-3C9, U+3F5, U+2016, U+2026, U+2032, U+2061-2063, "
    "U+210E, U+211D, U+2190, U+2192, U+2202, U+2208-2209, U+220F, U+2211-2212, U+2217, U+221A, U+221D-221E, U+2223, "
    "U+2225, U+2227-222A, U+2248, U+2260-2261, U+2264-2265, U+2282, U+2295, U+2299, U+22A4, U+22C5, U+22EE-22EF, "
    "U+22F1, U+2308-230B, U+27E8-27E9, U+1D434-1D467, U+1D6FC-1D71B"
)
"""The characters of the site's own font for formulas, as its style sheet writes them."""


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The formulas of a line outside inline code: start, end (dollars included) and the LaTeX."""
    code = [range(start, end) for start, end, _ in code_spans(text)]
    for match in INLINE.finditer(text):
        if not any(match.start() in span for span in code):
            yield match.start(), match.end(), match["latex"]


@functools.lru_cache(maxsize=1024)
def mathml(latex: str, display: bool = False) -> str:
    """A formula as MathML.

    Raises:
        ValueError: it is no LaTeX that MathML can show, or the site's font lacks one of its characters.
    """
    try:
        made = LatexToMathML().convert_with_local_state(latex, displaystyle=display)
    except LatexError as error:
        raise ValueError(f"no formula: {_reason(str(error))}") from None
    for character in html.unescape(re.sub(r"<[^>]+>", "", made)):
        if not any(ord(character) in part for part in _covered()):
            raise ValueError(f"the font for formulas lacks {character!r}, U+{ord(character):04X}")
    return str(made)


def _reason(message: str) -> str:
    """The first sentence of the converter's message, without its picture of the place."""
    lines = COLOUR.sub("", message).strip().splitlines()
    return lines[0].removeprefix("Error:").strip() if lines else "it cannot be read"


@functools.lru_cache(maxsize=1)
def _covered() -> tuple[range, ...]:
    bounds = [part.strip().removeprefix("U+").split("-") for part in RANGES.split(",")]
    return tuple(range(int(first[0], 16), int(first[-1], 16) + 1) for first in bounds)


def problems(latex: str, display: bool = False) -> Iterator[str]:
    """What is wrong with a formula as it is written."""
    if "[[" in latex:
        yield "a formula cannot quote a figure; quote it in the text around the formula"
        return
    words = [found.text for found in numbers.find(" ".join(TEXT.findall(latex))) if found.text.isalpha()]
    for found in dict.fromkeys([*NUMBER.findall(latex), *words]):
        if found not in FREE:
            yield (
                f"the number {found!r} is typed by hand into a formula, so a run could contradict it; "
                f"a formula may have {', '.join(sorted(FREE))}"
            )
    try:
        mathml(latex, display)
    except ValueError as error:
        yield str(error)
