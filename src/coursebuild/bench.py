"""``python -m coursebuild.bench``: measures the build, the preview and the weight of a page, in one run.

The yardstick is the bare site: the same pages, theme and plugins, without the press, its panels shown as plain code. It is
built on the same machine in the same run, so only ratios and differences mean something. Notebooks are left out of both, and
measured apart, as a site of labs alone. With them, it is measured what a build saves that keeps runs, and the preview.
"""

import argparse
import gzip
import json
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import yaml
from mkdocs.utils.yaml import yaml_load

from coursebuild import cache, handouts, notebooks, numbers
from coursebuild.approval import FOLDER, pages_of
from coursebuild.press import OWN, Press
from coursebuild.refusals import EXAMPLES
from coursebuild.runner import data_files
from coursebuild.source import OPENING

LEFT_OUT = shutil.ignore_patterns("__pycache__", "node_modules", ".ipynb_checkpoints")
PANEL_FACTOR = 1.2
SAVE_ALLOWANCE = 0.3
PAGE_WEIGHT = 200_000
LAB_WEIGHT = 150_000
GRADING_FACTOR = 10
WAITS = "this.waits = /search_index"
"""In a page's script that lets the search index wait until the reader searches."""
SECOND_START = 2.0
LONGEST_WAIT = 120.0
TEXT = {".html", ".css", ".js", ".json", ".svg", ".txt", ".xml"}


class NotMeasured(Exception):
    """Something could not be measured, for example because the site does not build."""


# The two sites


def copy_project(root: Path, to: Path, bare: bool, has_labs: bool = False) -> None:
    """Copy the pages, the source and the configuration; notebooks, if not wanted, as stubs; ``bare`` without the press."""
    copy_package(root, to)
    shutil.copytree(root / "docs", to / "docs", ignore=LEFT_OUT)
    for records in (FOLDER, Path(EXAMPLES)):
        if (root / records).is_dir():
            shutil.copytree(root / records, to / records)
    for notebook in [] if has_labs else sorted((to / "docs").rglob("*.ipynb")):
        cells = notebooks.cells(notebook.read_text(encoding="utf-8"))
        lines = [line for cell in cells if cell.kind == "markdown" for line in cell.text.splitlines()]
        title = next((line for line in lines if line.startswith("# ")), "# A notebook")
        notebook.with_suffix(".md").write_text(title + "\n", encoding="utf-8")
        notebook.unlink()
    for page in sorted((to / "docs").rglob("*.md")):
        text = page.read_text(encoding="utf-8")
        text = text if has_labs else text.replace(".ipynb", ".md")
        page.write_text(plain(text) if bare else text, encoding="utf-8")
    text = configuration(root / "mkdocs.yml", bare, has_labs=has_labs)
    (to / "mkdocs.yml").write_text(text, encoding="utf-8")


def copy_package(root: Path, to: Path) -> None:
    """Copy the source, and what its wheel is made of: the pages' Python runs on that."""
    shutil.copytree(root / "src", to / "src", ignore=LEFT_OUT)
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(root / name, to / name)


def plain(text: str) -> str:
    """A page for the bare site: its panels and listings are plain code, its drawings and formulas plain text."""
    lines = []
    closing = ""
    for line in text.split("\n"):
        found = OPENING.match(line)
        if closing:
            closing = "" if line.lstrip("> \t").rstrip() == closing else closing
        elif found and not ("`" in found["info"] and found["fence"][0] == "`"):
            closing = found["fence"]
            language = found["info"].split(" ")[0]
            line = found["prefix"] + closing + ("text" if language in OWN else language)
        lines.append(line)
    return "\n".join(lines)


def configuration(path: Path, bare: bool, nav: list[str] | None = None, has_labs: bool = False) -> str:
    """The text of ``mkdocs.yml`` for a copy of the site: without notebooks, or with the pages of ``nav`` alone."""
    with path.open(encoding="utf-8") as file:
        config = yaml_load(file)
    if nav:
        config["nav"] = nav
    elif not has_labs:
        config["plugins"] = [plugin for plugin in config["plugins"] if _name(plugin) != "mkdocs-jupyter"]
        config["nav"] = json.loads(json.dumps(config["nav"]).replace(".ipynb", ".md"))
    if bare:
        del config["hooks"]
        kept = [item for item in config["markdown_extensions"] if _name(item) != "coursebuild.extension"]
        config["markdown_extensions"] = [
            "pymdownx.superfences" if _name(item) == "pymdownx.superfences" else item for item in kept
        ]
    text: str = yaml.dump(config, allow_unicode=True, sort_keys=False)
    return text


