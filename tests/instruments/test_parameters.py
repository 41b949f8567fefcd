"""Links to states of instruments: what each parameter may be, and what is said of a link that is refused."""

import re
from typing import Any

import pytest

from coursebuild.instruments.parameters import (
    Choice,
    Flag,
    Number,
    Numbers,
    Order,
    Parameter,
    Refused,
    Text,
    Whole,
    read,
)

WEIGHT = Number(name="weight", label="Weight", start=1.0, least=0, most=2)
COUNT = Whole(name="count", label="Count", start=3, least=-1, most=9)
KIND = Choice(name="kind", label="Kind", start="a", choices=(("a", "A"), ("b", "B")))
IS_ON = Flag(name="is_on", label="On", start=True)
WORDS = Text(name="words", label="Words", start="", longest=5)
ROW = Numbers(name="row", label="Row", start=[], least=-1, most=1, longest=3)
IDS = Numbers(name="ids", label="Ids", start=[], least=0, most=4, longest=3, whole=True)
STEPS = Order(name="steps", label="Steps", start=["x", "y"], choices=(("x", "X"), ("y", "Y")))
ALL: tuple[Parameter, ...] = (WEIGHT, COUNT, KIND, IS_ON, WORDS, ROW, IDS, STEPS)

ALLOWED: list[tuple[str, dict[str, Any]]] = [
    ("", {}),
    ("weight=0&count=-1", {"weight": 0, "count": -1}),
    ("weight=2&count=9", {"weight": 2, "count": 9}),
    ("weight=5e-1", {"weight": 0.5}),
    ("kind=b&is_on=off", {"kind": "b", "is_on": False}),
    ("is_on=on", {"is_on": True}),
    ("words=a+b%26c", {"words": "a b&c"}),
    ("words=%F0%9F%99%82%F0%9F%99%82%F0%9F%99%82%F0%9F%99%82%F0%9F%99%82", {"words": "🙂" * 5}),
    ("words=", {"words": ""}),
    ("row=", {"row": []}),
    ("row=0.5,-1,1", {"row": [0.5, -1, 1]}),
    ("row=-5e-1,1e0", {"row": [-0.5, 1]}),
    ("ids=0,4,0", {"ids": [0, 4, 0]}),
    ("steps=y,x", {"steps": ["y", "x"]}),
]
FORBIDDEN = [
    *(f"weight={text}" for text in ("", "-0.1", "2.1", "nan", "inf", "1e999", "0x1", "1_0", "٣", " 1", "1,5", "NaN", "Infinity")),
    *(f"count={text}" for text in ("", "-2", "10", "1.0", "1e0", "+1", "99999999999999999999")),
    *("kind=c", "kind=", "kind=A", "is_on=true", "is_on=", "words=123456", "row=0,0,0,0", "row=0,", "row=2", "row=x"),
    *("ids=0.5", "ids=5", "ids=-1", "steps=x", "steps=x,x", "steps=x,y,x", "steps=", "other=1", "weight=1&weight=1"),
]  # fmt: skip


@pytest.mark.parametrize(("link", "found"), ALLOWED)
def test_a_link_is_read(link: str, found: dict[str, Any]) -> None:
    assert read(ALL, link) == {parameter.name: parameter.start for parameter in ALL} | found


