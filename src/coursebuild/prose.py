"""Reads a page's prose: binds numbers to figures, and refuses numbers that were typed by hand."""

import ast
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from coursebuild import formulas, numbers
from coursebuild.faults import Fault, Unfit
from coursebuild.source import GIVEN, LISTED, REFERENCE, Fence, Line, Source, code_spans

COMMENT = re.compile(r"<!--(?!-?>).*?-->")
OPEN_COMMENT = re.compile(r"^ {0,3}<!--(?!-?>)")
TAG = re.compile(r"</?[A-Za-z][^<>]*>")
SPOKEN = re.compile(
    r"\b(?:alt|title|aria-[a-z]+|content|label|placeholder|summary|value)\s*=\s*"
    r"""(?:"(?P<double>[^"]*)"|'(?P<single>[^']*)'|(?P<bare>[^\s"'>]+))""",
    re.IGNORECASE,
)
ATTRIBUTES = r"""\{:?\s*(?:(?:[#.][\w-]+|[\w-]+=(?:"[^"]*"|'[^']*'|[^\s{}"']+))\s*)+\}"""
SPEAKING = re.compile(f"{TAG.pattern}|{ATTRIBUTES}")
MARKUP = re.compile(rf"<!--.*?-->|{TAG.pattern}|(?<!\w)_+|_+(?!\w)|[*~^=`]+")
ITEM = re.compile(r"^[> \t]*(?:[-*+]|\d+\.)(?=\s)")
OPENER = re.compile(r"^[> \t]*(?:!!!|\?\?\?|===|#|<[^<>]*>\s*$|\[\^[\w-]+\]:\s*$)")
OWN = "bound|claims?|corrections|drawing|exercise|fault|formula|handout|highlight|instrument|ledger|listing|live|menu|panel|refusal|told"
"""The classes of what the press shows, those of its parts aside, which have two underscores more."""
RAW_HTML = re.compile(
    r"<(?P<element>pre|script|style|iframe|template|object|embed|noscript|xmp|plaintext|textarea)\b"
    r"|<[a-z][^<>]*?\s(?P<attribute>hidden|srcdoc|style|on[a-z]+\s*=)(?=[\s=>/\"']|(?<==))[^<>]*>"
    r"|\{:?[^{}\n]*\s(?P<listed>hidden|srcdoc|style|on[a-z]+)\s*=[^{}\n]*\}"
    rf"|<[a-z][^<>]*?\sclass\s*=\s*(?P<quote>[\"']?)(?:(?!(?P=quote))[^<>])*?(?P<own>(?<![\w-])(?:{OWN})(?![a-z]|-(?!-))|&)[^<>]*>"
    rf"|\{{:?[^{{}}\n]*?(?:\.|class\s*=[^{{}}\n]*?(?<![\w-]))(?P<given>{OWN})(?![a-z]|-(?!-))[^{{}}\n]*\}}",
    re.IGNORECASE,
)
NO_FORMULA = (
    re.compile(
        r"^[> \t]*(?:#|!!!|\?\?\?|===|\*\[|\[[^\]^]+\]:).*$"
    ),  # headings, titles, abbreviations, references
    re.compile(r"!\[[^\]]*\]"),
    re.compile(r"(?<=\])\([^)]*\)"),
    re.compile(r"<[A-Za-z/][^>]*>"),
    re.compile(ATTRIBUTES),
)
"""Where a formula would be text of something that holds no markup."""
CONTAINER = re.compile(r" {0,3}(?:(?:[-*+]|\d+[.)])\s|!!!|\?\?\?|===|\[\^[\w-]+\]:|:\s|///|:::)")
"""What a line begins with if the indented blocks below it belong to it."""
QUOTED = "\ue000"
"""Stands for a figure where a line is read for what touches figures."""
TOUCHING = re.compile(
    rf"(?:[^\W_]|[%.,+\u2212-]){QUOTED}|{QUOTED}{QUOTED}|{QUOTED}(?:[^\W_]|[%‰]|[.,'’+\u2212-](?:\d|{QUOTED}))"
)
UNSEEN = re.compile(rf"<!--.*?-->|{TAG.pattern}|(?<!\w)_+|_+(?!\w)|[*~^`]+|==+")
ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
NAME = re.compile(r"[A-Za-z][\w-]*(?:[./]+(?!\d+(?![\w-]))[\w-]+)+(?::\d+)?")
"""A file, or a line of a file, as inline code may name it; not ``cost/2``, which is a computation."""
SPEC = re.compile(r"words|[+ -]?#?0?\d*[,_]?(?:\.\d+)?[bdeEfFgGosxX%]?")
HIDDEN = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<=\])\([^()\s]*(?=\)|\s+[\"'])",  # the address of a link or picture
        r"""^ {0,3}\[(?!\^)[^\]]+\]:[ \t]+\S+(?=\s*$|\s+(?:"[^"]*"|'[^']*'|\([^()]*\))\s*$)""",  # of a reference
        ATTRIBUTES,
        r"(?<!\w)_+|_+(?!\w)",  # emphasis
        r"\[\^[\w-]+\]:?",  # a footnote's mark
        r"^:::\s+[A-Za-z_][\w.]*\s*$",  # an API entry
    )
)


