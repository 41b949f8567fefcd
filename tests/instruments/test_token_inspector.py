"""The token inspector shows what panels 17.5 and 17.6 print, and what the independent figures say."""

import importlib
import json
import random
import re
from typing import Any

import pytest

from coursebuild.instruments import corpora, token_inspector
from coursebuild.instruments.parameters import read, start_of
from nextword.bpe import apply_by_rank, space_chunks, spell_bytes

from .panels import ROOT, approved, assigned
from .shown import Shown, read_picture
from .states_token_inspector import state as random_state

pytestmark = pytest.mark.once

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-17.json").read_text("utf-8"))["17.5"]
DATA = json.loads(json.dumps(token_inspector.data()))
BPE = token_inspector.tokenizer(DATA)
SYMBOLS = list(BPE.vocabulary)


def view(text: str, token: int = 0) -> dict[str, Any]:
    return token_inspector.view(DATA, {"text": text, "token": token})


def ids_of(shown: dict[str, Any]) -> list[int]:
    return [number for chunk in shown["chunks"] for _, ids in chunk for number in ids]


def test_it_begins_with_the_texts_of_the_panel() -> None:
    corpus, samples, rare = assigned("17.5", "corpus", "samples", "rare")
    assert [corpus, samples, rare] == [corpora.CATS, corpora.SAMPLES, corpora.RARE]
    assert approved("17.5")[1]["asked"] == corpora.CATS_ROUNDS
    assert start_of(token_inspector.PARAMETERS)["text"] == rare


def test_the_merges_are_those_of_the_figures() -> None:
    wanted = [(row["symbol"].encode(), row["count"]) for row in FACTS["not_in_source"]["merges"]]
    assert [(merge.symbol, merge.count) for merge in BPE.merges] == wanted
    assert len({merge.symbol for merge in BPE.merges}) == len(BPE.merges)  # so a symbol tells its merge


def test_the_samples_cost_what_the_figures_and_the_panel_say() -> None:
    shown, figures = view("")["samples"], approved("17.5")[1]
    wanted = FACTS["expected"]["table"]
    assert [name for name, _ in DATA["samples"]] == [row["language"] for row in wanted]
    for one, row in zip(shown, wanted, strict=True):
        assert (one["characters"], one["bytes"], one["tokens"]) == (
            row["characters"],
            row["utf8_bytes"],
            row["tokens"],
        )
        assert one["per_character"] == pytest.approx(row["tokens_per_character"])
    times = [one["times"] for one in shown]
    assert times == pytest.approx([1, figures["greek_times"], figures["japanese_times"]])
    assert times == pytest.approx([*FACTS["not_in_source"]["sentence_cost_vs_english"].values()])


def test_it_begins_with_the_tokens_of_the_panel() -> None:
    shown = view(corpora.RARE)
    pieces = [SYMBOLS[number].decode() for number in ids_of(shown)]
    assert pieces == FACTS["expected"]["rare_sentence_pieces"]
    assert f"one rare word: {'|'.join(pieces)}" in approved("17.5")[0].splitlines()
    picture = token_inspector.picture(DATA, start_of(token_inspector.PARAMETERS), view(corpora.RARE, 2))
    assert "|".join(pieces).replace(" ", "␣") in picture


def test_the_picture_has_each_table_of_the_declaration() -> None:
    state = start_of(token_inspector.PARAMETERS)
    picture = token_inspector.picture(DATA, state, token_inspector.view(DATA, state))
    for name, times in DATA["declaration"]["tables"]:
        assert picture.count(f'<th scope="col">{name}</th>') == 1
        assert all(f"<td>{value:.2f}×" in picture for value in times)


def test_what_is_known_of_a_token() -> None:
    assert view("the cat", 2)["token"] == {
        "id": SYMBOLS.index(b" cat"),
        "bytes": "20636174",
        "of": " cat",
        "first_byte": 0,
        "all_bytes": 4,
        "made": [[1, "61", "74", 72], [9, "20", "63", 24], [11, "2063", "6174", 24]],
    }
    assert view("η 猫", 5)["token"] == {
        "id": 0x8C,
        "bytes": "8c",
        "of": "猫",
        "first_byte": 1,
        "all_bytes": 3,
        "made": [],
    }


