"""Learning of `value`: returns, equal work on all boards, exact snapshots, and convergence to perfect play."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
import torch
from support.policies import click_config

from baselines.learned.common.budget import Budget
from baselines.learned.common.tensor_files import read_tensors, write_tensors
from baselines.learned.networks.size import NetworkSize
from baselines.learned.settings.hyperparameters import ValueHyperparameters
from baselines.learned.value.learner import ValueLearner
from baselines.learned.value.network import win_probabilities
from baselines.learned.value.positions import Positions
from baselines.learned.value.safe_games import SafeGames
from baselines.learned.value.trajectories import GuessClicks, Trajectories
from minesweeper_env import BoardConfig
from minesweeper_env.engine.state import PLAYING
from minesweeper_env.inference.optimal import OptimalPlay

BOARDS = [click_config(5, 5, 5), click_config(4, 6, 4)]
SMALL = ValueHyperparameters(
    learning_rate=2e-3, learning_rate_flat=0.5, weight_decay=0.0, batch_size=16, waiting_batches=2, layouts=2
)


class Recorder:
    """Stand-in for the part of a logger that learners use."""

    def __init__(self) -> None:
        self.logged: dict[str, list[float]] = {}

    def record_mean(self, name: str, value: float) -> None:
        self.logged.setdefault(name, []).append(value)


def train(learner: ValueLearner, rounds: int, schedule: int = 1000) -> dict[str, list[float]]:
    """Learns for some rounds, with a learning rate that falls over `schedule` steps; returns the log rows."""
    recorder = Recorder()
    # The last yield comes after the last round.
    for _ in itertools.islice(learner.rounds(Budget(steps=schedule), recorder), rounds + 1):
        pass
    return recorder.logged


def small_learner(seed: int = 0) -> ValueLearner:
    return ValueLearner(BOARDS, NetworkSize(8, 1), seed, SMALL, envs=16)


def assert_same_snapshots(one: ValueLearner, other: ValueLearner) -> None:
    (tensors, state), (others, other_state) = one.snapshot(), other.snapshot()
    assert state == other_state
    assert tensors.keys() == others.keys()
    for name, tensor in tensors.items():
        assert torch.equal(tensor, others[name]), name


def test_a_restored_training_goes_on_bit_for_bit(tmp_path):
    learner = small_learner()
    train(learner, 30)
    tensors, state = learner.snapshot()
    write_tensors(tmp_path / "snapshot.safetensors", tensors, state)
    logged = train(learner, 30)
    assert all(len(values) > 2 for values in logged.values())
    other = small_learner(seed=9)
    other.restore(*read_tensors(tmp_path / "snapshot.safetensors"))
    assert other.steps < learner.steps
    assert train(other, 30) == logged
    assert_same_snapshots(learner, other)


def test_a_snapshot_is_not_changed_by_what_follows():
    learner = small_learner()
    train(learner, 10)
    tensors, state = learner.snapshot()
    train(learner, 20)
    logged, other = train(learner, 10), small_learner()
    other.restore(tensors, state)
    train(other, 20)
    third = small_learner()
    third.restore(tensors, state)
    train(third, 20)
    assert train(third, 10) == logged
    assert_same_snapshots(learner, third)


def test_the_seed_decides_all():
    first, same, other = small_learner(1), small_learner(1), small_learner(2)
    logged = train(first, 20)
    assert train(same, 20) == logged
    assert train(other, 20) != logged


def test_boards_get_equal_work_and_their_figures():
    learner = small_learner()
    logged = train(learner, 100)
    works = [practice.work for practice in learner._practices]
    assert max(works) - min(works) < 0.1 * max(works)
    for board in ("5x5-5", "4x6-4"):
        assert 0.0 < np.mean(logged[f"train/win_rate/{board}"]) < 1.0
        assert 0.0 < np.mean(logged[f"train/explored/{board}"]) < 0.3
    assert logged["train/learning_rate"][0] == 2e-3 > logged["train/learning_rate"][-1]
    assert learner.steps % 16 == 0
    assert learner.clock.fractions("environment", "inference", "update").keys() == {
        "environment",
        "inference",
        "update",
    }


def test_a_snapshot_of_another_training_is_refused():
    learner = small_learner()
    tensors, state = learner.snapshot()
    other = ValueLearner(BOARDS[:1], NetworkSize(8, 1), 0, SMALL, envs=16)
    with pytest.raises(ValueError, match=r"of the boards .'5x5-5', '4x6-4'., not .'5x5-5'."):
        other.restore(tensors, state)
    wider = ValueLearner(BOARDS, NetworkSize(16, 1), 0, SMALL, envs=16)
    with pytest.raises(ValueError, match=r"^the snapshot does not fit this training: [^\n]*$"):
        wider.restore(tensors, state)


def test_boards_that_cannot_be_learned_are_refused():
    with pytest.raises(ValueError, match="there must be a board"):
        ValueLearner([], NetworkSize(8, 1), 0, ValueHyperparameters())
    with pytest.raises(ValueError, match="radius 1, not 2"):
        ValueLearner([BoardConfig(9, 9, 4, "safe", ("click",), radius=2)], NetworkSize(8, 1), 0, SMALL)
    # At most 220 layouts fit after the first click.
    with pytest.raises(ValueError, match="exact search finds all guesses on 4 x 4 with 3 mines"):
        ValueLearner([click_config(4, 4, 3)], NetworkSize(8, 1), 0, ValueHyperparameters())


def random_positions(rng: np.random.Generator, count: int) -> Positions:
    return Positions(rng.integers(0, 12, (count, 2, 3)).astype(np.int8), rng.random((count, 2, 3)), rng.random(count))


def test_returns_are_those_of_the_recursion():
    rng, games, decay, replay_ratio = np.random.default_rng(0), 6, 0.7, 3
    trajectories = Trajectories(games, 2, 3, decay, replay_ratio)
    made: list[list[tuple]] = [[] for _ in range(games)]
    expected = []
    for step in range(400):
        before, after = random_positions(rng, games), random_positions(rng, games)
        clicks = GuessClicks(rng.random(games), rng.random(games), rng.random(games) < 0.3)
        trajectories.add(before, after, clicks)
        for i in range(games):
            boards = [(part.codes[i].tobytes(), np.float32(part.log_layouts[i])) for part in (before, after)]
            made[i].append((*boards, *(part[i] for part in clicks)))
        over = np.flatnonzero(rng.random(games) < 0.3)
        if step % 7 == 0:
            trajectories.drop(over)
        else:
            returns = rng.random(len(over))
            trajectories.finish(over, returns)
            for i, outcome in zip(over, returns, strict=True):
                for guess, following, safety, value, explored in reversed(made[i]):
                    expected += replay_ratio * [(*following, outcome)]
                    if not explored:
                        expected += replay_ratio * [(*guess, safety * outcome)]
                    outcome = value if explored else (1 - decay) * value + decay * safety * outcome
        for i in over:
            made[i].clear()
        while len(trajectories.ready) >= 50:
            samples = trajectories.draw(50, rng)
            assert samples.codes.shape == samples.probabilities.shape == (50, 2, 3)
            for codes, layouts, target in zip(samples.codes, samples.log_layouts, samples.targets, strict=True):
                found = next(k for k, sample in enumerate(expected) if sample[:2] == (codes.tobytes(), layouts))
                assert expected.pop(found)[2] == pytest.approx(target, abs=1e-6)
    assert len(expected) == len(trajectories.ready)
    # Rows are used again.
    waiting = {sample[:2] for sample in expected}
    assert len(trajectories.save()["free"]) + len(waiting) + 2 * sum(map(len, made)) == 1024


def boards_with_exact_values(config: BoardConfig, count: int) -> tuple[Positions, np.ndarray]:
    """Returns boards after a guess, and the win probability of perfect play from each."""
    rng = np.random.default_rng(11)
    games = SafeGames(config, count, rng)
    guesses = games.guesses()
    risks = np.where(guesses.codes > 8, guesses.probabilities, 1.0).reshape(count, -1)
    cells = np.where(risks <= risks.min(axis=1, keepdims=True) + 0.1, rng.random(risks.shape), -1.0).argmax(axis=1)
    statuses, after = games.click(cells)
    after = Positions(*(values[statuses == PLAYING] for values in after))
    play = OptimalPlay(config.rows, config.cols, config.mines, config.first_click)
    return after, np.array([float(play.best_click(board).win_probability) for board in after.codes])


def squared_error(learner: ValueLearner, boards: Positions, exact: np.ndarray) -> float:
    return float(((win_probabilities(learner.network, boards) - exact) ** 2).mean())


@pytest.mark.slow
def test_what_it_learns_comes_near_to_perfect_play():
    config = click_config(4, 4, 4, "safe")
    own = replace(SMALL, learning_rate=3e-3, batch_size=64, waiting_batches=4, layouts=1)
    learner = ValueLearner([config], NetworkSize(16, 3), 0, own, envs=128)
    boards, exact = boards_with_exact_values(config, 600)
    before = squared_error(learner, boards, exact)
    train(learner, 75, schedule=20_000)
    after = squared_error(learner, boards, exact)
    assert before > 0.02
    assert after < 0.005
