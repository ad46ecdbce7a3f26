"""Pictures of the documentation, one module each; `write_pictures` draws them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from places import DOCS

from baselines.benchmark.result_files import ResultFile
from baselines.registry import SCRIPTED
from pictures.avoidable import draw_avoidable
from pictures.clicks import draw_clicks
from pictures.curves import draw_mines_curves
from pictures.differences import draw_differences
from pictures.first_cells import draw_first_cells
from pictures.first_clicks import draw_first_clicks
from pictures.hint import draw_hint
from pictures.ladder import draw_ladder
from pictures.network import draw_network
from pictures.observation import draw_observation
from pictures.system import draw_system


def _draw_clicks(name: str, _entries: Sequence[ResultFile]) -> bytes:
    return draw_clicks(name)


Drawing = Callable[[Sequence[ResultFile]], bytes]

PICTURES: dict[str, Drawing] = {
    "agents": lambda _: draw_mines_curves(),
    "avoidable": lambda _: draw_avoidable(),
    "first-cells": lambda _: draw_first_cells(),
    "first-clicks": lambda _: draw_first_clicks(),
    "hint": lambda _: draw_hint(),
    "ladder": lambda _: draw_ladder(),
    "learned": draw_differences,
    "network": lambda _: draw_network(),
    "observation": lambda _: draw_observation(),
    "system": lambda _: draw_system(),
    **{f"policy-{name}": partial(_draw_clicks, name) for name in SCRIPTED},
}
"""Each picture by the name of its file, drawn from the entries of the leaderboard where it needs them."""


def write_pictures(entries: Sequence[ResultFile]) -> None:
    """Writes all pictures into docs/images."""
    for name, draw in PICTURES.items():
        (DOCS / "images" / f"{name}.png").write_bytes(draw(entries))
