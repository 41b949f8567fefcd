"""The notebooks that stand for our panels beside MyST-NB run and print what the panels print, and the figures are read right."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from coursebuild import bench_peers
from coursebuild.bench import NotMeasured
from coursebuild.bench_peers import Built
from coursebuild.press import parse
from coursebuild.source import Line

from .conftest import LESSON, PANEL, ROOT, SmallSite

pytestmark = pytest.mark.once

PAGE = """\
# A page

Before.

```python exec="on" id="1.1" title="One" session="1.1"
a = 1
```

Between.

```python exec="on" id="1.2" title="Two" session="1.1"
b = a + 1
```

```python exec="on" id="1.3" title="Three"
a = "other"
```

```python exec="on" id="1.4" title="Four" session="1.1"
print(a)
```

After.
"""


def cells(text: str, kind: str) -> list[str]:
    content: dict[str, Any] = json.loads(text)
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == kind]


def test_a_page_is_its_text_and_a_cell_for_each_panel() -> None:
    parsed = parse("docs/page.md", PAGE)
    text = bench_peers.notebook(parsed.source.prose, parsed.panels)
    assert cells(text, "markdown") == ["# A page\n\nBefore.\n", "\nBetween.\n", "\nAfter."]
    one, two, three, four = (panel.code for panel in parsed.panels)
    assert cells(text, "code") == [one, two, three, f"{one}\n{four}"]
    assert all(cell.get("outputs", []) == [] for cell in json.loads(text)["cells"])
    assert cells(bench_peers.notebook([Line(1, "Words.")], []), "code") == []


@pytest.mark.slow
def test_the_notebooks_run_as_they_are(tmp_path: Path) -> None:
    """Each in one namespace, in the order of its cells: those that mix panels of a session with others, and two more."""
    count = bench_peers.project_of_sphinx(ROOT, tmp_path)
    written = {path.parent.name: path for path in tmp_path.glob("*/page.ipynb")}
    assert count == sum(len(cells(path.read_text("utf-8"), "code")) for path in written.values()) > 60
    contents = (tmp_path / "index.md").read_text(encoding="utf-8")
    assert all(f"\n{name}/page\n" in contents for name in written)
    for name in ("further-smoothing", "further-decoding", "lessons-17-tokenization", "foundations-entropy"):
        code = "\n".join(cells(written[name].read_text(encoding="utf-8"), "code"))
        command = [sys.executable, "-X", "utf8", "-W", "error", "-c", code]
        done = subprocess.run(
            command, cwd=written[name].parent, env={"PYTHONPATH": str(ROOT / "src")}, capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b""), f"{name}: {done.stderr.decode()[-2000:]}"
        assert done.stdout.count(b"\nok   ") > 5


@pytest.mark.slow
def test_our_build_says_how_much_it_ran(small_site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "COURSE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    another = PANEL.replace('id="1.1"', 'id="1.2"').replace("[1, 2, 3]", "[3, 2, 1]")
    small_site.write(LESSON.replace("Back to", f"{another}\nBack to"))
    assert bench_peers.ours(small_site.root).ran == "all runs"
    assert bench_peers.ours(small_site.root).ran == "0 runs"
    small_site.replace("[3, 2, 1]", "[2, 1, 3]")
    assert bench_peers.ours(small_site.root).ran == "1 run"
    small_site.replace("[[1.1.total]]", "[[1.1.none]]")
    with pytest.raises(NotMeasured, match="mkdocs build failed"):
        bench_peers.ours(small_site.root)


def test_an_edit_is_of_both_sides_and_changes_no_result(tmp_path: Path) -> None:
    site, project = tmp_path / "ours", tmp_path / "theirs"
    for name in (bench_peers.LESSON, bench_peers.MODULE):
        (site / name).parent.mkdir(parents=True)
        (site / name).write_bytes((ROOT / name).read_bytes())
    bench_peers.project_of_sphinx(site, project)
    page = project / "lessons-20-attention" / "page.ipynb"
    before = cells(page.read_text(encoding="utf-8"), "code")
    bench_peers.edit_panel(site, project)
    after = cells(page.read_text(encoding="utf-8"), "code")
    assert after == [bench_peers.MARK + before[0], *before[1:]]
    lesson = (site / bench_peers.LESSON).read_text(encoding="utf-8")
    assert lesson.count(bench_peers.MARK) == 1
    assert lesson.replace(bench_peers.MARK, "") == (ROOT / bench_peers.LESSON).read_text(encoding="utf-8")
    bench_peers.edit_module(site)
    module = (ROOT / bench_peers.MODULE).read_text(encoding="utf-8")
    assert (site / bench_peers.MODULE).read_text(encoding="utf-8") == module + bench_peers.MARK


def test_the_table() -> None:
    rows = [("cold", Built(40.04, "all runs"), Built(60.06, "20 notebooks"))]
    assert bench_peers.table(rows).split("\n") == [
        "what  ours              MyST-NB",
        "-" * 44,
        "cold  40.0 s, all runs  60.1 s, 20 notebooks",
    ]


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"CI": "true"}, "CI is set, so that our build keeps no runs"),
        ({}, "is not installed; make bench installs it"),
    ],
)
def test_what_cannot_be_measured_is_said(
    variables: dict[str, str], said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("CI", "COURSE_CACHE"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(sys, "argv", ["bench_peers", "--root", str(ROOT)])
    monkeypatch.setattr(bench_peers, "PEERS", ("no-such-package",))
    assert bench_peers.main() == 1
    assert said in capsys.readouterr().err
