"""The static pictures of instruments: HTML that needs no script and no style of its own."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TypeAlias

Cell: TypeAlias = str
"""HTML of a cell's content."""


def text(value: str) -> Cell:
    """Text in a cell."""
    return escape(value, quote=False)


def bar(share: float) -> Cell:
    """A bar, as long as a share from 0 to 1 says. The number stands beside it, so it is hidden from screen readers."""
    return (
        '<svg class="instrument__bar" viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="{100 * share:.4g}" height="8"/></svg>'
    )


def table(caption: str, head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table; the first cell of each row names it.

    Args:
        caption: what the table shows, as text.
        head: the columns' names, as text; that of a column of bars is empty, for the numbers beside them have one.
        rows: the cells of each row, as HTML.
    """
    columns = " ".join(f'<th scope="col">{text(name)}</th>' if name else "<td></td>" for name in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th> {" ".join(f"<td>{cell}</td>" for cell in rest)}</tr>'
        for first, *rest in rows
    )
    return (
        f'<div class="instrument__scroll" tabindex="0" role="region" aria-label="{escape(caption)}">'
        f'<table class="instrument__table"><caption>{text(caption)}</caption>'
        f"<thead><tr>{columns}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def row(label: str, values: Iterable[str]) -> str:
    """A line of values with its name, such as the tokens that were drawn."""
    return f'<p class="instrument__row"><span class="instrument__label">{text(label)}</span> {" ".join(map(text, values))}</p>'
