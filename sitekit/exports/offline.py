"""The whole site as one zip that can be read without a server: unzip it, open index.html.

Browsers are strict with pages that were opened as files: an address that ends in a folder shows a list of files, and
fetch(), workers and modules are refused. So in the zip

- a link to a folder names the index.html in it, and one to the site's own address stays inside;
- the search index is there as a script, too, where Material's own script looks for it when it was opened as a file, and
  iframe-worker, by Material's author, does for the search what the worker cannot;
- pages carry no policy, since iframe-worker writes a page of its own with a script on it;
- every page knows what to say where something cannot work (offline.js), and does not offer the zip once more.

Everything else is the built site byte for byte, so that a server in the folder makes all of it work. What only hosts
and search engines read is left out.
"""

import json
import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from ..languages import Language
from ..live.runtime import checked
from ..paths import NODE_MODULES
from . import policy

NAME = "attention-site"
FILE = f"{NAME}.zip"
FOLDER = "assets/offline"
FOR_HOSTS = {FILE, "_headers", "404.html", "robots.txt", "sitemap.xml", "sitemap.xml.gz"}
TOO_LARGE = "assets/models/smollm2/"  # 97 MB, twice the rest; the page says where it is
PACKED = (".bin", ".gz", ".png", ".whl", ".woff2", ".zip")  # deflating them again gains nothing
LEVEL = 9

WORKER = NODE_MODULES / "iframe-worker"
WORKER_SHA256 = "e8e412dbcfea9b7e31b5ffa288d7b6035915e714c542f4176a0cdbe262fc9609"

LINK = re.compile(r"""(<(?:a|link)\s[^>]*?\bhref=)(["'])(.*?)\2""", re.S)
CANONICAL = 'rel="canonical"'
POLICY = re.compile(re.escape(policy.META).replace(r"\{\}", '[^"]*'))
ONLINE = re.compile(r"<span data-online>.*?</span>", re.S)
ELSEWHERE = re.compile(r"[a-z][a-z0-9+.-]*:|/", re.I)


def write(site: Path, url: str, languages: Mapping[str, Language]) -> Path:
    """Pack the built site, whose address on-line is `url`; the same bytes from the same site."""
    path = site / FILE
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in sorted(contents(site, url, languages)):
            entry = zipfile.ZipInfo(f"{NAME}/{name}")  # of 1980, as all of them
            entry.create_system, entry.external_attr = 3, 0o644 << 16  # the same on every machine
            method = zipfile.ZIP_STORED if name.endswith(PACKED) else zipfile.ZIP_DEFLATED
            archive.writestr(entry, content, method, LEVEL)
    return path


def contents(site: Path, url: str, languages: Mapping[str, Language]) -> Iterator[tuple[str, bytes]]:
    """Every file of the zip: its path below the one folder, and what is in it."""
    for path in site.rglob("*"):
        name = path.relative_to(site).as_posix()
        if path.is_dir() or path.name in FOR_HOSTS or name.startswith(TOO_LARGE):
            continue
        content = path.read_bytes()
        if path.suffix == ".html":
            content = page(content.decode(), name, url, language_of(name, languages)).encode()
        if path.name == "search_index.json":
            content = search(content)
            yield name.removesuffix("on"), b"var __index = " + content
        yield name, content
    yield f"{FOLDER}/offline.js", Path(__file__).with_name("offline.js").read_bytes()
    yield f"{FOLDER}/iframe-worker.js", checked(WORKER / "shim" / "index.js", WORKER_SHA256)


def page(html: str, name: str, url: str, language: Language) -> str:
    """The page as it is in the zip; its scripts come before all that wait for the page to be there."""
    up = "../" * name.count("/")
    say = escape(language.labels["as_file"])
    tags = (
        f'<script src="{up}{FOLDER}/offline.js" data-say="{say}"></script>'
        f'<script src="{up}{FOLDER}/iframe-worker.js"></script>'
    )

    def within(match: re.Match[str]) -> str:
        if CANONICAL in match[1]:
            return match[0]
        return f"{match[1]}{match[2]}{link(match[3], up, url)}{match[2]}"

    return LINK.sub(within, ONLINE.sub("", POLICY.sub("", html, count=1))).replace("</head>", f"{tags}</head>", 1)


def link(address: str, up: str, url: str) -> str:
    """What the address of a link becomes on a page from which `up` ("", "../" ...) leads to the site's root."""
    if url and address.startswith(url):
        address = (up or "./") + address.removeprefix(url)
    path = re.split("[?#]", address, maxsplit=1)[0]
    return address if not path or ELSEWHERE.match(path) else file(path) + address[len(path) :]


def file(path: str) -> str:
    """The file that a server sends for a path."""
    if posixpath.basename(path) in (".", ".."):
        path += "/"
    return f"{path}index.html" if path.endswith("/") or not path else path


def search(index: bytes) -> bytes:
    """The search index, with places that are files."""
    entries = json.loads(index)
    for place in entries["docs"]:
        path, mark, section = place["location"].partition("#")
        place["location"] = file(path) + mark + section
    return json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()


def language_of(name: str, languages: Mapping[str, Language]) -> Language:
    """The language of the part of the site that a page is in."""
    return next(one for one in reversed(list(languages.values())) if name.startswith(one.prefix))
