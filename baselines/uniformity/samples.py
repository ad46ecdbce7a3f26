"""Layouts and games for the tests, from the engine itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.seeds import derived_seed
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig
from minesweeper_env.neighbours import neighbour_table
from minesweeper_env.vector_env import MinesweeperVectorEnv

CHUNK = 500
"""The games that are played side by side."""

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """What the games of one first-click rule were like. The first click is the same in all of them.

    Attributes:
        config: the games.
        games: how many layouts, and how many games with flood fill.
        first: the cell of the first click.
        eligible: (n,) the cells that a mine may lie in.
        counts: (n,) int64, how many layouts have a mine in each of them.
        outside: the mines that were found in other cells; any at all break the rule.
        plain: (games,) int64, clicks before a mine without flood fill: the layout's eligible cells in random order.
        flooded: (games,) int64, the same in other games, played with flood fill until they ended; each click is
            drawn from the covered cells. The first click of "safe" and "opening" counts in neither.
    """

    config: BoardConfig
    games: int
    first: int
    eligible: Cells
    counts: Cells
    outside: int
    plain: Cells
    flooded: Cells


def eligible_cells(config: BoardConfig, first: int) -> Cells:
    """Returns the cells that the first-click rule lets a mine lie in, after a first click on the cell `first`."""
    allowed = np.ones(config.cells + 1, np.bool_)
    # The table points off the board to one cell past the last.
    allowed[-1] = False
    if config.first_click != "any":
        allowed[first] = False
    if config.first_click == "opening":
        allowed[neighbour_table(config.rows, config.cols, config.radius)[first]] = False
    return np.flatnonzero(allowed)


def check_sample(config: BoardConfig, games: int) -> None:
    """Makes sure that there is something to test, and games enough for it.

    Raises:
        ValueError: the rule claims no uniformity, or the mines or the games are too few or too many.
    """
    rule, mines = config.first_click, config.mines
    if rule not in UNIFORM_FIRST_CLICKS:
        raise ValueError(
            f"the first-click rule {rule!r} claims no uniformity: it moves mines to the corners and sides; "
            f"those that do are {', '.join(UNIFORM_FIRST_CLICKS)}"
        )
    cells = len(eligible_cells(config, middle(config)))
    if mines >= cells:
        raise ValueError(
            f"under {rule!r} the {mines} mines fill all {cells} cells that they may lie in: nothing is random"
        )
    least = -(-5 * cells // min(mines, cells - mines))
    if games < least:
        raise ValueError(f"with {mines} mines on {cells} cells the tests need at least {least} games, not {games}")


def middle(config: BoardConfig) -> int:
    """Returns the cell of the first click."""
    return config.rows // 2 * config.cols + config.cols // 2


def draw_sample(config: BoardConfig, games: int, seed: int, on_drawn: Callable[[int], object]) -> Sample:
    """Draws layouts from the games of the seeds from `seed` on, and plays games of the seeds that follow these.

    Args:
        config: the games, whose only move is "click".
        games: how many layouts, and how many games with flood fill.
        seed: that of the first layout.
        on_drawn: told how many more are done, 2 * games in all.
    """
    first = middle(config)
    eligible = eligible_cells(config, first)
    rng = np.random.default_rng(derived_seed(seed, games))
    counts, outside = np.zeros(config.cells, np.int64), 0
    plain, flooded = [], []
    for begin in range(0, games, CHUNK):
        count = min(CHUNK, games - begin)
        layouts = draw_layouts(config, count, seed + begin, first)
        counts += layouts.sum(axis=0)
        plain.append(clicks_in_random_order(layouts[:, eligible], rng))
        on_drawn(count)
        flooded.append(play_at_random(config, count, seed + games + begin, first))
        on_drawn(count)
    outside = int(counts.sum() - counts[eligible].sum())
    return Sample(
        config, games, first, eligible, counts[eligible], outside, np.concatenate(plain), np.concatenate(flooded)
    )


def draw_layouts(config: BoardConfig, games: int, seed: int, first: int) -> NDArray[np.bool_]:
    """Returns (games, cells) bool, the mines of the games of these seeds after a first click on the cell `first`."""
    env = MinesweeperVectorEnv.of_config(config, games)
    env.reset(seed=seed)
    env.step(np.full(games, first))
    layouts: NDArray[np.bool_] = env.get_state()["mines"]
    return layouts.reshape(games, config.cells)


def clicks_in_random_order(layouts: NDArray[np.bool_], rng: np.random.Generator) -> Cells:
    """Returns how many cells of each of N layouts, (N, n) bool, come before a mine in an order of its own."""
    order = np.argsort(rng.random(layouts.shape), axis=1)
    return np.take_along_axis(layouts, order, axis=1).argmax(axis=1)


def play_at_random(config: BoardConfig, games: int, seed: int, first: int) -> Cells:
    """Returns how many clicks at random came before a mine, or won the game, in the games of these seeds."""
    env = MinesweeperVectorEnv.of_config(config, games)
    env.reset(seed=seed)
    clicks = np.zeros(games, np.int64)
    playing = np.ones(games, np.bool_)
    if config.first_click != "any":
        _, _, terminations, _, _ = env.step(np.full(games, first))
        playing &= ~terminations
    while playing.any():
        _, _, terminations, _, infos = env.step(env.sample_actions())
        clicks += playing & (~terminations | infos["is_success"])
        playing &= ~terminations
    return clicks
