"""nextword.ngram against the independent figures of lesson 18 (tests/facts/lesson-18.json)."""

import json
import math
import random
from pathlib import Path

import pytest

from nextword.entropy import perplexity
from nextword.ngram import (
    END,
    START,
    AddK,
    MaximumLikelihood,
    UnseenContext,
    count_ngrams,
    generate_sentence,
    sentence_probability,
    token_probabilities,
    transitions,
    tune,
    vocabulary_of,
)

FACTS = json.loads((Path(__file__).parents[1] / "facts" / "lesson-18.json").read_text(encoding="utf-8"))


def sentences_of(lines):
    return [line.split() for line in lines]


def score(model, sentences):
    return perplexity(token_probabilities(model, sentences))


def number(value):
    return math.inf if value == "inf" else value


@pytest.fixture
def corpus():
    lines = FACTS["18.1"]["inputs"]["corpus"]
    assert all(FACTS[panel]["inputs"]["corpus"] == lines for panel in ("18.2", "18.3", "18.4"))
    return sentences_of(lines)


@pytest.fixture
def raw(corpus):
    return MaximumLikelihood(count_ngrams(corpus, 2), vocabulary_of(corpus))


class TestBigram:
    """Panel 18.1."""

    facts = FACTS["18.1"]

    def test_markers(self):
        assert self.facts["inputs"]["bos"] == START
        assert self.facts["inputs"]["eos"] == END

    def test_followers_in_order(self, corpus, raw):
        counts = count_ngrams(corpus, 2)
        assert [
            {"word": word, "count": count, "p": raw.probability(word, ("the",))}
            for word, count in counts[("the",)].most_common()
        ] == self.facts["expected"]["after_the"]
        assert counts[("sat",)] == self.facts["expected"]["after_sat"]
        assert counts[("ate",)] == self.facts["expected"]["after_ate"]
        assert sorted(counts[("the",)]) == self.facts["checks"][1]["value"]
        assert raw.probability("the", ("on",)) == self.facts["checks"][2]["value"] == 1

    def test_all_counts(self, corpus):
        counts = count_ngrams(corpus, 2)
        assert {context: dict(row) for (context,), row in counts.items()} == (
            self.facts["not_in_source"]["all_counts"]
        )
        total = sum(row.total() for row in counts.values())
        assert total == self.facts["not_in_source"]["transitions_total"] == 39
        assert total == sum(len(transitions(sentence, 2)) for sentence in corpus)

    def test_six_sentences_from_one_generator(self, raw):
        rng = random.Random(self.facts["inputs"]["seed"])
        made = [
            " ".join(generate_sentence(raw, rng, self.facts["inputs"]["max_words"]))
            for _ in range(self.facts["inputs"]["sentences"])
        ]
        assert made == self.facts["expected"]["generated_seed_42"]

    def test_a_seed_gives_the_same_sentence_again(self, raw):
        made = [generate_sentence(raw, random.Random(42), 12) for _ in range(2)]
        assert made == [["the", "bone"]] * 2


class TestZeros:
    """Panel 18.2."""

    facts = FACTS["18.2"]

    def test_vocabulary_and_cells(self, corpus):
        words = vocabulary_of(corpus)
        seen = sum(len(row) for row in count_ngrams(corpus, 2).values())
        assert words == self.facts["expected"]["vocabulary"]
        assert len(words) ** 2 == self.facts["expected"]["possible_pairs"]
        assert seen == self.facts["expected"]["seen_pairs"]
        assert 1 - seen / len(words) ** 2 == self.facts["expected"]["zero_fraction"]
        reachable = len(words) - 1  # a row for all but </s>, a column for all but <s>
        assert (
            reachable**2 == self.facts["not_in_source"]["reachable_cells_excluding_</s>_row_and_<s>_column"]
        )

    @pytest.mark.parametrize("line", facts["inputs"]["sentences"])
    def test_sentence_probability_to_the_last_digit(self, line, raw):
        assert sentence_probability(raw, line.split()) == self.facts["expected"]["sentence_probability"][line]

    def test_factors(self, raw):
        steps = transitions("the cat sat on the mat".split(), 2)
        factors = {f"p({token}|{context})": raw.probability(token, (context,)) for (context,), token in steps}
        assert factors == self.facts["not_in_source"]["factors_mat"]

    @pytest.mark.parametrize(("line", "pairs"), facts["not_in_source"]["zero_causes"].items())
    def test_what_makes_the_zeros(self, line, pairs, raw):
        steps = transitions(line.split(), 2)
        found = zip(steps, token_probabilities(raw, [line.split()]), strict=True)
        assert [[context, token] for ((context,), token), p in found if p == 0] == pairs


