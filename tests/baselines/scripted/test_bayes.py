"""Bayesian network of a board against the oracle and the naive reference; and the policy that uses it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import naive_inference as naive
from support.policies import moments

from baselines import make_policy
from baselines.cli import evaluate
from baselines.evaluation.games import play_games
from baselines.registry import build_policy
from baselines.scripted import bayes_network
from baselines.scripted.bayes_network import (
    NetworkPosteriors,
    choose_order,
    clue_table,
    elimination_size,
    neighbour_lists,
    subnetwork,
    sweep_order,
    sweep_width,
    total_table,
)
from minesweeper_env import HIDDEN, BoardConfig
from minesweeper_env.inference import PositionTooHardError, mine_probabilities

PRIORS = ("binomial", "count")
COUNTER_EXAMPLE = ("***10", "**210", "**200", "**200", "**100")
"""A position of a game of Antolín & de la Torre's program, 5 x 5 with 5 mines."""


def read(*lines: str) -> np.ndarray:
    return np.array([[HIDDEN if sign == "*" else int(sign) for sign in line] for line in lines], np.int8)


def config_of(rows: int, cols: int, mines: int) -> BoardConfig:
    return BoardConfig(rows, cols, mines, "any", ("click",))


def lattice() -> tuple[np.ndarray, int]:
    """Returns a board whose clues form one component, on every second line, and its number of mines."""
    laid = np.zeros((5, 6), np.int8)
    laid[[0, 0, 1, 2, 3, 4], [1, 4, 3, 0, 5, 2]] = 1
    counts = np.lib.stride_tricks.sliding_window_view(np.pad(laid, 1), (3, 3)).sum(axis=(2, 3))
    shown = np.zeros((5, 6), np.bool_)
    shown[[1, 1, 3, 3, 3], [1, 4, 0, 2, 4]] = True
    return np.where(shown, counts, HIDDEN).astype(np.int8), 6


@st.composite
def positions(draw, longest: int = 4) -> tuple[np.ndarray, int]:
    """Draws a board on which some free cells of a random layout are open, and its number of mines."""
    rows, cols = draw(st.integers(1, longest)), draw(st.integers(2, longest))
    cells = rows * cols
    mines = draw(st.integers(1, cells - 1))
    laid = np.zeros(cells, np.int8)
    laid[draw(st.permutations(range(cells)))[:mines]] = 1
    opened = np.array(draw(st.lists(st.booleans(), min_size=cells, max_size=cells)))
    padded = np.pad(laid.reshape(rows, cols), 1)
    counts = np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).sum(axis=(2, 3))
    board = np.where(opened.reshape(rows, cols) & (laid.reshape(rows, cols) == 0), counts, HIDDEN)
    return board.astype(np.int8), mines


@settings(max_examples=30, deadline=None)
@given(positions(), st.sampled_from(PRIORS))
def test_pgmpy_and_the_oracle_and_the_reference_agree(position, prior):
    board, mines = position
    density = mines / board.size if prior == "binomial" else None
    found = NetworkPosteriors(config_of(*board.shape, mines), prior).mine_probabilities(board)
    native = mine_probabilities(board, mines, prior=density)
    assert np.abs(found - native).max() < 1e-9
    assert np.abs(found - naive.mine_probabilities(board, mines, prior=density)).max() < 1e-9


@pytest.mark.parametrize("prior", PRIORS)
def test_they_agree_on_boards_that_are_met_in_play(prior):
    config = BoardConfig(8, 8, 14, "opening", ("click",))
    asked = NetworkPosteriors(config, prior)
    for board, _ in moments(config, 2)[::9]:
        native = mine_probabilities(board, 14, prior=14 / 64 if prior == "binomial" else None)
        assert np.abs(asked.mine_probabilities(board) - native).max() < 1e-9


@pytest.mark.parametrize("size", [8, 10])
def test_they_agree_on_dense_boards_where_the_number_of_mines_is_known(size, monkeypatch):
    entries = []

    def note(*call):
        order, largest = choose_order(*call)
        entries.append(largest)
        return order, largest

    monkeypatch.setattr(bayes_network, "choose_order", note)
    config = BoardConfig(size, size, 25, "opening", ("click",))
    asked = NetworkPosteriors(config, "count")
    for board, _ in moments(config, 1)[5::12]:
        assert np.abs(asked.mine_probabilities(board) - mine_probabilities(board, 25)).max() < 1e-9
    assert len(entries) > 10
    assert max(entries) <= 1 << 20 < bayes_network.MAX_ENTRIES


