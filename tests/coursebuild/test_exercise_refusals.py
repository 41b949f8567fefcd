"""Each way in which an exercise could be false or useless: the build ends with a status that is not zero and names the place.

A case plants one fault in the module of an exercise, or on its page. What it expects is a place, and words of the message.
"""

import re
from dataclasses import dataclass
from html import unescape

import pytest

from .conftest import SmallSite
from .test_exercises import MODULE, PAGE
from .test_preview import FAULT, preview

pytestmark = [pytest.mark.slow, pytest.mark.once]

MODULE_PATH = "src/nextword/exercises/e1_1_double.py"
GUESS_PATH = "src/nextword/exercises/e1_2_guess.py"
PAGE_PATH = "docs/exercises/one.md"

GUESS = '''\
"""Which numbers a list has; a list times a number is another list."""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises_of_one import twin

ROW = [1, 4]


def start() -> int:
    """How many numbers the list has in the end."""
    return len(ROW * 3)


def solution() -> int:
    """The list, again and again."""
    return len(ROW + ROW + ROW)


def once() -> int:
    """As if nothing had been repeated."""
    return len(ROW)


def sums() -> int:
    """As if the numbers were multiplied."""
    return sum(twin(ROW))


def checks(answer: Any) -> Iterator[Check]:
    """The number alone."""
    yield Check("It is how many numbers there are", lambda: answer, 6, "A list times a number repeats it.")


EXERCISE = Exercise(
    ident="1.2",
    title="A longer list",
    level="predict",
    name="guess",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(once, "leaves the list as it is", "It is how many numbers there are"),
        Wrong(sums, "multiplies the numbers", "It is how many numbers there are"),
    ),
)
'''
LIBRARY = '"""What the exercises of the small site need."""\n\n\ndef twin(row: list[int]) -> list[int]:\n    return [value + value for value in row]\n'
GUESS_ON_PAGE = """
## Exercise 1.2: A longer list

How many numbers are in the list? The list `[1, 4]` is short, and there is no `5` in it; see exercise 1.1.

```exercise id="1.2" show="start"
```

??? tip "A hint"

    Write it down.

```exercise id="1.2" show="answers"
It has [[exercise-1.2.answer]] numbers.
```
"""


@pytest.fixture
def exercise_site(small_site: SmallSite) -> SmallSite:
    """The small site with a page of exercises: a function to write, and a value to predict."""
    small_site.write(MODULE, MODULE_PATH)
    small_site.write(GUESS, GUESS_PATH)
    small_site.write(LIBRARY, "src/nextword/exercises_of_one.py")
    small_site.write(PAGE + GUESS_ON_PAGE, PAGE_PATH)
    small_site.replace("  - lessons/one.md\n", "  - lessons/one.md\n  - exercises/one.md\n", "mkdocs.yml")
    return small_site


def words_of(html: str) -> str:
    return unescape(re.sub(r"<[^>]+>", "", html))


def test_the_small_site_builds_and_shows_what_it_graded(exercise_site: SmallSite) -> None:
    outcome = exercise_site.build("--strict")
    assert outcome.returncode == 0, outcome.stderr
    page = exercise_site.page("exercises/one")
    text = words_of(page)
    for shown in (
        "def double(numbers: list[float]) -> list[float]:",
        'grade("1.1", double)',
        "A wrong answer: it repeats the list",
        "NOT  The list is as long as before",
        "got 4, expected 2",
        "Because each is taken by itself.",
        'grade("1.2", answer)',
        "It has 6 numbers.",
    ):
        assert shown in text, shown
    assert text.count("1 of 1 checks hold") == 1
    assert "def start" not in text
    assert 'id="panel-exercise-1.1"' in page
    assert 'id="answers-1.1"' in page
    assert exercise_site.root.joinpath("site/exercises/one/one.ipynb").is_file()
    assert "how to run it" not in text, "the small site has no page that says how"
    assert exercise_site.root.joinpath("site/programs/exercise-1.1.py").is_file()


