"""Builds the course with Zensical, and refuses what the press refuses: Zensical's own ``--strict`` lets failing blocks pass."""

import re
import shutil
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from coursebuild.builder import Builder
from coursebuild.faults import Fault
from coursebuild.press import Page

META = re.compile(r"<meta\s+((?:name|http-equiv)=[\w\"'-]+)")
THEME = {("assets", "images"), ("assets", "javascripts"), ("assets", "stylesheets")}
CONFIGURATION = "zensical.yml"
Render = Callable[[Path, Builder], list[Fault]]
ARTICLE = re.compile(r"<article\b.*</article>", re.DOTALL)


@dataclass(frozen=True)
class Built:
    """The course as Zensical built it.

    Attributes:
        site: the folder with its pages.
        pages: all pages of the course.
        lacking: those of them that Zensical cannot build: it runs no notebooks.
        faults: why it may not be published.
    """

    site: Path
    pages: tuple[Page, ...]
    lacking: tuple[Page, ...]
    faults: tuple[Fault, ...]


def zensical(configuration: Path, builder: Builder) -> list[Fault]:
    """Let Zensical build from nothing, in this process; what it refuses by itself."""
    from zensical import build

    from coursebuild.successor import extension

    extension.builder = builder
    _forget_renderings(configuration.parent / ".cache")
    try:
        build(str(configuration), {"clean": False, "strict": True})
    except Exception as error:
        traceback.print_exc()
        return [_unwritten(configuration.name, f"{type(error).__name__}: {str(error).partition(chr(10))[0]}")]
    return []


def _forget_renderings(folder: Path) -> None:
    """Remove the pages that Zensical keeps: it would not ask the press again. Its own ``--clean`` takes the press's runs as well."""
    for path in folder.glob("*"):
        if path.is_file():
            path.unlink()


def build(root: Path, render: Render = zensical) -> Built:
    """Run all panels, have the pages rendered, and look at what was written."""
    configuration = root / CONFIGURATION
    site = root / yaml.safe_load(configuration.read_text(encoding="utf-8"))["site_dir"]
    shutil.rmtree(site, ignore_errors=True)
    builder = Builder(root)
    builder.begin()
    served = builder.prepare(list(sources(root / "docs")))
    refused = render(configuration, builder)
    for address, content in served.items():
        write(site / address, content)
    pages = tuple(builder.press.pages.values())
    lacking = tuple(page for page in pages if page.is_notebook and not file_of(site, page).is_file())
    return Built(site, pages, lacking, tuple(sorted({*refused, *judge(builder, site, lacking)})))


def _unwritten(path: str, message: str) -> Fault:
    return Fault("page-not-rendered", path, 1, "page", message, "look at what Zensical said while it built")


def sources(docs: Path) -> Iterator[tuple[Path, str]]:
    """The pages of a folder with their addresses on the site, which are those that MkDocs gives them."""
    for path in sorted([*docs.rglob("*.md"), *docs.rglob("*.ipynb")]):
        name = path.relative_to(docs)
        folder = name.parent if name.stem in ("index", "README") else name.with_suffix("")
        yield path, "" if folder == Path() else f"{folder.as_posix()}/"


def write(path: Path, content: str | bytes | Path) -> None:
    """Write a file of the site: a text, bytes, or a copy of another file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, Path):
        shutil.copyfile(content, path)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def file_of(site: Path, page: Page) -> Path:
    """Where a site has a page."""
    return site / page.url / "index.html"


def article(html: str) -> str:
    """What a page of Material or of Zensical shows of its own, without menus."""
    found = ARTICLE.search(html)
    return found[0] if found else ""


def judge(builder: Builder, site: Path, lacking: tuple[Page, ...]) -> Iterator[Fault]:
    """What is wrong with the pages as they were written, and with the runs of their panels."""
    builder.forget_pages()
    pages = {file_of(site, page): page for page in builder.press.pages.values() if page not in lacking}
    for file, page in pages.items():
        shown = article(file.read_text(encoding="utf-8")) if file.is_file() else ""
        if not shown:
            yield _unwritten(page.path, "Zensical did not write it")
        builder.remember(shown, page.url)
    files = {path.relative_to(site).as_posix() for path in site.rglob("*") if path not in pages}
    yield from builder.faults(files | {page.url for page in lacking})


def lacking_of_all(built: Built, site: Path) -> list[str]:
    """What MkDocs's site has beside its pages and Zensical's has not, in words: files of the course, and tags in the pages' heads."""
    ours, theirs = (
        {part for path in folder.rglob("*") if path.is_file() and (part := _kind(path.relative_to(folder)))}
        for folder in (site, built.site)
    )
    lacking = [f"files: {name}" for name in sorted(ours - theirs)]
    tags: Counter[str] = Counter()
    for page in built.pages:
        files = file_of(site, page), file_of(built.site, page)
        if all(file.is_file() for file in files):
            first, second = (set(META.findall(file.read_text(encoding="utf-8"))) for file in files)
            tags.update(first - second)
    return lacking + [f"<meta {name}>, on {count} pages" for name, count in sorted(tags.items())]


def _kind(path: Path) -> str:
    """The file or the folder of files to which a file of a site belongs; nothing if it is a page or the theme's."""
    is_other = path.name == "index.html" or path.parts[:2] in THEME
    return "" if is_other else "/".join(path.parts[:2])
