"""The page on arrays: each panel's values against ones worked out here, with NumPy alone and from the facts of lesson 20."""

import json
import math
import random
import re
import statistics
from typing import Any

import numpy as np
import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .reading import figures, lines
from .test_budgets import main_text, words

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-20.json").read_text(encoding="utf-8"))
PAGE = "docs/further/arrays.md"
IDENTS = [f"arrays.{number}" for number in range(1, 6)]
MOST_WORDS = 800


def attend(x: Any, w: list[Any], heads: int, right: bool = True) -> tuple[Any, Any]:
    """Causal attention written for this test, and with the bug of reshaping alone."""
    n, d = x.shape

    def split(a: Any) -> Any:
        return (
            np.stack([a[:, i * d // heads : (i + 1) * d // heads] for i in range(heads)])
            if right
            else np.reshape(a, (heads, n, d // heads))
        )

    q, k, v = (split(x @ m) for m in w[:3])
    scores = np.einsum("hid,hjd->hij", q, k) / math.sqrt(d // heads)
    scores[:, ~np.tril(np.ones((n, n), dtype=bool))] = -np.inf
    shares = np.exp(scores)
    shares /= shares.sum(axis=-1, keepdims=True)
    out = np.einsum("hij,hjd->hid", shares, v)
    merged = np.concatenate(list(out), axis=1) if right else out.reshape(n, d)
    return merged @ w[3], shares


def test_the_panels_stand_on_the_page_in_order_and_hold(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert [panel.ident for panel in page.panels] == IDENTS
    assert not [fault for fault in project_press.faults if fault.path == PAGE]
    assert all(check.held for ident in IDENTS for check in project_press.results[ident].checks)


def test_the_text_is_short(project_press: Press) -> None:
    assert 400 <= words(main_text(project_press.pages[PAGE])) <= MOST_WORDS


def test_no_output_runs_out_of_its_box(project_press: Press) -> None:
    for ident in IDENTS:
        assert max(map(len, project_press.results[ident].output.split("\n"))) <= 78, ident


def test_a_head_has_a_slice_of_every_token_or_some_tokens_whole(project_press: Press) -> None:
    shown = lines(project_press, "arrays.1")
    assert shown[:7] == [
        "tokens: [10, 11, 12, 13] [20, 21, 22, 23] [30, 31, 32, 33] [40, 41, 42, 43]",
        "cut, then moved, shape (2, 4, 2)",
        "head 0: [10, 11] [20, 21] [30, 31] [40, 41]",
        "head 1: [12, 13] [22, 23] [32, 33] [42, 43]",
        "reshaped at once, shape (2, 4, 2)",
        "head 0: [10, 11] [12, 13] [20, 21] [22, 23]",
        "head 1: [30, 31] [32, 33] [40, 41] [42, 43]",
    ]


def test_the_bug_passes_the_tests_that_it_is_said_to_pass(project_press: Press) -> None:
    shown = lines(project_press, "arrays.1")
    table = dict(line.rsplit(" ", 2)[0::2] for line in shown[8:])
    assert {line.rsplit(" ", 2)[1] for line in shown[8:]} == {"passes"}
    assert [name for name, mark in table.items() if mark == "FAILS"] == [
        "first token reaches every row",
        "a head is a slice of columns",
    ]
    named = figures(project_press, "arrays.1")
    assert (named["fooled"], named["tests"]) == (4, 6)
    rng = np.random.default_rng(1)
    for _ in range(20):  # not on the panel's draws alone
        x, *w = (rng.uniform(-1.5, 1.5, (4, 4)) for _ in range(5))
        for right in (True, False):
            out, shares = attend(x, w, 2, right)
            assert out.shape == x.shape and shares.shape == (2, 4, 4)
            assert np.allclose(shares.sum(-1), 1) and not np.triu(shares, 1).any()
            last, first = x.copy(), x.copy()
            last[-1] += 1
            first[0] += 1
            assert np.allclose(attend(last, w, 2, right)[0][:-1], out[:-1])
            moved = np.abs(attend(first, w, 2, right)[0] - out).max(axis=-1) > 1e-9
            assert moved.tolist() == [True, True, right, right]


def test_the_realistic_size_is_counted_right(project_press: Press) -> None:
    shown, named = lines(project_press, "arrays.2"), figures(project_press, "arrays.2")
    for n in (256, 512):
        scores, bytes_each = 12 * n * n, 4
        assert f"{n} {scores:,} {scores * bytes_each / 2**20:.2f} {n * 768 * bytes_each / 2**20:.2f}" in shown
    assert f"8192 {12 * 8192**2:,} {12 * 8192**2 * 4 / 2**20:,.2f} counted, not run" in shown
    assert (named["n"], named["mib"], named["growth"]) == (512, 12.0, 4)
    assert (named["far"], named["far_gib"]) == (8192, 3.0)
    assert shown[:2] == [
        "float64: plain and array differ by less than 1e-12: True",
        "float32: plain and array differ by less than 1e-05: True",
    ]


def test_the_realistic_panel_is_quick_and_needs_little_memory(project_press: Press) -> None:
    code = next(panel.code for panel in project_press.pages[PAGE].panels if panel.ident == "arrays.2")
    largest = max(int(number) for number in re.findall(r"for n in \(\d+, (\d+)\)", code))
    assert 12 * largest**2 * 4 * 6 < 500 * 2**20  # half a dozen arrays of the size of the weights


def test_the_scale_of_the_head_is_that_of_the_facts(project_press: Press) -> None:
    named = figures(project_press, "arrays.3")
    facts = FACTS["20.2"]["expected"]["by_d_k"]["64"]
    assert named["spread_head"] == pytest.approx(facts["sd_over_root"], abs=1e-9)
    assert named["largest_head"] == pytest.approx(facts["scaled_max"], abs=1e-9)
    assert named["entropy_head"] == pytest.approx(facts["scaled_entropy"], abs=1e-9)
    shown = lines(project_press, "arrays.3")
    assert f"nothing 1.00 {facts['sd']:.2f} {facts['raw_max']:.3f} {facts['raw_entropy']:.2f}" in shown


def test_the_scale_of_the_model_blurs_attention(project_press: Press) -> None:
    named = figures(project_press, "arrays.3")
    rng = random.Random(42)
    rows = []
    for _ in range(120):
        query = np.array([rng.gauss(0, 1) for _ in range(64)])
        keys = np.array([[rng.gauss(0, 1) for _ in range(64)] for _ in range(12)])
        rows.append(keys @ query / math.sqrt(768))
    shares = np.exp(rows) / np.exp(rows).sum(axis=1, keepdims=True)
    spread, largest = float(np.std(rows)), statistics.fmean(shares.max(axis=1))
    nats = statistics.fmean(-(shares * np.log(shares)).sum(axis=1))
    assert named["spread_model"] == pytest.approx(spread, abs=1e-9)
    assert named["largest_model"] == pytest.approx(largest, abs=1e-9)
    assert named["entropy_model"] == pytest.approx(nats, abs=1e-9)
    assert named["temperature"] == pytest.approx(math.sqrt(768) / math.sqrt(64))
    assert f"root of d_model 27.71 {spread:.2f} {largest:.3f} {nats:.2f}" in lines(project_press, "arrays.3")


def test_what_a_head_reads_depends_on_what_comes_first(project_press: Press) -> None:
    named, shown = figures(project_press, "arrays.4"), lines(project_press, "arrays.4")
    assert (named["noticing_project"], named["noticing_cut"], named["heads"]) == (3, 1, 3)
    assert (named["numbers_project"], named["numbers_cut"]) == (6 * 6, 3 * 2 * 2)
    rows = {line.split(", then ")[0]: line.split()[-4:] for line in shown[2:]}
    assert [float(value) > 0 for value in rows["project"][:3]] == [True, True, True]
    assert [float(value) > 0 for value in rows["cut"][:3]] == [False, False, True]
    rng = np.random.default_rng(2)
    x, *w = (rng.uniform(-1.5, 1.5, (n, 6)) for n in (5, 6, 6, 6, 6))
    inside = np.kron(np.eye(3), np.ones((2, 2)))
    changed = x.copy()
    changed[:, 4:] += 1
    for weights, noticing in ((w, [True] * 3), ([*(m * inside for m in w[:3]), w[3]], [False, False, True])):
        difference = attend(changed, weights, 3)[1] - attend(x, weights, 3)[1]
        assert (np.abs(difference).max(axis=(1, 2)) > 1e-9).tolist() == noticing


def test_masks_and_matrices_that_fit_the_wrong_way(project_press: Press) -> None:
    """The first row of the first head, by NumPy: under each mask, and with the query weights transposed."""
    rng = random.Random(20)
    x, *w = (np.array([[rng.uniform(-1.5, 1.5) for _ in range(4)] for _ in range(4)]) for _ in range(5))
    padded = np.array([True, True, True, False])

    def first_row(w_q: Any, seen: Any) -> str:
        scores = np.where(seen, (x[0] @ w_q[:, :2]) @ (x @ w[1][:, :2]).T / math.sqrt(2), -np.inf)
        shares = np.exp(scores - scores.max())
        return " ".join(f"{share:.2f}" for share in shares / shares.sum())

    shown = lines(project_press, "arrays.5")
    for name, w_q, seen in (
        ("padding", w[0], padded),
        ("padding, negated", w[0], ~padded),
        ("causal", w[0], np.arange(4) == 0),
        ("queries transposed", w[0].T, padded),
    ):
        assert f"{name} {first_row(w_q, seen)}" in shown
    assert [line.split(" refused:")[0] for line in shown if "refused" in line] == [
        "causal, negated",
        "not square",
    ]


def test_where_code_differs_is_said_with_a_source(project_press: Press) -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    for source in (
        "ng-video-lecture/pull/6",
        "DL4Proteins-notebooks/issues/12",
        "episodic-transformer-memory",
    ):
        assert source in text
    headings = [line.text for line in project_press.pages[PAGE].source.prose if line.text.startswith("## ")]
    assert headings[-1] == "## Sources"
