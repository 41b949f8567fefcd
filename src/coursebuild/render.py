"""Writes what a page shows: panels, listings, drawings, the ledger, and the preview's fault boxes."""

import functools
import os
import posixpath
import re
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import pairwise
from pathlib import Path

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

from coursebuild import addresses, formulas, handouts, lanes, refusals, runner
from coursebuild.addresses import claim_anchors, panel_anchor
from coursebuild.corrections import TEST, Correction
from coursebuild.exercises import Exercise
from coursebuild.faults import Fault
from coursebuild.instruments import Asked
from coursebuild.panels import Panel
from coursebuild.planting.kinds import GROUPS
from coursebuild.press import UNREADABLE, Page, Press
from coursebuild.prose import Given, Reference, quoting_lines, references
from coursebuild.refusals import Example, Kind
from coursebuild.reports import menu, report, repository
from coursebuild.source import Line

ROOT = "course-root:"
"""Begins an address that is relative to the site's root; the page that holds it makes it relative to itself."""

OPEN_CLAIMS = 5
HREF = re.compile(r'href="(?P<to>(?![a-z-]+:)[^"]*)"')

LEVELS = {
    "predict": "Predict the value",
    "find the bug": "Find the bug",
    "find an example": "Find an example",
    "implement": "Implement it",
}
"""How a page says what an exercise asks."""

LEXER = PythonLexer()
FORMATTER = HtmlFormatter(nowrap=True)
GAP = "\n\n\n"


def code(text: str) -> str:
    """Highlighted Python, in the markup that the theme knows.

    Definitions, which stand apart by empty lines, are highlighted once each: many programs share them.
    """
    body = GAP.join(map(_highlighted, text.strip("\n").split(GAP)))
    return f'<div class="language-python"><div class="highlight"><pre><span></span><code>{body}\n</code></pre></div></div>'


@functools.lru_cache(maxsize=2048)
def _highlighted(text: str) -> str:
    return str(highlight(text, LEXER, FORMATTER)).strip("\n")


