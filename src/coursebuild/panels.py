"""A panel as its author wrote it, and what can be said of it before it runs."""

import ast
import builtins
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

from coursebuild import numbers
from coursebuild.faults import Fault
from coursebuild.source import Fence

IDENTIFIER = re.compile(r"^(?:\d+|[a-z][a-z0-9-]*)\.\d+$")
REQUIRED = {"exec", "id", "title"}
ALLOWED = REQUIRED | {"session"}
CHECKS = "nextword.checks"


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
        return None, [refuse(fence.problem, f"a panel opens with {form}")]
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
    if option.get("exec") != "on":
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
    faults = [*_imports(panel, tree), *_typed_output(panel, tree)]
    names = _bindings([*behind, tree])
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
        claims.append(Claim(node.lineno, literal or ""))
        if reason := cannot_fail(arguments["got"], arguments["expected"], names):
            faults.append(panel.fault(f"a check that cannot fail: {reason}", node.lineno))
    if not claims:
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


def _typed_output(panel: Panel, tree: ast.Module) -> Iterator[Fault]:
    """Numbers that a print statement has in its own text: a reader would take them for computed."""
    quotable = inputs([panel])
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"):
            continue
        for argument in node.args:
            parts = argument.values if isinstance(argument, ast.JoinedStr) else [argument]
            texts = [
                part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)
            ]
            for number in numbers.absent_from(numbers.find(" ".join(texts)), *quotable):
                hint = 'print the value itself, as in print(f"{count} merges")'
                yield panel.fault(
                    f"the printed text says {number.text!r}, typed by hand", argument.lineno, hint
                )


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


def _bindings(trees: list[ast.Module]) -> dict[str, ast.expr | None]:
    """The names that the code binds: to one expression, or None where it is not known to be one."""
    names: dict[str, ast.expr | None] = {}
    for tree in trees:
        simple = {name: value for node in tree.body for name, value in _assigned(node)}
        stores: list[str] = [
            node.id
            for node in ast.walk(tree)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        for name in stores:
            once = stores.count(name) == 1 and name not in names and name in simple
            names[name] = simple[name] if once and not _may_change(name, simple[name], tree) else None
    return names


def _assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement binds, each with the one expression that it binds it to."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AnnAssign)
        else []
    )
    value = node.value if isinstance(node, (ast.Assign, ast.AnnAssign)) else None
    for target in targets:
        if isinstance(target, ast.Name) and value is not None:
            yield target.id, value
        elif (
            isinstance(target, ast.Tuple)
            and isinstance(value, ast.Tuple)
            and len(target.elts) == len(value.elts)
        ):
            yield from (
                (one.id, part)
                for one, part in zip(target.elts, value.elts, strict=True)
                if isinstance(one, ast.Name)
            )


def _may_change(name: str, value: ast.expr, tree: ast.Module) -> bool:
    """Whether a list, dict or set may be filled after it was bound: a method is called on it, an item set, or it is passed on."""
    if not isinstance(value, (ast.List, ast.Dict, ast.Set)):
        return False
    for node in ast.walk(tree):
        used: list[ast.expr] = []
        if isinstance(node, ast.Attribute) or (
            isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load)
        ):
            used = [node.value]
        elif isinstance(node, ast.Call) and not (isinstance(node.func, ast.Name) and node.func.id == "check"):
            used = node.args
        if any(isinstance(part, ast.Name) and part.id == name for part in used):
            return True
    return False


def cannot_fail(got: ast.expr, expected: ast.expr, names: dict[str, ast.expr | None]) -> str:
    """Why a check of these two expressions holds whatever the code computes, or nothing."""
    if is_constant(got, names):
        return f"{ast.unparse(got)} is computed from literals alone, so no run can change it"
    if _resolved(got, names) == _resolved(expected, names):
        return f"{ast.unparse(got)} and {ast.unparse(expected)} are the same expression"
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

    class Resolve(ast.NodeTransformer):
        depth = 0

        def visit_Name(self, name: ast.Name) -> ast.AST:
            value = names.get(name.id)
            if value is None or self.depth > 10 or _calls(value):
                return name
            self.depth += 1
            found: ast.AST = self.visit(ast.parse(ast.unparse(value), mode="eval").body)
            self.depth -= 1
            return found

    resolved: ast.expr = Resolve().visit(ast.parse(ast.unparse(node), mode="eval").body)
    return resolved


def inputs(panels: list[Panel]) -> set[str]:
    """The words inside the string literals of the panels' code: what prose may quote as the panels' own input.

    What a panel says (its claims, and what it prints) is no input.
    """
    words: set[str] = set()
    for panel in panels:
        try:
            tree = ast.parse(panel.code)
        except SyntaxError:
            continue
        for node in _silent(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                words.update(node.value.split())
    return words


def _silent(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of the code that say nothing to the reader."""
    says = (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id in {"check", "figure", "print"}
    )
    if not says:
        yield node
        for child in ast.iter_child_nodes(node):
            yield from _silent(child)
