"""Replay buffer, thinned rollouts, hindsight and distillation: stored transitions, outcomes of games, targets."""

import numpy as np
import pytest
import torch
from support.positions import counts_of
from support.tiny_training import BOTH, learn, make_model, one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned import dqn
from baselines.learned.common.multi_board import BoardSlot
from baselines.learned.common.replay_buffer import RingBuffer, ThinnedReplayBuffer, keep_probabilities
from baselines.learned.common.vec_env import MinesweeperVecEnv
from baselines.learned.dqn import distillation_loss
from baselines.learned.networks import click_masks, unopened
from baselines.learned.ppo import ThinnedRolloutBuffer
from minesweeper_env.config import BoardConfig
from minesweeper_env.inference import mine_probabilities

BOARD = BoardConfig(4, 5, 3, moves=("click",))


def empty_slot(size):
    env = MinesweeperVecEnv(BOARD, 1)
    buffer = ThinnedReplayBuffer(size, env.observation_space, env.action_space, device="cpu")
    return BoardSlot(env, 1, buffer, None, None, None)


def add(slot, numbers, chosen=None):
    marks = slot.games = np.asarray(numbers)
    boards = np.zeros((len(numbers), 4, 5), np.int8) + marks[:, None, None].astype(np.int8)
    ends = {"next_observations": boards + 1, "rewards": marks.astype(np.float32), "dones": marks % 2 == 0}
    stored = np.ones(len(numbers), bool) if chosen is None else np.asarray(chosen)
    slot.store(stored, observations=boards, actions=marks, **ends)


def test_the_buffer_keeps_the_latest_of_the_chosen():
    slot = empty_slot(5)
    buffer = slot.buffer
    add(slot, [1, 2, 3, 4], chosen=[True, False, True, True])
    assert buffer.size == 3
    add(slot, [5, 6, 7])
    assert (buffer.size, buffer.added) == (5, 6)
    assert sorted(buffer.columns["actions"][:, 0]) == [3, 4, 5, 6, 7]
    torch.manual_seed(0)
    sample = buffer.sample(500)
    counts = np.bincount(sample.actions[:, 0].numpy(), minlength=8)
    assert counts[:3].sum() == 0 < 60 < counts[3:].min()
    marks = sample.actions[:, 0]
    assert torch.equal(sample.observations[:, 0, 0].long(), marks)
    assert torch.equal(sample.next_observations[:, 3, 4].long(), marks + 1)
    assert torch.equal(sample.rewards[:, 0].long(), marks)
    assert torch.equal(sample.dones[:, 0] == 1, marks % 2 == 0)
    assert (sample.safe == -1).all()


@pytest.mark.parametrize(("stored", "expected"), [(3, [8, 1, 2, 7]), (4, [7, 8, 2, 3]), (6, [4, 5, 7, 8])])
def test_rows_fill_in_order_and_wrap_and_a_restored_buffer_goes_on_in_them(stored, expected):
    one, other = empty_slot(4), empty_slot(4)
    for number in range(stored):
        add(one, [number])
    other.buffer.restore(one.buffer.save())
    assert (other.buffer.size, other.buffer.added) == (min(stored, 4), stored)
    for each in (one, other):
        add(each, [7, 8])
        assert each.buffer.columns["actions"][:, 0].tolist() == expected


def test_of_more_rows_than_fit_the_last_ones_stay():
    buffer = RingBuffer(5, numbers=np.zeros(0, np.int8))
    for numbers in ([1, 2], [3, 4, 5, 6], list(range(7, 20))):
        buffer.add(numbers=np.array(numbers, np.int8))
    assert (buffer.size, buffer.added) == (5, 19)
    assert sorted(buffer.columns["numbers"]) == [15, 16, 17, 18, 19]


