"""What the names of a panel's code stand for, and which checks could fail, case by case."""

import ast

import pytest

from coursebuild import bindings
from coursebuild.bindings import assigned, bindings_reaching, cannot_fail, is_constant

pytestmark = pytest.mark.once


def expr(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def names(**values: str | None) -> dict[str, ast.expr | None]:
    return {name: None if value is None else expr(value) for name, value in values.items()}


def statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


def said(code: str) -> str:
    """Why the check in the last line cannot fail."""
    tree = ast.parse(code)
    [check] = [node for node in ast.walk(tree.body[-1]) if isinstance(node, ast.Call)][:1]
    reaching, _ = bindings_reaching([tree])
    return cannot_fail(check.args[1], check.args[2], reaching[id(check)])


@pytest.mark.parametrize(
    "text",
    [
        *(f"{name}(x)" for name in "int float str list tuple dict set copy deepcopy copy.copy copy.deepcopy".split()),
        "x.copy()", "x[:]", "[*x]", "(*x,)", "{*x}", "{**x}", "f'{x}'",
    ],
)  # fmt: skip
def test_a_conversion_or_a_copy_is_made_of_one_thing(text: str) -> None:
    inner = bindings._within(expr(text))
    assert inner
    assert ast.unparse(inner) == "x"


@pytest.mark.parametrize(
    "text",
    [
        "x", "len(x)", "x.f()", "f()", "x.copy(1, 2)", "f()(x)", "f'{x:.2f}'", "f'a'", "f'a{x}'", "[x]", "[*x, *y]", "{1: x}", "x[1:]", "int(x, base=2)",
        "x.int(y)", "int(x, 2)", "other.copy(x)",
    ],
)  # fmt: skip
def test_what_is_made_of_more_or_otherwise_is_no_copy(text: str) -> None:
    assert bindings._within(expr(text)) is None


def test_copies_are_followed_through_names_and_to_a_depth() -> None:
    def core(text: str, **known: str | None) -> str:
        return bindings._core(expr(text), names(**known))

    assert core("int(float(x))") == core("x") == ast.dump(expr("x"))
    assert core("y", y="x") == core("y", y="int(x)") == core("x")
    assert core("y", y="a + b") == core("y", y=None) == ast.dump(expr("y"))
    assert core("int(" * 20 + "x" + ")" * 20) == core("x")
    assert core("int(" * 21 + "x" + ")" * 21) == ast.dump(expr("int(x)"))
    assert core("x", x="y", y="x") in (ast.dump(expr("x")), ast.dump(expr("y")))


@pytest.mark.parametrize(
    ("text", "constant"),
    [
        ("1", True), ("[]", True), ("x", False), ("f(1)", False), ("len('a')", True), ("len(x)", False), ("'a'.upper()", True),
        ("[f(n) for n in [1]]", False), ("[len(n) for n in ['a']]", True), ("[max(n) for n in ['a']]", False), ("[1][:]", True), ("x[:]", False),
        ("- " * 19 + "1", True), ("- " * 20 + "1", False),
    ],
)  # fmt: skip
def test_what_no_run_can_change(text: str, constant: bool) -> None:
    assert is_constant(expr(text), names(max=None)) is constant


def test_names_are_replaced_by_what_they_stand_for() -> None:
    def resolved(text: str, **known: str | None) -> str:
        return ast.unparse(bindings._resolve(expr(text), names(**known)))

    assert resolved("x + y", x="1", y="x") == "1 + 1"
    assert resolved("x", x="f(1)") == resolved("x", x=None) == resolved("x") == "x"
    assert resolved("lambda x: x", x="1") == "lambda x: x"
    assert resolved("[x for x in y]", x="1", y="2") == "[x for x in 2]"
    assert resolved("x", x="x + 1") == "x" + " + 1" * 11
    assert resolved("x + y", x="x + 1", y="y + 1").count("1") == 22


@pytest.mark.parametrize(
    ("got", "message"),
    [
        ("close(a, b, b)", ""),
        ("close(a, a, b)", "close(a, a, b) compares a thing with itself"),
        ("1 if t else a", ""),
        ("1 if not False else a", "1 if not False else a has a constant condition"),
    ],
)
def test_the_sides_of_a_comparison(got: str, message: str) -> None:
    assert cannot_fail(expr(got), expr("True"), names(t=None)) == message


@pytest.mark.parametrize(
    ("text", "stored"),
    [("import os.path", ["os"]), ("import os.path as p", ["p"]), ("from a import b, c as d", ["b", "d"])],
)
def test_an_import_binds_its_first_name_or_the_other(text: str, stored: list[str]) -> None:
    assert list(bindings._stores(statement(text))) == stored


@pytest.mark.parametrize(
    ("text", "changed"),
    [
        *((f"{name}(x)", set()) for name in ("check", "figure", "print")),
        ("x[0] = y.z = 1", {"x", "y"}),
        ("y = x[0]", set()),
        ("if a:\n    f(x)\n    g(y)", {"f", "x", "g", "y"}),
    ],
)
def test_what_a_statement_may_change_in_place(text: str, changed: set[str]) -> None:
    assert bindings._changed_by(statement(text)) == changed


@pytest.mark.parametrize(
    ("text", "filled"),
    [("check('c', x, 1)", set()), ("f(x)", {"x"}), ("a.check(x)", {"a", "x"}), ("x[0] = y[0]", {"x"})],
)
def test_what_code_may_fill(text: str, filled: set[str]) -> None:
    assert bindings._filled_by(ast.walk(statement(text))) == filled


def test_what_is_bound_to_one_expression() -> None:
    def bound(text: str) -> list[tuple[str, str]]:
        return [(name, ast.unparse(value)) for name, value in assigned(statement(text))]

    assert bound("a, b = c") == bound("a, b = c, d, e") == bound("a.b = c") == []
    assert bound("a, b = c, d") == [("a", "c"), ("b", "d")]


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("x = []\nx.append(7)\ny = 1\ncheck('c', x, [7])", ""),
        ("x = [1]\nx.append(2)\ny = x\nx = 6\ncheck('c', y, [1, 2])", ""),
        ("x = [1]\ny = x\nx = 6\ncheck('c', y, [1])", "y is computed from literals alone, so no run can change it"),
        ("t = sorted([1])\nu = t\nt.append(2)\ncheck('c', u, t)", "u and t are the same expression"),
    ],
)  # fmt: skip
def test_a_list_that_was_filled_and_its_other_names(code: str, why: str) -> None:
    assert said(code) == why
