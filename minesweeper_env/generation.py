"""Generator of boards that need no guess: layouts that logic alone wins from a first cell, each with its proof.

`generate` draws layouts by the first-click rule, and plays each one by logic up to the first position where logic is
stuck. The first layout that logic wins is the board, so all such layouts are equally likely. Where they are rare, as on
dense boards, it moves mines at the place where logic is stuck. docs/how-to/no-guess.md measures the bias that remains.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from gymnasium.utils import seeding
from numpy.typing import NDArray

from minesweeper_env.checks import generator_state
from minesweeper_env.config import NO_GUESS_LEVELS, BoardConfig, check_config, items_of, one_of, whole_number
from minesweeper_env.inference import Step
from minesweeper_env.no_guess import AttemptsExceededError, GenerationError, ImpossibleBoardError
from minesweeper_env.no_guess.search import MAX_ATTEMPTS, METHODS, search_config, searchers
from minesweeper_env.no_guess.supply import failure

__all__ = [
    "MAX_ATTEMPTS",
    "AttemptsExceededError",
    "GenerationError",
    "ImpossibleBoardError",
    "Level",
    "Method",
    "NoGuessBoard",
    "generate",
]

Level = Literal["subset", "exact"]
"""The logic that wins a board; see `generate`."""

Method = Literal["auto", "rejection", "repair"]
"""The search for a board; see `generate`."""


@dataclass(frozen=True)
class NoGuessBoard:
    """A board that logic wins from its first cell.

    Attributes:
        config: size, mines and first-click rule.
        first_cell: (row, col) of the first click.
        level: "subset" or "exact", the logic that suffices.
        seed: the seed that gives this board again.
        layout: (rows, cols) bool, True at the mines.
        proof: the steps after the first click, in order. Each names the cells that it finds, safe or mines, and the
            clues that force them. Safe cells are opened at once, and a 0 opens its neighbours as in the game.
        attempts: the number of layouts that were played to find it.
    """

    config: BoardConfig
    first_cell: tuple[int, int]
    level: Level
    seed: int
    layout: NDArray[np.bool_]
    proof: tuple[Step, ...]
    attempts: int


def generate(
    config: BoardConfig,
    first_cell: Sequence[int],
    level: Level | None = None,
    seed: int | None = None,
    max_attempts: int = MAX_ATTEMPTS,
    *,
    method: Method = "auto",
    on_attempts: Callable[[int], object] | None = None,
) -> NoGuessBoard:
    """Returns a board that needs no guess.

    The same arguments give the same board. An environment with `no_guess=level` that is reset with the same seed plays
    it when its first click is `first_cell`.

    Args:
        config: size, mines and first-click rule. The first cell is never a mine, not even with first_click "any".
        first_cell: (row, col) of the first click.
        level: "subset": single clues, all subset differences of clues, their overlaps, and disjoint clues that account
            for all mines left, as `inference.deduce(level="subset")` finds them. "exact": every cell whose mine
            probability is 0. None takes the level of `config.no_guess`, or "exact" if that has none.
        seed: determines the board; None draws one, which `NoGuessBoard.seed` holds.
        max_attempts: the number of layouts to play, at most.
        method: "rejection": every layout that this level wins is equally likely. "repair": mines are moved where logic
            is stuck. "auto": rejection for 64 layouts, then repair.
        on_attempts: called now and then with the number of layouts played so far.

    Raises:
        ImpossibleBoardError: no layout can be won without a guess; checked where at most 20,000 layouts exist.
        AttemptsExceededError: `max_attempts` layouts were played in vain.
        ValueError: an argument is not allowed; the message names the allowed values.
    """
    cell = _check_cell(check_config(config), first_cell)
    level = (config.no_guess or "exact") if level is None else level
    for name, value, allowed in (("level", level, NO_GUESS_LEVELS), ("method", method, METHODS)):
        one_of(name, value, allowed)
    attempts = whole_number("max_attempts", max_attempts, 1)
    seed = int(np.random.default_rng().integers(1 << 32)) if seed is None else whole_number("seed", seed, 0)
    with searchers(search_config(config)).lend() as searcher:
        # As `reset(seed=seed)` of an environment does, so that both have the same game.
        state = generator_state(seeding.np_random(seed)[0])
        result = searcher.search(np.array([cell]), np.array([state]), level, attempts, method, on_attempts)
        if not result.solved[0]:
            raise failure(searcher, cell, level, int(result.attempts[0]))
        layout = result.layouts[0]
        proof = tuple(searcher.prove(layout, cell, level))
    return NoGuessBoard(config, divmod(cell, config.cols), level, seed, layout, proof, int(result.attempts[0]))


def _check_cell(config: BoardConfig, first_cell: Sequence[int]) -> int:
    """Returns the number of a cell given as (row, col); a ValueError says which cells the board has."""
    position = tuple(whole_number("first_cell", value, 0) for value in items_of(first_cell))
    if len(position) != 2 or position[0] >= config.rows or position[1] >= config.cols:
        allowed = f"(row, col) with row 0 to {config.rows - 1} and col 0 to {config.cols - 1}"
        raise ValueError(f"first_cell must be {allowed}, not {first_cell!r}")
    return position[0] * config.cols + position[1]
