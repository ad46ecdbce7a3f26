"""Seeded games of a policy, played side by side, and the record of each."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.evaluation.judge import GameDiagnosis, Judge
from baselines.evaluation.seeds import derived_seed
from baselines.policy import Policy, PolicyError
from baselines.support.act_inputs import policy_name
from baselines.support.board_names import board_of
from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import compile_kernels
from minesweeper_env.vector_env import MinesweeperVectorEnv


class GameRecord(NamedTuple):
    """Outcome of a game.

    Attributes:
        seed: seed of the game; a single environment reset with it plays the same game.
        won: True if every safe cell was opened.
        clicks: number of actions.
        truncated: True if the step limit ended the game, which is then not won.
        opened: number of safe cells open at the end.
        marked: True if at some moment the flags were exactly the mines. After a win, the policy's method `finishes`
            says whether its next flags would complete them.
        diagnosis: judgement of its clicks, or None if they were not judged.
        actions: its actions as little-endian uint16 numbers; empty if they were not recorded.
    """

    seed: int
    won: bool
    clicks: int
    truncated: bool
    opened: int = 0
    marked: bool = False
    diagnosis: GameDiagnosis | None = None
    actions: bytes = b""


class Start(NamedTuple):
    """Given start of a game, in place of the first-click rule.

    Attributes:
        layout: (rows, cols) bool, True at the mines.
        cell: the first click, as row * cols + col.
    """

    layout: NDArray[np.bool_]
    cell: int


class Batch(NamedTuple):
    """Games that a policy played side by side.

    Attributes:
        records: one record per game.
        seconds: time spent playing, without the judging of clicks.
        counters: increase of the policy's counters meanwhile; see `baselines.policy.Policy`.
    """

    records: list[GameRecord]
    seconds: float
    counters: dict[str, int]


def pack_won(won: Sequence[bool]) -> str:
    """Returns the outcomes of games as the files of results hold them: a bit per game (`numpy.packbits`) in base64."""
    return base64.b64encode(np.packbits(won).tobytes()).decode()


def unpack_won(text: str, games: int) -> NDArray[np.bool_]:
    """Returns (games,) bool: the outcomes in a text of `pack_won`."""
    return np.unpackbits(np.frombuffer(base64.b64decode(text), np.uint8), count=games).astype(np.bool_)


Observer = Callable[[NDArray[np.int64], NDArray[np.int8], NDArray[np.int64], NDArray[np.bool_]], object]
"""Called after every step with arrays over the K unfinished games: their indices from 0, (K,); the boards before the
step, (K, rows, cols); the actions, (K,); and whether the step lost the game, (K,)."""


def play_games(
    policy: Policy,
    config: BoardConfig,
    seeds: Sequence[int],
    *,
    observers: Sequence[Observer] = (),
    starts: Sequence[Start] | None = None,
    record: bool = False,
) -> list[GameRecord]:
    """Plays one game per seed, all side by side. The policy sees only games that are not over.

    Args:
        policy: the player; the caller resets it.
        config: board and rules of the games; its moves define the actions.
        seeds: seed of each game, at least 0. Seed s gives the first game of a single environment seeded s.
        observers: called after every step.
        starts: start of each game, in place of the first-click rule and the policy's first click.
        record: True to keep the actions of every game.

    Returns:
        One record per seed, in their order.

    Raises:
        PolicyError: the policy chose an illegal action, or returned another shape or type.
        ValueError: the policy was built for other games, or a start does not fit the configuration.
    """
    check_built_for(policy, config)
    count = len(seeds)
    env = MinesweeperVectorEnv.of_config(config, count)
    layouts = None if starts is None else {"layout": np.stack([start.layout for start in starts])}
    boards, infos = env.reset(seed=list(seeds), options=layouts)
    playing = np.ones(count, np.bool_)
    clicks, opened, actions = np.zeros((3, count), np.int64)
    won, truncated, marked = np.zeros((3, count), np.bool_)
    steps: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
    while playing.any():
        if starts is not None and not clicks.any():
            actions = _first_clicks(starts, config)
        else:
            actions[playing] = choose_actions(policy, boards[playing], infos["action_mask"][playing])
        before = boards
        boards, _, terminations, truncations, infos = env.step(actions)
        games, wins = np.flatnonzero(playing), playing & infos["is_success"]
        if record:
            steps.append((games, actions[games]))
        for observer in observers:
            observer(games, before[games], actions[games], terminations[games] & ~wins[games])
        clicks += playing
        won |= wins
        truncated |= playing & truncations
        if "flag" in config.moves:
            _mark(marked, playing, boards, env)
            if hasattr(policy, "finishes"):
                for game in np.flatnonzero(wins & ~marked):
                    marked[game] = policy.finishes(boards[game])
        ended = playing & (terminations | truncations)
        opened[ended] = (boards[ended] <= config.codes.max_count).sum(axis=(1, 2))
        playing &= ~ended
    kept = _split(steps, count) if record else [b""] * count
    columns = (won.tolist(), clicks.tolist(), truncated.tolist(), opened.tolist(), marked.tolist())
    return [GameRecord(*row)._replace(actions=each) for each, *row in zip(kept, seeds, *columns, strict=True)]


def _mark(marked: NDArray[np.bool_], playing: NDArray[np.bool_], boards: NDArray[np.int8], env: Any) -> None:
    """Notes the games whose flags are exactly the mines."""
    flags = boards == env.config.codes.flagged
    candidates = playing & ~marked & (flags.sum(axis=(1, 2)) == env.config.mines)
    if candidates.any():
        marked |= candidates & (flags == env.get_state()["mines"]).all(axis=(1, 2))


def _split(steps: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]], count: int) -> list[bytes]:
    """Returns the actions of each game from the steps of all."""
    games = np.concatenate([games for games, _ in steps])
    actions = np.concatenate([actions for _, actions in steps]).astype("<u2")
    ends = np.cumsum(np.bincount(games, minlength=count))
    return [part.tobytes() for part in np.split(actions[np.argsort(games, kind="stable")], ends[:-1])]


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


def check_built_for(policy: Policy, config: BoardConfig) -> None:
    """Raises a ValueError if a policy was built for boards of another size, number of mines or radius."""
    built: Any = getattr(policy, "config", None)
    if not isinstance(built, BoardConfig):
        return
    if any(getattr(built, name) != getattr(config, name) for name in ("rows", "cols", "mines", "radius")):
        radius = f" and radius {built.radius}, not {config.radius}" if built.radius != config.radius else ""
        raise ValueError(
            f"{policy_name(policy)} was built for {board_of(built)}{radius}, and these games are of {board_of(config)}"
        )


def _first_clicks(starts: Sequence[Start], config: BoardConfig) -> NDArray[np.int64]:
    cells = np.array([start.cell for start in starts], np.int64)
    for cell in cells[(cells < 0) | (cells >= config.cells)]:
        raise ValueError(f"the cell of a start is 0 to {config.cells - 1}, not {cell}")
    return cells


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
        self._policy: Any = build()
        self._config, self._seed, self._diagnose = config, seed, diagnose
        self._start, self._record = start, record
        compile_kernels()

    def play(self, index: int, seeds: Sequence[int]) -> Batch:
        """Plays a batch. The same seeds and index give the same records in every process."""
        judge = Judge(self._config, len(seeds)) if self._diagnose else None
        starts = None if self._start is None else [self._start(seed) for seed in seeds]
        observers = [] if judge is None else [judge]
        before = dict(getattr(self._policy, "counters", {}))
        begin = time.perf_counter()
        self._policy.reset(derived_seed(self._seed, index))
        records = play_games(self._policy, self._config, seeds, observers=observers, starts=starts, record=self._record)
        seconds = time.perf_counter() - begin
        after: dict[str, int] = getattr(self._policy, "counters", {})
        counters = {name: total - before.get(name, 0) for name, total in after.items()}
        if judge is not None:
            seconds -= judge.seconds
            found = zip(records, judge.diagnoses(), strict=True)
            records = [each._replace(diagnosis=diagnosis) for each, diagnosis in found]
        return Batch(records, seconds, counters)
