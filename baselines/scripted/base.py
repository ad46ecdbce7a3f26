"""Base of the scripted policies: certain cells by local rules, a click of least risk; `random`, `straightforward`."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.policy import checked_act, count_risky
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.kernels import TIE


class Knowledge:
    """Visible and deduced state of N games. Flags and question marks are ignored.

    Attributes:
        config: the games.
        boards: (N, rows, cols) int8, the observations.
        open: (N, rows, cols) bool, the open cells.
        counts: (N, rows, cols) int16, the clues of open cells; 0 elsewhere.
        safe: (N, rows, cols) bool, the covered cells that are certainly safe.
        mine: (N, rows, cols) bool, the covered cells that are certainly mines.
        unknown: (N, rows, cols) bool, the other covered cells.
    """

    def __init__(self, observations: NDArray[np.int8], config: BoardConfig) -> None:
        self.config = config
        self.boards = observations
        self.open: NDArray[np.bool_] = observations <= config.codes.max_count
        self.counts: NDArray[np.int16] = np.where(self.open, observations, 0).astype(np.int16)
        self.safe = np.zeros_like(self.open)
        self.mine = np.zeros_like(self.open)
        self.unknown = ~self.open

    def select(self, selected: NDArray[np.bool_]) -> Knowledge:
        """Returns the knowledge about the games where `selected`, (N,) bool, is True, as a copy."""
        knowledge = copy(self)
        vars(knowledge).update({name: array[selected] for name, array in vars(self).items() if name != "config"})
        return knowledge

    def record(self, safe: NDArray[np.bool_], mine: NDArray[np.bool_]) -> None:
        """Marks unknown cells as safe and as mines, (N, rows, cols) bool each."""
        self.safe |= safe
        self.mine |= mine
        self.unknown &= ~(safe | mine)

    def neighbour_sum(self, values: NDArray[Any]) -> NDArray[Any]:
        """Returns the sum of (N, rows, cols) values over the neighbours of each cell; see `neighbour_sums`."""
        return neighbour_sums(values, self.config.radius)

    def missing_mines(self) -> NDArray[np.int16]:
        """Returns each clue minus the known mines around it, (N, rows, cols) int16; meaningful at open cells only."""
        return self.counts - self.neighbour_sum(self.mine)


def neighbour_sums(values: NDArray[Any], radius: int) -> NDArray[Any]:
    """Returns the sum of (N, rows, cols) values over the neighbours of each cell, without the cell itself.

    Booleans are summed as int16. A box sum is separable, so the function adds up rows first, then columns.
    """
    count, rows, cols = values.shape
    values = values.astype(np.int16) if values.dtype == np.bool_ else values
    padded = np.zeros((count, rows + 2 * radius, cols + 2 * radius), values.dtype)
    padded[:, radius : radius + rows, radius : radius + cols] = values
    bands = padded[:, :rows].copy()
    for shift in range(1, 2 * radius + 1):
        bands += padded[:, shift : shift + rows]
    sums = bands[:, :, :cols] - values
    for shift in range(1, 2 * radius + 1):
        sums += bands[:, :, shift : shift + cols]
    return sums


def apply_local_rules_once(knowledge: Knowledge) -> bool:
    """Applies the first local rule to all clues, then the second one; returns whether either found a cell.

    1. If a clue lacks as many mines as it has unknown neighbours, they are all mines.
    2. If a clue equals the number of its known mines, its unknown neighbours are safe.
    """
    nothing = np.zeros_like(knowledge.open)
    unknown_around = knowledge.neighbour_sum(knowledge.unknown)
    mines_only = knowledge.open & (unknown_around > 0) & (knowledge.missing_mines() == unknown_around)
    mines = knowledge.unknown & (knowledge.neighbour_sum(mines_only) > 0)
    knowledge.record(nothing, mines)
    satisfied = knowledge.open & (knowledge.missing_mines() == 0)
    safe = knowledge.unknown & (knowledge.neighbour_sum(satisfied) > 0)
    knowledge.record(safe, nothing)
    return bool(mines.any() or safe.any())


def apply_local_rules(knowledge: Knowledge) -> None:
    """Repeats the two local rules until they find nothing new."""
    while apply_local_rules_once(knowledge):
        pass


class ScriptedPolicy:
    """Policy that clicks a cell deduced to be safe, else guesses; subclasses override `deduce` and `risks`.

    The policy never flags, and breaks ties uniformly at random.

    Attributes:
        config: the games.
        first_cell: the cell to click first, row * cols + col; None for a cell of least risk.
        counters: "guesses" counts clicks on cells not known to be safe. A first click counts unless the first-click
            rule protects it.
    """

    def __init__(self, config: BoardConfig) -> None:
        self.config = config
        self.first_cell: int | None = None
        self.counters = {"guesses": 0}
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Seeds the random choices with a seed of at least 0."""
        self._rng = np.random.default_rng(seed)

    def deduce(self, knowledge: Knowledge) -> None:
        """Records certain cells in `knowledge`: some safe cell of each game in which the rule can find one."""

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns a score for each cell, (N, rows, cols) float64: the guess is the unknown cell of lowest score."""
        return np.zeros(knowledge.unknown.shape)

    def ratings(self, observations: NDArray[np.int8]) -> NDArray[np.float64] | None:
        """Returns the scores that decide the clicks in N games, (N, rows, cols); None if `risks` is not overridden.

        The score is 0 for a known safe cell, that of `risks` for an unknown cell, and inf for any other cell.
        """
        if type(self).risks is ScriptedPolicy.risks:
            return None
        knowledge = Knowledge(observations, self.config)
        self.deduce(knowledge)
        return np.where(knowledge.safe, 0.0, np.where(knowledge.unknown, self.risks(knowledge), np.inf))

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns a click for each of N games; see `baselines.policy.Policy`."""
        knowledge = Knowledge(observations, self.config)
        self.deduce(knowledge)
        # A flag may bar the only safe cell.
        safe = knowledge.safe & (action_masks[:, : self.config.cells] != 0).reshape(observations.shape)
        scores = np.where(safe, 0.0, np.inf)
        guessing: NDArray[np.bool_] = np.logical_not(safe.any(axis=(1, 2)))
        if guessing.any():
            unsolved = knowledge.select(guessing)
            scores[guessing] = np.where(unsolved.unknown, self.risks(unsolved), np.inf)
            self.counters["guesses"] += count_risky(np.any(unsolved.open, axis=(1, 2)), self.config)
        scores = scores.reshape(len(scores), -1)
        if self.first_cell is not None:
            scores[~knowledge.open.any(axis=(1, 2)), self.first_cell] = -np.inf
        return self._draw(scores, action_masks.astype(np.bool_))

    def _draw(self, scores: NDArray[np.float64], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Returns a random one of the legal clicks of least score, or the first legal action if no click is legal."""
        clicks = legal[:, : self.config.cells]
        # Illegal clicks alone score inf, so a click on a known mine beats them. fmin gives the worst finite score to
        # inf and to NaN, the risk on a board that contradicts itself.
        scores = np.where(clicks, np.fmin(scores, np.finfo(np.float64).max), np.inf)
        best = clicks & (scores <= scores.min(axis=1, keepdims=True) + TIE)
        random_keys = np.where(best, self._rng.random(best.shape), -1.0)
        return np.where(clicks.any(axis=1), random_keys.argmax(axis=1), legal.argmax(axis=1))


class RandomPolicy(ScriptedPolicy):
    """Clicks a uniformly random covered cell."""


class StraightforwardPolicy(ScriptedPolicy):
    """Repeats the local rules to their fixpoint; guesses a uniformly random cell not known to be a mine."""

    def deduce(self, knowledge: Knowledge) -> None:
        """Repeats the two local rules until they find nothing new."""
        apply_local_rules(knowledge)
