"""The press as a Markdown extension of Zensical (zensical.yml), which tells what page is rendered and has no hooks."""

import posixpath
from typing import Any
from xml.etree.ElementTree import Element

from markdown import Extension, Markdown
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor
from zensical.extensions.context import ContextPreprocessor

from coursebuild.builder import Builder

builder: Builder | None = None
"""The build in progress; ``coursebuild.successor.gate`` sets it before the first page."""


class Rendering:
    """The page that is being rendered, and the conversion of its whole text: captions and docstrings are converted within it."""

    page: Any = None
    whole: Markdown | None = None
    is_tree_done: bool = False


def path_of(page: Any) -> str:
    """The file of a page of Zensical, relative to the project."""
    return f"docs/{page.path}"


class Begin(Preprocessor):
    """Tells the press which page it is, before anything of it is converted."""

    def run(self, lines: list[str]) -> list[str]:
        context = ContextPreprocessor.from_markdown(self.md)
        if builder and context and context.page is not Rendering.page:
            Rendering.page, Rendering.whole, Rendering.is_tree_done = context.page, self.md, False
            builder.press.current = builder.press.pages.get(path_of(context.page))
        return lines


class EndOfTree(Treeprocessor):
    """Tells the page's end from its headings, whose text the table of contents hands to the postprocessors one by one."""

    def run(self, root: Element) -> None:
        Rendering.is_tree_done |= self.md is Rendering.whole


class End(Postprocessor):
    """Makes the page's addresses relative to it, when all of it is converted."""

    def run(self, text: str) -> str:
        if builder is None or self.md is not Rendering.whole or not Rendering.is_tree_done:
            return text
        page = Rendering.page
        # Zensical takes links for relative to the page's file, and makes them relative to its address
        return builder.finish(text, path_of(page), page.url, posixpath.dirname(page.path))


class PageExtension(Extension):
    """Puts the press around the conversion of each page."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.preprocessors.register(Begin(md), "course_page_begins", 1000)
        md.treeprocessors.register(EndOfTree(md), "course_tree_ends", -1000)
        md.postprocessors.register(End(md), "course_page_ends", -1000)


def makeExtension(**kwargs: Any) -> PageExtension:  # noqa: N802
    """Python-Markdown's entry point."""
    return PageExtension(**kwargs)
