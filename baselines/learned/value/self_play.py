"""Games on one board that `value` plays to learn from them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.learned.common.budget import Clock
from baselines.learned.value.limits import BREADTH, SLACK
from baselines.learned.value.network import ValueNetwork
from baselines.learned.value.policy import best_clicks
from baselines.learned.value.positions import Positions
from baselines.learned.value.safe_games import MOST_IN_VAIN, SafeGames
from baselines.learned.value.trajectories import GuessClicks, Trajectories, ValueSamples
from baselines.scripted.oracle_play.endgame import Endings
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.state import TRUNCATED, WON

ENDING_COST = 25
"""The time of the search for an ending, over that of a forward pass on one cell, about."""


@dataclass(frozen=True)
class SelfPlayOptions:
    """How the games are played.

    Attributes:
        cells_at_once: games on a board are so many that they have this many cells together, within `games`.
        games: the fewest and the most games on a board.
        exploration: the chance that a guess is any of the clicks considered, and not the best.
        slack: how much more than the least risk a click may have to be considered.
        breadth: how many clicks are considered at most, those of least risk.
        decay: the lambda of `Trajectories`.
        replay_ratio: number of draws per board.
        layouts: how many layouts, at most, are valued exactly, which ends a game.
        nodes: the sets of layouts that are examined for this, at most.
    """

    cells_at_once: int = 1 << 15
    games: tuple[int, int] = (64, 512)
    exploration: float = 0.3
    slack: float = SLACK
    breadth: int = BREADTH
    decay: float = 0.7
    replay_ratio: int = 4
    layouts: int = 250
    nodes: int = 20_000


@dataclass
class SelfPlayCounters:
    """What has been counted since it was last asked for.

    Attributes:
        guesses: the guesses made.
        explored: those among them that were not the best by the network.
        games: the games that are over.
        wins: the sum of the chances that play as it was would have won them.
    """

    guesses: int = 0
    explored: int = 0
    games: int = 0
    wins: float = 0.0


class SelfPlay:
    """The games on one board, and what became of their guesses.

    Attributes:
        config: the games.
        trajectories: the guesses.
        tally: what has happened.
        work: about the time spent here, in forward passes of the network on one cell.
    """

    def __init__(self, config: BoardConfig, options: SelfPlayOptions, rng: np.random.Generator) -> None:
        """Begins the games; all randomness comes from `rng`, from here on.

        Raises:
            ValueError: there is nothing to learn on this board.
        """
        self.config = config
        self.counters = SelfPlayCounters()
        self.work = 0
        self._options, self._rng = options, rng
        count = int(np.clip(options.cells_at_once // config.cells, *options.games))
        self._games = SafeGames(config, count, rng)
        self._endings = Endings(config, options.layouts, options.nodes)
        self._odds = np.ones(count)
        self.trajectories = Trajectories(count, config.rows, config.cols, options.decay, options.replay_ratio)
        self._end_games()

    def step(self, network: ValueNetwork, clock: Clock) -> None:
        """Makes a guess in each game; those that come to their end are followed by new ones.

        Args:
            network: what says how the games are played.
            clock: counts time spent on "inference", with the network, and "environment".
        """
        guesses = self._end_games()
        clock.lap("environment")
        cells, clicks, hard = self._choose(guesses, network)
        clock.lap("inference")
        self._odds *= clicks.safety
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
        """Takes out `count` of the boards that can be learned from."""
        return self.trajectories.draw(count, self._rng)

    def _end_games(self) -> Positions:
        """Ends games whose end is found exactly, and begins new ones, until none is so near its end."""
        guesses = self._games.guesses()
        everyone, ended = np.ones(self._games.count, np.bool_), 0
        while not (going_on := self._end_exactly(guesses, everyone)).all():
            ended += int((~going_on).sum())
            if ended >= MOST_IN_VAIN and not going_on.any():
                config = self.config
                board = f"{config.rows} x {config.cols} with {config.mines} mines"
                raise ValueError(f"exact search finds all guesses on {board}: there is nothing to learn")
            self._restart(~going_on)
            guesses = self._games.guesses()
        return guesses

    def _end_exactly(self, positions: Positions, chosen: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Ends those of the chosen games, (N,) bool, whose end is found from these boards; returns which go on."""
        going_on, worths = chosen.copy(), np.zeros(len(chosen))
        for i in np.flatnonzero(chosen & (positions.log_layouts <= self._endings.most)):
            self.work += ENDING_COST
            ending = self._endings.find(positions.codes[i], positions.log_layouts[i])
            if ending is not None:
                going_on[i], worths[i] = False, ending.win_probability
        ended = np.flatnonzero(chosen & ~going_on)
        self._finish(ended, worths[ended])
        return going_on

    def _choose(
        self, guesses: Positions, network: ValueNetwork
    ) -> tuple[NDArray[np.int64], GuessClicks, NDArray[np.bool_]]:
        """Returns the cells to click, (N,), how they were chosen, and whether a board was too hard for that, (N,)."""
        count, options = self._games.count, self._options
        risks = np.where(guesses.codes > self.config.codes.max_count, guesses.probabilities, np.inf).reshape(count, -1)
        boards = guesses.codes.reshape(count, -1)
        found, values = best_clicks(network, self.config, boards, risks < np.inf, options.slack, options.breadth)
        # A guess has a cell that may be free, so there is a best click unless the board is too hard.
        hard = found < 0
        best = np.where(hard, risks.argmin(axis=1), found)
        considered = (risks <= risks.min(axis=1, keepdims=True) + options.slack) & (risks < 1.0)
        drawn = np.where(considered, self._rng.random(risks.shape), -1.0).argmax(axis=1)
        cells = np.where(self._rng.random(count) < options.exploration, drawn, best)
        return cells, GuessClicks(1.0 - risks[np.arange(count), cells], values, cells != best), hard

    def _finish(self, games: NDArray[np.int64], worths: NDArray[np.float64]) -> None:
        self.trajectories.finish(games, worths)
        self.counters.games += len(games)
        self.counters.wins += float((self._odds[games] * worths).sum())

    def _restart(self, chosen: NDArray[np.bool_]) -> None:
        self._games.restart(chosen)
        self._odds[chosen] = 1.0

    def save(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Returns all that is needed to go on, but for the random generator: arrays, and JSON-able values."""
        arrays = {f"games/{name}": array for name, array in self._games.save().items()}
        arrays |= {f"trajectories/{name}": array for name, array in self.trajectories.save().items()}
        return arrays | {"odds": self._odds.copy()}, {"work": self.work, "tally": asdict(self.counters)}

    def restore(self, arrays: dict[str, NDArray[Any]], state: dict[str, Any]) -> None:
        """Goes back to what `save` returned."""
        for prefix, owner in (("games/", self._games), ("trajectories/", self.trajectories)):
            owner.restore({name.removeprefix(prefix): arrays[name] for name in arrays if name.startswith(prefix)})
        self._odds[:] = arrays["odds"]
        self.work, self.counters = state["work"], SelfPlayCounters(**state["tally"])
