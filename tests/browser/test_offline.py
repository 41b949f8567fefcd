"""Pages that were read, and panels that were run, are there without a network; versions of the site are never mixed."""

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Error as BrowserError
from playwright.sync_api import Page, expect

from coursebuild import offline

from .conftest import OpenPage, Watch
from .server import Handler, Server, serving
from .waiting import until

LESSON, OTHER = "lessons/17-tokenization/", "how-to-use/"
CACHED = """async () => {
  const found = {};
  for (const name of await caches.keys()) {
    const requests = await (await caches.open(name)).keys();
    found[name] = requests.map(({ url }) => url);
  }
  return found;
}"""


class Unsteady(Handler):
    """A server that can be cut off, and that answers some addresses as a bad network or host would."""

    def do_GET(self) -> None:
        path = self.path.removeprefix(self.server.prefix)
        if getattr(self.server, "cut_off", False):
            self.close_connection = True
        elif path.startswith("error-"):
            self.say(int(path.removeprefix("error-")), b"an error")
        elif path == "broken":
            self.say(200, b"the beginning of", length=1000)
            self.close_connection = True
        elif path == "redirect":
            self.send_response(302)
            self.send_header("Location", "how-to-use/")
            self.end_headers()
        elif "Range" in self.headers:
            self.say(206, b"a part")
        else:
            super().do_GET()

    def say(self, status: int, body: bytes, length: int | None = None) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/plain")
        self.send_header("Content-Length", str(length or len(body)))
        if status == 206:
            self.send_header("Content-Range", f"bytes 0-{len(body) - 1}/1000")
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def server(built_site: Path, tmp_path: Path) -> Iterator[Server]:
    """The site on a server of this test's own, which it may change and cut off."""
    site = tmp_path / "site"
    shutil.copytree(built_site, site, copy_function=os.link)
    with serving(site, "/course/") as server:
        server.RequestHandlerClass = Unsteady
        yield server


@pytest.fixture
def site_url(server: Server) -> str:
    return server.url


def cut_off(server: Server, watch: Watch) -> None:
    server.cut_off = True  # type: ignore[attr-defined]
    watch.expect("net::ERR_")


def cached(page: Page) -> dict[str, list[str]]:
    found: dict[str, list[str]] = page.evaluate(CACHED)
    return found


def visit(page: Page, path: str) -> None:
    """Read a page until the service worker has all that it was put together from."""
    page.goto(path)
    until(page, "navigator.serviceWorker.controller")
    until(
        page,
        """Promise.all(
          [location.origin + location.pathname, ...performance.getEntriesByType("resource").map(({ name }) => name)]
            .map((address) => caches.match(address.split("#")[0]))
        ).then((kept) => kept.every(Boolean))""",
    )


def run(page: Page) -> str:
    """Run the lesson's first panel; its output."""
    bar = page.locator('.live[data-panel="17.1"]')
    bar.locator(".live__run").click()
    expect(bar.locator(".live__status")).to_contain_text("Ran in")
    return page.locator("section.panel", has=bar).locator(".panel__output pre").first.inner_text()


def test_panels_that_were_not_run_run_without_a_network_once_any_was(
    page: Page, server: Server, watch: Watch
) -> None:
    """Also where Run was pressed before the service worker was there, and on a page on which it was not pressed."""
    page.goto(LESSON)
    run(page)
    until(page, "caches.match(new URL(argument, document.baseURI).href)", "../../programs/17.2.py")
    until(page, "caches.keys().then((names) => names.some((name) => name.includes('/pyodide/')))")
    visit(page, "foundations/softmax/")
    until(page, "caches.match(new URL(argument, document.baseURI).href)", "../../programs/softmax.1.py")
    cut_off(server, watch)
    page.reload()
    bar = page.locator('.live[data-panel="softmax.1"]')
    bar.locator(".live__run").click()
    expect(bar.locator(".live__status")).to_contain_text("Ran in")


def styles(page: Page) -> list[int]:
    found: list[int] = page.evaluate("[...document.styleSheets].map(({ cssRules }) => cssRules.length)")
    return found


def change(server: Server, path: str, edit: Callable[[str], str]) -> None:
    """Write a file anew: the old one is shared with the site that was built."""
    file = server.site / path
    text = file.read_text(encoding="utf-8")
    assert edit(text) != text
    file.unlink()
    file.write_text(edit(text), encoding="utf-8")


def publish(server: Server, mark: str) -> None:
    """A new version of the site: other words on its pages, and a new service worker, as the press writes it."""
    for path in (LESSON, OTHER):
        change(server, f"{path}index.html", lambda text: re.sub(r"(<h1[^>]*>)", rf"\1{mark} ", text, count=1))
    (server.site / offline.NAME).unlink()
    offline.write(server.site)


def test_after_one_visit_and_one_run_the_page_opens_and_runs_without_a_network(
    page: Page, server: Server, watch: Watch
) -> None:
    visit(page, LESSON)
    styled, printed = styles(page), run(page)
    cut_off(server, watch)
    asked = len(server.asked)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert styles(page) == styled
    assert run(page) == printed
    assert len(server.asked) == asked


