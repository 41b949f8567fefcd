"""What the press reads of an exercise's module without running it, and what it asks of the page that shows it."""

import ast
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from coursebuild import exercises
from coursebuild.exercises import Exercise, Trial, faults_of, faults_of_page, of_page, problems, read, trial
from coursebuild.library import Library, UnknownName
from coursebuild.press import Press, parse
from coursebuild.runner import SOURCE
from coursebuild.source import read as read_page
from nextword.exercises import catalogue

HEAD = '''\
"""Sums of a number with itself; a list times a number is another list."""

import math
from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong

ROWS = 5

'''
START = '''
def start(numbers: list[float]) -> list[float]:
    """Each number, added to itself.

    A new list; the one given stays as it is.
    """
    raise NotImplementedError("add each number to itself")

'''
SOLUTION = '''
def solution(numbers: list[float]) -> list[float]:
    """Each by itself.

    A second paragraph.
    """
    return [number + number for number in numbers]

'''
WRONGS = '''
def repeats(numbers: list[float]) -> list[float]:
    """Repeats the list."""
    return numbers * 2


def forgets(numbers: list[float]) -> list[float]:
    """Leaves the last one out."""
    return solution(numbers[:-1])

'''
CHECKS = '''
def checks(answer: Any) -> Iterator[Check]:
    """As long as the list, then the numbers."""
    yield Check("The list is as long as before", lambda: len(answer([1.0, 4.0])), 2, "A list times a number repeats it.")
    yield Check("Each number is added to itself", fresh(answer, [1.0, 4.0]), [2.0, 8.0])

'''
FACTS = """
EXERCISE = Exercise(
    ident="1.1",
    title="Each with itself",
    level="implement",
    name="double",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(repeats, "repeats the list", "The list is as long as before"),
        Wrong(forgets, "forgets the last number", "The list is as long as before"),
    ),
)
"""
MODULE = HEAD + START + SOLUTION + WRONGS + CHECKS + FACTS
PATH = "src/nextword/exercises/e1_1_double.py"


def library_of(root: Path, **modules: str) -> Library:
    """A library of one's own with these modules of exercises."""
    folder = root / "src/nextword/exercises"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    return Library(root / "src")


def double(root: Path, old: str = "", new: str = "") -> Exercise:
    """The exercise, something in its module replaced."""
    assert not old or MODULE.count(old) == 1, f"{old!r} occurs {MODULE.count(old)} times"
    return read(library_of(root, e1_1_double=MODULE.replace(old, new) if old else MODULE), "1.1")


def test_an_exercise_is_read_as_its_module_says_it(tmp_path: Path) -> None:
    found = double(tmp_path)
    assert (found.ident, found.title, found.level, found.name) == (
        "1.1",
        "Each with itself",
        "implement",
        "double",
    )
    assert (found.module, found.path) == ("nextword.exercises.e1_1_double", PATH)
    assert found.start == START.strip().replace("def start", "def double")
    assert found.solution == (
        "def double(numbers: list[float]) -> list[float]:\n"
        '    """Each by itself."""\n'
        "    return [number + number for number in numbers]"
    )
    assert [answer.does for answer in found.wrong] == ["repeats the list", "forgets the last number"]
    assert found.wrong[0].source == WRONGS.split("\n\n\n")[0].strip().replace("def repeats", "def double")
    assert (found.is_value, found.call, found.panel) == (False, 'grade("1.1", double)', "exercise-1.1")


@pytest.mark.parametrize(
    ("level", "is_value"),
    [("predict", True), ("find an example", True), ("find the bug", False), ("implement", False)],
)
def test_a_level_says_whether_the_answer_is_a_value(tmp_path: Path, level: str, is_value: bool) -> None:
    found = double(tmp_path, '"implement"', f'"{level}"')
    assert found.is_value is is_value
    assert found.call == f'grade("1.1", {"answer" if is_value else "double"})'


def test_where_a_value_is_asked_what_computes_it_is_not_called_like_the_program(tmp_path: Path) -> None:
    found = double(tmp_path, '"implement"', '"predict"')
    assert found.start.startswith("def double(")
    assert found.solution.startswith("def worked_out(")
    assert [answer.source.split("(")[0] for answer in found.wrong] == ["def repeats", "def solution"]
    assert "\n\n\ndef forgets(" in found.wrong[1].source


def test_levels_are_those_of_the_catalogue() -> None:
    assert exercises.LEVELS == catalogue.LEVELS
    assert exercises.VALUES == catalogue.VALUES


# What is shown


def shown(root: Path, code: str, own: str = "solution", name: str = "mine", **after: tuple[str, ...]) -> str:
    """What is shown of a module of this code, under a name."""
    module = library_of(root, e9_9_any=code).module("nextword.exercises.e9_9_any")
    return exercises.source_of(module, own, name, **after)


