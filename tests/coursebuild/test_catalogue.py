"""Each refusal is of a kind that the catalogue explains, with an example that the build refuses in the words that stand there."""

import ast
import re
from pathlib import Path

import pytest

from coursebuild.faults import Fault, Problem, Unfit
from coursebuild.refusals import KINDS, Example, examples

from .examples import FOLDER, messages

ROOT = Path(__file__).resolve().parents[2]
PRESS = ROOT / "src" / "coursebuild"
MAKERS = {"Fault", "Problem", "Unfit", "fault", "refuse"}
BESIDE = {"earlier-panel-fails": "panel-raises", "package-undeclared": "record-missing"}
"""The examples that are refused for another thing as well: what fails, fails earlier; what is not declared was never approved."""
PASSED_ON = {"kind", "slug"}
"""Names of what a maker hands on from its caller, which names the kind."""

pytestmark = pytest.mark.once


def trees() -> dict[str, ast.Module]:
    """The press's own modules; what a drawing refuses is of one kind, which the press names."""
    files = [path for path in PRESS.rglob("*.py") if not {"node_modules", "drawings"} & {*path.parts}]
    return {path.relative_to(PRESS).as_posix(): ast.parse(path.read_text("utf-8")) for path in files}


def made(tree: ast.Module) -> list[ast.Call]:
    """The calls that make a fault, or a message that becomes one."""
    return [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and (node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")) in MAKERS
    ]


def names_its_kind(call: ast.Call) -> bool:
    """Whether a call begins with a kind: one of the catalogue's, or one that is passed on."""
    kind = call.args[0] if call.args else None
    if isinstance(kind, ast.Constant):
        return kind.value in KINDS
    if isinstance(kind, ast.IfExp):
        return all(isinstance(part, ast.Name) or part.value in KINDS for part in (kind.body, kind.orelse))
    if isinstance(kind, ast.Call):
        return ast.unparse(kind.func) == "kind_of"
    return getattr(kind, "attr", getattr(kind, "id", "")) in PASSED_ON


def test_whatever_is_refused_in_the_press_names_a_kind_of_the_catalogue() -> None:
    calls = [(name, call) for name, tree in trees().items() for call in made(tree)]
    assert len(calls) > 100
    assert [
        f"{name}:{call.lineno}: {ast.unparse(call)}" for name, call in calls if not names_its_kind(call)
    ] == []


@pytest.mark.parametrize(
    "code",
    [
        'Fault("a new one", "page.md", 1, "page", "it is bad")',
        'panel.fault("it is bad")',
        'panel.fault(f"{it} is bad", 3)',
        "panel.fault(message)",
        'Problem("it is bad")',
        "Fault(*parts)",
        "Fault()",
    ],
)
def test_a_refusal_without_a_kind_is_seen(code: str) -> None:
    [call] = made(ast.parse(code))
    assert not names_its_kind(call)


def test_the_catalogue_has_no_kind_that_nothing_uses() -> None:
    said = {
        node.value
        for tree in trees().values()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    assert sorted(set(KINDS) - said) == []


def test_a_fault_of_no_known_kind_cannot_be_made() -> None:
    with pytest.raises(ValueError, match=r"'odd' is no kind of refusal: src/coursebuild/refusals\.toml"):
        Fault("odd", "docs/page.md", 1, "page", "it is odd")


def test_a_message_says_place_and_subject_and_message_then_what_to_do_and_its_kind() -> None:
    general = Fault("claim-false", "docs/page.md", 7, "panel 1.1", "the claim does not hold")
    own = Fault("claim-false", "docs/page.md", 7, "panel 1.1", "the claim does not hold", "compute again")
    assert str(general).split("\n") == [
        "docs/page.md:7: panel 1.1: the claim does not hold",
        f"    what to do: {KINDS['claim-false'].remedy} [claim-false]",
    ]
    assert str(own).endswith("    what to do: compute again [claim-false]")


def test_what_is_said_of_a_part_keeps_its_kind() -> None:
    assert (Problem("option-twice", "twice"), Problem("option-twice", "twice").kind) == (
        "twice",
        "option-twice",
    )
    assert (str(Unfit("figure-format", "no")), Unfit("figure-format", "no").kind) == ("no", "figure-format")


@pytest.mark.parametrize("slug", KINDS)
def test_an_entry_is_short_and_whole(slug: str) -> None:
    kind = KINDS[slug]
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", slug)
    assert kind.title[0].isupper()
    assert not kind.title.endswith(".")
    assert len(kind.title) < 70
    assert kind.means.endswith(".")
    assert len(kind.means) < 300
    assert not kind.remedy.endswith(".")
    assert len(kind.remedy) < 160


@pytest.mark.slow
def test_each_example_is_refused_in_the_words_that_were_approved(tmp_path: Path) -> None:
    """``python -m tests.coursebuild.examples``, which ``make approve`` calls, accepts the words of today."""
    found = examples(ROOT)
    said = messages(tmp_path, found)
    assert {slug: said[slug] for slug in found} == {slug: example.message for slug, example in found.items()}


def test_each_kind_has_an_example_and_each_example_a_kind() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(KINDS)


@pytest.mark.parametrize("slug", KINDS)
def test_an_example_is_refused_as_its_kind_alone_at_a_place(slug: str) -> None:
    example = examples(ROOT)[slug]
    said = re.findall(
        r"^\S+:\d+: .*(?:\n .*)*\n    what to do: .+ \[([a-z-]+)\]$", example.message, re.MULTILINE
    )
    assert set(said) - {BESIDE.get(slug)} == {slug}
    for path, line in re.findall(r"^([\w./-]+):(\d+): ", example.message, re.MULTILINE):
        if path in example.files and path.startswith("docs/"):
            assert int(line) <= example.files[path].count("\n"), "the place is beyond the file's end"


def test_an_example_is_read_as_it_is_written(tmp_path: Path) -> None:
    example = Example("Of two lines.", "mkdocs build --dirty", {"docs/a.md": "# A\n", "b.txt": ""}, "")
    path = tmp_path / "example.txtar"
    path.write_text(example.written("docs/a.md:1: page: no"), encoding="utf-8")
    read = Example.read(path)
    assert (read.remark, read.command, read.files) == (example.remark, example.command, example.files)
    assert read.message == "docs/a.md:1: page: no"
