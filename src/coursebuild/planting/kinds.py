"""What is planted in a panel, an exercise or a lab, and what the build must say of it: pure functions on the text of a file."""

import ast
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from coursebuild.planting.edits import (
    Markdown,
    Notebook,
    Page,
    Written,
    argument,
    checks_of,
    drawn_place,
    falsified,
    first_row,
    inserted,
    without,
)
from coursebuild.source import REFERENCE, Fence, code_spans
from coursebuild.source import read as read_markdown

GROUPS = ("panel", "exercise", "lab")
LINK = re.compile(r"(?<![!\\])\[[^\[\]]*\]\((?P<address>[^()\s]+)\)")
PLAIN = re.compile(r"\d+\.\d+")
APPROVED = "was approved|than was approved"
OTHER_RUN = "is not what was run on"
"""What is said where a panel of the second lane shows a recorded run: its code is no longer that of the run."""


@dataclass(frozen=True)
class Target:
    """What a fault is planted in.

    Attributes:
        group: one of `GROUPS`.
        page: the page's file, relative to the project.
        line: the line of the block's opening fence; in a lab 1.
        module: of an exercise the file of its module.
        is_recorded: whether it needs a real library, and shows a recorded run.
        figures: the figures of its run, as the page may quote them: each reference with its text.
    """

    group: str
    ident: str
    page: str
    line: int = 1
    module: str = ""
    is_recorded: bool = False
    figures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Expected:
    """A fault that the build must report: at one of some lines of the page, in words that a pattern finds, of one of some kinds of refusal."""

    rows: tuple[int, ...]
    says: str
    refusals: tuple[str, ...] = ()


@dataclass(frozen=True)
class Plant:
    """A planted fault: the file with its new text, and what must be said.

    Attributes:
        is_endless: whether the run is to be stopped after a second.
    """

    kind: str
    target: Target
    path: str
    text: str
    expected: tuple[Expected, ...]
    is_endless: bool = False


Read = Callable[[str], str]
"""Gives the text of a file of the project."""


def page_of(target: Target, read: Read) -> Page:
    """The page of a target, to be changed."""
    text = read(target.page)
    return Notebook(text) if target.group == "lab" else Markdown(text, target.line)


# Statements that are put into the code

STATEMENTS = {
    "an exception": ('raise LookupError("planted")', "LookupError: planted"),
    "an exit": ("raise SystemExit(0)", "SystemExit would end the build in silence"),
    "an exit without a word": ('__import__("os")._exit(0)', "ended with status 0 before"),
    "an endless loop": ("while True: pass", "still running after"),
    "a warning": ('__import__("warnings").warn("planted")', "UserWarning: planted"),
    "output on stderr": ('print("planted", file=__import__("sys").stderr)', "output on stderr: planted"),
    "an output that drifts": ('print(__import__("time").time_ns())', APPROVED),
}
ANYWHERE = ("an exit without a word", "an endless loop")
"""Kinds that end a run so that nothing can say where: the fault is at the block, or at the file of a lab."""


def statement(kind: str, target: Target, read: Read) -> Plant:
    """A statement at a drawn place between two others; an endless loop before all, to be reached in time."""
    code, says = STATEMENTS[kind]
    if target.group == "exercise":
        return _in_checks(kind, target, read, code, says)
    page = page_of(target, read)
    place = (0, 0) if kind == "an endless loop" else drawn_place(page.sections, f"{kind} {target.ident}")
    written = page.with_sections(inserted(page.sections, place, [code]))
    section, before = place
    row = written.rows[section][before]
    rows: tuple[int, ...] = (row,)
    if kind in ANYWHERE:
        rows = (target.line, row)
    if kind == "an output that drifts":
        rows = _until_next_check(page, written, place)
    return _code_plant(kind, target, written, rows, says)


