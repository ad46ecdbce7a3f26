"""The policies by name; a policy's module is loaded when it is first made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from baselines.extras import import_extra
from baselines.policy import Policy
from minesweeper_env.config import BoardConfig

SCRIPTED: dict[str, str] = {
    "random": "baselines.scripted.uniform:RandomPolicy",
    "straightforward": "baselines.scripted.straightforward:StraightforwardPolicy",
    "subset": "baselines.scripted.subset:SubsetPolicy",
    "expected_value": "baselines.scripted.expected_value:ExpectedValuePolicy",
    "bayes": "baselines.scripted.bayes:BayesPolicy",
    "exact": "baselines.scripted.exact:ExactPolicy",
    "lookahead": "baselines.scripted.lookahead:LookaheadPolicy",
    "optimal": "baselines.scripted.optimal:OptimalPolicy",
}
"""The scripted policies, weakest first, and where their classes are."""

RUN_FILE = "agent.json"
"""The file that makes a folder a run folder, whose agent plays under the folder's path as its name."""


def policy_names() -> list[str]:
    """Returns the names of the scripted policies, weakest first."""
    return list(SCRIPTED)


def make_policy(
    name: str,
    size: int | Sequence[int] = 8,
    mines: int = 14,
    first_click: str = "opening",
    seed: int = 0,
    **options: Any,
) -> Policy:
    """Makes a policy that is ready to play.

    Args:
        name: one of `policy_names()`, or the path of a run folder that ``train.py`` wrote.
        size: side of a square board, or (rows, cols).
        mines: the number of mines.
        first_click: "opening", "safe", "any" or "corners".
        seed: begins the policy's random choices; at least 0.
        **options: those of the policy.

    Raises:
        ValueError: the name, an option or the board is not allowed; the message says what is.
        MissingExtraError: the policy needs a package that is not installed.
    """
    return build_policy(
        name, BoardConfig.of_size(size, mines, first_click=first_click, moves=("click",)), seed, **options
    )


def build_policy(name: str, config: BoardConfig, seed: int = 0, **options: Any) -> Policy:
    """Makes a policy for a configuration, as `make_policy` does for its parts."""
    policy = find_policy(name, **options)(config, **options)
    policy.reset(seed)
    return policy


def find_policy(name: str, **options: Any) -> Callable[..., Policy]:
    """Returns what makes the policy of this name, given a `BoardConfig` and the options.

    Raises:
        ValueError: the name is unknown, or the policy has no such option.
        MissingExtraError: the policy needs a package that is not installed.
    """
    if name in SCRIPTED:
        module, _, attribute = SCRIPTED[name].partition(":")
        make: Callable[..., Policy] = getattr(import_module(module), attribute)
    elif (Path(name) / RUN_FILE).is_file():
        for module in ("torch", "safetensors"):
            import_extra(module)
        make = _RunFolder(name)
    else:
        raise ValueError(
            f"unknown policy {name!r}; there are {', '.join(SCRIPTED)}, and folders with {RUN_FILE}, as train.py writes"
        )
    _check_options(name, make, options)
    return make


class _RunFolder:
    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def __call__(self, config: BoardConfig) -> Policy:
        from baselines.learned.checkpoints import load_policy

        return load_policy(self._folder, config)


def _check_options(name: str, make: Callable[..., Policy], options: dict[str, Any]) -> None:
    allowed = list(inspect.signature(make).parameters)[1:]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        raise ValueError(
            f"policy {name!r} has no option {', '.join(unknown)}; its options: {', '.join(allowed) or 'none'}"
        )
