"""nextword.decoding against the logits processors and generate() of Transformers, and each documented difference."""

import math
import random
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest
import torch
from transformers import (
    GPT2Config,
    GPT2LMHeadModel,
    LogitsProcessorList,
    MinPLogitsWarper,
    NoRepeatNGramLogitsProcessor,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
)

from nextword.decoding import (
    apply_temperature,
    ban_repeated_ngrams,
    decode_distribution,
    decode_step,
    keep_min_p,
    keep_top_k,
    keep_top_p,
    penalize_repetition,
)
from nextword.softmax import softmax

from .conftest import Measured

torch.set_num_threads(1)

CASES = 3_000
ROUNDING = 1e-14
FEW = 300
"""As many random cases show a difference that there is in each."""


THEIRS: dict[str, Callable[[Any], Any]] = {
    "repetition_penalty": RepetitionPenaltyLogitsProcessor,
    "no_repeat_ngram_size": NoRepeatNGramLogitsProcessor,
    "temperature": TemperatureLogitsWarper,
    "top_k": TopKLogitsWarper,
    "top_p": TopPLogitsWarper,
    "min_p": MinPLogitsWarper,
}
"""The class of Transformers for each setting that it has, in its order."""

OURS: dict[str, Callable[[Sequence[float], Sequence[int], Any], list[float]]] = {
    "repetition_penalty": penalize_repetition,
    "no_repeat_ngram_size": ban_repeated_ngrams,
    "temperature": lambda logits, _, value: apply_temperature(logits, value),
    "top_k": lambda logits, _, value: keep_top_k(logits, value),
    "top_p": lambda logits, _, value: keep_top_p(logits, value),
    "min_p": lambda logits, _, value: keep_min_p(logits, value),
}


def draw_logits(rng: random.Random) -> list[float]:
    """From 2 to 80 logits without ties, flat or steep; in one case of ten some are minus infinity."""
    size = rng.randint(2, 80)
    steepness = rng.choice([0.1, 1.0, 3.0, 10.0])
    logits = [rng.gauss(0, steepness) for _ in range(size)]
    if rng.random() < 0.1:
        for token in rng.sample(range(size), size // 2):
            logits[token] = -math.inf
    return logits


def draw_history(rng: random.Random, size: int) -> list[int]:
    """Up to 20 ids; from a few tokens only in half of the cases, so that n-grams come again."""
    few = min(size, 3) if rng.random() < 0.5 else size
    return [rng.randrange(few) for _ in range(rng.randint(1, 20))]


def draw_setting(rng: random.Random, name: str, size: int) -> float:
    """A value that both sides accept."""
    return {
        "repetition_penalty": rng.uniform(1, 3),
        "no_repeat_ngram_size": rng.randint(1, 4),
        "temperature": rng.uniform(0.2, 3),
        "top_k": rng.randint(1, size),
        "top_p": rng.choice([1.0, rng.uniform(0.01, 1)]),
        "min_p": rng.choice([0.0, 1.0, rng.random()]),
    }[name]


def their_logits(logits: Sequence[float], history: Sequence[int], settings: dict[str, float]) -> torch.Tensor:
    """What the classes of Transformers leave of the logits, in its order and in float64."""
    steps = LogitsProcessorList([THEIRS[name](settings[name]) for name in THEIRS if name in settings])
    ids = torch.tensor([history], dtype=torch.long)
    return steps(ids, torch.tensor([logits], dtype=torch.float64))[0]


def support(values: Sequence[float]) -> list[int]:
    """The ids whose logit is finite, or whose probability is above 0."""
    return [token for token, value in enumerate(values) if value > 0]


def finite(logits: Sequence[float]) -> list[int]:
    return [token for token, logit in enumerate(logits) if logit > -math.inf]


def gap(ours: Sequence[float], theirs: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(ours, theirs, strict=True))


@pytest.fixture(scope="module")
def model() -> GPT2LMHeadModel:
    """A random GPT-2 of 200 tokens whose logits are as steep as those of a trained one."""
    torch.manual_seed(5)
    config = GPT2Config(
        vocab_size=200,
        n_positions=64,
        n_embd=32,
        n_layer=2,
        n_head=2,
        initializer_range=0.5,
        bos_token_id=None,
        eos_token_id=None,
    )
    return GPT2LMHeadModel(config).eval()


def generate(model: GPT2LMHeadModel, prompt: list[int], **settings: Any) -> Any:
    """Eight tokens of Transformers' generate(), with the logits before and after its processors."""
    ids = torch.tensor([prompt])
    return model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=8,
        output_logits=True,
        output_scores=True,
        return_dict_in_generate=True,
        **settings,
    )


