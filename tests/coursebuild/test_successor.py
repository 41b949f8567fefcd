"""The course by Zensical: what counts as the same page, what the report says, and that the gate lets no false page pass."""

import subprocess
import sys
from pathlib import Path

import pytest

from coursebuild.builder import Builder
from coursebuild.faults import Fault
from coursebuild.press import Page
from coursebuild.source import Source
from coursebuild.successor import gate
from coursebuild.successor.__main__ import compare
from coursebuild.successor.comparison import ASPECTS, DECISIVE, differences, shown
from coursebuild.successor.gate import Built, article, lacking_of_all, sources
from coursebuild.successor.report import Compared, is_refused, written

from .conftest import CONFIGURATION, ROOT, SmallSite

ARTICLE = """<article class="md-content__inner"><h1 id="a">Title</h1><p>Six is <a class="bound" title="six, computed by panel 1.1"
href="#panel-1.1-output">6</a>, says <a href="../two/#b">the other page</a>.</p>
<figure class="listing"><figcaption>nextword.bpe.f</figcaption><pre><code>def f(): ...</code></pre></figure>
<section class="panel" id="panel-1.1"><div class="panel__code" data-search-exclude=""><pre><code>print(6)
if x:
    y</code></pre></div>
<div class="panel__output" id="panel-1.1-output"><pre><code>6  7</code></pre></div>
<ul><li class="claim claim--held" id="claim-1.1-six"><span>holds: </span>Six is six</li></ul></section>
<section class="panel exercise__answers" id="answers-1.2"><pre><code>return 6</code></pre><div class="panel__output"><pre>correct</pre></div></section>
</article>"""

CHANGES = {
    "panels": ("print(6)", "print(7)"),
    "outputs": ("6  7", "6 7"),
    "claims": ("holds: ", "fails: "),
    "answers": ("<pre>correct", "<pre>wrong"),
    "numbers": (">6</a>", ">5</a>"),
    "blocks": ("def f(): ...", "def f():  ..."),
    "text": ("Title", "Titles"),
    "links": ("../two/#b", "../two/#c"),
    "anchors": ('id="a"', 'id="c"'),
}


def aspects_of(first: str, second: str) -> set[str]:
    """The aspects in which two articles at one address differ."""
    return {found.aspect for found in differences(shown(first, "one/"), shown(second, "one/"))}


class TestComparison:
    def test_a_page_is_the_same_as_itself(self) -> None:
        assert differences(shown(ARTICLE, "one/"), shown(ARTICLE, "one/")) == []

    def test_each_aspect_has_a_change_here(self) -> None:
        assert set(CHANGES) == set(ASPECTS)

    @pytest.mark.parametrize("aspect", CHANGES)
    def test_a_change_is_seen_as_one_of_its_aspect(self, aspect: str) -> None:
        old, new = CHANGES[aspect]
        assert ARTICLE.count(old) == 1
        found = aspects_of(ARTICLE, ARTICLE.replace(old, new))
        assert aspect in found
        assert not found - {aspect, "text", "links"} & set(DECISIVE)

    @pytest.mark.parametrize("lost", ["section", "li", "figure"])
    def test_a_lost_part_is_seen(self, lost: str) -> None:
        start = ARTICLE.index(f"<{lost}")
        end = ARTICLE.index(f"</{lost}>") + len(f"</{lost}>")
        assert aspects_of(ARTICLE, ARTICLE[:start] + ARTICLE[end:]) & set(DECISIVE)

    def test_a_part_shown_twice_is_seen(self) -> None:
        claim = ARTICLE[ARTICLE.index("<li") : ARTICLE.index("</ul>")]
        [found] = [
            one
            for one in differences(shown(ARTICLE, "one/"), shown(ARTICLE.replace(claim, 2 * claim), "one/"))
            if one.aspect == "claims"
        ]
        assert (found.first, found.second) == ((), ("claim-1.1-six: holds: Six is six",))

    def test_what_readers_do_not_see_is_no_difference(self) -> None:
        assert aspects_of(ARTICLE, ARTICLE.replace(' data-search-exclude=""', "")) == set()
        assert aspects_of(ARTICLE, ARTICLE.replace("</h1>", '</h1><a id="__skip"></a>')) == set()
        assert aspects_of(ARTICLE, ARTICLE.replace("<p>Six is", "<p>Six   is")) == set()

    def test_links_are_compared_by_where_they_lead(self) -> None:
        assert aspects_of(ARTICLE, ARTICLE.replace("../two/#b", "../one/../two/#b")) == set()