@dataclass(frozen=True)
class Case:
    """A fault: in which file what is replaced by what, where the message says it is, and its words.

    ``at`` is a line relative to the one that was replaced; or the beginning of the line of the page at which it is told.
    """

    name: str
    path: str
    old: str
    new: str
    at: int | str
    message: str


START, ANSWERS = '```exercise id="1.1" show="start"', '```exercise id="1.1" show="answers"'
GUESS_START = '```exercise id="1.2" show="start"'
BODY = "    return [number + number for number in numbers]\n"
GUESS_BODY = "    return len(ROW + ROW + ROW)\n"
WRONG = "    return numbers * 2\n"
CLAIM = "The list is as long as before"
SAYS = "a wrong"
TOLD = f"the claim “An answer that repeats the list is told: “{CLAIM}”” does not hold: got"
PASSES = "the claim “The solution passes every check” does not hold: got"
WHOLE = PAGE + GUESS_ON_PAGE
BLOCKS = f"{START}\n```\n"
HEADING = "## Exercise 1.1: Each with itself"

CASES = [
    # what a run of the exercise does
    Case("a solution that is wrong", MODULE_PATH, BODY, "    return list(numbers)\n", START, f"exercise 1.1: {PASSES} ('Each number is added to itself',), expected ()"),
    Case("a solution that raises", MODULE_PATH, BODY, "    raise ValueError\n", START, PASSES),
    Case("a solution that exits", MODULE_PATH, BODY, "    raise SystemExit(0)\n", START, PASSES),
    Case("a solution that leaves the interpreter", MODULE_PATH, BODY, "    import os\n    os._exit(0)\n", START, "exercise 1.1: the interpreter ended with status 0 before"),
    Case("a solution that loops", MODULE_PATH, BODY, "    while True:\n        pass\n", START, "exercise 1.1: still running after"),
    Case("a solution that writes to stderr", MODULE_PATH, BODY, "    import sys\n    print('oh', file=sys.stderr)\n" + BODY, START, "exercise 1.1: output on stderr: oh"),
    Case("a solution that warns", MODULE_PATH, BODY, "    import warnings\n    warnings.warn('careful')\n" + BODY, START, PASSES),
    Case("a wrong answer that writes to stderr", MODULE_PATH, WRONG, "    import sys\n    print('oh', file=sys.stderr)\n" + WRONG, START, "exercise 1.1: output on stderr: oh"),
    Case("a wrong answer that is right", MODULE_PATH, WRONG, BODY, START, f"exercise 1.1: {TOLD} (), expected"),
    Case("a wrong answer that fails another check first", MODULE_PATH, WRONG, "    return list(numbers)\n", START, f"{TOLD} ('Each number is added to itself',), expected ('{CLAIM}',)"),
    Case("a wrong answer that fails no check of that name", MODULE_PATH, f'"repeats the list", "{CLAIM}"', '"repeats the list", "The list is long"', START, f"got ('{CLAIM}',), expected ('The list is long',)"),
    Case("a check that the solution fails", MODULE_PATH, "[2.0, 8.0]", "[2.0, 9.0]", START, PASSES),
    Case("checks that raise", MODULE_PATH, "    yield Check(\"The list", "    1 / 0\n    yield Check(\"The list", START, "exercise 1.1: ZeroDivisionError: division by zero"),
    Case("a module that raises", MODULE_PATH, "ROWS = 5", "ROWS = 5 / 0", START, "exercise 1.1: ZeroDivisionError"),
    Case("a module that imports what is not there", MODULE_PATH, "import math", "import maths", START, "exercise 1.1: ModuleNotFoundError"),
    Case("a module that imports what the library lacks", MODULE_PATH, "import Check, Exercise, Wrong", "import Check, Exercise, Wrong, Wrongs", START, "exercise 1.1: ImportError: cannot import name 'Wrongs' from 'nextword.exercises.catalogue'"),
    Case("a module that imports of the library under another name", MODULE_PATH, "import Check, Exercise, Wrong", "import Check, Exercise, Wrong as Miss, Wrong", START, "e1_1_double.py imports 'Wrong' of the library under another name"),
    Case("a value that the solution does not give", GUESS_PATH, GUESS_BODY, "    return len(ROW)\n", GUESS_START, f"exercise 1.2: {PASSES} ('It is how many numbers there are',), expected ()"),
    Case("a program that gives another value", GUESS_PATH, "len(ROW * 3)", "len(ROW * 4)", GUESS_START, "exercise 1.2: the claim “The program as it is shown gives the answer” does not hold: got ('It is how many numbers there are',)"),
    Case("a program that raises", GUESS_PATH, "len(ROW * 3)", "len(ROW / 3)", GUESS_START, "exercise 1.2: TypeError"),
    Case("a value whose solution raises", GUESS_PATH, GUESS_BODY, "    raise ValueError('no')\n", GUESS_START, "exercise 1.2: ValueError: no"),
    Case("a value whose solution loops", GUESS_PATH, GUESS_BODY, "    while True:\n        pass\n", GUESS_START, "exercise 1.2: still running after"),
    Case("a library that changed what a wrong answer gives", "src/nextword/exercises_of_one.py", "value + value", "value + (value < 2)", GUESS_START, "“An answer that multiplies the numbers is told:"),
    # how its module is written
    Case("another number in the module", MODULE_PATH, 'ident="1.1"', 'ident="1.3"', START, "exercise 1.1: src/nextword/exercises/e1_1_double.py says that it is exercise 1.3"),
    Case("another level", MODULE_PATH, '"implement"', '"try"', START, "e1_1_double.py: level must be one of"),
    Case("one wrong answer", MODULE_PATH, f'        Wrong(repeats, "repeats the list", "{CLAIM}"),\n', "", START, "e1_1_double.py: wrong must be a tuple of two calls of Wrong"),
    Case("another solution than is shown", MODULE_PATH, "solution=solution", "solution=lambda n: [x + x for x in n]", START, "must be the function solution, which is what is shown"),
    Case("a line that would not be shown", MODULE_PATH, "ROWS = 5", "ROWS = 5\nprint(ROWS)", START, "line 11 of e1_1_double.py is neither"),
    Case("a start that uses the name the reader writes", MODULE_PATH, 'name="double"', 'name="list"', START, "needs another 'list' than the reader is to write"),
    Case("a typed number in a claim", MODULE_PATH, 'Check("Each number is', 'Check("Each of 40 is', 0, "exercise 1.1: the text says '40', typed by hand"),
    Case("a typed number in what a failure means", MODULE_PATH, "A list times a number", "A list of 40", 0, "exercise 1.1: the text says '40', typed by hand"),
    Case("a typed number in what a wrong answer does", MODULE_PATH, '"repeats the list"', '"repeats it twelve times"', 0, "exercise 1.1: the text says 'twelve', typed by hand"),
    Case("a typed number in the title", MODULE_PATH, "Each with itself", "Each of 40", 0, "exercise 1.1: the text says '40', typed by hand"),
    Case("a claim that is made elsewhere", MODULE_PATH, 'Check("Each number is added to itself"', "Check(CLAIM", START, "what a reader is told must be a text or an f-string"),
    Case("a module that is no Python", MODULE_PATH, "ROWS = 5", "ROWS = (", 0, "library: SyntaxError"),
    # what the page says
    Case("a typed number in the statement", PAGE_PATH, "Add each number to itself.", "Add each number to itself 40 times.", 0, "prose: the number '40' is typed by hand"),
    Case("a typed number in a hint", PAGE_PATH, "Take each by itself.\n\n", "Take each of 40 by itself.\n\n", 0, "prose: the number '40' is typed by hand"),
    Case("a typed number below the solution", PAGE_PATH, "Because each is", "Because forty are", 0, "prose: the number 'forty' is typed by hand"),
    Case("a typed number in code of the prose", PAGE_PATH, "`5`", "`40`", 0, "prose: the number '40' is typed by hand"),
    Case("a figure that no run names", PAGE_PATH, "exercise-1.2.answer", "exercise-1.2.value", 0, "panel exercise-1.2 names no figure 'value'"),
    Case("a figure of an exercise to write", PAGE_PATH, "exercise-1.2.answer", "exercise-1.1.answer", 0, "panel exercise-1.1 names no figure 'answer'"),
    Case("another title", PAGE_PATH, HEADING, f"{HEADING}s", START, f"exercise 1.1: the heading above must be '{HEADING}'"),
    Case("a number of no exercise", PAGE_PATH, "see exercise 1.1", "see exercise 1.9", 0, "prose: there is no exercise '1.9'"),
    Case("a number of no exercise in a lesson", "docs/lessons/one.md", "Some prose", "As exercise 1.9 asks, some prose", 0, "prose: there is no exercise '1.9'"),
    Case("numbers of exercises of which there is one", "docs/lessons/one.md", "Some prose", "As exercises 1.1 and 1.9 ask, some prose", 0, "prose: there is no exercise '1.9'"),
    Case("an exercise called a panel", "docs/lessons/one.md", "Some prose", "As panel 1.2 asks, some prose", 0, "prose: there is no panel '1.2'"),
    Case("an exercise of no module", PAGE_PATH, '```exercise id="1.2" show="start"', '```exercise id="1.9" show="start"', 0, "exercise 1.9: no modules of nextword.exercises begin with e1_9_, one must"),
    Case("a number that is none", PAGE_PATH, '```exercise id="1.2" show="start"', '```exercise id="two" show="start"', 0, "exercise two: 'two' is no exercise: write id=\"17.1\""),
    Case("no hint", PAGE_PATH, '??? tip "A hint"\n\n    Take each by itself.\n', "", START, "exercise 1.1: it has no hint that unfolds"),
    Case("no answers", PAGE_PATH, f"{ANSWERS}\nBecause each is taken by itself.\n```\n", "", START, "exercise 1.1: its answers are missing"),
    Case("no start", PAGE_PATH, BLOCKS, "", ANSWERS, "exercise 1.1: its answers stand before its starting point"),
    Case("the start twice", PAGE_PATH, BLOCKS, BLOCKS + "\n" + BLOCKS, 3, "exercise 1.1: its start stands twice, first at line 7"),
    Case("a text in the start", PAGE_PATH, BLOCKS, f"{START}\ndef double(numbers): ...\n```\n", START, "exercise block: the block of a starting point is empty"),
    Case("no text in the answers", PAGE_PATH, "Because each is taken by itself.\n", "", ANSWERS, "exercise block: the block of the answers holds a text"),
    Case("a misspelt option", PAGE_PATH, START, START.replace("show", "shwo"), 0, "exercise block: an exercise is two blocks"),
    Case("a misspelt part", PAGE_PATH, START, START.replace("start", "begin"), 0, "exercise block: an exercise is two blocks"),
    Case("an option more", PAGE_PATH, START, START + ' open="yes"', 0, "exercise block: an exercise is two blocks"),
    Case("an unquoted option", PAGE_PATH, START, START.replace('"start"', "start"), 0, "exercise block: cannot read the options"),
    Case("an option twice", PAGE_PATH, START, START + ' id="1.1"', 0, "exercise block: option id is given twice"),
    Case("a misspelt language", PAGE_PATH, START, START.replace("exercise", "excercise"), 0, "unknown language 'excercise'"),
    Case("a block that is never closed", PAGE_PATH, "It has [[exercise-1.2.answer]] numbers.\n```\n", "It has [[exercise-1.2.answer]] numbers.\n", -1, "exercise block: the block is never closed"),
    Case("a start in a comment", PAGE_PATH, BLOCKS, f"<!-- a\n{BLOCKS}-->\n", 1, "exercise 1.1: it is not on the rendered page"),
    Case("answers in a comment", PAGE_PATH, WHOLE[WHOLE.index(ANSWERS):WHOLE.index("\n\n## Exercise 1.2")], f"<!-- a\n{ANSWERS}\nBecause.\n```\n-->\n", 1, "exercise 1.1: its answers are not on the rendered page"),
    Case("a start in another block", PAGE_PATH, BLOCKS, f"````text\n{BLOCKS}````\n", ANSWERS, "exercise 1.1: its answers stand before its starting point"),
    Case("an exercise on two pages", "docs/lessons/one.md", "Back to", WHOLE[WHOLE.index("## "):WHOLE.index("## Exercise 1.2")] + "\nBack to", 4, "the id is used twice, first at docs/exercises/one.md:7"),
    Case("a panel that calls itself an exercise", PAGE_PATH, "Add each number to itself.", 'Add them.\n\n```python exec="on" id="exercise-1.1" title="Mine"\nfrom nextword.checks import check, figure\n\nrow = [[1] for _ in "ab"]\ncheck("They are alike", len(row), len(sum(row, [])))\nfigure("wrong", [row, row])\nfigure("solution", row)\n```', 2, "panel exercise-1.1: the id is that of exercise 1.1"),
]  # fmt: skip


