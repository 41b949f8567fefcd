"""The static picture of a heat map whose cells an instrument lets choose, and numbers as its arithmetic writes them.

``coursebuild/live/instruments/heat_grid.js`` writes the same.
"""

from collections.abc import Callable, Sequence

from coursebuild.drawings.svg import (
    GRID,
    HEAT,
    HEAT_2,
    INK,
    INK_2,
    LINE,
    SMALL,
    WIDTH,
    Canvas,
    scientific,
    text_width,
    trimmed,
)

HEAD = 18.0  # the height of the title
TALL = 28.0  # of a row
LABELS = 62.0  # at most, of a row
CAP = 64.0  # at most, of a turned column

Value = float | None


def heat_map(
    ident: str,
    title: str,
    rows: Sequence[str],
    columns: Sequence[str],
    values: Sequence[Sequence[Value]],
    bound: float,
    written: Callable[[float], str],
    chosen: tuple[int, int],
) -> str:
    """A heat map with its numbers; a masked cell, whose value is None, is crossed out.

    Args:
        ident: unique on the page.
        title: what it shows.
        rows: their labels, from top to bottom.
        columns: their labels, from left to right.
        values: a row of values for each label.
        bound: the size of the darkest value.
        written: a value as its cell has it.
        chosen: the row and the column of the cell that is framed.
    """
    told = [
        f"{row}, {column}: {'masked' if value is None else written(value)}."
        for row, line in zip(rows, values, strict=True)
        for column, value in zip(columns, line, strict=True)
    ]
    canvas = Canvas("heat", ident, title, " ".join(told))
    left = min(LABELS, max(text_width(row, SMALL, bold=True) for row in rows)) + 7
    cell = (WIDTH - 2 - left) / len(columns)
    widest = max(text_width(column, SMALL, bold=True) for column in columns)
    turned = widest > cell
    top = HEAD + (min(CAP, widest) + 8 if turned else 20.0)
    canvas.text(1, 13, title, INK_2, bold=True)
    for at, column in enumerate(columns):
        x = left + (at + 0.5) * cell
        label = _cut(column, CAP if turned else cell)
        canvas.text(
            x + 4.5 * turned, top - 6, label, anchor="start" if turned else "middle", bold=True, turned=turned
        )
    for at, (row, line) in enumerate(zip(rows, values, strict=True)):
        y = top + at * TALL
        canvas.text(left - 6, y + TALL / 2 + 4.5, _cut(row, LABELS), anchor="end", bold=True)
        _draw_row(canvas, line, left, y, cell, bound, written)
    down, across = chosen
    canvas.box(left + across * cell + 1, top + down * TALL + 1, cell - 2, TALL - 2, "none", INK, 0)
    for text in canvas.root.iter("text"):
        text.tail = " "  # or one who reads the text would take neighbours for one number
    return canvas.finish(top + len(rows) * TALL + 8)


def _draw_row(
    canvas: Canvas,
    line: Sequence[Value],
    left: float,
    y: float,
    cell: float,
    bound: float,
    written: Callable[[float], str],
) -> None:
    for at, value in enumerate(line):
        x = left + at * cell
        if value is None:
            canvas.line([(x + 4, y + TALL - 4), (x + cell - 4, y + 4)], LINE)
        else:
            share = min(abs(value) / bound, 1.0)
            canvas.shades([((x, y, cell, TALL), share)], HEAT if value >= 0 else HEAT_2)
            if text_width(written(value), SMALL) <= cell + 4:
                canvas.text(x + cell / 2, y + TALL / 2 + 4.5, written(value), anchor="middle")
        canvas.box(x, y, cell, TALL, "none", GRID, 0)


def _cut(label: str, room: float) -> str:
    """A label, or as much of its beginning as fits and an ellipsis."""
    kept = label
    while len(kept) > 1 and text_width(kept if kept == label else f"{kept}…", SMALL, bold=True) > room:
        kept = kept[:-1]
    return label if kept == label else f"{kept}…"


def told(value: float) -> str:
    """Four decimals at most; what they would round to zero as a power of ten."""
    size = trimmed(f"{abs(value):.4f}")
    if value and float(size) == 0:
        size = scientific(abs(value), 2).replace(" ", "")
    return f"−{size}" if value < 0 else size


def factor(value: float) -> str:
    """A factor of a product: in brackets if it has a sign or is a product itself."""
    written = told(value)
    return f"({written})" if "−" in written or "×" in written else written


def summed(parts: Sequence[str], total: str) -> str:
    """A sum and what it comes to."""
    return " + ".join(parts) + f" = {total}"


def fixed(value: float, places: int = 4) -> str:
    """A number with so many decimals, and without a sign if they are all zero."""
    written = f"{value:.{places}f}"
    return written.lstrip("-") if float(written) == 0 else written
