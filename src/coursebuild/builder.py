"""A build of the site, whoever renders its pages: what is served beside them, what each page shows, and all that is wrong.

Nothing here knows MkDocs: ``coursebuild.site`` drives it from there, and ``coursebuild.successor`` from Zensical.
"""

import logging
import posixpath
import re
import traceback
from collections.abc import Iterable
from pathlib import Path

from coursebuild import approval, extension, handouts, playing, policy, render, rendered
from coursebuild.cache import Cache
from coursebuild.faults import Fault
from coursebuild.links import Content, broken, content
from coursebuild.press import Page, Press

STASHED = "wzxhzdk:"
"""How Python-Markdown marks what it puts back at the end; on a finished page nothing of it is left."""

LINK = re.compile(rf'(?<=\s)(?P<name>href|src)="{render.ROOT}')

MADE_LATER = {"sitemap.xml", "search/search_index.json"}
"""The addresses that a page may name and that are written after all pages."""

log = logging.getLogger("coursebuild")


class Builder:
    """What a build knows between its steps: ``begin``, ``prepare``, for each page ``finish``, and ``faults``.

    Args:
        root: the project's folder.
        cache: what was kept of earlier runs; without it everything is run.
        is_preview: whether an author is at work, whose panels may print what nobody has approved yet.

    Attributes:
        html: the finished pages by their address.
        contents: what they link to.
        early: the faults that were found outside the pages.
        live: the files with which a reader's browser runs panels, by their address.
    """

    def __init__(self, root: Path, cache: Cache | None = None, is_preview: bool = False) -> None:
        self.press = Press(root, cache=cache)
        self.is_preview = is_preview
        self.html: dict[str, str] = {}
        self.contents: dict[str, Content] = {}
        self.early: list[Fault] = []
        self.live: dict[str, bytes | Path] = {}

    def begin(self) -> None:
        """Forget the build before, and let Markdown use this one's press."""
        extension.active = self.press
        self.forget_pages()
        self.early, self.live = [], {}

    def forget_pages(self) -> None:
        """Forget what was rendered."""
        self.html, self.contents = {}, {}

    def find_live(self) -> str:
        """Have the site serve what its panels run with in a reader's browser: its folder, or nothing if it is not installed."""
        try:
            runtime = playing.runtime(self.press.root)
        except playing.NotInstalled as error:
            self.early.append(
                Fault("runtime-missing", "mkdocs.yml", 1, "live panels", str(error), "make build fetches it")
            )
            return ""
        self.live = runtime.files
        return runtime.folder

    def prepare(self, pages: Iterable[tuple[Path, str]], site_url: str = "") -> dict[str, str | bytes | Path]:
        """Read all pages (file, address) and run all panels; what the site serves beside its pages, by address."""
        press = self.press
        try:
            press.prepare(pages)
        except Exception as error:  # a fault of the press itself: in the preview it is shown, like any other
            press.clear()
            last = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(last.filename).name}, line {last.lineno}"
            message = f"it broke at {where}: {type(error).__name__}: {error}"
            self.early.append(Fault("press-broke", "mkdocs.yml", 1, "press", message))
            log.error(traceback.format_exc())
        served: dict[str, str | bytes | Path] = {}
        for ident, program in press.programs.items():
            served[render.program_address(ident)] = program
        served |= self.live
        for page in press.pages.values():
            if to := handouts.address(page):
                served[to] = handouts.notebook(press, page, site_url)
        return served

    def finish(self, html: str, path: str, url: str, links_from: str | None = None) -> str:
        """A rendered page with addresses relative to it; what it shows and links to is remembered.

        Args:
            html: what Markdown made of the page.
            path: the page's file, relative to the project, or nothing if it has none.
            url: its address on the site.
            links_from: the address that links shall be relative to where the site builder then makes them relative to the page.
        """
        known = self.press.pages.get(path)
        if known and handouts.address(known):
            html = html.replace("</h1>", "</h1>" + render.handout(self.press, known), 1)
        html += render.moved(self.press, known) if known else ""
        if links_from is not None:
            html = LINK.sub(rf'\g<name>="{_to_root(links_from)}', html)
        html = relative(html, url)
        html = html.replace(
            '<details class="mkdocstrings-source">',
            '<details class="mkdocstrings-source" data-search-exclude>',
        )
        if STASHED in html:
            message = "Markdown left a placeholder in the page in place of its text"
            self.press.late.append(Fault("placeholder-left", path, 1, "page", message))
        self.remember(html, url)
        return html

    def remember(self, html: str, url: str) -> None:
        """Take this for what the page at an address shows."""
        self.html[url] = html
        self.contents[url] = content(html)

    @property
    def anchors(self) -> dict[str, set[str]]:
        """The anchors of each finished page."""
        return {url: content.anchors for url, content in self.contents.items()}

    def faults(self, files: set[str]) -> list[Fault]:
        """All that is wrong with the site, when its last page is finished.

        Args:
            files: the addresses of all that the site has beside its pages.
        """
        press = self.press
        if any(fault.kind == "press-broke" for fault in self.early):
            return self.early  # it has read no page, so all else is said of what is not there
        figures = {url: content.figures for url, content in self.contents.items()}
        faults = [*self.early, *press.faults, *approval.drift(press)]
        faults += [] if self.is_preview else approval.unapproved(press)
        faults += press.unrendered(self.anchors, figures)
        for page in press.pages.values():
            faults += rendered.unseen(press, page, self.html.get(page.url, ""))
        blocked = [
            fault
            for page in press.pages.values()
            for fault in policy.faults(page.path, press.root / page.path, self.html.get(page.url, ""))
        ]
        places = {fault.place for fault in blocked}  # what the policy blocks is no second mistake
        others = [*faults, *self._broken_links(files)]
        echoes = {"html-hides", "link-broken"}
        return blocked + [fault for fault in others if fault.kind not in echoes or fault.place not in places]

    def _broken_links(self, files: set[str]) -> list[Fault]:
        press = self.press
        by_url: dict[str, Page] = {page.url: page for page in press.pages.values()}
        failed = {fault.path for fault in press.faults}
        unsure = {page.url for page in press.pages.values() if page.path in failed}
        faults = []
        for url, address, problem in broken(self.contents, files | MADE_LATER, unsure):
            if problem.kind == "anchor-twice" and url in unsure:
                continue  # what stands there twice is a fault already
            page = by_url.get(url)
            if page is None:
                faults.append(Fault(problem.kind, url, 1, "link", problem))
                continue
            line = _line_of(press.root / page.path, address)
            faults.append(Fault(problem.kind, page.path, line, "link", problem))
        return faults


def relative(html: str, url: str) -> str:
    """The HTML of a page with the addresses that the press wrote relative to the page."""
    return html.replace(f'"{render.ROOT}', f'"{_to_root(url)}')


def _to_root(url: str) -> str:
    return posixpath.relpath(".", url or ".") + "/"


def _line_of(path: Path, address: str) -> int:
    """The line of a page's source that most likely holds an address: Markdown rewrites what it can resolve."""
    lines = path.read_text(encoding="utf-8").splitlines()
    last = posixpath.basename(address.split("#")[0].rstrip("/")).removesuffix(".md")
    fragment = "#" + address.split("#", 1)[1] if "#" in address else ""
    for wanted in (address, last + ".md" + fragment, fragment, last):
        if wanted:
            for number, text in enumerate(lines, 1):
                if wanted in text:
                    return number
    return 1
