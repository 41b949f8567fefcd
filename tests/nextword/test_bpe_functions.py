"""The functions of nextword.bpe on small cases worked by hand, and on input that they refuse."""

import pytest

from nextword.bpe import (
    Merge,
    apply_by_rank,
    apply_merges,
    base_symbols,
    count_pairs,
    fuse_by_rank,
    greedy_longest_match,
    learn_merges,
    learn_merges_by_heap,
    merge_pair,
    respell,
    space_chunks,
    spell_bytes,
    spell_words,
    vocabulary,
    word_counts,
)

# A list that no training learns: "aaa" is made by two merges, and the one that replay reaches comes after a + aa + b.
UNTRAINED = [Merge("a", "a", 1), Merge("a", "aa", 1), Merge("aaa", "b", 1), Merge("aa", "a", 1)]


def test_a_merge_names_its_symbol():
    assert Merge("er", "_", 9).symbol == "er_"
    assert Merge(b"\xce", b"\xb7", 1).symbol == "η".encode()
    left, right, count = Merge("e", "r", 9)
    assert (left, right, count) == ("e", "r", 9)


@pytest.mark.parametrize(
    ("text", "counts"),
    [("", {}), (" \n\t", {}), ("b a b", {"b": 2, "a": 1}), ("a\nA\u00a0a", {"a": 2, "A": 1})],
)
def test_word_counts(text, counts):
    assert list(word_counts(text).items()) == list(counts.items())
    assert type(word_counts(text)) is dict


def test_spell_words_with_and_without_marker():
    assert spell_words({"ab": 2}) == {("a", "b", "_"): 2}
    assert spell_words({"ab": 2}, "·") == {("a", "b", "·"): 2}
    assert spell_words({"ab": 2}, "") == {("a", "b"): 2}
    assert spell_words({}) == {}


def test_count_pairs_counts_every_position_by_weight():
    assert count_pairs({("a", "a", "a"): 2, ("a", "b"): 5, ("b",): 9, (): 1}) == {
        ("a", "a"): 4,
        ("a", "b"): 5,
    }
    assert count_pairs({(b"\xff", b"\x00"): 3}) == {(b"\xff", b"\x00"): 3}
    assert not count_pairs({})


@pytest.mark.parametrize(
    ("symbols", "merged"),
    [
        ("", ()),
        ("a", ("a",)),
        ("aa", ("aa",)),
        ("aaa", ("aa", "a")),
        ("aaaa", ("aa", "aa")),
        ("aaaaa", ("aa", "aa", "a")),
        ("baab", ("b", "aa", "b")),
        ("aba", ("a", "b", "a")),
    ],
)
def test_merge_pair_goes_left_to_right_without_overlap(symbols, merged):
    assert merge_pair(tuple(symbols), "a", "a") == merged
    assert merge_pair(list(symbols), "a", "a") == merged


def test_merge_pair_compares_whole_symbols():
    assert merge_pair(("ab", "c", "a", "bc"), "a", "bc") == ("ab", "c", "abc")
    assert merge_pair(("a", "b"), "b", "a") == ("a", "b")


def test_training_on_a_run():
    # aaaa: (a, a) stands 3 times; then aa aa: once; then nothing is left.
    assert learn_merges({("a",) * 4: 1}, 9) == [("a", "a", 3), ("aa", "aa", 1)]
    # aaa: (a, a) stands twice and is fused once.
    assert learn_merges({("a",) * 3: 1}, 9) == [("a", "a", 2), ("aa", "a", 1)]


def test_training_in_bytes_breaks_ties_by_value():
    spellings = {(b"\x7f", b"\x80"): 1, (b"\xff", b"\x00"): 1}
    assert learn_merges(spellings, 1) == [(b"\x7f", b"\x80", 1)]
    assert learn_merges(spellings, 1, ties="largest") == [(b"\xff", b"\x00", 1)]


def test_ties_compare_the_pair_not_the_new_symbol():
    # As one string "bab" is the smaller; as a pair ("ba", "b") is the larger.
    spellings = {("b", "c"): 1, ("ba", "b"): 1}
    assert learn_merges(spellings, 1) == [("b", "c", 1)]
    assert learn_merges(spellings, 1, ties="largest") == [("ba", "b", 1)]


def test_no_rounds_or_no_pairs_give_no_merges():
    assert learn_merges({("a", "b"): 1}, 0) == []
    assert learn_merges({("a",): 1, ("b",): 2}, 5) == []


def test_training_leaves_its_input_alone():
    spellings = {("a", "b"): 1}
    learn_merges(spellings, 5)
    assert spellings == {("a", "b"): 1}


