"""The pages on derivatives, saturation and word vectors show what NumPy, closed forms and a second count give."""

import ast
import math
import re
from collections import Counter
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from coursebuild.press import Press

from .conftest import ROOT
from .test_budgets import main_text, words

PAGES = {name: f"docs/foundations/{name}.md" for name in ("derivatives", "saturation", "word-vectors")}
SENTENCES = [
    "the cat sat on the mat",
    "the cat ate the fish",
    "the dog sat on the log",
    "the dog ate the bone",
    "the cat sat on the log",
    "the dog ate the fish",
]  # of lesson 18


def rows(press: Press, ident: str) -> list[list[str]]:
    return [line.split() for line in press.results[ident].output.split("\n")]


def named(press: Press, ident: str) -> dict[str, Any]:
    return press.results[ident].figures


def points(press: Press, ident: str) -> dict[str, list[tuple[float, float]]]:
    return {one["name"]: one["points"] for one in named(press, ident)["curves"]["series"]}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_short_and_its_panels_hold(project_press: Press, name: str) -> None:
    page = project_press.pages[PAGES[name]]
    assert [panel.ident for panel in page.panels] == [f"{name}.{n}" for n in (1, 2, 3)]
    for panel in page.panels:
        result = project_press.results[panel.ident]
        assert not result.faults
        assert all(check.held for check in result.checks)
    assert 400 <= words(main_text(page)) <= 800


@pytest.mark.parametrize("name", PAGES)
def test_a_page_names_interview_questions_and_ends_with_its_sources(name: str) -> None:
    text = (ROOT / PAGES[name]).read_text(encoding="utf-8")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE)[-1] == "Sources"
    assert re.search(r"“[^”]+\?”", text)


# Derivatives.


def test_slopes_of_tanh(project_press: Press) -> None:
    table = rows(project_press, "derivatives.1")[1:6]
    step = 1e-3
    for x, *shown in table:
        at = float(x)
        assert float(shown[0]) == pytest.approx(1 / math.cosh(at) ** 2, abs=1e-6)
        assert float(shown[1]) == pytest.approx(1 / math.cosh(at) ** 2, abs=2e-6)
        bend = -2 * math.tanh(at) / math.cosh(at) ** 2  # the second derivative
        assert float(shown[2]) == pytest.approx(1 / math.cosh(at) ** 2 + bend * step / 2, abs=2e-6)


def test_the_chain_is_the_product_of_its_stages(project_press: Press) -> None:
    table = rows(project_press, "derivatives.1")[7:]
    y = math.tanh(3 * 0.2)
    stages = [(0.6, 3.0), (y, 1 - y * y), ((y - 1) ** 2, 2 * (y - 1))]
    for row, (value, slope) in zip(table, stages, strict=False):
        assert row[-3:] == [f"{value:.4f}", f"{slope:.4f}", f"{slope:.4f}"]
    assert table[3] == ["together", *[f"{math.prod(slope for _, slope in stages):.4f}"] * 2]


def test_the_gradient_by_hand_is_what_complex_steps_give(project_press: Press) -> None:
    """The imaginary part of f(p + ih) over h has no subtraction, so it is right to the last digits."""
    w = np.array([0.8, -0.4, -0.6, 1.2, 0.3, 0.9, 1.5, -0.7, 0.4], dtype=complex)
    wanted = []
    for place in range(9):
        nudged = w.copy()
        nudged[place] += 1e-30j
        hidden = np.tanh(nudged[:6].reshape(3, 2) @ np.array([0.5, -1.0]))
        wanted.append(((nudged[6:] @ hidden - 0.3) ** 2).imag / 1e-30)
    table = rows(project_press, "derivatives.2")[1:10]
    assert [float(row[2]) for row in table] == pytest.approx(wanted, abs=1e-6)
    assert [row[1] for row in table] == [row[2] for row in table]
    hidden = np.tanh(w[:6].real.reshape(3, 2) @ np.array([0.5, -1.0]))
    factor = np.append(np.repeat(1 - hidden**2, 2), [1.0] * 3)
    forgotten = np.array(wanted) / factor
    assert [float(row[3]) for row in table] == pytest.approx(forgotten.tolist(), abs=2e-6)
    error = np.linalg.norm(forgotten - wanted) / np.linalg.norm(forgotten)
    assert named(project_press, "derivatives.2")["error"] == pytest.approx(error)


def test_which_test_finds_the_forgotten_factor(project_press: Press) -> None:
    assert [row[-2:] for row in rows(project_press, "derivatives.2")[11:]] == [
        ["passes", "passes"],
        ["caught", "caught"],
        ["passes", "caught"],
        ["passes", "passes"],
    ]


