"""The page on decoding beyond top-p: each panel's values against ones worked out here, from the facts of lesson 19."""

import ast
import json
import math
import random
import re
from itertools import accumulate, product
from typing import Any

import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .reading import checked, figures, lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-19.json").read_text(encoding="utf-8"))
PAGE = "docs/further/decoding.md"
IDENTS = [f"decoding.{number}" for number in range(1, 7)]
MOST_WORDS = 1_270


def walk(penalize: Any, limit: int = 12, first: tuple[str, ...] = ()) -> str:
    """Greedy decoding on the lesson's table by a rule for (score, count); written for this test alone."""
    state, text = "<s>", list[str]()
    while len(text) < limit:
        used = [*first, *text]
        row = {
            word: penalize(z, used.count(word))
            for word, z in FACTS["19.4"]["inputs"]["scores"][state].items()
        }
        state = max(sorted(row), key=lambda word: row[word])
        if state == "</s>":
            break
        text.append(state)
    return " ".join(text)


def sampled_with_min_p(bar: float, seed: int) -> str:
    """A walk drawn on the lesson's table, from the words at least ``bar`` times as probable as the best."""
    rng, state, text = random.Random(seed), "<s>", list[str]()
    while len(text) < 12:
        row = FACTS["19.4"]["inputs"]["scores"][state]
        weights = {word: math.exp(row[word] - max(row.values())) for word in sorted(row)}
        weights = {word: weight for word, weight in weights.items() if weight >= bar}
        left = rng.random() * sum(weights.values())
        for word, weight in weights.items():
            state, left = word, left - weight
            if left < 0:
                break
        if state == "</s>":
            break
        text.append(state)
    return " ".join(text)


RULES = {
    "repetition_penalty": lambda value: lambda z, n: z if not n else z / value if z > 0 else z * value,
    "frequency_penalty": lambda value: lambda z, n: z - value * n,
    "presence_penalty": lambda value: lambda z, n: z - value * min(n, 1),
}


def softmax(logits: list[float], temperature: float = 1.0) -> list[float]:
    powers = [math.exp((z - max(logits)) / temperature) for z in logits]
    return [power / sum(powers) for power in powers]


