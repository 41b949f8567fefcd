"""What is pinned, what the wheel holds, and that README tells the truth about both."""

import importlib.metadata
import json
import os
import re
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
NPM = (".ci/node", ".ci/pyodides", "src/coursebuild/live")
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
SYSTEMS = {"linux": ("Linux", "posix"), "darwin": ("Darwin", "posix"), "win32": ("Windows", "nt")}


def locked() -> dict[str, Requirement]:
    """The lock's entries by name."""
    entries = [Requirement(line.removesuffix(" \\")) for line in LOCK.splitlines() if re.match(r"\w", line)]
    assert len({entry.name for entry in entries}) == len(entries), "a package is locked twice"
    return {entry.name: entry for entry in entries}


def on(system: str, python: str) -> dict[str, str]:
    platform_system, os_name = SYSTEMS[system]
    return {
        **default_environment(),
        "sys_platform": system,
        "platform_system": platform_system,
        "os_name": os_name,
        "python_version": python,
        "python_full_version": f"{python}.0",
        "extra": "",
    }


def applies(requirement: Requirement, environment: dict[str, str]) -> bool:
    return requirement.marker is None or requirement.marker.evaluate(environment)


class TestLock:
    def test_every_entry_has_one_version_and_hashes(self) -> None:
        assert all(re.fullmatch(r"==[^,*]+", str(entry.specifier)) for entry in locked().values())
        for block in re.split(r"\n(?=\w)", LOCK.strip()):
            assert "--hash=sha256:" in block, block

    def test_one_version_for_all_pythons(self) -> None:
        """Markers tell systems apart, never Python versions."""
        assert "python_version" not in LOCK
        assert "python_full_version" not in LOCK

    def test_no_address_and_no_path(self) -> None:
        locks = [(ROOT / folder / "package-lock.json").read_text(encoding="utf-8") for folder in NPM]
        for text in (LOCK, *locks):
            assert "://" not in text
            assert not re.search(r"(?<![\w.])/\w+/", text)
        for text in locks:
            assert not any("resolved" in package for package in json.loads(text)["packages"].values())

    @pytest.mark.parametrize("part", ["mutants", "peers"])
    def test_what_one_target_needs_is_pinned_beside_it(self, part: str) -> None:
        text = (ROOT / f"requirements-{part}.lock").read_text(encoding="utf-8")
        assert "://" not in text
        wanted = (ROOT / f"requirements-{part}.in").read_text(encoding="utf-8").splitlines()[1:]
        blocks = re.split(r"\n(?=\w)", text.strip())
        pins = {block.split()[0] for block in blocks}
        assert {pin.split("==")[0] for pin in pins} | pins >= set(wanted)
        ours = {name: str(entry.specifier) for name, entry in locked().items()}
        for block in blocks:
            assert "--hash=sha256:" in block, block
            entry = Requirement(block.split("\n")[0].removesuffix(" \\"))
            assert str(entry.specifier) == ours.get(entry.name, str(entry.specifier))

    @pytest.mark.parametrize("folder", NPM)
    def test_what_comes_from_npm_is_pinned_exactly(self, folder: str) -> None:
        wanted = json.loads((ROOT / folder / "package.json").read_text())["dependencies"]
        packages = json.loads((ROOT / folder / "package-lock.json").read_text())["packages"]
        versions = {name: version.rpartition("@")[2] for name, version in wanted.items()}  # npm:other@1.2.3
        assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == versions
        assert all("integrity" in package for path, package in packages.items() if path)

    def test_it_holds_what_pyproject_asks_for(self) -> None:
        entries = locked()
        groups = PROJECT["dependency-groups"]
        for requirement in map(
            Requirement, [*groups["site"], *groups["test"], *PROJECT["build-system"]["requires"]]
        ):
            entry = entries[canonicalize_name(requirement.name)]
            assert requirement.specifier.contains(str(entry.specifier).removeprefix("=="))

    def test_it_is_what_is_installed_here(self) -> None:
        environment = on(sys.platform, f"{sys.version_info.major}.{sys.version_info.minor}")
        for name, entry in locked().items():
            if applies(entry, environment):
                assert entry.specifier.contains(importlib.metadata.version(name), prereleases=True), name

    @pytest.mark.parametrize("system", SYSTEMS)
    @pytest.mark.parametrize("python", PYTHONS)
    def test_it_is_complete_on_every_system(self, system: str, python: str) -> None:
        """Installed with --no-deps, so nothing may be missing: what each package asks for there is in the lock, at a version that it takes."""
        environment = on(system, python)
        entries = {name: entry for name, entry in locked().items() if applies(entry, environment)}
        for name in entries:
            for requirement in requirements_of(name):
                if applies(requirement, environment):
                    wanted = canonicalize_name(requirement.name)
                    assert wanted in entries, f"{name} needs {requirement}"
                    version = str(entries[wanted].specifier).removeprefix("==")
                    assert requirement.specifier.contains(version, prereleases=True), (
                        f"{name} needs {requirement}"
                    )


