"""Training on documents up to a size: the changelog of CS336 tells of ties broken by the wrong order."""

import random
from collections import Counter
from collections.abc import Iterator
from typing import Any

from nextword.bpe import count_pairs, learn_merges, merge_pair, space_chunks, spell_bytes
from nextword.exercises.asking import agrees, fresh, refuses
from nextword.exercises.catalogue import Check, Exercise, Wrong

BYTES = 256
END = "<|end|>"
DOCUMENTS = 2
TRIALS = 50

Pair = tuple[bytes, bytes]
Words = Counter[tuple[bytes, ...]]


def start(text: str, size: int) -> list[Pair]:
    """Learn byte-level BPE from documents, each ended by "<|end|>".

    Cut each document before each space, spell the chunks in bytes, count
    and fuse inside chunks. Of equal counts the pair of bytes that sorts
    first wins. "<|end|>" is one entry of the table and no text.

    Returns the merges in order, as pairs (left, right): as many as make a
    table of size entries, or fewer if no pair is left. Fewer entries than
    bytes and "<|end|>" need are refused with a ValueError.
    """
    raise NotImplementedError("write train")


def spell(text: str) -> Words:
    """How often each chunk stands in the documents, spelled in bytes."""
    words: Words = Counter()
    for document in text.split(END):
        words.update(map(spell_bytes, space_chunks(document)))
    return words


def fuse(words: Words, pair: Pair) -> Words:
    """The chunks after one merge."""
    fused: Words = Counter()
    for symbols, count in words.items():
        fused[merge_pair(symbols, *pair)] += count
    return fused


def solution(text: str, size: int) -> list[Pair]:
    """Count, choose by the rule, fuse, until the table is full."""
    if size < BYTES + 1:
        raise ValueError(f"size must be at least {BYTES + 1}, not {size!r}")
    words = spell(text)
    merges: list[Pair] = []
    while len(merges) < size - BYTES - 1:
        pairs = count_pairs(words)
        if not pairs:
            break
        most = max(pairs.values())
        merges.append(min(pair for pair in pairs if pairs[pair] == most))
        words = fuse(words, merges[-1])
    return merges


def end_is_text(text: str, size: int) -> list[Pair]:
    """Learn from the end marks too, as if they were words."""
    if size < BYTES + 1:
        raise ValueError(f"size must be at least {BYTES + 1}, not {size!r}")
    words = Counter(spell_bytes(chunk) for chunk in space_chunks(text))
    merges = learn_merges(words, rounds=size - BYTES - 1)
    return [(left, right) for left, right, _ in merges]


def first_met(text: str, size: int) -> list[Pair]:
    """Let max choose: of equal counts it takes the one met first."""
    if size < BYTES + 1:
        raise ValueError(f"size must be at least {BYTES + 1}, not {size!r}")
    words = spell(text)
    merges: list[Pair] = []
    for _ in range(size - BYTES - 1):
        pairs = count_pairs(words)
        if not pairs:
            break
        merges.append(max(pairs, key=lambda pair: pairs[pair]))
        words = fuse(words, merges[-1])
    return merges


def checks(answer: Any) -> Iterator[Check]:
    """The end mark, counts, ties, the end of training, sizes, and random documents against the library."""
    yield Check(
        "No merge is learned from the end mark, and none crosses it",
        fresh(answer, f"go{END}go{END}go{END}", BYTES + 3),
        [(b"g", b"o")],
        "A special token is one entry and no text: cut there before anything is counted.",
    )
    yield Check(
        "A chunk counts as often as it stands in the documents",
        fresh(answer, f"it{END}no{END}no{END}", BYTES + 2),
        [(b"n", b"o")],
        "A pair counts once for each place of the text, not for each different chunk.",
    )
    yield Check(
        "Of equal counts the pair that sorts first wins, whichever was met first",
        fresh(answer, f"tens{END}eta{END}", BYTES + 3),
        [(b"e", b"n"), (b"e", b"t")],
        "max takes the first met of equals, so the order of the documents would decide.",
    )
    yield Check(
        "Training ends when no pair is left",
        fresh(answer, f"to{END}", 2 * BYTES),
        [(b"t", b"o")],
        "A size is a limit. Where each chunk is one symbol there is nothing more to fuse.",
    )
    yield Check(
        "A size too small for the bytes and the end mark is refused",
        refuses(answer, f"to{END}", BYTES),
        True,
    )
    odd = [(f"aaaa{END}", BYTES + 6), (f"bbbb{END}ac{END}ac{END}", BYTES + 2)]
    odd += [(f"a\nb{END}", BYTES + 2), (f"a  b{END}", BYTES + 3), (f"a{END}{END}b c{END}", BYTES + 2)]
    yield Check(
        "Runs of a letter, line ends and spaces in a row count like the rest",
        agrees(answer, from_library, odd),
        True,
        "A run holds a pair at each place. Only a space is cut before, and nothing is dropped.",
    )
    draw = random.Random(177)
    words = ["na", "nana", "an", "é", "猫", "aaa", ""]
    texts = [
        "".join(" ".join(draw.choices(words, k=3)) + END for _ in range(DOCUMENTS)) for _ in range(TRIALS)
    ]
    sizes = [BYTES + 1, *(BYTES + 1 + draw.randint(1, 8) for _ in texts[1:])]
    yield Check(
        f"From {TRIALS} random texts it learns what the library learns",
        agrees(answer, from_library, zip(texts, sizes, strict=True)),
        True,
    )


def from_library(text: str, size: int) -> list[Pair]:
    """The merges that the library learns from the documents of a text."""
    chunks = Counter(spell_bytes(chunk) for document in text.split(END) for chunk in space_chunks(document))
    return [(left, right) for left, right, _ in learn_merges(chunks, rounds=size - BYTES - 1)]


EXERCISE = Exercise(
    ident="17.7",
    title="Train a table of a given size",
    level="implement",
    name="train",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            end_is_text,
            "reads the end marks as text",
            "No merge is learned from the end mark, and none crosses it",
        ),
        Wrong(
            first_met,
            "takes, among pairs of equal count, the one met first",
            "Of equal counts the pair that sorts first wins, whichever was met first",
        ),
    ),
)
