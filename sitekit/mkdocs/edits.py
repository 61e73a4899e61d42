"""What `make serve` does after an edit: first the pages that were edited, at once; then, behind them, the whole site.

The first step takes the state that the last whole build has left: the navigation, the templates, the files. The second
step is a build like any other, so whatever depends on the edit is right at the end: the status of translations, the
search, the notebooks. A newer edit stops it. What is wrong stands above every page until it is mended.
"""

import logging
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path
from typing import Any

import jinja2
from mkdocs.commands import build as mkdocs_build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import MkDocsException
from mkdocs.livereload import LiveReloadServer
from mkdocs.structure.files import Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from pymdownx.superfences import SuperFencesException

from ..build import Build, build_from
from ..i18n.refusals import refused_page
from ..i18n.report import describe_findings
from ..i18n.site import Site
from ..lessons.cells import execute_lessons
from ..lessons.execute import LessonError
from ..lessons.files import lesson_of
from ..markdown import mathml
from ..paths import DOCS, ROOT, SNIPPETS, THEME
from . import settings
from .logs import log

WATCHED = (DOCS, SNIPPETS, THEME)
KNOWN = (SystemExit, MkDocsException, OSError, ValueError, SuperFencesException, LessonError)
QUIET = 1.5  # seconds without an edit before the whole site is built
Stamps = dict[Path, tuple[int, int]]


class SupersededError(BaseException):
    """There is a newer edit. Not an Exception, for MkDocs takes those for faults of a page."""


@dataclass
class Rendered:
    """What the last whole build knows of the site in one language."""

    config: MkDocsConfig
    files: Files
    nav: Navigation
    templates: jinja2.Environment
    before: dict[str, dict[str, Any]] = field(default_factory=dict)  # pages by path, as they were before rendering


@dataclass(frozen=True)
class Plan:
    """The pages to build first, and whether a lesson has to be executed before."""

    pages: frozenset[Path] = frozenset()
    lessons: bool = False


def plan(changed: Iterable[Path], pages: Iterable[Path]) -> Plan | None:
    """What to build first of these pages; None where an edit can change anything."""
    known, first, lessons = list(pages), set[Path](), set[str]()
    for path in changed:
        if path in known and path.exists():
            first.add(path)
        elif path.exists() and (lesson := lesson_of(path)):
            lessons.add(lesson)
        else:
            return None
    for page in known:
        text = page.read_text("utf-8", "replace") if lessons and page.exists() else ""
        if any(page.stem == lesson or f"\n{lesson}." in text for lesson in lessons):
            first.add(page)
    return Plan(frozenset(first), bool(lessons))


def stamps() -> Stamps:
    """When each file that a build reads was last changed, and its size."""
    files = [path for folder in WATCHED for path in folder.rglob("*") if "__pycache__" not in path.parts]
    return {path: stamp for path in [*files, ROOT / "mkdocs.yml"] if (stamp := stamp_of(path))}


def stamp_of(path: Path) -> tuple[int, int] | None:
    try:
        about = path.lstat()
    except FileNotFoundError:
        return None  # removed meanwhile
    return (about.st_mtime_ns, about.st_size) if path.is_symlink() or path.is_file() else None


def differing(before: Stamps, after: Stamps) -> set[Path]:
    return {path for path in before | after if before.get(path) != after.get(path)}


