"""The lab and the exercises of lesson 18: what they show and ask, worked out here without nextword.ngram."""

import ast
import json
import math
import re
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import pairwise

import pytest

from coursebuild.press import Press
from nextword.exercises import exercise

from .conftest import ROOT
from .reading import lines

pytestmark = pytest.mark.once

LAB = ROOT / "docs" / "labs" / "18-next-word.ipynb"
IDENT = "lab-18-next-word.1"
WEIGHTS = [n / 10 for n in range(1, 10)]


def limericks() -> list[list[str]]:
    """The pieces of the lab's text, as tokens."""
    cells = json.loads(LAB.read_text(encoding="utf-8"))["cells"]
    source = next("".join(cell["source"]) for cell in cells if cell["id"] == "text")
    text = ast.literal_eval(source.partition(" = ")[2])
    return [re.sub(r"[^a-z'/ -]", "", " ".join(piece.lower().split())).split() for piece in text.split("//")]


class Mixture:
    """Counts as strings of tokens, and the mixture as a sum over orders, the longest context first."""

    def __init__(self, pieces: list[list[str]], most: int) -> None:
        self.size = len({token for piece in pieces for token in piece}) + 2
        self.seen: dict[str, Counter[str]] = defaultdict(Counter)
        for tokens in [["<"] * most + piece + [">"] for piece in pieces]:
            for at in range(most, len(tokens)):
                for length in range(most + 1):
                    self.seen[" ".join(tokens[at - length : at])][tokens[at]] += 1

    def score(self, pieces: list[list[str]], order: int, weight: float) -> float:
        bits, before = [], ["<"] * (order - 1)
        for tokens in [before + piece + [">"] for piece in pieces]:
            for at in range(order - 1, len(tokens)):
                left, p = 1.0, 0.0
                for length in range(order - 1, -1, -1):
                    row = self.seen.get(" ".join(tokens[at - length : at]))
                    if row:
                        p += left * weight * row[tokens[at]] / sum(row.values())
                        left *= 1 - weight
                bits.append(-math.log2(p + left / self.size))
        return float(2 ** (math.fsum(bits) / len(bits)))


def test_the_mixture_scores_what_it_scores_when_counted_here(project_press: Press) -> None:
    pieces = limericks()
    training = [piece for at, piece in enumerate(pieces) if at % 5 in (0, 1, 3)]
    model = Mixture(training, 3)
    shown = lines(project_press, IDENT)
    for order in range(1, 5):
        weight = min(WEIGHTS, key=lambda weight: model.score(pieces[2::5], order, weight))
        end = f"{model.score(pieces[4::5], order, weight):.1f} ({weight})"
        assert any(line.startswith(f"{order} ") and line.endswith(end) for line in shown), end
    assert f"perplexity: library {model.score(pieces[4::5], 4, 0.9):.6f}," in " ".join(shown)


def test_what_it_calls_recited_is_a_limerick_and_what_it_calls_new_is_none(project_press: Press) -> None:
    shown, pieces = "\n".join(lines(project_press, IDENT)), limericks()
    found = re.findall(r"^\w[\w ]+ \((new|recited)\):\n((?:[a-z' /-]+\n)+)", shown, re.MULTILINE)
    assert [origin for origin, _ in found] == ["new", "new", "new", "recited"]
    for origin, piece in found:
        assert (" / ".join(piece.strip().split("\n")).split() in pieces) == (origin == "recited")


def run(text: str) -> None:
    """Run the lab's code on a reader's text."""
    cells = json.loads(LAB.read_text(encoding="utf-8"))["cells"]
    code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
    assert "\ntext = given\n" in code
    exec(code.replace("\ntext = given\n", f"\ntext = {text!r}\n"), {})


@pytest.mark.parametrize(
    "text",
    ["go on // go on // stop it // go now // on, on / on // now on", "a b // b a // a c // b b // c c"],
)
def test_it_goes_through_on_another_text(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    run(text)
    assert "On Lear" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "told"),
    [("", "put //"), ("one piece of prose", "put //"), ("風 // 雨 // 雪 // 月 // 星", "white space")],
)
def test_it_says_what_a_text_lacks(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        run(text)


def test_the_predicted_perplexity_is_the_root_of_the_steps() -> None:
    corpus = ["north wind rises", "south wind falls", "far north snow falls", "east light fades"]
    pairs = Counter(pair for line in corpus for pair in pairwise(f"< {line} >".split()))
    steps = pairwise("< north wind falls >".split())
    rows = Counter(left for left, _ in pairs.elements())
    product = math.prod(Fraction(pairs[pair], rows[pair[0]]) for pair in steps)
    assert exercise("18.1").solution() ** 4 == pytest.approx(float(1 / product))
