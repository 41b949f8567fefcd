"""The page's side of the worker and the worker, in a browser: what is loaded and when, what is streamed, cut and stopped."""

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page

from coursebuild import playing

from .server import Server
from .waiting import until

pytestmark = pytest.mark.slow

START = """async (options) => {
  const meta = document.querySelector('meta[name="course-live"]');
  const folder = new URL(meta.content, document.baseURI).href;
  const { Runner } = await import(`${folder}runner.js`);
  window.runner = new Runner(folder, options);
}"""

RUN = """async ({ job, stopAt }) => {
  const events = [];
  let printed = "";
  const began = performance.now();
  const result = await window.runner.run({ name: "panel.py", marker: "", ...job }, {
    onprogress: ({ loaded, total }) => events.push({ loaded, total }),
    onrunning: () => events.push("running"),
    onoutput: (text) => {
      if (!printed) events.push("output");
      printed += text;
      if (stopAt && printed.includes(stopAt)) window.runner.stop();
    },
  });
  return { ...result, printed, events };
}"""

Run = Callable[..., dict[str, Any]]


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """A page whose requests go to the network and nowhere else."""
    return open_page(service_workers="block")


@pytest.fixture
def run(page: Page) -> Run:
    """Runs a program in the worker of a page of the site."""
    page.goto("lessons/17-tokenization/")

    def run(code: str, stop_at: str = "", **job: Any) -> dict[str, Any]:
        result: dict[str, Any] = page.evaluate(RUN, {"job": {"code": code} | job, "stopAt": stop_at})
        return result

    return run


def start(page: Page, **options: float) -> None:
    page.evaluate(START, options)


def test_a_share_of_a_file_is_told_while_the_rest_is_on_its_way(page: Page, run: Run, server: Server) -> None:
    name = "pyodide.asm.wasm.gz"
    [file] = server.site.rglob(name)
    start(page)
    server.held[name] = threading.Event()
    try:
        page.evaluate(
            """() => {
              const onprogress = (progress) => { window.told = progress };
              window.ran = window.runner.run({ code: "", name: "panel.py", marker: "" }, { onprogress });
            }"""
        )
        rest = file.stat().st_size - file.stat().st_size // 2
        until(page, f"window.told && window.told.total - window.told.loaded === {rest}")
    finally:
        server.held.pop(name).set()
    assert page.evaluate("window.ran.then(({ error }) => error)") is None
    assert page.evaluate("window.told.loaded === window.told.total")


def test_what_a_reader_waits_for_and_sees(page: Page, run: Run) -> None:
    asked: list[str] = []
    page.context.on("request", lambda request: asked.append(request.url))
    start(page)
    assert not any("pyodide" in address for address in asked), "Python is loaded before the first run"

    first = run("import sys\nprint('ä', end=' ', flush=True)\nprint('done', file=sys.stderr)\n")
    assert (first["printed"], first["error"], first["stopped"], first["cut"]) == ("ä done\n", None, "", False)
    progress = [event for event in first["events"] if isinstance(event, dict)]
    assert [event["loaded"] for event in progress] == sorted(event["loaded"] for event in progress)
    assert progress[-1]["loaded"] == progress[-1]["total"]
    assert first["events"][-2:] == ["running", "output"]

    broken = run("print(1)\n1 / 0\n")
    assert (broken["printed"], broken["error"]["line"]) == ("1\n", 2)

    claims = run("from nextword.checks import check\ncheck('a', 1, 1)\ncheck('b', len('x'), 2)\n")
    assert claims["checks"] == [
        {"claim": "a", "held": True, "got": "", "expected": "", "asked": "1", "said": ""},
        {"claim": "b", "held": False, "got": "1", "expected": "2", "asked": "len('x')", "said": ""},
    ]
    assert claims["more"] == {"held": 0, "failed": 0}
    many = run("from nextword.checks import check\nfor i in range(1500):\n    check('a', i < 1400, True)\n")
    assert len(many["checks"]) == 1100
    assert many["more"] == {"held": 400, "failed": 0}

    flood = run("for i in range(60_000):\n    print(i)\nprint('end')\n")
    assert (len(flood["printed"]), flood["cut"], flood["error"]) == (200_000, True, None)
    assert flood["printed"] == "".join(f"{i}\n" for i in range(60_000))[:200_000]

    address = page.evaluate("new URL('../../assets/data/declaration.txt', document.baseURI).href")
    read = run("print(open('declaration.txt', encoding='utf-8').read()[:40])\n", files=[address])
    source = playing.LIVE.parents[2] / "docs/assets/data/declaration.txt"
    assert read["printed"] == source.read_text(encoding="utf-8")[:40] + "\n"

    value = run("answer = ...\n", exercise={"ident": "17.1", "answer": "answer"})
    assert "there is no answer yet" in value["report"]

    assert not any("numpy" in address for address in asked), "numpy is loaded without an import of it"
    arrays = run("import numpy as np\nprint(np.arange(6).reshape(2, 3).T @ np.eye(2))\n")
    assert (arrays["error"], arrays["printed"].splitlines()[0]) == (None, "[[0. 3.]")
    run("import numpy\n")
    assert len([address for address in asked if re.search(r"numpy.*\.whl$", address)]) == 1


