"""Analysis of the games of a suite into the content of results.json, from which tables and plots are made."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from itertools import combinations, pairwise
from typing import Any

from baselines.evaluation.intervals import mean_interval, wilson_interval
from baselines.evaluation.records import GameRecord
from baselines.evaluation.results import PolicyResult, compare, config_row, result_row, versions
from baselines.evaluation.seeds import use_of
from baselines.suites.parts import Part
from baselines.suites.suite import Suite
from baselines.suites.tasks import LeftOut, Task
from minesweeper_env.config import BoardConfig


def marked(result: PolicyResult) -> dict[str, Any]:
    """Returns how many games had, at some moment, their flags exactly on the mines: a win for Antolín & de la Torre."""
    count = sum(record.marked for record in result.records)
    return {
        "marked": count,
        "marked_rate": count / result.games,
        "marked_ci95": list(wilson_interval(count, result.games)),
    }


def scores(result: PolicyResult) -> dict[str, Any]:
    """Returns the score of Sun, Chen & Yang, and figures derived from it.

    The score of a game is its number of open cells, doubled on a win. The mean score includes games that the first
    click lost; the mean score of lost games excludes them.
    """
    survivors = [record for record in result.records if not _lost_at_once(record)]
    won = sum(record.won for record in survivors)
    lost = [record for record in survivors if not record.won]
    return {
        "first_click_losses": result.games - len(survivors),
        "survived": len(survivors),
        "survived_win_rate": won / len(survivors) if survivors else None,
        "survived_ci95": list(wilson_interval(won, len(survivors))) if survivors else None,
        **_mean("score", [_score(record) for record in result.records]),
        **_mean("score_lost", [_score(record) for record in lost]),
    }


def _lost_at_once(record: GameRecord) -> bool:
    return record.clicks == 1 and not record.won and not record.truncated


def _score(record: GameRecord) -> int:
    return 2 * record.opened if record.won else record.opened


def _mean(name: str, values: list[int]) -> dict[str, Any]:
    ends = mean_interval(values)
    return {
        name: math.fsum(values) / len(values) if values else None,
        f"{name}_ci95": None if ends is None else list(ends),
    }


RANKS = ("next", "all")
"""Values of `Suite.paired` that compare policies by their ranks; the others name a reference."""


def analyse(
    suite: Suite,
    tasks: Sequence[Task],
    parts: Sequence[Sequence[Part]],
    left_out: Sequence[LeftOut],
    *,
    seed: int,
    games: int,
    command: str,
) -> dict[str, Any]:
    """Returns the content of results.json.

    Args:
        suite: the suite.
        tasks: its tasks, all played.
        parts: games of each task.
        left_out: policies that do not play on a board.
        seed: seed of game 0.
        games: number of games requested of each policy on each board.
        command: command line that repeats the suite.
    """
    results = [(task, _add_up(task, played)) for task, played in zip(tasks, parts, strict=True)]
    return {
        "suite": suite.name,
        "title": suite.title,
        "seed": seed,
        "games": games,
        "seeds_for": use_of(seed),
        "command": command,
        "versions": versions(),
        "notes": _notes(suite, results, left_out, games),
        "boards": [_board(suite, board, results, left_out) for board in suite.boards],
    }


def _add_up(task: Task, parts: Sequence[Part]) -> PolicyResult:
    counters = Counter[str]()
    for part in parts:
        counters.update(part.counters)
    seconds = sum(part.seconds for part in parts)
    records = tuple(record for part in parts for record in part.records)
    return PolicyResult(task.policy, records, seconds, seconds, dict(counters), task.precision)


def _board(
    suite: Suite, board: BoardConfig, results: Sequence[tuple[Task, PolicyResult]], left_out: Sequence[LeftOut]
) -> dict[str, Any]:
    here = [(task, result) for task, result in results if _same_board(task.config, board)]
    shown, comparisons = _compare(here, suite.paired)
    return {
        "config": config_row(board),
        "results": [{**_row(suite, task, result), "mcnemar": shown.get(result.policy)} for task, result in here],
        "comparisons": comparisons,
        "left_out": [
            {"policy": each.policy, "reason": each.reason} for each in left_out if _same_board(each.config, board)
        ],
    }


def _row(suite: Suite, task: Task, result: PolicyResult) -> dict[str, Any]:
    row = result_row(result)
    row["opened_per_game"] = sum(record.opened for record in result.records) / result.games
    if "flag" in task.config.moves:
        row |= marked(result)
    if suite.scored:
        row |= scores(result)
    return row


def _compare(
    here: Sequence[tuple[Task, PolicyResult]], paired: str
) -> tuple[dict[str, dict[str, Any]], list[dict[str, Any]]]:
    """Returns the test in the row of each policy, and all tests.

    Only policies that play the same games are compared. A reference meets each policy on the games that both played;
    ranks hold only policies of equally many games. If two win rates are equal, the policy listed later counts as
    stronger.
    """
    shown: dict[str, dict[str, Any]] = {}
    tests: list[dict[str, Any]] = []
    for games in dict.fromkeys(_comparable(task, paired) for task, _ in here):
        rivals = sorted(
            (result for task, result in here if _comparable(task, paired) == games), key=lambda each: each.win_rate
        )
        for one, other in _pairs(rivals, paired):
            comparison = compare(one, other)
            if comparison is not None:
                tests.append({"policy": one.policy, **asdict(comparison)})
                shown.setdefault(one.policy, asdict(comparison))
    return shown, tests


def _comparable(task: Task, paired: str) -> tuple[str | None, int | None]:
    """Returns what two tasks must have in common to be compared: the start of the games and, in ranks, their number."""
    return task.start, task.games if paired in RANKS else None


def _pairs(rivals: Sequence[PolicyResult], paired: str) -> list[tuple[PolicyResult, PolicyResult]]:
    """Returns the pairs to compare, from rivals in the order of their win rates; see `Suite.paired`."""
    if paired == "next":
        return list(pairwise(rivals))
    if paired == "all":
        return list(combinations(rivals, 2))
    references = [rival for rival in rivals if rival.policy == paired]
    return [(rival, reference) for reference in references for rival in rivals if rival is not reference]


def _notes(
    suite: Suite, results: Sequence[tuple[Task, PolicyResult]], left_out: Sequence[LeftOut], games: int
) -> list[str]:
    against = "the next stronger policy that played" if suite.paired in RANKS else f"{suite.paired} on"
    notes = [*suite.notes, f"p: exact McNemar test against {against} the same games."]
    shorter = sorted({(task.policy, task.games) for task, _ in results if task.games < games})
    compared = "with none that played more" if suite.paired in RANKS else "on these"
    notes += [
        f"{policy} is slow, played only the first {count} of {games} games, and is compared {compared}."
        for policy, count in shorter
    ]
    notes += [
        f"{policy} plays games that begin in a way of their own, and is compared with no other policy."
        for policy in dict.fromkeys(task.policy for task, _ in results if task.start is not None)
    ]
    notes += [
        f"{task} reached the step limit in {result.truncated} games, which count as not won."
        for task, result in results
        if result.truncated
    ]
    refused: dict[str, list[LeftOut]] = {}
    for each in left_out:
        refused.setdefault(each.policy, []).append(each)
    return notes + [
        f"{policy} does not play on {', '.join(dict.fromkeys(each.board for each in refusals))}: {refusals[0].reason}."
        for policy, refusals in refused.items()
    ]


def _same_board(one: BoardConfig, other: BoardConfig) -> bool:
    return config_row(one) == config_row(other)