# What is the same.


@pytest.mark.parametrize("name", THEIRS)
def test_each_filter_leaves_what_the_class_of_transformers_leaves(name: str, measured: Measured) -> None:
    rng = random.Random(f"filter {name}")
    largest, compared, changed = 0.0, 0, 0
    while compared < CASES:
        logits = draw_logits(rng)
        history = draw_history(rng, len(logits))
        value = draw_setting(rng, name, len(logits))
        theirs = their_logits(logits, history, {name: value}).tolist()
        if not finite(theirs):
            with pytest.raises(ValueError, match="at least one finite number"):
                OURS[name](logits, history, value)
            continue
        ours = OURS[name](logits, history, value)
        kept = finite(ours)
        assert kept == finite(theirs)
        assert gap([ours[i] for i in kept], [theirs[i] for i in kept]) == 0  # the logits, to the last bit
        their_probabilities = torch.tensor(theirs, dtype=torch.float64).softmax(-1).tolist()
        largest = max(largest, gap(softmax(ours), their_probabilities))
        compared += 1
        changed += ours != logits
    assert changed > CASES / 4
    assert largest < ROUNDING
    measured(
        name.replace("_", " "),
        re.sub("Logits(Processor|Warper)", "", THEIRS[name].__name__),
        compared,
        largest,
        ROUNDING,
        "float64",
    )


def test_decode_distribution_is_the_chain_of_all_processors(measured: Measured) -> None:
    rng = random.Random("chain")
    largest, compared = 0.0, 0
    while compared < CASES:
        logits = draw_logits(rng)
        history = draw_history(rng, len(logits))
        names = [name for name in THEIRS if rng.random() < 0.6]
        settings = {name: draw_setting(rng, name, len(logits)) for name in names}
        left = their_logits(logits, history, settings)
        if not finite(left.tolist()):
            with pytest.raises(ValueError, match="at least one finite number"):
                decode_distribution(logits, history, **settings)  # type: ignore[arg-type]
            continue
        theirs = left.softmax(-1).tolist()
        ours = decode_distribution(logits, history, **settings)  # type: ignore[arg-type]
        assert support(ours) == support(theirs)
        largest = max(largest, gap(ours, theirs))
        compared += 1
    assert largest < ROUNDING
    measured("decode_distribution", "chain of the processors", compared, largest, ROUNDING, "float64")


def test_decode_step_draws_where_the_number_falls_among_their_probabilities(measured: Measured) -> None:
    rng = random.Random("draw")
    compared = several = 0
    while compared < CASES:
        logits = draw_logits(rng)
        history = draw_history(rng, len(logits))
        names = [name for name in THEIRS if name != "no_repeat_ngram_size" and rng.random() < 0.5]
        settings = {name: draw_setting(rng, name, len(logits)) for name in names}
        theirs = their_logits(logits, history, settings).softmax(-1)
        uniform = random.Random(compared).random()
        drawn = int(torch.searchsorted(theirs.cumsum(-1), uniform, right=True))
        ours = decode_step(logits, history, rng=random.Random(compared), **settings)  # type: ignore[arg-type]
        assert ours == drawn
        compared += 1
        several += len(support(theirs.tolist())) > 1
    assert several > CASES / 2
    measured("decode_step", "draw by their probabilities", compared, 0)


