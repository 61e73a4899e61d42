"""Serve both languages while they are edited: `make serve`, or `make serve PORT=8001` where 8000 is taken."""

import errno
import os
import socket
import subprocess
import sys

from .paths import ROOT

HOST = "127.0.0.1"
DEFAULT_PORT = "8000"


def check_port(text: str) -> int:
    """Return the port as a number, if a server can listen there; a build takes too long to find out afterwards."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        sys.exit(f"serve: the port is {text!r}; it must be a number from 1 to 65535")
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, int(text)))
        except OSError as error:
            reason = "is taken" if error.errno == errno.EADDRINUSE else f"cannot be used ({error.strerror})"
            sys.exit(f"serve: port {text} {reason}; name another one: make serve PORT={int(text) % 65535 + 1}")
    return int(text)


def main(arguments: list[str]) -> int:
    port = check_port(arguments[0] if arguments else DEFAULT_PORT)
    command = [sys.executable, "-m", "mkdocs", "serve", "--livereload", f"--dev-addr={HOST}:{port}"]
    try:
        return subprocess.run(command, cwd=ROOT, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"}, check=False).returncode
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
