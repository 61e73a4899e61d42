"""Lessons: executed once a build, looked up by name, sliced; and the source of the package they use."""
