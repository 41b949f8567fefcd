"""A panel as its author wrote it, and what can be said of it before it runs."""

import ast
import builtins
import functools
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

from coursebuild import numbers
from coursebuild.faults import Fault
from coursebuild.source import Fence

IDENTIFIER = re.compile(r"^(?:\d+|[a-z][a-z0-9-]*)\.\d+$")
REQUIRED = {"exec", "id", "title"}
ALLOWED = REQUIRED | {"session"}
CHECKS = "nextword.checks"
SAYING = {"check", "figure", "print"}
PRINTING = {"print", "sys.stdout.write", "stdout.write", "sys.stdout.writelines", "pprint", "pprint.pprint"}
HIDING = {
    "simplefilter",
    "filterwarnings",
    "catch_warnings",
    "resetwarnings",
    "suppress_warnings",
    "seterr",
    "seterrcall",
    "errstate",
    "redirect_stderr",
    "redirect_stdout",
    "dup2",
}
DIRECTIVE = re.compile(r"%[-#0+ ]*\d*(?:\.\d+)?[a-zA-Z%]|\{[^{}]*\}")
"""A place that ``%`` or ``format`` fills: its width is not shown."""
FILLABLE = (ast.List, ast.Dict, ast.Set)
CONVERSIONS = {"int", "float", "str", "list", "tuple", "dict", "set", "copy", "deepcopy"}


@dataclass(frozen=True)
class Claim:
    """A call of ``check`` in a panel's code: its line there, and the literal part of its sentence."""

    line: int
    literal: str


@dataclass(frozen=True)
class Panel:
    """A panel: its code, and where it stands.

    Attributes:
        ident: unique on the whole site, for example ``17.1``.
        path: the page's file, relative to the project.
        line: the line of the opening fence, so that line 1 of the code is line ``line + 1`` of the page.
        before: the code of the earlier panels that this one continues.
    """

    ident: str
    title: str
    code: str
    path: str
    line: int
    before: tuple["Panel", ...] = ()
    claims: tuple[Claim, ...] = field(default=(), compare=False)

    @property
    def subject(self) -> str:
        """How messages name the panel."""
        return f"panel {self.ident}"

    def fault(self, message: str, line: int = 0, hint: str = "") -> Fault:
        """A fault of this panel, at a line of its code (0: the opening fence)."""
        return Fault(self.path, self.line + line, self.subject, message, hint, self.ident)

    @property
    def parts(self) -> tuple[str, str]:
        """The code up to the first check, and the rest: what the reader follows, and what proves it."""
        first = min((claim.line for claim in self.claims), default=0)
        lines = self.code.split("\n")
        cut = first - 1 if first else len(lines)
        return "\n".join(lines[:cut]).strip("\n"), "\n".join(lines[cut:]).strip("\n")

    @property
    def program(self) -> tuple["Panel", ...]:
        """The panels to run, in order, to run this one."""
        return (*self.before, self)


def is_python(fence: Fence) -> bool:
    """Whether a reader would take the block for Python."""
    return fence.language.lower() in {
        "python",
        "py",
        "python3",
        "py3",
        "pycon",
        "ipython",
        "pyodide",
        "doctest",
    }


