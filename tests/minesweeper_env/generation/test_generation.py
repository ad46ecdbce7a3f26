"""`generate`: its proofs, both levels, determinism, repair, and errors."""

from collections.abc import Iterable, Mapping

import numpy as np
import pytest
from support import naive_inference as naive
from support.naive_game import Cell, NaiveGame
from support.naive_inference import Constraint
from support.policies import all_layouts
from support.positions import cells_of

from minesweeper_env import generation
from minesweeper_env.config import BoardConfig
from minesweeper_env.generation import NoGuessBoard, generate
from minesweeper_env.inference import Step, certain_cells, deduce, mine_probabilities
from minesweeper_env.no_guess.search import Searcher

LEVELS = ("subset", "exact")


def board_of(rows, cols, mines, first_click="opening", radius=1):
    return BoardConfig(rows, cols, mines, first_click, ("click",), radius)


def game_on(config, layout) -> NaiveGame:
    return NaiveGame(config.rows, config.cols, cells_of(layout), config.radius, ("click",))


def logic_wins(config, layout, level):
    """Returns whether clicks on what inference calls safe on the visible board win from cell (0, 0)."""
    game, cells = game_on(config, layout), [(0, 0)]
    while cells:
        for row, col in cells:
            game.step(row * config.cols + col)
        if game.status != "playing":
            break
        if level == "subset":
            steps = deduce(visible(game), config.mines, radius=config.radius, level="subset")
            cells = [cell for step in steps for cell in step.safe]
        else:
            cells = np.argwhere(certain_cells(visible(game), config.mines, radius=config.radius).safe).tolist()
    return game.status == "won"


def replay(board: NoGuessBoard) -> NaiveGame:
    """Plays the proof of a board, and fails where a step is not forced; returns the game."""
    game = game_on(board.config, board.layout)
    click(game, board.first_cell)
    known_mines: set[Cell] = set()
    for step in board.proof:
        assert game.status == "playing", f"the proof goes on after the end: {step}"
        check_step(board, game, known_mines, step)
        known_mines |= set(step.mine)
        for cell in step.safe:
            click(game, cell)
    assert game.status == "won", "the proof does not win"
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
    ask = naive.mine_probabilities if len(game.board) <= 25 else mine_probabilities
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
    return Constraint(around - game.opened - known_mines, game.count(clue) - len(around & known_mines))


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
                waiting.append(Constraint(cells, mines))
        left = waiting
    if not left:
        return True
    cells, _ = min(left, key=lambda one: sum(cell not in values for cell in one[0]))
    cell = next(cell for cell in sorted(cells) if cell not in values)
    return any(can_be(left, values | {cell: value}) for value in (0, 1))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("config", "first"),
    [
        (board_of(4, 4, 3), (0, 0)),
        (board_of(5, 5, 6), (2, 2)),
        (board_of(5, 5, 4, "safe"), (0, 4)),
        (board_of(4, 6, 5, "any"), (3, 3)),
        (board_of(5, 5, 5, "corners"), (2, 1)),
        (board_of(1, 9, 2), (0, 4)),
        (board_of(8, 8, 14), (0, 0)),
        (board_of(7, 9, 12, radius=2), (3, 4)),
    ],
    ids=str,
)
def test_each_proof_wins_by_forced_clicks_alone(config, first, level):
    for seed in range(8):
        board = generate(config, first, level, seed)
        assert board.layout.sum() == config.mines
        assert level == "exact" or all(step.rule != "exact" for step in board.proof)
        game = replay(board)
        zone = game.around(first) if config.first_click in ("opening", "corners") else frozenset()
        assert not game.mines & {first, *zone}


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("config", "method", "seeds"),
    [
        (board_of(16, 16, 40), "auto", 8),
        (board_of(16, 30, 99), "auto", 3),
        *((board_of(*sizes), "repair", 2) for sizes in ((10, 10, 25), (16, 16, 60), (16, 30, 130))),
    ],
    ids=str,
)
def test_proofs_of_large_boards_win_by_forced_clicks_alone(config, method, seeds, level):
    for seed in range(seeds):
        board = generate(config, (seed % config.rows, seed % config.cols), level, seed, method=method)
        assert board.layout.sum() == config.mines
        replay(board)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    "config", [board_of(4, 5, 6, "safe"), board_of(6, 6, 9), board_of(5, 5, 7, radius=2, first_click="safe")], ids=str
)
def test_a_level_solves_the_layouts_that_inference_solves(config, level):
    rng = np.random.default_rng(5)
    layouts = np.zeros((60, config.cells), np.bool_)
    for layout in layouts:
        # The first cell and its neighbours stay free in two of three layouts, so that many are solved.
        layout[1 + rng.permutation(config.cells - 1)[: config.mines]] = True
    layouts = layouts.reshape(60, config.rows, config.cols)
    layouts = layouts[[not layout[:2, :2].any() for layout in layouts]] if config.radius == 1 else layouts
    expected = [logic_wins(config, layout, level) for layout in layouts]
    assert Searcher(config).solves(layouts, 0, level).tolist() == expected


