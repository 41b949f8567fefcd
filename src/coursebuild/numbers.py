"""Finds the numbers that an author typed, in digits or in words, and tells claims from names, years and lessons."""

import functools
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
).split()
TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
PARTS = "third quarter fifth sixth seventh eighth ninth tenth hundredth thousandth"
WORDS: dict[str, float] = {word: value for value, word in enumerate(SMALL) if value > 1}
WORDS |= {word: 10 * value for value, word in enumerate(TENS, 2)}
WORDS |= {
    ten + one: 10 * tens + ones
    for tens, ten in enumerate(TENS, 2)
    for ones, one in enumerate(SMALL[:10])
    if ones
}
WORDS |= {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9, "trillion": 1e12}
WORDS |= {
    f"{word}s": WORDS[word] for word in ("dozen", "hundred", "thousand", "million", "billion", "trillion")
}
WORDS |= {f"{word}fold": WORDS[word] for word in (*SMALL[2:], *TENS, "hundred", "thousand")}
WORDS |= dict.fromkeys(("twice", "double", "doubly", "doubles", "doubled", "doubling"), 2)
WORDS |= dict.fromkeys(("thrice", "triple", "triply", "triples", "tripled", "tripling"), 3)
WORDS |= dict.fromkeys(("quadruple", "quadruples", "quadrupled", "quadrupling"), 4)
WORDS |= dict.fromkeys(("half", "halves", "halved", "halving", "halfway"), 0.5)
WORDS |= {"quarter": 1 / 4} | {f"{part}s": 1 / value for value, part in enumerate(PARTS.split()[:8], 3)}
WORDS |= {"hundredths": 0.01, "thousandths": 0.001}

WORD = re.compile(
    r"(?<![^\W\d_])(?:(?:" + "|".join(WORDS) + r")"
    r"|(?:one[\s-]+|an?[\s-]+(?=\w+(?:\s+(?:of|as|more|less|fewer|to)\b|\s*(?:[.,;:!?)]|$))))(?:"
    + PARTS.replace(" ", "|")
    + r"))(?![^\W\d_])",
    re.IGNORECASE,
)
TOKEN = re.compile(r"[^\W_]+(?:[.,_+/:-]?[^\W_]+)*[%‰]?")
PLAIN = re.compile(r"\d+(?:[.,]\d+)*(?:-[a-z]+)*")
"""A token that says no more than its number: ``16``, ``1,000`` and ``16-token``, but not ``6k``, ``6%``, ``v40`` or ``1/3``."""
PRESENT = re.compile(r"(?<![\w./:])(?<![^\W\d_]-)\d+(?:\.\d+)?(?:e[+-]?\d+)?(?![\w%]|[.,/:-]\d|-[^\W\d_])")
"""A number as a word of its own; not in ``v40``, ``UTF-8`` or ``4-bit``."""
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
YEAR = r"(?:1[89]\d|20[012])\d[a-z]?(?!\w)"
SEVERAL = r"(?:\s*(?:,|and|or|to|–|-)\s*)+"
PANEL = r"(?:\d+|[a-z]+(?:-[a-z]+)*)\.\d+"
"""How a panel is called: by its lesson (``17.1``) or its page (``rotary.2``), and a running number."""

EXERCISE = r"\d+\.\d+"
NAMED_EXERCISES = re.compile(rf"(?<!\w)[Ee]xercises?\s+{EXERCISE}(?:{SEVERAL}{EXERCISE})*(?![\w%])")
"""Exercises by their lesson and number; that there are such exercises, the press looks up."""

NAMED_PANELS = re.compile(rf"(?<!\w)[Pp]anels?\s+{PANEL}(?:{SEVERAL}{PANEL})*(?![\w%])")
"""Panels by their ids; that there are such panels, the press looks up."""

