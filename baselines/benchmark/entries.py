"""Entries of the benchmark: cards and games of policies, from the folders of its suite; replays; times per game."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import takewhile
from pathlib import Path
from typing import Any

import msgspec

from baselines.benchmark.result_files import AUTHOR, Card, Games, ResultFile, Time, Times, digest_of
from baselines.evaluation.games import Player
from baselines.evaluation.protocol import PROTOCOL
from baselines.evaluation.records import GameRecord
from baselines.evaluation.results import versions
from baselines.learned.settings.files import lineage, training_of
from baselines.registry import AGENT_FILE, AGENTS_FOLDER, SCRIPTED, build_policy, policy_digest, read_specification
from baselines.suites.definitions import SUITES
from baselines.suites.folder import MANIFEST, read_manifest
from baselines.suites.parts import Part, PartStore
from baselines.suites.suite import Entry, Suite
from baselines.suites.tasks import LeftOut, Task, plan
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
    missing = [f"--{name}" for name in ("track", "author") if name not in fields]
    if missing:
        raise ValueError(f"{policy} is no policy of the package, so its entry needs {' and '.join(missing)}")
    return msgspec.convert({"policy": policy, "sha256": policy_digest(policy), **fields}, Card)


def _known(policy: str) -> dict[str, Any]:
    """Returns the track, the author and the training of a policy of the package; nothing of another."""
    base = read_specification(policy).base
    if base not in _TRACKS:
        return {}
    known: dict[str, Any] = {"track": _TRACKS[base], "author": AUTHOR}
    if (AGENTS_FOLDER / base / AGENT_FILE).is_file():
        known |= _training(base)
    return known


def _training(agent: str) -> dict[str, Any]:
    """Returns the steps, hours and processor of a shipped agent's training, with the agents that it began as."""
    trainings = list(lineage(training_of(AGENTS_FOLDER / agent)))
    minutes = [training["run"]["settings"]["minutes"] for training in trainings]
    processor = trainings[0]["run"]["sessions"][-1]["processor"]
    return {
        "training_steps": sum(training["steps"] for training in trainings),
        "training_hours": None if None in minutes else sum(minutes) / 60,
        "hardware": f"one core of {processor}, no GPU",
    }


def collect(card: Card, folders: Sequence[Path]) -> tuple[ResultFile, list[LeftOut]]:
    """Returns the result file of a policy, and the boards that it leaves out.

    Args:
        card: the entry.
        folders: folders of the suite; of each board the folder with the most games counts.

    Raises:
        ValueError: no board has enough games, or a folder holds no games of the suite, or games of other code.
        DamagedPartError: a file of games is damaged.
    """
    boards: list[Games] = []
    missing: list[LeftOut] = []
    for each in plan(suite_of([card.policy]), len(PROTOCOL.seeds)):
        if isinstance(each, LeftOut):
            missing.append(each)
            continue
        records = max((_records(each, folder) for folder in folders), key=len)
        if len(records) < PROTOCOL.least_games:
            reason = f"{len(records)} of at least {PROTOCOL.least_games} games are played"
            missing.append(LeftOut(card.policy, each.config, reason))
        else:
            boards.append(Games.of_records(each.config, each.batch_size, records))
    if not boards:
        raise ValueError(
            f"{card.policy} has no board with {PROTOCOL.least_games} games in {', '.join(map(str, folders))}"
        )
    for folder in folders:
        check_same(folder, read_json(folder / MANIFEST), {"suite": "benchmark", "seed": PROTOCOL.seeds.start})
    commits = sorted({read_manifest(folder).commit for folder in folders})
    return ResultFile(card, versions() | {"commit": ", ".join(commits)}, tuple(boards)), missing


def _records(task: Task, folder: Path) -> list[GameRecord]:
    """Returns the games of a task from the first one up to a gap."""
    store = PartStore(folder, replace(task, games=read_manifest(folder).games), PROTOCOL.seeds.start)
    parts = store.read(actions=True)
    return [record for part in _without_gaps(parts) for record in part.records]


def _without_gaps(parts: Sequence[Part]) -> list[Part]:
    begins = [0, *(part.games.stop for part in parts)]
    pairs = takewhile(lambda pair: pair[0] == pair[1].games.start, zip(begins, parts, strict=False))
    return [part for _, part in pairs]


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
    names = _given_or_all(boards, list(dict.fromkeys(name_of(board) for board in suite.boards)))
    rules = _given_or_all(first_clicks, PROTOCOL.first_clicks)
    kept = [board for board in suite.boards if name_of(board) in names and board.first_click in rules]
    return replace(suite, entries=tuple(Entry(policy) for policy in policies), boards=tuple(kept))


def _given_or_all(given: Sequence[str] | None, known: Sequence[str]) -> Sequence[str]:
    unknown = [each for each in given or () if each not in known]
    if unknown:
        raise ValueError(f"benchmark {PROTOCOL.version} has {', '.join(known)}, not {', '.join(unknown)}")
    return given or known


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
    player = Player(partial(build_policy, policy, games.config), games.config, games.seed, record=True)
    order = dict.fromkeys(game // games.batch_size for game in games.shuffled_games())
    played = 0
    for index in order:
        if played >= least:
            break
        begin = index * games.batch_size
        end = min(begin + games.batch_size, games.games)
        batch = player.play(index, range(games.seed + begin, games.seed + end))
        played += end - begin
        for game, record in enumerate(batch.records, begin):
            found = (record.won, record.clicks, digest_of(record.actions))
            if found != (games.won[game], games.clicks[game], games.digests[game]):
                return played, f"{games.name}, game {game} (seed {record.seed}): the policy plays it differently"
    return played, None


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
    player = Player(partial(build_policy, policy, games.config), games.config, games.seed)
    size, played, spent = games.batch_size, 0, 0.0
    player.play(0, range(games.seed, games.seed + min(size, games.games)))
    deadline = time.perf_counter() + seconds
    while played < min(MOST_GAMES, games.games) and (not played or time.perf_counter() < deadline):
        end = min(played + size, games.games)
        spent += player.play(played // size, range(games.seed + played, games.seed + end)).seconds
        played = end
    return Time(played, round(1000.0 * spent / played, 4))


def times_that_hold(earlier: ResultFile, result: ResultFile) -> Times | None:
    """Returns the times of an earlier file of the same entry, for the boards whose games are the same or continue it.

    Returns:
        The times for `result`; None if none holds.
    """
    if earlier.times is None or earlier.card.policy != result.card.policy:
        return None
    boards = {title: each for title, each in earlier.times.boards.items() if _same(earlier, result, title)}
    return Times(earlier.times.processor, boards) if boards else None


def _same(earlier: ResultFile, result: ResultFile, title: str) -> bool:
    """Returns whether the games of a board begin with those of the earlier file, which hold the timed ones."""
    games, before = result.board(title), earlier.board(title)
    if games is None or before is None or (games.seed, games.batch_size) != (before.seed, before.batch_size):
        return False
    return games.won[: before.games] == before.won and games.digests[: before.games] == before.digests
