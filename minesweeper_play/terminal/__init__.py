"""The full-screen game, watching and the web page, in a terminal (Textual)."""

import os

# Textual reads the variable when it is imported. With reports in pixels, clicks land on other cells in some terminals.
os.environ.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")