def test_laws_of_random_states() -> None:
    rng = random.Random(17)
    held = 0
    for state in (random_state(DATA, rng) for _ in range(300)):
        try:
            shown = token_inspector.view(DATA, state)
        except ValueError:
            continue
        held += 1
        text, ids = state["text"], ids_of(shown)
        assert ids == BPE.encode(text) and BPE.decode(ids) == text
        assert "".join(of for chunk in shown["chunks"] for of, _ in chunk) == text
        by_rank = [
            piece for chunk in space_chunks(text) for piece in apply_by_rank(spell_bytes(chunk), BPE.merges)
        ]
        assert [SYMBOLS[number] for number in ids] == by_rank
        assert shown["cost"]["tokens"] == len(ids) <= shown["cost"]["bytes"] == len(text.encode())
        token = shown["token"]
        if token:
            assert token["id"] == ids[state["token"] - 1]
            start = 2 * token["first_byte"]
            assert token["of"].encode().hex()[start : start + len(token["bytes"])] == token["bytes"]
            assert not token["made"] or "".join(token["made"][-1][1:3]) == token["bytes"]
    assert held > 150


def test_a_lone_surrogate_is_refused() -> None:
    texts = ["\ud800", "a\udfffb", "猫\ude00\ud83d", "😀\ud83d"]
    for text in texts:
        with pytest.raises(ValueError, match="lone surrogate"):
            view(text)


def test_real_tables_are_those_of_the_approved_run() -> None:
    printed, figures = approved("17.6")
    record = json.loads((ROOT / "tests" / "outputs" / "17.6.json").read_text("utf-8"))
    known = DATA["declaration"]
    tables, greek = dict(known["tables"]), known["languages"].index("Greek")
    assert [*tables] == ["this table", "r50k_base", "cl100k_base", "o200k_base"]
    assert tables["r50k_base"][greek] == round(figures["greek_old"], 2)
    assert tables["o200k_base"][greek] == round(figures["greek_new"], 2)
    for name in [*tables][1:]:
        row = "".join(f"{f'{value:.2f}':>10}x" for value in tables[name])
        assert f"{name:<11} {row[1:]}" in printed.splitlines()
    assert (known["date"], known["library"]) == (record["date"], f"tiktoken {record['packages']['tiktoken']}")
    assert printed.startswith(known["library"])


def test_our_column_is_counted_on_the_texts_of_the_panel() -> None:
    """They are in the file that the panel reads; the counts here are not those of ``encode``."""
    stored = (ROOT / "docs" / "assets" / "data" / "declaration.txt").read_text("utf-8")
    vietnamese = stored.partition("# Vietnamese\n")[2]
    assert vietnamese and "# " not in vietnamese
    languages, ours = DATA["declaration"]["languages"], dict(DATA["declaration"]["tables"])["this table"]
    assert all(1 < value < 4 for value in ours)
    greek = stored.partition("# Greek\n")[2].partition("# ")[0]
    english = stored.partition("# English\n")[2].partition("# ")[0]
    by_rank = [
        sum(len(apply_by_rank(spell_bytes(c), BPE.merges)) for c in space_chunks(t)) for t in (greek, english)
    ]
    assert ours[languages.index("Greek")] == pytest.approx(by_rank[0] / by_rank[1])
    assert DATA["declaration"]["bytes_a_token"] == pytest.approx(len(english.encode()) / by_rank[1])


def picture(text: str, token: int) -> Shown:
    state = {"text": text, "token": token}
    return read_picture(token_inspector.picture(DATA, state, token_inspector.view(DATA, state)))


COSTS, SIZES = "What texts cost in this table", "How long they are"
DECLARED = "The Declaration of Human Rights: tokens against English"
NEWER = "The same in newer tables"


def test_the_picture_of_the_start() -> None:
    found = picture(corpora.RARE, 2)
    assert found.order == ["Tokens:", "Token 2:", COSTS, SIZES, DECLARED, NEWER, "The real tables"]
    pieces = "|".join(FACTS["expected"]["rare_sentence_pieces"]).replace(" ", "␣")
    assert found.lines["Tokens:"] == pieces
    assert found.lines["Token 2:"] == (
        "“␣cat”, id 266, bytes 20 63 61 74, made by a + t (merge 1), ␣ + c (merge 9), ␣c + at (merge 11)"
    )
    # 29 characters and bytes, 16 tokens; a bar is as long as the share of 4 tokens a character
    samples = FACTS["expected"]["table"]
    english = samples[0]["tokens"]
    assert found.tables[COSTS][:2] == [
        ["Text", "Tokens", "Against English", "Tokens a char"],
        ["This text", "16", "", "0.55[13.79]"],
    ]
    for row, (name, sample) in zip(
        found.tables[COSTS][2:], zip(("English", "Greek", "Japanese"), samples, strict=True), strict=True
    ):
        a_char = sample["tokens"] / sample["characters"]
        assert row[:3] == [name, str(sample["tokens"]), f"{sample['tokens'] / english:.2f}×"]
        assert row[3] == f"{a_char:.2f}[{100 * a_char / 4:.4g}]"
    assert found.tables[SIZES] == [
        ["Text", "Bytes", "Chars"],
        ["This text", "29", "29"],
        *(
            [one["language"], str(one["utf8_bytes"]), str(one["characters"])]
            for one in FACTS["expected"]["table"]
        ),
    ]


