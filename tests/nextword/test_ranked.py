"""A table of ranks: reading it, encoding by the lowest rank, special tokens, and what is refused."""

import base64
import random
import re

import pytest

from nextword.bpe import ByteBPE, space_chunks
from nextword.ranked import RankedBPE, load_ranks, parse_ranks

WORDS = [b"th", b"he", b"the", b" c", b"at", b" cat", b" the"]
RANKS = {bytes([value]): value for value in range(256)} | {
    word: 256 + rank for rank, word in enumerate(WORDS)
}
SPECIAL = {"<end>": 300, "<end>>": 301, "<pad>": 400}


@pytest.fixture
def tokenizer():
    return RankedBPE(RANKS, space_chunks, SPECIAL)


def written(ranks):
    return "".join(f"{base64.b64encode(symbol).decode()} {rank}\n" for symbol, rank in ranks.items())


def test_a_file_is_read_back(tmp_path):
    path = tmp_path / "small.tiktoken"
    path.write_text(written(RANKS), encoding="ascii")
    assert load_ranks(path) == load_ranks(str(path)) == RANKS
    assert list(parse_ranks(written(RANKS).replace("\n", "\r\n\r\n"))) == list(RANKS)
    assert parse_ranks("") == {}


@pytest.mark.parametrize(
    "line", ["YQ==", "YQ== x", "YQ== -1", "YQ== 1 2", "Y 1", "Y@== 1", "Y@Q== 1", "YQ== ²", "YQ== 1.0"]
)
def test_a_bad_line_is_named(line):
    with pytest.raises(ValueError, match=f"^line 2 must be .*{re.escape(repr(line))}$"):
        parse_ranks(f"YQ== 0\n{line}\n")


def test_a_symbol_comes_once():
    with pytest.raises(ValueError, match="line 2 has b'a' again"):
        parse_ranks("YQ== 0\nYQ== 1")
    with pytest.raises(ValueError, match=r"^text must be a str"):
        parse_ranks(b"YQ== 0")


def test_the_lowest_rank_comes_first(tokenizer):
    assert tokenizer.pieces("the cat") == [b"the", b" cat"]
    assert tokenizer.pieces("athe cats") == [b"a", b"the", b" cat", b"s"]
    assert tokenizer.encode("") == tokenizer.pieces("") == []


def test_a_chunk_of_the_table_is_one_symbol_though_no_merges_lead_there():
    ranks = {b"a": 0, b"b": 1, b"c": 2, b"abc": 3}
    tokenizer = RankedBPE(ranks, space_chunks)
    assert tokenizer.encode("abc") == [3]
    assert tokenizer.encode("abca") == [0, 1, 2, 0]


def test_of_equal_ranks_the_leftmost():
    tokenizer = RankedBPE({b"a": 0, b"aa": 1}, space_chunks)
    assert tokenizer.pieces("aaa") == [b"aa", b"a"]


def test_a_trained_table_encodes_as_its_tokenizer():
    draw = random.Random(3)
    for _ in range(50):
        text = "".join(draw.choices("aab é", k=200))
        trained = ByteBPE.train(text, 30)
        ranked = RankedBPE(trained.vocabulary, space_chunks)
        assert ranked.encode(text) == trained.encode(text)


def test_special_tokens_are_text_unless_allowed(tokenizer):
    assert 300 not in tokenizer.encode("the<end>")
    assert tokenizer.encode("the<end> cat", allowed=["<end>"]) == [258, 300, 261]
    assert tokenizer.encode("<end><pad>", allowed={"<end>", "<pad>"}) == [300, 400]
    assert tokenizer.encode("<end><pad>", allowed=["<pad>"]) == [*b"<end>", 400]
    assert tokenizer.encode("<end>>", allowed=SPECIAL) == [301]  # the longest


def test_all_round_trips(tokenizer):
    for text in ("", " ", "η γάτα\n<end>", "the  cat<pad>"):
        assert tokenizer.decode(tokenizer.encode(text)) == text
        assert tokenizer.decode(tokenizer.encode(text, allowed=SPECIAL)) == text


@pytest.mark.parametrize("ids", [65, "A", b"A"], ids=repr)
def test_ids_come_in_a_list(ids, tokenizer):
    with pytest.raises(ValueError, match=r"^ids must hold several values, as a list does, not "):
        tokenizer.decode(ids)


def test_of_wrong_chunks_the_first_eight_are_shown():
    with pytest.raises(ValueError, match=r"not \['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'\]$"):
        RankedBPE(RANKS, str.split).pieces("a b c d e f g h i j")


def test_broken_utf8(tokenizer):
    with pytest.raises(ValueError, match=r"^ids must spell UTF-8"):
        tokenizer.decode([0xE7])
    assert tokenizer.decode(iter([0xE7, 300]), errors="replace") == "\ufffd<end>"
    with pytest.raises(ValueError, match=r"^errors must be"):
        tokenizer.decode([65], errors="ignore")


@pytest.mark.parametrize("number", [-1, 263, 302, True, "1", None, 1.5, 65.0, [65]])
def test_ids_must_exist(number, tokenizer):
    with pytest.raises(ValueError, match=r"^ids must be ids of the table or of special tokens, not "):
        tokenizer.decode([65, number])


def test_what_is_refused_in_a_text(tokenizer):
    with pytest.raises(ValueError, match=r"^text must be a str"):
        tokenizer.encode(b"the")
    with pytest.raises(ValueError, match=r"^text must be a str, not b'the'$"):
        tokenizer.pieces(b"the")
    with pytest.raises(ValueError, match="lone surrogate"):
        tokenizer.encode("\ud83d")
    with pytest.raises(ValueError, match=r"^allowed must hold special tokens, not '<x>'"):
        tokenizer.encode("the", allowed=["<x>"])
    with pytest.raises(ValueError, match=r"^allowed must hold several values"):
        tokenizer.encode("the", allowed="<end>")
    with pytest.raises(ValueError, match=r"not b'z' as in 'az'"):
        RankedBPE({b"a": 0}, space_chunks).encode("az")
    with pytest.raises(ValueError, match=r"^split must give chunks that joined are the text"):
        RankedBPE(RANKS, str.split).encode("the cat")


@pytest.mark.parametrize(
    ("ranks", "special", "message"),
    [
        ({"a": 0}, {}, "ranks must have bytes .* not 'a'"),
        ({b"": 0}, {}, "ranks must have bytes .* not b''"),
        ({b"a": -1}, {}, "the id of b'a' must be a whole number of at least 0"),
        ({b"a": True}, {}, "the id of b'a' must be a whole number"),
        ({b"a": 0, b"b": 0}, {}, "ids must differ, but 0 is b'a' and b'b'"),
        ({b"a": 0}, {"<x>": 0}, "ids must differ, but 0 is b'a' and b'<x>'"),
        ({b"a": 0}, {"": 1}, "^special must have texts of at least one character as keys, not ''$"),
        ({b"a": 0}, {b"x": 1}, "each key of special must be a str"),
    ],
)
def test_a_table_must_be_well_formed(ranks, special, message):
    with pytest.raises(ValueError, match=rf"^{message}"):
        RankedBPE(ranks, space_chunks, special)


def test_split_must_be_a_function():
    with pytest.raises(ValueError, match=r"^split must be a function"):
        RankedBPE(RANKS, "spaces")
