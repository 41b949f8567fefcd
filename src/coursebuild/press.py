"""The press: reads every page, runs every panel, and keeps what each page may show."""

import ast
import functools
import hashlib
import os
import re
import tokenize
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError
from pathlib import Path, PurePosixPath
from typing import Any

from coursebuild import (
    addresses,
    corrections,
    exercises,
    formulas,
    instruments,
    lanes,
    notebooks,
    numbers,
    prose,
    runner,
)
from coursebuild import cache as cached
from coursebuild.cache import Cache
from coursebuild.corrections import Correction
from coursebuild.drawings import DRAWINGS
from coursebuild.exercises import Exercise
from coursebuild.faults import Fault, Problem, Unfit
from coursebuild.fences import from_fence, sketch
from coursebuild.inspection import inputs
from coursebuild.instruments import Asked, Made, NotComputed
from coursebuild.library import Library, Listing, Module, NameClash, UnknownName, imports_of
from coursebuild.panels import Panel, is_python
from coursebuild.planting import record as planted
from coursebuild.prose import Given, Reference, references
from coursebuild.runner import Execution, Result, Surroundings
from coursebuild.source import Fence, Source, read

LANGUAGES = {
    "",
    "text",
    "console",
    "bash",
    "sh",
    "markdown",
    "yaml",
    "toml",
    "json",
    "html",
    "css",
    "make",
    "diff",
}
UNREADABLE = (UnknownName, NameClash, SyntaxError, ValueError, OSError, tokenize.TokenError)
"""Why the library's source cannot be shown: no such name, two of one name, or a file that is no Python just now."""

OWN = {"drawing", "math", exercises.LANGUAGE, instruments.LANGUAGE}
"""The languages of blocks that the press itself shows, beside Python."""

TYPED = {
    "number-typed",
    "exercise-number-typed",
    "output-number-typed",
    "figure-typed",
    "formula-number-typed",
}

SOURCES = "README.txt"
"""The file in the folder of data that says where each of them is from."""

STYLES = {"title", "hl_lines", "linenums"}


@dataclass
class Page:
    """A page: its file, its address on the site, and what the press found in it.

    Attributes:
        path: the file relative to the project, as messages name it.
        url: the page's address relative to the site's root.
        rendered: how many blocks Markdown handed to the press while it rendered the page.
    """

    path: str
    url: str
    source: Source
    panels: list[Panel] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    rendered: int = 0
    is_notebook: bool = False
    named: tuple[tuple[int, str], ...] = ()
    exercises: dict[str, Exercise] = field(default_factory=dict)

    @property
    def own_fences(self) -> list[Fence]:
        """The blocks that Markdown must hand to the press: panels, listings, drawings, formulas, exercises, instruments."""
        return [fence for fence in self.source.fences if fence.language in {"python", *OWN}]

    def line_of(self, pattern: str) -> int:
        """The first line of the page's text that has what a pattern finds, or its first line."""
        return next((line.number for line in self.source.prose if re.search(pattern, line.text)), 1)

    def title(self) -> str:
        """The page's title: from its front matter, or its first heading."""
        for line in [*self.source.meta, *self.source.prose]:
            if match := re.match(r"(?:title:|#)\s+(.*)", line.text):
                return match[1].strip().strip("\"'")
        return self.path


@dataclass(frozen=True)
class Parsed:
    """What a page's text alone tells: its parts, its panels, and what is wrong with them as they are written."""

    source: Source
    panels: tuple[Panel, ...]
    faults: tuple[Fault, ...]
    named: tuple[tuple[int, str], ...] = ()


def is_listing(fence: Fence) -> bool:
    """Whether a block asks for a piece of tested source."""
    return is_python(fence) and "listing" in fence.option


