"""Train an agent with a snippet of docs/how-to/libraries.md, and count the test games that it wins.

python docs/generate/libraries/run.py torchrl --json results.json

Run it with an interpreter that has the library; `make test-libraries` makes one each.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from minesweeper_env import MinesweeperVectorEnv, __version__  # noqa: E402
from minesweeper_env.observations import decode  # noqa: E402

HEADINGS = {
    "stable-baselines3": "Stable-Baselines3",
    "cleanrl": "CleanRL",
    "torchrl": "TorchRL",
    "tianshou": "Tianshou",
    "rllib": "RLlib",
}
"""The learning libraries, and the first word of their headings on the page."""

BOARD = {"size": 5, "mines": 3, "moves": ("click",)}
Act = Callable[..., Any]


def section(heading: str) -> str:
    """Returns the section of the page whose heading begins so."""
    page = (ROOT / "docs" / "how-to" / "libraries.md").read_text(encoding="utf-8")
    return re.findall(rf"^## {heading}\b.*?(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)[0]


def snippets(heading: str) -> list[str]:
    """Returns the Python blocks of a section."""
    return re.findall(r"```python\n(.*?)```", section(heading), re.DOTALL)


def train(name: str) -> Act:
    """Runs the snippet of a library; returns its function of observations (N, 325) and masks (N, 25)."""
    if name == "exact":
        from baselines import make_policy

        policy, config = make_policy("exact", size=5, mines=3), MinesweeperVectorEnv(1, **BOARD).config
        return lambda observations, masks: policy.act(decode(observations, config), masks.astype(np.int8))
    if name == "cleanrl":
        from cleanrl import train_patched

        return train_patched(section(HEADINGS[name]))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(snippets(HEADINGS[name])[0], f"{name} on docs/how-to/libraries.md", "exec"), names)
    if name == "stable-baselines3":
        predict = names["model"].predict
        return lambda observations, masks: predict(observations, action_masks=masks, deterministic=True)[0]
    act: Act = names["act"]
    return act


def count_wins(act: Act | None, games: int) -> int:
    """Plays the test games 0, 1, ..., all at once, with random legal actions if `act` is None; returns the wins."""
    envs = MinesweeperVectorEnv(games, observation="flat", **BOARD)
    observations, infos = envs.reset(seed=0)
    won, over = np.zeros((2, games), np.bool_)
    while not over.all():
        actions, masks = envs.sample_actions(), infos["action_mask"].astype(np.bool_)
        if act is not None:
            actions[~over] = np.asarray(act(observations[~over], masks[~over]))
        assert masks[np.arange(games), actions].all(), "the agent chose an illegal action"
        observations, _, terminations, truncations, infos = envs.step(actions)
        won |= ~over & infos["is_success"]
        over |= terminations | truncations
    return int(won.sum())


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*HEADINGS, "exact"], help="run this library, or the policy exact")
    parser.add_argument("--games", type=int, default=1000, help="play this many test games (default 1000)")
    parser.add_argument("--json", type=Path, help="add the result to this file")
    arguments = parser.parse_args()
    start = time.process_time()
    trained, package = train(arguments.name), {"stable-baselines3": "sb3_contrib", "rllib": "ray"}
    seconds, known = time.process_time() - start, {"cleanrl": "1.2.0", "exact": __version__}
    version = known.get(arguments.name) or importlib.metadata.version(package.get(arguments.name, arguments.name))
    result = {
        "version": version,
        "wins": count_wins(trained, arguments.games),
        "random_wins": count_wins(None, arguments.games),
        "games": arguments.games,
        "gymnasium": importlib.metadata.version("gymnasium"),
        "cpu_seconds": round(seconds),
    }
    print(arguments.name, result)
    if arguments.json:
        old = json.loads(arguments.json.read_text()) if arguments.json.exists() else {}
        arguments.json.write_text(json.dumps(old | {arguments.name: result}, indent=2) + "\n", encoding="utf-8")
