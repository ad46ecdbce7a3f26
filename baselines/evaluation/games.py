"""Play seeded games with a policy, side by side, and record each game."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import Judge
from baselines.evaluation.records import Batch, GameRecord, Start
from baselines.evaluation.seeds import derived_seed
from baselines.policy import Policy, PolicyError
from baselines.support.act_inputs import policy_name
from baselines.support.board_names import board_of
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.vector_env import MinesweeperVectorEnv


class Course:
    """Running outcomes of N games that are played side by side.

    Attributes:
        playing: (N,) bool, True for the games that are not over.
    """

    def __init__(self, env: MinesweeperVectorEnv, finishes: Callable[[NDArray[np.int8]], bool] | None) -> None:
        """Begins with all games unfinished.

        Args:
            env: the environment of the games.
            finishes: the method `finishes` of the policy, if it has one.
        """
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
        """Records one step of each unfinished game; returns the number of games that it ended."""
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
        """Returns the records of the games, once all are over."""
        columns = (self._won, self._clicks, self._truncated, self._opened, self._marked)
        return [GameRecord(*row) for row in zip(seeds, *(column.tolist() for column in columns), strict=True)]


def choose_actions(policy: Policy, observations: NDArray[np.int8], masks: NDArray[np.int8]) -> NDArray[np.int64]:
    """Returns the actions of a policy, (N,) int64.

    Raises:
        PolicyError: an action is illegal, or the answer has another shape or type.
    """
    answer: Any = policy.act(observations, masks)
    name, count = policy_name(policy), len(masks)
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


class Observer(Protocol):
    """A callback after every step of games that are played side by side."""

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],
        actions: NDArray[np.int64],
        lost: NDArray[np.bool_],
    ) -> object:
        """Receives one step of each of the K unfinished games.

        Args:
            games: (K,) int64, index of each game, from 0.
            observations: (K, rows, cols) int8, boards before the step.
            actions: (K,) int64, actions of the policy.
            lost: (K,) bool, True where the step lost the game.
        """


def play_games(
    policy: Policy,
    config: BoardConfig,
    seeds: Sequence[int],
    on_finished: Callable[[int], object] | None = None,
    observers: Sequence[Observer] = (),
    starts: Sequence[Start] | None = None,
) -> list[GameRecord]:
    """Plays one game per seed, all side by side. The policy sees only games that are not over.

    Args:
        policy: the player; the caller resets it.
        config: board and rules of the games; its moves define the actions.
        seeds: seed of each game, at least 0. Seed s gives the first game of a single environment seeded s.
        on_finished: called with the number of games that a step ended, if it ended any.
        observers: called after every step.
        starts: start of each game, in place of the first-click rule and the policy's first click.

    Returns:
        One record per seed, in their order.

    Raises:
        PolicyError: the policy chose an illegal action, or returned another shape or type.
        ValueError: the policy was built for other games, or a start does not fit the configuration.
    """
    check_built_for(policy, config)
    env = MinesweeperVectorEnv.of_config(config, len(seeds))
    first = None if starts is None else _first_clicks(starts, config)
    layouts = None if starts is None else {"layout": np.stack([start.layout for start in starts])}
    observations, infos = env.reset(seed=list(seeds), options=layouts)
    course = Course(env, getattr(policy, "finishes", None))
    actions = np.zeros(len(seeds), np.int64)
    while course.playing.any():
        playing = course.playing
        if first is None:
            actions[playing] = choose_actions(policy, observations[playing], infos["action_mask"][playing])
        else:
            actions, first = first, None
        boards = observations
        observations, _, terminations, truncations, infos = env.step(actions)
        for observer in observers:
            lost = terminations & ~infos["is_success"]
            observer(np.flatnonzero(playing), boards[playing], actions[playing], lost[playing])
        ended = course.follow(observations, terminations, truncations, infos["is_success"])
        if on_finished is not None and ended > 0:
            on_finished(ended)
    return course.records(seeds)


def check_built_for(policy: Policy, config: BoardConfig) -> None:
    """Raises a ValueError if a policy was built for boards of another size, number of mines or radius."""
    built: Any = getattr(policy, "config", None)
    if not isinstance(built, BoardConfig):
        return
    for name in ("rows", "cols", "mines", "radius"):
        if getattr(built, name) != getattr(config, name):
            also = f" and radius {built.radius}, not {config.radius}" if name == "radius" else ""
            games = board_of(config)
            raise ValueError(
                f"{policy_name(policy)} was built for {board_of(built)}{also}, and these games are of {games}"
            )


def _first_clicks(starts: Sequence[Start], config: BoardConfig) -> NDArray[np.int64]:
    for start in starts:
        if not 0 <= start.cell < config.cells:
            raise ValueError(f"the cell of a start is 0 to {config.cells - 1}, not {start.cell}")
    return np.array([start.cell for start in starts], np.int64)


class ActionRecorder:
    """An observer of `play_games` that keeps the actions of each game."""

    def __init__(self, games: int) -> None:
        """Prepares to record games."""
        self._games = games
        self._steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def __call__(
        self,
        games: NDArray[np.int64],
        observations: NDArray[np.int8],  # noqa: ARG002 - the signature is that of `Observer`
        actions: NDArray[np.int64],
        lost: NDArray[np.bool_],  # noqa: ARG002
    ) -> None:
        """Keeps one action of each unfinished game; see `Observer`."""
        self._steps.append((games, actions))

    def actions(self) -> list[bytes]:
        """Returns the actions of each game, in order, as little-endian uint16 numbers."""
        games = np.concatenate([games for games, _ in self._steps])
        actions = np.concatenate([actions for _, actions in self._steps]).astype("<u2")
        order = np.argsort(games, kind="stable")
        ends = np.cumsum(np.bincount(games, minlength=self._games))
        return [part.tobytes() for part in np.split(actions[order], ends[:-1])]


class Player:
    """A policy, ready to play batches of games."""

    def __init__(
        self,
        build: Callable[[], Policy],
        config: BoardConfig,
        seed: int,
        diagnose: bool = False,
        start: Callable[[int], Start] | None = None,
        record: bool = False,
    ) -> None:
        """Builds the policy and compiles the engine, so that batches measure nothing but play."""
        self._policy = build()
        self._config = config
        self._seed = seed
        self._diagnose = diagnose
        self._start = start
        self._record = record
        compile_kernels()

    def play(self, index: int, seeds: Sequence[int]) -> Batch:
        """Plays a batch. The same seeds and index give the same records in every process."""
        judge = Judge(self._config, len(seeds)) if self._diagnose else None
        recorder = ActionRecorder(len(seeds)) if self._record else None
        starts = None if self._start is None else [self._start(seed) for seed in seeds]
        before = self._counters()
        begin = time.perf_counter()
        self._policy.reset(derived_seed(self._seed, index))
        observers = [each for each in (judge, recorder) if each is not None]
        records = play_games(self._policy, self._config, seeds, observers=observers, starts=starts)
        seconds = time.perf_counter() - begin
        counters = {name: total - before.get(name, 0) for name, total in self._counters().items()}
        if recorder is not None:
            recorded = zip(records, recorder.actions(), strict=True)
            records = [record._replace(actions=actions) for record, actions in recorded]
        if judge is not None:
            found = zip(records, judge.diagnoses(), strict=True)
            records = [record._replace(diagnosis=diagnosis) for record, diagnosis in found]
            seconds -= judge.seconds
        return Batch(records, seconds, counters)

    def _counters(self) -> dict[str, int]:
        return dict(getattr(self._policy, "counters", {}))
