"""Lab and exercises of lesson 21 against NumPy, and against texts whose brackets are crossed out."""

import math
import random
import re
from itertools import product
from typing import Any

import numpy as np
import pytest

from coursebuild.press import Press
from nextword.exercises import exercise
from nextword.exercises.e21_6_count_model import SIZES
from nextword.exercises.e21_7_whole_model import draw_model

from .reading import checked, lines

pytestmark = pytest.mark.once

LAB = "lab-21-transformer-block.1"


def solution(ident: str) -> Any:
    found = exercise(ident)
    return found.answer_of(found.solution)


def test_news_travels_only_by_attention_one_step_a_narrow_block() -> None:
    narrow = np.tri(6) - np.tri(6, k=-2)
    reach = {"causal block": np.tri(6), "narrow block": narrow, "stacked": narrow @ narrow}
    wanted = {name: np.flatnonzero(mixing[:, 2]).tolist() for name, mixing in reach.items()}
    assert solution("21.1") == {"layer norm": [2], "feed-forward": [2], **wanted}


def test_streams_by_hand() -> None:
    x = np.array([8.0, 2.0, 2.0, 8.0])
    signs = np.sign(x - x.mean())
    wanted = {"pre-norm": x + 9 * signs, "post-norm": signs, "no norm": 216 * x}
    assert {name: np.array(row).tolist() for name, row in wanted.items()} == solution("21.2")


def test_published_models_are_counted_array_by_array() -> None:
    for name, (shape, size) in SIZES.items():
        d, inner, layers, words = (shape[key] for key in ("d", "d_ff", "layers", "vocabulary"))
        if name.startswith("GPT-2"):
            block = [(d, 3 * d), (3 * d,), (d, d), (d,), (d, 4 * d), (4 * d,), (4 * d, d), (d,), *[(d,)] * 4]
            shapes = [(words, d), (shape["positions"], d), *block * layers, (d,), (d,)]
        else:
            keys = shape["key_value_heads"] * (d // shape["heads"])
            block = [(d, d), (d, keys), (d, keys), (d, d), (d, inner), (d, inner), (inner, d), (d,), (d,)]
            shapes = [(words, d), *block * layers, (d,), (d, words)]
        assert sum(map(math.prod, shapes)) == size == solution("21.6")(shape)


def layer_norm(x: Any, gamma: Any, beta: Any) -> Any:
    spread = np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5)
    return (x - x.mean(axis=-1, keepdims=True)) / spread * np.array(gamma) + np.array(beta)


def gpt2(ids: list[int], model: dict[str, Any]) -> Any:
    tokens, n = np.array(model["tokens"]), len(ids)
    x = tokens[ids] + np.array(model["positions"])[:n]
    for block in model["blocks"]:
        w_q, w_k, w_v, w_o = map(np.array, block["attention"])
        read, width = layer_norm(x, *block["norm_1"]), len(w_q) // model["heads"]
        for at in range(0, len(w_q), width):
            cut = slice(at, at + width)
            scores = (read @ w_q[:, cut]) @ (read @ w_k[:, cut]).T / math.sqrt(width)
            weights = np.exp(scores) * np.tri(n)
            x = x + weights / weights.sum(axis=1, keepdims=True) @ (read @ w_v[:, cut]) @ w_o[cut]
        w_1, b_1, w_2, b_2 = map(np.array, block["feed_forward"])
        inner = layer_norm(x, *block["norm_2"]) @ w_1 + b_1
        bent = inner / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (inner + 0.044715 * inner**3)))
        x = x + bent @ w_2 + b_2
    return layer_norm(x, *model["last_norm"]) @ tokens.T


def test_the_whole_model_is_that_of_numpy() -> None:
    ids = [8, 0, 3, 3, 5]
    for heads in (1, 2, 3):
        model = draw_model(random.Random(heads), size=9, d=6, heads=heads, layers=3)
        assert np.allclose(solution("21.7")(ids, model), gpt2(ids, model), rtol=0, atol=1e-9)


def balanced(text: str) -> bool:
    """Whether nothing is left when pairs of brackets are crossed out, the innermost first."""
    text = re.sub(r"[^()]", "", text)
    while "()" in text:
        text = text.replace("()", "")
    return not text


def test_the_machine_of_the_lab_says_what_crossing_out_says(project_press: Press) -> None:
    text = "f(g(x))+h)*(z"
    said = checked(project_press, LAB, "^For your text too it says what")
    assert said == [balanced(text[: at + 1]) for at in range(len(text))]
    texts = ["".join(symbols) for symbols in product("()", repeat=7)]
    places = [one[: at + 1] for one in texts for at in range(7)]
    depth_alone = sum(balanced(one) == (one.count("(") == one.count(")")) for one in places)
    shown = lines(project_press, LAB)
    assert {f"both blocks right: {len(places)}", f"a single block right: {depth_alone}"} <= set(shown)
    assert checked(project_press, LAB, "^My block passes the reference") == ["pre-norm", "post-norm"]
