"""DQN that seeks to win: the worth of clicks, its two heads, and what it learns on boards that are known to the end."""

import numpy as np
import pytest
import torch
from support.tiny_training import one_thread, tiny, train_until_cut  # noqa: F401 - one_thread is a fixture

from baselines.evaluation.games import play_games
from baselines.learned.agents.loading import find_agent
from baselines.learned.dqn.two_head import WinSeekingDQN
from baselines.learned.dqn.two_head_buffer import GUESS, UNKNOWN, worths_of_clicks
from baselines.learned.networks.board import EXCESS, BoardNetwork, NetworkSize, rate_clicks
from baselines.learned.networks.masks import safe_cells, unopened
from baselines.learned.training.factory import make_model
from baselines.learned.training.learner import ModelLearner
from baselines.learned.training.run import TrainingRun
from baselines.learned.value.safe_games import SafeGames
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference.optimal import OptimalPlay

HIDDEN = 11


def seeking(**changes):
    return tiny("dqn", reward="win", gamma=1.0, **changes)


def played(length, seed=0):
    generator = np.random.default_rng(seed)
    chances, worths, bests = (generator.random(length).astype(np.float32) for _ in range(3))
    chances[generator.random(length) < 0.5] = 1 - GUESS / 2
    return chances, worths, bests, generator.random(length) < 0.7


def naive_worth(step, chances, worths, bests, greedy, won, decay):
    """The definition, from the front: what the click at `step` proved to be worth."""
    last = len(chances) - 1
    if step == last:
        return 1.0 if won else (worths[last] if chances[last] <= 1 - GUESS else 0.0)
    following = step + 1
    if not greedy[following]:
        return bests[following]
    later = naive_worth(following, chances, worths, bests, greedy, won, decay)
    if chances[following] > 1 - GUESS:
        return later
    return chances[following] * ((1 - decay) * worths[following] + decay * later)


@pytest.mark.parametrize("won", [True, False])
@pytest.mark.parametrize("decay", [0.0, 0.6, 1.0])
@pytest.mark.parametrize("length", [1, 2, 9])
def test_the_worth_of_clicks_is_that_of_the_definition(length, decay, won):
    game = played(length)
    expected = [naive_worth(step, *game, won, decay) for step in range(length)]
    if not won:
        expected[-1] = UNKNOWN
    np.testing.assert_allclose(worths_of_clicks(*game, won, decay), expected, rtol=1e-5)


def test_a_game_won_without_exploring_is_worth_the_product_of_the_chances_of_its_guesses():
    chances, worths, bests, _ = played(6)
    returns = worths_of_clicks(chances, worths, bests, np.ones(6, np.bool_), won=True, decay=1.0)
    guessed = np.where(chances <= 1 - GUESS, chances, 1.0)
    np.testing.assert_allclose(returns, [guessed[step + 1 :].prod() for step in range(6)], rtol=1e-5)


def test_clicks_are_rated_by_the_chance_to_win_where_their_risk_is_near_the_least():
    codes = torch.full((1, 2, 3), HIDDEN)
    codes[0, 1, 2] = 1
    risks = torch.tensor([[0.2, 0.2 * (1 + EXCESS) - 0.01, 0.2 * (1 + EXCESS) + 0.01, 0.9, 0.4, 0.0]])
    worths = torch.tensor([[0.5, 0.9, 1.0, 1.0, 1.0, 1.0]])
    (ratings,) = rate_clicks(torch.logit(1 - risks), torch.logit(worths, eps=1e-6), codes)
    np.testing.assert_allclose(ratings[:2], [0.4, (1 - float(risks[0, 1])) * 0.9], rtol=1e-4)
    assert ratings.argmax() == 1
    assert (ratings[2:] < 0).all()
    assert ratings[2] > ratings[4] > ratings[3]


def test_a_certain_click_comes_before_one_that_is_worth_more():
    codes = torch.full((1, 1, 2), HIDDEN)
    safety, worth = torch.logit(torch.tensor([[0.9999, 0.97]])), torch.logit(torch.tensor([[0.5, 0.9]]))
    assert rate_clicks(safety, worth, codes).argmax() == 0


