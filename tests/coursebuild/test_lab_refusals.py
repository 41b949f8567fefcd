"""An error in any cell of a lab is refused with its cell and line; and no lab is shown as an older source made it run."""

import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from coursebuild import notebooks, runner
from coursebuild.faults import Fault
from coursebuild.panels import Panel

from .conftest import ROOT, SmallSite

pytestmark = pytest.mark.once

LABS = {
    path.stem: path.read_text(encoding="utf-8") for path in sorted(ROOT.joinpath("docs/labs").glob("*.ipynb"))
}
IMPORT = "from nextword.checks import check\n"

each = pytest.mark.parametrize("lab", LABS)


def cells_of(lab: str) -> list[int]:
    """The numbers of a lab's code cells, as messages name them."""
    return [
        number for number, cell in enumerate(json.loads(LABS[lab])["cells"], 1) if cell["cell_type"] == "code"
    ]


def planted(lab: str, plants: dict[int, str], top: str = "", **stored: object) -> str:
    """A lab with lines at the end of some of its code cells, and something stored in them."""
    content: dict[str, Any] = json.loads(LABS[lab])
    first = min(cells_of(lab))
    for number, cell in enumerate(content["cells"], 1):
        text = "".join(cell["source"])
        if number in plants:
            text = f"{text}\n{plants[number]}"
            cell |= stored
        cell["source"] = f"{top if number == first else ''}{text}".splitlines(keepends=True)
    return json.dumps(content, indent=1, ensure_ascii=False) + "\n"


def program_of(text: str) -> Panel:
    """A notebook's program, as it is written without a fault."""
    _, [program], faults = notebooks.parse("docs/labs/lab.ipynb", text)
    assert faults == []
    return program


def run(text: str) -> tuple[Fault, ...]:
    """What a run of a notebook's program is refused for."""
    return runner.run(program_of(text)).faults


def test_there_are_labs_and_none_holds_an_output() -> None:
    assert len(LABS) == 5
    for lab, text in LABS.items():
        assert len(cells_of(lab)) >= 10
        for cell in json.loads(text)["cells"]:
            assert not cell.get("outputs") and cell.get("execution_count") is None, lab


@pytest.mark.slow
@each
def test_a_false_check_in_any_cell_is_refused(lab: str) -> None:
    """One run shows all: it goes on after a check that does not hold."""
    numbers = cells_of(lab)
    plants = {
        number: f'check("planted {chr(96 + at)}", __name__, "here")' for at, number in enumerate(numbers, 1)
    }
    text = planted(lab, plants, IMPORT)
    lines = text.split("\n")
    faults = run(text)
    assert [fault.subject for fault in faults] == [f"cell {number}" for number in numbers]
    for at, fault in enumerate(faults, 1):
        claim = f"planted {chr(96 + at)}"
        assert fault.message == f"the claim “{claim}” does not hold: got '__main__', expected 'here'"
        assert claim in lines[fault.line - 1]


@pytest.mark.slow
@each
def test_an_error_in_any_cell_is_refused(lab: str) -> None:
    numbers = cells_of(lab)
    texts = [planted(lab, {number: 'raise LookupError("planted")'}) for number in numbers]
    programs = [program_of(text) for text in texts]  # CPython 3.11 breaks when two threads read code at once
    around = runner.Surroundings()
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        done = list(pool.map(lambda program: runner.execute(program, around), programs))
        for number, text, program, one in zip(numbers, texts, programs, done, strict=True):
            [fault] = runner.judge(program, around, one).faults
            assert fault.subject == f"cell {number}"
            assert fault.message.startswith("LookupError: planted")
            assert 'raise LookupError(\\"planted\\")' in text.split("\n")[fault.line - 1]


