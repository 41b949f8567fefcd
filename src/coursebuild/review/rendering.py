"""The summary as a page to read, as GitHub would show it."""

import html

from markdown_it import MarkdownIt
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import DiffLexer

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Review</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light">
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1f2328 }}
pre {{ background: #f6f8fa; padding: .8rem; overflow-x: auto; font-size: .85rem }}
table {{ border-collapse: collapse; display: block; overflow-x: auto }}
td, th {{ border: 1px solid #d1d9e0; padding: .3rem .7rem; text-align: left }}
details {{ margin: .6rem 0 }} details details {{ margin-left: 1rem }} summary {{ cursor: pointer }}
ins {{ background: #dafbe1 }} del {{ background: #ffebe9 }}
.gi {{ color: #116329 }} .gd {{ color: #82071e }} .gu {{ color: #59636e }}
</style></head><body>
{body}
</body></html>
"""


def _coloured(source: str, language: str, _: str) -> str:
    if language != "diff":
        return html.escape(source)
    return str(highlight(source, DiffLexer(stripnl=False), HtmlFormatter(nowrap=True)))


def parser() -> MarkdownIt:
    """Markdown as GitHub reads it, as far as a summary uses it."""
    return MarkdownIt("commonmark", {"html": True, "highlight": _coloured}).enable(["table", "strikethrough"])


def page(markdown: str) -> str:
    """The summary as a whole page, which loads nothing and runs nothing."""
    return PAGE.format(body=parser().render(markdown))
