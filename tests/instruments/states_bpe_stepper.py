"""Random states of the BPE stepper."""

import random
from typing import Any

from coursebuild.instruments.corpora import WORDS
from nextword.bpe import learn_merges, spell_words, word_counts

ALPHABETS = (
    "ab",
    "abc",
    "lowestnridgu",
    "aab\0:1",
    "ée\u0301ñ",
    "猫がマット",
    "猫が，😀",  # of some the order of UTF-16 is right, of others not
    "😀😁\ue000\uffff𝒜a",  # their order by code points is not that of UTF-16
)
SPACES = (" ", "  ", "\n", "\t", "\u3000", "\xa0", "\x1c", "\x85", "\u2028", "\u2029", "\r\n", "\ufeff")


def word(alphabet: str, rng: random.Random, longest: int = 8) -> str:
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(1, longest)))


def training_text(rng: random.Random) -> str:
    if rng.random() < 0.25:
        return WORDS
    alphabet = rng.choice(ALPHABETS)
    known = [word(alphabet, rng) for _ in range(rng.choice([1, 2, 5, 12]))]
    words = [rng.choice(known) for _ in range(rng.choice([0, 1, 3, 20, 40]))]
    if rng.random() < 0.03:
        words.append("a_b")
    if rng.random() < 0.02:
        words.append(word(alphabet, rng, 300))
    return "".join(one + rng.choice([" ", " ", rng.choice(SPACES)]) for one in words)


def state(data: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    text = training_text(rng)
    ties = rng.choice(["smallest", "largest"])
    try:
        most = len(learn_merges(spell_words(word_counts(text)), len(text), ties))
    except ValueError:
        most = 0
    merges = rng.choice([0, most, rng.randint(0, most), rng.randint(0, most)]) + (rng.random() < 0.05)
    asked = rng.choice(
        [*text.split()[:3], "lower", word(rng.choice(ALPHABETS), rng), "", " wider ", "a_", "a b"]
    )
    return {"text": text, "ties": ties, "merges": merges, "word": asked[:40]}
