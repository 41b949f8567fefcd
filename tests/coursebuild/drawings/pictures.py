"""Sample figures for each drawing, and how a picture that was drawn of them is read."""

import copy
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

from coursebuild.drawings.placing import Box
from coursebuild.drawings.svg import WIDTH, text_width

# The words and merges of lesson 17's first panel, as its facts give them.
MERGES: dict[str, Any] = {
    "merge_list": [
        ["e", "r", 9],
        ["er", "_", 9],
        ["e", "w", 8],
        ["n", "ew", 8],
        ["l", "o", 7],
        ["lo", "w", 7],
        ["new", "er_", 6],
        ["low", "_", 5],
        ["d", "er_", 3],
        ["i", "der_", 3],
    ],
    "final_spellings": [
        [2, ["low", "e", "s", "t", "_"]],
        [5, ["low_"]],
        [2, ["new", "_"]],
        [6, ["newer_"]],
        [3, ["w", "ider_"]],
    ],
}
# Which rounds built each word.
ROUNDS = {
    "lowest_": [5, 6],
    "low_": [5, 6, 8],
    "new_": [3, 4],
    "newer_": [1, 2, 3, 4, 7],
    "wider_": [1, 2, 9, 10],
}

LANGUAGES: dict[str, Any] = {
    "languages": [
        {
            "language": "English",
            "characters": 22,
            "bytes": 22,
            "tokens": 6,
            "pieces": ["the", " cat", " sat", " on", " the", " mat"],
        },
        {"language": "Greek", "characters": 24, "bytes": 40, "tokens": 40, "pieces": ["CE", "97"] * 20},
        {
            "language": "Japanese",
            "characters": 11,
            "bytes": 33,
            "tokens": 33,
            "pieces": ["E7", "8C", "AB"] * 11,
        },
    ]
}

FACTS = Path(__file__).parents[2] / "facts"
COUNTING = json.loads((FACTS / "lesson-18.json").read_text(encoding="utf-8"))
DECODING = json.loads((FACTS / "lesson-19.json").read_text(encoding="utf-8"))
# What may come after three words of lesson 18's first panel.
AFTER_THE = COUNTING["18.1"]["expected"]["after_the"]
WORDS: dict[str, Any] = {
    "next_words": [
        {"context": "after the", "rows": [[row["word"], row["p"], row["count"]] for row in AFTER_THE]},
        {"context": "after cat", "rows": [["sat", 2 / 3, 2], ["ate", 1 / 3, 1]]},
        {"context": "after sat", "rows": [["on", 1.0, 3]]},
    ]
}
# Perplexity against k of its fourth panel, on the text that was counted and on text held out.
BY_K = {
    name: [[float(k), value] for k, value in COUNTING["18.4"]["not_in_source"][key].items()]
    for name, key in (("training text", "corpus_by_k"), ("held-out text", "held_out_by_k"))
}
SMOOTHING: dict[str, Any] = {
    "curves": {
        "x": {"label": "k", "scale": "log"},
        "y": {"label": "perplexity", "scale": "linear"},
        "series": [{"name": name, "points": points} for name, points in BY_K.items()],
        "lowest": ["held-out text"],
    }
}
# Five probabilities against the temperature, of lesson 19's first panel.
HEAT = DECODING["19.1"]["expected"]["probabilities"]
TEMPERATURE: dict[str, Any] = {
    "curves": {
        "x": {"label": "temperature", "scale": "linear"},
        "y": {"label": "probability", "scale": "linear"},
        "series": [
            {"name": token, "points": [[float(t), row[i]] for t, row in HEAT.items()]}
            for i, token in enumerate(DECODING["19.1"]["inputs"]["tokens"])
        ],
    }
}
# A confident and an unsure step, of its second and third panels.
KEPT = {"confident": [3, 1], "unsure": [3, 9]}
CUT_NAMES = ["top-k, k = 3", "top-p, p = 0.9"]
CUTS: dict[str, Any] = {
    "cuts": [
        {
            "step": step,
            "probabilities": DECODING["19.2"]["expected"][step],
            "cuts": [{"name": name, "kept": n} for name, n in zip(CUT_NAMES, kept, strict=True)],
        }
        for step, kept in KEPT.items()
    ]
}
# Attention over four tokens, open and causal; a table of sines and cosines as that of positions.
TOKENS = ["the", "cat", "sat", "down"]
OPEN = [
    [0.64, 0.23, 0.1, 0.03],
    [0.004, 0.986, 0.003, 0.007],
    [0.21, 0.57, 0.13, 0.09],
    [0.05, 0.05, 0.82, 0.08],
]
CAUSAL = [[1.0, None, None, None], [0.004, 0.996, None, None], [0.23, 0.63, 0.14, None], OPEN[3]]
HEAT_MAPS: dict[str, Any] = {
    "heat_maps": {
        "rows": "query",
        "columns": "key",
        "maps": [
            {"title": "open", "rows": TOKENS, "columns": TOKENS, "values": OPEN},
            {"title": "causal", "rows": TOKENS, "columns": TOKENS, "values": CAUSAL},
        ],
    }
}
BLOCKS: dict[str, Any] = {
    "blocks": [
        {
            "name": "pre-norm",
            "input": "x",
            "output": "y",
            "sublayers": [
                {"branch": [["layer norm", "rms 1.00"], ["causal attention", "rms 0.45"]], "after": []},
                {"branch": ["layer norm", "feed-forward"], "after": []},
            ],
        },
        {
            "name": "post-norm",
            "input": "x",
            "output": "y",
            "sublayers": [
                {"branch": ["causal attention"], "after": ["layer norm"]},
                {"branch": ["feed-forward"], "after": [["layer norm", "rms 1.00"]]},
            ],
        },
    ]
}
FIGURES = {
    "blocks": BLOCKS,
    "curves": SMOOTHING,
    "cuts": CUTS,
    "heat_maps": HEAT_MAPS,
    "merge_tree": MERGES,
    "next_words": WORDS,
    "tokens_by_language": LANGUAGES,
}


