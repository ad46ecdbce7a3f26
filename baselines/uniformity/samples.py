"""Samples for the tests: layouts and games that the engine itself produces."""

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
"""Number of games played side by side."""

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """Layouts and games of one first-click rule. All have the same first click.

    Attributes:
        config: board and rules of the games.
        games: number of layouts, and number of games with flood fill.
        first: cell of the first click, as row * cols + col.
        eligible: (n,) int64, cells that may hold a mine.
        counts: (n,) int64, number of layouts with a mine in each eligible cell.
        outside: number of mines in other cells; any such mine breaks the rule.
        plain: (games,) int64, clicks before a mine without flood fill: a layout's eligible cells are opened in random
            order.
        flooded: (games,) int64, clicks before a mine with flood fill, in other games. Each click is uniform over the
            covered cells. Neither array counts the first click of "safe" and "opening".
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
    """Returns the cells that may hold a mine after a first click on the cell `first`."""
    allowed = np.ones(config.cells + 1, np.bool_)
    # For neighbours off the board the table holds the index `cells`.
    allowed[-1] = False
    if config.first_click != "any":
        allowed[first] = False
    if config.first_click == "opening":
        allowed[neighbour_table(config.rows, config.cols, config.radius)[first]] = False
    return np.flatnonzero(allowed)


def check_sample(config: BoardConfig, games: int) -> None:
    """Checks that the rule claims uniformity and that the games suffice for the tests.

    Raises:
        ValueError: the rule claims no uniformity, the mines fill all eligible cells, or the games are too few.
    """
    rule, mines = config.first_click, config.mines
    if rule not in UNIFORM_FIRST_CLICKS:
        raise ValueError(
            f"the first-click rule {rule!r} claims no uniformity: it moves mines to the corners and sides; "
            f"choose {', '.join(UNIFORM_FIRST_CLICKS)}"
        )
    cells = len(eligible_cells(config, middle(config)))
    if mines >= cells:
        raise ValueError(
            f"with first_click {rule!r} the {mines} mines fill all {cells} cells that may hold one: nothing is random"
        )
    least = -(-5 * cells // min(mines, cells - mines))
    if games < least:
        raise ValueError(f"with {mines} mines on {cells} cells the tests need at least {least} games, not {games}")


def middle(config: BoardConfig) -> int:
    """Returns the cell of the first click, in the middle of the board."""
    return config.rows // 2 * config.cols + config.cols // 2


def draw_sample(config: BoardConfig, games: int, seed: int, on_drawn: Callable[[int], object]) -> Sample:
    """Draws the layouts of seeds `seed` to seed + games - 1, and plays the games of the next `games` seeds.

    Args:
        config: board and rules of the games, whose only move is "click".
        games: number of layouts, and number of games with flood fill.
        seed: seed of the first layout.
        on_drawn: called with the number of further layouts or games, 2 * games in all.
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
    """Returns (games, cells) bool, True at the mines after a first click on the cell `first`."""
    env = MinesweeperVectorEnv.of_config(config, games)
    env.reset(seed=seed)
    env.step(np.full(games, first))
    layouts: NDArray[np.bool_] = env.get_state()["mines"]
    return layouts.reshape(games, config.cells)


def clicks_in_random_order(layouts: NDArray[np.bool_], rng: np.random.Generator) -> Cells:
    """Returns, for each of N layouts (N, n) bool, the number of cells before the first mine in a random order."""
    order = np.argsort(rng.random(layouts.shape), axis=1)
    return np.take_along_axis(layouts, order, axis=1).argmax(axis=1)


def play_at_random(config: BoardConfig, games: int, seed: int, first: int) -> Cells:
    """Returns the number of random clicks before a mine in each game; a won game counts all its clicks."""
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
