"""Regret of rules on stored positions: the value of the best click minus that of the chosen click, by exact search."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from baselines.guesses.comparison import Guess, guesses_of
from baselines.policy import Policy
from baselines.rollouts.guess_games import Boards
from baselines.rollouts.players import clicks_of
from baselines.scripted.oracle_play.endgame import Endings
from baselines.support.board_names import name_of, parse_board
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import PositionTooHardError
from minesweeper_env.inference.kernels import consistent_layouts

NODES = 20_000_000
"""The number of sets of layouts that the search of one outcome may examine."""

SLACK, BREADTH = 0.15, 14
"""Stored values are those of the BREADTH least risky cells, within SLACK of the least risk."""

_EQUAL = 1e-9


class Position(NamedTuple):
    """A guess with the exact values of clicks.

    Attributes:
        board: (n,) int8, cell codes.
        layouts: the number of layouts that fit.
        values: the probability of winning with a click on a cell and perfect play after it; cells by row * cols + col.
    """

    board: Boards
    layouts: int
    values: dict[int, float]


class ClickValues:
    """Finds exact values of clicks by searching each outcome."""

    def __init__(self, config: BoardConfig, layouts: int) -> None:
        """Prepares to search positions with at most this many layouts."""
        self.config = config
        self._layouts, self._endings = layouts, Endings(config, layouts, NODES)

    def find(self, board: Boards, cells: Sequence[int]) -> dict[int, float]:
        """Returns the value of each click on a board (n,).

        Raises:
            PositionTooHardError: the position has too many layouts, or a search gave up.
        """
        square = board.reshape(self.config.rows, self.config.cols)
        found = consistent_layouts(square, self.config.mines, self._layouts, radius=self.config.radius)
        columns = {cell: column for column, cell in enumerate(found.cells.tolist())}
        values = {}
        for cell in cells:
            free = found.mines[:, columns[cell]] == 0
            counts, sizes = np.unique(found.counts[free, columns[cell]], return_counts=True)
            wins = sum(
                self._wins(board, cell, int(count), int(size)) for count, size in zip(counts, sizes, strict=True)
            )
            values[cell] = wins / len(found.mines)
        return values

    def _wins(self, board: Boards, cell: int, count: int, size: int) -> float:
        """Returns the number of layouts that perfect play wins after a cell has shown a clue."""
        if size == 1:
            return 1.0
        then = board.copy()
        then[cell] = count
        ending = self._endings.find(then, math.log(size))
        if ending is None or not ending.exact:
            raise PositionTooHardError("the search of an outcome gave up")
        return size * ending.win_probability


def collect(policy: Policy, config: BoardConfig, seeds: range, least: int, most: int) -> Iterator[Position]:
    """Yields the first guess of each game that has more than `least` and at most `most` layouts, with exact values.

    The values are those of at most `BREADTH` cells with a risk of at most the least one plus `SLACK`.

    Args:
        policy: plays the games.
        config: the games.
        seeds: the seeds of the games.
        least: minimum number of layouts of a position.
        most: maximum number of layouts of a position; the searches must be able to solve it.
    """
    values = ClickValues(config, most)
    for guess in _first_within(guesses_of(policy, config, seeds, least), most):
        covered = np.flatnonzero(guess.board > config.codes.max_count)
        order = covered[np.argsort(guess.risks[covered], kind="stable")]
        near = order[guess.risks[order] <= guess.risks[order[0]] + SLACK][:BREADTH]
        layouts = round(math.exp(guess.log_layouts))
        yield Position(guess.board, layouts, values.find(guess.board, near.tolist()))


def _first_within(guesses: Sequence[Guess], most: int) -> list[Guess]:
    found: dict[int, Guess] = {}
    for guess in guesses:
        if guess.log_layouts <= math.log(most + 0.5):
            found.setdefault(guess.game, guess)
    return list(found.values())


class Regret(NamedTuple):
    """Regret of a rule over positions.

    Attributes:
        mean: the mean, a probability of winning.
        error: its standard error.
        best: the fraction of positions where no click wins more than its click.
    """

    mean: float
    error: float
    best: float


def regret_of(policy: Policy, config: BoardConfig, positions: Sequence[Position], values: ClickValues) -> Regret:
    """Returns the regret of a policy; clicks without a stored value are searched.

    Args:
        policy: acts on the boards.
        config: the games.
        positions: at least one.
        values: computes the values that are not stored.
    """
    clicks = clicks_of(policy, config, np.stack([position.board for position in positions])).tolist()
    lost = []
    for position, click in zip(positions, clicks, strict=True):
        value = position.values.get(click)
        if value is None:
            value = values.find(position.board, [click])[click]
        lost.append(max(0.0, max(position.values.values()) - value))
    losses = np.array(lost)
    return Regret(float(losses.mean()), float(losses.std() / math.sqrt(len(losses))), float((losses < _EQUAL).mean()))


def positions_as_json(config: BoardConfig, positions: Sequence[Position]) -> dict[str, Any]:
    """Returns JSON-able values for `positions_of_json`; a board is a text of cell codes in hexadecimal digits.

    The values of a position are a text of CELL:VALUE, separated by blanks.
    """
    stored = [
        {
            "layouts": position.layouts,
            "board": "".join(f"{code:x}" for code in position.board),
            "values": " ".join(f"{cell}:{value:.9f}" for cell, value in position.values.items()),
        }
        for position in positions
    ]
    return {"board": name_of(config), "first_click": config.first_click, "positions": stored}


def positions_of_json(content: Mapping[str, Any]) -> tuple[BoardConfig, list[Position]]:
    """Returns the games and the positions that `positions_as_json` turned into JSON.

    Raises:
        ValueError: the board is not allowed.
        KeyError: an entry is missing.
    """
    config = parse_board(content["board"], content["first_click"])
    positions = [
        Position(
            np.array([int(code, 16) for code in stored["board"]], np.int8),
            stored["layouts"],
            {int(cell): float(value) for cell, value in (each.split(":") for each in stored["values"].split())},
        )
        for stored in content["positions"]
    ]
    return config, positions
