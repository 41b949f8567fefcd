"""The token inspector: any text as the tokens of panel 17.5's byte-level table, and what languages cost in it."""

import json
import re
import unicodedata
from pathlib import Path
from typing import Any

from coursebuild.instruments.corpora import CATS, CATS_ROUNDS, RARE, SAMPLES
from coursebuild.instruments.parameters import Parameter, State, Text, Whole
from coursebuild.instruments.pictures import bar, row, table, text
from nextword.bpe import ByteBPE, Merge, space_chunks, spell_bytes

TITLE = "Token inspector"
SHOWS = (
    "nextword.bpe.ByteBPE",
    "nextword.bpe.space_chunks",
    "nextword.bpe.spell_bytes",
    "nextword.bpe.fuse_by_rank",
    "nextword.bpe.vocabulary",
)
ROOT = Path(__file__).resolve().parents[3]
DECLARATION = ROOT / "docs" / "assets" / "data" / "declaration.txt"
OUTPUTS = ROOT / "tests" / "outputs"
"""Approved outputs: what panel 17.6 printed where the real libraries are, with what it was run, and when."""
ABREAST = 2
"""How many tables of the Declaration stand beside each other in the picture; there are twice as many."""
LONGEST = 1000
MOST_BYTES = 4
"""Of a character in UTF-8."""
PARAMETERS: tuple[Parameter, ...] = (
    Text(name="text", label="Text", start=RARE, longest=LONGEST),
    Whole(name="token", label="Token looked at", start=2, least=0, most=MOST_BYTES * LONGEST),
)


def data() -> dict[str, Any]:
    """The merges as they are learned here, and what one long text costs in this table and in real ones."""
    bpe = ByteBPE.train(CATS, rounds=CATS_ROUNDS)
    return {
        "merges": [[left.hex(), right.hex(), count] for left, right, count in bpe.merges],
        "samples": [[language, sample] for language, sample in SAMPLES.items()],
        "declaration": declaration(bpe),
    }


def declaration(bpe: ByteBPE) -> dict[str, Any]:
    """Tokens of the Declaration of Human Rights against English, by table: real ones as recorded, then ours.

    Panel 17.6 cuts the same texts, so that the tables can be compared.
    """
    origin = json.loads((OUTPUTS / "17.6.json").read_text(encoding="utf-8"))
    languages, real = recorded((OUTPUTS / "17.6.txt").read_text(encoding="utf-8"))
    parts = DECLARATION.read_text(encoding="utf-8").split("# ")[1:]
    stored = dict(part.split("\n", 1) for part in parts)
    texts = {name: unicodedata.normalize("NFC", stored[name]) for name in ["English", *languages]}
    tokens = {name: len(bpe.encode(one)) for name, one in texts.items()}
    ours = [tokens[name] / tokens["English"] for name in languages]
    return {
        "languages": languages,
        "tables": [["this table", ours], *([name, times] for name, times in real.items())],
        "bytes_a_token": len(texts["English"].encode("utf-8")) / tokens["English"],
        "date": origin["date"],
        "library": f"tiktoken {origin['packages']['tiktoken']}",
    }


def recorded(printed: str) -> tuple[list[str], dict[str, list[float]]]:
    """The languages of panel 17.6's table of the Declaration, and what each costs in each real table."""
    lines = printed.splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Universal Declaration")) + 1
    tables = {}
    for line in lines[first + 1 :]:
        name, *cells = line.split()
        if not all(re.fullmatch(r"[0-9.]+x", cell) for cell in cells):
            break
        tables[name] = [float(cell[:-1]) for cell in cells]
    return lines[first].split(), tables


def view(data: dict[str, Any], state: State) -> dict[str, Any]:
    """The tokens of the text, what is to be known of one of them, and the cost of the text and of the samples.

    Raises:
        ValueError: the text holds a lone surrogate, or has no token of that number.
    """
    bpe = tokenizer(data)
    chunks = [groups(bpe, chunk) for chunk in space_chunks(state["text"])]
    ids = [number for chunk in chunks for _, numbers in chunk for number in numbers]
    if state["token"] > len(ids):
        raise ValueError(f"token must be at most {len(ids)}, the number of tokens, not {state['token']}")
    costs = [cost(bpe, sample) for _, sample in data["samples"]]
    return {
        "chunks": chunks,
        "cost": cost(bpe, state["text"]),
        "samples": [one | {"times": one["tokens"] / costs[0]["tokens"]} for one in costs],
        "token": detail(bpe, chunks, state["token"]) if state["token"] else None,
    }


def tokenizer(data: dict[str, Any]) -> ByteBPE:
    """The tokenizer that the merges make."""
    return ByteBPE(
        Merge(bytes.fromhex(left), bytes.fromhex(right), count) for left, right, count in data["merges"]
    )


def cost(bpe: ByteBPE, sample: str) -> dict[str, Any]:
    """The size of a text in characters, bytes and tokens."""
    tokens = len(bpe.encode(sample))
    return {
        "characters": len(sample),
        "bytes": len(spell_bytes(sample)),
        "tokens": tokens,
        "per_character": tokens / len(sample) if sample else None,
    }


