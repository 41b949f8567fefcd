"""A Chromium that reads the built site.

Every test has contexts (cookies, storage, caches) of its own. A test fails on an error in a page's console and on any
request to another host, which never leaves this machine; `watch.expect` names an error that a test means to cause.
"""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, WebError, expect, sync_playwright
from playwright.sync_api import Error as BrowserError

from coursebuild.browser import ASKED, FLAGS, find_chromium

from .server import Server, serving

HERE = Path(__file__).parent
PATIENCE = 120_000  # ms; only a test that fails waits so long
DESKTOP, PHONE = {"width": 1280, "height": 800}, {"width": 360, "height": 740}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What a browser shows does not depend on the Python version."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.once)


# Of the package, not the session: the library's event loop runs as long as it is open, and other tests start their own.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    path = find_chromium()
    if path is None:
        problem = f"No Chromium was found, so the pages are not tested in a browser. {ASKED}"
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(problem)
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as library:
        browser = library.chromium.launch(executable_path=path, args=FLAGS, timeout=2 * PATIENCE)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server(built_site: Path) -> Iterator[Server]:
    """The site under a sub-path, where only relative addresses lead anywhere."""
    with serving(built_site, "/course/") as server:
        yield server


@pytest.fixture(scope="session")
def site_url(server: Server) -> str:
    """Where the site's front page is: an address with a sub-path, that ends with a slash."""
    return server.url


class Watch:
    """What the pages of a test did that none should do."""

    def __init__(self, site_url: str) -> None:
        self.home = site_url[: site_url.index("/", len("http://"))] + "/"
        self.elsewhere: list[str] = []
        self.errors: list[str] = []
        self.expected: list[re.Pattern[str]] = []

    def expect(self, pattern: str) -> None:
        """Errors that the pattern is found in are meant."""
        self.expected.append(re.compile(pattern))

    @property
    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(known.search(error) for known in self.expected)]

    def asked(self, address: str) -> None:
        if re.match(r"(https?|wss?):", address) and not address.startswith((self.home, "ws" + self.home[4:])):
            self.elsewhere.append(address)

    def said(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url')})")

    def broke(self, error: WebError) -> None:
        self.errors.append(f"uncaught: {error.error}")


@pytest.fixture
def watch(site_url: str) -> Iterator[Watch]:
    watch = Watch(site_url)
    yield watch
    assert not watch.elsewhere, f"requests to other hosts: {watch.elsewhere}"
    assert not watch.unexpected, f"errors in the console: {watch.unexpected}"


OpenPage = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, site_url: str, watch: Watch) -> Iterator[OpenPage]:
    """Makes pages, each in a context of its own; addresses are relative to the site: ``page.goto("how-to-use/")``.

    ``open_page(phone=True, scheme="dark", reduced_motion="reduce", java_script_enabled=False)``: further names are those of
    Playwright's ``new_context``.
    """
    contexts = []

    def open_page(*, phone: bool = False, scheme: str = "light", **options: Any) -> Page:
        if phone:
            options = {
                "viewport": PHONE,
                "has_touch": True,
                "is_mobile": True,
                "device_scale_factor": 2,
            } | options
        options = {"base_url": site_url, "color_scheme": scheme, "viewport": DESKTOP} | options
        context = browser.new_context(**options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE)
        context.on("request", lambda request: watch.asked(request.url))
        context.on("console", watch.said)
        context.on("weberror", watch.broke)
        page = context.new_page()
        page.on("websocket", lambda socket: watch.asked(socket.url))
        return page

    yield open_page
    for context in contexts:
        try:
            context.close()
        except BrowserError:
            if browser.is_connected():
                raise


@pytest.fixture
def page(open_page: OpenPage) -> Page:
    """A page 1280 pixels wide, in the light scheme."""
    return open_page()


@pytest.fixture
def dark(open_page: OpenPage) -> Page:
    """A page 1280 pixels wide, in the dark scheme."""
    return open_page(scheme="dark")


@pytest.fixture
def phone(open_page: OpenPage) -> Page:
    """A page 360 pixels wide under a finger, in the light scheme."""
    return open_page(phone=True)


@pytest.fixture
def dark_phone(open_page: OpenPage) -> Page:
    """A page 360 pixels wide under a finger, in the dark scheme."""
    return open_page(phone=True, scheme="dark")
