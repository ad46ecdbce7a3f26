"""Plays seeded games with a policy, side by side: one record a game, and no statistics."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import GameDiagnosis, Judge
from baselines.evaluation.seeds import derived_seed
from baselines.policy import Policy
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import compile_kernels
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
        opened: the safe cells that were open at its end.
        marked: whether at some moment its flags were exactly the mines; a policy that would go on flagging once every
            safe cell is open is asked whether they would be in the end.
        diagnosis: what its clicks were like, if they were judged.
    """

    seed: int
    won: bool
    clicks: int
    truncated: bool
    opened: int = 0
    marked: bool = False
    diagnosis: GameDiagnosis | None = None


class Start(NamedTuple):
    """How a game begins that is not laid out by the first-click rule.

    Attributes:
        layout: (rows, cols) bool, where the mines are.
        cell: the first click, as row * cols + col.
    """

    layout: NDArray[np.bool_]
    cell: int


class Batch(NamedTuple):
    """A batch of games.

    Attributes:
        records: one a game.
        seconds: what playing them took; judging clicks does not count.
        counters: what the policy did meanwhile, by its attribute of this name: see `baselines.policy.Policy`.
    """

    records: list[GameRecord]
    seconds: float
    counters: dict[str, int]


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
    starts: Sequence[Start] | None = None,
) -> list[GameRecord]:
    """Plays one game a seed, all side by side; the policy meets only those that are not over.

    Args:
        policy: the player, reset by the caller.
        config: the games; `BoardConfig.moves` says which actions the policy has.
        seeds: each at least 0; the game of seed s is the first one of a single environment seeded s.
        on_finished: called with the number of games that a step has ended, where any has.
        observer: told of every step.
        starts: how each game begins, if not by the first-click rule and the policy's own first click.

    Returns:
        One record a seed, in their order.

    Raises:
        PolicyError: the policy chose an illegal action, or answered in another shape or type.
        ValueError: a start does not fit the configuration.
    """
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    first = None if starts is None else _first_clicks(starts, config)
    layouts = None if starts is None else {"layout": np.stack([start.layout for start in starts])}
    observations, infos = env.reset(seed=list(seeds), options=layouts)
    course = _Course(env, getattr(policy, "finishes", None))
    actions = np.zeros(len(seeds), np.int64)
    while course.playing.any():
        playing = course.playing
        if first is None:
            actions[playing] = _choose(policy, observations[playing], infos["action_mask"][playing])
        else:
            actions, first = first, None
        boards = observations
        observations, _, terminations, truncations, infos = env.step(actions)
        if observer is not None:
            lost = terminations & ~infos["is_success"]
            observer(np.flatnonzero(playing), boards[playing], actions[playing], lost[playing])
        ended = course.follow(observations, terminations, truncations, infos["is_success"])
        if on_finished is not None and ended > 0:
            on_finished(ended)
    return course.records(seeds)


def _first_clicks(starts: Sequence[Start], config: BoardConfig) -> NDArray[np.int64]:
    for start in starts:
        if not 0 <= start.cell < config.cells:
            raise ValueError(f"the cell of a start is 0 to {config.cells - 1}, not {start.cell}")
    return np.array([start.cell for start in starts], np.int64)


class _Course:
    """What has become so far of N games that are played side by side.

    Attributes:
        playing: (N,) bool, which of them are not over.
    """

    def __init__(self, env: MinesweeperVectorEnv, finishes: Callable[[NDArray[np.int8]], bool] | None) -> None:
        self.playing = np.ones(env.num_envs, np.bool_)
        self._env = env
        self._finishes = finishes
        self._clicks, self._opened = np.zeros((2, env.num_envs), np.int64)
        self._won, self._truncated, self._marked = np.zeros((3, env.num_envs), np.bool_)

    def follow(
        self,
        observations: NDArray[np.int8],
        terminations: NDArray[np.bool_],
        truncations: NDArray[np.bool_],
        won: NDArray[np.bool_],
    ) -> int:
        """Takes down one step in each game under way; returns how many it ended."""
        self._clicks += self.playing
        self._won |= self.playing & won
        self._truncated |= self.playing & truncations
        self._find_marked(observations)
        ended = self.playing & (terminations | truncations)
        if self._finishes is not None:
            for i in np.flatnonzero(self.playing & won & ~self._marked):
                self._marked[i] = self._finishes(observations[i])
        self._opened[ended] = (observations[ended] <= self._env.config.codes.max_count).sum(axis=(1, 2))
        self.playing = self.playing & ~ended
        return int(ended.sum())

    def _find_marked(self, observations: NDArray[np.int8]) -> None:
        config = self._env.config
        if "flag" not in config.moves:
            return
        flags = observations == config.codes.flagged
        candidates = self.playing & ~self._marked & (flags.sum(axis=(1, 2)) == config.mines)
        if candidates.any():
            mines = self._env.get_state()["mines"]
            self._marked |= candidates & (flags == mines).all(axis=(1, 2))

    def records(self, seeds: Sequence[int]) -> list[GameRecord]:
        """Returns the records of games that are over."""
        columns = (self._won, self._clicks, self._truncated, self._opened, self._marked)
        return [GameRecord(*row) for row in zip(seeds, *(column.tolist() for column in columns), strict=True)]


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
    """A policy that is ready to play batches of games."""

    def __init__(
        self,
        build: Callable[[], Policy],
        config: BoardConfig,
        seed: int,
        diagnose: bool = False,
        start: Callable[[int], Start] | None = None,
    ) -> None:
        """Builds the policy and has the engine compiled, so that the batches measure nothing but play."""
        self._policy = build()
        self._config = config
        self._seed = seed
        self._diagnose = diagnose
        self._start = start
        compile_kernels()

    def play(self, index: int, seeds: Sequence[int]) -> Batch:
        """Plays the batch of this index; the same seeds and index give the same records, whoever plays."""
        judge = Judge(self._config, len(seeds)) if self._diagnose else None
        starts = None if self._start is None else [self._start(seed) for seed in seeds]
        before = self._counters()
        begin = time.perf_counter()
        self._policy.reset(derived_seed(self._seed, index))
        records = play_games(self._policy, self._config, seeds, observer=judge, starts=starts)
        seconds = time.perf_counter() - begin
        counters = {name: total - before.get(name, 0) for name, total in self._counters().items()}
        if judge is None:
            return Batch(records, seconds, counters)
        found = zip(records, judge.diagnoses(), strict=True)
        judged = [record._replace(diagnosis=diagnosis) for record, diagnosis in found]
        return Batch(judged, seconds - judge.seconds, counters)

    def _counters(self) -> dict[str, int]:
        return dict(getattr(self._policy, "counters", {}))
