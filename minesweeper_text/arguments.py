"""Arguments of `TextGame` from the values of a command line, and from the untrusted clients of a server."""

from typing import Any

from minesweeper_env.config import parse_size, whole_number

MOST_SIDE = 32
"""The largest number of rows, and of columns, that a server plays."""


def game_arguments(rows: int, cols: int, no_guess: str, flags: bool, **others: Any) -> dict[str, Any]:
    """Returns the arguments of a `TextGame` from values that a command line can write, such as "no" for no_guess."""
    moves = ["open", "flag"] if flags else ["open"]
    return {"size": [rows, cols], "no_guess": no_guess != "no" and no_guess, "moves": moves, **others}


def served_arguments(size: Any = 8, mines: Any = None, no_guess: Any = False, **others: Any) -> dict[str, Any]:
    """Returns a client's arguments of a `TextGame`; raises a ValueError if the board would stall a server."""
    rows, cols = parse_size(size)
    cells = whole_number("rows", rows, 1, MOST_SIDE) * whole_number("cols", cols, 1, MOST_SIDE)
    if no_guess and mines is not None:
        # On a board with more mines the search for a layout without guesses takes up to minutes.
        whole_number("mines of a board with no_guess", mines, 1, max(1, cells // 4))
    return {"size": (rows, cols), "mines": mines, "no_guess": no_guess, **others}
