"""Reads an exercise from its module of ``nextword.exercises``, and what a page says of it; the press runs it like a panel.

The module is read, never imported: its starting point, solution and wrong answers are shown as they are tested, under the
name that the reader gives them. A run grades the solution and the wrong answers, and claims what became of each.
"""

import ast
import functools
import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, replace

from coursebuild import numbers
from coursebuild.faults import Fault, Problem
from coursebuild.inspection import NAMING, inspect_code
from coursebuild.library import Irregular, Library, Module, UnknownName
from coursebuild.panels import Panel
from coursebuild.prose import without_comments
from coursebuild.source import Fence, Line, Source, code_spans

LANGUAGE = "exercise"
PARTS = ("start", "answers")
LEVELS = ("predict", "find the bug", "find an example", "implement")
VALUES = ("predict", "find an example")
"""The levels whose answer is a value."""

PACKAGE = "nextword.exercises"
IDENT = re.compile(r"\d+\.\d+")
HEADING = re.compile(r"## (?P<title>.*?)\s*$")
HINT = re.compile(r'\?\?\? tip "[^"]+"\s*$')
SAID = {"Check": (0, 3), "Wrong": (1, 2)}
"""The arguments of these calls that are shown to a reader, by their place; their names are in `TOLD`."""
TOLD = {"claim", "means", "does", "fails", "title"}
WIDEST_IMPORT = 78

CODE = """\
from nextword.checks import check, figure
from {module} import EXERCISE
from nextword.exercises.grading import trials

right, one, other, nothing_said = trials(EXERCISE)
first, second = EXERCISE.wrong
figure("solution", right.text)
figure("wrong", [one.text, other.text])
{answer}\
for graded in (right, one, other):
    print(graded.text.replace("\\n", "\\n  "), end="\\n\\n")
# To grade an answer of yours: print(report(EXERCISE, your_answer).text)

check("The solution passes every check", right.failed, ())
check(f"An answer that {{first.does}} is told: “{{first.fails}}”",
      one.failed[:1], (first.fails,))
check(f"An answer that {{second.does}} is told: “{{second.fails}}”",
      other.failed[:1], (second.fails,))
check("An answer that says nothing passes no check", nothing_said.held, ())
"""
WORKED_OUT = "worked_out"
"""How the solution is called where a value is asked: not like the program that it is about."""

ANSWER = 'figure("answer", EXERCISE.answer_of(EXERCISE.solution))\n'
PREDICTED = """\
check("The program as it is shown gives the answer",
      report(EXERCISE, EXERCISE.start()).failed, ())
"""


class NoExercise(UnknownName):
    """There is no exercise of that id."""

    kind = "exercise-unknown"


class Misshapen(UnknownName):
    """The module of an exercise is not written as one."""

    kind = "exercise-misshapen"


@dataclass(frozen=True)
class Answer:
    """A typical wrong answer: what it does, and its source."""

    does: str
    source: str


@dataclass(frozen=True)
class Exercise:
    """An exercise as its module says it.

    Attributes:
        path: the module's file, relative to the project.
        start: the source of the starting point, under the name that the reader is to use.
        said: what a reader is told, each text with its line in the module.
        lines: the lines of the module.
        words: what prose may quote in inline code: the words and numbers of the exercise's own code.
    """

    ident: str
    title: str
    level: str
    name: str
    module: str
    path: str
    start: str
    solution: str
    wrong: tuple[Answer, Answer]
    said: tuple[Line, ...]
    words: frozenset[str]
    lines: tuple[str, ...] = ()

    @property
    def is_value(self) -> bool:
        """Whether the answer is a value."""
        return self.level in VALUES

    @property
    def call(self) -> str:
        """What the reader writes to be graded."""
        return f'grade("{self.ident}", {"answer" if self.is_value else self.name})'

    @property
    def panel(self) -> str:
        """The id of the panel that runs it."""
        return panel_of(self.ident)


@dataclass(frozen=True)
class Trial(Panel):
    """The run of an exercise: its own solution and wrong answers, graded."""

    @property
    def subject(self) -> str:
        """How messages name the exercise."""
        return self.ident.replace("-", " ")

    def line_at(self, line: int) -> int:
        """The line of the block: the press writes the code, so every line of it is that of the block."""
        return self.line

    def fault(self, kind: str, message: str, line: int = 0, hint: str = "") -> Fault:
        """A fault of the exercise; its code is written by the press, so every line of it is that of the block."""
        return Fault(kind, self.path, self.line, self.subject, message, hint, self.ident)


