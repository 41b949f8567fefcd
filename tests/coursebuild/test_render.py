"""What a panel shows beside its code: whose names it goes on with, and the files that its program needs."""

import shutil
from pathlib import Path

from coursebuild import render
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


def pressed(tmp_path: Path) -> Press:
    shutil.copytree(ROOT / "src" / "nextword", tmp_path / "src" / "nextword")
    data = "docs/assets/data"
    sources = "small.txt: from nowhere, free to all\n"
    files = {"docs/one.md": PAGE, f"{data}/small.txt": "to be or not\n", f"{data}/README.txt": sources}
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
