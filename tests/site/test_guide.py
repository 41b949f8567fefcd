"""The author's guide: its own blocks, put together as it says, make a page that the press accepts."""

import re
import shutil
from pathlib import Path

import pytest

from coursebuild.press import Press
from coursebuild.refusals import KINDS

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
GUIDE = (ROOT / "docs" / "reference" / "authoring.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    """The blocks of one language about the page of the guide, in its order; the exercise is of another page."""
    found = re.findall(rf"^(?P<f>`{{3,4}}){language}\n(.*?)^(?P=f)$", GUIDE, re.MULTILINE | re.DOTALL)
    return [block for block in found if "```exercise" not in block[1]]


def banana(steps: int) -> str:
    """The page that a reader of the guide has after some of its steps."""
    page = "\n".join(text for _, text in blocks("markdown")[:steps])
    if steps == len(blocks("markdown")):
        added = [line[1:] for line in blocks("diff")[0][1].splitlines() if line.startswith("+")]
        page = page.replace('figure("first_count"', "\n".join(added) + '\nfigure("first_count"', 1)
    return page


def pressed(tmp_path: Path, page: str) -> Press:
    shutil.copytree(ROOT / "src" / "nextword", tmp_path / "src" / "nextword")
    path = tmp_path / "docs" / "further" / "banana.md"
    path.parent.mkdir(parents=True)
    path.write_text(page, encoding="utf-8")
    press = Press(tmp_path)
    press.prepare([(path, "further/banana/")])
    return press


def test_the_page_of_the_guide_is_accepted(tmp_path: Path) -> None:
    assert len(blocks("markdown")) == 7
    press = pressed(tmp_path, banana(7))
    assert press.faults == []
    assert press.draw("merge_tree", "banana.1").startswith("<svg")


def test_the_page_before_the_drawing_has_its_figures_is_refused_as_the_guide_says(tmp_path: Path) -> None:
    page = "\n".join(text for _, text in blocks("markdown"))
    [fault] = pressed(tmp_path, page).faults
    [said] = [text.strip() for _, text in blocks("console") if "merge_tree block" in text]
    assert str(fault).split(": ", 1)[1] in said


def test_the_broken_check_is_refused_as_the_guide_says(tmp_path: Path) -> None:
    page = banana(2).replace('merges[0].symbol, "an")', 'merges[0].symbol, "na")')
    [fault] = pressed(tmp_path, page).faults
    [said] = [text.strip() for _, text in blocks("console") if "got 'an', expected 'na'" in text]
    assert str(fault) == said


def test_each_message_on_the_guide_says_what_to_do_and_its_kind() -> None:
    said = "\n".join(text for _, text in blocks("console"))
    places = re.findall(r"^(?:docs|src)/\S+:\d+: ", said, re.MULTILINE)
    kinds = re.findall(r"^    what to do: .+ \[([a-z-]+)\]$", said, re.MULTILINE)
    assert len(kinds) == len(places) > 5
    assert set(kinds) <= set(KINDS)


def test_the_panel_on_the_guide_is_the_panel_that_it_teaches() -> None:
    taught = re.search(r'```python exec="on" id="banana\.1".*?```', GUIDE, re.DOTALL)
    shown = re.search(r'```python exec="on" id="guide\.1".*?```', GUIDE, re.DOTALL)
    assert taught
    assert shown
    added = [line[1:] + "\n" for line in blocks("diff")[0][1].splitlines() if line.startswith("+")]
    without = shown[0]
    for line in added:
        without = without.replace(line, "")
    assert without == taught[0].replace("banana.1", "guide.1")
