"""Instruments on pages: what the build shows of them, and what it refuses."""

import html
import json
import re

import pytest
from bs4 import BeautifulSoup, Tag

from coursebuild.cache import Cache
from coursebuild.instruments import NAMES, Asked, computed
from coursebuild.instruments.making import module_of
from coursebuild.instruments.parameters import start_of
from coursebuild.press import Press

from .conftest import SmallSite

FENCE = '```instrument use="sampler-lab" panel="1.1"\nHow *warm*? The total was [[1.1.total]].\n```\n'
BEFORE = "Back to [the front page]"


def with_fence(site: SmallSite, fence: str = FENCE) -> None:
    site.replace(BEFORE, f"{fence}\n{BEFORE}")


def built(site: SmallSite) -> Tag:
    [(status, said)] = site.build_with(())
    assert status == 0, said
    found = BeautifulSoup(site.page(), "html.parser").select_one("figure.instrument")
    assert found is not None
    return found


@pytest.mark.slow
class TestOnAPage:
    def test_it_shows_a_picture_of_its_start_with_its_caption(self, small_site: SmallSite) -> None:
        with_fence(small_site)
        figure = built(small_site)
        assert figure["id"] == "try-sampler-lab"
        assert "How warm? The total was 6." in " ".join(figure.select_one("figcaption").get_text().split())  # type: ignore[union-attr]
        picture = figure.select_one(".instrument__picture")
        assert picture is not None
        assert "cat" in picture.get_text()
        assert "0.3437" in picture.get_text()  # softmax of the first of 19.5's logits, tests/facts

    def test_it_keeps_what_its_script_needs(self, small_site: SmallSite) -> None:
        with_fence(small_site)
        kept = json.loads(built(small_site).select_one("script.instrument__kept").string)  # type: ignore[union-attr, arg-type]
        module = module_of("sampler-lab")
        assert kept["data"] == json.loads(json.dumps(module.data()))
        assert kept["state"] == {parameter.name: parameter.start for parameter in module.PARAMETERS}
        assert [one["name"] for one in kept["parameters"]] == list(kept["state"])

    def test_a_page_can_begin_otherwise(self, small_site: SmallSite) -> None:
        with_fence(
            small_site, FENCE.replace('panel="1.1"', 'panel="1.1" start="temperature=0&order=' + ORDER + '"')
        )
        figure = built(small_site)
        kept = json.loads(figure.select_one("script.instrument__kept").string)  # type: ignore[union-attr, arg-type]
        assert kept["state"]["temperature"] == 0
        assert kept["state"]["order"] == ORDER.split(",")
        assert "1.0000" in figure.select_one(".instrument__picture").get_text()  # type: ignore[union-attr]

    def test_it_links_to_its_code_and_to_the_panel_that_it_extends(self, small_site: SmallSite) -> None:
        with_fence(small_site)
        code = built(small_site).select_one(".instrument__code")
        assert code is not None
        for name in module_of("sampler-lab").SHOWS:
            assert name in code.get_text()
        assert code.select_one('a[href="#panel-1.1"]')

    def test_on_another_page_it_links_to_the_panels_page(self, small_site: SmallSite) -> None:
        small_site.replace("# The front page\n", f"# The front page\n\n{FENCE}", "docs/index.md")
        built_status = small_site.build_with(())
        assert built_status[0][0] == 0, built_status
        page = (small_site.root / "site" / "index.html").read_text(encoding="utf-8")
        assert 'href="./lessons/one/#panel-1.1"' in page

    def test_its_data_end_no_script_and_no_attribute(self, small_site: SmallSite) -> None:
        with_fence(small_site)
        text = str(built(small_site).select_one("script.instrument__kept"))
        assert text.count("<") == 2  # the element's own


ORDER = ",".join(reversed(start_of(module_of("sampler-lab").PARAMETERS)["order"]))

