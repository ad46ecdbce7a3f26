"""CleanRL's ppo.py with the two changed lines of docs/how-to/libraries.md, run under Gymnasium's present interface.

The file comes from the wheel of CleanRL 1.2.0 (MIT licence), the newest on PyPI; this repository holds no copy. That
release still uses `gym`, for which `old_gym` stands in: `reset` returns the observations alone, and `step` four values.
"""

from __future__ import annotations

import re
import sys
import types
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gymnasium

import minesweeper_env  # noqa: F401 - registers the ids

WHEEL = Path(__file__).parents[3] / ".venv-libraries" / "cleanrl-1.2.0-py3-none-any.whl"
"""The wheel that `make test-libraries` fetches."""

ARGUMENTS = "--env-id Minesweeper-v0 --total-timesteps 150000 --num-envs 16 --learning-rate 1e-3 --gamma 0.95"


def read_ppo() -> str:
    """Returns CleanRL's ppo.py from its wheel."""
    with zipfile.ZipFile(WHEEL) as wheel:
        return wheel.read("cleanrl/ppo.py").decode()


def changes(section: str) -> list[tuple[str, str]]:
    """Returns the old and new lines of the diff in the section, without their indentation."""
    (diff,) = re.findall(r"```diff\n(.*?)```", section, re.DOTALL)
    old, new = ([line[1:].strip() for line in diff.splitlines() if line[0] == sign] for sign in "-+")
    return list(zip(old, new, strict=True))


def patch(source: str, section: str) -> str:
    """Returns the source with the lines of the diff replaced; each old line must occur exactly once."""
    for old, new in changes(section):
        pattern = rf"^( +){re.escape(old)}$"
        assert len(re.findall(pattern, source, re.MULTILINE)) == 1, f"not exactly one line {old!r}"
        source = re.sub(pattern, lambda found, line=new: found[1] + line, source, flags=re.MULTILINE)
    return source


def train_patched(section: str) -> Callable[..., Any]:
    """Runs the patched ppo.py; returns a function that takes the most probable action of its agent."""
    import torch

    sys.modules["gym"] = old_gym()
    sys.modules["torch.utils.tensorboard"] = types.ModuleType("tensorboard")
    sys.modules["torch.utils.tensorboard"].SummaryWriter = _NoWriter  # type: ignore[attr-defined]
    sys.argv = ["ppo.py", *ARGUMENTS.split()]
    names: dict[str, Any] = {"__name__": "__main__", "__file__": "ppo.py"}
    exec(compile(patch(read_ppo(), section), "ppo.py of CleanRL", "exec"), names)
    agent = names["agent"]

    def act(observations: Any, masks: Any) -> Any:  # noqa: ARG001 - the agent finds legal actions by itself
        x = torch.as_tensor(observations)
        with torch.no_grad():
            actions = [torch.full((len(x),), action) for action in range(names["envs"].single_action_space.n)]
            return torch.stack([agent.get_action_and_value(x, each)[1] for each in actions]).argmax(0).numpy()

    return act


def old_gym() -> types.ModuleType:
    """Returns what ppo.py uses of `gym` 0.23."""
    gym: Any = types.ModuleType("gym")
    gym.make = lambda *args, **kwargs: _Seeded(gymnasium.make(*args, **kwargs))
    gym.spaces = gymnasium.spaces
    gym.wrappers = types.SimpleNamespace(RecordEpisodeStatistics=lambda env: env)
    gym.vector = types.SimpleNamespace(SyncVectorEnv=_OldVector)
    module: types.ModuleType = gym
    return module


class _Seeded(gymnasium.Wrapper[Any, Any, Any, Any]):
    def seed(self, seed: int) -> None:
        self.env.reset(seed=seed)


class _OldVector:
    def __init__(self, makers: Sequence[Callable[[], Any]]) -> None:
        mode = gymnasium.vector.AutoresetMode.SAME_STEP
        self._envs = gymnasium.vector.SyncVectorEnv(makers, autoreset_mode=mode)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._envs, name)

    def reset(self) -> Any:
        return self._envs.reset()[0]

    def step(self, actions: Any) -> tuple[Any, ...]:
        observations, rewards, terminations, truncations, _ = self._envs.step(actions)
        return observations, rewards, terminations | truncations, []


class _NoWriter:
    def __init__(self, _folder: str) -> None:
        """Ignores everything that is written."""

    def __getattr__(self, _name: str) -> Callable[..., None]:
        return lambda *_: None