@dataclass(frozen=True)
class Reference:
    """``[[17.5.ratio:.2f]]``: a figure of a panel, how to write it, and where in the line it stands (in inline code?)."""

    line: int
    start: int
    end: int
    panel: str
    name: str
    spec: str
    is_code: bool = False

    def written(self, value: object) -> str:
        """The value as the page shows it.

        Raises:
            Unfit: the format does not fit the value.
        """
        if not SPEC.fullmatch(self.spec):
            raise Unfit(
                "figure-format",
                f"{value!r} cannot be written as {self.spec!r}: a format of Python without fill, such as .2f",
            )
        if self.spec == "words":
            return numbers.spelled(value)
        if isinstance(value, str) and "." in self.spec:
            raise Unfit("figure-format", f"{value!r} cannot be written as {self.spec!r}, which would cut it")
        if isinstance(value, (list, dict)) and not self.spec:
            raise Unfit(
                "figure-format-missing",
                "a list or dict has no one form in prose; name a figure for the value that you quote",
            )
        if isinstance(value, float) and not self.spec:
            raise Unfit("figure-format-missing", f"a float needs a format: [[{self.panel}.{self.name}:.2f]]")
        try:
            text = format(value, self.spec)
        except (TypeError, ValueError) as error:
            raise Unfit("figure-format", f"{value!r} cannot be written as {self.spec!r}: {error}") from error
        if isinstance(value, (int, float)) and value and not re.search("[1-9A-Za-z]", text):
            raise Unfit(
                "figure-format", f"{value!r} written as {self.spec!r} would be {text}, which it is not"
            )
        if len(text.splitlines()) > 1:
            raise Unfit("figure-unquotable", f"{value!r} is more than one line, which prose cannot quote")
        if self.is_code and "`" in text:
            raise Unfit("figure-unquotable", f"{value!r} has a backtick, which inline code cannot show")
        return text


@dataclass(frozen=True)
class Given:
    """``[[two|a definition]]``: a number that no run could contradict, with the reason, shown in the ledger."""

    line: int
    start: int
    end: int
    text: str
    reason: str


def references(line: Line) -> Iterator[Reference | Given]:
    """What a line quotes from panels, and what it declares as given."""
    code = [range(start, end) for start, end, _ in code_spans(line.text)]
    for match in REFERENCE.finditer(line.text):
        is_code = any(match.start() in span for span in code)
        yield Reference(
            line.number, *match.span(), match["panel"], match["name"], match["spec"] or "", is_code
        )
    for match in GIVEN.finditer(line.text):
        yield Given(line.number, *match.span(), match["text"].strip(), match["reason"].strip())


def without_comments(lines: Iterable[Line]) -> list[Line]:
    """The lines with what stands in HTML comments blanked, line numbers and columns kept.

    Markdown sees a comment where one begins a line, or ends on the line on which it begins.
    """
    lines = list(lines)
    shown, inside = [], False
    last = max((index for index, line in enumerate(lines) if "-->" in line.text), default=-1)
    for index, line in enumerate(lines):
        text = line.text
        if OPEN_COMMENT.match(text) and index < last:
            inside = True
        if inside:
            end = text.find("-->") + 3
            inside = end < 3
            text = _blank(text, 0, len(text) if inside else end)
        code = [range(start, end) for start, end, _ in code_spans(text)]
        for match in COMMENT.finditer(text):
            if not any(match.start() in span for span in code):
                text = _blank(text, *match.span())
        shown.append(Line(line.number, text))
    return shown


