"""Trial of a sweep as a worker of Ray Tune carries it out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

from baselines.cluster.connection import ClusterError
from baselines.cluster.parcels import open_parcel
from baselines.cluster.run_folders import RemoteFolder, copy_of
from baselines.learned.settings.files import RUN_FILE
from baselines.learned.settings.training import TrainingSettings
from baselines.learned.training.evaluation import Evaluation
from baselines.learned.training.run import train
from baselines.support.reuse import Identity, own_identity
from baselines.support.threads import use_one_thread
from baselines.sweeps.plan import COMPLETE, Point, read_points, write_points

TRIAL, PERCENT, METRIC = "trial", "percent", "win_rate"
"""Names that Ray Tune knows: the number of the trial, the part of the budget that is spent, and what is maximised."""


class Task(NamedTuple):
    """Input of a worker for a trial.

    Attributes:
        settings: the settings of the training.
        folder: the run folder, on the machine of the command.
        is_done: whether the trial was stopped or completed by an earlier run of the sweep.
    """

    settings: TrainingSettings
    folder: RemoteFolder
    is_done: bool


class Shared(NamedTuple):
    """What all trials share.

    Attributes:
        tasks: all trials.
        identity: the installation that the command runs.
        start: list of the reference to the agent that the trainings start from.
        command: the command line to record.
    """

    tasks: list[Task]
    identity: tuple[str, ...]
    start: list[Any]
    command: str


def run_trial(config: dict[str, Any], shared: Shared) -> None:
    """Trains, and reports each evaluation to Ray Tune.

    A trial that begins again, on another node or in a later run of the sweep, first reports its earlier evaluations, so
    that the scheduler knows them.

    Args:
        config: the number of the trial.
        shared: what all trials share.

    Raises:
        ClusterError: the node has another installation.
    """
    _check_node(shared.identity)
    use_one_thread()
    # The files of the agent to start from come to this node.
    open_parcel(*shared.start)
    task = shared.tasks[config[TRIAL]]
    with copy_of(task.folder) as (copy, send):
        points = read_points(copy)
        for point in points:
            _report(point)
        if task.is_done or (points and points[-1].percent >= COMPLETE):
            return

        def on_evaluation(evaluation: Evaluation) -> bool:
            points.append(_point(evaluation))
            write_points(copy, points)
            send(evaluation.steps)
            _report(points[-1])
            return True

        _train(task.settings, copy, shared, send, on_evaluation)


def _check_node(identity: tuple[str, ...]) -> None:
    differences = Identity(*identity).differences(own_identity())
    if differences:
        raise ClusterError(f"a node of the cluster has another installation: {differences}")


def _train(settings: TrainingSettings, copy: Path, shared: Shared, send: Any, on_evaluation: Any) -> None:
    train(
        settings,
        copy,
        shared.command,
        resume=(copy / RUN_FILE).is_file(),
        bar=False,
        on_checkpoint=send,
        on_evaluation=on_evaluation,
        compares=False,
    )


def _point(evaluation: Evaluation) -> Point:
    percent = COMPLETE if evaluation.fraction >= 1 else int(evaluation.fraction * COMPLETE)
    return Point(percent, evaluation.steps, evaluation.win_rate, evaluation.kept_win_rate)


def _report(point: Point) -> None:
    from ray import tune

    tune.report({PERCENT: point.percent, METRIC: point.win_rate})
