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
LINKS = {SYMPTOMS: 4, CONVENTIONS: 3}
"""The column that names the panels."""
LINK = re.compile(r"\[panel (?P<named>[a-z\d-]+\.\d+)\]\((?P<page>[^)#]+)#panel-(?P<ident>[a-z\d-]+\.\d+)\)")
FIGURE = re.compile(r"\[\[(?P<ident>[a-z\d-]+\.\d+)\.\w+")

SHOWN = {
    "Letters of a word": ("Pieces that contain r are not as many|paced letters .*count"),
    "Sums of long numbers": "Numbers of equal length cost|r50k_base cuts ",
    "Cost or latency jumps": (
        "Greek costs more tokens per character|The newer the table, the less each language costs"
    ),
    "A text with accents": r"tokens with accents apart, \d+ composed",
    "A retrieval chunk": "newest, never seen, costs more",
    "Chunks of one language": "Greek and Japanese cost a token per byte",
    "Streamed text": "A token can be part of a character",
    "Prompts are cut off": "No error: our counter says",
    "More tokens are billed": "A chat template ",
    "After an update": "Our ids spell another text",
    "Continuations get odd": "a last space stays by itself|A space at the end costs this model",
    "Some characters vanish": "g has no id|drops the g of glow",
    "The loss is infinite": "Code that takes the logarithm of a zero",
    "A smoothed model scores": "Zeros raised to a floor make no distribution",
    "Scores fall once": "The corpus always asks for the smallest k",
    "Training loss near zero": "The trigram is forced",
    "A model with another tokenizer": "less perplexity, the same bits per byte",
    "A model that is sure": "cross_entropy wants logits",
    "Pairs that training": "Weight decay makes every network beat uniform guessing on pairs held back",
    "Search by vectors": "Opposites are close",
    "A longer context": "Add-k is best at order",
    "The same words again": "Greedy repeats its first words|Greedy texts end in a loop more often",
    "A repetition penalty makes": "A negative logit must be multiplied",
    "JSON stops": "The end marker never comes",
    "JSON or code lacks": "bans the name|After one example it leaves no key its quotes",
    "Output changes from run to run": "Greedy can change though no term does",
    "Output changes although": "rows that differ in distribution differ in draws",
    "The same settings write": "Temperature before or after the filters",
    "A nonsense word": "In a long text the worst token",
    "A large top-p": "On a long tail top-p lets",
    "Every answer is the same": "k=1 is greedy in disguise",
    "Temperature changes nothing": "Without do_sample=True sampling settings are unused",
    "A temperature above zero": "A whole number is no temperature",
    "Rare tokens never come": "Sampling without a top_k still cuts",
    "Answers avoid the words": "on the prompt's tokens",
    "Odd synonyms": "With a frequency penalty the logit goes on falling",
    "A wrong token, once": "No temperature and no filter makes the second token",
    "Training loss is marvellous": "Open attention changes in every row",
    "`nan` from the first position": "The tamper test catches both variants of >=",
    "All rows sum to one": "Row sums miss the bug",
    "From the start each row": "Unscaled, the favourite takes more",
    "Attention stays nearly even": "Divided by too much, attention is closer to an equal share",
    "A port runs": "Each head has got some tokens whole",
    "All weight goes to the padding": "A negated padding mask fits",
    "`nan` in the last row": "Given our mask, .* fails in the last row",
    "Masking fails in float16": "is refused as a fill",
    "Scores are marvellous in evaluation": "is_causal is only a hint",
    "One matrix of weights": "returns weights,? averaged over the heads",
    "Most heads look": "Most trained heads give most to the first token",
    "Each further token": "with twice the tokens 4 times as many without the cache",
    "With a cache the text": "With is_causal=True a single query sees the first key alone",
    "Text longer than in training": "After it they point where they never did",
    "Memory runs out": "A cache grows in step with the tokens",
    "Memory grows": "The fused kernel asks for no block as large as the weights",
    "A model trains slightly worse": "The silent bug",
    "It diverges": "the stream is larger without a norm",
    "Lower layers": "hardly any slope is left",
    "The stream grows": "What a sublayer reads has size one|Unless a last norm is given there is none",
    "Word order makes": "cannot tell the sentences apart|Positions are yours to add",
    "The output is close": "they differ by a factor|The tanh form is off",
    "A checkpoint has": "PyTorch's attention has biases",
    "The same input gives": "In training dropout makes the same call give something else",
    "The layers of a new encoder": "All layers start with the same weights",
    "An index error": "A learned table of positions ends",
    "Loaded weights": "At no offset both agree",
    "`nan` from a norm": "Without eps a flat vector divides by zero",
    "Units stop learning": "throws it so far out that its slope is zero",
    "The loss explodes": "above it it runs away",
    "A gradient written by hand": "forgotten factor is caught",
    "A small model cannot repeat": "Take out either layer",
}
"""What each symptom begins with, and the claim, or printed line, of its panel that shows the cause."""

