"""From logits to tokens: filters and penalties on the logits of one step, a choice, and whole sequences.

A token is an id, its place in the vocabulary. The logits of a step have one number for each id, minus infinity
for what is impossible. The history is the ids so far, the oldest first. Each filter and penalty takes logits and
gives new logits of the same length, so they can act in any order. Where logits are equal, the lower id ranks first.

Sources: Fan, Lewis and Dauphin (2018), "Hierarchical Neural Story Generation" (top-k); Holtzman et al. (2020),
"The Curious Case of Neural Text Degeneration" (top-p); Nguyen et al. (2024), "Turning Up the Heat: Min-p Sampling
for Creative and Coherent LLM Outputs" (min-p); Keskar et al. (2019), "CTRL: A Conditional Transformer Language
Model for Controllable Generation", section 4.1 (repetition penalty); OpenAI's API reference (frequency and
presence penalty); Paulus, Xiong and Socher (2018), "A Deep Reinforced Model for Abstractive Summarization",
section 2.5 (no repeated n-gram); Lowerre (1976), "The HARPY Speech Recognition System" (beam search).
"""

import math
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict, Unpack

from nextword.arguments import (
    as_float,
    require_function,
    require_ids,
    require_logits,
    require_number,
    require_whole_number,
)
from nextword.sampling import argmax, draw
from nextword.softmax import log_softmax, require_temperature, softmax


def require_step(logits: Sequence[float], history: Sequence[int]) -> None:
    """Refuse logits that softmax cannot read, and a history of anything but their ids.

    Args:
        logits: the argument of that name.
        history: the argument of that name.

    Raises:
        ValueError: ``softmax`` would refuse the logits; the history holds what is no id.
    """
    require_logits("logits", logits)
    require_ids("history", history, len(logits))


def require_penalty(name: str, value: float, off: int) -> None:
    """Refuse a penalty that would be a reward.

    Args:
        name: what the caller's argument is called, for the message.
        value: the argument.
        off: the value that changes nothing, the smallest one allowed.

    Raises:
        ValueError: the value is no finite number of at least ``off``.
    """
    require_number(name, value, at_least=off, because=f"below {off} rewards repeating")


def rank_tokens(logits: Sequence[float]) -> list[int]:
    """List the token ids from the largest logit to the smallest.

    Args:
        logits: one number for each of the V tokens of the vocabulary.

    Returns:
        The V ids; among equal logits the lower id comes first.

    Raises:
        ValueError: ``softmax`` would refuse the logits.

    Examples:
        >>> rank_tokens([0.0, 2.0, 2.0])
        [1, 2, 0]
    """
    require_logits("logits", logits)
    return sorted(range(len(logits)), key=lambda token: -logits[token])


def keep_only(logits: Sequence[float], kept: Sequence[int]) -> list[float]:
    """Make every token impossible but those that are kept.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        kept: the ids of the tokens to keep.

    Returns:
        V logits: the old one where kept, else minus infinity.

    Raises:
        ValueError: ``softmax`` would refuse the logits, or no token that is kept was possible.

    Examples:
        >>> keep_only([0.0, 2.0, 1.0], [1, 2])
        [-inf, 2.0, 1.0]
    """
    require_logits("logits", logits)
    require_ids("kept", kept, len(logits))
    left = [-math.inf] * len(logits)
    for token in kept:
        left[token] = logits[token]
    require_logits("the logits that are left", left)
    return left


def apply_temperature(
    logits: Sequence[float],
    temperature: float,
) -> list[float]:
    """Divide every logit by the temperature.

    Below 1 the distribution gets sharper, above 1 flatter; the ranking stays. No token is removed.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        temperature: any finite number above 0.

    Returns:
        V logits.

    Raises:
        ValueError: the temperature is not finite and above 0; ``softmax`` would refuse the
            logits, or the quotients, as 1e308 / 0.1 is too large for a float.

    Examples:
        >>> apply_temperature([3.0, 1.5, -2.0], 0.5)
        [6.0, 3.0, -4.0]
    """
    require_logits("logits", logits)
    require_temperature(temperature)
    scaled = [logit / temperature for logit in logits]
    require_logits("logits / temperature", scaled)
    return scaled


