"""Uniformity of the mines: does each cell hold a mine equally often, and do clicks meet mines as the law says?

For each first-click rule it draws layouts after a first click in the middle, and plays random games with flood fill on
the seeds that follow. `tests/minesweeper_env/engine/test_uniformity.py` tests the placement on small samples.

    python benchmarks/uniformity.py --size 9 --mines 10 --games 10000 --seed 0
"""

import argparse
from math import ceil, comb

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, mannwhitneyu

from minesweeper_env import MinesweeperVectorEnv

LEAST_EXPECTED = 5.0
"""Least expected count of a bin; below it the chi-squared law is a poor approximation."""

RULES = ("any", "safe", "opening")

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


def law_of(cells: int, mines: int) -> NDArray[np.float64]:
    """Returns P(k free cells before the first mine), k = 0 to cells - mines: the negative hypergeometric law."""
    return np.array([comb(cells - k - 1, mines - 1) / comb(cells, mines) for k in range(cells - mines + 1)])


def bins_of(expected: NDArray[np.float64]) -> Counts:
    """Returns the bin of each number of clicks; a bin ends where the cumulative count passes a multiple of `width`."""
    width = 2 * LEAST_EXPECTED
    return np.minimum(expected.cumsum() // width, expected.sum() // width - 1).astype(np.int64)  # a rest joins the last


def protected_cells(size: int, reach: int) -> Mask:
    """Returns (size, size) bool: the cells within `reach` - 1 of the middle, which the first click protects."""
    is_near = abs(np.arange(size) - size // 2) < reach  # of the rows, and as well of the columns
    return is_near[:, None] & is_near


def check(size: int, mines: int, games: int) -> None:
    """Raises a ValueError unless both tests of each rule have the counts that the chi-squared law needs."""
    if min(size, mines, games) < 1:
        raise ValueError("--size, --mines and --games must be at least 1")
    unprotected = [size * size - int(protected_cells(size, reach).sum()) for reach in range(len(RULES))]
    if mines >= min(unprotected):
        raise ValueError(f"--mines must be less than the {min(unprotected)} cells that no first click protects")
    laws = [law_of(cells, mines) for cells in unprotected]
    # Enough expected mines, and enough expected safe layouts, in each cell; then enough games for two bins.
    least = ceil(max(LEAST_EXPECTED * cells / min(mines, cells - mines) for cells in unprotected))
    while any(len(np.unique(bins_of(law * least))) < 2 for law in laws):
        least += 1
    if games < least:
        raise ValueError(f"--games must be at least {least}, for {LEAST_EXPECTED:g} a cell and two bins of clicks")


def clicks_test(clicks: Counts, law: NDArray[np.float64]) -> tuple[float, int]:
    """Returns Pearson's statistic of the clicks, (games,), against their law by bins, and its degrees of freedom."""
    expected, observed = law * len(clicks), np.bincount(clicks, minlength=len(law))
    bins = bins_of(expected)
    expected, observed = (np.bincount(bins, counts) for counts in (expected, observed))
    observed, expected = observed[expected > 0], expected[expected > 0]
    return ((observed - expected) ** 2 / expected).sum(), len(expected) - 1


def random_game_clicks(env: MinesweeperVectorEnv, first_cell: int, rule: str) -> Counts:
    """Plays random games; returns the clicks before a mine in each, (games,), without a protected first click."""
    clicks, playing = np.zeros(env.num_envs, np.int64), np.ones(env.num_envs, np.bool_)
    if rule != "any":
        playing &= ~env.step(np.full(env.num_envs, first_cell))[2]
    while playing.any():
        _, _, ended, _, infos = env.step(env.sample_actions())
        clicks += playing & (~ended | infos["is_success"])
        playing &= ~ended
    return clicks


def samples(size: int, mines: int, rule: str, reach: int, games: int, seed: int) -> tuple[Mask, Counts, Counts]:
    """Returns the layouts of games of one rule, (games, cells), and the clicks before a mine with and without a flood.

    The rule keeps the cells within `reach` - 1 of the first click free; the layouts leave these cells out.
    """
    middle = size // 2
    first_cell, env = middle * size + middle, MinesweeperVectorEnv(games, size, mines, rule, ("click",))
    env.reset(seed=seed + games)
    flooded = random_game_clicks(env, first_cell, rule)
    env.reset(seed=seed)
    env.step(np.full(games, first_cell))
    layouts = env.get_state()["mines"][:, ~protected_cells(size, reach)]
    # Without flood fill, a game clicks its cells in a random order up to the first mine.
    order = np.argsort(np.random.default_rng(seed).random(layouts.shape), axis=1)
    return layouts, flooded, np.take_along_axis(layouts, order, axis=1).argmax(axis=1)


def placement_test(layouts: Mask, mines: int) -> tuple[float, int]:
    """Returns Pearson's statistic of the mines of each cell against equal counts, and its degrees of freedom."""
    games, cells = layouts.shape
    # M mines are drawn without replacement from n cells, so the statistic is multiplied by (n - 1) / (n - M).
    expected = games * mines / cells
    statistic = ((layouts.sum(axis=0) - expected) ** 2 / expected).sum() * (cells - 1) / (cells - mines)
    return statistic, cells - 1


def report(size: int, mines: int, rule: str, reach: int, games: int, seed: int) -> None:
    """Prints the table rows of one rule, which keeps the cells within `reach` - 1 of the first click free."""
    layouts, flooded, plain = samples(size, mines, rule, reach, games, seed)
    cells, elsewhere = layouts.shape[1], games * mines - int(layouts.sum())
    law = law_of(cells, mines)
    for name, (statistic, degrees), note in (
        ("placement", placement_test(layouts, mines), f"{cells} cells, {elsewhere} mines elsewhere"),
        ("clicks before a mine", clicks_test(plain, law), f"mean {plain.mean():.3f}, law {law @ range(len(law)):.3f}"),
    ):
        print(f"| {rule} | {name} | {statistic:.2f} | {degrees} | {chi2.sf(statistic, degrees):.2g} | {note} |")
    p_fewer = mannwhitneyu(flooded, plain, alternative="less").pvalue
    shown = f"{p_fewer:.2g}" if p_fewer > 1e-99 else "< 1e-99"
    print(f"| {rule} | fewer with flood fill | | | {shown} | mean {flooded.mean():.3f} |")


def main() -> None:
    """Prints a Markdown table with the tests of each first-click rule."""
    parser = argparse.ArgumentParser(description="Test where the mines lie.")
    for name, value in (("--size", 9), ("--mines", 10), ("--games", 10_000), ("--seed", 0)):
        parser.add_argument(name, type=int, default=value)
    options = parser.parse_args()
    try:
        check(options.size, options.mines, options.games)
    except ValueError as error:
        parser.exit(2, f"{parser.prog}: {error}\n")
    print("| first click | test | chi-squared | degrees of freedom | p | what was seen |\n|---|---|---|---|---|---|")
    for reach, rule in enumerate(RULES):
        report(options.size, options.mines, rule, reach, options.games, options.seed)


if __name__ == "__main__":
    main()
