"""The program of Antolín & de la Torre (2018): closed form against pgmpy, turns, layouts and published figures."""

from __future__ import annotations

import pickle
from functools import partial

import numpy as np
import pytest

from baselines.evaluation.games import GameRecord, play_games
from baselines.registry import build_policy
from baselines.scripted.bayes_network import load_pgmpy, subnetwork
from baselines.scripted.bayes_source import BayesSourcePolicy, ClosedForm, Turn, plan_turn, source_start
from minesweeper_env import BoardConfig

FLAG, HIDDEN = 9, 11
COUNTER_EXAMPLE = ("***10", "**210", "**200", "**200", "**100")


def config_of(size: int, mines: int, first_click: str = "any") -> BoardConfig:
    return BoardConfig.of_size(size, mines, first_click=first_click, moves=("click", "flag"))


def read(*lines: str) -> np.ndarray:
    """Reads a board with * for hidden cells and ! for flags."""
    codes = {"*": HIDDEN, "!": FLAG}
    return np.array([[codes.get(sign) or int(sign) for sign in line] for line in lines], np.int8)


def random_board(rng: np.random.Generator, size: int) -> tuple[np.ndarray, int]:
    """Returns a board with some open cells and flags, a few of these wrong, and its number of mines."""
    laid = (rng.random((size, size)) < 0.25).astype(np.int8)
    counts = np.lib.stride_tricks.sliding_window_view(np.pad(laid, 1), (3, 3)).sum(axis=(2, 3))
    board = np.where((laid == 0) & (rng.random((size, size)) < 0.4), counts, HIDDEN)
    flags = (board == HIDDEN) & (rng.random((size, size)) < np.where(laid == 1, 0.3, 0.12))
    return np.where(flags, FLAG, board).astype(np.int8), max(1, int(laid.sum()))


