"""What the press says of a panel before it runs."""

import ast

import pytest

from coursebuild.fences import from_fence
from coursebuild.inspection import inputs, inspect_code
from coursebuild.panels import Panel
from coursebuild.source import read

IMPORT = "from nextword.checks import check, close, figure\n"


def panel(code: str, *before: str) -> Panel:
    earlier = tuple(
        Panel(f"1.{number}", "x", IMPORT + text, "p.md", 1) for number, text in enumerate(before, 1)
    )
    return Panel("1.9", "x", code, "p.md", 10, earlier)


def refused(code: str, *before: str) -> list[str]:
    """What is refused about a panel with this code after the import of the checks."""
    return [fault.message for fault in inspect_code(panel(IMPORT + code, *before))[1]]


def told(code: str) -> list[tuple[int, str, str]]:
    """What is refused about the code behind the import of the checks and a good check: its line, what is wrong, what to do."""
    faults = inspect_code(panel(IMPORT + GOOD + code))[1]
    before = panel("").line_at(len((IMPORT + GOOD).splitlines()))
    return [(fault.line - before, fault.message, fault.hint) for fault in faults]


def claims(code: str) -> list[str]:
    return [claim.literal.strip() for claim in inspect_code(panel(IMPORT + code))[0]]


GOOD = 'total = sum([1, 2])\ncheck("It adds up", total, 3)\n'


