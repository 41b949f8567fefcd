"""A grader never raises on a wrong answer, whatever it does; it says which named check fails, and why."""

import io
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nextword.exercises import catalogue, grading
from nextword.exercises.asking import agrees, fresh, refuses
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import same, short
from nextword.exercises.grading import Outcome, examine, grade


def double(numbers: list[float]) -> list[float]:
    """Twice each number."""
    return [2 * number for number in numbers]


def checks(answer: Callable[[list[float]], list[float]]) -> Iterator[Check]:
    yield Check(
        "each number is doubled", fresh(answer, [1.0, 2.0]), [2.0, 4.0], "You may have doubled the list"
    )
    yield Check("an empty list stays empty", fresh(answer, []), [])


def exercise(**changed: Any) -> Exercise:
    options: dict[str, Any] = {
        "ident": "1.1",
        "title": "double",
        "level": "implement",
        "name": "double",
        "start": double,
        "solution": double,
        "checks": checks,
        "wrong": (
            Wrong(lambda numbers: numbers * 2, "doubles the list", "each number is doubled"),
            Wrong(lambda numbers: numbers[0], "takes one", "each number is doubled"),
        ),
    }
    return Exercise(**(options | changed))


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(grading, "exercise", lambda ident: exercise())


def outcome(answer: Any, seconds: float = 5) -> Outcome:
    return examine(exercise(), answer, seconds)[0]


def test_a_right_answer_holds(known: None, capsys: pytest.CaptureFixture[str]) -> None:
    assert grade("1.1", double) is True
    assert capsys.readouterr().out == (
        "Exercise 1.1: double\nok   each number is doubled\nok   an empty list stays empty\n2 of 2 checks hold\n"
    )


def test_a_wrong_answer_is_told_what_came_and_what_it_means(
    known: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert grade("1.1", lambda numbers: numbers * 2) is False
    assert capsys.readouterr().out == (
        "Exercise 1.1: double\n"
        "NOT  each number is doubled\n"
        "       double([1, 2]):\n"
        "       got [1, 2, 1, 2], expected [2, 4]\n"
        "       You may have doubled the list\n"
        "ok   an empty list stays empty\n"
        "1 of 2 checks hold\n"
    )


def test_a_report_has_what_became_of_each_check_in_order() -> None:
    told = grading.report(exercise(), lambda numbers: numbers * 2)
    means = "double([1, 2]):\ngot [1, 2, 1, 2], expected [2, 4]\nYou may have doubled the list"
    assert told.outcomes == (
        Outcome("each number is doubled", False, means),
        Outcome("an empty list stays empty", True),
    )
    nothing = grading.report(exercise(), None)
    assert [(one.claim, one.held, one.said) for one in nothing.outcomes] == [
        ("each number is doubled", False, ""),
        ("an empty list stays empty", False, ""),
    ]


class Hostile:
    """Fails wherever it is looked at."""

    def __eq__(self, other: object) -> bool:
        raise RuntimeError("no comparison")

    def __repr__(self) -> str:
        raise RuntimeError("no text")

    __hash__ = None  # type: ignore[assignment]


def raises(error: BaseException) -> Callable[[Any], Any]:
    def answer(numbers: Any) -> Any:
        raise error

    return answer


def endless(numbers: Any) -> Any:
    while True:
        pass


def recursive(numbers: Any) -> Any:
    return recursive(numbers)


class Unprintable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (raises(ValueError("no such token")), "it raised ValueError: no such token"),
        (raises(SystemExit(0)), "it raised SystemExit"),
        (raises(KeyboardInterrupt()), "it raised KeyboardInterrupt"),
        (raises(GeneratorExit()), "it raised GeneratorExit"),
        (raises(Unprintable()), "it raised Unprintable"),
        (recursive, "it raised RecursionError"),
        (None, "it raised TypeError: 'NoneType' object is not callable"),
        (42, "it raised TypeError"),
        (lambda: [], "it raised TypeError"),
        (lambda numbers: None, "got None, expected [2, 4]"),
        (lambda numbers: "[2.0, 4.0]", "got '[2.0, 4.0]', expected [2, 4]"),
        (lambda numbers: [True, 4.0], "got [True, 4], expected [2, 4]"),
        (lambda numbers: [[2.0, 4.0]], "got [[2, 4]], expected [2, 4]"),
        (lambda numbers: [2.0, math.nan], "got [2, nan], expected [2, 4]"),
        (lambda numbers: Hostile(), "a Hostile that cannot be printed"),
        (lambda numbers: [Hostile(), 4.0], "a list that cannot be printed"),
        (lambda numbers: (n for n in numbers), "got <generator"),
        (lambda numbers: list(range(1000)), "(shape 1000)"),
    ],
)
def test_whatever_an_answer_does_is_told_and_never_raised(answer: Any, said: str) -> None:
    found = outcome(answer)
    assert not found.held
    assert said in found.said
    assert max(map(len, found.said.splitlines())) < 220


