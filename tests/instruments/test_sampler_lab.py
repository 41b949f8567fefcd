"""The sampler lab shows what the panels of lesson 19 print, and what the independent figures say."""

import importlib
import json
import math
import random
import re
from typing import Any

import pytest

from coursebuild.instruments import sampler_lab
from coursebuild.instruments.parameters import Choice, read, start_of
from nextword.decoding import ORDER
from nextword.softmax import softmax

from .panels import ROOT, approved, assigned
from .shown import Shown, read_picture
from .states_sampler_lab import state as random_state

pytestmark = pytest.mark.once

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-19.json").read_text("utf-8"))
WHOLE_STEP = FACTS["19.5"]
FACTS_18: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-18.json").read_text("utf-8"))
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


def picture(link: str) -> Shown:
    state = read(sampler_lab.PARAMETERS, link)
    return read_picture(sampler_lab.picture(DATA, state, sampler_lab.view(DATA, state)))


TOKENS = "Each token, and its probability before and after the settings"
STEPS = "Settings that are on, in order"


def test_the_picture_of_the_start_has_the_probabilities_and_draws_of_panel_19_5() -> None:
    found = picture("")
    table = WHOLE_STEP["expected"]["table"][0]
    first, *rows = found.tables[TOKENS]
    assert first == ["Token", "Logit", "Softmax", "After", ""]
    assert [row[0] for row in rows] == WHOLE_STEP["inputs"]["tokens"]
    assert [row[1] for row in rows] == ["3", "2.6", "2.2", "1.8", "1.4", "1", "0.6", "0.2"]
    assert [row[2] for row in rows] == [row[3] for row in rows] == [f"{p:.4f}" for p in table["probs"]]
    assert [float(row[4].strip("[]")) for row in rows] == pytest.approx(
        [100 * p for p in table["probs"]], rel=1e-3
    )
    drawn = found.lines["First draws with seed 42:"].split()
    assert (drawn[:8], len(drawn)) == (table["draws"], 12)
    assert found.lines["Left:"] == "8 of 8 tokens, 1.0000 of the mass; entropy 1.7453 nats (before: 1.7453)"
    assert found.order == [TOKENS, "Left:", "First draws with seed 42:"], "no setting is on"


def test_the_picture_tells_what_each_setting_leaves() -> None:
    """All by hand: the first token came twice, and then three are likelier than the others by e² = 7.389 to 1."""
    found = picture(
        "logits=1,1,1,1,0,0,0,0&history=0,0&repetition_penalty=2&frequency_penalty=0.25&presence_penalty=0.5"
        "&temperature=0.5&top_k=5&top_p=0.95&min_p=0.5&seed=7"
    )
    settings = [row[:3] for row in found.tables[STEPS]]
    assert settings == [
        ["Setting", "Value", "Left"],
        ["Repetition penalty (1: off)", "2", "8"],  # the first logit is 0.5
        ["Frequency penalty (0: off)", "0.25", "8"],  # came twice: 0
        ["Presence penalty (0: off)", "0.5", "8"],  # -0.5
        ["Temperature (0: greedy)", "0.5", "8"],  # -1, 2, 2, 2, 0, …
        ["Top-k (0: off)", "5", "5"],  # of those that tie the first come first
        ["Top-p (1: off)", "0.95", "4"],  # three have 0.917, four 0.959
        ["Min-p (0: off)", "0.5", "3"],  # 1 is less than half of 7.389
    ]
    assert found.tables[STEPS][0][3] == "Entropy"


def test_what_is_removed_is_told_and_its_mass_is_gone() -> None:
    """Of 19.5's tokens the three likeliest, then the two of these that make 0.6 together."""
    found = picture("top_k=3&top_p=0.6")
    wanted = WHOLE_STEP["expected"]["table"][0]["probs"]
    kept = wanted[0] + wanted[1]
    assert [row[3] for row in found.tables[TOKENS][1:]] == [
        f"{wanted[0] / kept:.4f}",
        f"{wanted[1] / kept:.4f}",
        *["removed"] * 6,
    ]
    assert found.tables[TOKENS][3][4] == "[0]"
    shares = [p / kept for p in wanted[:2]]
    entropy = -sum(p * math.log(p) for p in shares)
    assert found.tables[STEPS][2] == ["Top-p (1: off)", "0.6", "2", f"{entropy:.2f}"]
    assert found.lines["Left:"] == (
        f"2 of 8 tokens, {kept:.4f} of the mass; entropy {entropy:.4f} nats (before: 1.7453)"
    )
    assert found.order == [TOKENS, STEPS, "Left:", "First draws with seed 42:"]


