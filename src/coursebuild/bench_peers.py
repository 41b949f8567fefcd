"""``python -m coursebuild.bench_peers``: our build beside MyST-NB with jupyter-cache, on the same panels and in one run.

Each page with panels becomes a notebook, as an author of MyST-NB would write it: the page's text in cells of Markdown, each
panel a cell of code. Panels that need a real library are left out, and so are labs, on both sides.
"""

import argparse
import importlib.metadata
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from coursebuild import cache
from coursebuild.bench import NotMeasured, copy_project, environment, mkdocs
from coursebuild.handouts import NOTEBOOK
from coursebuild.panels import Panel
from coursebuild.press import parse
from coursebuild.runner import DATA
from coursebuild.source import Line

CONFIGURATION = """\
project = "The same panels"
extensions = ["myst_nb"]
nb_execution_mode = "cache"
nb_execution_cache_path = "cache"
nb_execution_raise_on_error = True
nb_execution_timeout = 600
"""
PEERS = ("myst-nb", "jupyter-cache", "sphinx")
MODULE = Path("src/nextword/attention.py")
LESSON = Path("docs/lessons/20-attention.md")
MARK = "# edited\n"
NOTES = """\
Both use the same Python and the same packages. MyST-NB runs one notebook after another, as it does by default.
Ours also runs the exercises and instruments, checks claims, numbers, links and pages, and writes what runs in the browser.
MyST-NB is told here to stop at an error, else it would show it and go on. A number in the text, a panel that lost its checks or
prints something else than was approved is no error there.
Its cache knows the cells of a page and nothing that they import: after an edit of a module it shows what the old one printed.
After an edit of a panel it runs all cells of the page; ours runs that panel and those that continue it.
"""


@dataclass(frozen=True)
class Built:
    """A build: the seconds it took, and in words how much it ran."""

    seconds: float
    ran: str


def notebook(prose: Sequence[Line], panels: Sequence[Panel]) -> str:
    """A page as a notebook: its text as it stands, each panel a cell at its place.

    All cells have one namespace. A panel that continues others repeats them if a panel that does not stands in between.
    """
    cells: list[dict[str, object]] = []

    def add(kind: str, text: str) -> None:
        if text.strip():
            cell: dict[str, object] = {"cell_type": kind, "id": f"cell-{len(cells)}", "metadata": {}}
            cell |= {"execution_count": None, "outputs": []} if kind == "code" else {}
            cells.append(cell | {"source": text.splitlines(keepends=True)})

    before, known = 0, ""
    for panel in sorted(panels, key=lambda panel: panel.line):
        add("markdown", "\n".join(line.text for line in prose if before < line.number < panel.line))
        is_known = panel.session == known or not panel.before
        add("code", panel.code if is_known else "\n".join(part.code for part in panel.program))
        before, known = panel.line, panel.session
    add("markdown", "\n".join(line.text for line in prose if line.number > before))
    return json.dumps({"cells": cells, **NOTEBOOK}, indent=1, ensure_ascii=False) + "\n"


def project_of_sphinx(root: Path, to: Path) -> int:
    """Write the pages that have panels as a project of Sphinx, with the data that they read; how many panels there are."""
    names, count = [], 0
    for path in sorted((root / "docs").rglob("*.md")):
        parsed = parse(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8-sig"))
        if not (panels := [panel for panel in parsed.panels if not panel.packages]):
            continue
        name = "-".join(path.relative_to(root / "docs").with_suffix("").parts)
        folder = to / name  # of its own, for a cell finds data beside its notebook
        folder.mkdir(parents=True)
        for file in {file for panel in panels for file in panel.files}:
            shutil.copyfile(root / DATA / file, folder / file)
        text = notebook(parsed.source.prose, panels)
        folder.joinpath("page.ipynb").write_text(text, encoding="utf-8", newline="\n")
        names.append(f"{name}/page")
        count += len(panels)
    to.joinpath("conf.py").write_text(CONFIGURATION, encoding="utf-8")
    contents = ["# Pages", "", "```{toctree}", *names, "```", ""]
    to.joinpath("index.md").write_text("\n".join(contents), encoding="utf-8")
    return count


def _timed(command: Sequence[str], folder: Path, variables: dict[str, str]) -> tuple[float, str]:
    """The seconds that a command took, and all that it said.

    Raises:
        NotMeasured: it failed.
    """
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=environment() | variables, encoding="utf-8", errors="replace",
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
    )  # fmt: skip
    seconds = time.perf_counter() - start
    if done.returncode:
        raise NotMeasured(f"{' '.join(command[1:4])} failed:\n{done.stdout.strip()[-3000:]}")
    return seconds, done.stdout