def query_as_the_program_does(config: BoardConfig, board: np.ndarray, cell: tuple[int, int]) -> float:
    """Copies the whole network, deletes what the program deletes, and queries the rest."""
    shown = {index: int(code) for index, code in np.ndenumerate(board) if code < 8}
    evidence = {f"Y_{row}_{col}": count for (row, col), count in shown.items()}
    evidence.update((f"X_{row}_{col}", 0) for row, col in shown)
    evidence.update((f"X_{row}_{col}", 1) for row, col in np.argwhere(board == FLAG))
    near = [(cell[0] + down, cell[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    kept = {f"X_{row}_{col}" for row, col in near} | {f"Y_{row}_{col}" for row, col in near if (row, col) in shown}
    kept |= {f"Y_{cell[0]}_{cell[1]}", *evidence}
    from pgmpy.inference import VariableElimination

    network = subnetwork(config, "binomial", range(config.cells), range(config.cells)).copy()
    network.remove_nodes_from([node for node in list(network.nodes()) if node not in kept])
    with np.errstate(invalid="ignore"):
        answer = VariableElimination(network).query(
            [f"X_{cell[0]}_{cell[1]}"], evidence, elimination_order="greedy", show_progress=False
        )
    return float(answer.values[1])


def play_program_games(policy: BayesSourcePolicy, games: int) -> list[GameRecord]:
    starts = [source_start(policy.config, seed) for seed in range(games)]
    return play_games(policy, policy.config, range(games), starts=starts)


def test_the_closed_form_agrees_with_pgmpy_after_the_same_deletions():
    rng = np.random.default_rng(0)
    load_pgmpy()
    compared, contradictions = 0, 0
    for _ in range(8):
        board, mines = random_board(rng, 5)
        config = config_of(5, mines)
        found = ClosedForm(config).mine_probabilities(board.reshape(1, -1))[0]
        for cell in np.flatnonzero(found != -1.0)[::2]:
            expected = query_as_the_program_does(config, board, divmod(int(cell), 5))
            assert found[cell] == pytest.approx(expected, abs=1e-9, nan_ok=True)
            compared += 1
            contradictions += np.isnan(expected)
    assert compared > 30
    assert contradictions > 0


def test_the_worked_counter_example():
    # Logic clears row 4, column 1; the program gives it 1/3.
    board = read(*COUNTER_EXAMPLE)
    found = ClosedForm(config_of(5, 5)).mine_probabilities(board.reshape(1, -1))[0].reshape(5, 5)
    expected = np.full((5, 5), -1.0)
    expected[:, 1] = [1 / 7, 1 / 3, 3 / 5, 1 / 2, 1 / 3]
    expected[0, 2] = 1.0
    assert found == pytest.approx(expected, abs=1e-12)


def test_an_open_8_counts_as_a_covered_cell():
    board = np.full((3, 3), HIDDEN, np.int8)
    board[1, 1] = 8
    closed_form = ClosedForm(config_of(3, 8))
    assert (closed_form.mine_probabilities(board.reshape(1, -1)) == -1.0).all()
    board[0, 0] = FLAG
    assert closed_form.mine_probabilities(board.reshape(1, -1)).reshape(3, 3)[1, 1] == pytest.approx(8 / 9)


@pytest.mark.parametrize(
    ("probabilities", "turn"),
    [
        ({0: 0.5, 1: 0.4, 2: 0.4}, Turn([], 1, 3)),
        ({0: 0.5, 1: 0.1, 2: 0.0}, Turn([], 1, 2)),
        ({0: 0.79, 1: 0.11, 3: 0.9, 4: 0.05, 5: 0.9}, Turn([0, 3], 4, 4)),
        ({0: 0.8, 1: 0.95}, Turn([0, 1], 0, 2)),
        ({0: float("nan"), 1: 0.3}, Turn([], None, 2)),
        ({0: float("nan"), 1: 0.8, 2: 0.05}, Turn([1], 2, 3)),
        ({}, Turn([], None, 0)),
    ],
)
def test_turns(probabilities, turn):
    board = np.full(6, HIDDEN, np.int8)
    assert plan_turn(board, lambda cell: probabilities.get(cell, -1.0), 0.79, 0.9) == turn


def test_flags_of_a_turn_are_no_evidence_before_it_ends():
    config = config_of(8, 14)
    policy = BayesSourcePolicy(config)
    turns = 0
    for seed in range(60):
        layout, _ = source_start(config, seed)
        counts = np.lib.stride_tricks.sliding_window_view(np.pad(layout.astype(np.int8), 1), (3, 3)).sum(axis=(2, 3))
        opened = ~layout & (np.random.default_rng(seed).random((8, 8)) < 0.5)
        board = np.where(opened, counts, HIDDEN).astype(np.int8).ravel()
        turn = policy.turn(board)
        if len(turn.flags) < 2 or turn.click is None:
            continue
        turns += 1
        expected = [64 + cell for cell in turn.flags] + [turn.click]
        found = []
        for _ in expected:
            legal = np.concatenate([board > FLAG, board > 8]).astype(np.int8)[None]
            found.append(int(policy.act(board.reshape(1, 8, 8), legal)[0]))
            board[found[-1] % 64] = FLAG
        assert found == expected
        policy.reset(0)
    assert turns > 5


def test_a_decided_game_is_opened_and_a_hopeless_one_is_never_won():
    config = config_of(3, 1)
    policy = BayesSourcePolicy(config)
    # There are as many flags as mines, so the policy opens the rest.
    board = read("!*1", "11*", "001")
    assert policy.act(board[None], np.ones((1, 18), np.int8))[0] == 1
    # Every cell is open or flagged, and one flag is wrong, so the program never stops.
    board = read("!!1", "221", "000")
    for _ in range(6):
        action = int(policy.act(board[None], np.ones((1, 18), np.int8))[0])
        assert action == 9
        board[0, 0] = HIDDEN if board[0, 0] == FLAG else FLAG


def test_the_program_goes_on_when_every_safe_cell_is_open():
    policy = BayesSourcePolicy(config_of(3, 1))
    assert policy.finishes(read("*10", "110", "000"))
    assert policy.finishes(read("!10", "110", "000"))
    # No clue neighbours the mines of the first row, so the program has to guess.
    behind = BayesSourcePolicy(config_of(5, 10))
    assert not behind.finishes(read("*****", "*****", "23332", "00000", "00000"))
    assert not behind.finishes(read("*****", "!!!!!", "23332", "00000", "00000"))


def test_starts_follow_the_program():
    config = config_of(5, 7)
    start = partial(source_start, config)
    again = pickle.loads(pickle.dumps(start))
    zeros, mined, firsts = 0, 0, np.zeros(25, int)
    for seed in range(2000):
        layout, cell = start(seed)
        assert layout.shape == (5, 5)
        assert layout.sum() == 7
        same = again(seed)
        assert (same.layout == layout).all()
        assert same.cell == cell
        row, col = divmod(cell, 5)
        near = layout[max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2]
        zeros += not near.any()
        mined += layout[row, col]
        firsts[cell] += 1
        # A mine stays only if all corners hold one.
        if not {0, 4, 20, 24} & {(row + a) * 5 + col + b for a in (-1, 0, 1) for b in (-1, 0, 1)}:
            assert not near.any() or layout[[0, 0, -1, -1], [0, -1, 0, -1]].all()
    assert 0.62 < zeros / 2000 < 0.71
    assert 0 < mined < 200
    assert firsts.min() > 45


@pytest.mark.parametrize(("size", "mines", "rate"), [(5, 5, 0.547), (8, 14, 0.322)])
def test_it_wins_as_often_as_the_restated_program(size, mines, rate):
    policy = BayesSourcePolicy(config_of(size, mines))
    records = play_program_games(policy, 3000)
    flagged = np.mean([record.marked for record in records])
    opened = np.mean([record.won for record in records])
    assert abs(flagged - rate) < 0.03
    # A game won by flags is also won by opening; a few are won by opening alone.
    assert 0.0 <= opened - flagged < 0.015
    assert all(record.won for record in records if record.marked)


def test_it_plays_as_a_policy_under_every_rule():
    for first_click in ("opening", "safe", "any", "corners"):
        config = config_of(6, 6, first_click)
        policy = build_policy("bayes_source", config, seed=3)
        records = play_games(policy, config, range(40))
        policy.reset(3)
        assert play_games(policy, config, range(40)) == records
        assert 5 <= sum(record.won for record in records) < 40


@pytest.mark.parametrize(
    ("config", "options", "message"),
    [
        (config_of(5, 5), {"flag_threshold": 1.1}, "flag_threshold must be a number of 0 to 1"),
        (config_of(5, 5), {"open_threshold": None}, "open_threshold must be a number of 0 to 1, not None"),
        (BoardConfig(5, 5, 5, "any", ("click",)), {}, "needs games with the moves"),
        (BoardConfig(5, 5, 5, "any", ("click", "flag"), radius=2), {}, "needs games of radius 1, not 2"),
    ],
)
def test_bad_options_are_refused(config, options, message):
    with pytest.raises(ValueError, match=message):
        BayesSourcePolicy(config, **options)