def _blank(text: str, start: int, end: int) -> str:
    return text[:start] + " " * (end - start) + text[end:]


def visible(line: Line, quoted: Callable[[str], bool], joined: bool = False) -> str:
    """What a reader sees of a line that its author typed as it is: no addresses, tags, references, quoted inputs.

    With ``joined``, what markup parts comes together, as on the page: ``t**w**o`` is a word.
    """
    text = _without_formulas(line.text)
    for pattern in (REFERENCE, GIVEN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    for start, end, code in list(code_spans(text)):
        if all(quoted(found.text) or NAME.fullmatch(found.text) for found in numbers.find(code)):
            text = _blank(text, start, end)
    heard = (match for tag in SPEAKING.findall(text) for match in SPOKEN.finditer(tag))
    spoken = " ".join(match["double"] or match["single"] or match["bare"] or "" for match in heard)
    if joined:
        text = MARKUP.sub("", text)
    for pattern in (TAG, *HIDDEN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    return numbers.normalise(f"{text} {spoken}")


def _without_formulas(text: str) -> str:
    for start, end, _ in list(formulas.spans(text)):
        text = _blank(text, start, end)
    return text


WORKSHOP = "docs/reference/"
"""Pages for authors and users of the library: what they show of terminals and files is about the project, not the lessons."""

SHOWN = {"", "text", "console", "bash", "sh", "yaml", "toml", "json", "html", "css", "make", "diff"}
"""The languages of blocks that show something to a reader, as if it had been run or read."""


def lint(path: str, source: Source, inputs: set[str]) -> list[Fault]:
    """Refuse each number that an author typed into the prose, titles and captions of a page.

    Args:
        path: the page's file, for the messages.
        source: the page.
        inputs: words inside the string literals of the page's panels; prose may quote them in inline code.
    """
    titles = [Line(fence.line, fence.option["title"]) for fence in source.fences if "title" in fence.option]
    formatted = [
        *_without_item_numbers(without_comments(source.prose)),
        *source.meta,
        *titles,
        *_captions(source.fences),
    ]
    faults = []
    for line in formatted:
        found = [number.text for number in numbers.find(visible(line, inputs.__contains__))]
        whole = [number.text for number in numbers.find(visible(line, inputs.__contains__, joined=True))]
        found += [text for text in whole if text.isalpha() and text not in found]
        faults += [_typed(path, line, text) for text in found]
    for line in _bodies(source.fences, {"", "text"} if path.startswith(WORKSHOP) else SHOWN):
        if line.text.startswith(("$ ", "> ")):
            continue  # a command that the reader is to type
        hint = "show it as the output of a panel"
        faults += [
            _typed(path, line, number.text, hint) for number in numbers.find(numbers.normalise(line.text))
        ]
    faults += _faults_of_formulas(path, [*source.prose, *_captions(source.fences)])
    faults += _faults_of_dollars(path, formatted)
    shown = replace(source, prose=(*source.prose, *_captions(source.fences)))
    faults += [*_unrun_python(path, source), *_raw_html(path, shown), *_indented_code(path, shown)]
    for line in [*source.meta, *titles]:
        if "[[" in line.text:
            message = "front matter and titles cannot quote a figure"
            faults.append(
                Fault("title-with-figure", path, line.number, "prose", message, "say it without the number")
            )
        if any(formulas.spans(line.text)):
            message = "front matter and titles cannot have a formula"
            faults.append(Fault("title-with-formula", path, line.number, "prose", message, "say it in words"))
    return faults


def _faults_of_formulas(path: str, lines: Iterable[Line]) -> Iterator[Fault]:
    for line in lines:
        elsewhere = [range(*match.span()) for part in NO_FORMULA for match in part.finditer(line.text)]
        for start, end, latex in formulas.spans(line.text):
            for problem in formulas.problems(latex):
                yield Fault(problem.kind, path, line.number, "formula", problem)
            if any(start in span or end - 1 in span for span in elsewhere):
                message = "a formula in a heading, a title, an address or a tag: it would not be shown as one"
                yield Fault(
                    "formula-misplaced", path, line.number, "formula", message, "say it in words there"
                )
            if "|" in latex and line.text.lstrip("> ").startswith("|"):
                message = "a bar in a formula ends the cell of a table"
                yield Fault(
                    "formula-bar", path, line.number, "formula", message, r"write \mid or \lvert … \rvert"
                )


def _faults_of_dollars(path: str, lines: Iterable[Line]) -> Iterator[Fault]:
    for line in _without_code(lines):
        if found := formulas.LONE.search(_without_formulas(line.text)):
            message = f"{found[0]!r} begins no formula that Markdown reads, so it would be shown as it is"
            hint = r"write $p(w)$ on one line, apart from words and figures; \$ is a dollar"
            yield Fault("dollar-alone", path, line.number, "formula", message, hint)


def _unrun_python(path: str, source: Source) -> Iterator[Fault]:
    """Blocks without a language that a reader would take for Python, and for run."""
    for fence in source.fences:
        if fence.language in ("", "text") and _looks_like_python(fence.body):
            hint = "make it a panel, or show it as a command of a block of console"
            yield Fault(
                "python-unlabelled",
                path,
                fence.line,
                f"{fence.language or 'code'} block",
                "Python that is not run",
                hint,
            )


def _looks_like_python(body: str) -> bool:
    if re.search(r"^\s*>>>(?:\s|$)", body, re.MULTILINE):
        return True
    try:
        tree = ast.parse(textwrap.dedent(body))
    except (SyntaxError, ValueError):
        return False
    telling = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return any(
        isinstance(node, telling)
        or (
            isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign))
            and any(isinstance(part, ast.Call) for part in ast.walk(node))
        )
        for node in ast.walk(tree)
    )


