"""The second lane: what was run there is shown elsewhere as what it is, and nothing that was not run passes as run."""

import ast
import json
import re
import shutil
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from coursebuild import lanes, render
from coursebuild.approval import FOLDER, approve, differences, drift, pages_of
from coursebuild.cache import Cache
from coursebuild.panels import Panel
from coursebuild.press import Press

from .conftest import SmallSite, make_site

pytestmark = pytest.mark.once

NEEDS = ('title="Adding"', 'title="Adding" needs="numpy"')


@pytest.fixture(scope="module")
def outputs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What is kept of a panel of the second lane that was run there and approved."""
    site = make_site(tmp_path_factory.mktemp("approved"))
    site.replace(*NEEDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(lanes.REAL, "1")
        assert approve(site.root) == 0
    return site.root / FOLDER


@pytest.fixture
def real_site(small_site: SmallSite, outputs: Path) -> SmallSite:
    """A site whose panel belongs to the second lane, with its approved run; in the first lane."""
    small_site.replace(*NEEDS)
    shutil.copytree(outputs, small_site.root / FOLDER)
    return small_site


def pressed(site: SmallSite) -> Press:
    press = Press(site.root)
    press.prepare(pages_of(site.root))
    return press


def messages(site: SmallSite) -> list[str]:
    return [fault.message for fault in pressed(site).faults if fault.anchor]


def record(site: SmallSite) -> Path:
    return lanes.record_path(site.root, "1.1")


def test_a_panel_that_was_never_run_is_refused(small_site: SmallSite) -> None:
    small_site.replace(*NEEDS)
    assert "it was never run with the packages that it needs" in messages(small_site)
    assert approve(small_site.root) == 1
    assert not record(small_site).exists()


def test_an_approved_run_is_shown_as_what_it_is(real_site: SmallSite) -> None:
    press = pressed(real_site)
    assert [fault for fault in press.faults if fault.anchor] == []
    result = press.results["1.1"]
    assert (result.output, result.figures) == ("the total is 6", {"total": 6})
    assert [(check.claim, check.held) for check in result.checks] == [("The parts add up", True)]
    shown = render.panel(press, press.panels["1.1"], result.output)
    kept = json.loads(record(real_site).read_text(encoding="utf-8"))
    assert f"Run with numpy {kept['packages']['numpy']} on Python {kept['python']} on {kept['date']}" in shown
    assert "not when this page was built" in shown


def test_the_preview_shows_it_too_and_keeps_no_run_of_it(real_site: SmallSite) -> None:
    kept = real_site.root / "kept"
    press = Press(real_site.root, cache=Cache(real_site.root, kept))
    for _ in range(2):
        press.prepare(pages_of(real_site.root))
        assert press.results["1.1"].output == "the total is 6"
        assert not kept.exists()


def test_source_is_taken_apart_in_one_thread_alone(
    real_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: set[threading.Thread] = set()
    parse = ast.parse

    def watched(*arguments: Any, **named: Any) -> ast.AST:
        threads.add(threading.current_thread())
        return parse(*arguments, **named)

    monkeypatch.setattr(ast, "parse", watched)
    assert messages(real_site) == []
    monkeypatch.setenv(lanes.REAL, "1")
    assert messages(real_site) == []
    assert threads == {threading.current_thread()}


def test_where_it_is_run_it_says_so(real_site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(lanes.REAL, "1")
    press = pressed(real_site)
    shown = render.panel(press, press.panels["1.1"], press.results["1.1"].output)
    assert "when this page was built" in shown
    assert "not when" not in shown
    assert "make real" not in shown


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"the total is"', '"the sum is"'),
        ("sum([1, 2, 3])", "sum([1, 2, 4])"),
        ('needs="numpy"', 'needs="numpy pytest"'),
    ],
)
def test_the_run_of_other_code_does_not_stand_for_it(real_site: SmallSite, old: str, new: str) -> None:
    real_site.replace(old, new)
    day = json.loads(record(real_site).read_text(encoding="utf-8"))["date"]
    assert f"its code, or what it imports or reads, is not what was run on {day}" in messages(real_site)


CHECKS = "src/nextword/checks.py"


def test_the_run_of_another_library_of_ours_does_not_stand_for_it(real_site: SmallSite) -> None:
    day = json.loads(record(real_site).read_text(encoding="utf-8"))["date"]
    text = (real_site.root / CHECKS).read_text(encoding="utf-8")
    [line] = re.findall(r"^def figure.*:$", text, re.MULTILINE)
    real_site.replace(line, f"# A remark.\n{line}", CHECKS)
    assert messages(real_site) == []
    [first] = re.findall(r'^def figure.*:\n(    """.*)', text, re.MULTILINE)
    real_site.replace(first, first.replace('"""', '"""Another word. ', 1), CHECKS)
    assert messages(real_site) == []
    body = re.sub(r'.*^def figure.*?""".*?"""\n(.*?)\n.*', r"\1", text, flags=re.MULTILINE | re.DOTALL)
    real_site.write(text.replace(body, f"    assert name\n{body}"), CHECKS)
    assert messages(real_site) == [f"its code, or what it imports or reads, is not what was run on {day}"]