@pytest.mark.parametrize("prior", PRIORS)
def test_a_shown_mine_is_evidence(prior):
    board = np.array([[12, 2, 11, 11], [11, 11, 11, 11]], np.int8)
    density = 3 / 8 if prior == "binomial" else None
    found = NetworkPosteriors(config_of(2, 4, 3), prior).mine_probabilities(board)
    assert found == pytest.approx(naive.mine_probabilities(board, 3, prior=density), abs=1e-9)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_sweep_gives_the_same_as_the_greedy_order(prior, monkeypatch):
    board, mines = lattice()
    expected = mine_probabilities(board, mines, prior=mines / 30 if prior == "binomial" else None)
    monkeypatch.setattr(bayes_network, "greedy_size", lambda *_: 1 << 40)
    assert np.abs(NetworkPosteriors(config_of(5, 6, mines), prior).mine_probabilities(board) - expected).max() < 1e-9


def test_the_greedy_order_makes_the_tables_that_were_foretold(monkeypatch):
    import opt_einsum
    from pgmpy.inference import ExactInference

    foretold, made = [], []

    def spy(*operands, optimize):
        _, plan = opt_einsum.contract_path(*operands, optimize=optimize)
        made.append(int(plan.largest_intermediate))
        return opt_einsum.contract(*operands, optimize=optimize)

    def note(*call):
        order, size = choose_order(*call)
        assert order == "greedy"
        foretold.append(size)
        return order, size

    monkeypatch.setattr(ExactInference, "contract", spy)
    monkeypatch.setattr(bayes_network, "choose_order", note)
    board, mines = lattice()
    for prior in PRIORS:
        NetworkPosteriors(config_of(5, 6, mines), prior).mine_probabilities(board)
    assert len(made) > 10
    assert foretold == made


@settings(max_examples=150, deadline=None)
@given(st.integers(1, 7), st.integers(1, 9), st.randoms(use_true_random=False), st.floats(0.05, 0.6))
def test_no_sweep_is_wider_than_the_bound(short, long, random, fraction):
    config = config_of(short, long, 1) if short * long > 1 else config_of(1, 2, 1)
    opened = {cell for cell in range(config.cells) if random.random() < fraction}
    neighbours = neighbour_lists(config)
    unknown = [set(neighbours[cell]) - opened for cell in opened]
    scopes = [[str(cell)] for cell in range(config.cells) if cell not in opened]
    scopes += [sorted(map(str, cells)) for cells in unknown if cells]
    hidden = [str(cell) for cell in sweep_order(config) if cell not in opened]
    for asked in hidden[:1] + hidden[-1:]:
        size = elimination_size(scopes, dict.fromkeys(hidden, 2), [cell for cell in hidden if cell != asked])
        assert size <= 1 << sweep_width(min(config.rows, config.cols))


def test_what_a_worst_board_could_need():
    assert [sweep_width(side) for side in (1, 5, 8, 10, 13)] == [3, 12, 17, 20, 25]


@pytest.mark.parametrize("prior", PRIORS)
def test_the_network_of_a_whole_board_is_valid(prior):
    from pgmpy.models import DiscreteBayesianNetwork

    network = subnetwork(config_of(5, 6, 7), prior, range(30), range(30))
    assert isinstance(network, DiscreteBayesianNetwork)
    assert network.check_model()
    assert len(network.nodes()) == (60 if prior == "binomial" else 90)
    assert set(network.get_parents("Y_0_0")) == {"X_0_1", "X_1_0", "X_1_1"}
    assert set(network.get_parents("Y_2_2")) == {f"X_{r}_{c}" for r in (1, 2, 3) for c in (1, 2, 3)} - {"X_2_2"}
    assert network.get_cpds("X_4_5").get_values().ravel().tolist() == pytest.approx([23 / 30, 7 / 30])
    assert network.get_cpds("Y_2_2").get_values().tolist() == clue_table(8).tolist()
    if prior == "count":
        assert network.get_cardinality("T_4_5") == 9
        assert set(network.get_parents("T_1_0")) == {"T_0_0", "X_1_0"}


