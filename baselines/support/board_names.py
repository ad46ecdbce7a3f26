"""Short names of boards, written and parsed: "16x30" for a size, "16x30/99" for a size with its number of mines."""

from __future__ import annotations

import re
from typing import Any, Literal

from minesweeper_env.config import BoardConfig, counted

_BOARD = re.compile(r"(\d{1,4})x(\d{1,4})/(\d{1,6})", re.ASCII)


def board_name(rows: int, cols: int, mines: int, no_guess: str | bool = False) -> str:
    """Returns the name of a board without its rule, such as "16x30/99" or "8x8/14 no-guess exact"."""
    return f"{rows}x{cols}/{mines}" + (f" no-guess {no_guess}" if no_guess else "")


def name_of(config: BoardConfig) -> str:
    """Returns the `board_name` of a configuration."""
    return board_name(config.rows, config.cols, config.mines, config.no_guess)


def board_of(config: BoardConfig) -> str:
    """Returns the board of a configuration in words, such as "8x8 with 14 mines"."""
    return f"{config.rows}x{config.cols} with {counted(config.mines, 'mine')}"


def rules_of(config: BoardConfig) -> str:
    """Returns the rules of a configuration in words, such as "first click opening, no-guess exact"."""
    return f"first click {config.first_click}" + (f", no-guess {config.no_guess}" if config.no_guess else "")


def file_name(name: str) -> str:
    """Returns the name of a board as files and logs spell it: "16x30-99" for "16x30/99"."""
    return name.replace("/", "-").replace(" ", "-")


def parse_board(text: Any, first_click: str, no_guess: Literal[False, "subset", "exact"] = False) -> BoardConfig:
    """Returns the configuration of a board such as "16x30/99", played with clicks; ValueError otherwise."""
    match = _BOARD.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise ValueError(f"a board is written ROWSxCOLS/MINES, such as 16x30/99, not {text!r}")
    rows, cols, mines = (int(number) for number in match.groups())
    return BoardConfig(rows, cols, mines, first_click=first_click, moves=("click",), no_guess=no_guess)
