"""The content security policy of a page: what a browser may run and load there. The press refuses what it would block.

A static host sends no headers of ours, so the policy stands in the page itself. Scripts and styles that are written out in
the page are allowed by the hash of their text, computed from the finished page. Directives: W3C, Content Security Policy
Level 3, section 6.
"""

import base64
import functools
import hashlib
import re
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

from coursebuild.faults import Fault, Problem

DIRECTIVES = {
    "default-src": "'none'",
    "script-src": "'self' 'wasm-unsafe-eval'",  # Python in the browser is WebAssembly; JavaScript's eval stays blocked
    "style-src": "'self'",
    "img-src": "'self' data:",  # the theme's icons are data: addresses in its style sheets
    "font-src": "'self'",
    "connect-src": "'self'",
    "worker-src": "'self' blob:",  # a worker made from a blob: address is under the policy of its page
    "manifest-src": "'self'",
    "base-uri": "'none'",
    "form-action": "'none'",
    "object-src": "'none'",
    "frame-src": "'none'",
}
"""What every page allows, before the hashes of what is written out in it."""

JAVASCRIPT = re.compile(r"(?:text|application)/(?:x-)?(?:java|ecma|j|live)script(?:1\.\d)?")
"""Types of a script that a browser runs (WHATWG MIME Sniffing, 4.6), in small letters. No type, and the next ones, are run too."""

RUN = {"", "module", "importmap", "speculationrules"}

OF_SCRIPTS = {"href", "src", "action", "formaction", "data", "xlink:href", "to", "values", "from"}
"""Attributes in which a ``javascript:`` address would run, those that SVG can animate to one included."""

BLOCKED = {
    "applet",
    "audio",
    "base",
    "embed",
    "fencedframe",
    "frame",
    "iframe",
    "object",
    "portal",
    "track",
    "video",
}
"""Elements that the policy leaves without effect."""

PICTURES = re.compile(r"([^\s,](?:\S*[^\s,])?)[^,]*")
"""The addresses in a ``srcset``: white space ends one, and a comma what is said of its size (WHATWG HTML, "parse a srcset attribute")."""

LOADED_BY_LINK = set("stylesheet icon apple-touch-icon manifest preload modulepreload prefetch".split())
"""Relations of a ``<link>`` whose file a browser loads."""


@dataclass(frozen=True)
class Refusal:
    """Something on a page that would not work under the policy.

    Attributes:
        what: the attribute or tag, as a source may have it.
        message: what it is and which rule blocks it.
        hint: what to do instead.
    """

    what: str
    message: Problem
    hint: str


