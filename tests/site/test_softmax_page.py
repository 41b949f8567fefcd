"""The page on softmax shows the overflow, its cure, and what log-softmax and minus infinity do."""

import ast
import math
import re
import struct

import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .test_budgets import words

PAGE = "docs/foundations/softmax.md"


def test_the_page_is_short_and_its_panels_hold(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert [panel.ident for panel in page.panels] == ["softmax.1", "softmax.2", "softmax.3"]
    assert not [fault for panel in page.panels for fault in project_press.results[panel.ident].faults]
    assert words("\n".join(line.text for line in page.source.prose)) <= 400


def test_each_formula_stands_beside_the_code_that_computes_it() -> None:
    text = (ROOT / PAGE).read_text(encoding="utf-8")
    beside = re.findall(r'^```math listing="([\w.]+)"', text, re.MULTILINE)
    assert beside == ["nextword.softmax.softmax", "nextword.softmax.log_softmax"]


def test_both_forms_are_shown_on_three_ranges_of_logits(project_press: Press) -> None:
    shown = [line.split() for line in project_press.results["softmax.1"].output.split("\n")]
    total = math.fsum(math.exp(-n) for n in range(3))
    row = [f"{math.exp(-n) / total:.4f}" for n in range(3)]
    assert shown[3:12] == [
        ["logits", "2.0", "1.0", "0.0"],
        ["naive", *row],
        ["stable", *row],
        ["logits", "1002.0", "1001.0", "1000.0"],
        ["naive", "OverflowError"],
        ["stable", *row],
        ["logits", "-998.0", "-999.0", "-1000.0"],
        ["naive", "ZeroDivisionError"],
        ["stable", *row],
    ]


def test_each_format_overflows_where_its_largest_number_says(project_press: Press) -> None:
    named = project_press.results["softmax.1"].figures
    half, single, double = (float(str(named[name])) for name in ("half", "single", "double"))
    for limit, code in ((half, "<e"), (single, "<f")):
        struct.pack(code, math.exp(limit - 1e-3))
        with pytest.raises(OverflowError):
            struct.pack(code, math.exp(limit + 1e-3))
    math.exp(double - 1e-3)
    with pytest.raises(OverflowError):
        math.exp(double + 1e-3)


def test_the_gradient_is_probability_minus_target(project_press: Press) -> None:
    shown = [line.split() for line in project_press.results["softmax.3"].output.split("\n")]
    total = math.fsum(math.exp(-n) for n in range(3))
    for place, row in enumerate(shown[1:4]):
        p, target = math.exp(-place) / total, float(place == 1)
        assert row == [f"{2.0 - place}", f"{p:.4f}", f"{target}", f"{p - target:.4f}", f"{p - target:.4f}"]


def test_the_gradient_is_derived_and_libraries_have_versions() -> None:
    text = " ".join((ROOT / PAGE).read_text(encoding="utf-8").split())
    derived = [text.index(step) for step in (r"-z_y + \log \sum_j \exp z_j", "gives $-t_i$", "$p_i - t_i$")]
    assert derived == sorted(derived)
    assert text.count("2.4.6") == 2 and "array libraries" not in text


@pytest.mark.parametrize(
    ("ident", "claim", "got"),
    [
        ("softmax.1", "naive form overflows", "OverflowError"),
        ("softmax.1", "very negative ones every exponential vanishes", "ZeroDivisionError"),
        ("softmax.1", "infinity instead of an error", True),
        ("softmax.2", "probability is lost", 0.0),
        ("softmax.2", "Its logarithm is not", -1000.0),
        ("softmax.2", "Minus infinity gives exactly 0", [0.0, True]),
        ("softmax.2", "With everything masked, a large negative number", [0.5, 0.5]),
        ("softmax.2", "All impossible, or nan: refused", 2),
        ("softmax.3", "slope that nudging finds", True),
        ("softmax.3", "Only the logit of the token that came is pushed up", [False, True, False]),
        ("softmax.3", "slopes add up to nothing", True),
    ],
)
def test_a_conclusion_is_a_check(project_press: Press, ident: str, claim: str, got: object) -> None:
    found = [check for check in project_press.results[ident].checks if re.search(claim, check.claim)]
    assert len(found) == 1 and found[0].held
    assert ast.literal_eval(found[0].got) == got