RENAMED = [
    # recursion, and a helper that calls back
    ("def solution(n):\n    return n and solution(n - 1)", "def mine(n):\n    return n and mine(n - 1)"),
    (
        "def solution(n):\n    return helper(n)\n\n\ndef helper(n):\n    return n and solution(n - 1)",
        "def mine(n):\n    return helper(n)\n\n\ndef helper(n):\n    return n and mine(n - 1)",
    ),
    ("def solution(n):\n    return list(map(solution, n))", "def mine(n):\n    return list(map(mine, n))"),
    # what is called the same and is something else
    ("def solution(n):\n    return n.solution", "def mine(n):\n    return n.solution"),
    ("def solution(n):\n    return n. solution", "def mine(n):\n    return n. solution"),
    ("def solution(n):\n    return dict(solution=n)", "def mine(n):\n    return dict(solution=n)"),
    ("def solution(n):\n    return 'solution'", "def mine(n):\n    return 'solution'"),
    ("def solution(n):\n    return f'solution {n}'", "def mine(n):\n    return f'solution {n}'"),
    ("def solution(n):\n    return n  # solution", "def mine(n):\n    return n  # solution"),
    ('def solution(n):\n    """The solution."""', 'def mine(n):\n    """The solution."""'),
    ("my_solution = 3\n\n\ndef solution(n):\n    return my_solution", "my_solution = 3\n\n\ndef mine(n):\n    return my_solution"),
    # two in a line, behind letters that are longer than a byte, and on lines of one expression
    ("def solution(n):\n    return 'é', solution(n), solution(n)", "def mine(n):\n    return 'é', mine(n), mine(n)"),
    ("def solution(n):\n    return (n and\n            solution(n))", "def mine(n):\n    return (n and\n            mine(n))"),
    # classes, methods, decorators, annotations
    (
        "class solution:\n    def again(self) -> 'solution':\n        return solution()",
        "class mine:\n    def again(self) -> 'solution':\n        return mine()",
    ),
    ("@cache\ndef solution(n):\n    return solution(n)\n\n\ndef cache(f):\n    return f", None),
]  # fmt: skip


@pytest.mark.parametrize(("code", "wanted"), RENAMED)
def test_the_function_is_shown_under_the_readers_name(tmp_path: Path, code: str, wanted: str | None) -> None:
    wanted = wanted or "def cache(f):\n    return f\n\n\n@cache\ndef mine(n):\n    return mine(n)"
    found = shown(tmp_path, code)
    assert {*found.split("\n\n\n")} == {*wanted.split("\n\n\n")}
    ast.parse(found)


@pytest.mark.parametrize(
    ("own", "code", "wanted"),
    [
        ("start", "def start(n):\n    return enumerate(n, start=1)", "enumerate(n, start=1)"),
        ("solution", "def solution(n):\n    return helper(n)\n\n\ndef helper(n):\n    return enumerate(n, start=1)", "start=1"),
    ],
)  # fmt: skip
def test_the_name_of_an_argument_stays(tmp_path: Path, own: str, code: str, wanted: str) -> None:
    assert wanted in shown(tmp_path, code, own)


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("def solution(n):\n    return f'{solution(n - 1)}'", "stands in an f-string"),
        ('def solution(n):\n    return f"""\n{solution(n - 1)!r:>{n}}"""', "stands in an f-string"),
        ("def solution(n):\n    return helper(n)\n\n\ndef helper(n):\n    return f'{solution(n)}'", "stands in an f-string"),
        ("def solution(n):\n    solution = n\n    return solution", "is also the name of something else"),
        ("def solution(solution):\n    return solution", "is also the name of something else"),
        ("def solution(n):\n    return [solution for solution in n]", "is also the name of something else"),
        ("def solution(n):\n    import a as solution\n    return solution", "is also the name of something else"),
        ("def solution(n):\n    from a import solution\n    return solution", "is also the name of something else"),
        ("def solution(n):\n    def solution():\n        return n\n    return solution()", "is also the name of something else"),
        ("solution = len", "must be a function or a class"),
    ],
)  # fmt: skip
def test_a_name_that_cannot_be_replaced_everywhere_is_refused(
    tmp_path: Path, code: str, message: str
) -> None:
    with pytest.raises(UnknownName, match=message) as caught:
        shown(tmp_path, code)
    assert str(caught.value).startswith("e9_9_any.py: ")
    assert "solution" in str(caught.value)


def test_a_helper_that_means_something_else_by_the_name_stays(tmp_path: Path) -> None:
    helper = "def helper(solution):\n    return f'{solution}', solution"
    found = shown(tmp_path, f"{helper}\n\n\ndef solution(n):\n    return helper(n)\n")
    assert found == f"{helper}\n\n\ndef mine(n):\n    return helper(n)"


