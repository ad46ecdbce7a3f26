"""Entries of the benchmark: their cards, their games from the folders of the suite, replays, and times per game."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from baselines.benchmark.protocol import PROTOCOL
from baselines.benchmark.result_files import AUTHOR, Card, Games, ResultFile, Time, Times, digest_of, title_of
from baselines.benchmark.run import MANIFEST, Task, plan, read_manifest
from baselines.benchmark.suites import SUITES, Entry, Suite
from baselines.evaluation.games import Assignment, GameRecord
from baselines.evaluation.results import versions
from baselines.learned.configurations import lineage, training_of
from baselines.registry import AGENT_FILE, AGENTS_FOLDER, SCRIPTED, build_policy, policy_digest, read_specification
from baselines.support.board_names import name_of
from baselines.support.files import read_json
from baselines.support.provenance import check_same

MOST_LOAD = 0.5
"""Load of the last minute above which a machine counts as busy."""

MOST_GAMES = 1000
"""Maximum number of games that are timed on a board."""

_TRACKS = {
    **dict.fromkeys(SCRIPTED, "scripted"),
    **dict.fromkeys(("marginal", "graphical_source", "conditional", "graphical"), "reveal"),
    **dict.fromkeys(("plain-dqn", "plain-ppo"), "board"),
    **dict.fromkeys(("any-size", "dqn", "ppo"), "reveal"),
    "exact": "oracle",
    **dict.fromkeys(("afterstate", "afterstate-any-size", "lookahead", "rollout", "optimal"), "search"),
}
"""Tracks of the policies of the package."""


def card_for(policy: str, **given: Any) -> Card:
    """Returns the card of a policy: what `given` says, completed by what is known of a policy of the package.

    Args:
        policy: specification of the policy.
        given: fields of the card; None leaves a field out.

    Raises:
        ValueError: the policy is not of the package, and its track or author is missing; or a field is not allowed.
        OSError: a file of the policy cannot be read.
    """
    fields = {"name": policy, **_known(policy), **{name: value for name, value in given.items() if value is not None}}
    if missing := [f"--{name}" for name in ("track", "author") if name not in fields]:
        raise ValueError(f"{policy} is no policy of the package, so its entry needs {' and '.join(missing)}")
    return msgspec.convert({"policy": policy, "sha256": policy_digest(policy), **fields}, Card)


def _known(policy: str) -> dict[str, Any]:
    """Returns the track, the author and the training of a policy of the package; nothing of another."""
    base = read_specification(policy).base
    if base not in _TRACKS:
        return {}
    known = {"track": _TRACKS[base], "author": AUTHOR}
    if not (AGENTS_FOLDER / base / AGENT_FILE).is_file():
        return known
    # An agent also had the trainings of the agents that it began as.
    trainings = list(lineage(training_of(AGENTS_FOLDER / base)))
    minutes = [training["run"]["settings"]["minutes"] for training in trainings]
    return known | {
        "training_steps": sum(training["steps"] for training in trainings),
        "training_hours": None if None in minutes else sum(minutes) / 60,
        "hardware": f"one core of {trainings[0]['run']['sessions'][-1]['processor']}, no GPU",
    }


def suite_of(
    policies: Sequence[str], boards: Sequence[str] | None = None, first_clicks: Sequence[str] | None = None
) -> Suite:
    """Returns the suite `benchmark` with these policies, on some of its boards.

    Args:
        policies: specifications of the policies.
        boards: names of boards such as "8x8/14"; None for all.
        first_clicks: first-click rules; None for all.

    Raises:
        ValueError: the protocol has no such board or rule.
    """
    suite = SUITES["benchmark"]
    (group,) = suite.groups
    names, rules = dict.fromkeys(map(name_of, group.boards)), PROTOCOL.first_clicks
    for given, known in ((boards, names), (first_clicks, rules)):
        if unknown := set(given or ()) - set(known):
            raise ValueError(f"benchmark {PROTOCOL.version} has {', '.join(known)}, not {', '.join(sorted(unknown))}")
    kept = [each for each in group.boards if name_of(each) in (boards or names)]
    kept = [each for each in kept if each.first_click in (first_clicks or rules)]
    return replace(suite, groups=(replace(group, entries=tuple(map(Entry, policies)), boards=tuple(kept)),))


def collect(card: Card, folders: Sequence[Path]) -> tuple[ResultFile, list[str]]:
    """Returns the result file of a policy, and for each board that it leaves out a line with the reason.

    Args:
        card: the entry.
        folders: folders of the suite; of each board the folder with the most games counts.

    Raises:
        ValueError: no board has enough games, or a folder holds no games of the suite, or games of other code.
        OSError: a file of games is damaged.
    """
    boards, missing = [], []
    for task in plan(suite_of([card.policy]), len(PROTOCOL.seeds)):
        records = [] if task.refusal else max((_records(task, folder) for folder in folders), key=len)
        if len(records) >= PROTOCOL.least_games:
            boards.append(Games.of_records(task.config, task.batch_size, records))
        else:
            reason = task.refusal or f"{len(records)} of at least {PROTOCOL.least_games} games are played"
            missing.append(f"{card.name} leaves out {title_of(task.board)}: {reason}")
    if not boards:
        found = ", ".join(map(str, folders))
        raise ValueError(f"{card.policy} has no board with {PROTOCOL.least_games} games in {found}")
    for folder in folders:
        check_same(folder, read_json(folder / MANIFEST), {"suite": "benchmark", "seed": PROTOCOL.seeds.start})
    commits = sorted({read_manifest(folder).commit for folder in folders})
    return ResultFile.of(card, versions() | {"commit": ", ".join(commits)}, boards), missing


def _records(task: Task, folder: Path) -> list[GameRecord]:
    """Returns the games of a task from the first one up to a gap."""
    task, records = replace(task, games=read_manifest(folder).games), list[GameRecord]()
    for part in task.read(folder, PROTOCOL.seeds.start, actions=True):
        if part.first != len(records):
            break
        records += part.records
    return records


def replay_policy(policy: str, games: Games, least: int) -> tuple[int, str | None]:
    """Plays whole batches again with the policy itself, and compares every action by its digest.

    Args:
        policy: specification of the policy.
        games: the recorded games; their digests choose the batches.
        least: number of games to play at least; all games if there are fewer.

    Returns:
        The number of games played, and a sentence about the first one that differs; None if none does.

    Raises:
        ValueError: the policy is not available.
        PolicyError: the policy broke the protocol of policies.
    """
    task = _assignment(policy, games, record=True)
    player, played = task.make_policy(), 0
    for index in dict.fromkeys(game // games.batch_size for game in games.shuffled_games()):
        if played >= least:
            break
        begin = index * games.batch_size
        part = task.play(player, begin, min(games.batch_size, games.games - begin))
        for game, record in zip(part.games, part.records, strict=True):
            played += 1
            found = (record.won, record.clicks, digest_of(record.actions))
            if found != (games.outcomes[game], games.actions[game], games.digest(game)):
                return played, f"{games.place(game)}: the policy plays it differently"
    return played, None


def _assignment(policy: str, games: Games, record: bool = False) -> Assignment:
    build, seeds = partial(build_policy, policy, games.config), range(games.seed, games.seed + games.games)
    return Assignment(policy, build, games.config, seeds, games.seed, games.batch_size, record=record)


def busy() -> float | None:
    """Returns the load of the last minute if the machine is busy, and None if it is free or cannot tell."""
    try:
        load = os.getloadavg()[0]
    except OSError:
        return None
    return load if load > MOST_LOAD else None


def time_games(policy: str, games: Games, seconds: float) -> Time:
    """Plays whole batches for about this long, after one batch that is not timed; returns the time per game.

    Args:
        policy: specification of the policy.
        games: games of the board; the timed ones are their first batches.
        seconds: time after which no further batch begins; at least one batch is timed.

    Raises:
        ValueError: the policy is not available.
        PolicyError: the policy broke the protocol of policies.
    """
    task = _assignment(policy, games)
    player, played, spent = task.make_policy(), 0, 0.0
    task.play(player, 0, min(games.batch_size, games.games))
    deadline = time.perf_counter() + seconds
    while played < min(MOST_GAMES, games.games) and (not played or time.perf_counter() < deadline):
        part = task.play(player, played, min(games.batch_size, games.games - played))
        spent, played = spent + part.seconds, part.games.stop
    return Time(played, round(1000.0 * spent / played, 4))


def with_times_of(earlier: ResultFile, result: ResultFile) -> ResultFile:
    """Returns a file with the times of an earlier one, for the boards whose games are the same or continue it."""
    if earlier.times is None or earlier.card.policy != result.card.policy:
        return result
    held = {title: each for title, each in earlier.times.boards.items() if _continues(earlier, result, title)}
    return msgspec.structs.replace(result, times=Times(earlier.times.processor, held) if held else None)


def _continues(earlier: ResultFile, result: ResultFile, title: str) -> bool:
    """Returns whether the games of a board begin with those of the earlier file, which hold the timed ones."""
    games, before = result.board(title), earlier.board(title)
    if games is None or before is None or (games.seed, games.batch_size) != (before.seed, before.batch_size):
        return False
    won = games.outcomes[: before.games].tolist() == before.outcomes.tolist()
    return won and games.digests.startswith(before.digests)
