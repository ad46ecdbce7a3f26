"""Parts of both environments: arguments, reset options, views to draw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.config import GameConfig, whole_in_range
from azulejos_env.engine import batches
from azulejos_env.engine.games import Games
from azulejos_env.engine.saved import settled
from azulejos_env.opponents import Opponent
from azulejos_env.rendering.view import View

SEATS: tuple[str, ...] = ("first", "second", "random")
"""The seats of the agent, in the order of `batches`."""

REWARDS: tuple[str, ...] = ("difference", "win_loss")
"""The reward schemes, in the order of `batches`."""

MAX_STEPS = 1 << 62
"""The largest step limit."""

OPTIONS: tuple[str, ...] = ("board",)
"""The keys of the `options` of `reset`."""


def terms_of(config: GameConfig, opponent: Opponent, seat: str, reward: str, max_steps: int | None) -> batches.Terms:
    """Returns the terms of a game.

    Args:
        config: the configuration.
        opponent: the opponent; without one, the player has the first seat.
        seat: one of `SEATS`.
        reward: one of `REWARDS`.
        max_steps: a step limit; None for ten per cell.

    Raises:
        ValueError: a value is not allowed.
    """
    for name, value, allowed in (("seat", seat, SEATS), ("reward", reward, REWARDS)):
        if value not in allowed:
            raise ValueError(f"{name} must be one of {', '.join(allowed)}, not {value!r}")
    limit = 10 * config.cells if max_steps is None else whole_in_range("max_steps", max_steps, 1, MAX_STEPS)
    place = batches.FIRST if opponent.kind == batches.ALONE else SEATS.index(seat)
    return batches.Terms(config.colours, opponent.kind, place, REWARDS.index(reward), limit)


def board_option(options: Mapping[str, Any] | None, config: GameConfig, count: int) -> NDArray[np.int8] | None:
    """Returns the (N, rows, cols) boards in the reset options, their tiles fallen, or None if there are none.

    Raises:
        ValueError: the shape, dtype or a colour of the board is wrong.
    """
    if not options or "board" not in options:
        return None
    shape = (config.rows, config.cols)
    allowed = f"board must be whole numbers of shape {shape}, 0 for an empty cell and 1 to {config.colours} for a tile"
    try:
        board = np.asarray(options["board"])
    except ValueError as error:
        raise ValueError(f"{allowed}, not a ragged list") from error
    if board.shape not in (shape, (count, *shape)) or board.dtype.kind not in "iu":
        raise ValueError(f"{allowed}, not {board.dtype} {board.shape}")
    if not ((board >= 0) & (board <= config.colours)).all():
        raise ValueError(f"{allowed}, not {int(board.min())} to {int(board.max())}")
    return settled(config, np.broadcast_to(board, (count, *shape)).astype(np.int8))


def views_of(games: Games) -> list[View]:
    """Returns the view of each game, to be drawn."""
    batch, boards, last = games.batch, games.boards(), games.last_moves()
    views = []
    for i in range(games.count):
        progress = batch.progress[i]
        alone = games.terms.opponent == batches.ALONE
        names = ("agent", "opponent") if progress[batches.SEAT] == 0 else ("opponent", "agent")
        count = 1 if alone else 2
        over = progress[batches.GROUPS] == 0 or progress[batches.STATUS] != batches.PLAYING
        turn = None if over else int(progress[batches.TURN])
        scores = tuple(batch.scores[i, :count].tolist())
        views.append(View(boards[i], last[i], names[:count], scores, turn))
    return views
