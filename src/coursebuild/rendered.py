"""The second line of defence: numbers on a rendered page that the press did not see in its source.

Markdown may take for prose what the press took for something else. Here the page is read as its reader will see it.
"""

import functools
import html
import re

from coursebuild import numbers
from coursebuild.faults import Fault, Unfit
from coursebuild.press import Page, Press
from coursebuild.prose import Given, quoting_lines, references

SHOWN_BY_THE_PRESS = re.compile(
    r'<section class="(?:panel|instrument|corrections|refusal)[^"]*".*?</section>|<figure class="(?:listing|formula)".*?</figure>|<svg\b.*?</svg>|<math\b.*?</math>|<a class="bound".*?</a>'
    r'|<table class="ledger".*?</table>|<p class="ledger__count".*?</p>|<div class="(?:language-[\w-]+ )?highlight".*?</div>'
    r"|<script\b.*?</script>|<style\b.*?</style>|<code>.*?</code>|<sup id=.*?</sup>|<div class=\"doc .*",
    re.DOTALL,
)
"""What a page shows that is no prose: what a run printed, tested source, the ledger, corrections, the catalogue of refusals, and the library's reference."""


BROKEN = re.compile(r"""=(?:"[^"<]*<math\b|'[^'<]*<math\b)""")


QUOTED = r"""=\s*["'][^"']*\$|["'][^"']*\$.*["']"""
"""A formula between quotes in a line of the source."""


@functools.lru_cache(maxsize=512)
def _numbers_of(content: str) -> tuple[str, ...]:
    shown = html.unescape(re.sub(r"<[^>]+>", "", SHOWN_BY_THE_PRESS.sub(" ", content)))
    return tuple(number.text for line in shown.splitlines() for number in numbers.find(line))


def unseen(press: Press, page: Page, content: str) -> list[Fault]:
    """The numbers in a page's rendered prose that are neither quoted from a panel nor declared as given there."""
    if page.is_notebook or any(
        fault.path == page.path or fault.path not in press.pages for fault in press.faults
    ):
        return []  # a notebook's outputs are its own; and one fault at a time
    if BROKEN.search(content):
        message = "a formula stands inside an attribute, so its markup breaks the page"
        return [Fault("formula-in-attribute", page.path, page.line_of(QUOTED), "page", message)]
    known: list[str] = []
    for line in quoting_lines(page.source):
        for found in references(line):
            try:
                known.append(found.text if isinstance(found, Given) else press.figure(found))
            except Unfit as error:
                # Of a panel at fault on another page, that is the fault. Were there none, this would be one.
                return (
                    [] if press.faults else [Fault(error.kind, page.path, line.number, "prose", str(error))]
                )
    quoted = " ".join([*known, *press.panels])
    return [
        Fault(
            "number-unseen",
            page.path,
            page.line_of(re.escape(text)),
            "prose",
            f"the number {text!r} is on the rendered page, but the press saw no prose there",
        )
        for text in dict.fromkeys(_numbers_of(content))
        if text not in quoted
    ]
