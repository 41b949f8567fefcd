"""Listings and unfolded programs: the tested source itself, and one file that does what the panel does."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coursebuild.library import Library, Module, NameClash, UnknownName
from coursebuild.panels import Panel
from coursebuild.runner import SOURCE, run

CHECKS = "from nextword.checks import check\n"
BASE = CHECKS + 'total = sum([1, 2])\ncheck("It adds up", total, 3)\n'
MODULES = sorted(path.stem for path in SOURCE.joinpath("nextword").glob("*.py") if path.stem != "__init__")


def panel(code: str, *before: Panel) -> Panel:
    return Panel("1.1", "x", code, "p.md", 1, before)


def library_of(folder: Path, **modules: str) -> Library:
    """A library of one's own: nextword's checks, and the modules given."""
    package = folder / "nextword"
    package.mkdir()
    checks = SOURCE.joinpath("nextword/checks.py").read_text(encoding="utf-8")
    for name, text in {"__init__": "", "checks": checks, **modules}.items():
        (package / f"{name}.py").write_text(text, encoding="utf-8")
    return Library(folder)


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


def test_a_listing_of_a_method_is_dedented(tmp_path: Path) -> None:
    text = 'class A:\n    @property\n    def f(self):\n        """One.\n\n        Two.\n        """\n        return 1\n'
    library = library_of(tmp_path, m=text)
    listing = library.listing("nextword.m.A.f")
    assert listing.text == '@property\ndef f(self):\n    """One."""\n    return 1'
    assert (listing.first, listing.last) == (2, 8)


@pytest.mark.parametrize(
    "name",
    [
        "nextword",
        "nextword.bpe",
        "nextword.bpe.nothing",
        "nextword.nothing.x",
        "os.path.join",
        "bpe.count_pairs",
        "",
        "nextword.bpe.WordBPE.no",
    ],
)
def test_a_name_that_the_library_does_not_define_is_unknown(name: str) -> None:
    with pytest.raises(UnknownName):
        Library(SOURCE).listing(name)


def test_the_library_sees_line_ends_as_editors_do(tmp_path: Path) -> None:
    module = library_of(tmp_path, m="x = '\x0c'\ndef f():\n    return 1\n").module("nextword.m")
    assert module.source_of(module.definitions["f"]) == "def f():\n    return 1"


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


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("from nextword.base import f\nf = 1\n", "'f' is also a name of the library"),
        ("from nextword.base import f\ndef helper():\n    pass\n", "'helper' is also a name of the library"),
        ("from nextword.base import f\nmath = 1\n", "'math' is also a name of the library"),
        ("from nextword.base import f\nfor max in []:\n    pass\n", "'max' is also a name of Python"),
        ("sum = 1\n", "'sum' is also a name of Python"),
        ("class list:\n    pass\n", "'list' is also a name of Python"),
        (
            "from nextword.base import f\nfrom nextword.other import helper\n",
            "is defined in nextword.base and nextword.other",
        ),
    ],
)
def test_names_that_would_meet_in_one_file_are_refused(code: str, message: str, tmp_path: Path) -> None:
    base = "import math\n\n\ndef helper():\n    return math.pi\n\n\ndef f():\n    return helper()\n"
    library = library_of(tmp_path, base=base, other="def helper():\n    return 1\n")
    with pytest.raises(NameClash, match=message):
        library.unfold(panel(code))


@pytest.mark.parametrize("code", ["from nextword.bpe import nothing\n", "from nextword.nothing import x\n"])
def test_an_unknown_import_does_not_unfold(code: str) -> None:
    with pytest.raises(UnknownName):
        Library(SOURCE).unfold(panel(code))


DEFINITIONS = st.lists(st.sets(st.integers(0, 5), max_size=3), min_size=1, max_size=6)


@settings(derandomize=True, deadline=None, max_examples=30, database=None)
@given(DEFINITIONS)
def test_a_closure_is_complete_and_in_the_order_of_its_module(
    tmp_path_factory: pytest.TempPathFactory, uses: list[set[int]]
) -> None:
    text = "".join(
        f"def f{number}():\n    return [{', '.join(f'f{other}' for other in sorted(used) if other < len(uses))}]\n\n\n"
        for number, used in enumerate(uses)
    )
    path = tmp_path_factory.mktemp("library")
    library = library_of(path, m=text)
    found = [name for _, name in library.closure([("nextword.m", "f0")])]
    needed, todo = set(), [0]
    while todo:
        number = todo.pop()
        if number not in needed:
            needed.add(number)
            todo += [other for other in uses[number] if other < len(uses)]
    assert found == [f"f{number}" for number in sorted(needed)]


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


F = "def f():\n    return 1\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (F + F, r"'f' is defined twice in m.py, at lines 1 and 3"),
        ("f = 1\n" + F, r"'f' is defined twice in m.py, at lines 1 and 2"),
        (F + "class A:\n    x = 1\n    def x(self):\n        pass\n", r"'x' is defined twice in m.py, at lines 4 and 5"),
        (F + "class A:\n    def x(self):\n        pass\n    x = 1\n", r"'x' is defined twice in m.py, at lines 4 and 6"),
        (F + "f.__code__ = None\n", "line 3 of m.py is neither"),
        (F + "f += 1\n", "line 3 of m.py is neither"),
        (F + "del f\n", "line 3 of m.py is neither"),
        (F + "g, f = 1, 2\n", "line 3 of m.py is neither"),
        (F + "g = f = 2\n", "line 3 of m.py is neither"),
        (F + "print(1)\n", "line 3 of m.py is neither"),
        (F + "if f:\n    def f():\n        return 2\n", "line 3 of m.py is neither"),
        (F + "for f in []:\n    pass\n", "line 3 of m.py is neither"),
        (F + "try:\n    f = 1\nfinally:\n    pass\n", "line 3 of m.py is neither"),
    ],
)  # fmt: skip
def test_a_module_whose_pieces_are_not_what_runs_is_refused(text: str, message: str, tmp_path: Path) -> None:
    library = library_of(tmp_path, m=text)
    with pytest.raises(UnknownName, match=message):
        library.listing("nextword.m.f")
    with pytest.raises(UnknownName, match=message):
        library.unfold(panel("from nextword.m import f\n"))


def test_a_regular_module_is_listed(tmp_path: Path) -> None:
    text = f"'''Doc.'''\nimport math\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    import os\n\nX = 1\nY: int = 2\n\n\n{F}"
    assert library_of(tmp_path, m=text).listing("nextword.m.f").text == F.rstrip()


@pytest.mark.parametrize(
    "body",
    [
        '"""One.\n\n    Two.\n    """; return 1',
        '"""One.\n    Two."""; x = 2\n    return x',
        "'''One.\n    Two.\n    '''\n    return 1",
        '"""Say "one"\n    two.\n    """\n    return 1',
        '"""One \\\n    two.\n    """\n    return 1',
        'x = 0; """One.\n    Two."""\n    return 1',
    ],
)
def test_a_docstring_that_is_not_alone_on_its_lines_stays(body: str, tmp_path: Path) -> None:
    text = f"def f():\n    {body}\n"
    assert library_of(tmp_path, m=text).listing("nextword.m.f").text == text.rstrip()


def test_a_string_in_a_method_keeps_its_lines(tmp_path: Path) -> None:
    lines = [
        "class A:",
        "    def f(self, x):",
        '        """Doc."""',
        "        return (",
        '            """a',
        '            b"""',
        "            f'''c {x}",
        "        d''')",
    ]
    library = library_of(tmp_path, m="\n".join(lines) + "\n")
    scope: dict[str, object] = {}
    exec(library.listing("nextword.m.A.f").text, scope)
    whole: dict[str, object] = {}
    exec("\n".join(lines), whole)
    assert scope["f"](None, 5) == whole["A"]().f(5)  # type: ignore[operator]
