"""network.png: from the codes of a board to the outputs of the agents `dqn` and `afterstate`."""

from __future__ import annotations

from baselines.learned.networks.board import BoardPlanes
from baselines.learned.networks.size import NetworkSize
from pictures.flow import BLUE, GREEN, GREY, ORANGE, YELLOW, Arrow, Box, draw_flow

HEIGHT = 4.3


def parts() -> tuple[list[Box], list[Arrow]]:
    """Returns the boxes and arrows, with the numbers of the code."""
    planes, size = BoardPlanes.COUNT, NetworkSize()
    block = f"recurrent block\nresidual block and global pooling,\n{size.channels} channels, applied {size.depth} times"
    block += "\nwith the same weights"
    boxes: list[Box] = [
        (0.1, 2.75, 1.2, 0.95, "codes\nint8\nrows x cols", GREY),
        (0.1, 0.75, 1.2, 0.95, "mines\none number", GREY),
        (1.85, 1.65, 1.45, 1.15, f"{planes} planes\ncounts, fractions,\nmine density", YELLOW),
        (3.95, 2.65, 2.2, 1.15, block, BLUE),
        (
            3.95,
            0.65,
            2.2,
            1.15,
            "second tower\nof afterstate alone; there\nboth towers read the planes\nat each application",
            BLUE,
        ),
        (6.75, 3.35, 1.15, 0.75, "safety\nper cell", GREEN),
        (6.75, 2.3, 1.15, 0.75, "counts\nafterstate alone", GREEN),
        (6.75, 0.85, 1.15, 0.75, "worth\nafterstate alone", ORANGE),
    ]
    arrows: list[Arrow] = [
        (1.3, 3.1, 1.85, 2.5, ""),
        (1.3, 1.3, 1.85, 1.95, ""),
        (3.3, 2.5, 3.95, 3.1, ""),
        (3.3, 1.95, 3.95, 1.3, ""),
        (6.15, 3.4, 6.75, 3.7, ""),
        (6.15, 3.0, 6.75, 2.7, ""),
        (6.15, 1.22, 6.75, 1.22, ""),
    ]
    return boxes, arrows


def draw_network() -> bytes:
    """Returns the picture as a PNG file."""
    return draw_flow(*parts(), HEIGHT)
