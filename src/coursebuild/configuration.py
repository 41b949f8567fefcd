"""Checks mkdocs.yml: settings under which a false page could pass, and what every page shows of it."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.nav import Navigation

from coursebuild import extension, numbers
from coursebuild.faults import Fault
from coursebuild.press import OWN

NOTEBOOKS = {"allow_errors": False, "cache": False, "execute": True, "include": ["*.ipynb"]}
"""What mkdocs-jupyter must be told: its defaults let errors pass, and serve outputs of an older source."""


def faults_of_settings(config: MkDocsConfig, root: Path, dirty: bool) -> list[Fault]:
    """Settings under which a false page could pass."""
    path = Path(config.config_file_path)
    lines = path.read_text(encoding="utf-8").splitlines()
    name = path.relative_to(root).as_posix()

    def fault(kind: str, word: str, message: str) -> Fault:
        line = next((number for number, text in enumerate(lines, 1) if word in text), 1)
        return Fault(kind, name, line, "configuration", message)

    faults = []
    if dirty:
        message = "a --dirty build keeps pages whose figures may have changed; build the whole site"
        faults.append(fault("build-dirty", "site_name", message))
    notebook = config.plugins.get("mkdocs-jupyter")
    for option, value in NOTEBOOKS.items():
        if notebook and notebook.config[option] != value:
            faults.append(
                fault(
                    "notebook-settings",
                    "mkdocs-jupyter",
                    f"mkdocs-jupyter: {option} is {notebook.config[option]!r}, expected {value!r}",
                )
            )
    fences = config.mdx_configs.get("pymdownx.superfences", {}).get("custom_fences", [])
    for language in ("python", *sorted(OWN)):
        ours = [f for f in fences if f.get("name") == language and f.get("format") is extension.formatter]
        last = [f for f in fences if f.get("name") == language][-1:]
        if not ours or last != ours[-1:]:
            faults.append(
                fault(
                    "fence-not-ours",
                    "custom_fences",
                    f"the fence {language!r} is not the press's own, so its blocks would not be checked",
                )
            )
    if "coursebuild.extension" not in config.markdown_extensions:
        faults.append(
            fault(
                "extension-missing", "markdown_extensions", "the extension coursebuild.extension is missing"
            )
        )
    return faults


def faults_of_menu(nav: Navigation, config: MkDocsConfig) -> list[Fault]:
    """What every page shows of mkdocs.yml, checked like prose: the menu, the site's name, the last line."""
    path = Path(config.config_file_path)
    faults = [fault for item in nav.items for fault in _faults_of_item(item, path)]
    for text in (config.site_name, config.site_description or "", config.copyright or ""):
        faults += _typed_numbers(text, text, path)
    return faults


def _faults_of_item(item: Any, path: Path) -> Iterator[Fault]:
    for child in getattr(item, "children", None) or []:
        yield from _faults_of_item(child, path)
    title = str(getattr(item, "title", "") or "")
    if getattr(item, "is_page", False):
        lesson = re.match(r"\d+", item.file.name)
        own = title.removeprefix(lesson[0]) if lesson else title
        if title and title in path.read_text(encoding="utf-8"):
            yield from _typed_numbers(own, title, path)
    else:
        yield from _typed_numbers(title, title, path)
    url = getattr(item, "url", "") or ""
    if getattr(item, "is_link", False) and not re.match(r"https?://\w", url):
        yield Fault("menu-link-broken", path.name, _line_in(path, url), "nav", f"{url} is no page")


def _typed_numbers(text: str, whole: str, path: Path) -> Iterator[Fault]:
    for number in numbers.find(re.sub(r"CC BY(-SA)? 4\.0", "", text)):
        message = f"the number {number.text!r} is typed by hand into {whole!r}"
        yield Fault("menu-number-typed", path.name, _line_in(path, whole), "nav", message)


def _line_in(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)