@functools.lru_cache(maxsize=1024)
def parse(name: str, text: str, asked: tuple[Exercise, ...] = ()) -> Parsed:
    """Read a page. The preview reads all pages after each save, so what did not change is not read again.

    ``asked`` are the exercises that the page shows.
    """
    if name.endswith(".ipynb"):
        source, labs, problems = notebooks.parse(name, text)
        return Parsed(source, tuple(labs), tuple(problems))
    source = read(text)
    faults: list[Fault] = []
    panels: dict[str, Panel] = {}
    for fence in source.fences:
        if is_listing(fence) or fence.language == exercises.LANGUAGE:
            continue
        panel, found = from_fence(name, fence, panels)
        faults += found
        if panel and panel.ident in panels:
            faults.append(
                panel.fault(
                    "panel-id-twice",
                    f"the id is used twice on this page, first at line {panels[panel.ident].line}",
                )
            )
        elif panel:
            panels[panel.ident] = panel
    for fence in exercises.of_page(source):
        found_here = [one for one in asked if one.ident == fence.option["id"]]
        twin = panels.get(exercises.panel_of(fence.option["id"]))
        if found_here and fence.option["show"] == "start" and not isinstance(twin, exercises.Trial):
            trial, problems_of_trial = exercises.trial(found_here[0], name, fence.line)
            panels[trial.ident] = trial
            faults += problems_of_trial
            if twin:
                faults.append(
                    twin.fault("panel-id-twice", f"the id is that of exercise {found_here[0].ident}")
                )
    faults += exercises.faults_of_page(name, source, {one.ident: one for one in asked})
    words = inputs(list(panels.values())).union(*(one.words for one in asked))
    faults += prose.lint(name, source, words)
    faults += [fault for line in prose.quoting_lines(source) for fault in prose.malformed(name, line)]
    return Parsed(source, tuple(panels.values()), tuple(faults), tuple(prose.panels_named(source)))


def sketches(name: str, text: str) -> list[Panel]:
    """The panels of a page as far as their headers tell, to be run."""
    found: dict[str, Panel] = {}
    for fence in read(text).fences if not name.endswith(".ipynb") else ():
        if is_python(fence) and not is_listing(fence):
            panel, _ = sketch(name, fence, found)
            if panel:
                found.setdefault(panel.ident, panel)
    return list(found.values())


