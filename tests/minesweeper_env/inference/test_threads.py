"""Public functions called in four threads at once on different boards: the answers are those of one thread."""

import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.positions import board_of, layouts_of_size

from minesweeper_env import inference
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import kernels, optimal

RNG = np.random.default_rng(0)


def positions(size, mines, opened):
    """Returns boards of random layouts on which some free cells are open."""
    boards = []
    for layout in layouts_of_size(RNG, size, mines, 40):
        shown = np.zeros(layout.size, np.bool_)
        shown[RNG.choice(np.flatnonzero(~layout), opened)] = True
        boards.append(board_of(layout, shown.reshape(size), 1))
    return boards


WIDE, SMALL = positions((20, 20), 60, 40), positions((5, 5), 4, 3)
PLAY = optimal.OptimalPlay(5, 5, 2)
ORACLE = inference.Oracle(BoardConfig(20, 20, 60, moves=("click",)))


def a_covered_cell(board):
    return tuple(np.argwhere(board == 11)[0].tolist())


ANSWERS = {
    "mine_probabilities": (WIDE, lambda board: inference.mine_probabilities(board, 60)),
    "mine_probabilities_batch": (WIDE, lambda board: inference.mine_probabilities_batch([board] * 2, 60, threads=2)),
    "certain_cells": (WIDE, lambda board: inference.certain_cells(board, 60)),
    "count_layouts": (WIDE, lambda board: inference.count_layouts(board, 60)),
    "count_distribution": (WIDE, lambda board: inference.count_distribution(board, 60, a_covered_cell(board))),
    "sample_layouts": (WIDE, lambda board: inference.sample_layouts(board, 60, 20, np.random.default_rng(1))),
    "deduce": (SMALL, lambda board: inference.deduce(board, 4)),
    "hint": (SMALL, lambda board: inference.hint(board, 4)),
    "Oracle": (WIDE, lambda board: ORACLE.ask(board[None])),
    # As bytes, which take less time to print than numbers.
    "consistent_layouts": (SMALL, lambda board: [*map(bytes, kernels.consistent_layouts(board, 4, 20_000))]),
    "best_click": (SMALL, lambda board: optimal.best_click(board, 4)),
    "win_probability": (SMALL, lambda board: optimal.win_probability(4, 4, 2 + int(board.sum()) % 3, "safe")),
    "first_cell_values": (SMALL, lambda board: optimal.first_cell_values(3, 3, 2 + int(board.sum()) % 3, "any")),
    "OptimalPlay": (SMALL, lambda board: PLAY.best_click(np.where(board == 11, 11, np.minimum(board, 1)))),
}


@pytest.fixture
def frequent_switches():
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(before)


def ask(answer, board):
    """Returns all numbers of the answer as a text; an error is an answer too."""
    try:
        with np.printoptions(threshold=sys.maxsize):
            return repr(answer(board))
    except ValueError as error:
        return repr(error)


@pytest.mark.usefixtures("frequent_switches")
@pytest.mark.parametrize("name", ANSWERS)
def test_four_threads_give_the_answers_of_one(name):
    boards, answer = ANSWERS[name]
    alone = [ask(answer, board) for board in boards]
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(lambda board: ask(answer, board), boards * 3)) == alone * 3