def from_fence(path: str, fence: Fence, earlier: dict[str, Panel]) -> tuple[Panel | None, list[Fault]]:
    """The panel that a fence holds, with what is wrong about it. ``earlier`` are the page's panels so far."""
    option = fence.option
    ident = option.get("id", "")
    subject = f"panel {ident}" if ident else f"{fence.language or 'code'} block"

    def refuse(message: str, hint: str = "") -> Fault:
        return Fault(path, fence.line, subject, message, hint, ident)

    form = '```python exec="on" id="17.1" title="What it shows"'
    if fence.problem:
        meant = re.search(r'\bid=["\']?([\w.-]+)', fence.problem)  # prose that quotes it is no second mistake
        fault = refuse(fence.problem, f"a panel opens with {form}")
        return None, [replace(fault, anchor=ident or (meant[1] if meant else ""))]
    if not is_python(fence):
        if {"exec", "session", "id"} & set(option):
            return None, [
                refuse("only Python is run, so exec, id and session belong to a python block", form)
            ]
        return None, []
    faults = []
    if unknown := sorted(set(option) - ALLOWED):
        faults.append(refuse(f"unknown option {unknown[0]!r}", f"a panel takes {', '.join(sorted(ALLOWED))}"))
    if fence.language != "python":
        faults.append(refuse(f"a block in {fence.language!r} never runs", f"a panel opens with {form}"))
    if option.get("exec") != "on" and ("exec" in option or not unknown):
        came = f"exec={option['exec']!r}" if "exec" in option else "no exec"
        faults.append(
            refuse(f'this block never runs: {came}, expected exec="on"', "every Python block is run")
        )
    if not IDENTIFIER.match(ident):
        faults.append(
            refuse(f"id {ident!r} is no panel's id", 'write id="17.1", or id="softmax.1" on other pages')
        )
    if not option.get("title", "").strip():
        faults.append(refuse("a panel needs a title that says what it shows"))
    before: tuple[Panel, ...] = ()
    if "session" in option and option["session"] != ident:
        first = earlier.get(option["session"])
        if first is None:
            faults.append(refuse(f"session {option['session']!r} is no earlier panel of this page"))
        else:
            before = first.program
    if faults:
        return None, faults
    panel = Panel(ident, option["title"], fence.body, path, fence.line, before)
    claims, faults = inspect_code(panel)
    return Panel(ident, option["title"], fence.body, path, fence.line, before, tuple(claims)), faults


