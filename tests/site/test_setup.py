"""The set-up behind every make target: what it finds, what it refuses, what it leaves alone, and that it works unplugged."""

import json
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIVE = Path("src/coursebuild/live")
TOOLS = "sh bash make cat chmod cksum cp diff dirname grep head ls mkdir mktemp rm sleep touch".split()

# A stand-in for Python, and for the npm that a package brings: answers what find-python and setup ask, notes each call of pip, and fails as it is told to.
FAKE_PYTHON = """#!/bin/sh
case "$2" in
*ensurepip*) echo "{minor} {has_venv} $0" ;;
*sys.prefix*) echo "{minor}.1 in $0" ;;
*sys.version*) echo "{minor}.1" ;;
venv) mkdir -p "$3/bin" && touch "$3/pyvenv.cfg" && cp "$0" "$3/bin/python" && cp "$0" "$3/bin/npm" ;;
--ignore-scripts) mkdir -p node_modules && echo "$*" >>node_modules/calls ;;
pip)
    echo "$*" >>"{calls}"
    [ ! -f "{calls}.slow" ] || sleep 1
    [ ! -f "{calls}.fault" ] || {{ cat "{calls}.fault"; exit 1; }}
    ;;
*) [ "$1" != -V ] || echo "Python {minor}.1" ;;
esac
"""
BROKEN_SHIM = "#!/bin/sh\necho 'pyenv: python: command not found' >&2\nexit 127\n"


class Checkout:
    """A copy of what the set-up reads, on a machine that has the basic tools and the Pythons that a test adds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "check out"
        self.bin = folder / "bin with space"
        self.calls = folder / "pip-calls"
        self.folder.mkdir()
        self.bin.mkdir()
        for name in TOOLS:
            (self.bin / name).symlink_to(shutil.which(name) or pytest.skip(f"{name} is missing"))
        shutil.copytree(
            ROOT / ".ci", self.folder / ".ci", ignore=shutil.ignore_patterns("node_modules", "__pycache__")
        )
        for name in (
            "Makefile",
            "pyproject.toml",
            "requirements.lock",
            "requirements-lab.lock",
            "requirements-mutants.lock",
            "requirements-peers.lock",
            "requirements-real.lock",
            "requirements-zensical.lock",
        ):
            shutil.copy(ROOT / name, self.folder)
        self.live = self.folder / LIVE
        self.live.mkdir(parents=True)
        shutil.copy(ROOT / LIVE / "package-lock.json", self.live)

    def add(self, name: str, minor: str, has_venv: str = "yes") -> None:
        self.add_script(name, FAKE_PYTHON.format(minor=minor, has_venv=has_venv, calls=self.calls))

    def add_script(self, name: str, text: str) -> None:
        file = self.bin / name
        file.write_text(text)
        file.chmod(0o755)

    def start(self, *command: str, **variables: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command or ("sh", ".ci/setup"),
            cwd=self.folder,
            env={"PATH": str(self.bin), "HOME": str(self.folder), **variables},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str, **variables: str) -> tuple[int, str, str]:
        process = self.start(*command, **variables)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def pip_calls(self) -> list[str]:
        return self.calls.read_text().splitlines() if self.calls.exists() else []

    def pip_fails_with(self, text: str | None) -> None:
        fault = Path(f"{self.calls}.fault")
        if text is None:
            fault.unlink()
        else:
            fault.write_text(text)


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    return Checkout(tmp_path)


def found(checkout: Checkout, **variables: str) -> str:
    status, out, err = checkout.run("sh", ".ci/find-python", **variables)
    assert (status, err) == (0, "")
    return Path(out.strip()).name


def refused(checkout: Checkout, *command: str, **variables: str) -> str:
    """The one line that a start ends with, apart from make's own."""
    status, _, err = checkout.run(*command, **variables)
    assert status != 0
    lines = [line for line in err.splitlines() if not line.startswith("make: ***")]
    assert len(lines) == 1, err
    assert lines[0].startswith("make: ")
    return lines[0]