def test_rejection_draws_every_solved_layout_equally_often():
    config = board_of(3, 4, 2, "safe")
    layouts = all_layouts(config)
    layouts = layouts[~layouts[:, 0, 0]]
    solved = Searcher(config).solves(layouts, 0, "exact")
    index = {layout.tobytes(): place for place, layout in enumerate(layouts[solved])}
    games = 200 * len(index)
    found = Searcher(config).search(
        np.zeros(games, np.int64), np.arange(games, dtype=np.uint64), "exact", 1000, "rejection"
    )
    drawn = np.bincount([index[layout.tobytes()] for layout in found.layouts], minlength=len(index))
    excess = float(((drawn - 200) ** 2 / 200).sum())
    # Chi-square: its mean is the degrees of freedom, and its variance twice as many.
    freedom = len(index) - 1
    assert excess < freedom + 4 * (2 * freedom) ** 0.5


@pytest.mark.parametrize("no_guess", [False, *LEVELS])
def test_a_level_that_is_left_out_is_that_of_the_configuration(no_guess):
    assert generate(BoardConfig(5, 5, 4, no_guess=no_guess), (2, 2), seed=0).level == (no_guess or "exact")


def test_a_seed_that_is_left_out_is_told():
    config = board_of(5, 5, 4)
    board = generate(config, (2, 2))
    assert np.array_equal(generate(config, (2, 2), seed=board.seed).layout, board.layout)


def test_progress_is_reported():
    told = []
    board = generate(board_of(10, 10, 25), (4, 4), "subset", 3, method="rejection", on_attempts=told.append)
    assert told[-1] == board.attempts
    assert told == sorted(told)


def test_a_first_click_that_wins_needs_no_proof():
    board = generate(board_of(3, 3, 8, "safe"), (1, 1), seed=0)
    assert board.proof == ()
    assert board.attempts == 1


def test_a_board_that_always_needs_a_guess_is_impossible():
    with pytest.raises(generation.ImpossibleBoardError, match=r"1x3 with 1 mines.*another number of mines"):
        generate(board_of(1, 3, 1, "safe"), (0, 1), max_attempts=50)


def test_too_few_attempts_are_an_error():
    with pytest.raises(generation.AttemptsExceededError, match=r"10x10 with 30 mines.*larger `max_attempts`"):
        generate(board_of(10, 10, 30), (0, 0), "subset", 0, max_attempts=1)
    assert issubclass(generation.AttemptsExceededError, generation.GenerationError)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"first_cell": (8, 0)}, r"row 0 to 7 and col 0 to 7, not \(8, 0\)"),
        ({"first_cell": (0, 0, 0)}, "first_cell must be"),
        ({"first_cell": (0, -1)}, "first_cell must be a whole number of at least 0"),
        *(({"level": level}, "level must be one of subset, exact") for level in ("hard", "", False)),
        ({"method": "luck"}, "method must be one of auto, rejection, repair"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"max_attempts": 0}, "max_attempts must be a whole number of at least 1"),
    ],
)
def test_a_wrong_argument_is_an_error(arguments, message):
    with pytest.raises(ValueError, match=message):
        generate(**{"config": board_of(8, 8, 14), "first_cell": (0, 0), **arguments})
