"""Result files from folders of the suite `benchmark`, finished or not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from baselines.benchmark.blocks import Games, title_of
from baselines.benchmark.cards import Card
from baselines.benchmark.result_files import ResultFile
from baselines.evaluation.protocol import PROTOCOL
from baselines.evaluation.records import GameRecord
from baselines.evaluation.report import versions
from baselines.suites.definitions import SUITES
from baselines.suites.folder import MANIFEST, read_manifest
from baselines.suites.parts import Part, PartStore
from baselines.suites.suite import Entry, Suite
from baselines.suites.tasks import LeftOut, Task, plan
from baselines.support.board_names import name_of
from baselines.support.files import read_json
from baselines.support.reuse import check_same


class Missing(NamedTuple):
    """A board that a result file leaves out, and the reason."""

    board: str
    reason: str


def collect(card: Card, folders: Sequence[Path]) -> tuple[ResultFile, list[Missing]]:
    """Returns the result file of a policy, and the boards that it leaves out.

    Args:
        card: the entry.
        folders: folders of the suite; of each board the folder with the most games counts.

    Raises:
        ValueError: no board has enough games, or a folder holds no games of the suite, or games of other code.
        DamagedPartError: a file of games is damaged.
    """
    boards: list[Games] = []
    missing: list[Missing] = []
    for each in plan(suite_of([card.policy]), len(PROTOCOL.seeds)):
        title = title_of(each.config)
        if isinstance(each, LeftOut):
            missing.append(Missing(title, each.reason))
            continue
        records = max((_records(each, folder) for folder in folders), key=len)
        if len(records) < PROTOCOL.least_games:
            missing.append(Missing(title, f"{len(records)} of at least {PROTOCOL.least_games} games are played"))
        else:
            boards.append(Games.of_records(each.config, each.batch_size, records))
    if not boards:
        raise ValueError(f"{card.policy} has no board with {PROTOCOL.least_games} games in {_names(folders)}")
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


def _names(folders: Sequence[Path]) -> str:
    return ", ".join(str(folder) for folder in folders)


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
    names = _known(boards, list(dict.fromkeys(name_of(board) for board in suite.boards)))
    rules = _known(first_clicks, PROTOCOL.first_clicks)
    kept = [board for board in suite.boards if name_of(board) in names and board.first_click in rules]
    return replace(suite, entries=tuple(Entry(policy) for policy in policies), boards=tuple(kept))


def _known(given: Sequence[str] | None, known: Sequence[str]) -> Sequence[str]:
    unknown = [each for each in given or () if each not in known]
    if unknown:
        raise ValueError(f"benchmark {PROTOCOL.version} has {', '.join(known)}, not {', '.join(unknown)}")
    return given or known
