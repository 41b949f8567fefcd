"""Every address on a page leads to a page, an anchor or a file of the site, or to another host."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coursebuild.links import Content, broken, target, without_plain_code

pytestmark = pytest.mark.once

PAGES = {
    "": '<h1 id="top">x</h1>',
    "lessons/one/": '<h1 id="one">x</h1><section id="panel-1.1"></section><a name="old"></a>',
    "reference/ledger/": '<h2 id="é">x</h2>',
}
FILES = {"assets/mark.svg", "programs/1.1.py"}


def said(html: str, url: str = "lessons/one/") -> list[str]:
    contents = {page: Content(text) for page, text in PAGES.items()}
    contents[url] = Content(PAGES.get(url, "") + html)
    return [message for _, _, message in broken(contents, FILES)]


@pytest.mark.parametrize(
    "address",
    [
        "#panel-1.1", "#one", "#old", "../../", "../..", "../../#top", "../../reference/ledger/", "../../reference/ledger/index.html",
        "../../reference/ledger/#%C3%A9", "../../reference/ledger/#é", "../../assets/mark.svg", "../../programs/1.1.py", "", "./", ".", "?q=x", "../one/#one",
        "https://example.org/nowhere", "//example.org/x", "mailto:a@example.org", "../../reference/ledger/?h=x#é",
    ],
)  # fmt: skip
def test_what_leads_somewhere_passes(address: str) -> None:
    assert said(f'<a href="{address}">x</a>') == ([] if address else ["an empty address"])


@pytest.mark.parametrize(
    "address",
    [
        "nowhere/", "../nowhere/", "../two/", "#nowhere", "../../#one", "../../reference/ledger/#one", "../../../", "../../../../x", "../../assets/none.svg",
        "../../assets/", "/lessons/one/", "/", "one.md", "../../lessons/one.md", "../../programs/1.1.py/x", "#Panel-1.1", "#panel-1.1 ",
    ],
)  # fmt: skip
def test_what_leads_nowhere_is_broken(address: str) -> None:
    assert said(f'<a href="{address}">x</a>'), address


@pytest.mark.parametrize(
    "html",
    [
        '<img src="none.png" alt="x">', '<IMG SRC="none.png" ALT="x"/>', '<source src="none.png">', '<video src="none.mp4"></video>', '<area href="none/">',
        '<object data="none.svg"></object>', '<embed src="none.svg">', '<iframe src="none/"></iframe>', '<link href="none.css">', '<svg><a href="none/">x</a></svg>',
        '<A HREF="none/">x</A>', "<a href=none/>x</a>", '<a class="x" href="&#110;one/">x</a>',
    ],
)  # fmt: skip
def test_every_element_that_names_an_address_is_seen(html: str) -> None:
    assert said(html)


def test_what_is_not_on_the_page_is_no_address_and_no_anchor() -> None:
    assert said('<!-- <a href="none/">x</a> -->') == []
    assert said('<!-- <i id="hidden"></i> --><a href="#hidden">x</a>')
    assert said('<pre>&lt;a href="none/"&gt;</pre>') == []


@pytest.mark.parametrize("said_of_it", ["", ' alt=""', ' alt=" "', ' role="presentation"'])
def test_a_picture_has_a_text_alternative(said_of_it: str) -> None:
    """An empty one may have been forgotten: that is what Markdown makes of ``![](mark.svg)``."""
    message = "the picture ../../assets/mark.svg has no text alternative"
    assert said(f'<img src="../../assets/mark.svg"{said_of_it}>') == [message]


def test_a_picture_that_says_nothing_is_said_to() -> None:
    assert said('<img src="../../assets/mark.svg" alt="" role="presentation">') == []
    assert said('<img src="../../assets/mark.svg" alt="A mark">') == []


def test_an_anchor_is_given_once() -> None:
    assert said('<i id="one"></i>') == ["the anchor 'one' is given to more than one thing"]
    assert said('<a id="x" name="x"></a>') == []


PARTS = st.lists(st.sampled_from(["a", "b", "c"]), max_size=3)


@settings(derandomize=True, deadline=None, max_examples=80, database=None)
@given(PARTS, PARTS)
def test_the_shortest_relative_address_leads_from_any_page_to_any_other(
    here: list[str], there: list[str]
) -> None:
    url = "".join(f"{part}/" for part in here)
    wanted = "".join(f"{part}/" for part in there)
    address = "../" * len(here) + wanted
    assert target(url, f"{address}#x") == ((wanted, "x") if address else (url, "x"))


def test_only_code_with_a_link_or_an_anchor_is_read() -> None:
    link, anchor = '<pre><a href="x">y</a></pre>', '<pre><i id="z"></i></pre>'
    assert without_plain_code(f"a<pre>x</pre>b{link}c{anchor}d") == f"ab{link}c{anchor}d"
    assert without_plain_code(f"a{link}<pre>x</pre>b</pre>c") == f"a{link}b</pre>c"
    assert without_plain_code("a<pre>x") == "a"


@pytest.mark.parametrize(
    ("html", "address"),
    [
        ('<audio src="x.mp3">', "x.mp3"),
        ('<track src="x.vtt">', "x.vtt"),
        ('<script src="x.js"></script>', "x.js"),
        ('<p src="x.js" href="y">', None),
        ("<a>", None),
    ],
)
def test_which_elements_name_an_address(html: str, address: str | None) -> None:
    assert Content(html).addresses == ([] if address is None else [address])


def test_names_are_anchors_of_links_only() -> None:
    assert Content('<meta name="a"><a id="b"></a><a name="c"></a><a></a><i></i>').anchors == {"b", "c"}


def test_figures_of_the_press_are_counted() -> None:
    assert Content("<p>").figures == 0
    kinds = ("formula", "listing", "drawing", "instrument")
    for kind in kinds:
        assert Content(f'<figure class="{kind}"></figure>').figures == 1
        assert Content(f'<div class="{kind}"></div>').figures == 0
    assert Content("".join(f'<figure class="{kind}"></figure>' for kind in kinds)).figures == len(kinds)
    assert Content('<figure class="photo"></figure><figure></figure>').figures == 0


def test_a_picture_without_an_address_has_none() -> None:
    assert Content("<img>").unspoken == [""]


@pytest.mark.parametrize(
    "address", ["http://a.example/x", "https://a.example", "//a.example", "tel:1", "mailto:a"]
)
def test_what_leads_elsewhere_has_no_place_on_the_site(address: str) -> None:
    assert target("a/", address) is None


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("javascript:x", ("javascript:x", "")),
        ("/x/y/", ("x/y/", "")),
        ("/X/y", ("X/y", "")),
        ("..", ("a/", "")),
        ("../..", ("", "")),
        ("c#d", ("a/b/c", "d")),
    ],
)
def test_the_place_of_an_address(address: str, place: tuple[str, str]) -> None:
    """As RFC 3986, section 5.2, resolves references."""
    assert target("a/b/", address) == place


def test_each_fault_has_its_kind_and_its_text_and_none_hides_the_next() -> None:
    html = "".join(
        f'<a href="{one}"></a>' for one in ("", "https://a.example", "/x", "y", "#top", "#__top", "#z", "../")
    )
    contents = {"p/": Content(html + '<img src="../m.svg"><i id="one"></i><i id="one"></i>')}
    assert [
        (url, address, problem.kind, str(problem)) for url, address, problem in broken(contents, {"m.svg"})
    ] == [
        ("p/", "", "address-empty", "an empty address"),
        ("p/", "/x", "address-absolute", "/x begins at the host's root, where the site need not be"),
        ("p/", "y", "link-broken", "y leads to no page or file of the site"),
        ("p/", "#top", "anchor-missing", "#top leads to a page without an anchor 'top'"),
        ("p/", "#z", "anchor-missing", "#z leads to a page without an anchor 'z'"),
        ("p/", "../", "link-broken", "../ leads to no page or file of the site"),
        ("p/", "../m.svg", "picture-unspoken", "the picture ../m.svg has no text alternative"),
        ("p/", "#one", "anchor-twice", "the anchor 'one' is given to more than one thing"),
    ]
    faults = [address for _, address, _ in broken(contents, {"m.svg"}, unsure={"p/"})]
    assert faults == ["", "/x", "y", "../", "../m.svg", "#one"]


@pytest.mark.parametrize("role", ["presentation", "none"])
def test_a_picture_that_says_nothing_has_a_role_and_an_empty_text(role: str) -> None:
    """The two roles are one, by WAI-ARIA 1.1."""
    assert Content(f'<img src="x" alt="" role="{role}">').unspoken == []
    assert Content(f'<img src="x" role="{role}">').unspoken == ["x"]
