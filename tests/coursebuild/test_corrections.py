"""The page of corrections: each names what was wrong, what is right, and a check that exists and now guards it."""

import datetime
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from coursebuild import addresses, corrections, render
from coursebuild.cache import Cache
from coursebuild.press import Press

from .conftest import LESSON, ROOT, SmallSite

pytestmark = pytest.mark.once

GUARD = "lessons/one/#claim-1.1-the-parts-add-up"
ENTRY = {
    "date": "2026-11-30",
    "where": '"lessons/one/#panel-1.1"',
    "wrong": '"The sum was said to be 7."',
    "right": '"It is [[1.1.total]], as `sum` says."',
    "guard": f'"{GUARD}"',
}
EARLIER = {**ENTRY, "date": "2026-11-29", "wrong": '"A word was missing."'}

TESTS = '''\
"""
def test_words():
"""
def test_sums():
    assert sum([1]) == 1
def test_nothing(): ...
@pytest.mark.skip(reason="later")
def test_later():
    assert True
@pytest.mark.xfail
def test_hoped():
    assert False
def made():
    def test_within():
        assert True
'''


def written(*entries: dict[str, str]) -> str:
    """The text of a file of corrections, as TOML."""
    return "\n".join(
        "[[correction]]\n" + "".join(f"{name} = {value}\n" for name, value in entry.items())
        for entry in entries
    )


@pytest.fixture(scope="module")
def press_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Press]:
    """A press over one lesson, with a file of corrections. The lesson runs once."""
    root = tmp_path_factory.mktemp("corrected")
    shutil.copytree(ROOT / "src" / "nextword", root / "src" / "nextword")
    (root / "tests").mkdir()
    (root / "tests/test_sums.py").write_text(TESTS, encoding="utf-8")
    (root / "tests/helpers.py").write_text("def test_sums():\n    assert True\n", encoding="utf-8")
    (root / "tests/test_off.py").write_text("pytestmark = [pytest.mark.skip]\n" + TESTS, encoding="utf-8")
    (root / "tests/test_bytes.py").write_bytes(b"\xff")
    for name, text in {"lessons/one": LESSON, "index": "# Front\n"}.items():
        path = root / f"docs/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    kept = Press(root, cache=Cache(root, None))

    def press(text: str, lesson: str = LESSON, record: str = "") -> Press:
        path = root / corrections.SOURCE
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        (root / addresses.RECORD).write_text(record, encoding="utf-8")
        (root / "docs/lessons/one.md").write_text(lesson, encoding="utf-8")
        kept.prepare([(root / "docs/lessons/one.md", "lessons/one/"), (root / "docs/index.md", "")])
        return kept

    return press


Make = Callable[..., Press]


def test_corrections_are_read_and_shown(press_of: Make) -> None:
    of_test = {**EARLIER, "guard": '"tests/test_sums.py::test_sums"'}
    press = press_of(written(ENTRY, of_test))
    assert press.faults == []
    soup = BeautifulSoup(render.corrections(press), "html.parser")
    assert [item["id"] for item in soup("h2")] == ["correction-2", "correction-1"]
    assert [item.text for item in soup("h2")] == [
        f"{day}: A lesson, panel 1.1" for day in ("2026-11-30", "2026-11-29")
    ]
    first, second = ([part.text for part in one("dd")] for one in soup("dl"))
    assert first == ["The sum was said to be 7.", "It is 6, as sum says.", "The parts add up"]
    assert second == ["A word was missing.", "It is 6, as sum says.", "tests/test_sums.py, test_sums"]
    assert [link["href"].removeprefix("course-root:") for link in soup("dl")[0]("a")] == [GUARD]
    assert soup.h2 and soup.h2.a and str(soup.h2.a["href"]).endswith("lessons/one/#panel-1.1")


def test_a_site_without_corrections_says_so(press_of: Make) -> None:
    press = press_of("")
    assert press.faults == []
    assert "None so far" in render.corrections(press)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("date", '"yesterday"', "2: the date is 'yesterday', not a day such as 2026-11-30"),
        ("date", "2026-11-30T10:00:00", "2: the date is "),
        ("where", '"lessons/two/"', "3: where: lessons/two/ is no page of the site"),
        ("where", '"lessons/one/#panel-9.9"', "3: where: lessons/one/#panel-9.9 is no address of a panel or a claim"),
        ("wrong", '" "', "4: wrong says nothing"),
        ("wrong", "7", "4: wrong is 7, not a text"),
        ("right", '"It is 7."', "5: the number '7' is typed by hand into right"),
        ("right", '"It is half of it."', "5: the number 'half' is typed by hand into right"),
        ("right", '"It is [[1.1.sum]]."', "5: panel 1.1 names no figure 'sum'"),
        ("right", '"It is [[1.1]]."', "5: '[[1.1]]' is no figure"),
        ("guard", '"lessons/one/#claim-1.1-gone"', "6: guard: lessons/one/#claim-1.1-gone is no claim of the site"),
        ("guard", '"lessons/one/#panel-1.1"', "6: guard: lessons/one/#panel-1.1 is no claim of the site"),
        ("guard", '"tests/test_gone.py::test_sums"', "6: guard: there is no test tests/test_gone.py::test_sums"),
        ("guard", '"tests/test_sums.py::test_sum"', "6: guard: there is no test tests/test_sums.py::test_sum"),
        ("guard", '"../elsewhere.py::test_sum"', "6: guard: there is no test ../elsewhere.py::test_sum"),
        ("guard", '"tests/test_sums.py::test_words"', "6: guard: there is no test tests/test_sums.py::test_words"),
        ("guard", '"tests/test_sums.py::test_within"', "6: guard: there is no test tests/test_sums.py::test_within"),
        ("guard", '"tests/helpers.py::test_sums"', "6: guard: there is no test tests/helpers.py::test_sums"),
        ("guard", '"tests/test_bytes.py::test_sums"', "6: guard: there is no test tests/test_bytes.py::test_sums"),
        ("guard", '"tests/test_sums.py::test_later"', "6: guard: the test tests/test_sums.py::test_later is marked skip"),
        ("guard", '"tests/test_sums.py::test_hoped"', "6: guard: the test tests/test_sums.py::test_hoped is marked xfail"),
        ("guard", '"tests/test_off.py::test_sums"', "6: guard: the test tests/test_off.py::test_sums is marked skip"),
        ("guard", '"tests/test_sums.py::test_nothing"', "6: guard: the test tests/test_sums.py::test_nothing asserts nothing"),
        ("right", '"It is `7`."', "5: the number '7' is typed by hand into right"),
        ("guards", '"lessons/one/"', "7: unknown key 'guards'"),
    ],
)  # fmt: skip
def test_a_correction_that_says_no_truth_is_refused(
    press_of: Make, name: str, value: str, message: str
) -> None:
    [fault] = press_of(written({**ENTRY, name: value})).faults
    assert f"{fault.place}: {fault.message}".startswith(f"docs/reference/corrections.toml:{message}")
    assert fault.remedy


