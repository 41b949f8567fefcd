"""nextword.bpe against the independent figures of lesson 17 (tests/facts/lesson-17.json)."""

import json
from collections import Counter
from pathlib import Path

import pytest

from nextword.bpe import (
    ByteBPE,
    Merge,
    WordBPE,
    apply_by_rank,
    apply_merges,
    base_symbols,
    count_pairs,
    greedy_longest_match,
    learn_merges,
    respell,
    space_chunks,
    spell_bytes,
    spell_words,
    vocabulary,
    word_counts,
)

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-17.json").read_text(encoding="utf-8"))


def tied_pairs(spellings, merges, round_number):
    """The pairs that share the highest count at the start of a round, sorted."""
    pairs = count_pairs(respell(spellings, merges[: round_number - 1]))
    return sorted(pair for pair, count in pairs.items() if count == max(pairs.values()))


class TestTraining:
    """Panel 17.1."""

    facts = FACTS["17.1"]

    @pytest.fixture
    def spellings(self):
        return spell_words(word_counts(self.facts["inputs"]["corpus"]), self.facts["inputs"]["end_of_word"])

    @pytest.fixture
    def merges(self, spellings):
        return learn_merges(spellings, self.facts["inputs"]["rounds"])

    def test_word_counts_come_in_order_of_first_appearance(self):
        counts = word_counts(self.facts["inputs"]["corpus"])
        assert list(counts.items()) == list(self.facts["inputs"]["word_counts"].items())

    def test_merge_table(self, merges):
        wanted = self.facts["expected"]["merges"]
        assert [row["round"] for row in wanted] == list(range(1, 11))
        assert [(merge.left, merge.right, merge.count, merge.symbol) for merge in merges] == [
            (row["left"], row["right"], row["count"], row["new_symbol"]) for row in wanted
        ]

    def test_final_spellings(self, spellings, merges):
        assert [
            {"count": count, "symbols": list(symbols)}
            for symbols, count in sorted(respell(spellings, merges).items())
        ] == self.facts["expected"]["final_spellings_sorted_by_symbol_tuple"]

    def test_symbols_still_in_use(self, spellings, merges):
        assert (
            base_symbols(respell(spellings, merges))
            == self.facts["expected"]["symbols_in_use_after_training"]
        )

    def test_tied_rounds_are_these_and_no_others(self, spellings, merges):
        tied = {number: tied_pairs(spellings, merges, number) for number in range(1, 11)}
        assert {
            str(number): [list(pair) for pair in pairs] for number, pairs in tied.items() if len(pairs) > 1
        } == (self.facts["not_in_source"]["tied_rounds"])

    def test_sixteen_merges_exhaust_the_corpus(self, spellings):
        merges = learn_merges(spellings, 1000)
        assert len(merges) == self.facts["not_in_source"]["rounds_until_no_pair_left"] == 16
        assert all(len(symbols) == 1 for symbols in respell(spellings, merges))

    def test_vocabulary_is_base_and_merges(self, spellings, merges):
        base = base_symbols(spellings)
        assert base == self.facts["not_in_source"]["base_alphabet"]
        ids = vocabulary(base, merges)
        assert len(ids) == self.facts["not_in_source"]["full_vocabulary_size_alphabet_plus_10_merges"] == 21
        assert list(ids) == base + [merge.symbol for merge in merges]
        assert list(ids.values()) == list(range(21))

    def test_largest_pair_among_ties(self, spellings):
        merges = learn_merges(spellings, 10, ties="largest")
        assert [f"{left}+{right}" for left, right, _ in merges] == (
            ["r+_", "e+r_", "n+e", "ne+w", "o+w", "l+ow", "new+er_", "low+_", "w+i", "wi+d"]
        )
        assert apply_merges(("w", "i", "d", "e", "r", "_"), merges) == ("wid", "er_")

    def test_the_class_learns_the_same(self, spellings, merges):
        tokenizer = WordBPE.train(self.facts["inputs"]["corpus"], 10)
        assert tokenizer.merges == merges
        assert tokenizer.base == base_symbols(spellings)
        assert tokenizer.vocabulary == vocabulary(tokenizer.base, merges)


