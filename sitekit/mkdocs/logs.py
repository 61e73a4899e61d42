"""What MkDocs and its plugins log: less of it, and with the line of each broken link."""

import logging
import re

import jieba
from mkdocs.config.defaults import MkDocsConfig

from ..markdown.page import Page, current

log = logging.getLogger("mkdocs.sitekit")
LINK = re.compile(r"Doc file '(?P<file>[^']+)' contains (?:a|an) (?:\w+ )*?link '(?P<link>[^']+)'")


class AddLine(logging.Filter):
    """Puts `file:line` before MkDocs' warnings about links."""

    def filter(self, record: logging.LogRecord) -> bool:
        if match := LINK.search(record.getMessage()):
            language = current.get().language
            page = Page(language.docs / match["file"], language)
            record.msg, record.args = f"{page.where(f']({match["link"]}')}: {record.getMessage()}", ()
        return True


def tell_addresses(config: MkDocsConfig) -> None:
    for language in config.extra["build"].languages.values():
        log.info(f"Look at {config.site_url}{language.prefix} ({language.name})")


logging.getLogger("mkdocs.structure.pages").addFilter(AddLine())
logging.getLogger("mkdocs.mkdocs-jupyter").setLevel(logging.WARNING)  # two lines for each notebook
jieba.setLogLevel(logging.WARNING)
