"""The refusals that no page alone brings about: each planted where it could arise."""

import contextlib
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from mkdocs.config import load_config

from coursebuild import addresses, instruments, lanes, playing, rebuild
from coursebuild import site as hooks
from coursebuild.approval import approve, drift, pages_of
from coursebuild.builder import Builder
from coursebuild.configuration import faults_of_settings
from coursebuild.faults import Fault
from coursebuild.press import Press

from .conftest import SmallSite, make_site

NEEDS = ('title="Adding"', 'title="Adding" needs="numpy"')


def pressed(root: Path) -> Press:
    press = Press(root)
    press.prepare(pages_of(root))
    return press


@contextlib.contextmanager
def approved(root: Path) -> Iterator[tuple[SmallSite, pytest.MonkeyPatch]]:
    """A site whose panel was run with its package and approved, in the lane in which it is run."""
    site = make_site(root)
    site.replace(*NEEDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(lanes.REAL, "1")
        with contextlib.redirect_stdout(io.StringIO()):
            assert approve(root) == 0
        yield site, patch


def edit_record(root: Path, change: Callable[[dict[str, Any]], object]) -> None:
    path = lanes.record_path(root, "1.1")
    kept = json.loads(path.read_text(encoding="utf-8"))
    change(kept)
    path.write_text(json.dumps(kept), encoding="utf-8")


def record_of_other_figures(root: Path) -> list[Fault]:
    with approved(root) as (_, patch):
        edit_record(root, lambda kept: kept["figures"].update(total=7))
        patch.delenv(lanes.REAL)
        return [fault for fault in pressed(root).faults if fault.anchor]


def record_of_other_claims(root: Path) -> list[Fault]:
    with approved(root):
        edit_record(root, lambda kept: kept["checks"][0].update(line=2))
        return drift(pressed(root))


def record_of_other_packages(root: Path) -> list[Fault]:
    with approved(root):
        edit_record(root, lambda kept: kept["packages"].update(numpy="1.0.0"))
        return drift(pressed(root))


def output_that_was_approved_otherwise(root: Path) -> list[Fault]:
    with approved(root) as (site, _):
        site.replace("total is 6", "total is 7", "tests/outputs/1.1.txt")
        return drift(pressed(root))


def press_that_breaks(root: Path) -> list[Fault]:
    builder = Builder(root)

    def prepare(_: object) -> None:
        raise KeyError("lessons")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(builder.press, "prepare", prepare)
        patch.setattr("coursebuild.builder.log.error", lambda _: None)
        builder.prepare([])
    [fault] = builder.early
    line = prepare.__code__.co_firstlineno + 1
    return [Fault(fault.kind, fault.path, 1, fault.subject, fault.message.replace(f"line {line}", "line 7"))]


def runtime_that_is_missing(root: Path) -> list[Fault]:
    builder = Builder(root)

    def runtime(_: object) -> None:
        raise playing.NotInstalled("Pyodide is not installed")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(playing, "runtime", runtime)
        assert builder.find_live() == ""
    return builder.early


def placeholder(root: Path) -> list[Fault]:
    builder = Builder(root)
    builder.finish("<p>\x02wzxhzdk:0\x03</p>", "docs/example.md", "example/")
    return builder.press.faults


def page_in_latin_1(root: Path) -> list[Fault]:
    site = make_site(root)
    (root / "docs/example.md").write_bytes("# A café\n".encode("latin-1"))
    site.lesson.unlink()
    return pressed(root).faults


def page_that_markdown_cannot_render(root: Path) -> list[Fault]:
    site = make_site(root)
    site.write("# An example\n", "docs/example.md")
    file = SimpleNamespace(abs_src_path=str(root / "docs/example.md"), name="example")

    def render(*_: object) -> None:
        raise IndexError("pop from empty list")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hooks.State, "builder", Builder(root))
        hooks._render_page(SimpleNamespace(file=file), render, None, None)
        return hooks._press().late


def extension_that_is_missing(root: Path) -> list[Fault]:
    site = make_site(root)
    site.replace("  - coursebuild.extension\n", "", "mkdocs.yml")
    config = load_config(str(root / "mkdocs.yml"))
    [fault] = faults_of_settings(config, root, dirty=False)
    return [replace(fault, line=1)]


def instrument_that_fails(root: Path) -> list[Fault]:
    site = make_site(root)
    site.replace("Back to", '```instrument use="sampler-lab" panel="1.1"\nTry it.\n```\n\nBack to')

    def make(*_: object) -> None:
        raise instruments.NotComputed("ImportError: cannot import name 'softmax' from 'nextword.softmax'")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(instruments, "make", make)
        return pressed(root).faults


def address_that_is_new(root: Path) -> list[Fault]:
    make_site(root)
    return addresses.differences(pressed(root))[:1]


def module_that_is_edited_meanwhile(root: Path) -> list[Fault]:
    site = make_site(root)
    config = load_config(str(root / "mkdocs.yml"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(hooks.State, "at_start", rebuild.watched(config))
        site.write("", "src/nextword/softmax.py")
        return hooks.edited_meanwhile(config)


PLANTED: dict[str, Callable[[Path], list[Fault]]] = {
    "record-figures": record_of_other_figures,
    "record-claims": record_of_other_claims,
    "record-of-other-packages": record_of_other_packages,
    "output-not-approved": output_that_was_approved_otherwise,
    "press-broke": press_that_breaks,
    "runtime-missing": runtime_that_is_missing,
    "placeholder-left": placeholder,
    "page-unreadable": page_in_latin_1,
    "page-not-rendered": page_that_markdown_cannot_render,
    "extension-missing": extension_that_is_missing,
    "instrument-not-computed": instrument_that_fails,
    "address-new": address_that_is_new,
    "edited-meanwhile": module_that_is_edited_meanwhile,
}
