"""`python evaluate.py --policy`: play policies one after another, and report their results."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from baselines.cli.arguments import ALL, kept_workers
from baselines.cli.start import INTERRUPTED
from baselines.evaluation.evaluate import Evaluation, batch_size_of, evaluate_policy
from baselines.evaluation.judge import check_judgeable
from baselines.evaluation.records import GameRecord
from baselines.evaluation.report import Report
from baselines.evaluation.results import PolicyResult
from baselines.registry import build_policy, config_for, find_policy, pinned, policy_names
from baselines.terminal.progress import game_bar
from baselines.workers import MakeWorkers
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say


@dataclass
class PolicyRun:
    """Policies to play, and their results so far.

    Attributes:
        options: options of the command.
        report: the games, and the results of the policies that have played.
        batch_sizes: the number of games that each policy plays side by side, by its name.
        played: the configuration and the records of each policy that has played, for pictures of games.
    """

    options: argparse.Namespace
    report: Report
    batch_sizes: dict[str, int]
    played: dict[str, tuple[BoardConfig, list[GameRecord]]] = field(default_factory=dict)

    @classmethod
    def prepare(cls, options: argparse.Namespace, config: BoardConfig, command: str) -> PolicyRun:
        """Checks that the policies play these games, and builds each once; raises a ValueError where one does not."""
        options.policy = [name if name == ALL else pinned(name) for name in options.policy]
        for name in options.policy:
            if name != ALL:
                find_policy(name)
        if options.diagnose:
            check_judgeable(config)
        batch_sizes = choose_policies(options.policy, config, options.diagnose)
        return cls(options, Report(config, options.seed, options.games, command), batch_sizes)

    def play(self) -> int:
        """Plays the games and reports the results, also those from before an error; returns the exit status."""
        try:
            with kept_workers(self.options, list(self.batch_sizes)) as workers:
                status = self._play_each(workers)
        finally:
            if self.report.results:
                self.report.print_table(self.options.wide)
                if self.options.plot is not None:
                    self.report.write_plot(self.options.plot)
        if status == 0 and self.options.record is not None:
            from baselines.recording import write_picture

            write_picture(self.options, self.played)
        return status

    def _play_each(self, workers: int | MakeWorkers) -> int:
        report, options = self.report, self.options
        seeds = range(report.seed, report.seed + report.games)
        for name, batch_size in self.batch_sizes.items():
            config = config_for(name, report.config)
            settings = {"workers": workers, "max_seconds": options.max_seconds, "diagnose": options.diagnose}
            evaluation = play_policy(name, config, seeds, batch_size, record=options.record is not None, **settings)
            if evaluation.records:
                report.results.append(PolicyResult.of(name, evaluation, find_policy(name).precision))
                self.played[name] = (config, evaluation.records)
            if options.json is not None:
                report.write_json(options.json)
            if evaluation.interrupted:
                say(f"interrupted: {name} had played {len(evaluation.records)} games")
                return INTERRUPTED
        return 0


def play_policy(name: str, config: BoardConfig, seeds: range, batch_size: int, **settings: Any) -> Evaluation:
    """Plays a policy on seeded games with a bar of progress; the settings are those of `evaluate_policy`."""
    with game_bar("playing", name, len(seeds)) as on_finished:
        return evaluate_policy(
            partial(build_policy, name, config),
            config,
            seeds,
            policy_seed=seeds.start,
            on_finished=on_finished,
            batch_size=batch_size,
            policy=name,
            **settings,
        )


def choose_policies(chosen: Sequence[str], config: BoardConfig, diagnose: bool = False) -> dict[str, int]:
    """Builds each policy once, and returns the batch size of each by its name.

    Args:
        chosen: names of policies; `ALL` leaves out, with a note on stderr, the policies that do not play these games.
        config: the games.
        diagnose: True to leave out, too, the policies whose clicks cannot be judged.

    Raises:
        ValueError: a policy that is chosen by its own name does not play these games.
    """
    batch_sizes: dict[str, int] = {}
    for name in (each for asked in chosen for each in (policy_names() if asked == ALL else [asked])):
        try:
            games = config_for(name, config)
            if diagnose:
                check_judgeable(games)
            batch_sizes[name] = batch_size_of(build_policy(name, games))
        except ValueError as error:
            if name in chosen:
                raise
            say(f"{name} is left out: {error}")
    return batch_sizes
