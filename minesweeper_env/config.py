"""Configuration of a game: board and rules, checked at construction."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Collection, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal

from minesweeper_env.codes import MOVE_NAMES, Codes
from minesweeper_env.escape import counted

__all__ = [
    "DEFAULT_MINES",
    "DEFAULT_MINES_TEXT",
    "FIRST_CLICKS",
    "MAX_CELLS",
    "MAX_RADIUS",
    "MAX_STEPS",
    "NO_GUESS_LEVELS",
    "PRESETS",
    "UNIFORM_FIRST_CLICKS",
    "BoardConfig",
    "NoGuess",
    "board_name",
    "check_config",
    "is_number",
    "items_of",
    "kind_of_games",
    "one_of",
    "parse_size",
    "whole_number",
]

FIRST_CLICKS: tuple[str, ...] = ("any", "safe", "opening", "corners")
"""The first-click rules; `MinesweeperEnv` explains them."""

UNIFORM_FIRST_CLICKS: tuple[str, ...] = ("any", "safe", "opening")
"""The first-click rules under which all layouts that fit a board are equally likely."""

MAX_RADIUS = 5
"""The largest neighbourhood radius whose codes fit into int8."""

NoGuess = Literal[False, "subset", "exact"]
"""The level of logic that wins every board from its first click; False for boards that may need guesses."""

NO_GUESS_LEVELS = ("subset", "exact")
"""The levels of logic that win boards without guesses, from weak to strong; `generation.generate` explains them."""

MAX_CELLS = 1 << 20
"""The largest number of cells of a board."""

MAX_STEPS = (1 << 63) - 1
"""The largest step limit, which the engine counts in int64."""

PRESETS: dict[str, dict[str, Any]] = {
    "": {"size": 8, "mines": 14},
    "Beginner": {"size": 9, "mines": 10},
    "Intermediate": {"size": 16, "mines": 40},
    "Expert": {"size": (16, 30), "mines": 99},
}
"""Size and mines of each registered board, by the middle part of its id."""

_BOARD_NAME = re.compile(r"(\d{1,4})x(\d{1,4})/(\d{1,6})", re.ASCII)


@dataclass(frozen=True)
class BoardConfig:
    """Board and rules of a game; construction checks every field.

    Attributes:
        rows: the number of rows.
        cols: the number of columns; the board has at least 2 cells.
        mines: the number of mines, at least 1 and few enough for the first-click rule.
        first_click: "opening", "safe", "any" or "corners".
        moves: the moves of the action space, in the order click, flag, unflag, question, chord.
        radius: reach of a count, 1 to 5; with 1 a cell has eight neighbours.
        max_steps: number of steps after which an unfinished game is truncated; None means ten per cell.
        no_guess: the level of logic that wins every board from its first click, "subset" or "exact"; False for boards
            that may need guesses.
        luck: False for games in which a guess that no logic could avoid survives, and any other one loses.
        cells: the number of cells; like the next ones, it follows from the fields above.
        max_mines: the largest number of mines that leaves free the cells that the first-click rule protects.
        actions: the number of actions: one per move and cell.
        step_limit: the number of steps after which an unfinished game is truncated.
        codes: the codes of the observations.

    Raises:
        ValueError: the value of a field is not allowed; the message lists the allowed ones.
    """

    rows: int
    cols: int
    mines: int
    first_click: str = "opening"
    moves: Sequence[str] = ("click", "flag")
    radius: int = 1
    max_steps: int | None = None
    no_guess: NoGuess = False
    luck: bool = True
    cells: int = field(init=False, repr=False, compare=False)
    max_mines: int = field(init=False, repr=False, compare=False)
    actions: int = field(init=False, repr=False, compare=False)
    step_limit: int = field(init=False, repr=False, compare=False)
    codes: Codes = field(init=False, repr=False, compare=False)

    @classmethod
    def of_size(cls, size: int | Sequence[int], mines: int | None = None, **fields: Any) -> BoardConfig:
        """Returns a configuration from the side of a square board, or (rows, cols), and the other fields.

        If `mines` is None, the default of this size applies; a ValueError says which sizes have one.
        """
        rows, cols = parse_size(size)
        if mines is None and (rows, cols) not in DEFAULT_MINES:
            raise ValueError(
                f"mines must be given for a board of {rows}x{cols}; left out, they are {DEFAULT_MINES_TEXT}"
            )
        return cls(rows, cols, DEFAULT_MINES[rows, cols] if mines is None else mines, **fields)

    @classmethod
    def of_name(cls, name: Any, first_click: str, no_guess: NoGuess = False, luck: bool = True) -> BoardConfig:
        """Returns the configuration of a board such as "16x30/99", played with clicks; ValueError otherwise."""
        match = _BOARD_NAME.fullmatch(name) if isinstance(name, str) else None
        if match is None:
            raise ValueError(f"a board is written ROWSxCOLS/MINES, such as 16x30/99, not {name!r}")
        rows, cols, mines = (int(number) for number in match.groups())
        return cls(rows, cols, mines, first_click=first_click, moves=("click",), no_guess=no_guess, luck=luck)

    @property
    def name(self) -> str:
        """The `board_name`, such as "8x8/14 no-guess exact"."""
        return board_name(self.rows, self.cols, self.mines, self.no_guess, self.luck)

    @property
    def in_words(self) -> str:
        """The board in words, such as "8x8 with 14 mines"."""
        return f"{self.rows}x{self.cols} with {counted(self.mines, 'mine')}"

    @property
    def rules(self) -> str:
        """The rules in words, such as "first click opening, no-guess exact"."""
        no_guess = f", no-guess {self.no_guess}" if self.no_guess else ""
        return f"first click {self.first_click}{no_guess}" + ", without luck" * (not self.luck)

    def arguments(self) -> dict[str, Any]:
        """Returns the keyword arguments with which both environments take this configuration."""
        names = ("mines", "first_click", "moves", "radius", "max_steps", "no_guess", "luck")
        return {"size": (self.rows, self.cols)} | {name: getattr(self, name) for name in names}

    def __post_init__(self) -> None:
        """Checks the fields, converts whole numbers of other types to int, and computes the derived fields."""
        fields = vars(self)  # A plain assignment to a field of a frozen dataclass would raise.
        for name, maximum in (("rows", None), ("cols", None), ("mines", None), ("radius", MAX_RADIUS)):
            fields[name] = whole_number(name, fields[name], 1, maximum)
        if self.max_steps is not None:
            fields["max_steps"] = whole_number("max_steps", self.max_steps, 1, MAX_STEPS)
        moves = tuple(map(str, items_of(self.moves)))
        if moves != tuple(name for name in MOVE_NAMES if name == "click" or name in moves):  # "click" and the order
            raise ValueError(
                f"moves must include 'click' and come in the order {', '.join(MOVE_NAMES)}, as a tuple of names, "
                f"not {self.moves!r}"
            )
        one_of("first_click", self.first_click, FIRST_CLICKS)
        cells, side = self.rows * self.cols, 2 * self.radius + 1
        # The largest number of cells without a mine; "any" protects none, but a board needs one to open.
        mine_free = 1 if self.first_click in ("any", "safe") else min(self.rows, side) * min(self.cols, side)
        fields.update(moves=moves, cells=cells, max_mines=cells - mine_free, actions=len(self.moves) * cells)
        fields.update(step_limit=self.max_steps or 10 * cells, codes=Codes.of_radius(self.radius))
        self._check()

    def _check(self) -> None:
        if not 2 <= self.cells <= MAX_CELLS:
            raise ValueError(f"a board has 2 to {MAX_CELLS} cells, not {self.rows} x {self.cols} = {self.cells}")
        if self.no_guess is not False:
            one_of("no_guess", self.no_guess, NO_GUESS_LEVELS, "False or ")
        self._check_luck()
        board = f"{self.rows} x {self.cols} with first_click {self.first_click!r}"
        board += f" and radius {self.radius}" * (self.radius > 1)
        if self.max_mines < 1:
            raise ValueError(
                f"no number of mines fits on {board}, because no neighbour of the first click may be a mine; "
                "choose a larger board, or first_click 'safe' or 'any'"
            )
        if self.mines > self.max_mines:
            raise ValueError(f"mines must be 1 to {self.max_mines} on {board}, not {self.mines}")

    def _check_luck(self) -> None:
        if not isinstance(self.luck, bool):
            raise ValueError(f"luck must be True or False, not {self.luck!r}")
        if not self.luck and self.first_click not in UNIFORM_FIRST_CLICKS:
            raise ValueError(
                f"games without luck need first_click {', '.join(UNIFORM_FIRST_CLICKS)}, under which all layouts that "
                f"fit a board are equally likely, not {self.first_click!r}"
            )
        if not self.luck and self.no_guess:
            choice = f"choose games without luck, or no_guess {self.no_guess}"
            raise ValueError(f"boards without guesses need no luck; {choice}")


def check_config(config: Any, advice: str = "BoardConfig.of_size(8, 14) makes one") -> BoardConfig:
    """Returns `config`, or raises a ValueError that ends with `advice` unless it is a `BoardConfig`."""
    if not isinstance(config, BoardConfig):
        raise ValueError(f"config must be a BoardConfig, not {config!r}: {advice}")
    return config


def whole_number(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Returns `value` as an int, or raises a ValueError unless it is a whole number from `least` to `most`."""
    with suppress(TypeError):
        if not isinstance(value, bool) and (number := operator.index(value)) >= least:
            if most is not None and number > most:
                raise ValueError(f"{name} must be {least} to {most}, not {number}")
            return number
    raise ValueError(f"{name} must be a whole number of at least {least}, not {value!r}")


