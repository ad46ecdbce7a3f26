"""The teacher of afterstate against perfect play on a tiny board, by every layout and every click."""

from itertools import combinations

import numpy as np
import pytest
import torch
from support.positions import counts_of

from baselines.learned.afterstate import teacher
from baselines.learned.afterstate.learner import cell_losses
from baselines.learned.afterstate.network import COUNTS
from baselines.learned.afterstate.self_play import MINE
from baselines.learned.afterstate.teacher import Teacher
from baselines.learned.common.optimisation import safety_of
from minesweeper_env.config import BoardConfig

ROWS, COLS, MINES, HIDDEN = 3, 4, 3, 11
CONFIG = BoardConfig(ROWS, COLS, MINES, first_click="safe", moves=("click",))


def contents(mined):
    mines = np.isin(np.arange(ROWS * COLS), mined)
    return np.where(mines, -1, counts_of(mines.reshape(ROWS, COLS), 1).ravel())


CONTENTS = [contents(mined) for mined in combinations(range(ROWS * COLS), MINES)]


def fitting(board, layouts):
    shown = board != HIDDEN
    return [layout for layout in layouts if (layout[shown] == board[shown]).all()]


def won(board, layouts):
    """The number of layouts that perfect play wins from a board, by every click and every count that it can show."""
    if (board == HIDDEN).sum() == MINES:
        return len(layouts)
    return max(sum(outcome for _, outcome in after(board, layouts, cell)) for cell in np.flatnonzero(board == HIDDEN))


def after(board, layouts, cell):
    """Yields each count that a click can show, and the number of layouts that are won then."""
    for count in {layout[cell] for layout in layouts} - {-1}:
        following = board.copy()
        following[cell] = count
        yield count, won(following, fitting(following, layouts))


def positions():
    """Boards of random layouts with three open cells."""
    rng = np.random.default_rng(0)
    for layout in rng.permutation(len(CONTENTS))[:12]:
        board = np.full(ROWS * COLS, HIDDEN)
        opened = rng.permutation(np.flatnonzero(CONTENTS[layout] > 0))[:3]
        board[opened] = CONTENTS[layout][opened]
        yield board


def test_it_teaches_the_win_probabilities_of_perfect_play(monkeypatch):
    monkeypatch.setattr(teacher, "_SLACK", 1.0)
    monkeypatch.setattr(teacher, "_DRAWN", ROWS * COLS)
    monkeypatch.setattr(teacher, "_LEAST_CHANCE", 0.0)
    taught = 0
    for board in positions():
        layouts = fitting(board, CONTENTS)
        codes, values, is_late = Teacher(CONFIG).afterstates(
            np.array([board, board], np.int8).reshape(2, ROWS, COLS), np.random.default_rng(0)
        )
        covered, expected = np.flatnonzero(board == HIDDEN), {}
        safe_in = {cell: sum(layout[cell] >= 0 for layout in layouts) for cell in covered}
        if max(safe_in.values()) < len(layouts):
            for cell in covered:
                for count, wins in after(board, layouts, cell):
                    following = board.copy()
                    following[cell] = count
                    expected[following.astype(np.int8).tobytes()] = wins / len(fitting(following, layouts))
        assert is_late.all()
        assert dict(zip([code.tobytes() for code in codes], values, strict=True)) == pytest.approx(expected)
        taught += len(expected)
    assert taught > 50


def test_a_guess_of_too_many_layouts_is_left_to_the_games(monkeypatch):
    monkeypatch.setattr(teacher, "MOST_LAYOUTS", 5)
    board = next(positions()).reshape(1, ROWS, COLS).astype(np.int8)
    codes, values, is_late = Teacher(CONFIG).afterstates(board, np.random.default_rng(0))
    assert (len(codes), len(values), is_late.tolist()) == (0, 0, [False])


def test_exact_safety_replaces_the_labels_of_safety_alone():
    codes = torch.tensor(np.array([next(positions())]).reshape(1, ROWS, COLS), dtype=torch.int8)
    layouts = np.array(fitting(codes.numpy().ravel(), CONTENTS))
    exact = safety_of(codes, MINES)
    covered = (codes > 8).flatten()
    assert exact[0, covered].numpy() == pytest.approx((layouts >= 0).mean(axis=0)[covered], abs=1e-6)
    labels = torch.full((1, ROWS * COLS), MINE)
    logits, counts = torch.logit(exact, 1e-6), torch.zeros(1, COUNTS, ROWS * COLS)
    taught, of_counts = cell_losses(logits, counts, codes, labels, 64.0, exact)
    chances = exact[0, covered].clamp(1e-6, 1 - 1e-6)
    entropy = -(chances * chances.log() + (1 - chances) * (1 - chances).log()).sum()
    assert taught.item() == pytest.approx(entropy.item(), rel=0.05)
    assert of_counts == 0
    hindsight, _ = cell_losses(logits, counts, codes, labels, 64.0)
    assert hindsight > 2 * taught
