"""Approving: what is accepted, what is said, and what never is."""

from pathlib import Path

import pytest

from coursebuild.approval import approve, pages_of

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
