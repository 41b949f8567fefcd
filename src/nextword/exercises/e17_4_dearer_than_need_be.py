"""BPE is not the cut with the fewest pieces: encoders that ignored the rank cut otherwise (fastllm, pull request 715)."""

from collections.abc import Iterator
from typing import Any

from nextword.bpe import (
    apply_by_rank,
    base_symbols,
    greedy_longest_match,
    learn_merges,
    spell_words,
    vocabulary,
)
from nextword.exercises.asking import Differs
from nextword.exercises.catalogue import Check, Exercise, Wrong
from nextword.exercises.comparing import short

COUNTS = {"end": 4, "see": 3, "the": 2}
MERGES = learn_merges(spell_words(COUNTS, marker=""), rounds=6)
TABLE = vocabulary(base_symbols(spell_words(COUNTS, marker="")), MERGES)


def start(word: str) -> tuple[list[str], list[str]]:
    """The word cut by rank, as BPE does, and by longest match."""
    by_rank = apply_by_rank(tuple(word), MERGES)
    return list(by_rank), greedy_longest_match(word, TABLE)


def solution() -> str:
    """A pair of lower rank takes the letter between from the longer one."""
    return "then"


def equally_dear() -> str:
    """A word that is cut otherwise, into as many pieces."""
    return "hen"


def of_other_letters() -> str:
    """A word with a letter that the table does not have."""
    return "seem"


def checks(answer: Any) -> Iterator[Check]:
    """What it is made of, and what both ways of cutting give."""
    letters = {symbol for symbol in TABLE if len(symbol) == 1}

    def word() -> str:
        if isinstance(answer, str) and answer:
            return answer
        raise Differs(f"a word is asked, and this is {short(answer)}")

    def spelled() -> str:
        if missing := sorted(set(word()) - letters):
            raise Differs(f"the table lacks {' '.join(map(repr, missing))}")
        return word()

    def is_cut_dearly() -> bool:
        by_rank, longest = start(spelled())
        if len(by_rank) > len(longest):
            return True
        raise Differs(f"BPE cuts it into {'|'.join(by_rank)}, longest match into {'|'.join(longest)}")

    yield Check(
        "No letter of the word is missing in the table",
        lambda: bool(spelled()),
        True,
        "The table has the letters of its training words; any other has no id.",
    )
    yield Check(
        "Longest match cuts it into fewer pieces than BPE",
        is_cut_dearly,
        True,
        "BPE does not look for few pieces: what was learned first takes its letters first.",
    )


EXERCISE = Exercise(
    ident="17.4",
    title="A word that longest match cuts into fewer pieces",
    level="find an example",
    name="cuts",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            equally_dear,
            "is cut into other pieces, but no fewer",
            "Longest match cuts it into fewer pieces than BPE",
        ),
        Wrong(
            of_other_letters,
            "has a letter that no training word had",
            "No letter of the word is missing in the table",
        ),
    ),
)
