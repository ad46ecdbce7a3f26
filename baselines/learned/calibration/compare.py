"""Comparison of a network's mine probabilities with the exact ones, on boards of its own games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import play_games
from baselines.learned.agents.policy import LearnedPolicy
from baselines.learned.agents.storage import load_network
from baselines.learned.networks.board import MAX_COUNT, BoardNetwork
from baselines.learned.networks.masks import unopened
from baselines.learned.settings.files import RUN_FILE
from baselines.support.files import read_json
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities_batch

BINS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""Edges of the classes of predicted probabilities; outer classes are narrow, since many cells are nearly certain."""

_BATCH_SIZE = 200
"""Games per batch."""


@dataclass(frozen=True)
class ProbabilityComparison:
    """Predicted and exact mine probabilities on N boards that an agent met.

    Attributes:
        codes: (N, rows, cols) int8.
        games: (N,) int64, the seed of each board's game; boards of a game are in the order of its clicks.
        predicted: (N, rows, cols) float64, mine probabilities by the network.
        exact: (N, rows, cols) float64, mine probabilities by the oracle.
    """

    codes: NDArray[np.int8]
    games: NDArray[np.int64]
    predicted: NDArray[np.float64]
    exact: NDArray[np.float64]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """The compared cells, (N, rows, cols) bool: the covered ones."""
        return self.codes > MAX_COUNT

    def of_game(self, seed: int) -> ProbabilityComparison:
        """Returns the part that comes from the game with this seed."""
        own = self.games == seed
        return ProbabilityComparison(self.codes[own], self.games[own], self.predicted[own], self.exact[own])

    def root_mean_squares(self) -> dict[str, float]:
        """Returns root mean squared differences, of all covered cells and of the ones with an open neighbour."""
        squares = (self.predicted - self.exact) ** 2
        chosen = {"covered cells": self.covered, "next to numbers": self.covered & _next_to_open(self.codes)}
        return {name: float(np.sqrt(squares[cells].mean())) for name, cells in chosen.items() if cells.any()}

    def reliability(self) -> list[tuple[float, float, float, int]]:
        """Returns the reliability diagram: one entry per class of `BINS` that has cells.

        Returns:
            (mean predicted, mean exact, root mean squared difference, number of cells), by rising predicted.
        """
        predicted, exact = self.predicted[self.covered], self.exact[self.covered]
        classes = np.clip(np.searchsorted(BINS, predicted, side="right") - 1, 0, len(BINS) - 2)
        found = []
        for number in np.unique(classes):
            a, b = predicted[classes == number], exact[classes == number]
            found.append((float(a.mean()), float(b.mean()), float(np.sqrt(((a - b) ** 2).mean())), len(a)))
        return found


def _next_to_open(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    rows, cols = codes.shape[1:]
    is_open = np.pad(codes <= MAX_COUNT, ((0, 0), (1, 1), (1, 1)))
    shifted = [is_open[:, row : row + rows, col : col + cols] for row in range(3) for col in range(3)]
    return np.logical_or.reduce(shifted)


def load_rater(folder: Path) -> BoardNetwork:
    """Returns the network of a run folder whose outputs are logits of safety.

    Raises:
        ValueError: its outputs mean something else, or a file is missing or damaged; the message is one line.
    """
    network = load_network(folder)
    settings = read_json(folder / RUN_FILE).get("settings")
    algo, reward, gamma = (dict(settings or {}).get(name) for name in ("algo", "reward", "gamma"))
    if (algo, reward, gamma) != ("dqn", "safe_click", 0):
        raise ValueError(
            f"the outputs of {folder} are no probabilities of safety: that takes algo dqn, reward safe_click and "
            f"gamma 0, and this agent has {algo}, {reward} and {gamma}"
        )
    assert isinstance(network, BoardNetwork)
    return network


def compare(
    network: BoardNetwork, config: BoardConfig, seeds: Sequence[int], on_finished: Callable[[int], Any] | None = None
) -> ProbabilityComparison:
    """Plays games with an agent, and compares its probabilities with the exact ones before every click but the first.

    Args:
        network: plays, and predicts the probabilities; its outputs are logits of safety.
        config: board and rules of the games; the radius is 1, and the only move is a click.
        seeds: seeds of the games.
        on_finished: called with the number of games that just ended, if any.
    """
    policy, watcher = LearnedPolicy(network, config.mines), _Watcher()
    for start in range(0, len(seeds), _BATCH_SIZE):
        watcher.seeds = np.asarray(seeds[start : start + _BATCH_SIZE], np.int64)
        play_games(policy, config, watcher.seeds.tolist(), on_finished, watcher)
    codes = np.concatenate(watcher.boards)
    predicted = 1.0 / (1.0 + np.exp(policy.values(codes).astype(np.float64).reshape(codes.shape)))
    return ProbabilityComparison(
        codes, np.concatenate(watcher.games), predicted, mine_probabilities_batch(codes, config.mines)
    )


class _Watcher:
    """Observer that records boards before every click but the first, with the seeds of their games."""

    def __init__(self) -> None:
        self.seeds = np.zeros(0, np.int64)
        self.boards: list[NDArray[np.int8]] = []
        self.games: list[NDArray[np.int64]] = []

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],
        actions: NDArray[np.int64],  # noqa: ARG002 - the signature of an observer
        lost: NDArray[np.bool_],  # noqa: ARG002
    ) -> None:
        begun = ~unopened(observations)
        self.boards.append(observations[begun])
        self.games.append(self.seeds[games[begun]])