def test_respell_adds_up_spellings_that_become_equal():
    assert respell({("a", "b", "c"): 2, ("ab", "c"): 3, ("c",): 1}, [Merge("a", "b", 2)]) == {
        ("ab", "c"): 5,
        ("c",): 1,
    }
    assert respell({("a", "b"): 2}, []) == {("a", "b"): 2}


def test_replay_and_rank_differ_on_a_list_that_no_training_learned():
    assert apply_merges(("a", "a", "a", "b"), UNTRAINED) == ("aaa", "b")
    assert apply_by_rank(("a", "a", "a", "b"), UNTRAINED) == ("aaab",)


def test_vocabulary_numbers_the_base_then_the_merges():
    assert vocabulary(["b", "a"], []) == {"b": 0, "a": 1}
    assert list(vocabulary(("a", "b"), UNTRAINED).items()) == [
        ("a", 0),
        ("b", 1),
        ("aa", 2),
        ("aaa", 3),
        ("aaab", 4),
    ]


def test_base_symbols_are_sorted_and_distinct():
    assert base_symbols({("b", "a", "_"): 1, ("a",): 2}) == ["_", "a", "b"]
    assert base_symbols([(b"\xff",), (b"\x00",)]) == [b"\x00", b"\xff"]
    assert base_symbols({}) == []


@pytest.mark.parametrize(
    ("text", "longest", "pieces"),
    [
        ("", 8, []),
        ("abab", 8, ["aba", "b"]),
        ("abab", 2, ["ab", "ab"]),
        ("abab", 1, ["a", "b", "a", "b"]),
        ("abab", 99, ["aba", "b"]),
    ],
)
def test_greedy_longest_match(text, longest, pieces):
    assert greedy_longest_match(text, {"a", "b", "ab", "aba"}, longest) == pieces


def test_greedy_longest_match_is_not_byte_pair_encoding():
    # b + c is learned first, so replay cuts a|bc where greedy cuts ab|c.
    merges = [Merge("b", "c", 2), Merge("a", "b", 1)]
    assert apply_merges(("a", "b", "c"), merges) == ("a", "bc")
    assert greedy_longest_match("abc", vocabulary(["a", "b", "c"], merges)) == ["ab", "c"]


def test_greedy_longest_match_never_goes_back():
    with pytest.raises(ValueError, match="'c'"):
        greedy_longest_match("abc", ["a", "ab", "bc"])


@pytest.mark.parametrize(
    ("text", "chunks"),
    [
        ("", []),
        (" ", [" "]),
        ("a", ["a"]),
        (" a", [" a"]),
        ("a ", ["a", " "]),
        ("a  b", ["a", " ", " b"]),
        ("a\tb\nc d", ["a\tb\nc", " d"]),
        ("a\u00a0b", ["a\u00a0b"]),
    ],
)
def test_space_chunks(text, chunks):
    assert space_chunks(text) == chunks


@pytest.mark.parametrize(
    ("chunk", "count"), [("", 0), ("a", 1), ("é", 2), ("e\u0301", 3), ("猫", 3), ("🐈", 4), ("\x00", 1)]
)
def test_spell_bytes(chunk, count):
    symbols = spell_bytes(chunk)
    assert [len(symbol) for symbol in symbols] == [1] * count
    assert b"".join(symbols) == chunk.encode()


# What is refused: the message names the argument and the value.


@pytest.mark.parametrize("rounds", [-1, 1.0, True, False, "3", None])
def test_rounds_must_be_a_whole_number(rounds):
    with pytest.raises(ValueError, match=rf"^rounds .* at least 0, not {rounds!r}"):
        learn_merges({("a", "b"): 1}, rounds)


@pytest.mark.parametrize("ties", ["", "first", "Smallest", None, []])
def test_ties_must_be_known(ties):
    with pytest.raises(ValueError, match=r"^ties must be 'smallest' or 'largest', not "):
        learn_merges({("a", "b"): 1}, 1, ties)


def test_training_needs_a_spelling():
    with pytest.raises(ValueError, match=r"^spellings must hold at least one"):
        learn_merges({}, 1)


@pytest.mark.parametrize("count", [0, -1, 1.0, True, "1", None])
def test_counts_must_be_whole_numbers(count):
    with pytest.raises(ValueError, match=r"^the count of \('a', 'b'\) must be .* at least 1, not "):
        learn_merges({("a", "b"): count}, 1)
    with pytest.raises(ValueError, match=r"^the count of 'ab' must be .* at least 1, not "):
        spell_words({"ab": count})


@pytest.mark.parametrize("word", ["low", b"low"], ids=["str", "bytes"])
def test_words_in_place_of_symbols_are_refused(word):
    with pytest.raises(ValueError, match=rf"spellings must be a tuple or list of symbols, not {word!r}"):
        learn_merges({word: 5}, 1)
    for function in (apply_merges, apply_by_rank):
        with pytest.raises(ValueError, match=rf"^symbols must be a tuple or list of symbols, not {word!r}"):
            function(word, [])
    with pytest.raises(ValueError, match=rf"^base must be a tuple or list of symbols, not {word!r}"):
        vocabulary(word, [])


