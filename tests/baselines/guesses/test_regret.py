"""Regret on positions with exact values."""

from __future__ import annotations

import numpy as np
import pytest
from support import ROOT
from support.policies import click_config

from baselines.guesses.regret import ClickValues, Position, positions_as_json, positions_of_json, regret_of
from baselines.guesses.runs import collect_positions, regret_row
from baselines.registry import build_policy
from baselines.support.files import read_json
from minesweeper_env import HIDDEN

STORED = ROOT / "benchmarks" / "positions" / "guesses-8x8-14.json"


@pytest.fixture(scope="module")
def collected():
    config = click_config(4, 5, 5, "safe")
    return config, collect_positions(build_policy("exact", config), config, 0, 12, 20, 800)


def test_positions_are_guesses_within_the_bounds(collected):
    _, positions = collected
    assert len(positions) == 12
    for position in positions:
        assert 20 < position.layouts <= 800
        assert (position.board[list(position.values)] == HIDDEN).all()
        assert all(0.0 < value < 1.0 for value in position.values.values())


def test_perfect_play_has_no_regret_and_others_have_some(collected):
    config, positions = collected
    perfect = regret_row("lookahead", config, positions)
    assert (perfect["mean"], perfect["best"]) == (0.0, 1.0)
    worse = regret_row("exact", config, positions)
    assert worse["mean"] > 0.0
    assert worse["best"] < 1.0


def test_a_click_that_is_not_stored_is_searched(collected):
    config, positions = collected
    values = ClickValues(config, 800)
    policy = build_policy("exact", config)
    click = int(
        policy.act(positions[0].board.reshape(1, 4, 5), (positions[0].board == HIDDEN)[None].astype(np.int8))[0]
    )
    bare = Position(positions[0].board, positions[0].layouts, {-1: 1.0})
    found = regret_of(policy, config, [bare], values)
    assert found.mean == pytest.approx(1.0 - positions[0].values[click])


def test_positions_survive_json(collected):
    config, positions = collected
    again, read = positions_of_json(positions_as_json(config, positions))
    assert (again.rows, again.cols, again.mines, again.first_click) == (4, 5, 5, "safe")
    for old, new in zip(positions, read, strict=True):
        assert (old.board == new.board).all()
        assert old.layouts == new.layouts
        assert new.values == pytest.approx(old.values, abs=1e-9)


def test_stored_values_are_what_a_search_finds():
    config, positions = positions_of_json(read_json(STORED))
    assert len(positions) == 250
    few = min(positions, key=lambda position: position.layouts)
    cells = list(few.values)[:2]
    assert ClickValues(config, 10_000).find(few.board, cells) == pytest.approx(
        {cell: few.values[cell] for cell in cells}, abs=1e-8
    )