def _name(item: object) -> str:
    return str(next(iter(item))) if isinstance(item, dict) else str(item)


def mkdocs(*arguments: str) -> list[str]:
    """The command that runs MkDocs as the make targets do."""
    return [sys.executable, "-m", "mkdocs", *arguments]


def environment() -> dict[str, str]:
    """The environment of both sites: what decides whether runs are kept is set by each measurement."""
    left_out = ("SITE_URL", "GITHUB_REPOSITORY", "CI", cache.VARIABLE)
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    return kept | {"NO_MKDOCS_2_WARNING": "1"}


# The whole build


def build(site: Path) -> float:
    """Build a site once, in a process of its own, and run everything; the seconds it took."""
    return _built(site, {cache.VARIABLE: "off"})[0]


def build_keeping(site: Path) -> tuple[float, int | None]:
    """The same with the runs that are kept: the seconds, and how many panels and other things were run; None if all were."""
    seconds, said = _built(site, {})
    ran = re.search(r"(\d+) runs are kept ones, (\d+) were run", said)
    return seconds, int(ran[2]) if ran else None


def _built(site: Path, added: dict[str, str]) -> tuple[float, str]:
    start = time.perf_counter()
    done = subprocess.run(
        mkdocs("build", "--quiet"), cwd=site, env=environment() | added, capture_output=True, text=True
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise NotMeasured(f"the site does not build:\n{(done.stderr or done.stdout).strip()[-2000:]}")
    return seconds, done.stderr


def panels_once(site: Path) -> float:
    """Run each panel once, one after another, as a script in a fresh interpreter; the seconds of all of them."""
    press = Press(site)
    press.prepare(pages_of(site))
    folders = [str(site / "src"), *(path for path in sys.path if path.endswith("site-packages"))]
    surroundings = environment() | {"PYTHONPATH": os.pathsep.join(folders)}
    total = 0.0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "panel.py"
        for panel in press.panels.values():
            if panel.packages:
                continue  # of the second lane: its record is shown
            script.write_text("\n".join(part.code for part in panel.program), encoding="utf-8")
            for file in data_files(panel, press.around):
                shutil.copyfile(file, script.with_name(file.name))
            start = time.perf_counter()
            command = [sys.executable, "-X", "utf8", "-S", str(script)]
            done = subprocess.run(command, cwd=folder, env=surroundings, capture_output=True, text=True)
            total += time.perf_counter() - start
            if done.returncode:
                raise NotMeasured(f"panel {panel.ident} fails:\n{done.stderr[-2000:]}")
    return total


# The preview


class Preview:
    """A running ``mkdocs serve`` and the page that it is asked for."""

    def __init__(self, site: Path, address: str, log: Path, process: subprocess.Popen[bytes]) -> None:
        self.site = site
        self.address = address
        self.log = log
        self.process = process

    def wait_for(self, page: str, text: str) -> float:
        """Ask for a page until it holds a text; the seconds until it did."""
        start = time.perf_counter()
        while (now := time.perf_counter()) - start < LONGEST_WAIT:
            if self.process.poll() is not None:
                break
            if text in _fetch(self.address + page):
                return time.perf_counter() - start
            time.sleep(max(0.0, 0.02 - (time.perf_counter() - now)))
        raise NotMeasured(
            f"the preview does not show {page}:\n{self.log.read_text(encoding='utf-8')[-2000:]}"
        )


def _fetch(address: str) -> str:
    try:
        with urllib.request.urlopen(address, timeout=LONGEST_WAIT) as answer:
            return str(answer.read().decode("utf-8"))
    except urllib.error.HTTPError:
        return ""
    except (urllib.error.URLError, ConnectionError):
        time.sleep(0.05)
        return ""


@contextmanager
def preview(site: Path) -> Iterator[Preview]:
    """Start ``mkdocs serve`` on a free port, and end it afterwards."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = site / "serve.log"
    command = mkdocs("serve", "--dev-addr", f"127.0.0.1:{port}")
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=site, env=environment(), stdout=out, stderr=subprocess.STDOUT)
        try:
            yield Preview(site, f"http://127.0.0.1:{port}/", log, process)
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def saves(shown: Preview, lesson: Path, times: int) -> tuple[list[float], list[float]]:
    """Save a lesson with one more sentence, then with one more comment in its first panel, several times each.

    Returns:
        The seconds from each save until the page was served with the change: of sentences, of comments.
    """
    page = lesson.relative_to(shown.site / "docs").with_suffix("").as_posix() + "/"
    shown.wait_for(page, "</html>")
    original = lesson.read_text(encoding="utf-8")
    taken: dict[str, list[float]] = {"prose": [], "code": []}
    for number in range(times):
        for kind, seconds in taken.items():
            word = f"saved{kind}{chr(ord('a') + number)}"
            lesson.write_text(edited(original, kind, word), encoding="utf-8")
            seconds.append(shown.wait_for(page, word))
    return taken["prose"], taken["code"]


def edited(text: str, kind: str, word: str) -> str:
    """A lesson with a sentence added at its end, or a comment at the head of its first panel (or plain block)."""
    if kind == "prose":
        return f"{text.rstrip()}\n\nA sentence that was {word}.\n"
    changed, count = re.subn(r"(?m)^(```python(?: exec=.*)?\n)(?=[^`])", rf"\1# {word}\n", text, count=1)
    if not count:
        raise NotMeasured("the lesson has no panel to change")
    return changed


# The weight of a page


class Loads(HTMLParser):
    """What a page loads before its reader does anything: (kind, address)."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.theme: dict[str, object] = {}
        self._in_theme = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note a stylesheet, script, picture or icon."""
        given = {name: value or "" for name, value in attrs}
        relations = given.get("rel", "").lower().split()
        self._in_theme = tag == "script" and given.get("id") == "__config"
        if tag == "link" and {"stylesheet", "icon", "preload", "modulepreload"} & set(relations):
            kind = "pictures" if "icon" in relations else "fonts" if given.get("as") == "font" else "css"
            self.found.append((kind, given.get("href", "")))
        elif tag == "script" and "src" in given:
            self.found.append(("js", given["src"]))
        elif (
            tag in ("img", "source", "video", "audio", "iframe")
            and given.get("src")
            and given.get("loading") != "lazy"
        ):
            self.found.append(("pictures", given["src"]))

    def handle_data(self, data: str) -> None:
        """Read the theme's settings: it loads its search worker and index by itself."""
        if self._in_theme and data.strip():
            self.theme = json.loads(data)
            self._in_theme = False


def compressed(path: Path) -> int:
    """The bytes that a server sends: text is compressed; pictures and fonts are already."""
    data = path.read_bytes()
    return len(gzip.compress(data, 9, mtime=0)) if path.suffix in TEXT else len(data)


def weight(site: Path, page: str) -> dict[str, int]:
    """The compressed bytes of a built page and of all that it loads by itself, by kind.

    Args:
        site: the built site.
        page: the page's address on it, such as ``lessons/17-tokenization/``.

    Raises:
        NotMeasured: the page loads something from another host, or a file that is not there.
    """
    start = site / page / "index.html" if page.endswith("/") or not page else site / page
    html = start.read_text(encoding="utf-8")
    parsed = Loads(html)
    wanted = [("html", "index.html" if page.endswith("/") or not page else ""), *parsed.found]
    if worker := parsed.theme.get("search"):
        base = str(parsed.theme.get("base", ".")).rstrip("/") + "/"
        wanted.append(("search", str(worker)))
        if WAITS not in html:
            wanted.append(("search", base + "search/search_index.json"))
    todo = [(kind, urljoin("/" + page, address)) for kind, address in wanted]
    total: dict[str, int] = {}
    seen: set[str] = set()
    while todo:
        kind, address = todo.pop(0)
        parts = urlsplit(address)
        if parts.scheme == "data" or parts.path in seen:
            continue
        if parts.netloc:
            raise NotMeasured(f"{page} loads {address} from another host")
        seen.add(parts.path)
        path = site / unquote(parts.path).lstrip("/")
        if not path.is_file():
            raise NotMeasured(f"{page} loads {address}, which the site does not have")
        total[kind] = total.get(kind, 0) + compressed(path)
        if path.suffix == ".css":
            todo += [
                (kind, urljoin(parts.path, found))
                for kind, found in _in_style(path.read_text(encoding="utf-8"))
            ]
    return total


def _in_style(css: str) -> Iterator[tuple[str, str]]:
    """The fonts and pictures that a stylesheet names; all are counted, whether or not the page needs them."""
    text = re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)
    for match in re.finditer(
        r"""@import\s+["']([^"']+)|url\(\s*(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*\)""", text
    ):
        address = next((group for group in match.groups() if group), "")
        if address and not address.startswith(("data:", "#")):
            suffix = Path(urlsplit(address).path).suffix
            yield (
                "fonts"
                if suffix in (".woff2", ".woff", ".ttf")
                else "css"
                if suffix == ".css"
                else "pictures",
                address,
            )


