"""Prompts of text games: a board in three styles, the rules of a game, and the legend of a board."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from minesweeper_env.codes import FLAGGED, HIDDEN
from minesweeper_env.config import BoardConfig, one_of
from minesweeper_env.escape import counted
from minesweeper_env.rendering import join_cells
from minesweeper_env.text.replies import asked_form

STYLES: tuple[str, ...] = ("grid", "list", "json")
"""The forms of the board: rows of characters, a list of the open cells, or JSON."""

_SYMBOLS = "012345678F##*"
"""The character of each cell code."""

_FIRST_CLICK_SENTENCES = {
    "opening": "The first cell that you open is a 0.",
    "safe": "The first cell that you open is no mine.",
    "any": "The first cell that you open may be a mine.",
    "corners": "Mines around the first cell that you open move to the corners.",
}


def board_text(codes: ArrayLike, mines: int, style: str = "grid") -> str:
    """Returns a board, (rows, cols) cell codes with `mines` mines in all, as text in one of `STYLES`."""
    board = np.asarray(codes)
    hidden_count, flag_count = int((board == HIDDEN).sum()), int((board == FLAGGED).sum())
    chars = [[_SYMBOLS[code] for code in row] for row in board.tolist()]
    if one_of("style", style, STYLES) == "json":
        rows = ",\n".join("  [" + ", ".join(f'"{char}"' for char in row) + "]" for row in chars)
        flag_part = f', "flags": {flag_count}' * bool(flag_count)
        return f'{{"mines": {mines}, "covered": {hidden_count}{flag_part}, "board": [\n{rows}\n]}}'
    body = join_cells(chars, 1, ":") if style == "grid" else _list_text(chars)
    flag_part = f", {counted(flag_count, 'flag')}" * bool(flag_count)
    return f"{body}\n{counted(mines, 'mine')}, {counted(hidden_count, 'covered cell')}{flag_part}"


def _list_text(chars: Sequence[Sequence[str]]) -> str:
    """Returns the style "list" of a board, (rows, cols) characters, such as "open: (0, 1) = 2" and "flags: (0, 0)"."""
    cells = [(f"({row}, {col})", char) for row, line in enumerate(chars) for col, char in enumerate(line)]
    opened = ", ".join(f"{cell} = {char}" for cell, char in cells if char not in "#F*")
    lines = [f"open: {opened or 'none'}"]
    for name, symbol in (("flags", "F"), ("mines", "*")):
        if marked := ", ".join(cell for cell, char in cells if char == symbol):
            lines.append(f"{name}: {marked}")
    return "\n".join([*lines, "all other cells are covered"])


def rules_text(
    config: BoardConfig,
    style: str,
    max_illegal: int | None,
    tools: bool = False,
    opened: tuple[int, int] | None = None,
    max_turns: int | None = None,
) -> str:
    """Returns the prompt: the rules of the games, the form of the board, and the form of a reply.

    With `tools` a reply is a tool call; otherwise it is free text with one move. `opened` is the (row, col) of a first
    click that was made already; None if the player makes the first click. The limits are those of `TextGame`.
    """
    has_flags = "flag" in config.moves
    or_flag = f" or {asked_form('flag')}" * has_flags
    reply = f"Reply with one move: {asked_form()}{or_flag}. You may think first; the last move of a reply counts."
    if tools:
        reply = f"Make one move at a time: call the tool open{' or flag' * has_flags} with row and col."
    if has_flags:
        reply += " A flag sets a mark or removes it; it decides nothing, and a flagged cell cannot be opened."
    illegal_limit = "" if max_illegal is None else f"; illegal reply number {max_illegal} ends the game"
    turn_limit = "" if max_turns is None else f" The game ends after {counted(max_turns, 'turn')}."
    guess_rule = ""
    if config.no_guess:
        guess_rule = "No guess is needed: after the first move some covered cell is always provably safe."
    elif not config.luck:
        guess_rule = (
            "After the first move luck decides nothing. While some covered cell is provably safe, any cell that is not "
            "loses. While none is, any cell that may be safe opens."
        )
    # Every board without guesses begins safe, whatever the rule for other boards.
    first_click = "safe" if config.no_guess and config.first_click == "any" else config.first_click
    parts = (
        f"You play Minesweeper on {counted(config.rows, 'row')} and {counted(config.cols, 'column')} with "
        f"{counted(config.mines, 'hidden mine')}. You win when every cell without a mine is open, and lose when you "
        "open a mine. An open cell shows how many of its up to eight neighbours are mines. A 0 also opens them all.",
        _FIRST_CLICK_SENTENCES[first_click] if opened is None else f"The first move is made: {opened} was opened.",
        guess_rule,
        _board_form(config, style),
        f"{reply} An illegal reply changes nothing{illegal_limit}.{turn_limit}",
    )
    return "\n".join(filter(None, parts))


def board_rules(config: BoardConfig, style: str) -> str:
    """Returns the meaning of a board, for questions about one position: `rules_text` without the rules of play."""
    return (
        f"This is a board of Minesweeper with {counted(config.rows, 'row')}, {counted(config.cols, 'column')} and "
        f"{counted(config.mines, 'mine')}. An open cell shows how many of its up to eight neighbours are mines.\n"
        f"{_board_form(config, style)}"
    )


def _board_form(config: BoardConfig, style: str) -> str:
    flag = ", F is a flag" * ("flag" in config.moves)
    forms = {
        "grid": f"On the board, # is a covered cell{flag}, a digit is an open cell, and * is a mine.",
        "list": "The board is a list of the open cells with their numbers, as (row, column) = number.",
        "json": f'The board is JSON by rows: "#" is a covered cell{flag}, a digit is an open cell, "*" is a mine.',
    }
    form = forms[one_of("style", style, STYLES)]
    return f"Rows are 0 to {config.rows - 1} from the top, columns 0 to {config.cols - 1} from the left. {form}"
