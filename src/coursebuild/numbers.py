"""Finds the numbers that an author typed, in digits or in words, and tells claims from names, years and lessons."""

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
WORDS: dict[str, float] = {word: value for value, word in enumerate(SMALL) if value > 1}
WORDS |= {word: 10 * value for value, word in enumerate(TENS, 2)}
WORDS |= {"dozen": 12, "dozens": 12, "hundred": 100, "thousand": 1000, "million": 1e6, "billion": 1e9}
WORDS |= {"hundreds": 100, "thousands": 1000, "millions": 1e6, "billions": 1e9}
WORDS |= dict.fromkeys(("twice", "double", "doubles", "doubled", "doubling", "twofold"), 2)
WORDS |= dict.fromkeys(("thrice", "triple", "triples", "tripled", "tripling", "threefold"), 3)
WORDS |= dict.fromkeys(("half", "halves", "halved", "halving"), 0.5)
WORDS |= {"quadruple": 4, "quadrupled": 4, "fourfold": 4, "fivefold": 5, "sixfold": 6, "tenfold": 10}

WORD = re.compile(r"(?<![A-Za-z])(" + "|".join(sorted(WORDS, key=len, reverse=True)) + r")(?![A-Za-z])", re.IGNORECASE)
TOKEN = re.compile(r"[^\W_]+(?:[.,_+/:-]?[^\W_]+)*")
DIGITS = re.compile(r"\d+(?:[.,]\d+)*")

RECOGNISED = tuple(
    re.compile(pattern)
    for pattern in (
        # names with digits: UTF-8, GPT-2, Llama-3.1, gpt2, cl100k_base, o200k, U+03AC, SHA-256, ISO 8601, 64-bit
        r"(?<![\w])U\+[0-9A-Fa-f]{4,6}(?!\w)",
        r"(?<![\w-])[A-Z][A-Za-z]*-\d+(?:\.\d+)*(?![\w])",
        r"(?<![\w.-])[A-Za-z_][A-Za-z_]*\d[\w]*(?:-base)?(?![\w])",
        # places in the course
        r"(?<!\w)(?:[Ll]essons?|[Pp]anels?|[Ss]ections?|[Cc]hapters?|[Ii]ssues?|[Pp]arts?|[Ff]igures?|[Ss]teps?)\s+"
        r"\d+(?:\.\d+)*(?:(?:\s*(?:,|and|or|to|–|-)\s*)+\d+(?:\.\d+)*)*(?![\w%])",
        # versions
        r"(?<!\w)(?:Python|NumPy|MkDocs|PyTorch|Transformers|version)\s+\d+(?:\.\d+)+(?:(?:\s*(?:,|and|or|to|–|-)\s*)+\d+(?:\.\d+)+)*(?![\w%])",
        r"(?<![\w.])v?\d+\.\d+\.\d+(?![\w%])",
        # years of a source
        r"et al\.,?\s\(?(?:1[89]|20)\d\d[a-z]?(?!\w)",
        r"[A-Z][A-Za-z]+,\s(?:1[89]|20)\d\d[a-z]?(?!\w)",
        r"\((?:[^()]*[\s,])?(?:1[89]|20)\d\d[a-z]?\)",
        r"(?<!\w)(?:[Ii]n|[Ss]ince)\s+(?:19|20)\d\d(?![\w%])",
        r"(?<!\w)(?:\d{1,2}\s+)?(?:January|February|March|April|May|June|July|August|September|October|November|December)"
        r"\s+(?:19|20)\d\d(?!\w)",
        r"(?<!\w)CC BY(?:-SA)? 4\.0(?!\w)",
        r"(?<!\w)WCAG 2\.\d(?!\w)",
    )
)


@dataclass(frozen=True)
class Number:
    """A number in a text: where, as written, and its value (None where it has no plain one)."""

    start: int
    end: int
    text: str
    value: float | None


def _values(token: str) -> float | None:
    digits = DIGITS.search(token)
    if not digits:
        return None
    try:
        return float(digits[0].replace(",", ""))
    except ValueError:
        return None


def find(text: str) -> Iterator[Number]:
    """The numbers in ``text`` that make a claim: digits, and the words two to twelve and above, twice, half, double.

    Recognised as no claim: names with digits (UTF-8, GPT-2, cl100k_base), lessons, panels and sections by number,
    versions, and the year of a source. ``one`` is a word like any other.
    """
    plain = text
    for pattern in RECOGNISED:
        plain = pattern.sub(lambda match: " " * len(match[0]), plain)
    for match in TOKEN.finditer(plain):
        if any(unicodedata.category(character) in ("Nd", "Nl", "No") for character in match[0]):
            yield Number(match.start(), match.end(), text[match.start() : match.end()], _values(match[0]))
    for match in WORD.finditer(plain):
        yield Number(match.start(), match.end(), match[0], WORDS[match[0].lower()])


def spelled(value: object) -> str:
    """A whole number from zero to nineteen as a word; any other value as it prints."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(SMALL):
        return SMALL[value]
    return str(value)


def normalise(text: str) -> str:
    """The text as a reader sees it: character references resolved, invisible characters gone."""
    shown = html.unescape(text)
    return "".join(character for character in shown if unicodedata.category(character) != "Cf")


def absent_from(numbers: Iterable[Number], *texts: str) -> list[Number]:
    """Those of the numbers whose value does not occur in any of the texts."""
    present = {float(match.replace(",", "")) for text in texts for match in re.findall(r"\d+(?:\.\d+)?", text)}
    words = {WORDS[match.lower()] for text in texts for match in WORD.findall(text)}
    return [number for number in numbers if number.value not in present | words]
