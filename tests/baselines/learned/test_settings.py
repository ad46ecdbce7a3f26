"""Settings: migration of older runs, and the declared options in train.py and its help."""

import pytest
from support.tiny_training import tiny

from baselines.cli.train import main
from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.options import options_of
from baselines.learned.settings.training import TrainingSettings


def older(algo, **changes):
    """Returns the settings that an older version wrote for a run."""
    content = tiny(algo).to_json()
    renamed = {"isolated_weight_cap": "untouched", "keep_min": "keep_least"}
    renamed["replay_ratio"] = "uses" if algo == "value" else "replays"
    content["hyperparameters"] = {renamed.get(name, name): value for name, value in content["hyperparameters"].items()}
    if algo == "dqn":
        content["hyperparameters"] = content["hyperparameters"] | {"decay": 0.7}
    return content | changes


@pytest.mark.parametrize("algo", ["dqn", "ppo", "plain-ppo", "value"])
def test_settings_of_older_runs_are_read(algo):
    assert TrainingSettings.from_json(older(algo)) == tiny(algo)


def test_a_precision_that_was_measured_at_the_start_is_now_float32():
    assert TrainingSettings.from_json(older("ppo", precision="auto")).precision == "float32"


def test_a_win_seeking_run_says_what_replaces_it():
    with pytest.raises(ValueError, match="train algo value"):
        TrainingSettings.from_json(older("dqn", reward="win", gamma=1.0))


def test_every_option_is_an_argument_of_train_py(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = " ".join(capsys.readouterr().out.split())
    for entry, option in options_of(TrainingSettings):
        assert f"--{entry.name.replace('_', '-')} " in shown
        assert option.meaning in shown
    for hyperparameters in ALGORITHMS.values():
        for entry, option in options_of(hyperparameters):
            assert f"{entry.name}: {option.meaning} (default {entry.default})" in shown
