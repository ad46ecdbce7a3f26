"""`bayes_source`: replica of the program of Antolín & de la Torre (2018), faults included.

Their program keeps the evidence, the queried cell and its neighbours in the network, and deletes every other node.
pgmpy then averages the tables of the clues over the deleted cells. Each deleted cell becomes a fair coin,
independently for each of its clues. The distribution left over the n queried cells is

    P(x) ~ p**k * (1 - p)**(n - k) * product over the clues c of Binomial(r_c, 1/2) at (c - flags - mines of x)

Here x puts k mines on the queried cells, which are the cell itself and its unknown neighbours; p = mines / cells;
and r_c is the number of unknown neighbours of clue c that are not among the n cells. Cells and clues without a link to
the queried cell drop out, even if they contradict each other. The tests compare the formula with pgmpy.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.checks import number_within
from baselines.evaluation.games import Start
from baselines.policy import checked_act
from baselines.scripted.base import neighbour_sums
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.kernels import TIE

MAX_COUNT, FLAGGED, QUESTION, MINE = 8, 9, 10, 12
"""Cell codes of radius 1, the only radius of the program."""

UNKNOWN, OUTSIDE = 8, 10
KINDS = np.array([0, 1, 2, 3, 4, 5, 6, 7, UNKNOWN, FLAGGED, UNKNOWN, UNKNOWN, FLAGGED], np.int8)
"""(13,): what the program sees for each code: a clue, UNKNOWN (also for an open 8) or FLAGGED (also for a mine)."""

COINS = np.array([[math.comb(coins, heads) / 2**coins for heads in range(9)] for coins in range(9)])
"""(9, 9): the probability of `heads` heads among `coins` fair coins, at [coins, heads]."""

MEMBERS = np.bitwise_count(np.arange(512)).astype(np.int64)
"""(512,): the number of cells in a set of bits, where bit 3 * i + j is row i and column j of a 3 x 3 square."""

MIDDLE = 1 << 4

Board = NDArray[np.int8]
Floats = NDArray[np.float64]
Plan = tuple[int, ...]


def closed_form(config: BoardConfig, boards: Board) -> Floats:
    """Returns the program's mine probabilities on (N, n) boards, (N, n) float64.

    A probability is NaN where the evidence contradicts itself. It is -1 in a cell that the program does not query,
    because the cell is known or has no known neighbour.
    """
    kinds = KINDS[boards.reshape(-1, config.rows, config.cols)]
    known = kinds != UNKNOWN
    probabilities = np.where(known | (neighbour_sums(known, 1) == 0), -1.0, 0.0)
    kinds = np.pad(kinds, ((0, 0), (3, 3), (3, 3)), constant_values=OUTSIDE)
    # Entry k is the prior weight of k mines relative to that of no mine.
    odds = np.power(config.mines / (config.cells - config.mines), np.arange(10.0))
    # The clues around a cell and its neighbours lie in a square of 25 cells, and their neighbours one cell further out.
    fill_probabilities(kinds, odds, np.empty((25, 3), np.int64), probabilities)
    return probabilities.reshape(boards.shape)


@kernel
def fill_probabilities(boards: Board, odds: Floats, clues: NDArray[np.int64], probabilities: Floats) -> None:
    """Replaces each 0 in (N, rows, cols) `probabilities`; `boards` holds `KINDS`, with a border of 3 cells."""
    for i in range(len(boards)):
        for row in range(3, boards.shape[1] - 3):
            for col in range(3, boards.shape[2] - 3):
                if probabilities[i, row - 3, col - 3] == 0.0:
                    probabilities[i, row - 3, col - 3] = _local_probability(boards[i], row, col, odds, clues)


@inlined
def _local_probability(board: Board, row: int, col: int, odds: Floats, clues: NDArray[np.int64]) -> float:
    """Returns the mine probability of a cell: sums the formula of the module over all sets of mines around it."""
    queried = 0
    for bit in range(9):
        if board[row + bit // 3 - 1, col + bit % 3 - 1] == UNKNOWN:
            queried |= 1 << bit
    clue_count = _keep_linked(clues, _read_clues(board, row, col, clues))
    total, with_mine = 0.0, 0.0
    for mines in range(512):
        if mines & ~queried:
            continue
        weight = odds[MEMBERS[mines]]
        for i in range(clue_count):
            # The coins must show the mines that the clue still lacks.
            heads = clues[i, 1] - MEMBERS[mines & clues[i, 0]]
            weight *= COINS[clues[i, 2], heads] if 0 <= heads <= clues[i, 2] else 0.0
            if weight == 0.0:
                break
        total += weight
        if mines & MIDDLE:
            with_mine += weight
    return with_mine / total if total > 0.0 else np.nan


@inlined
def _read_clues(board: Board, row: int, col: int, clues: NDArray[np.int64]) -> int:
    """Fills in the clues with a queried neighbour, and returns their number.

    | column of `clues` | content |
    | --- | --- |
    | 0 | queried neighbours, as bits |
    | 1 | clue minus flagged neighbours |
    | 2 | other unknown neighbours: the fair coins |
    """
    count = 0
    for clue_row in range(row - 2, row + 3):
        for clue_col in range(col - 2, col + 3):
            if board[clue_row, clue_col] >= UNKNOWN:
                continue
            queried, missing, coins = 0, np.int64(board[clue_row, clue_col]), 0
            for r in range(clue_row - 1, clue_row + 2):
                for c in range(clue_col - 1, clue_col + 2):
                    if board[r, c] == FLAGGED:
                        missing -= 1
                    elif board[r, c] == UNKNOWN and abs(r - row) <= 1 and abs(c - col) <= 1:
                        queried |= 1 << (3 * (r - row + 1) + c - col + 1)
                    elif board[r, c] == UNKNOWN:
                        coins += 1
            if queried != 0:
                clues[count, 0], clues[count, 1], clues[count, 2] = queried, missing, coins
                count += 1
    return count


@inlined
def _keep_linked(clues: NDArray[np.int64], clue_count: int) -> int:
    """Moves the clues linked to the queried cell, by shared queried neighbours, to the front; returns their number."""
    reached, kept, kept_before = MIDDLE, 0, -1
    while kept > kept_before:
        kept_before = kept
        for i in range(kept, clue_count):
            if clues[i, 0] & reached:
                reached |= clues[i, 0]
                for k in range(3):
                    clues[i, k], clues[kept, k] = clues[kept, k], clues[i, k]
                kept += 1
    return kept


class Turn(NamedTuple):
    """One turn of the program: the cells to flag, then the cell to click.

    The click is None if the program fails: its evidence contradicts itself, or there is no cell to query.
    """

    flags: list[int]
    click: int | None


def plan_turn(board: Board, probabilities: Sequence[float], flag_threshold: float, open_threshold: float) -> Turn:
    """Returns the turn of the program on a board of n cells; `probabilities` are those of `closed_form`.

    The program queries the unknown neighbours of known cells in reading order. It flags a cell whose mine probability
    reaches `flag_threshold`. It clicks the first cell whose safety reaches `open_threshold`, and ends the turn; without
    such a cell it clicks the safest queried one. New flags are evidence from the next turn on.
    """
    flags: list[int] = []
    safest, least_risk, failed = None, 2.0, False
    for cell, probability in enumerate(probabilities):
        if probability < 0.0:
            continue
        failed |= probability != probability  # only NaN differs from itself
        if probability < least_risk - TIE:
            safest, least_risk = cell, probability
        # An open 8 counts as unknown, but a flag on it changes nothing.
        if probability >= flag_threshold - TIE:
            flags += [cell] if board[cell] > MAX_COUNT else []
        elif 1.0 - probability >= open_threshold - TIE:
            return Turn(flags, cell)
    return Turn(flags, None if failed else safest)


class BayesSourcePolicy:
    """Plays as the program does; docs/policies/statistics.md lists the rule, docs/studies/replicas.md its faults.

    A turn is several actions, and its flags are not evidence before the turn ends. The policy therefore stores
    the rest of each turn between two calls, by the board that the last action leads to. So it depends on nothing but
    the board.

    Attributes:
        moves: the moves that its games must have.
        counters: "failures" counts turns on which the program would fail or hang.
    """

    moves = ("click", "flag")
    batch_size = 1000

    def __init__(self, config: BoardConfig, flag_threshold: float = 0.79, open_threshold: float = 0.9) -> None:
        """Compiles the kernel; raises ValueError if an option or the configuration is not allowed.

        Args:
            config: the games, with radius 1 and the moves "click" and "flag".
            flag_threshold: mine probability from which a cell is flagged, 0 to 1.
            open_threshold: probability of being safe from which a cell is clicked at once, 0 to 1.
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
        self.counters = {"failures": 0}
        self._flag_offset = config.moves.index("flag") * config.cells
        closed_form(config, np.zeros((1, config.cells), np.int8))
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Seeds the random first clicks, with a seed of at least 0, and drops planned turns."""
        self._rng = np.random.default_rng(seed)
        self._planned: dict[bytes, Plan] = {}

    @checked_act
    def act(self, observations: Board, action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns an action for each of N games; see `baselines.policy.Policy`."""
        boards = observations.reshape(len(observations), -1)
        unplanned = [i for i, board in enumerate(boards) if board.tobytes() not in self._planned]
        probabilities = dict(zip(unplanned, closed_form(self.config, boards[unplanned]).tolist(), strict=True))
        plans = [
            self._plan(board, probabilities[i]) if i in probabilities else self._planned[board.tobytes()]
            for i, board in enumerate(boards)
        ]
        self._planned = {
            self._toggled(board, plan[0]): plan[1:] for board, plan in zip(boards, plans, strict=True) if len(plan) > 1
        }
        actions = np.array([plan[0] for plan in plans], np.int64)
        # A mask may forbid moves that the rules allow.
        legal = action_masks[np.arange(len(boards)), actions] != 0
        return np.where(legal, actions, action_masks.argmax(axis=1))

    def _plan(self, board: Board, probabilities: Sequence[float]) -> Plan:
        """Returns the actions of a turn on a board: flags, then a click."""
        flagged = board == FLAGGED
        if not (flagged | (board <= MAX_COUNT)).any():
            return (int(self._rng.integers(self.config.cells)),)
        hidden = np.flatnonzero((board > FLAGGED) & (board != MINE)).tolist()
        mines_left = self.config.mines - int(flagged.sum())
        if mines_left <= 0 or not hidden:
            # The program wins by flags and never removes one: its game is won, or can no longer be won.
            return (hidden[0],) if hidden else self._idle(board)
        turn = plan_turn(board, probabilities, *self._thresholds)
        flags = tuple(self._flag_offset + cell for cell in turn.flags[:mines_left])
        if len(turn.flags) >= mines_left:  # The program stops at its last flag.
            return flags
        if turn.click is None:
            # A wrong flag contradicts the clues, or no cell can be queried: no click of the program can win any more.
            self.counters["failures"] += 1
            return (*flags, next(cell for cell in hidden if cell not in turn.flags))
        if board[turn.click] == MAX_COUNT:
            # The program clicks an open 8, which changes nothing; without a new flag it repeats that forever.
            self.counters["failures"] += not flags
            return flags or self._idle(board)
        return (*flags, turn.click)

    def turn(self, board: Board) -> Turn:
        """Returns the flags and the click of the program on an (n,) int8 board; see `plan_turn`."""
        return plan_turn(board, closed_form(self.config, board[None])[0].tolist(), *self._thresholds)

    def finishes(self, board: Board) -> bool:
        """Returns whether the program wins: whether it goes on to flag all mines after the last safe cell is open.

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
        """Returns two actions, a flag set and removed or the reverse, for a game where the program never stops."""
        cell = int(np.flatnonzero(board > MAX_COUNT)[0])
        return (self._flag_offset + cell, self._flag_offset + cell)

    def _toggled(self, board: Board, flag_action: int) -> bytes:
        """Returns the board after an action that sets or removes a flag, as bytes."""
        toggled = board.copy()
        cell = flag_action - self._flag_offset
        toggled[cell] = self.config.codes.hidden if toggled[cell] == FLAGGED else FLAGGED
        return toggled.tobytes()


_ORDERS = (
    (((1, 0), (0, 1), (1, 1)), ((0, -1), (1, 0), (0, 1), (1, -1), (1, 1)), ((0, -1), (1, 0), (1, -1))),
    (
        ((-1, 0), (1, 0), (0, 1), (-1, 1), (1, 1)),
        ((1, 0), (-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1), (1, 1), (1, -1)),
        ((0, -1), (1, 0), (-1, 0), (-1, -1), (1, -1)),
    ),
    (((0, 1), (-1, 0), (-1, 1)), ((-1, 0), (0, 1), (0, -1), (-1, -1), (-1, 1)), ((0, -1), (-1, 0), (-1, -1))),
)
"""(down, right) steps to the neighbours in the program's order, at [row band][column band]; see `_band`."""


