"""Sphinx makes the site of the documents below docs from a copy of the sources that tools/site prepares."""
import re
from pathlib import Path

HEADER = (Path(__file__).parent / "include/quipu/base.h").read_text(encoding="utf-8")
project = "Quipu"
author = "The Quipu authors"
project_copyright = "2026, The Quipu authors"
release = ".".join(re.search(rf"QUIPU_VERSION_{part} (\d+)", HEADER)[1] for part in ("MAJOR", "MINOR", "PATCH"))

extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns = ["include"]
myst_heading_anchors = 3
nitpicky = True

html_theme = "alabaster"
html_theme_options = {"description": "event traces of parallel programs", "font_family": "sans-serif", "page_width": "1100px", "show_related": True}
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
