"""A host for the site as it is in the world: it compresses, sends a policy if told to, and fails if told to."""

import gzip
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PACKED = (".html", ".js", ".css", ".json", ".wasm", ".svg", ".py")
# The types that nginx, Apache and Python send without being told; nobody can rely on more.
TYPES = {
    ".html": "text/html",
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
    ".zip": "application/zip",
}


class Host:
    """What it is told to do wrong, and what it has sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.address = ""
        self.policy = ""  # Content-Security-Policy
        self.missing = self.altered = self.silent = self.cut = ""  # the end of a path that is treated so
        self.down = False  # answers nobody
        self.slow = 0.0  # seconds for each file below assets/run
        self.sent: list[tuple[str, int]] = []

    def bytes_sent(self) -> int:
        return sum(size for _, size in self.sent)


class Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def __init__(self, host: Host, *arguments: object, **options: object) -> None:
        self.host = host
        super().__init__(*arguments, directory=str(host.folder), **options)  # type: ignore[arg-type]

    def do_GET(self) -> None:
        asked, host = self.path.partition("?")[0], self.host
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if not path.is_file() or is_meant(asked, host.missing):
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        if host.down or is_meant(asked, host.cut):
            self.close_connection = True
            self.connection.close()
            return
        if host.slow and "/assets/run/" in asked:
            time.sleep(host.slow)
        body, packed = content(path)
        if is_meant(asked, host.altered):
            raw = path.read_bytes()
            body, packed = raw[:-1] + bytes([raw[-1] ^ 1]), False
        self.send_response(200)
        self.send_header("Content-Type", TYPES.get(path.suffix, "application/octet-stream"))
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "max-age=600")
        if packed:
            self.send_header("Content-Encoding", "gzip")
        if host.policy:
            self.send_header("Content-Security-Policy", host.policy)
        self.end_headers()
        if is_meant(asked, host.silent):
            return  # and says no more
        self.wfile.write(body)
        host.sent.append((asked, len(body)))

    def log_message(self, format: str, *arguments: object) -> None:
        pass


def is_meant(asked: str, end: str) -> bool:
    return bool(end) and asked.endswith(end)


@cache
def content(path: Path) -> tuple[bytes, bool]:
    """What goes over the wire, and whether it is compressed."""
    raw = path.read_bytes()
    return (gzip.compress(raw, 6), True) if path.suffix in PACKED else (raw, False)


@contextmanager
def hosting(folder: Path, handler: type[Handler] = Handler) -> Iterator[Host]:
    host = Host(folder)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(handler, host))
    server.daemon_threads = True
    host.address = f"http://127.0.0.1:{server.server_port}/"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield host
    server.shutdown()
    server.server_close()
