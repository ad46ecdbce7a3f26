"""Arguments of `TextGame` from the values that the command lines of libraries can write."""

from typing import Any


def game_arguments(rows: int, cols: int, no_guess: str, flags: bool, **others: Any) -> dict[str, Any]:
    """Returns the arguments of a `TextGame` from values that a command line can write, such as "no" for no_guess."""
    moves = ["open", "flag"] if flags else ["open"]
    return {"size": [rows, cols], "no_guess": no_guess != "no" and no_guess, "moves": moves, **others}