def panel_of(ident: str) -> str:
    """The id of the panel that runs an exercise."""
    return f"exercise-{ident}"


def read(library: Library, ident: str) -> Exercise:
    """An exercise, by the lesson and its number, from its module's source.

    Raises:
        UnknownName: there is no such exercise, or its module is not written as one.
        SyntaxError, OSError: the module cannot be read.
    """
    if not IDENT.fullmatch(ident):
        raise NoExercise(f'{ident!r} is no exercise: write id="17.1", the lesson and a number')
    lesson, number = ident.split(".")
    folder = library.folder.joinpath(*PACKAGE.split("."))
    found = sorted(folder.glob(f"e{lesson}_{number}_*.py"))
    if len(found) != 1:
        count = len(found) or "no"
        raise NoExercise(f"{count} modules of {PACKAGE} begin with e{lesson}_{number}_, one must")
    module = library.module(f"{PACKAGE}.{found[0].stem}")
    return _read(module, ident, found[0].relative_to(library.folder.parent).as_posix())


@functools.lru_cache(maxsize=256)
def _read(module: Module, ident: str, path: str) -> Exercise:
    if module.irregular:
        raise Irregular(module.irregular)
    facts = _arguments(module, "EXERCISE", "Exercise")
    text = {key: _literal(module, facts, key) for key in ("ident", "title", "level", "name")}
    if text["level"] not in LEVELS:
        raise Misshapen(f"{path}: level must be one of {', '.join(LEVELS)}, not {text['level']!r}")
    if text["ident"] != ident:
        raise Misshapen(f"{path} says that it is exercise {text['ident']}")
    for key in ("start", "solution"):
        if not (isinstance(value := facts.get(key), ast.Name) and value.id == key):
            raise Misshapen(
                f"{path}: {key} of its Exercise must be the function {key}, which is what is shown"
            )
    wrong = facts.get("wrong")
    if not isinstance(wrong, ast.Tuple) or len(wrong.elts) != 2:
        raise Misshapen(f"{path}: wrong must be a tuple of two calls of Wrong")
    is_value = text["level"] in VALUES
    answers = [_wrong(module, node, "" if is_value else text["name"]) for node in wrong.elts]
    return Exercise(
        **text,
        module=module.name,
        path=path,
        start=source_of(module, "start", text["name"]),
        solution=source_of(module, "solution", WORKED_OUT if is_value else text["name"], after=("start",)),
        wrong=(answers[0], answers[1]),
        said=tuple(_said(module)),
        words=frozenset(_words(module)),
        lines=tuple(module.lines),
    )


def _arguments(module: Module, name: str, kind: str) -> dict[str, ast.expr]:
    statement = module.definitions.get(name)
    value = getattr(statement, "value", None)
    if not (isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id == kind):
        raise Misshapen(f"{module.path.name} defines no {name} = {kind}(…)")
    return {keyword.arg or "": keyword.value for keyword in value.keywords}


def _literal(module: Module, arguments: dict[str, ast.expr], key: str) -> str:
    value = arguments.get(key)
    if not (isinstance(value, ast.Constant) and isinstance(value.value, str)):
        raise Misshapen(f"{module.path.name}: {key} of its Exercise must be a text written there")
    return value.value


def _wrong(module: Module, node: ast.expr, name: str) -> Answer:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Wrong":
        given = dict(zip(("answer", "does", "fails"), node.args, strict=False))
        given |= {keyword.arg or "": keyword.value for keyword in node.keywords}
        answer, does = given.get("answer"), given.get("does")
        if isinstance(answer, ast.Name) and isinstance(does, ast.Constant) and isinstance(does.value, str):
            return Answer(
                does.value, source_of(module, answer.id, name or answer.id, after=("start", "solution"))
            )
    raise Misshapen(
        f'{module.path.name}: a wrong answer is Wrong(function, "what it does", "the claim that fails")'
    )


def _needed(module: Module, own: str) -> tuple[set[str], set[str]]:
    """The module's names that a definition needs, itself included, and the names that these need from elsewhere."""
    if own not in module.definitions:
        raise Misshapen(f"{module.path.name} defines no {own}")
    needed: set[str] = set()
    borrowed: set[str] = set()
    ahead = [own]
    while ahead:
        wanted = ahead.pop()
        if wanted not in needed:
            needed.add(wanted)
            used = module.used_by(wanted)
            ahead += used & module.definitions.keys()
            borrowed |= (used & module.imports.keys()) - module.definitions.keys()
    return needed, borrowed


