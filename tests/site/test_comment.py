"""The comment on a pull request: what a stranger's code left is text, and it goes to its own pull request alone."""

import contextlib
import importlib.util
import io
import json
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from coursebuild.review import summary

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parents[2]
SHA = "0123456789abcdef0123456789abcdef01234567"
RUN = {
    "id": 7,
    "head_sha": SHA,
    "head_branch": "work&state=all#",
    "head_repository": {"owner": {"login": "someone"}},
}
TEXT = f"{summary.MARKER}\n### What changed in the course: 1 page\n"


def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("comment", ROOT / ".ci/comment.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


comment = script()


def packed(text: str | bytes = TEXT, name: str = comment.NAME) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(name, text)
    return file.getvalue()


class GitHub:
    """As much of GitHub as the script asks; it keeps what it was told, and which requests brought the token."""

    def __init__(self) -> None:
        self.pulls: list[dict[str, Any]] = [{"number": 3, "head": {"sha": SHA}}]
        self.comments: list[dict[str, Any]] = []
        self.archive = packed()
        self.artifacts = [(5, "/zip")]
        self.told: list[tuple[str, str, str]] = []
        self.asked: list[str] = []
        self.authorised: dict[str, bool] = {}
        self.address = ""

    def answer(self, method: str, path: str, body: Any) -> Any:
        where, _, query = path.removeprefix("/repos/o/r/").partition("?")
        if method != "GET":
            self.told.append((method, where, body["body"]))
            return {}
        self.asked.append(path)
        if where == "pulls":
            assert query == "state=open&head=someone%3Awork%26state%3Dall%23"
            return self.pulls
        if where == "actions/runs/7/artifacts":
            return {
                "artifacts": [{"id": n, "archive_download_url": self.address + a} for n, a in self.artifacts]
            }
        assert where == "issues/3/comments"
        page = int(query.split("page=")[-1])
        return self.comments[100 * (page - 1) : 100 * page]


@pytest.fixture
def github(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHub]:
    fake = GitHub()

    class Handler(BaseHTTPRequestHandler):
        def reply(self) -> None:
            fake.authorised[self.path] = self.headers.get("Authorization") == "Bearer token"
            length = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(length)) if length else None
            if self.path == "/zip":
                self.send_response(302)
                self.send_header("Location", "/blob")
                self.end_headers()
                return
            data = (
                fake.archive
                if self.path == "/blob"
                else json.dumps(fake.answer(self.command, self.path, body)).encode()
            )
            self.send_response(200)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # the script reads no further than it must
                self.wfile.write(data)

        do_GET = do_POST = do_PATCH = reply  # noqa: N815

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    fake.address = f"http://127.0.0.1:{server.server_port}"
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"workflow_run": RUN}))
    for name, value in {
        "GITHUB_API_URL": fake.address,
        "GITHUB_REPOSITORY": "o/r",
        "GITHUB_TOKEN": "token",
        "GITHUB_EVENT_PATH": str(event),
        "no_proxy": "127.0.0.1",
    }.items():
        monkeypatch.setenv(name, value)
    yield fake
    server.shutdown()
    thread.join()
    server.server_close()