class TestEncoding:
    """Panel 17.2."""

    facts = FACTS["17.2"]
    merges = tuple(Merge(left, right, 1) for left, right in facts["inputs"]["merges"])

    @pytest.fixture
    def tokenizer(self):
        return WordBPE.train(FACTS["17.1"]["inputs"]["corpus"], 10)

    @pytest.mark.parametrize("row", facts["expected"]["encodings"], ids=lambda row: row["word"])
    def test_pieces(self, row, tokenizer):
        assert list(apply_merges((*row["word"], "_"), self.merges)) == row["tokens"]
        assert list(apply_by_rank((*row["word"], "_"), self.merges)) == row["tokens"]
        assert tokenizer.pieces(row["word"]) == row["tokens"]
        assert len(row["tokens"]) == row["count"]

    @pytest.mark.parametrize(("word", "tokens"), [("wider", ["w", "ider_"]), ("er", ["er_"])])
    def test_more_pieces(self, word, tokens, tokenizer):
        assert tokens in self.facts["not_in_source"].values()
        assert tokenizer.pieces(word) == tokens

    def test_order_is_part_of_the_tokenizer(self):
        newer = ("n", "e", "w", "e", "r", "_")
        assert list(apply_merges(newer, self.merges)) == self.facts["expected"]["newer_in_order"]
        assert list(apply_merges(newer, self.merges[::-1])) == self.facts["expected"]["newer_merges_reversed"]

    def test_a_character_outside_the_base_alphabet_is_a_piece_without_an_id(self, tokenizer):
        assert tokenizer.pieces("glow") == ["g", "low_"]
        with pytest.raises(ValueError, match="'g'"):
            tokenizer.encode("glow")


class TestLetters:
    """Panel 17.3."""

    facts = FACTS["17.3"]
    table = facts["inputs"]["vocab"]

    def test_greedy_longest_match(self):
        pieces = greedy_longest_match("strawberry", self.table, self.facts["inputs"]["max_piece_length"])
        assert pieces == self.facts["expected"]["pieces"]
        assert [self.table[piece] for piece in pieces] == self.facts["expected"]["ids"]
        assert "".join(reversed(pieces)) == self.facts["expected"]["tokens_reversed"]
        assert sum("r" in piece for piece in pieces) == self.facts["expected"]["pieces_containing_r"]

    def test_spaced_letters(self):
        pieces = greedy_longest_match(" ".join("strawberry"), self.table)
        assert len(pieces) == self.facts["not_in_source"]["toy_greedy_of_spaced_spelling_token_count"]

    def test_what_fits_nowhere_is_named(self):
        with pytest.raises(ValueError, match="'z'"):
            greedy_longest_match("strawz", self.table)


class TestDigits:
    """Panel 17.4."""

    facts = FACTS["17.4"]

    @pytest.fixture
    def spellings(self):
        counts = self.facts["inputs"]["corpus_counts"]
        return spell_words({word: counts[word] for word in self.facts["inputs"]["corpus_order"]}, marker="")

    def test_merges_and_counts(self, spellings):
        merges = learn_merges(spellings, 6)
        assert [[left, right] for left, right, _ in merges] == self.facts["expected"]["merges"]
        assert [merge.symbol for merge in merges] == self.facts["expected"]["merge_symbols"]
        assert [merge.count for merge in merges] == self.facts["not_in_source"]["merge_counts"]

    def test_only_round_five_is_tied(self, spellings):
        merges = learn_merges(spellings, 6)
        tied = {number: tied_pairs(spellings, merges, number) for number in range(1, 7)}
        assert {number: pairs for number, pairs in tied.items() if len(pairs) > 1} == {
            5: [("1", "9"), ("20", "1")]
        }

    def test_a_seventh_merge_and_then_none(self, spellings):
        merges = learn_merges(spellings, 100)
        assert len(merges) == 7
        assert merges[6] == ("1", "2", 3)

    @pytest.mark.parametrize("row", facts["expected"]["encodings"], ids=lambda row: row["number"])
    def test_pieces(self, row, spellings):
        pieces = apply_merges(tuple(row["number"]), learn_merges(spellings, 6))
        assert list(pieces) == row["tokens"]
        assert len(pieces) == row["count"]