def _without_code(lines: Iterable[Line]) -> Iterator[Line]:
    for line in lines:
        text = line.text
        for start, end, _ in list(code_spans(text)):
            text = _blank(text, start, end)
        yield Line(line.number, text)


def _raw_html(path: str, source: Source) -> Iterator[Fault]:
    """HTML that shows what was never run, hides a part of the page, or changes it in the browser."""
    shown = (Line(line.number, _without_formulas(line.text)) for line in without_comments(source.prose))
    lines = list(_without_code(shown))
    text = "\n".join(line.text for line in lines)
    for match in RAW_HTML.finditer(text):
        line = lines[text.count("\n", 0, match.start())]
        found = next(filter(None, map(match.group, ("element", "attribute", "listed", "own", "given"))))
        hint = "write Markdown; what a program prints is the output of a panel"
        yield Fault(
            "html-hides",
            path,
            line.number,
            "prose",
            f"HTML that hides or imitates what was run: {found}",
            hint,
        )


def _indented_code(path: str, source: Source) -> Iterator[Fault]:
    """Blocks that are code by their indentation alone: no panel, and their language unknown."""
    last, blank, inside = 0, True, False
    for line in without_comments(source.prose):
        text = line.text.expandtabs(4)
        blank = blank or line.number != last + 1
        if text.startswith("    ") and text.strip():
            if blank and not inside:
                hint = "write a panel, or a block of text"
                yield Fault(
                    "code-by-indentation",
                    path,
                    line.number,
                    "prose",
                    "a block of code by indentation alone",
                    hint,
                )
        elif text.strip():
            opens = bool(CONTAINER.match(text))
            inside = opens or (inside and not blank)
        blank, last = not text.strip(), line.number


def _typed(path: str, line: Line, text: str, hint: str = "") -> Fault:
    return Fault(
        "number-typed",
        path,
        line.number,
        "prose",
        f"the number {text!r} is typed by hand, so a run could contradict it",
        hint or f"quote a figure of a panel, [[17.1.name]], or say why none is needed: [[{text}|the reason]]",
    )


def _without_item_numbers(lines: Iterable[Line]) -> Iterator[Line]:
    """The lines without the numbers of list items. A wrapped line that begins with a number is no item: its paragraph is no list."""
    begins, is_list = True, False
    for line in lines:
        if begins:
            is_list = bool(ITEM.match(line.text))
        begins = not line.text.strip("> \t") or bool(OPENER.match(line.text))
        number = re.match(r"[> \t]*\d+\.(?=\s)", line.text)
        yield Line(line.number, _blank(line.text, *number.span())) if is_list and number else line


def _bodies(fences: Iterable[Fence], languages: set[str]) -> Iterator[Line]:
    for fence in fences:
        if fence.language in languages:
            for offset, text in enumerate(fence.body.split("\n"), 1):
                yield Line(fence.line + offset, text)


