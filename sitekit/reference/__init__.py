"""Parts of pages that the build writes from what the repository holds."""