def place_of(site: SmallSite, case: Case, line: int) -> str:
    """The file and line at which the fault is told."""
    if isinstance(case.at, int):
        return f"{case.path}:{line + case.at}: "
    lines = (site.root / PAGE_PATH).read_text(encoding="utf-8").split("\n")
    return f"{PAGE_PATH}:{next(number for number, text in enumerate(lines, 1) if text.startswith(case.at))}: "


def assert_refused(site: SmallSite, case: Case, *flags: tuple[str, ...]) -> None:
    place = place_of(site, case, site.replace(case.old, case.new, case.path))
    for used, (status, said) in zip(flags, site.build_with(*flags, COURSE_SECONDS="3"), strict=True):
        assert status != 0, f"{used}: {said}"
        at_place = re.split(r"^(?=\w+/[\w/.-]+:\d+: )", said, flags=re.MULTILINE)
        assert any(text.startswith(place) and case.message in text for text in at_place), (
            f"{used}, {place}: {said}"
        )
        assert not (site.root / "site" / "index.html").exists(), "a page was written"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_build_refuses(exercise_site: SmallSite, case: Case) -> None:
    assert_refused(exercise_site, case, ())


@pytest.mark.parametrize("case", CASES[::5], ids=lambda case: case.name)
def test_no_flag_lets_a_fault_pass(exercise_site: SmallSite, case: Case) -> None:
    assert_refused(exercise_site, case, ("--strict", "-q"), ("-q",))


