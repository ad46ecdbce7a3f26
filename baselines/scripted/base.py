"""Base class and helpers of the scripted policies: deduce, click a safe cell, or guess the cell of least risk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.rules.batched_rules import Knowledge
from baselines.support.act_inputs import checked_act
from baselines.support.rounding import TIE
from minesweeper_env.config import BoardConfig


def count_risky(begun: NDArray[np.bool_], config: BoardConfig) -> int:
    """Returns how many of N guesses can lose the game; the first-click rule may protect the first one.

    Args:
        begun: (N,) bool, whether a cell was open before the guess.
        config: the games.
    """
    return len(begun) if config.first_click == "any" else int(begun.sum())


def click_where_legal(
    choose: Callable[[NDArray[np.int64], NDArray[np.bool_]], NDArray[np.int64]],
    action_masks: NDArray[np.int8],
    cells: int,
) -> NDArray[np.int64]:
    """Returns (N,) int64 actions: clicks of a rule, or the first legal action in games without a legal click.

    Args:
        choose: the rule; takes the (M,) indices of the games with a legal click and their (M, cells) bool masks of
            legal clicks, and returns (M,) int64 clicks.
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
    """Policy of a deduction and a guess rule; subclasses override `deduce` and `risks`.

    It never flags. Ties are broken uniformly at random.

    Attributes:
        config: the games.
        counters: "guesses", clicks on cells not known to be safe. A first click counts unless the first-click rule
            protects it.
    """

    def __init__(self, config: BoardConfig) -> None:
        """Prepares to play games of a configuration."""
        self.config = config
        self.counters = {"guesses": 0}
        self._rng = np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Seeds the random choices with a seed of at least 0."""
        self._rng = np.random.default_rng(seed)

    def deduce(self, knowledge: Knowledge) -> None:
        """Records certain cells in `knowledge`: at least one safe cell per game if the rule finds any."""

    def risks(self, knowledge: Knowledge) -> NDArray[np.float64]:
        """Returns (N, rows, cols) float64 risks of guessing each unknown cell, in games without a known safe cell."""
        return np.zeros(knowledge.unknown.shape)

    def ratings(self, observations: NDArray[np.int8]) -> NDArray[np.float64] | None:
        """Returns the numbers behind the choices in N games, (N, rows, cols), or None for a policy without any.

        They are 0 for cells known to be safe, inf for known mines, and `risks` for the others.
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
        scores = np.where(knowledge.safe, 0.0, np.inf)
        guessing: NDArray[np.bool_] = np.logical_not(knowledge.safe.any(axis=(1, 2)))
        if guessing.any():
            unsure = knowledge.rows(guessing)
            scores[guessing] = np.where(unsure.unknown, self.risks(unsure), np.inf)
            self.counters["guesses"] += count_risky(np.any(unsure.open, axis=(1, 2)), self.config)
        return self._draw(scores.reshape(len(scores), -1), action_masks.astype(np.bool_))

    def _draw(self, scores: NDArray[np.float64], legal: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Draws one of the legal clicks of least score; returns the first legal action if no click is legal."""
        clicks = legal[:, : self.config.cells]
        # Scores become finite so that a click on a known mine beats an illegal one. NaN, the risk on a board that
        # contradicts itself, becomes the worst score.
        scores = np.where(clicks, np.fmin(scores, np.finfo(np.float64).max), np.inf)
        best = clicks & (scores <= scores.min(axis=1, keepdims=True) + TIE)
        keys = np.where(best, self._rng.random(best.shape), -1.0)
        return np.where(clicks.any(axis=1), keys.argmax(axis=1), legal.argmax(axis=1))
