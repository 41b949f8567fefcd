"""The policy of a page: what it allows, by the rules of Content Security Policy Level 3, and what the press refuses under it."""

import base64
import hashlib
import re
from pathlib import Path

import pytest

from coursebuild import policy, site

from .conftest import SmallSite

START = '<!doctype html>\n<html lang="en">\n  <head>\n    <meta charset="utf-8">'
PAGE = START + "\n{head}\n</head>\n<body>\n{body}\n</body>\n</html>\n"
META = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def page(body: str = "", head: str = "") -> str:
    return PAGE.replace("{head}", head).replace("{body}", body)


def directives(html: str) -> dict[str, list[str]]:
    """The policy in a page, as a browser parses it: the first of two equal names holds."""
    (content,) = META.findall(html)
    found: dict[str, list[str]] = {}
    for directive in content.split(";"):
        name, *values = directive.split()
        assert name not in found
        found[name] = values
    return found


def hash_between(html: str, start: str, end: str) -> str:
    """The hash of the bytes between two tags of a file."""
    data = html.encode()
    begin = data.index(start.encode()) + len(start.encode())
    digest = hashlib.sha256(data[begin : data.index(end.encode(), begin)]).digest()
    return f"'sha256-{base64.b64encode(digest).decode('ascii')}'"