def inline(text: str) -> str:
    """Escaped text with `code` in it."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escape(text, quote=False))


def output_anchor(press: Press, ident: str) -> str:
    """Where a reader finds what a panel computed: its output, far below its title where the code is long."""
    page, result = press.page_of(ident), press.results.get(ident)
    is_panel = page is not None and not page.is_notebook and not ident.startswith("exercise-")
    printed = result is not None and result.output.strip() and is_panel
    return f"{panel_anchor(ident)}-output" if printed else panel_anchor(ident)


def panel(press: Press, shown: Panel, output: str) -> str:
    """A panel: its code, its output, its claims, and the whole program in one file."""
    anchor = panel_anchor(shown.ident)
    faults = [fault for fault in press.faults if fault.anchor == shown.ident]
    steps, proofs = shown.parts
    parts = [
        f'<section class="panel" id="{anchor}" aria-labelledby="{anchor}-title">',
        f'<p class="panel__head" id="{anchor}-title"><a class="panel__id" href="#{anchor}">{escape(shown.ident)}</a> '
        f'<span class="panel__title">{inline(shown.title)}{_continues(shown)}</span></p>',
        _menu(press, shown.ident),
        f'<div class="panel__code" data-search-exclude>{code(steps)}</div>' if steps else "",
        *(fault_box(press, fault) for fault in faults),
    ]
    parts.append(_origin(press, shown))
    parts.append(_live(press, shown))
    if output:
        parts.append(
            f'<div class="panel__output" id="{anchor}-output" data-search-exclude><p class="panel__label">Output</p>{output}</div>'
        )
    parts.append(_claims(press, shown))
    if proofs:
        parts.append(_folded("The checks as code", code(proofs)))
    if shown.ident in press.programs:
        addresses = {f"{shown.ident}.py": program_address(shown.ident)}
        addresses |= {name: _data_address(name) for name in shown.files if _is_there(press, name)}
        links = (f'<a download href="{ROOT}{to}">{escape(name)}</a>' for name, to in addresses.items())
        link = f"<p>{' · '.join(links)}</p>"
        program = f' data-program="{ROOT}{program_address(shown.ident)}"'
        parts.append(_folded("The whole program in one file", link, program))
    return "\n".join([*parts, "</section>"])


def _live(press: Press, shown: Panel) -> str:
    """The bar that runs and edits a panel in the reader's browser, which has none of the second lane's packages."""
    if shown.packages or shown.ident not in press.programs:
        return ""
    program = program_address(shown.ident)
    # beside the page's own addresses, only what the attribute begins with would be made relative to the page
    files = [posixpath.relpath(_data_address(name), posixpath.dirname(program)) for name in shown.files]
    needed = f' data-files="{escape(" ".join(files))}"' if files else ""
    return _bar(f'data-panel="{escape(shown.ident)}" data-program="{ROOT}{program}"{needed}')


def _bar(attributes: str) -> str:
    """Run and Edit, without the script that loads what they need: docs/assets/js/course.js."""
    buttons = (
        f'<button class="live__{action.lower()}" type="button">{action}</button>'
        for action in ("Run", "Edit")
    )
    return f'<div class="live" data-search-exclude {attributes}>{"".join(buttons)}</div>'


def _is_there(press: Press, name: str) -> bool:
    return (press.root / runner.DATA / name).is_file()


def _data_address(name: str) -> str:
    """Where the site keeps a file that panels read."""
    return f"{runner.DATA.removeprefix('docs/')}/{name}"


def _origin(press: Press, shown: Panel) -> str:
    """With what a panel of the second lane was run, and when: here, or when its output was approved."""
    means = _means(press, shown)
    if not means:
        return ""
    if lanes.is_real():
        return f'<p class="panel__origin">{means}.</p>'
    return f'<p class="panel__origin">{means}, not when this page was built; <code>make real</code> runs it here.</p>'


def _means(press: Press, shown: Panel) -> str:
    """The packages and the Python of a run in the second lane, and its day."""
    origin = press.origins.get(shown.ident)
    if origin is None:
        return ""
    when = "when this page was built" if lanes.is_real() else f"on {origin.date}"
    join = ", " if lanes.is_real() else " "
    return f"Run with {escape(origin.versions)} on Python {escape(origin.python)}{join}{when}"


def _continues(shown: Panel) -> str:
    """Whose names the panel goes on with, if it has not its own alone."""
    if not shown.before:
        return ""
    links = [f'<a href="#{panel_anchor(part.ident)}">{escape(part.ident)}</a>' for part in shown.before]
    return f' <span class="panel__before">(continues {" and ".join(links)})</span>'


def _folded(summary: str, content: str, attributes: str = "") -> str:
    """Something that the reader may open; search leaves it out, since it repeats what stands elsewhere.

    A program is long and repeats the library's source, so the page's script fetches it when it is opened.
    """
    return f'<details class="panel__unfolded" data-search-exclude{attributes}><summary>{summary}</summary>{content}</details>'


def program_address(ident: str) -> str:
    """Where the site keeps a panel's program."""
    return f"programs/{ident}.py"


def _menu(press: Press, ident: str) -> str:
    """The menu of a panel, with the anchors that it had before."""
    page = press.page_of(ident)
    address = f"{page.url if page else ''}#{panel_anchor(ident)}"
    return _former(press, address) + menu(address, ident)


def _former(press: Press, address: str) -> str:
    """Empty marks at the place to which former addresses lead."""
    return "".join(f'<span id="{anchor}"></span>' for anchor in addresses.former(press, address))


def moved(press: Press, page: Page) -> str:
    """What a page says of its panels and claims that are on another page now, each at its former anchor."""
    return "".join(
        f'<p class="moved" id="{anchor}">What stood here is on <a href="{ROOT}{address}">another page</a> now.</p>'
        for anchor, address in addresses.moved(press, page).items()
    )


