"""A suite: the boards, policies, tables and plot of an experiment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from baselines.evaluation.protocol import Protocol
from baselines.evaluation.seeds import check_seeds
from baselines.support.board_names import name_of
from minesweeper_env.config import BoardConfig

COLUMNS = ("games", "wins", "win_rate", "interval", "clicks", "ms", "p")
"""Columns of the tables of a suite that names no others."""


@dataclass(frozen=True)
class Entry:
    """A policy of a suite.

    Attributes:
        policy: specification of the policy; see `baselines.registry.find_policy`.
        cap: maximum number of games per board, for a slow policy; None for all games.
        batch_size: number of games to play side by side; None for the policy's own choice.
        start: "module:function" that gives each game its start, or None for the first-click rule. The function takes
            a `BoardConfig` and a seed and returns a `baselines.evaluation.games.Start`. Games with such starts differ
            from the games of the other policies.
    """

    policy: str
    cap: int | None = None
    batch_size: int | None = None
    start: str | None = None


@dataclass(frozen=True)
class Suite:
    """An experiment that one command repeats.

    Attributes:
        name: its name on the command line.
        title: subject, in one line.
        boards: boards and first-click rules; each policy brings its own moves.
        entries: policies, weakest first.
        paired: comparisons to make. "next" compares each policy with the next stronger one on the board; "all" compares
            every pair; the name of a policy compares all others with it.
        games: default number of games of each policy on each board.
        columns: columns of the tables, by their names in `baselines.evaluation.columns.COLUMNS`.
        scored: whether the rows hold the score of Sun, Chen & Yang: see `baselines.suites.analysis.scores`.
        notes: notes below the tables, one line each.
        protocol: the protocol that fixes the seeds, for a suite whose games are recorded action by action; None for
            a suite that plays any test seeds.
    """

    name: str
    title: str
    boards: tuple[BoardConfig, ...]
    entries: tuple[Entry, ...]
    paired: str
    games: int = 1000
    columns: tuple[str, ...] = COLUMNS
    scored: bool = False
    notes: tuple[str, ...] = ()
    protocol: Protocol | None = None

    def __post_init__(self) -> None:
        """Checks that no two boards share a folder and a row: only recorded games tell first-click rules apart.

        Raises:
            ValueError: two boards have the same size and mines.
        """
        names = [name_of(board) for board in self.boards]
        if self.protocol is None and len(set(names)) < len(names):
            raise ValueError(f"the boards of the suite {self.name} must differ in size or mines: {', '.join(names)}")

    def with_policies(self, policies: Sequence[str]) -> Suite:
        """Returns the suite with further policies, which come last in its tables.

        Args:
            policies: their specifications.

        Raises:
            ValueError: the suite has one of the policies already, or one is given twice.
        """
        names = [entry.policy for entry in self.entries]
        for policy in policies:
            if policy in names:
                raise ValueError(f"the suite {self.name} has the policy {policy} already; name each policy once")
            names.append(policy)
        return replace(self, entries=(*self.entries, *entries_of(*policies)))

    def seeds_of(self, first: int | None, games: int) -> range:
        """Returns the seeds of the games.

        Args:
            first: seed of game 0; None for the first of the protocol, or 0.
            games: number of games.

        Raises:
            ValueError: these are no test seeds, or the protocol has others.
        """
        if self.protocol is not None:
            return self.protocol.seeds_of(first, games)
        return check_seeds(first or 0, games)


def entries_of(*policies: str, cap: int | None = None) -> tuple[Entry, ...]:
    """Returns the entries of policies that play from the first-click rule, each at most `cap` games of a board."""
    return tuple(Entry(policy, cap=cap) for policy in policies)