@pytest.mark.parametrize("marker", ["__", "</w>", None, 1, b"_"])
def test_marker_must_be_one_character_or_none(marker):
    with pytest.raises(ValueError, match=r"^marker must be one character, not "):
        spell_words({"low": 1}, marker)


def test_marker_must_not_occur_in_a_word():
    with pytest.raises(ValueError, match=r"^marker .* not 'w' as in 'low'"):
        spell_words({"a": 1, "low": 1}, "w")


@pytest.mark.parametrize(
    ("merges", "message"),
    [
        ([Merge("a", "x", 1)], "'a' \\+ 'x'"),
        ([Merge("ab", "a", 1), Merge("a", "b", 1)], "'ab' \\+ 'a'"),
        ([Merge("a", "b", 2), Merge("b", "a", 1), Merge("a", "b", 1)], "'a' \\+ 'b' comes again"),
        ([Merge(b"a", b"b", 1)], "b'a' \\+ b'b'"),
    ],
)
def test_vocabulary_refuses_merges_that_are_not_well_formed(merges, message):
    with pytest.raises(ValueError, match=rf"^merges must .*{message}"):
        vocabulary(["a", "b"], merges)


def test_vocabulary_refuses_a_base_that_names_a_symbol_twice():
    with pytest.raises(ValueError, match=r"^base must name each symbol once"):
        vocabulary(["a", "b", "a"], [])


def test_a_pair_has_one_rank():
    with pytest.raises(ValueError, match="merges must hold each pair once, but 'a' \\+ 'b' comes again"):
        apply_by_rank(("a",), [Merge("a", "b", 2), Merge("a", "b", 1)])


@pytest.mark.parametrize("longest", [0, -1, 2.0, True, None])
def test_longest_must_be_a_whole_number_above_zero(longest):
    with pytest.raises(ValueError, match=r"^longest must be a whole number of at least 1, not "):
        greedy_longest_match("a", {"a"}, longest)


@pytest.mark.parametrize("value", ["abc", None, 3])
def test_the_vocabulary_must_hold_several_pieces(value):
    with pytest.raises(ValueError, match=r"^vocabulary must hold several values, as a list does, not "):
        greedy_longest_match("abc", value)


@pytest.mark.parametrize("value", [None, 3, b"low low", ["low"]])
def test_text_must_be_a_string(value):
    for function, name in [(word_counts, "text"), (space_chunks, "text"), (spell_bytes, "chunk")]:
        with pytest.raises(ValueError, match=rf"^{name} must be a str, not "):
            function(value)
    with pytest.raises(ValueError, match=r"^text must be a str, not "):
        greedy_longest_match(value, {"low"})


@pytest.mark.parametrize("surrogate", ["\ud800", "\udfff"], ids=["first", "last"])  # noqa: PT014
def test_a_lone_surrogate_is_named(surrogate):
    with pytest.raises(ValueError, match=rf"^chunk .* lone surrogate, not U\+{ord(surrogate):04X}"):
        spell_bytes("ab" + surrogate)


def test_the_oldest_pair_among_ties():
    """By hand: a, b, y, z are the base in sorted order, and ab is younger than all of them."""
    spellings = {("a", "b"): 3, ("a", "b", "z"): 1, ("y", "z"): 1, ("a", "y"): 1}
    merges = learn_merges_by_heap(spellings, 9, ties="oldest")
    assert merges == [("a", "b", 4), ("a", "y", 1), ("y", "z", 1), ("ab", "z", 1)]


def test_pieces_have_at_most_eight_characters_unless_more_are_asked_for():
    table = {"abcdefghi", "abcdefgh", "i"}
    assert greedy_longest_match("abcdefghi", table) == ["abcdefgh", "i"]
    assert greedy_longest_match("abcdefghi", table, 9) == ["abcdefghi"]


def test_a_fused_pair_may_rank_below_the_one_that_made_it():
    ranks = {"bc": 5, "abc": 2}
    assert fuse_by_rank(("a", "b", "c"), lambda one, two: ranks.get(one + two)) == ("abc",)
    assert fuse_by_rank(("a", "b", "c"), lambda one, two: ranks.get(one + two), True) == ("a", "bc")


def test_what_a_heap_still_says_of_a_place_that_was_fused_is_passed_over():
    ranks = {"bc": 0, "abc": 1, "ab": 3}
    assert fuse_by_rank(("a", "b", "c"), lambda one, two: ranks.get(one + two)) == ("abc",)
