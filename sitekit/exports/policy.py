"""The strictest Content-Security-Policy under which every page of the site works, for hosts that can send one."""

import base64
import hashlib
import re
from pathlib import Path

INLINE = re.compile(r"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script>", re.S)
POLICY = (
    "default-src 'none'; "
    "script-src 'self' 'wasm-unsafe-eval' {hashes}; "  # WebAssembly is what Python in the browser is made of
    "worker-src 'self'; "
    "connect-src 'self'; "
    "style-src-elem 'self'; "
    "style-src-attr 'unsafe-inline'; "  # the shades of matrices, the places of a formula's signs
    "img-src 'self' data:; "
    "font-src 'self'; "
    "base-uri 'none'; "
    "form-action 'self'; "
    "frame-ancestors 'self'"
)


def policy(folder: Path) -> str:
    """The policy for a built site; the theme's inline scripts are allowed by their hashes."""
    hashes: set[str] = set()
    for page in folder.rglob("*.html"):
        for script in INLINE.finditer(page.read_text("utf-8")):
            if not re.search(r'\bsrc=|type="application/', script["attributes"]):
                digest = hashlib.sha256(script["code"].encode()).digest()
                hashes.add(f"'sha256-{base64.b64encode(digest).decode()}'")
    return POLICY.format(hashes=" ".join(sorted(hashes)))


def headers(folder: Path) -> str:
    """The file `_headers` that Netlify and Cloudflare Pages read; other hosts are told the line by hand."""
    return f"/*\n  Content-Security-Policy: {policy(folder)}\n"
