"""Search of a sweep on Ray Tune: successive halving ends the trials that fall behind.

ASHA (Li et al. 2020, "A system for massively parallel hyperparameter tuning") compares the trials that have spent the
same part of their budget, and goes on with the best third.
"""

from __future__ import annotations

import os
import shutil
from typing import Any

from baselines.cluster.connection import connected
from baselines.cluster.parcels import pack
from baselines.cluster.run_folders import RemoteFolder, start_keeper
from baselines.executors.errors import WorkerError
from baselines.learned.training.on_nodes import StartingPoint, demand_of
from baselines.support.files import write_json
from baselines.support.reuse import own_identity
from baselines.sweeps.plan import COMPLETE, STOPPED_FILE, Sweep, Trial
from baselines.sweeps.progress import Progress
from baselines.sweeps.trial import METRIC, PERCENT, TRIAL, Shared, Task, run_trial

GRACE_PERCENT, REDUCTION = 10, 3
"""Part of the budget before which no trial is ended, and the factor by which their number shrinks at each look."""

MOST_FAILURES = 4
"""Number of times that a trial begins again after its worker or node was lost."""

_ENVIRONMENT = {
    "RAY_AIR_NEW_OUTPUT": "0",
    "RAY_CHDIR_TO_TRIAL_DIR": "0",
    "TUNE_DISABLE_AUTO_CALLBACK_LOGGERS": "1",
    "TUNE_DISABLE_SIGINT_HANDLER": "1",
}
"""Settings of Ray Tune: no tables and no logs of its own, no change of the working folder, and Ctrl-C left to us."""


def search(sweep: Sweep, address: str) -> None:
    """Carries out the trials that are not done; a later call resumes what was interrupted.

    Args:
        sweep: the sweep, whose plan is stored.
        address: address of the cluster; see `baselines.cluster.connection.parse_address`.

    Raises:
        ClusterError: there is no such cluster, or one of its nodes has another installation.
        WorkerError: a trial failed.
    """
    os.environ.update(_ENVIRONMENT)
    with connected(address) as connection:
        trials = sweep.trials
        scratch = sweep.out / "tune"
        shutil.rmtree(scratch, ignore_errors=True)
        # The keeper lives as long as its handle.
        name, _keeper = start_keeper(connection.ray)
        progress = Progress(trials)
        tuner = _tuner(connection.ray, sweep, trials, name, progress)
        tuner.fit()
        shutil.rmtree(scratch, ignore_errors=True)
    _settle(trials, progress)


def _tuner(ray: Any, sweep: Sweep, trials: list[Trial], keeper: str, progress: Progress) -> Any:
    from ray import tune
    from ray.tune.schedulers import ASHAScheduler

    demand = demand_of(sweep.base)
    trainable = tune.with_resources(
        tune.with_parameters(run_trial, shared=_shared(ray, sweep, trials, keeper)),
        {"cpu": demand.cpus, "memory": demand.memory},
    )
    return tune.Tuner(
        trainable,
        param_space={TRIAL: tune.grid_search([trial.number for trial in trials])},
        tune_config=tune.TuneConfig(
            metric=METRIC,
            mode="max",
            scheduler=ASHAScheduler(
                time_attr=PERCENT, max_t=COMPLETE, grace_period=GRACE_PERCENT, reduction_factor=REDUCTION
            ),
        ),
        run_config=tune.RunConfig(
            name="sweep",
            storage_path=str((sweep.out / "tune").absolute()),
            failure_config=tune.FailureConfig(max_failures=MOST_FAILURES),
            callbacks=[progress.callback()],
            verbose=0,
        ),
    )


def _shared(ray: Any, sweep: Sweep, trials: list[Trial], keeper: str) -> Shared:
    tasks = [Task(each.settings, RemoteFolder(keeper, str(each.folder.absolute())), each.is_done) for each in trials]
    start = ray.put(pack(StartingPoint(sweep.base.start)))
    return Shared(tasks, tuple(own_identity()), [start], sweep.command)


def _settle(trials: list[Trial], progress: Progress) -> None:
    """Notes the trials that the scheduler has ended.

    Raises:
        WorkerError: a trial failed.
        KeyboardInterrupt: the search was interrupted.
    """
    for trial in trials:
        if trial.number in progress.ended and not trial.is_done:
            write_json(trial.folder / STOPPED_FILE, {"percent": trial.points[-1].percent})
    if progress.failed:
        number, reason = next(iter(progress.failed.items()))
        raise WorkerError(f"trial {number} failed: {reason}")
    if len(progress.ended) < len(trials):
        raise KeyboardInterrupt
