import json
import shutil

import pytest
from support.tiny_training import one_thread, tiny  # noqa: F401 - fixture

from baselines.learned.configurations import lineage, training_of
from baselines.learned.training.loop import prepare, run, train
from baselines.registry import AGENTS_FOLDER


def trained(folder, start=None):
    folder.mkdir()
    train(tiny("dqn", steps=200, start=start), folder, command=folder.name)
    return folder


def commands(folder):
    return [[session["command"] for session in each["run"]["sessions"]] for each in lineage(training_of(folder))]


def test_a_training_records_the_trainings_before_it(tmp_path):
    first = trained(tmp_path / "first")
    second = trained(tmp_path / "second", start=str(first))
    third = trained(tmp_path / "third", start=str(second))
    shutil.rmtree(first)
    assert commands(third) == [["third"], ["second"], ["first"]]
    assert all(each["steps"] >= 200 for each in lineage(training_of(third)))


def test_a_resumed_training_keeps_where_it_began(tmp_path):
    first = trained(tmp_path / "first")
    second = trained(tmp_path / "second", start=str(first))
    shutil.rmtree(first)
    run(prepare(tiny("dqn", steps=400, start=str(first)), second, resume=True), "again")
    assert commands(second) == [["second", "again"], ["first"]]


def test_an_agent_may_come_without_its_training(tmp_path):
    first = trained(tmp_path / "first")
    (first / "run.json").unlink()
    assert [each["run"] for each in lineage(training_of(first))] == [None]
    second = trained(tmp_path / "second", start=str(first))
    assert [each["run"] is None for each in lineage(training_of(second))] == [False, True]


@pytest.mark.parametrize("folder", sorted(AGENTS_FOLDER.glob("*/")), ids=lambda folder: folder.name)
def test_shipped_agents_know_their_whole_training(folder):
    trainings = list(lineage(training_of(folder)))
    starts = [each["run"]["settings"]["start"] for each in trainings]
    assert starts[-1] is None
    assert None not in starts[:-1]
    assert all(each["steps"] > 0 for each in trainings)
    assert "/tmp" not in json.dumps(trainings)