@pytest.mark.parametrize(
    "code",
    [
        GOOD,
        'total = sum([1, 2])\ncheck(claim="It adds up", got=total, expected=3)',
        'total = sum([1, 2])\ncheck("It adds up", expected=3, got=total)',
        'total = sum([1, 2])\ncheck(\n    "It adds"\n    " up",\n    total,\n    3,\n)',
        'a, b = sum([1]), sum([2])\ncheck("They differ", a == b, False)',
        'a = [1]\na.append(2)\ncheck("Two", a, [1, 2])',
        'a = {}\nfor n in [1]:\n    a[n] = n\ncheck("Filled", a, {1: 1})',
        'x = sum([1])\nlimit = 3\ncheck(f"Below {limit}", x < limit, True)',
        'x: int = sum([1])\ncheck("x", x, 1)',
        'x = 1\nx += sum([1])\ncheck("x", x, 2)',
        'x = y = []\ny.append(7)\ncheck("c", x, [7])',
        'x = []\ny = x\ny.append(7)\ncheck("c", x, [7])',
        'x = 6\nx = sum([x])\ncheck("x", x, 6)',
        'x = sum([6])\ny = x + 1\nx = 6\ncheck("c", y, 7)',
        'x = sum([6])\nold = x\nx = sum([old])\ncheck("c", x == old, True)',
        'w = [sum([1])]\nold = w[0]\nw[0] = 2\ncheck("c", old == w[0], False)',
        'for k in [1, 2, 3]:\n    if sum([k]) > 1:\n        break\ncheck("c", k, 2)',
        'for k in range(3):\n    pass\ncheck("c", k, 2)',
        'x = 6\nif sum([1]):\n    x = 7\ncheck("c", x, 7)',
        'x = 6\nwith open(0) as x:\n    pass\ncheck("c", x, 7)',
        'x = 6\ndef f():\n    global x\n    x = 7\nf()\ncheck("c", x, 7)',
        'x = []\ndef f():\n    x.append(7)\nf()\ncheck("c", x, [7])',
        'x = 6\nsum([(x := 7)])\ncheck("c", x, 7)',
        'x = list(map(abs, [1]))\ncheck("c", x, sorted(x))',
        'x = sum([1])\ncheck("c", x, int(x / 1))',
        'x = sum([1])\ny = int("1")\ncheck("c", x, y)',
        'n = 5\nx = list(map(abs, [1]))\ncheck("c", [n for n in x], [n for n in reversed(x)])',
    ],
)
def test_a_check_that_can_fail_passes(code: str) -> None:
    assert refused(code) == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('check("c", 6, 6)', "is computed from literals alone"),
        ('check("c", "a" "b", "ab")', "is computed from literals alone"),
        ('check("c", f"{6}", "6")', "is computed from literals alone"),
        ('check("c", -(-6), 6)', "is computed from literals alone"),
        ('check("c", [6][0], 6)', "is computed from literals alone"),
        ('check("c", [6][:], [6])', "is computed from literals alone"),
        ('check("c", {"a": 6}["a"], 6)', "is computed from literals alone"),
        ('check("c", int("6"), 6)', "is computed from literals alone"),
        ('check("c", "ab".upper(), "AB")', "is computed from literals alone"),
        ('check("c", [n for n in [1, 2]], [1, 2])', "is computed from literals alone"),
        ('check("c", not False, True)', "is computed from literals alone"),
        ('x = 6\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x: int = 6\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x, y = 6, 7\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x = y = 6\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x = 6\ny = x + 1\ncheck("c", y, 7)', "is computed from literals alone"),
        ('x = [6]\ncheck("c", x, [6])', "is computed from literals alone"),
        ('x = sum([6])\nx = 6\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x = 6\ny = x\nx = sum([6])\ncheck("c", y, 6)', "is computed from literals alone"),
        ('x = 6\nx += 1\ncheck("c", x, 7)', "is computed from literals alone"),
        ('x = sum([6])\nfor x in [6]:\n    pass\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x = [1]\nx.append(2)\nx = [6]\ncheck("c", x, [6])', "is computed from literals alone"),
        ('x = 6\ny = [x for x in range(3)]\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x = 6\ncheck("c", x, 6)\nx = sum([6])', "is computed from literals alone"),
        ('t = sum([1])\nu = int(t)\ncheck("c", t, u)', "one value, converted or copied"),
        ('t = sum([1])\ncheck("c", t, float(str(t)))', "one value, converted or copied"),
        ('t = sorted([1])\nu = t[:]\ncheck("c", t, u)', "one value, converted or copied"),
        ('t = sorted([1])\nu = t.copy()\ncheck("c", u, t)', "one value, converted or copied"),
        ('t = sorted([1])\nu = [*t]\ncheck("c", t, u)', "one value, converted or copied"),
        ('t = dict(a=sum([1]))\ncheck("c", t, {**t})', "one value, converted or copied"),
        ('t = "a".join("b")\ncheck("c", t, f"{t}")', "one value, converted or copied"),
        ('x = sum([6])\n(x := 6)\ncheck("c", x, 6)', "is computed from literals alone"),
        ('x = sum([6])\n[x] = [6]\ncheck("c", x, 6)', "is computed from literals alone"),
        ('import copy\nt = sorted([1])\ncheck("c", t, copy.deepcopy(t))', "one value, converted or copied"),
        ('t = sum([1])\ncheck("c", t, t)', "same expression"),
        ('t = sum([1])\nu = t\nv = u\ncheck("c", v, t)', "same expression"),
        ('t = sum([1])\ncheck("c", (t), t  )', "same expression"),
        ('t = sum([1])\ncheck("c", t == t, True)', "compares a thing with itself"),
        ('t = sum([1])\nok = t == t\ncheck("c", ok, True)', "compares a thing with itself"),
        ('t = sum([1])\nu = t\ncheck("c", [t <= u], [True])', "compares a thing with itself"),
        ('t = sum([1])\ncheck("c", close(t, t), True)', "compares a thing with itself"),
        ('t = sum([1])\ncheck("c", t == 7 or True, True)', "constant side"),
        ('t = sum([1])\nok = t == 7 or True\ncheck("c", ok, True)', "constant side"),
        ('t = sum([1])\ncheck("c", 1 if True else t, 1)', "constant"),
    ],
)
def test_a_check_that_cannot_fail_is_refused(code: str, message: str) -> None:
    assert any("cannot fail" in said and message in said for said in refused(code)), refused(code)


@pytest.mark.parametrize(
    "line",
    [
        "if total:\n    CHECK", "for _ in [1]:\n    CHECK", "while total:\n    CHECK", "def f():\n    CHECK", "class A:\n    CHECK",
        "with open(0):\n    CHECK", "try:\n    CHECK\nfinally:\n    pass", "x = CHECK", "[CHECK for _ in [1]]", "total and CHECK", "(CHECK, 1)",
        "match total:\n    case 3:\n        CHECK", "lambda: CHECK",
    ],
)  # fmt: skip
def test_a_check_that_may_not_be_reached_is_refused(line: str) -> None:
    code = "total = sum([1, 2])\n" + line.replace("CHECK", 'check("c", total, 3)')
    assert "a check that may never be reached" in refused(code)


