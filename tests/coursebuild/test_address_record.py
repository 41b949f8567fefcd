"""What the record of addresses says of a site whose panels have run: results are given here, nothing is run."""

from collections.abc import Callable
from pathlib import Path

import pytest

from coursebuild import addresses
from coursebuild.cache import Cache
from coursebuild.faults import Fault
from coursebuild.panels import Panel
from coursebuild.press import Page, Press
from coursebuild.runner import Checked, Result
from coursebuild.source import Source

pytestmark = pytest.mark.once

Site = Callable[..., Press]
RECORD = "tests/addresses.txt"


def panel(ident: str = "one.1") -> Panel:
    return Panel(ident, "First", "", "docs/one.md", 3)


def checks(*claims: str) -> tuple[Checked, ...]:
    return tuple(
        Checked(claim, True, "6", "6", line, 0, 0) for line, claim in enumerate(claims, 4)
    )  # fmt: skip


@pytest.fixture
def site(tmp_path: Path) -> Site:
    """A press whose panels have made their claims; each page of it has an id of a panel and the panel's claims."""

    def made(record: str = "", notebook: bool = False, **pages: tuple[str, ...]) -> Press:
        if record:
            (tmp_path / "tests").mkdir(exist_ok=True)
            (tmp_path / RECORD).write_text(record, encoding="utf-8")
        press = Press(tmp_path, cache=Cache(tmp_path, None))
        for name, claims in pages.items():
            path, ident = f"docs/{name}.md", f"{name}.1"
            page = Page(path, f"{name}/", Source((), ()), is_notebook=notebook)
            if claims:
                page.panels.append(panel(ident))
                press.results[ident] = Result(checks=checks(*claims))
            press.pages[path] = page
        press.record = addresses.read(tmp_path)
        return press

    return made


def told(faults: list[Fault]) -> list[str]:
    """What an author is told of each fault: kind, place, subject, message and what to do."""
    return [
        f"{fault.kind} {fault.place} {fault.subject}: {fault.message} -> {fault.hint}" for fault in faults
    ]


@pytest.mark.parametrize(
    ("claim", "anchor"),
    [
        ("The parts add up, `so` all is well", "the-parts-add-up-so-all-is-well"),
        ("  (It) is -- 6!  ", "it-is-6"),
        ("ABC xyz 019", "abc-xyz-019"),
        ("a" * 60, "a" * 48),
        ("a" * 47 + " b", "a" * 47),
        ("a" * 46 + " b", "a" * 46 + "-b"),
        ("αβγ", "a36d0b22"),
    ],
)
def test_the_anchor_of_a_claim_is_its_first_words(claim: str, anchor: str) -> None:
    assert addresses.claim_anchor("17.2", claim) == f"claim-17.2-{anchor}"


def test_a_claim_that_is_made_again_is_numbered() -> None:
    made = checks("It is six", "It is even", "It is six", "It is six")
    assert addresses.claim_anchors(panel(), made) == [
        "claim-one.1-it-is-six",
        "claim-one.1-it-is-even",
        "claim-one.1-it-is-six-2",
        "claim-one.1-it-is-six-3",
    ]


def test_different_claims_with_one_address_are_refused_at_the_later_one() -> None:
    made = checks("It is a < b", "It is even", "It is a > b", "It is a < b", "It is a = b")
    hint = "an address is made of the first 48 letters of a claim: let one begin otherwise"
    same = "has the address #claim-one.1-it-is-a-b of the claim “It is a < b”"
    assert told(list(addresses.twins(panel(), made))) == [
        f"claim-address-twice docs/one.md:{line} panel one.1: the claim “{claim}” {same} -> {hint}"
        for line, claim in ((9, "It is a > b"), (11, "It is a = b"))
    ]


def test_a_project_may_keep_no_record(tmp_path: Path) -> None:
    assert addresses.read(tmp_path) == addresses.Record()


def test_a_record_has_the_line_of_each_address_and_the_successors(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    text = "# a comment\n\none/#panel-one.1\n#claim-index.1-x => one/#claim-one.1-y\n  \ntwo/#a => two/#b.c\n"
    (tmp_path / RECORD).write_text(text, encoding="utf-8")
    assert addresses.read(tmp_path) == addresses.Record(
        {"one/#panel-one.1": 3, "#claim-index.1-x": 4, "two/#a": 6},
        {"#claim-index.1-x": "one/#claim-one.1-y", "two/#a": "two/#b.c"},
    )


@pytest.mark.parametrize(
    "line",
    [
        "nonsense",
        "#",
        "#comment #",
        "one/#a =>",
        "one/#a => b",
        "one/#a => one/#b => c",
        "o ne/#a",
        " one/#a",
        "one/#a=>one/#b",
        "one/#a/b",
        "c\ufffd/#a",
    ],
)
def test_a_line_that_is_no_address_is_refused(tmp_path: Path, line: str) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / RECORD).write_text(f"one/#a\n{line}\ntwo/#b\n", encoding="utf-8")
    record = addresses.read(tmp_path)
    assert told(list(record.faults)) == [
        f"address-malformed {RECORD}:2 address: {line!r} is no address -> "
        'write "page/#anchor", or "old => new"'
    ]
    assert record.lines == {"one/#a": 1, "two/#b": 3}


