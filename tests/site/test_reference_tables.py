"""The tables of symptoms and of conventions: whole rows, each with a panel that shows what it says."""

import re

import pytest

from coursebuild.press import Press

pytestmark = pytest.mark.once

SYMPTOMS, CONVENTIONS = "docs/reference/symptoms.md", "docs/reference/conventions.md"
COLUMNS = {
    SYMPTOMS: ["Symptom", "Likely cause", "Test", "Remedy", "Shown in"],
    CONVENTIONS: ["What", "One way", "Another way", "The difference, as run", "Who does which"],
}
LINK = re.compile(r"\[panel (?P<named>[a-z\d-]+\.\d+)\]\((?P<page>[^)#]+)#panel-(?P<ident>[a-z\d-]+\.\d+)\)")
FIGURE = re.compile(r"\[\[(?P<ident>[a-z\d-]+\.\d+)\.\w+")

SHOWN = {
    "Letters of a word": "Pieces that contain r are not as many",
    "Sums of long numbers": "Numbers of equal length cost",
    "Cost or latency jumps": "Greek costs more tokens per character",
    "A retrieval chunk": "newest, never seen, costs more",
    "Chunks of one language": "Greek and Japanese cost a token per byte",
    "Streamed text": "A token can be part of a character",
    "Prompts are cut off": "No error: our counter says",
    "After an update": "Our ids spell another text",
    "Continuations get odd": "a last space stays by itself",
    "Some characters vanish": "g has no id",
    "The loss is infinite": "Code that takes the logarithm of a zero",
    "A smoothed model scores": "Zeros raised to a floor make no distribution",
    "Scores fall once": "The corpus always asks for the smallest k",
    "Training loss near zero": "The trigram is forced",
    "A model with another tokenizer": "less perplexity, the same bits per byte",
    "Search by vectors": "Opposites are close",
    "A longer context": "Add-k is best at order",
    "The same words again": "Greedy repeats its first words",
    "A repetition penalty makes": "A negative logit must be multiplied",
    "JSON stops": "The end marker never comes",
    "JSON or code lacks": "bans the name",
    "Output changes from run to run": "Greedy can change though no term does",
    "Output changes although": "rows that differ in distribution differ in draws",
    "The same settings write": "Temperature before or after the filters",
    "A nonsense word": "In a long text the worst token",
    "A large top-p": "On a long tail top-p lets",
    "Every answer is the same": "k=1 is greedy in disguise",
    "Odd synonyms": "With a frequency penalty the logit goes on falling",
    "A wrong token, once": "No temperature and no filter makes the second token",
    "Training loss is marvellous": "Open attention changes in every row",
    "`nan` from the first position": "The tamper test catches both variants of >=",
    "All rows sum to one": "Row sums miss the bug",
    "From the start each row": "Unscaled, the favourite takes more",
    "Attention stays nearly even": "Divided by too much, attention is closer to an equal share",
    "A port runs": "Each head has got some tokens whole",
    "All weight goes to the padding": "A negated padding mask fits",
    "Each further token": "with twice the tokens 4 times as many without the cache",
    "Text longer than in training": "After it they point where they never did",
    "Memory runs out": "A cache grows in step with the tokens",
    "A model trains slightly worse": "The silent bug",
    "It diverges": "the stream is larger without a norm",
    "Lower layers": "hardly any slope is left",
    "The stream grows": "What a sublayer reads has size one",
    "Word order makes": "cannot tell the sentences apart",
    "The output is close": "they differ by a factor|The tanh form is off",
    "Loaded weights": "At no offset both agree",
    "`nan` from a norm": "Without eps a flat vector divides by zero",
    "Units stop learning": "throws it so far out that its slope is zero",
    "The loss explodes": "above it it runs away",
    "A gradient written by hand": "forgotten factor is caught",
    "A small model cannot repeat": "Take out either layer",
}
"""What each symptom begins with, and the claim of its panel that shows the cause."""


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


@pytest.mark.parametrize("path", COLUMNS)
def test_a_row_quotes_no_panel_that_it_does_not_link_to(project_press: Press, path: str) -> None:
    for row in rows(project_press, path):
        quoted = {match["ident"] for cell in row for match in FIGURE.finditer(cell)}
        linked = {link["ident"] for cell in row for link in LINK.finditer(cell)}
        assert quoted <= linked, row[0]


def test_a_convention_says_what_the_course_does(project_press: Press) -> None:
    for row in rows(project_press, CONVENTIONS):
        said = " ".join(row)
        assert "**ours**" in said or "We have both" in said or "lesson 18" in said, row[0]


@pytest.mark.parametrize(
    "asked",
    [
        "Place of the norm", "Divisor of the variance", "Scale of the scores", "Rotary pairs", "What a head reads",
        "Repetition penalty on a negative logit", "When temperature acts", "Applying merges", "Lower orders of Kneser-Ney",
        "Cutting the text before merges", "Filters that nobody asked for",
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


def test_the_panel_of_a_symptom_shows_its_cause(project_press: Press) -> None:
    unshown = set(SHOWN)
    for symptom, *_, links in rows(project_press, SYMPTOMS):
        [begins] = [begin for begin in SHOWN if symptom.startswith(begin)]
        unshown.remove(begins)
        for link in LINK.finditer(links):
            held = [check.claim for check in project_press.results[link["ident"]].checks if check.held]
            assert any(re.search(SHOWN[begins], claim) for claim in held), (symptom, link["ident"])
    assert not unshown
