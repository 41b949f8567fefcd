"""The date of a build: that of the commit, or the one that the environment names."""

import os
import subprocess
from pathlib import Path

import pytest

from coursebuild import dated

from .conftest import SmallSite

pytestmark = pytest.mark.once


@pytest.fixture(autouse=True)
def _nothing_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(dated.VARIABLE, "0")  # so that what a test sets is taken back
    monkeypatch.delenv(dated.VARIABLE)


def commit(folder: Path, date: str) -> None:
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "A commit"]):
        who = ["-c", "user.name=N", "-c", "user.email=n@example.org", "-c", "commit.gpgsign=false"]
        environment = os.environ | {"GIT_AUTHOR_DATE": "2001-01-01T00:00:00Z", "GIT_COMMITTER_DATE": date}
        subprocess.run(["git", *who, *command], cwd=folder, check=True, env=environment)


def test_it_is_that_of_the_commit_in_whatever_time_zone(tmp_path: Path) -> None:
    commit(tmp_path, "2025-03-04T05:06:07+09:00")
    assert dated.commit_date(tmp_path) == 1741032367
    dated.settle(tmp_path)
    assert os.environ[dated.VARIABLE] == "1741032367"


def test_the_environment_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(tmp_path, "2025-03-04T05:06:07+09:00")
    monkeypatch.setenv(dated.VARIABLE, "86400")
    dated.settle(tmp_path)
    assert os.environ[dated.VARIABLE] == "86400"


@pytest.mark.parametrize("lacks", ["repository", "commit", "git"])
def test_a_constant_where_nothing_tells(tmp_path: Path, lacks: str, monkeypatch: pytest.MonkeyPatch) -> None:
    commit(tmp_path, "2025-03-04T05:06:07Z")
    project = tmp_path / "project"
    project.mkdir()
    if lacks == "commit":
        subprocess.run(["git", "init", "-q"], cwd=project, check=True)
    elif lacks == "git":
        commit(project, "2025-03-04T05:06:07Z")
        monkeypatch.setenv("PATH", str(tmp_path))
    assert dated.commit_date(project) == dated.UNKNOWN


@pytest.mark.parametrize("named", ["", "yesterday", "-1", "1e9", "١٢", "9" * 12])
def test_what_is_no_date_is_refused(tmp_path: Path, named: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(dated.VARIABLE, named)
    with pytest.raises(ValueError, match=f"SOURCE_DATE_EPOCH is '{named}'; it is a number of seconds"):
        dated.settle(tmp_path)


def test_the_build_has_it(small_site: SmallSite) -> None:
    commit(small_site.root, "2025-03-04T05:06:07+09:00")
    small_site.replace("site_name: ", "site_url: https://example.org/\nsite_name: ", "mkdocs.yml")
    [(status, said)] = small_site.build_with(("-q",))
    assert (status, said) == (0, "")
    dates = small_site.root.joinpath("site/sitemap.xml").read_text(encoding="utf-8")
    assert dates.count("<lastmod>") == 2 and dates.count("<lastmod>") == dates.count("2025-03-03")
    [(status, said)] = small_site.build_with(("-q",), SOURCE_DATE_EPOCH="soon")
    assert status == 1
    assert "SOURCE_DATE_EPOCH is 'soon'" in said and "Traceback" not in said
