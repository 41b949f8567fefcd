"""What the preview takes from the build before: after any edit its site is the one that a fresh build writes."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import File

from coursebuild import rebuild, site
from coursebuild.approval import pages_of
from coursebuild.library import Library, UnknownName
from coursebuild.panels import Panel
from coursebuild.press import Press
from coursebuild.rebuild import Remembered
from coursebuild.runner import Surroundings

from .conftest import CONFIGURATION, PANEL, ROOT, SmallSite

PLUGINS = """\
  - search
  - mkdocstrings: {handlers: {python: {paths: [src], options: {show_source: true, separate_signature: true}}}}
"""
LIBRARY = '"""Halves."""\n\n\ndef half(x: float) -> float:\n    """Half of a number.\n\n    See [the lesson](lessons/one.md).\n    """\n    return x / 2\n'
LESSON = f'# A lesson\n\nIt is [[1.1.total]].\n\n{PANEL}\n```python listing="nextword.halves.half"\n```\n'
QUOTES = "# The front page\n\nTo [the lesson](lessons/one.md). It says [[1.1.total]].\n\n[half][nextword.halves.half]\n"
REFERENCE = "# Halves\n\n::: nextword.halves\n"
BESIDE = ("tests/outputs/1.1.txt", "tests/addresses.txt", "tests/refusals/one.txtar", "tests/faults.json")
NAV = ["index.md", "lessons/one.md", {"The ledger": "ledger.md"}, "reference/halves.md"]


def settings(**changed: Any) -> str:
    text = CONFIGURATION.replace("NOTEBOOKS\n", PLUGINS).replace(
        "theme: {name: null, custom_dir:", "theme: {name: material, font: false, custom_dir:"
    )
    text = text.replace(str(Path(__file__).with_name("theme")), "theme")
    text = text.replace(", static_templates: [404.html, sitemap.xml]", "")
    return text.partition("\nnav:\n")[0] + "\n" + yaml.safe_dump({"nav": NAV} | changed)


EDITS: dict[str, dict[str, str | None]] = {
    "nothing": {},
    "a sentence": {"docs/lessons/one.md": LESSON + "\nA sentence.\n"},
    "a figure that another page quotes": {
        "docs/lessons/one.md": LESSON.replace("[1, 2, 3])", "[1, 2, 4])").replace("total, 6)", "total, 7)")
    },
    "a fault": {"docs/lessons/one.md": LESSON.replace("total, 6)", "total, 7)")},
    "the fault mended": {"docs/lessons/one.md": LESSON},
    "a claim in the ledger": {"docs/lessons/one.md": LESSON.replace("The parts add up", "The sum is right")},
    "a listing and its docstring": {
        "src/nextword/halves.py": LIBRARY.replace("x / 2", "x * 0.5").replace("Half of", "The half of")
    },
    "a docstring that quotes a figure": {
        "src/nextword/halves.py": LIBRARY.replace("Half of a number", "Half of a number, not [[1.1.total]]")
    },
    "the figure in the docstring": {
        "docs/lessons/one.md": LESSON.replace("[1, 2, 3])", "[2, 2, 4])").replace("total, 6)", "total, 8)")
    },
    "a name in the nav": {"mkdocs.yml": settings(nav=[*NAV[:2], {"All claims": "ledger.md"}, *NAV[3:]])},
    "the site's name, and how the reference is shown": {
        "mkdocs.yml": settings()
        .replace("A small site", "A tiny site")
        .replace("show_source: true", "show_source: false")
    },
    "a file of the theme": {
        "theme/main.html": '{% extends "base.html" %}{% block footer %}The end{% endblock %}'
    },
    "a page less": {
        "docs/ledger.md": None,
        "mkdocs.yml": settings(nav=[*NAV[:2], *NAV[3:]]),
    },
    "a page more": {
        "docs/two.md": "---\ntitle: Two\nsearch: {exclude: true}\n---\n# More\n\nWords.\n",
        "mkdocs.yml": settings(nav=[*NAV[:2], "two.md", *NAV[3:]]),
    },
    "only its front matter": {"docs/two.md": "---\ntitle: Three\n---\n# More\n\nWords.\n"},
    "the title of the page": {"docs/two.md": "---\ntitle: Three\n---\n# Most\n\nWords.\n"},
}


@pytest.mark.slow
@pytest.mark.once
def test_after_any_edit_the_preview_shows_what_a_fresh_build_shows(small_site: SmallSite) -> None:
    small_site.write(settings(), "mkdocs.yml")
    small_site.write(QUOTES, "docs/index.md")
    small_site.write(LESSON)
    small_site.write("# The ledger\n\n[[ledger]]\n", "docs/ledger.md")
    small_site.write(REFERENCE, "docs/reference/halves.md")
    small_site.write(LIBRARY, "src/nextword/halves.py")
    small_site.write('{% extends "base.html" %}', "theme/main.html")
    done = subprocess.run(
        [
            sys.executable,
            str(Path(__file__).with_name("rebuild_with_edits.py")),
            str(small_site.root),
            json.dumps(list(EDITS.values())),
        ],
        capture_output=True,
        text=True,
        timeout=600,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    assert dict(zip(EDITS, json.loads(done.stdout), strict=True)) == {name: [] for name in EDITS}


def test_it_is_computed_again_when_what_it_is_made_of_changed() -> None:
    made: list[str] = []
    remembered = Remembered()
    for what, made_of in [("a", 1), ("b", 1), ("a", 1), ("a", 2), ("a", 1), ("b", 1)]:
        remembered.get(what, made_of, lambda what=what: made.append(what))  # type: ignore[misc]
    assert made == ["a", "b", "a", "a"]
    remembered.drop("b")
    remembered.get("b", 1, lambda: made.append("b"))
    assert made[-1] == "b"


def test_a_page_is_read_as_a_notebook_again_only_when_it_or_the_settings_changed(tmp_path: Path) -> None:
    asked: list[str] = []

    def plugin(**settings: object) -> Any:
        return SimpleNamespace(config=settings, should_include=lambda file: bool(asked.append(file.src_uri)))

    remembered = Remembered()
    page = tmp_path / "one.md"
    page.write_text("One.", encoding="utf-8")
    file = File("one.md", str(tmp_path), str(tmp_path / "site"), use_directory_urls=True)
    for change, count in [(None, 1), (None, 1), ("Two.", 2), (None, 2), ("settings", 3)]:
        if change == "Two.":
            page.write_text(change, encoding="utf-8")
        jupyter = plugin(execute=change != "settings")
        rebuild.remember(SimpleNamespace(plugins={"mkdocs-jupyter": jupyter}), remembered)  # type: ignore[arg-type]
        assert jupyter.should_include(file) is False
        assert len(asked) == count


@pytest.mark.parametrize(
    "edited",
    ["nothing", "docs/lessons/one.md", "src/nextword/checks.py", "mkdocs.yml", "docs/new.md", *BESIDE],
)
@pytest.mark.once
def test_what_was_edited_during_the_first_build_is_built_again(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch, edited: str
) -> None:
    root = small_site.root
    for name in BESIDE:
        small_site.write("", name)
    config: Any = SimpleNamespace(
        docs_dir=str(root / "docs"), config_file_path=str(root / "mkdocs.yml"), watch=[str(root / "src")]
    )
    server = LiveReloadServer(lambda: None, "127.0.0.1", 0, str(root))
    monkeypatch.setattr(site.State, "at_start", rebuild.watched(config))
    if edited != "nothing":
        with root.joinpath(edited).open("a", encoding="utf-8") as file:
            file.write("\n")
    assert not server._want_rebuild
    assert site.on_serve(server, config, None) is server
    assert server._want_rebuild is (edited != "nothing")
    assert [fault.path for fault in site.edited_meanwhile(config)] == [edited] * (edited != "nothing")
    assert all(any(str(root / name).startswith(path) for path in server._watched_paths) for name in BESIDE)
    server.server_close()


LISTED = '# A lesson\n\n```python listing="nextword.linked.half"\n```\n'


@pytest.mark.once
def test_a_module_that_was_a_link_is_gone_when_the_link_is_renamed(small_site: SmallSite) -> None:
    small_site.write(LIBRARY, "src/nextword/halves.py")
    link = small_site.root / "src/nextword/linked.py"
    link.symlink_to("halves.py")
    small_site.write(LISTED)
    press = Press(small_site.root, Surroundings(source=small_site.root / "src"))
    press.read(pages_of(small_site.root))
    assert press.library.listing("nextword.linked.half")
    link.rename(link.with_name("other.py"))
    press.read(pages_of(small_site.root))
    with pytest.raises(UnknownName):
        press.library.listing("nextword.linked.half")


@pytest.mark.once
def test_what_was_read_of_the_library_during_an_edit_is_read_again(small_site: SmallSite) -> None:
    path = small_site.root / "src/nextword/halves.py"
    path.write_text(LIBRARY, encoding="utf-8")
    press = Press(small_site.root, Surroundings(source=small_site.root / "src"))
    press.read([])
    assert not press.forget_library_if_edited()
    path.write_text(LIBRARY.replace("x / 2", "x * 0.5"), encoding="utf-8")
    assert "x * 0.5" in press.library.listing("nextword.halves.half").text
    assert press.forget_library_if_edited()
    path.write_text(LIBRARY, encoding="utf-8")
    press.read([])
    assert "x / 2" in press.library.listing("nextword.halves.half").text


@pytest.mark.once
def test_after_an_edit_of_a_module_what_imports_it_unfolds_anew_and_nothing_else(
    small_site: SmallSite, monkeypatch: pytest.MonkeyPatch
) -> None:
    quarters = small_site.root / "src/nextword/quarters.py"
    text = "from nextword.halves import half\n\n\ndef quarter(x: float) -> float:\n    return half(half(x))\n"
    small_site.write(LIBRARY, "src/nextword/halves.py")
    small_site.write(text, "src/nextword/quarters.py")
    small_site.write("def same(x: float) -> float:\n    return x\n", "src/nextword/wholes.py")
    names = {"nextword.halves": "half", "nextword.quarters": "quarter", "nextword.wholes": "same"}
    panels = "\n".join(
        f'```python exec="on" id="1.{number}" title="A number"\nfrom nextword.checks import check\nfrom {module} import {name}\n\n'
        f'check("It is positive", {name}(4) > 0, True)\n```\n'
        for number, (module, name) in enumerate(names.items(), 1)
    )
    small_site.write(f"# A page\n\n{panels}")
    press = Press(small_site.root, Surroundings(source=small_site.root / "src"))
    pages = pages_of(small_site.root)
    unfolded: list[str] = []
    plain = Library.unfold

    def noted(library: Library, panel: Panel) -> str:
        unfolded.append(panel.ident)
        return plain(library, panel)

    monkeypatch.setattr(Library, "unfold", noted)

    def again() -> list[str]:
        unfolded.clear()
        press.prepare(pages)
        assert not press.faults
        fresh = Library(small_site.root / "src")
        assert press.programs == {ident: plain(fresh, panel) for ident, panel in press.panels.items()}
        return sorted(unfolded)

    assert again() == ["1.1", "1.2", "1.3"]
    assert again() == []
    small_site.write(LIBRARY.replace("x / 2", "x * 0.5"), "src/nextword/halves.py")
    assert again() == ["1.1", "1.2"]
    quarters.write_text(text.replace("half(half(x))", "half(x) / 2"), encoding="utf-8")
    assert again() == ["1.2"]
    small_site.write("def third(x: float) -> float:\n    return x / 3\n", "src/nextword/thirds.py")
    assert again() == ["1.1", "1.2", "1.3"]  # another file may be what a name means