def test_the_error_falls_with_the_step_and_rises_again(project_press: Press) -> None:
    """Truncation as Taylor has it, rounding within a small multiple of epsilon over the step."""
    lines = points(project_press, "derivatives.3").values()
    one_sided, central = (dict(line) for line in lines)
    x = np.arange(-32, 33) / 16
    second = np.abs(3 * x / (1 + x * x) ** 2.5).max()
    third = np.abs((12 * x * x - 3) / (1 + x * x) ** 3.5).max()
    for step in (1e-2, 1e-3, 1e-4):
        assert one_sided[step] == pytest.approx(second / 2 * step, rel=0.05)
        assert central[step] == pytest.approx(third / 6 * step**2, rel=0.05)
    for step in (1e-10, 1e-12, 1e-14):
        for errors in (one_sided, central):
            assert 0.01 < errors[step] / (2.0**-52 / step) < 4
    assert min(central, key=central.__getitem__) == named(project_press, "derivatives.3")["best"] == 1e-5
    assert min(one_sided, key=one_sided.__getitem__) == 1e-8


# Saturation.


def test_slopes_far_out(project_press: Press) -> None:
    table = rows(project_press, "saturation.1")[1:]
    assert [row[0] for row in table] == ["0", "1", "2", "4", "8", "12"]
    for row in table:
        z = float(row[0])
        mass = math.exp(z) / (math.exp(z) + 11)
        slopes = (
            math.exp(z) / (1 + math.exp(z)) ** 2,
            1 / math.cosh(z) ** 2,
            11 * math.exp(z) / (math.exp(z) + 11) ** 2,
        )
        assert row[1:] == [*(f"{slope:.1e}" for slope in slopes), f"{mass:.4f}"]
    for name, line in points(project_press, "saturation.1").items():
        rate = {"sigmoid": 1, "tanh": 2, "softmax": 1}[name]
        (x, y), (further, less) = line[-3], line[-1]
        assert math.log(y / less) == pytest.approx(rate * (further - x), rel=0.01)


def test_each_rate_shrinks_or_stretches_by_its_factor(project_press: Press) -> None:
    table = rows(project_press, "saturation.2")[2:8]
    for row in table:
        factor = 1 - 2 * float(row[0])
        assert row[1] == f"{factor:.2f}"
        assert [float(w) for w in row[2:6]] == pytest.approx([factor**n for n in range(1, 5)], abs=6e-4)
        assert float(row[6]) == pytest.approx(factor**20, rel=0.02, abs=1e-12)
    assert named(project_press, "saturation.2")["left"] == pytest.approx(0.98**20)


def test_a_large_step_throws_the_unit_out(project_press: Press) -> None:
    y = math.tanh(1.0)
    thrown = 1 - 30 * 2 * (y + 0.5) * (1 - y * y)
    assert named(project_press, "saturation.2")["thrown"] == pytest.approx(thrown)
    assert 1 - math.tanh(thrown) ** 2 == 0.0
    small, large = rows(project_press, "saturation.2")[-2:]
    assert small[-1] == "-0.5000" and float(small[-6]) == pytest.approx(math.atanh(-0.5), abs=1e-3)
    assert large[-1] == "-1.0000"


def test_cross_entropy_brings_the_unit_back(project_press: Press) -> None:
    for row in rows(project_press, "saturation.3")[1:7]:
        s = 1 / (1 + math.exp(-float(row[0])))
        assert row[1] == f"{s:.5f}"
        assert float(row[2]) == pytest.approx(2 * (s - 1) * s * (1 - s), abs=1e-6)
        assert float(row[3]) == pytest.approx(s - 1, abs=1e-6)
    z, squared = -10.0, -10.0
    for _ in range(40):
        z += 1 - 1 / (1 + math.exp(-z))
        s = 1 / (1 + math.exp(-squared))
        squared += 2 * s * (1 - s) ** 2
    figures = named(project_press, "saturation.3")
    assert figures["right"] == pytest.approx(1 / (1 + math.exp(-z)))
    assert figures["moved"] == pytest.approx(squared + 10)
    for line in points(project_press, "saturation.3").values():
        assert all(later[1] >= earlier[1] for earlier, later in pairwise(line))


# Word vectors.


def counted(sentences: list[list[str]], window: int) -> Counter[tuple[str, str]]:
    return Counter(
        (a, b)
        for sentence in sentences
        for i, a in enumerate(sentence)
        for j, b in enumerate(sentence)
        if 0 < abs(i - j) <= window
    )


def test_the_vectors_count_neighbours(project_press: Press) -> None:
    pairs = counted([line.split() for line in SENTENCES], 2)
    table = rows(project_press, "word-vectors.1")
    contexts = table[0][1:]
    for row in table[1:8]:
        assert [int(n) for n in row[1:]] == [pairs[row[0], context] for context in contexts]
    picture = named(project_press, "word-vectors.1")["heat_maps"]["maps"][0]
    vectors = np.array(
        [[pairs[word, context] for context in contexts] for word in picture["rows"]], dtype=float
    )
    units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    assert np.allclose(picture["values"], units @ units.T)