def source_start(config: BoardConfig, seed: int) -> Start:
    """Returns a layout and a first click, drawn as the program draws them.

    Mines and first click are uniform. Then the program moves each mine on the clicked cell, and on its neighbours in
    order, to the first corner without a mine: bottom right, top left, bottom left, top right. A mine stays if all
    corners hold one, and a corner may be a neighbour of the clicked cell.
    """
    rng = np.random.default_rng(seed)
    layout = np.zeros(config.cells, np.bool_)
    layout[rng.permutation(config.cells)[: config.mines]] = True
    mines = layout.reshape(config.rows, config.cols)
    row, col = int(rng.integers(config.rows)), int(rng.integers(config.cols))
    order = _ORDERS[_band(row, config.rows)][_band(col, config.cols)]
    for down, right in ((0, 0), *order):
        cell = (row + down, col + right)
        if 0 <= cell[0] < config.rows and 0 <= cell[1] < config.cols and mines[cell]:
            for corner in ((-1, -1), (0, 0), (-1, 0), (0, -1)):  # -1 is the last row or column.
                if not mines[corner]:
                    mines[cell], mines[corner] = False, True
                    break
    return Start(mines, row * config.cols + col)


def _band(index: int, side: int) -> int:
    """Returns 0 for the first row or column, 2 for the last one, 1 for the others."""
    return 0 if index == 0 else 2 if index == side - 1 else 1
