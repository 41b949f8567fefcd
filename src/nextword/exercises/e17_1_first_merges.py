"""What training learns first: pairs inside words, and a rule for ties (panel 17.1)."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

from nextword.bpe import count_pairs, learn_merges, merge_pair, spell_words, word_counts
from nextword.exercises.catalogue import Check, Exercise, Wrong

TEXT = "art sat art tattoo art art tattoo tattoo"
ROUNDS = 4


def start() -> list[str]:
    """The symbols that training adds, in the order learned."""
    spellings = spell_words(word_counts(TEXT), marker="")
    merges = learn_merges(spellings, rounds=ROUNDS)
    return [left + right for left, right, _ in merges]


def solution() -> list[str]:
    """Count inside words; among equals take the pair that sorts first."""
    words = Counter(tuple(word) for word in TEXT.split())
    learned = []
    for _ in range(ROUNDS):
        pairs = count_pairs(words)
        most = max(pairs.values())
        left, right = min(pair for pair in pairs if pairs[pair] == most)
        learned.append(left + right)
        fused: Counter[tuple[str, ...]] = Counter()
        for word, count in words.items():
            fused[merge_pair(word, left, right)] += count
        words = fused
    return learned


def across_words() -> list[str]:
    """The text is taken as one long word."""
    line = tuple(TEXT.replace(" ", ""))
    merges = learn_merges({line: 1}, rounds=ROUNDS)
    return [left + right for left, right, _ in merges]


def first_come() -> list[str]:
    """Among pairs of equal count, the one met first is taken."""
    words = Counter(tuple(word) for word in TEXT.split())
    learned = []
    for _ in range(ROUNDS):
        pairs = count_pairs(words)
        left, right = max(pairs, key=lambda pair: pairs[pair])
        learned.append(left + right)
        fused: Counter[tuple[str, ...]] = Counter()
        for word, count in words.items():
            fused[merge_pair(word, left, right)] += count
        words = fused
    return learned


def checks(answer: Any) -> Iterator[Check]:
    """The first symbol, then all of them."""
    expected = solution()
    yield Check(
        "Training begins with a pair that is frequent inside words",
        lambda: answer[0],
        expected[0],
        "Words are counted apart: the end of one and the start of the next are no pair.",
    )
    yield Check(
        "So it goes on, and among equal counts the pair that sorts first wins",
        lambda: answer,
        expected,
        "Of the pairs of highest count, the one that sorts first wins, not the first met.",
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
            "Training begins with a pair that is frequent inside words",
        ),
        Wrong(
            first_come,
            "takes, among pairs of equal count, the one that the text shows first",
            "So it goes on, and among equal counts the pair that sorts first wins",
        ),
    ),
)
