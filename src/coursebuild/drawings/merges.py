"""The trees of merges: how each training word grows from characters to the symbols of its final spelling."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings.svg import (
    CELL,
    FULL,
    FULL_INK,
    INK,
    INK_2,
    JOINT,
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
)

NAME = "merge_tree"
MERGES_NEEDED = "a list of [left, right, count] in the order learned, with left and right text, count from 1"
SPELLINGS_NEEDED = "a list of [count, [symbol, ...]], count from 1, symbols text, as merge_list leaves them"

BLOCK = 23.0  # height of a block
LEVEL = 32.0  # from one level of a tree to the next
HEADING = 22.0  # from a word's heading to its characters
ROW_GAP = 14.0  # between rows of trees
TREE_GAP = 22.0  # between trees of a row
INSET = 1.5  # between a block and the edge of its columns


@dataclass(frozen=True)
class Node:
    """A symbol of a word: a character, or a joint that fused two symbols."""

    symbol: str
    start: int  # first column
    span: int  # columns, one for each character
    depth: int = 0
    round: int = 0  # 0 for a character
    count: int = 0
    children: tuple["Node", ...] = ()

    @property
    def label(self) -> str:
        return f"{self.round} · {self.count}×"


@dataclass(frozen=True)
class Word:
    """A training word, how often it was seen, and the roots of its trees from left to right."""

    text: str
    count: int
    roots: tuple[Node, ...]

    @property
    def depth(self) -> int:
        return max(root.depth for root in self.roots)

    @property
    def heading(self) -> str:
        return f"seen {plural(self.count, 'time')}"

    def nodes(self) -> list[Node]:
        """All nodes, each one before its children."""
        found: list[Node] = []
        waiting = list(reversed(self.roots))
        while waiting:
            node = waiting.pop()
            found.append(node)
            waiting.extend(reversed(node.children))
        return found

    def width(self, column: float) -> float:
        heading = text_width(self.text, MEDIUM, mono=True) + 8 + text_width(self.heading, SMALL)
        return max(len(self.text) * column, heading)


def merge_tree(figures: Mapping[str, Any], ident: str) -> str:
    """Draw the merges of byte pair encoding, word by word, from characters down to the final spelling.

    Args:
        figures: `merge_list`, a list of [left, right, count] in the order learned, and `final_spellings`,
            a list of [count, [symbols]].
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: A figure is missing or malformed, the merges do not lead to a final spelling, or a merge
            joins nothing in any word; the message names the figure and what is needed.
    """
    merges = _read_merges(figures)
    words = _read_words(figures, merges)
    column = _column(words)
    canvas = Canvas(NAME, ident, "How merges build each training word", _describe(merges, words))
    y = 0.0
    for row in _pack(words, column):
        x = 1.0
        for word in row:
            _draw_word(canvas, word, x, y, column)
            x += word.width(column) + TREE_GAP
        y += HEADING + max(word.depth for word in row) * LEVEL + BLOCK + ROW_GAP
    canvas.text(1, y + 12, "In a block: symbol, round · count of its pair.", INK_2)
    canvas.text(1, y + 28, "Filled blocks: the word’s final spelling.", INK_2)
    widest = max(
        word.width(column) for word in words
    )  # several share a row only if it is not wider than usual
    return canvas.finish(y + 34, max(WIDTH, math.ceil(widest) + 2))


def _read_merges(figures: Mapping[str, Any]) -> list[tuple[str, str, int]]:
    merges = []
    for item in rows(figures, NAME, "merge_list", MERGES_NEEDED):
        if not (is_list(item) and len(item) == 3):
            refuse(NAME, "merge_list", MERGES_NEEDED, f"has {item!r}")
        left, right, count = item
        if not (is_text(left) and is_text(right) and is_count(count)):
            refuse(NAME, "merge_list", MERGES_NEEDED, f"has {item!r}")
        merges.append((left, right, count))
    return merges


def _read_words(figures: Mapping[str, Any], merges: list[tuple[str, str, int]]) -> list[Word]:
    words = []
    for item in rows(figures, NAME, "final_spellings", SPELLINGS_NEEDED):
        if not (is_list(item) and len(item) == 2 and is_count(item[0]) and is_list(item[1]) and item[1]):
            refuse(NAME, "final_spellings", SPELLINGS_NEEDED, f"has {item!r}")
        count, symbols = item
        if not all(is_text(symbol) for symbol in symbols):
            refuse(NAME, "final_spellings", SPELLINGS_NEEDED, f"has {item!r}")
        roots = _grow("".join(symbols), merges)
        reached = [root.symbol for root in roots]
        if reached != list(symbols):
            refuse(NAME, "final_spellings", SPELLINGS_NEEDED, f"has {item!r}, merge_list gives {reached}")
        words.append(Word("".join(symbols), count, tuple(roots)))
    joined = {node.round for word in words for node in word.nodes()}
    for number, (left, right, _) in enumerate(merges, start=1):
        if number not in joined:
            got = f"has [{left!r}, {right!r}] as round {number}, which joins nothing in final_spellings"
            refuse(NAME, "merge_list", MERGES_NEEDED, got)
    return words


def _grow(word: str, merges: list[tuple[str, str, int]]) -> list[Node]:
    """Replay the merges over the characters of a word, each from left to right."""
    nodes = [Node(character, start, 1) for start, character in enumerate(word)]
    for number, (left, right, count) in enumerate(merges, start=1):
        at = 0
        while at + 1 < len(nodes):
            one, two = nodes[at], nodes[at + 1]
            if (one.symbol, two.symbol) == (left, right):
                depth = max(one.depth, two.depth) + 1
                fused = Node(left + right, one.start, one.span + two.span, depth, number, count, (one, two))
                nodes[at : at + 2] = [fused]
            at += 1
    return nodes


def _column(words: list[Word]) -> float:
    """Width of one character's column: wide enough for what is written in every block."""
    return float(math.ceil(max(_needed(node) / node.span for word in words for node in word.nodes())))


