"""The menu of a claim: its link, and the repository's form filled in with what it says it is."""

from html import unescape
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

from coursebuild import render, reports
from coursebuild.panels import Panel
from coursebuild.press import Page, Press
from coursebuild.source import Source

from .conftest import SmallSite

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
FORM = ROOT / ".github" / "ISSUE_TEMPLATE" / reports.FORM
CLAIM = 'At `p > 0.5` & "more", 100 % of é'


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A repository whose address is known."""
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/course")
    monkeypatch.setenv("GITHUB_SHA", "0123456789abcdef0123456789abcdef01234567")
    monkeypatch.delenv("GITHUB_SERVER_URL", raising=False)


def filled(address: str) -> dict[str, str]:
    return {name: value for name, [value] in parse_qs(urlsplit(address).query).items()}


def fields() -> dict[str, dict[str, object]]:
    """The fields of the form by their ids."""
    body = yaml.safe_load(FORM.read_text(encoding="utf-8"))["body"]
    ids = [part["id"] for part in body if part["type"] != "markdown"]
    assert len(set(ids)) == len(ids)
    return {part["id"]: part for part in body if part["type"] != "markdown"}


@pytest.mark.usefixtures("known")
def test_a_report_says_all_that_the_reader_looks_at() -> None:
    address = reports.report("lessons/one/#claim-1.1-at", "1.1", CLAIM)
    assert address.startswith("https://github.com/someone/course/issues/new?template=error.yml&")
    assert filled(address) == {
        "template": "error.yml",
        "page": "lessons/one/#claim-1.1-at",
        "panel": "1.1",
        "claim": CLAIM,
        "version": "0123456789ab",
    }


@pytest.mark.usefixtures("known")
def test_a_long_claim_is_filled_in_as_far_as_an_address_may_be_long() -> None:
    address = reports.report("lessons/one/#claim-1.1-at", "1.1", "\U0001f600" * 3000)
    assert len(address) < 8000
    assert filled(address)["claim"] == "\U0001f600" * reports.LONGEST + "…"


@pytest.mark.usefixtures("known")
@pytest.mark.parametrize("claim", ["a & b=c #1 + 2 % \"x\" 'y' <z> é", "100%25 ?x=y;z", "`a|b`\\n"])
def test_what_a_reader_follows_is_the_claim_as_it_is(claim: str) -> None:
    """Through HTML and the address, as a browser takes both apart."""
    soup = BeautifulSoup(reports.menu("one/#claim-1.1-a", "1.1", claim), "html.parser")
    assert filled(str(soup("a")[-1]["href"]))["claim"] == claim


@pytest.mark.usefixtures("known")
def test_what_a_link_fills_in_are_texts_of_the_form() -> None:
    """A form ignores what it has no field for, without a word: the reader would have to type it."""
    asked = fields()
    for claim in ("", CLAIM):
        names = filled(reports.report("lessons/one/#panel-1.1", "1.1", claim)).keys() - {"template"}
        assert {name: asked[name]["type"] for name in names} == dict.fromkeys(names, "input")
    assert set(asked) - names == {"wrong", "right"}


def test_without_a_commit_the_version_is_that_of_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_SHA", raising=False)
    assert f'version = "{reports.site_version()}"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")


@pytest.mark.usefixtures("known")
def test_a_menu_has_a_name_of_its_own_and_is_left_out_of_search() -> None:
    soup = BeautifulSoup(reports.menu("one/#claim-1.1-at", "1.1", CLAIM), "html.parser")
    [details] = soup("details")
    assert all(part.has_attr("data-search-exclude") for part in details.find_all(True))
    assert not details.has_attr("data-search-exclude"), "in a folded part it would end what that leaves out"
    assert details.summary and details.summary["aria-label"] == "Menu: " + CLAIM.replace("`", "")
    assert [link.text for link in details("a")] == ["Link to this claim", "Report an error"]
    of_panel = BeautifulSoup(reports.menu("one/#panel-1.1", "1.1"), "html.parser")
    assert [link.text for link in of_panel("a")] == ["Link to this panel", "Report an error"]
    assert of_panel.summary and of_panel.summary["aria-label"] == "Menu: panel 1.1"


def test_without_a_repository_there_is_nowhere_to_report_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    assert reports.report("one/#panel-1.1", "1.1") == ""
    menu = reports.menu("one/#claim-1.1-at", "1.1", CLAIM)
    assert "Link to this claim" in menu
    assert "Report" not in menu


@pytest.mark.usefixtures("known")
def test_a_lab_is_reported_as_a_whole(tmp_path: Path) -> None:
    """Its claims have their menus in the ledger."""
    lab = Panel("lab-one.1", "one", "", "docs/labs/one.ipynb", 1)
    page = Page("docs/labs/one.ipynb", "labs/one/", Source((), ()), [lab], is_notebook=True)
    links = BeautifulSoup(render.handout(Press(tmp_path), page), "html.parser")("a")
    assert filled(str(links[-1]["href"])) == {
        "template": "error.yml",
        "page": "labs/one/",
        "panel": "lab-one.1",
        "version": "0123456789ab",
    }


@pytest.mark.parametrize(("length", "shown"), [(499, 499), (500, 500), (501, 501), (600, 501)])
@pytest.mark.usefixtures("known")
def test_of_a_long_claim_the_form_has_the_beginning(length: int, shown: int) -> None:
    claim = filled(reports.report("one/#claim-1.1-x", "1.1", "x" * length))["claim"]
    assert claim == ("x" * length if length <= 500 else "x" * 500 + "…")
    assert len(claim) == shown


def test_a_repository_stands_on_the_server_that_the_environment_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GITHUB_REPOSITORY", "someone/course")
    monkeypatch.setenv("GITHUB_SERVER_URL", "https://forge.example")
    assert reports.repository() == "https://forge.example/someone/course"


@pytest.mark.usefixtures("known")
def test_a_menu_is_a_link_and_the_form_for_what_it_stands_at() -> None:
    menu = reports.menu("one/#claim-1.1-x", "1.1", "Of `x`")
    form = reports.report("one/#claim-1.1-x", "1.1", "Of `x`").replace("&", "&amp;")
    assert menu == (
        '<details class="menu"><summary data-search-exclude aria-label="Menu: Of x">⋯</summary>'
        '<a data-search-exclude href="#claim-1.1-x">Link to this claim</a>'
        f'<a data-search-exclude href="{form}">Report an error</a></details>'
    )


@pytest.mark.slow
@pytest.mark.parametrize("repository", ["someone/course", ""])
def test_each_claim_and_panel_of_a_page_has_its_menu(small_site: SmallSite, repository: str) -> None:
    record = "lessons/one/#claim-1.1-once => lessons/one/#panel-1.1\n#panel-0.9 => lessons/one/#panel-1.1\n"
    small_site.write(record, "tests/addresses.txt")
    [(status, told)] = small_site.build_with((), GITHUB_REPOSITORY=repository, GITHUB_SHA="0a1b2c")
    assert status == 0, told
    soup = BeautifulSoup(small_site.page(), "html.parser")
    assert soup.find(id="claim-1.1-once"), "the former address is still there"
    front = BeautifulSoup(small_site.page("."), "html.parser")
    assert [link["href"] for link in front.find_all(id="panel-0.9")[0]("a")] == ["./lessons/one/#panel-1.1"]
    for selector, address in {
        ".panel > .menu": "lessons/one/#panel-1.1",
        ".claim > .menu": "lessons/one/#claim-1.1-the-parts-add-up",
    }.items():
        [menu] = soup.select(selector)
        assert soup.find(id=address.partition("#")[2]) in menu.parents
        first, *rest = (unescape(str(link["href"])) for link in menu("a"))
        assert first == address.removeprefix("lessons/one/")
        assert [filled(to)["page"] for to in rest] == ([address] if repository else [])
