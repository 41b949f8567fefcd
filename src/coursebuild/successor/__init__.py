"""The same course by Zensical, which is to follow MkDocs: built behind the press's own gate, and compared page by page.

``python -m coursebuild.successor SITE`` builds it, and compares it with the site that MkDocs built into ``SITE``. Zensical reads
``zensical.yml``, which adds to ``mkdocs.yml``; its environment is of its own (requirements-zensical.lock).
"""
