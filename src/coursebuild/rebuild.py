"""What the preview need not compute twice: parts of a build that are functions of what they are given, and of nothing else.

After each save every page is rendered, so no page can be stale. But three plugins spend most of that time on what came out the
last time already: the entries of a page for the search index, whether a page is a notebook, and the library's reference. Each is
taken from the build before only if all that it is made of is the same, to the letter.
"""

import copy
import functools
import hashlib
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

from jinja2.bccache import Bucket, BytecodeCache
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink

from coursebuild import addresses, approval, extension, refusals
from coursebuild.planting import record


class Remembered:
    """What the last build computed, by what for: each with all that it was made of."""

    def __init__(self) -> None:
        self._found: dict[object, tuple[object, Any]] = {}

    def get(self, what: object, made_of: object, compute: Callable[[], Any]) -> Any:
        """The value, computed if it is made of something else than the last time."""
        before = self._found.get(what)
        if before is None or before[0] != made_of:
            self._found[what] = before = (made_of, compute())
        return before[1]

    def drop(self, what: object) -> None:
        """Forget a value, which says more than what it is made of."""
        self._found.pop(what, None)


class Templates(BytecodeCache):
    """The theme's templates as they were compiled: each is taken again while its text is the same, which Jinja looks after."""

    def __init__(self) -> None:
        self._compiled: dict[str, bytes] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template's code, if there is any."""
        if bucket.key in self._compiled:
            bucket.bytecode_from_string(self._compiled[bucket.key])

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep a template's code."""
        self._compiled[bucket.key] = bucket.bytecode_to_string()


def remember(config: MkDocsConfig, remembered: Remembered) -> None:
    """Let the plugins of a build ask what is remembered; before the build reads its files."""
    if notebooks := config.plugins.get("mkdocs-jupyter"):
        plain = notebooks.should_include
        told = repr(dict(notebooks.config))

        def should_include(file: File) -> bool:
            path = file.abs_src_path
            if not path or not path.endswith(".md"):
                return bool(plain(file))  # nothing is read
            made_of = (told, digest(Path(path)))
            return bool(remembered.get(("notebook", path), made_of, lambda: plain(file)))

        notebooks.should_include = should_include


def remember_pages(config: MkDocsConfig, files: Files, state: object, remembered: Remembered) -> None:
    """The same for what is asked of each page, once the plugins are set up.

    Args:
        config: the configuration of the build.
        files: all files of the site.
        state: the state of the library's source.
        remembered: what the last build computed.
    """
    search = config.plugins.get("material/search") or config.plugins.get("search")
    index: Any = getattr(search, "search_index", None)
    if hasattr(index, "entries"):  # that of Material
        index.add_entry_from_context = functools.partial(
            _entries, index, index.add_entry_from_context, remembered
        )
    if documented := config.plugins.get("mkdocstrings"):
        settings = digest(Path(config.config_file_path))
        known = frozenset((file.src_uri, file.url) for file in files)
        handler = documented.handlers.get_handler("python")
        handler.render = _reference(handler, handler.render, remembered, (settings, known, state))


def beside(root: Path) -> list[Path]:
    """What a build reads of the project beside its pages and its source: the approved outputs and addresses, and the examples of refusals."""
    names = (approval.FOLDER, addresses.RECORD, refusals.EXAMPLES, record.FILE)
    return [root / name for name in names if (root / name).exists()]


def watched(config: MkDocsConfig) -> dict[str, str]:
    """The state of each file that a preview watches, by its path."""
    beside_them = beside(Path(config.config_file_path).parent)
    roots = [*map(Path, (config.docs_dir, config.config_file_path, *config.watch)), *beside_them]
    found = [path for root in roots for path in (root.rglob("*") if root.is_dir() else [root])]
    return {
        str(path): digest(path) for path in found if not {"node_modules", "__pycache__"} & set(path.parts)
    }


def digest(path: Path) -> str:
    """A hash of a file's content, or nothing if it cannot be read."""
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return ""


def _entries(index: Any, plain: Callable[[Page], None], remembered: Remembered, page: Page) -> None:
    """Add a page to the search index."""
    made_of = (page.content, page.title, repr(page.meta), list(_toc(page.toc)))

    def compute() -> list[dict[str, Any]]:
        count = len(index.entries)
        plain(page)
        added: list[dict[str, Any]] = index.entries[count:]
        del index.entries[count:]
        return added

    index.entries += copy.deepcopy(remembered.get(("search", page.url), made_of, compute))


def _toc(items: Iterable[AnchorLink]) -> Iterable[tuple[str, str, str]]:
    for item in items:
        yield item.title, item.id, item.url
        yield from _toc(item.children)


def _reference(
    handler: Any, plain: Callable[..., str], remembered: Remembered, around: tuple[object, ...]
) -> Callable[..., str]:
    """How the reference of a part of the library is rendered, with the headings that it hands to the table of contents."""

    def render(data: Any, options: Any, locale: str | None = None) -> str:
        machine, ahead = extension.press(), len(handler._headings)
        if data.path.split(".")[0] != "nextword" or machine.current is None:
            return plain(data, options, locale=locale)

        def compute() -> tuple[str, list[Element], bool]:
            asked = machine.asked
            html = plain(data, options, locale=locale)
            return html, copy.deepcopy(handler._headings[ahead:]), machine.asked > asked

        what = ("reference", machine.current.path, data.path)
        html, headings, has_asked = remembered.get(what, (*around, repr(options), locale), compute)
        if has_asked:  # it shows what a panel computed, which may be another in the next build
            remembered.drop(what)
        handler._headings[ahead:] = copy.deepcopy(headings)
        return str(html)

    return render
