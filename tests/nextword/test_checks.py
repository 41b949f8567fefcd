"""nextword.checks: what check, close and figure accept, print and refuse."""

import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import nextword.checks
from nextword.checks import CheckFailed, check, close, figure

SOURCES = Path(nextword.checks.__file__).parents[1]


def run(*lines):
    """Run a script in a fresh interpreter."""
    code = "\n".join(["from nextword.checks import check, close, figure", *lines])
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        encoding="utf-8",
        env=environment,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1, 1),
        (1, 1.0),
        (True, True),
        ("er", "er"),
        (["a", "b"], ["a", "b"]),
        (("e", "r"), ("e", "r")),
        ({"a": 1}, {"a": 1}),
        (None, None),
        (b"\xce", b"\xce"),
        (math.inf, math.inf),
        ([], []),
    ],
)
def test_equal_values_hold(got, expected, capsys):
    check("The two are equal", got, expected)
    assert capsys.readouterr().out == "ok   The two are equal\n"


@pytest.mark.parametrize(
    ("got", "expected"),
    [
        (1, 2),
        (1, True),
        (True, 1),
        (0, False),
        (False, 0),
        (False, 0.0),
        (True, "True"),
        ("1", 1),
        (("e", "r"), ["e", "r"]),
        (b"a", "a"),
        (None, False),
        (math.nan, math.nan),
        (0.1 + 0.2, 0.3),
        ([], ()),
    ],
)
def test_other_values_fail(got, expected, capsys):
    with pytest.raises(CheckFailed) as caught:
        check("The two are equal", got, expected)
    assert str(caught.value) == f"The two are equal: got {got!r}, expected {expected!r}"
    assert capsys.readouterr().out == ""


def test_a_failed_check_is_an_assertion_error_and_no_value_error():
    assert issubclass(CheckFailed, AssertionError)
    assert not issubclass(CheckFailed, ValueError)


@pytest.mark.parametrize("claim", ["", " \n", None, 1, b"claim", True])
def test_a_claim_must_be_a_sentence(claim, capsys):
    with pytest.raises(ValueError, match=r"^claim must be a sentence, not "):
        check(claim, 1, 1)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("a", "b", "tolerance", "answer"),
    [
        (1.0, 1.0, 0, True),
        (0.1 + 0.2, 0.3, 1e-9, True),
        (1.0, 1.25, 0.25, True),
        (1.25, 1.0, 0.25, True),
        (1.0, 1.26, 0.25, False),
        (-1.0, 1.0, 1e-9, False),
        (math.nan, math.nan, 1e9, False),
        (math.nan, 1.0, 1e9, False),
        (math.inf, 1.0, 1e9, False),
        (math.inf, -math.inf, 1e9, False),
        (3, 3, 0.5, True),
    ],
)
def test_close(a, b, tolerance, answer):
    assert close(a, b, tolerance) is answer


def test_the_default_tolerance_is_small():
    assert close(1.0, 1.0 + 1e-10)
    assert not close(1.0, 1.0 + 1e-8)


@pytest.mark.parametrize("tolerance", [-1e-9, -1, math.nan, math.inf, -math.inf])
def test_a_tolerance_must_be_finite_and_not_negative(tolerance):
    with pytest.raises(ValueError, match=r"^tolerance must be finite and not negative, not "):
        close(1.0, 1.0, tolerance)


@pytest.mark.parametrize(
    "value", [1, 1.5, "er", True, None, [1, 2], (1, 2), {"a": [1, {"b": 2.5}]}, "猫", 10**30]
)
def test_a_figure_prints_nothing(value, capsys):
    assert figure("name", value) is None
    printed = capsys.readouterr()
    assert printed.out == printed.err == ""


@pytest.mark.parametrize("name", ["", "two words", "1st", "a.b", "a-b"])
def test_the_name_of_a_figure_must_be_an_identifier(name):
    with pytest.raises(ValueError, match=r"^name must be an identifier, not "):
        figure(name, 1)


@pytest.mark.parametrize(
    "value", [math.nan, math.inf, [1.0, math.nan], {1, 2}, b"er", object(), 1j, {("e", "r"): 9}]
)
def test_a_figure_must_be_what_json_can_hold(value):
    with pytest.raises(ValueError, match=r"^value of ratio must be numbers, text, lists or dicts, not "):
        figure("ratio", value)


def test_a_script_whose_checks_hold_ends_well():
    ended = run("check('One is one', 1, 1)", "figure('one', 1)", "check('Ελλάδα', close(1, 1), True)")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "ok   One is one\nok   Ελλάδα\n", "")


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("check('One is two', 1, 2)", "CheckFailed: One is two: got 1, expected 2"),
        ("check('It holds', 1, True)", "CheckFailed: It holds: got 1, expected True"),
        (
            "check('It is close', close(float('nan'), 1), True)",
            "CheckFailed: It is close: got False, expected True",
        ),
        ("check('', 1, 1)", "ValueError: claim must be a sentence"),
        ("figure('a b', 1)", "ValueError: name must be an identifier"),
    ],
)
def test_a_script_with_a_failing_check_ends_with_an_error(line, error):
    ended = run("check('One is one', 1, 1)", line, "print('never')")
    assert ended.returncode == 1
    assert ended.stdout == "ok   One is one\n"
    assert error in ended.stderr


def test_a_failing_check_cannot_be_switched_off_by_optimizing():
    environment = {**os.environ, "PYTHONPATH": str(SOURCES), "PYTHONOPTIMIZE": "2"}
    code = "from nextword.checks import check; check('One is two', 1, 2)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, env=environment).returncode == 1