REFUSED = [
    pytest.param(
        FENCE.replace("sampler-lab", "theremin"), 0, "there is no instrument 'theremin'", id="unknown"
    ),
    pytest.param(FENCE.replace(' panel="1.1"', ""), 0, "an instrument is ```instrument use=", id="no panel"),
    pytest.param(FENCE.replace("1.1", "9.9", 1), 0, "there is no panel '9.9'", id="unknown panel"),
    pytest.param(
        FENCE.replace('panel="1.1"', 'panel="1.1" colour="red"'), 0, "an instrument is", id="option"
    ),
    pytest.param(
        FENCE.replace("How *warm*? The total was [[1.1.total]].", " "), 0, "needs a caption", id="caption"
    ),
    pytest.param(FENCE + "\n" + FENCE, 4, "it is on this page already", id="twice"),
    pytest.param(
        FENCE.replace('panel="1.1"', 'panel="1.1" start="temperature=-3"'),
        0,
        "its start is refused: temperature must be a number from 0 to 5, not “-3”",
        id="start",
    ),
    pytest.param(
        FENCE.replace('panel="1.1"', 'panel="1.1" start="heat=3"'),
        0,
        "“heat” is no parameter",
        id="parameter",
    ),
    pytest.param(
        FENCE.replace('panel="1.1"', 'panel="1.1" start="top_k=12"'),
        0,
        "its start is refused: k must be",
        id="library",
    ),
    pytest.param(FENCE.replace("[[1.1.total]]", "7"), 1, "the number '7' is typed by hand", id="number"),
    pytest.param(
        FENCE.replace("[[1.1.total]]", "[[1.1.sum]]"), 1, "panel 1.1 names no figure 'sum'", id="figure"
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize(("fence", "offset", "message"), REFUSED)
def test_the_build_refuses(small_site: SmallSite, fence: str, offset: int, message: str) -> None:
    line = small_site.replace(BEFORE, f"{fence}\n{BEFORE}") + offset
    [(status, said)] = small_site.build_with(())
    assert status != 0
    assert message in said
    assert f"docs/lessons/one.md:{line}:" in said
    assert not small_site.root.joinpath("site", "lessons").exists()


@pytest.mark.slow
def test_an_instrument_before_its_panel_is_refused(small_site: SmallSite) -> None:
    small_site.replace("Some prose", f"{FENCE}\nSome prose")
    [(status, said)] = small_site.build_with(())
    assert status != 0
    assert "panel 1.1, which it extends, comes after it" in said


@pytest.mark.slow
def test_an_instrument_in_a_comment_is_refused(small_site: SmallSite) -> None:
    with_fence(small_site, f"<!--\n{FENCE}-->\n")
    [(status, said)] = small_site.build_with(())
    assert status != 0
    assert "exercises and instruments are written, 1 were rendered" in said


@pytest.mark.slow
def test_a_library_that_computes_other_values_shows_them(small_site: SmallSite) -> None:
    """What is shown is what the project's own source computes, not what was installed when the build began."""
    with_fence(small_site)
    path = "src/nextword/softmax.py"
    small_site.replace(
        "    return [exponential / total for exponential in exponentials]",
        "    return [1 / len(exponentials) for _ in exponentials]",
        path,
    )
    assert "0.1250" in built(small_site).get_text()


@pytest.mark.slow
def test_the_preview_computes_again_what_changed_and_nothing_else(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    monkeypatch.setattr(
        "coursebuild.instruments.computed", lambda *given, of=computed: made.extend(given[0]) or of(*given)
    )
    with_fence(small_site)
    press = Press(small_site.root, cache=Cache(small_site.root, None))

    def values() -> str:
        press.prepare([(small_site.lesson, "lessons/one/")])
        assert press.faults == []
        return press.instruments[Asked("sampler-lab")].picture

    before = values()
    small_site.replace("Some prose", "Some other prose")
    assert (values(), len(made)) == (before, 1)
    old, new = "for exponential in exponentials]", "for exponential in exponentials[::-1]]"
    small_site.replace(
        f"    return [exponential / total {old}",
        f"    return [exponential / total {new}",
        "src/nextword/softmax.py",
    )
    assert values() != before
    assert len(made) == 2


@pytest.mark.slow
def test_a_library_that_breaks_an_instrument_is_told(small_site: SmallSite) -> None:
    with_fence(small_site)
    small_site.replace("def draw(", "def drawn(", "src/nextword/sampling.py")
    [(status, said)] = small_site.build_with(())
    assert status != 0
    assert "nextword.sampling" in said


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_each_module_is_whole(name: str) -> None:
    module = module_of(name)
    data = module.data()
    json.dumps(data, allow_nan=False)
    state = {parameter.name: parameter.start for parameter in module.PARAMETERS}
    seen = module.view(data, state)
    json.dumps(seen, allow_nan=False)
    picture = module.picture(data, state, seen)
    assert BeautifulSoup(picture, "html.parser").get_text(strip=True)
    assert not re.search(r"\sstyle=|\son[a-z]+=|<script", picture)
    names = [parameter.name for parameter in module.PARAMETERS]
    assert len(set(names)) == len(names)
    assert all(parameter.label for parameter in module.PARAMETERS)
    assert html.escape(module.TITLE) == module.TITLE
