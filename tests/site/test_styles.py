"""What stays of the theme's style sheets, and what their names say. Costs 1 processor-second."""

from pathlib import Path

from sitekit.mkdocs import styles
from tests.conftest import Built

MAIN = ".used{color:red}.unused{color:red}.md-search-result__icon{color:red}mark{color:red}[data-open=yes] .late{top:0}"
PALETTE = "[data-color]{top:0}"
OURS = ".ours{src:url(fonts/a.woff2)}"


def small_site(folder: Path, css: str = MAIN) -> Path:
    for path, text in {
        "index.html": '<p class="used" data-color>Text</p>',
        "assets/stylesheets/main.1.min.css": css,
        "assets/stylesheets/palette.2.min.css": PALETTE,
        "assets/site.css": OURS,
        "assets/site.js": 'element.classList.add("late"); element.dataset.open = "yes";',
    }.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder


def purged(site: Path) -> tuple[str, str]:
    names = styles.purge(site)
    name = names["main.1.min.css"]
    assert names == {"main.1.min.css": name, "palette.2.min.css": "", "site.css": ""}
    css = (site / "assets/stylesheets" / name).read_text("utf-8")
    ours = OURS.replace("fonts", "../fonts")
    assert css.endswith(ours)
    return name, css.removesuffix(ours)


def test_what_pages_scripts_and_search_can_use_stays(tmp_path: Path) -> None:
    name, css = purged(small_site(tmp_path))
    assert css == MAIN.replace(".unused{color:red}", "") + PALETTE
    assert [path.name for path in (tmp_path / "assets/stylesheets").iterdir()] == [name]


def test_what_the_theme_has_for_other_sites_goes(tmp_path: Path) -> None:
    site = small_site(tmp_path, ".mermaid{top:0}.md-tag{top:0}")
    (site / "assets/site.js").write_text('write("mermaid", "md-tag")', "utf-8")
    (site / "index.html").write_text('<b class="md-tag">', "utf-8")
    assert purged(site)[1] == ".md-tag{top:0}"


def test_a_custom_property_that_nothing_asks_for_goes() -> None:
    css = (
        ':root{--icon:url("data:a;b{}");--kept:1px;--late:0;--chain:var(--gone);--gone:2}'
        ".used--gone:hover{top:var(--kept)}"
    )
    assert styles.drop_properties(css, 'style.setProperty("--late", 1)') == (
        ":root{--kept:1px;--late:0;}.used--gone:hover{top:var(--kept)}"
    )


def test_another_content_has_another_name(tmp_path: Path) -> None:
    first, _ = purged(small_site(tmp_path / "one"))
    second, _ = purged(small_site(tmp_path / "two", MAIN + ".used{top:0}"))
    assert first != second


def test_a_page_links_the_one_sheet_and_keeps_its_other_links() -> None:
    paths = ("stylesheets/main.1.min.css", "stylesheets/palette.2.min.css", "site.css", "run/run.css")
    main, palette, ours, run = (f'<link rel="stylesheet" href="../assets/{path}">' for path in paths)
    names = {"main.1.min.css": "theme.3.min.css", "palette.2.min.css": "", "site.css": ""}
    page = f"{main}\n  {palette}\n{ours}\n{run}"
    assert styles.rename(page, names) == f"{main.replace('main.1', 'theme.3')}\n{run}"


def test_every_page_asks_for_style_sheets_that_are_there(built: Built) -> None:
    sheets = {path.name for path in built.folder.glob(styles.SHEETS)}
    assert len(sheets) == 1
    for page in built.pages():
        html = page.read_text("utf-8")
        assert all(f"assets/stylesheets/{name}" in html for name in sheets), page