def keep_top_k(logits: Sequence[float], k: int) -> list[float]:
    """Keep the k tokens of the largest logits.

    Among equal logits the lower id is kept, so exactly k are.

    Source: Fan, Lewis and Dauphin (2018), "top-k random sampling".

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        k: a whole number from 1 to V.

    Returns:
        V logits, all but k of them minus infinity.

    Raises:
        ValueError: k is no whole number from 1 to V, or ``softmax`` would refuse the logits.

    Examples:
        >>> keep_top_k([1.0, 3.0, 1.0, 2.0], 3)
        [1.0, 3.0, -inf, 2.0]
    """
    ranked = rank_tokens(logits)
    require_whole_number("k", k, smallest=1, largest=len(logits))
    return keep_only(logits, ranked[:k])


def keep_top_p(logits: Sequence[float], p: float) -> list[float]:
    """Keep the most probable tokens, as few as have the mass p.

    The probabilities are added up from the largest down, among equals the lower id first. The token at which
    the running sum reaches p is kept as well. With p = 1 nothing is removed. A p so near to 1 that the
    rounded sum never reaches it keeps every token whose probability is not 0.

    Source: Holtzman et al. (2020), section 3.1 ("nucleus sampling").

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        p: the mass, above 0 and at most 1.

    Returns:
        V logits, minus infinity where removed.

    Raises:
        ValueError: p is not above 0 and at most 1, or ``softmax`` would refuse the logits.

    Examples:
        >>> keep_top_p([2.0, 1.0, 0.0], 0.7)
        [2.0, 1.0, -inf]
    """
    require_number("p", p, above=0, at_most=1)
    probabilities = softmax(logits)
    if p == 1:
        return list(logits)
    kept: list[int] = []
    mass = 0.0
    for token in rank_tokens(logits):
        if mass >= p or probabilities[token] == 0:
            break
        kept.append(token)
        mass += probabilities[token]
    return keep_only(logits, kept)


def keep_min_p(logits: Sequence[float], p: float) -> list[float]:
    """Keep the tokens that are at least p times as probable as the best.

    With p = 0 nothing is removed, with p = 1 all but the best and its equals. The best is always kept.

    Source: Nguyen et al. (2024), section 3.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        p: the share of the largest probability, from 0 to 1.

    Returns:
        V logits, minus infinity where removed.

    Raises:
        ValueError: p is no number from 0 to 1, or ``softmax`` would refuse the logits.

    Examples:
        >>> keep_min_p([2.0, 1.0, 0.0], 0.3)
        [2.0, 1.0, -inf]
    """
    require_number("p", p, at_least=0, at_most=1)
    probabilities = softmax(logits)
    least = p * max(probabilities)
    kept = [i for i, share in enumerate(probabilities) if share >= least]
    return keep_only(logits, kept)


def penalize_repetition(
    logits: Sequence[float],
    history: Sequence[int],
    penalty: float,
) -> list[float]:
    """Lower the logits of tokens that came: divide or multiply.

    A positive logit is divided by the penalty, any other is multiplied, for dividing would raise it. How
    often the token came plays no part.

    Source: Keskar et al. (2019), section 4.1; the rule for negative logits is that of Hugging Face
    Transformers.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        history: the ids so far.
        penalty: any finite number of at least 1; 1 changes nothing.

    Returns:
        V logits.

    Raises:
        ValueError: the penalty is below 1; the history holds what is no id; ``softmax`` would
            refuse the logits, before or after.

    Examples:
        >>> penalize_repetition([3.0, -1.0, 3.0], [0, 1, 0], 1.5)
        [2.0, -1.5, 3.0]
    """
    require_step(logits, history)
    require_penalty("penalty", penalty, off=1)
    lowered = list(logits)
    for token in set(history):
        logit = lowered[token]
        lowered[token] = logit / penalty if logit > 0 else logit * penalty
    require_logits("the penalized logits", lowered)
    return lowered


