"""The texts that instruments begin with are those of the panels that they extend, and of the independent figures."""

import json
from typing import Any

import pytest

from coursebuild.instruments import corpora

from .panels import ROOT, approved, assigned

pytestmark = pytest.mark.once


def facts(lesson: int) -> Any:
    return json.loads((ROOT / "tests" / "facts" / f"lesson-{lesson}.json").read_text("utf-8"))


@pytest.mark.parametrize("ident", ["18.1", "18.2", "18.3", "18.4"])
def test_the_lines_are_those_of_lesson_18(ident: str) -> None:
    assert [list(corpora.LINES)] == assigned(ident, "lines")
    assert list(corpora.LINES) == facts(18)[ident]["inputs"]["corpus"]


def test_sentences_are_the_words_of_the_lines() -> None:
    assert corpora.SENTENCES[1] == ["the", "cat", "ate", "the", "fish"]
    assert tuple(" ".join(words) for words in corpora.SENTENCES) == corpora.LINES


def test_held_out_text_is_that_of_the_panels() -> None:
    assert [list(corpora.HELD_OUT)] == assigned("18.4", "held")
    assert list(corpora.HELD_OUT) == facts(18)["18.4"]["inputs"]["held_out"]
    assert [list(corpora.UNRELATED_LINES), list(corpora.UNRELATED_HELD_OUT)] == assigned(
        "18.5", "lines", "held"
    )
    unrelated = facts(18)["18.5"]["inputs"]
    assert [list(corpora.UNRELATED_LINES), list(corpora.UNRELATED_HELD_OUT)] == [
        unrelated["corpus"],
        unrelated["held_out"],
    ]


def test_words_are_the_training_text_of_panel_17_1() -> None:
    assert assigned("17.1", "text") == [corpora.WORDS]
    assert corpora.WORDS.split() == [
        word for word, count in facts(17)["17.1"]["inputs"]["word_counts"].items() for _ in range(count)
    ]


def test_cats_are_the_training_text_of_panel_17_5_and_what_it_cuts() -> None:
    assert assigned("17.5", "corpus", "samples", "rare") == [corpora.CATS, corpora.SAMPLES, corpora.RARE]
    inputs = facts(17)["17.5"]["inputs"]
    assert inputs["samples"] == corpora.SAMPLES
    assert inputs["rare_sentence"] == corpora.RARE
    assert inputs["rounds_requested"] == corpora.CATS_ROUNDS == approved("17.5")[1]["asked"]
    assert len(corpora.CATS) == facts(17)["17.5"]["not_in_source"]["corpus_characters"]