def test_a_hash_is_that_of_the_specification() -> None:
    # Content Security Policy Level 3, 8.4, example: alert('Hello, world.');
    assert (
        policy.hash_of("alert('Hello, world.');") == "'sha256-qznLcsROx4GACP2dm0UCKCzCG+HiZ1guq6ZZDob/Tng='"
    )
    assert (
        policy.hash_of("") == "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    )  # of no bytes: NIST's value


@pytest.mark.parametrize(
    ("start", "text"),
    [
        ("<script>", 'a < b && c() // it\'s "quoted" &amp; ø 한'),
        ("<script>", "\n  lines();\n\n"),
        ("<script>", ""),
        ('<script type="module">', "import './a.js'"),
        ('<script type="importmap">', "{}"),
        ('<script type=" Text/JavaScript ; charset=utf-8">', "run()"),
        ('<script type="application/x-ecmascript">', "run()"),
        ("<SCRIPT DEFER>", "run('<p>')"),
        ("<script>", "run('<p></p>') & run('</b>')"),
    ],
)
def test_an_inline_script_is_allowed_by_the_hash_of_its_bytes(start: str, text: str) -> None:
    for html in (page(head=f"{start}{text}</script>"), page(body=f"<p>x</p>{start}{text}</script>")):
        done = policy.under_policy(html, "x")
        assert directives(done)["script-src"] == [
            "'self'",
            "'wasm-unsafe-eval'",
            hash_between(html, start, "</script>"),
        ]


def test_every_inline_script_and_style_has_its_hash() -> None:
    scripts = ["one()", "two()", "one()", "three()"]
    html = page("".join(f"<script>{text}</script>" for text in scripts), "<style>p { color: red }</style>")
    found = directives(policy.under_policy(html, "x"))
    hashes = [hash_between(f"<script>{text}</script>", "<script>", "</script>") for text in scripts]
    assert found["script-src"][2:] == [hashes[0], hashes[1], hashes[3]]
    assert found["style-src"] == ["'self'", hash_between(html, "<style>", "</style>")]


def test_lines_that_end_as_on_windows_are_hashed_as_a_browser_reads_them() -> None:
    both = [
        directives(policy.under_policy(page(f"<script>a(){end}b()</script>"), "x")) for end in ("\r\n", "\n")
    ]
    assert both[0] == both[1]
    assert policy.hash_of("a()\rb()\r\n") == policy.hash_of("a()\nb()\n")


@pytest.mark.parametrize(
    "script",
    [
        '<script type="application/json">{"a": 1}</script>',
        '<script type="application/ld+json">{}</script>',
        '<script type="text/template"><p></p></script>',
        '<script src="assets/x.js"></script>',
        '<script type="module" src="../x.mjs" defer></script>',
        "<p>&lt;script&gt;run()&lt;/script&gt;</p>",
        "<!-- <script>run()</script> -->",
    ],
)
def test_what_is_no_inline_script_has_no_hash(script: str) -> None:
    assert directives(policy.under_policy(page(script), "x"))["script-src"] == [
        "'self'",
        "'wasm-unsafe-eval'",
    ]


def test_the_policy_allows_the_site_alone() -> None:
    found = directives(policy.under_policy(page(), "x"))
    assert found == {
        "default-src": ["'none'"],
        "script-src": ["'self'", "'wasm-unsafe-eval'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "worker-src": ["'self'", "blob:"],
        "manifest-src": ["'self'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "object-src": ["'none'"],
        "frame-src": ["'none'"],
    }


def test_the_policy_stands_ahead_of_all_but_the_character_set() -> None:
    html = page(head="<title>x</title><script>run()</script>")
    done = policy.under_policy(html, "x")
    assert META.sub("", done) == html
    assert done.startswith(START + "<meta http-equiv=")
    bare = "<html><head><title>x</title></head></html>"
    assert policy.under_policy(bare, "x").startswith("<html><head><meta http-equiv=")


FAULTS = {
    "an event handler": ('<button onclick="run()">x</button>', "onclick= on <button>: script-src"),
    "an event handler in capitals": ('<IMG SRC="x.png" OnError=run()>', "onerror= on <img>: script-src"),
    "an event handler in a drawing": ('<svg><path onload="run()"/></svg>', "onload= on <path>: script-src"),
    "a javascript: link": ('<a href="javascript:run()">x</a>', "href='javascript:run()' on <a>: script-src"),
    "one in disguise": ('<a href=" Java&#10;Script:run()">x</a>', "on <a>: script-src blocks javascript:"),
    "one in a drawing": ('<svg><a xlink:href="javascript:run()"/></svg>', "on <a>: script-src blocks javascript:"),
    "an inline style": ('<p style="color: red">x</p>', "style= on <p>: style-src"),
    "a script from elsewhere": ('<script src="https://host.example/x.js"></script>', "script-src allows the site's own"),
    "one without a scheme": ('<script src="//host.example/x.js"></script>', "script-src allows the site's own"),
    "a script in an address": ('<script src="data:text/javascript,run()"></script>', "script-src allows the site's own"),
    "a script in a drawing": ("<svg><script>run()</script></svg>", "<script> in a drawing"),
    "a style sheet from elsewhere": ('<link rel="stylesheet" href="https://host.example/x.css">', "style-src allows"),
    "a picture from elsewhere": ('<img src="https://host.example/x.png">', "img-src allows the site's own"),
    "one of a set": ('<img src="x.png" srcset="x.png 1x, https://host.example/x.png 2x">', "img-src allows"),
    "one in a drawing, elsewhere": ('<svg><image href="https://host.example/x.png"/></svg>', "img-src allows"),
    "a frame": ('<iframe src="x.html"></iframe>', "<iframe>: the content security policy blocks it"),
    "an object": ('<object data="x.svg"></object>', "<object>: the content security policy blocks it"),
    "a base": ('<base href="/">', "<base>: the content security policy blocks it"),
    "a film": ('<video src="x.mp4"></video>', "<video>: the content security policy blocks it"),
    "a form that is sent": ('<form action="x"><button>x</button></form>', "action= on <form>: form-action"),
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_what_the_policy_blocks_is_refused(name: str, tmp_path: Path) -> None:
    body, message = FAULTS[name]
    with pytest.raises(ValueError, match="would not work under its policy") as raised:
        policy.under_policy(page(body), "a page")
    assert message in str(raised.value)
    assert "a page: " in str(raised.value)
    source = tmp_path / "page.md"
    source.write_text(f"# A page\n\n{body}\n", encoding="utf-8")
    (fault,) = policy.faults("docs/page.md", source, f"<h1>A page</h1>{body}")
    assert message in fault.message
    assert fault.path == "docs/page.md"
    assert fault.line == (1 if "&#10;" in body else 3)


@pytest.mark.parametrize(
    "body",
    [
        '<a href="https://host.example/">a link is followed, not loaded</a>',
        '<img src="data:image/png;base64,AAAA" alt="">',
        '<img src="../x.png" srcset="x.png 1x, y.png 2x" alt="">',
        '<svg xmlns="http://www.w3.org/2000/svg"><path fill="url(#a)" d="M0 0"/><use href="#a"/></svg>',
        '<math><mtable><mtr><mtd class="formula__left"><mi>a</mi></mtd></mtr></mtable></math>',
        "<p><code>onclick=</code> <code>style=</code> &lt;a href='javascript:x'&gt;</p>",
        '<form name="search"><input type="radio" name="on"></form>',
        '<link rel="canonical" href="https://host.example/">',
        '<link href="https://host.example/x.css">',
    ],
)
def test_what_works_under_the_policy_passes(body: str, tmp_path: Path) -> None:
    assert policy.refusals(page(body)) == ()
    assert policy.faults("docs/page.md", tmp_path / "none.md", body) == []


def test_a_script_before_the_head_and_a_page_without_one_are_refused() -> None:
    with pytest.raises(ValueError, match="<script> stands before the page's <head>"):
        policy.under_policy("<!doctype html><script>run()</script><head></head>", "x")
    with pytest.raises(ValueError, match="no <head>"):
        policy.under_policy("<!doctype html><p>x</p>", "x")


def test_a_preview_has_no_policy(monkeypatch: pytest.MonkeyPatch) -> None:
    """MkDocs adds to what it serves a script that differs after each change, so no hash could allow it."""
    monkeypatch.setattr(site.State, "preview", True)
    html = page("<script>run()</script>")
    assert site.on_post_template(html, "404.html", config=None) == html  # type: ignore[arg-type]
    monkeypatch.setattr(site.State, "preview", False)
    assert META.search(site.on_post_template(html, "404.html", config=None))  # type: ignore[arg-type]
    assert site.on_post_template("<urlset/>", "sitemap.xml", config=None) == "<urlset/>"  # type: ignore[arg-type]


@pytest.mark.slow
def test_the_build_puts_the_policy_into_every_page_and_refuses_what_it_blocks(small_site: SmallSite) -> None:
    done = small_site.build("--strict")
    assert done.returncode == 0, done.stderr
    built = small_site.root / "site"
    for path in (built / "index.html", built / "lessons/one/index.html", built / "404.html"):
        assert "default-src" in directives(path.read_text(encoding="utf-8"))
    small_site.write('# A lesson\n\nTo [none](index.md)\n\n<p onclick="run()">x</p>\n', "docs/lessons/one.md")
    for status, said in small_site.build_with((), ("-q",)):
        assert status != 0
        assert (
            "docs/lessons/one.md:5: policy: onclick= on <p>: script-src blocks inline event handlers" in said
        )


HANDLER = "listen for the event in docs/assets/js/course.js"
COPY = "keep a copy in docs/assets"
ADDRESS = "use a button, and listen for its clicks in docs/assets/js/course.js"
NO_FORM = "remove it: the site takes no data"
OWN_FILES = "allows the site's own files alone"


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<b onX=y>", ("onx=", "policy-handler", "onx= on <b>: script-src blocks inline event handlers", HANDLER)),
        ("<b style>", ("style=", "policy-style", "style= on <b>: style-src blocks inline styles", "give the element a class, and style that in docs/assets/css/course.css")),
        ("<a href='JavaScript:x'>", ("JavaScript:x", "policy-script-address", "href='JavaScript:x' on <a>: script-src blocks javascript: addresses", ADDRESS)),
        ("<button formaction=x>", ("formaction=", "policy-form", "formaction= on <button>: form-action blocks sending a form", NO_FORM)),
        ("<form action>", ("action=", "policy-form", "action= on <form>: form-action blocks sending a form", NO_FORM)),
        ("<form action='javascript:x'>", ("javascript:x", "policy-script-address", "action='javascript:x' on <form>: script-src blocks javascript: addresses", ADDRESS)),
        ("<Track>", ("<track", "policy-element", "<track>: the content security policy blocks it", "link to what it would show")),
        ("<svg><script>x</script></svg>", ("<script", "policy-drawing-script", "<script> in a drawing: the press gives it no hash", "remove it")),
        ("<!doctype html><p><head>", ("<p", "policy-outside-head", "<p> stands before the page's <head>, so it is under no policy", "move it into the head")),
        ("<img src='blob:x'>", ("blob:x", "policy-foreign-file", f"<img> loads blob:x: img-src {OWN_FILES}", COPY)),
        ("<img srcset='x 1x,  //y 2x'>", ("//y", "policy-foreign-file", f"<img> loads //y: img-src {OWN_FILES}", COPY)),
        ("<svg><use xlink:href='//y#a'/></svg>", ("//y#a", "policy-foreign-file", f"<use> loads //y#a: img-src {OWN_FILES}", COPY)),
        ("<svg><feImage href='//y'/></svg>", ("//y", "policy-foreign-file", f"<feimage> loads //y: img-src {OWN_FILES}", COPY)),
        ("<link rel='alternate StyleSheet' href='//y'>", ("//y", "policy-foreign-file", f"<link> loads //y: style-src {OWN_FILES}", COPY)),
        ("<link rel=icon href='data:,'>", ("data:,", "policy-foreign-file", f"<link> loads data:,: default-src {OWN_FILES}", COPY)),
        ("<script src='http://[y'></script>", ("http://[y", "policy-foreign-file", f"<script> loads http://[y: script-src {OWN_FILES}", COPY)),
    ],
)  # fmt: skip
def test_a_refusal_says_what_which_rule_and_what_to_do(body: str, expected: tuple[str, ...]) -> None:
    found = [(one.what, one.message.kind, str(one.message), one.hint) for one in policy.refusals(body)]
    assert found == [expected]


@pytest.mark.parametrize(
    "pictures", ["//y", "x 1x, //y 2x", "x 1x,//y 2x", "x 1x,  //y", "x, //y", "x 1x,\n    //y 2x", "a,b 1x\t,\t//y", ",//y", "data:image/png;base64,A 1x, //y,"]
)  # fmt: skip
def test_each_picture_of_a_set_is_read(pictures: str) -> None:
    assert [one.what for one in policy.refusals(f'<img srcset="{pictures}">')] == ["//y"]


@pytest.mark.parametrize(
    "tag", "applet audio base embed fencedframe frame iframe object portal track video".split()
)
def test_no_element_that_the_policy_blocks_passes(tag: str) -> None:
    assert [one.message.kind for one in policy.refusals(f"<{tag}>")] == ["policy-element"]


@pytest.mark.parametrize(
    "name", "href src action formaction data xlink:href to values from".split()
)  # fmt: skip
def test_no_attribute_runs_a_script_address(name: str) -> None:
    found = policy.refusals(f"<a {name}='java\tscript:x'>")
    assert [one.message.kind for one in found] == ["policy-script-address"]


@pytest.mark.parametrize(
    "relation",
    ["stylesheet", "icon", "apple-touch-icon", "manifest", "preload", "modulepreload", "prefetch"],
)
def test_no_link_loads_a_foreign_file(relation: str) -> None:
    found = policy.refusals(f"<link rel={relation} href='//y'>")
    assert [one.message.kind for one in found] == ["policy-foreign-file"]
    assert policy.refusals(f"<link rel={relation} href='y'><a rel={relation} href='//y'>x</a>") == ()


@pytest.mark.parametrize(
    ("kind", "runs"),
    [
        ("", True), ("module", True), ("importmap", True), ("speculationrules", True), ("text/javascript", True), ("text/jscript", True), ("text/livescript", True), ("text/x-javascript1.5", True),
        ("application/ecmascript", True), ("TEXT/JAVASCRIPT;x", True), ("text/javascript2", False), ("image/javascript", False), ("application/json", False), ("modules", False),
    ],
)  # fmt: skip
def test_a_script_that_runs_has_a_hash(kind: str, runs: bool) -> None:
    done = policy.under_policy(page(f'<script type="{kind}">x</script>'), "x")
    assert (policy.hash_of("x") in directives(done)["script-src"]) == runs


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p on1=x action2=x>", ()),
        ("<b style='a' STYLE='b'><b style='c'>", ("style=", "style=")),
        ("<a href='x' HREF='javascript:y'>z</a>", ()),
        ("<svg></svg><script>x</script>", ()),
        ("<svg><svg/></svg><script>x</script>", ()),
        ("<svg/><script>x</script>", ()),
        ("</svg><svg><script>x</script></svg>", ("<script",)),
        ("<div><script/>x</script></div>", ()),
        ("<image href='x.png'>", ()),
        ("<svg><image xlink:href='data:x'/></svg>", ()),
        ("<img src='DATA:x'>", ()),
        ("<img src='x y' srcset='a,b 1x'>", ()),
        ("<!DOCTYPE html><head></head>", ()),
        (" \n<html><head></head>", ()),
        ("<p><html><b>", ()),
    ],
)
def test_only_what_a_browser_would_block_is_refused(html: str, expected: tuple[str, ...]) -> None:
    assert tuple(one.what for one in policy.refusals(html)) == expected