@pytest.mark.parametrize("name", ENTRY)
def test_each_key_is_needed(press_of: Make, name: str) -> None:
    entry = {key: value for key, value in ENTRY.items() if key != name}
    [fault] = press_of("\n" + written(EARLIER | {"date": "2026-12-01"}, entry)).faults
    assert fault.place == "docs/reference/corrections.toml:9"
    assert fault.message == f"it does not say {name}"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[[correction]]\ndate = \n", 2, "it is no TOML: "),
        ("[[corrections]]\n", 1, "unknown table 'corrections'"),
        ("correction = 7\n", 1, "a correction begins with [[correction]]"),
        (written(ENTRY).replace("[[correction]]", "[[ correction ]]"), 1, "begins with [[correction]] on a line of its own"),
        ('correction = [{date = 2026-11-30}]\n', 1, "begins with [[correction]] on a line of its own"),
        (written({**ENTRY, "wrong": '"""\n[[correction]]\n"""'}), 1, "each text is on one line"),
        (written(ENTRY).replace("right =", '"right" ='), 1, "right does not stand as it is at the beginning of a line"),
        (written(EARLIER, ENTRY), 8, "it stands below an earlier one; the newest comes first"),
    ],
    ids=["no TOML", "another table", "no table", "spaces", "inline", "two heads", "quoted key", "order"],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_refused(press_of: Make, text: str, line: int, message: str) -> None:
    [fault] = press_of(text).faults
    assert fault.place == f"docs/reference/corrections.toml:{line}"
    assert message in fault.message


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / corrections.SOURCE
    path.parent.mkdir(parents=True)
    path.write_bytes(written(ENTRY).replace("The sum", "Caf\xe9").encode("latin-1"))
    found, [fault] = corrections.read(tmp_path)
    assert (found, fault.kind) == ([], "correction-unreadable")
    assert "it is no UTF-8" in fault.message


def test_a_guard_that_was_reworded_is_named_anew(press_of: Make) -> None:
    record = f"lessons/one/#claim-1.1-once => {GUARD}\n"
    [fault] = press_of(written({**ENTRY, "guard": '"lessons/one/#claim-1.1-once"'}), record=record).faults
    assert f"name {GUARD}" in fault.hint


def test_while_a_panel_is_at_fault_nothing_is_said_of_what_it_guards(press_of: Make) -> None:
    [fault] = press_of(written(ENTRY), LESSON.replace("total, 6)", "total, 7)")).faults
    assert fault.path == "docs/lessons/one.md"


@pytest.mark.slow
def test_a_build_shows_the_corrections_and_refuses_one_whose_guard_is_gone(small_site: SmallSite) -> None:
    small_site.write("# Corrections\n\n[[corrections]]\n", "docs/corrections.md")
    small_site.replace("  - index.md", "  - index.md\n  - corrections.md", "mkdocs.yml")
    small_site.write(written(ENTRY), corrections.SOURCE.as_posix())
    [(status, said)] = small_site.build_with(("--strict",))
    assert status == 0, said
    assert "The sum was said to be 7." in small_site.page("corrections")
    line = small_site.replace("The parts add up", "The sum is what it was")
    [(status, said)] = small_site.build_with(("--strict",))
    assert line and status != 0
    assert f"docs/reference/corrections.toml:6: correction: guard: {GUARD} is no claim of the site" in said


def test_no_correction_of_the_course_is_dated_ahead() -> None:
    """The build does not look at the clock, so that it gives the same bytes at any time."""
    found, faults = corrections.read(ROOT)
    assert (bool(found), faults) == (True, [])
    tomorrow = datetime.datetime.now(tz=datetime.UTC).date() + datetime.timedelta(days=1)
    assert max(one.date for one in found) <= tomorrow


def test_the_change_log_is_in_order() -> None:
    """Newest first, each release with its day; what is not released yet stands on top."""
    text = (Path(__file__).resolve().parents[2] / "CHANGELOG.md").read_text(encoding="utf-8")
    heads = [line for line in text.splitlines() if line.startswith("## ")]
    assert heads[0] == "## [Unreleased]"
    days = [head.rpartition(" - ")[2] for head in heads[1:]]
    assert days == sorted(days, reverse=True)
    kinds = {line for line in text.splitlines() if line.startswith("### ")}
    assert kinds <= {
        f"### {kind}" for kind in ("Added", "Changed", "Deprecated", "Removed", "Fixed", "Security")
    }
