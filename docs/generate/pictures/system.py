"""system.png: the parts of the system, and the data that flows between them."""

from __future__ import annotations

from pictures.flow import BLUE, GREEN, GREY, ORANGE, YELLOW, Arrow, Box, draw_flow

HEIGHT = 4.6

BOXES: list[Box] = [
    (0.15, 3.4, 2.1, 0.95, "engine\nlays mines, opens cells,\ncompiled kernels", BLUE),
    (0.15, 1.85, 2.1, 0.95, "environments\none game or a batch", BLUE),
    (0.15, 0.3, 2.1, 0.95, "oracle\nexact risks from the\nboard, never the layout", BLUE),
    (3.1, 1.85, 1.8, 0.95, "policies and agents\nscripted, learned,\nor your own", ORANGE),
    (3.1, 3.4, 1.8, 0.95, "training\nplays its own games", ORANGE),
    (3.1, 0.3, 1.8, 0.95, "play\nhints and reviews", GREEN),
    (5.75, 3.4, 2.1, 0.95, "run folder\nweights, settings, log", GREY),
    (5.75, 1.85, 2.1, 0.95, "evaluation\nseeded games, intervals,\npaired tests", YELLOW),
    (5.75, 0.3, 2.1, 0.95, "result files\ntables and pictures of\nthese pages", GREY),
]

ARROWS: list[Arrow] = [
    (1.2, 3.4, 1.2, 2.8, "state"),
    (2.25, 2.5, 3.1, 2.5, "board"),
    (3.1, 2.1, 2.25, 2.1, "action"),
    (1.2, 1.25, 1.2, 1.85, "risks"),
    (2.25, 0.77, 3.1, 0.77, "risks"),
    (4.0, 3.4, 4.0, 2.8, "weights"),
    (4.9, 3.87, 5.75, 3.87, "saves"),
    (4.9, 2.32, 5.75, 2.32, "games"),
    (6.8, 1.85, 6.8, 1.25, "JSON"),
    (6.8, 3.4, 6.8, 2.8, "agent"),
]


def draw_system() -> bytes:
    """Returns the picture as a PNG file."""
    return draw_flow(BOXES, ARROWS, HEIGHT)
