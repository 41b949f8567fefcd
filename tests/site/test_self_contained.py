"""No page of the built site loads anything from another host: no font, script, style, picture or frame.

A link that a reader may follow (`<a href>`) is no load. What the pages' scripts ask for when they run is counted in
tests/browser: each of its tests fails on a request to another host.
"""

import json
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import pytest

# Relations of <link> that name an address and load nothing.
NAMES_ONLY = {"alternate", "author", "canonical", "help", "license", "next", "prev", "search"}
# Attributes whose address a browser fetches by itself, on any element.
LOADS = {"src", "srcset", "poster", "data", "background", "imagesrcset", "manifest", "ping"}
# Elements whose href is fetched: those of SVG, and <base>, which moves every address of a page.
HREF_LOADS = {
    "image",
    "use",
    "feimage",
    "pattern",
    "lineargradient",
    "radialgradient",
    "textpath",
    "script",
    "base",
}

CSS_TOKEN = re.compile(
    r"""/\*.*?\*/                                        # a comment
    | url\(\s*(?:"(?P<q2>[^"]*)"|'(?P<q1>[^']*)'|(?P<bare>[^)'"]*))\s*\)
    | "(?P<s2>(?:[^"\\]|\\.)*)" | '(?P<s1>(?:[^'\\]|\\.)*)'  # @import, image-set()
    """,
    re.VERBOSE | re.DOTALL,
)
SCRIPT_LOAD = re.compile(
    r"""(?:\bfrom|\bimport|\bimport\s*\(|\bfetch\s*\(|\bimportScripts\s*\(|\bnew\s+(?:Shared)?Worker\s*\(
    |\.(?:src|href)\s*=|\.open\s*\([^,)]*,|\.sendBeacon\s*\(|\bnew\s+(?:WebSocket|EventSource)\s*\()
    \s*(?P<quote>["'`])(?P<url>[^"'`]*)(?P=quote)""",
    re.VERBOSE,
)


def elsewhere(url: str) -> bool:
    """Whether an address names a host of its own; `data:` and addresses within the site do not."""
    parts = urlsplit(url.strip())
    return bool(parts.netloc) or parts.scheme in {"http", "https", "ws", "wss", "ftp"}


def loads_of_css(css: str) -> Iterator[str]:
    for token in CSS_TOKEN.finditer(css):
        for value in token.groupdict().values():
            if value is not None and elsewhere(value):
                yield value


def loads_of_script(script: str) -> Iterator[str]:
    for found in SCRIPT_LOAD.finditer(script):
        if elsewhere(found["url"]):
            yield found["url"]


