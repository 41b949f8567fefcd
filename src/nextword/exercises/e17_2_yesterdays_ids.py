"""Ids that one table wrote, read with another: a new letter moves all that sort behind it, and nothing is raised."""

from collections.abc import Iterator
from typing import Any

from nextword.bpe import Merge, WordBPE
from nextword.exercises.catalogue import Check, Exercise, Wrong

OLD_TEXT = "hark hark hark her cell"
NEW_TEXT = OLD_TEXT + " dark"
WORD = "hark"


def start() -> str:
    """What the new table reads in ids that the old table wrote.

    Both number their characters in sorted order, "_" first, then the
    merges in the order learned: these are a + r and ar + k in both.
    """
    old = WordBPE.train(OLD_TEXT, rounds=2)
    new = WordBPE.train(NEW_TEXT, rounds=2)
    return new.decode(old.encode(WORD))


def solution() -> str:
    """Write both tables down, then look the old places up in the new one."""
    old = [*sorted(set("_" + OLD_TEXT.replace(" ", ""))), "ar", "ark"]
    new = [*sorted(set("_" + NEW_TEXT.replace(" ", ""))), "ar", "ark"]
    pieces = ["h", "ark", "_"]
    read = [new[old.index(piece)] for piece in pieces]
    return "".join(read).removesuffix("_")


def unmoved() -> str:
    """An id is taken for a property of its symbol, the same in any table."""
    new = WordBPE.train(NEW_TEXT, rounds=2)
    return new.decode(new.encode(WORD))


def at_the_end() -> str:
    """The new letter is put behind the old ones, so that only merges move."""
    old = WordBPE.train(OLD_TEXT, rounds=2)
    merges = [Merge("a", "r", 4), Merge("ar", "k", 4)]
    appended = WordBPE(merges, [*old.base, "d"])
    return appended.decode(old.encode(WORD))


def checks(answer: Any) -> Iterator[Check]:
    """The end of the word, a merged symbol; its beginning, a letter; then all of it."""
    expected = solution()

    def read(part: slice) -> Any:
        return answer.rstrip("_ ")[part] if isinstance(answer, str) else answer

    yield Check(
        "The end of the word, a merged symbol, is read as another one",
        lambda: read(slice(-2, None)),
        expected[-2:],
        "An id is a place in one table: a new letter moves the merged symbols behind it.",
    )
    yield Check(
        "So is its beginning, a single letter",
        lambda: read(slice(1)),
        expected[:1],
        "Letters are numbered in sorted order: the new one moves those behind it, too.",
    )
    yield Check(
        "Nothing else is read, and decoding takes the marker off",
        lambda: answer,
        expected,
        "Each old id reads as one piece, and the marker as the gap before the next word.",
    )


EXERCISE = Exercise(
    ident="17.2",
    title="Ids of yesterday's table",
    level="predict",
    name="read_with_the_new_table",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            unmoved,
            "expects an id to mean the same in both tables",
            "The end of the word, a merged symbol, is read as another one",
        ),
        Wrong(
            at_the_end,
            "puts the new letter behind the old ones",
            "So is its beginning, a single letter",
        ),
    ),
)