class Press:
    """All pages of a site, their panels and results.

    Args:
        root: the project's folder; messages name files relative to it.
        around: the surroundings in which panels run.
        cache: what was kept of earlier runs; without it everything is run.

    Attributes:
        reads: the files that each panel's run read, with their states; None if nobody can tell.
        asked: how often Markdown has asked for what the press alone knows.
    """

    def __init__(self, root: Path, around: Surroundings | None = None, cache: Cache | None = None) -> None:
        self.root = root
        self.around = around or Surroundings(source=root / "src")
        self.cache = cache
        self.pages: dict[str, Page] = {}
        self.results: dict[str, Result] = {}
        self.programs: dict[str, str] = {}
        self.origins: dict[str, lanes.Origin] = {}
        self.executions: dict[str, Execution] = {}
        self.instruments: dict[Asked, Made] = {}
        self.current: Page | None = None
        self.late: list[Fault] = []
        self.asked = 0
        self.record = addresses.Record()
        self.corrections: tuple[list[Correction], list[Fault]] = ([], [])
        self.planted: dict[str, Any] | None = None
        self.library = Library(self.around.source)
        self.reads: dict[str, dict[str, str] | None] = {}
        self._keys: dict[str, str] = {}
        self._unfolded: dict[tuple[Panel, ...], tuple[list[Module], str]] = {}
        self._drawn: dict[tuple[str, str, str], str] = {}
        self.library_state: dict[str, str] = {}
        self._library_faults: list[Fault] = []

    @property
    def panels(self) -> dict[str, Panel]:
        """All panels by their id, in the order of the pages."""
        return {panel.ident: panel for page in self.pages.values() for panel in page.panels}

    def page_of(self, ident: str) -> Page | None:
        """The page on which a panel stands."""
        return next(
            (page for page in self.pages.values() if any(p.ident == ident for p in page.panels)), None
        )

    @property
    def faults(self) -> list[Fault]:
        """Every fault that is known so far."""
        on_pages = [fault for page in self.pages.values() for fault in page.faults]
        in_runs = [fault for result in self.results.values() for fault in result.faults]
        return sorted({*on_pages, *in_runs, *self.late})

    def clear(self) -> None:
        """Forget all pages and results."""
        self.pages, self.results, self.programs, self.current, self.late = {}, {}, {}, None, []
        self.origins, self.executions, self.instruments, self.reads = {}, {}, {}, {}

    def prepare(self, files: Iterable[tuple[Path, str]]) -> None:
        """Read the pages (file, address on the site), run their panels, and find every fault that needs no rendering.

        In whatever order they come, they are kept in the order of their names.
        """
        self.clear()
        if self.cache:
            self.cache.refresh()
        self._read_library_afresh()
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
            running: dict[str, Future[Execution]] = {}
            texts = [(path, url, *self._text(path)) for path, url in files]
            for path, _, text, _ in texts:  # the panels run while their pages are looked at more closely
                for panel in sketches(self._name(path), text):
                    if panel.ident not in running and self._is_run(panel):
                        running[panel.ident] = pool.submit(self._execute, panel)
            for path, url, text, problem in sorted(texts, key=lambda each: _place(self._name(each[0]))):
                page = self._page(self._name(path), url, text, problem)
                self._refuse_twins(page)
                self.pages[page.path] = page
            for ident, panel in self.panels.items():
                if ident not in running and self._is_run(panel):
                    running[ident] = pool.submit(self._execute, panel)
            making = pool.submit(self._make_instruments)
            for page in self.pages.values():
                page.faults += self._unfold_panels(page)
            for page in self.pages.values():
                page.faults += self._faults_of_data(page)
                page.faults += self._faults_of_lane(page)
            for ident, panel in self.panels.items():
                done = running[ident].result() if self._is_run(panel) else self.executions.get(ident)
                self.results[ident] = self._judge(panel, done) if done else Result()
                if done and panel.packages:
                    self.executions[ident] = done
            self.late += making.result()
        self._drop_echoes()
        for page in self.pages.values():
            page.faults += self._faults_of_prose(page)
            page.faults += self._faults_of_blocks(page)
        self._read_records()

    def _read_records(self) -> None:
        """Read which addresses were approved, what was corrected, and which faults were planted.

        Of a panel at fault the claims are not known, so other faults come first.
        """
        self.record = addresses.read(self.root)
        self.corrections = corrections.read(self.root)
        self.planted, damaged = planted.read(self.root)
        self.late += damaged
        for panel in self.panels.values():
            self.late += addresses.twins(panel, self.results[panel.ident].checks)
        if not self.faults:
            self.late += [*addresses.faults(self), *corrections.faults(self)]

    def read(self, files: Iterable[tuple[Path, str]]) -> None:
        """Read the pages as `prepare` does, and run nothing."""
        self.clear()
        self._read_library_afresh()
        for path, url in files:
            page = self._page(self._name(path), url, *self._text(path))
            self.pages[page.path] = page

    def _make_instruments(self) -> list[Fault]:
        """Compute what pages show of their instruments, or say which cannot be computed."""
        fences = [
            (page, fence)
            for page in self.pages.values()
            for fence in page.source.fences
            if instruments.is_instrument(fence)
        ]
        asked = list(dict.fromkeys(instruments.asked(fence) for _, fence in fences))
        try:
            self.instruments = instruments.make(asked, self.around, self.cache)
        except NotComputed as error:
            if not self._library_faults:
                page, fence = fences[0]
                return [Fault("instrument-not-computed", page.path, fence.line, "instrument", str(error))]
        return []

    def _drop_echoes(self) -> None:
        """Say one thing of a line: that a claim is false, else what is wrong with it as it is written, else what its run says.

        While the library cannot be read, nothing is said of runs.
        """
        false = {
            (fault.path, fault.line)
            for result in self.results.values()
            for fault in result.faults
            if fault.kind == "claim-false"
        }
        for page in self.pages.values():
            page.faults = [
                fault
                for fault in page.faults
                if (fault.path, fault.line) not in false or fault.kind != "check-cannot-fail"
            ]
        unseen = {
            fault.anchor
            for page in self.pages.values()
            for fault in page.faults
            if fault.kind == "check-rebound"
        }
        refused = {(fault.path, fault.line) for page in self.pages.values() for fault in page.faults}
        for ident, result in self.results.items():
            kept = () if self._library_faults else result.faults
            kept = tuple(
                fault
                for fault in kept
                if (fault.path, fault.line) not in refused
                and not (fault.kind == "check-not-reached" and ident in unseen)
            )
            self.results[ident] = replace(result, faults=kept)

    def _read_library_afresh(self) -> None:
        """Forget the library's source if any of its files changed."""
        files = sorted(self.around.source.joinpath("nextword").rglob("*.py"))
        state = {str(path): _hash(path) for path in files}
        if state != self.library_state:
            before, self.library_state = self.library_state, state
            same = dict(before.items() & state.items()) if before.keys() == state.keys() else {}
            known = [module for module in self.library.modules if str(module.path) in same]
            self.library = Library(self.around.source, known)
            self._library_faults = [fault for path in files for fault in self._faults_of_library(path)]
        self.late += self._library_faults

    def forget_library_if_edited(self) -> bool:
        """After a build, forget what it read of the library if a file has changed since: it could be of either state."""
        if all(_hash(Path(path)) == state for path, state in self.library_state.items()):
            return False
        self.library_state = {}
        return True

    def _faults_of_library(self, path: Path) -> Iterator[Fault]:
        name = path.relative_to(self.around.source.parent).as_posix()
        try:
            ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            yield Fault("library-unreadable", name, error.lineno or 1, "library", f"SyntaxError: {error.msg}")
        except (OSError, ValueError) as error:
            yield Fault("library-unreadable", name, 1, "library", f"the file cannot be read: {error}")

    def _name(self, path: Path) -> str:
        return path.resolve().relative_to(self.root.resolve()).as_posix()

    def _text(self, path: Path) -> tuple[str, list[Fault]]:
        try:
            return path.read_text(encoding="utf-8-sig"), []
        except (OSError, UnicodeDecodeError) as error:
            return "", [
                Fault("page-unreadable", self._name(path), 1, "page", f"the file cannot be read: {error}")
            ]

    def _page(self, name: str, url: str, text: str, problem: list[Fault]) -> Page:
        asked, unknown = self._exercises(name, text)
        parsed = Parsed(Source((), ()), (), tuple(problem)) if problem else parse(name, text, asked)
        if len(asked) < len({fence.option["id"] for fence in exercises.of_page(parsed.source)}):
            kept = (fault for fault in parsed.faults if fault.kind not in TYPED)
            parsed = replace(parsed, faults=tuple(kept))  # what prose may quote of an exercise, none can say
        return Page(
            name,
            url,
            parsed.source,
            list(parsed.panels),
            [*parsed.faults, *unknown],
            is_notebook=name.endswith(".ipynb"),
            named=parsed.named,
            exercises={one.ident: one for one in asked},
        )

    def _exercises(self, name: str, text: str) -> tuple[tuple[Exercise, ...], list[Fault]]:
        """The exercises that a page shows, and what is wrong with those that cannot be read."""
        found: dict[str, Exercise] = {}
        faults: list[Fault] = []
        for fence in exercises.of_page(read(text)) if not name.endswith(".ipynb") else ():
            ident = fence.option["id"]
            if ident in found or any(fault.subject == f"exercise {ident}" for fault in faults):
                continue
            try:
                found[ident] = exercises.read(self.library, ident)
            except UNREADABLE as error:
                if not self._library_faults:
                    faults.append(Fault(kind_of(error), name, fence.line, f"exercise {ident}", str(error)))
            else:
                faults += exercises.faults_of(found[ident])
        return tuple(found.values()), faults

    def _refuse_twins(self, page: Page) -> None:
        """Refuse what a page has in common with an earlier one: its address, or the id of a panel."""
        twin = next((other for other in self.pages.values() if other.url == page.url), None)
        if twin:
            message = f"it has the address of {twin.path}, so only one of them would be published"
            page.faults.append(Fault("address-twice", page.path, 1, "page", message))
        first = self.panels
        for panel in [panel for panel in page.panels if panel.ident in first]:
            twin_panel = first[panel.ident]
            page.faults.append(
                panel.fault(
                    "panel-id-twice", f"the id is used twice, first at {twin_panel.path}:{twin_panel.line}"
                )
            )
            page.panels.remove(panel)

    @staticmethod
    def _is_run(panel: Panel) -> bool:
        """Whether the panel is run here: one of the second lane is run in that lane alone."""
        return not panel.packages or lanes.is_real()

    def surroundings_of(self, panel: Panel) -> Surroundings:
        """The surroundings in which a panel runs: those of all."""
        return self.around

    def _execute(self, panel: Panel) -> Execution:
        """Run a panel, or take a kept run of it."""
        if self.cache is None:
            return runner.execute(panel, self.surroundings_of(panel))
        key = cached.key_of_panel(panel, self.surroundings_of(panel))
        kept = self.cache.recall(key)
        if kept is not None:
            return cached.execution(kept)
        self._keys[panel.ident] = key
        return runner.execute(panel, self.surroundings_of(panel))

    def _judge(self, panel: Panel, done: Execution) -> Result:
        """What the run showed. A run without a fault is kept."""
        result = runner.judge(panel, self.surroundings_of(panel), done)
        self.reads[panel.ident] = done.read
        key = self._keys.pop(panel.ident, "")
        if self.cache and key and not result.faults:
            self.cache.keep(key, cached.value(done), done.read)
        return result

    def read_by(self, page: Page) -> dict[str, str] | None:
        """What the runs of a page's panels read, each file with its state; None if nobody can tell."""
        read: dict[str, str] = {}
        for panel in page.panels:
            own = self.reads.get(panel.ident)
            if own is None or any(read.get(path, state) != state for path, state in own.items()):
                return None
            read |= own
        return read

    def figure(self, reference: Reference) -> str:
        """The text of a reference to a figure.

        Raises:
            Unfit: no panel, no figure of that name, or its value cannot be written that way.
        """
        result = self.results.get(reference.panel)
        if result is None:
            raise Unfit("panel-unknown", f"there is no panel {reference.panel!r}")
        if reference.name not in result.figures:
            known = ", ".join(sorted(result.figures)) or "none"
            raise Unfit(
                "figure-unknown",
                f"panel {reference.panel} names no figure {reference.name!r}; it has: {known}",
            )
        return reference.written(result.figures[reference.name])

    def _unknown_panels(self, page: Page) -> Iterator[Fault]:
        """A number behind the word panel is a name only if there is such a panel."""
        known = self.panels
        said = list(prose.panels_named(page.source) if page.is_notebook else page.named)
        for panel in page.panels:
            result = self.results[panel.ident]
            said += [(panel.line, ident) for ident in numbers.panels_named(result.output)]
            for check in result.checks:
                line = panel.line_at(check.line)
                said += [(line, ident) for ident in numbers.panels_named(check.claim)]
        hint = "a number that is no panel's name is quoted from a figure, [[17.1.name]]"
        for line, ident in dict.fromkeys(said):
            if ident not in known and not self._is_unread(ident):
                number = ident.removeprefix("exercise-")
                what = f"panel {ident!r}" if number == ident else f"exercise {number!r}"
                yield Fault("panel-unknown", page.path, line, "prose", f"there is no {what}", hint)

    def _is_unread(self, ident: str) -> bool:
        """Whether an id could be that of an exercise which is at fault: the page, or the module, that shows it."""
        pages = self.pages.values()
        subject = ident.replace("exercise-", "exercise ")
        return subject != ident and (
            bool(self._library_faults)
            or any(fault.subject == subject for page in pages for fault in page.faults)
            or any(exercises.is_at_fault(fence) for page in pages for fence in page.source.fences)
        )

    def _faults_of_prose(self, page: Page) -> Iterator[Fault]:
        yield from self._unknown_panels(page)
        failed = {fault.anchor for fault in self.faults}
        for line in prose.quoting_lines(page.source):
            if page.is_notebook:
                yield from prose.malformed(page.path, line)
            if page.is_notebook and (any(formulas.spans(line.text)) or formulas.LONE.search(line.text)):
                message = "formulas are not read in a notebook: they would show as they are"
                yield Fault("notebook-formula", page.path, line.number, "notebook", message)
            for found in references(line):
                if page.is_notebook:
                    message = "double brackets are not read in a notebook: they would show as they are"
                    yield Fault("notebook-brackets", page.path, line.number, "notebook", message)
                    continue
                if isinstance(found, Given) or found.panel in failed or self._is_unread(found.panel):
                    continue
                if self._library_faults:
                    continue
                try:
                    self.figure(found)
                except Unfit as error:
                    yield Fault(error.kind, page.path, line.number, "prose", str(error))

    def _faults_of_lane(self, page: Page) -> Iterator[Fault]:
        """What keeps the page from showing a run of its panels that need a real library; and with what they were run."""
        for panel in [panel for panel in page.panels if panel.packages]:
            if lanes.is_real():
                try:
                    self.origins[panel.ident] = lanes.origin_here(panel.packages)
                except PackageNotFoundError as error:
                    yield panel.fault(
                        "package-missing",
                        f"it needs {error.name}, which is not installed",
                        0,
                        "make real installs it",
                    )
                for module in lanes.unnamed(panel, self.programs.get(panel.ident, "")):
                    yield panel.fault(
                        "package-undeclared",
                        f"it imports {module}, which its option needs does not name",
                    )
            else:
                # not in a thread beside the runs: CPython 3.11 breaks when two take source apart into a syntax tree
                done, origin, faults = lanes.recall(self.root, panel, self.identity(panel))
                if done and origin:
                    self.executions[panel.ident], self.origins[panel.ident] = done, origin
                yield from faults

    def _faults_of_data(self, page: Page) -> Iterator[Fault]:
        for panel in page.panels:
            for name in panel.data:
                folder = self.around.source.parent / runner.DATA
                if not (folder / name).is_file() or (folder / name).is_symlink():
                    yield panel.fault("data-missing", f"there is no file {runner.DATA}/{name}")
                elif not _says(folder / SOURCES, f"{name}:"):
                    hint = f"begin a paragraph there with '{name}:' and say where the file is from and under which licence"
                    yield panel.fault(
                        "data-source-missing",
                        f"{runner.DATA}/{SOURCES} does not say where {name} is from",
                        0,
                        hint,
                    )

    def identity(self, panel: Panel) -> str:
        """What tells the run of a panel that needs a real library from another, or nothing if it does not unfold."""
        program = self.programs.get(panel.ident, "")
        return lanes.identity(panel, program, runner.data_files(panel, self.around)) if program else ""

    def _unfold_panels(self, page: Page) -> Iterator[Fault]:
        for panel in page.panels:
            try:
                self.programs[panel.ident] = self._unfold(panel)
            except UNREADABLE as error:
                if self._library_faults or any(_is_of_import(fault, panel) for fault in page.faults):
                    continue
                line = 0 if isinstance(error, SyntaxError) else self.library.line_to_blame(panel, error)
                yield panel.fault(kind_of(error), f"it does not unfold into one file: {error}", line)

    def _unfold(self, panel: Panel) -> str:
        """One file of a panel's program: that of the build before if all is the same that it is made of."""
        imports = [statement for part in panel.program for statement in imports_of(part.code)]
        modules = self.library.behind(statement.module or "" for statement in imports)
        before = self._unfolded.get(panel.program)
        if before is None or before[0] != modules:
            self._unfolded[panel.program] = before = (modules, self.library.unfold(panel))
        return before[1]

    def _faults_of_blocks(self, page: Page) -> Iterator[Fault]:
        for fence in page.source.fences:
            listed = "" if fence.language == "math" else fence.option.get("listing", "")
            name = listed or fence.option.get("draw") or fence.language or "code"
            for problem in self._problems(page, fence):
                yield Fault(problem.kind, page.path, fence.line, f"{name} block", problem)

    def _problems(self, page: Page, fence: Fence) -> Iterator[Problem]:
        if page.is_notebook and (is_python(fence) or fence.language in OWN):
            yield Problem("notebook-block", "a block in a notebook's text never runs; use a code cell")
        elif is_listing(fence):
            yield from self._problems_of_listing(fence)
        elif fence.language == "drawing":
            yield from self._problems_of_drawing(fence)
        elif fence.language == "math":
            yield from self._problems_of_formula(fence)
        elif fence.language == exercises.LANGUAGE:
            yield from exercises.problems(fence)
        elif fence.language == instruments.LANGUAGE:
            yield from self._problems_of_instrument(page, fence)
        elif not is_python(fence):
            if fence.problem:
                yield fence.problem
            if fence.language not in LANGUAGES:
                yield Problem(
                    "language-unknown",
                    f"unknown language {fence.language!r}; a block is a panel, a listing, a drawing, a formula, an exercise, an instrument, or one of {sorted(LANGUAGES)}",
                )
            if unknown := sorted(set(fence.option) - STYLES - {"exec", "id", "session"}):
                yield Problem("option-unknown", f"unknown option {unknown[0]!r}")

    def _problems_of_listing(self, fence: Fence) -> Iterator[Problem]:
        if fence.problem:
            yield fence.problem
        if fence.language != "python" or set(fence.option) != {"listing"} or fence.body.strip():
            yield Problem(
                "listing-malformed", 'a listing is an empty block ```python listing="nextword.module.name"'
            )
        try:
            self.library.listing(fence.option["listing"])
        except UNREADABLE as error:
            if not self._library_faults:
                yield Problem(kind_of(error), str(error))

    def _problems_of_formula(self, fence: Fence) -> Iterator[Problem]:
        if fence.problem:
            yield fence.problem
        if set(fence.option) != {"listing", "line"}:
            yield Problem(
                "formula-malformed",
                'a formula has the code that computes it beside it: ```math listing="nextword.module.name" line="total ="',
            )
            return
        yield from formulas.problems(" ".join(fence.body.split()), display=True)
        try:
            self.statements(fence.option["listing"], fence.option["line"])
        except UNREADABLE as error:
            if not self._library_faults:
                yield Problem(kind_of(error), str(error))

    def statements(self, name: str, beginnings: str) -> list[Listing]:
        """The statements of a function that compute a formula, in their order, by how each begins; semicolons part several.

        Raises:
            UnknownName: the library has no such function, or not one statement that begins so.
        """
        found = [self.library.statement(name, beginning.strip()) for beginning in beginnings.split(";")]
        if len({part.first for part in found}) < len(found):
            raise UnknownName(f"the line {beginnings!r} names a statement twice")
        return sorted(found, key=lambda part: part.first)

    def _problems_of_drawing(self, fence: Fence) -> Iterator[Problem]:
        if fence.problem:
            yield fence.problem
        if set(fence.option) != {"draw", "panel"}:
            yield Problem("drawing-malformed", 'a drawing is ```drawing draw="name" panel="17.1"')
            return
        if not fence.body.strip():
            yield Problem("drawing-caption-missing", "a drawing needs a caption: the text of its block")
        elif fence.option["draw"] not in DRAWINGS:
            yield Problem(
                "drawing-unknown",
                f"there is no drawing {fence.option['draw']!r}; there are {', '.join(sorted(DRAWINGS))}",
            )
        elif fence.option["panel"] not in self.results:
            yield Problem("panel-unknown", f"there is no panel {fence.option['panel']!r}")
        elif not self._library_faults and not self.results[fence.option["panel"]].faults:
            try:
                self.draw(fence.option["draw"], fence.option["panel"])
            except ValueError as error:
                yield Problem("drawing-figure", str(error))

    def _problems_of_instrument(self, page: Page, fence: Fence) -> Iterator[Problem]:
        if found := list(instruments.problems(fence)):
            yield from found
            return
        panel = self.panels.get(fence.option["panel"])
        if panel is None:
            yield Problem("panel-unknown", f"there is no panel {fence.option['panel']!r}")
        elif panel in page.panels and panel.line > fence.line:
            yield Problem("instrument-before-panel", f"panel {panel.ident}, which it extends, comes after it")
        twins = [other for other in page.source.fences if instruments.is_instrument(other)]
        first = next(other for other in twins if other.option["use"] == fence.option["use"])
        if first is not fence:
            yield Problem("instrument-twice", f"it is on this page already, at line {first.line}")
        made = self.instruments.get(instruments.asked(fence))
        if made and made.problem:
            yield Problem("instrument-start", f"its start is refused: {made.problem}")
        for name in made.shows if made else ():
            try:
                self.library.listing(name)
            except UNREADABLE as error:
                if not self._library_faults:
                    yield Problem(kind_of(error), str(error))

    def draw(self, name: str, panel: str) -> str:
        """The SVG of a drawing from a panel's figures.

        Raises:
            ValueError: a figure that the drawing needs is missing or has another shape.
        """
        figures = self.results[panel].figures
        key = (name, panel, repr(figures))
        if key not in self._drawn:
            self._drawn[key] = DRAWINGS[name](figures, panel)
        return self._drawn[key]

    def unrendered(self, anchors: dict[str, set[str]], figures: dict[str, int]) -> list[Fault]:
        """What the author wrote and the rendered pages do not show, by the anchors and the number of figures at each page's url."""
        faults = []
        for page in self.pages.values():
            if page.is_notebook or any(fence.problem for fence in page.source.fences):
                continue  # Markdown reads what follows such a block in its own way; its fault is on record
            shown = anchors.get(page.url, set())
            failed = {fault.anchor for fault in self.faults}
            faults += [
                panel.fault(
                    "panel-not-shown",
                    "it is not on the rendered page",
                )
                for panel in page.panels
                if f"panel-{panel.ident}" not in shown
            ]
            faults += [
                Fault(
                    "exercise-not-shown",
                    page.path,
                    fence.line,
                    f"exercise {fence.option['id']}",
                    "its answers are not on the rendered page",
                )
                for fence in exercises.of_page(page.source)
                if fence.option["show"] == "answers"
                and exercises.panel_of(fence.option["id"]) in {panel.ident for panel in page.panels}
                and f"answers-{fence.option['id']}" not in shown
                and exercises.panel_of(fence.option["id"]) not in failed
            ]
            others = [
                fence
                for fence in page.own_fences
                if is_listing(fence) or fence.language in OWN - {exercises.LANGUAGE}
            ]
            unseen = len(others) - figures.get(page.url, 0)
            if not self._library_faults and (
                page.rendered != len(page.own_fences) or (unseen > 0 and not page.faults)
            ):
                shown_ones = min(page.rendered, len(page.own_fences) - max(unseen, 0))
                count = f"{len(page.own_fences)} panels, listings, drawings, formulas, exercises and instruments are written, {shown_ones} were rendered"
                line = page.own_fences[0].line if page.own_fences else 1
                faults.append(Fault("block-not-shown", page.path, line, "page", count))
        return faults


def _is_of_import(fault: Fault, panel: Panel) -> bool:
    """Whether a fault says already why a panel's code does not unfold."""
    return fault.anchor == panel.ident and fault.kind.startswith(("import-", "panel-syntax"))


def kind_of(error: Exception) -> str:
    """The kind of refusal of a piece of source that cannot be shown."""
    return str(getattr(error, "kind", "library-unreadable"))


def _place(name: str) -> tuple[list[str], bool, str]:
    """Where a page stands among all: folder by folder, in each its first page and then the others by name."""
    path = PurePosixPath(name)
    return list(path.parts[:-1]), path.stem != "index", path.name


def _says(path: Path, words: str) -> bool:
    try:
        return any(line.startswith(words) for line in path.read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError):
        return False


def _hash(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""
