"""``python -m coursebuild.bench_pages``: measures what a reader on a slow phone waits for, and what the live panels add to a page.

The site is built whole, and read in Chromium. The yardstick is a page with one heading that loads nothing, opened by turns
with ours on the same slow profile: the machine's own speed is in both, so only their ratio means something.
"""

import gzip
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright
from playwright.sync_api import Error as BrowserError

from coursebuild.bench import (
    TEXT,
    NotMeasured,
    Row,
    arguments_of,
    compressed,
    environment,
    heaviest,
    mkdocs,
    table,
    weight,
)
from coursebuild.browser import ASKED, FLAGS, find_chromium

SLOWDOWN = 4
BYTES_PER_SECOND = 1.6e6 / 8
ROUND_TRIP = 0.15
PHONE = {"width": 360, "height": 740}
LONGEST = 300_000
"""Milliseconds; the runtime is some megabytes, and the machine may be busy."""
SHIFT = 0.02
PAINT_FACTOR = 1.5
GROWTH = 5_000
BARE_NAME = "bare.html"
BARE = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    '<link rel="icon" href="data:,"><title>Bare</title><h1>A page that loads nothing</h1>'
)

WATCH = """
window.seen = { painted: 0, shifted: 0 };
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) seen.painted = entry.startTime;
}).observe({ type: "largest-contentful-paint", buffered: true });
new PerformanceObserver((list) => {
  // All count, also what comes after an input: nobody touches the page, and taking the size of a phone passes for one.
  for (const entry of list.getEntries()) seen.shifted += entry.value;
}).observe({ type: "layout-shift", buffered: true });
"""
"""All shifts are added up; what is called CLS is the sum over the worst five seconds, at most this."""

LIVE = re.compile(
    r'<div class="live" .*?</div>|<meta (?:name="course-(?:live|offline)"|http-equiv="Content-Security-Policy")[^>]*>',
    re.DOTALL,
)
LIVE_RULE = re.compile(r"[^{}]*\.live\b[^{}]*\{[^{}]*\}")
SCRIPT = "assets/js/course.js"
STYLES = "assets/css/course.css"


# What the live panels add to a page


def growth(site: Path, page: str) -> int:
    """The compressed bytes that a page has more than without its bars, its policy and what they need before the first Run.

    The whole of the script counts, though some of it is older than the bars.
    """
    html = (site / page / "index.html").read_text(encoding="utf-8")
    css = (site / STYLES).read_text(encoding="utf-8")
    if not LIVE.search(html):
        raise NotMeasured(f"{page} has no live panel")
    added = _packed(html) - _packed(LIVE.sub("", html)) + _packed(css) - _packed(LIVE_RULE.sub("", css))
    return added + compressed(site / SCRIPT)


def _packed(text: str) -> int:
    return len(gzip.compress(text.encode(), 9, mtime=0))


# A server and a browser


class Handler(SimpleHTTPRequestHandler):
    """Sends text compressed, as static hosts do, and keeps connections open."""

    protocol_version = "HTTP/1.1"
    server: "Server"

    def do_GET(self) -> None:
        """Answer with a file, or with the bare page."""
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        bare = self.path == f"/{BARE_NAME}"
        if not bare and not path.is_file():
            self.send_error(404)
            return
        data = BARE.encode() if bare else path.read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if path.suffix in TEXT or bare:
            data = gzip.compress(data, 9, mtime=0)
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.server.sizes.append(len(data))
        self.wfile.write(data)

    def log_message(self, *args: Any) -> None:
        """Say nothing: the table is all that is printed."""


class Server(ThreadingHTTPServer):
    """A server of one folder on a free port of this machine, which counts the bytes that it sends."""

    daemon_threads = True

    def __init__(self, site: Path) -> None:
        super().__init__(
            ("127.0.0.1", 0),
            lambda *arguments: Handler(*arguments, directory=str(site)),
        )
        self.sizes: list[int] = []

    @property
    def url(self) -> str:
        """The address of the front page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @property
    def sent(self) -> int:
        """The bytes that were sent, headers apart."""
        return sum(self.sizes)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A browser that closes a page drops its connections: no error."""


@contextmanager
def serving(site: Path) -> Iterator[Server]:
    """Serve a built site."""
    with Server(site) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@contextmanager
def chromium() -> Iterator[Browser]:
    """A running Chromium.

    Raises:
        NotMeasured: none was found, or it does not start.
    """
    path = find_chromium()
    if path is None:
        raise NotMeasured(f"the pages in a browser: no Chromium was found. {ASKED}")
    with sync_playwright() as library:
        try:
            browser = library.chromium.launch(executable_path=path, args=FLAGS, timeout=LONGEST)
        except BrowserError as error:
            raise NotMeasured(f"the pages in a browser: {path} does not start: {error}") from error
        yield browser
        browser.close()


@contextmanager
def phone(browser: Browser, slow: bool = True) -> Iterator[Page]:
    """A page on a phone that has visited nothing yet; ``slow``: with a slow processor and network."""
    context = browser.new_context(viewport=PHONE, device_scale_factor=2, is_mobile=True, has_touch=True)  # type: ignore[arg-type]
    context.set_default_timeout(LONGEST)
    page = context.new_page()
    if slow:
        session = context.new_cdp_session(page)
        session.send(
            "Network.emulateNetworkConditions",
            {
                "offline": False,
                "latency": 1000 * ROUND_TRIP,
                "downloadThroughput": BYTES_PER_SECOND,
                "uploadThroughput": BYTES_PER_SECOND,
            },
        )
        session.send("Emulation.setCPUThrottlingRate", {"rate": SLOWDOWN})
    page.add_init_script(WATCH)
    try:
        yield page
    finally:
        context.close()


