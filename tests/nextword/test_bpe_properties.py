"""What holds for every input, and a second, deliberately naive trainer to compare with."""

import random
import re
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nextword.bpe import (
    ByteBPE,
    WordBPE,
    apply_by_rank,
    apply_merges,
    base_symbols,
    greedy_longest_match,
    learn_merges,
    merge_pair,
    respell,
    space_chunks,
    spell_bytes,
    spell_words,
    vocabulary,
)

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

TIES = ("smallest", "largest")
ties = st.sampled_from(TIES)
rounds = st.integers(0, 12)
words = st.text("aab", min_size=1, max_size=9)  # few letters: runs, overlaps and ties are the rule
texts = st.text(st.characters(exclude_categories=["Cs"]) | st.sampled_from("ab "), max_size=30)
word_spellings = st.dictionaries(words, st.integers(1, 4), min_size=1, max_size=8).map(spell_words)
byte_spellings = st.dictionaries(
    st.text("aaé ", min_size=1, max_size=8).map(spell_bytes), st.integers(1, 4), min_size=1, max_size=8
)
spellings_of_either_kind = word_spellings | byte_spellings


# The oracle: the corpus is one string, a symbol is what stands between « and », a merge is str.replace.


def naive_merges(corpus, rounds, ties):
    """Train on a list of spelled words, each as often as it occurs."""
    text = " ".join("".join(f"«{symbol}»" for symbol in symbols) for symbols in corpus)
    learned = []
    for _ in range(rounds):
        seen = re.findall(r"«([^«»]+)»(?=«([^«»]+)»)", text)
        if not seen:
            break
        table = sorted((seen.count(pair), pair) for pair in set(seen))
        best = [row for row in table if row[0] == table[-1][0]]
        count, (left, right) = best[0] if ties == "smallest" else best[-1]
        learned.append((left, right, count))
        text = text.replace(f"«{left}»«{right}»", f"«{left}{right}»")
    return learned


@pytest.mark.parametrize("seed", range(40))
def test_the_naive_trainer_agrees_on_words(seed):
    draw = random.Random(seed)
    corpus = [
        "".join(draw.choices("abc", (5, 2, 1), k=draw.randint(1, 9))) for _ in range(draw.randint(1, 25))
    ]
    spellings = spell_words({word: corpus.count(word) for word in corpus})
    for rule in TIES:
        assert learn_merges(spellings, 50, rule) == naive_merges([(*word, "_") for word in corpus], 50, rule)


@pytest.mark.parametrize("seed", range(20))
def test_the_naive_trainer_agrees_on_bytes(seed):
    draw = random.Random(seed)
    text = "".join(draw.choices("aaab ηé\n", k=draw.randint(1, 120)))
    # Latin-1 writes each byte as the character of the same value, so the order is the same; « and » are bytes that
    # the UTF-8 of this text does not use.
    corpus = [tuple(chunk.encode().decode("latin-1")) for chunk in space_chunks(text)]
    assert not {"«", "»"} & {symbol for symbols in corpus for symbol in symbols}
    for rule in TIES:
        wanted = naive_merges(corpus, 50, rule)
        assert ByteBPE.train(text, 50, rule).merges == [
            (left.encode("latin-1"), right.encode("latin-1"), count) for left, right, count in wanted
        ]


# Training


@steady
@given(spellings_of_either_kind, rounds, ties)
def test_fewer_rounds_learn_the_start_of_the_same_list(spellings, asked, rule):
    merges = learn_merges(spellings, asked + 1, rule)
    assert learn_merges(spellings, asked, rule) == merges[:asked]


@steady
@given(spellings_of_either_kind, ties)
def test_counts_never_increase(spellings, rule):
    counts = [merge.count for merge in learn_merges(spellings, 60, rule)]
    assert counts == sorted(counts, reverse=True)
    assert all(count >= 1 for count in counts)


@steady
@given(spellings_of_either_kind, ties)
def test_training_ends_with_one_symbol_for_each_word(spellings, rule):
    merges = learn_merges(spellings, 10_000, rule)
    assert all(len(symbols) == 1 for symbols in respell(spellings, merges))


@steady
@given(spellings_of_either_kind, ties, st.randoms(use_true_random=False))
def test_the_order_of_the_words_plays_no_part(spellings, rule, shuffler):
    items = list(spellings.items())
    shuffler.shuffle(items)
    assert learn_merges(dict(items), 60, rule) == learn_merges(spellings, 60, rule)


@steady
@given(spellings_of_either_kind, ties)
def test_training_makes_no_symbol_twice(spellings, rule):
    merges = learn_merges(spellings, 60, rule)
    base = base_symbols(spellings)
    assert len(vocabulary(base, merges)) == len(base) + len(merges)


