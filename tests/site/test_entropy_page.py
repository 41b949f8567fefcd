"""The page on entropy shows what closed forms give: dyadic probabilities, whose bits are whole numbers."""

import math

import pytest

from coursebuild.press import Press

from .reading import lines
from .test_budgets import main_text, words

PAGE = "docs/foundations/entropy.md"
TRUE = [1 / 2, 1 / 4, 1 / 8, 1 / 8]
SURPRISES = [1, 2, 3, 3]  # in bits


def test_the_page_is_short_and_its_panels_hold(project_press: Press) -> None:
    page = project_press.pages[PAGE]
    assert words(main_text(page)) <= 550
    assert [panel.ident for panel in page.panels] == ["entropy.1", "entropy.2", "entropy.3"]
    for panel in page.panels:
        result = project_press.results[panel.ident]
        assert not result.faults
        assert all(check.held for check in result.checks)


def test_halving_adds_a_bit_and_the_product_vanishes(project_press: Press) -> None:
    shown = lines(project_press, "entropy.1")
    for halvings in (1, 2, 10, 1000):
        nats, bits = halvings * math.log(2), float(halvings)
        assert f"{halvings} {2.0**-halvings:.5g} {nats:.4f} {bits}" in shown
    assert f"2000 0 {2000 * math.log(2):.4f} 2000.0" in shown


@pytest.mark.parametrize(
    ("belief", "bits"),
    [
        ("the truth", sum(p * s for p, s in zip(TRUE, SURPRISES, strict=True))),
        ("all alike", 2.0),
        ("reversed", sum(p * s for p, s in zip(TRUE, SURPRISES[::-1], strict=True))),
    ],
)
def test_a_belief_costs_its_cross_entropy(project_press: Press, belief: str, bits: float) -> None:
    entropy = sum(p * s for p, s in zip(TRUE, SURPRISES, strict=True))
    row = f"{belief} {bits * math.log(2):.4f} {bits:.4f} {bits - entropy:.3f} {2**bits:.4f}"
    assert row in lines(project_press, "entropy.2")


def test_what_was_thought_impossible_costs_infinitely_much(project_press: Press) -> None:
    assert "never the last inf inf inf inf" in lines(project_press, "entropy.2")


def test_the_divergence_is_no_distance(project_press: Press) -> None:
    """From (1/2, 1/4, 1/4, 0) to the true probabilities: 1/4 of the mass is thought half as likely, a bit each."""
    assert "extra bits with the last belief true: 0.250" in lines(project_press, "entropy.2")


def test_nobody_beats_the_truth(project_press: Press) -> None:
    [shown] = [line for line in lines(project_press, "entropy.2") if "random pairs" in line]
    assert 0 < float(shown.split()[-1]) < 0.1


def test_one_loss_becomes_the_other_numbers(project_press: Press) -> None:
    """Surprises of 1, 2, 2 and 1 bits at 4 tokens of 12 bytes."""
    bits = 6 / 4
    assert lines(project_press, "entropy.3") == [
        "tokens: 4 bytes: 12",
        f"loss: {bits * math.log(2):.4f} nats or {bits:.4f} bits per token",
        f"perplexity: {2**bits:.4f}",
        f"bits per byte: {6 / 12:.4f}",
    ]
