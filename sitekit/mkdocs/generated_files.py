"""The files of the site that no folder of pages holds: style, figures' data, scripts, what runs, notebooks."""

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from .. import live
from ..build import Build
from ..exports import notebooks, scripts
from ..languages import Language
from ..live import figures
from ..reference import heads

FOLDER = Path(__file__).parent  # in the theme's folder MkDocs would copy these as they are
STYLE = FOLDER / "site.css"
SCRIPTS = [FOLDER / name for name in ("query.js", "site.js", "take.js")]  # every page loads them, as one


def add(files: Files, config: MkDocsConfig) -> Files:
    """Add the files of this language; pages that it lacks are shown as they are in the source."""
    build: Build = config.extra["build"]
    here: Language = config.extra["language"]
    for page, language in here.pages():
        if language != here:
            uri = page.relative_to(language.docs).as_posix()
            files.append(File(uri, str(language.docs), config.site_dir, config.use_directory_urls))
    contents: dict[str, str | bytes] = {
        "assets/site.css": figures.minify(read(STYLE), "css"),
        "assets/site.js": figures.minify("\n".join(map(read, SCRIPTS)), "js", "--format=iife"),
        **heads.files(),
        **scripts.files(build.lessons, here),
    }
    if here == build.source:  # what runs in the browser is the same for all
        contents |= live.files(build.lessons, build.languages)
        contents["robots.txt"] = f"User-agent: *\nAllow: /\n\nSitemap: {config.site_url}sitemap.xml\n"
    for path, content in contents.items():
        files.append(File.generated(config, path, content=content))
    for slug in config.extra["notebooks"]:
        uri, folder = f"notebooks/{slug}.ipynb", str(notebooks.folder(here))
        files.append(File(uri, folder, config.site_dir, config.use_directory_urls))
    return files


def read(path: Path) -> str:
    return path.read_text("utf-8")
