"""Say in one line why the preview cannot use a port. Usage: port.py PORT"""

import socket
import sys


def refusal(port: str) -> str | None:
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65535):
        return f"PORT={port} is not a port; use a number from 1 to 65535."
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", int(port)))
            probe.listen()
        except PermissionError:
            return f"port {port} needs administrator rights; choose another: make serve PORT=8001"
        except OSError:
            return f"port {port} is taken; stop what uses it, or choose another: make serve PORT={int(port) % 65535 + 1}"
    return None


if __name__ == "__main__":
    problem = refusal(sys.argv[1])
    if problem:
        sys.exit(f"make: {problem}")
