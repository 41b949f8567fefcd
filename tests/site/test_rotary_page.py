"""The page on rotary positions: each panel's values against complex numbers and the facts of lesson 21."""

import itertools
import json
import math
import random
from typing import Any

import numpy as np
import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .reading import checked, figures, lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-21.json").read_text(encoding="utf-8"))[
    "21.4"
]
EMBEDDING: dict[str, list[float]] = FACTS["inputs"]["embedding"]
EXTRA: dict[str, Any] = FACTS["extra_not_in_source"]
PAGE = "docs/further/rotary.md"
IDENTS = [f"rotary.{number}" for number in range(1, 4)]
STARTS = (0, 1, 5, 50)
MOST_WORDS = 900


def hands(vector: Any, pairing: str) -> Any:
    """The pairs of a vector as complex numbers."""
    x = np.asarray(vector, dtype=float)
    firsts, seconds = np.split(x, 2) if pairing == "halved" else (x[::2], x[1::2])
    return firsts + 1j * seconds


def rates(width: int, base: float = 10_000.0) -> Any:
    return base ** (-np.arange(width // 2) / (width // 2))


def score(query: Any, key: Any, offset: int, pairing: str = "interleaved") -> float:
    """The score that depends on the offset alone, by its closed form: no place goes in."""
    turns = np.exp(1j * offset * rates(len(query)))
    return float(np.sum((hands(query, pairing) * np.conj(hands(key, pairing)) * turns).real))


def turned(vector: Any, position: int, pairing: str) -> Any:
    """A turned vector in its own order of numbers."""
    moved = hands(vector, pairing) * np.exp(1j * position * rates(len(vector)))
    if pairing == "halved":
        return np.concatenate([moved.real, moved.imag])
    return np.stack([moved.real, moved.imag], axis=1).ravel()


def test_the_panels_stand_on_the_page_in_order_without_a_fault(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert [panel.ident for panel in page.panels] == IDENTS
    assert not page.faults
    assert not [fault for ident in IDENTS for fault in project_press.results[ident].faults]
    assert all(check.held for ident in IDENTS for check in project_press.results[ident].checks)


def test_the_page_is_short_and_ends_with_its_sources(project_press: Press) -> None:
    from .test_budgets import main_text, words

    text = main_text(project_press.pages[PAGE])
    body, sources = text.split("## Sources")
    assert 500 <= words(body) <= MOST_WORDS
    assert "## " not in sources
    for paper in ("2104.09864", "2108.12409", "2306.15595", "2309.00071"):
        assert paper in sources


def test_no_output_runs_out_of_its_box(project_press: Press) -> None:
    for ident in IDENTS:
        assert max(map(len, project_press.results[ident].output.split("\n"))) <= 78, ident


def test_the_scores_of_the_facts_at_every_place(project_press: Press) -> None:
    shown, named = lines(project_press, "rotary.1"), figures(project_press, "rotary.1")
    near, far, word = (
        score(EMBEDDING["cat"], EMBEDDING[key], offset)
        for key, offset in (("milk", 2), ("milk", 3), ("drank", 2))
    )
    assert near == pytest.approx(EXTRA["rope_scores_same_offset_2"][0], abs=1e-12)
    assert far == pytest.approx(EXTRA["rope_score_offset_3"], abs=1e-12)
    assert (f"{near:.5f}", f"{far:.5f}") == ("0.86846", "0.48779")
    for start in STARTS:
        positions = [start + 2, start]
        query, key = (
            np.array(EMBEDDING[token])
            + np.array([f(p * rate) for rate in (1, 0.1, 0.01, 0.001) for f in (math.sin, math.cos)])
            for token, p in zip(("cat", "milk"), positions, strict=True)
        )
        assert f"{start} {near:.5f} {far:.5f} {word:.5f} {query @ key:.5f}" in shown
    assert (named["near"], named["far"]) == (2, 3)
    assert [named["score_near"], named["score_far"], named["score_word"]] == pytest.approx(
        [near, far, word], abs=1e-5
    )
    assert checked(project_press, "rotary.1", "^Same content, same offset") == [0.86846] * len(STARTS)
    assert checked(project_press, "rotary.1", "^Another offset") == [0.48779] * len(STARTS)
    assert checked(project_press, "rotary.1", "^An added encoding") == len(STARTS)


def test_the_curves_are_the_closed_form(project_press: Press) -> None:
    named = figures(project_press, "rotary.1")
    series = {one["name"]: one["points"] for one in named["curves"]["series"]}
    assert set(series) == {"key milk", "key drank"}
    for name, points in series.items():
        wanted = [score(EMBEDDING["cat"], EMBEDDING[name.split()[1]], k) for k in range(33)]
        assert [k for k, _ in points] == list(range(33))
        assert [y for _, y in points] == pytest.approx(wanted, abs=1e-12)
    milk = [y for _, y in series["key milk"]]
    assert any(later > earlier for earlier, later in itertools.pairwise(milk)), (
        "no steady decay, says the caption"
    )
    assert "milk` is highest at offset [[rotary.1.peak]]" in (ROOT / PAGE).read_text(encoding="utf-8")
    assert named["peak"] == int(np.argmax(milk)) == 7
    assert named["at_peak"] == max(milk) > milk[0] == named["at_zero"]
    assert milk[0] == pytest.approx(np.dot(EMBEDDING["cat"], EMBEDDING["milk"]))


def test_turned_values_would_bring_the_place_back(project_press: Press) -> None:
    rows = [EMBEDDING[token] for token in ("cat", "drank", "milk")]

    def outputs(start: int, values_too: bool) -> Any:
        q = np.array([turned(row, start + place, "interleaved") for place, row in enumerate(rows)])
        powers = np.exp(q @ q.T / math.sqrt(8))
        return powers / powers.sum(axis=1, keepdims=True) @ (q if values_too else np.array(rows))

    moves = [np.abs(outputs(0, too) - outputs(50, too)).max() for too in (False, True)]
    assert f"same text later: outputs move by {moves[0]:.4f}, with turned values by {moves[1]:.4f}" in lines(
        project_press, "rotary.1"
    )
    assert checked(project_press, "rotary.1", "^Values are not turned") == [True, True]


def projected() -> dict[str, tuple[Any, Any]]:
    """Query and key by the weights of panel 21.4, plain and with the columns in the other order."""
    rng = random.Random(42)
    w_q, w_k = (np.array([[rng.uniform(-0.5, 0.5) for _ in range(8)] for _ in range(8)]) for _ in range(2))
    assert np.allclose(w_q, FACTS["inputs"]["W_Q"]) and np.allclose(w_k, FACTS["inputs"]["W_K"])
    query, key = np.array(EMBEDDING["cat"]) @ w_q, np.array(EMBEDDING["milk"]) @ w_k
    order = [0, 2, 4, 6, 1, 3, 5, 7]
    return {"plain": (query, key), "permuted": (query[order], key[order]), "torn": (query, key[order])}


def test_each_way_of_pairing_scores_as_worked_out_here(project_press: Press) -> None:
    shown, named = lines(project_press, "rotary.2"), figures(project_press, "rotary.2")
    vectors = projected()
    interleaved = score(*vectors["plain"], 2)
    halved = score(*vectors["plain"], 2, "halved")
    permuted = score(*vectors["permuted"], 2, "halved")
    torn = score(*vectors["torn"], 2, "halved")
    query, key = vectors["plain"]
    mixed = [
        float(turned(query, start + 2, "interleaved") @ turned(key, start, "halved")) for start in STARTS
    ]
    assert permuted == pytest.approx(interleaved, abs=1e-12)
    assert abs(interleaved - halved) > 0.3 and max(mixed) - min(mixed) > 0.8
    for start, value in zip(STARTS, mixed, strict=True):
        row = [interleaved, halved, permuted, value, torn]
        assert f"{start} " + " ".join(f"{number:.4f}" for number in row) in shown
    wanted = {"interleaved": interleaved, "halved": halved, "permuted": permuted, "mixed": mixed[2]}
    for name, value in wanted.items():
        assert named[f"score_{name}"] == pytest.approx(value, abs=1e-12)
    assert (named["offset"], named["start"]) == (2, 5)


@pytest.mark.parametrize(
    ("claim", "got"),
    [
        ("^The same weights give other scores", False),
        ("keeps the law of offsets", [True, True]),
        ("^At no offset both agree", True),
        ("^Permute the columns of both", True),
        ("the score depends on the place", False),
        ("^Permuting the keys alone", False),
        ("every other column first", [[0, 2, 4, 6, 1, 3, 5, 7]]),
    ],
)
def test_a_conclusion_on_pairings_is_a_check(project_press: Press, claim: str, got: object) -> None:
    assert checked(project_press, "rotary.2", claim) == got


def test_squeezed_positions_stay_within_the_trained_range(project_press: Press) -> None:
    assert (8192 - 1) * (4096 / 8192) < 4096
    assert checked(project_press, "rotary.3", "^Squeezed, every position lies below") is True


def test_slow_pairs_by_the_closed_form_of_their_number(project_press: Press) -> None:
    named, shown = figures(project_press, "rotary.3"), lines(project_press, "rotary.3")

    def slow(base: float, length: int) -> int:
        """Pair i needs more than the length for a turn from i = 64 ln(length / 2 pi) / ln(base) on."""
        return 64 - math.ceil(64 * math.log(length / (2 * math.pi)) / math.log(base))

    for base in (10_000, 500_000):
        last = 2 * math.pi * base ** (63 / 64)
        row = f"base {base}: 6.28 to {last:.0f} tokens a turn, {slow(base, 4096)} of 64 pairs above 4096"
        assert row in shown
    assert (named["slow"], named["pairs"]) == (slow(10_000, 4096), 64) == (18, 64)
    assert checked(project_press, "rotary.3", "^After it they point") == [slow(10_000, 8191), 2]
    assert named["reach"] == pytest.approx(4095 * 10_000 ** (-63 / 64))
    ends = [8191 * 10_000 ** (-63 / 64), 8191 / 2 * 10_000 ** (-63 / 64), 8191 * 500_000 ** (-63 / 64)]
    assert (
        f"at the last of 8192 tokens: {ends[0]:.3f}, interpolated: {ends[1]:.3f}, base raised: {ends[2]:.3f}"
        in shown
    )
    series = {one["name"]: one["points"] for one in named["curves"]["series"]}
    assert {y for _, y in series["trained length"]} == {4096}
    for base in (10_000, 500_000):
        points = series[f"base {base:,}"]
        assert [i for i, _ in points] == list(range(0, 64, 3))
        assert [y for _, y in points] == pytest.approx([2 * math.pi * base ** (i / 64) for i, _ in points])