def _needed(node: Node) -> float:
    """Width of a block, with what is between it and the edge of its columns."""
    inside = text_width(node.symbol, MEDIUM, mono=True) + 12
    if node.children:
        inside += 6 + text_width(node.label, SMALL)
    return inside + 2 * INSET


def _pack(words: list[Word], column: float) -> list[list[Word]]:
    """Neighbouring words share a row where the row stays within the picture."""
    packed: list[list[Word]] = []
    room = 0.0
    for word in words:
        width = word.width(column)
        if width + TREE_GAP <= room:
            packed[-1].append(word)
            room -= width + TREE_GAP
        else:
            packed.append([word])
            room = WIDTH - 2 - width
    return packed


def _draw_word(canvas: Canvas, word: Word, x: float, y: float, column: float) -> None:
    canvas.text(x + INSET, y + 13, word.text, INK, MEDIUM, mono=True, bold=True)
    after = text_width(word.text, MEDIUM, mono=True) + 8
    canvas.text(x + INSET + after, y + 13, word.heading, INK_2)
    top = y + HEADING
    for node in word.nodes():
        for child in node.children:
            middle = x + (child.start + child.span / 2) * column
            canvas.stem(middle, top + child.depth * LEVEL + BLOCK, top + node.depth * LEVEL)
    for node in word.nodes():
        _draw_block(canvas, node, x + node.start * column, top + node.depth * LEVEL, column, word.roots)


def _draw_block(
    canvas: Canvas, node: Node, x: float, y: float, column: float, roots: tuple[Node, ...]
) -> None:
    final = any(node is root for root in roots)
    fill = FULL if final else JOINT if node.children else CELL
    ink = FULL_INK if final else INK
    width = node.span * column
    canvas.box(x + INSET, y, width - 2 * INSET, BLOCK, fill)
    baseline = y + BLOCK / 2 + 4.5
    if node.children:
        canvas.text(x + INSET + 6, baseline, node.symbol, ink, MEDIUM, mono=True, bold=True)
        canvas.text(x + width - INSET - 6, baseline, node.label, ink, SMALL, anchor="end")
    else:
        canvas.text(x + width / 2, baseline, node.symbol, ink, MEDIUM, anchor="middle", mono=True)


def _describe(merges: list[tuple[str, str, int]], words: list[Word]) -> str:
    """The text alternative: every merge with its count, every word with its final spelling and its rounds."""
    learned = "; ".join(
        f"round {number}, {left} and {right} make {left + right}, counted {plural(count, 'time')}"
        for number, (left, right, count) in enumerate(merges, start=1)
    )
    told = []
    for word in words:
        rounds = sorted({node.round for node in word.nodes() if node.round})
        used = " in " + plural(len(rounds), "merge") if rounds else " without a merge"
        several = "rounds" if len(rounds) > 1 else "round"
        which = f" ({several} {', '.join(map(str, rounds))})" if rounds else ""
        spelt = ", ".join(root.symbol for root in word.roots)
        told.append(f"{word.text}, {word.heading}, ends as {spelt}{used}{which}")
    return (
        f"A tree for each of {plural(len(words), 'word')}, from its characters to its final spelling. "
        f"Merges in the order learned: {learned}. Words: {'; '.join(told)}."
    )
