"""What the scripted players share: deduce, click a safe cell, or else the cell of least risk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge
from baselines.support.rounding import TIE
from minesweeper_env.config import BoardConfig


def count_risky(begun: NDArray[np.bool_], config: BoardConfig) -> int:
    """Returns how many of N clicks on cells that are not known to be free can lose the game, by the first-click rule.

    Args:
        begun: (N,) bool, whether anything was open in the game before the click.
        config: the games.
    """
    return len(begun) if config.first_click == "any" else int(begun.sum())


def click_where_legal(
    choose: Callable[[NDArray[np.int64], NDArray[np.bool_]], NDArray[np.int64]],
    action_masks: NDArray[np.int8],
    cells: int,
) -> NDArray[np.int64]:
    """Returns (N,) int64 actions: the clicks of a rule, and the first legal action of games without a legal click.

    Args:
        choose: the rule. Given the numbers (M,) of the games that have a legal click, and which clicks are legal there,
            (M, cells) bool, it returns (M,) int64 clicks.
        action_masks: (N, actions) int8 or bool; see `baselines.policy.Policy`.
        cells: the number of cells of a board.
    """
    legal: NDArray[np.bool_] = action_masks[:, :cells].astype(np.bool_)
    games = np.flatnonzero(legal.any(axis=1))
    actions = action_masks.argmax(axis=1)
    if len(games) > 0:
        actions[games] = choose(games, legal[games])
    return actions


class ScriptedPolicy:
    """A player that is a deduction and a guess rule, which its subclasses override.

    It never flags. Cells that are equally good are drawn with equal chances.

    Attributes:
        config: the games.
        counters: "guesses", the clicks on cells that were not known to be free. A first click is one of them unless
            the first-click rule protects it.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to play games of this configuration."""
        self.config = config
        self.counters = {"guesses": 0}
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Begins the random choices anew from a seed of at least 0."""
        self._rng = np.random.default_rng(seed)

    def deduce(self, knowledge: Knowledge) -> None:
        """Takes down what is certain: at least one safe cell in each game where there is one to be deduced."""

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns (N, rows, cols): how bad a guess each unknown cell is, of games without a known safe cell."""
        return np.zeros(knowledge.unknown.shape)

    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses a click in each of N games; see `baselines.policy.Policy`."""
        knowledge = Knowledge(observations, self.config)
        self.deduce(knowledge)
        scores = np.where(knowledge.safe, 0.0, np.inf)
        guessing: NDArray[np.bool_] = np.logical_not(knowledge.safe.any(axis=(1, 2)))
        if guessing.any():
            unsure = knowledge.rows(guessing)
            scores[guessing] = np.where(unsure.unknown, self.risks(unsure), np.inf)
            self.counters["guesses"] += count_risky(np.any(unsure.open, axis=(1, 2)), self.config)
        return self._draw(scores.reshape(len(scores), -1), action_masks.astype(np.bool_))

    def _draw(self, scores: NDArray[np.float64], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Draws one of the legal clicks with the least score; any legal action where no click is legal."""
        clicks = legal[:, : self.config.cells]
        # Finite, so that a click on a known mine is still better than an illegal one; a board that
        # contradicts itself has no posterior, and NaN counts as a mine.
        scores = np.where(clicks, np.fmin(scores, np.finfo(np.float64).max), np.inf)
        best = clicks & (scores <= scores.min(axis=1, keepdims=True) + TIE)
        keys = np.where(best, self._rng.random(best.shape), -1.0)
        return np.where(clicks.any(axis=1), keys.argmax(axis=1), legal.argmax(axis=1))