@steady
@given(spellings_of_either_kind, rounds, rounds)
def test_training_can_stop_and_go_on(spellings, first, second):
    merges = learn_merges(spellings, first)
    assert merges + learn_merges(respell(spellings, merges), second) == learn_merges(
        spellings, len(merges) + second
    )


# Encoding


@steady
@given(
    st.lists(st.sampled_from(["a", "b", "aa", "ab"])),
    st.sampled_from(["a", "b", "aa"]),
    st.sampled_from("ab"),
)
def test_a_merge_changes_no_text(symbols, left, right):
    merged = merge_pair(symbols, left, right)
    assert "".join(merged) == "".join(symbols)
    assert len(merged) <= len(symbols)
    assert (left, right) not in pairwise(merged)


@steady
@given(word_spellings, rounds, ties, st.lists(words))
def test_replay_is_rank_for_trained_words(spellings, asked, rule, others):
    merges = learn_merges(spellings, asked, rule)
    for symbols in [*spellings, *((*word, "_") for word in others)]:
        assert apply_merges(symbols, merges) == apply_by_rank(symbols, merges)


@steady
@given(byte_spellings, rounds, ties, st.lists(st.text("aaé η", max_size=12)))
def test_replay_is_rank_for_trained_bytes(spellings, asked, rule, others):
    merges = learn_merges(spellings, asked, rule)
    for symbols in [*spellings, *map(spell_bytes, others)]:
        assert apply_merges(symbols, merges) == apply_by_rank(symbols, merges)


@steady
@given(spellings_of_either_kind, ties)
def test_training_and_encoding_spell_alike(spellings, rule):
    merges = learn_merges(spellings, 8, rule)
    again = {}
    for symbols, count in spellings.items():
        pieces = apply_by_rank(symbols, merges)
        again[pieces] = again.get(pieces, 0) + count
    assert again == respell(spellings, merges)


@steady
@given(word_spellings, ties, words)
def test_more_merges_never_lengthen_an_encoding(spellings, rule, word):
    merges = learn_merges(spellings, 30, rule)
    lengths = [len(apply_by_rank((*word, "_"), merges[:count])) for count in range(len(merges) + 1)]
    assert lengths == sorted(lengths, reverse=True)


@steady
@given(st.text("ab ", max_size=20), st.integers(1, 9))
def test_greedy_pieces_join_to_the_text(text, longest):
    pieces = greedy_longest_match(text, {"a", "b", " ", "ab", "ba b", "aaa"}, longest)
    assert "".join(pieces) == text
    assert all(1 <= len(piece) <= longest for piece in pieces)


@steady
@given(texts)
def test_chunks_join_to_the_text_and_hold_one_space_at_most(text):
    chunks = space_chunks(text)
    assert "".join(chunks) == text
    assert all(chunk and " " not in chunk[1:] for chunk in chunks)
    assert all(chunk.startswith(" ") for chunk in chunks[1:])


# There and back


@settings(steady, max_examples=200)
@given(texts, st.integers(0, 40), texts)
def test_bytes_round_trip_for_every_text(training, asked, text):
    tokenizer = ByteBPE.train(training or " ", asked)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert b"".join(tokenizer.pieces(text)) == text.encode()
    assert tokenizer.decode(tokenizer.encode(training)) == training


@steady
@given(texts, st.characters(categories=["Cs"]), texts)
def test_a_surrogate_is_refused_wherever_it_stands(before, surrogate, after):
    with pytest.raises(ValueError, match=rf"U\+{ord(surrogate):04X}"):
        ByteBPE([]).encode(before + surrogate + after)


@steady
@given(st.lists(words, min_size=1), rounds, ties, st.lists(words))
def test_words_round_trip(training, asked, rule, others):
    tokenizer = WordBPE.train(" ".join(["ab", *training]), asked, ties=rule)
    text = " ".join(others)
    assert tokenizer.decode(tokenizer.encode(text)) == text
    assert "".join(tokenizer.pieces(text)) == "".join(word + "_" for word in others)


@steady
@given(texts.filter(str.split), rounds, st.sampled_from("_·#"))
def test_any_training_text_round_trips_by_its_words(text, asked, marker):
    if marker in text:
        with pytest.raises(ValueError, match=r"^marker"):
            WordBPE.train(text, asked, marker)
    else:
        tokenizer = WordBPE.train(text, asked, marker)
        assert tokenizer.decode(tokenizer.encode(text)) == " ".join(text.split())


@steady
@given(st.lists(st.integers(0, 300)))
def test_any_ids_decode_or_are_refused(ids):
    tokenizer = ByteBPE.train("the cat sat on the mat", 5)
    if any(number > 260 for number in ids):
        with pytest.raises(ValueError, match=r"^ids must be whole numbers from 0 to 260"):
            tokenizer.decode(ids, errors="replace")
    else:
        joined = b"".join(list(tokenizer.vocabulary)[number] for number in ids)
        assert tokenizer.decode(ids, errors="replace") == joined.decode("utf-8", "replace")
