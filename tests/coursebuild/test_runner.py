"""A run of a panel: everything it prints, nothing it did not, and no way to end it in silence."""

import datetime
import os
import shutil
import time
from dataclasses import replace
from pathlib import Path

import pytest

from coursebuild.inspection import inspect_code
from coursebuild.panels import Panel
from coursebuild.runner import Result, Surroundings, environment, run

ROOT = Path(__file__).resolve().parents[2]
IMPORT = "from nextword.checks import check, close, figure\n"
CHECK = 'total = sum([1, 2])\ncheck("It adds up", total, 3)\n'


def panel(code: str, *before: Panel, ident: str = "1.1") -> Panel:
    plain = Panel(ident, "x", IMPORT + code, "p.md", 10, before)
    claims, _ = inspect_code(plain)
    return Panel(ident, "x", plain.code, "p.md", 10, before, tuple(claims))


def ran(code: str, *before: Panel, **around: object) -> Result:
    return run(panel(code, *before), Surroundings(**{"seconds": 5.0} | around))  # type: ignore[arg-type]


def said(result: Result) -> str:
    return "\n".join(map(str, result.faults))


@pytest.mark.parametrize(
    ("code", "output"),
    [
        ('print("a")\n', "a"),
        ('print("a", end="")\nprint("b")\n', "ab"),
        ('import sys\nsys.stdout.write("a\\n")\n', "a"),
        ('import sys\nsys.stdout.buffer.write(b"a\\n")\n', "a"),
        ('import os\nos.write(1, b"a\\n")\n', "a"),
        ('import os\nos.chdir("/")\nprint("a")\n', "a"),
        ('import subprocess, sys\nsubprocess.run([sys.executable, "-c", "print(5)"])\n', "5"),
        ('import threading\nt = threading.Thread(target=print, args=("a",))\nt.start()\nt.join()\n', "a"),
        ("import sys\nprint(repr(sys.stdin.read()))\n", "''"),
        ("import os\nprint(os.listdir())\n", "[]"),
        (
            'import sys\nfor name in list(sys.modules):\n    if name.startswith("nextword"):\n        del sys.modules[name]\nprint("a")\n',
            "a",
        ),
        ("import sys\nsys.modules.clear()\nprint('a')\n", "a"),
        ('print("<b>é猫</b>\\t|")\n', "<b>é猫</b>\t|"),
        ("print(__name__)\n", "__main__"),
        ("def f():\n    return total2\ntotal2 = 5\nprint(f())\n", "5"),
    ],
)
def test_the_output_is_all_that_was_printed_but_for_the_checks(code: str, output: str) -> None:
    result = ran(code + CHECK + 'print("after")\n')
    assert said(result) == ""
    assert result.output == f"{output}\nafter"
    assert result.checks[0].held


def test_a_check_prints_one_line_as_in_a_terminal() -> None:
    result = ran('print("a")\n' + CHECK + 'figure("total", total)\n')
    assert result.printed == b"a\nok   It adds up\n"
    assert result.approved_form == "a\nok   It adds up\n\n---- figures ----\ntotal = 3\n"


def test_what_an_imported_module_prints_is_output() -> None:
    assert "Namespaces are one honking great idea" in ran("import this\n" + CHECK).output


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("input()\n", "EOFError"),
        ("import sys\nsys.stdout.close()\n", "closed file"),
        ("import os\nos.close(1)\n", "Bad file descriptor"),
        ("import builtins\nbuiltins.print = lambda *a, **k: None\n", "not in the output as it was printed"),
        ("import builtins\nbuiltins.isinstance = lambda *a: True\n", "ended with status"),
        ("import io, sys\nsys.stdout = io.StringIO()\n", "not in the output as it was printed"),
        ("import os\nos.fork()\n", "it forked"),
        ("import os\nif os.fork() == 0:\n    os._exit(0)\nos.wait()\n", "it forked"),
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(0.2,)).start()\n",
            "a thread is still running",
        ),
        (
            "import threading, time\nthreading.Thread(target=time.sleep, args=(9,), daemon=True).start()\n",
            "a thread is still running",
        ),
        (
            "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()\n",
            "output on stderr",
        ),
        ("check.__code__ = (lambda a, b, c: None).__code__\n", "ValueError"),
        (
            "import sys\nsys.modules['nextword.checks'].check = print\nfrom nextword.checks import check\n",
            "was never reached",
        ),
        (
            "import sys, importlib\ndel sys.modules['nextword.checks']\ncheck = importlib.import_module('nextword.checks').check\n",
            "was never reached",
        ),
        ("def f():\n    f()\nf()\n", "RecursionError"),
        ('print("\\x1b[31mred")\n', "control character"),
        ('print("lie\\rtrue")\n', "control character"),
        ('print("a\\x02b\\x03")\n', "control character"),
        ('print("`" * 9)\n', "eight backticks"),
        ('print("\\ud800")\n', "UnicodeEncodeError"),
        ('figure("a", 1)\nfigure("a", 2)\n', "named twice"),
        ('figure("a", float("nan"))\n', "ValueError"),
        ('figure("a b", 1)\n', "ValueError"),
        ('figure("a", object())\n', "ValueError"),
        ("raise BaseException('x')\n", "BaseException: x"),
        ("raise GeneratorExit\n", "GeneratorExit"),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", "ended with status -9"),
    ],
)
def test_a_run_cannot_go_wrong_in_silence(code: str, message: str) -> None:
    assert message in said(ran(code + CHECK)), said(ran(code + CHECK))


