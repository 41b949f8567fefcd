"""The tables of symptoms and of conventions: whole rows, each with a panel that shows what it says."""

import re

import pytest

from coursebuild.press import Press

SYMPTOMS, CONVENTIONS = "docs/reference/symptoms.md", "docs/reference/conventions.md"
COLUMNS = {
    SYMPTOMS: ["Symptom", "Likely cause", "Test", "Remedy", "Shown in"],
    CONVENTIONS: ["What", "One way", "Another way", "The difference, as run", "Who does which"],
}
LINK = re.compile(r"\[panel (?P<named>[a-z\d-]+\.\d+)\]\((?P<page>[^)#]+)#panel-(?P<ident>[a-z\d-]+\.\d+)\)")
FIGURE = re.compile(r"\[\[(?P<ident>[a-z\d-]+\.\d+)\.\w+")


def rows(press: Press, path: str) -> list[list[str]]:
    """The cells of each row below the heads of the page's tables."""
    lines = [line.text for line in press.pages[path].source.prose if line.text.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row != COLUMNS[path] and not set("".join(row)) <= {"-"}]


@pytest.mark.parametrize("path", COLUMNS)
def test_each_row_is_whole(project_press: Press, path: str) -> None:
    found = rows(project_press, path)
    assert len({row[0] for row in found}) == len(found) >= {SYMPTOMS: 25, CONVENTIONS: 16}[path]
    assert [row for row in found if len(row) != 5 or not all(row)] == []


@pytest.mark.parametrize("path", COLUMNS)
def test_each_row_names_a_panel_on_the_page_it_links_to(project_press: Press, path: str) -> None:
    for row in rows(project_press, path):
        links = list(LINK.finditer(row[4 if path == SYMPTOMS else 3]))
        assert links, row[0]
        for link in links:
            assert link["named"] == link["ident"]
            panel = project_press.panels[link["ident"]]
            assert panel.path.removeprefix("docs") == link["page"].removeprefix(".."), row[0]


def test_a_convention_quotes_no_panel_that_it_does_not_link_to(project_press: Press) -> None:
    for row in rows(project_press, CONVENTIONS):
        quoted = {match["ident"] for match in FIGURE.finditer(row[3])}
        linked = {link["ident"] for link in LINK.finditer(row[3])}
        pages = {project_press.panels[ident].path for ident in linked}
        assert {project_press.panels[ident].path for ident in quoted} <= pages, row[0]


def test_a_convention_says_what_the_course_does(project_press: Press) -> None:
    for row in rows(project_press, CONVENTIONS):
        said = " ".join(row)
        assert "**ours**" in said or "We have both" in said or "lesson 18" in said, row[0]


@pytest.mark.parametrize(
    "asked",
    [
        "Place of the norm", "Divisor of the variance", "Scale of the scores", "Rotary pairs", "What a head reads",
        "Repetition penalty on a negative logit", "When temperature acts", "Applying merges", "Lower orders of Kneser-Ney",
    ],
)  # fmt: skip
def test_what_readers_ask_has_a_row(project_press: Press, asked: str) -> None:
    assert asked in [row[0] for row in rows(project_press, CONVENTIONS)]


@pytest.mark.parametrize(
    "asked",
    ["miscounted", "again and again", "JSON", "Greek", "run to run", "retrieval chunk", "slightly worse"],
)
def test_what_is_seen_in_production_has_a_row(project_press: Press, asked: str) -> None:
    assert any(asked in row[0] for row in rows(project_press, SYMPTOMS))
