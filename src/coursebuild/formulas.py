"""Formulas: LaTeX on a page becomes MathML when the site is built, so a browser shows it without a script.

A formula is a definition, no result: of numbers it has 0, 1 and 2 at most, and it says what a reader sees, no more. So the
LaTeX that is taken is a small part of it, named here; all else is refused.
"""

import functools
import html
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from math_core import LatexError, LatexToMathML

from coursebuild import numbers
from coursebuild.faults import Problem
from coursebuild.source import code_spans

INLINE = re.compile(r"(?<![\\$\w\]])\$(?![\s$])(?P<latex>[^$\n]*[^\s$\\])\$(?![\w$\[])")
"""A formula in a line of prose: ``$p(x)$``."""
LONE = re.compile(r"(?<!\\)\$|(?<!\\)\\[(\[]")
"""What would show as it is: a dollar that begins or ends no formula, or LaTeX's other marks."""
FREE = {"0", "1", "2"}
"""Numbers that a formula may have: they belong to definitions (a sum from one, a logarithm to base two)."""
LONGEST = 600

NO_SIGN = re.compile(r"[^A-Za-z0-9\s\\{}()\[\]|_^&+\-*/=<>,.:;!'?]")
COMMAND = re.compile(r"\\(?:[A-Za-z]+\*?|.)", re.DOTALL)
GREEK = "alpha beta gamma delta epsilon varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau varphi chi psi omega"
COMMANDS = {
    f"\\{name}"
    for name in (
        *GREEK.split(),
        *"Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega".split(),
        *"frac dfrac tfrac sqrt sum prod max min arg log ln exp sin cos tanh lim sup inf det".split(),
        *"text mathrm operatorname mathbb left right big Big bigl bigr Bigl Bigr".split(),
        *"mid cdot times pm le leq ge geq ne neq approx equiv propto in notin parallel subset cup cap to gets infty".split(),
        *"partial odot oplus top prime dots ldots cdots vdots ddots colon lvert rvert lVert rVert lfloor rfloor".split(),
        *"lceil rceil langle rangle vert Vert land lor quad qquad begin end limits displaystyle".split(),
        *",;:! {}|\\",
    )
}
"""Each can be shown: the site's font has what it writes, or what it writes of some letters."""
ENVIRONMENT = re.compile(r"\\(?:begin|end)\s*\{([^{}]*)\}")
ENVIRONMENTS = {"cases", "aligned", "matrix", "pmatrix", "bmatrix", "vmatrix"}
"""None that numbers its lines."""
CLASSES = {
    "text-align: right;justify-items: end;padding-right: 0;": "formula__right",
    "text-align: left;justify-items: start;padding-left: 0;": "formula__left",
    "text-align: left;justify-items: start;padding-right: 0;": "formula__case",
    "text-align: left;justify-items: start;padding-right: 0;padding-left:1em;": "formula__condition",
    "margin-left:-0.16666667em;": "formula__back",
}
"""For each style that the converter writes into a formula, the class of the style sheet that does the same: a page's content
security policy blocks styles in attributes."""
ENTITY = re.compile(r"&(?!(?:lt|gt|amp|quot);)(\w+);")
COLOUR = re.compile(r"\x1b\[[0-9;]*m")
ROWS = {"math", "mrow", "mtd"}
"""Elements of MathML whose parts stand side by side."""
TEXTS = {"mi", "mn", "mtext"}
"""Elements of MathML whose text is read: letters, numbers and words."""

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
        ValueError: it is no LaTeX that is taken here, or the site's font lacks one of its characters.
    """
    if reason := _refused(latex, display):
        raise ValueError(reason)
    try:
        made = str(LatexToMathML().convert_with_local_state(latex, displaystyle=display))
    except LatexError as error:
        raise ValueError(f"no formula: {_first_sentence(str(error))}") from None
    for character in html.unescape(re.sub(r"<[^>]+>", "", made)):
        if not any(ord(character) in part for part in _covered()):
            raise ValueError(f"the font for formulas lacks {character!r}, U+{ord(character):04X}")
    return re.sub(r' style="([^"]*)"', _class, made)


def _class(style: re.Match[str]) -> str:
    if style[1] not in CLASSES:
        raise ValueError(f"the style {style[1]!r} of a formula has no class in src/coursebuild/formulas.py")
    return f' class="{CLASSES[style[1]]}"'


def _refused(latex: str, display: bool) -> str:
    """Why LaTeX is not taken as it is written, or nothing."""
    if len(latex) > LONGEST:
        return f"a formula of {len(latex)} characters; at most {LONGEST} are read"
    if "[[" in latex:
        return "a formula cannot quote a figure; quote it in the text around the formula"
    if other := NO_SIGN.search(latex):
        return f"a formula cannot have {other[0]!r}"
    if not display and (tag := re.search(r"<[A-Za-z/!?]|&\w+;", latex)):
        return f"{tag[0]!r} in a formula reads as HTML; put a space behind the sign"
    for command in COMMAND.findall(latex):
        if command not in COMMANDS:
            return (
                f"the command {command!r} is not used here; src/coursebuild/formulas.py lists those that are"
            )
    for environment in ENVIRONMENT.findall(latex):
        if environment not in ENVIRONMENTS:
            return f"the environment {environment!r} is not used here; there are {', '.join(sorted(ENVIRONMENTS))}"
    if re.search(r"\\\\\s*\[", latex):
        return "a line of a formula takes no distance in brackets"
    if "\\\\" in latex and "\\begin" not in latex:
        return r"\\ ends a line outside an environment; write \begin{aligned} … \end{aligned}"
    return ""


def _first_sentence(message: str) -> str:
    """The first sentence of the converter's message, without its picture of the place."""
    return COLOUR.sub("", message).strip().partition("\n")[0].removeprefix("Error: ")


