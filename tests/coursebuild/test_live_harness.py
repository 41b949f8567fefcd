"""The Python side of a live panel: what it says of a program's claims and errors, and that no run leaves anything behind."""

import builtins
import importlib.util
import json
import os
import random
import sys
import textwrap
import warnings
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from coursebuild.playing import LIVE
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

    def run(code: str, marker: str = "# panel 1.1: ", ident: str = "", answer: str = "") -> dict[str, Any]:
        result = json.loads(harness.run(textwrap.dedent(code), "panel.py", marker, ident, answer))
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


class TestNothingIsLeftBehind:
    def test_what_a_run_changed(self, run: Any) -> None:
        random.seed(1)
        before = (
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
        after = (
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
        assert after == before

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
        folder = Path(harness.fresh_folder(str(tmp_path)))
        (folder / "left.txt").touch()
        assert list(Path(harness.fresh_folder(str(tmp_path))).iterdir()) == []
        code = "from pathlib import Path\nPath('here.txt').write_text('x')\n"
        assert json.loads(harness.run(code, "panel.py", "", folder=str(folder)))["error"] is None
        assert (folder / "here.txt").exists()


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
