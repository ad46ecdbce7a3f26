"""Memory of the search for boards without guesses: its kernels allocate nothing, and work on one `Arena`."""

from itertools import accumulate
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.compiled import inlined
from minesweeper_env.engine.state import Boards, Rules
from minesweeper_env.inference.counting.workspace import Workspace
from minesweeper_env.inference.deduction.constraints import Longs, Memory
from minesweeper_env.inference.reading import Clues, Ints

Bytes = NDArray[np.int8]

SUBSET, EXACT = range(2)
"""The levels, in the order of `config.NO_GUESS_LEVELS`."""

COUNT_RULE, SUBSET_RULE, OVERLAP_RULE, EXACT_RULE = range(4)
"""The rules of a step, in the order of `inference.deduction.steps.RULES`."""


class Player(NamedTuple):
    """What a player by logic knows of a board of n cells, besides its clues; never the mines.

    A kernel cannot change a number in a named tuple, so a number is an array of one entry.
    """

    board: Bytes  # (n + 1,) int8, the codes that the player sees
    covered_left: Longs  # (1,) int64, the number of covered cells that are no known mines
    mines_left: Longs  # (1,) int64, the number of mines in these cells
    safe_cells: Ints  # (n,) int32, what the last rule found: these cells are opened before the next rule is tried
    flood: Ints  # (n,) int32, scratch: the stack of the flood fill
    # (n,) float64, scratch of the oracle: mine probabilities by the clues and the number of mines.
    probabilities: NDArray[np.float64]
    by_clues: NDArray[np.float64]  # (n,) float64, scratch of the oracle: mine probabilities by the clues alone


class Log(NamedTuple):
    """The steps of a proof, for S of them at most."""

    is_recording: Longs  # (1,) int64, 1 if steps are recorded at all
    steps: Longs  # (1,) int64, the number of steps
    rule: Ints  # (S,) int32, the rule of a step; see COUNT_RULE
    uses_total: Ints  # (S,) int32, whether a step uses the number of mines on the board
    cell_end: Ints  # (S,) int32, the end of its cells in `cells`; they begin where those of the step before end
    clue_end: Ints  # (S,) int32, the end of its clues in `clues`
    cells_found: Longs  # (1,) int64, the number of entries that are in use in `cells` and `is_mine`
    cells: Ints  # (n,) int32, the cells that the steps find, step after step
    is_mine: Bytes  # (n,) int8, 1 where the entry of `cells` is a mine
    clues_named: Longs  # (1,) int64, the number of clues of all steps
    clues: Ints  # (C,) int32, the clues of the steps, step after step; those beyond the memory are only counted
    visited: Bytes  # (n + 1,) int8, scratch, all 0 between steps


class Repair(NamedTuple):
    """Scratch of the repair."""

    zone: Bytes  # (n,) int8, 1 for a cell that must stay free
    cells: Longs  # (n,) int64, the list that `_list_unknown` fills


class Arena(NamedTuple):
    """All arrays of the search."""

    rules: Rules  # the rules of the games; "any" becomes "safe", since the first cell must be free
    boards: Boards  # one game, whose `truth` holds the layout and whose `rng` draws it
    repair: Repair  # cells between which the repair moves mines
    clues: Clues  # what the player's board says
    player: Player  # the player's other knowledge
    constraints: Memory  # what follows from several clues
    log: Log  # the proof
    workspace: Workspace  # the oracle's memory

    def arrays(self) -> tuple[Any, ...]:
        """Returns the arrays one by one, as kernels take them; `arena_of` is the inverse."""
        return tuple(array for part in self for array in part)


# Where the fields of each part begin in the tuple of all arrays.
_BOARDS, _REPAIR, _CLUES, _PLAYER, _CONSTRAINTS, _LOG, _WORKSPACE = accumulate(
    len(part._fields) for part in (Rules, Boards, Repair, Clues, Player, Memory, Log)
)


@inlined
def arena_of(arrays: tuple[Any, ...]) -> Arena:
    """Returns the arena of these arrays, which have the order of `Arena.arrays`."""
    return Arena(
        Rules(*arrays[:_BOARDS]),
        Boards(*arrays[_BOARDS:_REPAIR]),
        Repair(*arrays[_REPAIR:_CLUES]),
        Clues(*arrays[_CLUES:_PLAYER]),
        Player(*arrays[_PLAYER:_CONSTRAINTS]),
        Memory(*arrays[_CONSTRAINTS:_LOG]),
        Log(*arrays[_LOG:_WORKSPACE]),
        Workspace(*arrays[_WORKSPACE:]),
    )