COMPARED = {
    "Applying merges": "On a list written by hand, out of order, they differ",
    "Cutting a word": "Greedy longest match is not BPE|Longest match over the entries of cl100k_base is not its BPE",
    "Cutting the text": "Without the cut, as many merges join letters across spaces",
    "Equal counts": "Ties broken the other way spell|a tie parts us",
    "Where words meet": r"x low_\n|cat and space \+ cat differ",
    "A character outside": "g is still among the pieces of glow|drops the g of glow",
    "Digits": "2020 and 2021 are not cut alike|r50k_base cuts ",
    "Text that spells a special": "special tokens: text by default|r50k_base, special tokens",
    "Accents": r"tokens with accents apart, \d+ composed",
    "Unit of a loss": "sum of nats  in bits|e to the nats and 2 to the bits",
    "What a score is per": "less perplexity, the same bits per byte",
    "What a cross-entropy": "cross_entropy wants logits",
    "Size of $V$": "Add-one spends .* on words that never followed",
    "Lower orders": "Kneser-Ney with plain counts below is worse",
    "Repetition penalty": "A negative logit must be multiplied",
    "When temperature acts": "Temperature before or after the filters|then temperature, top-k, top-p",
    "Filters that nobody": "On a long tail top-p lets|Sampling without a top_k still cuts",
    "A setting out of range": "k=0 is refused, not silently|A k above the vocabulary is .*clamped",
    "A whole number": "A whole number is no temperature",
    "Decoding without settings": "Without do_sample=True sampling settings are unused, with a warning",
    "Ties in top-k": "Of tokens tied at rank k .* keeps all, ours the lower ids",
    "Ties in top-p": "Of tied tokens top-p keeps the higher ids",
    "What a penalty counts": "penalty on the prompt's tokens|used up by the prompt, the loop comes back",
    "Scale of the scores": "The model's width leaves it too small",
    "What a head reads": "Cut first, only the head of that slice does",
    "Meaning of a boolean": "A negated padding mask fits|Given our mask, .* fails in the last row",
    "Score of a hidden key": "Row sums miss the bug|is refused as a fill",
    "A row with nothing": "refuses a row without anything|A row without anything to look at is zero in the fused",
    "Who makes the causal": "is_causal is only a hint|PyTorch computes what our code does: fused",
    "A causal mask with more": "With is_causal=True a single query sees the first key alone",
    "Weights that come back": "only need_weights=False lets it call the fused kernel",
    "Biases in attention": "has biases, and that is all that it has more|biases .*start at zero",
    "Heads of keys": "Grouped, the cache is 4 times smaller",
    "Which query heads": "Grouped wrongly, it is another model",
    "Rotary pairs": "The same weights give other scores under the other pairing",
    "Weight matrices": "A square matrix fits either way, and gives other weights",
    "Place of the norm": "Post-norm pins the stream|Post-norm is the default",
    "A norm behind": "Unless a last norm is given there is none",
    "First weights": "All layers start with the same weights|Reused weights exaggerate",
    "Dropout": "In training dropout makes the same call give something else",
    "Divisor": "Biased the first number is",
    "Place of $": "with eps inside the root",
    "What a norm removes": "A shift of all numbers vanishes in layer norm, not in RMS norm",
    "Form of GELU": "The tanh form is off by|its norms and GELUs are ours too",
    "Width of the feed": "the feed-forward layer has|With d_ff at 2/3 of the usual both have the same",
}
"""What each convention begins with, and what its panels claim or print of the difference."""


def rows(press: Press, path: str) -> list[list[str]]:
    """The cells of each row below the heads of the page's tables."""
    lines = [line.text for line in press.pages[path].source.prose if line.text.startswith("|")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if row != COLUMNS[path] and not set("".join(row)) <= {"-"}]


@pytest.mark.parametrize("path", COLUMNS)
def test_each_row_is_whole(project_press: Press, path: str) -> None:
    found = rows(project_press, path)
    assert len({row[0] for row in found}) == len(found) >= {SYMPTOMS: 60, CONVENTIONS: 40}[path]
    assert [row for row in found if len(row) != 5 or not all(row)] == []


@pytest.mark.parametrize("path", COLUMNS)
def test_each_row_names_a_panel_on_the_page_it_links_to(project_press: Press, path: str) -> None:
    for row in rows(project_press, path):
        assert LINK.search(row[LINKS[path]]), row[0]
        for link in LINK.finditer(" ".join(row)):
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
        "Cutting the text before merges", "Filters that nobody asked for", "Meaning of a boolean mask", "Ties in top-k",
        "What a penalty counts as used", "A causal mask with more keys than queries", "A row with nothing to look at",
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


@pytest.mark.parametrize(("path", "shown"), [(SYMPTOMS, SHOWN), (CONVENTIONS, COMPARED)])
def test_each_panel_of_a_row_shows_what_the_row_says(
    project_press: Press, path: str, shown: dict[str, str]
) -> None:
    unshown = set(shown)
    for row in rows(project_press, path):
        [begins] = [begin for begin in shown if row[0].startswith(begin)]
        unshown.remove(begins)
        matched = set()
        for link in LINK.finditer(" ".join(row)):
            result = project_press.results[link["ident"]]
            said = [check.claim for check in result.checks if check.held] + [result.output]
            parts = {part for part in shown[begins].split("|") for text in said if re.search(part, text)}
            assert parts, (row[0], link["ident"])
            matched |= parts
        assert matched == set(shown[begins].split("|")), row[0]
    assert not unshown