def hash_of(text: str) -> str:
    """The source expression that allows an inline script or style.

    Args:
        text: the element's text as a browser reads it from the file.

    Returns:
        The SHA-256 hash of its UTF-8 bytes, in base64 (Content Security Policy Level 3, 6.7.3.3).
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")  # as the parser of HTML reads it
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class _Reader(HTMLParser):
    """Collects what the policy must allow, and what it would block."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.refused: list[Refusal] = []
        self.place: int | None = None
        self._before: list[str] = []
        self._inside: list[str] | None = None
        self._drawings = 0
        self._starts = [0, *(found.end() for found in re.finditer("\n", html))]
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: (value or "").strip() for name, value in reversed(attrs)}  # the first of two holds
        self._find_place(tag, values)
        self._drawings += tag == "svg"
        self._read_attributes(tag, values)
        self._read_element(tag, values)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if self._drawings:  # elsewhere the slash means nothing
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        self._drawings -= tag == "svg" and self._drawings > 0
        self._inside = None

    def handle_data(self, data: str) -> None:
        if self._inside is not None:
            self._inside[-1] += data

    def _find_place(self, tag: str, values: dict[str, str]) -> None:
        """After ``<head>``, and after the character set, which must come within the file's first 1024 bytes."""
        is_head = tag == "head" and self.place is None
        if is_head or (self._before == ["head"] and tag == "meta" and "charset" in values):
            line, column = self.getpos()
            self.place = self._starts[line - 1] + column + len(self.get_starttag_text() or "")
        if self.place is not None:
            self._before.append(tag)
        elif tag != "html":
            message = f"<{tag}> stands before the page's <head>, so it is under no policy"
            self._refuse(f"<{tag}", Problem("policy-outside-head", message), "move it into the head")

    def _read_attributes(self, tag: str, values: dict[str, str]) -> None:
        for name, value in values.items():
            if re.match(r"on[a-z]", name):
                hint = "listen for the event in docs/assets/js/course.js"
                message = f"{name}= on <{tag}>: script-src blocks inline event handlers"
                self._refuse(f"{name}=", Problem("policy-handler", message), hint)
            if name == "style":
                hint = "give the element a class, and style that in docs/assets/css/course.css"
                message = f"style= on <{tag}>: style-src blocks inline styles"
                self._refuse(f"{name}=", Problem("policy-style", message), hint)
            scheme = re.sub(r"[\x00-\x20]", "", value).lower()
            if name in OF_SCRIPTS and scheme.startswith("javascript:"):
                hint = "use a button, and listen for its clicks in docs/assets/js/course.js"
                message = f"{name}={value!r} on <{tag}>: script-src blocks javascript: addresses"
                self._refuse(value, Problem("policy-script-address", message), hint)
            elif name in {"action", "formaction"}:
                message = f"{name}= on <{tag}>: form-action blocks sending a form"
                self._refuse(f"{name}=", Problem("policy-form", message), "remove it: the site takes no data")

    def _read_element(self, tag: str, values: dict[str, str]) -> None:
        if tag in BLOCKED:
            message = f"<{tag}>: the content security policy blocks it"
            self._refuse(f"<{tag}", Problem("policy-element", message), "link to what it would show")
        if tag == "img":
            for address in [values.get("src", ""), *PICTURES.findall(values.get("srcset", ""))]:
                self._own("img-src", tag, address, {"data"})
        if tag in {"image", "feimage", "use"}:
            self._own("img-src", tag, values.get("href") or values.get("xlink:href", ""), {"data"})
        relations = set(values.get("rel", "").lower().split()) if tag == "link" else set()
        if relations & LOADED_BY_LINK:
            directive = "style-src" if "stylesheet" in relations else "default-src"
            self._own(directive, tag, values.get("href", ""), set())
        if tag == "style":
            self.styles.append("")
            self._inside = self.styles
        if tag == "script":
            self._read_script(values)

    def _read_script(self, values: dict[str, str]) -> None:
        kind = values.get("type", "").split(";")[0].strip().lower()
        if kind not in RUN and not JAVASCRIPT.fullmatch(kind):
            return  # data, for another script to read
        if self._drawings:  # the text of a script in SVG is read by other rules
            message = "<script> in a drawing: the press gives it no hash"
            self._refuse("<script", Problem("policy-drawing-script", message), "remove it")
        elif "src" in values:
            self._own("script-src", "script", values["src"], set())
        else:
            self.scripts.append("")
            self._inside = self.scripts

    def _own(self, directive: str, tag: str, address: str, schemes: set[str]) -> None:
        """Refuse an address that is not the site's own."""
        try:
            parts = urlsplit(address)
            own = not parts.netloc and (not parts.scheme or parts.scheme.lower() in schemes)
        except ValueError:  # no address at all
            own = False
        if not own:
            message = f"<{tag}> loads {address}: {directive} allows the site's own files alone"
            self._refuse(address, Problem("policy-foreign-file", message), "keep a copy in docs/assets")

    def _refuse(self, what: str, message: Problem, hint: str) -> None:
        self.refused.append(Refusal(what, message, hint))


@functools.lru_cache(maxsize=512)
def refusals(html: str) -> tuple[Refusal, ...]:
    """What of a page's content, or of a whole page, would not work under the policy; most pages come out as before."""
    whole = re.match(r"\s*(<!doctype|<html)", html, re.IGNORECASE)
    return tuple(_Reader(html if whole else f"<head>{html}").refused)


def faults(path: str, source: Path, html: str) -> list[Fault]:
    """What of a page's content would not work under the policy, each at the line of the source that most likely says it.

    Args:
        path: the source's name in messages.
        source: the page's source.
        html: what was made of it.

    Returns:
        The faults, each once.
    """
    found = list(dict.fromkeys(refusals(html)))
    lines = source.read_text(encoding="utf-8", errors="replace").splitlines() if found else []

    def line_of(what: str) -> int:
        return next((number for number, line in enumerate(lines, 1) if what.lower() in line.lower()), 1)

    return [
        Fault(one.message.kind, path, line_of(one.what), "policy", one.message, one.hint) for one in found
    ]


def _policy(page: _Reader) -> str:
    """The policy of a page: what every page allows, and the hashes of the scripts and styles written out in it."""
    added = {"script-src": page.scripts, "style-src": page.styles}
    return "; ".join(
        " ".join([name, value, *dict.fromkeys(map(hash_of, added.get(name, [])))])
        for name, value in DIRECTIVES.items()
    )


def under_policy(html: str, name: str) -> str:
    """A finished page with its policy, which stands ahead of all that a browser could run or load.

    Args:
        html: the whole page.
        name: the page's name in messages.

    Returns:
        The page with the policy in its head.

    Raises:
        ValueError: something of the page would not work under the policy, or it has no head.
    """
    page = _Reader(html)
    refused = list(dict.fromkeys(page.refused))
    if page.place is None:
        message = Problem("policy-without-head", "the page has no <head>, where its policy would stand")
        refused = [Refusal("", message, "give the page's template a head")]
    if page.place is None or refused:
        found = [f"{name}: {one.message}\n    what to do: {one.hint} [{one.message.kind}]" for one in refused]
        head = "the site is not published: the finished page would not work under its policy"
        raise ValueError("\n".join([head, *found]))
    meta = f'<meta http-equiv="Content-Security-Policy" content="{_policy(page)}">'
    return html[: page.place] + meta + html[page.place :]