def penalize_frequency(
    logits: Sequence[float],
    history: Sequence[int],
    amount: float,
) -> list[float]:
    """Subtract the amount from a token's logit each time it came.

    Source: OpenAI's API reference, ``frequency_penalty``.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        history: the ids so far.
        amount: any finite number of at least 0; 0 changes nothing.

    Returns:
        V logits.

    Raises:
        ValueError: the amount is negative; the history holds what is no id; ``softmax`` would
            refuse the logits, before or after.

    Examples:
        >>> penalize_frequency([3.0, -1.0, 3.0], [0, 1, 0], 0.5)
        [2.0, -1.5, 3.0]
    """
    require_step(logits, history)
    require_penalty("amount", amount, off=0)
    lowered = list(logits)
    for token, count in Counter(history).items():
        lowered[token] -= amount * count
    require_logits("the penalized logits", lowered)
    return lowered


def penalize_presence(
    logits: Sequence[float],
    history: Sequence[int],
    amount: float,
) -> list[float]:
    """Subtract the amount once from the logit of each token that came.

    Source: OpenAI's API reference, ``presence_penalty``.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        history: the ids so far.
        amount: any finite number of at least 0; 0 changes nothing.

    Returns:
        V logits.

    Raises:
        ValueError: the amount is negative; the history holds what is no id; ``softmax`` would
            refuse the logits, before or after.

    Examples:
        >>> penalize_presence([3.0, -1.0, 3.0], [0, 1, 0], 0.5)
        [2.5, -1.5, 3.0]
    """
    require_step(logits, history)
    return penalize_frequency(logits, list(dict.fromkeys(history)), amount)


def ban_repeated_ngrams(
    logits: Sequence[float],
    history: Sequence[int],
    size: int,
) -> list[float]:
    """Make impossible what would repeat an n-gram of the history.

    The last ``size - 1`` ids begin an n-gram. Each token that followed the same ids before is banned.

    Source: Paulus, Xiong and Socher (2018), section 2.5 (there of size 3).

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        history: the ids so far.
        size: how many tokens an n-gram has, at least 1; with 1 no token comes again.

    Returns:
        V logits, minus infinity where banned.

    Raises:
        ValueError: ``size`` is no whole number of at least 1; the history holds what is no id; ``softmax``
            would refuse the logits, or no token is left.

    Examples:
        >>> ban_repeated_ngrams([3.0, 2.0, 1.0], [0, 1, 2, 0], 2)
        [3.0, -inf, 1.0]
    """
    require_step(logits, history)
    require_whole_number("size", size, smallest=1)
    ids = list(history)
    latest = ids[len(ids) - size + 1 :]
    banned: set[int] = set()
    for end in range(size - 1, len(ids)):
        if ids[end - size + 1 : end] == latest:
            banned.add(ids[end])
    kept = [token for token in range(len(logits)) if token not in banned]
    return keep_only(logits, kept)


def temperature_or_argmax(
    logits: Sequence[float],
    temperature: float,
) -> list[float]:
    """Divide by the temperature; at 0 keep the first maximum alone.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        temperature: any finite number of at least 0; 0 means greedy decoding.

    Returns:
        V logits.

    Raises:
        ValueError: the temperature is negative or not finite; ``apply_temperature`` would refuse the
            logits.

    Examples:
        >>> temperature_or_argmax([3.0, 1.5, 3.0], 0)
        [3.0, -inf, -inf]
    """
    require_logits("logits", logits)
    require_number("temperature", temperature, at_least=0)
    if temperature == 0:
        return keep_only(logits, [argmax(logits)])
    return apply_temperature(logits, temperature)


DecodingStep = Callable[[Sequence[float], Sequence[int], Any], list[float]]
"""A function of logits, history and the value of one setting that gives new logits."""

