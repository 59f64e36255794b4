"""From Markdown to pages: a Python-Markdown extension, and the thin hook that tells MkDocs of it."""
