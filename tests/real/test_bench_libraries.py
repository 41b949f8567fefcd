"""The bench against the real libraries, on sizes so small that it takes no time; what it measures is no test's business."""

from pathlib import Path

import numpy as np
import pytest

from coursebuild.bench import NotMeasured, Row
from coursebuild.bench_libraries import attention, byte_pairs
from nextword import arrays
from nextword.bpe import WordBPE

TEXT = (Path(__file__).parents[2] / "docs/assets/data/shakespeare.txt").read_text(encoding="utf-8")[:20_000]


def ratios(rows: list[Row]) -> dict[str, float | None]:
    """The rows that are ratios, with their bounds."""
    assert all(row.measured > 0 for row in rows)
    return {row.what: row.budget for row in rows if row.unit == "x"}


def test_training_and_encoding_are_measured(capsys: pytest.CaptureFixture[str]) -> None:
    found = ratios(list(byte_pairs(TEXT, 50, 2)))
    assert found == {
        f"BPE {what}, {name} of 2": bound
        for what, bound in (
            ("training", 10.0),
            ("encoding, chunks cached", 3.0),
            ("encoding, empty cache", 3.0),
        )
        for name in ("minimum", "median")
    }
    assert "the same results: 50 merges of 20,000 characters" in capsys.readouterr().out


def test_attention_is_measured(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(attention(2 * arrays.BLOCK + 3, 4, 2, 3))
    assert ratios(rows) == {
        f"{what}, {name} of 3": bound
        for what, bound in (("causal attention", 1.1), ("the same with its projections", None))
        for name in ("minimum", "median")
    }
    assert sum("torch, fused" in row.what for row in rows) == 2
    assert "the same results: attention of 131 tokens, 2 heads of 4" in capsys.readouterr().out


def test_other_merges_or_ids_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(WordBPE, "encode", lambda self, text: [0])
        with pytest.raises(NotMeasured, match="BPE encoding: the two sides"):
            list(byte_pairs(TEXT, 50, 1))
    train = WordBPE.train
    monkeypatch.setattr(WordBPE, "train", lambda text, rounds, ties: train(text, rounds - 1, ties=ties))
    with pytest.raises(NotMeasured, match="BPE training: the two sides"):
        list(byte_pairs(TEXT, 50, 1))


def test_other_attention_is_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(arrays, "causal_softmax_in_place", np.tril)
        with pytest.raises(NotMeasured, match=r"^attention: the two sides"):
            list(attention(8, 4, 2, 1))
    whole = arrays.causal_multi_head_attention
    monkeypatch.setattr(arrays, "causal_multi_head_attention", lambda *given: (whole(*given)[0] * 2, None))
    with pytest.raises(NotMeasured, match=r"^our attention, and its part: the two sides"):
        list(attention(8, 4, 2, 1))
