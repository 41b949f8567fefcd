"""Byte pair encoding against tiktoken, with the real tables and rules, and against the trainer and encoder of tokenizers."""

import hashlib
import json
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
import regex
import tiktoken
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from coursebuild.runner import VOCABULARIES
from nextword.bpe import WordBPE, learn_merges_by_heap, space_chunks, spell_words, word_counts
from nextword.ranked import RankedBPE, load_ranks

ROOT = Path(__file__).parents[2]
ADDRESS = (
    "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"  # tiktoken names its files after it
)
NAMES = ("r50k_base", "cl100k_base", "o200k_base")
CLASSES = (
    r"\p{L}",
    r"\p{N}",
    r"\p{M}",
    r"\p{Lu}",
    r"\p{Ll}",
    r"\p{Lt}",
    r"\p{Lm}",
    r"\p{Lo}",
    r"\s",
    "(?i:[sdmtlver])",
)

Measured = Callable[[str, int, float], None]

POOLS: list[range | list[int]] = [
    range(0x20, 0x7F),
    [9, 10, 11, 12, 13, 0x1C, 0x1F, 0x85, 0xA0, 0x2028, 0x3000, 0x200B, 32, 32, 32],
    [*map(ord, "'sStTdDmMlLvVrReE’ſK")],
    range(0x30, 0x3A),
    range(0x80, 0x250),
    range(0x300, 0x370),
    range(0x370, 0x700),
    range(0x900, 0xE80),
    range(0x3040, 0x3100),
    range(0x4E00, 0xA000),
    range(0x1F300, 0x1F700),
    [*range(0xD800), *range(0xE000, 0x110000)],
]


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables lie in the environment; one thread, so that times can be compared."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(Path(sys.prefix) / VOCABULARIES))
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")


@pytest.fixture(scope="module")
def disputed() -> set[str]:
    """The characters that tiktoken's engine and the package regex class otherwise: their Unicode versions differ."""
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, 0x110000)]))
    octets = {bytes([value]): value for value in range(256)}
    found: set[str] = set()
    for pattern in CLASSES:
        theirs = tiktoken.Encoding("class", pat_str=pattern, mergeable_ranks=octets, special_tokens={})
        found |= set(bytes(theirs.encode_ordinary(every)).decode()) ^ set(regex.findall(pattern, every))
    return found


@pytest.fixture(scope="module")
def pairs() -> dict[str, tuple[RankedBPE, tiktoken.Encoding]]:
    """Ours, read from the file, and theirs."""
    made = {}
    for name in NAMES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIKTOKEN_CACHE_DIR", str(Path(sys.prefix) / VOCABULARIES))
            theirs = tiktoken.get_encoding(name)
        key = hashlib.sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
        ranks = load_ranks(Path(sys.prefix) / VOCABULARIES / key)
        split = regex.compile(theirs._pat_str).findall
        made[name] = RankedBPE(ranks, split, theirs._special_tokens), theirs
    return made


def fuzz(rng: random.Random, without: set[str]) -> str:
    """A short text of runs: letters, digits, white space, contractions, many scripts, emoji, marks, any character."""
    drawn = [
        chr(rng.choice(pool))
        for pool in rng.choices(POOLS, k=rng.randint(0, 8))
        for _ in range(rng.randint(1, 8))
    ]
    return "".join(character for character in drawn if character not in without)


def test_the_engines_agree_on_all_old_characters(disputed: set[str]) -> None:
    assert not any(ord(character) < 0x250 for character in disputed)
    assert disputed < {chr(number) for number in range(0x110000)}
    assert len(disputed) < 20_000, (
        "the two Unicode versions have grown apart: what is left out hides too much"
    )


@pytest.mark.parametrize("name", NAMES)
def test_fuzzed_text(name: str, pairs: dict, disputed: set[str], measured: Measured) -> None:
    ours, theirs = pairs[name]
    rng = random.Random(f"fuzz {name}")
    texts = [fuzz(rng, disputed) for _ in range(10_000)]
    for text in texts:
        ids = ours.encode(text)
        assert ids == theirs.encode_ordinary(text), ascii(text)
        assert ours.decode(ids) == text
    measured(
        f"BPE, {name}: fuzzed strings of characters that both Unicode versions class alike", len(texts), 0
    )