@pytest.mark.parametrize("link", FORBIDDEN)
def test_a_link_is_refused(link: str) -> None:
    with pytest.raises(Refused, match=re.escape(link.partition("=")[0])):
        read(ALL, link)


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ("weight=2.5", "weight must be a number from 0 to 2, not “2.5”"),
        ("count=1.5", "count must be a whole number from -1 to 9, not “1.5”"),
        ("kind=c", "kind must be one of a, b, not “c”"),
        ("is_on=yes", "is_on must be on or off, not “yes”"),
        ("words=sixsix", "words must have at most 5 characters, not 6"),
        ("words=" + "w" * 1234, "words must have at most 5 characters, not 1,234"),
        ("row=0,0,0,0", "row must have at most 3 numbers, not 4"),
        ("row=1,1.5,2", "row must be numbers from -1 to 1, not “1.5”"),
        ("ids=1,1.5,5", "ids must be whole numbers from 0 to 4, not “1.5”"),
        ("ids=12,1", "ids must be whole numbers from 0 to 4, not “12”"),
        ("steps=y", "steps must be an order of x,y, not “y”"),
        ("other=1", "“other” is no parameter; there are weight, count, kind, is_on, words, row, ids, steps"),
        ("weight=1&weight=1", "weight is given twice"),
        # what a link says is told up to 40 characters
        ("kind=" + "k" * 40, f"kind must be one of a, b, not “{'k' * 40}”"),
        ("kind=" + "k" * 41, f"kind must be one of a, b, not “{'k' * 40}…”"),
        ("o" * 41 + "=", f"“{'o' * 40}…” is no parameter; there are weight, count"),
    ],
)
def test_a_refusal_names_the_parameter_what_it_may_be_and_what_it_was(link: str, said: str) -> None:
    with pytest.raises(Refused, match=f"^{re.escape(said)}"):
        read(ALL, link)


def test_a_long_text_may_have_a_thousand_characters_and_a_refusal_parts_thousands() -> None:
    text = Text(name="text", label="Text", start="", longest=1000)
    assert read((text,), "text=" + "a" * 1000) == {"text": "a" * 1000}
    with pytest.raises(Refused, match=r"^text must have at most 1,000 characters, not 1,001$"):
        text.read("a" * 1001)


def test_a_number_of_many_digits_is_told_short() -> None:
    share = Number(name="share", label="Share", start=0, least=0, most=1 / 3)
    shares = Numbers(name="shares", label="Shares", start=[], least=0, most=2 / 3, longest=1)
    for parameter, said in ((share, "a number from 0 to 0.333333"), (shares, "numbers from 0 to 0.666667")):
        with pytest.raises(Refused, match=f"must be {said}, not “1”"):
            parameter.read("1")


def test_values_have_the_type_that_the_library_takes() -> None:
    state = read(ALL, "weight=2&count=3&row=1,0&ids=1,0&is_on=on")
    assert [type(state[name]) for name in ("weight", "count", "is_on")] == [float, int, bool]
    assert [type(state[name][0]) for name in ("row", "ids")] == [float, int]


def test_numbers_may_have_fifteen_digits() -> None:
    """More than a script's number can hold as they are would not be the same in the page."""
    wide = Whole(name="wide", label="Wide", start=0, least=-(10**20), most=10**20)
    many = Numbers(name="many", label="Many", start=[], least=-(10**20), most=10**20, longest=9, whole=True)
    digits = "123456789012345"
    assert [wide.read(f"-{digits}"), many.read(f"{digits},-{digits}")] == [
        -123456789012345,
        [123456789012345, -123456789012345],
    ]
    for parameter in (wide, many):
        with pytest.raises(Refused, match="whole number"):
            parameter.read(f"{digits}6")


@pytest.mark.parametrize("link", ["weight", "weight=1&", "&weight=1", "weight=1&&count=1"])
def test_a_link_that_is_none_is_refused(link: str) -> None:
    with pytest.raises(ValueError, match="bad query field"):
        read(ALL, link)


def test_the_script_is_told_the_kind_and_all_bounds() -> None:
    assert WEIGHT.described() == {
        "kind": "number",
        "name": "weight",
        "label": "Weight",
        "start": 1.0,
        "least": 0,
        "most": 2,
        "step": 0.01,
        "scale": "linear",
    }
    assert IDS.described() == {
        "kind": "numbers",
        "name": "ids",
        "label": "Ids",
        "start": [],
        "least": 0,
        "most": 4,
        "longest": 3,
        "whole": True,
    }
    assert ROW.described()["whole"] is False
    assert STEPS.described()["choices"] == (("x", "X"), ("y", "Y"))


def test_a_parameter_is_of_some_kind_and_never_changes() -> None:
    with pytest.raises(NotImplementedError):
        Parameter(name="a", label="A", start=1).read("1")
    for parameter in ALL:
        with pytest.raises(AttributeError, match="cannot assign to field 'start'"):
            parameter.start = 2  # type: ignore[misc]
        with pytest.raises(TypeError, match="positional"):
            type(parameter)("a", "A", 1)  # type: ignore[misc]