@pytest.mark.parametrize(
    "code",
    [
        "from nextword.bpe import mine\n\n\ndef solution(n):\n    return mine(n)",
        "def mine(n):\n    return n\n\n\ndef solution(n):\n    return mine(n)",
        "mine = 3\n\n\ndef solution(n):\n    return helper(n)\n\n\ndef helper(n):\n    return mine",
        "def solution(mine):\n    return solution(mine)",
        "def solution(n):\n    mine = n\n    return solution(mine)",
    ],
)
def test_a_readers_name_that_the_code_needs_is_refused(tmp_path: Path, code: str) -> None:
    with pytest.raises(UnknownName, match="'mine'"):
        shown(tmp_path, code)


def test_a_readers_name_that_python_has_is_refused_where_it_is_used(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="'sum'"):
        shown(tmp_path, "def solution(n):\n    return sum(n)", name="sum")
    assert shown(tmp_path, "def solution(n):\n    return n", name="sum") == "def sum(n):\n    return n"


def test_a_readers_name_may_be_that_of_a_variable_where_nothing_calls_it(tmp_path: Path) -> None:
    code = "def solution(n):\n    mine = n\n    return mine"
    assert shown(tmp_path, code) == code.replace("solution", "mine")


def test_what_is_needed_comes_first_and_the_rest_does_not(tmp_path: Path) -> None:
    code = (
        "import math\nimport random\nfrom nextword.matrices import Matrix, matmul\n\n"
        "A = 1\nB: int = A\nC = 3\n\n\nclass Row:\n    one = B\n\n\ndef unused():\n    return C\n\n\n"
        "def helper(m: Matrix):\n    return math.sqrt(B), Row\n\n\nD = 4\n\n\ndef solution():\n    return helper(D)\n"
    )
    assert shown(tmp_path, code) == (
        "import math\nfrom nextword.matrices import Matrix\n\n"
        "A = 1\n\nB: int = A\n\n\nclass Row:\n    one = B\n\n\n"
        "def helper(m: Matrix):\n    return math.sqrt(B), Row\n\nD = 4\n\n\ndef mine():\n    return helper(D)"
    )


def test_constants_of_one_kind_stand_together(tmp_path: Path) -> None:
    assert shown(tmp_path, "A = 1\n\n\n\nB = 2\n\n\ndef solution():\n    return A, B") == (
        "A = 1\nB = 2\n\n\ndef mine():\n    return A, B"
    )


def test_of_a_docstring_the_start_alone_is_shown_whole(tmp_path: Path) -> None:
    code = '\n\n\ndef {}():\n    """First.\n\n    Second.\n    """\n\n\n'
    code = code.format("helper") + code.format("start").replace("Second.\n    ", "Second.\n    ")
    code += "def solution():\n    return helper(), start()\n"
    found = shown(tmp_path, code)
    assert found.count("Second.") == 1
    assert 'def helper():\n    """First."""' in found


def test_names_of_one_module_are_imported_together(tmp_path: Path) -> None:
    code = (
        "from b import one\nimport z\nfrom b import three as four, two\nfrom a import zero\nimport os.path as p\n\n\n"
        "def solution():\n    return one, z, four, two, zero, p\n"
    )
    assert shown(tmp_path, code).split("\n\n")[0] == (
        "import os.path as p\nimport z\nfrom a import zero\nfrom b import three as four, one, two"
    )


@pytest.mark.parametrize("last", range(1, 40))
def test_imports_are_at_most_as_wide_as_a_phone_shows(tmp_path: Path, last: int) -> None:
    names = [*(f"name_{number}" for number in range(20)), "n" * last]
    code = f"from nextword.attention import {', '.join(names)}\n\n\ndef solution():\n    return {', '.join(names)}\n"
    lines = shown(tmp_path, code).split("\n\n")[0].split("\n")
    assert max(map(len, lines)) <= 78
    assert all(line.startswith("from nextword.attention import ") for line in lines)
    joined = [name for line in lines for name in line.split("import ")[1].split(", ")]
    assert sorted(joined) == sorted(names)
    for line, following in pairwise(lines):
        assert len(f"{line}, {following.split('import ')[1].split(', ')[0]}") > 78, "it would have fitted"


@pytest.mark.parametrize("others", [["b", "o"], ["o", "p"], ["a", "b"]])
def test_a_name_that_is_too_wide_stands_alone(tmp_path: Path, others: list[str]) -> None:
    names = sorted(["n" * 80, *others])
    code = f"from a import {', '.join(names)}\n\n\ndef solution():\n    return {', '.join(names)}\n"
    lines = shown(tmp_path, code).split("\n\n")[0].split("\n")
    assert f"from a import {'n' * 80}" in lines
    assert [name for line in lines for name in line.removeprefix("from a import ").split(", ")] == names


AFTER = """\
import math
import random

ROWS = 3
MORE = ROWS


def helper():
    return math.pi


def start():
    return helper(), ROWS


def solution():
    return helper(), MORE, random.random(), math.e


def wrong():
    return solution(), start(), MORE
"""


def test_what_the_start_has_shown_already_is_left_out_of_the_answers(tmp_path: Path) -> None:
    assert shown(tmp_path, AFTER, after=("start",)) == (
        "import random\n\nMORE = ROWS\n\n\ndef mine():\n    return helper(), MORE, random.random(), math.e"
    )