@pytest.mark.parametrize(
    "code",
    [
        CHECK + "import os, sys\nsys.stdout.flush()\nos.ftruncate(1, 0)\n",
        CHECK + "import os, sys\nsys.stdout.flush()\nos.lseek(1, 0, 0)\nprint('it was never so!!')\n",
    ],
)
def test_what_was_printed_cannot_be_changed_later(code: str) -> None:
    assert "not in the output as it was printed" in said(ran(code))


@pytest.mark.parametrize(
    "code",
    [
        'from unittest.mock import ANY\nt = sum([1])\ncheck("c", t, ANY)\n',
        'from unittest.mock import ANY\nt = {1: [sum([1])]}\ncheck("c", t, {1: [ANY]})\n',
        'class Yes:\n    def __eq__(self, other):\n        return True\nt = sum([1])\ncheck("c", Yes(), t)\n',
    ],
)
def test_a_value_that_equals_anything_proves_nothing(code: str) -> None:
    assert "equals anything" in said(ran(code))


def test_one_object_on_both_sides_proves_nothing() -> None:
    assert "one and the same object" in said(ran('t = list(range(sum([1])))\nu = [t][0]\ncheck("c", t, u)\n'))


def test_a_figure_is_the_value_at_the_time() -> None:
    assert ran('x = [1]\nfigure("x", x)\nx.append(2)\n' + CHECK).figures == {"x": [1]}


def test_a_claim_that_does_not_hold_is_told_with_its_values_and_the_next_is_still_seen() -> None:
    result = ran('total = sum([1, 2])\ncheck("Four", total, 4)\ncheck("Three", total, 3)\n')
    assert [check.held for check in result.checks] == [False, True]
    assert "p.md:13: panel 1.1: the claim “Four” does not hold: got 3, expected 4" in said(result)


@pytest.mark.parametrize(
    ("claim", "fault"),
    [
        ('"It is 4"', "the claim says '4'"),
        ('"It is four"', "the claim says 'four'"),
        ('"It is 1/3 of it"', "the claim says '1/3'"),
        ('"It is two thirds"', "the claim says 'thirds'"),
        ('f"It is {40}"', "the claim says '40'"),
        ('"It is 3"', ""),
        ('f"It is {total}"', ""),
        ('"It is three"', ""),
    ],
)
def test_a_number_in_a_claim_is_one_of_the_checked_values(claim: str, fault: str) -> None:
    result = ran(f"total = sum([1, 2])\ncheck({claim}, total, 3)\n")
    assert (fault in said(result)) if fault else not result.faults


def test_a_fault_stands_at_the_line_of_the_page() -> None:
    assert "p.md:13: panel 1.1: ZeroDivisionError" in said(ran("x = 1\n1 / 0\n" + CHECK))
    assert "p.md:13: panel 1.1: SyntaxError" in said(ran("x = 1\nexec('1 +')\n" + CHECK))


def test_a_panel_continues_an_earlier_one_and_shows_its_own_output_only() -> None:
    first = panel('x = sum([1])\nprint("first")\ncheck("One", x, 1)\nfigure("x", x)\n', ident="1.0")
    result = ran('print("second", x)\ncheck("Still one", x, 1)\nfigure("x", x + 1)\n', first)
    assert said(result) == ""
    assert result.printed == b"second 1\nok   Still one\n"
    assert result.figures == {"x": 2}


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("x = 1\n1 / 0\n", "p.md:10: panel 1.1: in panel 1.0, line 3 of its code: ZeroDivisionError"),
        ("raise SystemExit(0)\n", "in panel 1.0, line 2 of its code: SystemExit"),
        ("import os\nos._exit(0)\n", "ended with status 0"),
    ],
)
def test_a_fault_in_the_continued_panel_is_told_as_its_own(code: str, message: str) -> None:
    assert message in said(ran(CHECK, panel(code, ident="1.0")))