def test_tables():
    assert clue_table(2).tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    assert clue_table(8).shape == (9, 256)
    assert total_table(2, 1).tolist() == [[1, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]
    assert total_table(3, 1).tolist() == [[1, 0, 0, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1]]


def test_one_query_serves_exchangeable_cells_and_none_is_repeated():
    asked = NetworkPosteriors(config_of(4, 7, 4))
    board = read("*1*****", "*******", "*******", "*****2*")
    first = asked.mine_probabilities(board)
    assert asked.queries == 2
    assert (asked.mine_probabilities(np.where(board == HIDDEN, 9, board).astype(np.int8)) == first).all()
    assert asked.queries == 2
    # The clue on the left is in another component, which has not changed.
    board[2, 4] = 1
    asked.mine_probabilities(board)
    assert asked.queries == 2 + 3


@pytest.mark.parametrize(
    ("config", "prior", "message"),
    [
        (config_of(16, 16, 40), "binomial", r"16x16 with 40 mines is too large for pgmpy.*2\^30.0 entries"),
        (config_of(14, 20, 5), "count", r"14x20 with 5 mines is too large for pgmpy"),
        (BoardConfig(5, 5, 3, "any", ("click",), radius=2), "binomial", "needs radius 1, not 2"),
    ],
)
def test_boards_that_are_too_large_are_refused(config, prior, message):
    with pytest.raises(ValueError, match=message):
        build_policy("bayes", config, inference="pgmpy", prior=prior)
    build_policy("bayes", config, prior=prior)


@pytest.mark.parametrize("prior", PRIORS)
def test_the_boards_of_antolin_and_de_la_torre_are_not(prior):
    for size, mines in ((5, 7), (8, 25), (10, 25)):
        NetworkPosteriors(config_of(size, size, mines), prior)


def test_a_position_that_needs_too_large_a_table_is_refused_before_any_is_made(monkeypatch):
    from pgmpy.inference import VariableElimination

    board, mines = lattice()
    asked = NetworkPosteriors(config_of(5, 6, mines), "count")
    covered = np.full_like(board, HIDDEN)
    monkeypatch.setattr(bayes_network, "MAX_ENTRIES", 1 << 8)
    assert np.abs(asked.mine_probabilities(covered) - mines / 30).max() < 1e-9
    monkeypatch.setattr(VariableElimination, "query", lambda *_, **__: pytest.fail("a table was made"))
    with pytest.raises(PositionTooHardError, match=r"a position of 5x6 with 6 mines .* entries, and 2\^8 are allowed"):
        asked.mine_probabilities(board)


def test_evaluation_ends_with_one_line_at_a_position_that_is_too_large(monkeypatch, capsys, tmp_path):
    def largest(config, network, node, evidence):
        order, entries = choose_order(config, network, node, evidence)
        return order, entries if all(name[0] != "Y" for name in evidence) else 1 << 30

    monkeypatch.setattr(bayes_network, "choose_order", largest)
    games = ["--size", "5", "--mines", "5", "--games", "2", "--json", str(tmp_path / "results.json")]
    assert evaluate.main(["--policy", "subset", "bayes:inference=pgmpy,prior=count", *games]) == 1
    last = capsys.readouterr().err.splitlines()[-1]
    assert last.startswith(
        "python -m baselines evaluate: a position of 5x5 with 5 mines is too large for pgmpy: a table needs 2^30.0"
    )
    assert [row["policy"] for row in json.loads((tmp_path / "results.json").read_text())["results"]] == ["subset"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"inference": "exact"}, "inference must be one of native, pgmpy, not 'exact'"),
        ({"prior": "flat"}, "prior must be one of binomial, count, not 'flat'"),
        ({"open_threshold": 1.2}, "open_threshold must be a number of 0 to 1, not 1.2"),
        ({"flag_threshold": -0.1}, "flag_threshold must be a number of 0 to 1"),
        ({"flag_threshold": float("nan")}, "flag_threshold must be a number of 0 to 1"),
        ({"open_threshold": "high"}, "open_threshold must be a number of 0 to 1"),
    ],
)
def test_options_that_are_not_allowed(options, message):
    with pytest.raises(ValueError, match=message):
        make_policy("bayes", **options)


def test_the_cell_that_logic_clears_has_mine_probability_0():
    board = read(*COUNTER_EXAMPLE)
    for prior in PRIORS:
        assert NetworkPosteriors(config_of(5, 5, 5), prior).mine_probabilities(board)[4, 1] == 0.0
    policy = make_policy("bayes", size=5, mines=5, first_click="any")
    click = policy.act(board[None], (board == HIDDEN).reshape(1, -1).astype(np.int8))[0]
    assert mine_probabilities(board, 5).ravel()[click] == 0.0


