"""The script of the BPE stepper on all characters and on the longest texts, under Node."""

import random
import time

import pytest

from coursebuild.instruments import bpe_stepper
from nextword.bpe import learn_merges_by_heap, spell_words, word_counts

from .node import answers

pytestmark = pytest.mark.once

DATA = bpe_stepper.data()


def test_words_end_where_python_ends_them() -> None:
    """Of all characters up to those of Chinese, and some of the rest: white space is among the first."""
    characters = [
        chr(value)
        for value in range(0x110000)
        if not 0xD800 <= value < 0xE000 and (value < 0x3100 or value % 97 == 0)
    ]
    [told] = answers(
        [
            {
                "do": "call",
                "module": "ports/bpe.js",
                "name": "wordsOf",
                "calls": [[f"a{one}b"] for one in characters],
            }
        ]
    )
    assert [one["value"] for one in told] == [f"a{one}b".split() for one in characters]


def test_symbols_sort_as_python_sorts_them() -> None:
    rng = random.Random(3)
    letters = ["a", "b", "\ue000", "\uffff", "\U00010000", "😀", "\U0010ffff", "_"]
    lists = [["".join(rng.choices(letters, k=rng.randint(1, 4))) for _ in range(20)] for _ in range(50)]
    [told] = answers(
        [{"do": "call", "module": "ports/bpe.js", "name": "baseSymbols", "calls": [[[one]] for one in lists]}]
    )
    assert [one["value"] for one in told] == [sorted({*one}) for one in lists]


def long_texts(rng: random.Random) -> list[str]:
    """Of the longest that are allowed: with and without spaces, of many characters and of few."""
    characters = [chr(0x4E00 + number) for number in range(bpe_stepper.LONGEST)]
    kinds = [characters[:600], characters, "ab", "猫がマット，。😀", [*"etaoinsh "], "a"]
    texts = ["".join(rng.choices(kind, k=bpe_stepper.LONGEST)) for kind in kinds]
    return [*texts, "".join(characters), "".join(reversed(characters)), " ".join(characters[:1000])]


@pytest.mark.parametrize("ties", ["smallest", "largest"])
def test_long_texts_are_learned_as_the_library_learns_them_and_soon(ties: str) -> None:
    texts = long_texts(random.Random(2))
    spellings = [spell_words(word_counts(text)) for text in texts]
    calls = [[[[list(symbols), count] for symbols, count in one.items()], ties] for one in spellings]
    job = {"do": "call", "module": "ports/bpe.js", "name": "learnMerges", "calls": calls}
    before = time.perf_counter()
    [told] = answers([job])
    took = time.perf_counter() - before
    for text, spelled, one in zip(texts, spellings, told, strict=True):
        wanted = learn_merges_by_heap(spelled, len(text), ties)
        assert one["value"] == [list(merge) for merge in wanted], text[:20]
    # 0.1 s for each is the aim; a busy machine, Node's start and the reading of 5 MB take longer
    assert took < 0.5 * len(texts)


def test_any_step_of_a_long_text_is_shown() -> None:
    rng = random.Random(5)
    text = "".join(rng.choices([chr(0x4E00 + number) for number in range(40)], k=150))
    total = len(bpe_stepper.view(DATA, {"text": text, "ties": "smallest", "merges": 0, "word": ""})["merges"])
    states = [
        {"text": text, "ties": "smallest", "merges": done, "word": text[:9]} for done in range(total + 1)
    ]
    [told] = answers([{"do": "view", "name": "bpe-stepper", "data": DATA, "states": states}])
    for state in states[::7]:
        wanted = bpe_stepper.view(DATA, state)
        shown = told[state["merges"]]["view"]
        assert shown["spellings"] == wanted["spellings"] and shown["pairs"] == wanted["pairs"]
