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
    assert [handouts.address(page) for page in press.pages.values()] == ["exercises/one/one.ipynb", ""]
