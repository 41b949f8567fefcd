"""nextword.arguments: what is let through, and what the errors say."""

import math
import re
from fractions import Fraction

import pytest

from nextword.arguments import (
    as_float,
    require_distribution,
    require_function,
    require_ids,
    require_logits,
    require_number,
    require_numbers,
    require_several,
    require_text,
    require_whole_number,
)

NO_NUMBERS = [None, True, "1", 1j, math.nan, [1.0], 10**400]
NO_SEQUENCES = [None, 3, "12", b"12", {1.0}, {0: 1.0}, iter([1.0])]


def short(value):
    """A test's id that fits on a line."""
    return repr(value)[:12]


@pytest.mark.parametrize(("value", "wanted"), [(2, 2.0), (Fraction(1, 2), 0.5), (-math.inf, -math.inf)])
def test_as_float_reads_real_numbers(value, wanted):
    assert as_float(value) == wanted


@pytest.mark.parametrize("value", NO_NUMBERS, ids=short)
def test_as_float_gives_nan_for_all_else(value):
    assert math.isnan(as_float(value))


@pytest.mark.parametrize("value", [*NO_NUMBERS, math.inf, -math.inf], ids=short)
def test_require_number_refuses_what_is_not_finite(value):
    with pytest.raises(ValueError, match=r"^x must be a finite number, not "):
        require_number("x", value)


@pytest.mark.parametrize(
    ("limits", "inside", "outside", "wording"),
    [
        ({"above": 0}, [1e-300, 7], [0, -1], "x must be a finite number above 0, not "),
        ({"at_least": 1}, [1, 1.5], [0.99, -2], "x must be a finite number of at least 1, not "),
        ({"below": 1}, [0.99, -5], [1, 2], "x must be a finite number below 1, not "),
        ({"above": 0, "at_most": 1}, [0.5, 1], [0, 1.01], "above 0 and of at most 1, not "),
        ({"at_least": 1, "because": "so"}, [1], [0], r"of at least 1 \(so\), not 0"),
    ],
)
def test_require_number_keeps_to_its_limits(limits, inside, outside, wording):
    for value in inside:
        require_number("x", value, **limits)
    for value in outside:
        with pytest.raises(ValueError, match=wording):
            require_number("x", value, **limits)


def test_require_whole_number_says_from_where_to_where():
    require_whole_number("k", 3, smallest=1, largest=3)
    with pytest.raises(ValueError, match=r"^k must be a whole number from 1 to 3, not 4$"):
        require_whole_number("k", 4, smallest=1, largest=3)
    with pytest.raises(ValueError, match=r"^k must be a whole number of at least 1, not 0$"):
        require_whole_number("k", 0, smallest=1)


@pytest.mark.parametrize("require", [require_numbers, require_logits, require_distribution])
@pytest.mark.parametrize("values", NO_SEQUENCES, ids=lambda values: type(values).__name__)
def test_numbers_come_in_a_list_or_tuple(require, values):
    with pytest.raises(ValueError, match=r"^x must be a list or tuple of numbers, not "):
        require("x", values)


@pytest.mark.parametrize("require", [require_numbers, require_logits, require_distribution])
def test_there_is_at_least_one_number_and_no_nan(require):
    with pytest.raises(ValueError, match=r"^x must hold at least one number, not \[\]"):
        require("x", [])
    for value in NO_NUMBERS:
        with pytest.raises(ValueError, match=r"^x must hold numbers only, not "):
            require("x", [1.0, value])


def test_infinities_are_numbers():
    require_numbers("x", (math.inf, 0, Fraction(1, 3), -math.inf))


def test_logits_are_finite_or_minus_infinity():
    require_logits("x", [-math.inf, 0])
    with pytest.raises(ValueError, match=r"^x must hold finite numbers or -inf, not inf"):
        require_logits("x", [0.0, math.inf])
    with pytest.raises(ValueError, match=r"^x must hold at least one finite number, not \[-inf\]"):
        require_logits("x", [-math.inf])


def test_distributions_are_between_0_and_1_and_sum_to_1():
    require_distribution("x", [Fraction(1, 3)] * 3)
    require_distribution("x", [0.1] * 10)  # 0.9999999999999999 when added up one by one
    require_distribution("x", [1 + 1e-10, 0])
    with pytest.raises(ValueError, match=r"^x must hold numbers from 0 to 1, not -0\.5"):
        require_distribution("x", [1.5, -0.5][::-1])
    with pytest.raises(ValueError, match=r"^x must hold numbers from 0 to 1, not 1e\+308"):
        require_distribution("x", [1e308, 1e308])
    for values in ([0, 0], [0.5, 0.5 + 2e-9], [0.5, 0.5 - 2e-9], [0.9, 0.9]):
        with pytest.raises(ValueError, match=r"^x must sum to 1, not to "):
            require_distribution("x", values)


def test_ids_are_whole_numbers_of_the_vocabulary():
    require_ids("history", (), 3)
    require_ids("history", [0, 2, 2], 3)
    for value in (-1, 3, 1.0, True, "1", None):
        with pytest.raises(ValueError, match=r"^history must hold token ids from 0 to 2, not "):
            require_ids("history", [0, value], 3)
    for values in (None, 1, "01", {1}, iter([1])):
        with pytest.raises(ValueError, match=r"^history must be a list or tuple of token ids, not "):
            require_ids("history", values, 3)


@pytest.mark.parametrize("value", [None, 3, b"ab", ["ab"]], ids=repr)
def test_text_is_a_str(value):
    require_text("x", "")
    require_text("x", "ab")
    with pytest.raises(ValueError, match=rf"^x must be a str, not {re.escape(repr(value))}$"):
        require_text("x", value)


@pytest.mark.parametrize("value", [None, 3, "ab", b"ab", ""], ids=repr)
def test_several_values_are_no_text(value):
    for several in ([], (1,), {2}, iter("ab"), {"a": 1}):
        require_several("x", several)
    with pytest.raises(
        ValueError, match=rf"^x must hold several values, as a list does, not {re.escape(repr(value))}$"
    ):
        require_several("x", value)


@pytest.mark.parametrize("value", [None, 3, "len"], ids=repr)
def test_functions_can_be_called(value):
    require_function("x", len)
    require_function("x", lambda: 0)
    with pytest.raises(ValueError, match=rf"^x must be a function, not {re.escape(repr(value))}$"):
        require_function("x", value)


@pytest.mark.parametrize("value", [True, False, 1.0, "1", None, math.nan], ids=repr)
def test_whole_numbers_are_ints(value):
    with pytest.raises(
        ValueError, match=rf"^x must be a whole number of at least 0, not {re.escape(repr(value))}$"
    ):
        require_whole_number("x", value, smallest=0)


@pytest.mark.parametrize("value", [1.5, 2, 1.01])
def test_a_number_above_1_is_no_probability(value):
    with pytest.raises(ValueError, match=rf"^x must hold numbers from 0 to 1, not {value}$"):
        require_distribution("x", [value])