# The measures


@dataclass(frozen=True)
class Seen:
    """When the largest text or picture of a page was painted, in seconds, and how far what was painted moved."""

    painted: float
    shifted: float


def look(browser: Browser, address: str) -> Seen:
    """Open a page on a slow phone, and wait until it loads and paints nothing more."""
    with phone(browser) as page:
        answer = page.goto(address, wait_until="networkidle")
        if answer is None or not answer.ok:
            raise NotMeasured(f"{address} does not open")
        page.wait_for_function("() => seen.painted")  # no eval: the policy of our pages forbids it
        page.evaluate("new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done)))")
        found = page.evaluate("seen")
    return Seen(found["painted"] / 1000, found["shifted"])


def rows_of_a_page(page: str, size: int, seen: Sequence[Seen], bare: Sequence[Seen]) -> Iterator[Row]:
    """When a page of so many compressed bytes was painted, by what the bare page took; and how far it moved, at worst."""
    for name, pick in (("minimum", min), ("median", statistics.median)):
        painted, yardstick = (pick([one.painted for one in side]) for side in (seen, bare))
        budget = PAINT_FACTOR * (yardstick + size / BYTES_PER_SECOND)
        yield Row(f"{page}, largest paint, {name} of {len(seen)}", painted, budget, "s")
    yield Row("  the bare page, minimum", min(one.painted for one in bare), None, "s")
    yield Row("  shifts, worst", max(one.shifted for one in seen), SHIFT, "")


def measure_paint(site: Path, pages: Sequence[str], times: int) -> Iterator[Row]:
    """Open each page by turns with the bare one, on a slow phone."""
    with chromium() as browser, serving(site) as server:
        for page in pages:
            bare, seen = [], []
            for _ in range(times):
                bare.append(look(browser, server.url + BARE_NAME))
                seen.append(look(browser, server.url + page))
            yield from rows_of_a_page(page, sum(weight(site, page).values()), seen, bare)


def measure_growth(site: Path, pages: Sequence[str]) -> Iterator[Row]:
    """What the live panels add to pages before the first Run."""
    for page in pages:
        yield Row(f"{page}, added by live panels", growth(site, page), GROWTH, "B")


def measure_first_run(site: Path, page: str) -> Iterator[Row]:
    """Press Run for the first time: at the machine's own speed, and what is loaded for it, which is the rest of the wait."""
    with chromium() as browser, serving(site) as server, phone(browser, slow=False) as shown:
        shown.goto(server.url + page, wait_until="networkidle")
        before = server.sent
        start = time.perf_counter()
        shown.locator(".live__run").first.click()
        shown.wait_for_function(
            """() => {
              const [run, reset] = [".live__run", ".live__reset"].map((name) => document.querySelector(name));
              return run.ariaDisabled === "false" && reset?.checkVisibility();
            }"""
        )
        taken = time.perf_counter() - start
    yield Row(f"{page}, first Run until its end", taken, None, "s")
    yield Row("  what it loads", server.sent - before, None, "B")


def build_whole(root: Path, site: Path) -> float:
    """Build the project's whole site, notebooks and the files of live panels too; the seconds it took."""
    start = time.perf_counter()
    command = mkdocs("build", "--quiet", "--site-dir", str(site))
    done = subprocess.run(command, cwd=root, env=environment(), capture_output=True, text=True)
    seconds = time.perf_counter() - start
    if done.returncode:
        raise NotMeasured(f"the site does not build:\n{(done.stderr or done.stdout).strip()[-2000:]}")
    return seconds


def main() -> int:
    """Measure everything and print the table; the status is 0 unless something could not be measured."""
    arguments = arguments_of("bench_pages", __doc__)
    root = arguments.root.resolve()
    rows: list[Row] = []
    status = 0
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder) / "site"
        sources = {"lessons": "md", "exercises": "md", "labs": "ipynb"}
        kinds = {
            kind: [f"{kind}/{path.stem}/" for path in sorted((root / "docs" / kind).glob(f"*.{suffix}"))]
            for kind, suffix in sources.items()
        }
        try:
            rows.append(Row("whole build, notebooks too", build_whole(root, site), None, "s"))
            heavy = {kind: heaviest(site, pages)[0] for kind, pages in kinds.items()}
        except NotMeasured as error:
            print(f"not measured: {error}", file=sys.stderr)
            return 1
        live = [heavy["lessons"], heavy["exercises"]]
        parts: list[Callable[[], Iterator[Row]]] = [lambda: measure_growth(site, live)]
        if find_chromium():
            parts += [
                lambda: measure_paint(site, list(heavy.values()), arguments.times),
                lambda: measure_first_run(site, live[0]),
            ]
        else:
            print(f"What a phone waits for was not measured: no Chromium was found. {ASKED}")
        for part in parts:
            try:
                rows += part()
            except (NotMeasured, BrowserError) as error:
                print(f"not measured: {error}", file=sys.stderr)
                status = 1
    print(f"Python {platform.python_version()}; a phone with a processor {SLOWDOWN} times slower, 1.6 Mbit/s")
    print(table(rows))
    return status


if __name__ == "__main__":
    sys.exit(main())