@pytest.mark.parametrize(
    "call",
    [
        'check("c", total)',
        'check("c", total, 3, 4)',
        'check(*["c", total, 3])',
        'check("c", **{"got": total, "expected": 3})',
        "check()",
        'check("c", total, 3, got=3)',
    ],
)
def test_a_check_takes_its_three_values_one_by_one(call: str) -> None:
    assert "check takes a claim, a got and an expected value" in refused(f"total = sum([1])\n{call}\n")


@pytest.mark.parametrize(
    "code",
    [
        "check = print", "def check(*a): ...", "class check: ...", "del check", "for check in []: ...", "(check := print)", "with open(0) as check: ...",
        "from shutil import copy as check", "from nextword.bpe import check", "close = max", "figure = print", "import check", "import os as check",
        "def f():\n    global check\n    check = print", "try:\n    pass\nexcept ValueError as check:\n    pass",
        "match print:\n    case check:\n        pass", "match []:\n    case [*check]:\n        pass", "match {}:\n    case {**check}:\n        pass",
    ],
)  # fmt: skip
def test_the_names_of_the_checks_belong_to_them(code: str) -> None:
    assert any("is bound anew" in said for said in refused(f"{GOOD}{code}\n")), refused(f"{GOOD}{code}\n")


def test_a_name_of_the_checks_is_refused_at_its_first_line() -> None:
    message = "check is bound anew, so its claims would not be seen"
    hint = "import it from nextword.checks"
    assert told("def check(): ...\nimport copy as check\ncheck = 1") == [(1, message, hint)]
    assert told("x = 1\nimport copy as check\ncheck = 1") == [(2, message, hint)]


NAMES = "write from nextword.module import name, …"
WHOLE = "nextword is imported as a whole, so its source cannot be shown"
RENAMED = "nextword is imported under another name"
SHARED = ("an import shares its line with other code", "put it on a line of its own")
PRESS = ("a panel knows nothing of coursebuild", "")


@pytest.mark.parametrize(
    ("code", "line", "message", "hint"),
    [
        ("import nextword", 1, WHOLE, NAMES),
        ("import math\nimport os, nextword.bpe as b", 2, WHOLE, NAMES),
        ("from nextword import bpe", 1, "the package itself has no names", NAMES),
        ("from nextword.bpe import *", 1, RENAMED, NAMES),
        ("from nextword.bpe import Merge as M", 1, RENAMED, NAMES),
        ("if GOOD:\n    from nextword.bpe import Merge", 2, "nextword is imported inside a block", "import it at the top level"),
        ("import math\nimport coursebuild.press", 2, *PRESS),
        ("\nfrom coursebuild import press", 2, *PRESS),
        ("from nextword.bpe import Merge; x = 1", 1, *SHARED),
        ("x = 1; from nextword.bpe import Merge", 1, *SHARED),
        ("x = [\n1]; from math import pi", 2, *SHARED),
    ],
)  # fmt: skip
def test_imports_that_hide_source_are_refused(code: str, line: int, message: str, hint: str) -> None:
    assert told(code) == [(line, message, hint)]


@pytest.mark.parametrize(
    "code",
    ["import math, os", "import math\nfrom os import path as p", "x = 1; y = 2", "if GOOD:\n    from math import pi", "from . import x", "from math import *"],
)  # fmt: skip
def test_other_imports_are_free(code: str) -> None:
    assert told(code) == []


@pytest.mark.parametrize(
    ("claim", "literal"),
    [
        ('"40 tokens"', "40 tokens"),
        ('"4" "0 tokens"', "40 tokens"),
        ('"40 " + "tokens"', "40 tokens"),
        ('f"{total} tokens"', "tokens"),
        ('f"{40} tokens"', "40  tokens"),
        ("f\"{'40'} tokens\"", "'40'  tokens"),
        ('f"{unused} tokens"', "40  tokens"),
        ('f"{used} tokens"', "tokens"),
        ('f"{total:.2f} tokens"', "tokens"),
        ('f"{unused}" + " tokens"', "40  tokens"),
        ('"tokens: " + f"{unused}"', "tokens:  40"),
        ('f"{used}" + " tokens"', "tokens"),
        ('"tokens: " + f"{used}"', "tokens:"),
    ],
)
def test_the_typed_part_of_a_claim_is_known(claim: str, literal: str) -> None:
    code = f"total, unused, used = sum([1, 2]), 40, 3\ncheck({claim}, total == used, True)"
    assert claims(code) == [literal]
    assert refused(code) == []


