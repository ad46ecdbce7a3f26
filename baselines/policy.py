"""The protocol of every policy, scripted, learned or a user's own, and checks of the arguments of its `act`."""

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any, NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig

DEFAULT_MOVES: tuple[str, ...] = ("click",)
"""The moves of a policy whose class has no attribute `moves`."""

RESIGN = -1
"""The action that gives a game up, for policies with `may_resign`; the game counts as truncated."""


class PolicyError(RuntimeError):
    """A policy chose an illegal action, returned something else than actions, or raised an exception of its own."""


class Policy(Protocol):
    """A player of many games at once. It sees only observations and action masks.

    A policy may have these optional attributes as well:

    - `moves`, a class attribute: the moves that its games must offer (default ("click",)).
    - `config`: the `BoardConfig` that it was built for; it plays no games of another size or number of mines.
    - `name`: its name in messages, in place of the name of its class.
    - `batch_size`: the number of games that it prefers to play side by side.
    - `counters`, dict[str, int]: running totals, such as {"guesses": 12}, which `reset` may set back to 0; results
      report them per game.
    - `may_resign`: True if its actions may be `RESIGN`.
    - `transcripts`: the `baselines.transcripts.Transcripts` of its answers; an evaluation calls `begin` and `end`.
    - `judged`: True if every evaluation shall judge its clicks by the exact mine probabilities.
    - `finishes(board)`: True if the policy would still flag every mine once each safe cell is open. The board is
      (rows, cols) int8 with all safe cells open. It is called only in games with the move "flag".
    """

    def reset(self, seed: int) -> None:
        """Seeds the random choices; a deterministic policy does nothing.

        Args:
            seed: at least 0; the same seed and inputs give the same actions.
        """

    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses an action in each of N games that are neither won nor lost.

        Args:
            observations: (N, rows, cols) int8, cell codes.
            action_masks: (N, actions) int8 or bool, true for each legal action; the first rows * cols are clicks.

        Returns:
            (N,) int64, a legal action for each game.
        """
        ...


class ReadyPolicy(Policy, Protocol):
    """A policy made for one board: `config` is that board with the policy's moves; messages call the policy `name`."""

    name: str
    config: BoardConfig


def config_of(env: Any) -> BoardConfig:
    """Returns the configuration of the games of an environment, wrapped or not, or of a vector environment.

    The vector environment is Gymnasium's or Stable-Baselines3's. Raises ValueError for others and different boards.
    """
    core = getattr(env, "unwrapped", env)
    configs: list[Any] = [getattr(core, "config", None)]
    if configs == [None] and hasattr(core, "num_envs"):
        with suppress(AttributeError):
            configs = list(core.get_attr("config"))
    if not all(isinstance(config, BoardConfig) for config in configs):
        raise ValueError(
            "env must be a Minesweeper environment, wrapped or not, or a vector environment of them, not "
            f"{core if isinstance(core, str) else type(core).__name__!r}"
        )
    if any(other != configs[0] for other in configs):
        raise ValueError("the environments of env have different boards; make one policy for each")
    config: BoardConfig = configs[0]
    return config


Act = Callable[[Any, NDArray[np.int8], NDArray[np.int8]], NDArray[np.int64]]


def policy_name(policy: object) -> str:
    """Returns the name of a policy for messages: its attribute `name`, or the name of its class."""
    return getattr(policy, "name", type(policy).__name__)


def checked_act(act: Act) -> Act:
    """Decorates the method `act` of a policy, which has the attribute `config`, with checks of the arguments.

    The decorated method takes cell codes of any integer type, masks of any number type, and an empty batch. For a
    single observation (rows, cols) with its mask (actions,), it returns an int64 array of shape (). It raises
    ValueError, in one line, for other arguments.
    """

    @wraps(act)
    def checked(policy: Any, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        config: BoardConfig = policy.config
        observations, action_masks = _as_arrays(policy, observations, action_masks)
        if observations.ndim == 2:
            return checked(policy, observations[None], action_masks).reshape(())
        rows, cols = observations.shape[1:]
        cells, actions = rows * cols, action_masks.shape[1]
        if config.rows != rows or config.cols != cols:
            _refuse(policy, f"was built for {config.in_words}, got boards of {rows}x{cols}")
        moves = len(config.moves)
        # The games may offer more moves than the policy plays: a mask has `cells` actions for each move.
        if actions % cells or not moves <= actions // cells <= len(MOVE_NAMES):
            _refuse(
                policy,
                f"takes action_masks of shape ({len(observations)}, {moves * cells}), {moves} moves of {cells} cells, "
                f"or with {cells} more for each further move, not {action_masks.shape}",
            )
        if not action_masks.any(axis=1).all():
            game = int(np.flatnonzero(~action_masks.any(axis=1))[0])
            _refuse(policy, f"needs a legal action in each mask: the mask of board {game} has none")
        return np.zeros(0, np.int64) if not len(observations) else act(policy, observations, action_masks)

    return checked


def _as_arrays(policy: Any, observations: Any, masks: Any) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Returns the observations, (N, rows, cols) or (rows, cols), and the masks, (N, actions), as int8 arrays."""
    boards, legal = np.asarray(observations), np.asarray(masks)
    if boards.dtype.kind not in "iu" or boards.ndim not in (2, 3):
        remedy = '; make the environment with observation="codes"' if boards.dtype.kind == "f" else ""
        _refuse(policy, f"reads cell codes, int8 (N, rows, cols), not {boards.dtype} {boards.shape}{remedy}")
    if not 0 <= int(boards.min(initial=0)) <= int(boards.max(initial=0)) <= np.iinfo(np.int8).max:
        _refuse(policy, f"reads cell codes of 0 to {policy.config.codes.mine}, not {boards.min()} to {boards.max()}")
    count = 1 if boards.ndim == 2 else len(boards)
    if legal.ndim == 1 and boards.ndim == 2:
        legal = legal[None]
    if legal.dtype.kind not in "iubf" or legal.ndim != 2 or len(legal) != count:
        _refuse(policy, f"takes one mask for each of {count} boards, (N, actions), not {legal.dtype} {legal.shape}")
    return boards.astype(np.int8, copy=False), (legal != 0).astype(np.int8)


def _refuse(policy: Any, problem: str) -> NoReturn:
    raise ValueError(f"{policy_name(policy)} {problem}")


def forbidden(action: int, board: NDArray[np.int8]) -> str:
    """Describes an action that its mask forbids, with the cell and its code on the board, (rows, cols) int8."""
    row, col = divmod(action % board.size, board.shape[1])
    return f"action {action}, which its mask forbids: row {row}, column {col} shows the code {board[row, col]}"


def count_risky(has_open: NDArray[np.bool_], config: BoardConfig) -> int:
    """Returns how many of N guesses can lose; `has_open`, (N,) bool, is True where a cell was open before the guess.

    A guess on a board without an open cell is the first click, which every rule but "any" protects.
    """
    return len(has_open) if config.first_click == "any" else int(has_open.sum())
