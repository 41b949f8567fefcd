"""Notebooks to work in: what stands in those of exercises, what does not, and that a reader's own is never lost."""

import json
import shutil
from pathlib import Path
from typing import Any

import nbformat
import pytest

from coursebuild import handouts
from coursebuild.press import Press

ROOT = Path(__file__).resolve().parents[2]

MODULE = '''"""Doubling."""

from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong


def start(number: int) -> int:
    """Twice the number."""
    raise NotImplementedError("write me")


def solution(number: int) -> int:
    secret = 2 * number
    return secret


def squared(number: int) -> int:
    return number**2


def again(number: int) -> int:
    return number


def checks(answer: Any) -> Iterator[Check]:
    yield Check("A number is added to itself", fresh(answer, 3), 6, "That is another operation.")


EXERCISE = Exercise(
    ident="1.1",
    title="Add it",
    level="implement",
    name="double",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(squared, "squares it", "A number is added to itself"),
        Wrong(again, "gives it back", "A number is added to itself"),
    ),
)
'''

PAGE = """\
---
title: "Exercises: one"
description: "To try it."
---

# Exercises: one

Read [the lesson](../lessons/one.md#part) and [a paper](https://example.org/paper), then [the lab](../labs/one.ipynb).

## Exercise 1.1: Add it

A statement with [[two|a number for the test]] numbers.

```exercise id="1.1" show="start"
```

??? tip "A hint"

    Think of a sum.

    And of [the glossary](../reference/glossary.md).

??? tip "Another hint"

    Add.

```exercise id="1.1" show="answers"
Why it is so.
```
"""

LAB = {
    "cells": [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["See [lesson\n", "one](../../lessons/one/) and\n"]},
        {"cell_type": "markdown", "id": "b", "metadata": {}, "source": ["[exercises](../../exercises/one/)"]},
        {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": None, "outputs": [], "source": ["x = [1](2)"]},
    ],
    **handouts.NOTEBOOK,
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copytree(
        ROOT / "src" / "nextword", tmp_path / "src" / "nextword", ignore=shutil.ignore_patterns("e*_*_*.py")
    )
    tmp_path.joinpath("src/nextword/exercises/e1_1_double.py").write_text(MODULE, encoding="utf-8")
    for name, text in (("exercises/one.md", PAGE), ("labs/one.ipynb", json.dumps(LAB))):
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def pressed(project: Path) -> Press:
    press = Press(project)
    press.prepare([(project / "docs/exercises/one.md", "exercises/one/")])
    return press


def cells(text: str) -> list[tuple[str, str]]:
    content: dict[str, Any] = json.loads(text)
    return [(cell["cell_type"], "".join(cell["source"])) for cell in content["cells"]]


def made(project: Path, **options: Any) -> str:
    press = pressed(project)
    assert [str(fault) for fault in press.faults] == []
    return handouts.notebook(press, press.pages["docs/exercises/one.md"], **options)


def test_the_notebook_of_a_page_is_valid_and_has_its_text_starts_and_gradings(project: Path) -> None:
    text = made(project)
    nbformat.validate(nbformat.reads(text, as_version=4))
    kinds = [kind for kind, _ in cells(text)]
    assert kinds == ["markdown", "code", "code", "markdown"]
    (_, before), (_, start), (_, grading), (_, after) = cells(text)
    assert before.startswith("# Exercises: one")
    assert before.endswith("A statement with two numbers.")
    assert start.startswith("def double(number: int) -> int:")
    assert grading == 'from nextword.exercises import grade\n\ngrade("1.1", double);'
    assert "title:" not in text
    assert after.startswith("<details><summary>A hint</summary>\n\nThink of a sum.\n\nAnd of the glossary.")
    assert after.count("<details>") == after.count("</details>") == 2


def test_the_notebook_of_a_page_holds_no_answer(project: Path) -> None:
    text = made(project)
    for told in ("secret", "number**2", "Why it is so", "show=", "???", "NOT  "):
        assert told not in text


def test_links_lead_somewhere_or_are_text(project: Path) -> None:
    assert "Read the lesson and [a paper](https://example.org/paper), then the lab." in made(project)
    beside = made(project, beside=True)
    assert "[the lab](one-lab.ipynb)" in beside
    assert "Read the lesson and" in beside
    on_site = made(project, site="https://example.org/course/")
    assert "[the lesson](https://example.org/course/lessons/one/#part)" in on_site
    assert "[the lab](https://example.org/course/labs/one/)" in on_site


def test_a_lab_is_copied_with_its_links_and_its_code_as_it_is() -> None:
    copied = cells(handouts.lab_copy(json.dumps(LAB), "labs/one/", "", beside=True))
    assert copied[0][1].startswith("See lesson")
    assert copied[1] == ("markdown", "[exercises](one-exercises.ipynb)")
    assert copied[2] == ("code", "x = [1](2)")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        b"[]",
        b"# A lab",
        b'{"nbformat": 4, "cells": [{}]}',
        b'{"nbformat": 3, "worksheets": []}',
        b"\xff",
    ],
)
def test_what_is_no_notebook_breaks_nothing(project: Path, content: bytes) -> None:
    """The press has told it; a build goes on to tell the rest."""
    path = project / "docs/labs/one.ipynb"
    path.write_bytes(content)
    press = Press(project)
    press.prepare([(path, "labs/one/")])
    assert press.faults
    text = handouts.notebook(press, press.pages["docs/labs/one.ipynb"])
    assert text == content.decode("utf-8", errors="replace")


