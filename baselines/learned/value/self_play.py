"""Self-play of `value` on one board: choice of guesses, outcomes of games, and the boards to learn from."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.learned.common.budget import Clock
from baselines.learned.settings.hyperparameters import ValueHyperparameters
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import best_clicks
from baselines.learned.value.positions import Positions
from baselines.learned.value.safe_games import GIVE_UP_AFTER, SafeGames
from baselines.learned.value.trajectories import GuessClicks, Trajectories, ValueSamples
from baselines.scripted.oracle_play.endgame import Endings
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import TRUNCATED, WON

ENDING_COST = 25
"""Approximate time of one exact search, in forward passes of the network on one cell."""


@dataclass
class SelfPlayCounters:
    """Counts since the last log row.

    Attributes:
        guesses: guesses made.
        explored: guesses that differ from the best click.
        games: games finished.
        wins: sum over these games of the probability that the clicks made, and exact play at the end, win.
    """

    guesses: int = 0
    explored: int = 0
    games: int = 0
    wins: float = 0.0


class SelfPlay:
    """Games on one board.

    Attributes:
        config: the games.
        trajectories: boards before and after guesses.
        counters: counts since the last log row.
        work: approximate time spent here so far, in forward passes of the network on one cell.
    """

    def __init__(
        self, config: BoardConfig, hyperparameters: ValueHyperparameters, games: int, rng: np.random.Generator
    ) -> None:
        """Starts the games.

        Args:
            config: the games.
            hyperparameters: how to play and value them.
            games: number of games in progress.
            rng: source of all randomness, now and later.

        Raises:
            ValueError: exact search ends every game on this board before its first guess.
        """
        self.config = config
        self.counters = SelfPlayCounters()
        self.work = 0
        self._own, self._rng = hyperparameters, rng
        self._games = SafeGames(config, games, rng)
        self._endings = Endings(config, hyperparameters.layouts, hyperparameters.nodes)
        self._survival = np.ones(games)
        self.trajectories = Trajectories(
            games, config.rows, config.cols, hyperparameters.decay, hyperparameters.replay_ratio
        )
        self._end_games()

    def step(self, network: ValueNetwork, clock: Clock) -> None:
        """Makes one guess in each game, and replaces games that end by new ones.

        Args:
            network: values the candidates.
            clock: counts time as "inference" (network) and "environment" (games, oracle, exact search).
        """
        guesses = self._end_games()
        clock.lap("environment")
        cells, clicks, hard = self._choose(guesses, network)
        clock.lap("inference")
        self._survival *= clicks.safety
        self.counters.guesses += self._games.count
        self.counters.explored += int(clicks.explored.sum())
        self.work += self._games.count * self.config.cells
        statuses, after = self._games.click(cells)
        self.trajectories.add(guesses, after, clicks)
        given_up = hard | (statuses == TRUNCATED)
        self.trajectories.drop(np.flatnonzero(given_up))
        going_on = self._end_exactly(after, ~given_up)
        won = np.flatnonzero(going_on & (statuses == WON))
        self._finish(won, np.ones(len(won)))
        self._restart(~going_on | (statuses == WON))
        clock.lap("environment")

    def draw(self, count: int) -> ValueSamples:
        """Draws `count` boards to learn from; see `Trajectories.draw`."""
        return self.trajectories.draw(count, self._rng)

    def _end_games(self) -> Positions:
        """Ends each game that exact search can value, and starts new games until none can be valued."""
        guesses = self._games.guesses()
        everyone, ended = np.ones(self._games.count, np.bool_), 0
        while not (going_on := self._end_exactly(guesses, everyone)).all():
            ended += int((~going_on).sum())
            if ended >= GIVE_UP_AFTER and not going_on.any():
                config = self.config
                board = f"{config.rows} x {config.cols} with {config.mines} mines"
                raise ValueError(f"exact search finds all guesses on {board}: there is nothing to learn")
            self._restart(~going_on)
            guesses = self._games.guesses()
        return guesses

    def _end_exactly(self, positions: Positions, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Ends the chosen games, (N,) bool, whose value exact search finds; returns which of them go on, (N,) bool."""
        going_on, returns = chosen.copy(), np.zeros(len(chosen))
        for i in np.flatnonzero(chosen & (positions.log_layouts <= self._endings.most)):
            self.work += ENDING_COST
            ending = self._endings.find(positions.codes[i], positions.log_layouts[i])
            if ending is not None:
                going_on[i], returns[i] = False, ending.win_probability
        ended = np.flatnonzero(chosen & ~going_on)
        self._finish(ended, returns[ended])
        return going_on

    def _choose(
        self, guesses: Positions, network: ValueNetwork
    ) -> tuple[NDArray[np.int64], GuessClicks, NDArray[np.bool_]]:
        """Returns the cells to click (N,), the facts of these clicks, and True for boards that are too hard (N,)."""
        count, own = self._games.count, self._own
        risks = np.where(guesses.codes > self.config.codes.max_count, guesses.probabilities, np.inf).reshape(count, -1)
        boards = guesses.codes.reshape(count, -1)
        found, values = best_clicks(network, self.config, boards, risks < np.inf, own.slack, own.breadth)
        # At a guess some cell may be free, so no best click means that the board is too hard.
        hard = found < 0
        best = np.where(hard, risks.argmin(axis=1), found)
        considered = (risks <= risks.min(axis=1, keepdims=True) + own.slack) & (risks < 1.0)
        drawn = np.where(considered, self._rng.random(risks.shape), -1.0).argmax(axis=1)
        cells = np.where(self._rng.random(count) < own.exploration, drawn, best)
        return cells, GuessClicks(1.0 - risks[np.arange(count), cells], values, cells != best), hard

    def _finish(self, games: NDArray[np.int64], returns: NDArray[np.float64]) -> None:
        self.trajectories.finish(games, returns)
        self.counters.games += len(games)
        self.counters.wins += float((self._survival[games] * returns).sum())

    def _restart(self, chosen: NDArray[np.bool_]) -> None:
        self._games.restart(chosen)
        self._survival[chosen] = 1.0

    def save(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Returns the state for `restore`, as arrays and as JSON-able values; the random generator is not included."""
        arrays = {f"games/{name}": array for name, array in self._games.save().items()}
        arrays |= {f"trajectories/{name}": array for name, array in self.trajectories.save().items()}
        return arrays | {"odds": self._survival.copy()}, {"work": self.work, "tally": asdict(self.counters)}

    def restore(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """Restores what `save` returned."""
        for prefix, owner in (("games/", self._games), ("trajectories/", self.trajectories)):
            owner.restore({name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)})
        self._survival[:] = arrays["odds"]
        self.work, self.counters = state["work"], SelfPlayCounters(**state["tally"])
