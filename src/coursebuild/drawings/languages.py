"""Tokens of one sentence in several languages: bars to one scale, and under each its tokens as boxes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings.svg import (
    CELL,
    FULL,
    INK,
    INK_2,
    MEDIUM,
    SMALL,
    WIDTH,
    Canvas,
    is_count,
    is_list,
    is_text,
    plural,
    refuse,
    rows,
    text_width,
    visible,
)

NAME = "tokens_by_language"
NEEDED = (
    "a list of {language, characters, bytes, tokens, pieces}: language text, the three counts from 1, "
    "pieces a list of text with one entry for each token"
)

BAR = 12.0  # height of a bar
CHIP = 21.0  # height of a token's box
CHIP_GAP = 3.0
CHIP_PAD = 5.0
TOLD = 6  # pieces named in the text alternative


@dataclass(frozen=True)
class Language:
    """One sentence: its language, its lengths, and its tokens written out."""

    name: str
    characters: int
    bytes: int
    tokens: int
    pieces: tuple[str, ...]

    @property
    def size(self) -> str:
        return f"{plural(self.characters, 'character')}, {plural(self.bytes, 'byte')}"


def tokens_by_language(figures: Mapping[str, Any], ident: str) -> str:
    """Draw how many tokens the same sentence costs in each language.

    Args:
        figures: `languages`, a list of {"language", "characters", "bytes", "tokens", "pieces"}.
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: The figure is missing or malformed; the message names it and what is needed.
    """
    languages = [_read(item) for item in rows(figures, NAME, "languages", NEEDED)]
    most = max(language.tokens for language in languages)
    title = "Tokens for the same sentence, by language"
    canvas = Canvas(NAME, ident, title, _describe(languages))
    y = 0.0
    for language in languages:
        y = _draw(canvas, language, y, (WIDTH - 2) / most)
    spaces = any(" " in piece for language in languages for piece in language.pieces)
    canvas.text(1, y + 8, "Each box is one token." + (" A dot is a space." if spaces else ""), INK_2)
    return canvas.finish(y + 14)


def _read(item: object) -> Language:
    if not isinstance(item, Mapping):
        refuse(NAME, "languages", NEEDED, f"has {item!r}")
    for key in ("language", "characters", "bytes", "tokens", "pieces"):
        if key not in item:
            refuse(NAME, "languages", NEEDED, f"has {dict(item)!r} without {key!r}")
    pieces = item["pieces"]
    if not is_text(item["language"]):
        refuse(NAME, "languages", NEEDED, f"has the language {item['language']!r}")
    for key in ("characters", "bytes", "tokens"):
        if not is_count(item[key]):
            refuse(NAME, "languages", NEEDED, f"has {key} = {item[key]!r} for {item['language']!r}")
    if not (is_list(pieces) and all(is_text(piece) for piece in pieces)):
        refuse(NAME, "languages", NEEDED, f"has pieces = {pieces!r} for {item['language']!r}")
    if len(pieces) != item["tokens"]:
        got = f"has {len(pieces)} pieces for the {item['tokens']} tokens of {item['language']!r}"
        refuse(NAME, "languages", NEEDED, got)
    return Language(item["language"], item["characters"], item["bytes"], item["tokens"], tuple(pieces))


def _draw(canvas: Canvas, language: Language, y: float, scale: float) -> float:
    """Draw one language from `y` downwards and return where the next one starts."""
    canvas.text(1, y + 13, language.name, INK, MEDIUM, bold=True)
    canvas.text(WIDTH - 1, y + 13, plural(language.tokens, "token"), INK, MEDIUM, anchor="end", bold=True)
    canvas.box(1, y + 20, language.tokens * scale, BAR, FULL)
    y = y + 20 + BAR + 6
    for line in _flow([visible(piece) for piece in language.pieces]):
        for x, width, piece in line:
            canvas.box(x, y, width, CHIP, CELL)
            canvas.text(x + width / 2, y + 15, piece, INK, SMALL, anchor="middle", mono=True)
        y += CHIP + CHIP_GAP
    canvas.text(1, y + 13, language.size, INK_2)
    return y + 32


def _flow(pieces: Sequence[str]) -> list[list[tuple[float, float, str]]]:
    """Boxes (x, width, text) laid out in lines from left to right."""
    lines: list[list[tuple[float, float, str]]] = []
    x = WIDTH
    for piece in pieces:
        width = text_width(piece, SMALL, mono=True) + 2 * CHIP_PAD
        if x + width > WIDTH - 1:
            lines.append([])
            x = 1.0
        lines[-1].append((x, width, piece))
        x += width + CHIP_GAP
    return lines


def _describe(languages: list[Language]) -> str:
    told = []
    for language in languages:
        named = ", ".join(visible(piece) for piece in language.pieces[:TOLD])
        rest = len(language.pieces) - TOLD
        more = f" and {rest} more" if rest > 0 else ""
        told.append(f"{language.name}: {plural(language.tokens, 'token')} for {language.size}: {named}{more}")
    return f"A bar for each language, as long as its number of tokens. {'. '.join(told)}."
