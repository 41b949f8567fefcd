"""What the names of a panel's code are bound to where a check stands, and whether the check could fail at all."""

import ast
import builtins
from collections.abc import Iterable, Iterator
from itertools import pairwise

SAYING = {"check", "figure", "print"}
"""The calls by which a panel says something to the reader."""

FILLABLE = (ast.List, ast.Dict, ast.Set)
CONVERSIONS = {"int", "float", "str", "list", "tuple", "dict", "set", "copy", "deepcopy"}


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
        simple = dict(assigned(statement))
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


def bindings_reaching(
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


def assigned(node: ast.stmt) -> Iterator[tuple[str, ast.expr]]:
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
    return all(map(constant, children))


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
