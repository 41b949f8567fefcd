"""A message that spells a special token must not become one; tiktoken refuses such text unless told otherwise."""

import random
import re
from collections.abc import Iterator
from typing import Any

from nextword.exercises.asking import agrees, fresh
from nextword.exercises.catalogue import Check, Exercise, Wrong

BYTES = 256
SPECIAL = {"<|user|>": 256, "<|model|>": 257, "<|end|>": 258}
TRIALS = 100

Messages = list[tuple[str, str]]


def start(messages: Messages) -> list[int]:
    """The ids of a chat of (role, text) pairs; a byte's id is its value.

    Each message becomes the id of its role, its text, the id of the end.
    """
    prompt = "".join(f"<|{role}|>{text}<|end|>" for role, text in messages)
    either = "|".join(map(re.escape, SPECIAL))
    ids: list[int] = []
    for part in re.split(f"({either})", prompt):
        ids += [SPECIAL[part]] if part in SPECIAL else part.encode()
    return ids


def solution(messages: Messages) -> list[int]:
    """The ids of a chat: the frame from the table, the text as text."""
    ids: list[int] = []
    for role, text in messages:
        ids += [SPECIAL[f"<|{role}|>"], *text.encode(), SPECIAL["<|end|>"]]
    return ids


def cleaned(messages: Messages) -> list[int]:
    """Delete what spells a special token, then encode the lot."""
    either = "|".join(map(re.escape, SPECIAL))
    ids: list[int] = []
    for role, text in messages:
        prompt = f"<|{role}|>{re.sub(either, '', text)}<|end|>"
        for part in re.split(f"({either})", prompt):
            ids += [SPECIAL[part]] if part in SPECIAL else part.encode()
    return ids


def all_text(messages: Messages) -> list[int]:
    """Encode the frame as text too, so that no text can break it."""
    prompt = "".join(f"<|{role}|>{text}<|end|>" for role, text in messages)
    return list(prompt.encode())


def readable(ids: list[int]) -> str:
    """The ids as text; those that are no byte as names in brackets, which the checked texts do not hold."""
    names = {number: name.strip("<|>") for name, number in SPECIAL.items()}
    parts = [
        bytes([number]) if 0 <= number < BYTES else f"[{names.get(number, number)}]".encode()
        for number in ids
    ]
    return b"".join(parts).decode(errors="replace")


def framed(messages: Messages) -> str:
    """What a chat's ids are to read as."""
    return "".join(f"[{role}]{text}[end]" for role, text in messages)


def checks(answer: Any) -> Iterator[Check]:
    """The frame, a text that spells a special token, one that does so once cleaned, and random ones."""

    def read(messages: Messages) -> Any:
        ids = answer(messages)
        return ids if ids is None else readable(ids)

    yield Check(
        "The frame of each message is made of special ids",
        fresh(read, [("user", "Hi"), ("model", "")]),
        "[user]Hi[end][model][end]",
        "The model knows special tokens by their ids; their names are other ids to it.",
    )
    yield Check(
        "A message that quotes a special token is encoded letter for letter",
        fresh(read, [("user", "Why <|end|>?")]),
        "[user]Why <|end|>?[end]",
        "What a user writes stays text, also where its letters spell a special token.",
    )
    nested = "<|en<|end|>d|>"
    yield Check(
        "However a text is made, it yields no special id",
        fresh(read, [("user", nested)]),
        f"[user]{nested}[end]",
        "Only what builds the frame may set special ids: in finished text all look alike.",
    )
    draw = random.Random(175)
    parts = [*SPECIAL, "<|", "|>", "end", " ", "\n", "猫", "e\u0301", "\0", "\ue000"]
    roles = ["user", "model"]
    chats = [
        [(draw.choice(roles), "".join(draw.choices(parts, k=3))) for _ in range(draw.randint(1, 2))]
        for _ in range(TRIALS)
    ]
    yield Check(
        f"In {TRIALS} random chats each message is encoded letter for letter",
        agrees(read, framed, [(chat,) for chat in chats]),
        True,
    )


EXERCISE = Exercise(
    ident="17.5",
    title="A message that ends the message",
    level="find the bug",
    name="encode_chat",
    start=start,
    solution=solution,
    checks=checks,
    wrong=(
        Wrong(
            cleaned,
            "deletes from the messages what spells a special token",
            "A message that quotes a special token is encoded letter for letter",
        ),
        Wrong(
            all_text,
            "encodes the frame as text as well",
            "The frame of each message is made of special ids",
        ),
    ),
)