@each
def test_an_output_that_is_stored_is_refused(lab: str) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": ["a lie\n"]}
    text = planted(lab, dict.fromkeys(cells_of(lab), ""), outputs=[output])
    faults = [fault for fault in notebooks.parse("docs/labs/lab.ipynb", text)[2] if "stored" in fault.message]
    assert [fault.subject for fault in faults] == [f"cell {number}" for number in cells_of(lab)]
    assert all(text.split("\n")[fault.line - 1].strip() == '"cell_type": "code",' for fault in faults)


# In a true build


def put(site: SmallSite, lab: str, text: str) -> str:
    """Make a lab the one of the small site: its code alone, for its text speaks of pages that are not there."""
    content = json.loads(text)
    for number, cell in enumerate(content["cells"]):
        if cell["cell_type"] == "markdown":
            cell["source"] = ["# A lab"] if number == 0 else ["Some words."]
    name = f"docs/labs/{lab}.ipynb"
    site.write(json.dumps(content, indent=1, ensure_ascii=False) + "\n", name)
    site.replace("  - labs/one.ipynb\n", f"  - labs/{lab}.ipynb\n", "mkdocs.yml")
    return name


@pytest.mark.slow
@pytest.mark.parametrize(
    ("lab", "plant", "message"),
    [
        ("17-tokenization", 'raise LookupError("planted")', "LookupError: planted"),
        ("20-attention", 'check("Planted", __name__, "here")', "“Planted” does not hold: got '__main__'"),
    ],
)
def test_the_build_refuses_a_lab(notebook_site: SmallSite, lab: str, plant: str, message: str) -> None:
    number = cells_of(lab)[len(cells_of(lab)) // 2]
    name = put(notebook_site, lab, planted(lab, {number: plant}, IMPORT))
    line = next(
        at
        for at, text in enumerate((notebook_site.root / name).read_text(encoding="utf-8").split("\n"), 1)
        if json.dumps(plant)[1:-1] in text
    )
    [(status, said)] = notebook_site.build_with(("--strict", "-q"))
    assert status != 0
    assert re.search(
        rf"^{re.escape(name)}:{line}: cell {number}: .*{re.escape(message)}", said, re.MULTILINE
    ), said
    assert "1 fault\n" in said, said
    assert not (notebook_site.root / "site/index.html").exists()


@pytest.mark.slow
def test_an_endless_loop_in_a_lab_ends_the_build(notebook_site: SmallSite) -> None:
    """Its program is stopped in time, and no kernel, which has no limit, is started after that."""
    number = cells_of("20-attention")[2]
    name = put(notebook_site, "20-attention", planted("20-attention", {number: "while True: pass"}, IMPORT))
    rows = (notebook_site.root / name).read_text(encoding="utf-8").split("\n")
    line = next(at for at, text in enumerate(rows, 1) if "while True: pass" in text)
    [(status, said)] = notebook_site.build_with(("-q",), COURSE_SECONDS="2")
    assert status != 0
    assert f"{name}:{line}: cell {number}: still running after 2 s" in said
    assert "1 fault\n" in said, said


@pytest.mark.slow
def test_an_edit_of_the_source_is_seen_in_the_next_build_of_a_lab(notebook_site: SmallSite) -> None:
    """First one that changes what the lab prints, then one that contradicts what it claims."""
    lab, attention = "20-attention", "src/nextword/attention.py"
    said_first = "print(causal_mask.__doc__.splitlines()[0])"
    put(notebook_site, lab, planted(lab, {cells_of(lab)[-1]: said_first}))

    def built() -> str:
        [(status, said)] = notebook_site.build_with(("--strict", "-q"))
        assert status == 0, said
        return re.sub(r"<[^>]+>", "", notebook_site.page(f"labs/{lab}"))

    before = "Let each token look at itself and at what came before."
    assert before in built()
    notebook_site.replace(before, "Let each token look back.", attention)
    after = built()
    assert "Let each token look back." in after
    assert before not in after
    notebook_site.replace("[[key <= query for", "[[key <= query + 1 for", attention)
    [(status, said)] = notebook_site.build_with(("--strict", "-q"))
    assert status != 0
    assert "the claim “The weights are those of nextword.attention” does not hold" in said