def compared(first: str | None, second: str | None, known: bool = False) -> Compared:
    one, other = (None if text is None else shown(text, "one/") for text in (first, second))
    found = tuple(differences(one, other)) if one and other else ()
    return Compared("docs/one.md", one, other, found, known)


LINKED = ARTICLE.replace("../two/#b", "../two.ipynb")
CHANGED = ARTICLE.replace("print(6)", "print(7)")


class TestReport:
    @pytest.mark.parametrize(
        ("page", "refused"),
        [
            (compared(ARTICLE, ARTICLE), False),
            (compared(ARTICLE, LINKED), False),
            (compared(ARTICLE, CHANGED), True),
            (compared(ARTICLE, None, known=True), False),
            (compared(ARTICLE, None), True),
            (compared(None, ARTICLE), True),
        ],
    )
    def test_what_a_reader_is_promised_decides(self, page: Compared, refused: bool) -> None:
        assert is_refused([page], []) == refused

    def test_a_fault_decides(self) -> None:
        fault = Fault("claim-false", "docs/one.md", 3, "panel 1.1", "it does not hold")
        assert is_refused([compared(ARTICLE, ARTICLE)], [fault])
        assert "docs/one.md:3: panel 1.1: it does not hold" in written([], [fault], [])

    def test_it_counts_pages_and_parts(self) -> None:
        pages = [compared(ARTICLE, ARTICLE), compared(ARTICLE, LINKED), compared(ARTICLE, None, known=True)]
        said = written(pages, [], ["files: service-worker.js"])
        assert "Pages: 1 of 3 are the same, 1 differ in links, 1 are lacking." in said
        assert "Claims of the pages that both have: 2; all the same." in said
        assert "| docs/one.md |      1 |       1 |      1 | lacking: Zensical runs no notebooks |" in said
        assert "links, only by MkDocs: `the other page → two/#b`" in said
        assert "- files: service-worker.js" in said

    def test_it_says_what_is_not_the_same(self) -> None:
        less = ARTICLE.replace('<li class="claim claim--held"', "<li")
        said = written([compared(ARTICLE, less), compared(ARTICLE, CHANGED)], [], [])
        assert "Claims of the pages that both have: 2 by MkDocs, 1 by Zensical; 1 differ." in said
        assert "Panels of the pages that both have: 2; 1 differ." in said
        assert "differs in panels" in said


