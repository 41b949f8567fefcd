"""Links to states are read in the page as the build reads them, and what a state writes is that state."""

import json

import pytest

from coursebuild.instruments.parameters import start_of

from .node import answers
from .test_parameters import ALL, ALLOWED, FORBIDDEN

pytestmark = pytest.mark.once


def test_what_is_allowed_is_the_same() -> None:
    links = [link for link, _ in ALLOWED]
    described = [parameter.described() for parameter in ALL]
    [told] = answers([{"do": "read", "parameters": described, "start": start_of(ALL), "links": links}])
    for (link, found), one in zip(ALLOWED, told, strict=True):
        assert one["state"] == json.loads(json.dumps(start_of(ALL) | found)), link
    again = [
        {
            "do": "read",
            "parameters": described,
            "start": start_of(ALL),
            "links": [one["link"] for one in told],
        }
    ]
    assert answers(again) == [told]


def test_what_is_refused_is_the_same() -> None:
    described = [parameter.described() for parameter in ALL]
    [told] = answers([{"do": "read", "parameters": described, "start": start_of(ALL), "links": FORBIDDEN}])
    for link, one in zip(FORBIDDEN, told, strict=True):
        assert link.partition("=")[0] in one.get("refused", ""), (link, one)
