"""`exact`: a certainly safe cell if there is one, else the cell of least exact mine probability.

The probabilities come from the oracle; docs/studies/inference.md explains the counting.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.policy import checked_act, count_risky
from minesweeper_env.compiled import inlined, kernel
from minesweeper_env.config import BoardConfig, whole_number
from minesweeper_env.inference.kernels import (
    OK,
    TIE,
    Workspace,
    is_known_safe,
    posterior_after_propagation,
    propagate,
    run_boards,
)

CERTAIN = -1.0
"""Entry of `log_layouts` for a click that is certainly safe, or the first one of a game."""

_DENSE = 0.18
"""Mine density from which a first click further inside wins more under "opening"."""

Boards = NDArray[np.int8]
Cells = NDArray[np.int64]
Flags = NDArray[np.bool_]
Floats = NDArray[np.float64]


def first_cell(config: BoardConfig) -> int:
    """Returns the cell to click first, as row * cols + col.

    The cells were chosen by measurement; see docs/studies/play.md. Under "any" and "safe" the cell is a corner, which
    has the highest probability of showing 0. Under the other rules it lies in the third row and column, where it opens
    a large area near a corner; on dense boards in the fourth. The cell never lies beyond the middle of the board.
    """
    if config.first_click in ("any", "safe"):
        return 0
    inside = config.radius * (3 if config.mines >= _DENSE * config.cells else 2)
    row, col = (min(inside, (side - 1) // 2) for side in (config.rows, config.cols))
    return row * config.cols + col


def chosen_first_cell(config: BoardConfig, first: str | int | None, *others: str) -> int:
    """Returns the cell to click first: `first_cell` for "exact" or None, the middle for "middle", or `first` itself.

    Of two middle rows or columns it is the second. Raises a ValueError that names the allowed values, and `others`,
    those that the caller handles.
    """
    if first is None or first == "exact":
        return first_cell(config)
    if first == "middle":
        return (config.rows // 2) * config.cols + config.cols // 2
    try:
        return whole_number("first", first, 0, config.cells - 1)
    except ValueError:
        allowed = f"{', '.join((*others, 'exact', 'middle'))} or a cell of 0 to {config.cells - 1}"
        raise ValueError(f"first must be {allowed}, not {first!r}") from None


@kernel
def choose_clicks(
    begin: int, boards: Boards, legal: Flags, max_count: int, mines: int, first_cell: int, clicks: Cells,
    log_layouts: Floats, probabilities: Floats, *arrays: Any,
) -> tuple[int, int]:  # fmt: skip
    """Chooses a click on each board from `begin` on, for `run_boards`; `first_cell` on a board without open cells.

    The click is a cell that is certainly free; without one, it is a cell of least risk. Ties go to the cell
    with the most open neighbours, then to the cell most likely to show 0, then to the first.

    At least one click on each of the (N, n) boards is legal. The kernel fills in `clicks`, (N,). For a risky click it
    fills in the natural logarithm of the number of layouts, in `log_layouts`, (N,). It overwrites `probabilities`,
    (n,). The arrays are the fields of a `Workspace`. Returns (N, OK), or the index of a failing board and its outcome.
    """
    workspace = Workspace(*arrays)
    for i in range(begin, len(boards)):
        board, allowed = boards[i], legal[i]
        clicks[i] = first_cell
        if allowed[first_cell] and _is_unopened(board, max_count):
            continue
        outcome = propagate(board, workspace)
        if outcome != OK:
            return i, outcome
        clicks[i] = _find_safe(allowed, workspace)
        if clicks[i] >= 0:
            continue
        outcome, log_count = posterior_after_propagation(workspace, mines, probabilities)
        if outcome != OK:
            return i, outcome
        clicks[i] = least_risk(board, allowed, max_count, probabilities, workspace.neighbours)
        if probabilities[clicks[i]] > 0.0:
            log_layouts[i] = log_count
    return len(boards), OK


@kernel
def choose_least_risks(
    boards: Boards, legal: Flags, max_count: int, first_cell: int, risks: Floats, neighbours: NDArray[np.uint32],
    clicks: Cells,
) -> None:  # fmt: skip
    """Chooses a click on each board by its risks; ties and other arguments are those of `choose_clicks`.

    `risks`, (N, n), are the probabilities of a mine, none above 1; `neighbours` is the `neighbour_table`.
    """
    for i in range(len(boards)):
        clicks[i] = first_cell
        if not legal[i, first_cell] or not _is_unopened(boards[i], max_count):
            clicks[i] = least_risk(boards[i], legal[i], max_count, risks[i], neighbours)


@inlined
def _is_unopened(board: Boards, max_count: int) -> bool:
    open_cells = 0
    for cell in range(len(board)):
        open_cells += board[cell] <= max_count
    return open_cells == 0


@inlined
def _find_safe(allowed: Flags, workspace: Workspace) -> int:
    """Returns the first legal cell that single clues prove safe, or -1; call `propagate` before it."""
    for cell in range(len(allowed)):
        if allowed[cell] and is_known_safe(cell, workspace):
            return cell
    return -1


@inlined
def least_risk(
    board: Boards, allowed: Flags, max_count: int, probabilities: Floats, neighbours: NDArray[np.uint32]
) -> int:
    """Returns the legal cell of least risk, with the ties of `choose_clicks`."""
    min_risk = 2.0
    for cell in range(len(board)):
        if allowed[cell] and probabilities[cell] < min_risk:
            min_risk = probabilities[cell]
    chosen, best_promise = -1, -1.0
    for cell in range(len(board)):
        if allowed[cell] and probabilities[cell] <= min_risk + TIE:
            promise = promise_of(cell, board, max_count, probabilities, neighbours)
            if promise > best_promise:
                chosen, best_promise = cell, promise
    return chosen


@inlined
def promise_of(
    cell: int, board: Boards, max_count: int, probabilities: Floats, neighbours: NDArray[np.uint32]
) -> float:
    """Returns the number of open neighbours of a cell, plus an estimate below 1 of the probability that it shows 0.

    The estimate takes the neighbours as independent. So it ranks cells by open neighbours, then by the chance of a 0.
    """
    open_neighbours, zero_chance = 0, 0.999
    for j in range(neighbours.shape[1]):
        neighbour = neighbours[cell, j]
        if neighbour < len(board):
            if board[neighbour] <= max_count:
                open_neighbours += 1
            else:
                zero_chance *= 1.0 - probabilities[neighbour]
    return open_neighbours + zero_chance


class ExactPolicy:
    """Minimises the probability of losing on the next click.

    Ties go to the cell with the most open neighbours, then to the likeliest 0, then to the first in reading order. The
    policy draws nothing. It treats layouts as equally likely, which they are not under the first-click rule "corners".

    Attributes:
        config: the games.
        counters: "guesses" counts clicks on cells not known to be safe; see `count_risky` for the first click.
    """

    batch_size = 1000

    def __init__(self, config: BoardConfig, first: str | int | None = None) -> None:
        """Compiles the kernels with one click on a covered board; raises ValueError if `first` is not allowed.

        Args:
            config: the games.
            first: the first click: "exact" or None for the one of `first_cell`, "middle", or a cell, row * cols + col.
        """
        self.config = config
        self._max_count = config.codes.max_count
        self._first_cell = chosen_first_cell(config, first)
        covered = np.full((1, config.rows, config.cols), config.codes.hidden, np.int8)
        self.counters = {"guesses": 0}
        self.act(covered, np.ones((1, config.actions), np.int8))
        self.counters = {"guesses": 0}

    def reset(self, seed: int) -> None:
        """Does nothing: the policy has no randomness."""

    @checked_act
    def act(self, observations: Boards, action_masks: NDArray[np.int8]) -> Cells:
        """Returns a click for each of N games, or the first legal action where no click is legal.

        Raises:
            InconsistentBoardError: no layout matches one of the boards.
            PositionTooHardError: one of the boards exceeds the limits of the oracle.
        """
        boards = observations.reshape(len(observations), -1)
        legal: Flags = action_masks[:, : self.config.cells].astype(np.bool_)
        actions, games = action_masks.argmax(axis=1), np.flatnonzero(legal.any(axis=1))
        if len(games) > 0:
            # The kernels write to the boards, so they get the copies that indexing makes.
            actions[games] = self._choose(boards[games], legal[games])
        return actions

    def _choose(self, boards: Boards, legal: Flags) -> Cells:
        """Returns the clicks on (N, n) boards; each board has a legal click."""
        return self._least_risks(boards, legal)[0]

    def _least_risks(self, boards: Boards, legal: Flags) -> tuple[Cells, Floats]:
        """Returns `clicks` and `log_layouts`, (N,) each, as `choose_clicks` fills them in; counts the guesses."""
        config, risks = self.config, np.empty(boards.shape[1])
        clicks, log_layouts = np.empty(len(boards), np.int64), np.full(len(boards), CERTAIN)
        arguments = (boards, legal, self._max_count, config.mines, self._first_cell, clicks, log_layouts, risks)
        run_boards(config, choose_clicks, arguments, boards.__getitem__)
        has_open = np.any(boards <= self._max_count, axis=1)
        # A first click counts as well, unless the first-click rule protects it.
        self.counters["guesses"] += count_risky(has_open[(log_layouts != CERTAIN) | ~has_open], config)
        return clicks, log_layouts