class TestAddK:
    """Panel 18.3."""

    facts = FACTS["18.3"]

    @pytest.mark.parametrize("row", facts["expected"]["table"], ids=lambda row: f"k={row['k']}")
    def test_table(self, row, corpus):
        model = AddK(count_ngrams(corpus, 2), vocabulary_of(corpus), row["k"])
        assert len(model.vocabulary) == self.facts["expected"]["V"]
        for word in self.facts["inputs"]["probe_words"]:
            assert model.probability(word, ("the",)) == pytest.approx(row[word], rel=1e-14)
        assert math.fsum(model.distribution(("the",)).values()) == pytest.approx(1, abs=1e-12)

    def test_what_one_extra_sighting_costs(self, corpus, raw):
        model = AddK(count_ngrams(corpus, 2), vocabulary_of(corpus), 1)
        seen = {word for word, p in raw.distribution(("the",)).items() if p}
        rest = [p for word, p in model.distribution(("the",)).items() if word not in seen]
        assert sum(rest) == pytest.approx(self.facts["not_in_source"]["mass_on_never_seen_followers_k_1"])
        assert model.probability(START, ("the",)) == pytest.approx(
            self.facts["not_in_source"]["mass_on_unreachable_<s>_k_1"]
        )
        assert raw.probability("sat", ("the",)) == 0

    def test_a_hundred_is_nearly_uniform(self, corpus):
        model = AddK(count_ngrams(corpus, 2), vocabulary_of(corpus), 100)
        gap = max(abs(p - 1 / 12) for p in model.distribution(("the",)).values())
        assert gap == pytest.approx(self.facts["not_in_source"]["max_gap_from_uniform_at_k_100"])

    def test_zero_is_refused(self, corpus):
        with pytest.raises(ValueError, match=r"^k must be .* above 0.*, not 0"):
            AddK(count_ngrams(corpus, 2), vocabulary_of(corpus), 0)


class TestPerplexity:
    """Panel 18.4."""

    facts = FACTS["18.4"]
    held_out = sentences_of(facts["inputs"]["held_out"])

    def test_table(self, corpus, raw):
        words = vocabulary_of(corpus)
        smoothed = AddK(count_ngrams(corpus, 2), words, 1)
        for name, sentences in [("corpus", corpus), ("held_out", self.held_out)]:
            steps = [step for sentence in sentences for step in transitions(sentence, 2)]
            got = {
                "uniform": perplexity([1 / len(words)] * len(steps)),
                "bigram k=1": score(smoothed, sentences),
                "oracle": perplexity([1] * len(steps)),
                "bigram unsmoothed": score(raw, sentences),
            }
            wanted = {model: number(row[name]) for model, row in self.facts["expected"].items()}
            assert got == pytest.approx(wanted, rel=1e-13)

    def test_how_many_tokens_are_predicted(self, corpus, raw):
        assert len(token_probabilities(raw, corpus)) == self.facts["not_in_source"]["N_corpus"]
        assert len(token_probabilities(raw, self.held_out)) == self.facts["not_in_source"]["N_held_out"]

    def test_the_unseen_pair(self, raw):
        unseen = [
            [context, token]
            for sentence in self.held_out
            for (context,), token in transitions(sentence, 2)
            if raw.probability(token, (context,)) == 0
        ]
        assert unseen == self.facts["not_in_source"]["held_out_unseen_pairs"]

    @pytest.mark.parametrize(("name", "table"), [("corpus", "corpus_by_k"), ("held_out", "held_out_by_k")])
    def test_scores_by_k(self, name, table, corpus):
        counts = count_ngrams(corpus, 2)
        sentences = corpus if name == "corpus" else self.held_out
        for k, wanted in self.facts["not_in_source"][table].items():
            model = AddK(counts, vocabulary_of(corpus), float(k))
            assert score(model, sentences) == pytest.approx(wanted, rel=1e-13)

    def test_the_best_k_on_a_grid(self, corpus):
        best = self.facts["not_in_source"]["best_k_on_held_out_log_grid"]
        grid = [10 ** (step / 4) for step in range(-12, 9)]
        models = {k: AddK(count_ngrams(corpus, 2), vocabulary_of(corpus), k) for k in grid}
        assert tune(models, self.held_out) == pytest.approx(best)
        assert score(models[tune(models, self.held_out)], self.held_out) == pytest.approx(
            self.facts["not_in_source"]["best_held_out_perplexity"]
        )
        assert tune(models, corpus) == min(grid)


