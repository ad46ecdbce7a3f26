"""Both algorithms learn to win, from nothing but their own clicks, within minutes on one core."""

import pytest

pytest.importorskip("stable_baselines3")

from baselines.evaluation import play_games
from baselines.learned.checkpoints import load_policy
from baselines.learned.settings import TrainingSettings
from baselines.learned.training import TrainingRun
from baselines.scripted.uniform import RandomPolicy
from baselines.seeds import TEST_SEEDS

GAMES = 1000
ENOUGH = 0.60


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_learns_5x5_with_3_mines(algo, tmp_path):
    settings = TrainingSettings(
        algo=algo, rows=5, cols=5, mines=3, seed=0, minutes=None, steps=60_000, channels=32, blocks=1, threads=1
    )
    TrainingRun(settings, tmp_path, "").run()
    trained = win_rate(load_policy(tmp_path, settings.board), settings.board)
    by_chance = win_rate(RandomPolicy(settings.board), settings.board)
    assert by_chance < ENOUGH - 0.1
    assert trained > ENOUGH + 0.1


def win_rate(policy, board):
    policy.reset(0)
    return sum(record.won for record in play_games(policy, board, TEST_SEEDS[:GAMES])) / GAMES
