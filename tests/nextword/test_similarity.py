"""nextword.similarity against brute force, NumPy, exact arithmetic and the laws of counts and cosines."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nextword.matrices import vector_matrix
from nextword.similarity import (
    cooccurrence_counts,
    cosine_similarity,
    mean_vector,
    nearest,
    one_hot,
    positive_pmi,
    word_vectors,
)

steady = settings(derandomize=True, deadline=None, max_examples=60, database=None)

texts = st.lists(st.lists(st.sampled_from("abcd"), max_size=7), max_size=5)
windows = st.integers(1, 4)
numbers = st.just(0.0) | st.floats(1e-100, 1e3) | st.floats(-1e3, -1e-100)


def of_width(width):
    return st.lists(numbers, min_size=width, max_size=width)


pairs = st.integers(1, 5).flatmap(lambda d: st.tuples(of_width(d), of_width(d)))
matrices = st.integers(1, 5).flatmap(lambda d: st.lists(of_width(d), min_size=1, max_size=5))


def as_plain(counts):
    return {word: dict(row) for word, row in counts.items()}


# Counts.


def test_counts_by_hand():
    counts = cooccurrence_counts([["the", "cat", "sat", "on", "the", "mat"], ["a", "cat"]], window=2)
    assert as_plain(counts) == {
        "the": {"cat": 1, "sat": 2, "on": 1, "mat": 1},
        "cat": {"the": 1, "sat": 1, "on": 1, "a": 1},
        "sat": {"the": 2, "cat": 1, "on": 1},
        "on": {"cat": 1, "sat": 1, "the": 1, "mat": 1},
        "mat": {"on": 1, "the": 1},
        "a": {"cat": 1},
    }


def test_a_word_beside_itself_is_counted_at_both_places():
    assert as_plain(cooccurrence_counts([["a", "a"]], window=1)) == {"a": {"a": 2}}


def test_a_word_alone_has_an_empty_row():
    assert as_plain(cooccurrence_counts([["a"], [], ["b", "c"]], window=3)) == {
        "a": {},
        "b": {"c": 1},
        "c": {"b": 1},
    }
    assert cooccurrence_counts([], window=1) == {}


@steady
@given(texts, windows)
def test_counts_agree_with_brute_force(sentences, window):
    wanted = Counter(
        (sentence[i], sentence[j])
        for sentence in sentences
        for i in range(len(sentence))
        for j in range(len(sentence))
        if i != j and abs(i - j) <= window
    )
    counts = cooccurrence_counts(sentences, window)
    assert {(a, b): n for a, row in counts.items() for b, n in row.items()} == wanted
    assert list(counts) == list(dict.fromkeys(word for sentence in sentences for word in sentence))


@steady
@given(texts, texts, windows)
def test_counts_of_texts_add_up_and_know_no_direction(one, other, window):
    both = cooccurrence_counts(one + other, window)
    first, second = (cooccurrence_counts(text, window) for text in (one, other))
    for word, row in both.items():
        assert row == first.get(word, Counter()) + second.get(word, Counter())
    turned = cooccurrence_counts([sentence[::-1] for sentence in one], window)
    assert as_plain(turned) == as_plain(first)
    assert all(first[b][a] == n for a, row in first.items() for b, n in row.items())


# Positive PMI.


@steady
@given(texts, windows)
def test_positive_pmi_agrees_with_exact_ratios(sentences, window):
    counts = cooccurrence_counts(sentences, window)
    weights = positive_pmi(counts)
    total = sum(sum(row.values()) for row in counts.values())
    columns = sum(counts.values(), Counter())
    assert list(weights) == list(counts)
    for a, row in counts.items():
        ratios = {b: Fraction(n * total, sum(row.values()) * columns[b]) for b, n in row.items()}
        assert weights[a] == pytest.approx({b: math.log(r) for b, r in ratios.items() if r > 1})


def test_what_comes_as_often_as_chance_has_it_weighs_nothing():
    counts = {"cat": {"purrs": 2, "the": 1, "never": 0}, "dog": {"barks": 2, "the": 1}, "none": {}}
    assert positive_pmi(counts) == {
        "cat": {"purrs": pytest.approx(math.log(2))},
        "dog": {"barks": pytest.approx(math.log(2))},
        "none": {},
    }
    assert positive_pmi({}) == {}


@steady
@given(texts, st.integers(2, 50))
def test_a_text_repeated_keeps_its_weights(sentences, times):
    counts = cooccurrence_counts(sentences, 2)
    more = {a: {b: times * n for b, n in row.items()} for a, row in counts.items()}
    kept, again = positive_pmi(counts), positive_pmi(more)
    for word, row in kept.items():
        assert again[word] == pytest.approx(row, abs=1e-12)


# Vectors and cosines.


def test_word_vectors_have_an_axis_for_each_context():
    table = {"cat": {"the": 2, "sat": 1}, "dog": {}}
    assert word_vectors(table, ("sat", "on", "the")) == {"cat": [1.0, 0.0, 2.0], "dog": [0.0, 0.0, 0.0]}
    assert word_vectors({}, ["the"]) == {}


@steady
@given(pairs)
def test_cosines_agree_with_numpy(pair):
    a, b = pair
    assume(any(abs(x) > 1e-3 for x in a) and any(abs(x) > 1e-3 for x in b))
    wanted = np.dot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)
    assert cosine_similarity(a, b) == pytest.approx(wanted, abs=1e-9)
    assert cosine_similarity(a, b) == cosine_similarity(b, a)
    assert abs(cosine_similarity(a, b)) <= 1 + 1e-12


@steady
@given(pairs, st.sampled_from([1e-100, 0.3, 7.0, 1e100]))
def test_cosines_know_no_length(pair, factor):
    a, b = pair
    assume(any(abs(x) > 1e-3 for x in a) and any(abs(x) > 1e-3 for x in b))
    longer = [factor * x for x in a]
    assert cosine_similarity(longer, b) == pytest.approx(cosine_similarity(a, b), abs=1e-12)
    assert cosine_similarity(longer, a) == pytest.approx(1)
    assert cosine_similarity(longer, [-x for x in a]) == pytest.approx(-1)


@pytest.mark.parametrize("degrees", [0, 30, 45, 60, 90, 120, 180])
def test_cosines_are_of_the_angle(degrees):
    angle = math.radians(degrees)
    turned = [5 * math.cos(angle + 0.7), 5 * math.sin(angle + 0.7)]
    assert cosine_similarity([math.cos(0.7), math.sin(0.7)], turned) == pytest.approx(
        math.cos(angle), abs=1e-12
    )


@steady
@given(st.dictionaries(st.sampled_from("abcdef"), of_width(3), min_size=2))
def test_nearest_ranks_all_others(vectors):
    assume(all(any(abs(x) > 1e-3 for x in vector) for vector in vectors.values()))
    word = next(iter(vectors))
    ranked = nearest(word, vectors, len(vectors) - 1)
    assert {other for other, _ in ranked} == set(vectors) - {word}
    assert [c for _, c in ranked] == [cosine_similarity(vectors[word], vectors[o]) for o, _ in ranked]
    assert [c for _, c in ranked] == sorted((c for _, c in ranked), reverse=True)
    assert nearest(word, vectors, 1) == ranked[:1]


def test_equals_rank_by_alphabet():
    vectors = {"x": [1.0, 0.0], "d": [2.0, 0.0], "b": [8.0, 0.0], "c": [0.0, 1.0], "a": [0.0, 3.0]}
    assert nearest("x", vectors, 4) == [("b", 1.0), ("d", 1.0), ("a", 0.0), ("c", 0.0)]


# Averages and one-hot vectors.


@steady
@given(matrices, st.randoms(use_true_random=False))
def test_an_average_knows_no_order(matrix, rng):
    shuffled = list(matrix)
    rng.shuffle(shuffled)
    assert mean_vector(matrix) == mean_vector(shuffled)
    assert mean_vector(matrix) == pytest.approx(np.mean(matrix, axis=0).tolist(), abs=1e-9)


@steady
@given(matrices)
def test_one_hot_times_a_matrix_picks_a_row(matrix):
    for place, row in enumerate(matrix):
        assert vector_matrix(one_hot(place, len(matrix)), matrix) == row


# Bad input.


@pytest.mark.parametrize(
    ("sentences", "window", "message"),
    [
        ("the cat", 1, "sentences must hold several values, as a list does, not 'the cat'"),
        (3, 1, "sentences must hold several values, as a list does, not 3"),
        (["the cat"], 1, "sentence must be a list or tuple of words, not 'the cat'"),
        ([["the", 3]], 1, "a word of sentence must be a str, not 3"),
        ([["the"]], 0, "window must be a whole number of at least 1, not 0"),
        ([["the"]], 1.5, "window must be a whole number of at least 1, not 1.5"),
    ],
)
def test_what_cooccurrence_counts_refuses(sentences, window, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        cooccurrence_counts(sentences, window)


TABLES = [
    ([("a", {})], r"must map words to rows, not be \[\('a', {}\)\]"),
    ({"a": [1]}, r"row 'a' of .* must map words to numbers, not be \[1\]"),
    ({1: {}}, "a word of .* must be a str, not 1"),
    ({"a": {1: 2}}, "a word in row 'a' of .* must be a str, not 1"),
    ({"a": {"b": -1}}, "'b' in row 'a' of .* must be a finite number of at least 0, not -1"),
    ({"a": {"b": math.nan}}, "'b' in row 'a' of .* must be a finite number of at least 0, not nan"),
    ({"a": {"b": True}}, "'b' in row 'a' of .* must be a finite number of at least 0, not True"),
    ({"a": {"b": "1"}}, "'b' in row 'a' of .* must be a finite number of at least 0, not '1'"),
]


@pytest.mark.parametrize(("table", "message"), TABLES)
def test_what_is_no_table(table, message):
    with pytest.raises(ValueError, match=message.replace(".*", "counts")):
        positive_pmi(table)
    with pytest.raises(ValueError, match=message.replace(".*", "table")):
        word_vectors(table, ["b"])


@pytest.mark.parametrize("contexts", [[], ["a", "b", "a"]])
def test_contexts_that_are_no_axes(contexts):
    with pytest.raises(ValueError, match=r"^contexts must hold at least one word, and each once, not \["):
        word_vectors({"a": {"b": 1}}, contexts)


@pytest.mark.parametrize(
    ("a", "b", "message"),
    [
        ([0.0, 0.0], [1.0, 2.0], "length of a must be a finite number of at least 1e-300, not 0.0"),
        ([1.0, 2.0], [0.0, -0.0], "length of b must be a finite number of at least 1e-300, not 0.0"),
        ([1.5e308, 1.5e308], [1.0, 2.0], "length of a must be a finite number of at least 1e-300, not inf"),
        ([5e-324, 5e-324], [1.0, 1.0], "length of a must be a finite number of at least 1e-300, not .*"),
        ([2.0, 1.0], [1e-323, 5e-324], "length of b must be a finite number of at least 1e-300, not .*"),
        ([1.0], [1.0, 2.0], "a and b must have one width, not 1 and 2"),
        ([], [1.0], r"a must hold at least one number, not \[\]"),
        ([1.0], [math.nan], "b must hold numbers only, not nan"),
    ],
)
def test_what_cosine_similarity_refuses(a, b, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        cosine_similarity(a, b)


@pytest.mark.parametrize(
    ("word", "vectors", "k", "message"),
    [
        ("c", {"a": [1.0], "b": [2.0]}, 1, "word must be one of the words of vectors, not 'c'"),
        ("a", ["a", "b"], 1, "word must be one of the words of vectors, not 'a'"),
        ("a", {"a": [1.0], "b": [2.0]}, 2, "k must be a whole number from 1 to 1, not 2"),
        ("a", {"a": [1.0], "b": [2.0]}, 0, "k must be a whole number from 1 to 1, not 0"),
        (
            "a",
            {"a": [1.0], "b": [2.0, 3.0]},
            1,
            "the vectors of 'a' and 'b' must have one width, not 1 and 2",
        ),
        ("a", {"a": [1.0], "b": [0.0]}, 1, "length of the vector of 'b' must be .*, not 0.0"),
        ("a", {"a": [1.0], "b": 3}, 1, "the vector of 'b' must be a list or tuple of numbers, not 3"),
        ("a", {"a": [1.0]}, 1, "vectors must hold another word than 'a'"),
        (["a"], {"a": [1.0], "b": [2.0]}, 1, r"word must be one of the words of vectors, not \['a'\]"),
    ],
)
def test_what_nearest_refuses(word, vectors, k, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        nearest(word, vectors, k)


def test_what_averages_and_one_hot_vectors_refuse():
    with pytest.raises(ValueError, match=r"^matrix must be a list or tuple of at least one row, not \[\]$"):
        mean_vector([])
    for place, width, name in ((3, 3, "place"), (-1, 3, "place"), (0, 0, "width"), (True, 3, "place")):
        with pytest.raises(ValueError, match=f"^{name} must be a whole number"):
            one_hot(place, width)


@pytest.mark.parametrize("count", [1e-200, 1e-101, 1e101, 1e308])
def test_counts_too_small_or_large_to_multiply(count):
    with pytest.raises(
        ValueError, match=r"^row 'c' of counts must hold 0 or numbers from 1e-100 to 1e\+100, not "
    ):
        positive_pmi({"a": {"x": 1.0}, "c": {"x": 0, "y": count}})


def test_counts_at_the_ends_of_the_range():
    for table in ({"a": {"x": 1e-100}, "c": {"y": 1e-100}}, {"a": {"x": 1e100}, "c": {"y": 1e100}}):
        assert positive_pmi(table) == {
            "a": {"x": pytest.approx(math.log(2))},
            "c": {"y": pytest.approx(math.log(2))},
        }
    mixed = positive_pmi({"a": {"x": 1e100}, "c": {"y": 1e-100}})
    assert mixed["c"]["y"] == pytest.approx(200 * math.log(10))


@pytest.mark.parametrize("contexts", ["the", 3, None])
def test_contexts_come_in_a_list(contexts):
    with pytest.raises(ValueError, match=r"^contexts must be a list or tuple of words, not "):
        word_vectors({"cat": {"the": 2}}, contexts)


def test_a_word_whose_vector_has_no_direction_is_named():
    for word in "ab":
        with pytest.raises(ValueError, match=r"^length of the vector of 'a' must be "):
            nearest(word, {"a": [0.0], "b": [1.0]}, 1)