class TestBytes:
    """Panel 17.5."""

    facts = FACTS["17.5"]
    text = "".join(part["text"] * part["repeat"] for part in facts["inputs"]["corpus_parts"])
    samples = facts["inputs"]["samples"]

    @pytest.fixture
    def tokenizer(self):
        return ByteBPE.train(self.text, self.facts["inputs"]["rounds_requested"])

    def test_chunks(self):
        chunks = space_chunks(self.text)
        assert len(self.text) == self.facts["not_in_source"]["corpus_characters"] == 808
        assert len(chunks) == self.facts["not_in_source"]["chunks_total"] == 209
        assert Counter(chunks) == self.facts["not_in_source"]["chunk_counts"]
        assert chunks[0] == "the"
        assert chunks[-1] == " "

    def test_twenty_one_merges_exist_of_forty_asked(self, tokenizer):
        wanted = self.facts["not_in_source"]["merges"]
        assert [(merge.symbol.decode(), merge.count) for merge in tokenizer.merges] == [
            (row["symbol"], row["count"]) for row in wanted
        ]
        assert len(wanted) == self.facts["not_in_source"]["merges_actually_learned"] == 21
        assert ByteBPE.train(self.text, 10_000).merges == tokenizer.merges
        assert len(tokenizer.vocabulary) == 256 + 21

    def test_how_many_pairs_are_tied_in_each_round(self, tokenizer):
        spellings = {spell_bytes(chunk): count for chunk, count in Counter(space_chunks(self.text)).items()}
        assert [len(tied_pairs(spellings, tokenizer.merges, number)) for number in range(1, 22)] == [
            row["candidates_tied"] for row in self.facts["not_in_source"]["merges"]
        ]

    @pytest.mark.parametrize("row", facts["expected"]["table"], ids=lambda row: row["language"])
    def test_table(self, row, tokenizer):
        sample = self.samples[row["language"]]
        tokens = tokenizer.encode(sample)
        assert len(sample) == row["characters"]
        assert len(spell_bytes(sample)) == row["utf8_bytes"]
        assert len(tokens) == row["tokens"]
        assert len(tokens) / len(sample) == pytest.approx(row["tokens_per_character"])
        assert tokenizer.decode(tokens) == sample

    @pytest.mark.parametrize(("language", "first"), [("Greek", 8), ("Japanese", 6)])
    def test_first_pieces_of_other_scripts(self, language, first, tokenizer):
        name = language.lower()
        pieces = tokenizer.pieces(self.samples[language])
        shown = [piece.decode() if piece.isascii() else repr(piece) for piece in pieces[:first]]
        assert shown == self.facts["expected"][f"{name}_first_{first}"]
        assert len(pieces) - first == self.facts["expected"][f"{name}_remaining"]

    def test_english_and_rare_pieces(self, tokenizer):
        english = [piece.decode() for piece in tokenizer.pieces(self.samples["English"])]
        rare = [piece.decode() for piece in tokenizer.pieces(self.facts["inputs"]["rare_sentence"])]
        assert english == self.facts["expected"]["english_pieces"]
        assert rare == self.facts["expected"]["rare_sentence_pieces"]
        assert len(tokenizer.pieces(" trampoline")) == self.facts["not_in_source"]["trampoline_tokens"]
        assert tokenizer.pieces("the") == [b"the"]