STEPS: Mapping[str, DecodingStep] = {
    "repetition_penalty": penalize_repetition,
    "frequency_penalty": penalize_frequency,
    "presence_penalty": penalize_presence,
    "no_repeat_ngram_size": ban_repeated_ngrams,
    "temperature": lambda logits, _, t: temperature_or_argmax(logits, t),
    "top_k": lambda logits, _, k: keep_top_k(logits, k),
    "top_p": lambda logits, _, p: keep_top_p(logits, p),
    "min_p": lambda logits, _, p: keep_min_p(logits, p),
}
"""What each setting does to the logits of a step."""

ORDER = (
    "repetition_penalty",
    "frequency_penalty",
    "presence_penalty",
    "no_repeat_ngram_size",
    "temperature",
    "top_k",
    "top_p",
    "min_p",
)
"""The order of Hugging Face Transformers 5.24: penalties first, so that they act under greedy decoding too. It
has no frequency and presence penalty; here they stand beside its repetition penalty."""


class DecodingSettings(TypedDict, total=False):
    """The settings of a step; one that is left out or None is off.

    Attributes:
        repetition_penalty: for ``penalize_repetition``, at least 1.
        frequency_penalty: the amount for ``penalize_frequency``, at least 0.
        presence_penalty: the amount for ``penalize_presence``, at least 0.
        no_repeat_ngram_size: the size for ``ban_repeated_ngrams``, at least 1.
        temperature: for ``apply_temperature``; 0 means greedy: the first maximum alone is kept.
        top_k: for ``keep_top_k``, from 1 to V.
        top_p: for ``keep_top_p``, above 0 and at most 1.
        min_p: for ``keep_min_p``, from 0 to 1.
    """

    repetition_penalty: float | None
    frequency_penalty: float | None
    presence_penalty: float | None
    no_repeat_ngram_size: int | None
    temperature: float | None
    top_k: int | None
    top_p: float | None
    min_p: float | None


def require_order(order: Sequence[str], settings: Mapping[str, object]) -> None:
    """Refuse an order of what are no steps, or one that leaves out a setting that is on.

    Args:
        order: the names of steps.
        settings: the value of each setting; None is off.

    Raises:
        ValueError: a setting is unknown; the order is no list or tuple, has an unknown name or one twice, or
            lacks a setting that is on.
    """
    known = list(STEPS)
    for name in settings:
        if name not in known:
            raise ValueError(f"settings must be among {', '.join(known)}, not {name!r}")
    if isinstance(order, str) or not isinstance(order, Sequence):
        raise ValueError(f"order must be a list or tuple of settings, not {order!r}")
    for place, name in enumerate(order):
        if name not in known:
            raise ValueError(f"order must name settings among {', '.join(known)}, not {name!r}")
        if name in order[:place]:
            raise ValueError(f"order must name each setting once, but {name!r} comes again")
    for name, value in settings.items():
        if value is not None and name not in order:
            raise ValueError(f"order must name {name!r}, which is set to {value!r}, but is {order!r}")


def decode_distribution(
    logits: Sequence[float],
    history: Sequence[int] = (),
    *,
    order: Sequence[str] = ORDER,
    **settings: Unpack[DecodingSettings],
) -> list[float]:
    """Apply the settings that are on, in order; then softmax.

    Each step sees the logits that the one before left.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        history: the ids so far, for the penalties.
        order: the names of the settings in the order in which they act; one that is off does nothing.
        settings: those of ``DecodingSettings``; without any this is the softmax of the logits.

    Returns:
        V probabilities that sum to 1; what was removed has 0.

    Raises:
        ValueError: a setting is unknown, has a value that its step refuses, or is on but missing in the
            order; the order has an unknown name or one twice; the history holds what is no id;
            ``softmax`` would refuse the logits, or no token is left.

    Examples:
        >>> decode_distribution([2.0, 2.0, 1.0, 0.0], top_k=2)
        [0.5, 0.5, 0.0, 0.0]
        >>> decode_distribution([2.0, 2.0, 1.0, 0.0], [0, 1], repetition_penalty=4, temperature=0)
        [0.0, 0.0, 1.0, 0.0]
    """
    require_order(order, settings)
    require_step(logits, history)
    values: Mapping[str, object] = settings
    for name in order:
        if values.get(name) is not None:
            logits = STEPS[name](logits, history, values[name])
    return softmax(logits)


