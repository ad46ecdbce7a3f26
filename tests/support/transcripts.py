"""Golden games as text: `python tests/support/transcripts.py` writes them.

A commit that rewrites them must explain the change of behaviour.

Each file of `golden` holds one game: its configuration, its seed, and each step with the board after it.
"""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from minesweeper_env import MinesweeperEnv

FOLDER = Path(__file__).parents[1] / "minesweeper_env" / "engine" / "golden"
ALL_MOVES = ("click", "flag", "unflag", "question", "chord")

# Probabilities that the player of a golden game, who knows the mines, opens a safe cell on purpose.
ALWAYS, OFTEN, SELDOM = 1.0, 0.6, 0.2

GAMES: dict[str, tuple[dict[str, Any], int, float]] = {
    "default": ({}, 0, OFTEN),
    "beginner_click_only": ({"size": 9, "mines": 10, "moves": ("click",), "reward": "progress"}, 2, ALWAYS),
    "expert": ({"size": (16, 30), "mines": 99, "reward": "safe_click", "max_steps": 12}, 3, OFTEN),
    "all_moves": ({"size": (6, 7), "mines": 6, "moves": ALL_MOVES, "reward": "shaped"}, 4, SELDOM),
    "any_first_click": ({"size": 6, "mines": 9, "first_click": "any", "reward": "win"}, 5, OFTEN),
    "safe_first_click": ({"size": (3, 4), "mines": 8, "first_click": "safe"}, 6, OFTEN),
    "corners_first_click": ({"size": 6, "mines": 16, "first_click": "corners", "moves": ("click",)}, 7, ALWAYS),
    "radius_2": ({"size": (7, 9), "mines": 9, "radius": 2, "moves": ALL_MOVES, "reward": "progress"}, 8, OFTEN),
    "step_limit": ({"size": 5, "mines": 5, "max_steps": 6, "moves": ("click", "flag", "question")}, 9, SELDOM),
    "smallest": ({"size": (1, 2), "mines": 1, "first_click": "any", "moves": ALL_MOVES}, 10, SELDOM),
}


def choose(env: MinesweeperEnv, mask: np.ndarray, random: Random, care: float) -> int:
    """Draws an action: a safe click, a flag on a mine, a chord, or any action, legal or not."""
    cells = env.config.cells
    mines = env.get_state()["mines"].ravel()
    by_move = {name: range(block * cells, (block + 1) * cells) for block, name in enumerate(env.config.moves)}
    safe = [action for action in by_move["click"] if mask[action] and not mines[action]]
    flags = [action for action in by_move.get("flag", ()) if mask[action] and mines[action % cells]]
    chords = [action for action in by_move.get("chord", ()) if mask[action]]
    if random.random() < care and safe:
        return random.choice(safe)
    return random.choice(random.choice([wanted for wanted in (flags, chords, range(len(mask))) if wanted]))


def transcript(name: str) -> str:
    """Plays a golden game and returns its text."""
    arguments, seed, care = GAMES[name]
    env = MinesweeperEnv(**arguments, render_mode="ansi")
    random = Random(seed)
    _, info = env.reset(seed=seed)
    lines = [f"arguments: {arguments}", f"seed: {seed}", "", str(env.render())]
    over, step = False, 0
    while not over:
        step += 1
        action = choose(env, info["action_mask"], random, care)
        _, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        notes = {"terminated": terminated, "truncated": truncated, **info}
        flags = " ".join(key for key, value in notes.items() if value is True)
        block, cell = divmod(action, env.config.cells)
        row, col = divmod(cell, env.config.cols)
        lines += ["", f"step {step}: {env.config.moves[block]} {row} {col} (action {action})"]
        lines += [f"reward {reward:g} legal {int(info['action_mask'].sum())} {flags}".rstrip(), str(env.render())]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    for path in FOLDER.glob("*.txt"):
        path.unlink()
    for game in GAMES:
        (FOLDER / f"{game}.txt").write_text(transcript(game), encoding="utf-8")
