"""The address of a claim depends on its panel and its sentence alone, and no address that was approved is ever lost."""

import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from coursebuild import addresses, render
from coursebuild.cache import Cache
from coursebuild.faults import Fault
from coursebuild.press import Press

from .conftest import ROOT

pytestmark = pytest.mark.once

PANEL = """\
# A page

```python exec="on" id="one.1" title="First"
from nextword.checks import check

total = sum([1, 2, 3])
CHECKS
```
"""

Make = Callable[..., Press]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Presses pages; of the first, the claims of its panel are given."""
    shutil.copytree(ROOT / "src" / "nextword", tmp_path / "src" / "nextword")

    def press(*claims: str, record: str = "", others: tuple[tuple[str, str], ...] = ()) -> Press:
        checks = "\n".join(f"check({claim!r}, total, 6)" for claim in claims)
        pages = (("one", PANEL.replace("CHECKS", checks)), *others)
        for name, text in pages:
            path = tmp_path / f"docs/{name}.md"
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
        if record:
            (tmp_path / "tests").mkdir(exist_ok=True)
            (tmp_path / addresses.RECORD).write_text(record, encoding="utf-8")
        made = Press(tmp_path, cache=Cache(tmp_path, None))
        made.prepare([(tmp_path / f"docs/{name}.md", f"{name}/") for name, _ in pages])
        return made

    return press


def claims_of(press: Press) -> dict[str, str]:
    return {claim: address for address, claim in addresses.of_site(press).items() if claim}


def lines(press: Press) -> list[str]:
    return (press.root / addresses.RECORD).read_text(encoding="utf-8").splitlines()


def said(faults: list[Fault]) -> list[str]:
    return [f"{fault.place}: {fault.message}" for fault in faults]


def test_an_address_is_the_panel_and_the_first_words_of_the_sentence() -> None:
    assert addresses.claim_anchor("17.2", "The parts add up, `so` all is well") == (
        "claim-17.2-the-parts-add-up-so-all-is-well"
    )
    long = addresses.claim_anchor("17.2", "word " * 40)
    assert long == "claim-17.2-" + "-".join(["word"] * 10)[:48].rstrip("-")
    greek, other = (addresses.claim_anchor("17.2", claim) for claim in ("αβγ", "δ"))
    assert re.fullmatch(r"claim-17\.2-[0-9a-f]{8}", greek)
    assert greek != other


def test_a_claim_that_comes_first_moves_no_other(make: Make) -> None:
    before = claims_of(make("It is six", "It is even"))
    after = claims_of(make("It is new", "It is even", "It is six"))
    assert before.items() <= after.items()
    assert len(after) == 3
    assert after["It is six"] == "one/#claim-one.1-it-is-six"


def test_in_the_preview_a_claim_that_is_made_twice_gives_no_anchor_twice(make: Make) -> None:
    press = make("It is six", "It is six", "It is even")
    [fault] = press.faults
    assert "is made twice" in fault.message
    panel = press.panels["one.1"]
    assert addresses.claim_anchors(panel, press.results["one.1"].checks) == [
        "claim-one.1-it-is-six",
        "claim-one.1-it-is-six-2",
        "claim-one.1-it-is-even",
    ]


@pytest.mark.parametrize(
    "pair",
    [("It is a < b", "It is a > b"), ("word " * 12 + "here", "word " * 12 + "there")],
    ids=["signs", "length"],
)
def test_two_claims_with_one_address_are_refused(make: Make, pair: tuple[str, str]) -> None:
    press = make(*pair)
    [fault] = press.faults
    assert fault.place == "docs/one.md:8"
    assert f"the claim “{pair[1].strip()}” has the address #claim-one.1-" in fault.message
    assert "let one begin otherwise" in fault.hint


def test_a_former_address_stands_at_the_claim_that_has_another_now(make: Make) -> None:
    record = (
        "one/#claim-one.1-first => one/#claim-one.1-then\n"
        "one/#claim-one.1-then => one/#claim-one.1-it-is-six\n"
        "one/#panel-old.1 => one/#panel-one.1\n"
    )
    press = make("It is six", record=record)
    assert not press.faults
    html = render.panel(press, press.panels["one.1"], "")
    item = html[html.index('<li class="claim') : html.index("</li>")]
    assert '<span id="claim-one.1-first"></span><span id="claim-one.1-then"></span>' in item
    assert '<span id="panel-old.1"></span>' in html


def test_a_page_says_where_its_panel_went(make: Make) -> None:
    record = "two/#panel-one.1 => one/#panel-one.1\n"
    press = make("It is six", record=record, others=(("two", "# Another page\n"),))
    assert not press.faults
    assert render.moved(press, press.pages["docs/two.md"]) == (
        '<p class="moved" id="panel-one.1">What stood here is on '
        f'<a href="{render.ROOT}one/#panel-one.1">another page</a> now.</p>'
    )
    assert render.moved(press, press.pages["docs/one.md"]) == ""


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ("one/#panel-one.1\nnonsense\n", "2: 'nonsense' is no address"),
        ("one/#a =>\n", "1: 'one/#a =>' is no address"),
        ("one/#panel-one.1\none/#panel-one.1\n", "2: one/#panel-one.1 stands here twice, first at line 1"),
        ("one/#a => one/#b\n", "1: one/#a leads to one/#b, which is no address of the site"),
        ("one/#a => one/#b\none/#b => one/#a\n", "1: one/#a leads to one/#b, which is no address of the site"),
        ("one/#panel-one.1 => one/#b\n", "1: one/#panel-one.1 is an address of the site, so it has no successor"),
        ("gone/#a => one/#panel-one.1\n", "1: the site has no page 'gone/', where gone/#a would stand"),
    ],
    ids=["no address", "no successor", "twice", "nowhere", "a ring", "still there", "no page"],
)  # fmt: skip
def test_a_record_that_misleads_is_refused(make: Make, record: str, message: str) -> None:
    found = said(make("It is six", record=record).faults)
    assert f"tests/addresses.txt:{message}" in found


def test_while_a_panel_is_at_fault_nothing_is_said_of_its_addresses(make: Make) -> None:
    [fault] = make("", record="one/#a => one/#claim-one.1-it-is-six\n").faults
    assert fault.path == "docs/one.md"


def test_an_address_that_leads_nowhere_or_is_not_recorded_is_a_difference(make: Make) -> None:
    press = make("It is six", record="one/#panel-one.1\none/#claim-one.1-gone\n")
    assert not press.faults, "an author who words a claim anew is not stopped before make approve"
    assert said(addresses.differences(press)) == [
        "tests/addresses.txt:2: one/#claim-one.1-gone leads nowhere any more",
        "tests/addresses.txt:1: one/#claim-one.1-it-is-six is not recorded",
    ]


def test_approve_adds_what_is_new(make: Make) -> None:
    press = make("It is six")
    assert addresses.approve(press) == []
    assert lines(press)[-2:] == ["one/#claim-one.1-it-is-six", "one/#panel-one.1"]
    assert addresses.differences(make("It is six")) == []


def test_approve_lets_the_address_of_a_reworded_claim_lead_to_the_new_one(make: Make) -> None:
    addresses.approve(make("It is six", "It is even"))
    press = make("It is half a dozen", "It is even")
    assert addresses.approve(press) == []
    assert "one/#claim-one.1-it-is-six => one/#claim-one.1-it-is-half-a-dozen" in lines(press)
    again = make("It is as it was", "It is even")
    assert addresses.approve(again) == []
    assert again.record.successor("one/#claim-one.1-it-is-six") == "one/#claim-one.1-it-is-as-it-was"
    assert not make("It is as it was", "It is even").faults


def test_approve_asks_where_a_claim_went_that_it_cannot_tell(make: Make) -> None:
    addresses.approve(make("It is six", "It is even"))
    press = make("It is new", "It is another")
    assert len(addresses.approve(press)) == 2
    assert "one/#claim-one.1-it-is-six" in lines(press), "nothing is forgotten"
    gone = addresses.differences(press)
    assert all("leads nowhere any more" in fault.message for fault in gone)
