"""Lab and exercises of lesson 17 against values worked out here, without nextword.bpe."""

import re
from collections import Counter
from contextlib import redirect_stdout
from io import StringIO

import pytest

from coursebuild.press import Press
from nextword.exercises import exercise

from .reading import checked, held, lines

pytestmark = pytest.mark.once

LAB = "lab-17-tokenization.1"


def spelled(word: str) -> str:
    """A symbol is the hexadecimal digits of its bytes, in brackets; so a merge is a replacement of text."""
    return "".join(f"<{value:02x}>" for value in word.encode())


def trained(words: list[str], rounds: int) -> list[tuple[str, str]]:
    texts = Counter(map(spelled, words))
    learned: list[tuple[str, str]] = []
    for _ in range(rounds):
        counts: Counter[str] = Counter()
        for text, times in texts.items():
            for pair in re.finditer(r"(?=(<\w+><\w+>))", text):
                counts[pair[1]] += times
        best = min(counts, key=lambda pair: (-counts[pair], re.findall(r"\w+", pair)))
        learned.append((best, best.replace("><", "")))
        texts = Counter({text.replace(*learned[-1]): times for text, times in texts.items()})
    return learned


def symbols(merges: list[tuple[str, str]]) -> list[str]:
    return [bytes.fromhex(symbol.strip("<>")).decode(errors="replace") for _, symbol in merges]


def answer(ident: str) -> object:
    return exercise(ident).answer_of(exercise(ident).solution)


def test_the_first_merges_of_exercise_1() -> None:
    assert answer("17.1") == symbols(trained("art sat art tattoo art art tattoo tattoo".split(), 4))


def test_what_the_new_table_reads_in_exercise_2() -> None:
    old, new = "_acehklr", "_acdehklr"  # then ar and ark, in both
    ids = [old.index("h"), len(old) + 1, old.index("_")]
    assert answer("17.2") == "".join([*new, "ar", "ark"][number] for number in ids).removesuffix("_")


def test_the_word_of_exercise_4_is_cut_dearly() -> None:
    merges = trained("end end end end see see see the the".split(), 6)
    assert symbols(merges) == ["en", "end", "ee", "see", "he", "the"]
    word = str(answer("17.4"))
    cut = spelled(word)
    for merge in merges:
        cut = cut.replace(*merge)
    assert cut.count("<") > len(re.findall("|".join([*symbols(merges)[::-1], "."]), word))


def test_the_lab_learns_what_replacing_text_learns(project_press: Press) -> None:
    text = checked(project_press, LAB, "chunks, joined, are the text")
    assert isinstance(text, str)
    words = re.findall(r"^[^ ]+| [^ ]*", text)
    merges, shown = trained(words, 120), lines(project_press, LAB)
    assert f"{256 + len(merges)} entries, the longest: {max(symbols(merges), key=len)!r}" in shown
    for size in (0, 30, 60, 120):
        cut = " ".join(map(spelled, words))
        for merge in merges[:size]:
            cut = cut.replace(*merge)
        assert any(line.startswith(f"{size} {len(text.encode()) / cut.count('<'):.2f} ") for line in shown)


def test_the_lab_agrees_with_the_library_and_loses_nothing(project_press: Press) -> None:
    for claim in ("Every text comes back", "ids of every text are those of the", "merges are those of the"):
        held(project_press, LAB, claim)


OTHER = [
    "a",
    "吾輩は猫である。名前はまだ無い。",
    "Der Zug hielt.  Über den Gleisen\n\tlag der Nebel, naß. ",
    "==== ======== ",
]


@pytest.mark.parametrize("text", OTHER)
def test_the_lab_runs_through_on_a_text_of_the_readers(project_press: Press, text: str) -> None:
    [lab] = project_press.pages["docs/labs/17-tokenization.ipynb"].panels
    start, own, rest = lab.code.partition("\nrounds = ")
    with redirect_stdout(StringIO()) as shown:
        exec(f"{start}\ntext = {text!r}{own}{rest}", {})
    assert f"{len(text)} characters" in shown.getvalue()
    with pytest.raises(ValueError, match="text must be a text"):
        exec(f"{start}\ntext = ' '{own}{rest}", {})