def test_what_the_script_needs_of_a_state() -> None:
    shown = view(top_k=3, temperature=2.0)
    before = WHOLE_STEP["expected"]["table"][0]["probs"]
    heated = softmax([logit / 2 for logit in shown["logits"]])
    assert [step["name"] for step in shown["steps"]] == ["temperature", "top_k"]
    assert shown["steps"][0]["after"] == pytest.approx(heated)
    assert shown["steps"][0]["entropy"] == pytest.approx(-sum(p * math.log(p) for p in heated))
    assert shown["final"] == [1.5, 1.3, 1.1, None, None, None, None, None]
    assert shown["kept"] == pytest.approx(sum(before[:3]))
    assert shown["entropy"][0] == pytest.approx(-sum(p * math.log(p) for p in before))
    assert len(shown["drawn"]) == DATA["first"] == 12
    assert shown["expected"] == pytest.approx([100 * p for p in shown["after"]])
    assert DATA["off"] == {
        "repetition_penalty": 1,
        "frequency_penalty": 0,
        "presence_penalty": 0,
        "temperature": 1,
        "top_k": 0,
        "top_p": 1,
        "min_p": 0,
    }


@pytest.mark.parametrize("context", ["the", "cat", "sat"])
def test_logits_after_a_word_are_logarithms_of_the_add_one_bigram(context: str) -> None:
    """Of lesson 18's text: one more than the count of a pair, over the count of the word and 12."""
    pairs = FACTS_18["18.1"]["not_in_source"]["all_counts"]
    preset = DATA["presets"][context]
    total = 12 + sum(pairs[context].values())
    assert len(preset["tokens"]) == 12
    assert preset["logits"] == [
        round(math.log((1 + pairs[context].get(token, 0)) / total), 4) for token in preset["tokens"]
    ]


def test_it_begins_with_every_setting_off() -> None:
    state = start_of(sampler_lab.PARAMETERS)
    assert {name: state[name] for name in sampler_lab.OFF} == sampler_lab.OFF
    assert [state[name] for name in ("from", "logits", "history", "draws", "seed")] == [
        "panel",
        [],
        [],
        "100",
        42,
    ]


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("from=dog", "from must be one of panel, the, cat, sat, not “dog”"),
        ("logits=0,10.5", "logits must be numbers from -10 to 10, not “10.5”"),
        ("logits=" + ",".join("0" * 13), "logits must have at most 12 numbers, not 13"),
        ("history=12", "history must be whole numbers from 0 to 11, not “12”"),
        ("history=0.5", "history must be whole numbers from 0 to 11, not “0.5”"),
        ("history=-1", "history must be whole numbers from 0 to 11, not “-1”"),
        ("history=" + ",".join("0" * 21), "history must have at most 20 numbers, not 21"),
        ("temperature=6", "temperature must be a number from 0 to 5, not “6”"),
        ("top_k=13", "top_k must be a whole number from 0 to 12, not “13”"),
        ("top_p=0", "top_p must be a number from 0.01 to 1, not “0”"),
        ("min_p=2", "min_p must be a number from 0 to 1, not “2”"),
        ("repetition_penalty=0", "repetition_penalty must be a number from 1 to 5, not “0”"),
        ("frequency_penalty=6", "frequency_penalty must be a number from 0 to 5, not “6”"),
        ("presence_penalty=6", "presence_penalty must be a number from 0 to 5, not “6”"),
        (
            "order=top_k",
            "order must be an order of repetition_penalty,frequency_penalty,presence_penalty,temperature,top_k,top_p,"
            "min_p, not “top_k”",
        ),
        ("draws=11", "draws must be one of 10, 100, 1000, not “11”"),
        ("seed=4294967296", "seed must be a whole number from 0 to 4294967295, not “4294967296”"),
    ],
)
def test_a_setting_out_of_its_bounds_is_refused(link: str, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(said)}$"):
        read(sampler_lab.PARAMETERS, link)


def test_there_is_a_logit_for_each_token() -> None:
    with pytest.raises(ValueError, match=r"^logits must be 8, one for each token, not 3$"):
        view(logits=[1.0, 2.0, 3.0])
    assert view(**{"from": "the", "logits": [0.5] * 12})["before"] == pytest.approx([1 / 12] * 12)


def test_what_a_reader_sees_above_all_and_beside_each_control() -> None:
    assert sampler_lab.TITLE == "Sampler lab"
    labels = {parameter.name: parameter.label for parameter in sampler_lab.PARAMETERS}
    assert labels == {
        "from": "Logits",
        "logits": "Logits of your own",
        "history": "Tokens that came",
        **sampler_lab.LABELS,
        "order": "Settings, in the order in which they act",
        "draws": "Draws",
        "seed": "Seed",
    }
    choices = {one.name: one.choices for one in sampler_lab.PARAMETERS if isinstance(one, Choice)}
    assert choices == {
        "from": (
            ("panel", "The tokens of panel 19.5"),
            ("the", "After “the”, by the add-one bigram of lesson 18"),
            ("cat", "After “cat”, by the add-one bigram of lesson 18"),
            ("sat", "After “sat”, by the add-one bigram of lesson 18"),
        ),
        "draws": (("10", "10"), ("100", "100"), ("1000", "1,000")),
    }


def test_it_names_functions_that_the_library_has() -> None:
    for name in sampler_lab.SHOWS:
        module, _, function = name.rpartition(".")
        assert callable(getattr(importlib.import_module(module), function))
