"""The BPE stepper shows what panels 17.1 and 17.2 print, and what the independent figures say."""

import importlib
import json
import random
import re
from typing import Any

import pytest

from coursebuild.instruments import bpe_stepper, corpora
from coursebuild.instruments.parameters import Choice, read, start_of
from nextword.bpe import Merge, apply_by_rank

from .panels import ROOT, approved, assigned
from .shown import Shown, read_picture
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


def picture(**changes: Any) -> Shown:
    state = start_of(bpe_stepper.PARAMETERS) | changes
    return read_picture(bpe_stepper.picture(DATA, state, bpe_stepper.view(DATA, state)))


SPELLED = "The words, as they are spelled now"
LEFT = "All pairs that are left"


def test_the_picture_of_the_start_is_that_of_the_panel_after_its_ten_merges() -> None:
    found = picture()
    figures = approved("17.1")[1]
    replay = "Each merge in its order, and what it makes of “lower”"
    pieces = "Pieces of “lower”, each with its id:"
    assert found.order == ["Merges done:", SPELLED, LEFT, pieces, replay]
    assert found.lines["Merges done:"] == "10 of 16"
    first, *words = found.tables[SPELLED]
    assert first == ["Word", "Seen", "Spelled"]
    assert (
        sorted(([int(seen), spelled.split(" ")] for _, seen, spelled in words), key=lambda one: one[1])
        == (figures["final_spellings"])
    )
    assert [word for word, *_ in words] == ["low", "lowest", "newer", "wider", "new"]
    # w + ider_ is in “wider”, seen 3 times; the others are of “lowest” and “new”, seen twice
    assert found.tables[LEFT] == [
        ["Pair", "Seen", "Order"],
        ["w\xa0+\xa0ider_", "3[100]", "next"],
        ["e\xa0+\xa0s", "2[66.67]", ""],
        ["low\xa0+\xa0e", "2[66.67]", ""],
        ["new\xa0+\xa0_", "2[66.67]", ""],
        ["s\xa0+\xa0t", "2[66.67]", ""],
        ["t\xa0+\xa0_", "2[66.67]", ""],
    ]
    # 11 base symbols have the ids 0 to 10, so merge 2 has 12 and merge 6 has 16
    assert found.lines[pieces] == "low (16) er_ (12) (never seen in the text)"
    makes = {1: "l o w er _", 2: "l o w er_", 5: "lo w er_", 6: "low er_"}
    assert found.tables[replay] == [
        ["Merge", "Pair", "Seen", "The word"],
        ["start", "", "", "l o w e r _"],
        *(
            [str(number), f"{left}\xa0+\xa0{right}", str(count), makes.get(number, "does not apply")]
            for number, (left, right, count) in enumerate(figures["merge_list"], 1)
        ),
    ]


def test_of_many_pairs_the_most_frequent_are_shown_and_ties_are_told() -> None:
    found = picture(merges=0)
    caption = "The most frequent of 14 pairs"
    # counted by hand in low 5, lowest 2, newer 6, wider 3, new 2
    assert found.tables[caption] == [
        ["Pair", "Seen", "Order"],
        ["e\xa0+\xa0r", "9[100]", "next"],
        ["r\xa0+\xa0_", "9[100]", "tied"],
        ["e\xa0+\xa0w", "8[88.89]", ""],
        ["n\xa0+\xa0e", "8[88.89]", ""],
        ["w\xa0+\xa0e", "8[88.89]", ""],
        ["l\xa0+\xa0o", "7[77.78]", ""],
        ["o\xa0+\xa0w", "7[77.78]", ""],
        ["w\xa0+\xa0_", "7[77.78]", ""],
    ]


def test_among_equals_the_other_rule_shows_the_last_first() -> None:
    shown_pairs = view(merges=0, ties="largest")["pairs"]
    assert shown_pairs[:5] == [["r", "_", 9], ["e", "r", 9], ["w", "e", 8], ["n", "e", 8], ["e", "w", 8]]


def test_a_text_without_a_pair_left_and_no_word_to_encode() -> None:
    found = picture(text="ab ab", merges=2, word=" ")
    assert found.lines == {"Merges done:": "2 of 2"}
    assert found.tables == {
        SPELLED: [["Word", "Seen", "Spelled"], ["ab", "2", "ab_"]],
        LEFT: [["Pair", "Seen", "Order"]],
        "Each merge in its order": [
            ["Merge", "Pair", "Seen", "The word"],
            ["1", "a\xa0+\xa0b", "2", ""],
            ["2", "ab\xa0+\xa0_", "2", ""],
        ],
    }


def test_a_word_of_the_text_and_a_letter_that_has_no_id() -> None:
    assert (
        picture(word=" low ").lines["Pieces of “low”, each with its id:"] == "low_ (18) (a word of the text)"
    )
    assert picture(word="a", merges=0).lines["Pieces of “a”, each with its id:"] == (
        "a (no id) _ (0) (never seen in the text)"
    )


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("text=" + "a" * 2001, "text must have at most 2,000 characters, not 2,001"),
        ("ties=first", "ties must be one of smallest, largest, not “first”"),
        ("merges=-1", "merges must be a whole number from 0 to 2000, not “-1”"),
        ("merges=2001", "merges must be a whole number from 0 to 2000, not “2001”"),
        ("merges=17", "merges must be at most 16, when no pair is left, not 17"),
        ("word=" + "a" * 41, "word must have at most 40 characters, not 41"),
        ("word=a+b", "word must be one word, not 'a b'"),
    ],
)
def test_a_refusal_says_what_is_allowed(link: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        bpe_stepper.view(DATA, read(bpe_stepper.PARAMETERS, link))


def test_what_a_reader_sees_above_all_and_beside_each_control() -> None:
    assert bpe_stepper.TITLE == "BPE stepper"
    assert [(one.name, one.label) for one in bpe_stepper.PARAMETERS] == [
        ("text", "Training text"),
        ("ties", "Of pairs seen as often, the next is"),
        ("merges", "Merges done"),
        ("word", "Word to encode"),
    ]
    assert [one.choices for one in bpe_stepper.PARAMETERS if isinstance(one, Choice)] == [
        (("smallest", "the one that sorts first"), ("largest", "the one that sorts last"))
    ]
    assert start_of(bpe_stepper.PARAMETERS)["word"] == "lower"
    assert start_of(bpe_stepper.PARAMETERS)["ties"] == "smallest"
    assert DATA == {"top": 8}


def test_it_names_functions_that_the_library_has() -> None:
    for name in bpe_stepper.SHOWS:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
