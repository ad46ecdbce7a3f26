"""The check that nothing returned depends on a mine that is not shown."""

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
    """Two layouts that agree with everything shown give the same observations, masks, infos and rewards."""
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
            assert transcripts[0] == transcripts[1], "what is returned depends on mines that are not shown"
    assert compared, "no game left two layouts to compare; check a board with more cells"


def indistinguishable_layout(
    layout: NDArray[np.bool_], codes: NDArray[np.int8], config: BoardConfig, rng: np.random.Generator
) -> NDArray[np.bool_] | None:
    """Returns another layout that agrees with everything shown, or None where the search finds none.

    A mine changes places with a covered safe cell that has the same open neighbours.

    Args:
        layout: (rows, cols) bool, the mines.
        codes: (rows, cols) int8, what is shown.
        config: the board.
        rng: chooses among the swaps.
    """
    covered = codes.ravel() > config.codes.max_count
    beside_open = neighbour_table(config.rows, config.cols, config.radius)
    is_open = np.append(~covered, False)
    seen_by = [frozenset(row[is_open[row]].tolist()) for row in beside_open]
    mines, safe = (rng.permutation(np.flatnonzero(covered & (layout.ravel() == mine))) for mine in (True, False))
    for mine in mines:
        for cell in safe:
            if seen_by[mine] == seen_by[cell]:
                other = layout.ravel().copy()
                other[[mine, cell]] = False, True
                return other.reshape(layout.shape)
    return None


def _record(env: Env, layout: NDArray[np.bool_], rng: np.random.Generator) -> tuple[list[int], NDArray[np.int8]]:
    """Plays random legal actions up to the one that ends the game; returns them and the codes then shown."""
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
    """Plays the actions; returns all that the environment says meanwhile."""
    said = [frozen(env.reset(seed=0, options={"layout": layout}))]
    for action in actions:
        said.append(frozen(env.step(action)))
        said.append(frozen(env.get_wrapper_attr("action_masks")()))
        if env.render_mode is not None:
            said.append(frozen(env.render()))
    return said
