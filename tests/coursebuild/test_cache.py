"""What is kept of runs: nothing stale is ever shown, and nothing runs again without need."""

import json
import os
import py_compile
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from coursebuild import cache, runner
from coursebuild.approval import pages_of
from coursebuild.cache import Cache
from coursebuild.harness import Reads
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.runner import Execution, Surroundings

from .conftest import SmallSite

MODULES = {
    "adding.py": "from nextword import subtracting\n\n\ndef add(a, b):\n    return subtracting.less(a) + b\n",
    "subtracting.py": "def less(a):\n    return a\n",
    "unused.py": "x = 1\n",
}
HEAD = "total = sum([1, 2, 3])"
WAYS = {
    "plain": "from nextword.adding import add\ntotal = add(2, 4)",
    "importlib": "import importlib\ntotal = importlib.import_module('nextword.adding').add(2, 4)",
    "late": "def f():\n    import nextword.adding as a\n    return a.add(2, 4)\ntotal = f()",
    "exec": "exec('from nextword.adding import add')\ntotal = add(2, 4)",
}


@pytest.fixture
def site(small_site: SmallSite) -> SmallSite:
    for name, text in MODULES.items():
        small_site.write(text, f"src/nextword/{name}")
    return small_site


class Runs:
    """The panels that a build ran, and did not take from the cache; each build begins in a new press, like a process."""

    def __init__(self, site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
        self.site, self.ran = site, list[str]()
        self.folder: Path | None = site.root / cache.FOLDER
        self.around = Surroundings(source=site.root / "src")
        plain = runner.execute

        def execute(panel: Panel, around: Surroundings) -> Execution:
            self.ran.append(panel.ident)
            return plain(panel, around)

        monkeypatch.setattr(runner, "execute", execute)

    def of_build(self) -> list[str]:
        self.ran.clear()
        self.press = Press(self.site.root, self.around, Cache(self.site.root, self.folder))
        self.press.prepare(pages_of(self.site.root))
        return self.ran


@pytest.fixture
def runs(site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> Runs:
    return Runs(site, monkeypatch)


@pytest.mark.once
def test_what_did_not_change_does_not_run_again(runs: Runs) -> None:
    assert runs.of_build() == ["1.1"]
    first = runs.press.results["1.1"]
    assert runs.of_build() == []
    assert runs.press.results["1.1"] == first
    kept = runs.press.cache
    assert kept
    assert (kept.served, kept.missed) == (1, 0)


CHANGED: dict[str, tuple[str, str]] = {
    "its code": ('print("the total is", total)', 'print("the sum is", total)'),
    "a comment in it": (HEAD, f"{HEAD}  # 6"),
    "its id": ('id="1.1"', 'id="1.2"'),
}
UNCHANGED: dict[str, tuple[str, str]] = {
    "its title": ('title="Adding"', 'title="Sums"'),
    "the prose": ("Some prose", "Some more prose"),
    "its place": ("# A lesson\n", "# A lesson\n\nA sentence.\n"),
}


@pytest.mark.parametrize("what", [*CHANGED, *UNCHANGED])
@pytest.mark.once
def test_an_edit_of_the_page_runs_the_panel_again_if_it_is_in_the_code(runs: Runs, what: str) -> None:
    runs.site.replace("[[1.1.total]] and [[1.1.total:.1f]]", "nothing")
    runs.site.write("# The front page\n", "docs/index.md")
    runs.of_build()
    runs.site.replace(*{**CHANGED, **UNCHANGED}[what])
    assert len(runs.of_build()) == (what in CHANGED)
    assert runs.press.faults == []


@pytest.mark.once
def test_a_panel_runs_again_with_one_that_it_continues(runs: Runs) -> None:
    more = '```python exec="on" id="1.2" title="On" session="1.1"\nfrom nextword.checks import check\ncheck("It is", total, 6)\n```\n'
    runs.site.replace('id="1.1"', 'id="1.1" session="1.1"')
    runs.site.replace("Back to", f"{more}\nBack to")
    assert sorted(runs.of_build()) == ["1.1", "1.2"]
    assert runs.of_build() == []
    runs.site.replace(HEAD, "total = 2 * 3")
    assert sorted(runs.of_build()) == ["1.1", "1.2"]


@pytest.mark.parametrize("way", WAYS)
def test_an_edit_of_a_module_is_seen_however_it_is_imported(runs: Runs, way: str) -> None:
    runs.site.replace(HEAD, WAYS[way])
    assert runs.of_build() == ["1.1"]
    assert runs.of_build() == []
    runs.site.replace("x = 1", "x = 2", "src/nextword/unused.py")
    assert runs.of_build() == [], "no panel imports it"
    for name, old, new in [
        ("adding", "(a) + b", "(a) + b - 1"),
        ("subtracting", "return a", "return a + 1"),
        ("__init__", '"""', 'A = 1\n"""'),
    ]:
        path = runs.site.root / f"src/nextword/{name}.py"
        path.write_text(path.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
        assert runs.of_build() == ["1.1"], name


@pytest.mark.once
def test_who_edits_back_and_forth_waits_once(runs: Runs) -> None:
    runs.site.replace(HEAD, WAYS["plain"])
    path = "src/nextword/subtracting.py"
    runs.of_build()
    for number in range(cache.VARIANTS - 1):
        runs.site.replace("return a", f"return 0 * {number} + a", path)
        assert runs.of_build() == ["1.1"]
        runs.site.replace(f"return 0 * {number} + a", "return a", path)
        assert runs.of_build() == []
    [kept] = (runs.site.root / cache.FOLDER).glob("*.json")
    assert len(json.loads(kept.read_text(encoding="utf-8").partition("\n")[2])) == cache.VARIANTS
    runs.site.replace("return a", "return a - 0", path)
    assert runs.of_build() == ["1.1"]
    assert len(json.loads(kept.read_text(encoding="utf-8").partition("\n")[2])) == cache.VARIANTS


LOOKS: dict[str, tuple[str, Callable[[SmallSite], object]]] = {
    "a module that it can do without appears": (
        "try:\n    from nextword.fast import add\nexcept ImportError:\n    from nextword.adding import add\ntotal = add(2, 4)",
        lambda site: site.write("def add(a, b):\n    return 6\n", "src/nextword/fast.py"),
    ),
    "a package takes a module's place": (
        WAYS["plain"],
        lambda site: site.write("def add(a, b):\n    return 6\n", "src/nextword/adding/__init__.py"),
    ),
    "a module takes the place of one of Python's": (
        "import colorsys\ntotal = 6",
        lambda site: site.write("x = 1\n", "src/colorsys.py"),
    ),
    "a module takes the place of a package's": (
        "import packaging\ntotal = 6",
        lambda site: site.write("x = 1\n", "src/packaging.py"),
    ),
    "a module is gone": (
        "try:\n    from nextword.adding import add\nexcept ImportError:\n    add = max\ntotal = add(2, 4)",
        lambda site: (site.root / "src/nextword/adding.py").unlink(),
    ),
    "a package without a file of its own appears": (
        "import importlib.util\nfound = importlib.util.find_spec('nextword.more')\ntotal = 6",
        lambda site: site.write("", "src/nextword/more/one.py"),
    ),
    "the list of modules changes": (
        "import pkgutil, nextword\nnames = [m.name for m in pkgutil.iter_modules(nextword.__path__)]\ntotal = 6",
        lambda site: site.write("", "src/nextword/another.py"),
    ),
    "a file beside the module is read": (
        "from pathlib import Path\nimport nextword.unused as u\nPath(u.__file__).with_name('adding.py').read_text()\ntotal = 6",
        lambda site: site.replace("(a) + b", "(a) + b + 1", "src/nextword/adding.py"),
    ),
    "a file appears that was asked for": (
        "from pathlib import Path\nimport nextword.unused as u\nPath(u.__file__).with_name('table.txt').exists()\ntotal = 6",
        lambda site: site.write("", "src/nextword/table.txt"),
    ),
    "a link appears that was asked for": (
        "import os\nimport nextword.unused as u\nos.path.lexists(u.__file__.replace('unused.py', 'table.txt'))\ntotal = 6",
        lambda site: (site.root / "src/nextword/table.txt").symlink_to("unused.py"),
    ),
    "a file becomes a link": (
        "import nextword.unused as u\nfrom pathlib import Path\nPath(u.__file__).is_symlink()\ntotal = 6",
        lambda site: (
            (site.root / "src/nextword/unused.py")
            .rename(site.root / "src/nextword/same.py")
            .with_name("unused.py")
            .symlink_to("same.py")
        ),
    ),
    "a file takes a folder's place in a list": (
        "import os, nextword\nfolders = [e.name for e in os.scandir(nextword.__path__[0]) if e.is_dir()]\ntotal = 6",
        lambda site: (site.root / "src/nextword/place").rmdir() or site.write("", "src/nextword/place"),
    ),
    "a size in a list changes": (
        "import os, nextword\nsizes = [e.stat().st_size for e in os.scandir(nextword.__path__[0])]\ntotal = 6",
        lambda site: site.replace("return a", "return a + 1", "src/nextword/subtracting.py"),
    ),
    "a file is found behind a link to a folder": (
        "import nextword.unused as u\nwith open(u.__file__.replace('unused.py', 'inside/../one.txt')) as file:\n    file.read()\ntotal = 6",
        lambda site: site.write("2", "src/far/one.txt"),
    ),
    "a file's module is loaded by its path": (
        "import importlib.util as i, nextword.unused as u\nspec = i.spec_from_file_location('m', u.__file__.replace('unused', 'subtracting'))\n"
        "m = i.module_from_spec(spec)\nspec.loader.exec_module(m)\ntotal = 6",
        lambda site: site.replace("return a", "return a + 1", "src/nextword/subtracting.py"),
    ),
}


@pytest.mark.parametrize("what", LOOKS)
def test_what_a_run_looked_for_is_part_of_it(runs: Runs, what: str) -> None:
    code, change = LOOKS[what]
    runs.site.replace(HEAD, code)
    runs.site.write("1", "src/far/one.txt")
    for folder in ("src/far/inner", "src/nextword/place"):
        (runs.site.root / folder).mkdir()
    (runs.site.root / "src/nextword/inside").symlink_to("../far/inner", target_is_directory=True)
    assert runs.of_build() == ["1.1"]
    assert runs.press.results["1.1"].faults == ()
    assert runs.of_build() == []
    change(runs.site)
    assert runs.of_build() == ["1.1"]


@pytest.mark.once
def test_a_module_that_is_loaded_by_its_path_is_never_taken_from_a_compiled_file(runs: Runs) -> None:
    code, _ = LOOKS["a file's module is loaded by its path"]
    runs.site.replace(HEAD, code.replace("total = 6", "total = m.less(6)"))
    path = runs.site.root / "src/nextword/subtracting.py"
    py_compile.compile(str(path), doraise=True)
    assert runs.of_build() == ["1.1"]
    told = path.stat()
    path.write_text(path.read_text(encoding="utf-8").replace("return a", "return 7"), encoding="utf-8")
    os.utime(path, ns=(told.st_atime_ns, told.st_mtime_ns))
    assert path.stat().st_size == told.st_size
    assert runs.of_build() == ["1.1"]
    assert any("does not hold: got 7" in str(fault) for fault in runs.press.faults)


@pytest.mark.once
def test_an_environment_in_the_projects_own_folder_hides_no_source(tmp_path: Path) -> None:
    packages, source = tmp_path / "lib/site-packages/one.py", tmp_path / "src/nextword/one.py"
    reads = Reads(str(tmp_path), [str(tmp_path), str(packages.parent)])
    for path in (packages, source):
        path.parent.mkdir(parents=True)
        path.write_text("x = 1\n", encoding="utf-8")
        reads.note(path)
    assert [*reads.found] == ["src/nextword/one.py"]


def test_what_leads_to_the_packages_of_a_project_is_no_file_of_it(tmp_path: Path) -> None:
    """Python asks of each folder on the way whether it is a link, and lists the packages."""
    packages = tmp_path / "venv/lib/site-packages"
    packages.mkdir(parents=True)
    reads = Reads(str(tmp_path), [str(packages)])
    reads.note(str(packages))
    reads.note(str(packages), "/*")
    reads.note(str(packages / "one.py"))
    for folder in (packages, packages.parent, tmp_path / "venv"):
        reads.note(str(folder), "/@")
    assert reads.found == {}
    reads.note(str(tmp_path / "venv"))
    reads.note(str(tmp_path / "venv-of-mine"), "/@")
    assert set(reads.found) == {"venv", "venv-of-mine/@"}


@pytest.mark.once
def test_a_new_module_that_nothing_looked_for_runs_nothing(runs: Runs) -> None:
    runs.site.write('"""A package."""\n', "src/nextword/inner/__init__.py")
    runs.site.write("six = 6\n", "src/nextword/inner/one.py")
    runs.site.replace(HEAD, "import random\nfrom nextword.inner.one import six\ntotal = six")
    assert runs.of_build() == ["1.1"]
    for name in ("new.py", "inner/new.py", "inner/more/one.py"):
        runs.site.write("x = 1\n", f"src/nextword/{name}")
        assert runs.of_build() == [], name


def test_a_module_may_be_a_link(runs: Runs) -> None:
    folder = runs.site.root / "src/nextword"
    one, other = folder / "one.py", folder / "other.py"
    one.write_text("y = 2\n", encoding="utf-8")
    other.write_text("y = 2  # as well\n", encoding="utf-8")
    link = folder / "linked.py"
    link.symlink_to(one)
    runs.site.replace(HEAD, "from nextword.linked import y\ntotal = 3 * y")
    assert runs.of_build() == ["1.1"]
    assert runs.of_build() == []
    one.write_text("y = 1 + 1\n", encoding="utf-8")
    assert runs.of_build() == ["1.1"], "the file behind the link changed"
    link.unlink()
    link.symlink_to(other)
    assert runs.of_build() == ["1.1"], "the link leads elsewhere"


@pytest.mark.once
def test_a_source_that_is_linked_from_elsewhere_is_never_taken_for_unchanged(
    runs: Runs, tmp_path: Path
) -> None:
    source = runs.site.root / "src"
    source.rename(tmp_path / "real-src")
    source.symlink_to(tmp_path / "real-src", target_is_directory=True)
    runs.site.replace(HEAD, WAYS["plain"])
    runs.of_build()
    path = tmp_path / "real-src/nextword/subtracting.py"
    path.write_text("def less(a):\n    return a + 1 - 1\n", encoding="utf-8")
    assert runs.of_build() == ["1.1"]


@pytest.mark.once
def test_data_is_part_of_a_run(runs: Runs) -> None:
    runs.site.write("data.txt: ours.\n\nextra.txt: ours.\n", "docs/assets/data/README.txt")
    runs.site.write("6", "docs/assets/data/data.txt")
    runs.site.replace('id="1.1"', 'id="1.1" data="data.txt"')
    runs.site.replace(HEAD, "from pathlib import Path\ntotal = int(Path('data.txt').read_text())")
    assert runs.of_build() == ["1.1"]
    assert runs.press.faults == []
    runs.site.write("Other words.\n", "docs/assets/data/extra.txt")
    assert runs.of_build() == []
    runs.site.write("6\n", "docs/assets/data/data.txt")
    assert runs.of_build() == ["1.1"]


AROUND: dict[str, object] = {
    "hash_seed": "1",
    "timezone": "HST10",
    "locale": "C",
    "days": 1,
    "seconds": 29.0,
    "memory": 3 << 30,
}


@pytest.mark.parametrize("name", AROUND)
@pytest.mark.once
def test_surroundings_and_bounds_are_part_of_a_run(site: SmallSite, name: str) -> None:
    around = Surroundings(source=site.root / "src")
    panel = Panel("1.1", "", "pass", "one.md", 1)
    changed = replace(around, **{name: AROUND[name]})  # type: ignore[arg-type]
    assert cache.key_of_panel(panel, around) != cache.key_of_panel(panel, changed)
    assert cache.key_of_panel(panel, around) == cache.key_of_panel(panel, replace(around))


@pytest.mark.once
def test_python_and_packages_are_part_of_a_run(site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    around = Surroundings(source=site.root / "src")
    panel = Panel("1.1", "", "pass", "one.md", 1)
    folder = site.root / "lib/site-packages"
    folder.joinpath("some-1.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(folder)])
    seen = []

    def see() -> None:
        Cache(site.root, None).refresh()  # packages may be installed between two builds of one process
        seen.append(cache.key_of_panel(panel, around))

    see()
    folder.joinpath("__pycache__").mkdir()
    see()
    assert seen[0] == seen[1], "compiled files change nothing"
    folder.joinpath("some-1.0.dist-info").rename(folder / "some-1.1.dist-info")
    see()
    folder.joinpath("alone.py").write_text("x = 1", encoding="utf-8")
    see()
    other = site.root / "other/site-packages"
    other.joinpath("some-2.0.dist-info").mkdir(parents=True)
    monkeypatch.setattr(sys, "path", [*sys.path, str(other)])
    see()
    monkeypatch.setattr(sys, "path", [*sys.path[:-2], str(other), str(folder)])
    see()
    monkeypatch.setattr(sys, "version", sys.version.replace("3.", "3.9", 1))
    see()
    monkeypatch.setenv("LD_LIBRARY_PATH", "/elsewhere")
    see()
    monkeypatch.setattr(cache, "AT_START", ("another",))
    see()
    cache.interpreter.cache_clear()
    assert len(set(seen)) == len(seen) - 1


@pytest.mark.once
def test_a_press_that_was_edited_keeps_nothing_more(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    runs.of_build()
    monkeypatch.setattr(cache, "own_state", lambda: ("edited",))
    assert runs.of_build() == ["1.1"]
    assert runs.of_build() == ["1.1"]


FAILS = {
    "a false check": ("total, 6)", "total, 7)"),
    "an exception": (HEAD, "total = 1 / 0"),
    "an exit": (HEAD, "raise SystemExit(0)"),
    "a loop": (HEAD, "while True: pass"),
    "a warning": (HEAD, "import warnings\nwarnings.warn('x')\ntotal = 6"),
    "another process": (
        HEAD,
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', ''])\ntotal = 6",
    ),
    "a process that is spawned": (
        HEAD,
        "import multiprocessing\nfrom concurrent.futures import ProcessPoolExecutor\n"
        "with ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as pool:\n    total = pool.submit(sum, [1, 2, 3]).result()",
    ),
    "a library of another language": (
        HEAD,
        "import contextlib, ctypes\nwith contextlib.suppress(OSError):\n    ctypes.CDLL('./none.so')\ntotal = 6",
    ),
    "a file beside an open folder": (
        HEAD,
        "import os, nextword\nfolder = os.open(nextword.__path__[0], os.O_RDONLY)\n"
        "os.close(os.open('unused.py', os.O_RDONLY, dir_fd=folder))\nos.close(folder)\ntotal = 6",
    ),
    "a database": (HEAD, "import sqlite3\nsqlite3.connect(':memory:').close()\ntotal = 6"),
}


@pytest.mark.parametrize("what", FAILS)
@pytest.mark.once
def test_a_run_that_failed_or_was_not_wholly_seen_is_not_kept(runs: Runs, what: str) -> None:
    runs.around = replace(runs.around, seconds=2.0)
    runs.site.replace(*FAILS[what])
    assert runs.of_build() == ["1.1"]
    told = runs.press.faults
    assert runs.of_build() == ["1.1"]
    assert [str(fault)[:60] for fault in runs.press.faults] == [str(fault)[:60] for fault in told]


@pytest.mark.once
def test_a_file_that_changes_while_a_panel_runs_is_not_taken_for_what_was_read(
    runs: Runs, monkeypatch: pytest.MonkeyPatch
) -> None:
    runs.site.replace(HEAD, WAYS["plain"])
    plain = runner.execute
    path = runs.site.root / "src/nextword/adding.py"
    runs.site.write("def add(a, b):\n    return a + b\n", "src/nextword/adding.py")

    def execute(panel: Panel, around: Surroundings) -> Execution:
        done = plain(panel, around)
        path.write_text("def add(a, b):\n    return a + b + 1\n", encoding="utf-8")
        return done

    monkeypatch.setattr(runner, "execute", execute)
    runs.of_build()
    monkeypatch.setattr(runner, "execute", plain)
    runs.of_build()
    assert "does not hold: got 7" in str(runs.press.faults[0])


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "changed": lambda content: content.replace(b"the total is 6", b"the total is 7"),
    "not a text": lambda content: b"\xff" + content,
    "not sealed": lambda content: content.partition(b"\n")[2],
}


@pytest.mark.parametrize("what", DAMAGES)
@pytest.mark.once
def test_a_damaged_file_is_as_none(runs: Runs, what: str) -> None:
    runs.of_build()
    [path] = (runs.site.root / cache.FOLDER).glob("*.json")
    path.write_bytes(DAMAGES[what](path.read_bytes()))
    assert runs.of_build() == ["1.1"]
    assert runs.press.results["1.1"].output == "the total is 6"
    assert runs.of_build() == []


@pytest.mark.once
def test_a_file_under_the_name_of_another_run_is_as_none(tmp_path: Path) -> None:
    Cache(tmp_path, tmp_path / "kept").keep("one", "of one", {})
    tmp_path.joinpath("kept/one.json").rename(tmp_path / "kept/other.json")
    assert Cache(tmp_path, tmp_path / "kept").recall("other") is None


@pytest.mark.once
def test_a_folder_that_cannot_be_written_keeps_nothing(runs: Runs) -> None:
    runs.site.write("a file", str(cache.FOLDER))
    assert runs.of_build() == ["1.1"]
    assert runs.of_build() == ["1.1"]
    assert runs.press.faults == []


@pytest.mark.once
def test_nothing_half_written_stays(tmp_path: Path) -> None:
    kept = Cache(tmp_path, tmp_path / "kept")
    with pytest.raises(TypeError):
        kept.keep("a", object(), {})
    kept.keep("b", "\ud800", {})  # no UTF-8
    kept.keep("c", 1, {})
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["c.json"]


@pytest.mark.once
def test_what_nobody_asked_for_in_a_month_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    Cache(tmp_path, folder).keep("old", 1, {})
    Cache(tmp_path, folder).keep("used", 2, {})
    past = time.time() - (cache.DAYS + 1) * 24 * 3600
    for path in folder.iterdir():
        os.utime(path, (past, past))
    assert Cache(tmp_path, folder).recall("used")
    Cache(tmp_path, folder).keep("new", 3, {})
    assert sorted(path.stem for path in folder.iterdir()) == ["new", "used"]


@pytest.mark.once
def test_two_builds_at_once_are_safe(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom coursebuild.cache import Cache\n"
        "for number in range(300):\n"
        "    one = Cache(Path(sys.argv[1]), Path(sys.argv[1]) / 'kept')\n"
        "    one.keep('key', {'text': sys.argv[2] * 5000}, {})\n"
        "    found = one.recall('key')\n"
        "    assert found and len(set(found.value['text'])) == 1 and len(found.value['text']) == 5000\n"
    )
    running = [subprocess.Popen([sys.executable, "-c", program, str(tmp_path), letter]) for letter in "abc"]
    assert [process.wait(60) for process in running] == [0, 0, 0]
    assert [path.name for path in (tmp_path / "kept").iterdir()] == ["key.json"]


@pytest.mark.once
def test_it_is_off_in_ci_and_when_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.delenv(cache.VARIABLE)
    assert cache.of(tmp_path) is not None
    monkeypatch.setenv("CI", "true")
    assert cache.of(tmp_path) is None
    monkeypatch.delenv("CI")
    monkeypatch.setenv(cache.VARIABLE, "off")
    assert cache.of(tmp_path) is None


@pytest.mark.once
def test_a_whole_build_says_what_it_did_not_run(site: SmallSite) -> None:
    on = {"COURSE_CACHE": "", "CI": ""}
    [(_, first), (status, second)] = site.build_with((), (), **on)
    assert "kept" not in first
    assert status == 0
    assert "1 runs are kept ones, 0 were run: COURSE_CACHE=off runs all" in second
    assert "the total is 6" in site.page()
    for off in ({"CI": "true", "COURSE_CACHE": ""}, {"CI": "", "COURSE_CACHE": "off"}):
        assert "kept" not in site.build_with((), **off)[0][1]
    site.replace("return a", "return a + 1", "src/nextword/subtracting.py")
    site.replace(HEAD, WAYS["plain"])
    assert "does not hold: got 7" in site.build_with((), **on)[0][1]


@pytest.mark.slow
@pytest.mark.once
def test_a_notebook_is_kept_with_what_its_code_reads(notebook_site: SmallSite) -> None:
    code = "from nextword.checks import check\nfrom nextword.softmax import softmax\nhalves = softmax([1.0, 1.0])\nprint(halves)\ncheck('Both are alike', halves[0], halves[1])"
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": "# A lab\n\n## One part"},
        {
            "cell_type": "code",
            "id": "b",
            "metadata": {},
            "source": code,
            "outputs": [],
            "execution_count": None,
        },
    ]
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    notebook_site.write(json.dumps(notebook, indent=1), "docs/labs/one.ipynb")
    on = {"COURSE_CACHE": "", "CI": ""}
    [(status, said)] = notebook_site.build_with((), **on)
    assert status == 0, said
    first = notebook_site.page("labs/one")
    assert "[0.5, 0.5]" in first
    assert "0 were run" in notebook_site.build_with((), **on)[0][1]
    assert notebook_site.page("labs/one") == first
    path = notebook_site.root / "src/nextword/softmax.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n\nlast = 1\n", encoding="utf-8")
    assert "1 runs are kept ones, 2 were run" in notebook_site.build_with((), **on)[0][1]
    path = notebook_site.root / "src/nextword/similarity.py"
    path.write_text(path.read_text(encoding="utf-8") + "\n\nlast = 1\n", encoding="utf-8")
    assert "3 runs are kept ones, 0 were run" in notebook_site.build_with((), **on)[0][1]
