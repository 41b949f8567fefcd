"""The built pages, as a reader gets them."""

import ast
import html
import re
from pathlib import Path

import pytest

from coursebuild.press import Press

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def page_text(site: Path, url: str) -> str:
    return (site / url / "index.html").read_text(encoding="utf-8")


def plain(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", markup))


def test_each_panel_is_shown_with_its_code_output_claims_and_program(
    project_press: Press, built_site: Path
) -> None:
    for page in project_press.pages.values():
        if page.is_notebook:
            continue
        text = page_text(built_site, page.url)
        for panel in page.panels:
            exercise = page.exercises.get(panel.ident.removeprefix("exercise-"))
            begin = (
                f'<section class="panel exercise__answers" id="answers-{exercise.ident}"'
                if exercise
                else f'<section class="panel" id="panel-{panel.ident}"'
            )
            start = text.index(begin)
            section = text[start : text.index("</section>", start)]
            result = project_press.results[panel.ident]
            shown = plain(section)
            if exercise:
                assert exercise.start in plain(text)
                reports = [str(result.figures["solution"]), *map(str, result.figures["wrong"])]  # type: ignore[call-overload]
                sources = [exercise.solution, *(answer.source for answer in exercise.wrong)]
                assert all(part in shown for part in (*sources, *reports))
            else:
                assert all(part in shown for part in (*panel.parts, result.output))
            assert [
                plain(claim)
                for claim in re.findall(
                    r'<li class="claim claim--held".*?(?=<details class="menu">)', section
                )
            ] == [f"✓holds: {check.claim}" for check in result.checks]
            assert re.search(rf'href="(?:\./|(?:\.\./)+)programs/{re.escape(panel.ident)}\.py"', section)
            program = (built_site / "programs" / f"{panel.ident}.py").read_text(encoding="utf-8")
            assert program == project_press.programs[panel.ident]
            opened = re.search(r'<details [^>]* data-program="([^"]*)"', section)
            assert opened
            assert opened[1].endswith(f"programs/{panel.ident}.py")


def test_every_page_has_the_script_that_shows_programs(built_site: Path) -> None:
    script = (ROOT / "docs/assets/js/course.js").read_text(encoding="utf-8")
    assert "dataset?.program" in script
    for page in built_site.rglob("index.html"):
        assert "assets/js/course.js" in page.read_text(encoding="utf-8"), page


def test_listings_lead_to_the_reference_and_name_their_file(built_site: Path) -> None:
    text = page_text(built_site, "lessons/17-tokenization")
    captions = re.findall(r'<figure class="listing"><figcaption>(.*?)</figcaption>', text)
    assert len(captions) >= 7
    reference = page_text(built_site, "reference/bpe")
    for caption in captions:
        name = re.search(r"<code>(.*?)</code>", caption)
        assert name
        assert f'href="../../reference/bpe/#{name[1]}"' in caption
        assert f'id="{name[1]}"' in reference
        assert re.search(r"src/nextword/bpe\.py, line \d+", caption)


def test_each_module_has_a_reference_page_with_its_public_names(built_site: Path) -> None:
    for path in sorted((ROOT / "src" / "nextword").glob("[!_]*.py")):
        text = page_text(built_site, f"reference/{path.stem}")
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))]
        helpers = {"symbols_of_ids"} if path.stem == "bpe" else set()
        hidden = ("_",) if path.stem == "arguments" else ("_", "require_")
        public = [name for name in names if not name.startswith(hidden)]
        for name in set(public) - helpers:
            assert f'id="nextword.{path.stem}.{name}"' in text, name


def test_the_ledger_has_every_claim_and_leads_to_it(project_press: Press, built_site: Path) -> None:
    text = page_text(built_site, "reference/ledger")
    claims = [check.claim for result in project_press.results.values() for check in result.checks]
    shown = plain(text)
    assert all(claim in shown for claim in claims)
    assert f"{len(claims)} claims in {len(project_press.results)} panels" in shown
    lesson = page_text(built_site, "lessons/17-tokenization")
    anchors = re.findall(r'href="\.\./\.\./lessons/17-tokenization/#(claim-[^"]+)"', text)
    assert len(anchors) > 50
    assert all(f'id="{anchor}"' in lesson for anchor in anchors)


@pytest.mark.parametrize("name", ["ledger", "corrections", "refusals"])
def test_a_long_list_has_a_table_of_contents(name: str, built_site: Path) -> None:
    text = page_text(built_site, f"reference/{name}")
    headings = re.findall(r'<h2 id="([^"]+)"', text)
    contents = re.search(r'<nav class="md-nav md-nav--secondary".*?</nav>', text, re.DOTALL)
    assert headings
    assert contents
    assert re.findall(r'href="#([^"]+)" class="md-nav__link"', contents[0]) == headings


def test_pictures_have_captions_with_their_numbers(built_site: Path) -> None:
    text = page_text(built_site, "lessons/17-tokenization")
    drawings = re.findall(r'<figure class="drawing">.*?</figure>', text, re.DOTALL)
    assert len(drawings) == 2
    for drawing in drawings:
        assert re.search(r"<figcaption>.*\d.*</figcaption>", drawing, re.DOTALL)
        assert re.search(r'<svg[^>]*role="img"[^>]*aria-labelledby=', drawing)
        assert "<title" in drawing
        assert "<desc" in drawing


@pytest.mark.parametrize("leftover", ["wzxhzdk", "⟦", "[[17.", "course-root:", 'class="fault"'])
def test_nothing_of_the_workshop_is_left_on_a_page(built_site: Path, leftover: str) -> None:
    for path in built_site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        body = re.sub(
            r'<div class="language-\w+ highlight">.*?</div>|<code>.*?</code>', "", text, flags=re.DOTALL
        )
        assert leftover not in body, path


def test_every_address_that_was_ever_published_is_on_its_page(project_press: Press, built_site: Path) -> None:
    """Also that of a claim that was reworded since: `tests/addresses.txt` forgets none."""
    ids: dict[str, set[str]] = {}
    for address in project_press.record.lines:
        page, _, anchor = address.partition("#")
        if page not in ids:
            html = (built_site / page / "index.html").read_text(encoding="utf-8")
            ids[page] = set(re.findall(r' id="([^"]*)"', html))
        assert anchor in ids[page], address
    assert sum(map(len, ids.values())) > len(project_press.record.lines) > 0


def test_search_finds_what_claims_say_and_nothing_of_their_menus(built_site: Path) -> None:
    found = (built_site / "search" / "search_index.json").read_text(encoding="utf-8")
    assert "newer, frequent in training, costs one token" in found
    assert [
        words for words in ("Link to this claim", "Link to this panel", "Report an error") if words in found
    ] == []
