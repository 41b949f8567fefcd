"""Panels live in the page: Run, Edit, Stop and Reset, the claims, edits that are kept and edits that come with a link."""

import base64
import json
import re
import zlib
from collections.abc import Iterator
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from coursebuild import exercises
from coursebuild.library import Library
from nextword.exercises import exercise

from .conftest import OpenPage, Watch
from .pages import ROOT
from .waiting import until

SLOWEST_RUN = 150_000  # ms, the start of Python included
ENDED = re.compile(r"Ran in|It broke|Stopped|Try again|tries again")

LESSONS = {
    "17.1": "lessons/17-tokenization/",
    "18.1": "lessons/18-next-word/",
    "19.1": "lessons/19-decoding/",
    "20.3": "lessons/20-attention/",
    "21.1": "lessons/21-transformer-block/",
}
PLACES = LESSONS | {"softmax.1": "foundations/softmax/", "arrays.3": "further/arrays/"}

# What CPython says of the program with this edit: the claims that fail, and no others.
EDITS = {
    "17.1": (
        "min(tied) if",
        "max(tied) if",
        [
            "The first merge fuses e and r",
            "It won by the tie rule: r and the marker are seen as often",
            "er_ spells no training word any more, but stays in the table",
        ],
    ),
    "18.1": (
        "generate_sentence(bigram, random.Random(42), 12)",
        "generate_sentence(bigram, rng, 12)",
        [
            "The same seed gives the same sentence",
            "A sentence drawn, “the bone”, has only words of the corpus",
        ],
    ),
    "19.1": (
        "(z - largest) / temperature",
        "(z - largest)",
        [
            "A cold model hardly ever leaves its favourite",
            "A hot one gives the worst token more than 0.03",
            "In a long text the worst token comes almost surely if hot, perhaps at temperature one, in practice "
            "never if cold",
        ],
    ),
    "20.3": (
        "[[key <= query for",
        "[[key <= query + 1 for",
        [
            "A new last token leaves each earlier row of causal attention alone",
            "The tamper test catches both variants of >=; so do the zeros above the diagonal, the diagonal, and counting",
            "A leak into the first row alone escapes a new last token, not a new token at each place in turn",
            "All weights above the diagonal are exactly zero",
            "The first token can look at itself alone",
            "Each row has one more weight than the row before",
        ],
    ),
    "21.1": (
        "math.sqrt(variance + eps)",
        "math.sqrt(variance) + eps",
        [
            "gamma and beta can undo it for one vector, with its spread and mean; they are the same for all, so "
            "another does not come back",
            "Where the spread is small, eps is not: the stretch does not vanish",
        ],
    ),
}

ODD = {
    "letters": 'x = "é 漢字 𝄞 \u202eabc"\n',
    "markup": "</script><img src=x onerror=alert(1)><!-- &amp; ' \" ` ${1} \\ \\n %0A +/= #edit=1:2\n",
    "long": "".join(f"name_{number} = {number * number % 977}\n" for number in range(500)),
}


def panel_of(page: Page, ident: str) -> Locator:
    return page.locator(f'[id="panel-{ident}"]')


def status_of(panel: Locator) -> Locator:
    return panel.locator(".live__status")


def field_of(panel: Locator) -> Locator:
    return panel.locator("textarea")


def run(panel: Locator) -> None:
    """Press Run and wait for the end."""
    panel.locator(".live__run").click()
    expect(status_of(panel)).to_contain_text(ENDED, timeout=SLOWEST_RUN)
    expect(panel.locator(".live__stop")).to_be_hidden()


def edit(panel: Locator, old: str = "", new: str = "") -> str:
    """Open the editor if it is not open, put one text in another's place, or at the end, and say what is there now."""
    field = field_of(panel)
    if not field.count():
        panel.locator(".live__edit").click()
    text = field.input_value()
    if old:
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times"
    changed = text.replace(old, new) if old else text + new
    field.fill(changed)
    return changed