@pytest.mark.once
class TestGate:
    """With a renderer that writes what a test says, in Zensical's place."""

    @pytest.fixture(autouse=True)
    def configured(self, small_site: SmallSite) -> None:
        small_site.write((ROOT / "zensical.yml").read_text(encoding="utf-8"), "zensical.yml")

    def build(self, site: SmallSite, pages: dict[str, str], found: list[Fault] | None = None) -> Built:
        def render(configuration: Path, builder: Builder) -> list[Fault]:
            assert configuration == site.root / "zensical.yml"
            for name, text in pages.items():
                gate.write(site.root / "build/successor" / name, f"<article>{text}</article>")
            return found or []

        return gate.build(site.root, render)

    def messages(self, built: Built) -> str:
        return "\n".join(map(str, built.faults))

    def test_addresses_are_those_of_mkdocs(self, small_site: SmallSite) -> None:
        small_site.write("{}", "docs/labs/two.ipynb")
        small_site.write("# Three", "docs/labs/index.md")
        addresses = {path.name: url for path, url in sources(small_site.root / "docs")}
        assert [url for path, url in sources(small_site.root / "docs")] == [
            "",
            "labs/",
            "labs/two/",
            "lessons/one/",
        ]
        assert addresses["two.ipynb"] == "labs/two/"

    def test_pages_that_were_not_written(self, small_site: SmallSite) -> None:
        built = self.build(small_site, {})
        assert "docs/index.md:1: page: Zensical did not write it" in self.messages(built)
        assert "docs/lessons/one.md:5: panel 1.1: it is not on the rendered page" in self.messages(built)

    def test_a_page_of_the_build_before_is_no_page(self, small_site: SmallSite) -> None:
        gate.write(small_site.root / "build/successor/index.html", "<article>Old</article>")
        assert "docs/index.md:1: page: Zensical did not write it" in self.messages(self.build(small_site, {}))

    def test_a_false_claim_on_a_page_that_was_written(self, small_site: SmallSite) -> None:
        line = small_site.replace("total, 6)", "total, 7)")
        pages = {"index.html": "Front", "lessons/one/index.html": '<section id="panel-1.1"></section>'}
        assert f"docs/lessons/one.md:{line}: panel 1.1" in self.messages(self.build(small_site, pages))

    def test_a_link_that_leads_nowhere(self, small_site: SmallSite) -> None:
        built = self.build(small_site, {"index.html": '<a href="nowhere/">Front</a>'})
        assert "nowhere/ leads to no page or file of the site" in self.messages(built)

    def test_what_the_builder_itself_refuses(self, small_site: SmallSite) -> None:
        refused = Fault("page-not-rendered", "zensical.yml", 1, "Zensical", "it broke")
        assert refused in self.build(small_site, {}, [refused]).faults

    def test_programs_are_served_beside_the_pages(self, small_site: SmallSite) -> None:
        built = self.build(small_site, {})
        assert "The parts add up" in (built.site / "programs/1.1.py").read_text(encoding="utf-8")

    def test_what_the_site_lacks_as_a_whole(self, tmp_path: Path, small_site: SmallSite) -> None:
        built = self.build(small_site, {"index.html": "Front"})
        head = '<meta name="course-live" content="x"><meta http-equiv="Content-Security-Policy" content="y">'
        gate.write(tmp_path / "first/index.html", f"{head}<article>Front</article>")
        gate.write(tmp_path / "first/assets/live/worker.js", "")
        gate.write(tmp_path / "first/assets/javascripts/bundle.js", "")
        assert lacking_of_all(built, tmp_path / "first") == [
            "files: assets/live",
            '<meta http-equiv="Content-Security-Policy">, on 1 pages',
            '<meta name="course-live">, on 1 pages',
        ]


@pytest.mark.once
def test_a_page_that_the_first_build_lacks_is_not_the_same(tmp_path: Path) -> None:
    page = Page("docs/one.md", "one/", Source((), ()))
    gate.write(tmp_path / "second/one/index.html", ARTICLE)
    [found] = compare(Built(tmp_path / "second", (page,), (), ()), tmp_path / "first")
    assert found.verdict == "not built by MkDocs"
    assert found.is_false


def test_the_article_is_what_is_between_its_tags() -> None:
    assert (
        article("<nav>1</nav><article class='x'>\n2</article><footer>3</footer>")
        == "<article class='x'>\n2</article>"
    )
    assert article("<main>no article</main>") == ""


def test_without_a_site_to_compare_with_it_says_how_to_build_one(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "coursebuild.successor", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=60)
    assert done.returncode == 2
    assert f"there is no site in {tmp_path}: make build SITE={tmp_path} builds it" in done.stderr


