"""Train an agent with a snippet of docs/how-to/libraries.md, and count the test games that it wins.

python docs/generate/libraries/run.py torchrl --json results.json

Run it with an interpreter that has the library; `make test-libraries` makes one each. CleanRL's ppo.py comes from the
wheel of its release 1.2.0 (MIT licence), the newest on PyPI; this repository holds no copy. That release still uses
`gym`, for which `SimpleNamespace` stands in: `reset` returns the observations, `step` four values.
"""

import argparse
import importlib.metadata
import json
import re
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np

ROOT = Path(__file__).parents[3]
sys.path.insert(0, str(ROOT))

from baselines.files import write_json  # noqa: E402
from minesweeper_env import MinesweeperVectorEnv, __version__  # noqa: E402
from minesweeper_env.observations import Encoder  # noqa: E402

HEADINGS = {
    "stable-baselines3": "Stable-Baselines3",
    "cleanrl": "CleanRL",
    "torchrl": "TorchRL",
    "tianshou": "Tianshou",
    "rllib": "RLlib",
}
"""The learning libraries, and the first word of their headings on the page."""

WHEEL = ROOT / ".venv-libraries" / "cleanrl-1.2.0-py3-none-any.whl"
"""The wheel that `make test-libraries` fetches."""

BOARD = {"size": 5, "mines": 3, "moves": ("click",)}
CLEANRL = (
    "ppo.py --env-id Minesweeper-ClickOnly-v0 --num-envs 16 --learning-rate 1e-3 --gamma 0.95 --total-timesteps 150000"
    " --seed 2147483648"
)
Act = Callable[[Any, Any], Any]


def section(heading: str) -> str:
    """Returns the section of the page whose heading begins with `heading`."""
    page = (ROOT / "docs" / "how-to" / "libraries.md").read_text(encoding="utf-8")
    return re.findall(rf"^## {heading}\b.*?(?=^## |\Z)", page, re.DOTALL | re.MULTILINE)[0]


def snippets(heading: str, language: str = "python") -> list[str]:
    """Returns the code blocks of a section that are in a language."""
    return re.findall(rf"```{language}\n(.*?)```", section(heading), re.DOTALL)


def patch(source: str) -> str:
    """Returns CleanRL's ppo.py with the lines that the page changes; each old line must occur exactly once."""
    (diff,) = snippets(HEADINGS["cleanrl"], "diff")
    removed, added = ([line[1:].strip() for line in diff.splitlines() if line[0] == sign] for sign in "-+")
    for old, new in zip(removed, added, strict=True):
        parts = re.split(rf"(?<= ){re.escape(old)}\n", source)
        assert len(parts) == 2, f"not exactly one line {old!r}"
        source = f"{new}\n".join(parts)
    return source


def train_cleanrl() -> Act:
    """Runs the patched ppo.py; returns a function that takes the most probable action of its agent."""
    import torch

    no_writer: Any = type("Nothing", (), {"__init__": lambda *_: None, "__getattr__": lambda *_: lambda *_: None})
    modules: Any = sys.modules
    modules["torch.utils.tensorboard"] = SimpleNamespace(SummaryWriter=no_writer)
    modules["gym"] = SimpleNamespace(
        make=lambda *args, **kwargs: _WithSeed(gymnasium.make(*args, **kwargs)),
        spaces=gymnasium.spaces,
        wrappers=SimpleNamespace(RecordEpisodeStatistics=lambda env: env),
        vector=SimpleNamespace(SyncVectorEnv=_GymVectorEnv),
    )
    sys.argv = CLEANRL.split()
    names: dict[str, Any] = {"__name__": "__main__", "__file__": "ppo.py"}
    with zipfile.ZipFile(WHEEL) as wheel:
        exec(compile(patch(wheel.read("cleanrl/ppo.py").decode()), "ppo.py of CleanRL", "exec"), names)

    def act(observations: Any, _masks: Any) -> Any:
        x = torch.as_tensor(observations)
        with torch.no_grad():
            actions = [torch.full((len(x),), action) for action in range(names["envs"].single_action_space.n)]
            return torch.stack([names["agent"].get_action_and_value(x, each)[1] for each in actions]).argmax(0).numpy()

    return act


class _WithSeed(gymnasium.Wrapper[Any, Any, Any, Any]):
    def seed(self, seed: int) -> None:
        self.env.reset(seed=seed)


class _GymVectorEnv(gymnasium.vector.SyncVectorEnv):
    def __init__(self, makers: Any) -> None:
        super().__init__(makers, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)

    def reset(self) -> Any:
        return super().reset()[0]

    def step(self, actions: Any) -> Any:
        observations, rewards, terminations, truncations, _ = super().step(actions)
        return observations, rewards, terminations | truncations, []


def train(name: str) -> Act:
    """Runs the snippet of a library; returns its function of observations (N, 325) and masks (N, 25)."""
    if name == "exact":
        from baselines import make_policy

        policy = make_policy("exact", size=5, mines=3)
        encoder = Encoder("flat", MinesweeperVectorEnv(1, **BOARD).config)
        return lambda observations, masks: policy.act(encoder.decode(observations), masks.astype(np.int8))
    if name == "cleanrl":
        return train_cleanrl()
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
    seconds, pinned = time.process_time() - start, {"cleanrl": "1.2.0", "exact": __version__}
    version = pinned.get(arguments.name) or importlib.metadata.version(package.get(arguments.name, arguments.name))
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
        write_json(arguments.json, old | {arguments.name: result}, follow=True)