def _of(program: str, panel: Panel) -> str:
    return lanes.identity(panel, program, [])


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('x = """a   \nb"""', 'x = """a\nb"""'),
        ('x = """a\n\nb"""', 'x = """a\nb"""'),
        ('x = """a # b\nc"""', 'x = """a # d\nc"""'),
        ('def f(): "x"; return 5', 'def f(): "x"; return 6'),
        ('def f():\n    "five"\n\n\nprint(f.__doc__)', 'def f():\n    "six"\n\n\nprint(f.__doc__)'),
        ('x = "# a"', 'x = "# b"'),
        ('x = "é"  # a\ny = 1', 'x = "é"  # a\ny = 2'),
        ('x = f"""{1}\n\n"""', 'x = f"""{1}\n"""'),
    ],
)
def test_programs_that_print_something_else_are_other_runs(before: str, after: str) -> None:
    panel = Panel("1.1", "a title", "", "one.md", 1)
    assert _of(before, panel) != _of(after, panel)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = 1  # a", "x = 1"),
        ('x = "é"  # a', 'x = "é"  # another'),
        ("x = 1\n\n\n\ny = 2", "x = 1\ny = 2"),
        (
            'def f():\n    """One.\n\n    Two.\n    """\n    return 1',
            'def f():\n    """Three."""\n    return 1',
        ),
    ],
)
def test_remarks_make_no_other_run(before: str, after: str) -> None:
    panel = Panel("1.1", "a title", "", "one.md", 1)
    assert _of(before, panel) == _of(after, panel)


def test_a_remark_in_the_panel_is_another_run(real_site: SmallSite) -> None:
    real_site.replace("check(", "# once more\ncheck(")
    assert [message[:38] for message in messages(real_site)] == ["its code, or what it imports or reads,"]


@pytest.mark.parametrize(
    ("change", "first_lane"),
    [
        (lambda kept: kept["figures"].update(total=7), "names other figures than its output"),
        (lambda kept: kept["checks"][0].update(line=2), "was not called"),
        (lambda kept: kept.update(python="3.1.4"), ""),
        (lambda kept: kept.update(date="yesterday"), "cannot be read"),
    ],
)
def test_an_edited_record_is_seen_where_panels_run_and_is_mended_there(
    real_site: SmallSite,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[dict[str, Any]], object],
    first_lane: str,
) -> None:
    kept = json.loads(record(real_site).read_text(encoding="utf-8"))
    change(kept)
    record(real_site).write_text(json.dumps(kept), encoding="utf-8")
    said = messages(real_site)
    assert any(first_lane in message for message in said) if first_lane else said == []
    monkeypatch.setenv(lanes.REAL, "1")
    assert len(drift(pressed(real_site))) == 1
    assert approve(real_site.root) == 0
    assert drift(pressed(real_site)) == []
    monkeypatch.delenv(lanes.REAL)
    assert messages(real_site) == []