@pytest.mark.once
class TestFindsPython:
    def test_python3_is_preferred_to_a_newer_one(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.11")
        checkout.add("python3.14", "3.14")
        assert found(checkout) == "python3"

    def test_the_newest_in_range_if_python3_is_not(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.9")
        for minor in ("3.11", "3.13", "3.15"):
            checkout.add(f"python{minor}", minor)
        assert found(checkout) == "python3.13"

    def test_a_candidate_that_does_not_run_is_passed_over(self, checkout: Checkout, tmp_path: Path) -> None:
        checkout.add_script("python3", BROKEN_SHIM)
        checkout.add_script("python3.13", BROKEN_SHIM)
        checkout.add("python3.12", "3.12")
        assert found(checkout) == "python3.12"
        other = tmp_path / "other"
        other.mkdir()
        shutil.move(checkout.bin / "python3.12", other / "python3.13")
        assert found(checkout, PATH=f"{checkout.bin}:{other}") == "python3.13"

    def test_PYTHON_is_the_only_candidate(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.11")
        checkout.add("mine", "3.14")
        assert found(checkout, PYTHON="mine") == "mine"

    def test_one_of_each_version_with_those_of_pyenv(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.11")
        checkout.add_script("python3.12", BROKEN_SHIM)
        for version in ("3.9.1", "3.12.4"):
            home = checkout.folder / ".pyenv" / "versions" / version / "bin"
            home.mkdir(parents=True)
            checkout.add("python", version.rpartition(".")[0])
            shutil.move(checkout.bin / "python", home / "python")
        status, out, _ = checkout.run("sh", ".ci/find-python", "--each")
        assert status == 0
        assert [Path(line).relative_to(checkout.folder.parent).parts[-4:] for line in out.splitlines()] == [
            ("bin with space", "python3"),
            ("versions", "3.12.4", "bin", "python"),
        ]


@pytest.mark.once
class TestRefuses:
    def test_no_python(self, checkout: Checkout) -> None:
        for target in ("serve", "test", "build", "check"):
            line = refused(checkout, "make", target)
            assert "found no Python; the course needs Python 3.11, 3.12, 3.13 or 3.14. Install one" in line

    def test_only_a_python_outside_the_range(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.10")
        assert "found only Python 3.10; the course needs Python 3.11, 3.12, 3.13 or 3.14" in refused(checkout)

    def test_PYTHON_outside_the_range(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.add("old", "3.10")
        line = refused(checkout, "make", "build", "PYTHON=old")
        assert line == "make: PYTHON=old is Python 3.10; the course needs Python 3.11, 3.12, 3.13 or 3.14."

    def test_PYTHON_that_does_not_run(self, checkout: Checkout) -> None:
        assert "PYTHON=nowhere does not run" in refused(checkout, "make", "build", "PYTHON=nowhere")

    def test_no_venv_module(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.11", has_venv="no")
        assert "lacks the venv module. Install it (Debian, Ubuntu: apt install python3.11-venv)" in refused(
            checkout
        )
        checkout.add("python3.12", "3.12")
        assert found(checkout) == "python3.12"

    def test_no_network(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.pip_fails_with(
            "connection broken by 'NewConnectionError(... Temporary failure in name resolution')'\nERROR: no version"
        )
        line = refused(checkout, "make", "build")
        assert (
            "downloads the packages of requirements.lock, and the network is out of reach. Connect, then start again"
            in line
        )

    def test_a_changed_download(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.pip_fails_with("ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE.")
        assert "a download is not the file that the lock names" in refused(checkout)

    @pytest.mark.parametrize("content", ["pyvenv.cfg", "letters.txt"])
    def test_a_folder_that_make_did_not_make(self, checkout: Checkout, content: str) -> None:
        checkout.add("python3", "3.12")
        theirs = checkout.folder / "theirs"
        theirs.mkdir()
        (theirs / content).write_text("precious")
        assert "theirs was not made by make, so it is left alone" in refused(
            checkout, "make", "build", "VENV=theirs"
        )
        assert (theirs / content).read_text() == "precious"

    @pytest.mark.parametrize("port", ["http", "0", "65536", "-1", ""])
    def test_a_port_that_is_none(self, port: str) -> None:
        assert f"PORT={port} is not a port" in port_answer(port)

    def test_a_port_that_is_taken(self) -> None:
        with socket.socket() as other:
            other.bind(("127.0.0.1", 0))
            other.listen()
            port = other.getsockname()[1]
            answer = port_answer(str(port))
            assert answer.startswith(f"make: port {port} is taken")
            assert len(answer.splitlines()) == 1
        assert port_answer(str(port)) == ""


def port_answer(port: str) -> str:
    run = subprocess.run([sys.executable, ROOT / ".ci/port.py", port], capture_output=True, text=True)
    assert (run.returncode == 0) == (run.stderr == "")
    return run.stderr


@pytest.mark.once
class TestSetsUp:
    def test_the_lock_with_hashes_then_our_package(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        status, out, err = checkout.run()
        assert (status, err) == (0, "")
        assert out.startswith("Setting up .venv with Python 3.12.1")
        packages, project = checkout.pip_calls()
        assert packages.endswith("--no-deps --require-hashes -r requirements.lock")
        assert project.endswith("--no-deps --no-index --no-build-isolation -e .")

    def test_a_second_start_says_nothing_and_calls_no_pip(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.run()
        (checkout.bin / "python3").unlink()
        assert checkout.run() == (0, "", "")
        assert len(checkout.pip_calls()) == 2

    def test_half_a_setup_is_not_taken_as_finished(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.pip_fails_with("ERROR: disk full")
        assert "could not make the packages of requirements.lock: ERROR: disk full" in refused(checkout)
        checkout.pip_fails_with(None)
        checkout.run()
        assert len(checkout.pip_calls()) == 3
        (checkout.folder / ".venv" / ".ready").unlink()
        checkout.run()
        assert len(checkout.pip_calls()) == 5

    def test_an_environment_whose_python_has_gone_is_made_again(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.run()
        (checkout.folder / ".venv" / "bin" / "python").unlink()
        checkout.run()
        assert len(checkout.pip_calls()) == 4

    def test_a_changed_lock_or_python_makes_a_new_environment(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.run()
        (checkout.folder / ".venv" / "left-over").touch()
        with (checkout.folder / "requirements.lock").open("a") as lock:
            lock.write("# one more\n")
        checkout.run()
        assert len(checkout.pip_calls()) == 4
        assert not (checkout.folder / ".venv" / "left-over").exists()
        checkout.add("python3.13", "3.13")
        checkout.run()
        assert len(checkout.pip_calls()) == 4
        checkout.run(PYTHON="python3.13")
        assert len(checkout.pip_calls()) == 6

    def test_a_changed_pyproject_installs_only_our_package_again(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.run()
        with (checkout.folder / "pyproject.toml").open("a") as project:
            project.write("# one more\n")
        checkout.run()
        assert [call.split()[-1] for call in checkout.pip_calls()] == ["requirements.lock", ".", "."]

    def test_python_for_the_browser_is_fetched_once_for_all_environments(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        calls = checkout.live / "node_modules" / "calls"
        for environment in (".venv", ".venv", "other"):
            assert checkout.run(VENV=environment)[0] == 0
        [call] = calls.read_text().splitlines()
        assert call.startswith("ci --ignore-scripts ")
        with (checkout.live / "package-lock.json").open("a") as lock:
            lock.write("\n")
        checkout.run()
        assert len(calls.read_text().splitlines()) == 2

    @pytest.mark.parametrize("part", ["mutants", "peers"])
    def test_what_one_target_needs_is_added_once(self, checkout: Checkout, part: str) -> None:
        checkout.add("python3", "3.12")
        for _ in range(2):
            assert checkout.run("sh", ".ci/setup", part, VENV=f".venv-{part}")[0] == 0
        assert [call.split()[-1] for call in checkout.pip_calls()] == [
            "requirements.lock",
            ".",
            f"requirements-{part}.lock",
        ]

    def test_VENV_names_the_environment(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        assert checkout.run(VENV="sub/my env/")[0] == 0
        assert (checkout.folder / "sub" / "my env" / "bin" / "python").exists()
        assert not (checkout.folder / ".venv").exists()

    def test_the_second_lane_takes_the_python_that_it_needs(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.add("python3.11", "3.11")
        checkout.add("npm", "3.11")
        address = "https://index.example/cpu"
        checkout.run("sh", ".ci/setup", "real", TORCH_INDEX=address)
        packages, project, torch, *_ = checkout.pip_calls()
        assert packages.endswith("--require-hashes -r requirements.lock")
        assert project.endswith("-e .")
        assert torch.endswith(f"--no-deps --extra-index-url {address} torch==2.13.0")
        assert "3.11.1" in (checkout.folder / ".venv" / ".ready").read_text()

    def test_zensical_is_installed_once_from_its_own_lock(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        checkout.run("sh", ".ci/setup", "zensical", VENV=".venv-zensical")
        assert checkout.pip_calls()[-1].endswith("--no-deps --require-hashes -r requirements-zensical.lock")
        calls = len(checkout.pip_calls())
        assert checkout.run("sh", ".ci/setup", "zensical", VENV=".venv-zensical") == (0, "", "")
        assert len(checkout.pip_calls()) == calls
        with (checkout.folder / "requirements-zensical.lock").open("a") as lock:
            lock.write("# one more\n")
        checkout.run("sh", ".ci/setup", "zensical", VENV=".venv-zensical")
        assert len(checkout.pip_calls()) == calls + 1

    def test_the_second_lane_without_its_python(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        assert "the second lane needs Python 3.11, and none was found" in refused(
            checkout, "sh", ".ci/setup", "real"
        )
        assert checkout.pip_calls() == []

    def test_two_starts_at_once_set_up_once(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        Path(f"{checkout.calls}.slow").touch()
        both = [checkout.start(), checkout.start()]
        outputs = [process.communicate(timeout=60) for process in both]
        assert [process.returncode for process in both] == [0, 0], outputs
        assert len(checkout.pip_calls()) == 2

    def test_the_mark_of_a_killed_start_does_not_block(self, checkout: Checkout) -> None:
        checkout.add("python3", "3.12")
        dead = subprocess.Popen(["true"])
        dead.wait()
        (checkout.folder / ".venv.lock").write_text(f"{dead.pid}\n")
        assert checkout.run()[0] == 0
        assert not (checkout.folder / ".venv.lock").exists()


@pytest.mark.once
class TestCI:
    """What CI runs, `.ci/run`, with a make that only notes what it is asked for."""

    @pytest.fixture
    def machine(self, checkout: Checkout) -> Checkout:
        browser = Path("src/coursebuild/browser.py")
        shutil.copy(ROOT / browser, checkout.folder / browser)
        for minor in ("3.11", "3.12"):
            checkout.add(f"python{minor}", minor)
            python = checkout.bin / f"python{minor}"
            real = f'case "$1 $2" in\n*browser.py*) exec "{sys.executable}" "$@" ;;\n*".venv-"*) echo .venv-{minor}; exit ;;\nesac\n'
            python.write_text(python.read_text().replace("#!/bin/sh\n", f"#!/bin/sh\n{real}"))
        (checkout.bin / "make").unlink()
        built = 'mkdir -p site; echo "a page" >site/index.html'
        checkout.add_script(
            "make", f'#!/bin/sh\necho "make $* CI=$CI" >>"{checkout.folder}/asked"\n{built}\n'
        )
        checkout.add_script("id", "#!/bin/sh\necho 0\n")
        install = f'[ "$1" != install ] || {{ echo "#!/bin/sh" >"{checkout.bin}/chromium"; chmod +x "{checkout.bin}/chromium"; }}'
        checkout.add_script(
            "apt-get", f'#!/bin/sh\necho "apt-get $*" >>"{checkout.folder}/asked"\n{install}\n'
        )
        return checkout

    @staticmethod
    def asked(machine: Checkout) -> list[str]:
        file = machine.folder / "asked"
        return file.read_text().replace(f"{machine.bin}/", "").splitlines() if file.exists() else []

    def test_each_part_once_and_on_a_further_python_what_depends_on_it(self, machine: Checkout) -> None:
        machine.add_script("chromium", "#!/bin/sh\n")
        status, out, err = machine.run("bash", ".ci/run")
        assert status == 0, err
        assert self.asked(machine) == [
            "make test PYTHON=python3.11 VENV=.venv-3.11 CI=true",
            "make test-again PYTHON=python3.12 VENV=.venv-3.12 CI=true",
            "make successor PYTHON=python3.11 SITE=site CI=true",
            "make real CI=true",
        ]
        headings = [line for line in out.splitlines() if line.startswith("== ")]
        assert headings == [
            "== Python 3.11.1 (1 of 2): make test",
            "== Python 3.12.1 (2 of 2): make test-again",
            "== The labs: make lab",
            "== The same pages by Zensical: make successor",
            "== The second lane: make real",
        ]
        assert f"{machine.bin}/chromium" in out

    def test_the_comparison_with_the_successor_stops_nothing(self, machine: Checkout) -> None:
        machine.add_script("chromium", "#!/bin/sh\n")
        for target, expected in [("successor", 0), ("real", 1)]:
            machine.add_script("make", f'#!/bin/sh\nmkdir -p site; [ "$1" != {target} ]\n')
            status, out, _ = machine.run("bash", ".ci/run")
            assert status == expected
            assert ("it informs, and stops nothing" in out) == (target == "successor")

    @pytest.mark.parametrize("built", ["echo $2 >site/index.html", "echo >site/$1.html", "rm -f site/*"])
    def test_a_site_that_depends_on_the_python_is_refused(self, machine: Checkout, built: str) -> None:
        machine.add_script("chromium", "#!/bin/sh\n")
        begun = "mkdir -p site; echo a page >site/index.html"
        machine.add_script("make", f'#!/bin/sh\n{begun}\n[ "$1" = test ] || {built}\n')
        status, _, err = machine.run("bash", ".ci/run")
        assert status == 1
        assert "python3.12 has built is another than that of" in err

    def test_a_browser_is_installed_where_none_is_found(self, machine: Checkout) -> None:
        status, out, err = machine.run("bash", ".ci/run")
        assert status == 0, err
        assert self.asked(machine)[:3] == [
            "apt-get update -qq",
            "apt-get install -y -qq --no-install-recommends chromium",
            "make test PYTHON=python3.11 VENV=.venv-3.11 CI=true",
        ]
        assert "== Installing Debian's Chromium: none was found" in out

    @pytest.mark.parametrize("why", ["no root", "no apt-get", "another is named"])
    def test_where_none_can_be_installed_nothing_is_tested(self, machine: Checkout, why: str) -> None:
        variables = {}
        if why == "no root":
            machine.add_script("id", "#!/bin/sh\necho 1000\n")
        elif why == "no apt-get":
            (machine.bin / "apt-get").unlink()
        else:
            variables["CHROMIUM"] = "/nowhere/chromium"
        status, _, err = machine.run("bash", ".ci/run", **variables)
        assert status != 0
        assert err.startswith("Install Chromium (Debian: apt-get install chromium), or name one: CHROMIUM=")
        assert self.asked(machine) == []


# Below: the real checkout with the environment that runs this test.

ENVIRONMENT = Path(sys.prefix)

# Runs as root of an empty network: brings up loopback (the preview and the notebooks' kernels talk over it), becomes the
# user again, and goes on as the command with the environment that the caller gives.
UNPLUG = """
import fcntl, json, os, socket, struct, sys
plan = json.loads(sys.argv[1])
with socket.socket() as probe:
    fcntl.ioctl(probe, 0x8914, struct.pack("16sH14x", b"lo", 0x1))  # SIOCSIFFLAGS, IFF_UP
if plan["become"]:
    uid, gid = plan["become"]
    os.setgroups([]); os.setgid(gid); os.setuid(uid)
os.execvpe(plan["command"][0], plan["command"], plan["environment"])
"""

# Starts the preview, reads its front page, and ends it as Ctrl-C does.
PREVIEW = """
import os, signal, subprocess, sys, time, urllib.request
signal.signal(signal.SIGINT, signal.default_int_handler)  # a caller in the background may have it ignored
slow = os.environ | {"COURSE_SECONDS": "120"}  # a panel's time, as in `make test`: here other tests run beside it
preview = subprocess.Popen(["make", "serve", *sys.argv[1:]], env=slow, start_new_session=True, stdout=subprocess.PIPE, text=True)
try:
    for _ in range(3600):
        time.sleep(0.1)
        assert preview.poll() is None, "the preview ended by itself"
        try:
            page = urllib.request.urlopen("http://127.0.0.1:8000/").read().decode()
            break
        except OSError:
            continue
finally:
    os.killpg(preview.pid, signal.SIGINT)
    said = preview.communicate(timeout=30)[0]
assert "http://127.0.0.1:8000/" in said, said
assert "</html>" in page and 'class="fault"' not in page
"""


def skip_or_fail(reason: str) -> None:
    """Skip on a developer's machine, with the reason in the summary; in CI nothing is left out silently."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"must run in CI, but {reason}")
    pytest.skip(reason)


@pytest.fixture
def environment() -> Path:
    """The environment of this test, if make has set it up for this checkout: else make would set up here and now."""
    stamp = ENVIRONMENT / ".ready"
    if not stamp.is_file() or f"checkout {ROOT}\n" not in stamp.read_text():
        skip_or_fail(f"{ENVIRONMENT} was not set up by make for this checkout (start with: make test)")
    return ENVIRONMENT


@pytest.mark.slow
def test_a_second_start_sets_up_nothing(environment: Path) -> None:
    """How long it takes is measured by ``make bench``."""
    log = environment / "setup.log"
    before = log.read_bytes()
    subprocess.run(
        ["sh", ".ci/setup"], cwd=ROOT, env={**os.environ, "VENV": str(environment), "PYTHON": ""}, check=True
    )
    assert log.read_bytes() == before


def unplugged(*command: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run a command of the checkout with no network but loopback, no pip configuration and no variables but PATH and HOME."""
    plan = {
        "command": command,
        "environment": {"PATH": os.defpath.lstrip(":"), "HOME": str(home)},
        "become": None,
    }
    user = [os.getuid(), os.getgid()]
    ways = [(["unshare", "--map-root-user", "--net"], None), (["sudo", "-n", "unshare", "--net"], user)]
    for way, become in ways:
        if shutil.which(way[0]) and subprocess.run([*way, "true"], capture_output=True).returncode == 0:
            plan["become"] = become
            return subprocess.run(
                [*way, sys.executable, "-c", UNPLUG, json.dumps(plan)],
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=420,
            )
    skip_or_fail("this machine cannot unplug the network for one command (unshare)")
    raise AssertionError


@pytest.mark.slow
@pytest.mark.once
class TestUnplugged:
    """After set-up no target needs a network."""

    def test_the_network_is_really_gone(self, tmp_path: Path) -> None:
        run = unplugged(
            sys.executable,
            "-c",
            "import socket; socket.create_connection(('192.0.2.1', 80), 5)",
            home=tmp_path,
        )
        assert "unreachable" in run.stderr

    def test_make_serve_which_builds_all_pages_as_make_build_does(
        self, environment: Path, tmp_path: Path
    ) -> None:
        run = unplugged(sys.executable, "-c", PREVIEW, f"VENV={environment}", home=tmp_path)
        assert run.returncode == 0, run.stdout + run.stderr
        told = unplugged(
            "make", "--dry-run", "--no-print-directory", "build", f"VENV={environment}", home=tmp_path
        )
        assert told.stdout.splitlines() == [
            "sh .ci/setup",
            f'"{environment}/bin/python" -m mkdocs build --strict --site-dir "site"',
        ]

    def test_make_test_apart_from_its_tests(self, environment: Path, tmp_path: Path) -> None:
        """Of `make test`: its set-up with the linter, lint and types, and the workflow linters (the rest is this very run)."""
        for command in (
            ["sh", ".ci/setup", "node"],
            ["make", "lint"],
            [
                str(environment / "bin/python"),
                "-m",
                "pytest",
                "-q",
                "tests/site/test_workflows.py",
                "-k",
                "TestLinters",
            ],
        ):
            variables = [f"VENV={environment}"]
            run = unplugged("env", *variables, *command, home=tmp_path)
            assert run.returncode == 0, run.stdout + run.stderr
