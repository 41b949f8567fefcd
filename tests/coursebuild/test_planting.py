"""What `make faults` does on the whole site, on a small one: each kind of fault, in a panel, an exercise and a lab."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from coursebuild import approval
from coursebuild.approval import approve, pages_of
from coursebuild.panels import Panel
from coursebuild.planting import __main__ as planting
from coursebuild.planting import record
from coursebuild.planting.field import Job
from coursebuild.planting.ground import Ground, Refused, missed, targets_of
from coursebuild.planting.kinds import GROUPS, KINDS, REFUSALS, Expected, Plant, Target, plant
from coursebuild.press import Press
from coursebuild.refusals import KINDS as CATALOGUE

from .conftest import CONFIGURATION, NOTEBOOK_PLUGIN, ROOT, SmallSite, make_site
from .test_exercise_refusals import MODULE_PATH, PAGE_PATH
from .test_exercises import MODULE, PAGE

pytestmark = [pytest.mark.slow, pytest.mark.once]

LAB_PATH = "docs/labs/one.ipynb"
IDENTS = {"panel": "1.1", "exercise": "exercise-1.1", "lab": "lab-one.1"}
EACH = [(kind, group) for group in GROUPS for kind in KINDS]


def lab() -> str:
    cells = [
        {"cell_type": "markdown", "id": "a", "metadata": {}, "source": ["# A lab\n", "\n", "See [the lesson](../../lessons/one/).\n"]},
        {"cell_type": "code", "id": "b", "metadata": {}, "execution_count": None, "outputs": [],
         "source": ["from nextword.checks import check\n", "\n", "total = sum(range(4))\n", "print(total)"]},
        {"cell_type": "code", "id": "c", "metadata": {}, "execution_count": None, "outputs": [],
         "source": ["check(\"It adds up\", total, 6)\n", "check(\"It is above zero\",\n", "      total > 0, True)"]},
    ]  # fmt: skip
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    return json.dumps({"cells": cells, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> SmallSite:
    """A site with a panel, an exercise and a lab, all approved."""
    small = make_site(tmp_path_factory.mktemp("planting"))
    nav = "  - exercises/one.md\n  - labs/one.ipynb\n"
    small.write(CONFIGURATION.replace("NOTEBOOKS\n", NOTEBOOK_PLUGIN) + nav, "mkdocs.yml")
    small.replace('check("The', 'check("It is above zero", total > 0, True)\ncheck("The')
    small.write(MODULE, MODULE_PATH)
    small.write(PAGE, PAGE_PATH)
    small.write(lab(), LAB_PATH)
    (small.root / "docs/assets/img").mkdir(parents=True)
    shutil.copyfile(ROOT / "docs/assets/img/favicon.svg", small.root / "docs/assets/img/favicon.svg")
    assert approve(small.root) == 0
    return small


@pytest.fixture(scope="module")
def ground(site: SmallSite, tmp_path_factory: pytest.TempPathFactory) -> Ground:
    return Ground(site.root, tmp_path_factory.mktemp("ground"))


def planted(ground: Ground, kind: str, group: str) -> Plant:
    return plant(kind, next(one for one in ground.targets if one.ident == IDENTS[group]), ground.read)


def test_the_targets_are_the_panels_the_exercises_and_the_labs(ground: Ground) -> None:
    assert {target.group: target.ident for target in ground.targets} == IDENTS


@pytest.mark.parametrize(("kind", "group"), EACH)
def test_each_kind_of_fault_is_refused_at_its_place(ground: Ground, kind: str, group: str) -> None:
    before = ground.read("docs/lessons/one.md")
    one = planted(ground, kind, group)
    said = ground.refusal(one)
    assert missed(one, said) == [], said
    assert ground.read("docs/lessons/one.md") == before


@pytest.mark.parametrize("kind", list(KINDS))
def test_the_whole_build_says_the_same(ground: Ground, site: SmallSite, kind: str, tmp_path: Path) -> None:
    """A page built in place gives what the command does, which ends with a status that is not zero and writes nothing."""
    group = GROUPS[list(KINDS).index(kind) % len(GROUPS)]
    one = planted(ground, kind, group)
    shutil.copytree(site.root, tmp_path / "site", ignore=shutil.ignore_patterns("site"))
    copy = SmallSite(tmp_path / "site", tmp_path / "site/docs/lessons/one.md")
    copy.write(one.text, one.path)
    [(status, said)] = copy.build_with(("-q",), COURSE_SECONDS="1" if one.is_endless else "30")
    assert status != 0
    assert missed(one, said) == []
    assert said.split("the site is not published: ")[1].split("\n")[0] in ground.refusal(one)
    assert not (copy.root / "site/index.html").exists()


def test_a_loop_that_other_panels_begin_with_ends_in_each_after_a_second(ground: Ground) -> None:
    first = Panel("1.1", "One", "while True:\n    pass\n", "docs/lessons/one.md", 1)
    others = replace(first, ident="1.2", before=(first,)), replace(first, ident="1.3", code="pass\n")
    ground.press.endless = first.ident
    try:
        limits = [ground.press.surroundings_of(panel).seconds for panel in (first, *others)]
    finally:
        ground.press.endless = ""
    assert limits == [1, 1, ground.press.around.seconds] != [1, 1, 1]


def test_the_place_of_a_fault_is_where_it_was_planted(ground: Ground) -> None:
    """The lines that are expected, against the texts of the files: the edits do not count as the press does."""
    for kind, words in {
        "an exception": "raise LookupError",
        "an endless loop": "while True",
        "a stale number in prose": "6.1",
        "a broken link": "no-such-",
        "a picture without text": "![]",
    }.items():
        for group in ("panel", "lab"):
            one = planted(ground, kind, group)
            rows = one.text.split("\n")
            [expected] = one.expected
            assert any(words in rows[row - 1] or "0.7343" in rows[row - 1] for row in expected.rows), kind
    false = planted(ground, "a false check", "lab")
    assert len(false.expected) == 2
    for expected in false.expected:
        [row] = expected.rows
        assert "check(" in false.text.split("\n")[row - 1]


def test_a_kind_is_said_as_the_catalogue_of_refusals_has_it() -> None:
    assert list(REFUSALS) == list(KINDS)
    assert {slug for slugs in REFUSALS.values() for slug in slugs} <= {*CATALOGUE}


SAID = "the site is not published: 1 fault\ndocs/a.md:7: panel 1.1: it is wrong\n  in two lines\n    what to do: mend it [claim-false]\n"
WANTED = Plant(
    "a false check", Target("panel", "1.1", "docs/a.md", 3), "docs/a.md", "", (Expected((7,), "wrong", ("claim-false",)),)
)  # fmt: skip


@pytest.mark.parametrize(
    "expected",
    [
        Expected((8,), "wrong", ("claim-false",)),
        Expected((7,), "right", ("claim-false",)),
        Expected((7,), "wrong", ("claim-twice",)),
    ],
)
def test_another_line_other_words_or_another_kind_is_no_refusal_of_the_fault(expected: Expected) -> None:
    assert missed(WANTED, SAID) == []
    assert missed(WANTED, "") != []
    assert len(missed(replace(WANTED, expected=(*WANTED.expected, expected)), SAID)) == 1


def test_a_press_that_looks_away_is_found_out(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(approval, "unapproved", lambda press: [])
    one = planted(ground, "an output that drifts", "panel")
    assert ground.refusal(one) == ""
    assert missed(one, "") != []


def test_a_plant_of_which_nothing_is_expected_is_missed() -> None:
    """Of nothing nothing would be missed, and a build that lets it pass would count as one that refuses it."""
    for said in ("", SAID):
        assert missed(replace(WANTED, expected=()), said) != []


def test_a_site_that_is_at_fault_as_it_is_is_no_ground(site: SmallSite, tmp_path: Path) -> None:
    shutil.copytree(site.root, tmp_path / "site")
    copy = SmallSite(tmp_path / "site", tmp_path / "site/docs/lessons/one.md")
    copy.replace("total, 6)", "total, 7)")
    copy.write("# A page\n", LAB_PATH.replace("ipynb", "md"))
    (tmp_path / "ground").mkdir()
    with pytest.raises(Refused, match="does not hold"):
        Ground(copy.root, tmp_path / "ground")


@pytest.fixture
def blind(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    def outcomes(root: Path, jobs: list[Job], processes: int) -> Iterator[record.Outcome]:
        for number, (ident, kind) in enumerate(jobs):
            yield record.Outcome(kind, "panel", ident, ("docs/a.md:1: it",) if number == 0 else (), "")

    monkeypatch.setattr(planting, "outcomes", outcomes)
    return


@pytest.mark.usefixtures("blind")
def test_one_that_is_missed_is_named_and_ends_with_one(
    site: SmallSite, capsys: pytest.CaptureFixture[str]
) -> None:
    assert planting.main(["--root", str(site.root), "1.1"]) == 1
    said = capsys.readouterr()
    assert "MISSED a false check in 1.1\n  expected docs/a.md:1: it\n  came nothing" in said.err
    assert re.search(r"^a false check +0 of 1 *$", said.out, re.MULTILINE)
    assert f"{len(KINDS)} planted, {len(KINDS) - 1} refused at their place" in said.out
    assert not (site.root / record.FILE).exists()


@pytest.mark.usefixtures("blind")
def test_a_run_of_all_is_written_down_and_published(site: SmallSite, tmp_path: Path) -> None:
    shutil.copytree(site.root, tmp_path / "site", ignore=shutil.ignore_patterns("site"))
    copy = SmallSite(tmp_path / "site", tmp_path / "site/docs/lessons/one.md")
    assert planting.main(["--root", str(copy.root)]) == 1
    found, _ = record.read(copy.root)
    assert found is not None
    assert found["targets"] == {"panel": sorted(IDENTS.values()), "exercise": [], "lab": []}
    assert found["kinds"]["a false check"] == {"panel": [3, 2], "exercise": [0, 0], "lab": [0, 0]}
    assert found["kinds"]["a broken link"]["panel"] == [3, 3]
    copy.write("# The front page\n\n[[ledger]]\n", "docs/index.md")
    [(status, said)] = copy.build_with(("-q",))
    assert status == 0, said
    shown = (copy.root / "site/index.html").read_text(encoding="utf-8").replace("&nbsp;", " ")
    text = re.sub(r"<[^>]+>", "", shown)
    many = 3 * len(KINDS)
    assert f"{many} faults were planted in the pages, one at a time" in text
    assert f"The build refused {many - 1} of them at their place." in text
    assert "A false check2 of 30 of 00 of 0" in text
    assert (
        "At the end stand the numbers that no panel computes, and what became of faults that were planted"
        in text
    )


SOUND = {
    "date": "2026-11-30",
    "targets": {"panel": ["1.1", "1.2"], "exercise": [], "lab": []},
    "kinds": {kind: {"panel": [2, 1], "exercise": [0, 0], "lab": [0, 0]} for kind in KINDS},
}
NONE_LEFT = {"panel": [2, 2], "exercise": [0, 0], "lab": [0, 0]}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        "{}",
        json.dumps(SOUND | {"date": "yesterday"}),
        json.dumps(SOUND | {"date": None}),
        json.dumps(SOUND | {"kinds": {}}),
        json.dumps(SOUND | {"kinds": {kind: {"panel": [2, 2]} for kind in KINDS}}),
        json.dumps(SOUND | {"kinds": {kind: NONE_LEFT | {"panel": [2, 99]} for kind in KINDS}}),
        json.dumps(SOUND | {"kinds": {kind: NONE_LEFT | {"panel": [99, 99]} for kind in KINDS}}),
        json.dumps(SOUND | {"kinds": {kind: NONE_LEFT | {"panel": [2, "2"]} for kind in KINDS}}),
        json.dumps(SOUND | {"targets": {"panel": ["1.1", "1.1"], "exercise": [], "lab": []}}),
        json.dumps(SOUND | {"targets": {"panel": ["1.1", "1.2"]}}),
    ],
)
def test_what_is_no_record_is_not_published(tmp_path: Path, text: str) -> None:
    assert record.read(tmp_path) == (None, [])
    (tmp_path / "tests").mkdir()
    (tmp_path / record.FILE).write_text(json.dumps(SOUND), encoding="utf-8")
    assert record.read(tmp_path) == (SOUND, [])
    (tmp_path / record.FILE).write_text(text, encoding="utf-8")
    found, [fault] = record.read(tmp_path)
    assert found is None
    assert (fault.kind, fault.path) == ("planted-unreadable", "tests/faults.json")


@pytest.mark.skipif(not (ROOT / record.FILE).exists(), reason="make faults has not been run")
def test_the_record_of_the_course_is_of_its_panels_exercises_and_labs() -> None:
    """What the ledger's page publishes: each kind in each of them that there is now, and none was missed."""
    found, damaged = record.read(ROOT)
    assert found is not None, damaged
    press = Press(ROOT)
    press.read(pages_of(ROOT))
    here = {group: sorted(one.ident for one in targets_of(press) if one.group == group) for group in GROUPS}
    assert found["targets"] == here, "make faults renews the record"
    assert found["kinds"] == {kind: {group: [len(here[group])] * 2 for group in GROUPS} for kind in KINDS}


def test_the_command_plants_in_a_process_of_its_own(site: SmallSite) -> None:
    """As a user starts it: a module that is run cannot be found again by the processes that it starts."""
    command = [sys.executable, "-m", "coursebuild.planting", "--root", str(site.root), "--processes", "1"]
    done = subprocess.run(
        [*command, "--kind", "a broken link", "1.1"],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr
    assert "1 planted, 1 refused at their place" in done.stdout
