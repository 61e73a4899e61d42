"""What opens a chapter: its number, how long it takes, and how far the word has got on its way to a meaning."""

from html import escape

from ..chapters import number_of
from ..i18n import front_matter
from ..languages import Language
from ..markdown import main_path

STAGES = ("embedding", "qkv", "scores", "weights", "output", "heads", "layers", "meaning")
WIDTH, HEIGHT, MARGIN, LINE = 720, 62, 42, 30


def stage_of(page: str, source: Language) -> str | None:
    """The stage that the source page names in its front matter; None where it names none."""
    path = source.docs / page
    stage = front_matter.read(path.read_text("utf-8")).values.get("stage") if path.exists() else None
    if stage is not None and stage not in STAGES:
        raise ValueError(f"{page}: stage is {stage!r}; it must be one of {', '.join(STAGES)}")
    return stage


def opening(page: str, text: str, language: Language) -> str:
    """The lines below the title of a chapter; nothing on other pages."""
    number = number_of(page)
    if number is None:
        return ""
    labels = language.labels
    main = main_path.minutes(main_path.main_path(text), language)
    whole = main_path.minutes(text, language)
    reading = labels["reading" if whole > main else "reading_all"].format(main=main, all=whole)
    line = f"<p>{labels['chapter'].format(number)} · {reading}</p>"
    switch = "" if language.glosses else both_terms(labels["both_terms"])
    stage = stage_of(page, language.original or language)
    drawing = draw(STAGES.index(stage), language) if stage else ""
    return f'<aside class="opening" data-search-exclude>{line}{switch}{drawing}</aside>'


def both_terms(label: str) -> str:
    return f'<label class="choice" hidden><input type="checkbox" name="both-terms"> {label}</label>'


def draw(here: int, language: Language) -> str:
    """The way of the word, stop by stop, with the word at the stop it has reached."""
    names = [language.stages[stage] for stage in STAGES]
    xs = [MARGIN + n * (WIDTH - 2 * MARGIN) / (len(STAGES) - 1) for n in range(len(STAGES))]
    word = language.stages["word"]
    shapes = [
        f'<path class="way" d="M{xs[0]:.0f} {LINE}H{xs[-1]:.0f}"/>',
        f'<path class="done" d="M{xs[0]:.0f} {LINE}H{xs[here]:.0f}"/>',
    ]
    for n, (x, name) in enumerate(zip(xs, names, strict=True)):
        state = "done" if n < here else "here" if n == here else "ahead"
        shapes.append(f'<circle class="{state}" cx="{x:.0f}" cy="{LINE}" r="{7 if n == here else 4.5}"/>')
        shapes.append(f'<text class="{state}" x="{x:.0f}" y="{LINE + 24}">{escape(name)}</text>')
    shapes.append(f'<text class="word" x="{xs[here]:.0f}" y="{LINE - 13}">{escape(word)}</text>')
    alt = language.labels["journey"].format(word=word, stage=names[here], n=here + 1, all=len(STAGES))
    box = f'viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(alt)}"'
    return f'<div class="picture"><svg class="journey" {box}>{"".join(shapes)}</svg></div>'