ALONE = [
    (MODULE_PATH, BODY, "    return list(numbers)\n"),
    (MODULE_PATH, WRONG, BODY),
    (MODULE_PATH, "ROWS = 5", "ROWS = 5 / 0"),
    (MODULE_PATH, "import math", "import maths"),
    (MODULE_PATH, "ROWS = 5", "ROWS = ("),
    (MODULE_PATH, 'ident="1.1"', 'ident="1.3"'),
    (MODULE_PATH, "A list times a number", "A list of 40"),
    (GUESS_PATH, "len(ROW * 3)", "len(ROW * 4)"),
    (GUESS_PATH, "len(ROW * 3)", "len(ROW / 3)"),
    (GUESS_PATH, GUESS_BODY, "    raise ValueError('no')\n"),
    (GUESS_PATH, 'level="predict"', 'level="guess"'),
    (PAGE_PATH, HEADING, f"{HEADING}s"),
    (PAGE_PATH, BLOCKS, f"{START}\nBegin here.\n```\n"),
    (PAGE_PATH, "Because each is taken by itself.\n", ""),
    (PAGE_PATH, START, START.replace("show", "shwo")),
    (PAGE_PATH, START, START.replace('"start"', "start")),
    (PAGE_PATH, ANSWERS, ANSWERS.replace('"answers"', "answers")),
    (PAGE_PATH, BLOCKS, f"<!-- a\n{BLOCKS}-->\n"),
    (PAGE_PATH, BLOCKS, ""),
    (PAGE_PATH, "see exercise 1.1", "see exercise 1.9"),
]