def is_number(value: Any) -> bool:
    """Returns whether a value is a real number of Python or NumPy, bools excluded, that is finite as a float."""
    with suppress(OverflowError):
        return not isinstance(value, bool) and isinstance(value, Real) and math.isfinite(value)
    return False


def one_of(name: str, value: Any, allowed: Collection[str], others: str = "") -> str:
    """Returns `value` if it is an allowed name, or raises a ValueError that lists `others` and the allowed names."""
    if isinstance(value, str) and value in allowed:
        return value
    raise ValueError(f"{name} must be {others}one of {', '.join(allowed)}, not {value!r}")


def items_of(value: Any) -> tuple[Any, ...]:
    """Returns the items of a list, a tuple or an array as a tuple, and an empty tuple for any other value."""
    with suppress(TypeError):
        return () if isinstance(value, (str, bytes, Mapping, Set)) else tuple(value)
    return ()


def board_name(rows: int, cols: int, mines: int, no_guess: str | bool = False, luck: bool = True) -> str:
    """Returns the name of a board, such as "16x30/99" or "8x8/14 no-guess exact", without its first-click rule."""
    return f"{rows}x{cols}/{mines}{kind_of_games(no_guess, luck)}"


def kind_of_games(no_guess: str | bool, luck: bool) -> str:
    """Returns the end of a `board_name`, such as " no-guess exact" or " no-luck"; "" for ordinary games."""
    return (f" no-guess {no_guess}" if no_guess else "") + " no-luck" * (not luck)


def parse_size(size: Any) -> tuple[int, int]:
    """Returns (rows, cols) of a whole number or a pair of whole numbers; raises a ValueError for other sizes."""
    if len(pair := items_of(size)) == 2:
        return whole_number("rows", pair[0], 1), whole_number("cols", pair[1], 1)
    with suppress(ValueError):
        return (whole_number("size", size, 1),) * 2
    raise ValueError(f"size must be a whole number of at least 1, or a pair (rows, cols), not {size!r}")


DEFAULT_MINES: dict[tuple[int, int], int] = {parse_size(preset["size"]): preset["mines"] for preset in PRESETS.values()}
"""The number of mines that a size has when none is given, by (rows, cols)."""

DEFAULT_MINES_TEXT = ", ".join(f"{mines} on {rows}x{cols}" for (rows, cols), mines in DEFAULT_MINES.items())
"""The entries of `DEFAULT_MINES` in words, such as "14 on 8x8"."""
