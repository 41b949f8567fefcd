"""The press as part of Markdown: the fences of panels and all else that it shows, and figures quoted in prose.

Everything here works on Python-Markdown alone, so that a successor of MkDocs can use it as it is.
"""

import re
from html import escape
from typing import Any
from xml.etree.ElementTree import Element

import markdown_exec
from markdown import Extension, Markdown
from markdown.inlinepatterns import InlineProcessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from coursebuild import exercises, formulas, instruments, refusals, render, source
from coursebuild.instruments import Asked
from coursebuild.panels import Panel
from coursebuild.press import Page, Press
from coursebuild.prose import Given, Reference, references
from coursebuild.source import LISTED, Line

active: Press | None = None
"""The press that renders; the site builder sets it before the first page."""

LISTS = {"ledger": render.ledger, "corrections": render.corrections}

HEADING = re.compile(r'<h2 id="([^"]+)">(.*?)</h2>')
TAG = re.compile(r"<[^>]*>")
UNMARKED = re.compile(r"^\s*(?:#{1,6}\s|!!!|\?\?\?|===)")
SPECIAL = re.compile(r"[!-/:-@\[-`{-~]")
BRACKETED = re.compile(r"!?\[[^\[\]]*(?:\[\[[^\[\]]*\]\][^\[\]]*)*\]\(")


def press() -> Press:
    """The press that renders.

    Raises:
        RuntimeError: none does.
    """
    if active is None:
        raise RuntimeError("no press is active: the site builder must set coursebuild.extension.active")
    return active


def validator(
    language: str, inputs: dict[str, str], options: dict[str, Any], attrs: dict[str, Any], md: Markdown
) -> bool:
    """Take every block of the press's own, well written or not: none may pass the press by."""
    options.update(inputs)
    return True


def formatter(
    source: str, language: str, css_class: str, options: dict[str, Any], md: Markdown, **kwargs: Any
) -> str:
    """The HTML of a panel, a listing, a drawing, a formula, an exercise or an instrument."""
    machine = press()
    machine.asked += 1
    if machine.current:
        machine.current.rendered += 1
    try:
        if language == "drawing":
            return render.drawing(
                machine, options.get("draw", ""), options.get("panel", ""), caption(machine, source, md)
            )
        if language == instruments.LANGUAGE:
            asked = Asked(options.get("use", ""), options.get("start", ""))
            return render.instrument(machine, asked, options.get("panel", ""), caption(machine, source, md))
        if language == "math":
            return render.formula(machine, source, options.get("listing", ""), options.get("line", ""))
        if language == exercises.LANGUAGE:
            return exercise(machine, source, options, md)
        if "listing" in options:
            return render.listing(machine, options["listing"])
        shown_panel = machine.panels.get(options.get("id", ""))
        if shown_panel and shown_panel.code.strip() == source.strip():
            return panel(machine, shown_panel, md)
    except LookupError:
        pass  # its fault is on record
    return render.code(source)


def caption(machine: Press, text: str, md: Markdown) -> str:
    """The HTML of a caption; the conversion runs this extension again, on it."""
    shown = str(markdown_exec.MarkdownConverter(md).convert(text))
    if machine.current:
        shown = render.with_addresses(machine, machine.current, shown)
    return re.sub(r"</?p>", "", shown)


def exercise(machine: Press, source: str, options: dict[str, Any], md: Markdown) -> str:
    """A part of an exercise: its starting point, or its solution and wrong answers, folded.

    Raises:
        LookupError: there is no such exercise on the page, or its run failed.
    """
    page = machine.current
    if page is None or options.get("id", "") not in page.exercises:
        raise LookupError
    found = page.exercises[options["id"]]
    if options.get("show") == "start":
        return render.exercise_start(machine, found)
    explanation = markdown_exec.MarkdownConverter(md).convert(source)
    return render.exercise_answers(machine, found, render.with_addresses(machine, page, explanation))


def panel(machine: Press, shown: Panel, md: Markdown) -> str:
    """A panel, its output rendered by markdown-exec from the run that the press made."""
    result = machine.results[shown.ident]
    output = markdown_exec.base_format(
        language="python",
        run=lambda code, **_: result.output,
        code=shown.code,
        md=md,
        result="text",
        id=shown.ident,
        update_toc=False,
    )
    return render.panel(machine, shown, output)