@pytest.mark.parametrize(
    "claim",
    [
        '"{} tokens".format(40)',
        '"%d tokens" % 40',
        "text",
        "text + ' tokens'",
        "'40 ' + text",
        "' '.join(['40', 'tokens'])",
        "f'a' if total else '40'",
        "str(40)",
    ],
)
def test_a_claim_that_is_put_together_otherwise_is_refused(claim: str) -> None:
    code = f'total, text = sum([1, 2]), "40 tokens"\ncheck({claim}, total, 3)'
    assert "a claim is a string or an f-string, written in the call of check" in refused(code)


def test_a_panel_knows_the_names_of_those_it_continues() -> None:
    assert refused('check("c", x, 6)', "x = 6\n") == [
        "a check that cannot fail: x is computed from literals alone, so no run can change it"
    ]
    assert refused('check("c", x, 6)', "x = sum([6])\n") == []
    assert refused('check("c", x, 6)', "x = sum([6])\n", "x = 6\n")
    assert refused('x = 6\ncheck("c", x, 6)', "x = sum([6])\n")
    assert refused('check("c", x, 6)', "x = 6\n", "x = sum([6])\n") == []


def test_a_panel_without_a_check_is_refused() -> None:
    assert refused("print('a')") == ["a panel with no check: it claims nothing"]
    assert inspect_code(panel("print("))[1][0].message.startswith("SyntaxError")


def fence(
    options: str, body: str = IMPORT + GOOD, language: str = "python"
) -> tuple[Panel | None, list[str]]:
    found, faults = from_fence("p.md", read(f"```{language} {options}\n{body}```").fences[0], {})
    return found, [fault.message for fault in faults]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ('exec="on" id="1.1"', "needs a title"),
        ('exec="on" id="1.1" title=" "', "needs a title"),
        ('exec="on" title="x"', "no panel's id"),
        ('exec="on" id="1" title="x"', "no panel's id"),
        ('exec="on" id="../1.1" title="x"', "no panel's id"),
        ('exec="on" id="A.1" title="x"', "no panel's id"),
        ('exec="On" id="1.1" title="x"', "never runs"),
        ('exec="true" id="1.1" title="x"', "never runs"),
        ('id="1.1" title="x"', "never runs"),
        ('exec="on" id="1.1" title="x" html="true"', "unknown option 'html'"),
        ('exec="on" id="1.1" title="x" Title="y"', "unknown option 'Title'"),
        ('exec="on" id="1.1" title="x" session="1.0"', "no earlier panel"),
        ("exec='on' id='1.1' title='x'", "cannot read the options"),
    ],
)
def test_options_are_as_agreed(options: str, message: str) -> None:
    found, said = fence(options)
    assert found is None
    assert any(message in text for text in said), said


@pytest.mark.parametrize("language", ["py", "Python", "python3", "pycon", "PYTHON"])
def test_python_by_another_name_is_refused(language: str) -> None:
    assert fence('exec="on" id="1.1" title="x"', language=language)[0] is None


@pytest.mark.parametrize("language", ["bash", "text", ""])
def test_only_python_has_the_options_of_a_panel(language: str) -> None:
    found, faults = from_fence("p.md", read(f'```{language or "x"} exec="on"\nx\n```').fences[0], {})
    assert found is None
    assert faults


def test_a_good_fence_is_a_panel() -> None:
    found, said = fence('exec="on" id="1.1" title="x"')
    assert (found and found.code, said) == ((IMPORT + GOOD).rstrip("\n"), [])


def test_inputs_are_the_words_of_strings_that_the_panel_does_not_say() -> None:
    code = 'words = "low lowest 2020"\nprint("the 40")\ncheck("has 41", words, "42")\nfigure("x", "43")\nf(a["44"])\n'
    ast.parse(code)
    assert inputs([panel(code)]) == {"low", "lowest", "2020", "44"}


