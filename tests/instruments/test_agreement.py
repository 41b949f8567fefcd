"""Each instrument's port says what the library says, of thousands of random states; both refuse the same ones."""

import importlib
import json
import random
from typing import Any

import pytest

from coursebuild.instruments import NAMES
from coursebuild.instruments.making import Instrument, module_of

from .node import answers, differences

MANY = 2000
"""States of each instrument."""

pytestmark = pytest.mark.once


def states_of(name: str, data: dict[str, Any], rng: random.Random) -> list[dict[str, Any]]:
    """Random states, of which the module of this folder knows the likely and the odd."""
    module = importlib.import_module(f"{__package__}.states_{name.replace('-', '_')}")
    return [module.state(data, rng) for _ in range(MANY)]


def seen(instrument: Instrument, data: dict[str, Any], state: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"view": instrument.view(data, state)}
    except ValueError as error:
        return {"refused": str(error)}


@pytest.mark.parametrize("name", NAMES)
def test_the_port_says_what_the_library_says(name: str) -> None:
    instrument = module_of(name)
    data = json.loads(json.dumps(instrument.data()))  # as the page has it
    states = states_of(name, data, random.Random(name))
    [theirs] = answers([{"do": "view", "name": name, "data": data, "states": states}])
    assert len(theirs) == MANY
    for state, other in zip(states, theirs, strict=True):
        ours = seen(instrument, data, state)
        if "refused" in ours or "refused" in other:
            assert ours.keys() == other.keys(), (state, ours, other)
        else:
            assert list(differences(ours["view"], other["view"])) == [], state
    views = [other for other in theirs if "view" in other]
    assert len(views) > MANY / 2, "most random states should be allowed"
    assert len({json.dumps(one["view"]) for one in views}) > MANY / 10, "states should differ"


@pytest.mark.parametrize("name", NAMES)
def test_random_states_are_those_of_links(name: str) -> None:
    """A state that no link can write would be tested in vain; what a link says is the state that wrote it."""
    instrument = module_of(name)
    data = instrument.data()
    described = [parameter.described() for parameter in instrument.PARAMETERS]
    start = {parameter.name: parameter.start for parameter in instrument.PARAMETERS}
    states = states_of(name, data, random.Random(1))[:200]
    assert {frozenset(state) for state in states} == {frozenset(start)}
    [links] = answers(
        [
            {
                "do": "call",
                "module": "state.js",
                "name": "linkOf",
                "calls": [[described, start, s] for s in states],
            }
        ]
    )
    [read] = answers(
        [{"do": "read", "parameters": described, "start": start, "links": [one["value"] for one in links]}]
    )
    for state, link, found in zip(states, links, read, strict=True):
        assert found == {"state": json.loads(json.dumps(state)), "link": link["value"]}


def test_the_port_refuses_a_lone_surrogate_as_the_library_does() -> None:
    """A random state never has one: JSON of a page can."""
    instrument = module_of("token-inspector")
    data = instrument.data()
    texts = ["\ud800", "a\udfffb", "猫\ude00\ud83d", "😀\ud83d", "😀"]
    states = [{"text": text, "token": 0} for text in texts]
    [theirs] = answers([{"do": "view", "name": "token-inspector", "data": data, "states": states}])
    assert ["refused" in one for one in theirs] == [True] * 4 + [False]
    assert ["refused" in seen(instrument, data, state) for state in states] == [True] * 4 + [False]
    assert "U+D800" in theirs[0]["refused"]
