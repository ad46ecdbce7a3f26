"""Oracle: exact mine probabilities and certain cells of boards, as far as they can be computed."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from minesweeper_env.codes import HIDDEN, Codes
from minesweeper_env.config import UNIFORM_FIRST_CLICKS, BoardConfig, check_config, is_number, whole_number
from minesweeper_env.inference.boards import PositionTooHardError, check_boards
from minesweeper_env.inference.counting.forward_pass import BOOLEAN, FIXED_TOTAL, IID
from minesweeper_env.inference.counting.posterior import infer
from minesweeper_env.threads import ThreadPool, split


class CertainCells(NamedTuple):
    """The covered cells that are free in all layouts, and those that are mines in all layouts.

    Attributes:
        safe: (rows, cols) bool, the cells that are free in all layouts.
        mine: (rows, cols) bool, the cells that are mines in all layouts.
    """

    safe: NDArray[np.bool_]
    mine: NDArray[np.bool_]


def mine_probabilities(
    board: ArrayLike, mines: int, *, prior: float | None = None, radius: int = 1
) -> NDArray[np.float64]:
    """Returns the probability that each cell is a mine; all layouts that fit the board are equally likely.

    Args:
        board: (rows, cols) cell codes of any integer type. Flags and question marks count as covered cells and are
            no evidence; a shown mine is known.
        mines: the number of mines on the whole board.
        prior: if given, the mine count is unknown, `mines` is not used, and each cell is independently a mine with
            this probability before any evidence; strictly between 0 and 1.
        radius: the radius of the neighbourhood, 1 to 5.

    Returns:
        (rows, cols) float64; 0.0 on open cells, and exactly 0.0 and 1.0 on cells that are certain.

    Raises:
        InconsistentBoardError: no layout fits the board.
        PositionTooHardError: the frontier is so wide that counting takes more than some 4 million states.
        ValueError: an argument is not allowed; the message states the allowed values.
    """
    array, mines, radius = check_boards(board, 2, mines, radius)
    probabilities = np.empty(array.shape)
    infer(array[None], mines, radius, *_read_prior(prior), probabilities[None])
    return probabilities


def mine_probabilities_batch(
    boards: ArrayLike, mines: int, *, prior: float | None = None, radius: int = 1, threads: int = 1
) -> NDArray[np.float64]:
    """Returns the mine probabilities of N boards, (N, rows, cols) float64, for (N, rows, cols) cell codes.

    The other arguments and the errors are those of `mine_probabilities`; `threads` threads divide the boards.
    """
    array, mines, radius = check_boards(boards, 3, mines, radius)
    mode, density = _read_prior(prior)
    probabilities = np.empty(array.shape)

    def infer_part(part: slice) -> None:
        infer(array[part], mines, radius, mode, density, probabilities[part])

    ThreadPool(threads).run(infer_part, split(len(array), threads))
    return probabilities


def certain_cells(board: ArrayLike, mines: int, *, radius: int = 1) -> CertainCells:
    """Returns the cells that are free, and the cells that are mines, in all layouts that fit the board.

    The arguments and errors are those of `mine_probabilities`. Only the existence of layouts counts, so no weight can
    underflow.
    """
    array, mines, radius = check_boards(board, 2, mines, radius)
    probabilities = np.empty(array.shape)
    infer(array[None], mines, radius, BOOLEAN, 0.0, probabilities[None])
    covered = array > Codes.of_radius(radius).max_count
    return CertainCells(covered & (probabilities == 0.0), covered & (probabilities == 1.0))


def _read_prior(prior: Any) -> tuple[int, float]:
    """Returns the mode and the density of mines for `infer`; the density 0.0 leaves its choice to the kernel."""
    if prior is None:
        return FIXED_TOTAL, 0.0
    if not is_number(prior) or not 0.0 < float(prior) < 1.0:
        raise ValueError(f"prior must be a number strictly between 0 and 1, not {prior!r}")
    return IID, float(prior)


class Answers(NamedTuple):
    """The probabilities of N boards.

    Attributes:
        probabilities: (N, rows, cols) float64, the probability of a mine in each cell; NaN where it is unknown.
        exact: (N,) bool, True if the probabilities of all cells are known.
    """

    probabilities: NDArray[np.float64]
    exact: NDArray[np.bool_]


class Oracle:
    """Answers for the boards of one configuration, including won and lost boards.

    All layouts that fit a board count as equally likely, and flags are no evidence. Before the first click every cell
    is a mine with probability mines / cells, under every first-click rule. A lost board shows every mine without a
    flag, so its other cells without a flag are free. Its flagged cells are known only if the number of mines that are
    not shown is 0 or the number of flags.
    """

    def __init__(self, config: BoardConfig, threads: int = 1) -> None:
        """Prepares for the boards of a configuration; `threads` threads share the boards of a batch.

        Raises a ValueError if the first-click rule does not make all layouts equally likely.
        """
        if check_config(config).first_click not in UNIFORM_FIRST_CLICKS:
            raise ValueError(
                f"exact mine probabilities need first_click {', '.join(UNIFORM_FIRST_CLICKS)}, under which all layouts "
                f"that fit a board are equally likely, not {config.first_click!r}"
            )
        self.config = config
        self._threads = whole_number("threads", threads, 1)
        _compile_kernels()

    def ask(self, boards: ArrayLike) -> Answers:
        """Returns the probabilities of boards, (N, rows, cols) cell codes.

        Raises:
            InconsistentBoardError: no layout fits a board.
            ValueError: the boards are not allowed.
        """
        boards, *_ = check_boards(boards, 3, self.config.mines, self.config.radius)
        lost = (boards == self.config.codes.mine).any(axis=(1, 2))
        if not lost.any():
            probabilities = self._infer(boards)
        else:
            probabilities = self._read_lost(boards)
            if not lost.all():
                probabilities[~lost] = self._infer(boards[~lost])
        return Answers(probabilities, np.logical_not(np.isnan(probabilities).any(axis=(1, 2))))

    def _infer(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns the probabilities of the boards; the covered cells of a board that is too hard have NaN."""
        config = self.config
        try:
            return mine_probabilities_batch(boards, config.mines, radius=config.radius, threads=self._threads)
        except PositionTooHardError:
            if len(boards) > 1:
                return np.concatenate([self._infer(board[None]) for board in boards])
            return np.where(boards > config.codes.max_count, np.nan, 0.0)

    def _read_lost(self, boards: NDArray[np.int8]) -> NDArray[np.float64]:
        """Returns the probabilities of lost boards, NaN at flags that the number of mines does not decide."""
        shown, flagged = boards == self.config.codes.mine, boards == self.config.codes.flagged
        flagged_mines, flags = self.config.mines - shown.sum(axis=(1, 2)), flagged.sum(axis=(1, 2))
        risk_at_flag = np.where(flagged_mines == 0, 0.0, np.where(flagged_mines == flags, 1.0, np.nan))
        return np.where(flagged, risk_at_flag[:, None, None], shown)


@cache
def _compile_kernels() -> None:
    """Compiles or loads the kernels, before the first question and before processes start."""
    mine_probabilities_batch(np.full((1, 1, 2), HIDDEN, np.int8), 1)
