"""The agents of Antimatroid (2012) in the blog's own experiment: 9x9, 1 to 10 mines, first click unprotected."""

import math

import numpy as np
import pytest
from support.naive_game import neighbours
from support.policies import boards_in_play, mcnemar_p_value

from baselines.evaluation.games import play_games
from baselines.evaluation.intervals import mean_interval
from baselines.registry import find_policy
from baselines.scripted.base import Knowledge, apply_local_rules, apply_local_rules_once
from minesweeper_env import BoardConfig

# Win rates of an independent implementation over 1 to 10 mines, 1500 games each.
REFERENCE_GAMES = 1500
RANDOM = [0.783, 0.509, 0.249, 0.114, 0.049, 0.015, 0.006, 0.001, 0.001, 0.001]
SEMI_DETERMINISTIC = [0.990, 0.968, 0.945, 0.913, 0.899, 0.851, 0.818, 0.753, 0.673, 0.606]


def agents_config(mines: int) -> BoardConfig:
    return BoardConfig(9, 9, mines, "any", ("click",))


def won_games(name, config, seeds, seed=0, **options) -> list[bool]:
    return [record.won for record in play_games(find_policy(name, **options)(config, seed), config, seeds)]


@pytest.mark.parametrize("mines", range(1, 11))
@pytest.mark.parametrize(("name", "references"), [("random", RANDOM), ("semi_deterministic", SEMI_DETERMINISTIC)])
def test_win_rates_are_those_of_an_independent_implementation(name, references, mines):
    games, reference = 1500, references[mines - 1]
    won = won_games(name, agents_config(mines), range(games))
    pooled = (sum(won) + reference * REFERENCE_GAMES) / (games + REFERENCE_GAMES)
    error = math.sqrt(pooled * (1 - pooled) * (1 / games + 1 / REFERENCE_GAMES))
    # With 20 comparisons, a normal deviate beyond 3.5 occurs in one set of a hundred.
    assert abs(sum(won) / games - reference) < 3.5 * error


@pytest.mark.parametrize("mines", [1, 3])
def test_marginal_is_as_good_as_random(mines):
    """A single fit fixes the order of the clicks, which may be a lucky one. The test therefore averages over fits."""
    config, games, fits = agents_config(mines), 100, 60
    differences, one, other = [], [], []
    for fit in range(fits):
        seeds = range(fit * games, (fit + 1) * games)
        marginal = won_games("marginal", config, seeds, seed=fit, fit_games=60, fit_seed=fit)
        rand = won_games("random", config, seeds, seed=fit)
        differences.append((sum(marginal) - sum(rand)) / games)
        one, other = one + marginal, other + rand
    interval = mean_interval(differences)
    assert interval is not None
    assert -0.03 < interval[0] < 0 < interval[1] < 0.03
    assert mcnemar_p_value(one, other) > 0.05


@pytest.mark.parametrize("mines", [3, 5, 7])
def test_agents_rank_as_in_the_plots_of_the_blog(mines):
    config, seeds = agents_config(mines), range(1000)
    names = ("random", "marginal", "conditional", "graphical_source", "graphical", "semi_deterministic")
    won = {name: won_games(name, config, seeds) for name in names}
    # Each step of the blog's ranking is significant; its conditional and graphical models are close.
    for weaker, stronger in (
        ("random", "conditional"),
        ("marginal", "conditional"),
        ("marginal", "graphical_source"),
        ("conditional", "semi_deterministic"),
        ("graphical_source", "semi_deterministic"),
        ("graphical_source", "graphical"),
        ("conditional", "graphical"),
        ("graphical", "semi_deterministic"),
    ):
        assert sum(won[weaker]) < sum(won[stronger])
        assert mcnemar_p_value(won[weaker], won[stronger]) < 1e-4
    assert abs(sum(won["conditional"]) - sum(won["graphical_source"])) < 100


def test_one_pass_finds_nothing_only_where_many_passes_find_nothing():
    config = BoardConfig(8, 8, 14, "opening", ("click",))
    boards = boards_in_play(config, 300)
    once, closed = Knowledge(boards, config), Knowledge(boards, config)
    apply_local_rules_once(once)
    apply_local_rules(closed)
    assert not (once.safe & ~closed.safe).any()
    assert (once.safe != closed.safe).any()
    stuck = ~once.safe.any(axis=(1, 2))
    assert 100 < stuck.sum() < len(boards) - 100
    assert (stuck == ~closed.safe.any(axis=(1, 2))).all()
    # Both guess on the same boards among the same cells, so they win equally often.
    assert (once.unknown[stuck] == closed.unknown[stuck]).all()


def semi_deterministic_by_hand(board: np.ndarray) -> tuple[set, set]:
    """Returns the inferred mines and the cells to expose, by the blog's pseudocode with corrected indices."""
    locations = list(np.ndindex(board.shape))
    around = {cell: neighbours(*board.shape, cell) for cell in locations}
    covered = {cell for cell in locations if board[cell] > 8}
    edges = {cell: len(around[cell] & covered) for cell in locations}
    mines = set()
    for cell in locations:
        if cell not in covered and board[cell] != 0 and board[cell] == edges[cell]:
            mines |= around[cell] & covered
    inferred = {cell: len(around[cell] & mines) for cell in locations}
    safe = set()
    for cell in locations:
        if cell not in covered and inferred[cell] == board[cell]:
            safe |= around[cell] & covered - mines
    return mines, safe


def test_inference_is_that_of_the_pseudocode():
    config = BoardConfig(6, 6, 7, "safe", ("click",))
    boards = boards_in_play(config, 100)
    knowledge = Knowledge(boards, config)
    find_policy("semi_deterministic")(config).deduce(knowledge)
    found = 0
    for i, board in enumerate(boards):
        mines, safe = semi_deterministic_by_hand(board)
        assert set(zip(*np.nonzero(knowledge.mine[i]), strict=True)) == mines
        assert set(zip(*np.nonzero(knowledge.safe[i]), strict=True)) == safe
        found += bool(mines) and bool(safe)
    assert found > 50


@pytest.mark.parametrize("alternative", ["random", "marginal", "conditional", "graphical_source", "graphical"])
def test_alternatives_guess_among_the_cells_that_are_not_inferred_mines(alternative):
    config = BoardConfig(6, 6, 8, "safe", ("click",))
    policy = find_policy("semi_deterministic", alternative=alternative)(config)
    boards = boards_in_play(config, 60)
    masks = (boards > 8).reshape(len(boards), -1).astype(np.int8)
    actions = policy.act(boards, masks)
    for board, action in zip(boards, actions.tolist(), strict=True):
        mines, safe = semi_deterministic_by_hand(board)
        cell = divmod(action, 6)
        assert cell in safe if safe else cell not in mines


def test_a_better_alternative_wins_more():
    config, seeds = agents_config(10), range(1500)
    plain = won_games("semi_deterministic", config, seeds)
    better = won_games("semi_deterministic:alternative=graphical", config, seeds)
    assert sum(plain) < sum(better)
    assert mcnemar_p_value(plain, better) < 1e-3