def parse(svg: str) -> ET.Element:
    return ET.fromstring(svg.replace(' xmlns="http://www.w3.org/2000/svg"', ""))


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in parse(svg).iter("text")]


def description(svg: str) -> str:
    found = parse(svg).findtext("desc")
    assert found
    return found


def boxes_of_texts(svg: str) -> list[tuple[str, Box]]:
    """Where each text stands: a safe guess of its width, and the height of its letters."""
    root = parse(svg)
    found = []
    for element in root.iter("text"):
        size = float(element.get("font-size", root.get("font-size", "0")))
        x, y, text = float(element.get("x", "0")), float(element.get("y", "0")), element.text or ""
        mono, bold = "mono" in element.get("font-family", ""), "font-weight" in element.attrib
        wide = text_width(text, size, mono=mono, bold=bold)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[element.get("text-anchor", "start")]
        if "transform" in element.attrib:  # it runs upwards from where it begins
            assert element.get("transform") == f"rotate(-90 {element.get('x')} {element.get('y')})"
            assert left == x
            found.append((text, Box(x - 0.75 * size, y - wide, x + 0.2 * size, y)))
        else:
            found.append((text, Box(left, y - 0.75 * size, left + wide, y + 0.2 * size)))
    return found


def overlapping_texts(svg: str) -> list[tuple[str, str]]:
    return [(a, b) for (a, one), (b, two) in combinations(boxes_of_texts(svg), 2) if one.meets(two)]


def changed(figures: Mapping[str, Any], key: str, value: object) -> dict[str, Any]:
    return {**copy.deepcopy(dict(figures)), key: value}


def filled(svg: str) -> list[float]:
    """Lengths of the bars."""
    return [float(e.get("width", "0")) for e in parse(svg).iter("rect") if "full" in e.get("fill", "")]


def within(svg: str) -> None:
    """Nothing sticks out of the picture, no text stands on another."""
    root = parse(svg)
    width, height = [float(value) for value in root.get("viewBox", "").split()[2:]]
    assert width == WIDTH
    assert overlapping_texts(svg) == []
    for text, box in boxes_of_texts(svg):
        assert box.left >= 0, text
        assert box.right <= width, text
        assert box.top >= 0, text
        assert box.bottom <= height, text
    for e in root.iter("rect"):
        x, y, w, h = (float(e.get(key, "0")) for key in ("x", "y", "width", "height"))
        assert x >= 0
        assert y >= 0
        assert x + w <= width
        assert y + h <= height
    for e in root.iter("path"):
        for x, y in re.findall(r"[ML]([-\d.]+) ([-\d.]+)", e.get("d", "")):
            assert 0 <= float(x) <= width
            assert 0 <= float(y) <= height
