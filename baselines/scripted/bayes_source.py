"""`bayes_source`: replica of the program of Antolín & de la Torre (2018), faults included.

Their program keeps the evidence, the queried cell and its neighbours in the network, and deletes every other node.
pgmpy then averages the tables of the clues over the deleted cells. Each deleted cell becomes a fair coin,
independently for each of its clues. The distribution left over the n queried cells is

    P(x) ~ p**k * (1 - p)**(n - k) * product over the clues c of Binomial(r_c, 1/2) at (c - flags - mines of x)

Here x puts k mines on the queried cells, which are the cell itself and its unknown neighbours; p = mines / cells;
and r_c is the number of unknown neighbours of clue c outside them. Cells and clues without a link to the queried cell
drop out, even if they contradict each other. The tests compare the formula with pgmpy.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.games import Start
from baselines.support.act_inputs import TIE, checked_act
from baselines.support.checks import number_within
from minesweeper_env.cell_sets import neighbour_table
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import BoardConfig

MAX_COUNT, FLAGGED, QUESTION, MINE = 8, 9, 10, 12
"""Cell codes of radius 1, the only radius of the program."""

Cells = NDArray[np.int64]
Floats = NDArray[np.float64]

COINS = np.array([[math.comb(coins, heads) / 2**coins for heads in range(9)] for coins in range(9)])
"""(9, 9): the probability of `heads` heads among `coins` fair coins, at [coins, heads]."""


def is_unknown(code: int) -> bool:
    """Returns whether the program treats a cell as unknown; it takes an open 8 for a covered cell."""
    return code == MAX_COUNT or (code >= QUESTION and code != MINE)


def is_clue(code: int) -> bool:
    """Returns whether a cell shows a clue that the program reads."""
    return code < MAX_COUNT


# Python calls the functions above, and kernels these: the compiler keeps no entry for Python to an inlined one.
_is_unknown, _is_clue = inlined(is_unknown), inlined(is_clue)


@kernel
def local_probabilities(
    boards: NDArray[np.int8],
    density: float,
    neighbours: NDArray[np.uint32],
    coins: Floats,
    positions: Cells,
    clues: Cells,
    probabilities: Floats,
) -> None:
    """Computes the program's mine probabilities.

    Args:
        boards: (N, n) int8, cell codes.
        density: prior mine probability of a cell.
        neighbours: (n, 8) uint32, the neighbours of each cell; n where there is none.
        coins: `COINS`.
        positions: (n + 1,) int64 scratch, all -1 before and after: the index of each queried cell.
        clues: (25, 3) int64 scratch; at most 25 cells have a queried neighbour, see `_read_clues`.
        probabilities: (N, n) float64, filled: NaN where the evidence contradicts itself, and -1 in cells that the
            program does not query, because they are known or have no known neighbour.
    """
    for i in range(len(boards)):
        for cell in range(boards.shape[1]):
            probabilities[i, cell] = -1.0
            if _is_unknown(boards[i, cell]) and _has_known_neighbour(boards[i], cell, neighbours):
                probabilities[i, cell] = _local_probability(
                    boards[i], cell, density, neighbours, coins, positions, clues
                )


@inlined
def _has_known_neighbour(board: NDArray[np.int8], cell: int, neighbours: NDArray[np.uint32]) -> bool:
    known = 0
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        known += neighbour < len(board) and not _is_unknown(board[neighbour])
    return known > 0


@inlined
def _local_probability(
    board: NDArray[np.int8],
    cell: int,
    density: float,
    neighbours: NDArray[np.uint32],
    coins: Floats,
    positions: Cells,
    clues: Cells,
) -> float:
    size = _mark_cells(board, cell, neighbours, positions)
    clue_count = _keep_linked(clues, _read_clues(board, neighbours, positions, clues))
    total, mined = 0.0, 0.0
    for assignment in range(1 << size):
        weight = 1.0
        for bit in range(size):
            weight *= density if assignment >> bit & 1 else 1.0 - density
        for i in range(clue_count):
            heads = clues[i, 1] - _popcount(assignment & clues[i, 0])
            weight *= coins[clues[i, 2], heads] if 0 <= heads <= clues[i, 2] else 0.0
            if weight == 0.0:
                break
        total += weight
        # Bit 0 is the queried cell itself.
        if assignment & 1:
            mined += weight
    positions[cell] = -1
    # Absent neighbours have the index n, which is why `positions` has n + 1 entries.
    for j in range(neighbours.shape[1]):
        positions[neighbours[cell, j]] = -1
    return mined / total if total > 0.0 else np.nan


@inlined
def _mark_cells(board: NDArray[np.int8], cell: int, neighbours: NDArray[np.uint32], positions: Cells) -> int:
    """Numbers the queried cells in `positions`, 0 being the cell itself; returns their number."""
    positions[cell] = 0
    size = 1
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        if neighbour < len(board) and _is_unknown(board[neighbour]):
            positions[neighbour] = size
            size += 1
    return size


@inlined
def _read_clues(board: NDArray[np.int8], neighbours: NDArray[np.uint32], positions: Cells, clues: Cells) -> int:
    """Fills in the clues with a queried neighbour, and returns their number.

    | column of `clues` | content |
    | --- | --- |
    | 0 | queried neighbours, as bits |
    | 1 | clue minus flagged neighbours |
    | 2 | other unknown neighbours: the fair coins |
    """
    clue_count = 0
    for other in range(len(board)):
        if not _is_clue(board[other]):
            continue
        bits, missing, coins = 0, np.int64(board[other]), 0
        for j in range(neighbours.shape[1]):
            neighbour = neighbours[other, j]
            if neighbour == len(board):
                continue
            if positions[neighbour] >= 0:
                bits |= 1 << positions[neighbour]
            elif _is_unknown(board[neighbour]):
                coins += 1
            elif not _is_clue(board[neighbour]):
                # Neither unknown nor a clue: a flag, or a mine that a lost game shows.
                missing -= 1
        if bits != 0:
            clues[clue_count, 0], clues[clue_count, 1], clues[clue_count, 2] = bits, missing, coins
            clue_count += 1
    return clue_count


@inlined
def _keep_linked(clues: Cells, clue_count: int) -> int:
    """Moves the clues linked to the queried cell to the front; returns their number."""
    reached, kept, before = 1, 0, -1
    while kept > before:
        before = kept
        for i in range(kept, clue_count):
            if clues[i, 0] & reached:
                reached |= clues[i, 0]
                for k in range(3):
                    clues[i, k], clues[kept, k] = clues[kept, k], clues[i, k]
                kept += 1
    return kept


@inlined
def _popcount(number: int) -> int:
    """Returns the number of set bits."""
    bits = 0
    while number > 0:
        number &= number - 1
        bits += 1
    return bits


Board = NDArray[np.int8]


class ClosedForm:
    """Closed form of `baselines.scripted.bayes_source`, for boards of one configuration."""

    def __init__(self, config: BoardConfig) -> None:
        """Compiles the kernel with one board."""
        self._density = config.mines / config.cells
        self._neighbours = neighbour_table(config.rows, config.cols, 1)
        self.mine_probabilities(np.zeros((1, config.cells), np.int8))

    def mine_probabilities(self, boards: Board) -> NDArray[np.float64]:
        """Returns (N, n) float64 probabilities for (N, n) int8 boards; see `local_probabilities`."""
        probabilities = np.empty(boards.shape)
        boards = np.ascontiguousarray(boards)
        # The scratch is made anew, because threads may share this object.
        positions, clues = np.full(boards.shape[1] + 1, -1, np.int64), np.empty((25, 3), np.int64)
        local_probabilities(boards, self._density, self._neighbours, COINS, positions, clues, probabilities)
        return probabilities


Plan = tuple[int, ...]


class Turn(NamedTuple):
    """One turn of the program.

    Attributes:
        flags: the cells to flag, in order.
        click: the cell to click then; None if the program fails, because its evidence contradicts itself or there
            is no cell to query.
        queries: the number of probabilities computed.
    """

    flags: list[int]
    click: int | None
    queries: int


def plan_turn(
    board: Board, mine_probability: Callable[[int], float], flag_threshold: float, open_threshold: float
) -> Turn:
    """Plans a turn of the program on a board.

    The program queries the unknown neighbours of known cells in reading order. It flags each cell above the first
    threshold. It clicks the first cell above the second one and ends the turn. If there is none, it clicks the
    queried cell that is most probably safe. New flags are evidence from the next turn on.

    Args:
        board: (n,) int8, cell codes.
        mine_probability: returns the mine probability of a cell; NaN for a contradiction, below 0 if not queried.
        flag_threshold: mine probability from which a cell is flagged.
        open_threshold: probability of being safe from which a cell is clicked at once.
    """
    flags: list[int] = []
    best, least, queries, failed = None, 2.0, 0, False
    for cell in np.flatnonzero((board >= MAX_COUNT) & (board != FLAGGED) & (board != MINE)).tolist():
        probability = mine_probability(cell)
        if probability < 0.0:
            continue
        queries += 1
        failed |= probability != probability
        if probability < least - TIE:
            best, least = cell, probability
        # An open 8 counts as unknown, but a flag on it changes nothing.
        if probability >= flag_threshold - TIE:
            flags += [cell] if board[cell] > MAX_COUNT else []
        elif 1.0 - probability >= open_threshold - TIE:
            return Turn(flags, cell, queries)
    return Turn(flags, None if failed else best, queries)


class BayesSourcePolicy:
    """Plays as the program does; docs/policies/bayes_source.md lists the rule and its faults.

    A turn is several actions, and its flags are not evidence before the turn ends. The policy therefore stores
    the rest of each turn between two calls. Its key is the board that the last action leads to. The policy depends on
    nothing but the board.

    Attributes:
        moves: the moves that its games must have.
        counters: "queries", probabilities computed; "failures", turns on which the program would fail or hang.
    """

    moves = ("click", "flag")
    batch_size = 1000

    def __init__(
        self,
        config: BoardConfig,
        flag_threshold: float = 0.79,
        open_threshold: float = 0.9,
    ) -> None:
        """Checks the options, and compiles the kernel.

        Args:
            config: the games, with radius 1 and the moves "click" and "flag".
            flag_threshold: mine probability from which a cell is flagged, 0 to 1.
            open_threshold: probability of being safe from which a cell is clicked at once, 0 to 1.

        Raises:
            ValueError: an option or the configuration is not allowed.
        """
        if config.radius != 1:
            raise ValueError(f"bayes_source needs games of radius 1, not {config.radius}")
        if "flag" not in config.moves:
            raise ValueError(f'bayes_source needs games with the moves ("click", "flag"), not {config.moves}')
        self.config = config
        self._thresholds = (
            number_within("flag_threshold", flag_threshold, 0, 1),
            number_within("open_threshold", open_threshold, 0, 1),
        )
        self.counters = {"queries": 0, "failures": 0}
        self._flag = config.moves.index("flag") * config.cells
        self._closed_form = ClosedForm(config)
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seeds the random first clicks, with a seed of at least 0, and drops planned turns."""
        self._rng = np.random.default_rng(seed)
        self._planned: dict[bytes, Plan] = {}

    @checked_act
    def act(self, observations: Board, action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns an action for each of N games; see `baselines.policy.Policy`."""
        boards = observations.reshape(len(observations), -1)
        keys = [board.tobytes() for board in boards]
        fresh = [i for i, key in enumerate(keys) if key not in self._planned]
        probabilities = (
            dict(zip(fresh, self._closed_form.mine_probabilities(boards[fresh]), strict=True)) if fresh else {}
        )
        actions = np.empty(len(boards), np.int64)
        planned: dict[bytes, Plan] = {}
        for i, (board, key) in enumerate(zip(boards, keys, strict=True)):
            plan = self._plan(board, probabilities[i]) if i in probabilities else self._planned[key]
            actions[i] = plan[0]
            if len(plan) > 1:
                planned[self._after(board, plan[0])] = plan[1:]
        self._planned = planned
        # A mask may forbid moves that the rules allow.
        legal = action_masks[np.arange(len(boards)), actions] != 0
        return np.where(legal, actions, action_masks.argmax(axis=1))

    def _plan(self, board: Board, probabilities: NDArray[np.float64]) -> Plan:
        """Returns the actions of a turn on a board: flags, then a click."""
        if not (board <= MAX_COUNT).any() and not (board == FLAGGED).any():
            return (int(self._rng.integers(self.config.cells)),)
        hidden = np.flatnonzero((board > FLAGGED) & (board != MINE)).tolist()
        missing = self.config.mines - int((board == FLAGGED).sum())
        if missing <= 0 or not hidden:
            # The program wins by flags and never removes one: its game is won, or can no longer be won.
            return (hidden[0],) if hidden else self._idle(board)
        turn = plan_turn(board, probabilities.item, *self._thresholds)
        self.counters["queries"] += turn.queries
        flags = tuple(self._flag + cell for cell in turn.flags[:missing])
        if len(turn.flags) >= missing:
            return flags
        if turn.click is None:
            # Only a wrong flag can contradict the clues, so no click can win any more.
            self.counters["failures"] += 1
            return (*flags, next(cell for cell in hidden if cell not in turn.flags))
        if board[turn.click] == MAX_COUNT:
            # The program clicks an open 8, which changes nothing; without a new flag it repeats that forever.
            self.counters["failures"] += not flags
            return flags or self._idle(board)
        return (*flags, turn.click)

    def turn(self, board: Board) -> Turn:
        """Returns the turn of the program on an (n,) int8 board; see `plan_turn`."""
        probabilities = self._closed_form.mine_probabilities(board[None])[0]
        return plan_turn(board, probabilities.item, *self._thresholds)

    def finishes(self, board: Board) -> bool:
        """Returns whether the program goes on to flag all mines after the last safe cell, which is its win.

        Args:
            board: (rows, cols) int8, with every safe cell open and every flag on a mine.
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
        """Returns two actions that cancel each other, for a game where the program never stops."""
        cell = int(np.flatnonzero(board > MAX_COUNT)[0])
        return (self._flag + cell, self._flag + cell)

    def _after(self, board: Board, flagging: int) -> bytes:
        """Returns the board after an action that sets or removes a flag, as bytes."""
        after = board.copy()
        cell = flagging - self._flag
        after[cell] = self.config.codes.hidden if after[cell] == FLAGGED else FLAGGED
        return after.tobytes()


_INSIDE = ((1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1))
_TOP_LEFT = ((1, 0), (0, 1), (1, 1))
_TOP_RIGHT = ((0, -1), (1, 0), (1, -1))
_BOTTOM_RIGHT = ((0, -1), (-1, 0), (-1, -1))
_BOTTOM_LEFT = ((0, 1), (-1, 0), (-1, 1))
_LEFT = ((-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1))
_RIGHT = ((0, -1), (1, 0), (-1, 0), (-1, -1), (1, -1))
_TOP = ((0, -1), (1, 0), (0, 1), (1, -1), (1, 1))
_BOTTOM = ((-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1))
_ORDERS = ((_TOP_LEFT, _TOP, _TOP_RIGHT), (_LEFT, _INSIDE, _RIGHT), (_BOTTOM_LEFT, _BOTTOM, _BOTTOM_RIGHT))
"""(3, 3) tuples of (down, right) steps to the neighbours, in the program's order, by `_band` of row and column."""


def source_start(config: BoardConfig, seed: int) -> Start:
    """Draws a layout and a first click as the program does.

    Mines and first click are uniform. Then the program moves each mine on the clicked cell, and on its neighbours in
    order, to the first corner without a mine: bottom right, top left, bottom left, top right. A mine stays if all
    corners hold one, and a corner may be a neighbour of the clicked cell.

    Args:
        config: the games; only size and number of mines matter.
        seed: at least 0.
    """
    rng = np.random.default_rng(seed)
    layout = np.zeros(config.cells, np.bool_)
    layout[rng.permutation(config.cells)[: config.mines]] = True
    mines = layout.reshape(config.rows, config.cols)
    row, col = int(rng.integers(config.rows)), int(rng.integers(config.cols))
    order = _ORDERS[_band(row, config.rows)][_band(col, config.cols)]
    for down, right in ((0, 0), *order):
        near = (row + down, col + right)
        if 0 <= near[0] < config.rows and 0 <= near[1] < config.cols and mines[near]:
            for corner in ((-1, -1), (0, 0), (-1, 0), (0, -1)):
                if not mines[corner]:
                    mines[near], mines[corner] = False, True
                    break
    return Start(mines, row * config.cols + col)


def _band(index: int, side: int) -> int:
    """Returns 0 for the first row or column, 2 for the last one, 1 for the others."""
    return 0 if index == 0 else 2 if index == side - 1 else 1
