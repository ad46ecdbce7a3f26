"""The report of a sweep, from evaluations in its folders."""

import pytest
from support.tiny_training import tiny

from baselines.cli.sweep.report import report
from baselines.learned.settings.files import read_configuration
from baselines.learned.settings.training import TrainingSettings
from baselines.support.files import read_json, write_json
from baselines.sweeps.plan import STOPPED_FILE, Point, Sweep, write_points

VALUES = ({"learning_rate": 0.001, "depth": 1}, {"learning_rate": 0.01, "depth": 2})


@pytest.fixture
def sweep(tmp_path):
    search = ("learning_rate=log:1e-4:1e-1", "depth=int:1:2")
    sweep = Sweep(tiny("dqn"), search, VALUES, 0, tmp_path / "sweep", "python -m baselines sweep ...")
    sweep.out.mkdir()
    sweep.store()
    first, second = sweep.trials
    write_points(first.folder, [Point(12, 144, 0.2, 0.2), Point(34, 400, 0.4, 0.4)])
    write_json(first.folder / STOPPED_FILE, {"percent": 34})
    write_points(second.folder, [Point(12, 144, 0.4, 0.4), Point(100, 1200, 0.6, 0.8)])
    return sweep


def test_the_best_trial_comes_first_and_becomes_a_configuration(sweep, capsys):
    report(sweep, wide=True)
    lines = capsys.readouterr().out.splitlines()
    ranked = [line.split() for line in lines if "%" in line and " to " in line]
    assert [row[:4] for row in ranked] == [[">", "1", "0.01", "2"], ["0", "0.001", "1", "40.0%"]]
    assert ranked[1][-1] == "34%"
    best = TrainingSettings.from_some(read_configuration(str(sweep.out / "best.toml")))
    assert best == sweep.trials[1].settings
    results = read_json(sweep.out / "results.json")
    assert [each["selection_win_rate"] for each in results["trials"]] == [0.8, 0.4]
    assert [each["stopped_early"] for each in results["trials"]] == [False, True]
    assert (sweep.out / "curves.png").read_bytes().startswith(b"\x89PNG")


def test_a_folder_of_another_sweep_is_refused(sweep):
    other = Sweep(sweep.base, sweep.search, VALUES[:1], 0, sweep.out, "")
    with pytest.raises(ValueError, match="trials 2, not 1; choose another"):
        other.store()


def test_a_stopped_and_a_complete_trial_are_done(sweep):
    first, second = sweep.trials
    assert (first.was_stopped, first.is_complete, first.is_done) == (True, False, True)
    assert (second.was_stopped, second.is_complete, second.is_done) == (False, True, True)
