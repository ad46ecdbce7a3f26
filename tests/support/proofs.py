"""Independent check of the proofs of no-guess boards: replay them, and click only what they force.

The game is `NaiveGame`, in plain Python. Each step is checked twice: an oracle must call its cells certain on the
visible board, and a plain search must find no other way to fill the neighbours of its clues.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from minesweeper_env.generation import NoGuessBoard
from minesweeper_env.inference import Step, mine_probabilities, naive
from support.naive_game import Cell, NaiveGame

SMALL = 25
"""The largest number of cells of a board whose steps the naive oracle checks."""

Constraint = tuple[frozenset[Cell], int]


def replay(board: NoGuessBoard) -> NaiveGame:
    """Plays the proof of a board, and fails where a step is not forced; returns the game."""
    game = begin(board)
    known_mines: set[Cell] = set()
    for step in board.proof:
        assert game.status == "playing", f"the proof goes on after the end: {step}"
        check_step(board, game, known_mines, step)
        known_mines |= set(step.mine)
        for cell in step.safe:
            click(game, cell)
    assert game.status == "won", "the proof does not win"
    return game


def begin(board: NoGuessBoard) -> NaiveGame:
    """Returns the game of a board after its first click."""
    config = board.config
    mines = [(int(row), int(col)) for row, col in np.argwhere(board.layout)]
    game = NaiveGame(config.rows, config.cols, mines, config.radius, moves=("click",))
    click(game, board.first_cell)
    return game


def click(game: NaiveGame, cell: Cell) -> None:
    """Clicks a cell, which does nothing if it is open already."""
    game.step(cell[0] * game.cols + cell[1])
    assert game.status != "lost", f"{cell} is a mine"


def visible(game: NaiveGame) -> np.ndarray:
    """Returns the (rows, cols) codes that a player sees."""
    return np.array(game.codes(), np.int8).reshape(game.rows, game.cols)


def check_step(board: NoGuessBoard, game: NaiveGame, known_mines: set[Cell], step: Step) -> None:
    """Fails unless a step is about unknown cells, and its reason forces them."""
    cells = {**dict.fromkeys(step.safe, 0), **dict.fromkeys(step.mine, 1)}
    assert cells, "a step finds cells"
    assert game.opened.isdisjoint(cells), f"the step is about open cells: {step}"
    assert known_mines.isdisjoint(cells), f"the step is about known mines: {step}"
    assert game.opened.issuperset(step.because), f"the step names covered cells: {step}"
    ask = naive.mine_probabilities if len(game.board) <= SMALL else mine_probabilities
    probabilities = ask(visible(game), board.config.mines, radius=board.config.radius)
    assert {cell: probabilities[cell] for cell in cells} == cells, f"the oracle disagrees: {step}"
    if step.uses_total:
        return
    constraints = [constraint_of(game, known_mines, clue) for clue in step.because]
    for cell, value in cells.items():
        assert not can_be(constraints, {cell: 1 - value}), f"the clues do not force {cell}: {step}"


def constraint_of(game: NaiveGame, known_mines: set[Cell], clue: Cell) -> Constraint:
    """Returns the unknown neighbours of a clue, and the number of mines among them."""
    around = game.around(clue)
    return frozenset(around - game.opened - known_mines), game.count(clue) - len(around & known_mines)


def can_be(constraints: Iterable[Constraint], given: Mapping[Cell, int]) -> bool:
    """Returns whether cells can have given values (1 for a mine) under constraints, by trying all others."""
    values, left = dict(given), list(constraints)
    changed = True
    while changed:
        changed, waiting = False, []
        for cells, mines in left:
            lacking = mines - sum(values.get(cell, 0) for cell in cells)
            unknown = [cell for cell in cells if cell not in values]
            if not 0 <= lacking <= len(unknown):
                return False
            if lacking in (0, len(unknown)):
                values |= dict.fromkeys(unknown, int(lacking > 0))
                changed |= bool(unknown)
            else:
                waiting.append((cells, mines))
        left = waiting
    if not left:
        return True
    cells, _ = min(left, key=lambda one: sum(cell not in values for cell in one[0]))
    cell = next(cell for cell in sorted(cells) if cell not in values)
    return any(can_be(left, values | {cell: value}) for value in (0, 1))
