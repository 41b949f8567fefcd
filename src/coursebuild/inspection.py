"""What can be said of a panel's code before it runs: its claims, and what in it could let a false page through."""

import ast
import functools
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import pairwise

from coursebuild import numbers
from coursebuild.bindings import SAYING, assigned, bindings_reaching, cannot_fail, is_constant
from coursebuild.faults import Fault
from coursebuild.panels import Claim, Panel

CHECKS = "nextword.checks"
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
NAMING = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.ClassDef,
    ast.ExceptHandler,
    ast.MatchAs,
    ast.MatchStar,
)
"""What binds a name that is no node of its own."""


@functools.lru_cache(maxsize=256)
def parsed(code: str) -> ast.Module:
    """The syntax tree of a panel's code, shared by all that look at it and change nothing in it.

    Raises:
        SyntaxError: the code is no Python.
    """
    return ast.parse(code)


@functools.lru_cache(maxsize=256)
def nodes_of(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a tree."""
    return tuple(ast.walk(tree))


@functools.lru_cache(maxsize=512)
def inspect_code(panel: Panel) -> tuple[list[Claim], list[Fault]]:
    """The claims of a panel's code, and what in it could let a false page through."""
    try:
        tree = parsed(panel.code)
        behind = [parsed(earlier.code) for earlier in panel.before]
    except SyntaxError as error:
        return [], [panel.fault("panel-syntax", f"SyntaxError: {error.msg}", error.lineno or 0)]
    faults = [*_imports(panel, tree), *_hiding(panel, tree), *_figures(panel, tree)]
    for number, text in enumerate(panel.code.split("\n"), 1):
        if name := numbers.invisible(text):
            hint = "write it as an escape, such as \\u200b"
            faults.append(
                panel.fault(
                    "character-invisible", f"an invisible character in the code: {name}", number, hint
                )
            )
    reaching, final = bindings_reaching([*behind, tree])
    faults += _typed_output(panel, tree, final)
    claims: list[Claim] = []
    top = {id(node.value) for node in tree.body if isinstance(node, ast.Expr)}
    for node in nodes_of(tree):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "check"):
            continue
        if id(node) not in top:
            faults.append(
                panel.fault(
                    "check-not-at-top",
                    "a check that may never be reached",
                    node.lineno,
                    "call check at the top level",
                )
            )
            continue
        names = reaching[id(node)]
        arguments = dict(zip(("claim", "got", "expected"), node.args, strict=False))
        arguments |= {keyword.arg or "": keyword.value for keyword in node.keywords}
        if set(arguments) != {"claim", "got", "expected"} or len(node.args) + len(node.keywords) != 3:
            faults.append(
                panel.fault(
                    "check-arguments", "check takes a claim, a got and an expected value", node.lineno
                )
            )
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
                panel.fault(
                    "claim-not-literal",
                    "a claim is a string or an f-string, written in the call of check",
                    node.lineno,
                )
            )
        elif len(literal.splitlines()) > 1:
            faults.append(panel.fault("claim-of-lines", "a claim is one line", node.lineno))
        claims.append(Claim(node.lineno, literal or ""))
        if reason := cannot_fail(arguments["got"], arguments["expected"], names):
            faults.append(
                panel.fault("check-cannot-fail", f"a check that cannot fail: {reason}", node.lineno)
            )
    if not claims and not any(fault.kind.startswith("check-") for fault in faults):
        faults.append(
            panel.fault(
                "check-missing",
                "a panel with no check: it claims nothing",
                0,
                'end it with check("…", got, expected)',
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
                "import-shares-line",
                "an import shares its line with other code",
                later.lineno,
                "put it on a line of its own",
            )
    statements = [node for node in nodes_of(tree) if isinstance(node, (ast.Import, ast.ImportFrom))]
    for node in statements:
        if isinstance(node, ast.Import):
            modules = [name.name for name in node.names]
            if any(module.split(".")[0] == "nextword" for module in modules):
                yield panel.fault(
                    "import-whole",
                    "nextword is imported as a whole, so its source cannot be shown",
                    node.lineno,
                    hint,
                )
        else:
            modules = [node.module or ""]
            if modules[0].split(".")[0] == "nextword":
                if node not in tree.body:
                    yield panel.fault(
                        "import-in-block",
                        "nextword is imported inside a block",
                        node.lineno,
                        "import it at the top level",
                    )
                if any(name.asname or name.name == "*" for name in node.names):
                    yield panel.fault(
                        "import-renamed", "nextword is imported under another name", node.lineno, hint
                    )
                if modules[0] == "nextword":
                    yield panel.fault(
                        "import-of-package", "the package itself has no names", node.lineno, hint
                    )
        if any(module.split(".")[0] == "coursebuild" for module in modules):
            yield panel.fault("import-of-press", "a panel knows nothing of coursebuild", node.lineno)
    bound = list(stored(tree))
    for name in ("check", "close", "figure"):
        homes = [node for node in statements if _imports_name(node, name)]
        elsewhere = [node.lineno for node in homes if getattr(node, "module", None) != CHECKS]
        if lines := sorted([*elsewhere, *(line for other, line in bound if other == name)]):
            message = f"{name} is bound anew, so its claims would not be seen"
            yield panel.fault("check-rebound", message, lines[0], f"import it from {CHECKS}")


def _typed_output(panel: Panel, tree: ast.Module, names: dict[str, ast.expr | None]) -> Iterator[Fault]:
    """Numbers that a print statement has in its own text: a reader would take them for computed.

    A name counts as its text where it is bound to a literal that the panel does nothing with but print it.
    """
    quotable = inputs([panel])
    said = _only_said(tree)
    known = {name: value for name, value in names.items() if name in said and value is not None}
    for node in nodes_of(tree):
        for shown in _shown_by(node):
            for number in numbers.absent_from(numbers.find(_shown_text(shown, known)), *quotable):
                hint = 'print the value itself, as in print(f"{count} merges")'
                yield panel.fault(
                    "output-number-typed",
                    f"the printed text says {number.text!r}, typed by hand",
                    shown.lineno,
                    hint,
                )


def _shown_by(node: ast.AST) -> list[ast.expr]:
    """The expressions that a call of print or write puts into the output."""
    if not isinstance(node, ast.Call):
        return []
    between = [keyword.value for keyword in node.keywords if keyword.arg in ("sep", "end")]
    return [*node.args, *between] if ast.unparse(node.func) in PRINTING else []


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
    elif isinstance(node, ast.Call):
        for part in _filled_in(node):
            yield from _shown_parts(part)


def _filled_in(call: ast.Call) -> list[ast.expr]:
    """What the text is made of that a call gives: the parts of ``format``, ``join`` or a conversion; none of another call's."""
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if isinstance(call.func, ast.Attribute):
        filled = call.func.attr in ("format", "join") and _is_text(call.func.value)
        return [call.func.value, *given] if filled else []
    return given if ast.unparse(call.func) in ("str", "repr", "int", "float") else []


def _is_text(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _shown_text(node: ast.expr, names: Mapping[str, ast.expr]) -> str:
    """What is shown as it is typed, the parts of a joined string together, everything else apart."""
    joined = isinstance(node, ast.JoinedStr) or (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add))
    texts = []
    for part in _shown_parts(node):
        value = names.get(part.id, part) if isinstance(part, ast.Name) else part
        if isinstance(value, ast.Constant) and isinstance(value.value, (str, int, float)):
            texts.append(DIRECTIVE.sub("\0", str(value.value)))
        elif value is not part:
            texts.append(f"\0{_shown_text(value, {})}\0")
        else:
            texts.append("\0")
        if not joined:
            texts.append("\0")
    return "".join(texts)


@functools.lru_cache(maxsize=256)
def _only_said(tree: ast.AST) -> set[str]:
    """The names whose value the code does nothing with but print it as it is."""
    loads = Counter(
        node.id for node in nodes_of(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    )
    said = Counter(
        part.id
        for node in nodes_of(tree)
        for shown in _shown_by(node)
        for part in _shown_parts(shown)
        if isinstance(part, ast.Name)
    )
    return {name for name, count in said.items() if count == loads[name]}


def _hiding(panel: Panel, tree: ast.Module) -> Iterator[Fault]:
    """What would keep a warning or an error message from being seen."""
    for node in nodes_of(tree):
        if isinstance(node, ast.alias):
            name = node.name
        elif isinstance(node, (ast.Attribute, ast.Name)):
            name = node.attr if isinstance(node, ast.Attribute) else node.id
        else:
            continue
        stored = isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        if name in HIDING or (
            stored and name in ("stderr", "stdout", "excepthook", "unraisablehook", "showwarning", "warn")
        ):
            hint = "compute so that none is given, or say in the text why one is"
            message = f"a panel may not hide warnings or output: {name}"
            yield panel.fault("warning-hidden", message, node.lineno, hint)


def _figures(panel: Panel, tree: ast.Module) -> Iterator[Fault]:
    """Figures that are typed, not computed."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "figure":
            values = [*node.args[1:], *(keyword.value for keyword in node.keywords if keyword.arg == "value")]
            if values and is_constant(values[0], {}):
                hint = "name a value that the panel computes, or a name that it works with"
                yield panel.fault(
                    "figure-typed", f"the figure {ast.unparse(values[0])} is typed by hand", node.lineno, hint
                )
                continue
            for leaf in _leaves(values[0]) if values else ():
                if isinstance(leaf.value, str):
                    said = numbers.find(DIRECTIVE.sub("\0", leaf.value))
                    typed = [found.text for found in numbers.absent_from(said, *inputs([panel]))]
                else:
                    typed = [repr(leaf.value)]
                for text in typed:
                    hint = 'write an f-string of computed values, as in f"k = {k}", or a name that the panel works with'
                    yield panel.fault(
                        "figure-typed", f"the figure says {text!r}, typed by hand", leaf.lineno, hint
                    )


def _leaves(node: ast.expr) -> Iterator[ast.Constant]:
    """The texts and numbers that stand as they are in a list, a dict or a text that a figure is made of; no keys."""
    if isinstance(node, ast.Constant) and isinstance(node.value, (str, int, float)):
        if not isinstance(node.value, bool):
            yield node
    elif isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        for part in node.elts:
            yield from _leaves(part)
    elif isinstance(node, (ast.Dict, ast.JoinedStr)):
        for part in node.values:
            yield from _leaves(part)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        yield from _leaves(node.elt)
    elif isinstance(node, (ast.Starred, ast.UnaryOp)):
        yield from _leaves(node.value if isinstance(node, ast.Starred) else node.operand)
    elif isinstance(node, ast.IfExp):
        yield from (*_leaves(node.body), *_leaves(node.orelse))
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mod)) and _is_text(node):
        yield from (*_leaves(node.left), *_leaves(node.right))
    elif isinstance(node, ast.Call):
        for part in _filled_in(node):
            yield from _leaves(part)


def _imports_name(node: ast.Import | ast.ImportFrom, name: str) -> bool:
    return any((alias.asname or alias.name) == name for alias in node.names)


def stored(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """The names that code binds but by imports, each with its line."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            yield node.id, node.lineno
        elif isinstance(node, NAMING) and node.name:
            yield node.name, node.lineno
        elif isinstance(node, ast.MatchMapping) and node.rest:
            yield node.rest, node.lineno


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


def inputs(panels: list[Panel]) -> set[str]:
    """The words inside the string literals of the panels' code: what prose may quote as the panels' own input.

    What a panel says (its claims, and what it prints) is no input.
    """
    return set().union(*(_input_of(panel.code) for panel in panels))


@functools.lru_cache(maxsize=1024)
def _input_of(code: str) -> frozenset[str]:
    try:
        tree = parsed(code)
    except SyntaxError:
        return frozenset()
    said = _only_said(tree)
    printed = {
        id(part)
        for statement in tree.body
        for name, value in assigned(statement)
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
