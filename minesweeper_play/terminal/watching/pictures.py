"""Pictures of watched games: the board, the ratings of its cells, and the next click."""

from __future__ import annotations

from minesweeper_env.rendering.probabilities import levels_of
from minesweeper_play.terminal.board.picture import Picture
from minesweeper_play.terminal.watching.player import Choice, Player


def picture_of(player: Player, choice: Choice | None, numbers: bool = True, rated: bool = True) -> Picture:
    """Returns the picture of a player's game.

    Args:
        player: the player.
        choice: the next move; None for none.
        numbers: whether ratings are written in per cent.
        rated: whether ratings are shown.
    """
    levels = None
    if rated and choice is not None and choice.ratings is not None:
        levels = levels_of(choice.ratings.risks)
        numbers = numbers and choice.ratings.source != "preference"
    codes = player.board.copy()
    if player.status == "won":
        codes[player.mines] = player.config.codes.flagged
    marks = {} if choice is None else {choice.cell: "choice"}
    wrong = player.wrong_flags if player.is_over else None
    return Picture(codes, player.config.codes, wrong, player.fatal, levels, numbers, marks)  # type: ignore[arg-type]