@pytest.mark.parametrize(
    "code",
    [
        "print(40)", "print(-40)", "print(4.5)", 'print("x", 40)', 'print(["x", "40"])', "print((40, total))", 'print(*["40 tokens"])', 'print({"a": 40})',
        'print("40 " + "tokens")', 'print("all " + "40" + str(total))', 'print("%s: 40" % total)', 'print("%d" % 40)', 'print("{} {}".format(total, 40))',
        'print("40 {}".format(total))', 'print(f"{40}")', "print(f\"{'40'} x\")", 'print("4" "0")', 'print(f"{4}{0}")', 'print("x", end="40\\n")',
        'print("x", "y", sep=" 40 ")', 'print(str(40))', 'print("a" if total else "40")', 'print(total or "twelve")', 'print("-".join(["40", "x"]))',
        'import sys\nsys.stdout.write("40 tokens")', 'from sys import stdout\nstdout.write("40")', 'label = "40 tokens"\nprint(label)',
        'label = 40\nprint(f"{label} tokens")', 'rows = [["a", 40]]\nprint(*rows)', 'def f():\n    print("40")', '[print(40) for _ in "ab"]', 'print("40 " * 2)',
        'print("40" if total else "a")', 'print(repr(40))', 'print(int("40"))', 'print(float("40"))', 'print(f"{total}40")', 'print("%s tokens" % "40")',
        'print("%d tokens" % 40)', 'form = "%s tokens"\nprint(form % "40")', 'print(label + "40 tokens")', 'rows = [total, "40"]\nprint(*rows)',
        'print("%d40" % total)', 'print("for" + "ty")', "print(f\"{'for'}ty\")", 'import sys\nsys.stdout.writelines(["40"])', 'from pprint import pprint\npprint("40")', 'import pprint\npprint.pprint("40")',
    ],
)  # fmt: skip
def test_a_number_that_is_typed_into_the_output_is_refused(code: str) -> None:
    found = told(code)
    assert found, code
    assert all("the printed text says" in message for _, message, _ in found), found
    assert {hint for _, _, hint in found} == {'print the value itself, as in print(f"{count} merges")'}


def test_a_typed_number_is_refused_at_its_line() -> None:
    assert [(line, message) for line, message, _ in told('print(\n    total,\n    "40 of 41",\n)')] == [
        (3, "the printed text says '40', typed by hand"),
        (3, "the printed text says '41', typed by hand"),
    ]


@pytest.mark.parametrize(
    "code",
    [
        "print(total)", "print(names[:6])", 'print(f"{total:>5}")', 'print("=" * 40)', "print(round(total / 7, 2))", "print(*names[:3])", "print(total == 40)",
        "print(total + 40)", "print(total if total > 40 else names)", 'print("%5.2f" % total)', 'print("{:>40}".format(total))', "print(len(text))",
        'print(", ".join(names[:3]))', 'print("a".ljust(40), total)', "print(True, None)", "print(text, len(text))", 'asked = 100\nprint(asked, total < asked)',
        'print("seen", "UTF-8")', 'print(*sorted(names)[:2], sep=", ")', 'print(f"{total:{40}}")', 'print(1 / 0)', "for n in [40]:\n    print(n, total * n)",
        'print("%40.7E" % total)', 'print(total % 40)', 'row = [total, "a"]\nprint(*row)', 'print("12 words", f"{total} of 12")',
    ],
)  # fmt: skip
def test_what_is_computed_is_printed_with_any_width_and_input_is_quoted(code: str) -> None:
    assert told(f'text, names = "12 words", ["a"]\nuse(text)\n{code}\n') == []


@pytest.mark.parametrize(
    ("code", "line", "name"),
    [
        ('import warnings\nwarnings.simplefilter("ignore")', 2, "simplefilter"),
        ("from warnings import filterwarnings as quiet", 1, "filterwarnings"),
        ('from warnings import *\nsimplefilter("ignore")', 2, "simplefilter"),
        ("import warnings\nwith warnings.catch_warnings():\n    pass", 2, "catch_warnings"),
        ("import warnings\nwarnings.resetwarnings()", 2, "resetwarnings"),
        ('import numpy as np\nnp.seterr(all="ignore")', 2, "seterr"),
        ("import numpy as np\nnp.seterrcall(print)", 2, "seterrcall"),
        ('import numpy as np\nwith np.errstate(divide="ignore"):\n    pass', 2, "errstate"),
        ("from numpy import testing\ntesting.suppress_warnings()", 2, "suppress_warnings"),
        ("import contextlib\nwith contextlib.redirect_stderr(None):\n    pass", 2, "redirect_stderr"),
        ("import contextlib\nwith contextlib.redirect_stdout(None):\n    pass", 2, "redirect_stdout"),
        ("import os\nos.dup2(1, 2)", 2, "dup2"),
        ("import sys\nsys.stderr = None", 2, "stderr"),
        ("import sys\nsys.stdout, x = None, 1", 2, "stdout"),
        ("import sys\nsys.excepthook = print", 2, "excepthook"),
        ("import sys\nsys.unraisablehook = print", 2, "unraisablehook"),
        ("import warnings\nwarnings.showwarning = print", 2, "showwarning"),
        ("import warnings\nwarnings.warn = print", 2, "warn"),
    ],
)
def test_a_panel_cannot_hide_warnings(code: str, line: int, name: str) -> None:
    message = f"a panel may not hide warnings or output: {name}"
    hint = "compute so that none is given, or say in the text why one is"
    assert told(code) == [(line, message, hint)]


