"""Evaluates a policy: seeded games in batches, played here or by worker processes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial

from baselines.evaluation.games import Batch, GameRecord, Player, Start
from baselines.evaluation.judge import check_judgeable
from baselines.evaluation.workers import play_in_pool
from baselines.policy import Policy
from minesweeper_env.config import BoardConfig

BATCH_SIZE = 20
"""The games that a policy plays side by side, between two of its resets. A time budget ends between batches:
to stop amid one would keep the short games and drop the long ones."""


def batch_size_of(policy: Policy) -> int:
    """Returns how many games a policy wants to play side by side: its attribute of this name, or else `BATCH_SIZE`."""
    return getattr(policy, "batch_size", BATCH_SIZE)


@dataclass
class Evaluation:
    """The games that a policy played.

    Attributes:
        records: one a game, in the order of the seeds; fewer than asked for, but always the first ones,
            after an interruption or at the end of a time budget.
        seconds: by the clock, the start of the policy and of the workers included.
        playing_seconds: the time spent playing, summed over the workers; judging clicks does not count.
        counters: what the policy did in these games: see `baselines.policy.Policy`.
        interrupted: whether KeyboardInterrupt ended it.
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
    workers: int = 1,
    max_seconds: float | None = None,
    on_finished: Callable[[int], object] | None = None,
    diagnose: bool = False,
    batch_size: int = BATCH_SIZE,
    start: Callable[[int], Start] | None = None,
) -> Evaluation:
    """Plays one game a seed, in batches; the records do not depend on the number of workers.

    Args:
        build: makes the policy, once in each worker; with several workers it must pickle.
        config: the games.
        seeds: those of the games, each at least 0.
        policy_seed: what the seeds of the policy's own random choices are derived from, at least 0.
        workers: the processes that play; 1 plays in this one.
        max_seconds: the time of play after which no further batch begins; the first one is always played.
        on_finished: called with the number of games of each batch that is done.
        diagnose: whether the records hold a diagnosis: see `baselines.evaluation.judge`.
        batch_size: the games of a batch; see `batch_size_of`.
        start: tells of a seed how its game begins, if not by the first-click rule; it must pickle as well.

    Returns:
        The games played, also after KeyboardInterrupt.

    Raises:
        PolicyError: the policy broke the protocol.
        ValueError: there is to be a diagnosis, and these games allow no exact one.
    """
    if diagnose:
        check_judgeable(config)
    begin = time.perf_counter()
    batches = [seeds[first : first + batch_size] for first in range(0, len(seeds), batch_size)]
    make_player = partial(Player, build, config, policy_seed, diagnose, start)
    evaluation = Evaluation()
    try:
        with closing(_play_batches(make_player, batches, workers, max_seconds)) as played:
            for records, seconds, counters in played:
                evaluation.records += records
                evaluation.playing_seconds += seconds
                evaluation.counters.update(counters)
                if on_finished is not None:
                    on_finished(len(records))
    except KeyboardInterrupt:
        evaluation.interrupted = True
    evaluation.seconds = time.perf_counter() - begin
    return evaluation


def _play_batches(
    make_player: Callable[[], Player], batches: Sequence[Sequence[int]], workers: int, max_seconds: float | None
) -> Generator[Batch]:
    if workers > 1:
        yield from play_in_pool(make_player, batches, workers, max_seconds)
        return
    player = make_player()
    begin = time.perf_counter()
    for index, seeds in enumerate(batches):
        if index == 0 or max_seconds is None or time.perf_counter() < begin + max_seconds:
            yield player.play(index, seeds)