class TestZensical:
    """With Zensical itself, where it is installed: `make successor` runs these."""

    @pytest.fixture(autouse=True)
    def installed(self, small_site: SmallSite) -> None:
        pytest.importorskip(
            "zensical", reason="Zensical has an environment of its own: make successor runs this"
        )
        small_site.write((ROOT / "zensical.yml").read_text(encoding="utf-8"), "zensical.yml")
        theme = next(line for line in CONFIGURATION.splitlines() if line.startswith("theme:"))
        small_site.replace(theme, "theme: {name: material, font: false}", "mkdocs.yml")

    def run(self, site: SmallSite, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *command], cwd=site.root, capture_output=True, text=True, timeout=120
        )

    def test_a_sound_course_passes_and_is_the_same(
        self, small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert small_site.build("--strict").returncode == 0
        summary = small_site.root / "summary.md"
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
        done = self.run(small_site, "coursebuild.successor", "site")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Panels of the pages that both have: 1; all the same." in done.stdout
        assert summary.read_text(encoding="utf-8") in done.stdout, "what the job shows"
        assert "| docs/lessons/one.md | " in done.stdout

    def test_a_second_build_renders_afresh_and_leaves_the_runs_that_the_press_keeps(
        self, small_site: SmallSite
    ) -> None:
        assert small_site.build("--strict").returncode == 0
        small_site.write("a run", ".cache/press/kept")
        assert self.run(small_site, "coursebuild.successor", "site").returncode == 0
        again = self.run(small_site, "coursebuild.successor", "site")
        assert again.returncode == 0, again.stdout
        assert (small_site.root / ".cache/press/kept").read_text(encoding="utf-8") == "a run"

    def test_a_page_that_cannot_be_rendered(self, small_site: SmallSite) -> None:
        assert small_site.build("--strict").returncode == 0
        text = (small_site.root / "mkdocs.yml").read_text(encoding="utf-8")
        small_site.write(text.replace("  - attr_list\n", "  - attr_list\n  - failing\n"), "mkdocs.yml")
        small_site.write("def makeExtension():\n    raise ValueError('it fails')\n", "failing.py")
        done = self.run(small_site, "coursebuild.successor", "site")
        assert done.returncode == 1
        assert "zensical.yml:1: page: RuntimeError: Python error: ValueError: it fails\n" in done.stdout
        assert "docs/index.md:1: page: Zensical did not write it" in done.stdout

    def test_what_a_page_ends_with_stands_once_and_not_in_the_contents(self, small_site: SmallSite) -> None:
        now = "lessons/one/#claim-1.1-the-parts-add-up"
        small_site.write(f"lessons/one/#panel-1.1\n{now}\n#claim-1.1-gone => {now}\n", "tests/addresses.txt")
        small_site.write("# The front page\n\n## A part\n\nWords.\n", "docs/index.md")
        assert small_site.build("--strict").returncode == 0
        done = self.run(small_site, "coursebuild.successor", "site")
        assert done.returncode == 0, done.stdout
        page = (small_site.root / "build/successor/index.html").read_text(encoding="utf-8")
        assert page.count("What stood here is on") == 1

    def test_the_gate_refuses_a_failing_block_that_strict_lets_pass(self, small_site: SmallSite) -> None:
        assert small_site.build("--strict").returncode == 0
        line = small_site.replace("total, 6)", "total, 7)")
        done = self.run(small_site, "coursebuild.successor", "site")
        assert done.returncode == 1
        assert "No issues found" in done.stderr, "Zensical's own judgement, with --strict"
        assert f"docs/lessons/one.md:{line}: panel 1.1" in done.stdout

    def test_a_fence_that_is_not_the_press_s_own(self, small_site: SmallSite) -> None:
        assert small_site.build("--strict").returncode == 0
        small_site.replace("name: python\n", "name: pythons\n", "mkdocs.yml")
        done = self.run(small_site, "coursebuild.successor", "site")
        assert done.returncode == 1
        assert "panel 1.1: it is not on the rendered page" in done.stdout
