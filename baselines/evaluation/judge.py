"""Judges the clicks of games by the exact mine probabilities of the boards that they were made on."""

from __future__ import annotations

import time
from enum import Enum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.support.rounding import TIE
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import Oracle


class Loss(Enum):
    """What can be said of the click that lost a game."""

    AVOIDABLE = "avoidable"
    FORCED = "forced"
    NOT_JUDGED = "not judged"


class GameDiagnosis(NamedTuple):
    """What the clicks of a game were like, apart from the first one, which is judged in `loss` alone.

    Attributes:
        judged: the clicks that were judged.
        not_judged: the clicks on boards that were too hard for the oracle.
        on_mines: the judged clicks on a cell that was certainly a mine; such a click ends the game.
        past_safe: the judged clicks on a cell that might be a mine, or was one, while another was certainly free.
        guesses: the judged clicks on a cell that might be a mine, or was one.
        excess_risk: the sum, over the judged clicks, of the risk beyond the least that a click would have had.
        loss: what lost the game; None if it was not lost.
    """

    judged: int
    not_judged: int
    on_mines: int
    past_safe: int
    guesses: int
    excess_risk: float
    loss: Loss | None


def check_judgeable(config: BoardConfig) -> None:
    """Raises a ValueError, which says what is allowed, unless the clicks of these games can be judged exactly."""
    if config.moves != ("click",):
        raise ValueError(f'only games with moves=("click",) can be judged, not {config.moves}')
    Oracle(config)


class Judge:
    """Watches games, as an observer of `baselines.evaluation.games.play_games`, and judges each click.

    The risk of a click is the exact probability, given the board before it, that its cell is a mine. A loss
    was forced if the losing click had the least risk that the board allowed, and else avoidable. The first
    click of a game meets a board without any evidence, on which all cells are equal: it is not counted,
    and a game that it loses (which only the rule "any" allows) was lost by force.

    Attributes:
        seconds: the time that judging has taken.
    """

    def __init__(self, config: BoardConfig, games: int) -> None:
        """Prepares to watch games of clicks.

        Args:
            config: the games.
            games: their number.

        Raises:
            ValueError: the rules of the games leave no exact judgement; the message says which rules do.
        """
        check_judgeable(config)
        self.seconds = 0.0
        self._oracle = Oracle(config)
        self._max_count = config.codes.max_count
        self._counts = np.zeros((5, games), np.int64)
        self._excess_risk = np.zeros(games)
        self._losses: list[Loss | None] = [None] * games

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],
        actions: NDArray[np.int64],
        lost: NDArray[np.bool_],
    ) -> None:
        """Judges one click in each of some games; see `baselines.evaluation.games.Observer`."""
        begin = time.perf_counter()
        begun = (observations <= self._max_count).any(axis=(1, 2))
        self._set_losses(games[~begun & lost], Loss.FORCED)
        if begun.any():
            self._judge(games[begun], observations[begun], actions[begun], lost[begun])
        self.seconds += time.perf_counter() - begin

    def diagnoses(self) -> list[GameDiagnosis]:
        """Returns what was found, one a game."""
        rows = zip(*self._counts.tolist(), self._excess_risk.tolist(), self._losses, strict=True)
        return [GameDiagnosis(*row) for row in rows]

    def _judge(
        self,
        games: NDArray[np.int64],
        boards: NDArray[np.int8],
        clicks: NDArray[np.int64],
        lost: NDArray[np.bool_],
    ) -> None:
        probabilities, exact = self._oracle.ask(boards)
        risk = probabilities.reshape(len(boards), -1)[np.arange(len(boards)), clicks]
        least = np.where(boards > self._max_count, probabilities, np.inf).min(axis=(1, 2))
        excess = np.where(exact & (risk - least > TIE), risk - least, 0.0)
        found = (exact, ~exact, risk == 1.0, (risk > 0.0) & (least == 0.0), risk > 0.0)
        self._counts[:, games] += np.stack(found)
        self._excess_risk[games] += excess
        self._set_losses(games[lost & (excess > 0.0)], Loss.AVOIDABLE)
        self._set_losses(games[lost & exact & (excess == 0.0)], Loss.FORCED)
        self._set_losses(games[lost & ~exact], Loss.NOT_JUDGED)

    def _set_losses(self, games: NDArray[np.int64], loss: Loss) -> None:
        for game in games.tolist():
            self._losses[game] = loss