def _claims(press: Press, shown: Panel) -> str:
    result, page = press.results[shown.ident], press.page_of(shown.ident)
    if not result.checks:
        return ""
    url = page.url if page else ""
    items = [
        f'<li class="claim claim--{"held" if check.held else "failed"}" id="{anchor}">{_former(press, f"{url}#{anchor}")}'
        f'<span class="claim__mark" aria-hidden="true">{"✓" if check.held else "✗"}</span>'
        f'<span class="claim__text"><span class="visually-hidden">{"holds" if check.held else "fails"}: </span>'
        f"{inline(check.claim)}</span>{menu(f'{url}#{anchor}', shown.ident, check.claim)}</li>"
        for anchor, check in sorted(
            zip(claim_anchors(shown, result.checks), result.checks, strict=True),
            key=lambda item: item[1].held,  # what failed stands first, and open
        )
    ]
    text = f'<p class="panel__label">Claims checked</p><ul class="claims">{"".join(items[:OPEN_CLAIMS])}</ul>'
    if more := items[OPEN_CLAIMS:]:
        text += f'<details class="claims__more"><summary>and {len(more)} more</summary><ul class="claims">{"".join(more)}</ul></details>'
    return f'<div class="panel__claims">{text}</div>'


def handout(press: Press, page: Page) -> str:
    """How to work on a lab or on a page of exercises: its notebook, and how to run it."""
    what = "lab" if page.is_notebook else "page of exercises"
    links = [f'<a download href="{ROOT}{handouts.address(page)}">Download this {what} as a notebook</a>']
    for shown in page.panels if page.is_notebook else ():
        if shown.ident in press.programs:
            links.append(f'<a download href="{ROOT}{program_address(shown.ident)}">or as one Python file</a>')
        if to := report(page.url, shown.ident):
            links.append(f'<a href="{escape(to)}">or report an error in it</a>')
    run = "<code>make lab</code> opens it in JupyterLab with everything installed"
    if any(other.path == "docs/how-to-use.md" for other in press.pages.values()):
        run += f': <a href="{ROOT}how-to-use/#run-it-on-your-computer">how to run it</a>'
    return f'<p class="handout" data-search-exclude>{", ".join(links)}. {run}.</p>'


def exercise_start(press: Press, asked: Exercise) -> str:
    """What the reader of an exercise begins with, and how to be graded."""
    anchor = panel_anchor(asked.panel)
    faults = [fault for fault in press.faults if fault.anchor == asked.panel]
    answer = "answer = ...  # your value\n" if asked.is_value else ""
    grading = f"from nextword.exercises import grade\n\n{answer}{asked.call}"
    return "\n".join(
        [
            f'<section class="panel exercise" id="{anchor}" aria-labelledby="{anchor}-title">',
            f'<p class="panel__head" id="{anchor}-title"><a class="panel__id" href="#{anchor}">Exercise {asked.ident}</a> '
            f'<span class="panel__title">{LEVELS[asked.level]}</span></p>',
            _menu(press, asked.panel),
            f'<div class="panel__code" data-search-exclude>{code(asked.start)}</div>',
            *(fault_box(press, fault) for fault in faults),
            f'<div class="exercise__grade" data-search-exclude><p class="panel__label">Check your answer</p>{code(grading)}</div>',
            _bar(
                f'data-panel="{asked.panel}" data-exercise="{asked.ident}"'
                f' data-answer="{"answer" if asked.is_value else escape(asked.name)}"'
            ),
            "</section>",
        ]
    )


def exercise_answers(press: Press, asked: Exercise, explanation: str) -> str:
    """The solution and the typical wrong answers of an exercise, each folded, with what the grader says of it.

    Raises:
        LookupError: its run named no such reports; the fault is on record.
    """
    figures = press.results[asked.panel].figures
    wrong = figures["wrong"]
    assert isinstance(wrong, list)
    value = (
        f'<p class="exercise__value">The answer: <code>{escape(repr(figures["answer"]))}</code></p>'
        if asked.is_value
        else ""
    )
    parts = [_answer("Solution", asked.solution, str(figures["solution"]), explanation, value)]
    for answer, told in zip(asked.wrong, wrong, strict=True):
        parts.append(_answer(f"A wrong answer: it {inline(answer.does)}", answer.source, str(told)))
    shown = press.panels[asked.panel]
    parts.append(_folded("What was checked when this page was built", _claims(press, shown)))
    if asked.panel in press.programs:
        to = program_address(asked.panel)
        link = f'<p><a download href="{ROOT}{to}">{asked.panel}.py</a></p>'
        parts.append(_folded("The checks, in one file with the answers", link, f' data-program="{ROOT}{to}"'))
    return (
        f'<section class="panel exercise__answers" id="answers-{asked.ident}" data-search-exclude>'
        + "\n".join([*parts, "</section>"])
    )