def test_the_line_of_the_answer_that_raised_is_told() -> None:
    def answer(numbers: list[float]) -> float:
        return numbers[99]

    assert "return numbers[99]" in outcome(answer).said


def test_an_endless_loop_is_stopped_and_the_rest_is_not_run() -> None:
    start = time.monotonic()
    first, second = examine(exercise(), endless, seconds=0.3)
    assert time.monotonic() - start < 5
    assert "it did not end within 0.3 seconds" in first.said
    assert second.said == "not run: the time was up before"


def test_a_loop_that_catches_every_exception_is_stopped() -> None:
    def answer(numbers: Any) -> Any:
        while True:
            try:
                pass
            except Exception:
                pass

    assert "did not end" in outcome(answer, 0.3).said


def test_it_stops_an_endless_loop_beside_the_main_thread_too() -> None:
    found: list[Outcome] = []
    before = sys.gettrace()
    thread = threading.Thread(target=lambda: found.extend(examine(exercise(), endless, 0.3)), daemon=True)
    thread.start()
    thread.join(10)
    assert not thread.is_alive()
    assert "did not end" in found[0].said
    assert sys.gettrace() is before


ended = threading.Event()
"""Set after each test: an answer that nothing stops would take the processor from all tests that follow."""


@pytest.fixture(autouse=True)
def answers_end() -> Iterator[None]:
    ended.clear()
    before = set(threading.enumerate())
    yield
    ended.set()
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(10)
    assert not [thread for thread in left if thread.is_alive()], "an answer is still running"


def bare_except(numbers: Any) -> Any:
    while not ended.is_set():
        try:
            [int(number) for number in range(100)]
        except:  # noqa: E722
            continue


def retries(numbers: Any) -> Any:
    def spin() -> Any:
        while not ended.is_set():
            pass

    try:
        return spin()
    except BaseException:
        return spin()


def sleeps(numbers: Any) -> Any:
    while not ended.is_set():
        try:
            time.sleep(0.01)
            raise ValueError
        except BaseException:
            continue


class Endless(Exception):
    def __str__(self) -> str:
        while True:
            pass


class Unequal:
    def __eq__(self, other: object) -> bool:
        while True:
            pass

    __hash__ = None  # type: ignore[assignment]


@pytest.mark.parametrize(
    "answer",
    [bare_except, retries, sleeps, raises(Endless()), lambda numbers: [Unequal(), Unequal()]],
    ids=["bare except", "retries", "sleeps", "endless text", "endless comparison"],
)
def test_an_answer_that_will_not_stop_is_left_behind(answer: Any) -> None:
    start = time.monotonic()
    found = examine(
        exercise(checks=lambda asked: [Check("One", fresh(asked, [1.0]), [Unequal()])]), answer, 0.2
    )
    assert time.monotonic() - start < 5
    assert [one.held for one in found] == [False]


