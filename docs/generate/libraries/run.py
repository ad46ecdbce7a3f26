"""Train an agent with a snippet of docs/how-to/libraries.md, and count the test games that it wins.

python docs/generate/libraries/run.py torchrl --json results.json

The name is a key of `HEADINGS`. Run it with an interpreter that has the library; `make test-libraries` makes one each.
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
from numpy.typing import NDArray

ROOT = Path(__file__).parents[3]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

import minesweeper_env  # noqa: E402
from minesweeper_env import MinesweeperVectorEnv  # noqa: E402
from minesweeper_env.observations import decode  # noqa: E402

HEADINGS = {
    "stable-baselines3": "Stable-Baselines3",
    "cleanrl": "CleanRL",
    "torchrl": "TorchRL",
    "tianshou": "Tianshou",
    "rllib": "RLlib",
}
"""The learning libraries, and the first word of their headings on the page."""

PACKAGES = {"stable-baselines3": "sb3_contrib", "rllib": "ray"}
"""The packages whose versions count, where they have another name than the library."""

BOARD = {"size": 5, "mines": 3, "moves": ("click",)}
Act = Callable[[NDArray[Any], NDArray[np.bool_]], Any]


def section(heading: str) -> str:
    """Returns the section of the page whose heading begins so."""
    page = (ROOT / "docs" / "how-to" / "libraries.md").read_text(encoding="utf-8")
    found = re.search(rf"^## {heading}\b.*?(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)
    assert found, f"docs/how-to/libraries.md has no section {heading}"
    return found[0]


def snippets(heading: str) -> list[str]:
    """Returns the Python blocks of a section."""
    return re.findall(r"```python\n(.*?)```", section(heading), re.DOTALL)


def train(name: str) -> Act:
    """Runs the snippet of a library; returns its function of observations (N, 325) and masks (N, 25)."""
    if name == "exact":
        return exact_act
    if name == "cleanrl":
        from cleanrl import train_patched

        return train_patched(section(HEADINGS[name]))
    names: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(snippets(HEADINGS[name])[0], f"{name} on docs/how-to/libraries.md", "exec"), names)
    if name == "stable-baselines3":
        return lambda observations, masks: names["model"].predict(observations, action_masks=masks, deterministic=True)[
            0
        ]
    act: Act = names["act"]
    return act


def count_wins(act: Act | None, games: int) -> int:
    """Plays the test games 0, 1, ...; returns the number of wins.

    Args:
        act: chooses the actions; None plays random legal ones.
        games: number of games, all played at once.
    """
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


def exact_act(observations: NDArray[Any], masks: NDArray[np.bool_]) -> Any:
    """Returns the clicks of the policy `exact`."""
    from baselines import make_policy

    config = MinesweeperVectorEnv(1, **BOARD).config
    return make_policy("exact", size=5, mines=3).act(decode(observations, config), masks.astype(np.int8))


def version_of(package: str) -> str:
    """Returns the version of a library; CleanRL's ppo.py is read from its wheel, not installed."""
    if package == "cleanrl":
        return "1.2.0"
    return minesweeper_env.__version__ if package == "exact" else importlib.metadata.version(package)


def main() -> None:
    """Trains, plays, prints the wins, and adds them to a file of results."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", choices=[*HEADINGS, "exact"], help="run this library, or the policy exact")
    parser.add_argument("--games", type=int, default=1000, help="play this many test games (default 1000)")
    parser.add_argument("--json", type=Path, help="add the result to this file")
    arguments = parser.parse_args()
    start = time.process_time()
    act = train(arguments.name)
    seconds = time.process_time() - start
    result = {
        "version": version_of(PACKAGES.get(arguments.name, arguments.name)),
        "wins": count_wins(act, arguments.games),
        "random_wins": count_wins(None, arguments.games),
        "games": arguments.games,
        "gymnasium": importlib.metadata.version("gymnasium"),
        "cpu_seconds": round(seconds),
    }
    print(arguments.name, result)
    if arguments.json:
        old = json.loads(arguments.json.read_text()) if arguments.json.exists() else {}
        arguments.json.write_text(json.dumps({**old, arguments.name: result}, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