def with_addresses(press: Press, page: Page, html: str) -> str:
    """The HTML of a text inside a block, its links to files of docs/ as addresses of the site: MkDocs does not see them."""

    def address(match: re.Match[str]) -> str:
        path, _, anchor = match["to"].partition("#")
        target = press.pages.get(posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path)))
        if not path or target is None:
            return match[0]
        return f'href="{ROOT}{target.url}{"#" if anchor else ""}{anchor}"'

    return HREF.sub(address, html)


def _answer(summary: str, source: str, told: str, explanation: str = "", value: str = "") -> str:
    lines = "".join(f'<span class="told">{escape(line)}\n</span>' for line in told.split("\n"))
    said = f'<div class="panel__output"><p class="panel__label">Graded</p><div class="highlight"><pre><code>{lines}</code></pre></div></div>'
    why = f'<div class="exercise__why">{explanation}</div>' if explanation else ""
    return _folded(summary, f"{value}{code(source)}{said}{why}")


def listing(press: Press, name: str) -> str:
    """The source of a tested function, with its entry in the reference and its file."""
    try:
        found = press.library.listing(name)
    except UNREADABLE:
        return ""  # its fault is on record
    caption = _links(press, name, found.path, found.first, found.last)
    return f'<figure class="listing"><figcaption>{caption}</figcaption><div data-search-exclude>{code(found.text)}</div></figure>'


def _links(press: Press, name: str, path: Path, first: int, last: int) -> str:
    """The name of a piece of tested source, with its entry in the reference and its place in its file."""
    file = path.relative_to(press.around.source.parent).as_posix()
    module = name.removeprefix("nextword.").split(".")[0]
    links = [f"<code>{escape(name)}</code>"]
    if any(page.path == f"docs/reference/{module}.md" for page in press.pages.values()):
        links.append(f'<a href="{ROOT}reference/{module}/#{escape(name)}">reference</a>')
    where = f"{file}, line {first}"
    address = repository()
    source = f"{address}/blob/{os.environ.get('GITHUB_SHA', 'main')}/{file}#L{first}-L{last}"
    links.append(
        f'<a href="{source}">{where}</a>' if address else f'<span class="listing__file">{where}</span>'
    )
    return " · ".join(links)


def formula(press: Press, latex: str, name: str, beginnings: str) -> str:
    """A displayed formula, and beside it the tested code that computes it."""
    try:
        shown = formulas.mathml(" ".join(latex.split()), display=True)
        found = press.statements(name, beginnings)
    except UNREADABLE:
        return ""  # its fault is on record
    lines = [found[0].text]
    for earlier, later in pairwise(found):
        lines += [] if later.first == earlier.last + 1 else ["# …"]
        lines.append(later.text)
    body = code("\n".join(lines))
    caption = f"<figcaption>{_links(press, found[0].name, found[0].path, found[0].first, found[-1].last)}</figcaption>"
    return f'<figure class="formula"><div class="formula__math">{shown}</div><div class="formula__code" data-search-exclude>{body}{caption}</div></figure>'


def drawing(press: Press, name: str, ident: str, caption: str) -> str:
    """A picture made from a panel's figures."""
    try:
        picture = press.draw(name, ident)
    except (KeyError, ValueError):
        picture = ""
    return f'<figure class="drawing">{picture}<figcaption>{caption}</figcaption></figure>'


