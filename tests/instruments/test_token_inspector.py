"""The token inspector shows what panels 17.5 and 17.6 print, and what the independent figures say."""

import json
import random
from typing import Any

import pytest

from coursebuild.instruments import corpora, token_inspector
from coursebuild.instruments.parameters import start_of
from nextword.bpe import apply_by_rank, space_chunks, spell_bytes

from .node import answers
from .panels import ROOT, approved, assigned
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


def test_a_lone_surrogate_is_refused_by_both() -> None:
    texts = ["\ud800", "a\udfffb", "猫\ude00\ud83d", "😀\ud83d"]
    for text in texts:
        with pytest.raises(ValueError, match="lone surrogate"):
            view(text)
    states = [{"text": text, "token": 0} for text in [*texts, "😀"]]
    [told] = answers([{"do": "view", "name": "token-inspector", "data": DATA, "states": states}])
    assert ["refused" in one for one in told] == [True] * 4 + [False]
    assert "U+D800" in told[0]["refused"]


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