def _until_next_check(page: Page, written: Written, place: tuple[int, int]) -> tuple[int, ...]:
    """The lines from a place to the first of the next check: what drifts shows in the output, and there a run can be told by its checks."""
    flat = [row for rows in written.rows for row in rows]
    code = ["\n".join(part) for part in page.sections]
    here = written.rows[place[0]][min(place[1], len(written.rows[place[0]]) - 1)]
    after = [
        written.rows[number][statement.lineno - 1 + (number == place[0])]
        for number, part in enumerate(code)
        for statement in checks_of(part.split("\n"))
        if (number, statement.lineno) > (place[0], place[1])
    ]
    every = [
        written.rows[number][statement.lineno - 1 + (number == place[0] and statement.lineno > place[1])]
        for number, part in enumerate(code)
        for statement in checks_of(part.split("\n"))
    ]
    if not after:  # it is the last thing that is printed
        return (max(every, default=here), here)
    return tuple(row for row in flat if here <= row <= min(after))


def _code_plant(
    kind: str, target: Target, written: Written, rows: tuple[int, ...], says: str, is_static: bool = False
) -> Plant:
    """A plant in the code of a page. One whose run is recorded is refused because it is another's, unless the code alone tells."""
    if target.is_recorded and not is_static:
        rows, says = (target.line,), OTHER_RUN
    expected = (Expected(rows, says),)
    return Plant(kind, target, target.page, written.text, expected, kind == "an endless loop")


def _in_checks(kind: str, target: Target, read: Read, code: str, says: str) -> Plant:
    """A statement at the beginning of what an exercise checks."""
    lines = read(target.module).split("\n")
    function = _checks_function(lines)
    first = function.body[1] if ast.get_docstring(function) is not None else function.body[0]
    at = first_row(first) - 1
    text = "\n".join([*lines[:at], " " * first.col_offset + code, *lines[at:]])
    raised = kind in ("an exception", "an exit", "a warning")
    place = rf"(?s:.*){re.escape(target.module.rpartition('/')[2])}:{at + 1} in checks" if raised else ""
    expected = (Expected((target.line,), says + place),)
    return Plant(kind, target, target.module, text, expected, kind == "an endless loop")


def _checks_function(lines: list[str]) -> ast.FunctionDef:
    tree = ast.parse("\n".join(lines))
    return next(node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == "checks")


def _yielded(function: ast.FunctionDef) -> list[ast.Expr]:
    """The statements that yield a check of an exercise."""
    return [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Yield)
        and isinstance(node.value.value, ast.Call)
    ]


# Checks


def false_check(kind: str, target: Target, read: Read) -> Plant:
    """Every check of a panel or lab made false; of an exercise the first, which its own solution then fails."""
    if target.group == "exercise":
        lines = read(target.module).split("\n")
        call = _yielded(_checks_function(lines))[0].value
        assert isinstance(call, ast.Yield)
        assert isinstance(call.value, ast.Call)
        text = "\n".join(falsified(lines, [argument(call.value, 2, "expected")]))
        says = "“The solution passes every check” does not hold"
        return Plant(kind, target, target.module, text, (Expected((target.line,), says),))
    page = page_of(target, read)
    found = [checks_of(section) for section in page.sections]
    values = [[argument(_call(check), 2, "expected") for check in checks] for checks in found]
    written = page.with_sections(list(map(falsified, page.sections, values)))
    expected = tuple(
        Expected((written.rows[number][check.lineno - 1],), "does not hold: got ")
        for number, checks in enumerate(found)
        for check in checks
    )
    if target.is_recorded:
        expected = (Expected((target.line,), OTHER_RUN),)
    return Plant(kind, target, target.page, written.text, expected)


def _call(statement: ast.Expr) -> ast.Call:
    assert isinstance(statement.value, ast.Call)
    return statement.value


def _drawn_check(page: Page, seed: str) -> tuple[int, ast.Expr]:
    """A check of a page, with the number of its section."""
    found = [(number, check) for number, part in enumerate(page.sections) for check in checks_of(part)]
    return random.Random(seed).choice(found)