class Figures(Preprocessor):
    """Puts the values of figures where prose quotes them, and the ledger where a page asks for it."""

    def __init__(self, md: Markdown) -> None:
        super().__init__(md)
        self.headings: list[tuple[str, str]] = []
        """The headings of the lists of a page: the anchor and the text, as HTML."""

    def run(self, lines: list[str]) -> list[str]:
        machine = press()
        self.headings = []
        found = source.read("\n".join(["", *lines]))
        shown = {line.number - 2: line for line in found.prose if line.number > 1}
        for index, line in shown.items():
            listed = LISTED.match(line.text)
            machine.asked += bool(listed or "[[" in line.text)
            if listed and listed["what"] == "refusals":
                lines[index] = self._catalogue(machine)
            elif listed:
                html = LISTS[listed["what"]](machine)
                self.headings += HEADING.findall(html)
                lines[index] = self.md.htmlStash.store(html)
            elif "[[" in line.text:
                lines[index] = _with_figures(machine, line.text, self.md)
        return [part for line in lines for part in line.split("\n")]

    def _catalogue(self, machine: Press) -> str:
        """The catalogue of refusals; its headings as Markdown, which puts them into the page's contents."""
        shown = refusals.examples(machine.root)
        return "\n\n".join(
            f"## {group}\n\n{self.md.htmlStash.store(render.refusals_of(group, shown))}"
            for group in refusals.groups()
        )


class Contents(Treeprocessor):
    """Puts the headings of a page's lists, which Markdown does not see, into the page's table of contents, below its title."""

    def __init__(self, md: Markdown, figures: Figures) -> None:
        super().__init__(md)
        self.figures = figures

    def run(self, root: Element) -> None:
        tokens: list[dict[str, Any]] = getattr(self.md, "toc_tokens", [])
        level = tokens[0]["children"] if len(tokens) == 1 and tokens[0]["level"] == 1 else tokens
        for anchor, html in self.figures.headings:
            name = TAG.sub("", html)
            token = {
                "level": 2,
                "id": anchor,
                "name": name,
                "html": name,
                "data-toc-label": "",
                "children": [],
            }
            level.append(token)


def _with_figures(machine: Press, text: str, md: Markdown) -> str:
    """A line of Markdown with its references replaced by their values."""
    spans = [match.span() for match in BRACKETED.finditer(text)]
    pieces, position = [], 0
    for found in sorted(references(Line(0, text)), key=lambda item: item.start):
        bare = bool(UNMARKED.match(text)) or any(start <= found.start < end for start, end in spans)
        pieces += [text[position : found.start], _shown(machine, found, bare, md)]
        position = found.end
    return "".join([*pieces, text[position:]])


def _shown(machine: Press, found: Reference | Given, bare: bool, md: Markdown) -> str:
    """A value as Markdown that shows it as it is: a link to its panel; ``bare`` where no link can stand, as in a heading."""
    if isinstance(found, Given):
        return found.text
    try:
        value = machine.figure(found)
    except (LookupError, ValueError):
        return f"⟦{found.panel}.{found.name}⟧"  # its fault is on record
    if found.is_code:
        return value
    if bare:
        return SPECIAL.sub(lambda match: match[0] if match[0] in ".,%" else f"&#{ord(match[0])};", value)
    title = escape(f"{found.name}, computed by panel {found.panel}")
    page = machine.page_of(found.panel)
    target = f"#{render.output_anchor(machine, found.panel)}"
    address = target if _is_current(machine, page) else f"{render.ROOT}{page.url if page else ''}{target}"
    return md.htmlStash.store(
        f'<a class="bound" href="{escape(address)}" title="{title}">{escape(value)}</a>'
    )


def _is_current(machine: Press, page: Page | None) -> bool:
    return page is not None and page is machine.current


class Formulas(InlineProcessor):
    """Shows ``$p(x)$`` as a formula."""

    def handleMatch(self, m: re.Match[str], data: str) -> tuple[str | None, int | None, int | None]:  # type: ignore[override]  # noqa: N802
        try:
            shown = formulas.mathml(m["latex"])
        except ValueError:
            return None, None, None  # its fault is on record
        return self.md.htmlStash.store(shown), m.start(0), m.end(0)


class CourseExtension(Extension):
    """The Markdown extension of the press."""

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        md.registerExtension(self)
        md.inlinePatterns.register(Formulas(formulas.INLINE.pattern, md), "course_formulas", 185)
        figures = Figures(md)
        md.preprocessors.register(figures, "course_figures", 29)
        md.treeprocessors.register(Contents(md, figures), "course_contents", 0)


def makeExtension(**kwargs: Any) -> CourseExtension:  # noqa: N802
    """Python-Markdown's entry point."""
    return CourseExtension(**kwargs)
