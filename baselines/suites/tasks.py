"""Tasks of a suite: the games of one policy on one board each."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import NamedTuple

from baselines.evaluation.evaluate import batch_size_of
from baselines.evaluation.games import Player
from baselines.evaluation.records import Start
from baselines.evaluation.units import Assignment
from baselines.registry import build_policy, find_policy
from baselines.suites.suite import Entry, Suite
from baselines.support.board_names import file_name, name_of
from minesweeper_env.config import BoardConfig
from minesweeper_env.notices import say


@dataclass(frozen=True)
class Task:
    """The games of one policy on one board.

    Attributes:
        policy: specification of the policy.
        config: board and rules of the games.
        games: number of games.
        batch_size: number of games played side by side; the policy is reset before each batch.
        start: "module:function" that gives each game its start; None for the first-click rule.
        record: True to record the actions of each game.
        precision: number format of the policy's network; None for a policy without such a choice.
    """

    policy: str
    config: BoardConfig
    games: int
    batch_size: int
    start: str | None = None
    record: bool = False
    precision: str | None = None

    def __str__(self) -> str:
        """Returns the policy and the board, with the first-click rule if games are recorded."""
        rule = f", first click {self.config.first_click}" if self.record else ""
        return f"{self.policy} on {name_of(self.config)}{rule}"

    @property
    def folder(self) -> str:
        """Path of the folder with the games, relative to the folder of the suite."""
        rule = f"-{self.config.first_click}" if self.record else ""
        return f"games/{file_name(name_of(self.config))}{rule}/{policy_folder(self.policy)}"

    def assignment(self, seed: int) -> Assignment:
        """Returns the games as workers receive them; game i has the seed `seed` + i."""
        seeds = range(seed, seed + self.games)
        make_player = partial(self.make_player, seed)
        return Assignment((self, seed), str(self), make_player, seeds, self.batch_size)

    def make_player(self, seed: int) -> Player:
        """Returns the player of these games; its random choices depend on `seed`."""
        build = partial(build_policy, self.policy, self.config)
        return Player(build, self.config, seed, start=self._start(), record=self.record)

    def _start(self) -> Callable[[int], Start] | None:
        if self.start is None:
            return None
        module, _, function = self.start.partition(":")
        return partial(getattr(import_module(module), function), self.config)


def policy_folder(policy: str) -> str:
    """Returns the name of the folders with the games of a policy.

    Names with options are spelled out. A hash tells apart paths and classes that would be spelled alike.
    """
    name = re.sub(r"[^-=,.+0-9A-Za-z]", "_", policy)
    if re.fullmatch(r"[-.\w]+(:\w+=.*)?", policy):
        return name
    return f"{name[-60:]}-{hashlib.sha256(policy.encode()).hexdigest()[:8]}"


class LeftOut(NamedTuple):
    """A policy that does not play on a board, and the reason."""

    policy: str
    config: BoardConfig
    reason: str

    @property
    def board(self) -> str:
        """Name of the board."""
        return name_of(self.config)


def plan(suite: Suite, games: int) -> Iterator[Task | LeftOut]:
    """Yields the tasks of a suite, board by board, and the policies that refuse a board.

    Each policy is made once per board to find out.

    Args:
        suite: the suite.
        games: number of games of each policy on each board; a policy with a cap plays at most its cap.

    Raises:
        MissingExtraError: a policy needs a package that is not installed.
        PolicyError: the code of a user's policy fails.
    """
    say("Prepare every policy for every board")
    for board in suite.boards:
        for entry in suite.entries:
            yield _plan_one(entry, board, games, suite.protocol is not None)


def _plan_one(entry: Entry, board: BoardConfig, games: int, record: bool) -> Task | LeftOut:
    maker = find_policy(entry.policy)
    try:
        config = maker.config_for(board)
        batch_size = batch_size_of(maker(config))
    except ValueError as error:
        return LeftOut(entry.policy, board, str(error))
    games = games if entry.cap is None else min(games, entry.cap)
    size = entry.batch_size or batch_size
    return Task(entry.policy, config, games, size, entry.start, record, maker.precision)
