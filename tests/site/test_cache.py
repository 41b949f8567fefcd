"""The project's own panels and what is kept of their runs: what each read is what its imports say, and no more runs again."""

import ast
import functools
import shutil
from collections import Counter
from pathlib import Path

import pytest

from coursebuild import cache, runner
from coursebuild.cache import Cache
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.runner import Execution, Surroundings

from .elsewhere import ELSEWHERE, ROOT

SOURCE = ROOT / "src"


def file_of(module: str) -> str:
    """The file of a module of the library, relative to the project; nothing if there is no such module."""
    base = SOURCE.joinpath(*module.split("."))
    found = [path for path in (base / "__init__.py", base.with_suffix(".py")) if path.is_file()]
    return found[0].relative_to(ROOT).as_posix() if found else ""


def modules_in(code: str) -> set[str]:
    """The modules of the library that code imports when it runs, and the packages in which they lie."""
    named: set[str] = set()
    nodes = list(ast.parse(code).body)
    for node in nodes:
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            nodes += [child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt)]
        if isinstance(node, ast.Import):
            named |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            named |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    parts = [name.split(".") for name in named if name.split(".")[0] == "nextword"]
    return {".".join(part[:end]) for part in parts for end in range(1, len(part) + 1)}


@functools.cache
def files_of(module: str) -> frozenset[str]:
    """The files that an import of a module reads."""
    todo, found = [module], set[str]()
    while todo:
        file = file_of(todo.pop())
        if file and file not in found:
            found.add(file)
            todo += modules_in((ROOT / file).read_text(encoding="utf-8"))
    return frozenset(found)


def files_by_imports(panel: Panel) -> set[str]:
    """The files that a panel reads, as its code and that of the library say."""
    code = "\n".join(["from nextword.checks import check", *(part.code for part in panel.program)])
    return {file for module in modules_in(code) for file in files_of(module)}


def panels_here(press: Press) -> dict[str, Panel]:
    """The panels that are run here, and not in the lane of the real libraries."""
    return {ident: panel for ident, panel in press.panels.items() if not panel.packages}


def test_each_run_read_the_files_that_its_imports_name(project_press: Press) -> None:
    panels = panels_here(project_press)
    assert len(panels) > 100
    for ident, panel in panels.items():
        read = project_press.reads[ident]
        assert read is not None, f"nobody can tell what {ident} read"
        files = {path for path, state in read.items() if state and path.endswith(".py")}
        assert files == files_by_imports(panel), ident
        data = {path for path, state in read.items() if state and path.startswith("docs/")}
        assert data == {f"{runner.DATA}/{name}" for name in panel.files}, ident


def again(copy: Path, press: Press) -> set[str]:
    """The panels that would run again in a copy of the project, by what is kept of their runs in the project itself."""
    assert press.cache
    kept = Cache(copy, press.cache.folder)
    return {
        ident
        for ident, panel in panels_here(press).items()
        if not kept.recall(cache.key_of_panel(panel, ELSEWHERE))
    }


MODULES = sorted(path.relative_to(ROOT).as_posix() for path in SOURCE.joinpath("nextword").glob("*.py"))


def test_an_edit_runs_the_panels_again_that_import_the_module_and_no_other(
    project_press: Press, tmp_path: Path
) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE / "nextword", tmp_path / "src/nextword", ignore=ignored)
    shutil.copytree(ROOT / runner.DATA, tmp_path / runner.DATA)
    assert again(tmp_path, project_press) == set()
    users: Counter[str] = Counter()
    for module in MODULES:
        path = tmp_path / module
        text = path.read_text(encoding="utf-8")
        path.write_text(text + "\n# An edit.\n", encoding="utf-8")
        panels = panels_here(project_press)
        importing = {ident for ident, panel in panels.items() if module in files_by_imports(panel)}
        assert again(tmp_path, project_press) == importing, module
        path.write_text(text, encoding="utf-8")
        users[module] = len(importing)
    assert again(tmp_path, project_press) == set()
    everywhere = len(panels_here(project_press))
    for name in ("attention", "sampling", "ngram"):
        assert 3 < users[f"src/nextword/{name}.py"] < everywhere / 2, users
    for data in tmp_path.joinpath(runner.DATA).glob("*"):
        content = data.read_bytes()
        data.write_bytes(content + b"\n")
        expected = {ident for ident, panel in panels_here(project_press).items() if data.name in panel.files}
        assert again(tmp_path, project_press) == expected, data.name
        data.write_bytes(content)


def test_it_is_so_when_it_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(SOURCE / "nextword", tmp_path / "src/nextword", ignore=ignored)
    page = tmp_path / "docs/foundations/saturation.md"
    page.parent.mkdir(parents=True)
    shutil.copyfile(ROOT / "docs/foundations/saturation.md", page)
    ran: list[str] = []
    plain = runner.execute

    def execute(panel: Panel, around: Surroundings) -> Execution:
        ran.append(panel.ident)
        return plain(panel, around)

    monkeypatch.setattr(runner, "execute", execute)

    def build() -> set[str]:
        ran.clear()
        press = Press(tmp_path, cache=Cache(tmp_path, tmp_path / cache.FOLDER))
        press.prepare([(page, "foundations/saturation/")])
        assert {fault.anchor for fault in press.faults} == {""}, "links to panels of other pages alone"
        panels.update(press.panels)
        return set(ran)

    panels: dict[str, Panel] = {}
    assert build() == set(panels)
    assert build() == set()
    for module in ("softmax", "attention"):
        path = tmp_path / f"src/nextword/{module}.py"
        path.write_text(path.read_text(encoding="utf-8") + "\n# An edit.\n", encoding="utf-8")
        file = f"src/nextword/{module}.py"
        expected = {ident for ident, panel in panels.items() if file in files_by_imports(panel)}
        assert build() == expected
        assert (len(expected) > 0) == (module == "softmax")
        assert len(expected) < len(panels)
