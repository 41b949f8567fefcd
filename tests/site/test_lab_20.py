"""Lab and exercises of lesson 20 against the independent figures, and against values worked out here."""

import json
import math
from itertools import permutations
from typing import Any

import pytest

from coursebuild.press import Press
from nextword.attention import causal_mask, merge_heads, scaled_dot_product_attention
from nextword.exercises import exercise
from nextword.matrices import matmul

from .conftest import ROOT
from .reading import held, lines

pytestmark = pytest.mark.once

LAB = "lab-20-attention.1"
FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-20.json").read_text(encoding="utf-8"))


def solution(ident: str) -> Any:
    found = exercise(ident)
    return found.answer_of(found.solution)


def nearly(rows: list[list[float]]) -> list[Any]:
    return [pytest.approx(row, abs=1e-12) for row in rows]


def test_equal_keys_give_running_means() -> None:
    assert solution("20.1") == [6, (6 + 0) / 2, (6 + 0 + 3) / 3, (6 + 0 + 3 + 7) / 4]


def test_weights_and_outputs_under_the_mask_are_the_independent_ones() -> None:
    scaled, facts = FACTS["20.1"]["expected"]["scaled"], FACTS["20.3"]
    assert solution("20.2")(scaled) == nearly(facts["expected"]["causal_weights"])
    late, turned = (wrong.answer(scaled) for wrong in exercise("20.2").wrong)
    kept = [
        [w if j <= i else 0.0 for j, w in enumerate(row)]
        for i, row in enumerate(facts["expected"]["open_weights"])
    ]
    assert late == nearly(kept)
    assert turned[-1] == [0.0] * (len(scaled) - 1) + [1.0]
    outputs = solution("20.3")(*(facts["inputs"][name] for name in "QKV"))
    assert outputs == nearly(facts["expected"]["causal_output"])


def test_what_the_mask_tells_is_the_bag_of_words_before() -> None:
    orders = set(permutations("the dog bit the man".split()))
    bags = {tuple(sorted(order[: order.index("bit")])) for order in orders}
    assert solution("20.4") == [1, len(bags)]
    vectors = {"the": [1.0, 0.5], "dog": [-0.4, 1.0], "bit": [0.3, -0.8], "man": [0.9, -1.1]}
    found = set()
    for order in orders:
        x, mask = [vectors[word] for word in order], causal_mask(len(order))
        for _ in "ab":
            x, _ = scaled_dot_product_attention(x, x, x, mask)
        found.add(tuple(round(number, 9) for number in x[order.index("bit")]))
    assert len(found) > len(bags), "after another layer the order counts"


def test_hiding_moves_the_output_by_distance_times_weight_over_what_is_left() -> None:
    query, keys, values = solution("20.5")
    odds = [math.exp(query[0] * key) for (key,) in keys]
    weights = [x / sum(odds) for x in odds]
    mean = sum(w * v for w, (v,) in zip(weights, values, strict=True))
    moves = [w / (1 - w) * abs(v - mean) for w, (v,) in zip(weights, values, strict=True)]
    assert exercise("20.5").start(query, keys, values) == (pytest.approx(weights), pytest.approx(moves))
    assert sorted(moves) == [moves[i] for i in sorted(range(3), key=lambda i: -weights[i])]


def test_the_last_row_of_the_heads_is_the_independent_one() -> None:
    given = FACTS["20.4"]["inputs"]
    rows = [matmul(given["X"], merge_heads(parts)) for parts in zip(*given["head_params"], strict=True)]
    outputs = solution("20.7")(*rows, given["heads"], [True] * 4)
    assert outputs[-1:] == nearly(FACTS["20.4"]["expected"]["concatenated"][-1:])


def test_the_lab_shows_weights_worked_out_by_hand_and_ends_agreeing(project_press: Press) -> None:
    shown = lines(project_press, LAB)
    for word, goal, seen in [("sailor", "old", 3), ("his", "sailor", 5), ("it", "boat", 8)]:
        assert f"{word} -> {goal} {math.exp(3) / (math.exp(3) + seen - 1):.2f}" in shown
    half, alone = math.exp(3) / (2 * math.exp(3) + 7), math.exp(6 / math.sqrt(2))
    assert f"leaked -> (several alike) {half:.2f}" in shown
    for whose, x in {"head": alone, "model": math.exp(3)}.items():
        assert f"its largest weight, root of the {whose}'s width: {x / (x + 8):.2f}" in shown
    held(project_press, LAB, "^Your heads, side by side, are those of nextword.attention$")
    held(project_press, LAB, "^Its cached steps are yours$")
    held(project_press, LAB, "^For the input given: the right mask passes all tests, no slip does$")