def test_the_panels_stand_on_the_page_in_order_without_a_fault(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert [panel.ident for panel in page.panels] == IDENTS
    assert not page.faults
    assert not [fault for ident in IDENTS for fault in project_press.results[ident].faults]
    assert all(check.held for ident in IDENTS for check in project_press.results[ident].checks)


def test_the_page_is_short(project_press: Press) -> None:
    from .test_budgets import main_text, words

    assert words(main_text(project_press.pages[PAGE])) <= MOST_WORDS


def test_the_loop_is_that_of_the_lesson(project_press: Press) -> None:
    code = next(panel.code for panel in project_press.pages[PAGE].panels if panel.ident == "decoding.1")
    tables = [
        ast.literal_eval(node.value)
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "scores"
    ]
    assert tables == [FACTS["19.4"]["inputs"]["scores"]]


def test_each_remedy_writes_what_its_rule_says(project_press: Press) -> None:
    shown, walks = lines(project_press, "decoding.1"), FACTS["19.4"]["expected"]
    assert f"repetition_penalty 1.0 12 {' '.join(walks['walk_1.0'])}" in shown
    assert f"repetition_penalty 1.5 6 {' '.join(walks['walk_1.5'])}" in shown
    for name, value in [("repetition_penalty", 1.5), ("frequency_penalty", 0.4), ("presence_penalty", 2.0)]:
        text = walk(RULES[name](value))
        assert f"{name} {value} {len(text.split())} {text}" in shown
    for size in (2, 3):
        text = next(line for line in shown if line.startswith(f"no_repeat_ngram_size {size} "))
        tokens = text.split()[3:]
        grams = list(zip(*(tokens[start:] for start in range(size)), strict=False))
        assert len(grams) == len(set(grams)), text
    assert f"min_p 0.1 12 {' '.join(walks['walk_1.0'])}" in shown
    assert checked(project_press, "decoding.1", "^Min-p keeps the best token") == " ".join(walks["walk_1.0"])
    assert f"min_p 0.1, seed 42 6 {sampled_with_min_p(0.1, 42)}" in shown
    assert "repetition_penalty 1.5 2.667 2.667 4.0" in shown
    assert "frequency_penalty 0.4 2.8 3.2 4.0" in shown
    assert "presence_penalty 2.0 2.0 2.0 4.0" in shown
    assert [
        line for line in shown if line.startswith("no_repeat_ngram_size") and line.endswith("4.0 -inf 4.0")
    ]


def test_the_sweep_finds_each_threshold(project_press: Press) -> None:
    shown, named = lines(project_press, "decoding.2"), figures(project_press, "decoding.2")
    for name, off in {"repetition_penalty": 1.0, "frequency_penalty": 0.0, "presence_penalty": 0.0}.items():
        rows = [line for line in shown if line.startswith(f"{name} ") and "the" in line]
        starts = [float(line.split()[1]) for line in rows]
        assert starts[0] == off
        for line, start in zip(rows, starts, strict=True):
            assert line.split(" ", 2)[2] == walk(RULES[name](start)), line
        for start in starts[1:]:  # a step of the grid below, the text is another
            assert walk(RULES[name](start)) != walk(RULES[name](start - 0.05)), (name, start)
    scores = FACTS["19.4"]["inputs"]["scores"]["the"]
    gap, ratio = scores["cat"] - scores["mat"], scores["cat"] / scores["mat"]
    assert named["presence_first"] - 0.05 <= gap < named["presence_first"]
    assert named["repetition_first"] - 0.05 <= ratio < named["repetition_first"]
    assert (named["presence_edge"], named["repetition_edge"]) == pytest.approx((gap, ratio))
    assert checked(project_press, "decoding.2", "^The loop ends just above") == [True, False, True, False]
    assert checked(project_press, "decoding.2", "down at the score of the end marker") == [4.0, 0.0, True]
    assert len(walk(RULES["frequency_penalty"](named["weak"]), limit=200).split()) == named["patience"]
    assert named["presence_last"] == FACTS["19.4"]["inputs"]["scores"]["on"]["the"]


def test_the_curves_are_the_three_rules(project_press: Press) -> None:
    series = figures(project_press, "decoding.2")["curves"]["series"]
    for one, (name, value) in zip(
        series,
        [("repetition_penalty", 1.5), ("frequency_penalty", 0.4), ("presence_penalty", 2.0)],
        strict=True,
    ):
        assert one["name"] == f"{name.replace('_', ' ')} {value}"
        rule = RULES[name](value)
        assert [n for n, _ in one["points"]] == list(range(9))
        assert [z for _, z in one["points"]] == pytest.approx([rule(4.0, n) for n in range(9)])


def test_adding_to_all_logits_moves_the_repetition_penalty_alone(project_press: Press) -> None:
    shown = lines(project_press, "decoding.2")
    moved = abs(softmax([4 / 1.5, 3.0, 0.0])[0] - softmax([5 / 1.5, 4.0, 1.0])[0])
    assert f"repetition_penalty {moved:.3f}" in shown
    assert {"frequency_penalty 0.000", "presence_penalty 0.000"} <= set(shown)


def test_a_ban_and_a_prompt_do_harm(project_press: Press) -> None:
    shown = lines(project_press, "decoding.3")
    assert checked(project_press, "decoding.3", "^Size 2 bans the name") == {2: "shoes", 3: "york"}
    assert checked(project_press, "decoding.3", "nothing is left") == "ValueError"
    assert checked(project_press, "decoding.3", "“cat” and “mat” have both paid") == [{"cat"}, 4]
    for name, value in [("repetition_penalty", 1.5), ("frequency_penalty", 0.4), ("presence_penalty", 2.0)]:
        assert f"{name} {value} {walk(RULES[name](value), first=('mat',))}" in shown


def test_min_p_and_top_p_keep_as_many_as_counted_here(project_press: Press) -> None:
    shown = lines(project_press, "decoding.4")
    inputs = FACTS["19.2"]["inputs"]
    steps = {
        "confident": next(value for key, value in inputs.items() if "confident" in key),
        "unsure": next(value for key, value in inputs.items() if "unsure" in key),
        "long tail": [10.0, 9.0, 8.0] + [2.0] * 1000,
    }
    for (name, logits), temperature in product(steps.items(), (1, 2, 4)):
        ranked = sorted(softmax(logits, temperature), reverse=True)
        top_p = 1 + sum(running < 0.9 for running in accumulate(ranked))
        min_p = sum(share >= 0.1 * ranked[0] for share in ranked)
        assert f"{name} {len(logits)} {temperature} 3 {top_p} {min_p}" in shown
    assert checked(project_press, "decoding.4", "^The order counts") == [2, 1]
    cuts = figures(project_press, "decoding.4")["cuts"]
    assert [[cut["kept"] for cut in step["cuts"]] for step in cuts] == [[3, 1, 1], [3, 5, 2], [3, 9, 10]]
    assert {tuple(cut["name"].split(",")[0] for cut in step["cuts"]) for step in cuts} == {
        ("top-k", "top-p", "min-p")
    }
    assert cuts[0]["probabilities"] == pytest.approx(softmax(steps["confident"]))


def test_the_beam_finds_what_greedy_decoding_misses(project_press: Press) -> None:
    named, shown = figures(project_press, "decoding.5"), lines(project_press, "decoding.5")
    assert (named["greedy"], named["beam"]) == ("it rains", "rain falls")
    assert named["greedy_p"] == pytest.approx(0.6 * 0.55)
    assert named["beam_p"] == pytest.approx(0.4 * 0.9)
    every = {(): 1.0}
    whole: dict[tuple[str, ...], float] = {}
    scores = FACTS["19.4"]["inputs"]["scores"]
    for _ in range(12):
        longer = {
            (*ids, word): chance * share
            for ids, chance in every.items()
            for row in [scores[ids[-1] if ids else "<s>"]]
            for word, share in zip(row, softmax(list(row.values())), strict=True)
        }
        whole |= {ids: chance for ids, chance in longer.items() if ids[-1] == "</s>"}
        every = {ids: chance for ids, chance in longer.items() if ids[-1] != "</s>"}
    whole |= every
    assert named["sequences"] == len(whole)
    assert sum(whole.values()) == pytest.approx(1)
    best = max(whole, key=lambda ids: whole[ids])
    assert named["loop_best"] == " ".join(best[:-1])
    assert f"width 2: {whole[best]:.3f} {named['loop_best']}" in shown
    assert named["limit"] == 12
    assert checked(project_press, "decoding.5", "^Widths 2 and 4 find") == {
        2: "the mat",
        4: "the mat",
        "every": "the mat",
    }


def test_the_wider_beam_finds_the_emptier_answer(project_press: Press) -> None:
    named, shown = figures(project_press, "decoding.6"), lines(project_press, "decoding.6")
    sentence = 0.5 * 0.6**4
    assert named["sentence"] == pytest.approx(sentence)
    assert named["empty"] == pytest.approx(0.2)
    assert named["width"] == 3
    for power, width in product((0, 1), (1, 2, 3, 33)):
        if power == 0 and width >= 3:
            assert f"0 {width} 0.2000 1 (nothing)" in shown
        else:
            assert f"{power} {width} {sentence:.4f} 6 the rain will stop today" in shown
    assert math.log(sentence) / 6 > math.log(0.2)
    assert (
        "sequences in all: 33" in shown
    )  # nothing, and two first words with two choices at four places each
    assert checked(project_press, "decoding.6", "^From width 3 on") == list(range(3, 34))


def test_no_output_runs_out_of_its_box(project_press: Press) -> None:
    for ident in IDENTS:
        assert max(map(len, project_press.results[ident].output.split("\n"))) <= 78, ident


def test_three_cards_ask_what_is_asked(project_press: Press) -> None:
    from .test_budgets import CARD, boxes

    cards = boxes(project_press.pages[PAGE], CARD)
    assert len(cards) == 3
    for card in cards:
        text = "\n".join(card)
        assert "**Follow-up:" in text and re.search(r"\]\(#panel-decoding\.[456]\)", text)
