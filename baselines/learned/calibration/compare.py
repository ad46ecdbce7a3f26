"""What a network says of each covered cell, beside the exact probability of a mine: a comparison in numbers."""

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
from baselines.learned.common.tensor_files import read_json
from baselines.learned.networks.board import BoardNetwork
from baselines.learned.networks.masks import unopened
from baselines.learned.settings.training import TrainingSettings
from minesweeper_env.codes import Codes
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities_batch

MAX_COUNT = Codes.of_radius(1).max_count
BINS = (0.0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1.0)
"""The edges of the classes of what the network says; the outer ones are narrow, since many cells are nearly certain."""

_AT_ONCE = 200
"""The games that are played side by side."""


@dataclass(frozen=True)
class Comparison:
    """N boards that an agent met, and two opinions of each covered cell.

    Attributes:
        codes: (N, rows, cols) int8.
        games: (N,) int64, the seed of the game that each board is from, in the order of its clicks.
        predicted: (N, rows, cols) float64, the chance of a mine by the network.
        exact: (N, rows, cols) float64, the probability of a mine.
    """

    codes: NDArray[np.int8]
    games: NDArray[np.int64]
    predicted: NDArray[np.float64]
    exact: NDArray[np.float64]

    @property
    def covered(self) -> NDArray[np.bool_]:
        """The cells that the opinions are about, (N, rows, cols)."""
        return self.codes > MAX_COUNT

    def of_game(self, seed: int) -> Comparison:
        """Returns the boards of one game."""
        mine = self.games == seed
        return Comparison(self.codes[mine], self.games[mine], self.predicted[mine], self.exact[mine])

    def root_mean_squares(self) -> dict[str, float]:
        """Returns the root mean squared differences: of all covered cells, and of those with an open neighbour."""
        squares = (self.predicted - self.exact) ** 2
        chosen = {"covered cells": self.covered, "beside numbers": self.covered & _beside_open(self.codes)}
        return {name: float(np.sqrt(squares[cells].mean())) for name, cells in chosen.items() if cells.any()}

    def reliability(self) -> list[tuple[float, float, float, int]]:
        """Returns for each class of `BINS` that has cells its means of `predicted` and `exact`, and the cells.

        Returns:
            (predicted, exact, root mean squared difference, cells), by rising `predicted`.
        """
        said, true = self.predicted[self.covered], self.exact[self.covered]
        classes = np.clip(np.searchsorted(BINS, said, side="right") - 1, 0, len(BINS) - 2)
        found = []
        for number in np.unique(classes):
            a, b = said[classes == number], true[classes == number]
            found.append((float(a.mean()), float(b.mean()), float(np.sqrt(((a - b) ** 2).mean())), len(a)))
        return found


def _beside_open(codes: NDArray[np.int8]) -> NDArray[np.bool_]:
    rows, cols = codes.shape[1:]
    is_open = np.pad(codes <= MAX_COUNT, ((0, 0), (1, 1), (1, 1)))
    shifted = [is_open[:, row : row + rows, col : col + cols] for row in range(3) for col in range(3)]
    return np.logical_or.reduce(shifted)


def load_rater(folder: Path) -> BoardNetwork:
    """Returns the network of a run folder whose outputs are the logits of the chance that a cell is safe.

    Raises:
        ValueError: it was trained to say something else, or a file is missing or damaged; the message is one line.
    """
    network = load_network(folder)
    settings = TrainingSettings.from_json(read_json(folder / "run.json").get("settings"))
    if (settings.algo, settings.reward, settings.gamma) != ("dqn", "safe_click", 0):
        raise ValueError(
            f"the numbers of {folder} are no chances of safety: only an agent of algo dqn, reward safe_click and "
            f"gamma 0 gives them, and this one has {settings.algo}, {settings.reward} and {settings.gamma}"
        )
    assert isinstance(network, BoardNetwork)
    return network


def compare(
    network: BoardNetwork, config: BoardConfig, seeds: Sequence[int], on_finished: Callable[[int], Any] | None = None
) -> Comparison:
    """Has an agent play games, and compares what it says of every board but the first with the exact probabilities.

    Args:
        network: what plays, and says the chances.
        config: the games, of radius 1, with clicks alone.
        seeds: of the games.
        on_finished: called with the number of games that have ended, where any has.
    """
    policy, watcher = LearnedPolicy(network, config.mines), _Watcher()
    for start in range(0, len(seeds), _AT_ONCE):
        watcher.seeds = np.asarray(seeds[start : start + _AT_ONCE], np.int64)
        play_games(policy, config, watcher.seeds.tolist(), on_finished, watcher)
    codes = np.concatenate(watcher.boards)
    predicted = 1.0 / (1.0 + np.exp(policy.values(codes).astype(np.float64).reshape(codes.shape)))
    return Comparison(codes, np.concatenate(watcher.games), predicted, mine_probabilities_batch(codes, config.mines))


class _Watcher:
    """Keeps the boards of games before every click but the first, and the seeds of their games."""

    def __init__(self) -> None:
        self.seeds = np.zeros(0, np.int64)
        self.boards: list[NDArray[np.int8]] = []
        self.games: list[NDArray[np.int64]] = []

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],
        actions: NDArray[np.int64],  # noqa: ARG002 - the signature is that of an observer
        lost: NDArray[np.bool_],  # noqa: ARG002
    ) -> None:
        begun = ~unopened(observations)
        self.boards.append(observations[begun])
        self.games.append(self.seeds[games[begun]])
