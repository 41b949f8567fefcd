"""The page on grouped-query attention: its panels' values against ones worked out here, with NumPy and by counting."""

import math
import random
from typing import Any

import numpy as np
import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .reading import figures, lines
from .test_budgets import main_text, words

PAGE = "docs/further/grouped-query.md"
IDENTS = ["grouped-query.1", "grouped-query.2"]
MOST_WORDS = 800
LAYERS, HEADS, KEY_HEADS, WIDTH, BYTES = 32, 32, 8, 128, 2


def cache_gib(tokens: int, key_heads: int) -> float:
    keys_and_values = LAYERS * key_heads * (WIDTH + WIDTH)
    return tokens * keys_and_values * BYTES / 1024**3


def attend(x: Any, w_q: Any, w_k: Any, w_v: Any, w_o: Any, heads: int, use: list[int]) -> Any:
    """Causal attention in which head i reads key head ``use[i]``; written for this test."""
    n, width = len(x), w_q.shape[1] // heads
    outputs = []
    for head, shared in enumerate(use):
        q = x @ w_q[:, head * width : (head + 1) * width]
        k, v = (x @ w[:, shared * width : (shared + 1) * width] for w in (w_k, w_v))
        scores = np.where(np.tri(n, dtype=bool), q @ k.T / math.sqrt(width), -np.inf)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        outputs.append(shares / shares.sum(axis=1, keepdims=True) @ v)
    return np.concatenate(outputs, axis=1) @ w_o


def test_the_panels_stand_on_the_page_in_order_and_hold(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert [panel.ident for panel in page.panels] == IDENTS
    assert not [fault for fault in project_press.faults if fault.path == PAGE]
    assert all(check.held for ident in IDENTS for check in project_press.results[ident].checks)


def test_the_text_is_short_and_ends_with_its_sources(project_press: Press) -> None:
    assert 400 <= words(main_text(project_press.pages[PAGE])) <= MOST_WORDS
    headings = [line.text for line in project_press.pages[PAGE].source.prose if line.text.startswith("## ")]
    assert headings[-1] == "## Sources"


def test_no_output_runs_out_of_its_box(project_press: Press) -> None:
    for ident in IDENTS:
        assert max(map(len, project_press.results[ident].output.split("\n"))) <= 78, ident


def test_neighbours_share_and_strangers_give_other_outputs(project_press: Press) -> None:
    shown, named = lines(project_press, "grouped-query.1"), figures(project_press, "grouped-query.1")
    n, heads, width = 6, 4, 2
    d = heads * width
    rng = random.Random(20)

    def drawn(rows: int, columns: int) -> Any:
        return np.array([[rng.uniform(-1.5, 1.5) for _ in range(columns)] for _ in range(rows)])

    x, w_q, w_o = drawn(n, d), drawn(d, d), drawn(d, d)
    for key_heads, use, strided in (
        (4, [0, 1, 2, 3], [0, 1, 2, 3]),
        (2, [0, 0, 1, 1], [0, 1, 0, 1]),
        (1, [0, 0, 0, 0], [0, 0, 0, 0]),
    ):
        w_k, w_v = drawn(d, key_heads * width), drawn(d, key_heads * width)
        right, wrong = (attend(x, w_q, w_k, w_v, w_o, heads, groups) for groups in (use, strided))
        off = float(np.abs(right - wrong).max())
        stored = n * key_heads * (width + width)
        assert f"{key_heads} {use} {stored} equal {off:.3f}" in shown
        if key_heads == 2:
            assert named["wrong"] == pytest.approx(off, abs=1e-9)
            assert named["stored_grouped"] == stored
    assert named["stored_multi"] == n * heads * (width + width)
    assert (named["heads"], named["key_heads"]) == (4, 2)


def test_the_cache_is_counted_right(project_press: Press) -> None:
    shown, named = lines(project_press, "grouped-query.2"), figures(project_press, "grouped-query.2")
    kinds = {"multi-head": HEADS, f"grouped, {KEY_HEADS} key heads": KEY_HEADS, "multi-query": 1}
    for name, key_heads in kinds.items():
        sizes = " ".join(f"{cache_gib(tokens, key_heads):g}" for tokens in (8192, 32768, 131072))
        assert f"{name} {key_heads} {round(cache_gib(1, key_heads) * 1024**2)} {sizes}" in shown
    assert (named["multi"], named["grouped"], named["query"]) == (64, 16, 2)
    assert named["token_kib"] == 128
    assert named["ratio"] == HEADS // KEY_HEADS
    assert named["weights"] == pytest.approx(8e9 * BYTES / 1024**3)


def test_the_curves_are_the_caches_by_length(project_press: Press) -> None:
    curves = figures(project_press, "grouped-query.2")["curves"]
    assert [one["name"] for one in curves["series"]] == ["multi-head", "grouped, 8 key heads", "multi-query"]
    for one, key_heads in zip(curves["series"], (HEADS, KEY_HEADS, 1), strict=True):
        assert one["points"][0] == [0, 0] and one["points"][-1][0] == 131072
        for tokens, gib in one["points"]:
            assert gib == pytest.approx(cache_gib(tokens, key_heads))


def test_the_shape_and_what_is_lost_name_their_sources() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    for source in ("arxiv.org/abs/1911.02150", "arxiv.org/abs/2305.13245", "arxiv.org/abs/2407.21783"):
        assert source in text
