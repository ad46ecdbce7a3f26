"""Policies: a random move, the move that earns most, and minimax."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from azulejos_env.position import Position
from azulejos_env.search import search
from azulejos_env.searching.limits import Limits

__all__ = ["POLICIES", "BatchPolicy", "GreedyPolicy", "MinimaxPolicy", "Policy", "RandomPolicy", "make_policy"]


class Policy(Protocol):
    """Anything that chooses moves."""

    def reset(self, seed: int) -> None:
        """Begins a game; the moves of a policy depend on the seed and the positions alone."""

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the (row, col) of a tile of the group to remove; the game is not over."""


class BatchPolicy(Policy, Protocol):
    """A policy without randomness that plays many games at once, such as a network."""

    def act(self, boards: NDArray[np.int8], scores: NDArray[np.int64]) -> NDArray[np.int64]:
        """Chooses a move in each of N positions.

        Args:
            boards: (N, rows, cols) int8 colours, 0 for an empty cell; the tiles have fallen.
            scores: (N, 2) int64, the score of the player to move and that of the other.

        Returns:
            (N,) int64, row * cols + col of the first cell of the group in reading order.
        """


class RandomPolicy:
    """Removes a group drawn uniformly."""

    def __init__(self) -> None:
        """Begins with seed 0."""
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seeds the moves of a game."""
        self._generator = np.random.default_rng(seed)

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of a random group."""
        groups = position.groups
        group = groups[self._generator.integers(len(groups))]
        return group.row, group.col


class GreedyPolicy:
    """Makes the move that adds most to the own score, the bonus included; the first such group in reading order."""

    def reset(self, seed: int) -> None:
        """Does nothing: the moves depend on the position alone."""

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of the group."""
        return _best_move(position, depth=1, table=False)


class MinimaxPolicy:
    """Makes the move of a search within limits."""

    def __init__(
        self, depth: int | None = None, seconds: float | None = None, nodes: int | None = None, prune: bool = True
    ) -> None:
        """Sets the arguments of `search`; without any limit, it looks 4 moves ahead.

        Raises:
            ValueError: an argument is not allowed.
        """
        if depth is seconds is nodes is None:
            depth = 4
        Limits.of(depth, seconds, nodes)
        if prune not in (True, False):
            raise ValueError(f"prune must be true or false, not {prune!r}")
        self._arguments = {"depth": depth, "seconds": seconds, "nodes": nodes, "prune": prune}

    def reset(self, seed: int) -> None:
        """Does nothing: the moves depend on the position alone."""

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of the group."""
        return _best_move(position, **self._arguments)


POLICIES: dict[str, Callable[..., Policy]] = {
    "random": RandomPolicy,
    "greedy": GreedyPolicy,
    "minimax": MinimaxPolicy,
}
"""The policies by name."""


def make_policy(name: str, **options: Any) -> Policy:
    """Returns a policy by name.

    Raises:
        ValueError: there is no policy of this name.
    """
    if name not in POLICIES:
        raise ValueError(f"there is no policy {name!r}; the policies are {', '.join(POLICIES)}")
    return POLICIES[name](**options)


def _best_move(position: Position, **limits: Any) -> tuple[int, int]:
    move = search(position, **limits).move
    if move is None:
        raise ValueError("the game is over: there is no group to remove")
    return move
