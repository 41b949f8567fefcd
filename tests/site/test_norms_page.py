"""The page on RMS norm and gates: each panel's values against NumPy, closed forms and the facts of lesson 21."""

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .reading import checked, figures, lines

FACTS: dict[str, Any] = json.loads((ROOT / "tests" / "facts" / "lesson-21.json").read_text(encoding="utf-8"))
PAGE = "docs/further/norms-and-gates.md"
IDENTS = [f"norms-and-gates.{number}" for number in range(1, 5)]
X = np.array(FACTS["21.1"]["inputs"]["x"], dtype=float)
MOST_WORDS = 900


def printed(numbers: Any) -> str:
    """Numbers to four places, a negative zero as zero."""
    return " ".join(f"{number:.4f}" for number in np.round(numbers, 4) + 0.0)


def phi(x: float) -> float:
    """The share of a normal distribution below x."""
    return (1 + math.erf(x / math.sqrt(2))) / 2


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
    for paper in ("1910.07467", "1607.06450", "2002.05202", "1606.08415"):
        assert paper in sources


def test_no_output_runs_out_of_its_box(project_press: Press) -> None:
    for ident in IDENTS:
        assert max(map(len, project_press.results[ident].output.split("\n"))) <= 78, ident


def test_both_norms_are_those_of_numpy(project_press: Press) -> None:
    shown, named = lines(project_press, "norms-and-gates.1"), figures(project_press, "norms-and-gates.1")
    inputs = {"x": X, "x + 100": X + 100, "10 x": 10 * X, "x - mean": X - X.mean(), "flat": np.full(4, 3.0)}
    for name, vector in inputs.items():
        layer = (vector - vector.mean()) / np.sqrt(vector.var() + 1e-5)
        rms = vector / np.sqrt(np.mean(vector**2) + 1e-5)
        for kind, y in (("layer", layer), ("RMS", rms)):
            sizes = [y.mean(), math.sqrt(np.mean(y**2))]
            line = f"{name} {kind} {printed(y)} {printed(sizes)}"
            assert (line in shown) == (name not in ("x", "x + 100")), (
                "panel 21.1 prints the vector and its shift"
            )
    wanted = FACTS["21.1"]["expected"]["printed"]["normed"]
    assert any(line.startswith(f"x - mean layer {' '.join(wanted)} ") for line in shown)
    spread = X.max() - X.min()
    assert named["apart"] == pytest.approx(spread / math.sqrt(np.mean(X**2) + 1e-5))
    assert named["apart_moved"] == pytest.approx(spread / math.sqrt(np.mean((X + 100) ** 2) + 1e-5))


@pytest.mark.parametrize(
    ("claim", "got"),
    [
        ("^A shift of all numbers vanishes in layer norm, not in RMS", [True, False]),
        ("^A stretch vanishes in both", [True, True]),
        ("^Where there is no mean", [True, True]),
        ("^Layer norm is RMS norm of", True),
        ("^A flat vector", [[0.0] * 4, [1.0] * 4]),
        ("^RMS norm keeps the direction", [True, False]),
    ],
)
def test_what_each_norm_erases_is_a_check(project_press: Press, claim: str, got: object) -> None:
    assert checked(project_press, "norms-and-gates.1", claim) == got


def test_the_conventions_give_what_numpy_gives(project_press: Press) -> None:
    shown, named = lines(project_press, "norms-and-gates.2"), figures(project_press, "norms-and-gates.2")
    spike = np.array([1.0, 0.0, 0.0, 0.0])
    for ddof, name in ((0, "biased"), (1, "unbiased")):
        y = (spike - spike.mean()) / spike.std(ddof=ddof)
        assert f"{name} {printed(y)}" in shown
        assert named[name] == pytest.approx(y[0])
    assert (named["biased"], named["unbiased"]) == pytest.approx((math.sqrt(3), 1.5))
    for d in (4, 64, 4096):
        assert f"width {d}: biased / unbiased = {math.sqrt(d / (d - 1)):.6f}" in shown
    assert (named["factor"], named["factor_wide"]) == pytest.approx(
        (2 / math.sqrt(3), math.sqrt(4096 / 4095)), abs=1e-12
    )
    for scale in (1, 0.01, 0.001, 0.0001):
        spread = scale * X.std()
        inside, outside = spread / math.sqrt(spread**2 + 1e-5), spread / (spread + 1e-5)
        assert f"{spread:.6f} {inside:.4f} {outside:.4f}" in shown
    assert round(named["inside"], 3) == 0.678  # correction 6 of the sheet
    assert named["root_eps"] == pytest.approx(math.sqrt(1e-5))
    assert f"gamma stored less one, read so: {printed(X / math.sqrt(np.mean(X**2) + 1e-5))}" in shown
    assert checked(project_press, "norms-and-gates.2", "stored less one") == [True, [0.0] * 4]


