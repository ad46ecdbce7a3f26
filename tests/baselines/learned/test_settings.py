"""Settings: the declared options in train.py and its help."""

import pytest

from baselines.cli.train import main
from baselines.learned.settings.hyperparameters import ALGORITHMS
from baselines.learned.settings.options import options_of
from baselines.learned.settings.training import TrainingSettings


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
