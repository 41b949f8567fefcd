"""Lab and exercises of lesson 19 against values worked out here, without nextword.decoding."""

import math
import random
import re
from itertools import combinations
from typing import Any

import pytest

from coursebuild.press import Press
from nextword.exercises import exercise

from .reading import checked, held, lines

pytestmark = pytest.mark.once

LAB = "lab-19-decoding.1"


def solution(ident: str) -> Any:
    found = exercise(ident)
    return found.answer_of(found.solution)


def powers(weights: list[int], temperature: float) -> list[float]:
    heated = [weight ** (1 / temperature) for weight in weights]
    return [weight / sum(heated) for weight in heated]


def test_a_token_gains_if_its_logit_is_below_the_mean_on_the_way() -> None:
    weights = [36, 25, 9] + [1] * 7
    plain = powers(weights, 1)
    for temperature, moves in zip((0.5, 2), solution("19.1"), strict=True):
        changed = powers(weights, temperature)
        assert moves == ["up" if changed[i] > plain[i] else "down" for i in range(4)]
    at = [powers(weights, step / 100)[1] for step in range(50, 201)]
    assert at[0] < max(at) > at[-1], "the runner-up has its best chances in between"


def test_the_texts_of_the_same_numbers() -> None:
    words, numbers = "tea milk water ink".split(), (0.15, 0.5, 0.95, 0.42, 0.68)
    ends = [(0.4, 0.7, 0.9, 1.0), (4 / 7, 1.0), (16 / 30, 25 / 30, 29 / 30, 1.0)]
    laid = [[words[sum(number >= end for end in line)] for number in numbers] for line in ends]
    assert solution("19.2") == [" ".join(text) for text in laid]


def test_a_replayed_text_is_drawn_from_one_stream() -> None:
    rng = random.Random(3)
    assert solution("19.3")(lambda text: [0.0] * 8, 3, 30) == [int(8 * rng.random()) for _ in range(30)]


def test_greedy_loses_to_a_text_that_begins_worse() -> None:
    model = solution("19.6")
    texts = {(a, b): p * q for a, p in model[""].items() for b, q in model[a].items()}
    first = max(model[""], key=model[""].get)
    assert model[""][first] > 0.5
    assert max(texts.values()) > 2 * max(p for (a, _), p in texts.items() if a == first)


def test_the_whole_step_keeps_the_smallest_set_with_the_mass() -> None:
    logits, penalty, heat, k, p = [2.0, 1.4, -0.3, 1.1, 0.2], 1.3, 1.7, 4, 0.7
    z = [2.0 / penalty, 1.4, -0.3 * penalty, 1.1, 0.2]
    parts = {i: math.exp(z[i] / heat) for i in sorted(range(5), key=lambda i: -z[i])[:k]}
    sets = [kept for size in range(1, k + 1) for kept in combinations(parts, size)]  # small ones first
    masses = {kept: sum(parts[i] for i in kept) for kept in sets}
    kept = next(kept for kept in sets if masses[kept] >= p * sum(parts.values()))
    wanted = [parts[i] / masses[kept] if i in kept else 0.0 for i in range(5)]
    assert solution("19.7")(logits, [0], [2, 0], penalty, heat, k, p) == pytest.approx(wanted)


def test_heating_last_keeps_fewer_tokens_of_a_heated_step_and_more_of_a_cooled_one() -> None:
    def needed(weights: list[int], temperature: float, p: float) -> int:
        ranked = sorted(powers(weights, temperature), reverse=True)
        return next(n for n in range(1, len(ranked) + 1) if sum(ranked[:n]) >= p)

    weights = [36, 16, 9, 4, 1]
    assert needed(weights, 0.5, 0.7) < needed(weights, 1, 0.7) < needed(weights, 2, 0.7)


def test_the_lab_counts_as_we_do_and_ends_agreeing(project_press: Press) -> None:
    shown = lines(project_press, LAB)
    counted = 0.7 * 10 / 11 + 0.3 * 0.8 * 10 / 12  # trigrams, then bigrams; the rest is of shorter ones
    sure = re.search(r"one word before: the ([\d.]+)", " ".join(shown))
    assert sure
    assert counted - 0.005 <= float(sure[1]) <= counted + 0.06 + 0.005
    loop = shown.index("temperature 0") + 1
    assert shown[loop] == "words: 400 loop: 7, begun after 0"
    assert "the age of foolishness , it was the age" in shown[loop + 1]
    mild = shown[shown.index("temperature 0, repetition_penalty 1.2") + 1]
    assert re.fullmatch(r"words: 400 loop: 7, begun after [1-9]\d*", mild)
    held(project_press, LAB, "^Here: a mild penalty only puts the loop off")
    assert re.search(r"texts that agree: (\d+) of \1 ", " ".join(shown))
    held(project_press, LAB, "^The library writes the same texts")
    held(project_press, LAB, "^On random steps with all settings on")
    assert checked(project_press, LAB, "^Stopping early leaves nothing") == 0