def test_the_bends_are_their_definitions(project_press: Press) -> None:
    shown, named = lines(project_press, "norms-and-gates.3"), figures(project_press, "norms-and-gates.3")

    def tanh_form(x: float) -> float:
        return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))

    bends: dict[str, Callable[[float], float]] = {
        "ReLU": lambda x: max(x, 0.0),
        "GELU": lambda x: x * phi(x),
        "tanh": tanh_form,
        "SiLU": lambda x: x / (1 + math.exp(-x)),
    }
    for x in (-3.0, -1.0, -0.5, 0.0, 1.0, 3.0):
        assert f"{x} {printed([bend(x) for bend in bends.values()])}" in shown
    fine = np.linspace(-6, 6, 24_001)
    gaps = [abs(x * phi(x) - tanh_form(x)) for x in fine]
    assert named["gelu_gap"] == pytest.approx(max(gaps), abs=1e-9)
    assert round(named["gelu_gap"], 5) == 0.00047
    assert named["gelu_gap_at"] == pytest.approx(abs(fine[int(np.argmax(gaps))]), abs=2e-3)
    assert named["gelu_gap"] == pytest.approx(abs(named["gelu_exact"] - named["gelu_tanh"]))
    for name, figure in (("GELU", "gelu_lowest"), ("SiLU", "silu_lowest")):
        assert named[figure] == pytest.approx(min(bends[name](x) for x in fine), abs=1e-6)
    for one in named["curves"]["series"]:
        bend = bends[one["name"]]
        assert [y for _, y in one["points"]] == pytest.approx([bend(x) for x, _ in one["points"]], abs=1e-12)


def test_the_gated_layer_multiplies(project_press: Press) -> None:
    shown, named = lines(project_press, "norms-and-gates.4"), figures(project_press, "norms-and-gates.4")
    for a, b in ((3.0, 2.0), (-3.0, 2.0), (0.5, -4.0), (6.0, 4.0)):
        plain = max(a, 0) + max(-a, 0) - max(b, 0) + 0.5 * max(-b, 0)
        assert f"{a} {b} {printed([a * b] * 3 + [plain])}" in shown
    assert (named["stretch"], named["grow_gated"], named["grow_relu"]) == (2.0, 2.0**2, 2.0)
    assert checked(project_press, "norms-and-gates.4", "^A closed gate") is True


def test_parameters_are_the_sizes_of_the_matrices(project_press: Press) -> None:
    shown, named = lines(project_press, "norms-and-gates.4"), figures(project_press, "norms-and-gates.4")
    for d, layer, d_ff in [
        (768, "plain", 3072),
        (768, "gated", 3072),
        (768, "gated", 2048),
        (4096, "plain", 16384),
        (4096, "gated", 16384),
        (4096, "gated", 10922),
    ]:
        shapes = [(d, d_ff), (d_ff, d)] + ([(d, d_ff)] if layer == "gated" else [])
        assert f"{d} {layer} {d_ff} {sum(math.prod(shape) for shape in shapes)}" in shown
    assert named["plain_count"] == named["gated_count"] == 8 * 768**2
    assert named["wide_count"] == 12 * 768**2
    assert named["llama_ff"] == 256 * math.ceil(8 * 4096 / 3 / 256)
    assert named["share"] == "2/3"


def test_where_the_norm_goes_is_said_of_four_models() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    rows = {
        row.split("|")[1].strip(): row.split("|")[2].strip()
        for row in text.split("\n")
        if row.startswith("| ")
    }
    assert rows["Llama"] == rows["GPT-2"] == r"$f(\mathrm{norm}(x))$"
    assert rows["OLMo-2"] == r"$\mathrm{norm}(f(x))$"
    assert rows["Gemma-2"] == r"$\mathrm{norm}(f(\mathrm{norm}(x)))$"