def test_a_fault_stands_at_the_first_line_that_says_it_and_once(tmp_path: Path) -> None:
    source = tmp_path / "page.md"
    source.write_bytes(b"caf\xe9\n<B ONCLICK=x>\n<b onclick=y>\n")
    html = "<b onclick=x><b onclick=y><a href='javascript:z'>x</a>"
    found = policy.faults("page.md", source, html)
    assert [(fault.kind, fault.place, fault.subject, fault.message, fault.hint) for fault in found] == [
        ("policy-handler", "page.md:2", "policy", "onclick= on <b>: script-src blocks inline event handlers", HANDLER),
        ("policy-script-address", "page.md:1", "policy", "href='javascript:z' on <a>: script-src blocks javascript: addresses", ADDRESS),
    ]  # fmt: skip


SAID = "the site is not published: the finished page would not work under its policy\n"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (
            "<html>\n<p>x</p>",
            "x: the page has no <head>, where its policy would stand\n    what to do: give the page's template a head [policy-without-head]",
        ),
        (
            "<p><html><head>",
            "x: <p> stands before the page's <head>, so it is under no policy\n    what to do: move it into the head [policy-outside-head]",
        ),
        (
            "<html><head></head><b onx=y><b onx=z>",
            f"x: onx= on <b>: script-src blocks inline event handlers\n    what to do: {HANDLER} [policy-handler]",
        ),
    ],
)  # fmt: skip
def test_a_finished_page_that_would_not_work_is_not_published(html: str, said: str) -> None:
    with pytest.raises(ValueError, match="not published") as raised:
        policy.under_policy(html, "x")
    assert str(raised.value) == SAID + said


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("<html>\n<head a='>'\n>", "<title>x</title>\n"),
        ("<html><head><meta charset=utf-8>", "<meta charset=x>"),
        ("<head>", "<meta name=x><meta charset=utf-8>"),
        ("<head>", "<title>x</title><head><meta charset=utf-8>"),
        ("\n\n  <head>\n  <meta charset='utf-8'/>", "x"),
    ],
)
def test_the_policy_stands_behind_the_head_or_the_character_set_that_begins_it(
    before: str, after: str
) -> None:
    done = policy.under_policy(before + after, "x")
    assert META.sub("|", done) == f"{before}|{after}"
