"""Transcripts of seeded games of Azulejos, as the golden files hold them.

    python tests/support/azulejos_transcripts.py

writes the files again; the commit says why games changed.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from azulejos_env import AzulejosEnv

FOLDER = Path(__file__).parents[1] / "azulejos_env" / "golden"

GAMES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "random_seat": {"size": (5, 7), "colours": 4, "opponent": "random", "seat": "random", "side": "right"},
    "alone": {"size": 5, "colours": 2, "opponent": None, "bonus": 1.5, "points": (3, 5), "per_tile": 1},
    "minimax": {"size": (4, 5), "opponent": "minimax:depth=2", "seat": "second", "reward": "win_loss"},
}


def transcript(name: str) -> str:
    """Returns two games in a row: each action with its reward, and the text of each position."""
    env = AzulejosEnv(**GAMES[name], render_mode="ansi")
    lines = [f"# {name}: {GAMES[name]}"]
    generator = np.random.default_rng(1)
    for game in range(2):
        _, info = env.reset(seed=7 if game == 0 else None)
        lines += [f"game {game}", str(env.render())]
        over = False
        while not over:
            action = int(generator.choice(np.flatnonzero(info["action_mask"])))
            _, reward, over, _, info = env.step(action)
            lines += ["", f"action {action}, reward {reward}, scores {info['scores'].tolist()}", str(env.render())]
        lines += [f"success {info['is_success']}", ""]
    return "\n".join(lines)


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        (FOLDER / f"{name}.txt").write_text(transcript(name), encoding="utf-8")