def output_of(panel: Locator) -> str:
    """What stands in the panel's block of output, without its label."""
    return (panel.locator(".panel__output code").text_content() or "").strip()


def claims_of(panel: Locator, kind: str) -> list[str]:
    claims = panel.locator(f".claim--{kind} .claim__text")
    return [re.sub(r"^(holds|fails|not reached): ", "", text) for text in claims.all_text_contents()]


def link_to(panel: str, text: bytes, checksum: str = "") -> str:
    """A link as its format is described: deflated without a header, in the alphabet of addresses."""
    packer = zlib.compressobj(9, wbits=-15)
    letters = base64.urlsafe_b64encode(packer.compress(text) + packer.flush()).decode().rstrip("=")
    return f"#edit={quote(panel)}:{letters}{checksum}"


def watch_python(page: Page) -> list[str]:
    """The requests for Python from here on: there are none before Run."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url) if "/pyodide/" in request.url else None)
    return asked


@pytest.fixture(scope="module")
def started(browser: Browser, site_url: str) -> Iterator[Page]:
    """A page on which Python has started: one for all tests that leave it as they found it."""
    watch = Watch(site_url)
    context = browser.new_context(base_url=site_url)
    context.set_default_timeout(SLOWEST_RUN)
    context.on("request", lambda request: watch.asked(request.url))
    context.on("console", watch.said)
    context.on("weberror", watch.broke)
    page = context.new_page()
    page.goto(LESSONS["17.1"])
    yield page
    context.close()
    assert not watch.elsewhere and not watch.unexpected


@pytest.fixture
def warm(started: Page) -> Iterator[Locator]:
    """Panel 17.1, where Python has started, as the page shows it."""
    panel = panel_of(started, "17.1")
    yield panel
    if panel.get_by_role("button", name="Reset").is_visible():
        panel.get_by_role("button", name="Reset").click()


@pytest.mark.parametrize("ident", PLACES)
def test_a_panel_runs_as_the_page_shows_it_and_an_edit_breaks_the_claims_that_it_must(
    page: Page, ident: str
) -> None:
    asked = watch_python(page)
    page.goto(PLACES[ident])
    panel = panel_of(page, ident)
    own, claims = output_of(panel), claims_of(panel, "held")
    buttons = panel.locator(".live button:visible")
    expect(buttons).to_have_text(["Run", "Edit"])
    assert claims and not asked
    run(panel)
    assert asked
    expect(status_of(panel)).to_contain_text(f"all {len(claims)} claims hold, the output is the page's own")
    assert output_of(panel) == own
    assert claims_of(panel, "held") == claims
    expect(panel.locator(".panel__output .panel__label")).to_have_text("Output of your run")
    expect(buttons).to_have_text(["Run", "Edit", "Reset"])
    if ident in EDITS:
        old, new, broken = EDITS[ident]
        edit(panel, old, new)
        expect(buttons).to_have_text(["Run", "Reset", "Copy link to this edit"])
        run(panel)
        assert sorted(claims_of(panel, "held") + broken) == sorted(claims)
        expect(status_of(panel)).to_contain_text(f"{len(broken)} of {len(claims)} claims fail")
        assert_shown_as_broken(panel, broken)
        status_of(panel).get_by_role("link").click()
        expect(panel.locator(".claim--failed").first).to_be_in_viewport()
    buttons.get_by_text("Reset").click()
    assert claims_of(panel, "held") == claims and not claims_of(panel, "failed")
    assert output_of(panel) == own
    expect(panel.locator(".panel__output .panel__label")).to_have_text("Output")
    expect(panel.locator(".claim__value")).to_have_count(0)
    expect(field_of(panel)).to_have_count(0)
    expect(panel.locator(".live__run")).to_be_focused()
    expect(buttons.first).to_have_text("Run")


def assert_shown_as_broken(panel: Locator, broken: list[str]) -> None:
    """By mark, by word, by colour, with what came, and none of it folded away."""
    assert claims_of(panel, "failed") == broken
    for claim in panel.locator(".claim--failed").all():
        expect(claim).to_be_visible()
        expect(claim.locator(".claim__mark")).to_have_text("✗")
        expect(claim.locator(".visually-hidden")).to_have_text("fails: ")
        told = [re.compile("^asked ."), re.compile("^got ."), re.compile("^expected .")]
    expect(claim.locator(".claim__value")).to_have_text(told)
    red, green = (
        panel.locator(f".claim--{kind} .claim__mark").first.evaluate("mark => getComputedStyle(mark).color")
        for kind in ("failed", "held")
    )
    assert red != green
    expect(panel.locator(".live__note")).to_contain_text("the page's own numbers")


def test_a_claim_that_the_page_does_not_have_is_added_and_its_own_is_not_reached(warm: Locator) -> None:
    own, other = "Each of the 10 rounds found a pair to merge", "Every `round` found a pair"
    edit(warm, f'check("{own}"', f'check("{other}"')
    run(warm)
    assert other.replace("`", "") in claims_of(warm, "held")
    expect(warm.locator(".claim code").filter(has_text="round")).to_have_count(1)
    assert claims_of(warm, "unreached") == [own]
    expect(status_of(warm)).to_contain_text("1 of 11 claims was not reached")
    warm.get_by_role("button", name="Reset").click()
    assert own in claims_of(warm, "held") and other.replace("`", "") not in claims_of(warm, "held")


def test_an_error_is_told_with_the_readers_own_line_and_a_way_to_it(warm: Locator) -> None:
    panel = warm
    text = edit(panel, "words = word_counts(text)", "words = word_counts(no_such_name)")
    line = text[: text.index("no_such_name")].count("\n") + 1
    run(panel)
    error = panel.locator(".live__error")
    expect(error).to_contain_text("NameError")
    expect(error).to_contain_text("words = word_counts(no_such_name)")
    expect(error).to_contain_text(f"line {line}")
    assert len((error.locator("code").text_content() or "").splitlines()) < 12
    assert not claims_of(panel, "held") and not claims_of(panel, "failed") and claims_of(panel, "unreached")
    error.get_by_role("button", name=f"line {line}").click()
    expect(field_of(panel)).to_be_focused()
    place = field_of(panel).evaluate(
        "field => field.value.slice(0, field.selectionStart).split('\\n').length"
    )
    assert place == line
    edit(panel, "no_such_name)", "text")  # a bracket is missing now
    run(panel)
    expect(error).to_contain_text("SyntaxError")
    expect(error.get_by_role("button", name=f"line {line}")).to_be_visible()
    edit(panel, "words = word_counts(text", "words = word_counts(text)")
    run(panel)
    expect(error).to_have_count(0)


def test_an_endless_loop_is_stopped_by_stop_and_the_next_run_works(warm: Locator) -> None:
    panel = warm
    text = edit(panel, "words = word_counts(text)", 'print("begun")\nwhile True:\n    pass')
    panel.locator(".live__run").click()
    expect(panel.locator(".panel__output code")).to_contain_text("begun")
    expect(panel.locator(".live__run")).to_have_attribute("aria-disabled", "true")
    assert panel.page.evaluate("1 + 1") == 2
    stop = panel.get_by_role("button", name="Stop")
    stop.focus()
    stop.press("Enter")
    expect(status_of(panel)).to_contain_text("Stopped by you")
    expect(stop).to_be_hidden()
    expect(panel.locator(".live__run")).to_be_focused()
    assert output_of(panel) == "begun" and field_of(panel).input_value() == text
    panel.get_by_role("button", name="Reset").click()
    run(panel)
    expect(status_of(panel)).to_contain_text("claims hold")


def test_an_endless_loop_is_stopped_by_the_limit(page: Page) -> None:
    page.clock.install()
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    edit(panel, "words = word_counts(text)", "while True:\n    pass")
    panel.locator(".live__run").click()
    expect(panel.locator(".live__doing")).to_contain_text("Running: ")
    page.clock.fast_forward(15_500)
    expect(status_of(panel)).to_contain_text("Stopped after 15 s")
    panel.get_by_role("button", name="Run without a limit").click()
    expect(panel.locator(".live__doing")).to_contain_text("Running: ")
    page.clock.fast_forward(60_000)
    expect(panel.locator(".live__doing")).to_contain_text("Running: 60 s")
    panel.get_by_role("button", name="Stop").click()
    expect(panel.get_by_role("button", name="Run without a limit")).to_be_hidden()
    edit(panel, "while True:\n    pass", "words = word_counts(text)")
    run(panel)
    expect(status_of(panel)).to_contain_text("claims hold")


def test_a_run_of_another_panel_stops_the_one_that_runs(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    panel, other = panel_of(page, "17.1"), panel_of(page, "17.2")
    edit(panel, "words = word_counts(text)", "while True:\n    pass")
    panel.locator(".live__run").click()
    expect(panel.locator(".live__doing")).to_contain_text("Running: ")
    run(other)
    expect(status_of(panel)).to_contain_text("another panel was run")
    expect(status_of(other)).to_contain_text("claims hold")


def test_a_flood_of_output_is_cut(warm: Locator) -> None:
    panel = warm
    edit(panel, new='\nfor number in range(40_000):\n    print("0123456789")\n')
    run(panel)
    expect(status_of(panel)).to_contain_text("Output cut after 200,000 characters")
    assert 100_000 < len(output_of(panel)) <= 200_100
    assert panel.page.evaluate("document.documentElement.scrollHeight") < 100_000


def test_what_a_run_prints_is_shown_as_text(warm: Locator) -> None:
    panel = warm
    markup = "<img src=x onerror=document.title=1><b>bold</b>"
    edit(panel, new=f'\nprint("{markup}")\ncheck("{markup}", "{markup}", 1)\nraise ValueError("{markup}")\n')
    run(panel)
    assert markup in output_of(panel)
    expect(panel.locator(".live__error")).to_contain_text(markup)
    assert claims_of(panel, "failed") == [markup]
    expect(panel.locator("img, b")).to_have_count(0)


@pytest.mark.parametrize("ident", ["17.3", "17.1"])
def test_an_exercise_is_graded_in_place(page: Page, ident: str) -> None:
    page.goto("exercises/17-tokenization/")
    panel = panel_of(page, f"exercise-{ident}")
    asked = exercise(ident)
    if ident == "17.1":
        panel.locator(".live__run").click()
        nothing = "Nothing was checked: there is no answer yet."
        expect(status_of(panel)).to_have_text(nothing, timeout=SLOWEST_RUN)
        expect(panel.locator(".claim")).to_have_count(0)
        edit(panel, "answer = ...", f"answer = {asked.answer_of(asked.solution)!r}")
    else:
        run(panel)
        assert claims_of(panel, "failed")
        expect(panel.locator(".claim--failed .claim__values").first).to_contain_text("expected")
        edit(panel)
        field_of(panel).fill('print("once")\n\n\n' + solution_of(ident))
    run(panel)
    expect(status_of(panel)).to_contain_text(re.compile(r"all \d+ checks hold"))
    assert claims_of(panel, "held") and not claims_of(panel, "failed")
    panel.get_by_role("button", name="Reset").click()
    expect(panel.locator(".claim")).to_have_count(0)


def test_what_an_answer_prints_while_it_is_checked_is_shown(page: Page) -> None:
    page.goto("exercises/17-tokenization/")
    panel = panel_of(page, "exercise-17.3")
    edit(panel)
    head, body = solution_of("17.3").split(":\n", 1)
    field_of(panel).fill(f'{head}:\n    print("asked")\n{body}')
    run(panel)
    expect(panel.locator(".live__graded")).to_contain_text("asked")
    panel.get_by_role("button", name="Reset").click()
    expect(panel.locator(".live__graded")).to_have_count(0)


def test_what_a_failed_claim_asked_is_shown(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    edit(panel, new='\ncheck("A claim of the reader", len("ab") + 1, 4)\n')
    run(panel)
    values = panel.locator(".claim--failed .claim__values")
    assert values.locator("code").all_text_contents() == ['len("ab") + 1', "3", "4"]


def test_the_verdict_is_in_view_where_the_editor_fills_a_phone(phone: Page) -> None:
    phone.goto(LESSONS["17.1"])
    panel = panel_of(phone, "17.1")
    edit(panel, "min(tied) if", "max(tied) if")
    panel.locator(".live__run").scroll_into_view_if_needed()
    run(panel)
    expect(status_of(panel)).to_be_in_viewport()


def test_an_output_that_differs_in_blanks_differs(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    program = edit(panel)
    own = program.index("# panel 17.1: ")
    field_of(panel).fill(program[:own] + program[own:].replace('print("', 'print("   ', 1))
    run(panel)
    expect(status_of(panel)).to_contain_text("the output differs from the page's")


def test_a_window_without_an_edit_takes_none_away(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    other = page.context.new_page()
    other.goto(LESSONS["17.1"])
    expect(panel_of(other, "17.1").locator(".live__run")).to_be_visible()
    text = edit(panel_of(page, "17.1"), new="# mine\n")
    until_kept(page, "17.1")
    here = panel_of(other, "17.1")
    run(here)
    here.get_by_role("button", name="Reset").click()
    other.close()
    page.reload()
    expect(field_of(panel_of(page, "17.1"))).to_have_value(text)


def test_an_edit_that_could_not_be_shown_is_not_lost(open_page: OpenPage, watch: Watch) -> None:
    page = open_page(service_workers="block")  # it would answer
    watch.expect("Failed to load resource|net::ERR_FAILED")
    page.goto(LESSONS["17.1"])
    text = edit(panel_of(page, "17.1"), new="# mine\n")
    until_kept(page, "17.1")
    page.route("**/programs/17.1.py", lambda route: route.abort())
    page.reload()
    expect(status_of(panel_of(page, "17.1"))).to_contain_text("could not be loaded")
    page.unroute("**/programs/17.1.py")
    panel_of(page, "17.1").locator(".live__edit").click()
    expect(field_of(panel_of(page, "17.1"))).to_have_value(text)


def test_a_program_that_came_with_a_link_changes_no_later_run(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    program = page.request.get("programs/17.1.py").text()
    lie = (
        "import harness\n"
        "harness.Record.check = lambda self, claim, got, expected: self.checks.append("
        "dict(claim=claim, held=True, got='', expected='', asked='', said=''))\n"
    )
    page.goto(LESSONS["17.1"] + link_to("17.1", (lie + program).encode()))
    expect(status_of(panel_of(page, "17.1"))).to_contain_text("came with the link")
    run(panel_of(page, "17.1"))
    other = panel_of(page, "17.2")
    edit(other, new='\ncheck("Two is three", len("ab"), 3)\n')
    run(other)
    assert claims_of(other, "failed") == ["Two is three"]


def until_kept(page: Page, ident: str) -> None:
    """Wait until the browser keeps an edit of a panel."""
    until(page, "Object.keys(localStorage).some((key) => key.endsWith(argument))", f":{ident}")


def solution_of(ident: str) -> str:
    return exercises.read(Library(ROOT / "src"), ident).solution


def test_an_edit_is_kept_until_reset(page: Page) -> None:
    asked = watch_python(page)
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    text = edit(panel, "rounds=10)\n\nprint", "rounds=9)\n\nprint")
    page.reload()
    expect(field_of(panel)).to_have_value(text)
    expect(status_of(panel)).to_contain_text("your edit from before")
    panel.get_by_role("button", name="Reset").click()
    expect(panel.locator(".panel__code").first).to_be_visible()
    page.reload()
    expect(panel.locator(".live__edit")).to_be_visible()
    expect(field_of(panel)).to_have_count(0)
    panel.locator(".live__edit").click()
    assert field_of(panel).input_value() != text
    assert not asked


def test_a_reset_can_be_taken_back(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    text = edit(panel, new="# mine\n")
    panel.get_by_role("button", name="Reset").click()
    expect(field_of(panel)).to_have_count(0)
    panel.get_by_role("button", name="Bring my edit back").click()
    expect(field_of(panel)).to_have_value(text)
    page.reload()
    expect(field_of(panel)).to_have_value(text)


def test_an_edit_of_an_earlier_program_says_so(page: Page, site_url: str) -> None:
    page.goto(LESSONS["17.1"])
    edit_of_old = json.dumps({"text": "print(1)\n", "of": "00000000"})
    key = f"course-edit:{urlsplit(site_url).path}:17.1"
    page.evaluate("([key, value]) => localStorage.setItem(key, value)", [key, edit_of_old])
    page.reload()
    panel = panel_of(page, "17.1")
    expect(status_of(panel)).to_contain_text("earlier version of this program")
    expect(field_of(panel)).to_have_value("print(1)\n")
    expect(panel.get_by_role("button", name="Reset")).to_be_visible()


@pytest.mark.parametrize("methods", [["setItem"], ["getItem", "setItem", "removeItem"]])
def test_where_nothing_can_be_kept_the_reader_is_told_and_loses_nothing(
    page: Page, methods: list[str]
) -> None:
    page.add_init_script(
        f"""for (const name of {methods}) {{
          const own = Storage.prototype[name];
          Storage.prototype[name] = function (key, ...more) {{
            if (key.startsWith("course-edit:")) throw new DOMException("no", "QuotaExceededError");
            return own.call(this, key, ...more);
          }};
        }}"""
    )
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    text = edit(panel, new="# mine\n")
    expect(panel.locator(".live__warning")).to_contain_text("not kept when you leave this page")
    expect(field_of(panel)).to_have_value(text)
    panel.get_by_role("button", name="Reset").click()
    expect(panel.locator(".live__warning")).to_be_empty()


@pytest.mark.parametrize("kind", ODD)
def test_a_link_carries_an_edit_to_another_browser_and_runs_nothing(
    page: Page, open_page: OpenPage, kind: str
) -> None:
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    text = edit(panel, new=ODD[kind])
    panel.get_by_role("button", name="Copy link to this edit").click()
    expect(status_of(panel)).to_contain_text("The link is copied")
    link = page.evaluate("navigator.clipboard.readText()")
    assert re.fullmatch(r"[-A-Za-z0-9_.~:/=#]+", link)

    there = open_page()
    asked = watch_python(there)
    there.goto(link)
    panel = panel_of(there, "17.1")
    expect(field_of(panel)).to_have_value(text)
    expect(status_of(panel)).to_contain_text("This edit came with the link. Read it, then press Run.")
    expect(panel).to_be_in_viewport()
    assert not asked and there.title() == page.title()
    assert ("cannot be seen" in (status_of(panel).text_content() or "")) == (kind == "letters")


def test_a_link_is_shown_where_the_clipboard_refuses(page: Page) -> None:
    page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error('no'))")
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    text = edit(panel, new="# mine\n")
    panel.get_by_role("button", name="Copy link to this edit").click()
    field = panel.get_by_role("textbox", name="Link to this edit")
    expect(field).to_be_focused()
    link = field.input_value()
    assert field.evaluate("field => field.selectionEnd - field.selectionStart") == len(link)
    letters = link.partition("#edit=17.1:")[2].partition(".")[0]
    packed = base64.urlsafe_b64decode(letters + "=" * (-len(letters) % 4))
    assert zlib.decompress(packed, wbits=-15).decode() == text


def test_a_link_does_not_replace_the_readers_own_edit_until_they_type(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    own = edit(panel, new="# mine\n")
    page.reload()
    expect(field_of(panel)).to_have_value(own)
    page.evaluate("link => { location.hash = link }", link_to("17.1", b"print('theirs')\n"))
    expect(field_of(panel)).to_have_value("print('theirs')\n")
    expect(status_of(panel)).to_contain_text("Your own edit is kept until you type here")
    panel.get_by_role("button", name="Reset").click()
    expect(field_of(panel)).to_have_value(own)
    until(page, "!location.hash")

    page.evaluate("link => { location.hash = link }", link_to("17.1", b"print('theirs')\n"))
    expect(field_of(panel)).to_have_value("print('theirs')\n")
    text = edit(panel, new="# and mine\n")
    until(page, "!location.hash")
    page.reload()
    expect(field_of(panel)).to_have_value(text)


GOOD = link_to("17.1", b"print(1)\n")
BAD_LINKS = {
    "cut": (link_to("17.1", bytes(range(32, 127)) * 9)[:-40], "damaged"),
    "no text": ("#edit=17.1", "damaged"),
    "empty": ("#edit=17.1:", "damaged"),
    "blank": (link_to("17.1", b" \n"), "damaged"),
    "no letters": ("#edit=17.1:!!%%", "damaged"),
    "not packed": ("#edit=17.1:" + base64.urlsafe_b64encode(b"print(1)").decode(), "damaged"),
    "no text inside": (link_to("17.1", b"\xff\xfe\xff"), "damaged"),
    "another checksum": (link_to("17.1", b"print(1)\n", ".0badc0de"), "damaged"),
    "more behind": (GOOD + "AAAA", "damaged"),
    "too long": (link_to("17.1", b"#" * 200_001), "longer than 200,000"),
    "a bomb": (link_to("17.1", b"#" * 50_000_000), "longer than 200,000"),
}


@pytest.mark.parametrize("kind", BAD_LINKS)
def test_a_link_that_cannot_be_read_says_so(page: Page, kind: str) -> None:
    link, why = BAD_LINKS[kind]
    page.goto(LESSONS["17.1"] + link)
    panel = panel_of(page, "17.1")
    expect(status_of(panel)).to_contain_text("The edit in this link cannot be shown")
    expect(status_of(panel)).to_contain_text(why)
    expect(field_of(panel)).to_have_count(0)
    page.evaluate("link => { location.hash = link }", GOOD)
    expect(field_of(panel)).to_have_value("print(1)\n")


def test_a_program_of_200000_characters_fits_into_a_link(page: Page) -> None:
    page.goto(LESSONS["17.1"] + link_to("17.1", b"#" * 200_000))
    expect(field_of(panel_of(page, "17.1"))).to_have_value("#" * 200_000)


@pytest.mark.parametrize("name", ["99.9", '"><img src=x onerror=document.title=1>', "%", "__proto__", ""])
def test_a_link_to_a_panel_that_is_not_on_the_page_says_so(page: Page, name: str) -> None:
    page.goto(LESSONS["17.1"])
    title = page.title()
    page.evaluate("link => { location.hash = link }", link_to(name, b"print(1)\n"))
    expect(page.locator(".live__notice")).to_contain_text(f"“{name}”")
    expect(page.locator(".live__notice img, textarea")).to_have_count(0)
    assert page.title() == title


def test_the_keys_of_the_editor(page: Page) -> None:
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    panel.locator(".live__edit").focus()
    page.keyboard.press("Enter")
    field = field_of(panel)
    expect(field).to_be_focused()
    page.keyboard.press("Tab")
    expect(field).not_to_be_focused()
    field.focus()
    own = field.input_value()
    page.keyboard.press("Control+Home")
    page.keyboard.type("if 1:")
    page.keyboard.press("Enter")
    page.keyboard.type("x = 1")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type("y")
    assert field.input_value() == "if 1:\n    x = 1\n        y" + own
    for _ in range(30):
        page.keyboard.press("Control+z")
    assert field.input_value() == own
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    expect(field).not_to_be_focused()
    field.focus()
    page.keyboard.press("Control+Enter")
    expect(status_of(panel)).to_contain_text("Ran in")
    expect(field).to_be_focused()
    panel.locator(".live__edit").press("Enter")
    expect(field).to_have_count(0)
    expect(panel.locator(".live__edit")).to_be_focused()


def test_jump_to_leads_to_a_function(page: Page) -> None:
    page.goto(LESSONS["20.3"])
    panel = panel_of(page, "20.3")
    panel.locator(".live__edit").click()
    field = field_of(panel)
    assert "# panel 20.3: " in field.evaluate(
        "field => field.value.slice(field.selectionStart).split('\\n')[0]"
    )
    panel.get_by_role("combobox", name="Jump to").select_option(label="causal_mask()")
    assert field.evaluate("field => field.value.slice(field.selectionStart)").startswith("def causal_mask(")
    assert field.evaluate("field => field.scrollTop") > 0


def test_the_colours_lie_under_the_text(page: Page) -> None:
    """The painted text and the field break no line and are as wide and as high, so letters are where the cursor is."""
    page.goto(LESSONS["20.3"])
    panel = panel_of(page, "20.3")
    edit(panel, new='wide = "' + "漢字é" * 60 + '"\n\ttab\n')
    field, code = panel.evaluate(
        """panel => {
          const [field, code] = [panel.querySelector("textarea"), panel.querySelector(".editor__paint code")];
          const start = parseFloat(getComputedStyle(field).paddingInlineStart);
          const widths = [...code.children].map((line) => {
            const range = document.createRange();
            range.selectNodeContents(line);
            return range.getBoundingClientRect().width;
          });
          return [[field.scrollWidth, field.scrollHeight, field.value],
                  [start + Math.max(...widths), code.offsetHeight, code.textContent.slice(0, -1)]];
        }"""
    )
    assert field[2] == code[2]
    assert code[:2] == [pytest.approx(size, abs=2) for size in field[:2]]


def test_a_panel_can_be_run_and_edited_on_a_phone(phone: Page) -> None:
    phone.goto(LESSONS["17.1"])
    panel = panel_of(phone, "17.1")
    edit(panel, *EDITS["17.1"][:2])
    run(panel)
    assert claims_of(panel, "failed") == EDITS["17.1"][2]
    assert phone.evaluate("document.documentElement.scrollWidth") <= 360
    size = field_of(panel).evaluate("field => parseFloat(getComputedStyle(field).fontSize)")
    assert size >= 16
    for target in panel.locator(".live button:visible, .editor select").all():
        box = target.bounding_box()
        assert box and box["height"] >= 44 and box["width"] >= 44


def test_what_cannot_be_loaded_is_told_and_tried_again(open_page: OpenPage, watch: Watch) -> None:
    page = open_page(service_workers="block")  # it would ask in the page's place
    watch.expect("Failed to load resource|net::ERR_FAILED")
    page.goto(LESSONS["17.1"])
    panel = panel_of(page, "17.1")
    page.route("**/programs/17.1.py", lambda route: route.abort())
    panel.locator(".live__edit").click()
    expect(status_of(panel)).to_contain_text("The program could not be loaded")
    page.unroute("**/programs/17.1.py")
    panel.locator(".live__edit").click()
    expect(field_of(panel)).to_be_visible()
    page.route("**/pyodide/**", lambda route: route.abort())
    panel.locator(".live__run").click()
    expect(status_of(panel)).to_contain_text("Python could not be loaded")
    page.unroute("**/pyodide/**")
    run(panel)
    expect(status_of(panel)).to_contain_text("claims hold")
