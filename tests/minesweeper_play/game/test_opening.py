"""Layers of an opening, which its animation shows one after the other."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from minesweeper_env.config import BoardConfig
from minesweeper_play.game.session import Session


def opened(layout, *moves):
    layout = np.array(layout, bool)
    session = Session(BoardConfig(*layout.shape, int(layout.sum()), first_click="any"), layout=layout, seed=0)
    for kind, row, col in moves:
        report = getattr(session, kind)(row, col)
    return session.opening_layers(report, moves[-1][1:])


def test_the_layers_spread_from_the_click_over_zeros():
    assert opened([[0, 0, 0, 0, 0, 1]], ("open", 0, 1)) == [[(0, 1)], [(0, 0), (0, 2)], [(0, 3)], [(0, 4)]]


def test_a_chord_spreads_from_the_cells_around_it():
    layers = opened([[1, 0, 0, 0, 0]], ("flag", 0, 0), ("open", 0, 1), ("chord", 0, 1))
    assert layers == [[(0, 2)], [(0, 3)], [(0, 4)]]


def test_every_opened_cell_is_in_one_layer():
    for seed in range(10):
        session = Session(BoardConfig(16, 16, 30), seed=seed)
        report = session.open(8, 8)
        layers = session.opening_layers(report, (8, 8))
        assert sorted(cell for layer in layers for cell in layer) == sorted(report.cells)
        assert layers[0] == [(8, 8)]
        for before, after in pairwise(layers):
            for row, col in after:
                assert any(max(abs(row - r), abs(col - c)) == 1 and session.board[r, c] == 0 for r, c in before)
