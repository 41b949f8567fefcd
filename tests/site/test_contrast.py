"""Every colour of the site against the ground it stands on: WCAG 2.2, contrast level AA, in both schemes."""

import re
from importlib.resources import files
from pathlib import Path

import pytest

pytestmark = pytest.mark.once

CSS = Path(__file__).parents[2] / "docs" / "assets" / "css" / "course.css"
TEXT, GRAPHIC = 4.5, 3.0

CODE = ("ink", "keyword", "string", "number", "function", "constant", "special", "operator", "comment")

# (colour, ground, least ratio), names without the prefix --course-
PAIRS = [
    *(
        (ink, ground, TEXT)
        for ink in ("ink", "ink-2", "accent", "accent-2")
        for ground in ("paper", "paper-2")
    ),
    # code: each token, on plain code and on a highlighted line
    *((f"code-{token}", ground, TEXT) for token in CODE for ground in ("code-ground", "code-line")),
    ("accent", "code-ground", TEXT),  # a link around inline code
    ("accent-2", "accent-ground", TEXT),  # the same under the pointer, and search results
    ("ink", "accent-ground", TEXT),
    ("ink-2", "accent-ground", TEXT),
    ("ink", "mark-ground", TEXT),
    ("ink-2", "mark-ground", TEXT),  # marked text in the excerpts of search results
    ("accent", "mark-ground", TEXT),  # a link in a claim that the address points to
    ("code-ink", "paper-2", TEXT),
    ("ink-2", "code-ground", GRAPHIC),  # copy buttons
    ("line-strong", "code-ground", GRAPHIC),
    ("line-strong", "output-ground", GRAPHIC),
    ("ink-2", "output-ground", GRAPHIC),
    ("accent-2", "code-ground", GRAPHIC),
    ("accent-2", "output-ground", GRAPHIC),
    ("output-ink", "output-ground", TEXT),
    ("output-ink-2", "output-ground", TEXT),
    ("output-line", "output-ground", GRAPHIC),
    ("output-line", "paper", GRAPHIC),
    ("held", "paper", TEXT),
    ("held", "mark-ground", TEXT),
    ("fault-ink", "fault-ground", TEXT),
    ("fault-line", "fault-ground", GRAPHIC),
    ("fault-line", "paper", GRAPHIC),
    ("ink", "fault-ground", TEXT),  # deleted text, critic marks
    *(
        (ink, "fault-ground", TEXT) for ink in ("ink-2", "accent", "accent-2")
    ),  # the menu of a claim that fails
    ("accent-2", "mark-ground", TEXT),  # the same of one that the address points to, under the pointer
    ("ink", "warn-ground", TEXT),
    ("accent", "warn-ground", TEXT),
    ("warn-line", "warn-ground", GRAPHIC),
    ("warn-line", "paper", GRAPHIC),
    # frames of panels, of the search field, of tables' heads
    ("line-strong", "paper", GRAPHIC),
    ("line-strong", "paper-2", GRAPHIC),
    # the focus ring, wherever it can stand
    *(
        ("focus", ground, GRAPHIC)
        for ground in ("paper", "paper-2", "code-ground", "output-ground", "warn-ground", "fault-ground")
    ),
    ("paper", "accent", TEXT),  # a filled button
    ("paper", "accent-2", TEXT),
    ("paper", "ink", TEXT),  # the link that skips to the text
    # drawings
    ("ink", "drawing-cell", TEXT),
    ("ink", "drawing-joint", TEXT),
    ("ink-2", "drawing-cell", TEXT),  # a note in the box of a step
    ("ink-2", "drawing-joint", TEXT),
    ("drawing-full-ink", "drawing-full", TEXT),
    ("drawing-full", "paper", GRAPHIC),
    ("drawing-full", "drawing-cell", GRAPHIC),
    ("drawing-full", "drawing-joint", GRAPHIC),  # a joint of the final spelling against one on the way
    ("line-strong", "drawing-cell", GRAPHIC),
    # the ends of the scale of heat maps: a number on a cell, and a cell on the paper
    *(("ink", heat, TEXT) for heat in ("drawing-heat", "drawing-heat-2")),
    *((heat, "paper", GRAPHIC) for heat in ("drawing-heat", "drawing-heat-2")),
    *((f"drawing-series-{n}", "paper", GRAPHIC) for n in range(1, 7)),
]

