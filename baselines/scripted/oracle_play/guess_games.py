"""Games that stand at guesses: a kernel makes a click in each, and opens all cells that are then certainly free."""

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from baselines.policy import Policy
from baselines.scripted.oracle_play.exact import Cells, Flags, Floats
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Games
from minesweeper_env.engine.rules import CLICK, make_move
from minesweeper_env.engine.state import PLAYING, REMAINING, STATUS, TRUNCATED, WON, Boards, RewardWeights, Rules
from minesweeper_env.inference.kernels import (
    OK,
    Workspace,
    is_known_safe,
    posterior_after_propagation,
    propagate,
    run_boards,
)

Codes = NDArray[np.int8]

NO_CLICK, CLICKED = -1, -2
"""Entries of `clicks` that are no cells: leave the game alone, or continue after a click already made."""

_RULES_END = len(Rules._fields)
_BOARDS_END = _RULES_END + len(Boards._fields)


@kernel
def click_and_advance(
    begin: int, clicks: Cells, probabilities: Floats, log_layouts: Floats, *arrays: Any
) -> tuple[int, int]:
    """Makes a click in each game, and opens all cells that are then certainly free, for `run_boards`.

    Returns (N, OK), or the index of a game that fails and its outcome.

    Args:
        begin: the index of the first game to process.
        clicks: (N,) int64, cells to click, NO_CLICK or CLICKED; set to NO_CLICK in each game that is processed.
        probabilities: (N, n) filled with the probability of a mine in each cell of games under way.
        log_layouts: (N,) filled with the natural logarithm of the number of layouts of games under way.
        *arrays: the fields of a `Rules`, of a `Boards` and of a `Workspace`.
    """
    rules, boards = Rules(*arrays[:_RULES_END]), Boards(*arrays[_RULES_END:_BOARDS_END])
    workspace = Workspace(*arrays[_BOARDS_END:])
    for i in range(begin, len(clicks)):
        if clicks[i] == NO_CLICK:
            continue
        if clicks[i] != CLICKED:
            make_move(rules, boards, i, CLICK, clicks[i])
            clicks[i] = CLICKED  # `run_boards` begins again here if the workspace is too small.
        outcome, log_layouts[i] = _advance(rules, boards, i, workspace, probabilities[i])
        if outcome != OK:
            return i, outcome
        clicks[i] = NO_CLICK
    return len(clicks), OK


@inlined
def _advance(rules: Rules, boards: Boards, i: int, workspace: Workspace, probabilities: Floats) -> tuple[int, float]:
    """Opens certainly free cells in a game until none is left; returns the outcome and ln of the number of layouts.

    The posterior is slow, so it is computed only where single clues prove nothing.
    """
    outcome, log_count, opened = OK, 0.0, 1
    while outcome == OK and opened > 0 and boards.progress[i, STATUS] == PLAYING:
        if boards.progress[i, REMAINING] == 0:
            boards.progress[i, STATUS] = WON
            break
        outcome = propagate(boards.shown[i, : len(probabilities)], workspace)
        if outcome == OK:
            opened = _open_safe(rules, boards, i, workspace, probabilities, True)
            if opened == 0:
                outcome, log_count = posterior_after_propagation(workspace, rules.mines, probabilities)
                if outcome == OK:
                    opened = _open_safe(rules, boards, i, workspace, probabilities, False)
    return outcome, log_count


@inlined
def _open_safe(
    rules: Rules, boards: Boards, i: int, workspace: Workspace, probabilities: Floats, by_clues: bool
) -> int:
    """Opens the cells that single clues prove safe, or those with probability 0 of a mine; returns the number."""
    opened = 0
    for cell in range(len(probabilities)):
        safe = is_known_safe(cell, workspace) if by_clues else probabilities[cell] == 0.0
        if safe and boards.shown[i, cell] > rules.neighbours.shape[1]:  # above the largest clue, so covered
            opened += make_move(rules, boards, i, CLICK, cell)
    return opened


class GuessGames:
    """N games on boards of n cells. Between clicks no covered cell of a game is certainly free.

    Attributes:
        config: the games; its moves play no part.
        games: the games in progress.
        log_layouts: (N,) float64, the natural logarithms of the numbers of layouts of games under way.
        risks: (N, n) float64, the probability of a mine in each cell of games under way.
    """

    def __init__(self, games: Games) -> None:
        """Wraps games; those under way need a `click` before `risks` and `log_layouts` hold."""
        self.config, self.games = games.config, games
        self.risks, self.log_layouts = np.zeros((games.count, games.config.cells)), np.zeros(games.count)

    @classmethod
    def at(cls, config: BoardConfig, boards: Codes, layouts: Flags) -> Self:
        """Returns N games under way at `boards`, (N, n) or (n,) cell codes that fit `layouts`, (N, rows, cols)."""
        count = len(layouts)
        games = Games(config, count, RewardWeights())
        generators = np.zeros(count, np.uint64)
        games.restore(
            {
                "codes": np.broadcast_to(boards, (count, config.cells)),
                "mines": layouts,
                "status": np.full(count, PLAYING),
                "steps": np.zeros(count, np.int64),
                "generator": generators,
                "next_generator": generators,
            }
        )
        return cls(games)

    @property
    def status(self) -> Cells:
        """(N,): PLAYING, WON, LOST, or TRUNCATED where the position was too hard for the oracle."""
        return self.games.status

    def boards(self) -> Codes:
        """Returns the visible boards, (N, n) int8 cell codes, in a fresh array."""
        return self.games.show()[0]

    def click(self, games: Cells, cells: Cells | int) -> None:
        """Clicks `cells`, (K,), in the games of these indices, (K,), which are under way; see `click_and_advance`.

        CLICKED in place of the cells only opens what is certainly free. Raises an InconsistentBoardError if no layout
        matches one of the boards.
        """
        clicks = np.full(len(self.risks), NO_CLICK)
        clicks[games] = cells

        def give_up(game: int) -> None:
            self.status[game], clicks[game] = TRUNCATED, NO_CLICK

        arguments = (clicks, self.risks, self.log_layouts, *self.games.arrays)
        run_boards(self.config, click_and_advance, arguments, lambda game: self.boards()[game], give_up)


def clicks_of(policy: Policy, config: BoardConfig, boards: Codes) -> Cells:
    """Returns the clicks (N,) of a policy on boards (N, n)."""
    masks = (boards > config.codes.max_count).astype(np.int8)
    return np.asarray(policy.act(boards.reshape(-1, config.rows, config.cols), masks), np.int64)
