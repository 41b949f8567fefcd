"""The quick trainer and the quick replay give what the taught ones give, on every kind of input."""

import copy
import pickle
import random
import time
from itertools import pairwise

import pytest

from nextword import bpe
from nextword.bpe import (
    ByteBPE,
    Merge,
    Replay,
    WordBPE,
    apply_merges,
    base_symbols,
    count_pairs,
    descending,
    fuse_by_rank,
    learn_merges,
    learn_merges_by_heap,
    merge_pair,
    respell,
    spell_bytes,
    spell_words,
)


def words_of(draw):
    letters = draw.choice(("ab", "aaab", "abcdefgh", "aeéη猫😀"))
    return ["".join(draw.choices(letters, k=draw.randint(1, 8))) for _ in range(draw.randint(1, 20))]


def counted(spellings, draw):
    return {symbols: draw.randint(1, 4) for symbols in spellings}


KINDS = {
    "words": lambda draw: spell_words({word: draw.randint(1, 4) for word in words_of(draw)}),
    "bytes": lambda draw: counted([spell_bytes(word) for word in words_of(draw)], draw),
    # Symbols that spell each other, and the empty symbol: no training starts so, but the lists must not differ.
    "pieces": lambda draw: counted(
        [
            tuple(draw.choices(["", "a", "b", "ab", "aab"], k=draw.randint(0, 6)))
            for _ in range(draw.randint(1, 20))
        ],
        draw,
    ),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ties", ["smallest", "largest"])
def test_the_heap_learns_the_same_list(kind, ties):
    for seed in range(300):
        spellings = KINDS[kind](random.Random(f"{kind} {seed}"))
        assert learn_merges_by_heap(spellings, 60, ties) == learn_merges(spellings, 60, ties), seed


def by_recount(spellings, rounds):
    """The rule "oldest" by counting afresh each round."""
    age = {symbol: number for number, symbol in enumerate(base_symbols(spellings))}
    merges = []
    while len(merges) < rounds and (pairs := count_pairs(spellings)):
        left, right = min(pairs, key=lambda pair: (-pairs[pair], age[pair[0]], age[pair[1]]))
        merges.append(Merge(left, right, pairs[left, right]))
        age.setdefault(left + right, len(age))
        spellings = respell(spellings, merges[-1:])
    return merges


@pytest.mark.parametrize("kind", ["words", "bytes"])
def test_the_oldest_of_equal_pairs_wins(kind):
    for seed in range(100):
        spellings = KINDS[kind](random.Random(f"{kind} {seed}"))
        assert learn_merges_by_heap(spellings, 60, "oldest") == by_recount(spellings, 60), seed


def test_the_heap_leaves_its_input_alone():
    spellings = {("a", "a", "a"): 2, ("a", "b"): 1}
    learn_merges_by_heap(spellings, 9)
    assert spellings == {("a", "a", "a"): 2, ("a", "b"): 1}


def test_no_rounds_and_nothing_to_fuse():
    assert learn_merges_by_heap({("a", "b"): 1}, 0) == []
    assert learn_merges_by_heap({("a",): 1, ("b",): 2}, 9) == []


@pytest.mark.parametrize(
    ("spellings", "rounds", "ties", "message"),
    [
        ({}, 1, "smallest", "spellings must hold at least one spelling"),
        ({"ab": 1}, 1, "smallest", "each key of spellings must be a tuple or list of symbols"),
        ({("a", "b"): 0}, 1, "smallest", "must be a whole number of at least 1"),
        ({("a", "b"): 1}, -1, "smallest", "rounds must be a whole number of at least 0"),
        ({("a", "b"): 1}, 1, "youngest", "ties must be 'smallest' or 'largest' or 'oldest', not 'youngest'"),
    ],
)
def test_the_heap_refuses_what_the_taught_trainer_refuses(spellings, rounds, ties, message):
    with pytest.raises(ValueError, match=message):
        learn_merges_by_heap(spellings, rounds, ties)


def test_the_taught_trainer_does_not_know_the_third_rule():
    with pytest.raises(ValueError, match=r"^ties must be 'smallest' or 'largest', not 'oldest'"):
        learn_merges({("a", "b"): 1}, 1, "oldest")


def test_descending_is_the_reverse_of_sorting():
    symbols = ["", "a", "b", "ab", "aa", "\0", "a\0", "\U0010ffff", "é"]
    assert sorted(symbols, key=descending) == sorted(symbols, reverse=True)
    octets = [symbol.encode() for symbol in symbols]
    assert sorted(octets, key=descending) == sorted(octets, reverse=True)


@pytest.mark.parametrize("kind", ["words", "bytes"])
def test_replay_is_apply_merges_on_any_list(kind):
    for seed in range(100):
        draw = random.Random(f"{kind} {seed}")
        spellings = KINDS[kind](draw)
        merges = learn_merges(spellings, 40)
        shuffled = draw.sample(merges, len(merges))
        for symbols in spellings:
            assert Replay(merges)(symbols) == apply_merges(symbols, merges)
            assert Replay(shuffled)(symbols) == apply_merges(symbols, shuffled)


def by_scan(symbols, ranks):
    """Fuse the leftmost pair of the lowest rank, looking at every pair each time."""
    symbols = list(symbols)
    while True:
        present = [
            (ranks[left + right], place)
            for place, (left, right) in enumerate(pairwise(symbols))
            if left + right in ranks
        ]
        if not present:
            return tuple(symbols)
        place = min(present)[1]
        symbols[place : place + 2] = [symbols[place] + symbols[place + 1]]


def test_the_heap_of_an_encoder_fuses_as_a_scan_does():
    for seed in range(300):
        draw = random.Random(seed)
        pieces = list({"".join(draw.choices("ab", k=draw.randint(2, 5))) for _ in range(15)})
        ranks = {piece: rank for rank, piece in enumerate(draw.sample(sorted(pieces), len(pieces)))}
        symbols = draw.choices("ab", k=draw.randint(0, 40))
        fused = fuse_by_rank(symbols, lambda left, right, ranks=ranks: ranks.get(left + right))
        assert fused == by_scan(symbols, ranks), (ranks, symbols)


def test_a_long_chunk_is_no_trap():
    tokenizer = ByteBPE.train("abababab" * 3, 20)
    start = time.process_time()
    pieces = tokenizer.pieces("ab" * 50_000)
    assert time.process_time() - start < 10
    assert b"".join(pieces) == b"ab" * 50_000


def test_the_memory_of_chunks_stays_bounded(monkeypatch):
    monkeypatch.setattr(bpe, "CACHED_CHUNKS", 3)
    tokenizer = WordBPE.train("low low lower", 3)
    text = "low lower wol low owe r ower lower"
    assert tokenizer.pieces(text) == [
        piece for word in text.split() for piece in apply_merges((*word, "_"), tokenizer.merges)
    ]
    assert 0 < len(tokenizer._known) <= 3


def test_a_tokenizer_can_be_copied_and_stored():
    for tokenizer in (WordBPE.train("low low lower", 3), ByteBPE.train("low low lower", 3)):
        tokenizer.encode("low")
        for again in (copy.deepcopy(tokenizer), pickle.loads(pickle.dumps(tokenizer))):
            assert again.encode("lower low") == tokenizer.encode("lower low")


def test_an_overlap_is_fused_from_the_left():
    assert (
        Replay([Merge("a", "a", 1)])(("a", "a", "a")) == merge_pair(("a", "a", "a"), "a", "a") == ("aa", "a")
    )
