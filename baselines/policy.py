"""Protocol of every policy, scripted, learned or a user's own, and the checks of what its `act` is given."""

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
"""The action of a policy with the attribute `may_resign` that gives a game up; the game counts as truncated."""


class PolicyError(RuntimeError):
    """A policy chose an illegal action, returned something else than actions, or raised an exception of its own."""


class Policy(Protocol):
    """A player of many games at once. It sees only observations and action masks.

    A policy may have these optional attributes as well:

    - `moves`, a class attribute: the moves that its games must offer (default ("click",)).
    - `config`: the `BoardConfig` that it was built for; it plays no games of another size or number of mines.
    - `name`: its name in messages, in place of that of its class.
    - `batch_size`: the number of games that it prefers to play side by side.
    - `counters`, dict[str, int]: running totals, such as {"guesses": 12}, which `reset` may set back to 0; results
      report them per game.
    - `may_resign`: True if its actions may be `RESIGN`.
    - `transcripts`: a `baselines.transcripts.Transcripts` with its answers, which an evaluation begins and ends.
    - `judged`: True to judge its clicks by the exact mine probabilities without being asked to.
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
            action_masks: (N, actions) int8 or bool, true for each legal action; the first rows * cols
                actions are the clicks.

        Returns:
            (N,) int64, a legal action for each game.
        """
        ...


class ReadyPolicy(Policy, Protocol):
    """A policy that was made for a board: `config` is the board with the policy's moves, and messages say `name`."""

    name: str
    config: BoardConfig


def config_of(env: Any) -> BoardConfig:
    """Returns the configuration of the games of an environment, wrapped or not, or of a vector environment.

    The latter may be one of Gymnasium or of Stable-Baselines3. A ValueError refuses other objects, and environments
    with different boards.
    """
    core = getattr(env, "unwrapped", env)
    configs: list[Any] = [getattr(core, "config", None)]
    if configs == [None] and hasattr(core, "num_envs"):
        with suppress(AttributeError):
            configs = list(core.get_attr("config"))
    if not all(isinstance(each, BoardConfig) for each in configs):
        raise ValueError(
            "env must be a Minesweeper environment, wrapped or not, or a vector environment of them, not "
            f"{core if isinstance(core, str) else type(core).__name__!r}"
        )
    if any(each != configs[0] for each in configs):
        raise ValueError("the environments of env have different boards; make one policy for each")
    config: BoardConfig = configs[0]
    return config


Act = Callable[[Any, NDArray[np.int8], NDArray[np.int8]], NDArray[np.int64]]


def policy_name(policy: object) -> str:
    """Returns the name of a policy for messages: its attribute `name`, or the name of its class."""
    return getattr(policy, "name", type(policy).__name__)


def checked_act(act: Act) -> Act:
    """Returns the method `act` of a policy with checks of its arguments; the policy has the attribute `config`.

    The method then takes codes of any integer type and masks of any numbers, and an empty batch. It also takes a single
    observation (rows, cols) with its mask (actions,), and returns an int64 array of shape () for it. Other arguments
    raise a ValueError in one line.
    """

    @wraps(act)
    def checked(policy: Any, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        config: BoardConfig = policy.config
        observations, action_masks = _as_arrays(policy, observations, action_masks)
        if observations.ndim == 2:
            return checked(policy, observations[None], action_masks).reshape(())
        rows, cols = observations.shape[1:]
        cells, width = rows * cols, action_masks.shape[1]
        if config.rows != rows or config.cols != cols:
            _refuse(policy, f"was built for {config.in_words}, got boards of {rows}x{cols}")
        moves = len(config.moves)
        if width % cells or not moves <= width // cells <= len(MOVE_NAMES):
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
    """Returns the observations, (N, rows, cols) or (rows, cols), and their masks; other integers become int8."""
    board, mask = np.asarray(observations), np.asarray(masks)
    if board.dtype.kind not in "iu" or board.ndim not in (2, 3):
        remedy = '; make the environment with observation="codes"' if board.dtype.kind == "f" else ""
        _refuse(policy, f"reads cell codes, int8 (N, rows, cols), not {board.dtype} {board.shape}{remedy}")
    if not 0 <= int(board.min(initial=0)) <= int(board.max(initial=0)) <= np.iinfo(np.int8).max:
        _refuse(policy, f"reads cell codes of 0 to {policy.config.codes.mine}, not {board.min()} to {board.max()}")
    count = 1 if board.ndim == 2 else len(board)
    if mask.ndim == 1 and board.ndim == 2:
        mask = mask[None]
    if mask.dtype.kind not in "iubf" or mask.ndim != 2 or len(mask) != count:
        _refuse(policy, f"takes one mask for each of {count} boards, (N, actions), not {mask.dtype} {mask.shape}")
    return board.astype(np.int8, copy=False), (mask != 0).astype(np.int8)


def _refuse(policy: Any, problem: str) -> NoReturn:
    raise ValueError(f"{policy_name(policy)} {problem}")


def forbidden(action: int, board: NDArray[np.int8]) -> str:
    """Returns words for an action that the mask forbids, with its cell on the board, (rows, cols) cell codes."""
    row, col = divmod(action % board.size, board.shape[1])
    return f"action {action}, which its mask forbids: row {row}, column {col} shows the code {board[row, col]}"


def count_risky(begun: NDArray[np.bool_], config: BoardConfig) -> int:
    """Returns how many guesses can lose the game; `begun`, (N,) bool, is True where a cell was open before.

    The first-click rule may protect the first click.
    """
    return len(begun) if config.first_click == "any" else int(begun.sum())
