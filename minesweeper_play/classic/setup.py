"""Questions for a board, where the command line names none: side and mines, as Buscaminas_Terminal asks for them."""

from __future__ import annotations

from minesweeper_env.config import BoardConfig
from minesweeper_play.classic.console import Console
from minesweeper_play.game.boards import recommended_mines

LEAST_SIDE, MOST_SIDE = 3, 10
"""The sides of the boards to choose from; a protected opening needs one more, and options allow any size."""


def ask_board(console: Console, first_click: str | None) -> BoardConfig:
    """Returns the board that a player chooses.

    Args:
        console: asks.
        first_click: the first-click rule; None takes the most protective one that the number of mines allows.

    Raises:
        LeaveError: the input has ended.
    """
    least = LEAST_SIDE + (first_click in ("opening", "corners"))
    side = console.ask_number(least, MOST_SIDE, "ask_size")
    most = BoardConfig(side, side, 1, first_click=first_click or "safe").max_mines
    recommended = min(recommended_mines(side, side), most)
    mines = console.ask_number(1, most, "ask_mines", recommended=recommended)
    return BoardConfig(side, side, mines, first_click=first_click or protective_rule(side, mines))


def protective_rule(side: int, mines: int) -> str:
    """Returns "opening", or "safe" where the mines leave no room for an opening."""
    try:
        return BoardConfig(side, side, mines, first_click="opening").first_click
    except ValueError:
        return "safe"
