"""Both algorithms learn to win from their own clicks within a minute on one core, and so does the quick configuration.

On 5x5/3 the threshold lies far above random clicks, which win a ninth of these games, and below the nine tenths of
`bayes`.
"""

import pytest

from baselines.evaluation.games import play_games
from baselines.evaluation.seeds import TEST_SEEDS
from baselines.learned.agents import find_agent
from baselines.learned.configurations import read_configuration
from baselines.learned.settings import TrainingSettings
from baselines.learned.training.loop import train
from baselines.scripted.base import RandomPolicy

GAMES = 1000


@pytest.mark.slow
@pytest.mark.parametrize("algo", ["ppo", "dqn"])
def test_learns_5x5_with_3_mines(algo, tmp_path):
    settings = TrainingSettings(algo=algo, boards=("5x5/3",), minutes=None, steps=16_000, envs=128, depth=3, threads=1)
    train(settings, tmp_path)
    (board,) = settings.configs
    trained = win_rate(find_agent(tmp_path)(board), board)
    by_chance = win_rate(RandomPolicy(board), board)
    assert by_chance < 0.2
    assert trained > 0.8


@pytest.mark.slow
@pytest.mark.figures
def test_make_run_trains_an_agent_that_wins_half_of_its_games(tmp_path):
    settings = TrainingSettings.of({**read_configuration("quick"), "threads": 1})
    assert settings.minutes is None
    assert settings.boards == ("8x8/14",)
    train(settings, tmp_path)
    (board,) = settings.configs
    assert win_rate(find_agent(tmp_path)(board), board) > 0.5


def win_rate(policy, board):
    policy.reset(0)
    return sum(record.won for record in play_games(policy, board, TEST_SEEDS[:GAMES])) / GAMES
