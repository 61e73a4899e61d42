"""Say in which line of a page a broken link stands; MkDocs names the page only."""

import logging
import re

from ..markdown.page import Page, current

LINK = re.compile(r"Doc file '(?P<file>[^']+)' contains (?:a|an) (?:\w+ )*?link '(?P<link>[^']+)'")


class Where(logging.Filter):
    """Puts `file:line` before MkDocs' warnings about links."""

    def filter(self, record: logging.LogRecord) -> bool:
        if found := LINK.search(record.getMessage()):
            here = current.get().language
            page = Page(here.docs / found["file"], here)
            record.msg, record.args = f"{page.where(f']({found["link"]}')}: {record.getMessage()}", ()
        return True
