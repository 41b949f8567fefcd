"""The press inside MkDocs (a hook of mkdocs.yml): when to read, what to refuse, and what the preview shows instead."""

import functools
import logging
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.livereload import LiveReloadServer
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page as SitePage
from mkdocs.structure.toc import TableOfContents
from mkdocs.utils import CountHandler

from coursebuild import cache, dated, kernels, notebooks, offline, policy, rebuild, render, reports
from coursebuild.builder import Builder, relative
from coursebuild.configuration import faults_of_menu, faults_of_settings
from coursebuild.faults import Fault, report
from coursebuild.harness import state_of
from coursebuild.press import Page, Press

log = logging.getLogger("coursebuild")
"""Not below MkDocs's logger: its ``-q`` silences that one, and ``--strict`` counts what it says."""


Render = Callable[[MkDocsConfig, Files], None]


class State:
    """What one process of MkDocs keeps between events."""

    preview = False
    dirty = False
    builder: Builder | None = None
    at_start: dict[str, str] | None = None
    remembered = rebuild.Remembered()
    templates = rebuild.Templates()


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
    try:
        dated.settle(root)
    except ValueError as error:
        raise PluginError(
            report([Fault("build-date", "mkdocs.yml", 1, "configuration", str(error))])
        ) from None
    if State.preview:
        _forgive_warnings()
    if State.builder is None or State.builder.press.root != root:
        kept = cache.of(root) or (cache.Cache(root, None) if State.preview else None)
        State.builder = Builder(root, kept, is_preview=State.preview)
    State.builder.begin()
    State.builder.early += faults_of_settings(config, root, State.dirty)
    config.extra["repository"] = reports.repository()
    config.extra["preview"] = State.preview
    config.extra["live"] = State.builder.find_live() if config.extra.get("live") else ""
    offline.name_by_content(config)
    if State.preview:
        rebuild.remember(config, State.remembered)
    if not State.preview or State.at_start is None:
        State.at_start = rebuild.watched(config)
    return config


def on_serve(server: LiveReloadServer, config: MkDocsConfig, builder: object) -> LiveReloadServer:
    """Watch all that a build reads; and build again what was edited during the first build, for MkDocs watches only from now on."""
    for path in rebuild.beside(Path(config.config_file_path).parent):
        server.watch(str(path))
    if rebuild.watched(config) != State.at_start:
        with server._rebuild_cond:
            server._want_rebuild = True
    return server


def edited_meanwhile(config: MkDocsConfig) -> list[Fault]:
    """The files that were edited since the build began: what it shows could be of two states of them."""
    root, before, now = Path(config.config_file_path).parent, State.at_start or {}, rebuild.watched(config)
    names = sorted(path for path in {*before, *now} if before.get(path) != now.get(path))
    message = "it was edited while the site was built"
    return [
        Fault("edited-meanwhile", Path(os.path.relpath(name, root)).as_posix(), 1, "build", message)
        for name in names
    ]


def _forgive_warnings() -> None:
    """Let ``serve --strict`` live on: MkDocs would end the preview when it has counted a warning."""
    logger = logging.getLogger("mkdocs")
    for handler in [handler for handler in logger.handlers if isinstance(handler, CountHandler)]:
        logger.removeHandler(handler)


def _documentation(files: Files) -> list[File]:
    return [file for file in files.documentation_pages() if file.abs_src_path]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Read all pages and run all panels before the first page is rendered."""
    pages = [(Path(str(file.abs_src_path)), file.url.removeprefix("./")) for file in _documentation(files)]
    for address, served in _builder().prepare(pages, config.site_url or "").items():
        source = {"abs_src_path": str(served)} if isinstance(served, Path) else {"content": served}
        files.append(File.generated(config, address, **source))
    if State.preview:
        rebuild.remember_pages(config, files, _press().library_state, State.remembered)
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
            _builder().early.append(
                Fault(
                    "page-not-in-nav",
                    _name(root, file),
                    1,
                    "page",
                    "the page is missing from the nav of mkdocs.yml",
                )
            )
    _builder().early += faults_of_menu(nav, config)
    return nav


def _builder() -> Builder:
    assert State.builder is not None, "on_config runs first"
    return State.builder


def _press() -> Press:
    return _builder().press


def _name(root: Path, file: File) -> str:
    return Path(str(file.abs_src_path)).resolve().relative_to(root.resolve()).as_posix()


def on_pre_page(page: SitePage, config: MkDocsConfig, files: Files) -> SitePage:
    """Let an error of one page's rendering be that page's fault, and keep a notebook's run."""
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
        path, message = _name(press.root, page.file), f"{type(error).__name__}: {error}"
        press.late.append(Fault("page-not-rendered", path, 1, "page", message))


def _render_notebook(page: SitePage, render: Render, known: Page, config: MkDocsConfig, files: Files) -> None:
    press, path = _press(), Path(str(page.file.abs_src_path))
    if any(press.results[panel.ident].faults for panel in known.panels):
        page.content, page.toc = "", TableOfContents([])
        return  # it has run, and failed: in a kernel an endless loop has no limit
    text, own = path.read_text(encoding="utf-8", errors="replace"), {known.path: state_of(str(path))}
    key = kernels.key_of(page, text, config.plugins["mkdocs-jupyter"].config, press.around)
    if press.cache and (kept := press.cache.recall(key)):
        kernels.restore(page, kept.value)
        return
    kernels.let_kernels_import_afresh(press.around.source)
    try:
        render(config, files)
    except Exception as error:
        page.content, page.toc = "", TableOfContents([])
        found = [notebooks.explain(known.path, text, error)]
    else:
        html = page.content or ""
        printed = b"".join(press.results[lab.ident].printed for lab in known.panels).decode(errors="replace")
        found = notebooks.stderr_of(known.path, html) or notebooks.unapproved_in(
            known.path, text, html, printed
        )
        page.content = notebooks.without_additions(page.content or "")
        if press.cache and not found and not any(fault.path == known.path for fault in press.faults):
            read = press.read_by(known)
            press.cache.keep(key, kernels.kept_page(page), None if read is None else read | own)
    if not any(fault.path == known.path for fault in press.faults):
        press.late += found


def on_page_content(html: str, page: SitePage, config: MkDocsConfig, files: Files) -> str:
    """Make addresses relative to the page, and remember what the page links to."""
    path = _name(_press().root, page.file) if page.file.abs_src_path else ""
    return _builder().finish(html, path, page.url)


def on_env(env: Any, config: MkDocsConfig, files: Files) -> None:
    """All pages are rendered and none is written: raise every fault together, or show them in the preview."""
    press = _press()
    if not State.preview:
        _builder().early += edited_meanwhile(config)
    faults = _builder().faults({file.url for file in files if not file.is_documentation_page()})
    if State.preview:
        env.bytecode_cache = State.templates
        if press.forget_library_if_edited():
            State.remembered = rebuild.Remembered()
    if press.cache and press.cache.told and not State.preview:
        log.warning(press.cache.told)
    if not faults:
        return
    if not State.preview:
        raise PluginError(report(faults))
    log.error(report(faults))
    anchors = _builder().anchors
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
        boxes = render.page_faults(press, sorted(set(own)), shown)
        file.page.content = relative(boxes, file.page.url) + (file.page.content or "")


@event_priority(-100)
def on_post_page(output: str, page: SitePage, config: MkDocsConfig) -> str:
    """Put the policy into the finished page, last of all hooks and plugins."""
    source = page.file.abs_src_path
    return _under_policy(output, f"{_name(_press().root, page.file)}:1" if source else page.file.src_uri)


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
    if State.builder:
        State.builder.forget_pages()
