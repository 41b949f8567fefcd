"""A run of the comparisons stands for the approved one only if it compared the same, as often, and within the limits."""

import copy
import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coursebuild import parity

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
Record = dict[str, Any]

APPROVED: Record = {
    "date": "2026-01-31",
    "versions": {"python": "3.11.7", "torch": "2.13.0"},
    "equal": [
        {"about": "attention", "ours": "attention", "theirs": "sdpa", "precision": "float64", "cases": 200, "largest": 3e-16, "limit": 1e-12},
        {"about": "attention", "ours": "attention", "theirs": "sdpa", "precision": "float32", "cases": 200, "largest": 3e-7, "limit": 1e-6},
    ],
    "differs": [{"about": "decoding", "ours": "the lower ids", "theirs": "all", "cases": 30, "different": 13}],
}  # fmt: skip


def changed(change: Callable[[Record], object]) -> Record:
    record = copy.deepcopy(APPROVED)
    change(record)
    return record


def test_the_same_record_has_no_problem() -> None:
    assert parity.problems(APPROVED, copy.deepcopy(APPROVED)) == []


def test_another_day_and_another_difference_below_the_limit_are_no_problem() -> None:
    now = changed(lambda record: record.update(date="2026-02-01") or record["equal"][0].update(largest=9e-13))
    assert parity.problems(APPROVED, now) == []


def test_another_patch_of_python_is_no_problem() -> None:
    assert (
        parity.problems(APPROVED, changed(lambda record: record["versions"].update(python="3.11.14"))) == []
    )


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda r: r["versions"].update(python="3.12.1"), "python: approved with 3.11.7, here 3.12.1"),
        (lambda r: r["equal"][0].update(about="decoding"), "attention / sdpa / float64: about was attention, is decoding"),
        (
            lambda r: r["equal"][1].update(largest=-1.0),
            "attention / sdpa / float32: the largest difference, -1.0e+00, is not within its limit, 1.0e-06",
        ),
        (lambda r: r["versions"].update(torch="2.14.0"), "torch: approved with 2.13.0, here 2.14.0"),
        (lambda r: r["versions"].pop("torch"), "torch: approved with 2.13.0, here None"),
        (lambda r: r["equal"].pop(0), "attention / sdpa / float64: approved, but not measured now"),
        (lambda r: r["differs"].pop(), "the lower ids / all: approved, but not measured now"),
        (lambda r: r["equal"].append(r["equal"][0] | {"ours": "new"}), "new / sdpa / float64: measured, but not approved"),
        (lambda r: r["equal"][0].update(cases=2), "attention / sdpa / float64: cases was 200, is 2"),
        (lambda r: r["equal"][0].update(limit=1), "attention / sdpa / float64: limit was 1e-12, is 1"),
        (lambda r: r["differs"][0].update(different=14), "the lower ids / all: different was 13, is 14"),
        (
            lambda r: r["equal"][1].update(largest=2e-6),
            "attention / sdpa / float32: the largest difference, 2.0e-06, is not within its limit, 1.0e-06",
        ),
        (
            lambda r: r["equal"][1].update(largest=float("nan")),
            "attention / sdpa / float32: the largest difference, nan, is not within its limit, 1.0e-06",
        ),
    ],
)  # fmt: skip
def test_what_is_not_as_approved_is_named(change: Callable[[Record], object], said: str) -> None:
    assert parity.problems(APPROVED, changed(change)) == [said]


