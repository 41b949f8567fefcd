"""``python -m coursebuild.bench_libraries``: measures `nextword` against the real libraries, in one run.

Both sides are first shown to give the same result. Then they run by turns, on one thread, and their CPU time is compared:
other processes disturb it least, and only the ratios mean something. Needs the second lane's packages; `make bench` runs it.
"""

import importlib.metadata
import json
import math
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from coursebuild.bench import NotMeasured, Row, arguments_of, table

ONE_THREAD = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "RAYON_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}
"""Read by the libraries when they are first imported, so they are imported late."""
PACKAGES = ("tokenizers", "torch", "numpy")
TRAINING_BOUND = 10.0
ENCODING_BOUND = 3.0
ATTENTION_BOUND = 1.1
LIMIT = 1e-6
"""How far apart two arrays of float32 may be, as a part of their largest number."""

Prepared = Callable[[], Callable[[], object]]
"""Makes ready what is then timed."""


def by_turns(sides: Sequence[Prepared], times: int) -> list[list[float]]:
    """Run all sides once, then once more in the reverse order, and so on; the seconds of CPU time of each run, by side."""
    taken: list[list[float]] = [[] for _ in sides]
    order = list(zip(sides, taken, strict=True))
    for _ in range(times):
        for prepare, seconds in order:
            run = prepare()
            start = time.process_time()
            run()
            seconds.append(time.process_time() - start)
        order.reverse()  # what a side leaves in the memory and its caches helps or hinders the next one
    return taken


def rows(
    what: str, bound: float | None, names: Sequence[str], taken: Sequence[Sequence[float]]
) -> Iterator[Row]:
    """The ratio of the first side's time to the second's, and below it the time of each side."""
    times = len(taken[0])
    for name, pick in (("minimum", min), ("median", statistics.median)):
        yield Row(f"{what}, {name} of {times}", pick(taken[0]) / pick(taken[1]), bound, "x")
    for side, seconds in zip(names, taken, strict=True):
        yield Row(f"  {side}, minimum", 1000 * min(seconds), None, "ms")
        yield Row(f"  {side}, median", 1000 * statistics.median(seconds), None, "ms")


def require_same(what: str, same: bool) -> None:
    """Two sides that do different work are not compared."""
    if not same:
        raise NotMeasured(f"{what}: the two sides do not give the same")


def byte_pairs(text: str, rounds: int, times: int) -> Iterator[Row]:
    """Train on a text and encode it: `nextword.bpe` against the trainer and encoder in Rust.

    The library gets each word with its marker, as a character of its own, and encodes by its quickest call, which gives
    ids alone. Marking the words is not timed.
    """
    from tokenizers import (  # type: ignore[import-not-found,unused-ignore]
        Tokenizer,
        models,
        pre_tokenizers,
        trainers,
    )

    from nextword.bpe import WordBPE

    marked = " ".join(word + "_" for word in text.split())

    def train_theirs() -> Any:
        tokenizer = Tokenizer(models.BPE())
        tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
        size = len({*marked} - {" "}) + rounds
        trainer = trainers.BpeTrainer(vocab_size=size, min_frequency=0, show_progress=False)
        tokenizer.train_from_iterator([marked], trainer)
        return tokenizer

    def encode_theirs(tokenizer: Any) -> list[int]:
        ids: list[int] = tokenizer.encode_batch_fast([marked])[0].ids
        return ids

    train_ours = partial(WordBPE.train, text, rounds, ties="oldest")
    ours, theirs = train_ours(), train_theirs()
    stored = theirs.to_str()
    merges = [tuple(pair) for pair in json.loads(stored)["model"]["merges"]]
    require_same("BPE training", [(left, right) for left, right, _ in ours.merges] == merges)
    ids = ours.encode(text)
    require_same("BPE encoding", ids == encode_theirs(theirs))
    print(f"the same results: {len(merges):,} merges of {len(text):,} characters, {len(ids):,} ids")

    names = "nextword", "tokenizers"
    taken = by_turns([lambda: train_ours, lambda: train_theirs], times)
    yield from rows("BPE training", TRAINING_BOUND, names, taken)
    taken = by_turns([lambda: partial(ours.encode, text), lambda: partial(encode_theirs, theirs)], times)
    yield from rows("BPE encoding, chunks cached", ENCODING_BOUND, names, taken)
    fresh: list[Prepared] = [
        lambda: partial(WordBPE(ours.merges, ours.base).encode, text),
        lambda: partial(encode_theirs, Tokenizer.from_str(stored)),
    ]
    yield from rows("BPE encoding, empty cache", ENCODING_BOUND, names, by_turns(fresh, times))