def test_an_answer_that_calls_another_shows_what_it_calls(tmp_path: Path) -> None:
    """The reader has written a function of the same name, so the solution and the start must stand there under theirs."""
    assert shown(tmp_path, AFTER, "wrong", after=("start", "solution")) == (
        "def start():\n    return helper(), ROWS\n\n\n"
        "def solution():\n    return helper(), MORE, random.random(), math.e\n\n\n"
        "def mine():\n    return solution(), start(), MORE"
    )


def test_start_and_answer_together_are_a_program_that_runs(tmp_path: Path) -> None:
    space: dict[str, object] = {}
    for own, after in {"start": (), "solution": ("start",), "wrong": ("start", "solution")}.items():
        exec(shown(tmp_path, AFTER, own, after=after), space)
    mine = space["mine"]
    assert callable(mine)
    ((inner, three, *_), (_, rows), more) = mine()
    assert (three, rows, more) == (3, 3, 3)
    assert inner == (space["helper"])()  # type: ignore[operator]


# What is refused

REFUSED: dict[str, tuple[str, str, str]] = {
    "another number": ('ident="1.1"', 'ident="1.2"', f"{PATH} says that it is exercise 1.2"),
    "an unknown level": ('"implement"', '"try it"', f"{PATH}: level must be one of predict, find the bug"),
    "a level that is computed": ('level="implement"', "level=LEVEL", "e1_1_double.py: level of its Exercise"),
    "a title that is computed": ('title="Each with itself"', 'title=f"Each with {ROWS}"', "title of its Exercise must be a text"),
    "no name": ('    name="double",\n', "", "name of its Exercise must be a text written there"),
    "a name that is no text": ('name="double"', "name=2", "name of its Exercise must be a text written there"),
    "no exercise": ("EXERCISE = Exercise(", "OTHER = Exercise(", "e1_1_double.py defines no EXERCISE = Exercise(…)"),
    "another call": ("EXERCISE = Exercise(", "EXERCISE = dict(", "defines no EXERCISE = Exercise(…)"),
    "a call of a method": ("EXERCISE = Exercise(", "EXERCISE = a.Exercise(", "defines no EXERCISE = Exercise(…)"),
    "no start": ("def start(", "def begin(", "e1_1_double.py defines no start"),
    "another start than is shown": ("start=start", "start=solution", "start of its Exercise must be the function start"),
    "another solution than is shown": ("solution=solution", "solution=repeats", "solution of its Exercise must be the function solution"),
    "a solution that is made": ("solution=solution", "solution=fresh(solution)", "must be the function solution"),
    "a list of wrong answers": ("wrong=(\n", "wrong=list(\n", f"{PATH}: wrong must be a tuple of two calls of Wrong"),
    "one wrong answer": ('        Wrong(forgets, "forgets the last number", "The list is as long as before"),\n', "", "wrong must be a tuple of two"),
    "a third wrong answer": ("    ),\n)\n", "        Wrong(forgets, \"forgets\", \"The list\"),\n    ),\n)\n", "wrong must be a tuple of two"),
    "no wrong answers": ("    wrong=(\n", "    others=(\n", "wrong must be a tuple of two"),
    "a wrong answer that is no call": ('Wrong(repeats, "repeats the list", "The list is as long as before")', "repeats", "a wrong answer is Wrong(function"),
    "another call than Wrong": ("Wrong(repeats,", "Right(repeats,", "a wrong answer is Wrong(function"),
    "a wrong answer that is a lambda": ("Wrong(repeats,", "Wrong(lambda n: n,", "a wrong answer is Wrong(function"),
    "what it does is computed": ('"repeats the list"', 'f"repeats {ROWS}"', "a wrong answer is Wrong(function"),
    "a wrong answer of no function": ("Wrong(repeats,", "Wrong(repeat,", "e1_1_double.py defines no repeat"),
    "something that is not shown as it runs": ("ROWS = 5\n", "ROWS = 5\nROWS += 1\n", "line 11 of e1_1_double.py is neither"),
    "a loop": ("ROWS = 5\n", "for ROWS in range(6):\n    pass\n", "line 10 of e1_1_double.py is neither"),
    "two names at once": ("ROWS = 5\n", "ROWS, MORE = 5, 6\n", "line 10 of e1_1_double.py is neither"),
    "a function twice": (START, START + START, "'start' is defined twice in e1_1_double.py"),
    "a name that means two things": ('name="double"', 'name="number"', None),  # a variable of the solution that nothing calls
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_a_module_that_is_not_written_as_an_exercise_is_refused(tmp_path: Path, kind: str) -> None:
    old, new, message = REFUSED[kind]
    if message is None:
        assert double(tmp_path, old, new).solution.startswith("def number(")
        return
    with pytest.raises(UnknownName, match=re.escape(message)):
        double(tmp_path, old, new)


def test_a_wrong_answer_may_name_its_arguments(tmp_path: Path) -> None:
    old = 'Wrong(repeats, "repeats the list", "The list is as long as before")'
    new = 'Wrong(does="repeats it", fails="The list is as long as before", answer=repeats)'
    assert double(tmp_path, old, new).wrong[0].does == "repeats it"


def test_the_module_is_found_by_its_number_alone(tmp_path: Path) -> None:
    library = library_of(
        tmp_path, e1_1_double=MODULE, e1_10_double=MODULE.replace('"1.1"', '"1.10"'), e11_1_x=""
    )
    assert read(library, "1.1").module == "nextword.exercises.e1_1_double"
    assert read(library, "1.10").module == "nextword.exercises.e1_10_double"


def test_no_module_and_two_modules_are_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match=r"no modules of nextword\.exercises begin with e1_2_, one must"):
        read(library_of(tmp_path, e1_1_double=MODULE), "1.2")
    with pytest.raises(UnknownName, match=r"2 modules of nextword\.exercises begin with e1_1_, one must"):
        read(library_of(tmp_path, e1_1_another=MODULE), "1.1")


