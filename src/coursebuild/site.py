"""The press inside MkDocs (a hook of mkdocs.yml): when to read, what to refuse, and what the preview shows instead."""

import functools
import logging
import posixpath
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import TableOfContents
from mkdocs.utils import CountHandler

from coursebuild import (
    approval,
    extension,
    handouts,
    kernels,
    notebooks,
    offline,
    playing,
    policy,
    render,
    rendered,
)
from coursebuild.configuration import faults_of_menu, faults_of_settings
from coursebuild.faults import Fault, report
from coursebuild.links import Content, broken, content
from coursebuild.press import Page, Press

STASHED = "wzxhzdk:"
"""How Python-Markdown marks what it puts back at the end; on a finished page nothing of it is left."""

log = logging.getLogger("coursebuild")
"""Not below MkDocs's logger: its ``-q`` silences that one, and ``--strict`` counts what it says."""


Render = Callable[[MkDocsConfig, Files], None]


class State:
    """What one process of MkDocs keeps between events."""

    preview = False
    dirty = False
    press: Press | None = None
    contents: dict[str, Content] = {}
    html: dict[str, str] = {}
    kept: dict[str, tuple[str, str, TableOfContents]] = {}
    configuration: list[Fault] = []
    live: dict[str, bytes | Path] = {}


def on_startup(command: str, dirty: bool) -> None:
    """Learn whether this is a preview: only there a fault is shown instead of raised."""
    State.preview = command == "serve"
    State.dirty = dirty and not State.preview
    if not log.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        log.addHandler(handler)
        log.propagate = False


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Begin a build: refuse settings under which a false page could pass."""
    root = Path(config.config_file_path).parent
    if State.preview:
        _forgive_warnings()
    if State.press is None or State.press.root != root:
        State.press = Press(root, keep=State.preview)
    extension.active = State.press
    State.contents, State.html = {}, {}
    State.configuration = faults_of_settings(config, root, State.dirty)
    config.extra["repository"] = render.repository()
    config.extra["preview"] = State.preview
    config.extra["live"] = _folder_of_live_panels(root) if config.extra.get("live") else ""
    offline.name_by_content(config)
    return config


def _folder_of_live_panels(root: Path) -> str:
    """Where the site has what its panels run with in a reader's browser, which the theme tells the pages."""
    State.live = {}
    try:
        runtime = playing.runtime(root)
    except playing.NotInstalled as error:
        State.configuration.append(Fault("mkdocs.yml", 1, "live panels", str(error), "make build fetches it"))
        return ""
    State.live = runtime.files
    return runtime.folder


def _forgive_warnings() -> None:
    """Let ``serve --strict`` live on: MkDocs would end the preview when it has counted a warning."""
    logger = logging.getLogger("mkdocs")
    for handler in [handler for handler in logger.handlers if isinstance(handler, CountHandler)]:
        logger.removeHandler(handler)


def _documentation(files: Files) -> list[File]:
    return [file for file in files.documentation_pages() if file.abs_src_path]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Read all pages and run all panels before the first page is rendered."""
    press = _press()
    pages = [(Path(str(file.abs_src_path)), file.url.removeprefix("./")) for file in _documentation(files)]
    try:
        press.prepare(pages)
    except Exception as error:  # a fault of the press itself: in the preview it is shown, like any other
        press.clear()
        last = traceback.extract_tb(error.__traceback__)[-1]
        where = f"{Path(last.filename).name}, line {last.lineno}"
        message = f"it broke at {where}: {type(error).__name__}: {error}"
        State.configuration.append(Fault("mkdocs.yml", 1, "press", message))
        log.error(traceback.format_exc())
    for ident, program in press.programs.items():
        files.append(File.generated(config, render.program_address(ident), content=program))
    for address, served in State.live.items():
        source = {"abs_src_path": str(served)} if isinstance(served, Path) else {"content": served}
        files.append(File.generated(config, address, **source))
    for page in press.pages.values():
        if to := handouts.address(page):
            files.append(
                File.generated(config, to, content=handouts.notebook(press, page, config.site_url or ""))
            )
    return files


def on_page_read_source(page: SitePage, config: MkDocsConfig) -> str | None:
    """Let a file that cannot be read be that page's fault, which the press has on record, and not the end of a preview."""
    try:
        Path(str(page.file.abs_src_path)).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return f"# {page.file.name}\n"
    return None


def on_nav(nav: Navigation, config: MkDocsConfig, files: Files) -> Navigation:
    """Refuse a page that no reader would find, and an entry of the nav that leads nowhere."""
    root = _press().root
    known = {page.file.src_uri for page in nav.pages}
    for file in _documentation(files):
        if file.src_uri not in known and file.inclusion is not InclusionLevel.EXCLUDED:
            State.configuration.append(
                Fault(_name(root, file), 1, "page", "the page is missing from the nav of mkdocs.yml")
            )
    State.configuration += faults_of_menu(nav, config)
    return nav


def _press() -> Press:
    assert State.press is not None, "on_config runs first"
    return State.press


def _name(root: Path, file: File) -> str:
    return Path(str(file.abs_src_path)).resolve().relative_to(root.resolve()).as_posix()


def on_pre_page(page: SitePage, config: MkDocsConfig, files: Files) -> SitePage:
    """Let an error of one page's rendering be that page's fault, and keep a notebook's run while nothing changed."""
    press = _press()
    press.current = press.pages.get(_name(press.root, page.file)) if page.file.abs_src_path else None
    if press.current and press.current.is_notebook:
        page.render = functools.partial(_render_notebook, page, page.render, press.current)  # type: ignore[method-assign]
    else:
        page.render = functools.partial(_render_page, page, page.render)  # type: ignore[method-assign]
    return page