@pytest.mark.parametrize(("path", "old", "new"), ALONE)
def test_one_mistake_is_one_message(exercise_site: SmallSite, path: str, old: str, new: str) -> None:
    exercise_site.replace(old, new, path)
    [(status, said)] = exercise_site.build_with(("-q",), COURSE_SECONDS="3")
    assert status != 0
    assert "1 fault\n" in said, said


def test_an_exercise_without_a_module_is_told_once(exercise_site: SmallSite) -> None:
    (exercise_site.root / MODULE_PATH).unlink()
    [(status, said)] = exercise_site.build_with(("-q",))
    assert status != 0
    assert "1 fault\n" in said, said
    assert f"{PAGE_PATH}:7: exercise 1.1: no modules of nextword.exercises begin with e1_1_, one must" in said


def test_two_modules_of_one_number_are_refused(exercise_site: SmallSite) -> None:
    exercise_site.write(MODULE, "src/nextword/exercises/e1_1_twice.py")
    [(status, said)] = exercise_site.build_with(("-q",))
    assert status != 0
    assert "1 fault\n" in said, said
    assert f"{PAGE_PATH}:7: exercise 1.1: 2 modules of nextword.exercises begin with e1_1_, one must" in said


def test_an_edit_of_what_a_solution_imports_is_seen_in_the_next_build(exercise_site: SmallSite) -> None:
    library = "src/nextword/exercises_of_one.py"
    exercise_site.replace(BODY, "    return twin(numbers)\n", MODULE_PATH)
    exercise_site.replace(
        "import math\n", "import math\nfrom nextword.exercises_of_one import twin\n", MODULE_PATH
    )
    assert exercise_site.build().returncode == 0
    assert "return twin(numbers)" in words_of(exercise_site.page("exercises/one"))
    assert "as many" not in words_of(exercise_site.page("exercises/one"))
    exercise_site.replace("value + value for", "2 * value for", library)
    assert exercise_site.build().returncode == 0
    assert "2 * value" in (exercise_site.root / "site/programs/exercise-1.1.py").read_text(encoding="utf-8")
    exercise_site.replace("2 * value for", "3 * value for", library)
    failed = exercise_site.build("--strict")
    assert failed.returncode != 0
    assert f"{PAGE_PATH}:7: exercise 1.1: {PASSES}" in failed.stderr
    assert f"{PAGE_PATH}:22: exercise 1.2: " not in failed.stderr, "fifteen is as wrong as ten"


