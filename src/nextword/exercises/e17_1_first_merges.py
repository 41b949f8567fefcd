"""What training learns first: pairs inside words, and a rule for ties (panel 17.1)."""

from collections.abc import Iterator
from typing import Any

from nextword.bpe import Merge, count_pairs, learn_merges, respell, spell_words, word_counts
from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short

TEXT = "art sat art tattoo art art tattoo tattoo"
ROUNDS = 4


def start() -> list[str]:
    """The symbols that training adds, in the order learned."""
    spellings = spell_words(word_counts(TEXT), marker="")
    merges = learn_merges(spellings, rounds=ROUNDS)
    return [left + right for left, right, _ in merges]


def solution() -> list[str]:
    """Count inside words; among equals take the pair that sorts first."""
    words = spell_words(word_counts(TEXT), marker="")
    learned = []
    for _ in range(ROUNDS):
        pairs = count_pairs(words)
        most = max(pairs.values())
        left, right = min(pair for pair in pairs if pairs[pair] == most)
        learned.append(left + right)
        words = respell(words, [Merge(left, right, most)])
    return learned


def across_words() -> list[str]:
    """The text is taken as one long word."""
    line = tuple(TEXT.replace(" ", ""))
    merges = learn_merges({line: 1}, rounds=ROUNDS)
    return [left + right for left, right, _ in merges]


def first_come() -> list[str]:
    """Among pairs of equal count, the one met first is taken."""
    words = spell_words(word_counts(TEXT), marker="")
    learned = []
    for _ in range(ROUNDS):
        pairs = count_pairs(words)
        left, right = max(pairs, key=lambda pair: pairs[pair])
        learned.append(left + right)
        words = respell(words, [Merge(left, right, pairs[left, right])])
    return learned


def checks(answer: Any) -> Iterator[Check]:
    """The first symbol, the tie that comes then, and all of them."""
    expected = solution()
    pairs = count_pairs(spell_words(word_counts(TEXT), marker=""))
    inside = {left + right: count for (left, right), count in pairs.items()}

    def is_frequent() -> bool:
        first = answer[0]
        if not isinstance(first, str):
            raise Differs(f"got {short(first)}, and a symbol is asked, as a text")
        if inside.get(first, 0) < max(inside.values()):
            raise Differs(
                f"got {first!r}, which counts {inside.get(first, 0)} inside words; others count more"
            )
        return True

    yield Check(
        "The first pair is one of the most frequent inside words",
        is_frequent,
        True,
        "Words are counted apart: the end of one and the start of the next are no pair.",
    )
    yield Check(
        "Of equally frequent pairs, the one that sorts first is fused",
        lambda: answer[:2],
        expected[:2],
        "Not the pair met first, nor the one that makes the longer symbol: letters decide.",
    )
    yield Check(
        "After each merge the words are respelled and all pairs counted afresh",
        lambda: answer,
        expected,
        "Pairs beside a new symbol are new, and those that lost a letter to it count less.",
    )


EXERCISE = Exercise(
    ident="17.1",
    title="Which pairs are fused first?",
    level="predict",
    name="first_merges",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            across_words,
            "counts pairs across the border between words",
            "The first pair is one of the most frequent inside words",
        ),
        Wrong(
            first_come,
            "takes, among pairs of equal count, the one that the text shows first",
            "Of equally frequent pairs, the one that sorts first is fused",
        ),
    ),
)