def test_decode_step_at_temperature_zero_is_their_argmax_after_the_penalties(measured: Measured) -> None:
    rng = random.Random("greedy")
    for _ in range(CASES):
        logits = draw_logits(rng)
        history = draw_history(rng, len(logits))
        settings = {"repetition_penalty": rng.uniform(1, 3)}
        theirs = int(their_logits(logits, history, settings).argmax())
        assert decode_step(logits, history, temperature=0, **settings) == theirs  # type: ignore[arg-type]
    measured("decode_step at temperature 0", "argmax of penalized logits", CASES, 0)


def test_generate_applies_the_settings_in_our_order(model: GPT2LMHeadModel, measured: Measured) -> None:
    rng = random.Random("generate")
    largest, compared = 0.0, 0
    for case in range(60):
        torch.manual_seed(case)
        prompt = [rng.randrange(200) for _ in range(rng.randint(2, 12))]
        settings = {
            "repetition_penalty": rng.uniform(1, 2),
            "no_repeat_ngram_size": rng.randint(1, 3),
            "temperature": rng.uniform(0.5, 2),
            "top_k": rng.randint(5, 150),
            "top_p": rng.uniform(0.5, 0.99),
            "min_p": rng.uniform(0.001, 0.05),
        }
        done = generate(model, prompt, do_sample=True, **settings)
        ids = done.sequences[0].tolist()
        for step, (logits, scores) in enumerate(zip(done.logits, done.scores, strict=True)):
            history = ids[: len(prompt) + step]
            ours = decode_distribution(logits[0].tolist(), history, **settings)  # type: ignore[arg-type]
            theirs = scores[0].double().softmax(-1).tolist()
            assert support(ours) == support(theirs)
            assert ours[ids[len(prompt) + step]] > 0
            largest = max(largest, gap(ours, theirs))
            compared += 1
    assert largest < 1e-6  # generate() computes its scores in float32
    measured("decode_distribution", "generate()", compared, largest, 1e-6, "float32")


def test_generate_without_sampling_is_our_greedy_step(model: GPT2LMHeadModel, measured: Measured) -> None:
    rng = random.Random("generate greedily")
    compared = 0
    for _ in range(30):
        prompt = [rng.randrange(200) for _ in range(rng.randint(2, 12))]
        penalty = rng.uniform(1, 2)
        done = generate(model, prompt, do_sample=False, repetition_penalty=penalty)
        ids = done.sequences[0].tolist()
        for step, logits in enumerate(done.logits, start=len(prompt)):
            chosen = decode_step(logits[0].tolist(), ids[:step], repetition_penalty=penalty, temperature=0)
            assert chosen == ids[step]
            compared += 1
    measured("decode_step at temperature 0", "generate(do_sample=False)", compared, 0)


# What is not the same: each difference that the course documents.


def draw_tied_logits(rng: random.Random) -> list[float]:
    return [float(rng.randint(0, 3)) for _ in range(rng.randint(2, 12))]


def test_among_ties_top_k_keeps_all_in_transformers_and_exactly_k_here(documented: Measured) -> None:
    assert finite(their_logits([2.0, 1.0, 1.0, 1.0], [0], {"top_k": 2}).tolist()) == [0, 1, 2, 3]
    assert finite(keep_top_k([2.0, 1.0, 1.0, 1.0], 2)) == [0, 1]
    rng = random.Random("ties in top-k")
    different = 0
    for _ in range(CASES):
        logits = draw_tied_logits(rng)
        k = rng.randint(1, len(logits))
        theirs = finite(their_logits(logits, [0], {"top_k": k}).tolist())
        ours = finite(keep_top_k(logits, k))
        least = sorted(logits)[-k]
        ranked = sorted(range(len(logits)), key=lambda token: (-logits[token], token))
        assert theirs == [token for token, logit in enumerate(logits) if logit >= least]
        assert ours == sorted(ranked[:k])
        different += ours != theirs
    assert different > CASES / 10
    documented("top-k, ties: the lower ids", "all that equal the k-th", CASES, different)