def decode_step(
    logits: Sequence[float],
    history: Sequence[int] = (),
    *,
    rng: random.Random | None = None,
    order: Sequence[str] = ORDER,
    **settings: Unpack[DecodingSettings],
) -> int:
    """Choose one token: settings in order, softmax, a draw.

    With a generator each step takes one uniform number from it, also where one token alone is left.

    Args:
        logits: one number for each of the V tokens of the vocabulary.
        history: the ids so far, for the penalties.
        rng: the source of randomness, such as ``random.Random(42)``; None will do where one token alone is
            left, as at temperature 0.
        order: the names of the settings in the order in which they act; one that is off does nothing.
        settings: those of ``DecodingSettings``.

    Returns:
        A token id, never one whose probability is 0.

    Raises:
        ValueError: as for ``decode_distribution``; or ``rng`` is None and several tokens are left.

    Examples:
        >>> decode_step([3.0, 1.5, 0.5], temperature=0)
        0
        >>> decode_step([3.0, 1.5, 0.5], rng=random.Random(42), temperature=3, top_k=2)
        1
    """
    probs = decode_distribution(logits, history, order=order, **settings)
    if rng is not None:
        return draw(probs, rng)
    left = sum(probability > 0 for probability in probs)
    if left > 1:
        raise ValueError(f"rng must not be None with {left} tokens left")
    return argmax(probs)


def decode(
    next_logits: Callable[[Sequence[int]], Sequence[float]],
    choose: Callable[[Sequence[float], Sequence[int]], int],
    end: int,
    limit: int,
) -> list[int]:
    """Choose token after token, until the end marker or the limit.

    Args:
        next_logits: the model: from the ids so far to the logits of the next token.
        choose: from logits and the ids so far to one id, as ``decode_step`` does.
        end: the id of the end marker.
        limit: how many tokens to choose at most, at least 1.

    Returns:
        The ids in order, without the end marker.

    Raises:
        ValueError: ``next_logits`` or ``choose`` cannot be called; ``limit`` is no whole number of at least
            1; ``end`` or what was chosen is no id; ``softmax`` would refuse the logits.

    Examples:
        >>> def next_logits(history):
        ...     return [1.0, 2.0, float(len(history))]
        >>> decode(next_logits, lambda logits, history: argmax(logits), end=2, limit=9)
        [1, 1, 1]
    """
    require_function("next_logits", next_logits)
    require_function("choose", choose)
    require_whole_number("limit", limit, smallest=1)
    history: tuple[int, ...] = ()
    while len(history) < limit:
        logits = next_logits(history)
        require_logits("what next_logits returned", logits)
        require_ids("end", [end], len(logits))
        token = choose(logits, history)
        require_ids("what choose returned", [token], len(logits))
        if token == end:
            break
        history = (*history, token)
    return list(history)


Beam = tuple[tuple[int, ...], float]
"""The ids of a sequence, with the end marker if it has come, and their total log probability."""


def require_beam(beam: Beam) -> None:
    """Refuse what is no sequence with its total.

    Args:
        beam: the argument of that name.

    Raises:
        ValueError: the beam is no tuple of two, its ids are no tuple or one is no whole number of at least 0,
            or its total is no number of at most 0; minus infinity is one.
    """
    if not isinstance(beam, tuple) or len(beam) != 2 or not isinstance(beam[0], tuple):
        raise ValueError(f"beam must be a tuple of a tuple of ids and their total, not {beam!r}")
    tokens, total = beam
    for token in tokens:
        require_whole_number("an id of beam", token, smallest=0)
    if not as_float(total) <= 0:
        raise ValueError(f"the total of beam must be a log probability, at most 0, not {total!r}")