def source_of(module: Module, own: str, name: str, after: tuple[str, ...] = ()) -> str:
    """A function or class of the module under another name, with the imports, constants and helpers that it needs.

    What the definitions ``after`` which it is shown need as well is not shown again.

    Raises:
        UnknownName: the module does not define it, or under the other name it would not be what runs.
    """
    needed, borrowed = _needed(module, own)
    if not isinstance(module.definitions[own], (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        raise Misshapen(f"{module.path.name}: {own} must be a function or a class")
    for helper in sorted(needed):
        if name in module.used_by(helper) | {helper} - {own}:
            raise Misshapen(
                f"{module.path.name}: {helper} needs another {name!r} than the reader is to write"
            )
    for other in after:
        shown, lent = _needed(module, other)
        needed -= shown - {other}
        borrowed -= lent
    order = list(module.definitions)
    text = "\n".join([*_imports(module, borrowed), ""]) if borrowed else ""
    before: type[ast.stmt] = ast.Import
    for helper in sorted(needed, key=order.index):
        node = module.definitions[helper]
        is_line = isinstance(node, (ast.Assign, ast.AnnAssign))
        lines = 0 if not text or (is_line and before is type(node)) else 1 if is_line else 2
        before = type(node)
        source = module.source_of(node, whole=helper == "start")  # its docstring says what is asked
        if helper == own or own in module.used_by(helper):
            source = _renamed(module.path.name, source, own, name)
        text += "\n" * lines + source + "\n"
    return text.rstrip("\n")


def _imports(module: Module, borrowed: set[str]) -> list[str]:
    """The imports of the borrowed names, those of one module together, as lines that a phone can show."""
    lines: dict[str, list[str]] = {}
    for used in sorted(borrowed):
        statement = module.imports[used]
        if isinstance(statement, ast.Import):
            lines[ast.unparse(statement)] = []
        else:
            lines.setdefault(f"from {statement.module} import ", []).append(ast.unparse(statement.names[0]))
    shown = []
    for head, names in sorted(lines.items(), key=lambda item: (item[0].startswith("from"), item[0])):
        line = head
        for used in names:
            longer = f"{line}, {used}" if line != head else line + used
            if len(longer) > WIDEST_IMPORT and line != head:
                shown.append(line)
                longer = head + used
            line = longer
        shown.append(line)
    return shown


def _renamed(file: str, text: str, old: str, new: str) -> str:
    """The source of a definition with each use of a name replaced; texts, comments, attributes and arguments stay.

    Raises:
        UnknownName: the name is used in a place where it cannot be replaced, or stands for something else as well.
    """
    statement = ast.parse(text).body[0]
    nodes = [node for node in ast.walk(statement) if node is not statement]
    uses = [node for node in nodes if isinstance(node, ast.Name) and node.id == old]
    quoted = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    if quoted & {*uses}:  # before Python 3.12 nobody says where in the string
        raise Misshapen(f"{file}: {old!r} stands in an f-string, where it cannot be renamed: call it before")
    if old in _bound(nodes) or (uses and new in _bound(nodes)):
        name = old if old in _bound(nodes) else new
        raise Misshapen(f"{file}: {name!r} is also the name of something else where it is used")
    lines = text.split("\n")
    places = [
        (node.lineno, len(lines[node.lineno - 1].encode()[: node.col_offset].decode())) for node in uses
    ]
    if defined := re.match(r"\s*(?:async\s+def|def|class)\s+", lines[statement.lineno - 1]):
        places.append((statement.lineno, defined.end()))
    for row, column in sorted(places, reverse=True):
        line = lines[row - 1]
        if line.startswith(old, column):
            lines[row - 1] = line[:column] + new + line[column + len(old) :]
    return "\n".join(lines)


def _bound(nodes: list[ast.AST]) -> set[str]:
    """The names that the parts of a definition bind for themselves."""
    found = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    found |= {node.arg for node in nodes if isinstance(node, ast.arg)}
    found |= {node.asname or node.name for node in nodes if isinstance(node, ast.alias)}
    return found | {node.name for node in nodes if isinstance(node, NAMING) and node.name}


def _told(module: Module) -> Iterator[ast.expr]:
    """What the module shows to a reader: the arguments that are claims, explanations and titles."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            places = SAID.get(node.func.id, ())
            yield from (node.args[place] for place in places if place < len(node.args))
            known = node.func.id in (*SAID, "Exercise")
            yield from (keyword.value for keyword in node.keywords if known and keyword.arg in TOLD)


def _typed(value: ast.expr) -> list[ast.Constant]:
    """The parts of a text that are typed as they are shown."""
    parts = value.values if isinstance(value, ast.JoinedStr) else [value]
    bare = [part.value if isinstance(part, ast.FormattedValue) else part for part in parts]
    return [part for part in bare if isinstance(part, ast.Constant)]


def _said(module: Module) -> Iterator[Line]:
    """The texts that the module shows to a reader as they are typed, with their lines.

    Raises:
        UnknownName: a text does not stand where it is told, so that what in it is typed could not be seen.
    """
    for value in _told(module):
        is_text = isinstance(value, ast.Constant) and isinstance(value.value, str)
        if not (is_text or isinstance(value, ast.JoinedStr)):
            message = "what a reader is told must be a text or an f-string that stands there"
            raise Misshapen(f"{module.path.name}, line {value.lineno}: {message}")
        yield from (Line(value.lineno, str(part.value)) for part in _typed(value))


def _words(module: Module) -> Iterator[str]:
    """The words of the texts and the numbers in the module's code; what it tells a reader is no input, nor a docstring."""
    told = {id(part) for value in _told(module) for part in _typed(value)}
    told |= {id(node.value) for node in ast.walk(module.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(module.tree):
        if not isinstance(node, ast.Constant) or isinstance(node.value, bool) or id(node) in told:
            continue
        if isinstance(node.value, str):
            yield from node.value.split()
        elif isinstance(node.value, (int, float)):
            line = module.lines[
                node.lineno - 1
            ].encode()  # ast.get_source_segment splits the whole text each time
            yield line[node.col_offset : node.end_col_offset].decode(errors="replace")
            yield repr(node.value)


@functools.lru_cache(maxsize=256)
def faults_of(exercise: Exercise) -> tuple[Fault, ...]:
    """The numbers that an exercise tells a reader and that no run computed.

    In backticks what it tells may quote its own code. Docstrings and comments may name a number that their code has, and 0 and 1.
    """
    return tuple(_find_faults_of(exercise))


def _find_faults_of(exercise: Exercise) -> Iterator[Fault]:
    hint = "write it as an f-string of computed values, or say it without the number"
    for line in exercise.said:
        quoted = " ".join(code for _, _, code in code_spans(line.text))
        typed = list(numbers.find("".join(_without_code(line.text))))
        typed += numbers.absent_from(numbers.find(quoted), *exercise.words)
        for number in typed:
            message = f"the text says {number.text!r}, typed by hand"
            yield Fault(
                "exercise-number-typed",
                exercise.path,
                line.number,
                f"exercise {exercise.ident}",
                message,
                hint,
            )
    for source in (exercise.start, exercise.solution, *(answer.source for answer in exercise.wrong)):
        for remark in _remarks(source):
            for number in numbers.absent_from(numbers.find(remark), "0 1", *exercise.words):
                message = f"a docstring or comment says {number.text!r}, which its code has not"
                place = next((row for row, text in enumerate(exercise.lines, 1) if remark in text), 1)
                yield Fault(
                    "exercise-remark-number",
                    exercise.path,
                    place,
                    f"exercise {exercise.ident}",
                    message,
                    hint,
                )


def _without_code(text: str) -> Iterator[str]:
    """The parts of a text that stand outside its inline code."""
    position = 0
    for start, end, _ in code_spans(text):
        yield text[position:start]
        position = end
    yield text[position:]


def _remarks(source: str) -> Iterator[str]:
    """The comments and docstrings of a piece of code."""
    for token in tokenize.generate_tokens(io.StringIO(source + "\n").readline):
        if token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING
            and token.line.lstrip().startswith(token.string[:3])
            and '"""' in token.string
        ):
            yield from token.string.split("\n")


@functools.lru_cache(maxsize=256)
def trial(exercise: Exercise, path: str, line: int) -> tuple[Trial, tuple[Fault, ...]]:
    """The panel that runs an exercise, for the block at a line of a page; and what is wrong with it as it is written."""
    code = CODE.format(module=exercise.module, answer=ANSWER if exercise.is_value else "")
    if exercise.level == "predict":
        code = code.replace("import trials", "import report, trials") + PREDICTED
    own = Trial(exercise.panel, exercise.title, code, path, line)
    claims, faults = inspect_code(own)
    return replace(own, claims=tuple(claims)), tuple(faults)


def problems(fence: Fence) -> Iterator[Problem]:
    """What is wrong with a block of an exercise as it is written."""
    if fence.problem:
        yield fence.problem
    elif set(fence.option) != {"id", "show"} or fence.option["show"] not in PARTS:
        yield Problem(
            "exercise-malformed",
            'an exercise is two blocks, ```exercise id="17.1" show="start" and, below its hints, show="answers"',
        )
    elif fence.option["show"] == "start" and fence.body.strip():
        yield Problem(
            "exercise-start-filled",
            "the block of a starting point is empty: its code is in the exercise's module",
        )
    elif fence.option["show"] == "answers" and not fence.body.strip():
        yield Problem(
            "exercise-answers-empty", "the block of the answers holds a text: why the solution is right"
        )


def is_at_fault(fence: Fence) -> bool:
    """Whether a block is one of an exercise, and not well written."""
    return fence.language == LANGUAGE and any(True for _ in problems(fence))


def of_page(source: Source) -> list[Fence]:
    """The blocks of exercises of a page that are well written."""
    return [fence for fence in source.fences if fence.language == LANGUAGE and not is_at_fault(fence)]


def faults_of_page(path: str, source: Source, known: dict[str, Exercise]) -> Iterator[Fault]:
    """What keeps a reader from working on the page's exercises: a wrong heading, a part that is missing, no hints."""
    blocks = of_page(source)
    starts = [fence for fence in blocks if fence.option["show"] == "start"]
    is_whole = not any(map(is_at_fault, source.fences))
    for fence in blocks:
        ident, subject = fence.option["id"], f"exercise {fence.option['id']}"
        same = [other for other in blocks if other.option == fence.option]
        if same[0] is not fence:
            message = f"its {fence.option['show']} stands twice, first at line {same[0].line}"
            yield Fault("exercise-twice", path, fence.line, subject, message)
        elif fence.option["show"] == "answers":
            before = {start.option["id"] for start in starts if start.line < fence.line}
            if is_whole and ident in known and ident not in before:
                yield Fault(
                    "exercise-answers-first",
                    path,
                    fence.line,
                    subject,
                    "its answers stand before its starting point",
                )
        elif ident in known:
            yield from _faults_of_heading(path, source, fence, known[ident])
            if is_whole:  # a block that is not well written could be the part that is missing
                yield from _faults_of_parts(path, source, fence, blocks)


def _faults_of_heading(path: str, source: Source, start: Fence, exercise: Exercise) -> Iterator[Fault]:
    shown = [line for line in without_comments(source.prose) if line.number < start.line]
    headings = [line.text for line in shown if HEADING.match(line.text)]
    wanted = f"## Exercise {exercise.ident}: {exercise.title}"
    if not headings or headings[-1].rstrip() != wanted:
        message = f"the heading above must be {wanted!r}"
        yield Fault("exercise-heading", path, start.line, f"exercise {exercise.ident}", message)


def _faults_of_parts(path: str, source: Source, start: Fence, blocks: list[Fence]) -> Iterator[Fault]:
    """What is missing between the starting point of an exercise and its answers."""
    subject, own = f"exercise {start.option['id']}", start.option | {"show": "answers"}
    answers = [fence.line for fence in blocks if fence.option == own]
    if not answers:
        hint = 'add ```exercise id="…" show="answers"'
        yield Fault("exercise-answers-missing", path, start.line, subject, "its answers are missing", hint)
    elif answers[0] > start.line and not any(
        start.line < line < answers[0] for line in _hints(without_comments(source.prose))
    ):
        hint = 'between its blocks, write ??? tip "A hint" and below it an indented text'
        yield Fault("exercise-hint-missing", path, start.line, subject, "it has no hint that unfolds", hint)


def _hints(lines: list[Line]) -> Iterator[int]:
    """Where the hints that unfold begin, those that hold a text."""
    for number, line in enumerate(lines):
        below = [later.text for later in lines[number + 1 :] if later.text.strip()]
        if HINT.match(line.text) and below and below[0].startswith("    "):
            yield line.number