@pytest.mark.parametrize(
    "ident", ["", "1", "1.", "one.1", "1.1.1", " 1.1", "1.1\n", "../1.1", "1.*", "exercise-1.1"]
)
def test_what_is_no_number_of_an_exercise_is_told(tmp_path: Path, ident: str) -> None:
    with pytest.raises(UnknownName, match=r'write id="17\.1", the lesson and a number'):
        read(library_of(tmp_path, e1_1_double=MODULE), ident)


def test_a_module_that_is_no_python_is_told(tmp_path: Path) -> None:
    with pytest.raises(SyntaxError):
        read(library_of(tmp_path, e1_1_double="def ("), "1.1")


# Numbers that are typed

TYPED = {
    "a claim": ('"Each number is added to itself"', '"Each number is 40 times itself"', "40"),
    "a claim in words": ('"Each number is added to itself"', '"Each number is twelve times itself"', "twelve"),
    "a claim by its name": ('Check("Each number is added to itself", fresh(answer, [1.0, 4.0]), [2.0, 8.0])', 'Check(got=None, expected=[], claim="Each of 40 is added")', "40"),
    "the text of an f-string": ('"Each number is added to itself"', 'f"Each of 40 is {ROWS} added"', "40"),
    "a literal in an f-string": ('"Each number is added to itself"', 'f"Each of {40} is added"', "40"),
    "a text in an f-string": ('"Each number is added to itself"', "f\"Each of {'40'} is added\"", "40"),
    "a claim in parts": ('"Each number is added to itself"', '"Each of " "40 is added"', "40"),
    "what a failure means": ('"A list times a number repeats it."', '"A list times 40 is longer."', "40"),
    "what it means, by its name": ('2, "A list times a number repeats it."', '2, means="A list times 40 is longer."', "40"),
    "what a wrong answer does": ('"repeats the list"', '"repeats the list 40 times"', "40"),
    "what it does, by its name": ('"repeats the list", "The list is as long as before"', 'does="repeats it 40 times", fails="The list is as long"', "40"),
    "a number of the code outside of backticks": ('"Each number is added to itself"', '"Each number, such as 5, is added"', "5"),
    "a number word of the code": ('"Each number is added to itself"', '"Each number, such as five, is added"', "five"),
    "another number in backticks": ('"Each number is added to itself"', '"Each number, such as `40`, is added"', "40"),
    "the title": ('title="Each with itself"', 'title="40 with themselves"', "40"),
}  # fmt: skip


@pytest.mark.parametrize("kind", TYPED)
def test_a_typed_number_in_what_a_reader_is_told_is_a_fault_at_its_line(tmp_path: Path, kind: str) -> None:
    old, new, number = TYPED[kind]
    faults = list(faults_of(double(tmp_path, old, new)))
    [message] = {fault.message for fault in faults}
    assert message == f"the text says {number!r}, typed by hand"
    line = MODULE[: MODULE.index(old)].count("\n") + 1
    assert {(fault.path, fault.line, fault.subject) for fault in faults} == {(PATH, line, "exercise 1.1")}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("", ""),
        ('"Each number is added to itself"', 'f"Each of {ROWS} is added"'),
        ('"Each number is added to itself"', 'f"Each of {len(str(40))} is added"'),
        ('"Each number is added to itself"', '"Each number, such as `5`, is added"'),  # which the code has
        ('"Each number is added to itself"', '"Each number is added, as in `1.0 + 1.0` and `ROWS`"'),
        ("Each by itself.", "Each by itself, 0 and 1 as well, and 5."),
        ("[number + number for number in numbers]", "[number + number for number in numbers]  # 4.0 as well"),
        ("Repeats the list.", "Repeats the list twice."),
        (
            '"Each number is added to itself"',
            '"As panel 17.1 and exercise 17.2 of lesson 17 show, it is added"',
        ),
        ("ROWS = 5", 'ROWS = 5\nTEXT = "40 days"'),
    ],
)
def test_a_number_of_the_code_is_no_typed_one(tmp_path: Path, old: str, new: str) -> None:
    assert list(faults_of(double(tmp_path, old, new))) == []


