"""CleanRL's ppo.py with the two changed lines of docs/how-to/libraries.md, run under Gymnasium's present interface.

The file comes from the wheel of CleanRL 1.2.0 (MIT licence), the newest on PyPI; this repository holds no copy. That
release still uses `gym`, for which `SimpleNamespace` stands in: `reset` returns the observations, `step` four values.
"""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import gymnasium

import minesweeper_env  # noqa: F401 - registers the ids

WHEEL = Path(__file__).parents[3] / ".venv-libraries" / "cleanrl-1.2.0-py3-none-any.whl"
"""The wheel that `make test-libraries` fetches."""

ARGUMENTS = "--env-id Minesweeper-v0 --total-timesteps 150000 --num-envs 16 --learning-rate 1e-3 --gamma 0.95"


def changes(section: str) -> list[tuple[str, str]]:
    """Returns the old and new lines of the diff in the section, without their indentation."""
    (diff,) = re.findall(r"```diff\n(.*?)```", section, re.DOTALL)
    old, new = ([line[1:].strip() for line in diff.splitlines() if line[0] == sign] for sign in "-+")
    return list(zip(old, new, strict=True))


def patch(source: str, section: str) -> str:
    """Returns the source with the lines of the diff replaced; each old line must occur exactly once."""
    for old, new in changes(section):
        source, count = re.subn(
            rf"^( +){re.escape(old)}$", lambda found, new=new: found[1] + new, source, flags=re.MULTILINE
        )
        assert count == 1, f"not exactly one line {old!r}"
    return source


def train_patched(section: str) -> Callable[..., Any]:
    """Runs the patched ppo.py; returns a function that takes the most probable action of its agent."""
    import torch

    nothing: Any = type("Nothing", (), {"__init__": lambda *_: None, "__getattr__": lambda *_: lambda *_: None})
    modules: Any = sys.modules
    modules["torch.utils.tensorboard"] = SimpleNamespace(SummaryWriter=nothing)
    modules["gym"] = SimpleNamespace(
        make=lambda *args, **kwargs: _Seeded(gymnasium.make(*args, **kwargs)),
        spaces=gymnasium.spaces,
        wrappers=SimpleNamespace(RecordEpisodeStatistics=lambda env: env),
        vector=SimpleNamespace(SyncVectorEnv=_OldVector),
    )
    sys.argv = ["ppo.py", *ARGUMENTS.split()]
    names: dict[str, Any] = {"__name__": "__main__", "__file__": "ppo.py"}
    with zipfile.ZipFile(WHEEL) as wheel:
        source = wheel.read("cleanrl/ppo.py").decode()
    exec(compile(patch(source, section), "ppo.py of CleanRL", "exec"), names)

    def act(observations: Any, masks: Any) -> Any:  # noqa: ARG001 - the agent finds legal actions by itself
        x = torch.as_tensor(observations)
        with torch.no_grad():
            actions = [torch.full((len(x),), action) for action in range(names["envs"].single_action_space.n)]
            return torch.stack([names["agent"].get_action_and_value(x, each)[1] for each in actions]).argmax(0).numpy()

    return act


class _Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    def seed(self, seed: int) -> None:
        self.env.reset(seed=seed)


class _OldVector(gymnasium.vector.SyncVectorEnv):
    def __init__(self, makers: Any) -> None:
        super().__init__(makers, autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)

    def reset(self) -> Any:
        return super().reset()[0]

    def step(self, actions: Any) -> Any:
        observations, rewards, terminations, truncations, _ = super().step(actions)
        return observations, rewards, terminations | truncations, []