@pytest.mark.parametrize(
    "code", ["import sys\nprint(sys.stdout)", "stderr = 1", 'import warnings\nwarnings.warn("x")']
)
def test_a_panel_may_warn_and_name_the_streams(code: str) -> None:
    assert told(code) == []


@pytest.mark.parametrize(
    "value", ["40", '"40 tokens"', "-40", 'f"40 tokens"', "[1, 2]", '{"a": 1}', "str(40)", "4 * 10"]
)
def test_a_figure_is_computed(value: str) -> None:
    message = f"the figure {ast.unparse(ast.parse(value, mode='eval'))} is typed by hand"
    hint = "name a value that the panel computes, or a name that it works with"
    assert told(f'figure("x", {value})\nfigure(name="y", value={value})\n') == [
        (1, message, hint),
        (2, message, hint),
    ]


@pytest.mark.parametrize(
    ("value", "typed"),
    [
        ("[total, 40]", ["40"]),
        ("(total, -40, *[4.5])", ["40", "4.5"]),
        ('{"a": total, "b": 40}', ["40"]),
        ('f"{total} of 40"', ["40"]),
        ('f"{total}40"', ["40"]),
        ('["twelve", total]', ["twelve"]),
        ('"40 of " + str(total)', ["40"]),
        ('str(total) + " of 40"', ["40"]),
        ('"%d of 40" % total', ["40"]),
        ('"%d of %d" % (total, 40)', ["40"]),
        ('"%d40" % total', ["40"]),
        ('"{} of 40".format(total)', ["40"]),
        ('" of ".join([str(total), "40"])', ["40"]),
        ("40 if total else total", ["40"]),
        ("total if total else 40", ["40"]),
        ("[(n, 40) for n in names]", ["40"]),
        ("{(n, 40) for n in names}", ["40"]),
    ],
)
def test_a_number_that_is_typed_into_a_figure_is_refused(value: str, typed: list[str]) -> None:
    hint = 'write an f-string of computed values, as in f"k = {k}", or a name that the panel works with'
    assert told(f'names = sorted(total)\nfigure(\n    "x",\n    {value},\n)\n') == [
        (4, f"the figure says {text!r}, typed by hand", hint) for text in typed
    ]


@pytest.mark.parametrize(
    "value",
    [
        "total + 40", "{40: total}", "[total, True]", '"%5.2f" % total', '"{:>40}".format(total)', 'f"{total:40}"', '"=" * total', "max(total, 40)", "names[40]",
        'f"{total} of 12"', '[total, "12 words"]', '"a" + str(round(total, 40))',
    ],
)  # fmt: skip
def test_what_is_computed_is_a_figure_and_input_is_quoted_in_it(value: str) -> None:
    assert told(f'text, names = "12 words", sorted(total)\nuse(text)\nfigure("x", {value})\n') == []


def test_a_figure_without_a_value_is_left_to_the_run() -> None:
    assert told('figure("x")\nfigure()') == []


def test_a_figure_may_be_a_name() -> None:
    assert (
        refused(
            f'{GOOD}asked = 40\nfigure("x", asked)\nfigure("y", [total, asked])\nfigure("z", f"{{total}} x")'
        )
        == []
    )


def test_a_claim_is_one_line() -> None:
    assert refused('total = sum([1])\ncheck("It is\\n one", total, 1)') == ["a claim is one line"]


def test_what_a_panel_only_prints_is_no_input() -> None:
    assert inputs(
        [panel('label = "40 tokens"\nprint(label)\ntext = "41 words"\nprint(text, len(text))\n')]
    ) == {"41", "words"}


def test_code_has_no_invisible_character() -> None:
    assert refused(f'{GOOD}text = "a\u200bb"\n') == ["an invisible character in the code: ZERO WIDTH SPACE"]
    assert refused(f'{GOOD}text = "👩\u200d🔬 é猫"\n') == []