@pytest.mark.parametrize("inference", ["native", "pgmpy"])
def test_each_click_is_certain_or_of_least_risk(inference):
    config = BoardConfig(5, 5, 6, "opening", ("click",))
    policy = build_policy("bayes", config, inference=inference)
    risky = 0
    for board, _ in moments(config, 10):
        if (board > 8).all():
            continue
        risks = naive.mine_probabilities(board, 6, prior=6 / 25)
        click = policy.act(board[None], (board > 8).reshape(1, -1).astype(np.int8))[0]
        assert board.ravel()[click] > 8
        assert risks.ravel()[click] <= risks[board > 8].min() + 1e-9
        risky += risks.ravel()[click] > 0
    assert policy.counters["guesses"] == risky > 0
    assert policy.counters["queries"] > risky


def test_pgmpy_plays_the_games_that_native_plays():
    config = BoardConfig(5, 5, 5, "opening", ("click",))
    for prior in PRIORS:
        native = play_games(build_policy("bayes", config, prior=prior), config, range(4))
        assert play_games(build_policy("bayes", config, prior=prior, inference="pgmpy"), config, range(4)) == native


def test_with_the_number_of_mines_known_it_is_exact():
    config = BoardConfig(8, 8, 14, "opening", ("click",))
    won = [
        [r.won for r in play_games(build_policy(n, config), config, range(300))] for n in ("bayes:prior=count", "exact")
    ]
    assert won[0] == won[1]


def click_of(board: np.ndarray, mines: int, **options: float) -> int:
    policy = make_policy("bayes", size=board.shape, mines=mines, first_click="any", **options)
    return int(policy.act(board[None], (board == HIDDEN).reshape(1, -1).astype(np.int8))[0])


def test_open_threshold_treats_likely_safe_cells_as_certain():
    # The neighbours of the 1 have mine probability 1 / 5; the far cells keep the prior 2 / 12.
    board = read("*1****", "******")
    assert click_of(board, 2) in (3, 4, 5, 9, 10, 11)
    # With 1 / 5 treated as safe, the cell with the most open neighbours comes first.
    assert click_of(board, 2, open_threshold=0.8) == 0
    assert click_of(board, 2, open_threshold=0.9) == click_of(board, 2)


def test_flag_threshold_treats_likely_mines_as_known():
    # Under the prior 1 / 8 the middle cell is the only mine with probability 7 / 8; else both outer cells are.
    board = read("*1*1****")
    config = config_of(1, 8, 1)
    policy = build_policy("bayes", config, flag_threshold=0.8)
    policy.act(board[None], (board == HIDDEN).astype(np.int8))
    assert policy.counters == {"guesses": 0, "queries": 3 + 2}
    other = build_policy("bayes", config)
    other.act(board[None], (board == HIDDEN).astype(np.int8))
    assert other.counters == {"guesses": 1, "queries": 3}


def test_mines_that_cannot_all_be_are_not_treated_as_known():
    board = read("*1****", "******")
    assert click_of(board, 2, flag_threshold=0.1) == click_of(board, 2)


def test_contradictory_board_gets_a_legal_click():
    board = np.array([[[HIDDEN, HIDDEN, 2, HIDDEN], [HIDDEN, 3, 1, HIDDEN]]], np.int8)
    mask = (board == HIDDEN).reshape(1, 8)
    for name in ("straightforward", "subset", "expected_value", "bayes", "bayes:inference=pgmpy"):
        with np.errstate(invalid="ignore", divide="ignore"):
            action = make_policy(name, size=(2, 4), mines=2, first_click="any").act(board, mask)
        assert mask[0, action[0]]


def test_bayes_plays_and_repeats_itself():
    config = BoardConfig(6, 6, 6, "opening", ("click",))
    policy = build_policy("bayes", config, seed=1)
    records = play_games(policy, config, range(15))
    policy.reset(1)
    assert play_games(policy, config, range(15)) == records
    assert sum(record.won for record in records) >= 8


def test_bayes_lies_between_subset_and_exact():
    config = BoardConfig(8, 8, 14, "opening", ("click",))
    won = {
        name: sum(record.won for record in play_games(build_policy(name, config), config, range(1000)))
        for name in ("subset", "bayes:flag_threshold=0.79", "bayes", "exact")
    }
    assert list(won.values()) == sorted(won.values())
    assert won["subset"] + 100 < won["bayes"]
    assert won["bayes"] + 10 < won["exact"]


def test_bayes_plays_the_expert_board():
    config = BoardConfig(16, 30, 99, "opening", ("click",))
    records = play_games(build_policy("bayes", config), config, range(4))
    assert len(records) == 4
    assert not any(record.truncated for record in records)
