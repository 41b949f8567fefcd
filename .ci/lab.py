"""Start `make lab` as a reader does, and look whether JupyterLab offers the notebooks and runs one. Usage: lab.py [NAME=VALUE ...]

The names and values are passed on to make.
"""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

SECONDS = 240
ADDRESS = re.compile(r"(http://127\.0\.0\.1:\d+/)lab\?token=(\w+)")


def ask(address: str, path: str, token: str, data: object = None) -> object:
    """What the server answers to a request of its interface."""
    body = None if data is None else json.dumps(data).encode()
    request = urllib.request.Request(address + path, body, {"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=60) as answer:
        text = answer.read().decode()
    return json.loads(text) if path.startswith("api/") else text


def look(address: str, token: str) -> None:
    """Stop with a message where a reader would find no notebook or no kernel."""
    if "jupyter-config-data" not in str(ask(address, "lab", token)):
        sys.exit("lab: JupyterLab's page is not there")
    found = ask(address, "api/contents/", token)
    names = {entry["name"] for entry in found["content"]} if isinstance(found, dict) else set()
    lessons = sorted(Path("docs/lessons").glob("*.md"))
    wanted = {f"{path.stem}-{kind}.ipynb" for path in lessons for kind in ("lab", "exercises")}
    if missing := sorted(wanted - names):
        sys.exit(f"lab: JupyterLab does not offer {', '.join(missing)}")
    kernel = ask(address, "api/kernels", token, {"name": "python3"})
    if not isinstance(kernel, dict) or "id" not in kernel:
        sys.exit("lab: no kernel starts")
    print(f"lab: JupyterLab offers {len(wanted)} notebooks, and a kernel starts")


def main(arguments: list[str]) -> None:
    options = "--no-browser --port=0 --ServerApp.ip=127.0.0.1 --allow-root"
    command = ["make", "lab", f"LAB={options}", *arguments]
    log = Path("lab.log")
    with log.open("w", encoding="utf-8") as out:
        server = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        ends = time.monotonic() + SECONDS
        while not (found := ADDRESS.search(log.read_text(encoding="utf-8"))):
            if server.poll() is not None or time.monotonic() > ends:
                sys.exit(f"lab: make lab gave no address:\n{log.read_text(encoding='utf-8')[-3000:]}")
            time.sleep(0.2)
        look(found[1], found[2])
    finally:
        if server.poll() is None:
            os.killpg(server.pid, signal.SIGTERM)
            server.wait(30)
        log.unlink()


if __name__ == "__main__":
    main(sys.argv[1:])
