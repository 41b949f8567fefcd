"""The watch over the pages of these tests: it sees a request to another host, from wherever it is made, and errors."""

import re

from playwright.sync_api import Page, expect

from .conftest import OpenPage, Watch
from .server import Server

ELSEWHERE = "http://elsewhere.example"


def test_the_site_is_served_under_a_sub_path_with_its_page_for_a_missing_one(
    page: Page, site_url: str, watch: Watch, server: Server
) -> None:
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/course/", site_url)
    answer = page.goto("")
    assert answer is not None and answer.status == 200
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert "" in server.asked

    watch.expect(r"404 \(Not Found\)")  # the page's styles too: they are named from the root of a host
    answer = page.goto("no-such-page/")
    assert answer is not None and answer.status == 404
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")


def test_a_folder_without_its_slash_leads_to_it(page: Page, site_url: str) -> None:
    page.goto("how-to-use")
    assert page.url == site_url + "how-to-use/"


def test_each_page_has_a_storage_of_its_own(open_page: OpenPage) -> None:
    first, second = open_page(), open_page()
    first.goto("")
    first.evaluate("localStorage.setItem('a', '1')")
    second.goto("")
    assert second.evaluate("localStorage.getItem('a')") is None


def test_requests_to_other_hosts_are_seen_and_fail(page: Page, watch: Watch) -> None:
    page.goto("assets/css/course.css")  # a page without a policy
    said = page.evaluate(
        """async (elsewhere) => {
          const by_page = await fetch(elsewhere + "/page").then(() => "came", () => "failed");
          const source = `fetch("${elsewhere}/worker").then(() => "came", () => "failed").then(postMessage)`;
          const worker = new Worker(URL.createObjectURL(new Blob([source])));
          const by_worker = await new Promise((told) => { worker.onmessage = ({ data }) => told(data); });
          const by_number = await fetch("http://192.0.2.1/number").then(() => "came", () => "failed");
          return [by_page, by_worker, by_number];
        }""",
        ELSEWHERE,
    )
    assert said == ["failed"] * 3
    assert watch.elsewhere == [f"{ELSEWHERE}/page", f"{ELSEWHERE}/worker", "http://192.0.2.1/number"]
    assert watch.unexpected
    watch.elsewhere.clear()
    watch.expect("ERR_NAME_NOT_RESOLVED|favicon.ico")


def test_errors_are_seen(page: Page, watch: Watch) -> None:
    page.goto("")
    page.evaluate("console.error('told'); setTimeout(() => { throw new Error('thrown'); })")
    page.evaluate("new Promise((done) => setTimeout(done))")  # after the other timer
    assert any("told" in error for error in watch.unexpected)
    assert any("thrown" in error for error in watch.unexpected)
    watch.expect("told|thrown")
