"""Plays seeded games with a policy: one record a game, and no statistics."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.policy import Policy
from baselines.seeds import derived_seed
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv

BLOCK = 20
"""The games that a policy plays side by side, between two of its resets. A time budget ends between blocks:
to stop amid one would keep the short games and drop the long ones."""


class PolicyError(RuntimeError):
    """A policy broke the protocol: an illegal action, or an answer of the wrong shape or type."""


class GameRecord(NamedTuple):
    """How a game went.

    Attributes:
        seed: its seed; the single environment reset with it plays the same game.
        won: whether every safe cell was opened.
        clicks: the actions taken.
        truncated: whether the step limit ended it; such a game is not won.
    """

    seed: int
    won: bool
    clicks: int
    truncated: bool


class Block(NamedTuple):
    """The records of a block of games, and the seconds that playing them took."""

    records: list[GameRecord]
    seconds: float


@dataclass
class Evaluation:
    """The games that a policy played.

    Attributes:
        records: one a game, in the order of the seeds; fewer than asked for, but always the first ones,
            after an interruption or at the end of a time budget.
        seconds: by the clock, the start of the policy and of the workers included.
        playing_seconds: the time spent playing, summed over the workers.
        interrupted: whether KeyboardInterrupt ended it.
    """

    records: list[GameRecord] = field(default_factory=list)
    seconds: float = 0.0
    playing_seconds: float = 0.0
    interrupted: bool = False


def play_games(
    policy: Policy,
    config: BoardConfig,
    seeds: Sequence[int],
    on_finished: Callable[[int], object] | None = None,
) -> list[GameRecord]:
    """Plays one game a seed, all side by side; the policy meets only those that are not over.

    Args:
        policy: the player, reset by the caller.
        config: the games; `BoardConfig.moves` says which actions the policy has.
        seeds: each at least 0; the game of seed s is the first one of a single environment seeded s.
        on_finished: called with the number of games that a step has ended, where any has.

    Returns:
        One record a seed, in their order.

    Raises:
        PolicyError: the policy chose an illegal action, or answered in another shape or type.
    """
    env = _make_env(config, len(seeds))
    observations, infos = env.reset(seed=list(seeds))
    playing = np.ones(len(seeds), np.bool_)
    clicks = np.zeros(len(seeds), np.int64)
    won, truncated = np.zeros_like(playing), np.zeros_like(playing)
    actions = np.zeros(len(seeds), np.int64)
    while playing.any():
        actions[playing] = _choose(policy, observations[playing], infos["action_mask"][playing])
        observations, _, terminations, truncations, infos = env.step(actions)
        clicks += playing
        won |= playing & infos["is_success"]
        truncated |= playing & truncations
        ended = playing & (terminations | truncations)
        playing &= ~ended
        if on_finished is not None and ended.any():
            on_finished(int(ended.sum()))
    return [GameRecord(*row) for row in zip(seeds, won.tolist(), clicks.tolist(), truncated.tolist(), strict=True)]


def _make_env(config: BoardConfig, games: int) -> MinesweeperVectorEnv:
    return MinesweeperVectorEnv(
        games,
        (config.rows, config.cols),
        config.mines,
        config.first_click,
        config.moves,
        radius=config.radius,
        max_steps=config.max_steps,
    )


def _choose(policy: Policy, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    answer: Any = policy.act(observations, masks)
    name, count = type(policy).__name__, len(masks)
    if not isinstance(answer, np.ndarray) or answer.shape != (count,) or answer.dtype != np.int64:
        found = f"{answer.dtype} {answer.shape}" if isinstance(answer, np.ndarray) else type(answer).__name__
        raise PolicyError(f"{name}.act must return an int64 array of shape ({count},), not {found}")
    outside = (answer < 0) | (answer >= masks.shape[1])
    if outside.any():
        raise PolicyError(f"{name}.act chose {answer[outside][0]}, but actions are 0 to {masks.shape[1] - 1}")
    illegal = masks[np.arange(count), answer] == 0
    if illegal.any():
        raise PolicyError(f"{name}.act chose action {answer[illegal][0]}, which its mask forbids")
    return answer


class Player:
    """A policy that is ready to play blocks of games."""

    def __init__(self, build: Callable[[], Policy], config: BoardConfig, seed: int) -> None:
        """Builds the policy and has the engine compiled, so that the blocks measure nothing but play."""
        self._policy = build()
        self._config = config
        self._seed = seed
        env = _make_env(config, 1)
        env.reset(seed=0)
        env.step(np.zeros(1, np.int64))

    def play(self, index: int, seeds: Sequence[int]) -> Block:
        """Plays the block of this index; the same seeds and index give the same records, whoever plays."""
        begin = time.perf_counter()
        self._policy.reset(derived_seed(self._seed, index))
        records = play_games(self._policy, self._config, seeds)
        return Block(records, time.perf_counter() - begin)


def evaluate_policy(
    build: Callable[[], Policy],
    config: BoardConfig,
    seeds: Sequence[int],
    *,
    policy_seed: int = 0,
    workers: int = 1,
    max_seconds: float | None = None,
    on_finished: Callable[[int], object] | None = None,
) -> Evaluation:
    """Plays one game a seed, in blocks of `BLOCK`; the records do not depend on the number of workers.

    Args:
        build: makes the policy, once in each worker; with several workers it must pickle.
        config: the games.
        seeds: those of the games, each at least 0.
        policy_seed: what the seeds of the policy's own random choices are derived from, at least 0.
        workers: the processes that play; 1 plays in this one.
        max_seconds: the time of play after which no further block begins; the first one is always played.
        on_finished: called with the number of games of each block that is done.

    Returns:
        The games played, also after KeyboardInterrupt.

    Raises:
        PolicyError: the policy broke the protocol.
    """
    begin = time.perf_counter()
    blocks = [seeds[first : first + BLOCK] for first in range(0, len(seeds), BLOCK)]
    make_player = partial(Player, build, config, policy_seed)
    evaluation = Evaluation()
    try:
        with closing(_play_blocks(make_player, blocks, workers, max_seconds)) as played:
            for block in played:
                evaluation.records += block.records
                evaluation.playing_seconds += block.seconds
                if on_finished is not None:
                    on_finished(len(block.records))
    except KeyboardInterrupt:
        evaluation.interrupted = True
    evaluation.seconds = time.perf_counter() - begin
    return evaluation


def _play_blocks(
    make_player: Callable[[], Player], blocks: Sequence[Sequence[int]], workers: int, max_seconds: float | None
) -> Generator[Block]:
    if workers > 1:
        from baselines.workers import play_in_pool

        yield from play_in_pool(make_player, blocks, workers, max_seconds)
        return
    player = make_player()
    begin = time.perf_counter()
    for index, seeds in enumerate(blocks):
        if index == 0 or max_seconds is None or time.perf_counter() < begin + max_seconds:
            yield player.play(index, seeds)