def instrument(press: Press, asked: Asked, extended: str, caption: str) -> str:
    """An instrument as it is without scripts: a picture of its values, and what its script needs."""
    made = press.instruments.get(asked)
    if made is None or made.problem:
        return f'<figure class="instrument"><figcaption>{caption}</figcaption></figure>'  # its fault is on record
    anchor = f"try-{asked.name}"
    page = press.page_of(extended)
    to = f"{'' if page is press.current else f'{ROOT}{page.url}' if page else ''}#{panel_anchor(extended)}"
    code_of = "".join(f"<li>{_links(press, *_place(press, name))}</li>" for name in made.shows)
    return "\n".join(
        [
            f'<figure class="instrument" id="{anchor}" data-instrument="{asked.name}" aria-labelledby="{anchor}-title" data-search-exclude>',
            f'<p class="instrument__head" id="{anchor}-title"><a class="instrument__mark" href="#{anchor}">Instrument</a> '
            f'<span class="instrument__title">{escape(made.title)}</span></p>',
            f"<figcaption>{caption}</figcaption>",
            f'<section class="instrument__picture" aria-label="{escape(made.title)}">{made.picture}</section>',
            f'<script type="application/json" class="instrument__kept">{made.kept}</script>',
            f'<section class="instrument__code" aria-label="Code of {escape(made.title)}">'
            f'<details class="panel__unfolded"><summary>The code that it shows</summary><ul>{code_of}</ul></details>'
            f'<p>It continues <a href="{to}">panel {escape(extended)}</a>.</p></section>',
            "</figure>",
        ]
    )


def _place(press: Press, name: str) -> tuple[str, Path, int, int]:
    found = press.library.listing(name)
    return name, found.path, found.first, found.last


def fault_box(press: Press, fault: Fault) -> str:
    """What the preview shows in place of what failed: the words of the terminal, and the entry of the catalogue."""
    where = escape(f"{fault.place}: {fault.subject}")
    remedy = escape(f"what to do: {fault.remedy}")
    kind = escape(f"[{fault.kind}]")
    if refusals.SOURCE in press.pages:
        kind = f'<a href="{ROOT}{press.pages[refusals.SOURCE].url}#{fault.kind}">{kind}</a>'
    return (
        f'<div class="fault" role="alert"><p class="fault__where">{where}</p>'
        f"<pre><code>{escape(fault.message)}</code></pre><p>{remedy} {kind}</p></div>"
    )


def page_faults(press: Press, faults: Iterable[Fault], shown: set[str]) -> str:
    """The boxes of the faults that no panel on the page shows."""
    return "".join(fault_box(press, fault) for fault in faults if fault.anchor not in shown)


def refusals_of(group: str, examples: Mapping[str, Example]) -> str:
    """The kinds of refusal under one heading of the catalogue: each with its meaning, an example, and what is said of it."""
    kinds = [kind for kind in refusals.KINDS.values() if kind.group == group]
    return "\n".join(_refusal(kind, examples.get(kind.slug)) for kind in kinds)


def _refusal(kind: Kind, example: Example | None) -> str:
    parts = [
        f'<section class="refusal" aria-labelledby="{kind.slug}"><h3 id="{kind.slug}">{escape(kind.title)} '
        f'<a class="headerlink" href="#{kind.slug}" title="Permanent link">¶</a></h3>',
        f'<p class="refusal__kind"><code>{kind.slug}</code></p>',
        f"<p>{_described(kind.means)}</p>",
    ]
    if example:
        parts.append(_example(example))
    if not example or kind.remedy not in example.message:  # else the message says it
        parts.append(f"<p><strong>What to do:</strong> {_described(kind.remedy)}.</p>")
    return "".join([*parts, "</section>"])


def _example(example: Example) -> str:
    """What an author may write, and what the build says then."""
    parts = [f"<p>{_described(example.remark)}</p>"] if example.remark else []
    for name, text in example.files.items():
        parts.append(_shown_file(name, text))
    said = example.message.split("\n")
    head = f"$ {example.command}\n" if example.command else ""
    parts.append(_shown_file("What is said", head + "\n".join(said), "refusal__said"))
    return f"<div data-search-exclude>{''.join(parts)}</div>"