REMARKS = {
    "a docstring of the start": ("Each number, added to itself.", "Each number, 40 times."),
    "its second paragraph": ("A new list; the one", "A new list of 40; the one"),
    "a docstring of the solution": ("Each by itself.", "Each of forty by itself."),
    "a docstring of a wrong answer": ("Repeats the list.", "Repeats it 40 times."),
    "a comment": ("for number in numbers]", "for number in numbers]  # 40 of them"),
}


@pytest.mark.parametrize("kind", REMARKS)
def test_a_number_in_a_remark_that_is_shown_is_one_of_the_code(tmp_path: Path, kind: str) -> None:
    faults = list(faults_of(double(tmp_path, *REMARKS[kind])))
    said = "forty" if "forty" in REMARKS[kind][1] else "40"
    assert {fault.message for fault in faults} == {
        f"a docstring or comment says {said!r}, which its code has not"
    }
    assert {(fault.path, fault.subject) for fault in faults} == {(PATH, "exercise 1.1")}


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("As long as the list, then the numbers.", "All 40 of them."),
        ("Sums of a number", "Forty"),
        ("Repeats the list.", "Repeats it 40 times."),
    ],
)
def test_a_number_of_a_docstring_allows_none_in_a_claim(tmp_path: Path, old: str, new: str) -> None:
    assert MODULE.count(old) == 1
    changed = MODULE.replace(old, new).replace('"Each number is added to itself"', '"Each of `40` is added"')
    found = read(library_of(tmp_path, e1_1_double=changed), "1.1")
    assert "the text says '40', typed by hand" in {fault.message for fault in faults_of(found)}
    assert not {"40", "40.", "Forty"} & found.words


def test_a_number_of_one_claim_allows_none_in_another(tmp_path: Path) -> None:
    changed = MODULE.replace("Each number is added to itself", "Each of 40").replace(
        "The list is as", "Of 40 it is as"
    )
    found = read(library_of(tmp_path, e1_1_double=changed), "1.1")
    assert len(list(faults_of(found))) >= 2
    assert "40" not in found.words


ELSEWHERE = [
    ('Check("Each number is added to itself"', "Check(CLAIM"),
    ('Check("Each number is added to itself"', 'Check("Each of " + str(40)'),
    ('Check("Each number is added to itself"', 'Check("Each of %d" % 40'),
    ('Check("Each number is added to itself"', 'Check("Each of {}".format(40)'),
    ('Check("Each number is added to itself"', "Check(40"),
    ('2, "A list times a number repeats it."', "2, MEANS"),
    ('2, "A list times a number repeats it."', "2, means=MEANS"),
    ('"repeats the list", "The list is as long as before"', '"repeats the list", CLAIM'),
]


@pytest.mark.parametrize(("old", "new"), ELSEWHERE)
def test_what_a_reader_is_told_stands_where_it_is_told(tmp_path: Path, old: str, new: str) -> None:
    """Else nobody would see the numbers that are typed in it."""
    line = MODULE[: MODULE.index(old)].count("\n") + 1
    message = rf"e1_1_double\.py, line {line}: what a reader is told must be a text or an f-string"
    with pytest.raises(UnknownName, match=message):
        double(tmp_path, old, new)


def test_the_words_of_the_code_may_be_quoted_and_what_it_tells_may_not(tmp_path: Path) -> None:
    words = double(tmp_path, "ROWS = 5", 'ROWS = ["é", 0x10]\nTEXT = "to be 7"').words
    assert {"0x10", "16", "to", "be", "7", "1.0", "8.0"} <= words
    assert not {"True", "Each", "with", "repeats", "before", "added"} & words


# The panel that runs it


def test_a_trial_is_a_panel_whose_every_line_is_that_of_the_block(tmp_path: Path) -> None:
    own, faults = trial(double(tmp_path), "docs/exercises/one.md", 7)
    assert faults == ()
    assert isinstance(own, Trial)
    assert (own.ident, own.line, len(own.claims)) == ("exercise-1.1", 7, 4)
    fault = own.fault("panel-raises", "broken", 5)
    assert str(fault).split("\n")[0] == "docs/exercises/one.md:7: exercise 1.1: broken"
    assert fault.anchor == "exercise-1.1"
    assert "answer_of" not in own.code


def test_a_trial_of_a_value_names_it(tmp_path: Path) -> None:
    own, faults = trial(double(tmp_path, '"implement"', '"find an example"'), "docs/exercises/one.md", 7)
    assert faults == ()
    assert 'figure("answer", EXERCISE.answer_of(EXERCISE.solution))' in own.code
    assert len(own.claims) == 4