def test_the_declaration_is_compared_table_by_table() -> None:
    """Bars are shares of the most that any language costs in any table: Tamil in the oldest."""
    found, known = picture("", 0), DATA["declaration"]
    tables = dict(known["tables"])
    assert max(value for values in tables.values() for value in values) == 17.94
    for caption, names in (
        (DECLARED, ["this table", "r50k_base"]),
        (NEWER, ["cl100k_base", "o200k_base"]),
    ):
        first, *rows = found.tables[caption]
        assert first == ["Language", *names]
        assert [row[0] for row in rows] == known["languages"]
        for row, *values in zip(rows, *(tables[name] for name in names), strict=True):
            assert row[1:] == [f"{value:.2f}×[{100 * value / 17.94:.4g}]" for value in values]
    assert found.lines["The real tables"] == (
        f"are those of {known['library']}, run on {known['date']} for panel 17.6."
    )


def test_the_picture_of_no_text() -> None:
    found = picture("", 0)
    assert found.lines["Tokens:"] == found.lines["Token 0:"] == ""
    assert found.tables[COSTS][1] == ["This text", "0", "", ""]
    assert found.tables[SIZES][1] == ["This text", "0", "0"]


def test_bytes_that_are_no_text_are_shown_as_numbers() -> None:
    found = picture("η 猫", 2)
    assert found.lines["Tokens:"] == "ce|b7|␣|e7|8c|ab"
    assert found.lines["Token 2:"] == "“b7”, id 183, bytes b7, a byte of the base"


def test_groups_are_the_shortest_that_are_text() -> None:
    chunks = view("η猫 at")["chunks"]
    assert chunks == [
        [("η", [0xCE, 0xB7]), ("猫", [0xE7, 0x8C, 0xAB])],
        [(" ", [0x20]), ("at", [SYMBOLS.index(b"at")])],
    ]


def test_what_is_known_of_a_byte_within_a_character_behind_others() -> None:
    assert view("η猫 at", 4)["token"] == {
        "id": 0x8C,
        "bytes": "8c",
        "of": "猫",
        "first_byte": 1,
        "all_bytes": 3,
        "made": [],
    }
    assert view("η猫 at", 5)["token"]["first_byte"] == 2
    assert view("η猫 at", 1)["token"]["first_byte"] == 0
    last = view("η猫 at", 7)["token"]
    assert (last["of"], last["first_byte"], last["all_bytes"], last["made"]) == (
        "at",
        0,
        2,
        [[1, "61", "74", 72]],
    )
    assert view("η猫 at", 0)["token"] is None


def test_costs_are_counted_by_hand() -> None:
    assert token_inspector.cost(BPE, "η at") == {
        "characters": 4,
        "bytes": 5,
        "tokens": 4,
        "per_character": 1.0,
    }
    assert token_inspector.cost(BPE, "") == {
        "characters": 0,
        "bytes": 0,
        "tokens": 0,
        "per_character": None,
    }


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("text=" + "a" * 1001, "text must have at most 1,000 characters, not 1,001"),
        ("token=4001", "token must be a whole number from 0 to 4000, not “4001”"),
        ("token=-1", "token must be a whole number from 0 to 4000, not “-1”"),
        ("token=17", "token must be at most 16, the number of tokens, not 17"),
        ("text=&token=1", "token must be at most 0, the number of tokens, not 1"),
    ],
)
def test_a_refusal_says_what_is_allowed(link: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        token_inspector.view(DATA, read(token_inspector.PARAMETERS, link))


def test_a_long_text_of_the_widest_characters_may_have_any_token_looked_at() -> None:
    state = read(token_inspector.PARAMETERS, "token=4000&text=" + "😀" * 1000)
    assert token_inspector.view(DATA, state)["token"]["first_byte"] == 3


def test_what_a_reader_sees_above_all_and_beside_each_control() -> None:
    assert token_inspector.TITLE == "Token inspector"
    assert [(one.name, one.label, one.start) for one in token_inspector.PARAMETERS] == [
        ("text", "Text", corpora.RARE),
        ("token", "Token looked at", 2),
    ]


def test_a_recorded_table_ends_where_other_lines_begin() -> None:
    printed = (
        "old 1.00x\nUniversal Declaration of Human Rights, against English\n"
        "          Greek  Tamil\n"
        "one_base  2.50x  10.00x\n"
        "two_base  1.00x  3.25x\n"
        "tokens of English: 5\nthree 9.00x 9.00x\n"
    )
    assert token_inspector.recorded(printed) == (
        ["Greek", "Tamil"],
        {"one_base": [2.5, 10.0], "two_base": [1.0, 3.25]},
    )


def test_it_names_what_the_library_has() -> None:
    for name in token_inspector.SHOWS:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
