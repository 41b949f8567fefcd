"""Put the summary of a pull request's review into its one comment. GitHub starts it with the default branch's code, after the workflow Review.

What that workflow leaves behind was made by the code of the pull request, so it is taken as text by a stranger: it is never run
or unpacked, it is short, and it calls nobody. Which pull request it belongs to, GitHub's own event says, not the summary.

Usage: python3 .ci/comment.py   (GITHUB_TOKEN, GITHUB_REPOSITORY, GITHUB_API_URL and GITHUB_EVENT_PATH are GitHub's)
"""

import io
import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path
from typing import Any

MARKER = "<!-- what a reader sees of this change -->"
NAME = "comment.md"
AUTHOR = "github-actions[bot]"
LONGEST = 65_536
HEAVIEST = 8_000_000


def request(method: str, address: str, body: Any = None) -> bytes:
    """What GitHub answers. The token is not sent on to where it redirects."""
    data = None if body is None else json.dumps(body).encode()
    asked = urllib.request.Request(address, data, {"Accept": "application/vnd.github+json"}, method=method)
    asked.add_unredirected_header("Authorization", f"Bearer {os.environ['GITHUB_TOKEN']}")
    try:
        with urllib.request.urlopen(asked, timeout=60) as answer:
            text: bytes = answer.read(HEAVIEST + 1)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"comment: GitHub answers {error.code} to {method} {address}") from error
    if len(text) > HEAVIEST:
        raise SystemExit(f"comment: {address} is longer than {HEAVIEST:,} bytes")
    return text


def api(method: str, path: str, body: Any = None) -> Any:
    """What GitHub's API says of the repository."""
    root = f"{os.environ['GITHUB_API_URL']}/repos/{os.environ['GITHUB_REPOSITORY']}"
    return json.loads(request(method, f"{root}/{path}", body))


def pull_request(run: dict[str, Any]) -> int | None:
    """The open pull request whose newest commit the run looked at, or none."""
    owner = ((run.get("head_repository") or {}).get("owner") or {}).get("login", "")
    query = urllib.parse.urlencode({"state": "open", "head": f"{owner}:{run['head_branch']}"})
    found = [
        pull["number"] for pull in api("GET", f"pulls?{query}") if pull["head"]["sha"] == run["head_sha"]
    ]
    return int(found[0]) if owner and len(found) == 1 else None


def summary(run: dict[str, Any]) -> bytes:
    """The archive that the run left behind."""
    found = api("GET", f"actions/runs/{int(run['id'])}/artifacts?name=review")["artifacts"]
    if not found:
        raise SystemExit("comment: the run left no summary")
    newest = max(found, key=lambda artifact: int(artifact["id"]))  # a run that was started again left several
    return request("GET", newest["archive_download_url"])


def body_of(archive: bytes, commit: str) -> str:
    """The comment: the summary of an archive, if it is one, with a line that says whose it is; it calls nobody."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as packed, packed.open(NAME) as file:
            text = file.read(4 * LONGEST + 1).decode("utf-8")
    except (
        zipfile.BadZipFile,
        KeyError,
        NotImplementedError,
        RuntimeError,
        OSError,
        UnicodeDecodeError,
    ) as error:
        raise SystemExit(f"comment: there is no readable {NAME} in what the run left: {error!r}") from error
    first, _, rest = text.partition("\n")
    if first != MARKER:
        raise SystemExit(f"comment: {NAME} does not begin as a summary does")
    rest = re.sub(r"@(?=[\w-])|#(?=\d)", lambda match: f"{match[0]}\u200b", rest)
    whose = f"<sub>Written by the code of this pull request, at {commit[:10]}.</sub>"
    body = f"{MARKER}\n{whose}\n\n{rest}"
    if len(body) > LONGEST or "\0" in body:
        raise SystemExit(f"comment: the summary has {len(body):,} characters, at most {LONGEST:,} are taken")
    return body


def earlier(number: int) -> int | None:
    """Our own comment on the pull request, if there is one."""
    for page in range(1, 31):
        comments = api("GET", f"issues/{number}/comments?per_page=100&page={page}")
        for comment in comments:
            if comment["user"]["login"] == AUTHOR and (comment["body"] or "").startswith(MARKER):
                return int(comment["id"])
        if len(comments) < 100:
            return None
    raise SystemExit("comment: the pull request has too many comments to look through")


def main() -> None:
    """Write the comment, or change the earlier one."""
    run = json.loads(Path(os.environ["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))["workflow_run"]
    number = pull_request(run)
    if number is None:
        print(f"comment: no open pull request is at {run['head_sha']}: closed, or pushed to since")
        return
    body = {"body": body_of(summary(run), run["head_sha"])}
    known = earlier(number)
    if known is None:
        api("POST", f"issues/{number}/comments", body)
    else:
        api("PATCH", f"issues/comments/{known}", body)
    print(f"comment: {'written to' if known is None else 'changed on'} pull request {number}")


if __name__ == "__main__":
    sys.exit(main())