def test_a_record_in_another_encoding_is_refused_at_its_line(tmp_path: Path) -> None:
    path = tmp_path / addresses.RECORD
    path.parent.mkdir()
    path.write_bytes(b"one/#panel-1.1\ncaf\xe9/#panel-1.1\n")
    [fault] = addresses.read(tmp_path).faults
    assert (fault.kind, fault.place) == ("address-malformed", "tests/addresses.txt:2")


def test_an_address_that_is_recorded_twice_is_refused(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / RECORD).write_text("one/#a\n\none/#b\none/#a => one/#b\n", encoding="utf-8")
    record = addresses.read(tmp_path)
    assert told(list(record.faults)) == [
        f"address-recorded-twice {RECORD}:4 address: one/#a stands here twice, first at line 1 -> "
    ]
    assert record.aliases == {}, "the first counts"


@pytest.mark.parametrize(
    ("address", "end"), [("a", "c"), ("b", "c"), ("c", "c"), ("x", "x"), ("r", "s"), ("s", "r")]
)
def test_a_successor_is_the_last_of_its_chain(address: str, end: str) -> None:
    record = addresses.Record(aliases={"a": "b", "b": "c", "r": "s", "s": "r"})
    assert record.successor(address) == end


def test_the_addresses_of_a_site_are_its_panels_and_their_claims(site: Site) -> None:
    press = site(one=("It is six", "It is even"), two=(), three=("It is odd",))
    assert addresses.of_site(press) == {
        "one/#panel-one.1": "",
        "one/#claim-one.1-it-is-six": "It is six",
        "one/#claim-one.1-it-is-even": "It is even",
        "three/#panel-three.1": "",
        "three/#claim-three.1-it-is-odd": "It is odd",
    }


def test_a_panel_that_has_not_run_has_an_address_and_no_claims(site: Site) -> None:
    press = site(one=("It is six",), two=("It is odd",))
    del press.results["one.1"]
    assert addresses.of_site(press) == {
        "one/#panel-one.1": "",
        "two/#panel-two.1": "",
        "two/#claim-two.1-it-is-odd": "It is odd",
    }


def test_the_claims_of_a_notebook_stand_in_the_ledger(site: Site) -> None:
    press = site(notebook=True, one=("It is six",))
    assert addresses.of_site(press) == {}, "a site without a ledger shows no claims of its notebooks"
    ledger = Page("docs/reference/ledger.md", "reference/ledger/", Source((), ()))
    press.pages[ledger.path] = ledger
    assert addresses.of_site(press) == {"reference/ledger/#claim-one.1-it-is-six": "It is six"}
    assert addresses.page_of_claims(press, press.pages["docs/one.md"]) is ledger
    assert addresses.page_of_claims(press, ledger) is ledger


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ("one/#a => one/#panel-one.1\none/#b => one/#a\nold/#gone\n", []),
        (
            "one/#panel-one.1 => one/#b\n",
            [
                f"address-alive {RECORD}:1 address: one/#panel-one.1 is an address of the site, so it has no successor -> "
                "remove ' => …'"
            ],
        ),
        (
            "nonsense\n#a => one/#b\none/#c => one/#a\none/#a => one/#b\n",
            [
                f"address-malformed {RECORD}:1 address: 'nonsense' is no address -> write \"page/#anchor\", or \"old => new\"",
                f"address-lost {RECORD}:2 address: #a leads to one/#b, which is no address of the site -> ",
                f"address-lost {RECORD}:3 address: one/#c leads to one/#b, which is no address of the site -> ",
                f"address-lost {RECORD}:4 address: one/#a leads to one/#b, which is no address of the site -> ",
            ],
        ),
        (
            "gone/#a => one/#panel-one.1\n#b => one/#panel-one.1\n",
            [
                f"address-without-page {RECORD}:1 address: the site has no page 'gone/', where gone/#a would stand -> "
                "keep a page there, which says what became of it",
                f"address-without-page {RECORD}:2 address: the site has no page '', where #b would stand -> "
                "keep a page there, which says what became of it",
            ],
        ),
    ],
    ids=["good", "still there", "nowhere", "no page"],
)  # fmt: skip
def test_an_old_address_leads_where_its_claim_stands_now(
    site: Site, record: str, expected: list[str]
) -> None:
    assert told(list(addresses.faults(site(record, one=("It is six",))))) == expected


