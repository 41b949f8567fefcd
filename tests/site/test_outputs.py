"""The panels of the project print what was approved, wherever and whenever they run, and so do their programs."""

import logging
import re
from dataclasses import replace

import markdown
import markdown_exec
import pytest

from coursebuild import addresses
from coursebuild.approval import approved_path, differences
from coursebuild.exercises import Trial
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.runner import DATA, Surroundings, run
from coursebuild.source import lines_of, split_front_matter

from .conftest import ROOT
from .elsewhere import ELSEWHERE, HOW

AROUND = Surroundings()
OTHERS = {
    "the hash seed": replace(AROUND, hash_seed=ELSEWHERE.hash_seed),
    "the time zone": replace(AROUND, timezone=ELSEWHERE.timezone),
    "the locale": replace(AROUND, locale=ELSEWHERE.locale),
    "the clock": replace(AROUND, days=ELSEWHERE.days),
}


def approved(ident: str) -> str:
    """What is approved of a panel: what a terminal shows, and the figures."""
    return approved_path(ROOT, ident).read_text(encoding="utf-8")


@pytest.mark.once
def test_every_address_is_recorded_and_none_that_was_leads_nowhere(project_press: Press) -> None:
    found = addresses.differences(project_press)
    assert not found, "\n".join(map(str, found))
    assert len(project_press.record.lines) > len(project_press.panels)


def causes(panel: Panel) -> str:
    """Of a panel that prints something else than approved in other surroundings: whether it does so everywhere, or where."""
    if run(panel, AROUND).approved_form != approved(panel.ident):
        return "accept what changed with: make approve"
    found = [
        name for name, around in OTHERS.items() if run(panel, around).approved_form != approved(panel.ident)
    ]
    return f"it depends on {', '.join(found) or 'several together'}: {ELSEWHERE}, {HOW}"


def test_every_panel_prints_what_was_approved_in_other_surroundings_and_nothing_else_is_approved(
    project_press: Press,
) -> None:
    """What the build printed, in its surroundings, is compared with the same on the built pages (test_pages.py)."""
    assert project_press.panels, "the pages have no panels"
    found = differences(ROOT, project_press)
    ours = {name: panel for name, panel in project_press.panels.items() if not panel.packages}
    found += [
        f"{ident}: {causes(panel)}"
        for ident, panel in ours.items()
        if approved_path(ROOT, ident).exists()
        and project_press.results[ident].approved_form != approved(ident)
    ]
    assert not found, "\n\n".join(found)


def test_no_page_has_a_fault(project_press: Press) -> None:
    assert [str(fault) for fault in project_press.faults] == []


def with_panels_alone(text: str) -> str:
    """A page's Markdown; listings, drawings, formulas, exercises and instruments, which are fences of the press, are plain text."""
    _, front = split_front_matter(text)
    return re.sub(
        r"^(\s*)```(?:python listing=|python .*\bneeds=|drawing |math |exercise |instrument ).*$",
        r"\1```text",
        "\n".join(lines_of(text)[front:]),
        flags=re.MULTILINE,
    )


@pytest.mark.slow
@pytest.mark.once
def test_stock_markdown_exec_runs_the_panels_unchanged(
    project_press: Press, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    fence = {
        "name": "python",
        "class": "python",
        "validator": markdown_exec.validator,
        "format": markdown_exec.formatter,
    }
    claims: list[str] = []

    def check(claim: str, got: object, expected: object) -> None:
        assert got == expected, claim
        claims.append(claim)

    monkeypatch.setattr("nextword.checks.check", check)
    caplog.set_level(logging.WARNING)
    monkeypatch.chdir(ROOT / DATA)
    for page in project_press.pages.values():
        if page.is_notebook:
            continue
        claims.clear()
        converter = markdown.Markdown(
            extensions=["admonition", "pymdownx.details", "pymdownx.superfences"],
            extension_configs={"pymdownx.superfences": {"custom_fences": [fence]}},
        )
        converter.convert(with_panels_alone((ROOT / page.path).read_text(encoding="utf-8")))
        here = [panel for panel in page.panels if not panel.packages and not isinstance(panel, Trial)]
        made = [check.claim for panel in here for check in project_press.results[panel.ident].checks]
        assert claims == made, f"{page.path}: stock markdown-exec does not run its panels"
    assert [record.getMessage() for record in caplog.records if "markdown" in record.name] == []
