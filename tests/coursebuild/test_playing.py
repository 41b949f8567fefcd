"""What the site serves for its live panels: which files, under which addresses, and of which bytes."""

import gzip
import hashlib
import json
import shutil
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from coursebuild import playing
from coursebuild.builder import Builder
from coursebuild.playing import LIVE, NUMPY, PACKAGE, VENDOR, NotInstalled, nextword_wheel, runtime

from .conftest import ROOT, SmallSite

RUNTIME = "assets/pyodide/0.27.7/"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A project with the same library."""
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(
        ROOT / "src" / "nextword", tmp_path / "src" / "nextword", ignore=shutil.ignore_patterns("__pycache__")
    )
    return tmp_path


def served(root: Path = ROOT) -> dict[str, bytes]:
    return {
        address: content if isinstance(content, bytes) else content.read_bytes()
        for address, content in runtime(root).files.items()
    }


def manifest(root: Path = ROOT) -> dict[str, object]:
    found = json.loads(served(root)[f"{runtime(root).folder}manifest.json"])
    assert isinstance(found, dict)
    return found


class TestPython:
    def test_the_vendored_numpy_is_the_one_that_pyodide_names(self) -> None:
        named = json.loads((PACKAGE / "pyodide-lock.json").read_text(encoding="utf-8"))["packages"]["numpy"]
        assert NUMPY.name == named["file_name"]
        assert hashlib.sha256(NUMPY.read_bytes()).hexdigest() == named["sha256"]

    def test_the_packed_file_is_the_packages_own(self) -> None:
        packed = served()[f"{RUNTIME}pyodide.asm.wasm.gz"]
        assert gzip.decompress(packed) == (PACKAGE / "pyodide.asm.wasm").read_bytes()
        assert packed[4:8] == bytes(4), "a time is in the file, so that each set-up makes another one"

    def test_the_address_has_the_version(self) -> None:
        wanted = json.loads((LIVE / "package.json").read_text(encoding="utf-8"))["dependencies"]["pyodide"]
        assert f"assets/pyodide/{wanted}/" == RUNTIME
        assert {"/".join(address.split("/")[:3]) + "/" for address in served()} == {
            RUNTIME,
            runtime(ROOT).folder,
        }

    def test_its_list_of_packages_is_empty(self) -> None:
        """With one, Pyodide would look for packages on the host that it names."""
        lock = json.loads(served()[f"{RUNTIME}pyodide-lock.json"])
        assert lock["packages"] == {}
        assert lock["info"]["python"] == "3.12.7"

    @pytest.mark.parametrize(
        ("name", "says"),
        [
            ("LICENSE-pyodide.txt", "Mozilla Public License Version 2.0"),
            ("LICENSE-python.txt", "PYTHON SOFTWARE FOUNDATION LICENSE VERSION 2"),
            ("LICENSE-numpy.txt", "Copyright (c) 2005-2024, NumPy Developers."),
            ("README.txt", "https://github.com/pyodide/pyodide/tree/0.27.7"),
        ],
    )
    def test_licences_are_served_beside_it(self, name: str, says: str) -> None:
        assert says in served()[f"{RUNTIME}{name}"].decode()

    def test_the_licence_of_numpy_is_that_of_the_wheel(self) -> None:
        own = zipfile.ZipFile(NUMPY).read("numpy-2.0.2.dist-info/LICENSE.txt")
        assert (VENDOR / "LICENSE-numpy.txt").read_bytes() == own


class TestManifest:
    def test_sizes_are_those_of_the_files(self) -> None:
        """The page shows how much of it is loaded. A server packs scripts, so their packed size is told."""
        files = served()
        sizes = manifest()["sizes"]
        assert isinstance(sizes, dict)
        for name, size in sizes.items():
            [content] = [content for address, content in files.items() if address.endswith(f"/{name}")]
            packed = len(gzip.compress(content, 9))
            assert size == len(content) or abs(size - packed) < 0.02 * packed, name

    def test_it_leads_to_the_runtime_from_its_own_folder(self) -> None:
        assert str(manifest()["runtime"]).replace("../../", "assets/") == RUNTIME

    def test_numpy_is_told_with_its_size(self) -> None:
        assert manifest()["numpy"] == {"file": NUMPY.name, "size": NUMPY.stat().st_size}


class TestFolder:
    def test_it_holds_all_that_a_page_imports(self) -> None:
        names = {address.rsplit("/", 1)[1] for address in served() if address.startswith("assets/live/")}
        assert names >= {"worker.js", "runner.js", "python.js", "panel.js", "harness.py", "manifest.json"}
        assert not names & {"service-worker.js", "package.json", "package-lock.json", "parity.mjs"}

    def test_the_same_source_gives_the_same_address(self, copy: Path) -> None:
        assert runtime(copy).folder == runtime(ROOT).folder

    def test_a_changed_library_gives_another(self, copy: Path) -> None:
        before = runtime(copy).folder
        with (copy / "src/nextword/softmax.py").open("a", encoding="utf-8") as file:
            file.write("# one line more\n")
        assert runtime(copy).folder != before

    def test_a_changed_script_gives_another(
        self, copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        before = runtime(copy).folder
        other = tmp_path / "live"
        shutil.copytree(LIVE, other, ignore=shutil.ignore_patterns("node_modules", "vendor"))
        (other / "worker.js").write_text("// another\n", encoding="utf-8")
        monkeypatch.setattr(playing, "LIVE", other)
        assert runtime(copy).folder != before


class TestWheel:
    def test_its_bytes_depend_on_the_source_alone(self, copy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
        assert nextword_wheel(copy) == nextword_wheel(ROOT)

    def test_it_holds_the_library_and_nothing_else(self) -> None:
        name, content = nextword_wheel(ROOT)
        assert name == "nextword-0.1.0-py3-none-any.whl"
        wheel = zipfile.ZipFile(BytesIO(content))
        inside = {one for one in wheel.namelist() if ".dist-info/" not in one}
        source = ROOT / "src"
        assert inside == {
            path.relative_to(source).as_posix()
            for path in (source / "nextword").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        assert wheel.read("nextword/bpe.py") == (source / "nextword/bpe.py").read_bytes()


class TestNotInstalled:
    def test_it_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(playing, "PACKAGE", tmp_path / "pyodide")
        with pytest.raises(NotInstalled, match=r"^Python for the browser is not installed$"):
            runtime(ROOT)

    def test_another_version_is_refused(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shutil.copytree(PACKAGE, tmp_path / "pyodide", copy_function=link)
        monkeypatch.setattr(playing, "PACKAGE", tmp_path / "pyodide")
        package = tmp_path / "pyodide" / "package.json"
        text = package.read_text(encoding="utf-8").replace("0.27.7", "0.28.0")
        package.unlink()
        package.write_text(text, encoding="utf-8")
        with pytest.raises(NotInstalled, match=r"it is version 0\.28\.0, and 0\.27\.7 is asked"):
            runtime(ROOT)

    def test_a_file_that_set_up_did_not_make(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        shutil.copytree(PACKAGE, tmp_path / "pyodide", copy_function=link)
        (tmp_path / "pyodide" / "pyodide.asm.wasm.gz").unlink()
        monkeypatch.setattr(playing, "PACKAGE", tmp_path / "pyodide")
        with pytest.raises(NotInstalled, match=r"pyodide\.asm\.wasm\.gz is missing"):
            runtime(ROOT)

    def test_the_build_names_the_command(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(playing, "PACKAGE", tmp_path / "pyodide")
        builder = Builder(ROOT)
        assert builder.find_live() == ""
        [fault] = builder.early
        assert (fault.path, fault.subject) == ("mkdocs.yml", "live panels")
        assert "not installed" in fault.message
        assert "make build" in fault.hint


def link(source: str, target: str) -> None:
    Path(target).symlink_to(source)


@pytest.mark.slow
class TestSmallSite:
    def test_a_site_that_does_not_ask_has_none(self, small_site: SmallSite) -> None:
        assert small_site.build("--strict").returncode == 0
        assert not (small_site.root / "site/assets/live").exists()
        assert not (small_site.root / "site/assets/pyodide").exists()

    def test_a_site_that_asks_has_all_of_it(self, small_site: SmallSite) -> None:
        for name in ("pyproject.toml", "README.md", "LICENSE"):
            shutil.copy(ROOT / name, small_site.root)
        small_site.write(
            (small_site.root / "mkdocs.yml").read_text(encoding="utf-8") + "extra: {live: true}\n",
            "mkdocs.yml",
        )
        done = small_site.build("--strict")
        assert done.returncode == 0, done.stderr
        for address, content in served(small_site.root).items():
            assert (small_site.root / "site" / address).read_bytes() == content
