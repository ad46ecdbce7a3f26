"""Games of `minesweeper_env.text` for the libraries that train and test language models; one module each.

verifiers finds its classes in this package, by the id `minesweeper_text`. docs/how-to/language-models.md shows all.
"""

from typing import Any

from minesweeper_env.lazy import lazy_exports

__all__ = ["MinesweeperEnv", "MinesweeperHarness", "MinesweeperTaskset"]

__getattr__, __dir__ = lazy_exports(__name__, {"verifiers_env": __all__})


def game_arguments(rows: int, cols: int, no_guess: str, flags: bool, **others: Any) -> dict[str, Any]:
    """Returns the arguments of a `TextGame` from values that a command line can write, such as "no" for no_guess."""
    moves = ["open", "flag"] if flags else ["open"]
    return {"size": [rows, cols], "no_guess": no_guess != "no" and no_guess, "moves": moves, **others}
