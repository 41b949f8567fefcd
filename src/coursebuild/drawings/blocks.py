"""Blocks of a network as diagrams: a stream that runs down, branches beside it, and where they are added back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from coursebuild.drawings.placing import LINE_HEIGHT, Point
from coursebuild.drawings.svg import (
    CELL,
    INK,
    INK_2,
    JOINT,
    MEDIUM,
    PAPER,
    SMALL,
    WIDTH,
    Canvas,
    is_list,
    is_name,
    plural,
    refuse,
    rows,
    text_width,
)

NAME = "blocks"
MOST_BLOCKS = 4
MOST_SUBLAYERS = 6
MOST_STEPS = 6
NEEDED = (
    f"a list of 1 to {MOST_BLOCKS} {{name, input, output, sublayers}}: name, input and output text, each name once, "
    f"sublayers a list of 1 to {MOST_SUBLAYERS} {{branch, after}}, branch and after lists of up to {MOST_STEPS} steps, "
    "not both empty, a step text or [text, note]"
)

BESIDE = 24.0  # between diagrams beside each other
BELOW = 26.0  # between diagrams below each other
STREAM = 12.0  # from the left edge of a diagram to its stream
BRANCH = 36.0  # from there to the boxes of a branch
PAD = 6.0  # on either side of a text in its box
WIDEST = 300.0  # of a diagram that stands alone
LEG = 15.0  # between boxes that follow each other
TURN = 11.0  # from a box to where its branch leaves the stream or comes back
PLUS = 8.0  # radius of the sign where a branch is added
HEAD = 4.0  # half the width of an arrow's head


@dataclass(frozen=True)
class Step:
    """What is done at one place: its label, and a note or none."""

    label: str
    note: str

    @property
    def told(self) -> str:
        return f"{self.label} ({self.note})" if self.note else self.label

    def lines(self, room: float) -> list[str]:
        """The label in as few lines as fit in `room`, one or two, and the note; nothing if they do not fit."""
        found = _wrap(self.label, room)
        if not found or text_width(self.note, SMALL) > room:
            return []
        return [*found, self.note] if self.note else found


@dataclass(frozen=True)
class Sublayer:
    """The steps of a branch, which is added to the stream, and those that the stream then passes itself."""

    branch: tuple[Step, ...]
    after: tuple[Step, ...]


@dataclass(frozen=True)
class Block:
    """A diagram: its name, what goes in at the top, what comes out, and the sublayers in between."""

    name: str
    input: str
    output: str
    sublayers: tuple[Sublayer, ...]

    def too_long(self, width: float) -> list[str]:
        """The texts that do not fit into a diagram of this width."""
        ends = [(self.name, MEDIUM, True), (self.input, SMALL, False), (self.output, SMALL, False)]
        steps = [(step, width - BRANCH - 2 * PAD) for one in self.sublayers for step in one.branch]
        steps += [(step, width - 2 * PAD) for one in self.sublayers for step in one.after]
        return [
            *(text for text, size, bold in ends if text_width(text, size, bold=bold) > width),
            *(step.told for step, room in steps if not step.lines(room)),
        ]


def blocks(figures: Mapping[str, Any], ident: str) -> str:
    """Draw each block as a stream from its input at the top to its output, with its branches at the right.

    A branch leaves the stream at a dot and is added to it at a plus. What stands in a box on the stream is done to
    the whole of it. Two diagrams stand beside each other where their texts fit.

    Args:
        figures: `blocks`, a list of {"name", "input", "output", "sublayers"}; a sublayer is {"branch", "after"},
            both lists of steps; a step is its label, or [label, note].
        ident: Prefix of the ids in the picture, unique on the page.

    Raises:
        ValueError: The figure is missing or malformed; the message names it and what is needed.
    """
    items = rows(figures, NAME, NAME, NEEDED)
    if len(items) > MOST_BLOCKS:
        refuse(NAME, NAME, NEEDED, f"has {len(items)} diagrams: at most {MOST_BLOCKS} fit")
    every = [_read(item) for item in items]
    names = [one.name for one in every]
    if len(set(names)) < len(names):
        refuse(NAME, NAME, NEEDED, f"has a name more than once: {names}")
    half = (WIDTH - 2 - BESIDE) / 2
    beside = 2 if len(every) > 1 and not any(one.too_long(half) for one in every) else 1
    width = half if beside == 2 else WIDEST
    left = 1.0 if beside == 2 else (WIDTH - WIDEST) / 2
    for one in every:
        if one.too_long(width):
            refuse(NAME, NAME, NEEDED, f"has texts in {one.name!r} that do not fit: {one.too_long(width)!r}")
    canvas = Canvas(NAME, ident, f"The stream through {', '.join(names)}", _describe(every))
    y = 0.0
    for at in range(0, len(every), beside):
        line = every[at : at + beside]
        ends = [_draw(canvas, one, left + i * (width + BESIDE), y, width) for i, one in enumerate(line)]
        y = max(ends) + BELOW
    return canvas.finish(y - BELOW + 4)


def _wrap(label: str, room: float) -> list[str]:
    """A label in one line, or else in two of about one length; none if it does not fit."""
    if text_width(label, SMALL) <= room:
        return [label]
    words = label.split(" ")
    splits = [[" ".join(words[:at]), " ".join(words[at:])] for at in range(1, len(words))]
    best = min(splits, key=lambda lines: max(text_width(line, SMALL) for line in lines), default=[label])
    return best if all(text_width(line, SMALL) <= room for line in best) else []


# Reading the figure ---------------------------------------------------------------------------------------


def _read(item: object) -> Block:
    if not isinstance(item, Mapping):
        refuse(NAME, NAME, NEEDED, f"has {item!r}")
    for key in ("name", "input", "output", "sublayers"):
        if key not in item:
            refuse(NAME, NAME, NEEDED, f"has {dict(item)!r} without {key!r}")
    for key in ("name", "input", "output"):
        if not is_name(item[key]):
            refuse(NAME, NAME, NEEDED, f"has {key} = {item[key]!r}, not a text without spare spaces")
    name, sublayers = item["name"], item["sublayers"]
    if not (is_list(sublayers) and sublayers):
        refuse(NAME, NAME, NEEDED, f"has sublayers = {sublayers!r} for {name!r}")
    if len(sublayers) > MOST_SUBLAYERS:
        refuse(
            NAME, NAME, NEEDED, f"has {len(sublayers)} sublayers for {name!r}: at most {MOST_SUBLAYERS} fit"
        )
    return Block(name, item["input"], item["output"], tuple(_read_sublayer(one, name) for one in sublayers))


def _read_sublayer(item: object, name: str) -> Sublayer:
    if not (isinstance(item, Mapping) and "branch" in item and "after" in item):
        refuse(NAME, NAME, NEEDED, f"has the sublayer {item!r} for {name!r}")
    for key in ("branch", "after"):
        if not is_list(item[key]):
            refuse(NAME, NAME, NEEDED, f"has {key} = {item[key]!r} for {name!r}")
        if len(item[key]) > MOST_STEPS:
            refuse(
                NAME,
                NAME,
                NEEDED,
                f"has {len(item[key])} steps in {key} for {name!r}: at most {MOST_STEPS} fit",
            )
    if not (item["branch"] or item["after"]):
        refuse(NAME, NAME, NEEDED, f"has a sublayer without any step for {name!r}")
    branch, after = ([_read_step(step, name) for step in item[key]] for key in ("branch", "after"))
    return Sublayer(tuple(branch), tuple(after))


def _read_step(step: object, name: str) -> Step:
    texts = [step, ""] if isinstance(step, str) else step
    if not (isinstance(texts, (list, tuple)) and len(texts) == 2 and is_name(texts[0])):
        refuse(NAME, NAME, NEEDED, f"has the step {step!r} for {name!r}")
    if not (texts[1] == "" or is_name(texts[1])):
        refuse(NAME, NAME, NEEDED, f"has the step {step!r} for {name!r}")
    return Step(texts[0], texts[1])


# Drawing --------------------------------------------------------------------------------------------------


def _draw(canvas: Canvas, one: Block, left: float, y: float, width: float) -> float:
    """Draw a diagram from `y` downwards and return where it ends."""
    canvas.text(left, y + 13, one.name, INK, MEDIUM, bold=True)
    _draw_end(canvas, one.input, left, y + 36)
    stream, y = left + STREAM, y + 42
    for sublayer in one.sublayers:
        if sublayer.branch:
            y = _draw_branch(canvas, sublayer.branch, (left, y), width)
        for step in sublayer.after:
            _arrow(canvas, [(stream, y), (stream, y + LEG)], INK, 2)
            y = _draw_box(canvas, step, left, y + LEG, width, JOINT)
    _arrow(canvas, [(stream, y), (stream, y + LEG)], INK, 2)
    _draw_end(canvas, one.output, left, y + LEG + 14)
    return y + LEG + 18


def _draw_end(canvas: Canvas, text: str, left: float, y: float) -> None:
    """What goes in or comes out: centred on the stream if it is short."""
    if text_width(text, SMALL) <= 2 * STREAM:
        canvas.text(left + STREAM, y, text, INK, anchor="middle")
    else:
        canvas.text(left, y, text, INK)


def _draw_branch(canvas: Canvas, steps: Sequence[Step], at: Point, width: float) -> float:
    """Draw a branch beside the stream, which is at `at`, and return where the stream goes on below its plus."""
    left, top = at
    stream, middle = left + STREAM, left + (BRANCH + width) / 2
    fork = top + TURN
    y, path = fork, [(stream, fork), (middle, fork)]
    for step in steps:
        box = y + (TURN if y == fork else LEG)
        _arrow(canvas, [*path, (middle, box)], INK_2, 1.4)
        y = _draw_box(canvas, step, left + BRANCH, box, width - BRANCH, CELL)
        path = [(middle, y)]
    plus = y + TURN
    _arrow(canvas, [*path, (middle, plus), (stream + PLUS, plus)], INK_2, 1.4)
    _arrow(canvas, [(stream, top), (stream, plus - PLUS)], INK, 2)
    canvas.circle(stream, fork, 3, INK, INK)
    canvas.circle(stream, plus, PLUS, PAPER, INK, 1.4)
    for across, down in ((PLUS - 3, 0.0), (0.0, PLUS - 3)):
        canvas.line([(stream - across, plus - down), (stream + across, plus + down)], INK, 1.4)
    return plus + PLUS


def _draw_box(canvas: Canvas, step: Step, left: float, top: float, width: float, fill: str) -> float:
    """Draw a step with its note below its label, and return where its box ends."""
    lines = step.lines(width - 2 * PAD)
    high = len(lines) * LINE_HEIGHT + 10
    canvas.box(left, top, width, high, fill)
    for i, line in enumerate(lines):
        ink = INK_2 if step.note and i == len(lines) - 1 else INK
        canvas.text(left + width / 2, top + 16.5 + i * LINE_HEIGHT, line, ink, anchor="middle")
    return top + high


def _arrow(canvas: Canvas, points: Sequence[Point], stroke: str, width: float) -> None:
    """A line through `points`, with a head at the last."""
    (x, y), (u, v) = points[-2:]
    far = abs(u - x) + abs(v - y)  # lines go along or down
    dx, dy = (u - x) / far, (v - y) / far
    base = (u - 6 * dx, v - 6 * dy)
    canvas.line([*points[:-1], base], stroke, width)
    sides = [(base[0] - HEAD * side * dy, base[1] + HEAD * side * dx) for side in (1, -1)]
    canvas.shape([(u, v), *sides], stroke, stroke)


# The text alternative -------------------------------------------------------------------------------------


def _describe(every: Sequence[Block]) -> str:
    return " ".join([f"{plural(len(every), 'diagram')} of a stream.", *(_tell(one) for one in every)])


def _tell(one: Block) -> str:
    """All that a diagram shows, from its input to its output."""
    told = []
    for sublayer in one.sublayers:
        if sublayer.branch:
            told.append(
                f"a branch goes through {_tell_steps(sublayer.branch)}, and is added back to the stream"
            )
        if sublayer.after:
            told.append(f"the stream goes through {_tell_steps(sublayer.after)}")
    return f"{one.name}: {one.input} comes in; {'; '.join(told)}; {one.output} comes out."


def _tell_steps(steps: Sequence[Step]) -> str:
    return ", then ".join(step.told for step in steps)