def test_what_is_to_be_predicted_is_what_the_program_gives(tmp_path: Path) -> None:
    own, faults = trial(double(tmp_path, '"implement"', '"predict"'), "docs/exercises/one.md", 7)
    assert faults == ()
    assert own.claims[-1].literal == "The program as it is shown gives the answer"


# The page

PAGE = """\
# Exercises

## Exercise 1.1: Each with itself

Add each number to itself.

```exercise id="1.1" show="start"
```

??? tip "A hint"

    Take each by itself.

```exercise id="1.1" show="answers"
Because each is taken by itself.
```
"""
NAME = "docs/exercises/one.md"
ASKED = ("1.1", "1.2")


@pytest.fixture
def faults_on(tmp_path: Path) -> Callable[[str], list[str]]:
    """What is wrong with a page, each as line and message."""
    library = library_of(
        tmp_path,
        e1_1_double=MODULE,
        e1_2_more=MODULE.replace('"1.1"', '"1.2"').replace("Each with itself", "More"),
    )
    known = {ident: read(library, ident) for ident in ASKED}

    def found(text: str) -> list[str]:
        faults = list(faults_of_page(NAME, read_page(text), known))
        assert {fault.path for fault in faults} <= {NAME}
        assert {fault.subject for fault in faults} <= {f"exercise {ident}" for ident in (*ASKED, "1.9")}
        return [f"{fault.line}: {fault.message}" for fault in faults]

    return found


SECOND = PAGE[PAGE.index("## ") :].replace("1.1", "1.2").replace("Each with itself", "More")
BEGIN, END = '```exercise id="1.1" show="start"\n```\n', PAGE[PAGE.index('```exercise id="1.1" show="a') :]
HINT = '??? tip "A hint"\n\n    Take each by itself.\n\n'
HEADING = "7: the heading above must be '## Exercise 1.1: Each with itself'"
NO_HINT = "7: it has no hint that unfolds"

PAGES = {
    "as it should be": (PAGE, []),
    "two of them": (f"{PAGE}\n{SECOND}", []),
    "an open hint": (PAGE.replace("??? tip", "???+ tip"), [NO_HINT]),
    "another title": (PAGE.replace(": Each with itself", ": Twofold"), [HEADING]),
    "another number": (PAGE.replace("Exercise 1.1:", "Exercise 1.2:"), [HEADING]),
    "a heading of another level": (PAGE.replace("## Ex", "### Ex"), [HEADING]),
    "no heading": (PAGE.replace("## Exercise 1.1: Each with itself", ""), [HEADING]),
    "a heading that goes on": (PAGE.replace(": Each with itself", ": Each with itself {#x}"), [HEADING]),
    "a heading below another": (PAGE.replace("Add each number to itself.", "## Another"), [HEADING]),
    "a heading in a comment": (PAGE.replace("## Exercise 1.1: Each with itself", "<!-- x\n## Exercise 1.1: Each with itself\n-->"), [HEADING.replace("7", "9")]),
    "a heading below it": (PAGE.replace("## Exercise 1.1: Each with itself\n", "\n").replace("??? tip", "## Exercise 1.1: Each with itself\n\n??? tip"), [HEADING]),
    "spaces behind the heading": (PAGE.replace(": Each with itself", ": Each with itself  "), []),
    "no answers": (PAGE.replace(END, ""), ["7: its answers are missing"]),
    "no start": (PAGE.replace(BEGIN, ""), ["12: its answers stand before its starting point"]),
    "the start of another": (PAGE.replace(BEGIN, BEGIN.replace("1.1", "1.2")), [
        "7: the heading above must be '## Exercise 1.2: More'", "7: its answers are missing", "14: its answers stand before its starting point"]),
    "the start twice": (PAGE.replace("??? tip", f"{BEGIN}\n??? tip"), ["10: its start stands twice, first at line 7"]),
    "the answers twice": (PAGE + END, ["17: its answers stands twice, first at line 14"]),
    "answers first": (PAGE.replace(BEGIN, "").replace(HINT, "").replace(END, f"{END}\n{BEGIN}\n{HINT}"), ["8: its answers stand before its starting point"]),
    "no hint": (PAGE.replace(HINT, ""), [NO_HINT]),
    "a hint above the start": (PAGE.replace(HINT, "").replace("Add each number to itself.\n", f"Add.\n\n{HINT}"), [NO_HINT.replace("7", "12")]),
    "a hint below the answers": (PAGE.replace(HINT, "") + f"\n{HINT}", [NO_HINT]),
    "a hint that does not unfold": (PAGE.replace("??? tip", "!!! tip"), [NO_HINT]),
    "a hint without a title": (PAGE.replace('tip "A hint"', "tip"), [NO_HINT]),
    "a hint of no text": (PAGE.replace("    Take each by itself.\n\n", ""), [NO_HINT]),
    "a hint whose text is not indented": (PAGE.replace("    Take each", "Take each"), [NO_HINT]),
    "a hint in a comment": (PAGE.replace(HINT, f"<!-- x\n{HINT}-->\n\n"), [NO_HINT]),
    "another kind of box": (PAGE.replace("??? tip", "??? note"), [NO_HINT]),
    "an unknown number": (PAGE.replace('id="1.1"', 'id="1.9"'), []),  # which the press has told already
    # of what is not well written, the block itself is told
    "a text in the block of the start": (PAGE.replace(BEGIN, BEGIN.replace("\n```", "\ndef f\n```")), []),
    "no text in the block of the answers": (PAGE.replace("Because each is taken by itself.\n", ""), []),
    "options that are not read": (PAGE.replace('show="start"', "show=start"), []),
    "an unknown option": (PAGE.replace('show="start"', 'show="start" open="yes"'), []),
    "answers whose options are not read": (PAGE.replace('show="answers"', "show='answers'"), []),
}  # fmt: skip


