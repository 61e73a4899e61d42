"""The strictest Content-Security-Policy under which every page of the site works.

Every page carries it, since not every host sends one; `_headers` has it for hosts that do. Scripts come from the site's
own files. The theme writes three into each page; they are listed here, and a page with another one fails the build.
"""

import base64
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

INLINE = re.compile(r"<script(?P<attributes>[^>]*)>(?P<code>.*?)</script\s*>", re.S | re.I)
NO_CODE = re.compile(r'\s(?:src=|type="application/(?:ld\+)?json")')
CHARSET = '<meta charset="utf-8">'  # what stands first on a page: a policy holds for what comes after it
ADDRESS = re.compile(r'(?<=^__md_scope=new URL\(")[\w./%~-]*(?=",location\))', re.A)
# SHA-256 of the theme's inline scripts; the first one has the site's path, which is taken out before.
THEME = {
    "frNoT9rNKIH2e5QomDJzop2HdNi8gmIq+bZajsEDKpA=": "where settings are kept",
    "DrEMJJ29sL7vIloQzly+VUGMxKcBTMII+OfW7Y8AkG4=": "light or dark",
    "/8wPdzX9q0NNJXyA5lzsLojXFpkeaXVxhbfkUOQaWy8=": "which tab is open",
}
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
    "form-action 'self'"
)
META = '<meta http-equiv="Content-Security-Policy" content="{}">'
VERSIONED = re.compile(
    r"\.[0-9a-f]{8,}\.(?:min\.)?\w+$|/pyodide-[\d.]+/[^/]+\.(?!json)\w+$"
)  # a hash or a version in the name
FOR_EVER = "public, max-age=31536000, immutable"
HEADERS_ALONE = "; frame-ancestors 'self'"  # browsers ignore it on a page


class PolicyError(Exception):
    """A page has a script that the policy does not list."""


def digest(code: str) -> str:
    return base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()


def inline_scripts(html: str) -> Iterator[str]:
    """The code of each script that stands on the page itself."""
    for script in INLINE.finditer(html):
        if not NO_CODE.search(script["attributes"]):
            yield script["code"]


def hashes(html: str) -> set[str]:
    """The sources that `script-src` lists for this page."""
    codes = list(inline_scripts(html))
    for code in codes:
        if digest(ADDRESS.sub("", code)) not in THEME:
            raise PolicyError(f"a script that sitekit/exports/policy.py does not list: {code.strip()[:60]!r}")
    return {f"'sha256-{digest(code)}'" for code in codes}


def policy(listed: set[str]) -> str:
    return POLICY.format(hashes=" ".join(sorted(listed)))


def add_policy(html: str) -> str:
    """The page with its policy."""
    meta = META.format(policy(hashes(html)))
    if html.count(CHARSET) != 1:
        raise PolicyError(f"{CHARSET} stands {html.count(CHARSET)} times; the policy comes after it")
    return html.replace(CHARSET, CHARSET + meta)


def cached(site: Path, path: str) -> str:
    """The lines of `_headers` for files that another version of has another name, below this path of the host."""
    names = sorted(file.relative_to(site).as_posix() for file in site.rglob("*") if VERSIONED.search(file.as_posix()))
    return "".join(f"{path}{name}\n  Cache-Control: {FOR_EVER}\n" for name in names)


def write(site: Path, path: str) -> None:
    """Put the policy on every page of a built site, and into `_headers`, which Netlify and Cloudflare Pages read."""
    listed: set[str] = set()
    for page in sorted(site.rglob("*.html")):
        html = page.read_text("utf-8")
        try:
            listed |= hashes(html)
            page.write_text(add_policy(html), "utf-8")
        except PolicyError as error:
            raise PolicyError(f"{page.relative_to(site).as_posix()}: {error}") from None
    header = f"/*\n  Content-Security-Policy: {policy(listed)}{HEADERS_ALONE}\n"
    (site / "_headers").write_text(header + cached(site, path), "utf-8")
