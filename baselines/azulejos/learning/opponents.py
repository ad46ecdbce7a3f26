"""Opponents of a training: policies of the game, and past versions of the agent itself."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import MAX_COLOURS, GameConfig
from azulejos_env.opponents import find_opponent
from azulejos_env.policies import Policy
from azulejos_env.position import Position
from azulejos_env.searching.limits import Limits
from azulejos_env.searching.searcher import Searcher

SELF = "self"
"""The opponent that is a past version of the agent."""

VERSIONS = 4
"""Number of past versions that play at the same time, at most; fewer games than that have a version each."""

MAX_OPPONENTS = 32


def check_opponents(names: Any) -> tuple[str, ...]:
    """Returns the opponents of a training.

    Args:
        names: policies of the game with options as in "minimax:depth=2", or `SELF`; a name may come twice.

    Raises:
        ValueError: a name or an option is not allowed, or there are too few or too many names.
    """
    if not isinstance(names, (tuple, list)) or not 1 <= len(names) <= MAX_OPPONENTS:
        raise ValueError(f"opponents must be 1 to {MAX_OPPONENTS} names such as greedy, not {names!r}")
    for name in names:
        if name != SELF:
            _check_policy(name)
    return tuple(names)


def _check_policy(name: Any) -> None:
    if not isinstance(name, str):
        raise ValueError(f"an opponent is a text such as greedy, not {name!r}")
    try:
        find_opponent(name)
    except ValueError as error:
        message = str(error).removeprefix("opponent must be None, ")
        raise ValueError(f"opponents must be {SELF}, {message}" if message != str(error) else message) from error


_DEPTH = re.compile(r"minimax:depth=(\d+)")


def opponent_of(name: str) -> str | Policy:
    """Returns an opponent as `AzulejosVectorEnv` takes it; minimax to a depth becomes a `ManySearches`."""
    match = _DEPTH.fullmatch(name)
    return name if match is None else ManySearches(int(match[1]))


class ManySearches:
    """Minimax to a depth, which searches many positions with the same arrays and no transposition table.

    Each move is one of those that `MinimaxPolicy` values highest. For shallow searches this is many times faster than
    a search that prepares itself for each position.

    Args:
        depth: number of moves to look ahead.
    """

    def __init__(self, depth: int) -> None:
        """Searches nothing yet."""
        self.depth = depth
        self._searchers: dict[tuple[int, int], Searcher] = {}

    def reset(self, seed: int) -> None:
        """Does nothing: the moves depend on the position alone."""

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of the group to remove."""
        size = (position.config.rows, position.config.cols)
        if size not in self._searchers:
            self._searchers[size] = Searcher(position, self.depth, prune=True, table=False)
        result = None
        for depth in range(1, self.depth + 1):
            result = self._searchers[size].search(position, depth, Limits(self.depth))
        assert result is not None
        assert result.move is not None
        return result.move

    def act(self, boards: NDArray[np.int8], scores: NDArray[np.int64]) -> NDArray[np.int64]:
        """Returns the actions in N positions; see `azulejos_env.policies.BatchPolicy`."""
        config = GameConfig(boards.shape[1], boards.shape[2], MAX_COLOURS)
        moves = [
            self.choose(Position(config, board, (int(own), int(other))))
            for board, (own, other) in zip(boards, scores, strict=True)
        ]
        return np.array([row * config.cols + col for row, col in moves], np.int64)


def divided(total: int, parts: int) -> list[int]:
    """Returns whole numbers that add up to `total` and differ by at most 1, the largest first."""
    return [total // parts + (i < total % parts) for i in range(parts)]


def games_of(opponents: Sequence[str], envs: int) -> list[tuple[str, int]]:
    """Returns the batches of games of a training, each with its opponent and its number of games.

    Every entry of `opponents` gets about as many games. Those against `SELF` form up to `VERSIONS` batches.

    Args:
        opponents: as `check_opponents` returns them.
        envs: number of games; opponents without a game are left out.
    """
    batches = []
    for name, count in zip(opponents, divided(envs, len(opponents)), strict=True):
        parts = divided(count, min(VERSIONS, count)) if name == SELF and count else [count]
        batches += [(name, part) for part in parts if part]
    return batches