def ours(site: Path) -> Built:
    """Build a copy of the project. Where nothing was kept of earlier runs it does not say how many it ran: all."""
    seconds, said = _timed(mkdocs("build", "--quiet"), site, {})
    ran = re.search(r"runs are kept ones, (\d+) were run", said)
    return Built(seconds, _counted(int(ran[1]), "run") if ran else "all runs")


def theirs(project: Path, source: Path) -> Built:
    """Build a project of Sphinx whose cells import from ``source``."""
    command = [sys.executable, "-m", "sphinx", "-b", "html", "-d", "trees", ".", "html"]
    variables = {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1", "NO_COLOR": "1"}
    seconds, said = _timed(command, project, variables)
    return Built(seconds, _counted(len(re.findall("Executing notebook using", said)), "notebook"))


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'s' if number != 1 else ''}"


def edit_module(site: Path) -> None:
    """Change a module's source, and nothing that it computes."""
    with (site / MODULE).open("a", encoding="utf-8") as file:
        file.write(MARK)


def edit_panel(site: Path, project: Path) -> None:
    """Change the code of a lesson's first panel, and nothing that it computes, on both sides."""
    text = (site / LESSON).read_text(encoding="utf-8")
    panel = next(panel for panel in parse(LESSON.as_posix(), text).panels if not panel.packages)
    assert text.count(panel.code) == 1
    (site / LESSON).write_text(text.replace(panel.code, MARK + panel.code), encoding="utf-8")
    page = project / f"lessons-{LESSON.stem}" / "page.ipynb"
    content = json.loads(page.read_text(encoding="utf-8"))
    cell = next(cell for cell in content["cells"] if "".join(cell["source"]) == panel.code)
    cell["source"].insert(0, MARK)
    page.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def measure(root: Path, folder: Path) -> tuple[int, list[tuple[str, Built, Built]]]:
    """How many panels there are, and both builds: cold, warm, after an edit of a module, and of a panel."""
    site, project = folder / "ours", folder / "theirs"
    copy_project(root, site, bare=False)
    count = project_of_sphinx(site, project)
    steps: list[tuple[str, Callable[[], None]]] = [
        ("cold", lambda: None),
        ("again, nothing changed", lambda: None),
        (f"after an edit of {MODULE.as_posix()}", lambda: edit_module(site)),
        (f"after an edit of a panel of {LESSON.name}", lambda: edit_panel(site, project)),
    ]
    built = []
    for what, change in steps:
        change()
        built.append((what, ours(site), theirs(project, site / "src")))
    return count, built


def table(rows: Sequence[tuple[str, Built, Built]]) -> str:
    """The rows as aligned columns."""
    cells = [("what", "ours", "MyST-NB")]
    for what, *builds in rows:
        one, other = (f"{built.seconds:.1f} s, {built.ran}" for built in builds)
        cells.append((what, one, other))
    widths = [max(len(line[column]) for line in cells) for column in range(3)]
    lines = [
        "  ".join(text.ljust(width) for text, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    return "\n".join([lines[0], "-" * max(map(len, lines)), *lines[1:]])


def main() -> int:
    """Measure both and print the table; the status is 0 unless something could not be measured."""
    parser = argparse.ArgumentParser(
        prog="python -m coursebuild.bench_peers", description=(__doc__ or "").split("\n")[0]
    )
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    root = parser.parse_args().root.resolve()
    if cache.is_off():
        print(
            f"not measured: {cache.VARIABLE} or CI is set, so that our build keeps no runs", file=sys.stderr
        )
        return 1
    try:
        versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in PEERS)
        with tempfile.TemporaryDirectory() as folder:
            count, rows = measure(root, Path(folder))
    except importlib.metadata.PackageNotFoundError as error:
        print(f"not measured: {error.name} is not installed; make bench installs it", file=sys.stderr)
        return 1
    except NotMeasured as error:
        print(f"not measured: {error}", file=sys.stderr)
        return 1
    print(
        f"Our build beside {versions}: {count} panels, Python {platform.python_version()}, {os.cpu_count()} processors, each once"
    )
    print(table(rows))
    print(NOTES, end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
