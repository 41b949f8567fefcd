"""What a reader's patience allows: words, lines and cards of a lesson."""

import re
from pathlib import Path

import pytest

from coursebuild.bench import LAB_WEIGHT, PAGE_WEIGHT, weight
from coursebuild.bench_pages import GROWTH, growth
from coursebuild.panels import Panel
from coursebuild.press import Page, Press
from coursebuild.prose import GIVEN, REFERENCE, without_comments

from .conftest import ROOT

pytestmark = pytest.mark.once

WORDS, LISTING, OUTPUT, CLOSING_BOX, CARDS = 1_800, 20, 25, 120, 6
WIDTH, CODE_WIDTH, EXERCISE_WIDTH, REPORT = 88, 78, 112, 40
DOCS = ROOT / "docs"
LESSONS = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.glob("lessons/*.md"))
EXERCISES = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.glob("exercises/*.md"))
LABS = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.glob("labs/*.ipynb"))
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in DOCS.rglob("*.md"))
CARD = re.compile(r'^\?\?\?\+? question "(?P<question>[^"]+)"')
BOX = re.compile(r'^!!! note "Where the toy stops being true"')


def boxes(page: Page, opening: re.Pattern[str]) -> list[list[str]]:
    """The texts of the page's admonitions that open so: the opening line, then the indented ones."""
    found: list[list[str]] = []
    inside = False
    for line in without_comments(page.source.prose):
        if opening.match(line.text):
            found.append([line.text])
            inside = True
        elif inside and (not line.text.strip() or line.text.startswith("    ")):
            found[-1].append(line.text)
        else:
            inside = False
    return found


def words(text: str) -> int:
    """How many words a reader reads; a quoted figure is one."""
    plain = GIVEN.sub(r"\g<text>", REFERENCE.sub("0", text))
    plain = re.sub(r"\]\([^)]*\)|<[^>]+>|\{[^}]*\}", " ", plain)
    return len(re.findall(r"[\w’'-]*\w[\w’'-]*", plain))


def main_text(page: Page) -> str:
    cards = {text for card in boxes(page, CARD) for text in card}
    return "\n".join(line.text for line in without_comments(page.source.prose) if line.text not in cards)


def panels_of(press: Press, path: str) -> list[Panel]:
    return press.pages[path].panels


@pytest.mark.parametrize("path", LESSONS)
def test_the_main_text_of_a_lesson_is_short(project_press: Press, path: str) -> None:
    assert words(main_text(project_press.pages[path])) <= WORDS


@pytest.mark.parametrize("path", LESSONS)
def test_a_lesson_has_at_most_seven_panels(project_press: Press, path: str) -> None:
    assert 4 <= len(panels_of(project_press, path)) <= 7


@pytest.mark.parametrize("path", PAGES)
def test_listings_outputs_and_code_are_short(project_press: Press, path: str) -> None:
    page = project_press.pages[path]
    for fence in page.source.fences:
        if "listing" in fence.option:
            text = project_press.library.listing(fence.option["listing"]).text
            assert len(text.split("\n")) <= LISTING, f"{path}:{fence.line}: {fence.option['listing']}"
    for panel in page.panels if path not in EXERCISES else ():
        lines = project_press.results[panel.ident].output.split("\n")
        assert len(lines) <= OUTPUT, f"{panel.ident} prints {len(lines)} lines"
        assert max(map(len, lines)) <= WIDTH, f"{panel.ident}: {max(lines, key=len)}"
        assert max(map(len, panel.code.split("\n"))) <= CODE_WIDTH, (
            f"{panel.ident}: {max(panel.code.split(chr(10)), key=len)}"
        )


