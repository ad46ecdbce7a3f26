"""Settings: the declared options in train.py and its help."""

import pytest

from baselines.cli.train import main
from baselines.learned.settings import ALGORITHMS, TrainingSettings, hyperparameters_of, options_of


def test_every_option_is_an_argument_of_train_py(capsys):
    with pytest.raises(SystemExit):
        main(["--help-all"])
    shown = " ".join(capsys.readouterr().out.split())
    for entry, option in options_of(TrainingSettings):
        assert f"--{entry.name.replace('_', '-')} " in shown
        assert option.meaning in shown
    for algo in ALGORITHMS:
        for entry, option in options_of(hyperparameters_of(algo)):
            assert f"{entry.name}: {option.meaning} (default {entry.default})" in shown


def test_the_help_fits_two_screens(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    with pytest.raises(SystemExit):
        main(["--help"])
    assert capsys.readouterr().out.count("\n") <= 48