def test_games_leave_the_worths_of_their_clicks_in_the_buffer():
    settings = seeking(boards=("4x4/3",), steps=100_000)
    model = make_model(settings)
    assert isinstance(model, WinSeekingDQN)
    model.learn(600, log_interval=None)
    buffer = model.replay_buffer
    size = buffer.size()
    known = (buffer.safe[:size] >= 0).all(axis=1)
    assert 0 < known.sum() < size
    clicked = buffer.safe[np.arange(size), buffer.actions[:size]]
    np.testing.assert_array_equal(buffer.worths[:size] == UNKNOWN, ~known | (clicked == 0))
    won = np.array([safe_cells(board).all() for board in buffer.next_observations[:size]]) & (buffer.dones[:size] > 0)
    won &= buffer.rewards[:size] > 0
    np.testing.assert_array_equal(buffer.worths[:size][won], 1.0)
    rest = buffer.worths[:size][known & (clicked == 1) & ~won]
    assert ((rest >= 0) & (rest <= 1)).all()


def test_it_explores_at_guesses_alone():
    model = make_model(seeking(boards=("4x4/3",)))
    model.exploration_rate, model.num_timesteps = 1.0, 10**6
    boards = np.full((8, 4, 4), HIDDEN, np.int8)
    boards[:, 0] = 1
    assert not unopened(boards).any()
    for certain in (True, False):
        chances, ratings = np.full((8, 16), 0.5, np.float32), np.full((8, 16), -1.5, np.float32)
        chances[:, 4:8] = 0.9999 if certain else 0.8
        ratings[:, 4:8] = np.linspace(0.5, 0.6, 4)
        model._opinions = lambda _, said=(chances, chances, ratings): said
        model._last_obs = boards
        model.replay_buffer.lengths[:] = 0
        torch.manual_seed(0)
        actions = np.concatenate([model._sample_action(learning_starts=0)[0] for _ in range(20)])
        assert set(actions) == ({7} if certain else {4, 5, 6, 7})


def test_it_goes_on_exactly_where_it_was(tmp_path):
    settings = seeking(steps=600)
    for name in ("through", "cut"):
        (tmp_path / name).mkdir()
    through = TrainingRun(settings, tmp_path / "through", "")
    steps = through.run().steps
    train_until_cut(settings, tmp_path / "cut", 250)
    resumed = TrainingRun(settings, tmp_path / "cut", "", resume=True)
    assert resumed.run().steps == steps
    for name, weights in through.learner.network().state_dict().items():
        torch.testing.assert_close(resumed.learner.network().state_dict()[name], weights, rtol=0, atol=0)


def test_its_agent_is_loaded_with_both_heads(tmp_path):
    TrainingRun(seeking(), tmp_path, "").run()
    board = BoardConfig(4, 5, 2, moves=("click",))
    policy = find_agent(tmp_path)(board)
    assert policy.network.worth is not None
    assert len(play_games(policy, board, range(10))) == 10


def test_it_may_begin_as_an_agent_without_worths():
    model = make_model(seeking())
    clicks = BoardNetwork.of_size(NetworkSize(4, 1))
    worth = model.network().worth.layer.weight.clone()
    ModelLearner(model).begin_with(clicks)
    torch.testing.assert_close(model.network().head.layer.weight, clicks.head.layer.weight)
    torch.testing.assert_close(model.network().worth.layer.weight, worth)
    with pytest.raises(ValueError, match="do not fit"):
        ModelLearner(model).begin_with(BoardNetwork.of_size(NetworkSize(5, 1)))


@pytest.mark.slow
def test_what_it_learns_comes_near_to_perfect_play():
    """The mean squared error of the chance to win that it sees, on boards where a risk must be taken."""
    settings = seeking(
        boards=("4x4/4",),
        first_click="safe",
        steps=20_000,
        envs=64,
        channels=16,
        depth=3,
        hyperparameters={
            "exploration_final_eps": 0.2,
            "hindsight": 0.2,
            "buffer_size": 2000,
            "learning_starts": 500,
            "replays": 16,
            "learning_rate": 2e-3,
        },
    )
    model = make_model(settings)
    play = OptimalPlay(4, 4, 4, "safe")
    boards = SafeGames(settings.configs[0], 300, np.random.default_rng(11)).guesses().codes
    exact = torch.tensor([float(play.best_click(board).win_probability) for board in boards])

    def squared_error():
        with torch.no_grad():
            best = model.network()(torch.as_tensor(boards), 4).amax(dim=1)
        return float(((best - exact) ** 2).mean())

    before = squared_error()
    model.learn(settings.steps, log_interval=None)
    assert before > 0.1
    assert squared_error() < 0.05


def test_a_decay_that_nothing_would_use_is_refused():
    with pytest.raises(ValueError, match="decay only where it seeks to win"):
        tiny("dqn", hyperparameters={"decay": 0.5})