def extend_beam(
    beam: Beam,
    next_logits: Callable[[Sequence[int]], Sequence[float]],
    end: int,
) -> list[Beam]:
    """Continue a sequence by each token; a finished one stays.

    An impossible token continues nothing.

    Args:
        beam: the ids so far and their total log probability.
        next_logits: the model: from the ids so far to the logits of the next token.
        end: the id of the end marker.

    Returns:
        The longer sequences, in order of the token added.

    Raises:
        ValueError: ``next_logits`` cannot be called; the beam is no tuple of ids and a number of at most 0;
            ``end`` or one of the beam's ids is no id; ``softmax`` would refuse the logits.

    Examples:
        >>> extend_beam(((0,), -1.0), lambda history: [-math.inf, 0.0], end=1)
        [((0, 1), -1.0)]
        >>> extend_beam(((0, 1), -1.0), lambda history: [-math.inf, 0.0], end=1)
        [((0, 1), -1.0)]
    """
    require_function("next_logits", next_logits)
    require_beam(beam)
    tokens, total = beam
    if tokens[-1:] == (end,):
        return [beam]
    gains = log_softmax(next_logits(tokens))
    require_ids("end", [end], len(gains))
    require_ids("the ids of beam", tokens, len(gains))
    longer: list[Beam] = []
    for token, gain in enumerate(gains):
        if gain > -math.inf:
            longer.append(((*tokens, token), total + gain))
    return longer


def beam_search(
    next_logits: Callable[[Sequence[int]], Sequence[float]],
    width: int,
    end: int,
    limit: int,
    length_power: float = 0.0,
) -> list[tuple[list[int], float]]:
    """Keep the best sequences at each step, ``width`` of them.

    A finished sequence keeps its place as long as it is among the best. Sequences compete by their total log
    probability divided by a power of their length, in which the end marker counts: power 0 compares the
    totals, power 1 the means. Among equals the one whose ids come first, compared from the left, is better.

    With width 1 this is greedy decoding; with a width at least as large as the number of all sequences it is
    exhaustive search.

    Source: Lowerre (1976); the power of the length as in Hugging Face Transformers (``length_penalty``).

    Args:
        next_logits: the model: from the ids so far to the logits of the next token.
        width: how many sequences to keep, at least 1.
        end: the id of the end marker.
        limit: how many tokens a sequence has at most, at least 1.
        length_power: any number from 0 to 1.

    Returns:
        At most ``width`` sequences, the best first: the ids without the end marker, and their total log
        probability in nats, the end marker's included. One of ``limit`` ids was cut off, a shorter one ended.

    Raises:
        ValueError: ``next_logits`` cannot be called; ``width`` or ``limit`` is no whole number of at least 1;
            ``length_power`` is not from 0 to 1; ``end`` is no id; ``softmax`` would refuse the logits.

    Examples:
        >>> def next_logits(history):
        ...     return [math.log(0.6), math.log(0.4)] if not history else [0.0, 0.0]
        >>> [tokens for tokens, total in beam_search(next_logits, width=2, end=1, limit=2)]
        [[], [0, 0]]
        >>> beam_search(next_logits, width=1, end=1, limit=2)[0][0]
        [0, 0]
    """
    require_whole_number("width", width, smallest=1)
    require_whole_number("limit", limit, smallest=1)
    require_number("length_power", length_power, at_least=0, at_most=1)
    beams: list[Beam] = [((), 0.0)]
    for _ in range(limit):
        ranked = sorted(
            (-total / len(ids) ** length_power, ids, total)
            for beam in beams
            for ids, total in extend_beam(beam, next_logits, end)
        )
        beams = [(ids, total) for _, ids, total in ranked[:width]]
    return [([i for i in ids if i != end], total) for ids, total in beams]
