"""The BPE stepper shows what panels 17.1 and 17.2 print, and what the independent figures say."""

import json
import random
import re
import time
from typing import Any

import pytest

from coursebuild.instruments import bpe_stepper, corpora
from coursebuild.instruments.parameters import read, start_of
from nextword.bpe import Merge, apply_by_rank, learn_merges_by_heap, spell_words, word_counts

from .node import answers
from .panels import ROOT, approved, assigned
from .states_bpe_stepper import state as random_state

pytestmark = pytest.mark.once

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-17.json").read_text("utf-8"))
TRAINING, ENCODING = FACTS["17.1"]["expected"], FACTS["17.2"]["expected"]
EXTRA = FACTS["17.1"]["not_in_source"]
DATA = bpe_stepper.data()


def view(**changes: Any) -> dict[str, Any]:
    return bpe_stepper.view(DATA, start_of(bpe_stepper.PARAMETERS) | changes)


def test_it_begins_with_the_text_of_the_panel() -> None:
    assert assigned("17.1", "text") == [corpora.WORDS]
    assert start_of(bpe_stepper.PARAMETERS)["text"] == corpora.WORDS
    assert start_of(bpe_stepper.PARAMETERS)["merges"] == approved("17.1")[1]["merges"]
    assert dict(view()["words"]) == FACTS["17.1"]["inputs"]["word_counts"]


def test_the_merges_are_those_of_the_figures_and_of_the_panel() -> None:
    merges = view()["merges"]
    wanted = [[row["left"], row["right"], row["count"]] for row in TRAINING["merges"]]
    assert merges[:10] == wanted == approved("17.1")[1]["merge_list"]
    assert len(merges) == EXTRA["rounds_until_no_pair_left"] == approved("17.1")[1]["exhausted"]


@pytest.mark.parametrize("done", range(10))
def test_each_merge_is_announced_as_the_next_with_those_that_it_is_tied_with(done: int) -> None:
    shown = view(merges=done)
    assert shown["pairs"][0] == shown["merges"][done]
    ties = [pair[:2] for pair in shown["pairs"][: shown["tied"]]]
    assert ties == EXTRA["tied_rounds"].get(str(done + 1), [shown["pairs"][0][:2]])
    printed = next(line for line in approved("17.1")[0].splitlines() if re.match(rf" +{done + 1} ", line))
    assert printed.split()[-1] == (",".join("+".join(pair) for pair in ties[1:]) or "-").split(",")[-1]


def test_after_the_ten_merges_of_the_panel() -> None:
    shown, figures = view(merges=10), approved("17.1")[1]
    spelled = sorted(
        ([count, symbols] for (_, count), symbols in zip(shown["words"], shown["spellings"], strict=True)),
        key=lambda one: one[1],
    )
    assert spelled == figures["final_spellings"]
    assert spelled == [
        [row["count"], row["symbols"]] for row in TRAINING["final_spellings_sorted_by_symbol_tuple"]
    ]
    assert shown["in_use"] == TRAINING["symbols_in_use_after_training"]
    assert shown["base"] == EXTRA["base_alphabet"]
    assert (
        shown["vocabulary"]
        == figures["vocabulary_size"]
        == EXTRA["full_vocabulary_size_alphabet_plus_10_merges"]
    )


def test_at_the_end_no_pair_is_left() -> None:
    shown = view(merges=16)
    assert [shown["pairs"], shown["all_pairs"], shown["tied"]] == [[], 0, 0]
    assert all(len(symbols) == 1 for symbols in shown["spellings"])
    with pytest.raises(ValueError, match="merges must be at most 16"):
        view(merges=17)


@pytest.mark.parametrize("wanted", ENCODING["encodings"], ids=lambda row: row["word"])
def test_words_are_cut_as_the_figures_say(wanted: dict[str, Any]) -> None:
    shown = view(merges=10, word=wanted["word"])
    assert [piece for piece, _ in shown["pieces"]] == wanted["tokens"]
    assert shown["known"] == wanted["in_corpus"]


def test_ids_are_those_that_the_panel_prints() -> None:
    printed = approved("17.2")[0]
    for word in ("lower", "glow"):
        ids = [
            "none" if number is None else str(number) for _, number in view(merges=10, word=word)["pieces"]
        ]
        assert f"ids of {word}: {' '.join(ids)}" in printed.splitlines()


def test_the_other_rule_among_equals_gives_other_pieces() -> None:
    assert [piece for piece, _ in view(merges=10, ties="largest", word="wider")["pieces"]] == ["wid", "er_"]


def test_laws_of_random_states() -> None:
    rng = random.Random(17)
    held = 0
    for state in (random_state(DATA, rng) for _ in range(300)):
        try:
            shown = bpe_stepper.view(DATA, state)
        except ValueError:
            continue
        held += 1
        counts = [count for _, _, count in shown["merges"]]
        assert counts == sorted(counts, reverse=True)
        assert ["".join(symbols)[:-1] for symbols in shown["spellings"]] == [
            word for word, _ in shown["words"]
        ]
        if state["merges"] < len(counts):
            assert shown["pairs"][0] == shown["merges"][state["merges"]]
        pieces = [piece for piece, _ in shown["pieces"]]
        assert (shown["replayed"] or [[0, shown["spelled"]]])[-1][1] == pieces
        merges = [Merge(*merge) for merge in shown["merges"][: state["merges"]]]
        assert list(apply_by_rank(shown["spelled"], merges)) == pieces
    assert held > 150


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
    total = len(view(text=text, merges=0)["merges"])
    states = [
        {"text": text, "ties": "smallest", "merges": done, "word": text[:9]} for done in range(total + 1)
    ]
    [told] = answers([{"do": "view", "name": "bpe-stepper", "data": DATA, "states": states}])
    for state in states[::7]:
        wanted = bpe_stepper.view(DATA, state)
        shown = told[state["merges"]]["view"]
        assert shown["spellings"] == wanted["spellings"] and shown["pairs"] == wanted["pairs"]


def test_the_picture_of_no_word_says_nothing_of_one() -> None:
    state = start_of(bpe_stepper.PARAMETERS) | {"word": ""}
    picture = bpe_stepper.picture(DATA, state, bpe_stepper.view(DATA, state))
    assert "does not apply" not in picture
    assert "Pieces of" not in picture


def test_what_is_refused_is_told() -> None:
    for link, told in {
        "text=": "at least one",
        "text=a_b": "marker",
        "word=a+b": "one word",
        "merges=17": "at most 16",
    }.items():
        with pytest.raises(ValueError, match=told):
            bpe_stepper.view(DATA, read(bpe_stepper.PARAMETERS, link))


def test_the_picture_has_each_merge_of_the_panel() -> None:
    state = start_of(bpe_stepper.PARAMETERS)
    picture = bpe_stepper.picture(DATA, state, view())
    for number, (left, right, count) in enumerate(approved("17.1")[1]["merge_list"], 1):
        pair = bpe_stepper.pair_of(left, right)
        assert f'<th scope="row">{number}</th> <td>{pair}</td> <td>{count}</td>' in picture
    assert "<td>low er_</td>" in picture