RECOGNISED = tuple(
    re.compile(pattern)
    for pattern in (
        # versions
        rf"(?<!\w)Python\s+3\.\d+(?:{SEVERAL}3\.\d+)*(?![\w%])",
        rf"(?<!\w)(?:NumPy|MkDocs|PyTorch|Transformers|version)\s+\d+(?:\.\d+)+(?:{SEVERAL}\d+(?:\.\d+)+)*(?![\w%])",
        r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w%])",
        r"(?<!\w)CC BY(?:-SA)? 4\.0(?!\w)",
        r"(?<!\w)WCAG 2\.\d(?!\w)",
        # names with digits: UTF-8, GPT-2, Llama-3.1, gpt2, cl100k_base, o200k, U+03AC, SHA-256; but not x3
        r"(?<![\w])U\+[0-9A-Fa-f]{4,6}(?!\w)",
        r"(?<![\w-])[A-Z][A-Za-z]*-\d+(?:\.\d+)*(?![\w])",
        r"(?<![\w.-])(?![xX]\d+(?!\w))[A-Za-z][A-Za-z_]*\d[\w]*(?:-base)?(?![\w])",
        # places in the course
        rf"(?<!\w)[Ll]essons?\s+\d\d?(?:{SEVERAL}\d\d?)*(?![\w%.]\d|[\w%])",
        NAMED_PANELS.pattern,
        NAMED_EXERCISES.pattern,
        r"(?<!\w)(?:[Ss]ection|[Cc]hapter|[Pp]art|[Ff]igure|[Ss]tep)\s+\d+(?:\.\d+)*(?=[.,;:)\]](?!\d))",
        # years of a source
        rf"et al\.,?\s{YEAR}",
        rf"(?:[A-Z][\w.'’-]*|et al\.,?)\s\({YEAR}\)",
        rf"\([A-Z][^()]*[\s,]{YEAR}\)",
        rf"(?<!\w)(?:[Ii]n|[Ss]ince)\s+{YEAR}(?=\s*$|[.,;:)]|\s(?:and|as|at|by|for|from|in|it|the|to|when|with)\b)",
        r"(?<!\w)(?:(?:[12]?\d|3[01])\s+)?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
        rf"\s+{YEAR}",
    )
)


@dataclass(frozen=True)
class Number:
    """A number in a text: where, as written, and its value (None where it has no plain one)."""

    start: int
    end: int
    text: str
    value: float | None


def _value(token: str) -> float | None:
    digits = DIGITS.findall(token)
    try:
        return float(digits[0].replace(",", "")) if len(digits) == 1 else None
    except ValueError:
        return None


def find(text: str) -> Iterator[Number]:
    """The numbers in ``text`` that make a claim: digits, and the words two to twelve and above, twice, half, double.

    Recognised as no claim: names with digits (UTF-8, GPT-2, cl100k_base), lessons, panels and sections by number,
    versions, and the year of a source. ``one`` is a word like any other.
    """
    plain = text if any(character.isnumeric() for character in text) else ""
    for pattern in RECOGNISED if plain else ():
        plain = pattern.sub(lambda match: " " * len(match[0]), plain)
    for match in TOKEN.finditer(plain):
        if any(unicodedata.category(character) in ("Nd", "Nl", "No") for character in match[0]):
            yield Number(match.start(), match.end(), text[match.start() : match.end()], _value(match[0]))
    for match in WORD.finditer(text):
        yield Number(match.start(), match.end(), match[0], WORDS.get(match[0].lower()))


def panels_named(text: str) -> list[str]:
    """The ids of the panels that a text names: ``17.1`` and ``17.2`` in "panels 17.1 and 17.2", ``exercise-17.1`` in "exercise 17.1"."""
    panels = [ident for named in NAMED_PANELS.findall(text) for ident in re.findall(PANEL, named)]
    asked = [ident for named in NAMED_EXERCISES.findall(text) for ident in re.findall(EXERCISE, named)]
    return [*panels, *(f"exercise-{ident}" for ident in asked)]


def spelled(value: object) -> str:
    """A whole number from zero to nineteen as a word; any other value as it prints."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(SMALL):
        return SMALL[value]
    return str(value)


def normalise(text: str) -> str:
    """The text as a reader sees it: character references resolved, invisible characters gone, letters in their plain form."""
    if text.isascii() and "&" not in text:
        return text
    shown = (character for character in html.unescape(text) if unicodedata.category(character) != "Cf")
    return "".join(
        unicodedata.normalize("NFKC", c) if unicodedata.category(c).startswith("L") else c for c in shown
    )


def invisible(text: str) -> str:
    """The first character of the text that no reader sees and that changes what is read, by its name; or nothing.

    The joiner of emoji is none of them.
    """
    for character in text if not text.isascii() else "":
        selects = "\ufe00" <= character <= "\ufe0f" or "\U000e0100" <= character <= "\U000e01ef"
        if selects or (unicodedata.category(character) == "Cf" and character != "\u200d"):
            return unicodedata.name(character)
    return ""


def absent_from(numbers: Iterable[Number], *texts: str) -> list[Number]:
    """Those of the numbers that do not occur in any of the texts.

    A plain number occurs by its value, where it stands as a word of its own; any other token (``6k``, ``6%``) as it is.
    """
    found = [_occurring(text) for text in texts]
    return [
        number
        for number in numbers
        if not any(
            number.text in tokens
            or (number.value in values and (number.text.isalpha() or PLAIN.fullmatch(number.text)))
            for values, tokens in found
        )
    ]


@functools.lru_cache(maxsize=4096)
def _occurring(text: str) -> tuple[frozenset[float], frozenset[str]]:
    """The values and the tokens that occur in a text."""
    values = {float(match) for match in PRESENT.findall(text)}
    values |= {WORDS[word] for match in WORD.finditer(text) if (word := match[0].lower()) in WORDS}
    return frozenset(values), frozenset(TOKEN.findall(text))
