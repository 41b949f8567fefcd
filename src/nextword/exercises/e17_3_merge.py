"""Fusing a pair by replacing text: the regular expression of Sennrich et al. (2016) looks at both borders for this reason."""

import random
from collections.abc import Iterator
from typing import Any

from nextword.bpe import merge_pair
from nextword.exercises.asking import Differs, agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short

TRIALS = 200
MANY = 1000


def start(symbols: list[str], left: str, right: str) -> list[str]:
    """Fuse each occurrence of left + right, from left to right.

    The symbols are any strings but "", such as ["l", "o", "w"]. The list
    that is returned is new.
    """
    line = " ".join(symbols)
    line = line.replace(f"{left} {right}", left + right)
    return line.split(" ")


def solution(symbols: list[str], left: str, right: str) -> list[str]:
    """Fuse each occurrence of left + right, from left to right."""
    merged = []
    place = 0
    while place < len(symbols):
        if symbols[place : place + 2] == [left, right]:
            merged.append(left + right)
            place += 2
        else:
            merged.append(symbols[place])
            place += 1
    return merged


def padded(symbols: list[str], left: str, right: str) -> list[str]:
    """Look for the pair with a space on each side."""
    line = f" {' '.join(symbols)} "
    line = line.replace(f" {left} {right} ", f" {left + right} ")
    return line[1:-1].split(" ")


def looks_only(symbols: list[str], left: str, right: str) -> list[str]:
    """Fuse wherever the pair stands, skip what was a right neighbour."""
    merged = []
    for place, symbol in enumerate(symbols):
        if symbols[place : place + 2] == [left, right]:
            merged.append(left + right)
        elif place == 0 or symbols[place - 1 : place + 1] != [left, right]:
            merged.append(symbol)
    return merged


def by_library(symbols: list[str], left: str, right: str) -> list[str]:
    """What the library makes of it."""
    return list(merge_pair(symbols, left, right))


def checks(answer: Any) -> Iterator[Check]:
    """Borders of symbols, neighbours, runs, spaces, the list given, and many random spellings."""
    yield Check(
        "A symbol that only ends in left stays as it is",
        fresh(answer, ["s", "lo", "w"], "o", "w"),
        ["s", "lo", "w"],
        "A pair is whole symbols; in a joined text, ends of longer ones look like it.",
    )
    yield Check(
        "Occurrences side by side are all fused",
        fresh(answer, list("nananas"), "n", "a"),
        ["na", "na", "na", "s"],
        "In a joined text neighbours share one space, and the first match uses it up.",
    )
    yield Check(
        "In a run of one letter, each letter is used once",
        fresh(answer, list("aaaaab"), "a", "a"),
        ["aa", "aa", "a", "b"],
        "Once fused, the right symbol is no left one of a next pair: go on behind it.",
    )
    odd = [([" ", "c", "at", " c", "at"], " c", "at"), (["\\", "n", "\\n"], "\\", "n")]
    odd += [(["ax", "b"], "a.", "b"), (["a", "(", "a"], "a", "(")]
    odd += [([f"a{chr(code)}b", "c"], "b", "c") for code in range(MANY)]
    yield Check(
        "A symbol may hold any character: a space, a point, a backslash",
        agrees(answer, by_library, odd),
        True,
        "So none is free to stand between symbols, and none may be read as a pattern.",
    )

    def merged_apart() -> Any:
        given = ["n", "e", "w", "e", "r"]
        merged = answer(given, "e", "w")
        if given != ["n", "e", "w", "e", "r"]:
            raise Differs(f"the list that was handed in became {short(given)}")
        return merged

    yield Check(
        "The list that is handed in stays as it was",
        merged_apart,
        ["n", "ew", "e", "r"],
        "Whoever calls it may need the old spelling again: build a new list.",
    )
    draw = random.Random(173)
    spellings = [[draw.choice(["a", "b", "ab", "ba"]) for _ in range(9)] for _ in range(TRIALS)]
    pairs = [draw.choice([("a", "b"), ("a", "a"), ("ab", "a")]) for _ in range(TRIALS)]
    cases = [(symbols, *pair) for symbols, pair in zip([*spellings, []], [*pairs, ("a", "b")], strict=True)]
    yield Check(
        f"It agrees with the library on {TRIALS} random spellings",
        agrees(answer, by_library, cases),
        True,
    )


EXERCISE = Exercise(
    ident="17.3",
    title="A merge by search and replace",
    level="find the bug",
    name="merge",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            padded,
            "puts a space on each side of what it looks for",
            "Occurrences side by side are all fused",
        ),
        Wrong(
            looks_only,
            "walks over the symbols, but never past what it has fused",
            "In a run of one letter, each letter is used once",
        ),
    ),
)