# Hairlines inside a frame and between rows: nothing is known by them alone.
DECORATION = {"line"}


def source() -> str:
    return re.sub(r"/\*.*?\*/", "", CSS.read_text(encoding="utf-8"), flags=re.DOTALL)


def block(selector: str, css: str) -> dict[str, str]:
    """The custom properties that the first rule with exactly this selector sets."""
    for head, body in re.findall(r"([^{}]+)\{([^{}]*)\}", css):
        if " ".join(head.split()) == selector:
            return dict(re.findall(r"--([\w-]+):\s*([^;]+);", body))
    raise AssertionError(f"course.css has no rule {selector}")


def schemes() -> dict[str, dict[str, str]]:
    css = source()
    return {
        scheme: {k.removeprefix("course-"): v for k, v in block(selector, css).items()}
        for scheme, selector in {
            "light": ':root, [data-md-color-scheme="default"]',
            "dark": '[data-md-color-scheme="slate"]',
        }.items()
    }


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.2, definitions)."""
    assert re.fullmatch(r"#[0-9a-f]{6}", colour), f"{colour!r} is not written as #rrggbb"
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def ratio(one: str, two: str) -> float:
    light, dark = sorted((luminance(one), luminance(two)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_ratio_of_known_colours() -> None:
    assert ratio("#000000", "#ffffff") == pytest.approx(21)
    assert ratio("#777777", "#ffffff") == pytest.approx(4.478, abs=0.001)
    assert ratio("#ffffff", "#ffffff") == 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("colour", "ground", "least"), PAIRS, ids=str)
def test_contrast(scheme: str, colour: str, ground: str, least: float) -> None:
    colours = schemes()[scheme]
    got = ratio(colours[colour], colours[ground])
    assert got >= least, f"{scheme}: {colour} {colours[colour]} on {ground} {colours[ground]} is {got:.2f}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("heat", ["drawing-heat", "drawing-heat-2"])
def test_contrast_of_numbers_on_each_shade_of_a_heat_map(scheme: str, heat: str) -> None:
    """A cell has a share of the colour over the paper; the more, the less is the contrast with it."""
    colours = schemes()[scheme]
    channels = [[int(colours[name][i : i + 2], 16) for i in (1, 3, 5)] for name in ("paper", heat)]
    ratios = []
    for share in (i / 50 for i in range(51)):
        mixed = [round(p + share * (h - p)) for p, h in zip(*channels, strict=True)]
        ratios.append(ratio(colours["ink"], "#" + "".join(f"{c:02x}" for c in mixed)))
    assert min(ratios) >= TEXT
    assert ratios == sorted(ratios, reverse=True)


def test_both_schemes_have_the_same_colours_and_each_is_in_a_pair() -> None:
    light, dark = schemes()["light"], schemes()["dark"]
    assert light.keys() == dark.keys()
    paired = {name for pair in PAIRS for name in pair[:2]}
    assert light.keys() - paired == DECORATION


def test_colours_are_written_in_the_two_schemes_only() -> None:
    css = source()
    rest = re.sub(r"--course-[\w-]+:[^;]+;", "", css)
    assert re.findall(r"#[0-9a-fA-F]{3,8}\b|\b(?:rgba?|hsla?|oklch|color-mix)\(", rest) == []
    used = set(re.findall(r"var\(--course-([\w-]+)", css))
    assert used - schemes()["light"].keys() == set()


def test_every_colour_variable_of_the_theme_is_ours() -> None:
    """A new release of the theme with a new colour fails here, not on a reader's screen."""
    sheets = files("material") / "templates" / "assets" / "stylesheets"
    theirs: set[str] = set()
    for sheet in sheets.iterdir():
        if re.fullmatch(r"(main|palette)\.\w+\.min\.css", sheet.name):
            theirs |= set(re.findall(r"--(md-[\w-]*color(?:--\w+)?):", sheet.read_text(encoding="utf-8")))
    assert len(theirs) > 40
    # Diagrams are not in use: the theme fetches their script from another host.
    theirs = {name for name in theirs if not name.startswith("md-mermaid")}
    ours = block(":root, [data-md-color-scheme]", source())
    assert theirs - ours.keys() == set()
    strange = {
        k: v for k, v in ours.items() if "color" in k and not re.fullmatch(r"var\(--course-[\w-]+\)", v)
    }
    assert strange == {}
