"""Bayesian network of a board against the oracle and the naive reference; and the policy that uses it."""

from functools import partial

import numpy as np
import pytest
from support import naive_inference as naive
from support.policies import click_config, moments, read_board
from support.positions import random_positions

from baselines import make_policy
from baselines.evaluation.games import play_games
from baselines.registry import find_policy
from baselines.scripted import bayes_network
from baselines.scripted.base import neighbour_sums
from baselines.scripted.bayes_network import NetworkPosteriors, largest_table, load_pgmpy
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import PositionTooHardError, mine_probabilities

config_of = partial(click_config, first_click="any")


def lattice() -> tuple[np.ndarray, BoardConfig]:
    """Returns a board whose clues form one component, on every second line."""
    laid, shown = np.zeros((2, 5, 6), np.bool_)
    laid[[0, 0, 1, 2, 3, 4], [1, 4, 3, 0, 5, 2]] = True
    shown[[1, 1, 3, 3, 3], [1, 4, 0, 2, 4]] = True
    return np.where(shown, neighbour_sums(laid[None], 1)[0], HIDDEN).astype(np.int8), config_of(5, 6, 6)


def check(asked: NetworkPosteriors, board: np.ndarray, mines: int, reference=mine_probabilities) -> None:
    expected = reference(board, mines, prior=mines / board.size)
    assert np.abs(asked.mine_probabilities(board) - expected).max() < 1e-9


def test_pgmpy_and_the_oracle_and_the_reference_agree():
    mines_shown = 0
    for board, mines, radius, _ in random_positions(18, 24, max_side=4):
        if radius == 1 and 0 < mines < board.size:
            asked = NetworkPosteriors(config_of(*board.shape, mines))
            check(asked, board, mines)
            check(asked, board, mines, naive.mine_probabilities)
            mines_shown += (board == 12).any()
    assert mines_shown > 3


def test_they_agree_on_boards_that_are_met_in_play():
    config = config_of(8, 8, 14, first_click="opening")
    asked = NetworkPosteriors(config)
    boards = [board for board, _ in moments(config, 2)][::15]
    assert boards
    for board in boards:
        check(asked, board, 14)


def test_tables_are_as_large_as_foretold(monkeypatch):
    import opt_einsum

    foretold, made = [], []

    def spy(*operands, optimize):
        made.append(int(opt_einsum.contract_path(*operands, optimize=optimize)[1].largest_intermediate))
        return opt_einsum.contract(*operands, optimize=optimize)

    def note(*query):
        foretold.append(largest_table(*query))
        return foretold[-1]

    monkeypatch.setattr(load_pgmpy("inference").ExactInference, "contract", spy)
    monkeypatch.setattr(bayes_network, "largest_table", note)
    board, config = lattice()
    check(NetworkPosteriors(config), board, 6)
    assert len(made) > 10
    assert foretold == made


def test_a_position_that_needs_too_large_a_table_is_refused_before_any_is_made(monkeypatch):
    board, config = lattice()
    asked = NetworkPosteriors(config)
    monkeypatch.setattr(bayes_network, "MAX_ENTRIES", 1 << 3)
    check(asked, np.full_like(board, HIDDEN), 6)
    elimination = load_pgmpy("inference").VariableElimination
    monkeypatch.setattr(elimination, "query", lambda *_, **__: pytest.fail("a table was made"))
    with pytest.raises(PositionTooHardError, match=r"a position of 5x6 with 6 mines .* entries, and 2\^3 are allowed"):
        asked.mine_probabilities(board)
    with pytest.raises(ValueError, match="needs radius 1, not 2"):
        find_policy("bayes", inference="pgmpy")(BoardConfig(5, 5, 3, "any", ("click",), radius=2))
    with pytest.raises(ValueError, match="prior must be one of binomial"):
        find_policy("bayes", inference="pgmpy", prior="count")(config)