class Faults(logging.Handler):
    """Keeps the errors that are logged while something is built."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(record.getMessage())


class Edits:
    """One per server: what was built, what has changed since, and what is wrong."""

    def __init__(self) -> None:
        self.rendered: dict[str, Rendered] = {}  # by language, of the last whole build
        self.fault = ""
        self.newer = threading.Event()
        self.rest: threading.Thread | None = None
        self.stamps: Stamps = {}

    def attach(self, server: LiveReloadServer, build_all: Callable[[], None]) -> None:
        """Have the server build in two steps, and say on its pages what is wrong."""
        self.server, self.build_all, self.stamps = server, build_all, stamps()
        server.builder = self.rebuild
        server.set_app(self.respond)

    def rebuild(self) -> None:
        """Build what the newest edit asks for first, and start the rest."""
        self.stop()
        after = stamps()
        changed, self.stamps = differing(self.stamps, after), after
        first = plan(changed, self.sources()) if self.rendered else None
        if first is None:
            self.guard(self.build_all)
        elif self.guard(lambda: self.build_first(first)):
            self.rest = threading.Thread(target=self.build_rest, daemon=True)
            self.rest.start()

    def stop(self) -> None:
        """Stop the build of the rest, and wait until it has."""
        self.newer.set()
        if self.rest:
            self.rest.join()
        self.rest = None
        self.newer.clear()

    def go_on(self) -> None:
        if self.newer.is_set():
            raise SupersededError

    def sources(self) -> Iterator[Path]:
        for one in self.rendered.values():
            for file in one.files.documentation_pages():
                if file.src_uri.endswith(".md"):
                    yield Path(file.abs_src_path or "")

    def guard(self, step: Callable[[], None]) -> bool:
        """Take a step; keep what goes wrong for the pages. True where nothing does."""
        try:
            with listening() as faults:
                step()
        except SupersededError:
            return False
        except (Exception, SystemExit) as error:
            lines = [line for line in [*faults, str(error)] if line]
            unexpected = not isinstance(error, KNOWN)
            self.fault = traceback.format_exc() if unexpected else "\n".join(dict.fromkeys(lines))
            log.error(f"Not built: {self.fault}\nThe pages say so, and stay as they were.")
            return False
        self.fault = ""
        return True

    def build_first(self, first: Plan) -> None:
        """Write the pages of the plan anew, in the place where the server looks for them."""
        begun = time.monotonic()
        any_config = next(iter(self.rendered.values())).config
        known: Build = any_config.extra["build"]
        site = Site(languages=known.languages)
        check(site, first.pages)
        lessons = execute_lessons(log.info) if first.lessons else known.lessons
        build = replace(build_from(lessons) if first.lessons else known, site=site, formulas=set(known.formulas))
        for language, one in self.rendered.items():
            one.config.extra["build"] = build
            settings.configure_markdown(one.config, build)
            pages = [
                file.page for file in one.files.documentation_pages() if Path(file.abs_src_path or "") in first.pages
            ]
            for page in pages:
                if page:
                    self.render(one, page)
            if build.formulas > known.formulas:
                mathml.write_font(Path(self.server.root, build.languages[language].prefix), build.formulas)
        log.info(f"Pages built first: {len(first.pages)}, in {time.monotonic() - begun:.1f} s; the rest follows")

    def render(self, one: Rendered, page: Page) -> None:
        """Render a page once more: from what it was before it was rendered, into the site that is served."""
        before = one.before[page.file.src_uri]
        page.__dict__.clear()
        page.__dict__.update(before)
        mkdocs_build._populate_page(page, one.config, one.files)
        place = Path(self.server.root, one.config.extra["language"].prefix, page.file.dest_uri)
        destination, page.file.abs_dest_path = page.file.abs_dest_path, str(place)
        try:
            mkdocs_build._build_page(page, one.config, one.files.documentation_pages(), one.nav, one.templates)
        finally:
            page.file.abs_dest_path = destination

    def build_rest(self) -> None:
        """Build the whole site, unless a newer edit comes; then let the browsers load it."""
        if self.newer.wait(QUIET):
            return
        if not self.guard(self.build_all) and self.newer.is_set():
            return
        self.reload()

    def reload(self) -> None:
        with self.server._epoch_cond:
            self.server._wanted_epoch = self.server._visible_epoch = int(time.monotonic() * 1000)
            self.server._epoch_cond.notify_all()

    def respond(self, environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        """The server's answer, with what is wrong above every page."""
        answer: list[Any] = []
        body = self.server.serve_request(environ, lambda *begin: answer.extend(begin))
        status, headers = answer[:2]
        if self.fault and dict(headers).get("Content-Type", "").startswith("text/html"):
            content = add_fault(b"".join(body), self.fault)
            headers = [(name, value) for name, value in headers if name != "Content-Length"]
            headers.append(("Content-Length", str(len(content))))
            body = [content]
        start_response(status, headers)
        return body


def check(site: Site, pages: Iterable[Path]) -> None:
    """Refuse a page that a whole build would refuse, with the same words."""
    for path in pages:
        language, _, page = path.relative_to(site.docs).as_posix().partition("/")
        document = site.document(page, language)
        if document and (found := list(refused_page(site, document))):
            raise ValueError(describe_findings(found))


@contextmanager
def listening() -> Iterator[list[str]]:
    faults = Faults()
    logger = logging.getLogger("mkdocs")
    logger.addHandler(faults)
    try:
        yield faults.messages
    finally:
        logger.removeHandler(faults)


def add_fault(html: bytes, fault: str) -> bytes:
    """The page with what is wrong in front of everything else."""
    style = "position:relative;z-index:9;margin:0;padding:1rem;background:#8b0000;color:#fff;white-space:pre-wrap"
    note = f'<pre role="alert" style="{style}">{escape(fault)}</pre>'.encode()
    start = html.find(b">", html.find(b"<body")) + 1 if b"<body" in html else 0
    return html[:start] + note + html[start:]


edits = Edits()


def keep_templates(templates: jinja2.Environment, config: MkDocsConfig, files: Files) -> None:
    """Keep what a whole build knows, as soon as it knows all of it."""
    pages, nav = config.extra.pop("unrendered"), config.extra.pop("nav")
    edits.rendered[config.extra["language"].code] = Rendered(config, files, nav, templates, pages)


def keep_page(page: Page, config: MkDocsConfig) -> None:
    """Keep a page as it is before it is rendered; and stop there if there is a newer edit."""
    edits.go_on()
    config.extra.setdefault("unrendered", {})[page.file.src_uri] = dict(page.__dict__)