def dropped_check(kind: str, target: Target, read: Read) -> Plant:
    """A drawn check taken away, which the approved output has."""
    if target.group == "exercise":
        lines = read(target.module).split("\n")
        gone = _yielded(_checks_function(lines))[-1]
        kept = without(lines, gone)
        text = "\n".join([*kept[: gone.lineno - 1], " " * gone.col_offset + "pass", *kept[gone.lineno - 1 :]])
        says = f"{APPROVED}|does not hold"
        return Plant(kind, target, target.module, text, (Expected((target.line,), says),))
    page = page_of(target, read)
    number, check = _drawn_check(page, f"{kind} {target.ident}")
    total = sum(len(checks_of(section)) for section in page.sections)
    sections = [without(part, check) if at == number else part for at, part in enumerate(page.sections)]
    written = page.with_sections(sections)
    if total == 1:
        return _code_plant(
            kind, target, written, (target.line,), "a panel with no check|than was approved", True
        )
    checks = [written.rows[at][one.lineno - 1] for at, part in enumerate(sections) for one in checks_of(part)]
    here = written.rows[number][min(first_row(check) - 1, len(written.rows[number]) - 1)]
    row = min((row for row in checks if row >= here), default=max(checks))
    return _code_plant(kind, target, written, (row,), "was approved, and no check makes it now")


def unreached_check(kind: str, target: Target, read: Read) -> Plant:
    """A drawn check behind a condition that never holds; of an exercise all, behind a return."""
    if target.group == "exercise":
        return _in_checks(kind, target, read, "return", f"does not hold|{APPROVED}")
    page = page_of(target, read)
    number, check = _drawn_check(page, f"{kind} {target.ident}")
    part = page.sections[number]
    first, last = first_row(check) - 1, check.end_lineno or check.lineno
    body = ["    " + line for line in part[first:last]]
    changed = [*part[:first], 'if __name__ == "elsewhere":', *body, *part[last:]]
    written = page.with_sections([changed if at == number else one for at, one in enumerate(page.sections)])
    row = written.rows[number][first + 1]
    return _code_plant(kind, target, written, (row,), "a check that may never be reached", True)


def misspelt_option(kind: str, target: Target, read: Read) -> Plant:
    """A drawn option of a block misspelt; on a cell of a lab, which has none, a tag that would let it fail unseen."""
    seed = random.Random(f"{kind} {target.ident}")
    if target.group == "lab":
        notebook = Notebook(read(target.page))
        written = notebook.with_tag(seed.randrange(len(notebook.code)), "raises-exception")
        expected = Expected(written.rows[0], "the tag raises-exception would let it pass without a run")
        return Plant(kind, target, target.page, written.text, (expected,))
    page = Markdown(read(target.page), target.line)
    name = seed.choice(sorted(page.fence.option))
    written = page.with_header(f' {name}="', f' {name[1]}{name[0]}{name[2:]}="')
    says = "an exercise is two blocks" if target.group == "exercise" else "unknown option"
    return Plant(kind, target, target.page, written.text, (Expected((target.line,), says),))


# Prose


def _prose_plant(kind: str, target: Target, written: Written, says: str) -> Plant:
    return Plant(kind, target, target.page, written.text, (Expected(written.rows[0], says),))


def stale_number(kind: str, target: Target, read: Read) -> Plant:
    """A quoted figure typed by hand, as it was before some change; where the page quotes none that is plain, a sentence with a number."""
    page, says = page_of(target, read), "typed by hand"
    for line in page.prose() if isinstance(page, Markdown) else ():
        code = [(start, end) for start, end, _ in code_spans(line.text)]
        for found in REFERENCE.finditer(line.text):
            text = target.figures.get(found[0], "")
            inside = any(start <= found.start() < end for start, end in code)
            if found["panel"] == target.ident and PLAIN.fullmatch(text) and not inside:
                stale = text[:-1] + str((int(text[-1]) + 1) % 10)
                changed = line.text[: found.start()] + stale + line.text[found.end() :]
                return _prose_plant(kind, target, page.with_line(line.number, changed), says)
    return _prose_plant(kind, target, page.with_paragraph("It came to 0.7343 in the end."), says)


def missing_figure(kind: str, target: Target, read: Read) -> Plant:
    """A sentence that quotes a figure which the panel does not name; in a lab any, for a lab's prose can quote none."""
    says = "double brackets are not read" if target.group == "lab" else "names no figure 'none_such'"
    written = page_of(target, read).with_paragraph(f"It came to [[{target.ident}.none_such]].")
    return _prose_plant(kind, target, written, says)