def test_old_anchors_stand_on_their_page_or_say_where_it_went(site: Site) -> None:
    record = (
        "one/#a => one/#b\none/#b => one/#panel-one.1\ntwo/#c => one/#panel-one.1\n"
        "one/#d => two/#panel-two.1\none/#e => one/#claim-one.1-it-is-six\none/#f\n"
    )
    press = site(record, one=("It is six",), two=("It is odd",))
    assert addresses.former(press, "one/#panel-one.1") == ["a", "b"]
    assert addresses.former(press, "one/#claim-one.1-it-is-six") == ["e"]
    assert addresses.former(press, "two/#panel-two.1") == []
    assert addresses.moved(press, press.pages["docs/one.md"]) == {"d": "two/#panel-two.1"}
    assert addresses.moved(press, press.pages["docs/two.md"]) == {"c": "one/#panel-one.1"}


def test_the_record_and_the_site_differ_in_what_went_and_in_what_came(site: Site) -> None:
    record = "two/#a => one/#panel-one.1\none/#panel-one.1\none/#claim-one.1-gone\n"
    assert told(addresses.differences(site(record, one=("It is six",)))) == [
        f"address-lost {RECORD}:3 address: one/#claim-one.1-gone leads nowhere any more -> "
        "write 'one/#claim-one.1-gone => ' and where it leads now",
        f"address-new {RECORD}:1 address: one/#claim-one.1-it-is-six is not recorded -> make approve adds it",
    ]


def approved(press: Press) -> list[str]:
    text = (press.root / RECORD).read_text(encoding="utf-8")
    assert text.startswith(addresses.HEADER)
    return text.removeprefix(addresses.HEADER).splitlines()


def test_approving_makes_the_record(site: Site, capsys: pytest.CaptureFixture[str]) -> None:
    press = site(one=("It is six",), two=("It is odd",))
    assert addresses.approve(press) == []
    assert approved(press) == [
        "one/#claim-one.1-it-is-six",
        "one/#panel-one.1",
        "two/#claim-two.1-it-is-odd",
        "two/#panel-two.1",
    ]
    assert press.record == addresses.read(press.root)
    assert press.record.lines["one/#claim-one.1-it-is-six"] == 3
    assert capsys.readouterr().out == ""


def test_approving_links_a_reworded_claim_to_the_one_that_came(
    site: Site, capsys: pytest.CaptureFixture[str]
) -> None:
    addresses.approve(site(one=("It is six", "It is even"), two=("It is odd",)))
    press = site(one=("It is half a dozen", "It is even"), two=("It is odd",))
    assert addresses.approve(press) == []
    link = "one/#claim-one.1-it-is-six => one/#claim-one.1-it-is-half-a-dozen"
    assert link in approved(press)
    said = "one/#claim-one.1-it-is-six leads to one/#claim-one.1-it-is-half-a-dozen from now on\n"
    assert capsys.readouterr().out == said
    assert addresses.approve(site(one=("It is half a dozen", "It is even"), two=("It is odd",))) == []
    assert link in approved(press)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("now", "lost"),
    [
        (("It is new",), ["six", "even"]),
        (("It is new", "It is another"), ["six", "even"]),
        (("It is new", "It is another", "It is even"), ["six"]),
        (("It is even",), ["six"]),
    ],
    ids=["two for one", "two for two", "one for two", "one for none"],
)
def test_approving_asks_where_a_claim_went_that_it_cannot_tell(
    site: Site, now: tuple[str, ...], lost: list[str]
) -> None:
    addresses.approve(site(one=("It is six", "It is even")))
    press = site(one=now)
    said = [fault.message for fault in addresses.approve(press)]
    assert sorted(said) == sorted(f"one/#claim-one.1-it-is-{end} leads nowhere any more" for end in lost)
    assert "one/#claim-one.1-it-is-six" in approved(press), "nothing is forgotten"


def test_a_claim_of_another_panel_or_page_is_no_successor(site: Site) -> None:
    addresses.approve(site(one=("It is six", "It is even"), two=("It is odd",)))
    press = site(one=("It is even",), two=("It is odd", "It is prime"))
    assert len(addresses.approve(press)) == 1
    assert "=>" not in "".join(approved(press))


@pytest.mark.parametrize(
    ("address", "panel"),
    [
        ("one/#claim-17.1-x", ("one/", "17.1")),
        ("#panel-rotary.2", ("", "rotary.2")),
        ("labs/#claim-lab-17-tokens.12-x", ("labs/", "lab-17-tokens.12")),
        ("one/#other-17.1", None),
        ("one/#claim-Rotary.1-x", None),
    ],
)
def test_an_address_tells_its_page_and_panel(address: str, panel: tuple[str, str] | None) -> None:
    found = addresses.OF_PANEL.match(address)
    assert (found and (found["page"], found["ident"])) == panel
