"""Paired comparison of rules at the guesses where they differ.

Games are played by the first rule. At each of its guesses with many layouts left, every rule chooses a click. Where the
clicks differ, playouts on common layouts value them. The advantage of a rule is what it gains per game by its own click
at each such guess, with the same play afterwards: the first order of what it gains as a player.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.guesses.games import begun_games, first_click, seeded_layouts
from baselines.policy import Policy
from baselines.rollouts.estimates import estimate
from baselines.rollouts.guess_games import Boards
from baselines.rollouts.players import clicks_of
from baselines.rollouts.playouts import Playouts
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError, sample_layouts


class Guess(NamedTuple):
    """A position where a game stands at a guess.

    Attributes:
        game: the seed of the game.
        depth: the number of guesses before it in this game.
        board: (n,) int8, cell codes.
        risks: (n,) float64, the probability of a mine in each cell.
        log_layouts: the natural logarithm of the number of layouts that fit.
    """

    game: int
    depth: int
    board: Boards
    risks: NDArray[np.float64]
    log_layouts: float


def guesses_of(policy: Policy, config: BoardConfig, seeds: range, layouts: int) -> list[Guess]:
    """Returns the guesses with more than `layouts` layouts that a policy meets in the games of these seeds.

    Args:
        policy: plays the games; its first click is the same in all of them.
        config: the games.
        seeds: seed s begins the game that `evaluate.py` plays on seed s.
        layouts: a game ends here once at most this many layouts fit.
    """
    cell, least = first_click(policy, config), math.log(layouts + 0.5)
    games = begun_games(config, seeded_layouts(config, seeds, cell), cell)
    found: list[Guess] = []
    depth = 0
    while len(playing := np.flatnonzero(games.under_way & (games.log_layouts > least))):
        boards = games.boards()
        for game in playing.tolist():
            risks, log_layouts = games.risks[game].copy(), float(games.log_layouts[game])
            found.append(Guess(seeds[game], depth, boards[game], risks, log_layouts))
        games.click(playing, clicks_of(policy, config, boards[playing]))
        depth += 1
    return found


@dataclass
class RuleTotals:
    """Sums over games of one rule.

    Attributes:
        differing: guesses where the rule clicks another cell than the first rule.
        gain: sum over games of the gain of the game, a probability of winning.
        squares: sum over games of its square.
        seconds: processor time of its choices.
    """

    differing: int = 0
    gain: float = 0.0
    squares: float = 0.0
    seconds: float = 0.0


@dataclass
class Totals:
    """Sums over games of a comparison; they add up over blocks of games.

    Attributes:
        games: the number of games.
        guesses: the number of guesses in them.
        given_up: differing guesses whose layouts could not be drawn or played.
        seconds: processor time of everything.
        rules: the sums of each rule, the first one among them.
    """

    games: int = 0
    guesses: int = 0
    given_up: int = 0
    seconds: float = 0.0
    rules: dict[str, RuleTotals] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Returns JSON-able values for `of_json`."""
        return asdict(self)

    @classmethod
    def of_json(cls, content: Mapping[str, Any]) -> Totals:
        """Returns what `as_json` turned into JSON.

        Raises:
            TypeError: an entry is missing or unknown.
        """
        rules = {name: RuleTotals(**each) for name, each in content["rules"].items()}
        return cls(**{**content, "rules": rules})

    def points(self, rule: str) -> tuple[float, float]:
        """Returns the advantage of a rule in percentage points of win rate, and its standard error."""
        own, n = self.rules[rule], self.games
        mean = own.gain / n
        variance = max(own.squares / n - mean * mean, 0.0)
        return 100.0 * mean, 100.0 * math.sqrt(variance / max(n - 1, 1))


class Comparison:
    """Compares rules on the games of one configuration, block by block.

    Attributes:
        totals: the sums over all blocks so far.
    """

    def __init__(
        self,
        config: BoardConfig,
        rules: Mapping[str, Policy],
        playouts: Playouts,
        layouts: int,
        draws: int,
        totals: Totals | None = None,
    ) -> None:
        """Prepares to compare.

        Args:
            config: the games.
            rules: the rules by name, policies that act alike on equal boards; the first one plays the games.
            playouts: values the clicks.
            layouts: guesses with at most this many layouts do not count.
            draws: the number of layouts that each differing guess is played on.
            totals: the sums of an earlier run that goes on.
        """
        self.config = config
        self.totals = totals or Totals(rules={name: RuleTotals() for name in rules})
        self._rules, self._playouts, self._layouts, self._draws = rules, playouts, layouts, draws

    def add(self, seeds: range) -> None:
        """Plays a block of games, and adds them to the totals. A guess depends on its seed and depth alone."""
        begin = time.process_time()
        first = next(iter(self._rules.values()))
        guesses = guesses_of(first, self.config, seeds, self._layouts)
        gains = np.zeros((len(self._rules), len(seeds)))
        if guesses:
            self._compare(guesses, seeds, gains)
        self.totals.games += len(seeds)
        self.totals.guesses += len(guesses)
        for own, gain in zip(self.totals.rules.values(), gains, strict=True):
            own.gain += float(gain.sum())
            own.squares += float((gain**2).sum())
        self.totals.seconds += time.process_time() - begin

    def _compare(self, guesses: Sequence[Guess], seeds: range, gains: NDArray[np.float64]) -> None:
        """Adds the gains at guesses to (rules, games)."""
        clicks = self._choose(np.stack([guess.board for guess in guesses]))
        for guess, chosen in zip(guesses, clicks.T, strict=True):
            for own, cell in zip(self.totals.rules.values(), chosen, strict=True):
                own.differing += int(cell != chosen[0])
            if (chosen != chosen[0]).any():
                gains[:, guess.game - seeds[0]] += self._gains(guess, chosen)

    def _choose(self, boards: Boards) -> NDArray[np.int64]:
        """Returns the clicks (rules, N) on boards (N, n), and measures the time of each rule."""
        clicks = []
        for policy, own in zip(self._rules.values(), self.totals.rules.values(), strict=True):
            begin = time.process_time()
            clicks.append(clicks_of(policy, self.config, boards))
            own.seconds += time.process_time() - begin
        return np.stack(clicks)

    def _gains(self, guess: Guess, chosen: NDArray[np.int64]) -> NDArray[np.float64]:
        """Returns the gain of each rule at a guess, (rules,)."""
        cells = list(dict.fromkeys(chosen.tolist()))
        rng = np.random.default_rng([guess.game, guess.depth])
        board = guess.board.reshape(self.config.rows, self.config.cols)
        try:
            layouts = sample_layouts(board, self.config.mines, self._draws, rng, radius=self.config.radius)
        except PositionTooHardError:
            self.totals.given_up += 1
            return np.zeros(len(chosen))
        values, _ = self._playouts.play(guess.board, layouts, cells)
        free = ~layouts.reshape(len(layouts), -1)[:, cells].T
        worth = estimate(values, free, 1.0 - guess.risks[cells]).worth
        return (worth - worth[0])[[cells.index(cell) for cell in chosen.tolist()]]
