"""Sample figures for each drawing, and how a picture that was drawn of them is read.

    python -m tests.coursebuild.drawings.pictures

writes the pictures of the small ones into looked_at/, after a change of a drawing: look at each that changed, in the
colours of the page, before you keep it.
"""

import copy
import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from coursebuild.drawings import DRAWINGS
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

# Small figures that have, all together, each thing that a drawing can show; looked_at/ has their pictures.
LABELLED = {"rows": "from", "columns": "to"}
SMALL: dict[str, dict[str, Any]] = {
    "merge_tree": {
        "merge_list": [["a", "b", 4], ["ab", "c", 1], ["d", "e", 2]],
        "final_spellings": [
            [1, ["abc"]],
            [3, ["ab", "de"]],
            [12, ["x", "ab", "y"]],
            [1, ["z"]],
            [1, ["de"]],
            [1, ["q"]],
            [21, ["r"]],
        ],
    },
    "merge_tree-wide": {
        "merge_list": [["a", "b", 123456]],
        "final_spellings": [[1, ["c", *["ab"] * 2]], [2, [*"cdefghijklmnop", "ab"]]],
    },
    "tokens_by_language": {
        "languages": [
            {"language": "One", "characters": 1, "bytes": 2, "tokens": 1, "pieces": ["é"]},
            {
                "language": "More",
                "characters": 40,
                "bytes": 41,
                "tokens": 8,
                "pieces": ["word", " cat\n", *["piece"] * 6],
            },
        ]
    },
    "next_words": {
        "next_words": [
            {"context": "after a", "rows": [["b", 0.5, 2], [" c", 0.25, None], ["d", 0, 0]]},
            {"context": "after b", "rows": [["longer", 0.99999, 1]]},
        ]
    },
    "cuts": {
        "cuts": [
            {
                "step": "first",
                "probabilities": [0.6, 0.3, 0.00001, 0],
                "cuts": [
                    {"name": "top-k, k = 2", "kept": 2},
                    {"name": "min-p", "kept": 2},
                    {"name": "c", "kept": 4},
                ],
            },
            {"step": "second", "probabilities": [0.25] * 2, "cuts": [{"name": "min-p", "kept": 1}]},
        ]
    },
    "blocks": {
        "blocks": [
            {
                "name": "one",
                "input": "x",
                "output": "the next word",
                "sublayers": [
                    {"branch": ["layer norm", ["attention", "4 heads"]], "after": []},
                    {"branch": ["feed-forward"], "after": ["norm", ["causal self-attention", "rms 1"]]},
                ],
            },
            {"name": "two", "input": "y", "output": "z", "sublayers": [{"branch": [], "after": ["norm"]}]},
        ]
    },
    "blocks-alone": {
        "blocks": [
            {
                "name": "one",
                "input": "x",
                "output": "y",
                "sublayers": [
                    {"branch": [["grouped-query attention with rotary positions", "8 heads"]], "after": []}
                ],
            },
            {"name": "two", "input": "x", "output": "y", "sublayers": [{"branch": ["norm"], "after": []}]},
        ]
    },
    "curves": {
        "curves": {
            "x": {"label": "steps", "scale": "linear"},
            "y": {"label": "loss", "scale": "linear"},
            "series": [
                {"name": name, "points": [[0, 10 - i], [1, 4 + i / 2], [2, 3 + i / 4], [10, 6 - i]]}
                for i, name in enumerate(["one", "two", "three", "four", "five and a half", "six"])
            ],
            "lowest": ["one", "six"],
        }
    },
    "curves-log": {
        "curves": {
            "x": {"label": "log size of the model", "scale": "log"},
            "y": {"label": "bits", "scale": "log"},
            "series": [{"name": "a", "points": [[1, 0.5], [10, 0.02], [12, 0.02], [1000, 3]]}],
            "lowest": ["a"],
        }
    },
    "curves-many": {
        "curves": {
            "x": {"label": "x", "scale": "linear"},
            "y": {"label": "value", "scale": "linear"},
            "series": [{"name": "a", "points": [[i, i * i % 37 - 5] for i in range(40)]}],
            "lowest": ["a"],
        }
    },
    "curves-points": {
        "curves": {
            "x": {"label": "depth", "scale": "points"},
            "y": {"label": "slope", "scale": "log"},
            "series": [
                {"name": "a", "points": [[1, 1e-7], [2, 1e-3], [48, 20]]},
                {"name": "b", "points": [[2, 30]]},
            ],
        }
    },
    "heat_maps": {
        "heat_maps": LABELLED
        | {
            "maps": [
                {
                    "title": "one",
                    "rows": ["a", "b c"],
                    "columns": ["a", " b"],
                    "values": [[1, None], [0.25, 0.004]],
                },
                {
                    "title": "two",
                    "rows": ["a", "a"],
                    "columns": ["d", "d"],
                    "values": [[0, 0.5], [None, None]],
                },
                {"title": "three", "rows": ["longer"], "columns": ["longer", "k"], "values": [[1, 0.125]]},
            ]
        }
    },
    "heat_maps-signed": {
        "heat_maps": LABELLED
        | {
            "maps": [
                {
                    "title": "signed",
                    "rows": ["down"],
                    "columns": [f"{i} is a long label" for i in range(9)],
                    "values": [[123456.5, -61000, None, 1, 2, 123456.5, -7, -1234.5, 3]],
                }
            ]
        }
    },
    "heat_maps-dots": {
        "heat_maps": LABELLED
        | {
            "maps": [
                {
                    "title": title,
                    "rows": ["row 1", "row 2", "row 3"],
                    "columns": list("abcdefghijklmnop"),
                    "values": [[0.5, *[0.1] * 15], [0.25] * 15 + [None], [1, *[None] * 15]],
                }
                for title in ("left", "right")
            ]
        }
    },
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


def to_one_scale(bars: Sequence[float], values: Sequence[float]) -> None:
    """Each bar is as long, beside the longest, as its value beside the largest."""
    assert len(bars) == len(values)
    for bar, value in zip(bars, values, strict=True):
        assert bar / max(bars) == pytest.approx(value / max(values), abs=1e-3)


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


def as_wide_as(room: float, size: float, mono: bool = False, bold: bool = False, after: str = "") -> str:
    """A word that, with what stands after it, is less than 0.35 narrower than the room."""
    words = ("a" * most + "i" * few for most in range(60) for few in range(40))
    return next(
        word
        for word in words
        if word and room - 0.35 < text_width(word + after, size, mono=mono, bold=bold) <= room
    )


@contextmanager
def refused(drawing: str, said: str, key: str = "") -> Iterator[None]:
    """A figure is refused: which, why (a pattern), and what is needed instead."""
    pattern = rf"^drawing {drawing}: figure '{key or drawing}' .*({said}).*; needed: a (list|dict) "
    with pytest.raises(ValueError, match=pattern):
        yield


LOOKED_AT = Path(__file__).with_name("looked_at")


def small_picture(name: str) -> str:
    """The picture of a small figure, a line for each of its parts."""
    return DRAWINGS[name.partition("-")[0]](SMALL[name], name).replace("><", ">\n<") + "\n"


if __name__ == "__main__":
    for small in SMALL:
        (LOOKED_AT / f"{small}.svg").write_text(small_picture(small), encoding="utf-8")