def attention(n: int, width: int, heads: int, times: int) -> Iterator[Row]:
    """Causal attention in float32, by itself and with its projections: `nextword.arrays` against torch.

    Torch's mask is made beforehand, ours each time.
    """
    import numpy as np
    import torch  # type: ignore[import-not-found,unused-ignore]

    from nextword.arrays import (
        Floats,
        causal_multi_head_attention,
        causal_softmax_in_place,
        merge_from_heads,
        refuse_overflow,
        split_into_heads,
    )

    torch.set_num_threads(1)
    draw = np.random.default_rng(20)
    d_model = heads * width
    x = draw.standard_normal((n, d_model), dtype=np.float32)
    weights = [
        draw.standard_normal((d_model, d_model), dtype=np.float32) / np.float32(math.sqrt(d_model))
        for _ in range(4)
    ]
    w_q, w_k, w_v, w_o = weights
    q, k, v = (split_into_heads(x @ w, heads) for w in (w_q, w_k, w_v))
    tokens, *matrices, their_w_o = (torch.from_numpy(array) for array in (x, *weights))
    their_q, their_k, their_v = (torch.from_numpy(array) for array in (q, k, v))
    future = torch.ones(n, n, dtype=torch.bool).triu(1)

    def ours() -> Floats:
        """What causal_multi_head_attention does between its projections."""
        scores = (q / math.sqrt(width)) @ k.swapaxes(-1, -2)
        refuse_overflow("scores", scores)
        mixed: Floats = causal_softmax_in_place(scores) @ v
        return mixed

    def unfused(queries: Any, keys: Any, values: Any) -> Any:
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(width)
        return scores.masked_fill(future, -math.inf).softmax(-1) @ values

    def theirs() -> Any:
        return unfused(their_q, their_k, their_v)

    def fused() -> Any:
        batch = their_q[None], their_k[None], their_v[None]  # without that axis torch takes its unfused way
        return torch.nn.functional.scaled_dot_product_attention(*batch, is_causal=True)[0]

    def ours_projected() -> Floats:
        return causal_multi_head_attention(x, w_q, w_k, w_v, w_o, heads)[0]

    def theirs_projected() -> Any:
        split = ((tokens @ matrix).view(n, heads, width).transpose(0, 1) for matrix in matrices)
        return unfused(*split).transpose(0, 1).reshape(n, d_model) @ their_w_o

    with torch.inference_mode():
        mixed, output = ours(), ours_projected()
        require_same("our attention, and its part", np.array_equal(merge_from_heads(mixed) @ w_o, output))
        largest = max(
            float(np.abs(one - other.numpy()).max() / np.abs(one).max())
            for one, other in ((mixed, theirs()), (mixed, fused()), (output, theirs_projected()))
        )
        require_same("attention", largest <= LIMIT)
        print(f"the same results: attention of {n} tokens, {heads} heads of {width}, {largest:.1e} apart")

        taken = by_turns([lambda: ours, lambda: theirs, lambda: fused], times)
        names = "nextword", "torch, unfused", "torch, fused"
        yield from rows("causal attention", ATTENTION_BOUND, names, taken)
        taken = by_turns([lambda: ours_projected, lambda: theirs_projected], times)
        yield from rows("the same with its projections", None, names[:2], taken)


def main() -> int:
    """Measure everything and print the table; the status is 0 unless something could not be measured."""
    arguments = arguments_of("bench_libraries", __doc__)
    os.environ.update(ONE_THREAD)
    text = (arguments.root / "docs/assets/data/shakespeare.txt").read_text(encoding="utf-8")[:1_000_000]
    parts: list[Callable[[], Iterator[Row]]] = [
        lambda: byte_pairs(text, 1_000, arguments.times),
        lambda: attention(512, 64, 8, 5 * arguments.times),  # quick, so that it can be done more often
    ]
    found: list[Row] = []
    status = 0
    for part in parts:
        try:
            found += part()
        except (NotMeasured, ImportError) as error:
            print(f"not measured: {error}", file=sys.stderr)
            status = 1
    if found:
        versions = ", ".join(f"{name} {importlib.metadata.version(name).split('+')[0]}" for name in PACKAGES)
        print(f"Python {platform.python_version()}, {versions}; CPU time on one thread")
        print(table(found))
    return status


if __name__ == "__main__":
    sys.exit(main())
