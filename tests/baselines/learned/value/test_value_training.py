"""`train.py --algo value` leaves an agent, and resumes exactly."""

import pytest
import torch
from support.tiny_training import curves, one_thread, tiny, train_until_cut  # noqa: F401 - fixtures

from baselines.learned.agents.loading import find_agent
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.training.run import prepare, run, train
from baselines.learned.value.policy import ValuePolicy
from minesweeper_env.config import BoardConfig

BOARDS = ("5x5/5", "4x6/4")


def value_settings(**changes):
    small = {"boards": BOARDS, "envs": 64, "steps": 1500}
    fast = {"batch_size": 32, "layouts": 20}
    return tiny("value", **{**small, "hyperparameters": fast, **changes})


@pytest.mark.usefixtures("curves")
def test_a_training_of_value_leaves_an_agent_of_its_kind(tmp_path):
    outcome = train(value_settings(), tmp_path)
    assert outcome.steps >= 1500
    assert set(outcome.time_fractions) == {"environment", "inference", "update"}
    assert all(board in outcome.summary for board in BOARDS)
    policy = find_agent(tmp_path)(BoardConfig(6, 6, 6, moves=("click",)), layouts=30)
    assert isinstance(policy, ValuePolicy)
    assert (tmp_path / "curves.png").exists()


def test_resuming_value_goes_on_exactly(tmp_path):
    folders = [tmp_path / name for name in ("straight", "broken")]
    for folder in folders:
        folder.mkdir()
    train(value_settings(), folders[0])
    train_until_cut(value_settings(), folders[1], 700)
    resumed = prepare(value_settings(), folders[1], resume=True)
    assert 700 <= resumed.learner.steps < 1500
    run(resumed)
    one, other = (read_tensors(folder / "checkpoint.safetensors") for folder in folders)
    assert one[0].keys() == other[0].keys()
    assert all(torch.equal(other[0][name], value) for name, value in one[0].items())
    assert one[1]["learner"] == other[1]["learner"]


def test_value_takes_no_reward():
    with pytest.raises(ValueError, match="no reward and no gamma"):
        value_settings(reward="win")
