"""The BPE stepper: training on a text, one merge at a time, and the merges so far replayed on a word."""

from typing import Any

from coursebuild.instruments.corpora import WORDS
from coursebuild.instruments.parameters import Choice, Parameter, State, Text, Whole
from coursebuild.instruments.pictures import bar, row, table, text
from nextword.bpe import (
    apply_merges,
    base_symbols,
    count_pairs,
    learn_merges,
    merge_pair,
    respell,
    spell_words,
    vocabulary,
    word_counts,
)

TITLE = "BPE stepper"
SHOWS = (
    "nextword.bpe.word_counts",
    "nextword.bpe.spell_words",
    "nextword.bpe.count_pairs",
    "nextword.bpe.learn_merges",
    "nextword.bpe.respell",
    "nextword.bpe.merge_pair",
    "nextword.bpe.apply_merges",
    "nextword.bpe.vocabulary",
)
LONGEST = 2000
TOP = 8
"""How many pairs are shown."""
MERGES = 10
"""How many panel 17.1 learns."""
PARAMETERS: tuple[Parameter, ...] = (
    Text(name="text", label="Training text", start=WORDS, longest=LONGEST),
    Choice(
        name="ties",
        label="Of pairs seen as often, the next is",
        start="smallest",
        choices=(("smallest", "the one that sorts first"), ("largest", "the one that sorts last")),
    ),
    Whole(name="merges", label="Merges done", start=MERGES, least=0, most=LONGEST),
    Text(name="word", label="Word to encode", start="lower", longest=40),
)


def data() -> dict[str, Any]:
    """How many pairs to show."""
    return {"top": TOP}


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    """The words as they are spelled after some merges, the pairs to choose from, and the word's pieces.

    Raises:
        ValueError: the text has no word, a word holds the end marker, the word to encode is several, or
            training ends before so many merges.
    """
    counts = word_counts(state["text"])
    start = spell_words(counts)
    merges = learn_merges(start, rounds=len(state["text"]), ties=state["ties"])  # more can never be learned
    if state["merges"] > len(merges):
        raise ValueError(f"merges must be at most {len(merges)}, when no pair is left, not {state['merges']}")
    done = merges[: state["merges"]]
    spellings = respell(start, done)
    pairs = count_pairs(spellings)
    last = state["ties"] == "largest"
    ranked = sorted(pairs, key=lambda pair: (pairs[pair] if last else -pairs[pair], pair), reverse=last)
    base = base_symbols(start)
    ids = vocabulary(base, done)
    spelled = _spelled(state["word"])
    replayed = []
    symbols = spelled
    for number, (left, right, _) in enumerate(done, 1):
        before, symbols = symbols, merge_pair(symbols, left, right)
        if len(symbols) < len(before):
            replayed.append([number, list(symbols)])
    return {
        "words": [[word, count] for word, count in counts.items()],
        "spellings": [list(symbols) for symbols in spellings],
        "merges": [list(merge) for merge in merges],
        "pairs": [[*pair, pairs[pair]] for pair in ranked[: data["top"]]],
        "all_pairs": len(pairs),
        "tied": sum(count == pairs[ranked[0]] for count in pairs.values()),
        "base": base,
        "vocabulary": len(ids),
        "in_use": base_symbols(spellings),
        "spelled": list(spelled),
        "replayed": replayed,
        "pieces": [[piece, ids.get(piece)] for piece in apply_merges(spelled, done)],
        "known": "".join(state["word"].split()) in counts,
    }


def _spelled(word: str) -> tuple[str, ...]:
    """The characters and the end marker of a word; nothing of none."""
    words = word.split()
    if len(words) > 1:
        raise ValueError(f"word must be one word, not {word!r}")
    return next(iter(spell_words({words[0]: 1}))) if words else ()


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The words, the pairs, the word's pieces, and how it came to them."""
    words = [
        (text(word), str(count), text(" ".join(symbols)))
        for (word, count), symbols in zip(view["words"], view["spellings"], strict=True)
    ]
    most = view["pairs"][0][2] if view["pairs"] else 0
    pairs = [
        (text(pair_of(left, right)), f"{seen}{bar(seen / most)}", note_of(place, view["tied"]))
        for place, (left, right, seen) in enumerate(view["pairs"])
    ]
    after = dict(view["replayed"])
    done = view["merges"][: state["merges"]]
    asked = state["word"].strip()
    replay = [
        (
            str(number),
            text(pair_of(left, right)),
            str(seen),
            text(" ".join(after[number]) if number in after else "does not apply" if asked else ""),
        )
        for number, (left, right, seen) in enumerate(done, 1)
    ]
    if asked:
        replay.insert(0, ("start", "", "", text(" ".join(view["spelled"]))))
    pieces = [f"{piece} ({'no id' if number is None else number})" for piece, number in view["pieces"]]
    pieces.append("(a word of the text)" if view["known"] else "(never seen in the text)")
    all_pairs = view["all_pairs"]
    return (
        row("Merges done:", [f"{len(done)} of {len(view['merges'])}"])
        + table("The words, as they are spelled now", ("Word", "Seen", "Spelled"), words)
        + table(
            f"The most frequent of {all_pairs} pairs"
            if all_pairs > len(pairs)
            else "All pairs that are left",
            ("Pair", "Seen", "Order"),
            pairs,
        )
        + (row(f"Pieces of “{asked}”, each with its id:", pieces) if asked else "")
        + table(
            f"Each merge in its order{f', and what it makes of “{asked}”' if asked else ''}",
            ("Merge", "Pair", "Seen", "The word"),
            replay,
        )
    )


def pair_of(left: str, right: str) -> str:
    """Two symbols on one line."""
    return f"{left}\N{NO-BREAK SPACE}+\N{NO-BREAK SPACE}{right}"


def note_of(place: int, tied: int) -> str:
    """What is said of a pair at a place of the most frequent ones, of which some are tied."""
    return "next" if place == 0 else "tied" if place < tied else ""
