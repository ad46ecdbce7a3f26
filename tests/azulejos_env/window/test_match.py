"""Match against the machine: turns, refused clicks, moves taken back, the end."""

from __future__ import annotations

import subprocess
import sys
import time

import numpy as np
import pytest

from azulejos_env.config import GameConfig
from azulejos_env.policies import MinimaxPolicy
from azulejos_env.position import Position, random_board
from azulejos_env.window.match import MACHINE, PERSON, Match

BOARD = [[1, 2, 2, 1], [1, 1, 2, 1]]


def match_on(board=BOARD, choose=None, **fields):
    """Returns a match on a board of 2 x 4."""
    config = GameConfig(*np.shape(board), 9)
    return Match(Position(config, np.array(board), **fields), choose or MinimaxPolicy(depth=2).choose)


def wait(match):
    """Waits for the move of the machine."""
    end = time.monotonic() + 60.0
    while match.is_thinking and time.monotonic() < end:
        match.poll()
        time.sleep(0.005)
    assert not match.is_thinking


def test_the_machine_answers_the_person():
    match = match_on()
    match.click(0, 1)
    assert match.is_thinking
    assert match.position.scores == (2, 0)
    wait(match)
    assert match.position.player == PERSON
    assert match.position.scores[MACHINE] > 0


def test_the_last_move_is_outlined_where_its_tiles_were():
    match = match_on(choose=lambda _: (0, 0))
    match.click(0, 1)
    assert match.view.last.tolist() == [[False, True, True, False], [False, False, True, False]]


def test_the_machine_begins_where_it_is_its_turn():
    match = match_on(player=MACHINE)
    assert match.is_thinking
    wait(match)
    assert match.position.player == PERSON


@pytest.mark.parametrize("cell", [(0, 0), (5, 0)])
def test_a_click_during_the_machines_turn_is_refused(cell):
    match = match_on(choose=lambda position: time.sleep(0.2) or MinimaxPolicy(depth=1).choose(position))
    match.click(0, 1)
    before = match.position
    match.click(*cell)
    assert match.message == "the machine is thinking"
    assert match.position is before
    match.undo()
    assert match.position is before
    wait(match)


def test_leaving_does_not_wait_for_the_machine():
    code = (
        "import time\n"
        "from azulejos_env.config import GameConfig\n"
        "from azulejos_env.position import Position\n"
        "from azulejos_env.window.match import Match\n"
        "match = Match(Position(GameConfig(1, 4, 2), [[1, 1, 2, 2]], player=1), lambda _: time.sleep(600))\n"
        "assert match.is_thinking\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_an_error_of_the_machine_is_not_lost():
    match = match_on(choose=lambda _: 1 // 0)
    match.click(0, 1)
    with pytest.raises(ZeroDivisionError):
        wait(match)


def test_a_single_tile_is_refused():
    match = match_on([[1, 2, 2], [3, 2, 1]])
    match.click(0, 0)
    assert "belongs to no group" in match.message
    assert match.position.player == PERSON


def test_moves_are_taken_back_to_the_persons_turn():
    match = match_on()
    first = match.position
    match.click(0, 1)
    wait(match)
    match.undo()
    assert match.position is first
    assert not match.view.last.any()
    match.undo()
    assert match.message == "there is no move to take back"


def test_a_match_ends_and_a_tie_is_called_a_tie():
    match = match_on([[1, 2, 2], [1, 3, 4]], scores=(0, 0))
    match.click(0, 0)
    wait(match)
    assert match.position.over
    assert match.view.status_line() == "you 1, machine 1: a tie"
    match.click(0, 0)
    assert match.message == "the game is over"


def test_a_whole_match_can_be_played():
    config = GameConfig(6, 6, 3)
    match = Match(Position(config, random_board(config, 1)), MinimaxPolicy(depth=2).choose)
    while not match.position.over:
        group = match.position.groups[0]
        match.click(group.row, group.col)
        wait(match)
    assert match.view.turn is None
