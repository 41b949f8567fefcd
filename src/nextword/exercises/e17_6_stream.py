"""Showing text while tokens arrive: a token may end inside a character, and a model may emit bytes that are none."""

import codecs
import random
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any

from nextword.exercises.asking import agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong

TRIALS = 100


def start(pieces: list[bytes]) -> list[str]:
    """What can be shown after each piece, and at the end.

    A character is shown with the piece that completes it. Bytes that are
    no UTF-8 are shown as U+FFFD: 0xFF at once, a character that was begun
    as soon as the next byte does not go on with it. n pieces give n + 1
    texts: the last is for the end, "" unless the stream breaks off inside
    a character. Joined they are the text of all bytes, as given by
    b"".join(pieces).decode("utf-8", errors="replace").
    """
    raise NotImplementedError("write stream")


def solution(pieces: list[bytes]) -> list[str]:
    """Keep the bytes of an unfinished character, and nothing else."""
    decoder = codecs.getincrementaldecoder("utf-8")(errors="replace")
    shown = [decoder.decode(piece) for piece in pieces]
    return [*shown, decoder.decode(b"", final=True)]


def one_by_one(pieces: list[bytes]) -> list[str]:
    """Decode each piece by itself."""
    return [*(piece.decode(errors="replace") for piece in pieces), ""]


def waits_for_all(pieces: list[bytes]) -> list[str]:
    """Hold everything back until all of it is UTF-8."""
    shown, held = [], b""
    for piece in pieces:
        held += piece
        try:
            text = held.decode()
        except UnicodeDecodeError:
            text = ""
        else:
            held = b""
        shown.append(text)
    return [*shown, held.decode(errors="replace")]


def cut(whole: bytes, draw: random.Random) -> list[bytes]:
    """The bytes in pieces of random length."""
    pieces = []
    while whole:
        size = draw.randint(1, 3)
        pieces.append(whole[:size])
        whole = whole[size:]
    return pieces


def completed(pieces: Sequence[bytes]) -> list[str]:
    """Of a valid text: the characters that each piece completes, and nothing at the end."""
    whole = [sofar.decode(errors="ignore") for sofar in accumulate(pieces)]
    return [*(text.removeprefix(before) for before, text in pairwise(["", *whole])), ""]


def replaced(pieces: Sequence[bytes]) -> str:
    """All of it, decoded at once."""
    return b"".join(pieces).decode(errors="replace")


def checks(answer: Any) -> Iterator[Check]:
    """A character in parts, bytes that are no text, an unfinished end, and random pieces."""
    cat = "猫".encode()
    yield Check(
        "A character that comes in several pieces is shown with the last of them",
        fresh(answer, [cat[:1], cat[1:2], cat[2:] + b"!"]),
        ["", "", "猫!", ""],
        "A piece may end inside a character: hold its bytes back until the rest has come.",
    )
    yield Check(
        "A byte that is no UTF-8 does not block what follows",
        fresh(answer, [b"ok ", b"\xff", cat[:1], b"!", b" go on"]),
        ["ok ", "\ufffd", "", "\ufffd!", " go on", ""],
        "Nothing that follows can make it valid any more: replace it and go on.",
    )
    yield Check(
        "What is complete does not wait for what is not",
        fresh(answer, [b"low ", b"high " + cat[:2], cat[2:]]),
        ["low ", "high ", "猫", ""],
        "The bytes of the unfinished character wait, not the characters before them.",
    )
    yield Check(
        "A character that the end leaves unfinished is replaced",
        fresh(answer, [b"so", cat[:2]]),
        ["so", "", "\ufffd"],
        "A stream may end inside a character, as where a limit of tokens cuts it.",
    )
    draw = random.Random(176)
    signs = ["a", "é", "猫", "🙂", " ", "\ufeff"]
    streams = [cut("".join(draw.choices(signs, k=draw.randint(0, 8))).encode(), draw) for _ in range(TRIALS)]
    yield Check(
        f"In {TRIALS} random streams each piece shows what it completes",
        agrees(answer, completed, [(pieces,) for pieces in streams]),
        True,
    )
    noise = [
        cut(bytes(draw.choices([0x61, 0xC3, 0xA9, 0xE7, 0x8C, 0xF0, 0xFF], k=9)), draw) for _ in range(TRIALS)
    ]

    def joined(pieces: list[bytes]) -> Any:
        texts = answer(pieces)
        return texts if texts is None else "".join(texts)

    yield Check(
        f"In {TRIALS} streams of random bytes the texts, joined, are the whole",
        agrees(joined, replaced, [(pieces,) for pieces in noise]),
        True,
    )


EXERCISE = Exercise(
    ident="17.6",
    title="Show the text while the tokens arrive",
    level="implement",
    name="stream",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            one_by_one,
            "decodes each piece by itself",
            "A character that comes in several pieces is shown with the last of them",
        ),
        Wrong(
            waits_for_all,
            "shows nothing until all that it holds back is valid",
            "A byte that is no UTF-8 does not block what follows",
        ),
    ),
)
