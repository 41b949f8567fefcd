"""The Python side of a live panel: what it says of a program's claims and errors, and that no run leaves anything behind."""

import atexit
import builtins
import contextlib
import decimal
import gc
import importlib.util
import json
import linecache
import logging
import os
import random
import subprocess
import sys
import textwrap
import traceback
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from coursebuild.playing import LIVE
from nextword import checks
from nextword.exercises import exercise
from nextword.exercises.grading import report

CHECKS = """\
class CheckFailed(AssertionError):
    pass


def check(claim: str, got: object, expected: object) -> None:
    if not got == expected:
        raise CheckFailed(claim)
    print("ok  ", claim)


def figure(name: str, value: object) -> None:
    pass


"""


@pytest.fixture(scope="module")
def harness() -> ModuleType:
    spec = importlib.util.spec_from_file_location("live_harness", LIVE / "harness.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def run(harness: ModuleType) -> Any:
    """Run a program: what the harness says of it."""

    def run(
        code: str, marker: str = "# panel 1.1: ", ident: str = "", answer: str = "", tell: Any = None
    ) -> dict[str, Any]:
        result = json.loads(harness.run(textwrap.dedent(code), "panel.py", marker, ident, answer, tell=tell))
        assert isinstance(result, dict)
        return result

    return run


class TestClaims:
    def test_each_is_told_and_a_false_one_does_not_end_the_run(self, run: Any, capsys: Any) -> None:
        result = run(
            CHECKS
            + 'check("one", 1 + 1, 2)\ncheck("two", [3], [4])\ncheck("three", "a", "a")\nprint("end")\n'
        )
        assert [(one["claim"], one["held"]) for one in result["checks"]] == [
            ("one", True),
            ("two", False),
            ("three", True),
        ]
        assert (result["checks"][1]["got"], result["checks"][1]["expected"]) == ("[3]", "[4]")
        assert result["error"] is None
        assert capsys.readouterr().out == "end\n"

    def test_those_of_the_package_too(self, run: Any, capsys: Any) -> None:
        result = run('from nextword.checks import check, figure\ncheck("no", True, 1)\nfigure("n", [1, 2])\n')
        assert [(one["claim"], one["held"]) for one in result["checks"]] == [("no", False)]
        assert result["figures"] == {"n": [1, 2]}
        assert capsys.readouterr().out == ""

    def test_an_edited_check_does_not_decide(self, run: Any) -> None:
        result = run(CHECKS.replace("if not got", "if False and not got") + 'check("false", 1, 2)\n')
        assert [one["held"] for one in result["checks"]] == [False]

    def test_another_function_of_that_name_is_left_alone(self, run: Any, capsys: Any) -> None:
        result = run('def check(word):\n    print(word)\ncheck("mine")\n')
        assert (result["checks"], result["error"]) == ([], None)
        assert capsys.readouterr().out == "mine\n"

    def test_a_claim_that_cannot_be_checked_is_an_error_at_its_line(self, run: Any) -> None:
        result = run(CHECKS + '\n\ncheck("", 1, 1)\n')
        assert result["error"]["line"] == CHECKS.count("\n") + 3
        assert "claim must be a sentence" in result["error"]["text"]

    def test_long_values_are_cut(self, run: Any) -> None:
        result = run(CHECKS + 'check("long", "a" * 10_000, 1)\n')
        assert len(result["checks"][0]["got"]) == 300

    def test_those_before_an_error_are_kept(self, run: Any) -> None:
        result = run(CHECKS + 'check("one", 1, 1)\n1 / 0\ncheck("two", 1, 1)\n')
        assert [one["claim"] for one in result["checks"]] == ["one"]
        assert "ZeroDivisionError" in result["error"]["text"]

    @pytest.mark.parametrize(
        ("got", "expected"),
        [(1, True), (True, True), (True, 1), (0, False), (1, 1.0), ("a", "a"), ([1], [2]), (float("nan"), 1), (None, 0)],
    )  # fmt: skip
    def test_the_rule_is_that_of_the_package(self, run: Any, got: object, expected: object) -> None:
        try:
            checks.check("plain", got, expected)
        except checks.CheckFailed:
            held = False
        else:
            held = True
        code = f"nan = float('nan')\n{CHECKS}check('a', {got!r}, {expected!r})\n"
        assert [one["held"] for one in run(code)["checks"]] == [held]

    @pytest.mark.parametrize(
        "head",
        [
            "def check(claim, got, expected, tolerance=0):",
            "def check(claim, got, expected=True):",
            "def check(claim, got, expected, *others):",
            "def check(claim, got, expected, **others):",
            "def check(claim, got, expected, *, loud=True):",
            "def check(claim, got, /, expected):",
            "import functools\n@functools.lru_cache\ndef check(claim, got, expected):",
        ],
    )
    def test_one_that_is_called_in_another_way_is_the_readers_own(self, run: Any, head: str) -> None:
        result = run(f"{head}\n    return 'mine'\nx = check('a', 1, 2)\nprint(type(x).__name__, end='')\n")
        assert (result["checks"], result["error"]) == ([], None)

    def test_one_that_is_awaited_too(self, run: Any) -> None:
        code = "async def check(claim, got, expected):\n    pass\nassert type(check).__name__ == 'function'\n"
        assert run(code)["error"] is None

    def test_the_same_of_figure(self, run: Any) -> None:
        result = run("def figure(name, value, *more):\n    assert more == (3,)\nfigure('a', 2, 3)\n")
        assert (result["figures"], result["error"]) == ({}, None)


class TestValues:
    def test_they_are_written_only_where_the_claim_failed(self, run: Any) -> None:
        first, second = run(CHECKS + 'check("a", 1, 1)\ncheck("b", 1, 2)\n')["checks"]
        assert (first["got"], first["expected"]) == ("", "")
        assert (second["got"], second["expected"]) == ("1", "2")

    @pytest.mark.parametrize(
        ("value", "text"),
        [
            ("2**20000", "a value of type int that cannot be printed"),
            ("Bad()", "a value of type Bad that cannot be printed"),
            ("[Bad()]", "a value of type list that cannot be printed"),
            ("Nameless()", "a value of type Nameless that cannot be printed"),
        ],
    )
    def test_those_that_cannot_be_written_end_nothing(
        self, run: Any, capsys: Any, value: str, text: str
    ) -> None:
        code = f"""\
class Bad:
    def __repr__(self):
        raise KeyboardInterrupt
class Meta(type):
    @property
    def __name__(cls):
        raise ValueError
class Nameless(Bad, metaclass=Meta):
    pass
value = {value}
check("holds", value is value, True)
check("holds too", value, value)
check("fails", value, 1)
print("end")
"""
        result = run(CHECKS + code)
        assert result["error"] is None
        assert [one["held"] for one in result["checks"]] == [True, True, False]
        assert result["checks"][2]["got"] == text
        assert capsys.readouterr().out == "end\n"

    def test_the_text_itself_may_be_of_a_strange_kind(self, harness: ModuleType) -> None:
        class Text(str):
            def __len__(self) -> int:
                raise ValueError

            def __getitem__(self, key: Any) -> str:
                raise ValueError

        class Thing:
            def __repr__(self) -> str:
                return Text("x" * 1000)

        assert harness.shortened(Thing()) == "x" * 298 + " …"

    def test_an_error_in_the_comparison_is_the_readers(self, run: Any) -> None:
        result = run(
            CHECKS + "class A:\n    def __eq__(self, other):\n        return 1 / 0\ncheck('a', A(), 1)\n"
        )
        assert "ZeroDivisionError" in result["error"]["text"]


class TestManyChecks:
    def test_those_that_failed_or_say_something_new_are_kept_and_the_others_counted(self, run: Any) -> None:
        code = CHECKS + textwrap.dedent("""\
            for i in range(1500):
                check("same", i, i)
            check("same", 1, 2)
            check("new", 1, 1)
            check("new", 1, 1)
            """)
        result = run(code)
        assert [(one["claim"], one["held"]) for one in result["checks"][1000:]] == [
            ("same", False),
            ("new", True),
        ]
        assert result["more"] == {"held": 501, "failed": 0}

    def test_there_is_an_end_to_them(self, run: Any) -> None:
        told: list[str] = []
        code = CHECKS + "for i in range(5000):\n    check(f'claim {i}', i % 2, 0)\n"
        result = run(code, tell=told.append)
        assert len(result["checks"]) == len(told) == 2000
        assert result["more"] == {"held": 1500, "failed": 1500}
        assert run(CHECKS)["more"] == {"held": 0, "failed": 0}

    def test_each_is_told_when_it_is_made(self, run: Any) -> None:
        class Stop(BaseException):
            pass

        told: list[dict[str, Any]] = []

        def tell(check: str) -> None:
            told.append(json.loads(check))
            if len(told) == 2:
                raise Stop

        result = run(CHECKS + "for i in (1, 2, 3):\n    check(f'{i}', i, 2)\n", tell=tell)
        assert [(one["claim"], one["held"]) for one in told] == [("1", False), ("2", True)]
        assert told == result["checks"]

    def test_a_long_claim_is_cut(self, run: Any) -> None:
        assert run(CHECKS + "check('a' * 10**6, 1, 1)\n")["checks"][0]["claim"] == "a" * 1000


class TestAsked:
    @pytest.mark.parametrize(
        ("call", "asked"),
        [
            ("check('a', 1 + 1, 2)", "1 + 1"),
            ("check(\n    'ä',\n    [\n        'ö',   'b',\n    ],\n    2,\n)", "[ 'ö', 'b', ]"),
            ("check('a', expected=2, got=len('xy'))", "len('xy')"),
            ("check('a', *(1, 2))", ""),
            ("check(*('a', 1), 2)", ""),
            ("[check('a', n, 2) for n in (1, 2)]", "n"),
            ("def f(v):\n    check('a', v * 2, 2)\nf(1); f(2)", "v * 2"),
            ("x = check('a', max(1, 2), 2), check('b', 3, 3)", "max(1, 2)"),
            ("list(map(check, ['a'], [1], [2]))", ""),
            ("import itertools\nlist(itertools.starmap(check, [('a', 1, 1)]))", ""),
            ("again = check\nagain('a', 2 - 1, 1)", "2 - 1"),
            ("exec(\"check('a', 3, 3)\")", ""),
            ("'\u2028\x0c\x85'; check('a', 7, 7)", "7"),
            ("check('a', " + "1 + " * 50 + "1, 2)", "1 + " * 39 + "1  …"),
        ],
    )
    def test_the_source_of_what_was_got(self, run: Any, call: str, asked: str) -> None:
        result = run(CHECKS + "\n" + call + "\n")
        assert result["error"] is None
        found = result["checks"][0]["asked"]
        assert found == asked
        assert len(found) <= 160

    def test_by_the_module_too(self, run: Any) -> None:
        result = run("from nextword import checks\nchecks.check('a',\n  'é' + 'b', 2)\n")
        assert [one["asked"] for one in result["checks"]] == ["'é' + 'b'"]


class TestContinuedPanel:
    PROGRAM = CHECKS + textwrap.dedent("""\
        print("of the library")
        # panel 1.0: The first

        import sys
        words = ["a"]
        print("first")
        print("first", file=sys.stderr)
        check("of the first", 1, 2)
        figure("of_first", 1)


        # panel 1.1: The second

        print("second", words)
        check("of the second", 1, 1)
        figure("of_second", 2)
        """)

    def test_only_its_own_part_is_seen(self, run: Any, capsys: Any) -> None:
        result = run(self.PROGRAM)
        assert [one["claim"] for one in result["checks"]] == ["of the second"]
        assert result["figures"] == {"of_second": 2}
        assert capsys.readouterr() == ("of the library\nsecond ['a']\n", "")

    def test_of_a_stream_that_an_earlier_part_kept_too(self, run: Any, capsys: Any) -> None:
        code = textwrap.dedent("""\
            # panel 1.0: The first
            import logging, sys
            out = sys.stdout
            handler = logging.StreamHandler(sys.stderr)
            print("first", end="")
            out.write("first")
            print("first", file=handler.stream)
            # panel 1.1: The second
            print("second", file=out)
            handler.emit(logging.makeLogRecord({"msg": "logged"}))
            """)
        assert run(code)["error"] is None
        assert capsys.readouterr() == ("second\n", "logged\n")

    def test_without_its_heading_all_is_seen(self, run: Any, capsys: Any) -> None:
        result = run(self.PROGRAM.replace("# panel 1.1: ", "# "))
        assert [one["claim"] for one in result["checks"]] == ["of the first", "of the second"]
        assert capsys.readouterr().out == "of the library\nfirst\nsecond ['a']\n"

    def test_an_error_before_it_is_told(self, run: Any) -> None:
        result = run(self.PROGRAM.replace('words = ["a"]', "words = [a]"))
        assert result["error"]["text"].split("\n")[-1] == "NameError: name 'a' is not defined"


class TestErrors:
    def test_the_readers_own_lines_alone(self, run: Any) -> None:
        result = run("def f(xs):\n    return 1 / len(xs)\n\nprint('before')\nf([])\n")
        assert result["error"] == {
            "text": "line 5: f([])\nline 2, in f: return 1 / len(xs)\nZeroDivisionError: division by zero",
            "line": 2,
        }

    def test_and_the_place_where_it_broke(self, run: Any) -> None:
        lines = run("import json\njson.loads('{')\n")["error"]["text"].split("\n")
        assert lines[0] == "line 2: json.loads('{')"
        assert lines[1].startswith("json/decoder.py, line ")
        assert len(lines) == 3

    def test_a_syntax_error_with_its_line_and_nothing_runs(self, run: Any, capsys: Any) -> None:
        result = run("print('no')\nx = 1 +\n")
        assert result["error"]["line"] == 2
        assert result["error"]["text"].startswith("line 2:\n    x = 1 +\n")
        assert result["error"]["text"].endswith("SyntaxError: invalid syntax")
        assert capsys.readouterr().out == ""

    def test_what_only_the_whole_shows_is_seen_before_anything_runs(self, run: Any, capsys: Any) -> None:
        result = run("print('no')\nreturn 1\n")
        assert (result["error"]["line"], capsys.readouterr().out) == (2, "")
        assert "'return' outside function" in result["error"]["text"]

    def test_a_source_that_the_program_reads_may_be_wrong_as_well(self, run: Any) -> None:
        result = run("x = 1\ncompile('a b', 'other.py', 'exec')\n")
        assert result["error"]["line"] == 2
        assert "line 2: compile(" in result["error"]["text"]

    def test_a_long_way_is_cut(self, run: Any) -> None:
        result = run("def f(n):\n    return f(n + 1)\nf(0)\n")
        lines = result["error"]["text"].split("\n")
        assert lines[0] == "line 3: f(0)"
        assert lines[3].startswith("… ")
        assert lines[3].endswith(" calls more …")
        assert lines[-2].startswith("RecursionError: ")
        assert "Does it ever reach its end?" in lines[-1]

    def test_the_end_of_a_program_by_itself(self, run: Any) -> None:
        result = run("import sys\nsys.exit(3)\nprint('no')\n")
        assert result["error"]["line"] == 2
        assert "ended itself here (SystemExit: 3)" in result["error"]["text"]

    def test_memory(self, run: Any) -> None:
        assert "no more memory" in run("raise MemoryError\n")["error"]["text"]

    def test_a_missing_module(self, run: Any) -> None:
        assert "numpy and nextword" in run("import nowhere_at_all\n")["error"]["text"]

    def test_an_interrupt_and_an_error_without_a_text(self, run: Any) -> None:
        assert run("raise KeyboardInterrupt\n")["error"]["text"].endswith("KeyboardInterrupt")
        bad = "class Bad(Exception):\n    def __str__(self):\n        raise ValueError\nraise Bad\n"
        assert "Bad" in run(bad)["error"]["text"]

    def test_one_that_led_to_another(self, run: Any) -> None:
        result = run("try:\n    {}['a']\nexcept KeyError as e:\n    raise ValueError('bad key') from e\n")
        text = "line 2: {}['a']\nKeyError: 'a'\n\nWhile this was handled:\nline 4: raise ValueError('bad key') from e\nValueError: bad key"
        assert result["error"] == {"text": text, "line": 4}

    def test_nobody_can_be_asked(self, run: Any) -> None:
        result = run("name = input('who? ')\n")
        assert "input() cannot ask anything here" in result["error"]["text"]
        assert result["error"]["line"] == 1

    @pytest.mark.parametrize("strange", ["\u2028", "\u2029", "\x85", "\x0c", "\x1c", "\v"])
    def test_only_a_new_line_ends_a_line(self, run: Any, strange: str) -> None:
        result = run(f"a = 'x{strange}y'\nb = 2\n1 / 0  # here\n")
        assert result["error"]["text"].startswith("line 3: 1 / 0  # here\n")

    def test_other_ends_of_lines_are_read_as_python_reads_them(self, run: Any) -> None:
        assert run("a = 1\r\nb = 2\r1 / 0\n")["error"]["text"].startswith("line 3: 1 / 0\n")

    def test_a_group_tells_of_its_errors(self, run: Any) -> None:
        inner = ", ".join(f"KeyError({number})" for number in range(7))
        code = f"raise ExceptionGroup('all', [ValueError('bad'), ExceptionGroup('few', [{inner}])])\n"
        assert run(code)["error"]["text"].split("\n")[1:] == [
            "ExceptionGroup: all (2 sub-exceptions)",
            "  ValueError: bad",
            "  ExceptionGroup: few (7 sub-exceptions)",
            *(f"    KeyError: {number}" for number in range(4)),
            "    … 3 more …",
        ]

    def test_a_very_long_way_is_not_looked_up(self, run: Any, monkeypatch: Any) -> None:
        looked: list[int] = []
        lookup = linecache.getline
        counted = lambda *asked: looked.append(1) or lookup(*asked)  # type: ignore[func-returns-value]  # noqa: E731
        monkeypatch.setattr(linecache, "getline", counted)
        kept: list[int] = []
        extract = traceback.StackSummary._extract_from_extended_frame_gen  # type: ignore[attr-defined]

        def counting(klass: Any, *asked: Any, **named: Any) -> Any:
            found = extract(*asked, **named)
            kept.append(len(found))
            return found

        monkeypatch.setattr(traceback.StackSummary, "_extract_from_extended_frame_gen", classmethod(counting))
        result = run("import sys\nsys.setrecursionlimit(9000)\ndef f(n):\n    return f(n + 1)\nf(0)\n")
        assert "RecursionError" in result["error"]["text"]
        assert len(looked) <= 10
        assert sum(kept) <= 10

    @pytest.mark.skipif(sys.version_info < (3, 12), reason="Python 3.11 says it in C alone")
    def test_a_name_that_is_nearly_right_is_still_said(self, run: Any) -> None:
        text = run("def f():\n    counted = 1\n    return countd\nf()\n")["error"]["text"]
        assert "Did you mean: 'counted'?" in text

    def test_an_end_whose_reason_has_no_text(self, run: Any) -> None:
        code = "class Bad:\n    def __str__(self):\n        raise ValueError\nraise SystemExit(Bad())\n"
        assert "ended itself here (SystemExit" in run(code)["error"]["text"]

    @pytest.mark.parametrize("doubtful", ["x = '\\d'", "x = 1 is 1"])
    def test_what_is_doubtful_is_warned_of_once(self, run: Any, doubtful: str) -> None:
        with pytest.warns() as warned:
            assert run(f"y = 1\n{doubtful}\n")["error"] is None
        assert [(one.filename, one.lineno) for one in warned] == [("panel.py", 2)]


class TestNothingIsLeftBehind:
    def test_what_is_not_in_a_module(self, run: Any) -> None:
        """What objects and Python itself hold."""

        def look() -> list[object]:
            root = logging.getLogger()
            return [
                decimal.getcontext().prec,
                [
                    root.level,
                    list(root.handlers),
                    list(root.filters),
                    root.disabled,
                    logging.root.manager.disable,
                ],
                [logging.getLogger("asyncio").level, logging.getLogger("asyncio").disabled],
                logging.getLogger("asyncio").isEnabledFor(logging.INFO),
                sorted(logging.root.manager.loggerDict),
                [
                    gc.isenabled(),
                    gc.get_threshold(),
                    gc.get_debug(),
                    list(gc.callbacks),
                    gc.get_freeze_count(),
                ],
                [sys.getprofile(), sys.gettrace()],
                sys.get_int_max_str_digits(),
                [sys.stdin, sys.stdout, sys.stderr, sys.__stdin__, sys.__stdout__, sys.__stderr__],
                dict(vars(random.Random)),
                dict(vars(json.JSONEncoder)),
                dict(vars(Path)),
            ]

        logging.getLogger("asyncio")
        gc.unfreeze()
        before = look()
        code = """\
            import decimal, gc, json, logging, pathlib, random, sys, threading
            decimal.getcontext().prec = 3
            decimal.setcontext(decimal.Context(prec=4))
            logging.basicConfig(level=logging.DEBUG, stream=sys.stdout, force=True)
            logging.root.disabled = True
            logging.root.addFilter(print)
            logging.disable(60)
            logging.getLogger("asyncio").isEnabledFor(logging.INFO)
            logging.getLogger("asyncio").setLevel(1)
            logging.getLogger("asyncio").disabled = True
            logging.getLogger("left.behind").setLevel(1)
            gc.disable()
            gc.set_threshold(5)
            gc.callbacks.append(lambda phase, info: None)
            gc.freeze()
            sys.set_int_max_str_digits(700)
            threading.setprofile(len)
            random.Random.random = random.Random.extra = lambda self: 0.5
            json.JSONEncoder.default = lambda self, value: "left"
            del json.JSONEncoder.encode
            pathlib.Path.cwd = None
            sys.setprofile(lambda *event: None)
            sys.settrace(lambda *event: None)
            """
        result = run(code)
        assert result["error"] is None
        assert look() == before
        del before

    def test_where_a_run_broke_the_builtins_python_goes_on_or_is_given_up(self, run: Any) -> None:
        with contextlib.suppress(TypeError):
            run(
                "import builtins\nfor name in ('any', 'set', 'len', 'dict', 'isinstance'):\n    setattr(builtins, name, None)\n"
            )
        assert len([any([1])]) == 1
        assert run("print(len('a'))\n")["error"] is None

    def test_what_is_to_be_called_at_the_end_is_called_at_the_end_of_the_run(
        self, run: Any, capsys: Any
    ) -> None:
        before = atexit.register
        code = """\
            import atexit
            atexit.register(print, "last", sep="-")
            @atexit.register
            def first():
                print("first")
            atexit.register(len)
            atexit.unregister(len)
            print("end")
            """
        assert run(code)["error"] is None
        assert capsys.readouterr().out == "end\nfirst\nlast\n"
        assert atexit.register is before
        assert run("import atexit\natexit.register(lambda: 1 / 0)\n")["error"]["line"] == 2

    @pytest.mark.parametrize("how", ["sys.stdin.readline()", "sys.stdin.read()", "list(sys.stdin)"])
    def test_standard_input_is_refused(self, run: Any, how: str) -> None:
        assert "input() cannot ask anything here" in run(f"import sys\n{how}\n")["error"]["text"]

    def test_what_a_run_changed(self, run: Any) -> None:
        def state() -> tuple[object, ...]:
            return (
                dict(sys.modules),
                vars(builtins).copy(),
                random.getstate(),
                sys.getrecursionlimit(),
                dict(os.environ),
                Path.cwd(),
                list(warnings.filters),
                list(sys.path),
                json.dumps,
            )

        random.seed(1)
        before = state()
        code = """\
            import builtins, json, os, random, sys, warnings, nextword.softmax, colorsys
            builtins.print = builtins.extra = len
            json.dumps = None
            random.seed(5)
            sys.setrecursionlimit(500)
            os.environ["LEFT"] = "1"
            os.chdir("/")
            warnings.simplefilter("error")
            sys.path.append("/left")
            sys.modules["left"] = sys
            del sys.modules["json"]
            """
        assert run(code)["error"] is None
        assert state() == before

    def test_names(self, run: Any) -> None:
        run("left = 1\n")
        assert "NameError" in run("left\n")["error"]["text"]

    def test_its_main_module_is_its_own(self, run: Any) -> None:
        code = """\
            from __future__ import annotations
            import dataclasses, sys
            @dataclasses.dataclass
            class Pair:
                one: NotDefinedAnywhere
            assert sys.modules["__main__"].Pair is Pair and __name__ == "__main__"
            """
        assert run(code)["error"] is None

    def test_the_folder_of_a_run_is_empty(self, harness: ModuleType, tmp_path: Path) -> None:
        home = tmp_path / "home"
        (home / "deep").mkdir(parents=True)
        folder = Path(harness.fresh_folder(str(tmp_path / "panel"), str(home)))
        assert list(home.iterdir()) == []
        (home / "link").symlink_to(tmp_path)
        (folder / "left.txt").touch()
        assert harness.fresh_folder(str(folder), str(home)) == str(folder)
        assert [*folder.iterdir(), *home.iterdir()] == []
        code = "from pathlib import Path\nPath('here.txt').write_text('x')\n"
        assert json.loads(harness.run(code, "panel.py", "", folder=str(folder)))["error"] is None
        assert (folder / "here.txt").exists()


ALONE = """\
import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("live_harness", sys.argv[1])
harness = importlib.util.module_from_spec(spec)
spec.loader.exec_module(harness)
for code in json.loads(sys.argv[2]):
    result = json.loads(harness.run(code, "panel.py", ""))
    harness.tidy()
    assert result["error"] is None, result
    sys.stdout.write("|")
    sys.stdout.flush()
"""
STREAMS = {
    "another layer": "import io, sys\nsys.stdout = io.TextIOWrapper(sys.stdout.buffer, encoding='utf-8')\nprint('ä')\n",
    "a layer that is thrown away": "import io, sys\nio.TextIOWrapper(sys.stdout.buffer)\nprint('ä')\n",
    "closed": "import sys\nprint('ä')\nsys.stdout.close()\n",
    "closed below": "import sys\nprint('ä')\nsys.stdout.buffer.close()\nsys.__stdout__.close()\nsys.stdin.close()\n",
    "the descriptor": "import sys\nwith open(sys.stdout.fileno(), 'w', encoding='utf-8') as out:\n    out.write('ä\\n')\n",
    "the first descriptor": "import os\nprint('ä')\nos.close(1)\nos.close(2)\n",
    "another way to write": "import sys\nsys.stdout.reconfigure(encoding='utf-16', newline='\\r\\n')\nsys.stdout.reconfigure(encoding='utf-8', newline='\\n')\nprint('ä')\nsys.stdout.reconfigure(encoding='ascii')\n",
    "bytes": "import sys\nsys.stdout.buffer.write('ä\\n'.encode())\n",
    "taken off": "import sys\nprint('ä')\nsys.stdout.detach()\n",
    "kept and used too late": "import json, sys\nclass Late:\n    def __init__(self):\n        self.me = self\n        self.out = sys.stdout\n    def __del__(self):\n        self.out.write('late')\n        self.out.flush()\nlate = Late()\nprint('ä')\n",
}


class TestStreams:
    @pytest.mark.parametrize("how", STREAMS)
    def test_whatever_a_run_does_to_them_the_next_one_has_its_own(self, how: str) -> None:
        codes = [STREAMS[how], "print('next: ä')\n", STREAMS[how], "print('next: ä', flush=True)\n"]
        command = [sys.executable, "-c", ALONE, str(LIVE / "harness.py"), json.dumps(codes)]
        done = subprocess.run(
            command, capture_output=True, encoding="utf-8", env=os.environ | {"PYTHONUTF8": "1"}
        )
        assert done.returncode == 0, done.stderr
        assert done.stdout == "ä\n|next: ä\n|" * 2

    def test_where_all_descriptors_are_closed_python_is_given_up(self) -> None:
        codes = ["import os\nos.closerange(3, 100)\n"]
        command = [sys.executable, "-c", ALONE, str(LIVE / "harness.py"), json.dumps(codes)]
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
        assert "in end" in done.stderr
        assert "OSError" in done.stderr


class TestExercise:
    RIGHT = "def merge(symbols, pair):\n    return symbols\n"

    def test_the_report_is_that_of_the_grading(self, run: Any, capsys: Any) -> None:
        asked = exercise("17.3")
        code = f"from {asked.solution.__module__} import solution as {asked.name}\nprint('mine')\n"
        result = run(code, "", "17.3", asked.name)
        expected = report(asked, asked.solution)
        assert result["report"] == expected.text
        assert [one["claim"] for one in result["checks"]] == list(expected.held)
        assert all(one["held"] for one in result["checks"])
        assert capsys.readouterr().out == "mine\n"

    def test_checks_are_in_their_order(self, run: Any) -> None:
        asked = exercise("17.3")
        wrong = asked.wrong[0].answer
        code = f"from {wrong.__module__} import {wrong.__name__} as {asked.name}\n"
        result = run(code, "", "17.3", asked.name)
        assert [one["claim"] for one in result["checks"]] == [check.claim for check in asked.checks(wrong)]
        assert next(one["claim"] for one in result["checks"] if not one["held"]) == asked.wrong[0].fails

    def test_what_is_told_of_each(self, run: Any) -> None:
        asked = exercise("17.3")
        wrong = asked.wrong[0].answer
        code = f"from {wrong.__module__} import {wrong.__name__} as {asked.name}\n"
        told: list[str] = []
        result = run(code, "", "17.3", asked.name, told.append)
        outcomes = report(asked, wrong).outcomes
        assert [one["said"] for one in result["checks"]] == [one.said for one in outcomes]
        assert all(bool(one["said"]) != one["held"] for one in result["checks"])
        assert told == []

    def test_a_module_that_answers_for_itself_is_not_asked(self, run: Any) -> None:
        code = "def __getattr__(name):\n    raise SystemExit\n"
        assert "Nothing was checked" in run(code, "", "17.3", "merge")["report"]

    def test_no_answer(self, run: Any) -> None:
        asked = exercise("17.3")
        result = run("x = 1\n", "", "17.3", asked.name)
        assert f"Nothing was checked: the code defines no {asked.name}" in result["report"]
        assert not any(one["held"] for one in result["checks"])
        assert len(result["checks"]) == len(list(asked.checks(asked.solution)))

    def test_an_answer_that_breaks_before_it_is_one(self, run: Any) -> None:
        result = run("1 / 0\n", "", "17.3", "merge")
        assert (result["report"], result["checks"], result["error"]["line"]) == (None, [], 1)


class TestNumpyIsNeeded:
    @pytest.mark.parametrize(
        "code",
        [
            "import numpy",
            "import math, numpy.linalg as la",
            "from numpy import array",
            "def f():\n    import numpy as np\n",
            "from nextword.arrays import causal_mask",
            "from nextword import arrays",
            "import nextword.arrays",
        ],
    )
    def test_by_an_import_of_it_or_of_what_imports_it(self, harness: ModuleType, code: str) -> None:
        assert harness.needs_numpy(code)

    @pytest.mark.parametrize(
        "code",
        [
            "import math",
            "from nextword.bpe import bpe_train",
            "# import numpy",
            "x = 'import numpy'",
            "import (",
            "\0",
        ],
    )
    def test_not_by_a_mention(self, harness: ModuleType, code: str) -> None:
        assert not harness.needs_numpy(code)