def test_a_reader_keeps_what_was_changed(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handouts.lab(project) == 0
    names = {path.name for path in (project / "lab").iterdir()}
    assert names == {"one-lab.ipynb", "one-exercises.ipynb"}
    assert handouts.lab(project) == 0
    assert capsys.readouterr().out == ""
    mine = project / "lab" / "one-lab.ipynb"
    mine.write_text("mine", encoding="utf-8")
    assert handouts.lab(project) == 0
    assert mine.read_text(encoding="utf-8") == "mine"
    assert "lab/one-lab.ipynb is yours" in capsys.readouterr().out


def test_a_page_with_a_fault_is_handed_out_to_nobody(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    module = project / "src/nextword/exercises/e1_1_double.py"
    module.write_text(MODULE.replace("2 * number", "3 * number"), encoding="utf-8")
    assert handouts.lab(project) == 1
    assert "docs/exercises/one.md:14: exercise 1.1" in capsys.readouterr().err
    assert not (project / "lab").exists()


def test_only_labs_and_pages_of_exercises_have_a_notebook(project: Path) -> None:
    (project / "docs/plain.md").write_text("# A page\n", encoding="utf-8")
    press = Press(project)
    press.prepare(
        [(project / "docs/exercises/one.md", "exercises/one/"), (project / "docs/plain.md", "plain/")]
    )
    assert [handouts.address(page) for page in press.pages.values()] == ["", "exercises/one/one.ipynb"]


def changed(project: Path, old: str, new: str) -> str:
    """The notebook of the page with a text in place of another."""
    assert PAGE.count(old) == 1
    (project / "docs/exercises/one.md").write_text(PAGE.replace(old, new), encoding="utf-8")
    return made(project)


def test_code_in_a_text_stays_as_it_is(project: Path) -> None:
    text = changed(
        project, "A statement", "It calls `rows[i](x)` and ``a[i](`b`)``, see [this](../lessons/one.md). It"
    )
    assert "It calls `rows[i](x)` and ``a[i](`b`)``, see this. It" in text


def test_the_text_of_a_link_may_be_code(project: Path) -> None:
    text = changed(
        project, "A statement", "Read [`rows[i]`](../lessons/one.md) and [`a`](https://example.org). It"
    )
    assert "Read `rows[i]` and [`a`](https://example.org). It" in text


@pytest.mark.parametrize(
    "block",
    ["```text\na [b](c) d\n\n  e\n```", "~~~\n\n~~~", "```text\n```", "````markdown\n```\n[b](c)\n````"],
)
def test_a_block_of_text_stays_in_its_place(project: Path, block: str) -> None:
    text = changed(project, "A statement", f"Before.\n\n{block}\n\nAfter. A statement")
    assert f"Before.\n\n{block}\n\nAfter." in cells(text)[0][1]


def test_a_block_in_a_hint_unfolds_with_it(project: Path) -> None:
    text = changed(project, "    Think of a sum.\n", "    Think:\n\n    ```text\n    a\n      b\n    ```\n")
    assert "Think:\n\n```text\na\n  b\n```\n\nAnd of" in cells(text)[3][1]


def test_what_no_reader_of_the_page_sees_stands_in_no_notebook(project: Path) -> None:
    text = changed(project, "A statement", "<!-- a remark\nof the author -->\n\nA statement")
    assert "remark" not in text
    assert "author" not in text


def test_a_figure_is_its_value(project: Path) -> None:
    module = project / "src/nextword/exercises/e1_1_double.py"
    value = MODULE.replace('"implement"', '"find an example"').replace("(number: int)", "(number: int = 3)")
    module.write_text(value.replace("fresh(answer, 3)", "lambda: answer"), encoding="utf-8")
    text = changed(
        project, "A statement", "It is [[exercise-1.1.answer]], or [[exercise-1.1.answer:.2f]]. A statement"
    )
    assert "It is 6, or 6.00." in text
    assert (
        cells(text)[2][1]
        == 'from nextword.exercises import grade\n\nanswer = None  # your value\ngrade("1.1", answer);'
    )


def test_a_box_that_is_always_open_on_the_page_unfolds(project: Path) -> None:
    text = changed(project, '??? tip "Another hint"', "!!! note")
    assert "<details><summary>Note</summary>\n\nAdd.\n\n</details>" in cells(text)[3][1]


def test_text_goes_on_below_a_hint(project: Path) -> None:
    text = changed(project, "    Add.\n", "    Add.\n\nBelow it.\n")
    assert cells(text)[3][1].endswith("Add.\n\n</details>\n\nBelow it.")


def test_an_exercise_that_cannot_be_read_is_told_and_breaks_nothing(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "src/nextword/exercises/e1_1_double.py").unlink()
    press = pressed(project)
    assert "double" not in handouts.notebook(press, press.pages["docs/exercises/one.md"])
    assert handouts.lab(project) == 1
    assert "docs/exercises/one.md:14: exercise 1.1: no modules of" in capsys.readouterr().err
    assert not (project / "lab").exists()


def test_a_new_page_comes_beside_what_a_reader_has(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert handouts.lab(project) == 0
    shutil.copyfile(project / "docs/labs/one.ipynb", project / "docs/labs/two.ipynb")
    (project / "lab/one-lab.ipynb").unlink()
    assert handouts.lab(project) == 0
    assert capsys.readouterr().out == ""
    for path in (project / "lab").iterdir():
        nbformat.validate(nbformat.read(path, as_version=4))
    assert {path.name for path in (project / "lab").iterdir()} == {
        "one-lab.ipynb", "two-lab.ipynb", "one-exercises.ipynb",
    }  # fmt: skip
    assert json.loads((project / "docs/labs/one.ipynb").read_text(encoding="utf-8")) == LAB, (
        "a copy was changed"
    )
