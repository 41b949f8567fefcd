"""What the panels that instruments extend are given, and what their approved outputs have."""

import ast
from pathlib import Path
from typing import Any

from coursebuild import source

ROOT = Path(__file__).parents[2]


def approved(ident: str) -> tuple[str, dict[str, Any]]:
    """What a panel printed with its checks, and what it gave to ``figure``, rounded to ten digits, by name."""
    printed, told = (
        (ROOT / "tests" / "outputs" / f"{ident}.txt").read_text("utf-8").split("\n---- figures ----\n")
    )
    figures = (line.split(" = ", 1) for line in told.splitlines())
    return printed, {name: ast.literal_eval(value) for name, value in figures}


def assigned(ident: str, *names: str) -> list[Any]:
    """The values that the code of a panel gives to names at its top level, without calling anything."""
    body = [node for node in ast.parse(_code(ident)).body if _targets(node) & set(names)]
    found: dict[str, Any] = {}
    exec(compile(ast.Module(body, []), ident, "exec"), {"__builtins__": {}}, found)
    return [found[name] for name in names]


def _targets(node: ast.stmt) -> set[str]:
    """The names that an assignment gives values to."""
    targets = (
        node.targets
        if isinstance(node, ast.Assign)
        else [node.target]
        if isinstance(node, ast.AugAssign)
        else []
    )
    return {one.id for target in targets for one in ast.walk(target) if isinstance(one, ast.Name)}


def _code(ident: str) -> str:
    pages = (ROOT / "docs").rglob("*.md")
    fences = (fence for page in pages for fence in source.read(page.read_text("utf-8")).fences)
    return next(
        fence.body for fence in fences if fence.language == "python" and fence.option.get("id") == ident
    )
