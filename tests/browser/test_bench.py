"""What the bench of pages says of a page is what a reader sees: what is painted late is late, what moves has moved."""

import os
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from coursebuild.bench import NotMeasured
from coursebuild.bench_pages import BYTES_PER_SECOND, ROUND_TRIP, SHIFT, look, phone, serving

HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">'
STILL = f"{HEAD}<h1>A heading</h1><p>{'Some words. ' * 40}</p>"
LATE = """<script>
const painted = new Promise((done) => new PerformanceObserver(done).observe({ type: "paint", buffered: true }));
Promise.all([fetch("../words.txt").then((answer) => answer.text()), painted]).then(([words]) => {
  const late = document.createElement("div");
  late.textContent = words;
  document.querySelector("h1").PLACE(late);
});
</script>"""
WORDS = "Late words. " * 100
PAGES = {
    "still": STILL,
    "below": STILL + LATE.replace("PLACE", "parentNode.append"),
    "above": STILL + LATE.replace("PLACE", "before"),
    "empty": HEAD,
}


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(text, encoding="utf-8")
    (tmp_path / "words.txt").write_text(WORDS, encoding="utf-8")
    return tmp_path


def test_what_moves_and_what_is_late_is_told_apart(browser: Browser, pages: Path) -> None:
    with serving(pages) as server:
        still, below, above = (look(browser, f"{server.url}{name}/") for name in ("still", "below", "above"))
    assert still.shifted == below.shifted == 0
    assert above.shifted > SHIFT
    assert still.painted >= ROUND_TRIP
    assert below.painted >= 2 * ROUND_TRIP, "the larger text came with a request of its own"


def test_a_page_that_is_not_there_is_not_measured(browser: Browser, pages: Path) -> None:
    with serving(pages) as server, pytest.raises(NotMeasured, match="nowhere/ does not open"):
        look(browser, f"{server.url}nowhere/")


def test_the_phone_is_small_and_its_network_slow(browser: Browser, pages: Path) -> None:
    size = 50_000
    (pages / "noise.bin").write_bytes(os.urandom(size))
    with serving(pages) as server, phone(browser) as page:
        page.goto(f"{server.url}still/")
        assert page.evaluate("innerWidth") == 360
        taken = page.evaluate(
            """async () => {
              const start = performance.now();
              await (await fetch("../noise.bin")).arrayBuffer();
              return performance.now() - start;
            }"""
        )
    assert taken >= 900 * (ROUND_TRIP + size / BYTES_PER_SECOND)