def test_a_false_claim_of_the_continued_panel_is_that_panels_fault_alone() -> None:
    assert (
        said(
            ran(
                CHECK,
                panel('y = sum([1])\ncheck("Two", y, 2)\nfigure("a", 1)\nfigure("a", 1)\n', ident="1.0"),
            )
        )
        == ""
    )


def test_panels_share_nothing() -> None:
    first = panel("import random, sys\nrandom.seed(1)\nsys.leak = 1\nopen('left', 'w').close()\n" + CHECK)
    second = panel("import os, sys\nprint(hasattr(sys, 'leak'), os.path.exists('left'))\n" + CHECK)
    run(first)
    assert run(second).output == "False False"


def test_what_a_panel_starts_ends_with_it() -> None:
    code = "import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\np.returncode = 0\nfigure('pid', p.pid)\n"
    result = ran(code + CHECK)
    with pytest.raises(ProcessLookupError):  # noqa: PT012
        for _ in range(100):
            os.kill(int(str(result.figures["pid"])), 0)
            time.sleep(0.05)


def test_nothing_of_the_callers_surroundings_reaches_a_panel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONSTARTUP", "x")
    monkeypatch.setenv("HOME", "/nowhere")
    assert not {"PYTHONSTARTUP", "HOME", "PYTHONPATH"} & set(environment(Surroundings()))


def test_a_panel_of_the_second_lane_stays_in_its_folder_and_in_one_thread() -> None:
    code = (
        "import os, tempfile\n"
        "print(os.path.samefile(tempfile.gettempdir(), '.'), os.environ.get('HF_DEACTIVATE_ASYNC_LOAD'),\n"
        "      os.environ.get('HF_HUB_OFFLINE'))\n" + CHECK
    )
    plain = panel(code)
    real = run(replace(plain, needs=("numpy",)))
    assert said(real) == ""
    assert real.output == "True 1 1"
    assert run(plain).output == "False None None"


def test_a_panel_that_does_not_end_is_stopped() -> None:
    assert "still running after 0.5 s" in said(ran("while True:\n    pass\n", seconds=0.5))


def test_the_surroundings_reach_the_panel() -> None:
    code = (
        "import datetime, time\n"
        "print(datetime.date.today().isoformat(), hash('a'), time.strftime('%z'))\n" + CHECK
    )
    plain, other = ran(code), ran(code, hash_seed="5", timezone="NPT-05:45", days=400)
    assert said(plain) == said(other) == ""
    (day, seed, zone), (other_day, other_seed, other_zone) = plain.output.split(), other.output.split()
    assert (datetime.date.fromisoformat(other_day) - datetime.date.fromisoformat(day)).days in (399, 400, 401)
    assert seed != other_seed
    assert (zone, other_zone) == ("+0000", "+0545")


TRICKS = {
    "eq": "class T:\n    def __eq__(self, other):\n        return other == 3\n    def __hash__(self):\n        return 1\n",
    "repr": "class T(int):\n    def __repr__(self):\n        return '3'\n",
    "list": "class T(list):\n    __eq__ = lambda self, other: other in ([3], 3)\n",
    "assigned": "class T:\n    pass\nT.__eq__ = lambda self, other: other == 3\n",
}


@pytest.mark.parametrize("trick", TRICKS)
@pytest.mark.parametrize("value", ["T()", "[T()]", "{1: (T(),)}"])
def test_a_value_compares_as_its_plain_type_does(trick: str, value: str) -> None:
    result = ran(f'{TRICKS[trick]}t = {value}\ncheck("c", t, t if sum([1]) else 3)\n')
    assert "in its own way: T" in said(result)


def test_a_type_of_the_library_that_is_changed_is_refused() -> None:
    code = "from nextword.bpe import Merge\nMerge.__eq__ = lambda self, other: True\n"
    result = ran(code + 't = Merge("a", "b", sum([1]))\ncheck("c", t, 3)\n')
    assert "cannot fail" in said(result) or "in its own way: Merge" in said(result)


