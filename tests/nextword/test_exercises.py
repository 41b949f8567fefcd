"""Every exercise is whole: its solution is right, its wrong answers are told what they misunderstand, its start is no answer."""

from collections import Counter
from typing import Any

import pytest

from nextword.exercises import exercise, exercises, grade
from nextword.exercises.catalogue import LEVELS, VALUES, Exercise
from nextword.exercises.grading import examine, report, trials

ALL = exercises()
LESSONS = sorted({found.ident.split(".")[0] for found in ALL})

each = pytest.mark.parametrize("found", ALL, ids=[found.ident for found in ALL])


@each
def test_the_solution_holds_every_check(found: Exercise) -> None:
    right, _, _, _ = trials(found)
    assert right.failed == (), right.text


@each
def test_each_wrong_answer_is_told_first_what_it_misunderstands(found: Exercise) -> None:
    means = {check.claim: check.means for check in found.checks(found.answer_of(found.solution))}
    reports = trials(found)[1:3]
    for wrong, told in zip(found.wrong, reports, strict=True):
        assert told.failed[:1] == (wrong.fails,), told.text
        assert means[wrong.fails], "the check says nothing of the misunderstanding"
        assert " ".join(means[wrong.fails].split()) in " ".join(told.text.split()), "it was not run"
    assert reports[0].text != reports[1].text


@each
def test_the_start_is_no_answer_yet(found: Exercise) -> None:
    if found.level not in VALUES:
        assert report(found, found.start).failed


@each
def test_a_predicted_value_is_what_the_program_shown_gives(found: Exercise) -> None:
    if found.level == "predict":
        assert report(found, found.start()).failed == ()


def nothing(*arguments: Any, **named: Any) -> None:
    """An answer that gives nothing."""


class Empty:
    """A class that takes anything and can nothing."""

    def __init__(self, *arguments: Any, **named: Any) -> None: ...


@each
@pytest.mark.parametrize(
    "answer",
    [None, nothing, Empty, object(), [], ""],
    ids=["none", "function", "class", "object", "list", "text"],
)
def test_no_check_holds_for_an_answer_that_says_nothing(found: Exercise, answer: object) -> None:
    assert [outcome.claim for outcome in examine(found, answer) if outcome.held] == []


def fails(*arguments: Any, **named: Any) -> Any:
    """An answer that breaks off."""
    raise SystemExit(0)


@each
@pytest.mark.parametrize(
    "answer",
    [42, fails, int, float("nan"), [[[]]], {"a": 1}, "text"],
    ids=["number", "exits", "type", "nan", "nested", "dict", "text"],
)
def test_whatever_comes_is_told(found: Exercise, answer: object, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade(found.ident, answer) is False
    told = capsys.readouterr().out
    assert "Nothing was checked: " in told or f"of {len(examine(found, answer))} checks hold" in told


@each
def test_its_claims_are_told_apart(found: Exercise) -> None:
    claims = [check.claim for check in found.checks(found.answer_of(found.solution))]
    assert claims
    assert max(Counter(claims).values()) == 1
    assert all(len(claim) <= 100 and claim[0].isupper() and not claim.endswith(".") for claim in claims)


@each
def test_grading_leaves_an_exercise_as_it_was(found: Exercise) -> None:
    assert trials(found) == trials(found)
    assert exercise(found.ident) is found


def levels(lesson: str) -> list[str]:
    return [found.level for found in ALL if found.ident.split(".")[0] == lesson]


@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lesson_has_six_to_eight_exercises_of_each_level(lesson: str) -> None:
    found = levels(lesson)
    assert 6 <= len(found) <= 8
    assert set(found) == set(LEVELS)
    assert found[0] == "predict"
    assert found[-1] == "implement"
    numbers = [int(one.ident.split(".")[1]) for one in ALL if one.ident.split(".")[0] == lesson]
    assert numbers == list(range(1, len(found) + 1))


def test_each_lesson_has_exercises() -> None:
    assert LESSONS == ["17", "18", "19", "20", "21"]
