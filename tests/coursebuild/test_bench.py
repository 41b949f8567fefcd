"""The pure parts of the benches: the bare copy of a page, the weight of a built page, turns and ratios, the table.

What is measured in a browser is looked at in tests/browser/test_bench.py.
"""

import gzip
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pytest

from coursebuild import bench, bench_libraries, cache
from coursebuild.bench import (
    MODULE,
    NotMeasured,
    Row,
    build,
    build_keeping,
    compressed,
    configuration,
    copy_labs,
    copy_project,
    edited,
    measure_kept,
    plain,
    table,
    weight,
)
from coursebuild.bench_libraries import ONE_THREAD, Prepared, by_turns, require_same
from coursebuild.bench_pages import BARE, BARE_NAME, Seen, growth, measure_paint, rows_of_a_page, serving
from coursebuild.browser import FLAGS, NAMES, find_chromium

from .conftest import SmallSite

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]

LESSON = """\
# A lesson

```python exec="on" id="1.1" title="Adding"
print("the total is", 6)
```

```python listing="nextword.bpe.count_pairs"
```

??? question "Why?"

    ```drawing draw="merge_tree" panel="1.1"
    A caption.
    ```

````markdown
```python exec="on" id="1.2" title="An example"
```
````
"""


def test_the_bare_page_keeps_the_blocks_and_loses_their_options() -> None:
    bare = plain(LESSON)
    assert bare.splitlines()[2] == "```python"
    assert bare.splitlines()[6] == "```python"
    assert "    ```text\n    A caption.\n    ```" in bare
    assert len(bare.splitlines()) == len(LESSON.splitlines())
    assert '```python exec="on" id="1.2"' in bare, "an example inside another block stays as it is"


def test_the_bare_configuration_has_no_press(tmp_path: Path) -> None:
    bare = configuration(ROOT / "mkdocs.yml", bare=True)
    ours = configuration(ROOT / "mkdocs.yml", bare=False)
    for word in ("coursebuild.extension", "hooks"):
        assert word not in bare
        assert word in ours
    for text in (bare, ours):
        assert "mkdocs-jupyter" not in text
        assert ".ipynb" not in text
        assert "name: material" in text


