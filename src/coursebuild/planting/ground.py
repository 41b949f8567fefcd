"""A copy of the site, built once as it is; then again and again with one fault in it, only the page with the fault anew.

Every step is the site builder's own: MkDocs' events and rendering, the press, the link check, and the error that ends the
build. What differs from ``mkdocs build``: of the other pages what was rendered in the first build stands; a run is used again
while what made it is the same; the search index, the theme and the files are not written, as they come after the error.
"""

import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from mkdocs.commands.build import _populate_page as populate
from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, PluginError
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page as SitePage

from coursebuild import rebuild
from coursebuild.builder import Builder
from coursebuild.cache import Cache
from coursebuild.exercises import Trial
from coursebuild.panels import Panel
from coursebuild.planting.kinds import Plant, Target
from coursebuild.press import Page, Press
from coursebuild.prose import Given, quoting_lines, references
from coursebuild.runner import Surroundings

HOOK = "site.py"
LEFT_OUT = shutil.ignore_patterns("__pycache__", "node_modules", ".ipynb_checkpoints")
PLACE = re.compile(r"^(?=\S+:\d+: )", re.MULTILINE)


class Refused(Exception):
    """The site is refused as it is, so no fault could be told from its own."""


class _Rendered(Exception):
    """All pages are rendered, and nothing more is wanted."""


class _Press(Press):
    """A press that stops one panel, if it is told which, and those that begin with its code, after a second."""

    endless = ""

    def surroundings_of(self, panel: Panel) -> Surroundings:
        is_endless = any(part.ident == self.endless for part in panel.program)
        return replace(self.around, seconds=1.0) if is_endless else self.around


class _Stop(BasePlugin):  # type: ignore[type-arg,no-untyped-call]
    """Ends the first build when nothing is left but to write it."""

    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    @event_priority(-100)
    def on_env(self, env: Any, *, config: MkDocsConfig, files: Files) -> None:
        self.files, self.html, self.contents = files, self.builder.html, self.builder.contents
        raise _Rendered


def copy_project(root: Path, to: Path) -> None:
    """Copy what the site is built from."""
    for folder in ("docs", "src", "tests"):
        if (root / folder).is_dir():
            shutil.copytree(root / folder, to / folder, ignore=LEFT_OUT)
    for name in ("mkdocs.yml", "pyproject.toml", "README.md", "LICENSE"):
        if (root / name).exists():
            shutil.copyfile(root / name, to / name)


def targets_of(press: Press) -> Iterator[Target]:
    """All panels, exercises and labs of a site, with their figures if it was run."""
    for page in press.pages.values():
        for panel in page.panels:
            plain = Target("panel", panel.ident, page.path, panel.line, is_recorded=bool(panel.packages))
            if page.is_notebook:
                yield replace(plain, group="lab")
            elif isinstance(panel, Trial):
                found = next(one for one in page.exercises.values() if one.panel == panel.ident)
                yield replace(plain, group="exercise", module=found.path)
            else:
                yield replace(plain, figures=dict(_quoted(press, page)) if press.results else {})


def _quoted(press: Press, page: Page) -> Iterator[tuple[str, str]]:
    """The references of a page as they are written, each with the text that it stands for."""
    for line in quoting_lines(page.source):
        for found in references(line):
            if not isinstance(found, Given):
                yield line.text[found.start : found.end], press.figure(found)


class Ground:
    """A copy of a site in which faults are planted.

    Args:
        root: the project.
        folder: where the copy is to be; empty.

    Raises:
        Refused: the build refuses the site as it is.
    """

    def __init__(self, root: Path, folder: Path) -> None:
        copy_project(root, folder)
        self.root = folder.resolve()
        self.config = load_config(
            str(self.root / "mkdocs.yml"), strict=False, site_dir=str(self.root / "site")
        )
        [name] = [name for name in self.config.hooks if Path(name).name == HOOK]
        self.site: Any = self.config.hooks[name]
        self.builder = self.site.State.builder = Builder(self.root)
        self.press = self.builder.press = _Press(self.root, cache=Cache(self.root, None))
        stop = _Stop(self.builder)
        self.config.plugins["planting"] = stop
        self.config.plugins.on_startup(command="build", dirty=False)
        try:
            build(self.config)
        except _Rendered:
            self.files, self.html, self.contents = stop.files, stop.html, stop.contents
        except Abort as error:
            raise Refused(str(error.__context__)) from None
        press = self.press
        self.targets = list(targets_of(press))
        self.rendered = {page.path: page.rendered for page in press.pages.values()}
        self.sound: set[str] = set()
        self.addresses = {page.path: page.url for page in press.pages.values()}
        self.sources = {
            Path(str(file.abs_src_path)).resolve().relative_to(self.root).as_posix(): file
            for file in self.files.documentation_pages()
            if file.abs_src_path
        }

    def read(self, name: str) -> str:
        """The text of a file of the site."""
        return (self.root / name).read_text(encoding="utf-8")

    def refusal(self, plant: Plant) -> str:
        """What the build says of the site with a fault in it; nothing if it lets it pass.

        Raises:
            Refused: it says something of the page without the fault as well.
        """
        path, page = self.root / plant.path, plant.target.page
        if page not in self.sound:
            if said := self._build(page):
                raise Refused(said)
            self.sound.add(page)
        before = path.read_bytes()
        path.write_text(plant.text, encoding="utf-8")
        try:
            self.press.endless = plant.target.ident if plant.is_endless else ""
            return self._build(page)
        finally:
            self.press.endless = ""
            path.write_bytes(before)

    def _build(self, name: str) -> str:
        builder, config, files = self.builder, self.config, self.files
        builder.begin()
        self.site.State.at_start = rebuild.watched(config)  # the fault was there when this build began
        builder.html, builder.contents = {**self.html}, {**self.contents}
        builder.prepare([(self.root / path, url) for path, url in self.addresses.items()])
        for path, count in self.rendered.items():
            builder.press.pages[path].rendered = count
        builder.press.pages[name].rendered = 0
        populate(SitePage(None, self.sources[name], config), config, files)
        try:
            self.site.on_env(None, config, files)
        except PluginError as error:
            return str(error)
        return ""


def missed(plant: Plant, said: str) -> list[str]:
    """What the build should have said of a planted fault, and did not."""
    if not plant.expected:
        return [f"{plant.target.page}: nothing is expected, so any answer would do"]
    messages = PLACE.split(said)
    return [
        f"{plant.target.page}:{'/'.join(map(str, wanted.rows[:1] + wanted.rows[1:][-1:]))}: {wanted.says}"
        for wanted in plant.expected
        if not any(
            message.startswith(tuple(f"{plant.target.page}:{row}: " for row in wanted.rows))
            and re.search(wanted.says, message)
            and any(f"[{kind}]" in message for kind in wanted.refusals)
            for message in messages
        )
    ]


def is_of(target: Target, names: Iterable[str]) -> bool:
    """Whether a target is named, or its page; each is where no name is given."""
    wanted = list(names)
    return not wanted or target.page in wanted or target.ident in wanted