def requirements_of(name: str) -> Iterator[Requirement]:
    try:
        return map(Requirement, importlib.metadata.requires(name) or [])
    except importlib.metadata.PackageNotFoundError:  # of another system
        return iter(())


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built by the locked backend with no installer and no network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from flit_core.buildapi import build_wheel; print(build_wheel(sys.argv[1]))"
    run = subprocess.run(
        [sys.executable, "-c", build, folder], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return folder / run.stdout.strip()


class TestWheel:
    def test_it_holds_nextword_alone(self, wheel: Path) -> None:
        version = PROJECT["project"]["version"]
        assert wheel.name == f"nextword-{version}-py3-none-any.whl"
        names = zipfile.ZipFile(wheel).namelist()
        assert {name.split("/")[0] for name in names} == {"nextword", f"nextword-{version}.dist-info"}
        source = {
            path.relative_to(ROOT / "src").as_posix()
            for path in (ROOT / "src/nextword").rglob("*")
            if path.is_file() and path.suffix != ".pyc"
        }
        assert {name for name in names if name.startswith("nextword/")} == source
        assert "nextword/py.typed" in names
        assert f"nextword-{version}.dist-info/licenses/LICENSE" in names

    def test_it_needs_nothing_and_offers_numpy(self, wheel: Path) -> None:
        archive = zipfile.ZipFile(wheel)
        metadata = archive.read(
            next(name for name in archive.namelist() if name.endswith("METADATA"))
        ).decode()
        needs = re.findall(r"^Requires-Dist: (.*)$", metadata, re.MULTILINE)
        assert [Requirement(need).name for need in needs] == ["numpy"]
        assert all('extra == "numpy"' in need for need in needs)
        assert "Requires-Python: >=3.11" in metadata

    def test_it_runs_in_a_bare_python(self, wheel: Path) -> None:
        """Every module imports without site-packages; one that is about arrays may ask for numpy, and for nothing else."""
        modules = [
            name.removesuffix(".py").replace("/", ".")
            for name in zipfile.ZipFile(wheel).namelist()
            if name.endswith(".py")
        ]
        code = (
            "import importlib, sys\nsys.path.insert(0, sys.argv[1])\n"
            "for name in sys.argv[2:]:\n"
            "    try: importlib.import_module(name.removesuffix('.__init__'))\n"
            "    except ModuleNotFoundError as error: assert error.name == 'numpy', error\n"
        )
        subprocess.run(
            [sys.executable, "-I", "-S", "-W", "error", "-c", code, wheel, *modules],
            check=True,
            cwd=wheel.parent,
        )


class TestCheckout:
    def test_both_packages_are_importable_without_help(self) -> None:
        code = "import coursebuild, nextword; print(coursebuild.__file__, nextword.__file__, sep='\\n')"
        variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
        run = subprocess.run(
            [sys.executable, "-c", code], cwd=ROOT / "tests", env=variables, capture_output=True, text=True
        )
        assert [Path(line).parent for line in run.stdout.splitlines()] == [
            ROOT / "src/coursebuild",
            ROOT / "src/nextword",
        ], run.stderr

    def test_the_library_does_not_know_the_press(self) -> None:
        for module in (ROOT / "src/nextword").rglob("*.py"):
            assert not re.search(
                r"^\s*(from|import) coursebuild", module.read_text(encoding="utf-8"), re.MULTILINE
            )


def code_of_readme() -> str:
    """README's code: its blocks and its inline code."""
    return "\n".join(re.findall(r"```\w*\n(.*?)```", README, re.DOTALL) + re.findall(r"`([^`\n]+)`", README))


class TestReadme:
    def test_its_commands_are_targets_and_every_target_is_told(self) -> None:
        targets = set(re.findall(r"^([a-z-]+):", MAKEFILE, re.MULTILINE)) - {"help", "lint"}
        told = set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)?)", code_of_readme()))
        assert told == targets
        phony = re.search(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)
        assert phony
        assert set(phony[1].split()) == targets | {"help", "lint"}

    def test_make_help_tells_every_target_of_it(self) -> None:
        told = re.findall(r"^\t@echo 'make ([a-z-]+) ", MAKEFILE, re.MULTILINE)
        assert sorted(told) == sorted(set(re.findall(r"\bmake ([a-z]+(?:-[a-z]+)?)", code_of_readme())))

    def test_the_first_screen_has_the_two_commands(self) -> None:
        first = "\n".join(README.splitlines()[:25])
        assert "make serve" in first
        assert "make test" in first

    def test_its_paths_exist(self) -> None:
        block = re.search(r"## Map\n.*?```text\n(.*?)```", README, re.DOTALL)
        assert block
        paths = [line.split()[0] for line in block[1].splitlines() if line.strip()]
        assert len(paths) > 10
        assert [path for path in paths if not (ROOT / path).exists()] == []

    def test_its_variables_are_read(self) -> None:
        readers = "".join(
            (ROOT / name).read_text(encoding="utf-8")
            for name in ("Makefile", "mkdocs.yml", "tests/conftest.py")
        )
        readers += "".join(
            path.read_text(encoding="utf-8") for path in (ROOT / "src/coursebuild").rglob("*.py")
        )
        told = re.findall(r"^\| `([A-Z_]+)`", README, re.MULTILINE)
        assert {"GITHUB_REPOSITORY", "SITE_URL", "PORT", "PYTHON", "VENV"} <= set(told)
        assert [name for name in told if name not in readers] == []

    def test_both_licences_are_named(self) -> None:
        for name in ("LICENSE", "LICENSE-TEXT", "MIT", "CC BY 4.0"):
            assert name in README
        assert (ROOT / "LICENSE").read_text().startswith("MIT License")
        assert (ROOT / "LICENSE-TEXT").read_text(encoding="utf-8").startswith("Attribution 4.0 International")
