"""The panel that a fence holds, or why it holds none."""

import re
from dataclasses import replace

from coursebuild.faults import Fault
from coursebuild.inspection import inspect_code
from coursebuild.panels import Panel, is_python
from coursebuild.source import Fence

IDENTIFIER = re.compile(r"^(?:\d+|[a-z][a-z0-9-]*)\.\d+$")
REQUIRED = {"exec", "id", "title"}
ALLOWED = REQUIRED | {"session", "data", "needs"}
DATA = re.compile(r"^[\w-]+\.[\w.-]+$")
PACKAGE = re.compile(r"^[a-z][a-z0-9-]*$")


def from_fence(path: str, fence: Fence, earlier: dict[str, Panel]) -> tuple[Panel | None, list[Fault]]:
    """The panel that a fence holds, with its claims and what is wrong about it. ``earlier`` are the page's panels so far."""
    panel, faults = sketch(path, fence, earlier)
    if panel is None:
        return None, faults
    claims, faults = inspect_code(panel)
    return replace(panel, claims=tuple(claims)), faults


def sketch(path: str, fence: Fence, earlier: dict[str, Panel]) -> tuple[Panel | None, list[Fault]]:
    """The panel that a fence holds as far as its header tells: enough to run it, its claims not yet known."""
    option = fence.option
    ident = option.get("id", "")
    subject = f"panel {ident}" if ident else f"{fence.language or 'code'} block"

    def refuse(kind: str, message: str, hint: str = "") -> Fault:
        return Fault(kind, path, fence.line, subject, message, hint, ident)

    if fence.problem and is_python(fence):
        meant = re.search(r'\bid=["\']?([\w.-]+)', fence.problem)  # prose that quotes it is no second mistake
        fault = refuse(fence.problem.kind, fence.problem)
        return None, [replace(fault, anchor=ident or (meant[1] if meant else ""))]
    if not is_python(fence):
        if {"exec", "session", "id"} & set(option) and not fence.problem:
            return None, [
                refuse(
                    "exec-not-python",
                    "only Python is run, so exec, id and session belong to a python block",
                )
            ]
        return None, []
    faults = []
    if unknown := sorted(set(option) - ALLOWED):
        faults.append(
            refuse(
                "option-unknown",
                f"unknown option {unknown[0]!r}",
                f"write one that a panel takes: {', '.join(sorted(ALLOWED))}",
            )
        )
    if fence.language != "python":
        faults.append(refuse("python-misnamed", f"a block in {fence.language!r} never runs"))
    if option.get("exec") != "on" and ("exec" in option or not unknown):
        came = f"exec={option['exec']!r}" if "exec" in option else "no exec"
        faults.append(
            refuse(
                "python-not-run",
                f'this block never runs: {came}, expected exec="on"',
            )
        )
    if not IDENTIFIER.match(ident):
        faults.append(
            refuse(
                "panel-id-malformed",
                f"id {ident!r} is no panel's id",
                'write id="17.1", or id="softmax.1" on other pages',
            )
        )
    if not option.get("title", "").strip() and not unknown:
        faults.append(refuse("panel-title-missing", "a panel needs a title that says what it shows"))
    before: tuple[Panel, ...] = ()
    if "session" in option and option["session"] != ident:
        first = earlier.get(option["session"])
        if first is None:
            faults.append(
                refuse("session-unknown", f"session {option['session']!r} is no earlier panel of this page")
            )
        elif first.session != first.ident:
            hint = f'add session="{first.ident}" to it as well'
            faults.append(
                refuse(
                    "session-not-opened",
                    f"panel {first.ident} opens no session that this one could continue",
                    hint,
                )
            )
        else:
            before = first.program
    data = tuple(option.get("data", "").split())
    if "data" in option and (not data or not all(map(DATA.match, data))):
        faults.append(
            refuse(
                "data-malformed",
                f"data {option['data']!r} names no files",
                'write data="name.txt", a file of docs/assets/data',
            )
        )
    needs = tuple(option.get("needs", "").split())
    if "needs" in option and (not needs or not all(map(PACKAGE.match, needs))):
        faults.append(
            refuse(
                "needs-malformed",
                f"needs {option['needs']!r} names no packages",
                'write needs="torch", as pip names it',
            )
        )
    if faults:
        return None, faults
    return Panel(
        ident,
        option["title"],
        fence.body,
        path,
        fence.line,
        before,
        data=data,
        session=option.get("session", ""),
        needs=needs,
    ), []