class TestComment:
    def test_the_first_is_written(self, github: GitHub, capsys: pytest.CaptureFixture[str]) -> None:
        comment.main()
        [(method, where, body)] = github.told
        assert (method, where) == ("POST", "issues/3/comments")
        assert body.startswith(
            f"{summary.MARKER}\n<sub>Written by the code of this pull request, at 0123456789.</sub>\n\n### "
        )
        assert capsys.readouterr().out == "comment: written to pull request 3\n"

    def test_a_later_one_changes_it(self, github: GitHub) -> None:
        """However many others came before; a stranger's comment with the marker is not ours."""
        github.comments = [{"id": 1, "user": {"login": "someone"}, "body": TEXT}] * 120
        github.comments += [{"id": 2, "user": {"login": comment.AUTHOR}, "body": "of another workflow"}]
        github.comments += [{"id": 99, "user": {"login": comment.AUTHOR}, "body": TEXT}]
        comment.main()
        assert [told[:2] for told in github.told] == [("PATCH", "issues/comments/99")]

    def test_the_token_goes_to_the_api_alone(self, github: GitHub) -> None:
        comment.main()
        assert github.authorised.pop("/blob") is False
        assert github.authorised
        assert all(github.authorised.values())

    @pytest.mark.parametrize(
        "pulls",
        [
            [],
            [{"number": 3, "head": {"sha": "f" * 40}}],
            [{"number": n, "head": {"sha": SHA}} for n in (3, 4)],
        ],
        ids=["none", "moved on", "two"],
    )
    def test_no_pull_request_is_at_that_commit(self, github: GitHub, pulls: list[dict[str, Any]]) -> None:
        github.pulls = pulls
        comment.main()
        assert github.told == []

    def test_the_fork_is_gone(self, github: GitHub) -> None:
        run = {**RUN, "head_repository": None}
        github.answer = lambda *_: []  # type: ignore[method-assign]
        assert comment.pull_request(run) is None

    def test_it_calls_nobody(self, github: GitHub) -> None:
        github.archive = packed(f"{TEXT}@someone @org/team #12 o/r#3 a@b.c\n```\n@decorator\n```\n")
        comment.main()
        body = github.told[0][2]
        assert "@\u200bsomeone @\u200borg/team #\u200b12 o/r#\u200b3 a@\u200bb.c" in body

    @pytest.mark.parametrize(
        ("archive", "problem"),
        [
            (b"no archive", "no readable"),
            (packed(name="other.md"), "no readable"),
            (packed(name="../comment.md"), "no readable"),
            (packed(b"\xff\xfe"), "no readable"),
            (packed("x"), "does not begin"),
            (packed(""), "does not begin"),
            (packed(TEXT + "x" * 65_536), "at most 65,536"),
            (packed(TEXT + "x" * 50_000_000), "at most 65,536"),
            (packed(TEXT + "\0"), "at most 65,536"),
            (packed()[:-30], "no readable"),
            (bytes(9_000_000), "longer than 8,000,000 bytes"),
        ],
        ids=range(11),
    )
    def test_what_is_no_summary_is_refused(self, github: GitHub, archive: bytes, problem: str) -> None:
        github.archive = archive
        with pytest.raises(SystemExit, match=problem):
            comment.main()
        assert github.told == []

    def test_a_run_without_a_summary(self, github: GitHub) -> None:
        github.artifacts = []
        with pytest.raises(SystemExit, match="left no summary"):
            comment.main()

    def test_of_a_run_that_was_started_again_the_newest_is_taken(self, github: GitHub) -> None:
        github.artifacts = [(5, "/old"), (9, "/zip"), (7, "/old")]
        comment.main()
        assert "/blob" in github.authorised
        assert "/old" not in github.authorised

    def test_an_error_of_github_is_told_without_the_token(
        self, github: GitHub, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("GITHUB_API_URL", f"{github.address}/zip/x")
        monkeypatch.setattr(comment.urllib.request, "urlopen", failing)
        with pytest.raises(SystemExit, match="GitHub answers 403 to GET") as told:
            comment.main()
        assert "token" not in str(told.value)

    def test_it_takes_what_make_review_writes(self) -> None:
        assert comment.MARKER == summary.MARKER
        assert summary.LONGEST + 5000 < comment.LONGEST


def failing(asked: Any, timeout: int) -> None:
    raise comment.urllib.error.HTTPError(asked.full_url, 403, "no", {}, io.BytesIO())


class TestWorkflows:
    review, posting = (
        yaml.safe_load((ROOT / f".github/workflows/{name}.yml").read_text()) for name in ("review", "comment")
    )

    def test_the_code_of_a_pull_request_may_only_read(self) -> None:
        [job] = self.review["jobs"].values()
        assert job["permissions"] == {"contents": "read"}
        assert "secrets" not in (ROOT / ".github/workflows/review.yml").read_text()
        assert list(self.review[True]) == ["pull_request"], "not pull_request_target"

    def test_what_may_write_runs_no_code_of_a_pull_request(self) -> None:
        assert list(self.posting[True]) == ["workflow_run"]
        assert self.posting[True]["workflow_run"]["workflows"] == [self.review["name"]]
        [job] = self.posting["jobs"].values()
        assert {scope for scope, access in job["permissions"].items() if access == "write"} == {
            "pull-requests"
        }
        checkout, run = job["steps"]
        assert set(checkout["with"]) == {"persist-credentials", "sparse-checkout"}, "the default branch"
        assert run["run"] == "python3 .ci/comment.py", "no expression, which the pull request could fill"
        assert run["env"] == {"GITHUB_TOKEN": "${{ github.token }}"}

    def test_what_the_one_leaves_the_other_takes(self) -> None:
        [job] = self.review["jobs"].values()
        last = job["steps"][-1]["with"]
        assert (last["name"], last["path"]) == ("review", "review/")
        assert "artifacts?name=review" in (ROOT / ".ci/comment.py").read_text(encoding="utf-8")
