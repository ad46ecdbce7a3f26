"""Scripted policies: deductions, guesses and playing strength."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from support.policies import all_layouts, boards_in_play, click_config, consistent_layouts, mcnemar_p_value

from baselines import make_policy, policy_names
from baselines.checks import number_within
from baselines.evaluation.games import play_games
from baselines.registry import find_policy
from baselines.scripted.base import Knowledge
from baselines.scripted.subset import ExpectedValuePolicy, SubsetPolicy
from minesweeper_env import HIDDEN, BoardConfig, MinesweeperEnv
from minesweeper_env.inference import mine_probabilities
from minesweeper_env.text.rewards import reward_weights

FAST = ["random", "straightforward", "subset", "expected_value", "expected_value_source"]


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        *product(
            ["straightforward", "subset", "subset:deduction=counts"], [(4, 4, 4), (5, 3, 3), (2, 7, 5), (4, 4, 9)]
        ),
        ("subset:deduction=source", (4, 4, 4)),
    ],
)
def test_deductions_hold_in_every_layout(name, shape):
    config = click_config(*shape, "safe")
    layouts = all_layouts(config)
    boards = boards_in_play(config, 60)
    knowledge = Knowledge(boards, config)
    find_policy(name)(config).deduce(knowledge)
    assert knowledge.safe.any()
    assert knowledge.mine.any()
    for i, board in enumerate(boards):
        possible = consistent_layouts(board, layouts)
        assert len(possible) > 0
        assert not possible[:, knowledge.safe[i]].any()
        assert possible[:, knowledge.mine[i]].all()


def test_number_of_mines_opens_cells_that_no_count_sees():
    board = np.array([[[HIDDEN, 1, HIDDEN, HIDDEN, HIDDEN, HIDDEN, HIDDEN]]], np.int8)
    for mines, safe, mine in ((1, [3, 4, 5, 6], []), (2, [], []), (5, [], [3, 4, 5, 6])):
        knowledge = Knowledge(board, click_config(1, 7, mines, "any"))
        SubsetPolicy(knowledge.config).deduce(knowledge)
        assert np.flatnonzero(knowledge.safe[0]).tolist() == safe
        assert np.flatnonzero(knowledge.mine[0]).tolist() == mine


def test_expected_value_is_the_mean_share():
    # Two counts see the middle cell: 1 of 2 and 2 of 3 unknown cells are mines; one known mine is left out.
    config = click_config(2, 6, 4, "any")
    board = np.array([[[HIDDEN] * 6, [1, 2, HIDDEN, HIDDEN, HIDDEN, HIDDEN]]], np.int8)
    knowledge = Knowledge(board, config)
    risks = ExpectedValuePolicy(config).risks(knowledge)[0]
    assert risks[0, 0] == pytest.approx((1 / 2 + 2 / 4) / 2)
    assert risks[0, 2] == pytest.approx(2 / 4)
    assert risks[0, 5] == pytest.approx(4 / 10)
    knowledge.record(np.zeros_like(knowledge.open), np.eye(1, 12, 0, dtype=bool).reshape(1, 2, 6))
    risks = ExpectedValuePolicy(config).risks(knowledge)[0]
    assert risks[0, 1] == pytest.approx((0 / 1 + 1 / 3) / 2)
    assert risks[0, 5] == pytest.approx(3 / 9)


@pytest.mark.parametrize("name", FAST)
def test_first_click_is_spread_over_the_board(name):
    config = click_config(4, 5, 3)
    policy = find_policy(name)(config, seed=1)
    actions = policy.act(np.full((2000, 4, 5), HIDDEN, np.int8), np.ones((2000, 20), np.int8))
    counts = np.bincount(actions, minlength=20)
    assert (np.abs(counts - 100) < 5 * np.sqrt(95)).all()


@pytest.mark.parametrize("name", [*FAST, "subset:deduction=source"])
def test_random_choices_depend_on_the_seed_alone(name):
    config = click_config(8, 8, 14)
    policy = find_policy(name)(config, seed=3)
    first = play_games(policy, config, range(30))
    policy.reset(3)
    assert play_games(policy, config, range(30)) == first
    policy.reset(4)
    assert play_games(policy, config, range(30)) != first


@pytest.mark.parametrize("name", policy_names())
def test_hidden_mines_do_not_matter(name):
    config = find_policy(name)(click_config(4, 4, 4, "any")).config
    layouts, policy = all_layouts(config), find_policy(name)(config, seed=7)
    compared = 0
    for layout in layouts[:: len(layouts) // 12]:
        corner = int(np.flatnonzero(~layout.ravel())[0])
        env = MinesweeperEnv(4, 4, "any", config.moves)
        env.reset(options={"layout": layout})
        board, _, ended, *_ = env.step(corner)
        twins = consistent_layouts(board, layouts)
        if ended or len(twins) < 2:
            continue
        answers = set()
        for twin in twins[[0, -1]]:
            env.reset(options={"layout": twin})
            observation, *_, info = env.step(corner)
            policy.reset(7)
            answers.add(int(policy.act(observation[None], info["action_mask"][None])[0]))
        assert len(answers) == 1
        compared += 1
    assert compared >= 5


def test_flags_are_no_evidence_and_are_never_clicked():
    config = BoardConfig(3, 3, 2, "any", ("click", "flag"))
    env = MinesweeperEnv(3, 2, "any", ("click", "flag"))
    env.reset(seed=1)
    for cell in range(8):
        observation, *_, info = env.step(9 + cell)
    for name in FAST:
        policy = find_policy(name)(config)
        assert policy.act(observation[None], info["action_mask"][None]).tolist() == [8]
    observation, *_, info = env.step(9 + 8)
    action = find_policy("subset")(config).act(observation[None], info["action_mask"][None])
    assert info["action_mask"][action] == 1


@pytest.mark.parametrize(
    "name", ["semi_deterministic", "subset:deduction=source", *FAST[1:], "bayes", "exact", "lookahead", "optimal"]
)
def test_a_flag_on_the_only_safe_cell_does_not_lead_to_a_known_mine(name):
    # Both neighbours of the 2 are mines, so the flagged neighbour of the 1 is safe; the last two cells hold one mine.
    board = np.array([[HIDDEN, 2, HIDDEN, 1, 9, HIDDEN, HIDDEN]], np.int8)
    policy = find_policy(name)(click_config(1, 7, 3, "any"))
    assert {int(policy.act(board, board.ravel() == HIDDEN)) for _ in range(20)} <= {5, 6}


def test_each_policy_is_stronger_than_the_one_before():
    config = click_config(8, 8, 14)
    won = {name: [r.won for r in play_games(find_policy(name)(config), config, range(400))] for name in FAST[:3]}
    for weaker, stronger in pairwise(won.values()):
        assert sum(weaker) < sum(stronger)
        assert mcnemar_p_value(weaker, stronger) < 1e-4


@pytest.mark.parametrize(
    ("name", "options", "allowed"),
    [
        ("marginal", "fit_games", {0: "at least 1", 1_000_001: "1 to 1000000"}),
        ("conditional", "fit_seed", {"x": "whole number"}),
        ("conditional", "radius", {6: "1 to 5"}),
        ("conditional", "choice", {"best": "largest, class"}),
        ("semi_deterministic", "alternative", {"subset": "random, marginal"}),
        ("bayes", "inference", {"exact": "native, pgmpy"}),
        ("bayes", "prior", {"flat": "binomial, count"}),
        ("bayes_source", "flag_threshold", {1.1: "0 to 1", float("nan"): "0 to 1"}),
        ("exact", "first", dict.fromkeys([-1, 30, 2.5, "learned"], "exact, middle or a cell of 0 to 29")),
        ("lookahead", "layouts", {-1: "at least 0", 1.5: "whole number", 10**9: "0 to 1000000"}),
        ("lookahead", "nodes", {0: "at least 1"}),
        ("lookahead", "slack", {-0.1: "at least 0"}),
        ("lookahead", "clicks", {0: "1", 3: "1"}),
        ("rollout", "draws", {1: "at least 2", 10.5: "whole number", 10**9: "2 to 1000000"}),
        ("rollout", "ends", {0: "at least 1", 10**9: "1 to 1000000"}),
        ("rollout", "layouts", {10**9: "0 to 1000000"}),
        ("rollout", "margin", {-0.1: "at least 0", "wide": "at least 0"}),
    ],
)
def test_options_that_are_not_allowed_are_named(name, options, allowed):
    for value, said in allowed.items():
        with pytest.raises(ValueError, match=rf"^{options} must be .*{said}"):
            make_policy(name, size=(5, 6), mines=6, **{options: value})


@pytest.mark.parametrize("number", [np.int64(1), np.float32(1), Fraction(1)])
def test_numbers_of_numpy_and_fractions_count_as_numbers(number):
    assert number_within("discount", number, 0, 1) == 1
    assert reward_weights({"win": number}) == {"win": 1}
    assert mine_probabilities([[HIDDEN]], 1, prior=number / 2) == 0.5


@pytest.mark.parametrize("number", [True, "1", float("nan"), float("inf"), 10**400])
def test_what_no_float_holds_is_no_number(number):
    for read in (lambda: number_within("discount", number, 0), lambda: reward_weights({"win": number})):
        with pytest.raises(ValueError, match=r"must be a .*number"):
            read()
    with pytest.raises(ValueError, match="prior must be a number"):
        mine_probabilities([[HIDDEN]], 1, prior=number)
