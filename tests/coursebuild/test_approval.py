"""Approving: what is accepted, what is said, and what never is."""

from pathlib import Path

import pytest

from coursebuild.approval import approve, pages_of, unapproved
from coursebuild.press import Press

from .conftest import SmallSite


def outputs(site: SmallSite) -> dict[str, str]:
    folder = site.root / "tests" / "outputs"
    return {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*")}


def test_a_new_a_changed_and_a_gone_output(small_site: SmallSite, capsys: pytest.CaptureFixture[str]) -> None:
    assert approve(small_site.root) == 0
    assert "1 new, 0 changed, 0 gone, 0 as before" in capsys.readouterr().out
    text = "the total is 6\nok   The parts add up\n\n---- figures ----\ntotal = 6\n"
    assert outputs(small_site) == {"1.1.txt": text}

    assert approve(small_site.root) == 0
    assert "0 new, 0 changed, 0 gone, 1 as before" in capsys.readouterr().out

    small_site.replace('"the total is"', '"the sum is"')
    assert approve(small_site.root) == 0
    said = capsys.readouterr().out
    assert "-the total is 6\n+the sum is 6" in said
    assert "0 new, 1 changed" in said

    small_site.write("# A lesson\n")
    assert approve(small_site.root) == 0
    assert "0 new, 0 changed, 1 gone, 0 as before" in capsys.readouterr().out
    assert outputs(small_site) == {}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("total, 6)", "total, 7)", "does not hold"),
        ("total, 6)", "6, 6)", "no run can change it"),
        ('"the total is"', "__import__('random').random()", "something else in each run"),
        ('"the total is"', "{'a', 'b', 'c', 'd'}", "something else in each run"),
        ('"the total is"', "__import__('time').localtime().tm_zone", "something else in each run"),
        (
            "total = sum([1, 2, 3])",
            "import os\ntotal = 6 + 0 * len(os.getcwd())\nprint(os.getcwd())",
            "something else",
        ),
        ('figure("total", total)', 'figure("total", id(total))', "something else in each run"),
    ],
)
def test_what_is_never_approved(
    small_site: SmallSite, capsys: pytest.CaptureFixture[str], old: str, new: str, message: str
) -> None:
    small_site.replace(old, new)
    assert approve(small_site.root) == 1
    said = capsys.readouterr()
    assert message in said.err
    assert "docs/lessons/one.md:" in said.err
    assert outputs(small_site) == {}


def test_the_outputs_folder_is_where_the_reviewer_looks() -> None:
    root = Path(__file__).resolve().parents[2]
    assert (root / "tests" / "outputs").is_dir()


def test_pages_have_the_addresses_that_the_site_gives_them(tmp_path: Path) -> None:
    for name in ("index.md", "reindex.md", "part/index.md", "part/one.md", "labs/one.ipynb"):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    assert {url for _, url in pages_of(tmp_path)} == {"", "reindex/", "part/", "part/one/", "labs/one/"}


def refused(site: SmallSite) -> list[str]:
    """What the build would refuse because nobody has approved it."""
    press = Press(site.root)
    press.prepare(pages_of(site.root))
    assert press.faults == []
    return [str(fault).split("\n")[0] for fault in unapproved(press)]


def test_the_build_refuses_what_a_panel_prints_otherwise_than_was_approved(small_site: SmallSite) -> None:
    assert refused(small_site) == []
    assert approve(small_site.root) == 0
    assert refused(small_site) == []
    small_site.replace('"the total is"', '"the sum is"')
    said = "it prints or names something else than was approved:"
    assert refused(small_site) == [f"docs/lessons/one.md:10: panel 1.1: {said}"]
    small_site.replace('"the sum is"', '"the total is"')
    small_site.replace('figure("total", total)', 'figure("total", total)\nfigure("twice", total * 2)')
    small_site.replace('check("The', '\n\ncheck("The')
    assert refused(small_site) == [f"docs/lessons/one.md:12: panel 1.1: {said}"]
    [(status, told)] = small_site.build_with(("-q",))
    assert status != 0
    assert "+twice = 12" in told


def test_the_build_refuses_a_panel_that_no_longer_makes_an_approved_claim(small_site: SmallSite) -> None:
    small_site.replace('check("The', 'check("It is above zero", total > 0, True)\ncheck("The')
    assert approve(small_site.root) == 0
    small_site.replace('check("It is above zero", total > 0, True)\n', "")
    said = "the claim “It is above zero” was approved, and no check makes it now"
    assert refused(small_site) == [f"docs/lessons/one.md:10: panel 1.1: {said}"]
    [(status, told)] = small_site.build_with(("-q",))
    assert status != 0
    assert said in told
