"""WordBPE and ByteBPE: training, pieces, ids and back, and what they refuse."""

import pytest

from nextword.bpe import ByteBPE, Merge, WordBPE, base_symbols, learn_merges, spell_words, word_counts

TEXT = "low low lowest newer newer new"


@pytest.fixture
def words():
    return WordBPE.train(TEXT, 6)


@pytest.fixture
def octets():
    return ByteBPE.train(TEXT, 6)


def test_word_attributes(words):
    spellings = spell_words(word_counts(TEXT))
    assert words.base == base_symbols(spellings)
    assert words.merges == learn_merges(spellings, 6)
    assert words.marker == "_"
    assert list(words.vocabulary) == words.base + [merge.symbol for merge in words.merges]


def test_byte_attributes(octets):
    assert octets.base == [bytes([value]) for value in range(256)]
    assert len(octets.merges) == 6
    assert list(octets.vocabulary.values()) == list(range(262))
    assert octets.encode("\x00A") == [0, 65]


def test_nothing_encodes_to_nothing(words, octets):
    assert words.encode("") == words.encode(" \n") == words.pieces("") == []
    assert octets.encode("") == octets.pieces("") == []
    assert words.decode([]) == octets.decode([]) == ""


def test_no_rounds_leave_the_base():
    assert WordBPE.train("ab", 0).pieces("ab ba") == ["a", "b", "_", "b", "a", "_"]
    assert ByteBPE.train("ab", 0).encode("ab") == [97, 98]


def test_words_are_joined_by_single_spaces(words):
    assert words.decode(words.encode("  low\n\tnewer  ")) == "low newer"


def test_decoding_words_that_no_text_gives(words):
    end, low = words.vocabulary["_"], [words.vocabulary[letter] for letter in "low"]
    assert words.decode(low) == "low"  # the last word has no marker yet
    assert words.decode([*low, end, end, *low]) == "low low"
    assert words.decode([end]) == words.decode([end, end]) == ""


def test_ids_may_come_from_an_iterator(words, octets):
    assert words.decode(iter(words.encode("low new"))) == "low new"
    assert octets.decode(iter(octets.encode("low new"))) == "low new"


def test_another_marker(words):
    tokenizer = WordBPE.train("a_b a_b", 9, marker="·")
    assert tokenizer.pieces("a_b") == ["a_b·"]
    assert tokenizer.decode(tokenizer.encode("a_b b_a")) == "a_b b_a"


def test_white_space_can_be_the_marker():
    tokenizer = WordBPE.train("low low", 2, marker=" ")
    assert tokenizer.decode(tokenizer.encode("low  wol")) == "low wol"


def test_ties_reach_the_training():
    text = "ab cd"
    assert WordBPE.train(text, 1).merges == [("a", "b", 1)]
    assert WordBPE.train(text, 1, ties="largest").merges == [("d", "_", 1)]
    assert ByteBPE.train("ab", 1, ties="largest").merges == [(b"a", b"b", 1)]
    assert ByteBPE.train("ab cd", 1).merges == [(b" ", b"c", 1)]
    assert ByteBPE.train("ab cd", 1, ties="largest").merges == [(b"c", b"d", 1)]


def test_subclasses_train_their_own_kind():
    class Loud(WordBPE):
        pass

    assert type(Loud.train("a", 0)) is Loud


def test_a_tokenizer_is_made_again_from_its_merges(words, octets):
    again = WordBPE(words.merges, words.base)
    assert again.encode("low newest") == words.encode("low newest")
    assert ByteBPE(octets.merges).encode(TEXT) == octets.encode(TEXT)


def test_a_later_change_of_the_lists_handed_in_changes_nothing(words):
    merges, base = list(words.merges), list(words.base)
    tokenizer = WordBPE(merges, base)
    merges.clear()
    base.clear()
    assert tokenizer.encode(TEXT) == words.encode(TEXT)


def test_words_are_encoded_by_replay():
    # Well formed, but learned by no training: by rank it would be one piece more (see test_bpe_functions.py).
    merges = [Merge("a", "a", 1), Merge("a", "aa", 1), Merge("aaa", "b", 1), Merge("aa", "a", 1)]
    tokenizer = WordBPE(merges, "_ab")
    assert tokenizer.pieces("aaab") == ["aaa", "b", "_"]
    assert tokenizer.encode("aaab") == [4, 2, 0]


def test_broken_utf8(octets):
    cat = octets.encode("猫")
    assert len(cat) == 3
    with pytest.raises(ValueError, match=r"^ids must spell UTF-8 .*not b'\\xe7\\x8c'"):
        octets.decode(cat[:2])
    assert octets.decode(cat[:2], errors="replace") == "\ufffd"
    assert octets.decode([*cat[:2], 65, 255], errors="replace") == "\ufffdA\ufffd"
    assert octets.decode(cat, errors="replace") == "猫"


