"""Listings and unfolded programs of the whole taught library, and programs as a reader runs them: in a bare interpreter."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from coursebuild.library import Library, Module
from coursebuild.runner import SOURCE, run

from .test_library import BASE, CHECKS, library_of, panel

MODULES = sorted(path.stem for path in SOURCE.joinpath("nextword").glob("*.py") if path.stem != "__init__")


def printed(program: str, folder: Path, *flags: str) -> str:
    """What a program prints in a bare interpreter, in an empty folder."""
    path = folder / "program.py"
    path.write_text(program, encoding="utf-8")
    empty = folder / "empty"
    empty.mkdir(exist_ok=True)
    keep = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    command = [sys.executable, "-I", "-S", "-X", "utf8", *flags, str(path)]
    done = subprocess.run(command, cwd=empty, capture_output=True, env=keep, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stderr == b""
    return done.stdout.decode()


@pytest.mark.parametrize(
    "code",
    [
        BASE,
        BASE
        + "from nextword.bpe import (\n    word_counts,\n    spell_words,\n)\nprint(spell_words(word_counts('a b a')))\n",
        "from nextword.bpe import ByteBPE, WordBPE\n"
        + BASE
        + "print(ByteBPE.train('ab ab', 3).pieces('ab'), WordBPE.train('ab ab', 3).encode('ab'))\n",
        "import math\n" + BASE + "print(f'{math.pi:.3f}')\n",
        BASE + "print('''a\n\n\nfrom nextword.bpe import x\n  b''')\n",
        BASE + "print('a\x0cb'.isspace(), len('a\x0cb'))\n",
        BASE + "if True:\n\n    def f() -> int:\n        return 1\n\n    print(f())\n",
        "'''A docstring.'''\n" + BASE + "print(1)\n",
    ],
)
def test_the_unfolded_program_prints_what_the_panel_prints(code: str, tmp_path: Path) -> None:
    result = run(panel(code))
    assert all(
        "was not called by name" in str(fault) for fault in result.faults
    )  # the claims are not parsed here
    program = Library(SOURCE).unfold(panel(code))
    assert "nextword" not in [name.split(".")[0] for name in imported(program)]
    assert printed(program, tmp_path).encode() == result.printed


def imported(program: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(program)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found.append(node.module or "")
    return found


def test_the_program_of_a_panel_that_continues_another_has_both(tmp_path: Path) -> None:
    first = panel(BASE + "print('first')\n")
    program = Library(SOURCE).unfold(panel("print('second', total)\n", first))
    assert printed(program, tmp_path) == "ok   It adds up\nfirst\nsecond 3\n"
    assert program.count("def check(") == 1


def test_what_a_definition_needs_comes_with_it_and_before_it(tmp_path: Path) -> None:
    base = "import math\nfrom collections import Counter as Bag\nLIMIT = math.floor(3.5)\nUNUSED = 1\n\n\ndef helper(n=LIMIT):\n    return Bag([n])\n"
    user = "from nextword.base import helper\n\n\nclass Base:\n    pass\n\n\nclass User(Base):\n    kept = helper()\n\n    def f(self) -> 'int':\n        return later()\n\n\ndef later():\n    return 7\n"
    library = library_of(tmp_path, base=base, user=user)
    code = (
        CHECKS
        + "from nextword.user import User\nprint(User.kept, User().f())\ncheck('Seven', User().f(), 7)\n"
    )
    program = library.unfold(panel(code))
    assert printed(program, tmp_path) == "Counter({3: 1}) 7\nok   Seven\n"
    assert "UNUSED" not in program


def without_docstrings(text: str) -> str:
    tree = ast.parse(text)
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body[0] = ast.Pass()
    return ast.dump(tree)


@pytest.mark.parametrize("name", MODULES)
def test_each_listing_is_the_tested_source_with_its_docstring_folded(name: str) -> None:
    library = Library(SOURCE)
    module = library.module(f"nextword.{name}")
    for defined, node in module.definitions.items():
        listing = library.listing(f"nextword.{name}.{defined}")
        original = ast.get_source_segment(module.text, node) or ""
        assert without_docstrings(listing.text) == without_docstrings(ast.unparse(node)), defined
        last = listing.text.split("\n")[-1].strip()  # with the comment behind it, if there is one
        assert last.startswith(original.split("\n")[-1].strip())
        assert module.lines[listing.last - 1].strip() == listing.text.split("\n")[-1].strip()
        for part in ast.walk(ast.parse(listing.text)):
            if isinstance(part, (ast.FunctionDef, ast.ClassDef)) and (
                docstring := ast.get_docstring(part, clean=False)
            ):
                assert "\n" not in docstring


def test_every_public_definition_of_the_library_unfolds_alone(tmp_path: Path) -> None:
    library = Library(SOURCE)
    for name in MODULES:
        module: Module = library.module(f"nextword.{name}")
        for defined in module.definitions:
            if not defined.startswith("_"):
                program = library.unfold(panel(f"from nextword.{name} import {defined}\n"))
                scope: dict[str, object] = {"__name__": "alone"}
                exec(compile(program, defined, "exec"), scope)
                assert defined in scope