def test_the_order_of_figures_is_no_difference(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_site.replace(*NEEDS)
    small_site.replace(
        'figure("total", total)', 'figure("total", total)\nfigure("first", {"b": total, "a": total})'
    )
    monkeypatch.setenv(lanes.REAL, "1")
    assert approve(small_site.root) == 0
    assert drift(pressed(small_site)) == []


def test_a_record_of_no_panel_is_named(real_site: SmallSite, monkeypatch: pytest.MonkeyPatch) -> None:
    real_site.write("{}", "tests/outputs/9.9.json")
    assert differences(real_site.root, pressed(real_site)) == [
        "9.9.json is approved, but no page has that panel"
    ]
    monkeypatch.setenv(lanes.REAL, "1")
    assert [fault.message for fault in drift(pressed(real_site))] == ["it is of no panel"]


def test_the_lane_refuses_an_import_that_needs_does_not_name(
    real_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_site.replace("total = sum", "import yaml\n\ntotal = sum")
    monkeypatch.setenv(lanes.REAL, "1")
    assert "it imports yaml, which its option needs does not name" in messages(real_site)
    real_site.replace('needs="numpy"', 'needs="numpy pyyaml"')
    assert messages(real_site) == []


def test_the_run_with_other_data_does_not_stand_for_it(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_site.write("extra.txt: ours.\n", "docs/assets/data/README.txt")
    small_site.replace(NEEDS[0], f'{NEEDS[1]} data="extra.txt"')
    monkeypatch.setenv(lanes.REAL, "1")
    assert approve(small_site.root) == 0
    monkeypatch.delenv(lanes.REAL)
    assert messages(small_site) == []
    small_site.write("Other words.\n", "docs/assets/data/extra.txt")
    assert [message[:38] for message in messages(small_site)] == ["its code, or what it imports or reads,"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"run": 1}'])
def test_a_record_that_cannot_be_read_is_refused(real_site: SmallSite, text: str) -> None:
    record(real_site).write_text(text, encoding="utf-8")
    assert any(message.startswith("the record of its run cannot be read") for message in messages(real_site))


def test_a_claim_that_did_not_hold_there_does_not_hold_here(real_site: SmallSite) -> None:
    kept = json.loads(record(real_site).read_text(encoding="utf-8"))
    kept["checks"][0]["held"] = False
    record(real_site).write_text(json.dumps(kept), encoding="utf-8")
    assert any("does not hold" in message for message in messages(real_site))


def test_the_lane_refuses_a_package_that_is_not_there(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_site.replace(NEEDS[0], 'title="Adding" needs="no-such-package"')
    monkeypatch.setenv(lanes.REAL, "1")
    assert "it needs no-such-package, which is not installed" in messages(small_site)


def test_the_record_of_a_panel_that_leaves_the_lane_goes(real_site: SmallSite) -> None:
    real_site.replace(*reversed(NEEDS))
    assert approve(real_site.root) == 0
    assert not record(real_site).exists()


def test_approving_in_the_first_lane_leaves_the_record_alone(real_site: SmallSite) -> None:
    before = record(real_site).read_text(encoding="utf-8")
    assert approve(real_site.root) == 0
    assert record(real_site).read_text(encoding="utf-8") == before


@pytest.mark.parametrize("needs", ["", "Torch!", "../x"])
def test_needs_names_packages(small_site: SmallSite, needs: str) -> None:
    small_site.replace(NEEDS[0], f'title="Adding" needs="{needs}"')
    assert f"needs {needs!r} names no packages" in messages(small_site)


# What the second lane's own build refuses, and what the ledger says of a run.


@pytest.mark.slow
def test_the_lane_builds_what_prints_as_approved(
    real_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(lanes.REAL, "1")
    [(status, said)] = real_site.build_with(())
    assert status == 0, said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("total is 6", "total is 7", "-the total is 7\n    +the total is 6"),
        ("total = 6", "total = 7", "-total = 7\n    +total = 6"),
        ("ok   The parts add up", "ok   The parts add  up", "+ok   The parts add up"),
    ],
)
def test_the_lane_refuses_what_prints_otherwise_than_approved(
    real_site: SmallSite, monkeypatch: pytest.MonkeyPatch, old: str, new: str, said: str
) -> None:
    real_site.replace(old, new, "tests/outputs/1.1.txt")
    monkeypatch.setenv(lanes.REAL, "1")
    [(status, told)] = real_site.build_with(("-q",))
    assert status != 0
    assert "docs/lessons/one.md:5: panel 1.1: it prints or names something else than was approved" in told
    assert said in told
    assert "make approve-real accepts it" in told


def test_the_lane_refuses_a_run_with_other_packages_than_approved(
    real_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = json.loads(record(real_site).read_text(encoding="utf-8"))
    here = kept["packages"]["numpy"]
    kept["packages"]["numpy"] = "1.0.0"
    record(real_site).write_text(json.dumps(kept), encoding="utf-8")
    monkeypatch.setenv(lanes.REAL, "1")
    said = [fault.message for fault in drift(pressed(real_site))]
    assert said == [
        f"it was approved with numpy 1.0.0 on Python {kept['python']}, here are numpy {here} on {kept['python']}"
    ]
    assert approve(real_site.root) == 0
    assert drift(pressed(real_site)) == []


def test_the_lane_refuses_a_panel_that_was_never_approved(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_site.replace(*NEEDS)
    monkeypatch.setenv(lanes.REAL, "1")
    assert [fault.message for fault in drift(pressed(small_site))] == [
        "it was never run with the packages that it needs"
    ]


def test_the_first_lane_compares_no_run_for_it_makes_none(real_site: SmallSite) -> None:
    real_site.replace("total is 6", "total is 7", "tests/outputs/1.1.txt")
    assert drift(pressed(real_site)) == []


def test_the_ledger_says_with_what_the_claims_of_a_library_held(
    real_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = json.loads(record(real_site).read_text(encoding="utf-8"))
    means = f"Run with numpy {kept['packages']['numpy']} on Python {kept['python']}"
    shown = render.ledger(pressed(real_site))
    assert f"{means} on {kept['date']}" in shown
    assert "<strong>0</strong> when this site was built, <strong>1</strong> with the real libraries" in shown
    assert "before this build" in shown
    monkeypatch.setenv(lanes.REAL, "1")
    shown = render.ledger(pressed(real_site))
    assert f"{means}, when this page was built" in shown
    assert "before this build" not in shown


def test_a_ledger_without_libraries_says_that_all_held_in_this_build(small_site: SmallSite) -> None:
    shown = render.ledger(pressed(small_site))
    assert "<strong>1</strong> claims in <strong>1</strong> panels held when this site was built." in shown
