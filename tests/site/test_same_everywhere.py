"""A commit has one site: another build of it, elsewhere, has the same files with the same bytes."""

import difflib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .elsewhere import HOW, ROOT, SEED, surroundings

FILES = ("pyproject.toml", "README.md", "LICENSE", "LICENSE-TEXT")
NOT_OURS = shutil.ignore_patterns("node_modules", "__pycache__", ".ipynb_checkpoints")
MODULES = Path("src/coursebuild/live/node_modules")
HOOK = "  - src/coursebuild/site.py\n"
TEXT = {".css", ".html", ".ipynb", ".js", ".json", ".mjs", ".py", ".svg", ".txt", ".xml"}


def contents(site: Path) -> dict[str, bytes]:
    """The files of a site by their addresses."""
    return {
        path.relative_to(site).as_posix(): path.read_bytes() for path in site.rglob("*") if path.is_file()
    }


def differences(one: Path, other: Path) -> Iterator[str]:
    """What a site has and another has not, or otherwise."""
    first, second = contents(one), contents(other)
    assert first, f"there is no site in {one}"
    for name in sorted(first.keys() ^ second.keys()):
        yield f"{name} is in one of them alone"
    for name in sorted(first.keys() & second.keys()):
        if first[name] != second[name]:
            lines = [text[name].decode(errors="replace").splitlines() for text in (first, second)]
            shown = difflib.unified_diff(*lines, lineterm="", n=0) if Path(name).suffix in TEXT else ()
            yield "\n".join([f"{name} differs", *(line[:300] for line in list(shown)[2:12])])


def copy_of_checkout(to: Path) -> Path:
    """What a build reads, in another folder, where a hook shuffles pages and panels."""
    for name in ("docs", "src", "tests"):
        shutil.copytree(ROOT / name, to / name, ignore=NOT_OURS)
    for name in FILES:
        shutil.copyfile(ROOT / name, to / name)
    (to / MODULES).symlink_to(ROOT / MODULES)
    if (ROOT / ".git").exists():
        (to / ".git").symlink_to(ROOT / ".git")  # the commit's date is the site's
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert text.count(HOOK) == 1
    hooked = text.replace(HOOK, f"  - shuffling.py\n{HOOK}")
    (to / "mkdocs.yml").write_text(hooked, encoding="utf-8")
    shutil.copyfile(Path(__file__).with_name("shuffling.py"), to / "shuffling.py")
    return to


def build_elsewhere(folder: Path) -> Path:
    """Build the site in another folder, with another hash seed, time zone, locale, clock and umask, in another order."""
    project, around = copy_of_checkout(folder / "another folder"), surroundings("build")
    left_out = ("SITE_URL", "GITHUB_REPOSITORY", "SOURCE_DATE_EPOCH", "LANG", "LANGUAGE")
    environment = {name: value for name, value in os.environ.items() if name not in left_out} | {
        "PYTHONPATH": str(project / "src"),
        "PYTHONHASHSEED": around.hash_seed,
        "TZ": around.timezone,
        "LC_ALL": around.locale,
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "HOME": str(folder),
        "COURSE_CACHE": "off",
        "COURSE_SECONDS": "300",  # other tests run beside it
        "COURSE_SEED": SEED,
        "COURSE_DAYS": str(around.days),
        "NO_MKDOCS_2_WARNING": "1",
    }
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder / "site")]
    done = subprocess.run(
        command, cwd=project, env=environment, capture_output=True, encoding="utf-8", errors="replace",
        umask=0o077, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, f"{around}, {HOW}:\n{done.stderr[-5000:]}"
    return folder / "site"


@pytest.mark.slow
def test_another_build_of_a_commit_has_the_same_bytes(built_site: Path, tmp_path: Path) -> None:
    found = list(differences(built_site, build_elsewhere(tmp_path)))
    assert not found, "\n".join([*found, f"the other build: {surroundings('build')}, {HOW}"])


def test_one_byte_and_one_file_are_seen(tmp_path: Path) -> None:
    one, other = tmp_path / "one", tmp_path / "other"
    for site in (one, other):
        (site / "lessons").mkdir(parents=True)
        (site / "lessons/index.html").write_text("a page\n")
        (site / "sitemap.xml.gz").write_bytes(b"\x1f\x8b\0")
    assert list(differences(one, other)) == []
    (one / "lessons/index.html").write_text("a Page\n")
    (other / "sitemap.xml.gz").write_bytes(b"\x1f\x8b\1")
    (other / "more.txt").touch()
    assert list(differences(one, other)) == [
        "more.txt is in one of them alone",
        "lessons/index.html differs\n@@ -1 +1 @@\n-a Page\n+a page",
        "sitemap.xml.gz differs",
    ]