def test_an_approved_record_that_was_tampered_with_is_named() -> None:
    tampered = changed(lambda record: record["equal"][0].update(largest=1.0))
    assert parity.problems(tampered, APPROVED) == [
        "attention / sdpa / float64: the largest difference, 1.0e+00, is not within its limit, 1.0e-12"
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    parity.APPROVED.parent.mkdir(parents=True)
    return tmp_path


def write(path: Path, record: Record) -> str:
    path.write_text(json.dumps(record), encoding="utf-8")
    return str(path)


def test_check_fails_and_says_what_to_do(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    now = write(folder / "now.json", changed(lambda record: record["equal"][0].update(cases=2)))
    assert parity.main(["check", now]) == 1
    assert "the approved record cannot be read" in capsys.readouterr().err
    write(parity.APPROVED, APPROVED)
    assert parity.main(["check", now]) == 1
    said = capsys.readouterr().err
    assert "cases was 200, is 2" in said
    assert "make approve-real" in said
    assert parity.main(["check", write(folder / "now.json", APPROVED)]) == 0


def test_accept_keeps_the_day_of_a_record_that_says_the_same(folder: Path) -> None:
    later = changed(lambda record: record.update(date="2026-02-01"))
    assert parity.main(["accept", write(folder / "now.json", APPROVED)]) == 0
    assert parity.read(parity.APPROVED)["date"] == "2026-01-31"
    assert parity.main(["accept", write(folder / "now.json", later)]) == 0
    assert parity.read(parity.APPROVED)["date"] == "2026-01-31"
    later["versions"]["torch"] = "2.14.0"
    assert parity.main(["accept", write(folder / "now.json", later)]) == 0
    assert parity.read(parity.APPROVED)["date"] == "2026-02-01"


def test_accept_refuses_a_difference_above_its_limit(folder: Path) -> None:
    write(parity.APPROVED, APPROVED)
    now = write(folder / "now.json", changed(lambda record: record["equal"][0].update(largest=1.0)))
    assert parity.main(["accept", now]) == 1
    assert parity.read(parity.APPROVED) == APPROVED


def test_accept_says_what_it_accepts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(parity.APPROVED, APPROVED)
    now = write(folder / "now.json", changed(lambda record: record["equal"].pop()))
    assert parity.main(["accept", now]) == 0
    assert "attention / sdpa / float32: approved, but not measured now" in capsys.readouterr().out


@pytest.mark.parametrize("kind", ["equal", "differs"])
@pytest.mark.parametrize("times", [0, 2])
def test_a_record_without_rows_or_with_one_twice_is_none(tmp_path: Path, kind: str, times: int) -> None:
    rows = APPROVED[kind][:1] * times
    with pytest.raises(ValueError, match=f"{kind} is empty, or names one twice"):
        parity.read(Path(write(tmp_path / "record.json", APPROVED | {kind: rows})))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"equal": []}'])
def test_a_file_that_is_no_record(tmp_path: Path, text: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError):
        parity.read(path)


def test_the_approved_record_is_the_one_that_the_page_reads() -> None:
    assert parity.APPROVED.as_posix() == "docs/assets/data/parity.json"
    assert parity.read(ROOT / parity.APPROVED)["versions"]


def test_what_is_no_record_is_said(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with pytest.raises(ValueError) as refused:
        parity.read(Path(write(path, {"equal": [], "date": ""})))
    assert str(refused.value) == f"{path} is no record of comparisons: it has ['date', 'equal']"
    with pytest.raises(ValueError) as refused:
        parity.read(Path(write(path, APPROVED | {"differs": []})))
    assert str(refused.value) == f"{path} is no record of comparisons: differs is empty, or names one twice"


def test_all_that_differs_is_named_in_order() -> None:
    now = changed(
        lambda r: (
            r["versions"].update(numpy="2.4", torch="2.14.0"),
            r["equal"][0].update(cases=2, limit=0.1),
            r["differs"].append(r["differs"][0] | {"ours": "new"}),
            r["differs"].pop(0),
        )
    )
    assert parity.problems(APPROVED, now) == [
        "numpy: approved with None, here 2.4",
        "torch: approved with 2.13.0, here 2.14.0",
        "attention / sdpa / float64: cases was 200, is 2",
        "attention / sdpa / float64: limit was 1e-12, is 0.1",
        "the lower ids / all: approved, but not measured now",
        "new / all: measured, but not approved",
    ]


@pytest.mark.parametrize("field", ["about", "cases", "different"])
def test_each_field_of_a_row_that_differs_is_compared(field: str) -> None:
    now = changed(lambda record: record["differs"][0].update({field: "other"}))
    assert parity.problems(APPROVED, now) == [
        f"the lower ids / all: {field} was {APPROVED['differs'][0][field]}, is other"
    ]


@pytest.mark.parametrize("largest", [0.0, 1e-12])
def test_a_difference_may_be_nothing_or_the_limit(largest: float) -> None:
    now = changed(lambda record: record["equal"][0].update(largest=largest))
    assert parity.problems(APPROVED, now) == []


def test_a_version_without_patch_is_compared_as_it_is() -> None:
    for name, before, after in (("torch", "2.13.0", "2.13.1"), ("python", "3.11.7", "3.1.7")):
        now = changed(lambda record, name=name, after=after: record["versions"].update({name: after}))
        assert parity.problems(APPROVED, now) == [f"{name}: approved with {before}, here {after}"]


def test_what_the_command_says(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """All of it: a run that differs, one that is accepted, one that is the same, one that stands for nothing."""
    place = "docs/assets/data/parity.json"
    now = write(folder / "now.json", APPROVED)
    assert parity.main(["accept", now]) == 0
    said, nothing = capsys.readouterr()
    assert said.startswith("the approved record cannot be read: ")
    assert (said.count("\n"), said.endswith(f"\n{place}: accepted\n"), nothing) == (2, True, "")
    for action, expected in (("accept", f"{place}: as before\n"), ("check", "")):
        assert parity.main([action, now]) == 0
        assert capsys.readouterr() == (expected, "")
    write(folder / "now.json", changed(lambda record: record["equal"][0].update(cases=2)))
    line = "attention / sdpa / float64: cases was 200, is 2"
    assert parity.main(["check", now]) == 1
    hint = "accept what changed with: make approve-real"
    assert capsys.readouterr() == ("", f"{place} is not what was measured now:\n{line}\n{hint}\n")
    assert parity.main(["accept", now]) == 0
    assert capsys.readouterr() == (f"{line}\n{place}: accepted\n", "")
    write(folder / "now.json", changed(lambda r: [row.update(largest=1.0) for row in r["equal"]]))
    above = [
        f"attention / sdpa / {kind}: the largest difference, 1.0e+00, is not within its limit, {limit}"
        for kind, limit in (("float64", "1.0e-12"), ("float32", "1.0e-06"))
    ]
    assert parity.main(["accept", now]) == 1
    assert capsys.readouterr() == ("", "\n".join(above * 2) + "\n")


def test_the_command_ends_with_its_status(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    now = write(folder / "now.json", APPROVED)
    for action, status in (("check", 1), ("accept", 0), ("check", 0)):
        monkeypatch.setattr(sys, "argv", ["parity", action, now])
        with pytest.raises(SystemExit) as ended:
            runpy.run_path(parity.__file__, run_name="__main__")
        assert ended.value.code == status