def test_an_edit_of_the_grader_is_seen_in_the_next_build(exercise_site: SmallSite) -> None:
    exercise_site.replace("checks hold", "claims hold", "src/nextword/exercises/grading.py")
    assert exercise_site.build("-q").returncode == 0
    text = words_of(exercise_site.page("exercises/one"))
    assert "claims hold" in text
    assert "checks hold" not in text


def test_the_preview_shows_the_fault_of_an_exercise_and_comes_back(exercise_site: SmallSite) -> None:
    with preview(exercise_site) as running:
        running.wait("exercises/one/", "Because each is taken by itself", without=FAULT)
        for path, old, new, message in (
            (
                MODULE_PATH,
                BODY,
                "    return list(numbers)\n",
                "The solution passes every check” does not hold",
            ),
            (
                PAGE_PATH,
                GUESS_START,
                GUESS_START.replace("1.2", "1.9"),
                "no modules of nextword.exercises begin",
            ),
            (PAGE_PATH, START, START.replace("show", "shwo"), "an exercise is two blocks"),
        ):
            exercise_site.replace(old, new, path)
            assert FAULT in running.wait("exercises/one/", re.escape(message))
            assert message in running.said()
            exercise_site.replace(new, old, path)
            running.wait("exercises/one/", "Because each is taken by itself", without=FAULT)
        exercise_site.replace(BODY, "    return [2 * number for number in numbers]\n", MODULE_PATH)
        running.wait("exercises/one/", r"return \[2 \* number for", without=FAULT)