COPIES: dict[str, Callable[[Path, Path], None]] = {
    "ours": lambda root, to: copy_project(root, to, bare=False),
    "bare": lambda root, to: copy_project(root, to, bare=True),
    "ours with labs": lambda root, to: copy_project(root, to, bare=False, has_labs=True),
    "bare with labs": lambda root, to: copy_project(root, to, bare=True, has_labs=True),
    "labs": lambda root, to: copy_labs(root, to, bare=False),
    "bare labs": lambda root, to: copy_labs(root, to, bare=True),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", COPIES)
def test_a_copy_of_the_project_has_all_that_a_build_begins_with(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A whole build takes minutes, so the bench alone would find what is missing."""
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    COPIES[name](ROOT, tmp_path / "copy")
    code = (
        "from mkdocs.config import load_config; from mkdocs.structure.files import get_files\n"
        "config = load_config('mkdocs.yml', strict=True); config.plugins.on_startup(command='build', dirty=False)\n"
        "config = config.plugins.on_config(config); files = get_files(config)\n"
        "print([file.src_uri for file in files])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path / "copy", capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert (".ipynb" in done.stdout) == ("labs" in name)


def test_the_copy_of_the_labs_has_each_anchor_of_how_to_run_them(tmp_path: Path) -> None:
    copy_labs(ROOT, tmp_path / "copy", bare=False)
    here, there = (
        re.findall(r"^#+ .*", (root / "docs/how-to-use.md").read_text(encoding="utf-8"), re.MULTILINE)
        for root in (ROOT, tmp_path / "copy")
    )
    assert here == there != []


def test_a_build_says_how_much_it_ran(small_site: SmallSite) -> None:
    assert build_keeping(small_site.root)[1] is None, "nothing was kept before"
    assert build_keeping(small_site.root)[1] == 0
    build(small_site.root)
    path = small_site.root / "src/nextword/checks.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n# Saved.\n", encoding="utf-8")
    assert build_keeping(small_site.root)[1] is None, "the one run of the site is run again"
    assert build_keeping(small_site.root)[1] == 0


def kept_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int, ran: dict[str, int | None]
) -> list[str]:
    """The lines of the report on a site whose builds take given times and run given numbers of things."""
    lesson, module = tmp_path / "ours/docs/lessons/one.md", tmp_path / "ours" / MODULE
    for path, text in ((lesson, LESSON), (module, "x = 1\n")):
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    seconds = {"cold": 9.0, "again": 2.0, "page": 3.0, "module": 5.0}

    def build_keeping(site: Path) -> tuple[float, int | None]:
        kept = site / cache.FOLDER
        is_cold = not kept.exists()
        kept.mkdir(parents=True, exist_ok=True)
        if module.read_text(encoding="utf-8") != "x = 1\n":
            what = "module"
        elif lesson.read_text(encoding="utf-8") != LESSON:
            what = "page"
        else:
            what = "cold" if is_cold else "again"
        return seconds[what], ran[what]

    monkeypatch.setattr(bench, "build", lambda site: 4.0)
    monkeypatch.setattr(bench, "build_keeping", build_keeping)
    rows = list(measure_kept(tmp_path / "ours", tmp_path / "bare", times))
    assert (lesson.read_text(encoding="utf-8"), module.read_text(encoding="utf-8")) == (LESSON, "x = 1\n")
    return [" ".join(line.split()) for line in table(rows).splitlines()[2:]]


def test_it_is_measured_what_keeping_runs_saves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ran: dict[str, int | None] = {"cold": None, "again": 0, "page": 0, "module": 7}
    assert kept_rows(tmp_path, monkeypatch, 2, ran) == [
        "the bare build with labs, minimum of 2 4.00 s",
        "whole build with labs, cold 9.00 s",
        "whole build with labs, again 2.00 s 4.00 s 0.50",
        "of which it ran again, at most 0 runs",
        "whole build with labs, after an edit of a page 3.00 s 4.00 s 0.75",
        "of which it ran again, at most 0 runs",
        "whole build with labs, after an edit of attention.py 5.00 s",
        "of which it ran again, at most 7 runs",
    ]


def test_a_build_that_keeps_nothing_is_no_measurement_of_keeping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(NotMeasured, match="again, the build ran everything"):
        kept_rows(tmp_path, monkeypatch, 1, dict.fromkeys(("cold", "again", "page", "module")))


def test_no_setting_of_the_caller_decides_what_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    monkeypatch.setenv(cache.VARIABLE, "off")
    assert {"CI", cache.VARIABLE}.isdisjoint(bench.environment())


@pytest.mark.parametrize("kind", ["prose", "code"])
def test_an_edit_changes_what_is_shown(kind: str) -> None:
    for text in (LESSON, plain(LESSON)):
        assert edited(text, kind, "savedword").count("savedword") == 1
    assert '"Adding"\n# savedword\nprint' in edited(LESSON, "code", "savedword")


def test_a_lesson_without_code_cannot_be_edited_there() -> None:
    with pytest.raises(NotMeasured, match="no panel"):
        edited("# A lesson\n", "code", "savedword")


HTML = """\
<html><head>
<link rel="stylesheet" href="../assets/a.css"><link rel="icon" href="../assets/icon.png">
<link rel="canonical" href="https://example.org/one/"><link rel="next" href="../two/">
</head><body>
<img src="../assets/icon.png" alt=""><img src="../assets/late.png" loading="lazy" alt=""><a href="../two/">on</a>
<img src="data:image/png;base64,AAAA" alt="">
<script id="__config" type="application/json">{"base": "..", "search": "../assets/worker.js"}</script>
<script src="../assets/a.js"></script>
</body></html>
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    files = {
        "one/index.html": HTML,
        "assets/a.css": '@import "b.css"; p { background: url(data:image/png;base64,AAAA) }',
        "assets/b.css": "@font-face { src: url('f/text.woff2') format('woff2') } /* url(gone.png) */ "
        + "x{}" * 500,
        "assets/f/text.woff2": "w" * 900,
        "assets/icon.png": "p" * 700,
        "assets/late.png": "p" * 9000,
        "assets/a.js": "let a = 1;" * 100,
        "assets/worker.js": "let b = 1;" * 100,
        "search/search_index.json": "{}",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_the_weight_is_what_the_page_loads_by_itself(site: Path) -> None:
    found = weight(site, "one/")
    assert set(found) == {"html", "css", "fonts", "pictures", "js", "search"}
    assert found["html"] == len(gzip.compress(HTML.encode(), 9, mtime=0))
    assert found["css"] == sum(compressed(site / "assets" / name) for name in ("a.css", "b.css"))
    assert (found["fonts"], found["pictures"]) == (900, 700), "these are compressed already, and counted once"
    assert found["js"] < 1000


def test_what_cannot_be_weighed_is_said(site: Path) -> None:
    (site / "assets/a.js").unlink()
    with pytest.raises(NotMeasured, match=r"a\.js, which the site does not have"):
        weight(site, "one/")
    remote = '<script src="https://example.org/x.js"></script>'
    (site / "one/index.html").write_text(remote, encoding="utf-8")
    with pytest.raises(NotMeasured, match="from another host"):
        weight(site, "one/")


def test_the_table_says_what_is_over_its_budget() -> None:
    lines = table(
        [
            Row("build", 1.5, 2.0, "s"),
            Row("save", 3.0, 2.0, "s"),
            Row("page", 166288, 200000, "B"),
            Row("js", 5, None, "B"),
        ]
    ).splitlines()
    assert [line.split() for line in lines] == [
        ["what", "measured", "budget", "ratio"],
        ["-" * len(lines[1])],
        ["build", "1.50", "s", "2.00", "s", "0.75"],
        ["save", "3.00", "s", "2.00", "s", "1.50", "OVER"],
        ["page", "166,288", "B", "200,000", "B", "0.83"],
        ["js", "5", "B"],
    ]


# What a phone waits for.

WORDS = " ".join(f"word{number}" for number in range(300))
PLAIN = f"<html><head></head><body><pre>{WORDS}</pre></body></html>"
POLICY = """<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self'">"""
BAR = (
    '<div class="live" data-panel="1.1" data-program="../programs/1.1.py">'
    '<button class="live__run" type="button">Run</button><button class="live__edit" type="button">Edit</button></div>'
)
CSS = "p { margin: 0 }\n" + "".join(f".a{number} {{ top: {number}px }}\n" for number in range(50))
LIVE_CSS = ".live { display: flex }\n@media print {\n  .live, .live button { display: none }\n}\n"


def live_site(folder: Path, html: str, css: str) -> Path:
    files = {
        "one/index.html": html,
        "two/index.html": PLAIN,
        "assets/css/course.css": css,
        "assets/js/course.js": "f();" * 9,
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


def test_what_live_panels_add_is_the_difference_to_the_page_without_them(tmp_path: Path) -> None:
    html = PLAIN.replace("<head>", f'<head>{POLICY}<meta name="course-live" content="../assets/live/0a/">')
    html = html.replace("</pre>", f"</pre>{BAR}")
    site = live_site(tmp_path, html, CSS + LIVE_CSS)
    sizes = {
        text: len(gzip.compress(text.encode(), 9, mtime=0)) for text in (html, PLAIN, CSS + LIVE_CSS, CSS)
    }
    added = sizes[html] - sizes[PLAIN] + compressed(site / "assets/js/course.js")
    rules = sizes[CSS + LIVE_CSS] - sizes[CSS]
    assert added < growth(site, "one/") <= added + rules
    assert rules - 20 <= growth(site, "one/") - added, "but for what is left of the empty print rule"
    with pytest.raises(NotMeasured, match="two/ has no live panel"):
        growth(site, "two/")


def test_the_largest_paint_is_budgeted_by_the_bare_page_and_the_page_s_weight() -> None:
    seen = [Seen(3.0, 0.0), Seen(2.0, 0.03), Seen(4.0, 0.01)]
    bare = [Seen(0.5, 0.0), Seen(1.0, 0.0), Seen(0.6, 0.0)]
    lines = [
        line.split() for line in table(list(rows_of_a_page("one/", 200_000, seen, bare))).splitlines()[2:]
    ]
    assert lines == [
        ["one/,", "largest", "paint,", "minimum", "of", "3", "2.00", "s", "2.25", "s", "0.89"],
        ["one/,", "largest", "paint,", "median", "of", "3", "3.00", "s", "2.40", "s", "1.25", "OVER"],
        ["the", "bare", "page,", "minimum", "0.50", "s"],
        ["shifts,", "worst", "0.03", "0.02", "1.50", "OVER"],
    ]


def test_pages_are_sent_compressed_and_what_is_sent_is_counted(tmp_path: Path) -> None:
    site = live_site(tmp_path, PLAIN, CSS)
    with serving(site) as server:
        for name, text in (("one/", PLAIN), ("assets/css/course.css", CSS), (BARE_NAME, BARE)):
            before = server.sent
            with urllib.request.urlopen(server.url + name) as answer:
                data = answer.read()
                assert answer.headers["Content-Encoding"] == "gzip"
            assert gzip.decompress(data).decode() == text
            assert server.sent - before == len(data)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(server.url + "three/")


def test_without_a_browser_its_rows_are_said_to_be_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "nowhere"))
    with pytest.raises(NotMeasured, match=r"no Chromium was found\. Install Chromium"):
        next(measure_paint(tmp_path, ["one/"], 1))


def test_a_browser_is_the_one_that_is_named_or_the_first_that_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("google-chrome", "chromium-browser", "mine"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CHROMIUM", raising=False)
    assert NAMES.index("chromium-browser") < NAMES.index("google-chrome")
    assert find_chromium() == str(tmp_path / "chromium-browser")
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "mine"))
    assert find_chromium() == str(tmp_path / "mine")
    monkeypatch.setenv("CHROMIUM", "no-such-browser")
    assert find_chromium() is None
    assert any("MAP * ~NOTFOUND" in flag for flag in FLAGS), "no page of a bench asks another host"


# The real libraries.


def busy(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def test_the_sides_run_by_turns_and_only_their_run_is_timed() -> None:
    said: list[str] = []

    def side(name: str, prepared: float, taken: float) -> Prepared:
        def run() -> None:
            said.append(name)
            busy(taken)

        def prepare() -> Callable[[], None]:
            busy(prepared)
            return run

        return prepare

    ours, theirs = by_turns([side("ours", 0.2, 0.0), side("theirs", 0.0, 0.02)], 3)
    assert said == ["ours", "theirs", "theirs", "ours", "ours", "theirs"]
    assert len(ours) == len(theirs) == 3
    assert max(ours) < 0.2, "what is made ready is not timed"
    assert min(theirs) >= 0.02


def test_the_ratio_of_two_sides_has_the_budget() -> None:
    taken = [[0.5, 0.3, 0.4], [0.1, 0.5, 0.2]]
    found = list(bench_libraries.rows("training", 2.5, ("ours", "theirs"), taken))
    lines = [line.split() for line in table(found).splitlines()[2:]]
    assert lines == [
        ["training,", "minimum", "of", "3", "3.00", "x", "2.50", "x", "1.20", "OVER"],
        ["training,", "median", "of", "3", "2.00", "x", "2.50", "x", "0.80"],
        ["ours,", "minimum", "300.00", "ms"],
        ["ours,", "median", "400.00", "ms"],
        ["theirs,", "minimum", "100.00", "ms"],
        ["theirs,", "median", "200.00", "ms"],
    ]


def test_different_results_are_not_compared() -> None:
    require_same("encoding", True)
    with pytest.raises(NotMeasured, match="encoding: the two sides do not give the same"):
        require_same("encoding", False)


def test_without_the_libraries_each_part_is_said_to_be_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("tokenizers", "torch"):
        monkeypatch.setitem(sys.modules, name, None)
    for name in ONE_THREAD:
        monkeypatch.setenv(name, "2")
    monkeypatch.setattr(sys, "argv", ["bench_libraries", "--root", str(ROOT)])
    assert bench_libraries.main() == 1
    assert {name: os.environ[name] for name in ONE_THREAD} == ONE_THREAD
    said = capsys.readouterr()
    assert [line.split(":")[0] for line in said.err.splitlines()] == ["not measured"] * 2
    assert "tokenizers" in said.err.splitlines()[0]
    assert "torch" in said.err.splitlines()[1]
    assert not said.out


def test_an_import_starts_no_library() -> None:
    """They read how many threads they may start when they are imported."""
    code = "import coursebuild.bench_libraries, sys; print({*sys.modules} & {'numpy', 'torch', 'tokenizers'})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
