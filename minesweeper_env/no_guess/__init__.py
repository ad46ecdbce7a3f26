"""Compiled search for boards that logic alone solves. Internal: `minesweeper_env.generation` is the public module."""

from __future__ import annotations

from minesweeper_env.config import BoardConfig
from minesweeper_env.engine.games import Supply
from minesweeper_env.threads import ThreadPool


def supply_for(config: BoardConfig, count: int, pool: ThreadPool) -> Supply | None:
    """Returns the source of layouts for `count` games, which a pool's threads search; None if the engine draws them."""
    if not config.no_guess:
        return None
    # Without guesses excluded, an environment loads nothing of the search.
    from minesweeper_env.no_guess.supply import BoardSupply

    return BoardSupply(config, count, pool)