def test_one_query_serves_exchangeable_cells_and_none_is_repeated(monkeypatch):
    elimination = load_pgmpy("inference").VariableElimination
    queries, query = [], elimination.query
    monkeypatch.setattr(elimination, "query", lambda *each, **more: queries.append(each) or query(*each, **more))
    asked = NetworkPosteriors(config_of(4, 7, 4))
    board = read_board("*1*****", "*******", "*******", "*****2*")
    first = asked.mine_probabilities(board)
    assert len(queries) == 2
    assert (asked.mine_probabilities(np.where(board == HIDDEN, 9, board).astype(np.int8)) == first).all()
    assert len(queries) == 2
    # The clue on the left is in another component, which has not changed.
    board[2, 4] = 1
    asked.mine_probabilities(board)
    assert len(queries) == 2 + 3


@pytest.mark.parametrize(("inference", "games"), [("native", 10), ("pgmpy", 3)])
def test_each_click_is_certain_or_of_least_risk(inference, games):
    config = config_of(5, 5, 6, first_click="opening")
    policy = find_policy("bayes", inference=inference)(config)
    risky = 0
    for board, _ in moments(config, games):
        if (board > 8).all():
            continue
        risks = naive.mine_probabilities(board, 6, prior=6 / 25)
        click = policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))[0]
        assert board.ravel()[click] > 8
        assert risks.ravel()[click] <= risks[board > 8].min() + 1e-9
        risky += risks.ravel()[click] > 0
    assert policy.counters["guesses"] == risky > 0


def test_pgmpy_plays_the_games_that_native_plays():
    config = config_of(5, 5, 5, first_click="opening")
    native = play_games(find_policy("bayes")(config), config, range(3))
    assert play_games(find_policy("bayes", inference="pgmpy")(config), config, range(3)) == native


def test_thresholds_treat_likely_cells_as_certain_unless_that_contradicts_the_clues():
    def click(**options):
        policy = find_policy("bayes", **options)(config_of(2, 6, 2))
        return policy.act(board[None], (board == HIDDEN).reshape(1, -1).astype(np.int8))[0]

    # The neighbours of the 1 have mine probability 1 / 5; the far cells keep the prior 2 / 12.
    board = np.full((2, 6), HIDDEN, np.int8)
    board[0, 1] = 1
    assert click() == click(open_threshold=0.9) == click(flag_threshold=0.1) == 5
    # With 1 / 5 as safe, the cell with the most open neighbours comes first.
    assert click(open_threshold=0.8) == 0
    # Under the prior 1 / 8 the middle cell is the only mine with probability 7 / 8; else both outer cells are.
    board = np.array([[HIDDEN, 1, HIDDEN, 1, HIDDEN, HIDDEN, HIDDEN, HIDDEN]], np.int8)
    for threshold, risk in ((1, 1 / 8), (0.9, 1 / 8), (0.8, 0.0)):
        found = find_policy("bayes", flag_threshold=threshold)(config_of(1, 8, 1)).ratings(board[None])
        assert found[0, 0, [0, 2]] == pytest.approx([risk, 7 / 8])
    with pytest.raises(ValueError, match="flag_threshold must be a number of 0 to 1"):
        find_policy("bayes", flag_threshold=float("nan"))(config_of(1, 8, 1))


@pytest.mark.parametrize("rows", [("**2*", "*31*"), ("4***", "****")])
def test_contradictory_board_gets_a_legal_click(rows):
    board = read_board(*rows)[None]
    mask = (board == HIDDEN).reshape(1, 8)
    for name in ("straightforward", "subset", "expected_value", "bayes", "bayes:inference=pgmpy"):
        with np.errstate(invalid="ignore", divide="ignore"):
            action = make_policy(name, size=(2, 4), mines=2, first_click="any").act(board, mask)
        assert mask[0, action[0]]


def test_it_lies_between_subset_and_exact_and_is_exact_with_the_number_of_mines():
    config = config_of(8, 8, 14, first_click="opening")
    names = ("subset", "bayes", "exact")
    won = {name: [r.won for r in play_games(find_policy(name)(config), config, range(1000))] for name in names}
    wins = [sum(games) for games in won.values()]
    assert wins == sorted(wins)
    assert wins[0] + 100 < wins[1] < wins[2] - 10
    counted = play_games(find_policy("bayes:prior=count")(config), config, range(300))
    assert [record.won for record in counted] == won["exact"][:300]
