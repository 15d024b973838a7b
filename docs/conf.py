"""How Sphinx makes the site of these pages: `make docs`, which treats warnings as errors."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "reference"))

import covary  # noqa: E402

project = "covary"
author = "the covary authors"
copyright = f"2026, {author}"  # noqa: A001
release = version = covary.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "written",
]
exclude_patterns = ["_build"]

# Pages read as plain Markdown too, so nothing here is more than links, tables and headings.
myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3
suppress_warnings = []

smartquotes = False  # options begin with two hyphens
default_role = "py:obj"
add_module_names = False
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"
autosummary_generate = False
autodoc_default_options = {"members": True, "member-order": "bysource"}
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_google_docstring = False
napoleon_use_param = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"covary {release}"
html_static_path = ["_static"]
html_css_files = ["covary.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
html_permalinks_icon = "#"