class Ends(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class Strange(type):
    @property
    def __name__(cls) -> str:
        raise RuntimeError("no name")


class Nameless(Exception, metaclass=Strange):
    pass


@pytest.mark.parametrize("error", [Ends(), Nameless()])
def test_an_error_that_cannot_be_told_is_told_as_that(error: BaseException) -> None:
    assert not outcome(raises(error)).held


def test_what_a_terminal_would_obey_is_written_as_it_is(known: None) -> None:
    told = grading.report(exercise(), raises(ValueError("a\x1b[2Jb\rc"))).text
    assert "a\\x1b[2Jb\\rc" in told


def test_a_terminal_with_few_letters_is_told_too(known: None, monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    assert grade("1.1", raises(ValueError("é"))) is False
    sys.stdout.flush()
    assert b"\\xe9" in raw.getvalue()


def test_the_alarm_that_was_set_before_is_still_set() -> None:
    signal = pytest.importorskip("signal")
    if not hasattr(signal, "setitimer"):
        pytest.skip("this system has no timers of this kind")
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        outcome(double)
        outcome(endless, 0.1)
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def test_an_answer_that_prints_does_not_flood_the_report(
    known: None, capsys: pytest.CaptureFixture[str]
) -> None:
    def answer(numbers: list[float]) -> list[float]:
        for number in range(1000):
            print("line", number, "x" * 500)
        sys.stdout.close()
        return double(numbers)

    assert grade("1.1", answer) is True
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) < 20
    assert "| … and 1991 more lines" in lines
    print("still here")
    assert capsys.readouterr().out == "still here\n"


def test_gradings_in_several_threads_leave_standard_output_as_it_was(known: None) -> None:
    before = sys.stdout
    threads = [threading.Thread(target=grade, args=("1.1", double)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(20)
    assert sys.stdout is before


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "and this is nothing"),
        ([2.0, 4.0], "and this is a list"),
        ("double", "and this is a text"),
    ],
)
def test_what_is_no_function_is_not_checked(known: None, answer: Any, said: str) -> None:
    told = grading.report(exercise(), answer)
    assert "Nothing was checked: the function or class double itself is asked" in " ".join(told.text.split())
    assert said in " ".join(told.text.split())
    assert told.failed == ("each number is doubled", "an empty list stays empty")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "there is no answer yet"),
        (..., "there is no answer yet"),
        (double, "a value is asked, and this is a function: hand in what it returns"),
    ],
)
def test_what_is_no_value_is_not_checked(answer: Any, said: str) -> None:
    told = grading.report(exercise(level="predict"), answer)
    assert said in " ".join(told.text.split())
    assert told.failed


def test_a_prediction_is_not_told_what_is_right_but_what_kind_of_value_is_asked() -> None:
    def checks(answer: Any) -> Iterator[Check]:
        yield Check("It is so", lambda: answer, [31, 41], "Count again.")

    predict = exercise(level="predict", checks=checks)
    for answer in ("31, 41", {31: 41}, 31, [31, 42]):
        told = grading.report(predict, answer).text
        assert "expected" not in told
        assert ("and a list is asked" in told) == (not isinstance(answer, list))


def test_the_call_that_failed_is_shown_and_the_first_case_of_many() -> None:
    def checks(answer: Any) -> Iterator[Check]:
        cases = [([float(number)],) for number in range(5)]
        yield Check("It agrees", agrees(answer, double, cases), True, "Look at it.")
        yield Check("No text is taken", refuses(answer, ["a"]), True)

    def wrong(numbers: list[float]) -> list[float]:
        return [6.5 if number == 3 else 2 * number for number in numbers]

    first, second = examine(exercise(checks=checks), wrong)
    assert first.said == "double([3]):\ngot [6.5], expected [6]\nLook at it."
    assert second.said == "double(['a']):\ngot ['aa'], expected a ValueError"


def test_a_missing_return_is_named() -> None:
    assert "Is a return missing?" in outcome(lambda numbers: None).said


def test_numbers_that_look_alike_are_shown_with_all_their_digits() -> None:
    said = outcome(lambda numbers: [2.0, 4.0000001]).said
    assert "got [2.0, 4.0000001]" in said
    assert "They are close" in said
    assert "You may have doubled" not in said


