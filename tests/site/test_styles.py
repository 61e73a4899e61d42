"""What stays of the theme's style sheets, and what their names say. Costs 1 processor-second."""

from pathlib import Path

from sitekit.mkdocs import styles
from tests.conftest import Built

MAIN = ".used{color:red}.unused{color:red}.md-search-result__icon{color:red}mark{color:red}[data-open=yes] .late{top:0}"


def small_site(folder: Path, css: str = MAIN) -> Path:
    for path, text in {
        "index.html": '<link href="assets/stylesheets/main.1.min.css"><p class="used">Text</p>',
        "assets/stylesheets/main.1.min.css": css,
        "assets/site.js": 'element.classList.add("late"); element.dataset.open = "yes";',
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def purged(site: Path) -> tuple[str, str]:
    ((_, name),) = styles.purge(site, [""]).items()
    return name, (site / "assets/stylesheets" / name).read_text("utf-8")


def test_what_pages_scripts_and_search_can_use_stays(tmp_path: Path) -> None:
    name, css = purged(small_site(tmp_path))
    assert css == MAIN.replace(".unused{color:red}", "")
    assert [path.name for path in (tmp_path / "assets/stylesheets").iterdir()] == [name]


def test_another_content_has_another_name(tmp_path: Path) -> None:
    first, _ = purged(small_site(tmp_path / "one"))
    second, _ = purged(small_site(tmp_path / "two", MAIN + ".used{top:0}"))
    assert first != second
    html = '<link href="../assets/stylesheets/main.1.min.css">'
    assert styles.rename(html, {"main.1.min.css": second}) == f'<link href="../assets/stylesheets/{second}">'


def test_every_page_asks_for_style_sheets_that_are_there(built: Built) -> None:
    sheets = {path.name for path in built.folder.glob(styles.SHEETS)}
    assert len(sheets) == 2
    for page in built.pages():
        html = page.read_text("utf-8")
        assert all(f"assets/stylesheets/{name}" in html for name in sheets), page