def test_among_ties_top_p_keeps_higher_ids_in_transformers_and_lower_ones_here(documented: Measured) -> None:
    assert finite(their_logits([1.0] * 4, [0], {"top_p": 0.5}).tolist()) == [2, 3]
    assert finite(keep_top_p([1.0] * 4, 0.5)) == [0, 1]
    rng = random.Random("ties in top-p")
    different = 0
    for _ in range(CASES):
        logits = draw_tied_logits(rng)
        p = rng.uniform(0.05, 0.99)
        theirs = finite(their_logits(logits, [0], {"top_p": p}).tolist())
        ours = finite(keep_top_p(logits, p))
        assert sorted(logits[i] for i in ours) == sorted(logits[i] for i in theirs)  # as many of each logit
        ranked = sorted(range(len(logits)), key=lambda token: (logits[token], token))
        assert theirs == sorted(ranked[-len(theirs) :])  # their sort ascends: of equals, the last ids stay
        different += ours != theirs
    assert different > CASES / 10
    documented("top-p, ties: the lower ids", "the higher ids", CASES, different)


def test_where_the_mass_is_p_up_to_rounding_top_p_may_differ_by_one_token(documented: Measured) -> None:
    compared = different = 0
    for size in range(2, 41):
        for share in range(1, size):
            logits, p = [0.0] * size, share / size
            ours = len(finite(keep_top_p(logits, p)))
            theirs = len(finite(their_logits(logits, [0], {"top_p": p}).tolist()))
            assert {ours, theirs} <= {share, share + 1}  # exact sums would stop at the share itself
            compared += 1
            different += ours != theirs
    assert len(finite(their_logits([0.0] * 5, [0], {"top_p": 0.4}).tolist())) == 3
    assert len(finite(keep_top_p([0.0] * 5, 0.4))) == 2
    assert len(finite(their_logits([0.0] * 12, [0], {"top_p": 0.5}).tolist())) == 6
    assert len(finite(keep_top_p([0.0] * 12, 0.5))) == 7
    documented("top-p, mass is p but for rounding", "one token more or fewer", compared, different)


def test_p_of_zero_keeps_one_token_in_transformers_and_is_refused_here(documented: Measured) -> None:
    rng = random.Random("p of zero")
    for _ in range(FEW):
        logits = draw_logits(rng)
        assert finite(their_logits(logits, [0], {"top_p": 0.0}).tolist()) == [logits.index(max(logits))]
        with pytest.raises(ValueError, match="p must be"):
            keep_top_p(logits, 0.0)
    documented("top-p, p = 0: refused", "the likeliest token stays", FEW, FEW)


def test_k_above_the_vocabulary_keeps_all_in_transformers_and_is_refused_here(documented: Measured) -> None:
    rng = random.Random("large k")
    for _ in range(FEW):
        logits = draw_logits(rng)
        k = len(logits) + rng.randint(1, 9)
        assert their_logits(logits, [0], {"top_k": k}).tolist() == logits
        with pytest.raises(ValueError, match=f"k must be a whole number from 1 to {len(logits)}"):
            keep_top_k(logits, k)
    documented("top-k, k above the size: refused", "all tokens stay", FEW, FEW)


def test_k_of_zero_is_off_in_generate_and_refused_by_the_class_and_here(model: GPT2LMHeadModel) -> None:
    torch.manual_seed(0)
    scores = generate(model, [1, 2, 3], do_sample=True, top_k=0).scores
    assert all(torch.isfinite(score).all() for score in scores)
    with pytest.raises(ValueError, match="strictly positive"):
        TopKLogitsWarper(0)
    with pytest.raises(ValueError, match="k must be a whole number from 1"):
        keep_top_k([0.0, 2.0, 1.0], 0)