@pytest.mark.parametrize("errors", ["ignore", "", "Strict", None, "surrogateescape"])
def test_errors_must_be_known(errors, octets):
    with pytest.raises(ValueError, match=r"^errors must be 'strict' or 'replace', not "):
        octets.decode([65], errors=errors)


@pytest.mark.parametrize("number", [-1, 262, 10**30, 1.0, True, False, "1", None, b"a", float("nan")])
def test_ids_must_exist(number, words, octets):
    with pytest.raises(ValueError, match=r"^ids must be whole numbers from 0 to 261, not "):
        octets.decode([65, number])
    with pytest.raises(
        ValueError, match=rf"^ids must be whole numbers from 0 to {len(words.vocabulary) - 1}, not "
    ):
        words.decode([0, number])


@pytest.mark.parametrize("ids", ["12", 3, None, b"345"])
def test_ids_must_be_a_sequence_of_numbers(ids, words, octets):
    for tokenizer in (words, octets):
        with pytest.raises(ValueError, match=r"^ids must hold several values, as a list does, not "):
            tokenizer.decode(ids)


@pytest.mark.parametrize("text", [None, 3, b"low", ["low"]])
def test_text_must_be_a_string(text, words, octets):
    for function in (words.pieces, words.encode, octets.pieces, octets.encode):
        with pytest.raises(ValueError, match=r"^text must be a str, not "):
            function(text)
    for kind in (WordBPE, ByteBPE):
        with pytest.raises(ValueError, match=r"^text must be a str, not "):
            kind.train(text, 1)


@pytest.mark.parametrize("text", ["", " ", "\n\t "])
def test_words_need_a_word_to_learn_from(text):
    with pytest.raises(ValueError, match=r"^text must have at least one word, not "):
        WordBPE.train(text, 1)


def test_bytes_need_a_character_to_learn_from():
    with pytest.raises(ValueError, match=r"^text must have at least one character, not ''"):
        ByteBPE.train("", 1)
    assert ByteBPE.train(" ", 5).merges == []


@pytest.mark.parametrize("kind", [WordBPE, ByteBPE])
@pytest.mark.parametrize("rounds", [-1, 2.0, True, "2", None])
def test_rounds_must_be_a_whole_number(kind, rounds):
    with pytest.raises(ValueError, match=r"^rounds must be a whole number of at least 0, not "):
        kind.train(TEXT, rounds)


@pytest.mark.parametrize("kind", [WordBPE, ByteBPE])
def test_ties_must_be_known(kind):
    with pytest.raises(ValueError, match=r"^ties must be 'smallest' or 'largest' or 'oldest', not 'random'"):
        kind.train(TEXT, 1, ties="random")


@pytest.mark.parametrize("marker", ["", "__", None, 7])
def test_marker_must_be_one_character(marker):
    with pytest.raises(ValueError, match=r"^marker must be one character, not "):
        WordBPE.train(TEXT, 1, marker=marker)
    with pytest.raises(ValueError, match=r"^marker must be a character of base, not "):
        WordBPE([], ["a", "_"], marker=marker)


def test_text_cannot_spell_the_marker(words):
    with pytest.raises(ValueError, match=r"^marker .* not 'w' as in 'low'"):
        WordBPE.train(TEXT, 1, marker="w")
    for function in (words.pieces, words.encode):
        with pytest.raises(ValueError, match=r"^marker .* not '_' as in 'l_w'"):
            function("low l_w")


def test_a_character_without_id_is_named(words):
    assert words.pieces("low zoo") == ["low", "_", "z", "o", "o", "_"]
    with pytest.raises(ValueError, match=r"^text .* not 'z'"):
        words.encode("low zoo")


@pytest.mark.parametrize(
    ("merges", "base", "message"),
    [
        ([], ["a", "bc", "_"], "base must hold single characters, not 'bc'"),
        ([], ["a", "", "_"], "base must hold single characters, not ''"),
        ([], [b"a", "_"], "each symbol of base must be a str, not b'a'"),
        ([], ["a"], "marker must be a character of base, not '_'"),
        ([], ["a", "_", "a"], "base must name each symbol once"),
        ([Merge("a", "b", 1)], ["a", "_"], "not 'a' \\+ 'b'"),
        ([Merge("a", "_", 1), Merge("a", "_", 1)], ["a", "_"], "comes again"),
    ],
)
def test_a_word_table_must_be_well_formed(merges, base, message):
    with pytest.raises(ValueError, match=message):
        WordBPE(merges, base)


@pytest.mark.parametrize(
    "merges", [[Merge("a", "b", 1)], [Merge(b"ab", b"c", 1)], [Merge(b"a", b"b", 2), Merge(b"a", b"b", 1)]]
)
def test_a_byte_table_must_be_well_formed(merges):
    with pytest.raises(ValueError, match=r"^merges must "):
        ByteBPE(merges)


def test_a_lone_surrogate_has_no_bytes(octets):
    for function in (octets.encode, octets.pieces, lambda text: ByteBPE.train(text, 1)):
        with pytest.raises(ValueError, match=r"lone surrogate, not U\+D83D"):
            function("cat \ud83d")