# The report


@dataclass(frozen=True)
class Row:
    """A line of the report; a budget of None says that the number is there to be read only."""

    what: str
    measured: float
    budget: float | None
    unit: str

    @property
    def cells(self) -> tuple[str, str, str, str]:
        """The four cells of the table."""
        digits = 0 if self.unit in ("B", "runs") else 2
        if self.budget is None:
            return self.what, f"{self.measured:,.{digits}f} {self.unit}", "", ""
        ratio = self.measured / self.budget
        said = f"{ratio:.2f}" if ratio <= 1 else f"{ratio:.2f} OVER"
        return (
            self.what,
            f"{self.measured:,.{digits}f} {self.unit}",
            f"{self.budget:,.{digits}f} {self.unit}",
            said,
        )


def table(rows: Sequence[Row]) -> str:
    """The rows as a table of aligned columns, the ratio of measured to budget last."""
    cells = [("what", "measured", "budget", "ratio"), *(row.cells for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(4)]
    lines = []
    for line in cells:
        numbers = "  ".join(text.rjust(width) for text, width in zip(line[1:3], widths[1:3], strict=True))
        lines.append(f"{line[0].ljust(widths[0])}  {numbers}  {line[3]}".rstrip())
    return "\n".join([*lines[:1], "-" * max(map(len, lines)), *lines[1:]])


def lessons(site: Path) -> list[Path]:
    """The Markdown files of the lessons."""
    return sorted((site / "docs" / "lessons").glob("*.md"))


def labs(site: Path) -> list[Path]:
    """The notebooks of the labs."""
    return sorted((site / "docs" / "labs").glob("*.ipynb"))


def by_turns(ours: Path, bare: Path, times: int) -> tuple[list[float], list[float], list[float]]:
    """Build both sites by turns and run our panels once in each: the seconds of our builds, of the bare ones, of the panels."""
    taken: dict[Path, list[float]] = {bare: [], ours: []}
    panels = []
    for _ in range(times):
        for site, seconds in taken.items():
            seconds.append(build(site))
        panels.append(panels_once(ours))
    return taken[ours], taken[bare], panels


def heaviest(site: Path, pages: Sequence[str]) -> tuple[str, dict[str, int]]:
    """The heaviest of some pages of a built site, and its weight by kind."""
    weights = {page: weight(site, page) for page in pages}
    page = max(weights, key=lambda page: sum(weights[page].values()))
    return page, weights[page]


def measure_build(ours: Path, bare: Path, times: int) -> Iterator[Row]:
    """Build both sites by turns; the budget is the bare build plus the panels run once."""
    our_builds, bare_builds, panels = by_turns(ours, bare, times)
    for name, pick in (("minimum", min), ("median", statistics.median)):
        budget = pick(bare_builds) + PANEL_FACTOR * pick(panels)
        yield Row(f"whole build, {name} of {times}", pick(our_builds), budget, "s")
    yield Row("  the bare build, minimum", min(bare_builds), None, "s")
    yield Row("  all panels once, minimum", min(panels), None, "s")


MODULE = Path("src") / "nextword" / "attention.py"
"""The module that the bench edits: some panels import it, directly or not, and most do not."""


def measure_kept(ours: Path, bare: Path, times: int) -> Iterator[Row]:
    """Build a site with its labs from nothing, again, and after one edit of a page and one of a module; the bare one beside it."""
    lesson, module = lessons(ours)[0], ours / MODULE
    page, source = lesson.read_text(encoding="utf-8"), module.read_text(encoding="utf-8")
    taken: dict[str, list[tuple[float, int | None]]] = {}

    def measure(what: str) -> None:
        taken.setdefault(what, []).append(build_keeping(ours))

    bare_builds = []
    for number in range(times):
        bare_builds.append(build(bare))
        shutil.rmtree(ours / cache.FOLDER, ignore_errors=True)
        measure("cold")
        measure("again")
        lesson.write_text(edited(page, "prose", f"saved{number}"), encoding="utf-8")
        measure("after an edit of a page")
        module.write_text(f"{source}\n# Saved {number}.\n", encoding="utf-8")
        measure(f"after an edit of {MODULE.name}")
        lesson.write_text(page, encoding="utf-8")
        module.write_text(source, encoding="utf-8")
    yield Row(f"the bare build with labs, minimum of {times}", min(bare_builds), None, "s")
    for what, builds in taken.items():
        seconds, runs = min(seconds for seconds, _ in builds), [ran for _, ran in builds]
        budget = min(bare_builds) if what in ("again", "after an edit of a page") else None
        yield Row(f"whole build with labs, {what}", seconds, budget, "s")
        if what != "cold":
            if None in runs:
                raise NotMeasured(f"{what}, the build ran everything")
            yield Row("  of which it ran again, at most", max(ran or 0 for ran in runs), None, "runs")


def copy_labs(root: Path, to: Path, bare: bool) -> None:
    """Copy the labs as a site of their own, links to other pages taken out; ``bare`` without the press.

    Each lab's page leads to how to run it: of that page the headings are there.
    """
    copy_package(root, to)
    shutil.copytree(root / "docs" / "assets", to / "docs" / "assets")
    for lab in labs(root):
        copy = to / "docs" / "labs" / lab.name
        copy.parent.mkdir(exist_ok=True)
        text = handouts.LINK.sub(r"\g<text>", lab.read_text(encoding="utf-8"))
        for elsewhere in (numbers.NAMED_PANELS, numbers.NAMED_EXERCISES):
            text = elsewhere.sub("another page", text)
        copy.write_text(text, encoding="utf-8")
    to.joinpath("docs", "index.md").write_text("# Labs\n", encoding="utf-8")
    guide = (root / "docs" / "how-to-use.md").read_text(encoding="utf-8").split("\n")
    headings = "\n\n".join(line for line in guide if re.match("#+ ", line))
    to.joinpath("docs", "how-to-use.md").write_text(headings + "\n", encoding="utf-8")
    nav = ["index.md", "how-to-use.md", *(f"labs/{lab.name}" for lab in labs(root))]
    text = configuration(root / "mkdocs.yml", bare, nav=nav)
    to.joinpath("mkdocs.yml").write_text(text, encoding="utf-8")


def measure_labs(root: Path, folder: Path, times: int) -> Iterator[Row]:
    """Build the labs alone by turns, with and without the press, which runs each once more; and weigh their pages."""
    ours, bare = folder / "labs-ours", folder / "labs-bare"
    copy_labs(root, ours, bare=False)
    copy_labs(root, bare, bare=True)
    our_builds, bare_builds, runs = by_turns(ours, bare, times)
    budget = min(bare_builds) + PANEL_FACTOR * min(runs)
    yield Row(f"the labs alone, minimum of {times}", min(our_builds), budget, "s")
    yield Row("  bare, minimum", min(bare_builds), None, "s")
    page, kinds = heaviest(ours / "site", [f"labs/{lab.stem}/" for lab in labs(root)])
    yield Row(f"weight of {page}", sum(kinds.values()), LAB_WEIGHT, "B")


def measure_exercises(ours: Path, times: int) -> Iterator[Row]:
    """Grade each exercise's own answers in a fresh interpreter; the yardstick is one that imports the grader alone."""
    press = Press(ours)
    press.prepare((path, url) for path, url in pages_of(ours) if url.startswith("exercises/"))
    programs = {
        panel.ident: panel.code for panel in press.panels.values() if panel.ident.startswith("exercise-")
    }
    programs["bare"] = "from nextword.exercises.grading import trials\n"
    environ = environment() | {"PYTHONPATH": str(ours / "src")}
    taken: dict[str, float] = {}
    for ident, code in programs.items():
        seconds = []
        for _ in range(times):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-X", "utf8", "-S", "-c", code],
                check=True,
                env=environ,
                stdout=subprocess.DEVNULL,
            )
            seconds.append(time.perf_counter() - start)
        taken[ident] = min(seconds)
    bare = taken.pop("bare")
    slowest = max(taken, key=taken.__getitem__)
    yield Row(f"grading {slowest}, the slowest", taken[slowest], GRADING_FACTOR * bare, "s")
    page, kinds = heaviest(ours / "site", [page.url for page in press.pages.values()])
    yield Row(f"weight of {page}", sum(kinds.values()), PAGE_WEIGHT, "B")


