"""`bayes_source`: the rule of the Bayesian network player as its own program runs it, its faults included."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.scripted.bayes.policy import check_inference, check_threshold
from baselines.scripted.replicas.bayes_closed_form import FLAGGED, MAX_COUNT, MINE
from baselines.scripted.replicas.bayes_inference import ClosedForm, LocalNetwork
from baselines.support.rounding import TIE
from minesweeper_env.config import BoardConfig

Board = NDArray[np.int8]
Plan = tuple[int, ...]


class Turn(NamedTuple):
    """What the program does in a turn.

    Attributes:
        flags: the cells that it flags, in this order.
        click: the cell that it clicks then; None where the program fails, for its evidence contradicts itself, or
            there is nothing to ask about.
        queries: how many chances it asked for.
    """

    flags: list[int]
    click: int | None
    queries: int


def plan_turn(board: Board, chance_of: Callable[[int], float], flag_threshold: float, open_threshold: float) -> Turn:
    """Plans a turn of the program on a board.

    It asks about the unknown cells beside known ones in reading order. It flags each that is a mine with at least
    the one chance, clicks the first that is free with at least the other and asks no more; else it clicks the one
    most likely free of all that it asked about. Its flags are evidence from the next turn on.

    Args:
        board: (n,) cell codes.
        chance_of: returns the chance of a mine in a cell: NaN for a contradiction, below 0 if it is not asked about.
        flag_threshold: from which chance of a mine on a cell is flagged.
        open_threshold: from which chance to be free on a cell is clicked at once.
    """
    flags: list[int] = []
    best, least, queries, failed = None, 2.0, 0, False
    for cell in np.flatnonzero((board >= MAX_COUNT) & (board != FLAGGED) & (board != MINE)).tolist():
        chance = chance_of(cell)
        if chance < 0.0:
            continue
        queries += 1
        failed |= chance != chance
        if chance < least - TIE:
            best, least = cell, chance
        # A flag on an open cell that shows 8 would change nothing.
        if chance >= flag_threshold - TIE:
            flags += [cell] if board[cell] > MAX_COUNT else []
        elif 1.0 - chance >= open_threshold - TIE:
            return Turn(flags, cell, queries)
    return Turn(flags, None if failed else best, queries)


class BayesSourcePolicy:
    """Plays as the source's program does; see docs/policies/bayes_source.md for the rule and its faults.

    A turn of the program is several actions, and its flags are no evidence before the turn ends; so the policy
    remembers, from each call to the next, what is left to do on the boards that its actions lead to. Otherwise it
    goes by the board alone.

    Attributes:
        moves: the moves that its games must have.
        counters: "queries", the chances that it asked for; "failures", how often the program would have failed.
    """

    moves = ("click", "flag")

    def __init__(
        self,
        config: BoardConfig,
        inference: str = "native",
        flag_threshold: float = 0.79,
        open_threshold: float = 0.9,
    ) -> None:
        """Prepares to play games of this configuration.

        Args:
            config: the games; of radius 1, and with the moves "click" and "flag".
            inference: "native" for the closed form, or "pgmpy" for variable elimination; the results are the same.
            flag_threshold: from which chance of a mine on a cell is flagged, 0 to 1.
            open_threshold: from which chance to be free on a cell is clicked at once, 0 to 1.

        Raises:
            ValueError: an option or the configuration is not allowed; the message says what is.
            MissingExtraError: pgmpy is asked for and not installed.
        """
        check_inference(inference)
        if config.radius != 1:
            raise ValueError(f"bayes_source knows counts of radius 1 only, not {config.radius}")
        if "flag" not in config.moves:
            raise ValueError(f'bayes_source needs games with the moves ("click", "flag"), not {config.moves}')
        self.config = config
        self._thresholds = (
            _given("flag_threshold", flag_threshold),
            _given("open_threshold", open_threshold),
        )
        self._network = LocalNetwork(config) if inference == "pgmpy" else None
        self.batch_size = 1000 if self._network is None else 1
        self.counters = {"queries": 0, "failures": 0}
        self._flag = config.moves.index("flag") * config.cells
        self._closed_form = ClosedForm(config)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Begins the random first clicks anew from a seed of at least 0, and forgets what was planned."""
        self._rng = np.random.default_rng(seed)
        self._planned: dict[bytes, Plan] = {}

    def act(self, observations: Board, action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses an action in each of N games; see `baselines.policy.Policy`."""
        boards = observations.reshape(len(observations), -1)
        keys = [board.tobytes() for board in boards]
        fresh = [i for i, key in enumerate(keys) if key not in self._planned]
        chances = dict(zip(fresh, self._closed_form.chances(boards[fresh]), strict=True)) if fresh else {}
        actions = np.empty(len(boards), np.int64)
        planned: dict[bytes, Plan] = {}
        for i, (board, key) in enumerate(zip(boards, keys, strict=True)):
            plan = self._plan(board, chances[i]) if i in chances else self._planned[key]
            actions[i] = plan[0]
            if len(plan) > 1:
                planned[self._after(board, plan[0])] = plan[1:]
        self._planned = planned
        # A mask may forbid what the rules allow.
        legal = action_masks[np.arange(len(boards)), actions] != 0
        return np.where(legal, actions, action_masks.argmax(axis=1))

    def _plan(self, board: Board, chances: NDArray[np.float64]) -> Plan:
        """Returns the actions of a turn on a board: flags, and a click."""
        if not (board <= MAX_COUNT).any() and not (board == FLAGGED).any():
            return (int(self._rng.integers(self.config.cells)),)
        hidden = np.flatnonzero((board > FLAGGED) & (board != MINE)).tolist()
        lacking = self.config.mines - int((board == FLAGGED).sum())
        if lacking <= 0 or not hidden:
            # The program's game is decided: won if the flags are right, else it cannot be won any more.
            return (hidden[0],) if hidden else self._idle(board)
        turn = plan_turn(board, self._chance_of(board, chances), *self._thresholds)
        self.counters["queries"] += turn.queries
        flags = tuple(self._flag + cell for cell in turn.flags[:lacking])
        if len(turn.flags) >= lacking:
            return flags
        if turn.click is None:
            # A flag is wrong, or there would be no contradiction: no click can win any more.
            self.counters["failures"] += 1
            return (*flags, next(cell for cell in hidden if cell not in turn.flags))
        if board[turn.click] == MAX_COUNT:
            # The program clicks an open cell, again and again if there is no flag to change its mind.
            self.counters["failures"] += not flags
            return flags or self._idle(board)
        return (*flags, turn.click)

    def turn(self, board: Board) -> Turn:
        """Returns the turn of the program on a board, (n,) cell codes; see `plan_turn`."""
        return plan_turn(board, self._chance_of(board, self._closed_form.chances(board[None])[0]), *self._thresholds)

    def finishes(self, board: Board) -> bool:
        """Says whether the program flags all mines yet once every safe cell is open, as its win demands.

        Args:
            board: (rows, cols) cell codes; all flags are on mines.
        """
        board, hidden = board.ravel().copy(), self.config.codes.hidden
        while (board == hidden).any():
            turn = self.turn(board)
            board[turn.flags] = FLAGGED
            clicks_mine = turn.click is not None and board[turn.click] == hidden
            if (board == hidden).any() and (clicks_mine or not turn.flags):
                return False
        return True

    def _idle(self, board: Board) -> Plan:
        """Returns actions that change nothing, for a game that the program plays for ever."""
        cell = int(np.flatnonzero(board > MAX_COUNT)[0])
        return (self._flag + cell, self._flag + cell)

    def _after(self, board: Board, flagging: int) -> bytes:
        """Returns the board after an action that sets a flag, or takes one away."""
        after = board.copy()
        cell = flagging - self._flag
        after[cell] = self.config.codes.hidden if after[cell] == FLAGGED else FLAGGED
        return after.tobytes()

    def _chance_of(self, board: Board, chances: NDArray[np.float64]) -> Callable[[int], float]:
        network = self._network
        if network is None:
            return lambda cell: float(chances[cell])
        return lambda cell: network.chance(board, cell) if chances[cell] != -1.0 else -1.0


def _given(name: str, value: float | None) -> float:
    threshold = check_threshold(name, value)
    if threshold is None:
        raise ValueError(f"{name} must be a number from 0 to 1, not None")
    return threshold