def test_the_nearest_words_of_shakespeare(project_press: Press) -> None:
    """The same with NumPy, over all pairs at once."""
    text = (ROOT / "docs/assets/data/shakespeare.txt").read_text(encoding="utf-8").lower()
    sentences = [re.findall(r"[a-z']+", part) for part in re.split(r"[.?!;:]|\n\n", text)]
    frequency = Counter(word for sentence in sentences for word in sentence)
    contexts = [word for word, _ in frequency.most_common(400)]
    place = {word: i for i, word in enumerate(contexts)}
    often = [word for word in contexts if frequency[word] >= 100]
    counts = np.zeros((400, 400))
    for sentence in sentences:
        ids = [place.get(word) for word in sentence]
        for apart in (1, 2):
            for a, b in zip(ids, ids[apart:], strict=False):
                if a is not None and b is not None:
                    counts[a, b] += 1
                    counts[b, a] += 1
    counts = counts[: len(often)]
    chance = counts.sum(1, keepdims=True) * counts.sum(0, keepdims=True) / counts.sum()
    weighted = np.log(np.maximum(counts / chance, 1.0))

    def ranked(vectors: np.ndarray, word: str) -> list[tuple[str, float]]:
        units = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
        cosines = units @ units[place[word]]
        return [(often[i], float(cosines[i])) for i in np.argsort(-cosines)[1:4]]

    head, _, *table = rows(project_press, "word-vectors.2")
    assert head[0] == str(len(often)) and head[4] == str(frequency.total())
    for word, *shown in table:
        wanted = [other for other, _ in ranked(counts, word)]
        for other, cosine in ranked(weighted, word):
            wanted += [other, f"{cosine:.2f}"]
        assert [cell.rstrip(",") for cell in shown] == wanted


def test_bank_lies_between_its_senses(project_press: Press) -> None:
    """The money sentences give bank and lender the same row m, the river ones bank and shore the same row r."""
    money = counted([["the", "bank", "lent", "him", "money"], ["she", "owes", "the", "bank", "money"]], 3)
    river = counted(
        [["a", "boat", "lay", "near", "the", "bank"], ["reeds", "grow", "along", "the", "bank"]], 3
    )
    contexts = sorted({word for pair in money + river for word in pair})
    m, r = ([pairs["bank", context] for context in contexts] for pairs in (money, river))
    both = np.add(m, r)
    figures = named(project_press, "word-vectors.3")
    for name, sense in (("lender", m), ("shore", r)):
        wanted = np.dot(both, sense) / np.linalg.norm(both) / np.linalg.norm(sense)
        assert figures[name] == pytest.approx(wanted)


def test_an_average_forgets_the_order(project_press: Press) -> None:
    first, second = rows(project_press, "word-vectors.3")[-2:]
    assert first[-2:] == second[-2:] == [f"{1.25 / 3:.4f}", f"{1.25 / 3:.4f}"]


# Conclusions.


@pytest.mark.parametrize(
    ("ident", "claim", "got"),
    [
        ("derivatives.1", "slopes multiplied are the slope of the whole chain", True),
        ("derivatives.2", "right gradient passes", True),
        ("derivatives.2", "forgotten factor is caught", False),
        ("derivatives.2", "With tiny gradients the plain gap lets it pass", [True, False]),
        ("derivatives.2", "first layer of zeros nobody sees it", True),
        ("derivatives.3", "one-sided error falls with the step", [True, True]),
        ("derivatives.3", "best steps are near the roots", [True, True]),
        ("saturation.1", "loss still pushes it", [True, True]),
        ("saturation.2", "jumps to and fro for ever", [[True] * 4 + [False] * 2, {1.0, -1.0}, True]),
        ("saturation.2", "a single step arrives", [0.25, 0.0]),
        ("saturation.2", "never moves again", [True, [0.0], True]),
        ("saturation.3", "other where it was", [True, True]),
        ("word-vectors.1", "Cat and dog never stood near each other", 0),
        ("word-vectors.1", "dog is what is nearest to cat", "dog"),
        ("word-vectors.2", "Opposites are close", ["night", "go"]),
        ("word-vectors.3", "same average", [1.25 / 3, 1.25 / 3]),
        ("word-vectors.3", "close to both, and like neither", [True, True]),
    ],
)
def test_a_conclusion_is_a_check(project_press: Press, ident: str, claim: str, got: object) -> None:
    found = [check for check in project_press.results[ident].checks if re.search(claim, check.claim)]
    assert len(found) == 1 and found[0].held
    assert ast.literal_eval(found[0].got) == got