def test_the_same_error_is_told_once() -> None:
    first, second = examine(exercise(), raises(KeyError("a")))
    assert first.said.startswith("it raised KeyError")
    assert second.said == "it raised the same again"


def test_a_function_and_an_object_are_shown_without_their_place_in_memory() -> None:
    class Thing:
        pass

    assert short([double, int, Thing()]).startswith("[double, int, <")
    assert " at 0x" not in short([double, Thing()])


def test_an_answer_that_changes_its_arguments_does_not_spoil_the_next_check() -> None:
    shared = [1.0, 2.0]

    def both(answer: Any) -> Iterator[Check]:
        yield Check("first", fresh(answer, shared), [2.0, 4.0])
        yield Check("again", fresh(answer, shared), [2.0, 4.0])

    def in_place(numbers: list[float]) -> list[float]:
        numbers[:] = [2 * number for number in numbers]
        return numbers

    assert [found.held for found in examine(exercise(checks=both), in_place)] == [True, True]


@pytest.mark.parametrize("seconds", [0, -1, "1", None, math.nan, math.inf, 1e300])
def test_the_time_must_be_positive_and_not_for_ever(known: None, seconds: Any) -> None:
    with pytest.raises(ValueError, match="seconds must be above 0 and at most 3600"):
        grade("1.1", double, seconds)


@pytest.mark.parametrize("ident", ["0.0", "", "17", 17.1, None])
def test_an_exercise_that_there_is_not(ident: Any) -> None:
    with pytest.raises(ValueError, match="ident must be one of"):
        catalogue.exercise(ident)


@pytest.mark.parametrize(("name", "value"), [("ident", "1"), ("level", "hard"), ("name", "my name")])
def test_an_exercise_is_whole(name: str, value: str) -> None:
    with pytest.raises(ValueError, match=f"{name} must be"):
        exercise(**{name: value})


values = st.recursive(
    st.none() | st.booleans() | st.integers(-100, 100) | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(values)
def test_a_value_is_the_same_as_itself_and_can_be_told(value: Any) -> None:
    assert same(value, value)
    assert len(short(value)) < 200


@given(st.lists(st.floats(-10, 10), min_size=1), st.integers(0, 100))
def test_lists_tuples_and_rounding_are_alike_and_a_real_difference_is_not(
    numbers: list[float], place: int
) -> None:
    assert same(tuple(numbers), numbers)
    assert same([number + 1e-12 for number in numbers], numbers)
    changed = list(numbers)
    changed[place % len(numbers)] += 1e-3
    assert not same(changed, numbers)
    assert not same(numbers[:-1], numbers)
    assert not same([numbers], numbers)


@pytest.mark.parametrize(
    ("got", "expected"),
    [(1, True), (True, 1), (0, False), ("1", 1), (None, 0), (b"a", "a"), ([], None), ({}, []), ({1}, [1]), ("ab", ["a", "b"])],
)  # fmt: skip
def test_types_that_readers_mix_up_are_not_the_same(got: Any, expected: Any) -> None:
    assert not same(got, expected)


def test_infinities_and_nan() -> None:
    assert same(math.inf, math.inf)
    assert same(math.nan, math.nan)
    assert not same(math.inf, -math.inf)
    assert not same(1e308, math.inf)
    assert not same(math.nan, 1.0)


def test_arrays_are_taken_as_lists() -> None:
    np = pytest.importorskip("numpy")
    assert same(np.array([[1.0, 2.0]]), [[1.0, 2.0]])
    assert same(np.float64(0.5), 0.5)
    assert same(np.bool_(True), True)
    assert same([1.0, 2.0], np.array([1.0, 2.0]))
    assert not same(np.array([1.0, 2.0]), [[1.0, 2.0]])


def test_exact_numbers_are_taken_too() -> None:
    assert same(Fraction(1, 4), 0.25)
    assert same(Decimal("0.25"), 0.25)
    assert not same(Fraction(1, 3), 0.25)
    assert not same(10**400, 1.0)
    assert same(10**400, 10**400)
