"""The program of Antolín & de la Torre (2018): closed form against pgmpy, turns, layouts and published figures."""

import numpy as np
import pytest
from support.policies import read_board
from support.positions import board_of

from baselines.evaluation.games import play_games
from baselines.registry import find_policy
from baselines.scripted.bayes_network import load_pgmpy, subnetwork
from baselines.scripted.bayes_source import BayesSourcePolicy, Turn, closed_form, plan_turn, source_start
from minesweeper_env import BoardConfig

FLAG, HIDDEN = 9, 11


def config_of(size: int, mines: int, first_click: str = "any") -> BoardConfig:
    return BoardConfig.of_size(size, mines, first_click=first_click, moves=("click", "flag"))


def probabilities(config: BoardConfig, board: np.ndarray) -> np.ndarray:
    return closed_form(config, board.reshape(1, -1))[0]


def query_as_the_program_does(config: BoardConfig, board: np.ndarray, cell: tuple[int, int]) -> float:
    """Copies the whole network, deletes what the program deletes, and queries the rest."""
    clues = {index: int(code) for index, code in np.ndenumerate(board) if code < 8}
    evidence = {f"Y_{row}_{col}": count for (row, col), count in clues.items()}
    evidence.update((f"X_{row}_{col}", 0) for row, col in clues)
    evidence.update((f"X_{row}_{col}", 1) for row, col in np.argwhere(board == FLAG))
    near = [(cell[0] + down, cell[1] + right) for down in (-1, 0, 1) for right in (-1, 0, 1)]
    kept = {f"X_{row}_{col}" for row, col in near} | {f"Y_{cell[0]}_{cell[1]}", *evidence}
    network = subnetwork(config, range(config.cells), range(config.cells)).copy()
    network.remove_nodes_from([node for node in list(network.nodes()) if node not in kept])
    engine = load_pgmpy("inference").VariableElimination(network)
    with np.errstate(invalid="ignore"):
        answer = engine.query([f"X_{cell[0]}_{cell[1]}"], evidence, elimination_order="greedy", show_progress=False)
    return float(answer.values[1])


def test_the_closed_form_agrees_with_pgmpy_after_the_same_deletions():
    rng = np.random.default_rng(0)
    compared, contradictions = 0, 0
    for _ in range(8):
        laid = rng.random((5, 5)) < 0.25
        board = board_of(laid, ~laid & (rng.random((5, 5)) < 0.4), 1)
        # A few of the flags are wrong.
        board[(board == HIDDEN) & (rng.random((5, 5)) < np.where(laid, 0.3, 0.12))] = FLAG
        config = config_of(5, max(1, int(laid.sum())))
        found = probabilities(config, board)
        for cell in np.flatnonzero(found != -1.0)[::2]:
            expected = query_as_the_program_does(config, board, divmod(int(cell), 5))
            assert found[cell] == pytest.approx(expected, abs=1e-9, nan_ok=True)
            compared += 1
            contradictions += np.isnan(expected)
    assert compared > 30
    assert contradictions > 0


def test_probabilities_worked_out_by_hand():
    # Logic clears row 4, column 1; the program gives it 1/3.
    expected = np.full((5, 5), -1.0)
    expected[:, 1] = [1 / 7, 1 / 3, 3 / 5, 1 / 2, 1 / 3]
    expected[0, 2] = 1.0
    board = read_board("***10", "**210", "**200", "**200", "**100")
    assert probabilities(config_of(5, 5), board).reshape(5, 5) == pytest.approx(expected, abs=1e-12)
    # An open 8 counts as a covered cell.
    board = read_board("***", "*8*", "***")
    assert (probabilities(config_of(3, 8), board) == -1.0).all()
    board[0, 0] = FLAG
    assert probabilities(config_of(3, 8), board)[4] == pytest.approx(8 / 9)


@pytest.mark.parametrize(
    ("found", "turn"),
    [
        ([0.5, 0.4, 0.4], Turn([], 1)),
        ([0.5, 0.1, 0.0], Turn([], 1)),
        ([0.79, 0.11, -1.0, 0.9, 0.05, 0.9], Turn([0, 3], 4)),
        ([0.8, 0.95], Turn([0, 1], 0)),
        ([np.nan, 0.3], Turn([], None)),
        ([np.nan, 0.8, 0.05], Turn([1], 2)),
        ([-1.0], Turn([], None)),
    ],
)
def test_turns(found, turn):
    assert plan_turn(np.full(6, HIDDEN, np.int8), found, 0.79, 0.9) == turn


def test_flags_of_a_turn_are_no_evidence_before_it_ends():
    config = config_of(8, 14)
    policy = BayesSourcePolicy(config)
    turns = 0
    for seed in range(60):
        layout, _ = source_start(config, seed)
        opened = ~layout & (np.random.default_rng(seed).random((8, 8)) < 0.5)
        board = board_of(layout, opened, 1).ravel()
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
    policy = BayesSourcePolicy(config_of(3, 1))
    # There are as many flags as mines, so the policy opens the rest.
    board = read_board("!*1", "11*", "001")
    assert policy.act(board[None], np.ones((1, 18), np.int8))[0] == 1
    # Every cell is open or flagged, and one flag is wrong, so the program never stops.
    board = read_board("!!1", "221", "000")
    for _ in range(6):
        action = int(policy.act(board[None], np.ones((1, 18), np.int8))[0])
        assert action == 9
        board[0, 0] = HIDDEN if board[0, 0] == FLAG else FLAG


def test_the_program_goes_on_when_every_safe_cell_is_open():
    policy, behind = BayesSourcePolicy(config_of(3, 1)), BayesSourcePolicy(config_of(5, 10))
    assert policy.finishes(read_board("*10", "110", "000"))
    assert policy.finishes(read_board("!10", "110", "000"))
    # No clue neighbours the mines of the first row, so the program has to guess.
    assert not behind.finishes(read_board("*****", "*****", "23332", "00000", "00000"))
    assert not behind.finishes(read_board("*****", "!!!!!", "23332", "00000", "00000"))


def test_starts_follow_the_program():
    config = config_of(5, 7)
    zeros, mined, firsts = 0, 0, np.zeros(25, int)
    for seed in range(2000):
        layout, cell = source_start(config, seed)
        assert layout.sum() == 7
        assert (source_start(config, seed).layout == layout).all()
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
    starts = [source_start(policy.config, seed) for seed in range(3000)]
    records = play_games(policy, policy.config, range(3000), starts=starts)
    flagged = np.mean([record.marked for record in records])
    assert abs(flagged - rate) < 0.03
    # A game won by flags is also won by opening; a few are won by opening alone.
    assert 0.0 <= np.mean([record.won for record in records]) - flagged < 0.015
    assert all(record.won for record in records if record.marked)


@pytest.mark.parametrize("first_click", ["opening", "safe", "any", "corners"])
def test_it_plays_as_a_policy_under_every_rule(first_click):
    config = config_of(6, 6, first_click)
    policy = find_policy("bayes_source")(config, seed=3)
    records = play_games(policy, config, range(40))
    policy.reset(3)
    assert play_games(policy, config, range(40)) == records
    assert 5 <= sum(record.won for record in records) < 40


@pytest.mark.parametrize(("moves", "radius", "word"), [(("click",), 1, "moves"), (("click", "flag"), 2, "radius 1")])
def test_it_needs_flags_and_radius_1(moves, radius, word):
    with pytest.raises(ValueError, match=word):
        BayesSourcePolicy(BoardConfig(5, 5, 5, "any", moves, radius=radius))
