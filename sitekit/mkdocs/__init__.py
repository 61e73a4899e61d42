"""The only room that knows of MkDocs: hooks, and how mkdocs-jupyter renders notebooks."""