class Loads(HTMLParser):
    """Collects the addresses on other hosts that a page (or an SVG file) makes a browser fetch."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        for name, value in values.items():
            bare = name.removeprefix("xlink:")
            urls: list[str] = []
            if bare in {"srcset", "imagesrcset"}:
                urls = [part.split()[0] for part in value.split(",") if part.split()]
            elif bare in LOADS or (bare == "href" and tag in HREF_LOADS):
                urls = [value]
            elif bare == "href" and tag == "link":
                rels = set(values.get("rel", "").lower().split())
                urls = [] if rels and rels <= NAMES_ONLY else [value]
            elif bare == "style" or "url(" in value:
                urls = list(loads_of_css(value))
            elif bare.startswith("on"):
                urls = list(loads_of_script(value))
            self.found += [f"<{tag} {name}> {url}" for url in urls if elsewhere(url)]
        if tag == "meta" and values.get("http-equiv", "").lower() == "refresh":
            url = values.get("content", "").partition("=")[2].strip("'\" ")
            self.found += [f"<meta refresh> {url}"] if elsewhere(url) else []
        if tag == "iframe" and "srcdoc" in values:
            self.found += loads_of_html(values["srcdoc"])
        if tag in {"script", "style"}:
            self.inside = tag

    def handle_endtag(self, tag: str) -> None:
        if tag == self.inside:
            self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside == "style":
            self.found += [f"<style> {url}" for url in loads_of_css(data)]
        elif self.inside == "script":
            self.found += [f"<script> {url}" for url in loads_of_script(data)]


def loads_of_html(text: str) -> list[str]:
    parser = Loads()
    parser.feed(text)
    parser.close()
    return parser.found


@pytest.mark.slow
@pytest.mark.once
def test_no_page_or_stylesheet_loads_from_another_host(built_site: Path) -> None:
    found: list[str] = []
    seen = {".html": 0, ".css": 0}
    for path in sorted(built_site.rglob("*")):
        if path.suffix not in {".html", ".css", ".svg"}:
            continue
        seen[path.suffix] = seen.get(path.suffix, 0) + 1
        text = path.read_text(encoding="utf-8")
        loads = list(loads_of_css(text)) if path.suffix == ".css" else loads_of_html(text)
        found += [f"{path.relative_to(built_site)}: {load}" for load in loads]
    assert seen[".html"] > 1, f"{built_site} has no pages"
    assert seen[".css"] > 1, f"{built_site} has no stylesheets"
    assert found == []


ADDRESS = re.compile(r"""(?:https?|wss?):/+[^\s"'`/][^\s"'`]*""")
# Where Pyodide would look for the packages that its list names. Ours names none, so the address is never asked for: the browser
# tests run every kind of panel, ask for packages that are not there (test_safety.py), and count.
NAMED = {"pyodide.mjs": ["https://cdn.jsdelivr.net/pyodide/v${d.version}/full/"]}


@pytest.mark.slow
@pytest.mark.once
def test_what_runs_the_panels_names_no_other_host(built_site: Path) -> None:
    files = [
        path
        for glob in ("service-worker.js", "assets/js/*", "assets/live/*/*", "assets/pyodide/*/*")
        for path in built_site.glob(glob)
        if path.suffix in {".js", ".mjs", ".py", ".json", ".css"}
    ]
    names = {path.name for path in files}
    assert names >= {"service-worker.js", "course.js", "panel.js", "worker.js", "harness.py", "pyodide.mjs"}
    for path in files:
        assert ADDRESS.findall(path.read_text(encoding="utf-8")) == NAMED.get(path.name, []), path
    (packages,) = built_site.glob("assets/pyodide/*/pyodide-lock.json")
    assert json.loads(packages.read_text(encoding="utf-8"))["packages"] == {}


@pytest.mark.parametrize(
    "html",
    [
        '<script src="https://host.example/x.js"></script>',
        '<script src="//host.example/x.js"></script>',
        '<script type="module">import x from "https://host.example/x.mjs";</script>',
        '<script>import("https://host.example/x.mjs")</script>',
        "<script>import 'https://host.example/x.mjs'</script>",
        "<script>fetch(`https://host.example/x`)</script>",
        '<script>s.src = "https://host.example/x.js"</script>',
        '<link rel="stylesheet" href="https://host.example/x.css">',
        '<link rel="preconnect" href="https://host.example" crossorigin>',
        '<link rel="alternate stylesheet" href="https://host.example/x.css">',
        '<link rel="icon" href="HTTPS://host.example/x.png">',
        '<img src=" https://host.example/x.png">',
        '<img src="x.png" srcset="x.png 1x, https://host.example/x.png 2x">',
        '<picture><source srcset="https://host.example/x.png"></picture>',
        '<iframe src="https://host.example/"></iframe>',
        '<iframe srcdoc="&lt;img src=https://host.example/x.png&gt;"></iframe>',
        '<object data="https://host.example/x"></object>',
        '<video poster="https://host.example/x.png"></video>',
        '<svg><image xlink:href="https://host.example/x.png"/></svg>',
        '<svg><use href="https://host.example/x.svg#a"/></svg>',
        '<svg><rect fill="url(https://host.example/x.svg#a)"/></svg>',
        '<p style="background: url(https://host.example/x.png)">x</p>',
        '<style>@import "https://host.example/x.css";</style>',
        '<style>@font-face { src: url( "https://host.example/x.woff2" ) }</style>',
        '<style>p { background: image-set("https://host.example/x.png" 1x) }</style>',
        '<base href="https://host.example/">',
        '<meta http-equiv="refresh" content="0; url=https://host.example/">',
    ],
)
def test_a_load_from_another_host_is_found(html: str) -> None:
    assert len(loads_of_html(f"<!doctype html><html><body>{html}</body></html>")) == 1


@pytest.mark.parametrize(
    "html",
    [
        '<a href="https://host.example/">x</a>',
        '<link rel="canonical" href="https://host.example/">',
        '<link rel="stylesheet" href="../assets/css/course.css">',
        '<script src="assets/x.js"></script>',
        '<script type="application/ld+json">{"@id": "https://host.example/"}</script>',
        '<script>import "./x.mjs"</script>',
        '<img src="data:image/png;base64,AAAA">',
        '<svg xmlns="http://www.w3.org/2000/svg"><path fill="url(#a)" d="M0 0"/></svg>',
        """<style>:root { --icon: url("data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>") }</style>""",
        "<style>/* url(https://host.example/x.png) */</style>",
        "<p>import 'https://host.example/'</p>",
    ],
)
def test_what_loads_nothing_from_another_host_passes(html: str) -> None:
    assert loads_of_html(f"<!doctype html><html><body>{html}</body></html>") == []
