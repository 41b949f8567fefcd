"""Markdown for a comment on GitHub in which nothing that is shown can do anything but be read.

What comes from a change is text: it cannot end a block, become HTML, a link or a picture, name a person or another issue.
GitHub looks for names and issues in the page that it made, so character references do not hide them: an invisible space does.
"""

import html
import re
import unicodedata
from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher, unified_diff

from coursebuild.source import code_spans

WIDEST = 240
"""Longer lines are folded, so that what changed in them can be seen."""

MANY = 1_500
"""The words and spaces of a longer sentence are not compared, which would take too long."""

APART = "&#8203;"
SPECIAL = re.compile(r"[\\`*_{}\[\]|~^=]")
CALLING = re.compile(r"[@#]|:(?=//|[\w+-]+:)|(?i:(?<=www)\.|(?<=\bgh)-)")
BEGINNING = re.compile(r"^(?:[-+]|\d+(?=[.)]))")
WORDS = re.compile(r"`[^`]+`|\w+|\s+|[^\w\s]")


def plain(text: str) -> str:
    """The text with what no reader sees written out, which could make it read otherwise than it is."""
    shown = []
    for character in text:
        hidden = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in "\n\t"
        if hidden and character != "\u200d":  # the joiner of emoji
            character = f"\\u{ord(character):04x}"
        shown.append(character)
    return "".join(shown)


def spoken(text: str) -> str:
    """The text on one line as HTML, as it is."""
    line = html.escape(" ".join(plain(text).split()), quote=False)
    return CALLING.sub(lambda match: match[0] + APART, line)


def escape(text: str) -> str:
    """The text on one line as Markdown, as it is."""
    line = SPECIAL.sub(lambda match: f"\\{match[0]}", spoken(text))
    line = line.replace("$", "<span>$</span>")  # which begins no formula there
    return BEGINNING.sub(lambda match: match[0] + APART, line)


def prose(text: str) -> str:
    """The text on one line as Markdown, its inline code as code and all else as it is."""
    pieces, position = [], 0
    for start, end, inner in code_spans(text):
        pieces += [_inside(text[position:start]), code(inner) if inner else escape(text[start:end])]
        position = end
    return "".join([*pieces, _inside(text[position:])])


def code(text: str) -> str:
    """The text on one line as code, in Markdown, in a table's cell, or in HTML."""
    shown = html.escape(" ".join(plain(text).split()), quote=False)
    shown = re.sub(r"[\\`*_{}\[\]|~^=$@:]|(?<=www)\.", lambda match: f"&#{ord(match[0])};", shown)
    return f"<code>{shown}</code>" if shown else "–"


def cut(text: str, longest: int) -> str:
    """The beginning of a text, with how much is left out."""
    return text if len(text) <= longest else f"{text[:longest]} … ({len(text) - longest:,} more characters)"


def contrast(old: str | None, new: str | None, longest: int) -> tuple[str | None, str | None]:
    """Two texts, cut so that the first place where they differ is seen."""
    if old is None or new is None:
        return old and cut(old, longest), new and cut(new, longest)
    shorter = min(len(old), len(new))
    same = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    skipped = max(0, same - longest // 4) if max(len(old), len(new)) > longest else 0
    before = f"({skipped:,} characters) … " if skipped else ""
    return before + cut(old[skipped:], longest), before + cut(new[skipped:], longest)


def folded(text: str) -> list[str]:
    """The lines of a text, long ones in pieces that begin with an arrow from the second on."""
    lines = []
    for line in plain(text).split("\n"):
        first, rest = line[:WIDEST], line[WIDEST:]
        lines += [first, *(f"↪ {rest[at : at + WIDEST]}" for at in range(0, len(rest), WIDEST))]
    return lines


def fence(lines: Sequence[str], language: str = "diff") -> str:
    """A block of code that no line of it can end."""
    runs = [len(run) for line in lines for run in re.findall("`+", line)]
    marks = "`" * max(3, 1 + max(runs, default=0))
    return "\n".join([f"{marks}{language}", *lines, marks])


def diff(old: str, new: str, longest: int) -> str:
    """What differs between two texts as a block, at most so many lines, and how many are left out; nothing if they are the same."""
    before, after = folded(old) if old else [], folded(new) if new else []
    lines = list(unified_diff(before, after, lineterm="", n=2))[2:]
    if not lines:
        return ""
    left = len(lines) - longest
    note = f"\n\n*{count(left, 'more line')} of this are left out.*" if left > 0 else ""
    return fence(lines[:longest]) + note


def words(old: str | None, new: str | None) -> str:
    """A sentence with what is gone struck out and what is new underlined."""
    if not old or not new:
        tag, whole = ("ins", new or "") if new else ("del", old or "")
        return f"<{tag}>{prose(whole)}</{tag}>"
    before, after = WORDS.findall(" ".join(old.split())), WORDS.findall(" ".join(new.split()))
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if max(len(before), len(after)) > MANY or matcher.ratio() < 0.4:
        return f"<del>{prose(old)}</del> <ins>{prose(new)}</ins>"
    pieces = []
    for is_same, gone, fresh in _runs(matcher.get_opcodes(), before, after):
        if is_same:
            pieces.append(prose(fresh))
        else:
            pieces += [
                f"<del>{prose(gone)}</del>" if gone else "",
                f"<ins>{prose(fresh)}</ins>" if fresh else "",
            ]
    return "".join(pieces)


def _runs(
    opcodes: Iterable[tuple[str, int, int, int, int]], before: Sequence[str], after: Sequence[str]
) -> list[tuple[bool, str, str]]:
    """What is the same and what is not, in turn; changes that only a space parts are one."""
    runs: list[tuple[bool, str, str]] = []
    for kind, start, end, first, last in opcodes:
        gone, fresh = "".join(before[start:end]), "".join(after[first:last])
        is_gap = len(runs) > 1 and runs[-1][0] and not runs[-1][1].strip()
        if kind != "equal" and is_gap:
            gap, (_, old, new) = runs.pop()[1], runs.pop()
            gone, fresh = old + gap + gone, new + gap + fresh
        runs.append((kind == "equal", gone, fresh))
    return runs


def _inside(text: str) -> str:
    """A piece of a sentence, with the spaces at its ends."""
    return f"{' ' * text[:1].isspace()}{escape(text)}{' ' * (text[-1:].isspace() and bool(text.strip()))}"


def details(summary: str, parts: Iterable[str], is_open: bool = False) -> str:
    """Something folded; its summary is HTML on one line."""
    body = "\n\n".join(part for part in parts if part)
    return f"<details{' open' * is_open}><summary>{summary}</summary>\n\n{body}\n\n</details>"


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table of cells that are Markdown already."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def count(number: int, noun: str) -> str:
    """A number of things: "1 claim", "2 claims"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
