"""Texts of the window."""

TEXTS = {
    "window_keys": "Left opens, right flags, middle or both chord. n new, u undo, h hint, p probabilities, "
    "1 2 3 boards, q quit.",
    "window_flagged": "This cell has a flag; the right button removes it.",
    "window_searching": "Searching for a board that needs no guess: {count} tried. Esc cancels.",
    "window_search_cancelled": "The search is cancelled. Open another cell, or press n.",
    "window_overlay": "The probability of a mine in every covered cell, in per cent.",
    "window_title": "Minesweeper {rows}x{cols}, {mines}",
}
