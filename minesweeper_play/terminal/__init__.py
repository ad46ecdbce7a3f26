"""Textual user interface: the full-screen game, the screen that watches policies, and the dialogs."""

import os

# Textual reads the variable when it is imported. With reports in pixels, clicks land on other cells in some terminals.
os.environ.setdefault("TEXTUAL_SMOOTH_SCROLL", "0")
