"""Beliefs of policies in bits: their own mine probabilities on frozen positions, beside the exact ones.

    D(p, q)  =  p log2(p / q) + (1 - p) log2((1 - p) / (1 - q))

The Kullback-Leibler divergence of a cell is the information that a policy lacks if its probability is q and the exact
one is p. Win rates mix beliefs with luck and with the choice of a click; the divergence measures beliefs alone.
"""

import math
from contextlib import nullcontext
from dataclasses import replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import play_games
from baselines.evaluation.intervals import mean_interval
from baselines.policy import Policy, policy_name
from baselines.progress import game_bar
from baselines.registry import find_policy
from baselines.user_policy import UserPolicy, user_code
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.codes import FLAGGED
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Oracle

POSITIONS = 10_000
"""The number of frozen positions of a board, at most."""

FIRST_SEED = 1_600_000_000
"""The seed of the game of position 0, a development seed."""

BATCH = 1000
"""Games that are played side by side for the positions."""

LEAST = 2.0**-20
"""Beliefs are kept this far from 0 and 1, so that a wrong certainty costs 20 bits and not infinitely many."""

NEARLY = 0.01
"""A cell that is certainly safe should be believed a mine with at most this probability; a certain mine conversely."""

BINS = 10
"""The bins of beliefs of the reliability curve, equally wide."""

Floats = NDArray[np.float64]
Boards = NDArray[np.int8]


class Positions(NamedTuple):
    """P positions: (P, rows, cols) codes, exact probabilities, and which cells are covered next to a number."""

    boards: Boards
    exact: Floats
    frontier: NDArray[np.bool_]


def beliefs_of(policy: Any, boards: Boards) -> Floats | None:
    """Returns a policy's own mine probabilities on (N, rows, cols) boards, of that shape; None if it has none.

    They are 1 minus the sigmoid of its `values`, or its `ratings` if these are from 0 to 1 on all covered cells; a
    rating of inf is a mine. NaN counts as 1/2. Raises a PolicyError if the policy fails.
    """
    owner = policy.policy if isinstance(policy, UserPolicy) else policy
    with user_code(policy_name(policy)):
        values = numbers_of(owner, "values", boards)
        ratings = numbers_of(owner, "ratings", boards) if values is None else 1.0 / (1.0 + np.exp(values.clip(-60, 60)))
    if ratings is None:
        return None
    ratings = np.nan_to_num(np.where(np.isposinf(ratings), 1.0, ratings), nan=0.5)
    covered = ratings[boards >= FLAGGED]
    return ratings if ((covered >= 0.0) & (covered <= 1.0)).all() else None


def numbers_of(owner: Any, method: str, boards: Boards) -> Floats | None:
    """Returns what a method of a policy says of the cells of boards; None where it has no such method or answer."""
    found = getattr(owner, method, None)
    numbers = found(boards) if callable(found) else None
    if numbers is None:
        return None
    return np.asarray(numbers, np.float64).reshape(len(boards), -1)[:, : boards[0].size].reshape(boards.shape)


def _boards_under_way(policy: Policy, config: BoardConfig, seeds: range) -> Boards:
    """Returns a board of each game, every board after the first click being equally likely."""
    boards = np.full((len(seeds), config.rows, config.cols), config.codes.hidden, np.int8)
    rng, seen = np.random.default_rng(seeds.start), np.zeros(len(seeds), np.int64)

    def keep(games: NDArray[np.int64], observations: Boards, *_: object) -> None:
        begun = (observations <= config.codes.max_count).any(axis=(1, 2))
        games, observations = games[begun], observations[begun]
        seen[games] += 1
        # As many draws as a full batch needs: the first positions are the same for every count.
        kept = rng.random(BATCH)[games] * seen[games] < 1.0
        boards[games[kept]] = observations[kept]

    play_games(policy, config, seeds, observers=[keep])
    return boards


@lru_cache(maxsize=2)
def frozen_positions(config: BoardConfig, count: int = POSITIONS, shown: bool = False) -> Positions:
    """Returns one position from each of `count` ordinary games that `exact` plays, except games of one click.

    The size, the mines and the first-click rule alone decide the positions. Boards that the oracle gives up on, or
    without a frontier, are left out. The games take seconds, or minutes on large boards; `shown` shows their progress.
    """
    plain = replace(config, moves=("click",), max_steps=None, no_guess=False, luck=True)
    policy, batches = find_policy("exact")(plain), []
    with game_bar("playing", "exact for positions", count) if shown else nullcontext(lambda _: None) as on_finished:
        for first in range(FIRST_SEED, FIRST_SEED + count, BATCH):
            seeds = range(first, min(first + BATCH, FIRST_SEED + count))
            batches.append(_boards_under_way(policy, plain, seeds))
            on_finished(len(seeds))
    boards = np.concatenate(batches)
    is_open = (boards <= plain.codes.max_count).reshape(len(boards), -1)
    beside = np.pad(is_open, ((0, 0), (0, 1)))[:, neighbour_table(plain.rows, plain.cols, plain.radius)].any(axis=2)
    exact, known = Oracle(plain).ask(boards)
    frontier = (~is_open & beside).reshape(boards.shape)
    kept = known & frontier.any(axis=(1, 2))
    return Positions(boards[kept], exact[kept], frontier[kept])


def positions_for(games: int) -> int:
    """Returns the number of positions that suit an evaluation of so many games: fewer games ask for less precision."""
    return min(POSITIONS, 10 * games)


def measure_beliefs(
    policy: Policy, config: BoardConfig, count: int = POSITIONS, shown: bool = False
) -> dict[str, Any] | None:
    """Returns the figures of a policy's beliefs on the frozen positions as a JSON object; None if it has none.

    Its fields: `positions`; `bits`, the mean over positions of the mean divergence of a covered cell next to a number,
    with its 95 % interval `bits_ci95`; `certain_wrong`, the share of the `certain_cells` among these cells that are
    believed on the wrong side of 1 %; and `reliability`, a row per bin of beliefs: their mean, that of the exact
    probabilities, and the number of cells.
    """
    from scipy.special import rel_entr

    # The positions take seconds, and many policies have no beliefs.
    if beliefs_of(policy, np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)) is None:
        return None
    boards, exact, frontier = frozen_positions(config, count, shown)
    found = beliefs_of(policy, boards)
    if found is None:
        return None
    believed = np.clip(found, LEAST, 1.0 - LEAST)
    bits = (rel_entr(exact, believed) + rel_entr(1.0 - exact, 1.0 - believed)) / math.log(2.0)
    means = (bits * frontier).sum(axis=(1, 2)) / frontier.sum(axis=(1, 2))
    p, q = exact[frontier], believed[frontier]
    certain = (p == 0.0) | (p == 1.0)
    wrong = certain & (np.abs(p - q) > NEARLY)
    bins = np.minimum((q * BINS).astype(np.int64), BINS - 1)
    groups = [bins == each for each in range(BINS)]
    return {
        "positions": len(boards),
        "bits": float(means.mean()),
        "bits_ci95": mean_interval(means.tolist()),
        "certain_cells": int(certain.sum()),
        "certain_wrong": float(wrong.sum() / max(1, certain.sum())),
        "reliability": [
            [float(q[each].mean()), float(p[each].mean()), int(each.sum())] for each in groups if each.any()
        ],
    }