def _render_page(page: SitePage, render: Render, config: MkDocsConfig, files: Files) -> None:
    try:
        render(config, files)
    except Exception as error:
        page.content, page.toc = "", TableOfContents([])
        press = _press()
        press.late.append(Fault(_name(press.root, page.file), 1, "page", f"{type(error).__name__}: {error}"))


def _render_notebook(page: SitePage, render: Render, known: Page, config: MkDocsConfig, files: Files) -> None:
    press, path = _press(), Path(str(page.file.abs_src_path))
    kernels.let_kernels_import_afresh(press.around.source)
    key = kernels.key_of(path, press.around.source) if State.preview else ""
    kept = State.kept.get(known.path)
    if key and kept and kept[0] == key:
        _, page.content, page.toc = kept
        return
    try:
        render(config, files)
    except Exception as error:
        page.content, page.toc = "", TableOfContents([])
        found = [notebooks.explain(known.path, path.read_text(encoding="utf-8", errors="replace"), error)]
    else:
        found = notebooks.stderr_of(known.path, page.content or "")
        page.content = notebooks.without_additions(page.content or "")
        if key and not found:
            State.kept[known.path] = (key, page.content, page.toc)
    if not any(fault.path == known.path for fault in press.faults):
        press.late += found


def on_page_content(html: str, page: SitePage, config: MkDocsConfig, files: Files) -> str:
    """Make addresses relative to the page, and remember what the page links to."""
    known = _press().pages.get(_name(_press().root, page.file)) if page.file.abs_src_path else None
    if known and handouts.address(known):
        html = html.replace("</h1>", "</h1>" + render.handout(_press(), known), 1)
    base = posixpath.relpath(".", page.url or ".") if page.url else "."
    html = html.replace(f'"{render.ROOT}', f'"{base}/' if base != "." else '"./')
    html = html.replace(
        '<details class="mkdocstrings-source">', '<details class="mkdocstrings-source" data-search-exclude>'
    )
    if STASHED in html:
        path = _name(_press().root, page.file)
        _press().late.append(
            Fault(path, 1, "page", "Markdown left a placeholder in the page in place of its text")
        )
    State.html[page.url] = html
    State.contents[page.url] = content(html)
    return html


def on_env(env: Any, config: MkDocsConfig, files: Files) -> None:
    """All pages are rendered and none is written: raise every fault together, or show them in the preview."""
    press = _press()
    anchors = {url: content.anchors for url, content in State.contents.items()}
    figures = {url: content.figures for url, content in State.contents.items()}
    faults = [*State.configuration, *press.faults, *approval.drift(press)]
    faults += [*press.unrendered(anchors, figures), *_broken_links(files)]
    faults += [
        fault
        for page in press.pages.values()
        for fault in rendered.unseen(press, page, State.html.get(page.url, ""))
    ]
    faults += [
        fault
        for page in press.pages.values()
        for fault in policy.faults(page.path, press.root / page.path, State.html.get(page.url, ""))
    ]
    if not faults:
        return
    if not State.preview:
        raise PluginError(report(faults))
    log.error(report(faults))
    for file in _documentation(files):
        if file.page is None:
            continue
        name = _name(press.root, file)
        known = press.pages.get(name)
        visible = anchors.get(file.page.url, set())
        shown = (
            {panel.ident for panel in known.panels if f"panel-{panel.ident}" in visible} if known else set()
        )
        own = [fault for fault in faults if fault.path == name or fault.path not in press.pages]
        file.page.content = render.page_faults(sorted(set(own)), shown) + (file.page.content or "")


def _broken_links(files: Files) -> list[Fault]:
    press = _press()
    by_url = {page.url: page for page in press.pages.values()}
    others = {file.url for file in files if not file.is_documentation_page()}
    faults = []
    failed = {fault.path for fault in press.faults}
    unsure = {page.url for page in press.pages.values() if page.path in failed}
    made_later = {"sitemap.xml", "search/search_index.json"}
    for url, address, message in broken(State.contents, others | made_later, unsure):
        page = by_url.get(url)
        if page is None:
            faults.append(Fault(url, 1, "link", message))
            continue
        faults.append(Fault(page.path, _line_of(press.root / page.path, address), "link", message))
    return faults


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


@event_priority(-100)
def on_post_page(output: str, page: SitePage, config: MkDocsConfig) -> str:
    """Put the policy into the finished page, last of all hooks and plugins."""
    return _under_policy(output, page.file.src_uri)


@event_priority(-100)
def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """The same for the page that stands for a missing one."""
    return _under_policy(output_content, template_name) if template_name.endswith(".html") else output_content


def _under_policy(html: str, name: str) -> str:
    if State.preview:  # MkDocs adds a script of its own to what it serves, another one after each change
        return html
    try:
        return policy.under_policy(html, name)
    except ValueError as error:
        raise PluginError(str(error)) from None


def on_post_build(config: MkDocsConfig) -> None:
    """All is written: the service worker knows the whole site. A preview has none, as it would show what is past."""
    if not State.preview:
        offline.write(Path(config.site_dir))


def on_build_error(error: Exception) -> None:
    """Leave no half-written state for the next build of a preview."""
    State.contents, State.html = {}, {}