def test_games_that_end_at_once_label_each_its_own_boards():
    slot, last, numbers = empty_slot(9), np.full((3, 4, 5), 11), [0, 3, 7, 2, 4, 3, 2, 7]
    add(slot, numbers)
    slot.games = np.array([3, 7, 2])  # the second, third and first game of each place
    last[:, 0, :3][np.eye(3, dtype=bool)] = 0
    last[0, 1] = 12  # the mines of a lost game, whose other covered cells are safe
    infos = [{"TimeLimit.truncated": place == 1, "terminal_observation": board} for place, board in enumerate(last)]
    slot.record_ends(np.array([True, True, True]), infos)
    safe = {3: np.arange(20) // 5 != 1, 2: np.arange(20) == 2}
    outcomes = slot.buffer.columns["safe"]
    for number, outcome in zip(numbers, outcomes, strict=False):
        np.testing.assert_array_equal(outcome, safe.get(number, -1))
    assert slot.games.tolist() == [6, 10, 5]
    add(slot, [3, 3, 3])  # in the free row, and in place of the oldest two
    assert (outcomes[[8, 0, 1]] == -1).all()


def test_the_end_of_a_game_labels_no_board_before_its_last_guess():
    slot, safe = empty_slot(6), np.arange(20) % 3 > 0
    slot.games = np.array([1])
    add(slot, slot.games)
    slot.forget(np.array([True]))
    add(slot, slot.games)
    won = {"TimeLimit.truncated": False, "terminal_observation": np.where(safe, 0, 11).reshape(4, 5)}
    slot.record_ends(np.array([True]), [won], losses=False)
    outcomes = slot.buffer.columns["safe"]
    assert (outcomes[0] == -1).all()
    np.testing.assert_array_equal(outcomes[1], safe)


def test_from_won_games_dqn_learns_their_mines_alone(monkeypatch):
    monkeypatch.setattr(dqn, "GUESS", 0.5)  # clicks of an untrained network
    won = {"hindsight_games": "won", "keep_scale": 0.0}
    model = make_model(tiny("dqn", boards=("4x5/2",), envs=50, hyperparameters=won))
    learn(model, 3_000)
    columns = {name: column[: model.slot.buffer.size] for name, column in model.slot.buffer.columns.items()}
    known = columns["safe"][:, 0] >= 0
    assert 20 < known.sum() < 0.9 * len(known)
    assert (columns["rewards"][known] == 1).all()
    for board, safe in zip(columns["observations"][known], columns["safe"][known].reshape(-1, 4, 5), strict=True):
        assert (safe == 0).sum() == 2
        np.testing.assert_array_equal(board[board < 9], counts_of(safe == 0, 1)[board < 9])
        assert (safe[board < 9] == 1).all()


def test_clicks_that_should_be_safe_are_stored_less_often_and_whatever_came_of_them():
    few = {"learning_starts": 100, "replay_ratio": 0.2, "keep_scale": 1.0, "keep_min": 0.3}
    model = make_model(tiny("dqn", boards=("5x5/6",), envs=64, hyperparameters=few))
    clicks, store = [], model._store_transition

    def watched(buffer, actions, boards, outcomes, *ends):
        later = ~unopened(model._last_obs)  # no first clicks
        clicks.append((model._q_of_clicks[later], outcomes[later]))
        store(buffer, actions, boards, outcomes, *ends)

    model._store_transition = watched
    learn(model, 12_000)
    predicted, rewards = map(np.concatenate, zip(*clicks, strict=True))
    stored = model.replay_buffer.columns["rewards"][: model.replay_buffer.size]
    expected = np.clip(1 - predicted, 0.3, 1)
    assert len(stored) == pytest.approx(expected.sum(), rel=0.05)
    assert len(stored) < 0.8 * len(rewards)
    # The frequency of mines among stored clicks follows from the predictions before the click.
    assert (stored == 0).mean() == pytest.approx(expected[rewards == 0].sum() / expected.sum(), abs=0.02)


@pytest.mark.parametrize(("reward", "gamma"), [("win", 0.5), ("win", 0.0), ("safe_click", 0.5)])
def test_nothing_is_thinned_or_learned_in_hindsight_unless_returns_are_safety(reward, gamma):
    model = make_model(tiny("dqn", reward=reward, gamma=gamma, hyperparameters={"consistency": 1.0}))
    assert model.hyperparameters.hindsight == model.hyperparameters.keep_scale == 0
    assert model.hyperparameters.consistency == 0
    learn(model, 600)
    # With gamma 0 first clicks are left out.
    assert (model.replay_buffer.size == model.num_timesteps) == (gamma > 0)


def test_the_teacher_gives_the_oracles_probabilities():
    env = MinesweeperVecEnv(BOARD, 30)
    env.seed(0)
    env.reset()
    for _ in range(2):
        codes, *_ = env.step(env.games.sample_actions())
    boards = torch.as_tensor(codes)
    outputs = torch.zeros(30, 20, requires_grad=True)
    distillation_loss(outputs, boards, BOARD).sum().backward()
    covered = click_masks(boards)
    share = covered / covered.sum(dim=1, keepdim=True)
    safe = torch.as_tensor(np.stack([1 - mine_probabilities(board, 3) for board in codes])).reshape(30, -1)
    torch.testing.assert_close(outputs.grad, (share * (0.5 - safe)).float())


@BOTH
def test_stored_boards_are_labelled_with_what_their_games_showed(algo):
    model = make_model(tiny(algo, boards=("4x5/3", "5x5/4")))
    learn(model, 1_200)
    for slot, mines in zip(model.slots, (3, 4), strict=True):
        assert 0.3 * model.num_timesteps / 2 < slot.buffer.added < slot.drawn
        columns = {name: column[: slot.buffer.size] for name, column in slot.buffer.columns.items()}
        known = columns["safe"][:, 0] >= 0
        assert known.mean() > 0.5
        boards, safe = columns["observations"][known].reshape(known.sum(), -1), columns["safe"][known]
        assert (safe[boards < 9] == 1).all()
        assert ((safe == 0).sum(axis=1) == mines).all()
        if algo == "dqn":
            clicked = np.take_along_axis(safe, columns["actions"][known], axis=1)
            np.testing.assert_array_equal(clicked, columns["rewards"][known])


def test_hindsight_moves_the_critic_towards_what_cells_proved_to_be():
    model = make_model(tiny("ppo", boards=("4x5/3",), hyperparameters={"batch_size": 32, "learning_rate": 1e-2}))
    learn(model, 400)
    for group in model.policy.optimizer.param_groups:
        group["lr"] = 1e-2
    (slot,) = model.slots
    slot.drawn = 4 * slot.buffer.added - 60 * 32
    losses = model.learn_from_buffer(model._hindsight_loss)
    assert np.mean(losses[-10:]) < 0.97 * np.mean(losses[:10])


STEPS, GAMES = 50, 80


@pytest.fixture
def filled():
    """Returns a rollout with values from 0.5 to 1, whose returns are 1 with these probabilities."""
    env = MinesweeperVecEnv(BoardConfig(4, 5, 3, moves=("click",)), 1)
    buffer = ThinnedRolloutBuffer(STEPS, env.observation_space, env.action_space, "cpu", 1.0, 0.0, GAMES)
    generator = np.random.default_rng(7)
    np.random.seed(7)  # noqa: NPY002 - the buffer of Stable-Baselines3 draws from it
    buffer.reset()
    buffer.values = generator.uniform(0.5, 1, (STEPS, GAMES)).astype(np.float32)
    buffer.returns = (generator.random((STEPS, GAMES)) < buffer.values).astype(np.float32)
    buffer.actions[:, :, 0] = np.arange(STEPS * GAMES).reshape(STEPS, GAMES)
    buffer.full = True
    return buffer


def drawn(buffer, batch_size):
    batches = list(buffer.get(batch_size))
    return batches, np.concatenate([batch.actions[:, 0].numpy().astype(int) for batch in batches])


def test_without_thinning_every_step_is_drawn_once(filled):
    batches, steps = drawn(filled, 128)
    assert sorted(steps) == list(range(STEPS * GAMES))
    assert not np.array_equal(steps, np.sort(steps))
    assert {len(batch.actions) for batch in batches} <= {127, 128, 129, 130}
    assert filled.drawn == STEPS * GAMES


def test_the_probability_to_keep_a_step_grows_with_its_expected_loss(filled):
    values, returns = filled.values.ravel().copy(), filled.returns.ravel().copy()
    filled.keep_scale, filled.keep_min = 2.5, 0.25
    batches, steps = drawn(filled, 64)
    assert len(set(steps)) == len(steps) == filled.drawn
    kept = np.zeros(STEPS * GAMES, bool)
    kept[steps] = True
    for low in (0.5, 0.6, 0.7, 0.8, 0.9):
        here = (values >= low) & (values < low + 0.1)
        expected = keep_probabilities(1 - values[here], 2.5, 0.25).mean()
        assert kept[here].mean() == pytest.approx(expected, abs=4 * np.sqrt(0.25 / here.sum()))
        # The kept steps have the returns of all steps: the outcome decides nothing.
        assert returns[here & kept].mean() == pytest.approx(values[here & kept].mean(), abs=0.08)
    np.testing.assert_array_equal(np.concatenate([batch.old_values for batch in batches]), values[steps])
    np.testing.assert_array_equal(np.concatenate([batch.returns for batch in batches]), returns[steps])


def test_there_is_a_minibatch_even_if_every_step_was_certain(filled):
    filled.values[:] = 1.0
    filled.values[3, 4] = 0.9999
    filled.keep_scale, filled.keep_min = 1.0, 1e-9
    _, steps = drawn(filled, 64)
    assert list(steps) == [3 * GAMES + 4]


@pytest.mark.parametrize(
    ("settings", "all_kept"), [({}, False), ({"gamma": 0.5}, True), ({"reward": "progress"}, True)]
)
def test_ppo_thins_where_returns_are_probabilities(settings, all_kept):
    few = {"n_steps": 8, "batch_size": 64, "keep_scale": 0.5, "keep_min": 0.01}
    model = make_model(tiny("ppo", envs=64, hyperparameters=few, **settings))
    learn(model, 512)
    assert (model.rollout_buffer.drawn == 512) == all_kept
