"""Search: the values of plain minimax, whatever is cut, and the limits."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import numpy as np
import pytest
from support import ROOT
from support import naive_azulejos as naive

from azulejos_env.config import GameConfig
from azulejos_env.position import Position, random_board
from azulejos_env.search import MAX_DEPTH, Limits, Searcher, deepen, search


def random_position(seed, most_side=7):
    """Returns a position of a random size, with random scores."""
    generator = np.random.default_rng(seed)
    height, width = generator.integers(1, most_side, 2).tolist()
    config = GameConfig(height, width, int(generator.integers(1, 5)), side=("left", "right")[seed % 2])
    scores = tuple(generator.integers(0, 30, 2).tolist())
    return Position(config, random_board(config, generator), scores, seed % 2)


def balance(position, player):
    """Returns the score of a player minus that of the other."""
    return position.scores[player] - position.scores[1 - player]


def play_line(position, line):
    """Returns the position after a line."""
    for cell in line:
        position = position.play(*cell)
    return position


@pytest.mark.parametrize("depth", [1, 2, 3, 4])
def test_values_and_moves_are_those_of_naive_minimax(depth):
    for seed in range(60):
        position = random_position(seed, most_side=5)
        own, other = position.scores[position.player], position.scores[1 - position.player]
        value, moves = naive.minimax(position.config, naive.rows_of(position.board), own, other, depth)
        result = search(position, depth=depth)
        assert result.value == value
        assert result.move in moves or (result.move is None and not moves)


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_cuts_the_table_and_deepening_leave_the_value_of_plain_minimax(depth):
    for seed in range(500):
        position = random_position(seed, most_side=6 if depth > 4 else 8)
        plain = search(position, depth=depth, prune=False)
        assert search(position, depth=depth).value == plain.value
        for first in (1, depth):
            searcher = Searcher(position, depth, prune=True, table=False)
            assert deepen(searcher.search, position, first, depth, Limits()).value == plain.value


def test_the_line_leads_to_the_value():
    for seed in range(200):
        position = random_position(seed)
        result = search(position, depth=4)
        end = play_line(position, result.line)
        assert balance(end, position.player) == result.value
        assert end.over or len(result.line) == result.depth
        assert result.move == (result.line[0] if result.line else None)


def test_a_search_without_a_depth_ends_with_the_game():
    for seed in range(40):
        position = random_position(seed, most_side=5)
        result = search(position, nodes=10**7)
        assert result.final
        assert play_line(position, result.line).over
        deeper = search(position, depth=min(result.depth + 3, MAX_DEPTH), prune=False)
        assert deeper.value == result.value


def test_the_bonus_decides_where_it_is_in_reach():
    # Two pairs: whoever removes the second one clears the board, and gets 1.3 times 20 + 1.
    position = Position(GameConfig(2, 2, 2), [[1, 2], [1, 2]], (20, 20))
    assert search(position, depth=2).value == 21 - 27


def test_a_limit_of_positions_keeps_the_last_finished_depth():
    position = Position(GameConfig(10, 10, 4), random_board(GameConfig(10, 10, 4), 1))
    result = search(position, nodes=20_000)
    assert result.depth > 1
    assert result.value == search(position, depth=result.depth).value
    assert result.nodes < 20_000 + 60


def test_depth_1_is_finished_whatever_the_limits():
    position = Position(GameConfig(30, 30, 3), random_board(GameConfig(30, 30, 3), 1))
    result = search(position, seconds=1e-9)
    assert (result.depth, len(result.line)) == (1, 1)
    assert search(position, nodes=1).depth == 1


def test_a_time_limit_ends_the_search():
    config = GameConfig(40, 40, 5)
    position = Position(config, random_board(config, 1))
    search(position, depth=1)
    begin = time.perf_counter()
    result = search(position, seconds=0.3)
    assert result.depth >= 1
    # The bound is wide, because the machine that runs the tests may be busy.
    assert time.perf_counter() - begin < 3.0


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({}, "limit"),
        ({"depth": 0}, "depth"),
        ({"depth": MAX_DEPTH + 1}, "256"),
        ({"seconds": 0}, "seconds"),
        ({"seconds": float("nan")}, "seconds"),
        ({"nodes": 0}, "nodes"),
    ],
)
def test_wrong_limits_are_refused(limits, message):
    with pytest.raises(ValueError, match=message):
        search(random_position(0), **limits)


@pytest.mark.slow
def test_the_compiler_takes_no_time_from_the_first_search(tmp_path):
    code = (
        "from azulejos_env.config import GameConfig\n"
        "from azulejos_env.position import Position, random_board\n"
        "from azulejos_env.search import search\n"
        "from azulejos_env.tree import search_tree\n"
        "position = Position(GameConfig(8, 8, 3), random_board(GameConfig(8, 8, 3), 0))\n"
        "print({}(position, seconds=1.0).{})"
    )
    for call, depth in (("search", "depth"), ("search_tree", "result.depth")):
        environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / call)}
        command = [sys.executable, "-c", code.format(call, depth)]
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
        assert int(done.stdout) > 2
