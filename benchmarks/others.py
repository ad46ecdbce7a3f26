"""Clicks per second of one game on one core, here and in popgym, TextArena and GEM: 8x8 with 10 mines.

Each environment gets uniformly random legal clicks, as it wants them: as an action, or as a reply in text. Resets
count as part of the games. `TextGame` judges each click by the exact oracle, which no other environment has. popgym
opens one cell a click, so its games are longer. TextArena lets the first click on a mine pass as an illegal move.

    python -m venv .venv-others
    .venv-others/bin/pip install popgym==1.0.7 textarena==0.7.4 gem-llm==0.1.0 --editable .
    .venv-others/bin/python benchmarks/others.py
"""

from collections.abc import Callable
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import gymnasium
import numpy as np
from timing import Work, arguments, compare, machine

from minesweeper_env.text import TextGame

SIDE, MINES, GAMES = 8, 10, 50


def playing(reset: Callable[[int], Any], legal: Callable[[], Any], step: Callable[[int, int], bool]) -> Work:
    """Returns work that plays `GAMES` games by uniformly random legal clicks, and counts the clicks.

    Args:
        reset: starts the game of a seed.
        legal: returns the cells that may be clicked, (8, 8) bool.
        step: clicks a cell by its row and its column; returns whether the game is over.
    """
    rng = np.random.default_rng(0)

    def work() -> int:
        clicks = 0
        for seed in range(GAMES):
            reset(seed)
            over = False
            while not over:
                legal_cells = np.flatnonzero(legal())
                cell = int(legal_cells[int(rng.random() * len(legal_cells))])
                over = step(*divmod(cell, SIDE))
                clicks += 1
        return clicks

    return work


def through_make() -> Work:
    """Returns work of the environment of `gymnasium.make`."""
    env = gymnasium.make("Minesweeper-v0", size=SIDE, mines=MINES, moves=("click",)).unwrapped
    return playing(lambda seed: env.reset(seed=seed), env.action_masks, lambda row, col: env.step(row * SIDE + col)[2])


def through_text_game() -> Work:
    """Returns work of `TextGame`, whose reply is "open ROW COL"."""
    game = TextGame(SIDE, MINES)
    return playing(
        lambda seed: game.reset(seed=seed), game.env.action_masks, lambda row, col: game.step(f"open {row} {col}")[2]
    )


def through_popgym() -> Work:
    """Returns work of popgym's hard board, 8x8 with 10 mines; it has no mask, so its hidden grid tells what is open."""
    from popgym.envs.minesweeper import HiddenSquare, MineSweeper

    env = MineSweeper("hard")
    return playing(
        lambda seed: env.reset(seed=seed),
        lambda: env.hidden_grid != HiddenSquare.VIEWED,
        lambda row, col: any(env.step((row, col))[2:4]),  # terminated or truncated
    )


def through_textarena() -> Work:
    """Returns work of TextArena, whose reply is "[ROW COL]"."""
    from textarena.envs.Minesweeper.env import MinesweeperEnv

    env = MinesweeperEnv(SIDE, SIDE, MINES)

    def step(row: int, col: int) -> bool:
        over, _ = env.step(f"[{row} {col}]")
        env.get_observation()
        return bool(over)

    return playing(lambda seed: env.reset(1, seed), lambda: ~np.array(env.revealed), step)


def through_gem() -> Work:
    r"""Returns work of GEM, whose reply is "\boxed{reveal ROW COL}"; its limit of 20 turns ends no game here."""
    from gem.envs.game_env.minesweeper import MinesweeperEnv

    env = MinesweeperEnv(SIDE, SIDE, MINES, max_turns=SIDE * SIDE)
    return playing(
        env.reset, lambda: ~np.array(env.revealed), lambda row, col: env.step(f"\\boxed{{reveal {row} {col}}}")[2]
    )


def main() -> None:
    """Prints one table of actions and one of replies."""
    options = arguments(__doc__, seconds=1.0, repeats=9)
    others = {"popgym": through_popgym, "textarena": through_textarena, "gem": through_gem}
    installed = {name: make for name, make in others.items() if find_spec(name)}
    versions = [f"{name} {version('gem-llm' if name == 'gem' else name)}" for name in installed]
    print(", ".join([*versions, machine()]))
    actions = {"gymnasium.make": through_make()} | {name: installed[name]() for name in installed if name == "popgym"}
    compare("clicks per second", actions, options)
    replies = {"TextGame": through_text_game()} | {name: installed[name]() for name in installed if name != "popgym"}
    compare("replies per second", replies, options)


if __name__ == "__main__":
    main()