def groups(bpe: ByteBPE, chunk: str) -> list[tuple[str, list[int]]]:
    """The ids of a chunk, in the smallest groups whose bytes are text by themselves, each with that text."""
    found = []
    waiting: list[int] = []
    for number in bpe.encode(chunk):
        waiting.append(number)
        try:
            found.append((bpe.decode(waiting), waiting))
        except ValueError:
            continue  # a part of a character
        waiting = []
    return found


def detail(bpe: ByteBPE, chunks: list[list[tuple[str, list[int]]]], wanted: int) -> dict[str, Any]:
    """What is to be known of a token: its bytes, the text they are a part of, and the merges that made it."""
    symbols = list(bpe.vocabulary)
    number = 0
    for of, ids in (group for chunk in chunks for group in chunk):
        if number + len(ids) < wanted:
            number += len(ids)
            continue
        before = b"".join(symbols[other] for other in ids[: wanted - number - 1])
        own = ids[wanted - number - 1]
        return {
            "id": own,
            "bytes": symbols[own].hex(),
            "of": of,
            "first_byte": len(before),
            "all_bytes": len(of.encode("utf-8")),
            "made": [
                [rank + 1, bpe.merges[rank].left.hex(), bpe.merges[rank].right.hex(), bpe.merges[rank].count]
                for rank in sorted(makers(bpe, symbols[own]))
            ],
        }
    raise AssertionError("the number was checked")


def makers(bpe: ByteBPE, symbol: bytes) -> set[int]:
    """The merges that make a symbol out of bytes, by their places in the list."""
    if len(symbol) == 1:
        return set()
    rank = next(rank for rank, merge in enumerate(bpe.merges) if merge.symbol == symbol)
    merge = bpe.merges[rank]
    return {rank} | makers(bpe, merge.left) | makers(bpe, merge.right)


def shown(piece: str) -> str:
    """Bytes, given in hexadecimal, as a reader sees them: text if they are some, with spaces that are seen."""
    try:
        return bytes.fromhex(piece).decode("utf-8").replace(" ", "␣")
    except UnicodeDecodeError:
        return piece


def picture(data: dict[str, Any], state: State, view: dict[str, Any]) -> str:
    """The tokens, one of them looked at, and the tables of costs."""
    symbols = [symbol.hex() for symbol in tokenizer(data).vocabulary]
    tokens = [shown(symbols[number]) for chunk in view["chunks"] for _, ids in chunk for number in ids]
    own = view["cost"]
    looked = view["token"]
    about = []
    if looked:
        about = [f"“{shown(looked['bytes'])}”, id {looked['id']}, bytes {spaced(looked['bytes'])},"]
        steps = [f"{shown(left)} + {shown(right)} (merge {rank})" for rank, left, right, _ in looked["made"]]
        about.append(f"made by {', '.join(steps)}" if steps else "a byte of the base")
    names = [language for language, _ in data["samples"]]
    rows = [
        costs_row(name, one, f"{one['times']:.2f}×") for name, one in zip(names, view["samples"], strict=True)
    ]
    own_rows = [costs_row("This text", own, ""), *rows]
    sizes = [
        (text(name), str(one["bytes"]), str(one["characters"]))
        for name, one in zip(["This text", *names], [own, *view["samples"]], strict=True)
    ]
    real = data["declaration"]
    return (
        row("Tokens:", ["|".join(tokens)])
        + row(f"Token {state['token']}:", about)
        + table(
            "What texts cost in this table",
            ("Text", "Tokens", "Against English", "Tokens a char"),
            own_rows,
        )
        + table("How long they are", ("Text", "Bytes", "Chars"), sizes)
        + declared(real, "The Declaration of Human Rights: tokens against English", 0)
        + declared(real, "The same in newer tables", ABREAST)
        + row("The real tables", [f"are those of {real['library']}, run on {real['date']} for panel 17.6."])
    )


def declared(real: dict[str, Any], caption: str, first: int) -> str:
    """Some of the tables that the Declaration was cut with: all would be too wide for a phone."""
    most = max(value for _, values in real["tables"] for value in values)
    here = real["tables"][first : first + ABREAST]
    rows = [
        (
            text(language),
            *(f"{values[place]:.2f}×{bar(values[place] / most)}" for _, values in here),
        )
        for place, language in enumerate(real["languages"])
    ]
    return table(caption, ("Language", *(name for name, _ in here)), rows)


def costs_row(name: str, one: dict[str, Any], times: str) -> tuple[str, ...]:
    """A text's row in the table of costs."""
    ratio = one["per_character"]
    return (
        text(name),
        str(one["tokens"]),
        times,
        "" if ratio is None else f"{ratio:.2f}{bar(ratio / MOST_BYTES)}",
    )


def spaced(piece: str) -> str:
    """Bytes in hexadecimal, with a space between them."""
    return bytes.fromhex(piece).hex(" ")