def _described(text: str) -> str:
    """Escaped text; what an author types in prose, [[17.1.name]], is code in it as well."""
    return inline(re.sub(r"(?<!`)\[\[[^\]]*\]\](?!`)", r"`\g<0>`", text))


def _shown_file(name: str, text: str, css_class: str = "refusal__file") -> str:
    body = escape(text.strip("\n"), quote=False)
    return (
        f'<figure class="{css_class}"><figcaption>{escape(name)}</figcaption>'
        f'<div class="highlight"><pre><code>{body}\n</code></pre></div></figure>'
    )


def ledger(press: Press) -> str:
    """Every claim of the site with its panel, and every number that was declared as given."""
    checks = [
        (page, shown, check) for page, shown in _shown(press) for check in press.results[shown.ident].checks
    ]
    planted_faults = _planted(press)
    parts = [_count(press, len(checks)), _ends(planted_faults)]
    for page in press.pages.values():
        rows = [row for other, shown in _shown(press) if other is page for row in _rows(press, page, shown)]
        if rows:
            parts.append(f'<h2 id="{_slug(page)}">{escape(page.title())}</h2>')
            parts.append(
                '<table class="ledger" data-search-exclude><thead><tr><th>Panel</th><th>Claim</th></tr></thead><tbody>'
            )
            parts += [*rows, "</tbody></table>"]
    parts.append('<h2 id="given-numbers">Numbers that no panel computes</h2>')
    given = [(page, item) for page in press.pages.values() for item in _given(page)]
    if not given:
        return "\n".join([*parts, "<p>There are none.</p>", *planted_faults])
    parts.append(
        '<table class="ledger" data-wraps data-search-exclude><thead><tr><th>Page</th><th>Number</th><th>Why</th></tr></thead><tbody>'
    )
    for page, item in given:
        parts.append(
            f'<tr><td><a href="{ROOT}{page.url}">{escape(page.title())}</a></td>'
            f"<td>{inline(item.text)}</td><td>{inline(item.reason)}</td></tr>"
        )
    return "\n".join([*parts, "</tbody></table>", *planted_faults])


def _ends(planted_faults: Sequence[str]) -> str:
    """What stands below all claims, which are many."""
    more = (
        ', and what became of <a href="#planted-faults">faults that were planted</a> on purpose'
        if planted_faults
        else ""
    )
    return f'<p>At the end stand the <a href="#given-numbers">numbers that no panel computes</a>{more}.</p>'


def _planted(press: Press) -> list[str]:
    """What `make faults` showed when it was run last."""
    found = press.planted
    if found is None:
        return []
    cells = [cell for row in found["kinds"].values() for cell in row.values()]
    many, caught = (sum(cell[index] for cell in cells) for index in (0, 1))
    where = [f"<strong>{len(found['targets'][group])}</strong> {group}s" for group in GROUPS]
    said = (
        f"On {escape(found['date'])} <strong>{many:,}</strong> faults were planted in the pages, one at a time: each kind in each of "
        f"{', '.join(where[:-1])} and {where[-1]} (<code>make faults</code>). The build refused <strong>{caught:,}</strong> of them at their place. "
        "A panel that shows a recorded run is refused for any change of its code: what was run is another."
    )
    heads = "".join(f"<th>{group.capitalize()}s</th>" for group in GROUPS)
    rows = [
        f"<tr><td>{escape(kind.capitalize())}</td>"
        + "".join(f"<td>{row[group][1]}&nbsp;of&nbsp;{row[group][0]}</td>" for group in GROUPS)
        + "</tr>"
        for kind, row in found["kinds"].items()
    ]
    return [
        '<h2 id="planted-faults">Faults that were planted</h2>',
        f'<p class="ledger__count">{said}</p>',
        f'<table class="ledger" data-wraps data-search-exclude><thead><tr><th>Refused</th>{heads}</tr></thead><tbody>',
        *rows,
        "</tbody></table>",
    ]


