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
"""Number of games played side by side for the positions."""

LEAST = 2.0**-20
"""Beliefs are kept this far from 0 and 1, so that a wrong certainty costs 20 bits and not infinitely many."""

NEARLY = 0.01
"""A cell that is certainly safe should be believed a mine with at most this probability; a certain mine conversely."""

BINS = 10
"""Number of equally wide bins of beliefs in the reliability curve."""

Floats = NDArray[np.float64]
Boards = NDArray[np.int8]


class Positions(NamedTuple):
    """P positions, (P, rows, cols) each: codes, exact mine probabilities, and the covered cells next to a number."""

    boards: Boards
    exact: Floats
    frontier: NDArray[np.bool_]


def beliefs_of(policy: Any, boards: Boards) -> Floats | None:
    """Returns a policy's own mine probabilities on (N, rows, cols) boards, of that shape; None if it has none.

    They are 1 minus the sigmoid of the policy's `values`. Without `values` they are its `ratings`, where inf counts as
    1 and NaN as 1/2; None if a covered cell's lies outside 0 to 1. Raises a PolicyError if the policy fails.
    """
    inner = policy.policy if isinstance(policy, UserPolicy) else policy
    with user_code(policy_name(policy)):
        values = numbers_of(inner, "values", boards)
        beliefs = numbers_of(inner, "ratings", boards) if values is None else 1.0 / (1.0 + np.exp(values.clip(-60, 60)))
    if beliefs is None:
        return None
    beliefs = np.nan_to_num(np.where(np.isposinf(beliefs), 1.0, beliefs), nan=0.5)
    covered = beliefs[boards >= FLAGGED]
    return beliefs if ((covered >= 0.0) & (covered <= 1.0)).all() else None


def numbers_of(owner: Any, method: str, boards: Boards) -> Floats | None:
    """Returns a method's number for each cell, shaped as `boards`; None if there is no such method or no answer."""
    function = getattr(owner, method, None)
    numbers = function(boards) if callable(function) else None
    if numbers is None:
        return None
    # A policy with several moves may give a number for each action; the clicks are the first actions.
    by_action = np.asarray(numbers, np.float64).reshape(len(boards), -1)
    return by_action[:, : boards[0].size].reshape(boards.shape)


def _sample_boards(policy: Policy, config: BoardConfig, seeds: range) -> Boards:
    """Plays a game per seed; returns one board of each, (N, rows, cols), drawn uniformly from those with open cells."""
    boards = np.full((len(seeds), config.rows, config.cols), config.codes.hidden, np.int8)
    rng, boards_seen = np.random.default_rng(seeds.start), np.zeros(len(seeds), np.int64)

    def keep(games: NDArray[np.int64], observations: Boards, *_: object) -> None:
        has_open = (observations <= config.codes.max_count).any(axis=(1, 2))
        games, observations = games[has_open], observations[has_open]
        boards_seen[games] += 1
        # Reservoir sampling: the n-th board of a game replaces the one kept with probability 1/n. Each step draws for
        # `BATCH` games, so that a game's draws do not depend on the number of games.
        is_drawn = rng.random(BATCH)[games] * boards_seen[games] < 1.0
        boards[games[is_drawn]] = observations[is_drawn]

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
        for first_seed in range(FIRST_SEED, FIRST_SEED + count, BATCH):
            seeds = range(first_seed, min(first_seed + BATCH, FIRST_SEED + count))
            batches.append(_sample_boards(policy, plain, seeds))
            on_finished(len(seeds))
    boards = np.concatenate(batches)
    is_open = (boards <= plain.codes.max_count).reshape(len(boards), -1)
    padded = np.pad(is_open, ((0, 0), (0, 1)))  # The table points neighbours off the board to this last column.
    has_open_neighbour = padded[:, neighbour_table(plain.rows, plain.cols, plain.radius)].any(axis=2)
    exact, is_answered = Oracle(plain).ask(boards)
    frontier = (~is_open & has_open_neighbour).reshape(boards.shape)
    is_kept = is_answered & frontier.any(axis=(1, 2))
    return Positions(boards[is_kept], exact[is_kept], frontier[is_kept])


def positions_for(games: int) -> int:
    """Returns the number of positions for an evaluation of this many games; fewer games ask for less precision."""
    return min(POSITIONS, 10 * games)


def measure_beliefs(
    policy: Policy, config: BoardConfig, count: int = POSITIONS, shown: bool = False
) -> dict[str, Any] | None:
    """Returns the figures of a policy's beliefs on the frozen positions as a JSON object; None if it has none.

    They are about covered cells next to a number. `bits` is the mean over `positions` boards of their mean divergence;
    `certain_wrong` is the share of the `certain_cells`, safe or mines, with a belief off by more than 1 %. Each bin of
    `reliability` has its mean belief, its mean exact probability and its number of cells.
    """
    from scipy.special import rel_entr

    # The positions take seconds, and many policies have no beliefs.
    if beliefs_of(policy, np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)) is None:
        return None
    boards, exact, frontier = frozen_positions(config, count, shown)
    beliefs = beliefs_of(policy, boards)
    if beliefs is None:
        return None
    believed = np.clip(beliefs, LEAST, 1.0 - LEAST)
    bits = (rel_entr(exact, believed) + rel_entr(1.0 - exact, 1.0 - believed)) / math.log(2.0)
    bits_of_position = (bits * frontier).sum(axis=(1, 2)) / frontier.sum(axis=(1, 2))
    p, q = exact[frontier], believed[frontier]
    is_certain = (p == 0.0) | (p == 1.0)
    is_wrong = is_certain & (np.abs(p - q) > NEARLY)
    bin_of_cell = np.minimum((q * BINS).astype(np.int64), BINS - 1)
    in_bins = [bin_of_cell == number for number in range(BINS)]
    return {
        "positions": len(boards),
        "bits": float(bits_of_position.mean()),
        "bits_ci95": mean_interval(bits_of_position.tolist()),
        "certain_cells": int(is_certain.sum()),
        "certain_wrong": float(is_wrong.sum() / max(1, is_certain.sum())),
        "reliability": [
            [float(q[in_bin].mean()), float(p[in_bin].mean()), int(in_bin.sum())] for in_bin in in_bins if in_bin.any()
        ],
    }
