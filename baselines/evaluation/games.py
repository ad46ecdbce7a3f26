"""Seeded games of a policy, played side by side, and the record of each."""

import base64
from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from baselines.policy import RESIGN, Policy, PolicyError, forbidden, policy_name
from minesweeper_env.config import BoardConfig
from minesweeper_env.vector_env import MinesweeperVectorEnv


class Loss(Enum):
    """Verdict on the click that lost a game."""

    AVOIDABLE = "avoidable"
    FORCED = "forced"
    NOT_JUDGED = "not judged"


class GameDiagnosis(NamedTuple):
    """Counts of a game's clicks by their risk, the exact mine probability. The first click enters only `loss`.

    Attributes:
        judged: number of judged clicks.
        not_judged: number of clicks on boards that were too hard for the oracle.
        on_mines: number of judged clicks on a certain mine; such a click ends the game.
        past_safe: number of judged clicks with a risk above 0 while a certainly safe cell existed.
        guesses: number of judged clicks with a risk above 0.
        excess_risk: sum over the judged clicks of their risk minus the least risk on the board.
        loss: verdict on the losing click; None if the game was not lost.
    """

    judged: int
    not_judged: int
    on_mines: int
    past_safe: int
    guesses: int
    excess_risk: float
    loss: Loss | None


class GameRecord(NamedTuple):
    """Outcome of a game.

    Attributes:
        seed: seed of the game; a single environment reset with it plays the same game.
        won: True if every safe cell was opened.
        clicks: number of actions.
        truncated: True if the step limit or the policy itself ended the game, which is then not won.
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
    """A prescribed (rows, cols) bool layout and first click, row * cols + col, in place of the first-click rule."""

    layout: NDArray[np.bool_]
    cell: int


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
    """Plays one game per seed, all side by side, and returns their records. The policy sees only unfinished games.

    The caller resets the policy before. Seed s gives the first game of a single environment that is seeded with s.
    `starts`, one per seed, replace the first-click rule and the policy's first clicks. `record` keeps the actions.

    Raises a PolicyError if the policy returns an illegal action, or an array of another shape or dtype. Raises a
    ValueError if the policy was built for other games, or if a layout does not fit the configuration.
    """
    check_built_for(policy, config)
    count = len(seeds)
    env = MinesweeperVectorEnv(count, **config.arguments())
    layouts = None if starts is None else {"layout": np.stack([start.layout for start in starts])}
    boards, infos = env.reset(seed=list(seeds), options=layouts)
    playing, seed_of_game = np.ones(count, np.bool_), np.array(seeds)
    clicks, opened, actions = np.zeros((3, count), np.int64)
    won, truncated, marked = np.zeros((3, count), np.bool_)
    actions_of_game: list[list[int]] = [[] for _ in seeds]
    while playing.any():
        if starts is not None and not clicks.any():  # the first step
            actions = np.array([start.cell for start in starts], np.int64)
        else:
            masks = infos["action_mask"][playing]
            actions[playing] = choose_actions(policy, boards[playing], masks, seed_of_game[playing])
        resigned = playing & (actions == RESIGN)
        opened[resigned] = (boards[resigned] <= config.codes.max_count).sum(axis=(1, 2))
        truncated |= resigned
        playing &= ~resigned
        # The environment goes on with resigned games, unseen, and has no action RESIGN.
        actions[resigned] = 0
        boards_before = boards
        boards, _, terminations, truncations, infos = env.step(actions)
        unfinished, wins = np.flatnonzero(playing), playing & infos["is_success"]
        if record:
            for index, action in zip(unfinished.tolist(), actions[unfinished].tolist(), strict=True):
                actions_of_game[index].append(action)
        losses = terminations & ~wins
        for observer in observers:
            observer(unfinished, boards_before[unfinished], actions[unfinished], losses[unfinished])
        clicks += playing
        won |= wins
        truncated |= playing & truncations
        if "flag" in config.moves:
            _update_marked(marked, playing, boards, env)
            if hasattr(policy, "finishes"):
                for game in np.flatnonzero(wins & ~marked):
                    marked[game] = policy.finishes(boards[game])
        ended = playing & (terminations | truncations)
        opened[ended] = (boards[ended] <= config.codes.max_count).sum(axis=(1, 2))
        playing &= ~ended
    outcomes = [array.tolist() for array in (won, clicks, truncated, opened, marked)]
    encoded_actions = [np.array(game_actions, "<u2").tobytes() for game_actions in actions_of_game]
    return [GameRecord(*fields) for fields in zip(seeds, *outcomes, [None] * count, encoded_actions, strict=True)]


def _update_marked(marked: NDArray[np.bool_], playing: NDArray[np.bool_], boards: NDArray[np.int8], env: Any) -> None:
    """Sets `marked`, (N,), in place for each unfinished game whose flags are now exactly the mines."""
    flags = boards == env.config.codes.flagged
    candidates = playing & ~marked & (flags.sum(axis=(1, 2)) == env.config.mines)
    if candidates.any():
        marked |= candidates & (flags == env.get_state()["mines"]).all(axis=(1, 2))


def choose_actions(
    policy: Policy, observations: NDArray[np.int8], masks: NDArray[np.int8], seeds: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Returns a policy's actions, (N,) int64, in games with these seeds; raises a PolicyError for an invalid answer."""
    answer: Any = policy.act(observations, masks)
    count, highest = len(masks), masks.shape[1] - 1
    if not isinstance(answer, np.ndarray) or answer.shape != (count,) or answer.dtype != np.int64:
        received = f"{answer.dtype} {answer.shape}" if isinstance(answer, np.ndarray) else type(answer).__name__
        raise PolicyError(f"{policy_name(policy)}.act must return an int64 array of shape ({count},), not {received}")
    lowest = RESIGN if getattr(policy, "may_resign", False) else 0
    outside = (answer < lowest) | (answer > highest)
    if outside.any():
        raise PolicyError(f"{policy_name(policy)}.act chose {answer[outside][0]}, but actions are 0 to {highest}")
    illegal = (masks[np.arange(count), answer] == 0) & (answer != RESIGN)  # RESIGN, -1, reads some mask in vain
    if illegal.any():
        game = int(illegal.argmax())
        reason = forbidden(int(answer[game]), observations[game])
        raise PolicyError(f"{policy_name(policy)}.act chose, in the game of seed {seeds[game]}, {reason}")
    return answer


def check_built_for(policy: Policy, config: BoardConfig) -> None:
    """Raises a ValueError if a policy was built for boards of another size, number of mines or radius."""
    expected: Any = getattr(policy, "config", None)
    if not isinstance(expected, BoardConfig):
        return
    if any(getattr(expected, name) != getattr(config, name) for name in ("rows", "cols", "mines", "radius")):
        radius = f" and radius {expected.radius}, not {config.radius}" if expected.radius != config.radius else ""
        raise ValueError(
            f"{policy_name(policy)} was built for {expected.in_words}{radius}, and these games are of {config.in_words}"
        )
