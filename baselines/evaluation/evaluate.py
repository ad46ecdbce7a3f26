"""Evaluate a policy: play seeded games in batches, in this process or in workers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from uuid import uuid4

from baselines.evaluation.games import Player
from baselines.evaluation.judge import check_judgeable
from baselines.evaluation.records import Batch, GameRecord, Start
from baselines.evaluation.units import Assignment, Played, Schedule, play_units
from baselines.policy import Policy
from baselines.support.board_names import name_of
from baselines.workers import MakeWorkers, local_workers
from minesweeper_env.config import BoardConfig

BATCH_SIZE = 20
"""Default number of games that a policy plays side by side, between two resets. A time budget ends between
batches: stopping within a batch would keep its short games and drop its long ones."""


def batch_size_of(policy: Policy) -> int:
    """Returns the batch size that a policy prefers: its attribute `batch_size`, or `BATCH_SIZE`."""
    return getattr(policy, "batch_size", BATCH_SIZE)


@dataclass
class Evaluation:
    """The games that a policy played.

    Attributes:
        records: one record per game, in the order of the seeds. An interruption or a time budget leaves a prefix.
        seconds: wall-clock time, including the start of the policy and of the workers.
        playing_seconds: seconds of play, summed over the workers; judging clicks does not count.
        counters: increase of the policy's counters in these games; see `baselines.policy.Policy`.
        interrupted: True if KeyboardInterrupt ended the evaluation.
    """

    records: list[GameRecord] = field(default_factory=list)
    seconds: float = 0.0
    playing_seconds: float = 0.0
    counters: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False


def evaluate_policy(
    build: Callable[[], Policy],
    config: BoardConfig,
    seeds: Sequence[int],
    *,
    policy_seed: int = 0,
    workers: int | MakeWorkers = 1,
    max_seconds: float | None = None,
    on_finished: Callable[[int], object] | None = None,
    diagnose: bool = False,
    batch_size: int = BATCH_SIZE,
    start: Callable[[int], Start] | None = None,
    record: bool = False,
    policy: str | None = None,
) -> Evaluation:
    """Plays one game per seed, in batches. The records do not depend on the number of workers.

    Args:
        build: makes the policy, once per worker; with several workers it must pickle.
        config: board and rules of the games.
        seeds: seed of each game, at least 0.
        policy_seed: at least 0; the seeds of the policy's random choices are derived from it.
        workers: number of processes; 1 plays in this process. Or the maker of workers.
        max_seconds: playing time after which no further batch begins; None for no limit. The first batch is
            always played.
        on_finished: called with the number of games of each finished batch.
        diagnose: True to judge every click; see `baselines.evaluation.judge`.
        batch_size: number of games per batch; see `batch_size_of`.
        start: returns the start of the game of a seed, in place of the first-click rule; it must pickle, too.
        record: True to keep the actions of every game.
        policy: specification of the policy, for messages.

    Returns:
        The games played. After KeyboardInterrupt these are the games of the finished batches.

    Raises:
        PolicyError: the policy broke the protocol.
        ValueError: `diagnose` is True and these games cannot be judged exactly.
        WorkerError: workers cannot be started, or a unit of games killed them again and again.
    """
    if diagnose:
        check_judgeable(config)
    begin = time.perf_counter()
    make_player = partial(Player, build, config, policy_seed, diagnose, start, record)
    title = f"{policy or 'the policy'} on {name_of(config)}"
    assignment = Assignment(uuid4().hex, title, make_player, seeds, batch_size)
    evaluation = Evaluation()
    batches: dict[int, list[Batch]] = {}
    try:
        with closing(_play(assignment, workers, max_seconds)) as played:
            for unit, unit_batches in played:
                batches[unit.first] = unit_batches
                _take_prefix(batches, evaluation, on_finished)
    except KeyboardInterrupt:
        evaluation.interrupted = True
    evaluation.seconds = time.perf_counter() - begin
    return evaluation


def _play(assignment: Assignment, workers: int | MakeWorkers, max_seconds: float | None) -> Generator[Played]:
    make_workers = local_workers(workers) if isinstance(workers, int) else workers
    # A time budget ends between units, and a unit in this process costs nothing, so that a unit is then one batch.
    unit_seconds = 0.0 if workers == 1 or max_seconds is not None else None
    schedule = Schedule([assignment], unit_seconds=unit_seconds)
    for played in play_units(schedule, make_workers, max_seconds=max_seconds):
        schedule.finish(played.unit, played.seconds)
        yield played


def _take_prefix(
    batches: dict[int, list[Batch]], evaluation: Evaluation, on_finished: Callable[[int], object] | None
) -> None:
    """Moves the batches that follow the games of an evaluation without a gap into it."""
    while (taken := batches.pop(len(evaluation.records), None)) is not None:
        for records, seconds, counters in taken:
            evaluation.records += records
            evaluation.playing_seconds += seconds
            evaluation.counters.update(counters)
            if on_finished is not None:
                on_finished(len(records))