def _count(press: Press, claims: int) -> str:
    """How many claims held, and how many of them in runs with real libraries: in this build, or before it."""
    library = [panel for panel in press.panels.values() if panel.packages and panel.ident in press.results]
    held = sum(len(press.results[panel.ident].checks) for panel in library)
    said = f"<strong>{claims}</strong> claims in <strong>{len(press.panels)}</strong> panels held"
    if not library:
        return f'<p class="ledger__count">{said} when this site was built.</p>'
    when = "in this build" if lanes.is_real() else "before this build, in the run of the date that each names"
    return (
        f'<p class="ledger__count">{said}: <strong>{claims - held}</strong> when this site was built, '
        f"<strong>{held}</strong> with the real libraries, {when}.</p>"
    )


def _slug(page: Page) -> str:
    return re.sub(r"[^a-z0-9]+", "-", page.title().lower()).strip("-")


def _shown(press: Press) -> list[tuple[Page, Panel]]:
    return [
        (page, shown)
        for page in press.pages.values()
        for shown in page.panels
        if shown.ident in press.results
    ]


def _rows(press: Press, page: Page, shown: Panel) -> list[str]:
    checks = press.results[shown.ident].checks
    if page.is_notebook:
        ledger = addresses.page_of_claims(press, page)
        url = ledger.url if ledger else ""
        return [
            f'<tr id="{anchor}"><td><a href="{ROOT}{page.url}">lab</a></td>'
            f"<td>{_former(press, f'{url}#{anchor}')}{inline(check.claim)}"
            f"{menu(f'{url}#{anchor}', shown.ident, check.claim)}</td></tr>"
            for anchor, check in zip(claim_anchors(shown, checks), checks, strict=True)
        ]
    means = _means(press, shown)
    origin = [f'<tr class="ledger__origin"><td></td><td>{means}</td></tr>'] if means else []
    return origin + [
        f'<tr><td><a href="{ROOT}{page.url}#{panel_anchor(shown.ident)}">{shown.ident}</a></td>'
        f'<td><a href="{ROOT}{page.url}#{anchor}">{inline(check.claim)}</a></td></tr>'
        for anchor, check in zip(claim_anchors(shown, checks), checks, strict=True)
    ]


def _given(page: Page) -> list[Given]:
    return [
        item for line in quoting_lines(page.source) for item in references(line) if isinstance(item, Given)
    ]


def corrections(press: Press) -> str:
    """The errors that were confirmed, newest first, each with the check that guards it now."""
    found = press.corrections[0]
    if not found:
        return "<p>None so far.</p>"
    items = [
        _correction(press, number, one) for number, one in zip(range(len(found), 0, -1), found, strict=True)
    ]
    return f'<section class="corrections">{"".join(items)}</section>'


def _correction(press: Press, number: int, one: Correction) -> str:
    url = one.where.partition("#")[0]
    page = next((page for page in press.pages.values() if page.url == url), None)
    panel = addresses.OF_PANEL.match(one.where)
    name = f"{page.title() if page else url}{', panel ' + panel['ident'] if panel else ''}"
    claim, test = addresses.of_site(press).get(one.guard), TEST.match(one.guard)
    guard = f'<a href="{ROOT}{escape(one.guard)}">{inline(claim)}</a>' if claim else ""
    if test:
        guard = f"<code>{escape(test['file'])}</code>, <code>{escape(test['name'])}</code>"
    rows = {"It said": inline(one.wrong), "In fact": inline(_quoting(press, one.right)), "Guarded by": guard}
    terms = "".join(f"<dt>{term}</dt><dd>{text}</dd>" for term, text in rows.items())
    head = f'{one.date}: <a href="{ROOT}{escape(one.where)}">{escape(name)}</a>'
    return f'<h2 id="correction-{number}">{head}</h2><dl>{terms}</dl>'


def _quoting(press: Press, text: str) -> str:
    """A text with the values of the figures that it quotes."""
    for found in sorted(references(Line(0, text)), key=lambda item: -item.start):
        try:
            value = press.figure(found) if isinstance(found, Reference) else found.text
        except (LookupError, ValueError):
            continue  # its fault is on record
        text = text[: found.start] + value + text[found.end :]
    return text
