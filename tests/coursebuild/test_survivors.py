"""The lists of mutants that no test notices, and the figures of the last runs: read as they are written."""

import datetime
import platform
import re
from pathlib import Path

import pytest

from coursebuild.survivors import (
    LISTS,
    Figures,
    Mutation,
    read,
    read_figures,
    read_modules,
    source_of,
    today,
    write_figures,
)

pytestmark = pytest.mark.once

CHANGED = Mutation("f", ("    a",), ("    b",))
OUTSIDE = Mutation("", ("x",), ("y", ""))
OTHER = Mutation("C.f", ("    a",), ("    c",))
MANY = """\
# Why
#so.
@ f
-    a
+    b
@ module
-x
+y
+


# Other.
@ C.f
-    a
+    c
"""


def test_a_mutation_is_written_as_a_change_of_lines() -> None:
    assert str(CHANGED) == "@ f\n-    a\n+    b"
    assert str(OUTSIDE) == "@ module\n-x\n+y\n+"


def test_a_list_is_read_as_written(tmp_path: Path) -> None:
    file = tmp_path / "nextword.small.diff"
    assert read(file) == {}
    file.write_text("\n \n")
    assert read(file) == {}
    file.write_text(MANY)
    assert read(file) == {CHANGED: "Why so.", OUTSIDE: "Why so.", OTHER: "Other."}
    for mutation, reason in read(file).items():
        file.write_text(f"# {reason}\n{mutation}\n")
        assert read(file) == {mutation: reason}
    file.write_text("# Gone.\n@ f\n-é\n\n# New.\n@ f\n+X @ y\n", encoding="utf-8")
    assert read(file) == {Mutation("f", ("é",), ()): "Gone.", Mutation("f", (), ("X @ y",)): "New."}


@pytest.mark.parametrize("end", ["b  ", "bX"])
def test_a_line_is_read_to_its_end(tmp_path: Path, end: str) -> None:
    file = tmp_path / "nextword.small.diff"
    file.write_text(f"# Why.\n@ f\n-a\n+{end}\n")
    assert read(file) == {Mutation("f", ("a",), (end,)): "Why."}


HEAD = "an entry has lines of a reason (# …), then mutations (@ …), not:"
TWICE = "is listed twice or changes nothing:"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@ f\n-a\n+b\n", f"{HEAD}\n@ f\n-a\n+b"),
        ("# \n@ f\n-a\n+b\n", f"{HEAD}\n# \n@ f\n-a\n+b"),
        ("# Why.\n", f"{HEAD}\n# Why."),
        ("# Why.\nso\n@ f\n-a\n+b\n", f"{HEAD}\n# Why.\nso\n@ f\n-a\n+b"),
        ("# Why.\n@ f\n", f"{TWICE}\n@ f"),
        ("# Why.\n@ f\n-a\n+b\n\n# So.\n@ f\n-a\n+b\n", f"{TWICE}\n@ f\n-a\n+b"),
        ("# Why.\n@ f\n-a\n+b\n c\nd\n", "a line of a mutation begins with - or +, not:  c"),
    ],
)
def test_a_list_that_is_wrong_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "nextword.small.diff"
    file.write_text(text)
    with pytest.raises(ValueError) as refused:
        read(file)
    assert str(refused.value) == f"nextword.small.diff: {message}"


TABLE = """\
# Mutants: the last run of each module

`make mutants` writes this table. A mutant that ran out of time counts as killed in the score; those that survived are in [survivors](survivors).

| module | mutants | killed | timed out | survived | score | run |
| --- | ---: | ---: | ---: | ---: | ---: | --- |
| `nextword.a` | 100 | 97 | 1 | 2 | 98.0% | 2026-11-30, Python 3.11.7 |
| `nextword.b` | 50 | 40 | 0 | 10 | 80.0% | 2026-12-01, Python 3.12.1 |
| all | 150 | 137 | 1 | 12 | 92.0% | |
"""


def test_figures_are_read_as_written(tmp_path: Path) -> None:
    file = tmp_path / "figures.md"
    assert read_figures(file) == {}
    figures = {
        "nextword.a": Figures(100, 97, 1, 2, "2026-11-30, Python 3.11.7"),
        "nextword.b": Figures(50, 40, 0, 10, "2026-12-01, Python 3.12.1"),
    }
    write_figures(file, figures)
    assert read_figures(file) == figures
    assert file.read_text(encoding="utf-8") == TABLE


def test_what_has_no_mutants_has_nothing_that_was_not_noticed() -> None:
    assert Figures(0, 0, 0, 0, "").score == 1.0


def test_a_run_is_of_its_day_and_python() -> None:
    day, _, python = today().partition(", ")
    assert abs(datetime.date.fromisoformat(day) - datetime.datetime.now(datetime.UTC).date()).days <= 1
    assert python == f"Python {platform.python_version()}"


def test_a_module_or_test_that_is_not_there_is_refused(tmp_path: Path) -> None:
    assert LISTS.as_posix() == "tests/mutants"
    assert source_of("nextword.small.part") == "src/nextword/small/part.py"
    for name in ("src/nextword/small.py", "tests/test_small.py", "tests/mutants/modules.toml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("", encoding="utf-8")
    table = tmp_path / LISTS / "modules.toml"
    table.write_text('# é\n"nextword.small" = ["test_small.py"]\n', encoding="utf-8")
    assert read_modules(tmp_path) == {"nextword.small": ["test_small.py"]}
    for text, missing in {
        '"nextword.big" = []': "nextword.big: there is no src/nextword/big.py",
        '"nextword.small" = ["test_big.py"]': "nextword.small: there is no tests/test_big.py",
    }.items():
        table.write_text(text)
        with pytest.raises(ValueError, match=re.escape(missing)) as refused:
            read_modules(tmp_path)
        assert str(refused.value) == f"{table.relative_to(tmp_path)}: {missing}"