def inspect_code(panel: Panel) -> tuple[list[Claim], list[Fault]]:
    """The claims of a panel's code, and what in it could let a false page through."""
    try:
        tree = ast.parse(panel.code)
        behind = [ast.parse(earlier.code) for earlier in panel.before]
    except SyntaxError as error:
        return [], [panel.fault(f"SyntaxError: {error.msg}", error.lineno or 0)]
    faults = [*_imports(panel, tree), *_hiding(panel, tree), *_figures(panel, tree)]
    for number, text in enumerate(panel.code.split("\n"), 1):
        if name := numbers.invisible(text):
            hint = "write it as an escape, such as \\u200b"
            faults.append(panel.fault(f"an invisible character in the code: {name}", number, hint))
    reaching, final = _reaching([*behind, tree])
    faults += _typed_output(panel, tree, final)
    claims: list[Claim] = []
    top = {id(node.value) for node in tree.body if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"):
            continue
        if id(node) not in top:
            faults.append(
                panel.fault("a check that may never be reached", node.lineno, "call check at the top level")
            )
            continue
        names = reaching[id(node)]
        arguments = dict(zip(("claim", "got", "expected"), node.args, strict=False))
        arguments |= {keyword.arg or "": keyword.value for keyword in node.keywords}
        if set(arguments) != {"claim", "got", "expected"} or len(node.args) + len(node.keywords) != 3:
            faults.append(panel.fault("check takes a claim, a got and an expected value", node.lineno))
            continue
        used = {
            part.id
            for key in ("got", "expected")
            for part in ast.walk(arguments[key])
            if isinstance(part, ast.Name)
        }
        literal = _literal_text(arguments["claim"], names, used)
        if literal is None:
            faults.append(
                panel.fault("a claim is a string or an f-string, written in the call of check", node.lineno)
            )
        elif len(literal.splitlines()) > 1:
            faults.append(panel.fault("a claim is one line", node.lineno))
        claims.append(Claim(node.lineno, literal or ""))
        if reason := cannot_fail(arguments["got"], arguments["expected"], names):
            faults.append(panel.fault(f"a check that cannot fail: {reason}", node.lineno))
    if not claims and not any(fault.message.startswith("a check") for fault in faults):
        faults.append(
            panel.fault(
                "a panel with no check: it claims nothing", 0, 'end it with check("…", got, expected)'
            )
        )
    return claims, faults


def _imports(panel: Panel, tree: ast.Module) -> Iterator[Fault]:
    hint = "write from nextword.module import name, …"
    for earlier, later in pairwise(tree.body):
        if later.lineno == earlier.end_lineno and any(
            isinstance(one, ast.ImportFrom) for one in (earlier, later)
        ):
            yield panel.fault(
                "an import shares its line with other code", later.lineno, "put it on a line of its own"
            )
    for node in ast.walk(tree):
        modules = []
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
            if any(module.split(".")[0] == "nextword" for module in modules):
                yield panel.fault(
                    "nextword is imported as a whole, so its source cannot be shown", node.lineno, hint
                )
        elif isinstance(node, ast.ImportFrom):
            modules = [node.module or ""]
            if modules[0].split(".")[0] == "nextword":
                if node not in tree.body:
                    yield panel.fault(
                        "nextword is imported inside a block", node.lineno, "import it at the top level"
                    )
                if any(name.asname or name.name == "*" for name in node.names):
                    yield panel.fault("nextword is imported under another name", node.lineno, hint)
                if modules[0] == "nextword":
                    yield panel.fault("the package itself has no names", node.lineno, hint)
        if any(module.split(".")[0] == "coursebuild" for module in modules):
            yield panel.fault("a panel knows nothing of coursebuild", getattr(node, "lineno", 0))
    statements = [node for node in ast.walk(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    rebound = _rebound(tree)
    for name in ("check", "close", "figure"):
        homes = [getattr(node, "module", None) for node in statements if _imports_name(node, name)]
        if any(home != CHECKS for home in homes) or name in rebound:
            yield panel.fault(
                f"{name} is bound anew, so its claims would not be seen", 0, f"import it from {CHECKS}"
            )


def _typed_output(panel: Panel, tree: ast.Module, names: dict[str, ast.expr | None]) -> Iterator[Fault]:
    """Numbers that a print statement has in its own text: a reader would take them for computed.

    A name counts as its text where it is bound to a literal that the panel does nothing with but print it.
    """
    quotable = inputs([panel])
    said = _only_said(tree)
    known = {name: value for name, value in names.items() if name in said and value is not None}
    for node in ast.walk(tree):
        for shown in _shown_by(node):
            for number in numbers.absent_from(numbers.find(_shown_text(shown, known)), *quotable):
                hint = 'print the value itself, as in print(f"{count} merges")'
                yield panel.fault(f"the printed text says {number.text!r}, typed by hand", shown.lineno, hint)


def _shown_by(node: ast.AST) -> list[ast.expr]:
    """The expressions that a call of print or write puts into the output."""
    if not isinstance(node, ast.Call):
        return []
    function = ast.unparse(node.func)
    between = [keyword.value for keyword in node.keywords if keyword.arg in ("sep", "end")]
    return [*node.args, *between] if function in PRINTING else []


def _shown_parts(node: ast.expr) -> Iterator[ast.expr]:
    """The literals and names that are shown as they are; None of what is computed with (widths, positions, operands)."""
    if isinstance(node, (ast.Constant, ast.Name)):
        yield node
    elif isinstance(node, ast.UnaryOp) and isinstance(node.operand, ast.Constant):
        yield node.operand
    elif isinstance(node, (ast.Starred, ast.FormattedValue)):
        yield from _shown_parts(node.value)
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for part in node.elts:
            yield from _shown_parts(part)
    elif isinstance(node, ast.Dict):
        for part in (*(key for key in node.keys if key), *node.values):
            yield from _shown_parts(part)
    elif isinstance(node, ast.JoinedStr):
        for part in node.values:
            yield from _shown_parts(part)
    elif isinstance(node, ast.IfExp):
        yield from (*_shown_parts(node.body), *_shown_parts(node.orelse))
    elif isinstance(node, ast.BoolOp):
        for part in node.values:
            yield from _shown_parts(part)
    elif isinstance(node, ast.BinOp) and _is_text(node):
        repeated = isinstance(node.op, ast.Mult)
        for part in (node.left, node.right):
            if not repeated or _is_text(part):
                yield from _shown_parts(part)
    elif isinstance(node, ast.Call) and (
        (
            isinstance(node.func, ast.Attribute)
            and node.func.attr in ("format", "join")
            and _is_text(node.func.value)
        )
        or (isinstance(node.func, ast.Name) and node.func.id in ("str", "repr", "int", "float"))
    ):
        inner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
        for part in (*inner, *node.args, *(keyword.value for keyword in node.keywords)):
            yield from _shown_parts(part)


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or (_is_text(node.right) and not isinstance(node.op, ast.Mod))
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _shown_text(node: ast.expr, names: Mapping[str, ast.expr]) -> str:
    """What is shown as it is typed, the parts of a joined string together, everything else apart."""
    texts = []
    for part in _shown_parts(node):
        value = names.get(part.id, part) if isinstance(part, ast.Name) else part
        if isinstance(value, ast.Constant) and isinstance(value.value, (str, int, float)):
            texts.append(DIRECTIVE.sub("\0", str(value.value)))
        elif value is not part:
            texts.append(f"\0{_shown_text(value, {})}\0")
        else:
            texts.append("\0")
        if not isinstance(node, (ast.JoinedStr, ast.BinOp)):
            texts.append("\0")
    return "".join(texts)


def _only_said(tree: ast.AST) -> set[str]:
    """The names whose value the code does nothing with but print it as it is."""
    loads = Counter(
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    said = Counter(
        part.id
        for node in ast.walk(tree)
        for shown in _shown_by(node)
        for part in _shown_parts(shown)
        if isinstance(part, ast.Name)
    )
    return {name for name, count in said.items() if count == loads[name]}


def _hiding(panel: Panel, tree: ast.Module) -> Iterator[Fault]:
    """What would keep a warning or an error message from being seen."""
    for node in ast.walk(tree):
        name = getattr(node, "attr", None) or getattr(node, "id", None)
        if isinstance(node, ast.alias):
            name = node.name
        stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        if name in HIDING or (
            stored and name in ("stderr", "stdout", "excepthook", "unraisablehook", "showwarning", "warn")
        ):
            hint = "compute so that none is given, or say in the text why one is"
            yield panel.fault(f"a panel may not hide warnings or output: {name}", node.lineno, hint)  # type: ignore[attr-defined]


def _figures(panel: Panel, tree: ast.Module) -> Iterator[Fault]:
    """Figures that are typed, not computed."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "figure":
            values = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "value")]
            if values and is_constant(values[0], {}):
                hint = "name a value that the panel computes, or a name that it works with"
                yield panel.fault(f"the figure {ast.unparse(values[0])} is typed by hand", node.lineno, hint)


def _imports_name(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    return any((alias.asname or alias.name) == name for alias in node.names)


def _rebound(tree: ast.AST) -> set[str]:
    stored: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            stored.add(node.id)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            stored.add(node.name)
    return stored


def _literal_text(claim: ast.expr, names: dict[str, ast.expr | None], used: set[str]) -> str | None:
    """The part of a claim's sentence that is typed, not computed; values become a space. None for any other expression.

    A constant in an f-string is typed as well, but for a name that the checked values use (``used``).
    """
    if isinstance(claim, ast.Constant):
        return str(claim.value)
    if isinstance(claim, ast.JoinedStr):
        return "".join(map(str, (_literal_text(part, names, used) for part in claim.values)))
    if isinstance(claim, ast.FormattedValue):
        value = claim.value
        if is_constant(value, names) and not (isinstance(value, ast.Name) and value.id in used):
            bound = names.get(value.id) if isinstance(value, ast.Name) else value
            return f" {ast.unparse(bound or value)} "
        return " "
    if isinstance(claim, ast.BinOp) and isinstance(claim.op, ast.Add):
        left, right = _literal_text(claim.left, names, used), _literal_text(claim.right, names, used)
        return None if left is None or right is None else left + right
    return None


class _Names:
    """The names that a program has bound, statement by statement: each to one expression, or to None where it is not known.

    An expression keeps the meaning that it had when it was bound: a name in it that is bound anew later gets another name.
    """

    def __init__(self, trees: list[ast.Module]) -> None:
        self.bound: dict[str, ast.expr | None] = {}
        self.filled: set[str] = set()
        inside = [
            part
            for tree in trees
            for node in ast.walk(tree)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            for part in ast.walk(node)
        ]
        self.filled_inside = _filled_by(inside)
        self.shared = {name for node in inside if isinstance(node, ast.Global) for name in node.names}

    def take(self, statement: ast.stmt) -> None:
        """Bind what a statement binds."""
        simple = dict(_assigned(statement))
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            old = ast.Name(statement.target.id, ast.Load())
            simple = {statement.target.id: ast.BinOp(old, statement.op, statement.value)}
        self.filled |= _filled_by(ast.walk(statement))
        for name in _changed_by(statement):
            self._age(name, keep_aliases=True)
        stored = list(_stores(statement))
        values = {name: _copy(value) for name, value in simple.items() if stored.count(name) == 1}
        for name in dict.fromkeys(stored):
            old_name = self._age(name)
            for value in values.values():
                _rename(value, name, old_name)
        for name in stored:
            self.bound[name] = None if name in self.shared else values.get(name)
            self.filled.discard(name)

    def _age(self, name: str, keep_aliases: bool = False) -> str:
        old = f"{name}_before"
        while old in self.bound:
            old += "_"
        users = [
            value
            for value in self.bound.values()
            if value is not None and not (keep_aliases and isinstance(value, ast.Name))
        ]
        for value in users:
            _rename(value, name, old)
        if not keep_aliases:
            self.bound[old] = self.bound.get(name)
            self.filled |= {old} if name in self.filled else set()
        return old

    def known(self) -> dict[str, ast.expr | None]:
        """What each name stands for here: nothing where it is a list, dict or set that may have been filled."""
        filled = self.filled | self.filled_inside
        lists = {name: value for name, value in self.bound.items() if isinstance(value, FILLABLE)}
        for name, value in self.bound.items():
            if isinstance(value, ast.Name) and name in filled:
                filled.add(value.id)
        written = {ast.dump(value) for name, value in lists.items() if name in filled}
        unknown = {name for name, value in lists.items() if name in filled or ast.dump(value) in written}
        return self.bound | dict.fromkeys(unknown)


def _reaching(
    trees: list[ast.Module],
) -> tuple[dict[int, dict[str, ast.expr | None]], dict[str, ast.expr | None]]:
    """What the names mean at each top-level call (by ``id``) of the last tree, and what they mean at its end.

    A name that is bound only later means what it is bound to then.
    """
    walk = _Names(trees)
    reaching = {}
    last = {id(statement) for statement in trees[-1].body}
    for statement in (statement for tree in trees for statement in tree.body):
        if (
            id(statement) in last
            and isinstance(statement, ast.Expr)
            and isinstance(statement.value, ast.Call)
        ):
            reaching[id(statement.value)] = walk.known()
        walk.take(statement)
    final = walk.known()
    return {key: {**final, **names} for key, names in reaching.items()}, final


def _copy(node: ast.expr) -> ast.expr:
    return ast.parse(ast.unparse(node), mode="eval").body


def _rename(value: ast.expr, name: str, new: str) -> None:
    for node in ast.walk(value):
        if isinstance(node, ast.Name) and node.id == name:
            node.id = new


def _stores(node: ast.AST) -> Iterator[str]:
    """The names that a statement binds in its own scope, once for each place."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    if isinstance(node, ast.alias):
        yield node.asname or node.name.split(".")[0]
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    if isinstance(node, ast.MatchMapping) and node.rest:
        yield node.rest
    own = set()
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
        own = {id(generator) for generator in node.generators}
    for child in ast.iter_child_nodes(node):
        if id(child) in own and isinstance(child, ast.comprehension):
            for part in (child.iter, *child.ifs):
                yield from _stores(part)
        else:
            yield from _stores(child)


def _changed_by(statement: ast.stmt) -> set[str]:
    """The names whose value a statement may change in place: an item or attribute set, or a call for its effect alone."""
    changed: set[str] = set()
    for node in ast.walk(statement):
        if isinstance(node, (ast.Subscript, ast.Attribute)) and not isinstance(node.ctx, ast.Load):
            changed |= {part.id for part in ast.walk(node.value) if isinstance(part, ast.Name)}
        elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            call = node.value
            if not (isinstance(call.func, ast.Name) and call.func.id in SAYING):
                changed |= {part.id for part in ast.walk(call) if isinstance(part, ast.Name)}
    return changed


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement binds, each with the one expression that it binds it to."""
    targets: list[ast.expr] = (
        [*node.targets]
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.NamedExpr):
        targets, value = [node.value.target], node.value.value
    if (
        isinstance(node, ast.For)
        and isinstance(node.iter, (ast.List, ast.Tuple))
        and node.iter.elts
        and not any(isinstance(part, ast.Break) for part in ast.walk(node))
    ):
        targets, value = [node.target], node.iter.elts[-1]  # what it is after the loop
    for target in targets:
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, value
        elif (
            isinstance(target, (ast.Tuple, ast.List))
            and isinstance(value, (ast.Tuple, ast.List))
            and len(target.elts) == len(value.elts)
        ):
            yield from (
                (one.id, part)
                for one, part in zip(target.elts, value.elts, strict=True)
                if isinstance(one, ast.Name)
            )


def _filled_by(nodes: Iterable[ast.AST]) -> set[str]:
    """The names whose list, dict or set code may fill: a method is called on it, an item set, or it is passed on."""
    filled: set[str] = set()
    for node in nodes:
        used: list[ast.expr] = []
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
        ):
            used = [node.value]
        elif isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id == "check"):
            used = node.args
        filled |= {part.id for part in used if isinstance(part, ast.Name)}
    return filled


def cannot_fail(got: ast.expr, expected: ast.expr, names: dict[str, ast.expr | None]) -> str:
    """Why a check of these two expressions holds whatever the code computes, or nothing."""
    if is_constant(got, names):
        return f"{ast.unparse(got)} is computed from literals alone, so no run can change it"
    if _resolved(got, names) == _resolved(expected, names):
        return f"{ast.unparse(got)} and {ast.unparse(expected)} are the same expression"
    if any(isinstance(side, ast.Name) for side in (got, expected)) and _core(got, names) == _core(
        expected, names
    ):
        return f"{ast.unparse(got)} and {ast.unparse(expected)} are one value, converted or copied"
    for node in ast.walk(_resolve(got, names)):
        sides: list[ast.expr] = []
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "close":
            sides = node.args[:2]
        if any(_resolved(a, names) == _resolved(b, names) for a, b in pairwise(sides)):
            return f"{ast.unparse(node)} compares a thing with itself"
        if isinstance(node, ast.BoolOp) and any(is_constant(value, names) for value in node.values):
            return f"{ast.unparse(node)} has a constant side"
        if isinstance(node, ast.IfExp) and is_constant(node.test, names):
            return f"{ast.unparse(node)} has a constant condition"
    return ""


def _core(node: ast.expr, names: dict[str, ast.expr | None], depth: int = 20) -> str:
    """The expression without conversions and copies around it, followed through the names that stand for one."""
    inner: ast.expr | None = None
    if isinstance(node, ast.Name):
        value = names.get(node.id)
        inner = value if isinstance(value, ast.Name) or (value is not None and _within(value)) else None
    else:
        inner = _within(node)
    return ast.dump(node) if inner is None or depth == 0 else _core(inner, names, depth - 1)


def _within(node: ast.expr) -> ast.expr | None:
    """What a conversion or a copy is made of: ``x`` in ``int(x)``, ``x.copy()``, ``x[:]`` and ``[*x]``."""
    if isinstance(node, ast.Subscript) and ast.unparse(node.slice) == ":":
        return node.value
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)) and len(node.elts) == 1:
        return node.elts[0].value if isinstance(node.elts[0], ast.Starred) else None
    if isinstance(node, ast.Dict) and node.keys == [None]:
        return node.values[0]
    if isinstance(node, ast.JoinedStr) and len(node.values) == 1:
        only = node.values[0]
        return only.value if isinstance(only, ast.FormattedValue) and only.format_spec is None else None
    if not isinstance(node, ast.Call) or node.keywords:
        return None
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if len(node.args) == 1:
        own = isinstance(node.func, ast.Name) or ast.unparse(node.func) in {"copy.copy", "copy.deepcopy"}
        return node.args[0] if own and name in CONVERSIONS else None
    return (
        node.func.value if isinstance(node.func, ast.Attribute) and name == "copy" and not node.args else None
    )


def is_constant(node: ast.expr, names: dict[str, ast.expr | None], depth: int = 20) -> bool:
    """Whether an expression has the same value whatever the panel computes."""
    if depth == 0:
        return False

    def constant(child: ast.expr) -> bool:
        return is_constant(child, names, depth - 1)

    if isinstance(node, ast.Name):
        value = names.get(node.id)
        return value is not None and not _calls(value) and constant(value)
    if isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)):
        parts = [child for child in ast.walk(node) if isinstance(child, ast.Name)]
        own = {part.id for part in parts if isinstance(part.ctx, ast.Store)} | {
            one.arg for one in ast.walk(node) if isinstance(one, ast.arg)
        }
        return all(part.id in own or (hasattr(builtins, part.id) and part.id not in names) for part in parts)
    if isinstance(node, ast.Call):
        known = isinstance(node.func, ast.Name) and hasattr(builtins, node.func.id)
        method = isinstance(node.func, ast.Attribute) and _is_literal(node.func.value)
        arguments = [*node.args, *(keyword.value for keyword in node.keywords)]
        return (known or method) and all(map(_is_literal, arguments))
    children = [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr)]
    if isinstance(node, (ast.Attribute, ast.Subscript)) and not _is_literal(node):
        return False
    return (
        all(map(constant, children))
        if children
        else isinstance(node, (ast.Constant, ast.List, ast.Dict, ast.Tuple))
    )


def _calls(node: ast.AST) -> bool:
    return any(isinstance(part, ast.Call) for part in ast.walk(node))


def _is_literal(node: ast.expr) -> bool:
    return not any(isinstance(child, (ast.Name, ast.Call)) for child in ast.walk(node))


def _resolved(node: ast.expr, names: dict[str, ast.expr | None]) -> str:
    return ast.dump(_resolve(node, names))


def _resolve(node: ast.expr, names: dict[str, ast.expr | None]) -> ast.expr:
    """The expression with each name that is bound once, to something that calls nothing, replaced by that."""
    parsed = _copy(node)
    own = {
        part.id if isinstance(part, ast.Name) else part.arg
        for part in ast.walk(parsed)
        if isinstance(part, ast.arg) or (isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store))
    }

    class Resolve(ast.NodeTransformer):
        depth = 0

        def visit_Name(self, name: ast.Name) -> ast.AST:
            value = names.get(name.id)
            if value is None or name.id in own or self.depth > 10 or _calls(value):
                return name
            self.depth += 1
            found: ast.AST = self.visit(_copy(value))
            self.depth -= 1
            return found

    resolved: ast.expr = Resolve().visit(parsed)
    return resolved


def inputs(panels: list[Panel]) -> set[str]:
    """The words inside the string literals of the panels' code: what prose may quote as the panels' own input.

    What a panel says (its claims, and what it prints) is no input.
    """
    return set().union(*(_input_of(panel.code) for panel in panels))


@functools.lru_cache(maxsize=1024)
def _input_of(code: str) -> frozenset[str]:
    try:
        tree = ast.parse(code)
    except SyntaxError:
        return frozenset()
    said = _only_said(tree)
    printed = {
        id(part)
        for statement in tree.body
        for name, value in _assigned(statement)
        if name in said
        for part in ast.walk(value)
    }
    return frozenset(
        word
        for node in _silent(tree)
        if id(node) not in printed and isinstance(node, ast.Constant) and isinstance(node.value, str)
        for word in node.value.split()
    )


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of the code that say nothing to the reader."""
    says = isinstance(node, ast.Call) and ast.unparse(node.func) in SAYING | PRINTING
    if not says:
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _silent(child)
