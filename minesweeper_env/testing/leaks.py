"""Check that no returned value depends on a hidden mine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from minesweeper_env.config import BoardConfig
from minesweeper_env.neighbours import neighbour_table
from minesweeper_env.testing.playing import Env, MakeEnv, frozen, legal_action

GAMES = 100
MOVES = 12


def check_no_leak(make: MakeEnv, seed: int) -> None:
    """Checks that two layouts which agree with everything visible return the same values."""
    rng = np.random.default_rng(seed)
    env = make()
    config: BoardConfig = env.unwrapped.config  # type: ignore[attr-defined]
    compared = 0
    for _ in range(GAMES):
        layout = rng.permutation(config.cells).reshape(config.rows, config.cols) < config.mines
        actions, codes = _record(env, layout, rng)
        other = indistinguishable_layout(layout, codes, config, rng)
        if other is not None:
            compared += 1
            transcripts = [_replay(env, chosen, actions) for chosen in (layout, other)]
            assert transcripts[0] == transcripts[1], "the returned values depend on hidden mines"
    assert compared, "no game had two layouts to compare; choose a board with more cells"


def indistinguishable_layout(
    layout: NDArray[np.bool_], codes: NDArray[np.int8], config: BoardConfig, rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """Returns another layout that agrees with everything visible, or None if the search finds none.

    The search swaps a mine with a covered safe cell that has the same open neighbours.

    Args:
        layout: (rows, cols) bool, the mines.
        codes: (rows, cols) int8, the visible codes.
        config: the board.
        rng: chooses among the swaps.
    """
    covered = codes.ravel() > config.codes.max_count
    neighbours = neighbour_table(config.rows, config.cols, config.radius)
    is_open = np.append(~covered, False)
    seen_by = [frozenset(row[is_open[row]].tolist()) for row in neighbours]
    mines, safe = (rng.permutation(np.flatnonzero(covered & (layout.ravel() == mine))) for mine in (True, False))
    for mine in mines:
        for cell in safe:
            if seen_by[mine] == seen_by[cell]:
                other = layout.ravel().copy()
                other[[mine, cell]] = False, True
                return other.reshape(layout.shape)
    return None


def _record(env: Env, layout: NDArray[np.bool_], rng: np.random.Generator) -> tuple[list[int], NDArray[np.int8]]:
    """Plays random legal actions until one would end the game; returns the others and the visible codes after them."""
    _, info = env.reset(seed=0, options={"layout": layout})
    actions: list[int] = []
    codes = env.unwrapped.get_state()["codes"]  # type: ignore[attr-defined]
    for _ in range(rng.integers(1, MOVES + 1)):
        action = legal_action(info, rng)
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            break
        actions.append(action)
        codes = env.unwrapped.get_state()["codes"]  # type: ignore[attr-defined]
    return actions, codes


def _replay(env: Env, layout: NDArray[np.bool_], actions: list[int]) -> list[Any]:
    """Plays the actions; returns all values that the environment returns."""
    returned = [frozen(env.reset(seed=0, options={"layout": layout}))]
    for action in actions:
        returned.append(frozen(env.step(action)))
        returned.append(frozen(env.get_wrapper_attr("action_masks")()))
        if env.render_mode is not None:
            returned.append(frozen(env.render()))
    return returned
