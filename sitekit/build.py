"""What one build knows: read when the build begins, handed on to all that it does, and dropped when it ends."""

from collections.abc import Callable
from dataclasses import dataclass, field

from .i18n.people import contributors
from .i18n.site import Site
from .languages import Language, languages
from .lessons.cells import Lessons, execute_lessons


@dataclass(frozen=True)
class Build:
    """One build of the site, in all its languages."""

    languages: dict[str, Language]
    lessons: Lessons
    site: Site  # the text of every page, for the state of its translations
    contributors: dict[str, list[str]]  # by the path of the page
    formulas: set[str] = field(default_factory=set)  # those rendered so far; the font holds what they show

    @property
    def source(self) -> Language:
        return next(iter(self.languages.values()))


def begin(report: Callable[[str], None] = print) -> Build:
    """Read all that a build needs, and execute the lessons that have changed."""
    return build_from(execute_lessons(report))


def build_from(lessons: Lessons) -> Build:
    """A build with these lessons; the rest is read."""
    known = languages()
    return Build(known, lessons, Site(languages=known), contributors())