@pytest.mark.parametrize("name", NAMES)
def test_source_code(name: str, pairs: dict, measured: Measured) -> None:
    ours, theirs = pairs[name]
    files = [path for folder in ("src", "tests", ".ci") for path in sorted((ROOT / folder).rglob("*.py"))]
    files += sorted((ROOT / "docs").rglob("*.md"))
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert ours.encode(text) == theirs.encode_ordinary(text), path
    measured(f"BPE, {name}: source files of this course", len(files), 0)


@pytest.mark.parametrize("name", NAMES)
def test_the_declaration(name: str, pairs: dict, measured: Measured) -> None:
    ours, theirs = pairs[name]
    text = (ROOT / "docs/assets/data/declaration.txt").read_text(encoding="utf-8")
    languages = regex.split(r"(?m)^(?=# )", text)[1:]
    assert len(languages) > 1
    for language in languages:
        assert ours.encode(language) == theirs.encode_ordinary(language), language[:20]
    measured(f"BPE, {name}: languages of the Declaration", len(languages), 0)


@pytest.mark.parametrize("name", NAMES)
def test_long_chunks(name: str, pairs: dict) -> None:
    ours, theirs = pairs[name]
    rng = random.Random(7)
    for letters, length in (
        ("a", 20_000),
        ("ab", 5_000),
        ("abcdefghij", 5_000),
        ("=", 3_000),
        (" ", 3_000),
        ("\n", 999),
        ("猫", 999),
    ):
        text = "".join(rng.choices(letters, k=length))
        assert ours.encode(text) == theirs.encode_ordinary(text), letters


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens(name: str, pairs: dict, disputed: set[str], measured: Measured) -> None:
    ours, theirs = pairs[name]
    rng = random.Random(f"special {name}")
    tokens = sorted(ours.special)
    broken = ["<|", "|>", "<|endoftext|", "<", "|endoftext|>", "<|ENDOFTEXT|>"]
    cases = 1_000
    for _ in range(cases):
        parts = [
            rng.choice((fuzz(rng, disputed), rng.choice(tokens), rng.choice(broken)))
            for _ in range(rng.randint(1, 6))
        ]
        text = "".join(parts)
        allowed = {token for token in tokens if rng.random() < 0.5}
        ids = ours.encode(text, allowed=allowed)
        assert ids == theirs.encode(text, allowed_special=allowed, disallowed_special=()), ascii(text)
        assert ours.encode(text, allowed=tokens) == theirs.encode(text, allowed_special="all"), ascii(text)
        assert ours.encode(text) == theirs.encode_ordinary(text), ascii(text)
        assert ours.decode(ids) == theirs.decode(ids) == text
    measured(f"BPE, {name}: texts with special tokens", cases, 0)


def test_tiktoken_refuses_what_we_read_as_text(pairs: dict) -> None:
    ours, theirs = pairs["cl100k_base"]
    with pytest.raises(ValueError, match="disallowed special token"):
        theirs.encode("a<|endoftext|>")
    assert ours.decode(ours.encode("a<|endoftext|>")) == "a<|endoftext|>"
    assert len(ours.encode("a<|endoftext|>")) > len(ours.encode("a<|endoftext|>", allowed=["<|endoftext|>"]))


# The trainer. Words carry the marker as a character of their own; with end_of_word_suffix the library learns other merges.


def train_in_rust(marked: str, rounds: int) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    size = len({*marked} - {" "}) + rounds
    trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=0, show_progress=False)
    tokenizer.train_from_iterator([marked], trainer)
    return tokenizer


def merges_of(tokenizer: Tokenizer) -> list[tuple[str, str]]:
    return [tuple(pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]]


def mark(text: str) -> str:
    return " ".join(word + "_" for word in text.split())