def measure_preview(ours: Path, bare: Path, times: int) -> Iterator[Row]:
    """Save the first lesson under a preview of each site, ours with its labs, which the bare one would run each time.

    Waiting for the watcher only adds, so the minimum counts.
    """
    taken = {}
    for site in (bare, ours):
        with preview(site) as shown:
            taken[site] = saves(shown, lessons(site)[0], times)
    for index, kind in enumerate(("a sentence", "a panel's code")):
        for name, pick in (("minimum", min), ("median", statistics.median)):
            seconds, yardstick = pick(taken[ours][index]), pick(taken[bare][index])
            yield Row(
                f"saved {kind} until served, {name} of {times}", seconds, yardstick + SAVE_ALLOWANCE, "s"
            )


def measure_weight(ours: Path) -> Iterator[Row]:
    """The heaviest lesson page."""
    pages = [lesson.relative_to(ours / "docs").with_suffix("").as_posix() + "/" for lesson in lessons(ours)]
    page, kinds = heaviest(ours / "site", pages)
    yield Row(f"weight of {page}", sum(kinds.values()), PAGE_WEIGHT, "B")
    for kind, size in sorted(kinds.items(), key=lambda item: -item[1]):
        yield Row(f"  {kind}", size, None, "B")


def measure_second_start(root: Path, times: int) -> Iterator[Row]:
    """What the set-up in front of each make target takes when there is nothing to set up."""
    environment = os.environ | {"VENV": sys.prefix, "PYTHON": ""}
    taken = []
    for _ in range(times):
        start = time.perf_counter()
        done = subprocess.run(["sh", ".ci/setup"], cwd=root, env=environment, capture_output=True, text=True)
        taken.append(time.perf_counter() - start)
        if done.returncode or done.stdout:
            raise NotMeasured(f"the second start: {sys.prefix} was not set up by make; start with make bench")
    yield Row(f"a second start adds, median of {times}", statistics.median(taken), SECOND_START, "s")


