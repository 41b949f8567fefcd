"""What a panel shows beside its code: whose names it goes on with, the files that its program needs, and its bar."""

import dataclasses
import re
import shutil
from pathlib import Path
from urllib.parse import urljoin

import pytest

from coursebuild import exercises, render
from coursebuild.library import Library
from coursebuild.press import Press

from .conftest import ROOT

PAGE = """\
# A page

```python exec="on" id="one.1" title="First" session="one.1" data="small.txt"
from pathlib import Path

from nextword.checks import check

words = Path("small.txt").read_text(encoding="utf-8").split()
print(len(words))
check("There are words", len(words) > 0, True)
```

```python exec="on" id="one.2" title="Then" session="one.1"
check("The first word is to", words[0], "to")
```
"""

ALONE = """
```python exec="on" id="one.3" title="Alone"
from nextword.checks import check

words = "a b".split()
check("Two words", len(words), 2)
```
"""


def pressed(tmp_path: Path, page: str = PAGE) -> Press:
    shutil.copytree(ROOT / "src" / "nextword", tmp_path / "src" / "nextword")
    data = "docs/assets/data"
    sources = "small.txt: from nowhere, free to all\n"
    files = {"docs/one.md": page, f"{data}/small.txt": "to be or not\n", f"{data}/README.txt": sources}
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    press = Press(tmp_path)
    press.prepare([(tmp_path / "docs/one.md", "one/")])
    assert press.faults == []
    return press


def test_a_panel_says_which_one_it_continues(tmp_path: Path) -> None:
    press = pressed(tmp_path)
    first, then = (render.panel(press, press.panels[ident], "") for ident in ("one.1", "one.2"))
    assert "continues" not in first
    assert '(continues <a href="#panel-one.1">one.1</a>)' in then


def test_a_panel_offers_the_files_of_those_that_it_continues(tmp_path: Path) -> None:
    press = pressed(tmp_path)
    for ident in ("one.1", "one.2"):
        shown = render.panel(press, press.panels[ident], "")
        assert f'href="{render.ROOT}assets/data/small.txt">small.txt</a>' in shown
        assert (
            press.programs[ident].splitlines()[0].endswith("it needs small.txt beside it, and Python alone.")
        )


def test_a_number_leads_to_the_output_where_there_is_one(tmp_path: Path) -> None:
    press = pressed(tmp_path)
    assert render.output_anchor(press, "one.1") == "panel-one.1-output"
    assert f'id="{render.output_anchor(press, "one.1")}"' in render.panel(press, press.panels["one.1"], "6")
    assert render.output_anchor(press, "one.2") == "panel-one.2"
    assert "panel-one.2-output" not in render.panel(press, press.panels["one.2"], "")


def bar_of(html: str) -> dict[str, str]:
    """The attributes of the one bar of a panel."""
    (found,) = re.findall(r'<div class="live"([^>]*)>', html)
    return dict(re.findall(r'(data-[a-z]+)="([^"]*)"', found))


def test_a_panel_has_a_bar_with_its_program_and_the_files_that_this_needs(tmp_path: Path) -> None:
    press = pressed(tmp_path)
    for ident in ("one.1", "one.2"):
        shown = render.panel(press, press.panels[ident], "1")
        bar = bar_of(shown)
        assert bar["data-panel"] == ident
        assert bar["data-program"] == f"{render.ROOT}programs/{ident}.py"
        site = "https://a.host/course/"
        program = urljoin(site, bar["data-program"].removeprefix(render.ROOT))
        needed = [urljoin(program, file) for file in bar["data-files"].split()]
        assert needed == [f"{site}assets/data/small.txt"]
        assert (
            'class="live__run" type="button">Run<' in shown
            and 'class="live__edit" type="button">Edit<' in shown
        )
    assert shown.index('class="live"') < shown.index("panel__output")
    assert "data-search-exclude" in shown[shown.index('class="live"') :].split(">")[0]


def test_a_panel_without_files_names_none(tmp_path: Path) -> None:
    press = pressed(tmp_path, PAGE + ALONE)
    assert "data-files" not in bar_of(render.panel(press, press.panels["one.3"], ""))


def test_a_panel_of_the_second_lane_has_no_bar(tmp_path: Path) -> None:
    press = pressed(tmp_path)
    needs = dataclasses.replace(press.panels["one.1"], needs=("torch",))
    assert "live" not in render.panel(press, needs, "")
    del press.programs["one.1"]
    assert "live" not in render.panel(press, press.panels["one.1"], "")


@pytest.mark.parametrize(("ident", "answer"), [("17.1", "answer"), ("17.3", "merge"), ("19.2", "answer")])
def test_an_exercise_has_a_bar_that_names_the_answer(tmp_path: Path, ident: str, answer: str) -> None:
    asked = exercises.read(Library(ROOT / "src"), ident)
    assert bar_of(render.exercise_start(pressed(tmp_path), asked)) == {
        "data-panel": f"exercise-{ident}",
        "data-exercise": ident,
        "data-answer": answer,
    }
