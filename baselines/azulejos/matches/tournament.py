"""Round robin of policies, played in blocks of boards, in this process or in workers."""

from __future__ import annotations

import itertools
from collections.abc import Generator, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig
from azulejos_env.engine import batches
from azulejos_env.engine.games import compile_kernels
from baselines.azulejos.matches.play import play_boards
from baselines.azulejos.matches.players import CompiledPlayer, OwnPlayer, Player
from baselines.azulejos.matches.roster import make_policy
from baselines.executors.processes import worker_pool

SINGLE_BOARDS, BATCHED_BOARDS = 5, 200
"""Boards of a block where a policy chooses one move at a time, and where both choose many at once."""

COMPILED = {"random": batches.RANDOM, "greedy": batches.GREEDY}
"""The policies that the engine plays itself."""

Scores = NDArray[np.int64]


class Block(NamedTuple):
    """Boards of a pair of policies that are played side by side.

    Attributes:
        pair: index of the pair.
        start: index of the first board.
        stop: index after the last board.
    """

    pair: int
    start: int
    stop: int


@dataclass(frozen=True)
class Tournament:
    """Policies, and the boards that each pair of them plays twice, once with either moving first.

    Attributes:
        config: board and rules.
        names: the policies, by their specifications.
        seed: seed of the first board.
        boards: number of boards.
    """

    config: GameConfig
    names: tuple[str, ...]
    seed: int
    boards: int

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """The pairs of policies, by their indices."""
        return list(itertools.combinations(range(len(self.names)), 2))

    @property
    def games(self) -> int:
        """The number of games of all pairs."""
        return 2 * self.boards * len(self.pairs)

    def players(self) -> list[Player]:
        """Makes the players.

        Raises:
            ValueError: a policy does not play these games.
            PolicyError: the code of a user's policy fails.
            MissingExtraError: a policy needs a package that is not installed.
        """
        compile_kernels()
        return [self._player(name) for name in self.names]

    def blocks(self, players: Sequence[Player]) -> list[Block]:
        """Returns all blocks, early boards first, so all pairs have played equally many games after an interruption."""
        blocks = []
        for pair, (first, second) in enumerate(self.pairs):
            size = BATCHED_BOARDS if players[first].in_batches and players[second].in_batches else SINGLE_BOARDS
            starts = range(0, self.boards, size)
            blocks += [Block(pair, start, min(start + size, self.boards)) for start in starts]
        return sorted(blocks, key=lambda block: (block.start, block.pair))

    def play(self, players: Sequence[Player], block: Block) -> Scores:
        """Plays a block; see `play_boards`. The same block has the same games in every process."""
        first, second = self.pairs[block.pair]
        seeds = range(self.seed + block.start, self.seed + block.stop)
        return play_boards(players[first], players[second], self.config, seeds)

    def _player(self, name: str) -> Player:
        kind = COMPILED.get(name)
        return OwnPlayer(name, make_policy(name, self.config)) if kind is None else CompiledPlayer(kind)


class Games:
    """Scores of the games of a tournament so far."""

    def __init__(self, tournament: Tournament) -> None:
        """Begins without games."""
        pairs = len(tournament.pairs)
        self.scores: Scores = np.zeros((pairs, tournament.boards, 2, 2), np.int64)
        self._played = np.zeros((pairs, tournament.boards), np.bool_)

    def add(self, block: Block, scores: Scores) -> int:
        """Keeps the scores of a block, and returns its number of games."""
        self.scores[block.pair, block.start : block.stop] = scores
        self._played[block.pair, block.start : block.stop] = True
        return 2 * (block.stop - block.start)

    def of_pair(self, pair: int) -> Scores:
        """Returns (n, 2, 2) int64, the scores of the first n boards of a pair; see `play_boards`.

        An interruption may leave a gap before some boards. These are not returned, because short games would be
        overrepresented.
        """
        played = self._played[pair]
        return self.scores[pair, : len(played) if played.all() else int(played.argmin())]


def play_blocks(tournament: Tournament, players: Sequence[Player], workers: int) -> Generator[tuple[Block, Scores]]:
    """Plays all games, and yields the blocks as they are finished.

    Args:
        tournament: the policies and boards.
        players: its players, which play where `workers` is 1.
        workers: number of processes; 1 plays in this process.

    Raises:
        PolicyError: a policy broke the protocol.
        WorkerError: worker processes cannot be started, or were killed too often.
    """
    blocks = tournament.blocks(players)
    if workers == 1:
        for block in blocks:
            yield block, tournament.play(players, block)
        return
    with worker_pool(min(workers, len(blocks)), _begin, tournament) as pool:
        futures = {pool.submit(_play, block): block for block in blocks}
        for future in as_completed(futures):
            yield futures.pop(future), future.result()


_tournament: Tournament | None = None
_players: list[Player] = []
"""The tournament of this process if it is a worker; the first block makes its players, whose errors then reach the
main process."""


def _begin(tournament: Tournament) -> None:
    global _tournament
    _tournament = tournament


def _play(block: Block) -> Scores:
    assert _tournament is not None
    if not _players:
        _players.extend(_tournament.players())
    return _tournament.play(_players, block)