def arguments_of(module: str, description: str | None) -> argparse.Namespace:
    """What a bench is asked on its command line: the project's folder, and how often each thing is measured.

    Args:
        module: the bench's name in this package.
        description: its docstring, of which the first line is shown.
    """
    parser = argparse.ArgumentParser(
        prog=f"python -m coursebuild.{module}", description=(description or "").split("\n")[0]
    )
    parser.add_argument("--root", type=Path, default=Path.cwd(), help="the project's folder")
    parser.add_argument("--times", type=int, default=5, help="how often each is measured")
    return parser.parse_args()


def main() -> int:
    """Measure everything and print the table; the status is 0 unless something could not be measured."""
    arguments = arguments_of("bench", __doc__)
    root = arguments.root.resolve()
    rows: list[Row] = []
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        ours, bare = Path(folder) / "ours", Path(folder) / "bare"
        copy_project(root, ours, bare=False)
        copy_project(root, bare, bare=True)
        whole, bare_whole = Path(folder) / "whole", Path(folder) / "bare-whole"
        copy_project(root, whole, bare=False, has_labs=True)
        copy_project(root, bare_whole, bare=True, has_labs=True)
        parts: list[Callable[[], Iterator[Row]]] = [
            lambda: measure_build(ours, bare, arguments.times),
            lambda: measure_weight(ours),
            lambda: measure_exercises(ours, arguments.times),
            lambda: measure_labs(root, Path(folder), arguments.times),
            lambda: measure_kept(whole, bare_whole, arguments.times),
            lambda: measure_preview(whole, bare, arguments.times),
            lambda: measure_second_start(root, arguments.times),
        ]
        for part in parts:
            try:
                rows += part()
            except NotMeasured as error:
                print(f"not measured: {error}", file=sys.stderr)
                status = 1
                if not (ours / "site").is_dir():
                    break
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors")
    if rows:
        print(table(rows))
    return status


if __name__ == "__main__":
    sys.exit(main())
