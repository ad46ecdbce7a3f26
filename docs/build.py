"""Writes the pages and pictures that come out of the code: `make docs`."""

from __future__ import annotations

import inspect
from pathlib import Path

import imageio.v3 as imageio
import numpy as np

import baselines
from minesweeper_env import MinesweeperEnv
from minesweeper_env.registration import ENV_SPECIFICATIONS

DOCS = Path(__file__).parent
PICTURE_SEED = 3
FRAME_MS = 350
LAST_FRAME_MS = 3000


def environment_page() -> str:
    """Returns the page of the environment: the docstring of its class, and the registered ids."""
    title, _, text = (inspect.getdoc(MinesweeperEnv) or "").partition("\n")
    ids = [f"| `{env_id}` | {_describe(arguments)} |" for env_id, arguments in ENV_SPECIFICATIONS.items()]
    notice = "<!-- Written by docs/build.py from the docstring of minesweeper_env.env.MinesweeperEnv. -->"
    head = [notice, "", f"# {title.rstrip('.')}", text, ""]
    return "\n".join([*head, "## Registered ids", "| id | arguments |", "|---|---|", *ids, ""])


def _describe(arguments: dict[str, object]) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in arguments.items())


def write_game_picture(path: Path) -> None:
    """Writes an animated picture of a game that the expected-value policy plays."""
    env = MinesweeperEnv(16, 40, moves=("click",), render_mode="rgb_array")
    policy = baselines.make_policy("expected_value", size=16, mines=40, seed=PICTURE_SEED)
    observation, info = env.reset(seed=PICTURE_SEED)
    frames, terminated = [env.render()], False
    while not terminated:
        action = policy.act(observation[None], info["action_mask"][None])[0]
        observation, _, terminated, _, info = env.step(action)
        frames.append(env.render())
    shown = _thin(frames)
    imageio.imwrite(path, np.stack(shown), duration=[FRAME_MS] * (len(shown) - 1) + [LAST_FRAME_MS], loop=0)


def _thin(frames: list[np.ndarray], most: int = 40) -> list[np.ndarray]:
    chosen = np.unique(np.linspace(0, len(frames) - 1, most).round().astype(int))
    return [frames[i] for i in chosen]


if __name__ == "__main__":
    (DOCS / "environment.md").write_text(environment_page())
    write_game_picture(DOCS / "images" / "game.gif")
