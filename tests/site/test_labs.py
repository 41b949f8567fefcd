"""The labs and the notebooks of exercises run from top to bottom in a fresh kernel, as a reader runs them; and all exercises are there."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from coursebuild import handouts, kernels
from coursebuild.press import Press
from nextword.exercises import exercises

from .conftest import ROOT
from .test_budgets import CARD, WORDS, boxes, main_text, words

LESSONS = [path.stem for path in sorted((ROOT / "docs" / "lessons").glob("*.md"))]


def run(text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each code cell printed; an error in one ends the test."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT / "src"))
    monkeypatch.setenv("IPYTHONDIR", str(folder / "settings"))
    notebook = nbformat.reads(text, as_version=4)
    NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    outputs: list[Any] = [cell["outputs"] for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for shown in outputs:
        assert all(one["output_type"] == "stream" and one["name"] == "stdout" for one in shown), shown
    return ["".join(one["text"] for one in shown) for shown in outputs]


def test_every_lesson_has_a_lab_and_exercises_and_every_exercise_its_page(project_press: Press) -> None:
    assert [path.stem for path in sorted((ROOT / "docs" / "labs").glob("*.ipynb"))] == LESSONS
    shown = {ident: path for path, page in project_press.pages.items() for ident in page.exercises}
    assert list(shown) == [found.ident for found in exercises()]
    assert all(Path(path).name.startswith(ident.split(".")[0]) for ident, path in shown.items())
    assert sorted(set(shown.values())) == [f"docs/exercises/{lesson}.md" for lesson in LESSONS]


def test_no_output_of_a_lab_is_committed() -> None:
    for path in (ROOT / "docs" / "labs").glob("*.ipynb"):
        cells = nbformat.read(path, as_version=4)["cells"]
        assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("lesson", LESSONS)
def test_a_lab_runs_in_a_fresh_kernel(lesson: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    printed = run((ROOT / f"docs/labs/{lesson}.ipynb").read_text(encoding="utf-8"), tmp_path, monkeypatch)
    assert "ok   " in "".join(printed)
    assert [path.name for path in tmp_path.iterdir()] in ([], ["settings"])


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_notebook_of_exercises_grades_starts_and_solutions(
    lesson: str, project_press: Press, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = project_press.pages[f"docs/exercises/{lesson}.md"]
    text = handouts.notebook(project_press, page)
    graded = [one for one in run(text, tmp_path, monkeypatch) if one]
    assert len(graded) == len(page.exercises)
    for one in graded:
        assert one.startswith("Exercise ")
        assert re.search(r"^Nothing was checked: there is no answer|^NOT  ", one, re.MULTILINE)

    notebook = nbformat.reads(text, as_version=4)
    for cell in notebook["cells"]:
        for exercise in page.exercises.values() if cell["cell_type"] == "code" else ():
            if exercise.call in cell["source"] and exercise.is_value:
                cell["source"] = cell["source"].replace("answer = None", "answer = worked_out()")
                cell["source"] = f"{exercise.solution}\n\n\n{cell['source']}"
            elif exercise.call in cell["source"]:
                cell["source"] = f"{exercise.solution}\n\n\n{cell['source']}"
    solved = [one for one in run(nbformat.writes(notebook), tmp_path, monkeypatch) if one]
    assert len(solved) == len(page.exercises)
    for one in solved:
        held, checks = re.findall(r"^(\d+) of (\d+) checks hold$", one, re.MULTILINE)[-1]
        assert held == checks, one


@pytest.mark.once
@pytest.mark.parametrize("lesson", LESSONS)
def test_the_notebook_of_exercises_holds_no_answer(lesson: str, project_press: Press) -> None:
    page = project_press.pages[f"docs/exercises/{lesson}.md"]
    text = handouts.notebook(project_press, page)
    nbformat.validate(nbformat.reads(text, as_version=4))
    shown = "\n".join("".join(cell["source"]) for cell in json.loads(text)["cells"])
    for exercise in page.exercises.values():
        assert exercise.start in shown
        for source in (exercise.solution, *(answer.source for answer in exercise.wrong)):
            lines = source.split("\n")
            pairs = {"\n".join(pair) for pair in pairwise(lines) if pair[1].startswith("    ")}
            own = {pair for pair in pairs if pair not in exercise.start}
            assert own, f"{exercise.ident}: an answer is the start"
            assert not [pair for pair in own if pair in shown], exercise.ident
    for fence in page.source.fences:
        if fence.option["show"] == "answers":
            begins = fence.body.split()[:12]
            assert " ".join(begins) not in " ".join(shown.split()), fence.line


def test_what_the_page_on_use_says_a_lesson_holds_is_what_it_holds(project_press: Press) -> None:
    figures = project_press.results["use.1"].figures
    levels = [
        {
            level: sum(found.level == level for found in exercises(int(lesson[:2])))
            for level in figures["exercises"]
        }  # type: ignore[attr-defined]
        for lesson in LESSONS
    ]
    assert figures["exercises"] in levels
    assert all(sum(one.values()) == sum(figures["exercises"].values()) for one in levels)  # type: ignore[attr-defined]
    panels = [len(project_press.pages[f"docs/lessons/{lesson}.md"].panels) for lesson in LESSONS]
    assert max(panels) == figures["panels"]
    pages = [project_press.pages[f"docs/lessons/{lesson}.md"] for lesson in LESSONS]
    assert {len(boxes(page, CARD)) for page in pages} == {figures["cards"]}
    assert figures["words"] == WORDS
    assert max(words(main_text(page)) for page in pages) > 0.9 * WORDS, (
        "no lesson is as long as the page says"
    )


def test_kernels_of_the_build_have_settings_of_their_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "IPYTHONDIR", "JUPYTER_CONFIG_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    kernels.let_kernels_import_afresh(tmp_path)
    import os

    assert os.environ["JUPYTER_CONFIG_DIR"] == os.environ["IPYTHONDIR"] != str(tmp_path)