def test_the_trainers_agree_merge_for_merge(measured: Measured) -> None:
    cases = 300
    different = {"smallest": 0, "largest": 0}
    for seed in range(cases):
        rng = random.Random(seed)
        letters = rng.choice(("ab", "aaab", "abcdefgh", "aeéηπ猫😀"))
        words = ["".join(rng.choices(letters, k=rng.randint(1, 9))) for _ in range(rng.randint(1, 60))]
        text = " ".join(words)
        theirs = train_in_rust(mark(text), 100)
        ours = WordBPE.train(text, 100, ties="oldest")
        pairs = [(left, right) for left, right, _ in ours.merges]
        assert pairs == merges_of(theirs), text
        assert ours.vocabulary == theirs.get_vocab(), text
        others = "".join(rng.choices(letters + " ", k=60))
        known = " ".join(word for word in others.split() if {*word} <= {*text})
        assert ours.encode(known) == theirs.encode(mark(known)).ids, known
        spellings = spell_words(word_counts(text))
        for rule in different:
            named = learn_merges_by_heap(spellings, 100, rule)
            different[rule] += [(left, right) for left, right, _ in named] != pairs
    assert all(different.values()), "among equals, the rules of the lesson do choose otherwise"
    measured("BPE trainer: random corpora, merge for merge", cases, 0)


# Speed, in CPU time: generous bounds of the issue, which a recount each round misses by far.


def seconds(function: Callable[[], object]) -> float:
    taken = []
    for _ in range(3):
        start = time.process_time()
        function()
        taken.append(time.process_time() - start)
    return statistics.median(taken)


def test_speed(measured: Measured) -> None:
    text = (ROOT / "docs/assets/data/shakespeare.txt").read_text(encoding="utf-8")[:1_000_000]
    marked = mark(text)
    ours, theirs = WordBPE.train(text, 1_000, ties="oldest"), train_in_rust(marked, 1_000)
    assert [(left, right) for left, right, _ in ours.merges] == merges_of(theirs)
    assert ours.encode(text) == theirs.encode(marked).ids
    trained = seconds(lambda: WordBPE.train(text, 1_000)) / seconds(lambda: train_in_rust(marked, 1_000))
    encoded = seconds(lambda: ours.encode(text)) / seconds(lambda: theirs.encode(marked).ids)
    afresh = seconds(lambda: WordBPE(ours.merges, ours.base).encode(text)) / seconds(
        lambda: Tokenizer.from_str(theirs.to_str()).encode(marked).ids
    )
    print(
        f"training {trained:.2f}, encoding {encoded:.2f}, with an empty memory {afresh:.2f} times the library's CPU time"
    )
    assert trained < 10
    assert encoded < 3
    assert afresh < 3


def test_the_trainers_agree_on_bytes() -> None:
    text = (ROOT / "docs/assets/data/shakespeare.txt").read_text(encoding="utf-8")[:100_000]
    letters = byte_letters()
    theirs = Tokenizer(models.BPE())
    cut = pre_tokenizers.Split(Regex(" ?[^ ]+| "), "isolated")
    theirs.pre_tokenizer = pre_tokenizers.Sequence(
        [cut, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    alphabet = sorted(letters.values())
    trainer = trainers.BpeTrainer(
        vocab_size=256 + 200, min_frequency=0, show_progress=False, initial_alphabet=alphabet
    )
    theirs.train_from_iterator([text], trainer)
    chunks = Counter(space_chunks(text))
    spellings = {tuple(letters[value] for value in chunk.encode()): count for chunk, count in chunks.items()}
    ours = learn_merges_by_heap(
        spellings, 200, "oldest"
    )  # the letters of bytes sort otherwise than the bytes
    assert [(left, right) for left, right, _ in ours] == merges_of(theirs)


def byte_letters() -> dict[int, str]:
    """The printable character by which byte-level tokenizers write each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in printable]
    return {value: chr(value) for value in printable} | {
        value: chr(256 + place) for place, value in enumerate(others)
    }