def test_a_page_that_was_never_read_is_not_there_without_a_network(
    page: Page, server: Server, watch: Watch
) -> None:
    visit(page, LESSON)
    cut_off(server, watch)
    with pytest.raises(BrowserError, match="net::ERR_"):
        page.goto(OTHER)


def test_with_a_network_a_page_is_the_newest(page: Page, server: Server) -> None:
    visit(page, OTHER)
    change(server, f"{OTHER}index.html", lambda text: re.sub(r"(<h1[^>]*>)", r"\1Changed ", text, count=1))
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Changed")


def test_a_new_version_takes_the_place_of_the_old_one_whole(page: Page, server: Server, watch: Watch) -> None:
    visit(page, LESSON)
    run(page)
    page.evaluate("caches.open('another site')")
    old = cached(page)
    (before,) = [name for name in old if " build " in name]
    publish(server, "Second")

    page.goto(OTHER)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Second")
    until(
        page,
        "Promise.all([caches.has(argument), caches.keys()])"
        ".then(([old, names]) => !old && names.some((name) => name.includes(' build ')))",
        before,
    )
    new = cached(page)
    assert "another site" in new, "the caches of other sites on this host are theirs"
    (after,) = [name for name in new if " build " in name]
    assert after != before
    assert not [address for address in new[after] if LESSON in address], "a page of the old version"
    runtime = [name for name in old if "assets/pyodide/" in name]
    assert runtime and all(new[name] == old[name] for name in runtime), "the same Python is not loaded again"

    visit(page, OTHER)
    cut_off(server, watch)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Second")
    with pytest.raises(BrowserError, match="net::ERR_"):
        page.goto(LESSON)


def test_the_old_version_of_a_style_is_never_shown_with_a_new_page(page: Page, server: Server) -> None:
    """A style's address says what is in it, so that what the browser has kept of the old one is not asked for."""
    visit(page, OTHER)
    names = [address for addresses in cached(page).values() for address in addresses]
    for own in ("assets/css/course.css", "assets/js/course.js"):
        (address,) = [name for name in names if own in name]
        assert re.search(r"\?[0-9a-f]{8}$", address), address


def test_errors_parts_and_what_is_not_the_site_are_never_kept(
    page: Page, server: Server, watch: Watch
) -> None:
    watch.expect(r"status of (404|5\d\d)|net::ERR_")
    visit(page, OTHER)
    before = cached(page)
    page.goto(
        "assets/css/course.css"
    )  # a page of the site without a policy, which would stop the last ones first
    statuses = page.evaluate(
        """async (home) => {
          const said = [];
          const ask = (address, options) =>
            fetch(address, options).then((answer) => answer.text().then(() => said.push(answer.status)), () => said.push("failed"));
          for (const name of ["none", "error-404", "error-500", "error-503", "redirect"]) await ask(home + name).catch(() => {});
          await ask(home + "broken").catch(() => said.push("broken"));
          await ask(home + "programs/17.1.py", { headers: { Range: "bytes=0-5" } });
          await ask(home + "how-to-use/", { method: "HEAD" }).catch(() => {});
          await ask(home + "how-to-use/?posted", { method: "POST" }).catch(() => {});
          await ask(new URL("/other/", home));
          await ask("http://elsewhere.example/x");
          return said;
        }""",
        server.url,
    )
    assert statuses[:6] == [404, 404, 500, 503, 200, "broken"] and 206 in statuses, statuses
    assert watch.elsewhere == ["http://elsewhere.example/x"]
    watch.elsewhere.clear()
    after = cached(page)
    new = {address for name in after for address in after[name]} - {
        address for name in before for address in before[name]
    }
    assert new <= {server.url + "assets/css/course.css"}


def test_every_kept_answer_is_what_the_site_has(page: Page, server: Server) -> None:
    visit(page, LESSON)
    run(page)
    kept: dict[str, list[Any]] = page.evaluate(
        """async () => {
          const found = {};
          for (const name of await caches.keys()) {
            const cache = await caches.open(name);
            for (const request of await cache.keys()) {
              const answer = await cache.match(request);
              const digest = await crypto.subtle.digest("SHA-256", await answer.arrayBuffer());
              const hex = [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
              found[request.url] = [answer.status, answer.type, answer.redirected, hex];
            }
          }
          return found;
        }"""
    )
    assert len(kept) > 10
    for address, (status, kind, redirected, digest) in kept.items():
        name = address.removeprefix(server.url).partition("?")[0]
        path = server.site / (name + "index.html" if name.endswith("/") or not name else name)
        assert (status, kind, redirected) == (200, "basic", False), address
        assert digest == hashlib.sha256(path.read_bytes()).hexdigest(), address


def test_an_open_page_of_another_tab_lets_the_new_version_come(
    open_page: OpenPage, server: Server, watch: Watch
) -> None:
    first = open_page()
    visit(first, LESSON)
    publish(server, "Second")
    second = first.context.new_page()
    second.goto(OTHER)
    expect(second.get_by_role("heading", level=1)).to_contain_text("Second")
    first.reload()
    expect(first.get_by_role("heading", level=1)).to_contain_text("Second")