def _captions(fences: Iterable[Fence]) -> Iterator[Line]:
    return _bodies(fences, {"drawing", "exercise", "instrument"})


def quoting_lines(source: Source) -> list[Line]:
    """The lines that may hold references: prose, the captions of drawings and instruments, and why an exercise's solution is right."""
    return [line for line in without_comments(source.prose) if not LISTED.match(line.text)] + list(
        _captions(source.fences)
    )


LINK_TO_PANEL = re.compile(r"\[(?P<text>[^\[\]]*)\]\([^()\s]*#panel-(?P<ident>[\w-]+\.\d+)[^()]*\)")


def panels_named(source: Source) -> Iterator[tuple[int, str]]:
    """The panels that a page's text and titles name by their ids, each with its line."""
    titles = [Line(fence.line, fence.option["title"]) for fence in source.fences if "title" in fence.option]
    for line in [*quoting_lines(source), *source.meta, *titles]:
        text = line.text
        for pattern in (REFERENCE, GIVEN, *HIDDEN):
            text = pattern.sub(lambda match: " " * len(match[0]), text)
        for ident in numbers.panels_named(numbers.normalise(UNSEEN.sub("", text))):
            yield line.number, ident


def misled(path: str, line: Line) -> Iterator[Fault]:
    """Links that name one panel and lead to another."""
    for link in LINK_TO_PANEL.finditer(line.text):
        named = numbers.panels_named(link["text"])
        if named and link["ident"] not in named:
            message = f"the link says panel {named[0]} and leads to panel {link['ident']}"
            yield Fault("link-misleads", path, line.number, "link", message)


def malformed(path: str, line: Line) -> list[Fault]:
    """What stands in double brackets and is neither a figure nor a given number, or lies about it."""
    return [
        *_unreadable(path, line),
        *_touching(path, line),
        *_given_without_need(path, line),
        *misled(path, line),
    ]


def _touching(path: str, line: Line) -> Iterator[Fault]:
    """Figures that a neighbouring character makes another number: ``[[x]]%``, ``[[x]]k``, ``-[[x]]``, ``[[x]][[y]]``.

    A word may follow after a hyphen, as in ``a [[x]]-token prompt``, and a full stop or comma after which no digit stands.
    """
    text = line.text
    for start, end, _ in list(formulas.spans(text)):
        text = text[:start] + "x" * (end - start) + text[end:]
    for pattern in (REFERENCE, GIVEN):
        text = pattern.sub(QUOTED, text)
    text = numbers.normalise(re.sub(ATTRIBUTES, "", ESCAPED.sub(r"\1", UNSEEN.sub("", text))))
    if touched := TOUCHING.search(text):
        yield Fault(
            "figure-touches",
            path,
            line.number,
            "prose",
            f"a figure touches its neighbour, {touched[0].replace(QUOTED, '[[…]]')!r}, which makes another number of it",
            "put a space between, or use a format: [[17.1.name:.0%]]",
        )


def _given_without_need(path: str, line: Line) -> Iterator[Fault]:
    for match in GIVEN.finditer(line.text):
        text, reason = match["text"].strip(), match["reason"].strip()
        if len(text.split()) > 3 or not any(numbers.find(numbers.normalise(text))):
            message = f"{text!r} is given with a reason, but is no number"
            yield Fault(
                "given-no-number",
                path,
                line.number,
                "prose",
                message,
                "it takes at most three words, one of them a number",
            )
        elif len(reason.split()) < 2:
            message = f"{reason!r} is no reason for which {text!r} needs no panel"
            yield Fault(
                "given-no-reason",
                path,
                line.number,
                "prose",
                message,
                "the ledger prints it: say it in a few words",
            )


def _unreadable(path: str, line: Line) -> list[Fault]:
    text = line.text
    for pattern in (REFERENCE, GIVEN):
        text = pattern.sub(lambda match: " " * len(match[0]), text)
    for start, end, _ in list(code_spans(text)):
        text = _blank(text, start, end)
    if "[[" not in text:
        return []
    return [
        Fault(
            "brackets-unreadable",
            path,
            line.number,
            "prose",
            f"cannot read {line.text[text.index('[[') :].split(']]')[0]}]]",
            "write [[17.1.name]] or [[17.1.name:.2f]] for a figure, [[number|reason]] for a given number",
        )
    ]
