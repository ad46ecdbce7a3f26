"""A caller that follows a training: evaluations, an end on demand, and trainings outside the main thread."""

from __future__ import annotations

import threading
from itertools import pairwise
from pathlib import Path

from support.tiny_training import one_thread, tiny  # noqa: F401 - one_thread is a fixture

from baselines.learned.agents import kept_step
from baselines.learned.common.tensor_files import read_tensors
from baselines.learned.training.evaluation import Evaluation
from baselines.learned.training.loop import train
from baselines.support.files import read_json


def test_each_evaluation_is_reported_once_with_what_the_folder_holds(tmp_path: Path) -> None:
    seen: list[Evaluation] = []

    def follow(evaluation: Evaluation) -> bool:
        checkpoint = read_tensors(tmp_path / "checkpoint.safetensors")[1]["learner"]
        assert checkpoint["num_timesteps"] == evaluation.steps
        assert read_json(tmp_path / "agent.json")["selected_by"]["win_rate"] == evaluation.kept_win_rate
        seen.append(evaluation)
        return True

    outcome = train(tiny("dqn", steps=1200), tmp_path, bar=False, on_evaluation=follow, compares=False)
    steps = [each.steps for each in seen]
    assert steps == sorted(set(steps))
    assert steps[-1] == outcome.steps >= 1200
    assert [round(10 * each.fraction) for each in seen] == list(range(1, 11))
    assert [each.win_rate for each in seen] == [each.win_rates["4x5/2"] for each in seen]
    assert all(one.minutes < other.minutes for one, other in pairwise(seen))


def test_false_ends_the_training_with_an_agent_and_a_checkpoint(tmp_path: Path) -> None:
    outcome = train(tiny("ppo", steps=10_000), tmp_path, bar=False, on_evaluation=lambda _: False, compares=False)
    assert 1000 <= outcome.steps < 2000
    assert not outcome.interrupted
    assert kept_step(tmp_path) == outcome.steps
    assert read_tensors(tmp_path / "checkpoint.safetensors")[1]["learner"]["num_timesteps"] == outcome.steps
    assert train(tiny("ppo", steps=3000), tmp_path, resume=True, bar=False, compares=False).steps >= 3000


def test_a_training_runs_in_another_thread(tmp_path: Path) -> None:
    steps: list[int] = []

    def run() -> None:
        steps.append(train(tiny("dqn", steps=300), tmp_path, bar=False, compares=False).steps)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(300)
    assert steps[0] >= 300
