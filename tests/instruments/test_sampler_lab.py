"""The sampler lab shows what the panels of lesson 19 print, and what the independent figures say."""

import json
import math
import random
from typing import Any

import pytest

from coursebuild.instruments import sampler_lab
from coursebuild.instruments.parameters import read, start_of
from nextword.decoding import ORDER
from nextword.softmax import softmax

from .panels import ROOT, approved, assigned
from .states_sampler_lab import state as random_state

pytestmark = pytest.mark.once

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-19.json").read_text("utf-8"))
WHOLE_STEP = FACTS["19.5"]
NAMES = {"T": "temperature", "k": "top_k", "p": "top_p"}
DATA = sampler_lab.data()


def view(**changes: Any) -> dict[str, Any]:
    return sampler_lab.view(DATA, start_of(sampler_lab.PARAMETERS) | changes)


def order_with(*last: str) -> list[str]:
    return [*(name for name in sampler_lab.LABELS if name not in last), *last]


def test_it_begins_with_the_logits_of_the_panel() -> None:
    preset = DATA["presets"]["panel"]
    assert assigned("19.5", "tokens", "logits") == [preset["tokens"], preset["logits"]]
    assert assigned("19.7", "logits") == [preset["logits"]]
    assert start_of(sampler_lab.PARAMETERS)["order"] == [name for name in ORDER if name in sampler_lab.OFF]
    shown = view()
    assert shown["before"] == shown["after"] == pytest.approx(WHOLE_STEP["expected"]["table"][0]["probs"])
    assert shown["steps"] == []


@pytest.mark.parametrize("row", WHOLE_STEP["expected"]["table"], ids=lambda row: str(row["settings"]))
def test_each_row_of_the_panel(row: dict[str, Any]) -> None:
    shown = view(**{NAMES[name]: value for name, value in row["kwargs"].items()})
    assert shown["after"] == pytest.approx(row["probs"])
    assert shown["left"] == row["reachable"]
    assert [shown["tokens"][token] for token in shown["drawn"]][:8] == row["draws"]


def test_another_seed_draws_as_in_the_panel() -> None:
    shown = view(top_k=3, seed=7)
    assert [shown["tokens"][token] for token in shown["drawn"]][:8] == WHOLE_STEP["expected"]["k3_seed7"]
    printed = approved("19.5")[0].partition("seed 1\n")[2].splitlines()[0].split()
    first = view(seed=1)
    assert [first["tokens"][token] for token in first["drawn"]][:8] == printed[-8:]


def test_heat_before_or_after_top_p() -> None:
    both = {"temperature": 2.0, "top_p": 0.6}
    first = view(**both, order=order_with("temperature", "top_p"))
    last = view(**both, order=order_with("top_p", "temperature"))
    assert first["after"] == pytest.approx(WHOLE_STEP["expected"]["T2_then_p0.6"])
    assert last["after"] == pytest.approx(WHOLE_STEP["expected"]["p0.6_then_T2"])
    assert [first["left"], last["left"]] == [4, 3]


def test_the_link_for_a_teacher_shows_that_top_k_and_top_p_do_not_commute() -> None:
    """The state that panel 19.7 names, as links have it."""
    order = ",".join(order_with("top_p", "top_k"))
    k_first = sampler_lab.view(DATA, read(sampler_lab.PARAMETERS, "top_k=3&top_p=0.6"))
    p_first = sampler_lab.view(DATA, read(sampler_lab.PARAMETERS, f"top_k=3&top_p=0.6&order={order}"))
    figures = approved("19.7")[1]
    assert [k_first["left"], p_first["left"]] == [figures["k_first"], figures["p_first"]]
    assert [step["left"] for step in k_first["steps"]] == [3, 2]
    assert [step["left"] for step in p_first["steps"]] == [3, 3]


def test_a_penalty_acts_under_greedy_only_before_the_choice() -> None:
    greedy = {"temperature": 0.0, "presence_penalty": 2.0, "history": [0, 1, 1]}
    first = view(**greedy)
    late = view(**greedy, order=order_with("temperature", "presence_penalty"))
    assert [first["after"].index(1), late["after"].index(1)] == [2, 0]


def test_the_logits_after_the_are_those_of_the_add_one_row() -> None:
    lesson = json.loads((ROOT / "tests" / "facts" / "lesson-18.json").read_text("utf-8"))["18.3"]["expected"]
    [wanted] = [row for row in lesson["table"] if row["k"] == 1]
    preset = DATA["presets"]["the"]
    shares = dict(zip(preset["tokens"], softmax(preset["logits"]), strict=True))
    for word in ("cat", "fish", "sat"):
        assert shares[word] == pytest.approx(wanted[word], abs=2e-5)


def test_laws_of_the_steps_and_of_the_draws() -> None:
    rng, seen = random.Random(19), 0
    while seen < 300:
        state = random_state(DATA, rng)
        try:
            shown = sampler_lab.view(DATA, state)
        except ValueError:
            continue
        seen += 1
        lefts = [len(shown["tokens"]), *(step["left"] for step in shown["steps"])]
        assert lefts == sorted(lefts, reverse=True), "no setting brings a token back"
        assert shown["left"] == lefts[-1]
        if shown["steps"]:
            assert shown["steps"][-1]["after"] == shown["after"]
        assert math.fsum(shown["after"]) == pytest.approx(1)
        assert sum(shown["counts"]) == int(state["draws"]) == pytest.approx(sum(shown["expected"]))
        assert all(shown["final"][token] is not None for token in shown["drawn"])
        for token, count in enumerate(shown["counts"]):
            assert not count or shown["after"][token] > 0


def test_many_draws_come_near_the_expectation() -> None:
    """Within five standard deviations, for a seed that is fixed."""
    shown = view(draws="1000")
    for count, expected in zip(shown["counts"], shown["expected"], strict=True):
        assert abs(count - expected) < 5 * math.sqrt(expected)
