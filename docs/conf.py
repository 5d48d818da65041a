"""The site of these docs: `make docs` builds it, strictly and offline, into docs/_build."""

from __future__ import annotations

from importlib.metadata import version as installed

project = "Redink"
copyright = "the authors of Redink"
version = release = installed("redink")
extensions = ["myst_parser", "sphinx_click"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "Redink"
html_copy_source = False
myst_heading_anchors = 3
nitpicky = True
highlight_language = "text"
