"""What translators work with: which sections are behind, what must agree between languages, and how to open a new one.

`python -m sitekit.i18n --help` lists the commands. Nothing here knows of MkDocs.
"""