@pytest.mark.parametrize("path", EXERCISES)
def test_what_an_exercise_shows_is_short(project_press: Press, path: str) -> None:
    for exercise in project_press.pages[path].exercises.values():
        for source in (exercise.start, exercise.solution, *(answer.source for answer in exercise.wrong)):
            lines = source.split("\n")
            assert max(map(len, lines)) <= CODE_WIDTH, f"{exercise.ident}: {max(lines, key=len)}"
        figures = project_press.results[exercise.panel].figures
        wrong = figures["wrong"]
        assert isinstance(wrong, list)
        for told in (str(figures["solution"]), *wrong):
            lines = told.split("\n")
            assert len(lines) <= REPORT, f"{exercise.ident} is told {len(lines)} lines"
            assert max(map(len, lines)) <= EXERCISE_WIDTH, f"{exercise.ident}: {max(lines, key=len)}"


@pytest.mark.parametrize("path", LABS)
def test_the_cells_of_a_lab_are_short(project_press: Press, path: str) -> None:
    [lab] = project_press.pages[path].panels
    for limit, text in ((CODE_WIDTH, lab.code), (WIDTH, project_press.results[lab.ident].output)):
        assert max(map(len, text.split("\n"))) <= limit, max(text.split("\n"), key=len)


@pytest.mark.slow
@pytest.mark.once
@pytest.mark.parametrize("path", [*LESSONS, *EXERCISES, *LABS])
def test_a_page_is_light_before_the_reader_runs_anything(built_site: Path, path: str) -> None:
    kinds = weight(built_site, str(Path(path).relative_to("docs").with_suffix("")) + "/")
    assert sum(kinds.values()) <= (LAB_WEIGHT if path in LABS else PAGE_WEIGHT), kinds


@pytest.mark.slow
@pytest.mark.parametrize("path", [*LESSONS, *EXERCISES])
def test_live_panels_add_little_to_a_page_before_they_are_used(built_site: Path, path: str) -> None:
    assert growth(built_site, str(Path(path).relative_to("docs").with_suffix("")) + "/") <= GROWTH


@pytest.mark.parametrize("path", LESSONS)
def test_one_closing_box_says_where_the_toy_stops_being_true(project_press: Press, path: str) -> None:
    found = boxes(project_press.pages[path], BOX)
    assert len(found) == 1
    assert words("\n".join(found[0][1:])) <= CLOSING_BOX


@pytest.mark.parametrize("path", LESSONS)
def test_interview_cards_are_questions_with_a_follow_up_and_the_panel_that_proves_them(
    project_press: Press, path: str
) -> None:
    cards = boxes(project_press.pages[path], CARD)
    assert len(cards) == CARDS
    known = {panel.ident for panel in panels_of(project_press, path)}
    for opening, *answer in cards:
        text = "\n".join(answer)
        assert opening.rstrip().endswith('?"'), opening
        assert "**Follow-up:" in text, opening
        linked = set(re.findall(r"\]\(#panel-([\w.-]+)\)", text))
        assert linked, f"no panel proves: {opening}"
        assert linked <= known, opening


@pytest.mark.parametrize("path", LESSONS)
def test_a_lesson_ends_with_what_every_lesson_ends_with(project_press: Press, path: str) -> None:
    headings = [
        line.text[3:] for line in project_press.pages[path].source.prose if line.text.startswith("## ")
    ]
    wanted = ["What to carry away", "Exercises", "Sources", "Interview questions"]
    assert [heading for heading in headings if heading in wanted] == wanted
    assert headings[-len(wanted) :] == wanted


@pytest.mark.parametrize("path", PAGES)
def test_every_page_has_a_title_and_a_description(path: str) -> None:
    meta = re.match(r"---\n(.*?)\n---\n", Path(ROOT / path).read_text(encoding="utf-8"), re.DOTALL)
    assert meta, f"{path} has no front matter"
    for key in ("title", "description"):
        assert re.search(rf"^{key}: *\S.*$", meta[1], re.MULTILINE), f"{path} has no {key}"


def test_words_are_counted_as_a_reader_reads() -> None:
    assert (
        words(
            "**A word** in [a link](to/some/where.md), [[17.1.merges]] merges, [[two|a definition]] and don't { .x }"
        )
        == 10
    )