def test_values_of_plain_and_known_types_are_compared() -> None:
    code = """
import collections, dataclasses, decimal, enum, fractions, typing
import numpy as np
from nextword.bpe import ByteBPE, Merge
@dataclasses.dataclass
class D:
    x: int
class N(typing.NamedTuple):
    x: int
P = collections.namedtuple("P", "x")
class E(enum.Enum):
    A = 1
class Own:
    pass
own = Own()
for value in [None, True, 1, 1.5, 1j, "a", b"a", bytearray(b"a"), [1], (1,), {1: [2]}, {1}, frozenset({1}), range(3), collections.Counter("ab"),
        collections.OrderedDict(a=1), collections.defaultdict(int, a=1), collections.deque([1]), D(1), N(1), P(1), E.A, fractions.Fraction(1, 2),
        decimal.Decimal(1), np.float64(1), np.int64(1), Merge("a", "b", 1), own, ByteBPE, len]:
    check(f"c {value!r:.60}"[:20] + type(value).__name__, [value], [value])
check("a", np.array([1, 2]).tolist(), [1, 2])
"""
    faults = [
        fault.message
        for fault in ran(code).faults
        if "was not called by name" not in fault.message and "made twice" not in fault.message
    ]
    assert faults == []


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ('print("4\\u200b0")\n', "an invisible character in the output: ZERO WIDTH SPACE"),
        ('print("a\\u202eb")\n', "an invisible character in the output: RIGHT-TO-LEFT OVERRIDE"),
        ('print("a\\ufe0f")\n', "an invisible character in the output: VARIATION SELECTOR-16"),
        ('figure("a", ["b\\u00ad"])\n', "an invisible character in the figure 'a': SOFT HYPHEN"),
        ('print("ok   All is well")\n', "as if it were a check's"),
        ('print("a\\nok   All is well")\n', "as if it were a check's"),
        ('check(f"It{chr(10)}is", sum([1]), 1)\n', "a claim is one line"),
    ],
)
def test_output_is_what_it_looks_like(code: str, message: str) -> None:
    assert message in said(ran(code + CHECK)), said(ran(code + CHECK))


def test_the_joiner_of_emoji_is_visible() -> None:
    assert said(ran('print("👩\\u200d🔬")\nprint("okay  ok   x")\n' + CHECK)) == ""


def test_a_record_cannot_be_written_by_the_panel() -> None:
    forged = '{"checks": [], "figures": {}, "faults": [], "loaded": []}'
    code = f"import os\nfor name in ('../result.json', '../record.json'):\n    open(name, 'w').write({forged!r})\nos._exit(0)\n"
    result = run(panel(code + CHECK, ident="1.0"))
    assert any("before the panel's last line" in fault.message for fault in result.faults)


def test_a_panel_that_writes_into_its_data_is_refused(tmp_path: Path) -> None:
    (tmp_path / "src/nextword").mkdir(parents=True)
    for name in ("__init__.py", "checks.py"):
        shutil.copyfile(ROOT / "src/nextword" / name, tmp_path / "src/nextword" / name)
    (tmp_path / "docs/assets/data").mkdir(parents=True)
    (tmp_path / "docs/assets/data/words.txt").write_text("one\n", encoding="utf-8")
    code = 'with open("words.txt", "a", encoding="utf-8") as file:\n    file.write("two")\n'
    writing = replace(panel(code + CHECK), data=("words.txt",))
    [fault] = run(writing, Surroundings(source=tmp_path / "src")).faults
    assert (fault.kind, fault.line) == ("data-changed", 10)
    assert fault.message == "it changed the data that it read, words.txt"


@pytest.mark.parametrize(
    ("code", "line"),
    [
        ("while True: pass\n", 1),
        ("def wait():\n    while True: pass\n\nwait()\n", 4),
        ("import time\n\ntime.sleep(99)\n", 3),
    ],
)
def test_a_run_that_is_stopped_says_where_it_was(code: str, line: int) -> None:
    [fault] = ran(CHECK + code, seconds=2.0).faults
    assert fault.message == "still running after 2 s, so it was stopped"
    own = 10 + IMPORT.count("\n") + CHECK.count("\n")
    assert fault.line in (own + line, own + 2 if "def" in code else own + line)


def test_output_on_stderr_is_placed_at_the_first_line_that_gave_some() -> None:
    code = "import sys\n\ndef tell():\n    sys.stderr.write('b')\n\nprint('a', file=sys.stderr)\ntell()\n"
    [fault] = ran(CHECK + code).faults
    assert fault.line == 10 + IMPORT.count("\n") + CHECK.count("\n") + 6
    [fault] = ran(CHECK + "import os\nos.write(2, b'a')\n").faults
    assert fault.line == 10