@pytest.mark.parametrize("kind", PAGES)
def test_a_page_has_of_each_exercise_a_heading_a_start_a_hint_and_answers(
    faults_on: Callable[[str], list[str]], kind: str
) -> None:
    text, wanted = PAGES[kind]
    assert faults_on(text) == wanted


BLOCKS = {
    '```exercise id="1.1" show="start"\n```': "",
    '```exercise id="1.1" show="start"\n\n  \n```': "",
    '```exercise show="answers" id="1.1"\nBecause.\n```': "",
    '```exercise id="1.1" show="start"\ndef f\n```': "the block of a starting point is empty",
    '```exercise id="1.1" show="answers"\n```': "the block of the answers holds a text",
    '```exercise id="1.1" show="answers"\n   \n```': "the block of the answers holds a text",
    '```exercise id="1.1"\n```': "an exercise is two blocks",
    '```exercise show="start"\n```': "an exercise is two blocks",
    '```exercise\n```': "an exercise is two blocks",
    '```exercise id="1.1" show="solution"\n```': "an exercise is two blocks",
    '```exercise id="1.1" show="start" title="x"\n```': "an exercise is two blocks",
    '```exercise id="1.1" shwo="start"\n```': "an exercise is two blocks",
    "```exercise id=1.1 show=start\n```": "cannot read the options",
    "```exercise id='1.1' show='start'\n```": "cannot read the options",
    '```exercise id="1.1" id="1.1" show="start"\n```': "option id is given twice",
    '```exercise id="1.1" show="start"\n': "the block is never closed",
}  # fmt: skip


@pytest.mark.parametrize("text", BLOCKS)
def test_a_block_that_is_not_well_written_is_told_and_not_read(text: str) -> None:
    source = read_page(text)
    [fence] = source.fences
    message = BLOCKS[text]
    assert [problem[: len(message)] for problem in problems(fence)] == ([message] if message else [])
    assert of_page(source) == ([] if message else [fence])


def test_a_panel_cannot_take_the_place_of_a_trial(tmp_path: Path) -> None:
    panel = '```python exec="on" id="exercise-1.1" title="Mine"\nfrom nextword.checks import check\n\n'
    panel += 'check("It is so", len("a" + input()), True)\n```\n\n'
    parsed = parse(NAME, PAGE.replace("## Ex", f"{panel}## Ex"), (double(tmp_path),))
    assert [str(fault).split("\n")[0] for fault in parsed.faults] == [
        f"{NAME}:3: panel exercise-1.1: the id is that of exercise 1.1"
    ]
    assert [type(panel) for panel in parsed.panels] == [Trial]


# All exercises of the course


def test_every_exercise_of_the_course_is_read_and_free_of_typed_numbers() -> None:
    library = Library(SOURCE)
    idents = [found.ident for found in catalogue.exercises()]
    assert idents
    for ident in idents:
        found = read(library, ident)
        assert list(faults_of(found)) == []
        asked = (
            [found.start]
            if found.is_value
            else [found.start, found.solution, *(a.source for a in found.wrong)]
        )
        for source in asked:
            assert re.search(rf"^(def|class) {found.name}\b", source, re.MULTILINE), ident
        for source in (found.start, found.solution, *(answer.source for answer in found.wrong)):
            ast.parse(source)


def test_the_press_reads_an_exercise_once_and_afresh_when_it_changed(tmp_path: Path) -> None:
    library_of(tmp_path, e1_1_double=MODULE)
    page = tmp_path / NAME
    page.parent.mkdir(parents=True)
    page.write_text(PAGE, encoding="utf-8")
    press = Press(tmp_path)
    press._read_library_afresh()
    first, _ = press._exercises(NAME, PAGE)
    assert press._exercises(NAME, PAGE)[0][0] is first[0]
    library_of(tmp_path, e1_1_double=MODULE.replace("number + number", "2 * number"))
    press._read_library_afresh()
    assert "2 * number" in press._exercises(NAME, PAGE)[0][0].solution
