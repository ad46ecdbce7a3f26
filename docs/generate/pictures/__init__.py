"""Pictures of the documentation, one module each; `write_pictures` draws them all."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from places import DOCS

from baselines.benchmark.result_files import ResultFile
from pictures.curves import draw_mines_curves
from pictures.differences import draw_differences
from pictures.ladder import draw_ladder

Drawing = Callable[[Sequence[ResultFile]], bytes]

PICTURES: dict[str, Drawing] = {
    "agents": lambda _: draw_mines_curves(),
    "ladder": lambda _: draw_ladder(),
    "learned": draw_differences,
}
"""Each picture by the name of its file, drawn from the entries of the leaderboard where it needs them."""


def write_pictures(entries: Sequence[ResultFile]) -> None:
    """Writes all pictures into docs/images."""
    for name, draw in PICTURES.items():
        (DOCS / "images" / f"{name}.png").write_bytes(draw(entries))
