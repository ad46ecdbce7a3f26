"""Assignment of a policy's games to workers, and the play of a unit of them in a worker."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from baselines.evaluation.games import Player
from baselines.evaluation.records import Batch
from baselines.registry import policy_files, read_specification

_players: dict[Hashable, Player] = {}
"""The players of this process, which it keeps for later units."""


@dataclass(frozen=True)
class Assignment:
    """Games of one policy on one board, as workers receive them.

    Attributes:
        key: tells assignments apart; a worker keeps one player for each key.
        title: names the policy and the board in messages.
        make_player: makes the player; for worker processes it must pickle.
        seeds: seed of each game.
        batch_size: number of games played side by side; the policy is reset before each batch.
        policy: specification of the policy; None for one that is given as an object or a callable.
    """

    key: Hashable
    title: str
    make_player: Callable[[], Player] = field(compare=False)
    seeds: Sequence[int]
    batch_size: int
    policy: str | None = None

    @property
    def games(self) -> int:
        """The number of games."""
        return len(self.seeds)

    def files(self) -> dict[str, list[Path]]:
        """Returns the files of the policy that no installed package holds, by the path that names them."""
        files = [] if self.policy is None else policy_files(self.policy)
        return {read_specification(self.policy).base: files} if files and self.policy else {}

    def seeds_of(self, first: int, games: int) -> str:
        """Returns the seeds of some games in words, such as "seeds 20 to 39"."""
        return f"seeds {self.seeds[first]} to {self.seeds[first + games - 1]}"


def play_unit(assignment: Assignment, first: int, games: int) -> list[Batch]:
    """Plays consecutive games of an assignment, batch by batch.

    Args:
        assignment: the games.
        first: index of the first game to play; a batch begins there.
        games: number of games to play.
    """
    player, size = _player_of(assignment), assignment.batch_size
    end = first + games
    return [
        player.play(begin // size, assignment.seeds[begin : min(begin + size, end)])
        for begin in range(first, end, size)
    ]


def prepare_player(assignment: Assignment) -> None:
    """Makes the player of an assignment ahead."""
    _player_of(assignment)


def _player_of(assignment: Assignment) -> Player:
    """Returns the player of an assignment; the process keeps it."""
    if assignment.key not in _players:
        _players[assignment.key] = assignment.make_player()
    return _players[assignment.key]


def forget_players() -> None:
    """Drops the players of this process."""
    _players.clear()