class TestTrigram:
    """Panel 18.5."""

    facts = FACTS["18.5"]
    corpus = sentences_of(facts["inputs"]["corpus"])
    held_out = sentences_of(facts["inputs"]["held_out"])
    orders = {"bigram": 2, "trigram": 3}

    def model(self, name, k=0.0):
        counts = count_ngrams(self.corpus, self.orders[name])
        words = vocabulary_of(self.corpus)
        return AddK(counts, words, k) if k else MaximumLikelihood(counts, words)

    def test_vocabulary(self):
        assert len(vocabulary_of(self.corpus)) == self.facts["expected"]["V"] == 31

    def test_contexts_with_one_continuation(self):
        counts = count_ngrams(self.corpus, 3)
        single = [row for row in counts.values() if len(row) == 1]
        assert len(counts) == self.facts["expected"]["trigram_contexts"]
        assert len(single) == self.facts["expected"]["single_option_contexts"]
        assert len(single) / len(counts) == self.facts["expected"]["single_option_fraction"]
        assert {
            " ".join(context): dict(sorted(row.items())) for context, row in counts.items() if len(row) > 1
        } == (self.facts["not_in_source"]["ambiguous_contexts"])
        bigrams = count_ngrams(self.corpus, 2)
        assert len(bigrams) == self.facts["not_in_source"]["bigram_contexts"]
        assert (
            sum(len(row) == 1 for row in bigrams.values())
            == (self.facts["not_in_source"]["bigram_single_option_contexts"])
        )

    def test_forced_positions(self):
        model = self.model("trigram")
        found = token_probabilities(model, self.corpus)
        assert len(found) == self.facts["not_in_source"]["positions_total"]
        assert sum(p == 1 for p in found) == self.facts["not_in_source"]["positions_forced"]

    def test_padding(self):
        for name, order in self.orders.items():
            context, _ = transitions(self.corpus[0], order)[0]
            assert context == (START,) * self.facts["inputs"]["start_padding"][name]

    def test_twenty_draws_only_recite(self):
        rng = random.Random(self.facts["inputs"]["trigram_seed"])
        model = self.model("trigram")
        made = [
            " ".join(generate_sentence(model, rng, self.facts["inputs"]["max_words"]))
            for _ in range(self.facts["inputs"]["trigram_samples"])
        ]
        assert made == self.facts["expected"]["twenty_in_draw_order"]
        assert sorted(set(made)) == self.facts["expected"]["distinct_sentences"]
        assert set(made) == set(self.facts["inputs"]["corpus"])

    @pytest.mark.parametrize(("seed", "line"), facts["expected"]["bigram_samples"].items())
    def test_bigram_samples(self, seed, line):
        assert " ".join(generate_sentence(self.model("bigram"), random.Random(int(seed)), 10)) == line

    @pytest.mark.parametrize(("name", "row"), facts["expected"]["perplexity"].items())
    def test_perplexity(self, name, row):
        order, k = name.split(" k=")
        model = self.model(order, float(k))
        assert score(model, self.corpus) == pytest.approx(row["corpus"], rel=1e-13)
        assert score(model, self.held_out) == pytest.approx(number(row["held_out"]), rel=1e-13)

    def test_raw_trigram_in_closed_form(self):
        logarithm = (2 * math.log(3) + 4 * math.log(6) + 2 * math.log(2)) / 40
        assert score(self.model("trigram"), self.corpus) == pytest.approx(math.exp(logarithm), rel=1e-13)

    def test_scores_by_k(self):
        (rows,) = [
            rows
            for name, rows in self.facts["not_in_source"].items()
            if name == "perplexity_by_k [bigram corpus, bigram held-out, trigram corpus, trigram held-out]"
        ]
        for k, wanted in rows.items():
            models = [self.model(name, float(k)) for name in self.orders]
            got = [score(model, sentences) for model in models for sentences in (self.corpus, self.held_out)]
            assert got == pytest.approx(wanted, rel=1e-13)

    @pytest.mark.parametrize("name", orders)
    def test_unseen_steps(self, name):
        model = self.model(name)
        unseen = []
        for sentence in self.held_out:
            for context, token in transitions(sentence, model.order):
                try:
                    seen = model.probability(token, context) > 0
                except UnseenContext:
                    seen = False
                if not seen:
                    unseen.append([*context, token])
        assert unseen == self.facts["not_in_source"][f"held_out_unseen_{name}_steps"]
