"""A build writes beside the site and takes its place at the end: until then, the site is the one of before."""

import atexit
import errno
import logging
import os
import re
import shutil
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.utils import CountHandler

MOVED = (errno.ENOENT, errno.EEXIST, errno.ENOTEMPTY)  # another build takes the site's place at the same moment


def begin(config: MkDocsConfig) -> None:
    """Let MkDocs write into a folder beside the site; what a killed build has left there goes."""
    site = Path(config.site_dir)
    clear_up(site)
    folder = beside(site, os.getpid())
    atexit.unregister(discard)
    atexit.register(discard, folder)
    config.extra["site"] = site
    config.site_dir = str(folder)


def beside(site: Path, process: int, end: str = "") -> Path:
    return site.with_name(f".{site.name}-{process}{end}")


def discard(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def clear_up(site: Path) -> None:
    """Remove what builds have left that no longer run, but give back a site that one of them had put aside."""
    for folder in site.parent.glob(f".{site.name}-*"):
        match = re.fullmatch(rf"\.{re.escape(site.name)}-(\d+)(-before)?", folder.name)
        if match is None or runs(int(match[1])):
            continue
        if match[2] and not site.exists():
            folder.rename(site)
        else:
            discard(folder)


def runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return process != os.getpid()


def publish(config: MkDocsConfig) -> None:
    """Put the finished site in its place, unless MkDocs is about to refuse it for its warnings."""
    counts = [one.get_counts() for one in logging.getLogger("mkdocs").handlers if isinstance(one, CountHandler)]
    finished = Path(config.site_dir)
    if any(counts):
        discard(finished)
    else:
        replace(config.extra["site"], finished)


def replace(site: Path, finished: Path) -> None:
    before = beside(site, os.getpid(), "-before")
    for attempt in range(10):
        try:
            if site.exists():
                discard(before)
                site.rename(before)
            finished.rename(site)
            break
        except OSError as error:
            if error.errno not in MOVED or attempt == 9:
                raise
    discard(before)