def test_a_penalty_below_one_rewards_in_transformers_and_is_refused_here(documented: Measured) -> None:
    rng = random.Random("reward")
    for _ in range(FEW):
        logits, penalty = draw_logits(rng), rng.uniform(0.1, 0.9)
        token = rng.choice([token for token in finite(logits) if logits[token]])
        assert their_logits(logits, [token], {"repetition_penalty": penalty})[token] > logits[token]
        with pytest.raises(ValueError, match="penalty must be"):
            penalize_repetition(logits, [token], penalty)
    documented("penalty below one: refused", "used tokens are rewarded", FEW, FEW)
    rewarded = their_logits([1.0, -1.0, 1.0], [0, 1], {"repetition_penalty": 0.5})
    assert rewarded.tolist() == [2.0, -0.5, 1.0]
    with pytest.raises(ValueError, match="penalty must be"):
        penalize_repetition([1.0, -1.0, 1.0], [0, 1], 0.5)


def test_transformers_refuses_a_temperature_of_zero_or_of_a_whole_number_which_we_take() -> None:
    for temperature in (0, 0.0, 1, 2):
        with pytest.raises(ValueError, match="strictly positive float"):
            TemperatureLogitsWarper(temperature)
    assert decode_distribution([3.0, 1.0], temperature=0) == [1.0, 0.0]
    assert decode_distribution([3.0, 1.0], temperature=2) == softmax([1.5, 0.5])


def test_where_no_token_is_left_transformers_gives_nan_and_we_refuse() -> None:
    left = their_logits([1.0, 2.0], [0, 1], {"no_repeat_ngram_size": 1})
    assert torch.isnan(left.softmax(-1)).all()
    with pytest.raises(ValueError, match="at least one finite number"):
        decode_distribution([1.0, 2.0], [0, 1], no_repeat_ngram_size=1)


def test_sampling_with_generate_silently_keeps_the_top_50(
    model: GPT2LMHeadModel, measured: Measured, documented: Measured
) -> None:
    largest, compared = 0.0, 0
    for case in range(20):
        torch.manual_seed(case)
        done = generate(model, [case, 7, 9], do_sample=True)
        for logits, scores in zip(done.logits, done.scores, strict=True):
            theirs = scores[0].double().softmax(-1).tolist()
            plain = decode_distribution(logits[0].tolist())
            filtered = decode_distribution(logits[0].tolist(), top_k=50)
            assert len(support(plain)) == 200
            assert len(finite(scores[0].tolist())) == 50
            assert support(filtered) == support(theirs)
            largest = max(largest, gap(filtered, theirs))
            compared += 1
    assert largest < 1e-6
    measured(
        "decode_distribution with top_k=50", "generate(do_sample=True)", compared, largest, 1e-6, "float32"
    )
    documented("no filter unless asked for", "top_k=50 unless told", compared, compared)


def test_transformers_penalizes_the_tokens_of_the_prompt_as_well(
    model: GPT2LMHeadModel, measured: Measured, documented: Measured
) -> None:
    rng = random.Random("prompt")
    compared, largest = 0, 0.0
    for _ in range(30):
        prompt = [rng.randrange(200) for _ in range(6)]
        done = generate(model, prompt, do_sample=False, repetition_penalty=1.5)
        logits, scores = done.logits[0][0].tolist(), done.scores[0][0].tolist()  # nothing was generated yet
        largest = max(largest, gap(penalize_repetition(logits, prompt, 1.5), scores))
        assert gap(penalize_repetition(logits, [], 1.5), scores) > 1e-3
        ignoring = RepetitionPenaltyLogitsProcessor(1.5, prompt_ignore_length=len(prompt))
        kept = ignoring(torch.tensor([prompt]), torch.tensor([logits], dtype=torch.float64))
        assert kept[0].tolist() == penalize_repetition(logits, [], 1.5)
        compared += 1
    assert largest < 1e-5  # float32, logits up to about 10
    measured("penalty, the prompt in the history", "generate()", compared, largest, 1e-5, "float32")
    documented("penalty: on the history given", "on the prompt as well", compared, compared)