def test_what_does_not_end_is_ended_and_the_next_run_works(page: Page, run: Run) -> None:
    start(page, limit=2)
    endless = run("print('before')\nwhile True:\n    pass\n")
    assert (endless["stopped"], endless["printed"], endless["checks"]) == ("after 2 s", "before\n", [])
    assert run("print('next')\n")["printed"] == "next\n"

    stopped = run("print('go')\nwhile True:\n    pass\n", stop_at="go", limit=0)
    assert (stopped["stopped"], stopped["printed"]) == ("by you", "go\n")
    assert run("print('next')\n", limit=0)["printed"] == "next\n"

    checks = "from nextword.checks import check\nn = 0\nwhile n < 5000:\n    check(f'claim {n}', n, 1)\n    n += 1\n"
    kept = run(checks + "print('go')\nwhile True:\n    pass\n", stop_at="go", limit=0)
    assert [check["claim"] for check in kept["checks"]] == [f"claim {n}" for n in range(2000)]
    assert [check["held"] for check in kept["checks"][:3]] == [False, True, False]
    assert kept["checks"][0]["asked"] == "n"

    both = page.evaluate(
        """async () => {
          const job = (code) => ({ name: "panel.py", marker: "", code, limit: 0 });
          let began;
          const begun = new Promise((resolve) => (began = resolve));
          const first = window.runner.run(job("print(1)\\nwhile True: pass"), { onoutput: began });
          await begun;
          let printed = "";
          const second = window.runner.run(job("print(2)"), { onoutput: (text) => (printed += text) });
          return [(await first).stopped, (await second).stopped, printed];
        }"""
    )
    assert both == ["for another run", "", "2\n"]


def test_the_checks_of_a_python_that_broke_are_kept(page: Page, run: Run) -> None:
    start(page)
    broken = run("from nextword.checks import check\ncheck('a', 1, 1)\nimport os\nos.closerange(3, 100)\n")
    assert broken["error"]["text"].startswith("Python itself broke down, and was started again")
    assert [check["claim"] for check in broken["checks"]] == ["a"]
    assert run("print('next')\n")["printed"] == "next\n"


def test_code_of_somebody_else_has_a_python_of_its_own(page: Page, run: Run) -> None:
    """What it did to Python itself, and to this side of it, is gone with it."""
    start(page)
    spoil = "import sys\nharness = sys.modules['harness']\nharness.shortened = lambda value: 'spoiled'\n"
    ask = "from nextword.checks import check\ncheck('a', 1, 2)\n"
    assert run(spoil + ask)["checks"][0]["got"] == "spoiled"
    with page.expect_event("worker"):
        assert run(spoil + ask, fresh=True)["checks"][0]["got"] == "spoiled"
    assert run(ask)["checks"][0]["got"] == "1"


def test_a_run_stopped_while_python_loads_never_begins(page: Page, run: Run) -> None:
    start(page)
    stopped, printed = page.evaluate(
        """async () => {
          let stopped = "";
          const job = { name: "panel.py", marker: "", code: "while True: pass", limit: 0 };
          const first = window.runner.run(job, { onprogress: () => window.runner.stop() });
          const { stopped: why } = await first;
          let printed = "";
          await window.runner.run({ ...job, code: "print(2)" }, { onoutput: (text) => (printed += text) });
          return [why, printed];
        }"""
    )
    assert (stopped, printed) == ("by you", "2\n")


def test_where_python_cannot_be_loaded_the_reader_is_told(page: Page, run: Run, watch: Any) -> None:
    watch.expect("Failed to load resource")
    page.route(re.compile(r"python_stdlib\.zip"), lambda route: route.fulfill(status=404))
    start(page)
    said = page.evaluate(
        "window.runner.run({ code: '', name: 'panel.py', marker: '' }).catch((error) => error.message)"
    )
    assert said.startswith("Python could not be loaded: ")
    assert "404" in said
    page.unroute(re.compile(r"python_stdlib\.zip"))
    assert run("print(3)\n")["printed"] == "3\n"


def test_a_program_finds_nothing_that_reaches_storage_or_a_network(page: Page, run: Run) -> None:
    """What of the worker's global object is left; tests/browser/test_safety.py tries to get further."""
    start(page)
    names = "caches fetch indexedDB postMessage importScripts XMLHttpRequest WebSocket EventSource Worker navigator location"
    code = f"""
import js
found = [name for name in "{names} eval.constructor".split() if hasattr(js, name)]
print(found)
top = js.setTimeout
for step in ("constructor", "constructor"):
    top = getattr(top, step)
try:
    print(top("return Object.getOwnPropertyNames(globalThis).join(' ')")())
except Exception as error:
    print("refused", type(error).__name__)
"""
    result = run(code)
    assert result["error"] is None
    assert result["printed"].splitlines()[0] == "[]"
    assert "refused" in result["printed"], "the content security policy does not hold in the worker"
