"""The service worker of a built site: a new one whenever anything of the site is new, and only then."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from coursebuild import offline


def constants(site: Path) -> dict[str, object]:
    offline.write(site)
    script = (site / "service-worker.js").read_text(encoding="utf-8")
    return {
        name: json.loads(value)
        for name, value in re.findall(r"^const (BUILD|LASTING) = (.*);$", script, re.M)
    }


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for name in (
        "index.html",
        "sitemap.xml",
        "assets/live/0123/panel.js",
        "assets/pyodide/0.27.7/pyodide.mjs",
        "assets/a.png",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    return tmp_path


def test_it_knows_the_folders_whose_files_never_change(site: Path) -> None:
    assert constants(site)["LASTING"] == ["assets/live/0123/", "assets/pyodide/0.27.7/"]


def test_it_differs_with_every_file_of_the_site_but_the_dated_ones(site: Path) -> None:
    first = constants(site)["BUILD"]
    assert re.fullmatch("[0-9a-f]{16}", str(first))
    assert constants(site)["BUILD"] == first, "its own file does not count"
    (site / "sitemap.xml").write_text("of another day")
    assert constants(site)["BUILD"] == first
    (site / "assets/a.png").write_text("another picture")
    second = constants(site)["BUILD"]
    (site / "assets/a.png").rename(site / "assets/b.png")
    third = constants(site)["BUILD"]
    (site / "assets/b.png").unlink()
    assert len({first, second, third, constants(site)["BUILD"]}) == 4


def test_addresses_of_own_styles_and_scripts_change_with_their_bytes(tmp_path: Path) -> None:
    (tmp_path / "own.css").write_text("p {}")
    (tmp_path / "own.js").write_text("run()")
    script, of_a_plugin = SimpleNamespace(path="own.js"), "plugin.js"

    def named() -> list[str]:
        script.path = "own.js"
        config = SimpleNamespace(
            docs_dir=str(tmp_path),
            extra_css=["own.css", "plugin.css"],
            extra_javascript=[script, of_a_plugin],
        )
        offline.name_by_content(config)  # type: ignore[arg-type]
        return [*config.extra_css, script.path, of_a_plugin]

    first = named()
    assert re.fullmatch(r"own\.css\?[0-9a-f]{8} plugin\.css own\.js\?[0-9a-f]{8} plugin\.js", " ".join(first))
    assert named() == first
    (tmp_path / "own.css").write_text("p { color: red }")
    second = named()
    assert second[0] != first[0] and second[1:] == first[1:]
