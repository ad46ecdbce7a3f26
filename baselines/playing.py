"""Plays seeded games with a policy, side by side: one record a game, and no statistics."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.judge import GameDiagnosis, Judge
from baselines.policy import Policy
from baselines.seeds import derived_seed
from minesweeper_env.config import BoardConfig
from minesweeper_env.games import compile_kernels
from minesweeper_env.vector_env import MinesweeperVectorEnv


class PolicyError(RuntimeError):
    """A policy broke the protocol: an illegal action, or an answer of the wrong shape or type."""


class GameRecord(NamedTuple):
    """How a game went.

    Attributes:
        seed: its seed; the single environment reset with it plays the same game.
        won: whether every safe cell was opened.
        clicks: the actions taken.
        truncated: whether the step limit ended it; such a game is not won.
        diagnosis: what its clicks were like, if they were judged.
    """

    seed: int
    won: bool
    clicks: int
    truncated: bool
    diagnosis: GameDiagnosis | None = None


class Block(NamedTuple):
    """The records of a block of games, and the seconds that playing them took; judging clicks does not count."""

    records: list[GameRecord]
    seconds: float


class Observer(Protocol):
    """Watches games that are played side by side."""

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],
        actions: NDArray[np.int64],
        lost: NDArray[np.bool_],
    ) -> object:
        """Is told of one step in each of the K games under way.

        Args:
            games: (K,) int64, which of the games they are, counted from 0.
            observations: (K, rows, cols) int8, the boards before the step.
            actions: (K,) int64, what the policy chose.
            lost: (K,) bool, whether the step lost the game.
        """


def play_games(
    policy: Policy,
    config: BoardConfig,
    seeds: Sequence[int],
    on_finished: Callable[[int], object] | None = None,
    observer: Observer | None = None,
) -> list[GameRecord]:
    """Plays one game a seed, all side by side; the policy meets only those that are not over.

    Args:
        policy: the player, reset by the caller.
        config: the games; `BoardConfig.moves` says which actions the policy has.
        seeds: each at least 0; the game of seed s is the first one of a single environment seeded s.
        on_finished: called with the number of games that a step has ended, where any has.
        observer: told of every step.

    Returns:
        One record a seed, in their order.

    Raises:
        PolicyError: the policy chose an illegal action, or answered in another shape or type.
    """
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    observations, infos = env.reset(seed=list(seeds))
    playing = np.ones(len(seeds), np.bool_)
    clicks = np.zeros(len(seeds), np.int64)
    won, truncated = np.zeros_like(playing), np.zeros_like(playing)
    actions = np.zeros(len(seeds), np.int64)
    while playing.any():
        actions[playing] = _choose(policy, observations[playing], infos["action_mask"][playing])
        boards = observations
        observations, _, terminations, truncations, infos = env.step(actions)
        if observer is not None:
            lost = terminations & ~infos["is_success"]
            observer(np.flatnonzero(playing), boards[playing], actions[playing], lost[playing])
        clicks += playing
        won |= playing & infos["is_success"]
        truncated |= playing & truncations
        ended = playing & (terminations | truncations)
        playing &= ~ended
        if on_finished is not None and ended.any():
            on_finished(int(ended.sum()))
    return [GameRecord(*row) for row in zip(seeds, won.tolist(), clicks.tolist(), truncated.tolist(), strict=True)]


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

    def __init__(self, build: Callable[[], Policy], config: BoardConfig, seed: int, diagnose: bool = False) -> None:
        """Builds the policy and has the engine compiled, so that the blocks measure nothing but play."""
        self._policy = build()
        self._config = config
        self._seed = seed
        self._diagnose = diagnose
        compile_kernels()

    def play(self, index: int, seeds: Sequence[int]) -> Block:
        """Plays the block of this index; the same seeds and index give the same records, whoever plays."""
        judge = Judge(self._config, len(seeds)) if self._diagnose else None
        begin = time.perf_counter()
        self._policy.reset(derived_seed(self._seed, index))
        records = play_games(self._policy, self._config, seeds, observer=judge)
        seconds = time.perf_counter() - begin
        if judge is None:
            return Block(records, seconds)
        found = zip(records, judge.diagnoses(), strict=True)
        return Block([record._replace(diagnosis=diagnosis) for record, diagnosis in found], seconds - judge.seconds)
