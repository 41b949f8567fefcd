"""How a refusal is said, and how the catalogue of refusals and its examples are read."""

import tomllib
from dataclasses import FrozenInstanceError
from pathlib import Path

import pytest

from coursebuild.faults import Fault, Problem, Unfit, report
from coursebuild.refusals import CATALOGUE, EXAMPLES, KINDS, SOURCE, Example, Kind, examples, groups

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
FALSE = Fault("claim-false", "docs/b.md", 7, "panel 1.1", "it does not hold", "compute again", "1.1")
EARLIER = Fault("block-open", "docs/b.md", 2, "page", "it is open")
OTHER = Fault("panel-title-missing", "docs/a.md", 9, "page", "it has none")
OTHER_PARTS = ("docs/a.md", 9, "page", "it has none")


def test_a_fault_says_its_place_and_what_to_do() -> None:
    assert FALSE.place == "docs/b.md:7"
    assert (
        str(FALSE) == "docs/b.md:7: panel 1.1: it does not hold\n    what to do: compute again [claim-false]"
    )
    assert EARLIER.remedy == KINDS["block-open"].remedy
    assert (EARLIER.hint, EARLIER.anchor) == ("", "")
    with pytest.raises(FrozenInstanceError):
        FALSE.line = 8  # type: ignore[misc]


def test_a_fault_of_no_kind_is_refused() -> None:
    with pytest.raises(ValueError) as refused:
        Fault("odd", "docs/b.md", 1, "page", "no")
    assert str(refused.value) == f"'odd' is no kind of refusal: {CATALOGUE} lists them"


def test_faults_are_told_in_the_order_of_files_and_lines_and_once() -> None:
    assert report([FALSE, EARLIER, OTHER, FALSE]) == "\n".join(
        ["the site is not published: 4 faults", str(OTHER), str(EARLIER), str(FALSE)]
    )
    assert report([OTHER]) == f"the site is not published: 1 fault\n{OTHER}"
    assert report([]) == "the site is not published: 0 faults"
    assert Fault("block-open", *OTHER_PARTS) == Fault("claim-false", *OTHER_PARTS)


def test_what_is_said_of_a_part_keeps_its_kind() -> None:
    problem, unfit = Problem("option-twice", "twice"), Unfit("figure-format", "no")
    assert (problem, problem.kind) == ("twice", "option-twice")
    assert (str(unfit), unfit.kind) == ("no", "figure-format")


def test_the_catalogue_is_read_as_it_is_written() -> None:
    written = tomllib.loads((ROOT / CATALOGUE).read_text(encoding="utf-8"))
    assert groups() == list(written)
    assert {
        slug: Kind(slug, group, entry["title"], entry["means"], entry["remedy"])
        for group, entries in written.items()
        for slug, entry in entries.items()
    } == KINDS
    assert list(KINDS) == [slug for entries in written.values() for slug in entries]


WRITTEN = """\
A page that is read.
$ mkdocs build --dirty
-- docs/a.md --
# Ä

-- none -- no name of a file
-- b.txt --
-- message --
docs/a.md:1: page: no
"""


def test_an_example_is_its_remark_command_files_and_message(tmp_path: Path) -> None:
    path = tmp_path / "example.txtar"
    path.write_text(WRITTEN, encoding="utf-8")
    example = Example.read(path)
    files = {"docs/a.md": "# Ä\n\n-- none -- no name of a file\n", "b.txt": ""}
    message = "docs/a.md:1: page: no"
    assert example == Example("A page that is read.", "mkdocs build --dirty", files, message)
    assert example.written(message) == WRITTEN


def test_an_example_may_say_no_more_than_its_files(tmp_path: Path) -> None:
    path = tmp_path / "example.txtar"
    path.write_text("-- a.md --\nx\n", encoding="utf-8")
    example = Example.read(path)
    assert example == Example("", "", {"a.md": "x\n"}, "")
    assert example.written("no") == "-- a.md --\nx\n-- message --\nno\n"
    assert Example("Of a page.", "", {}, "").written("no") == "Of a page.\n-- message --\nno\n"
    path.write_text("\nOf two\nlines.\n$ one\n$ two\n\n-- message --\nno\n\n", encoding="utf-8")
    assert Example.read(path) == Example("Of two lines.", "one", {}, "no")


@pytest.mark.parametrize("message", ["it ends in spaces  ", "it ends in X"])
def test_a_message_loses_nothing_but_empty_lines_at_its_end(message: str, tmp_path: Path) -> None:
    path = tmp_path / "example.txtar"
    path.write_text(f"-- message --\n{message}\n\n", encoding="utf-8")
    assert Example.read(path).message == message


def test_the_catalogue_has_its_page_and_its_examples_where_it_says() -> None:
    assert (ROOT / SOURCE).is_file()
    assert list(examples(ROOT)) == list(KINDS)


def test_the_examples_of_a_project_are_those_of_known_kinds(tmp_path: Path) -> None:
    assert examples(tmp_path) == {}
    folder = tmp_path / EXAMPLES
    folder.mkdir(parents=True)
    for slug in ("claim-false", "block-open", "no-such-kind"):
        (folder / f"{slug}.txtar").write_text(f"{slug}\n", encoding="utf-8")
    assert {slug: one.remark for slug, one in examples(tmp_path).items()} == {
        slug: slug for slug in ("claim-false", "block-open")
    }
