"""Pages without the indentation of their templates."""

from sitekit.mkdocs.whitespace import drop_indentation


def test_indentation_goes_and_what_is_preformatted_stays() -> None:
    code = "<pre><code>if a:\n\n    b</code></pre>"
    text = "<textarea>\n  a\n</textarea>"
    assert drop_indentation(f"<p>\n\n    a\n  b </p>\n{code}\n  {text}\n  <i>c</i>") == (
        f"<p>\na\nb </p>\n{code}\n{text}\n<i>c</i>"
    )