@functools.lru_cache(maxsize=1)
def _covered() -> tuple[range, ...]:
    bounds = [part.strip().removeprefix("U+").split("-") for part in RANGES.split(",")]
    return tuple(range(int(first[0], 16), int(first[-1], 16) + 1) for first in bounds)


def problems(latex: str, display: bool = False) -> Iterator[Problem]:
    """What is wrong with a formula as it is written."""
    try:
        made = mathml(latex, display)
    except ValueError as error:
        yield Problem("formula-unreadable", str(error))
        return
    tree = ET.fromstring(ENTITY.sub(lambda match: html.unescape(match[0]), made))
    for found in dict.fromkeys(_numbers(tree)):
        yield Problem(
            "formula-number-typed",
            f"the number {found!r} is typed by hand into a formula, so a run could contradict it; "
            f"a formula may have {', '.join(sorted(FREE))}",
        )
    if not any((part.text or "").strip() for part in tree.iter("mi")):
        yield Problem(
            "formula-without-letter",
            "a formula without a letter defines nothing; write a number as prose does, or quote a figure",
        )


def _numbers(tree: ET.Element) -> Iterator[str]:
    """The numbers that a reader sees in a formula, but for those that are free."""
    for part in tree.iter():
        if part.tag in ROWS:
            digits, letters = _side_by_side(part)
            yield from (*_typed_in(digits), *_typed_in(letters))
        elif part.tag in TEXTS:
            yield from _typed_in(part.text or "")


def _side_by_side(row: ET.Element) -> tuple[str, str]:
    """What stands in a row and reads as one, spaces or not: the digits with their points, and the letters. All else is a gap."""
    digits = letters = ""
    for part in row:
        if part.tag in ROWS:
            inner = _side_by_side(part)
            digits, letters = digits + inner[0], letters + inner[1]
        elif part.tag != "mspace":
            text = (part.text or "") if part.tag in TEXTS else "\0"
            digits += "\0" if text.strip(" \u00a0.0123456789") else text.strip()
            letters += "\0" if part.tag == "mn" else text
    return digits, letters


def _typed_in(text: str) -> Iterator[str]:
    shown = numbers.normalise(text).replace("\u00a0", " ")
    if re.search(r"\d", shown):
        yield from (found for found in re.findall(r"\.?\d+(?:[.,]\d+)*", shown) if found not in FREE)
    yield from (found.text for found in numbers.find(shown) if not found.text.isdigit())