def _link(target: Target, read: Read, break_it: Callable[[str], str]) -> Written | None:
    """The page with its next link broken, if it has one that can be."""
    page = page_of(target, read)
    for line in page.prose():
        code = [(start, end) for start, end, _ in code_spans(line.text)]
        for found in LINK.finditer(line.text):
            address, inside = found["address"], any(a <= found.start() < b for a, b in code)
            if not inside and "://" not in address and (broken := break_it(address)):
                at = found.start("address")
                changed = line.text[:at] + broken + line.text[found.end("address") :]
                return page.with_line(line.number, changed)
    return None


def broken_link(kind: str, target: Target, read: Read) -> Plant:
    """The next link on the page leads to a page that is not there."""

    def break_it(address: str) -> str:
        path, hash_, anchor = address.partition("#")
        head, slash, last = path.rstrip("/").rpartition("/")
        end = "/" if path.endswith("/") else ""
        return f"{head}{slash}no-such-{last}{end}{hash_}{anchor}" if last.strip(".") else ""

    written = _link(target, read, break_it)
    written = written or page_of(target, read).with_paragraph("See [there](no-such-page.md).")
    return _prose_plant(kind, target, written, "leads to no page or file of the site")


def broken_anchor(kind: str, target: Target, read: Read) -> Plant:
    """The next link with an anchor leads to one that is not there."""
    written = _link(target, read, lambda address: f"{address}-none-such" if "#" in address else "")
    written = written or page_of(target, read).with_paragraph("See [there](#none-such).")
    return _prose_plant(kind, target, written, "leads to a page without an anchor")


def unspoken_picture(kind: str, target: Target, read: Read) -> Plant:
    """A drawing of the panel without its caption, or a picture whose text alternative was forgotten."""
    if target.group == "panel":
        text = read(target.page)
        if drawing := _drawing_of(text, target.ident):
            page = Markdown(text, drawing.line)
            expected = Expected((drawing.line,), "a drawing needs a caption")
            return Plant(kind, target, target.page, page.with_sections([[]]).text, (expected,))
    depth = target.page.count("/") - (target.group != "lab")
    written = page_of(target, read).with_paragraph(f"![]({'../' * depth}assets/img/favicon.svg)")
    return _prose_plant(kind, target, written, "has no text alternative")


def _drawing_of(text: str, ident: str) -> Fence | None:
    found = (
        f for f in read_markdown(text).fences if f.language == "drawing" and f.option.get("panel") == ident
    )
    return next(found, None)


KINDS: dict[str, Callable[[str, Target, Read], Plant]] = {
    "a false check": false_check,
    "a dropped check": dropped_check,
    "a check never reached": unreached_check,
    **dict.fromkeys(STATEMENTS, statement),
    "a misspelt option": misspelt_option,
    "a stale number in prose": stale_number,
    "a figure that is gone": missing_figure,
    "a broken link": broken_link,
    "a broken anchor": broken_anchor,
    "a picture without text": unspoken_picture,
}
"""Each kind of fault with what plants it."""


REFUSALS = {
    "a false check": ("claim-false",),
    "a dropped check": ("claim-dropped", "check-missing", "output-not-approved", "claim-false"),
    "a check never reached": ("check-not-at-top", "claim-false"),
    "an exception": ("panel-raises",),
    "an exit": ("panel-exits",),
    "an exit without a word": ("interpreter-ended",),
    "an endless loop": ("panel-too-slow",),
    "a warning": ("panel-warns", "panel-raises"),
    "output on stderr": ("output-on-stderr",),
    "an output that drifts": ("output-not-approved",),
    "a misspelt option": ("option-unknown", "exercise-misshapen", "exercise-malformed", "cell-tag"),
    "a stale number in prose": ("number-typed",),
    "a figure that is gone": ("figure-unknown", "notebook-brackets"),
    "a broken link": ("link-broken",),
    "a broken anchor": ("anchor-missing",),
    "a picture without text": ("picture-unspoken", "drawing-caption-missing"),
}
"""Of each kind of fault the kinds of refusal, in the catalogue of the press, of which one must be given."""


def plant(kind: str, target: Target, read: Read) -> Plant:
    """The target's file with a fault of a kind in it, and what the build must say."""
    planted = KINDS[kind](kind, target, read)
    expected = tuple(
        replace(one, refusals=("record-stale",) if one.says == OTHER_RUN else REFUSALS[kind])
        for one in planted.expected
    )
    return replace(planted, expected=expected)
