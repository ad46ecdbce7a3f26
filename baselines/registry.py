"""Registry of policies by name; it loads the module of a policy when the policy is first made."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from baselines.policy import Policy
from baselines.support.extras import import_extra
from minesweeper_env.config import BoardConfig

__all__ = [
    "AGENTS_FOLDER",
    "AGENT_FILE",
    "DEFAULT_MOVES",
    "SCRIPTED",
    "PolicyMaker",
    "agent_folder",
    "agent_names",
    "build_policy",
    "config_for",
    "find_policy",
    "make_policy",
    "policy_names",
]

SCRIPTED: dict[str, str] = {
    "random": "baselines.scripted.uniform:RandomPolicy",
    "marginal": "baselines.scripted.fitted.marginal:MarginalPolicy",
    "graphical_source": "baselines.scripted.replicas.graphical:GraphicalSourcePolicy",
    "conditional": "baselines.scripted.fitted.conditional:ConditionalPolicy",
    "graphical": "baselines.scripted.fitted.graphical:GraphicalPolicy",
    "semi_deterministic": "baselines.scripted.semi_deterministic:SemiDeterministicPolicy",
    "straightforward": "baselines.scripted.rules.straightforward:StraightforwardPolicy",
    "subset": "baselines.scripted.rules.subset:SubsetPolicy",
    "expected_value_source": "baselines.scripted.replicas.expected_value:ExpectedValueSourcePolicy",
    "expected_value": "baselines.scripted.rules.expected_value:ExpectedValuePolicy",
    "bayes_source": "baselines.scripted.replicas.bayes:BayesSourcePolicy",
    "bayes": "baselines.scripted.bayes.policy:BayesPolicy",
    "exact": "baselines.scripted.oracle_play.exact:ExactPolicy",
    "lookahead": "baselines.scripted.oracle_play.lookahead:LookaheadPolicy",
    "optimal": "baselines.scripted.oracle_play.optimal:OptimalPolicy",
}
"""The scripted policies, weakest first, each with its class as "module:class"."""

DEFAULT_MOVES: tuple[str, ...] = ("click",)
"""The moves of a policy whose class has no attribute `moves`."""

AGENT_FILE = "agent.json"
"""The file that makes a folder a run folder; the path of a run folder is the name of a policy."""

AGENTS_FOLDER = Path(__file__).parent / "learned" / "weights"
"""The shipped agents: one run folder each, named after the agent."""


def agent_names() -> list[str]:
    """Returns the names of the shipped agents."""
    return sorted(path.parent.name for path in AGENTS_FOLDER.glob(f"*/{AGENT_FILE}"))


def agent_folder(name: str) -> Path | None:
    """Returns the run folder of a shipped agent or at a path, or None if there is no such folder."""
    for folder in (AGENTS_FOLDER / name, Path(name)):
        if (folder / AGENT_FILE).is_file():
            return folder
    return None


def policy_names() -> list[str]:
    """Returns the names of the scripted policies, weakest first, and of the shipped agents."""
    return [*SCRIPTED, *agent_names()]


@dataclass(frozen=True)
class PolicyMaker:
    """A factory of one policy: its class and its options, without a board.

    Attributes:
        name: the specification that names it.
        make: its class, or another callable that takes a `BoardConfig` and the options.
        options: the given options; `find_policy` has checked that the policy has them.
    """

    name: str
    make: Callable[..., Policy]
    options: dict[str, Any]

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that games for this policy must offer."""
        return getattr(self.make, "moves", DEFAULT_MOVES)

    def __call__(self, config: BoardConfig, seed: int = 0) -> Policy:
        """Makes the policy for a configuration, and resets it with `seed`.

        Raises:
            ValueError: an option or the board is not allowed; the message names the allowed values.
        """
        policy = self.make(config, **self.options)
        policy.reset(seed)
        return policy


def make_policy(
    name: str,
    size: int | Sequence[int] = 8,
    mines: int | None = None,
    first_click: str = "opening",
    seed: int = 0,
    **options: Any,
) -> Policy:
    """Makes a policy, ready to play.

    Args:
        name: one of `policy_names()`, perhaps with options, such as "bayes:prior=count"; or the path of a run folder
            that ``train.py`` wrote.
        size: side of a square board, or (rows, cols).
        mines: the number of mines; None follows the size, as in `MinesweeperEnv`.
        first_click: "opening", "safe", "any" or "corners".
        seed: seed of the policy's random choices, at least 0.
        **options: options of the policy.

    Raises:
        ValueError: the name, an option or the board is not allowed; the message names the allowed values.
        MissingExtraError: the policy needs a package that is not installed.
    """
    maker = find_policy(name, **options)
    config = BoardConfig.of_size(size, mines, first_click=first_click, moves=maker.moves)
    return maker(config, seed)


def build_policy(name: str, config: BoardConfig, seed: int = 0, **options: Any) -> Policy:
    """Makes a policy for a configuration; see `make_policy`."""
    return find_policy(name, **options)(config, seed)


def config_for(name: str, config: BoardConfig) -> BoardConfig:
    """Returns the configuration with the moves that games for this policy must offer."""
    return replace(config, moves=find_policy(name).moves)


def find_policy(name: str, **options: Any) -> PolicyMaker:
    """Returns the factory of the policy that a specification names.

    Args:
        name: ``name`` or ``name:option=value,option=value``, or the path of a run folder. A value is parsed as an
            int, a float, true, false or none; anything else is a string.
        **options: more options of the policy.

    Raises:
        ValueError: the name is unknown, the policy lacks an option, or an option is given twice.
        MissingExtraError: the policy needs a package that is not installed.
    """
    base, given = _read_specification(name)
    if base in SCRIPTED:
        module, _, attribute = SCRIPTED[base].partition(":")
        make: Callable[..., Policy] = getattr(import_module(module), attribute)
    elif (folder := agent_folder(base)) is not None:
        for module in ("torch", "safetensors"):
            import_extra(module)
        make = import_module("baselines.learned.agents.loading").find_agent(folder)
    else:
        raise ValueError(
            f"unknown policy {base!r}; there are {', '.join(policy_names())}, "
            f"and run folders of train.py, which hold {AGENT_FILE}"
        )
    for option in given.keys() & options.keys():
        raise ValueError(f"option {option} of policy {name!r} is given twice")
    _check_options(base, make, given | options)
    return PolicyMaker(name, make, given | options)


def _read_specification(text: str) -> tuple[str, dict[str, Any]]:
    """Returns the name and the options of a specification."""
    name, colon, rest = text.partition(":")
    if not colon or (Path(text) / AGENT_FILE).is_file():
        return text, {}
    options: dict[str, Any] = {}
    for part in rest.split(","):
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"write a policy with options as name:option=value,option=value, not {text!r}")
        if option in options:
            raise ValueError(f"option {option} of policy {text!r} is given twice")
        options[option] = _read_value(value)
    return name, options


def _read_value(text: str) -> int | float | bool | str | None:
    words: dict[str, bool | None] = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    for number in (int, float):
        try:
            return number(text)
        except ValueError:
            continue
    return text


def _check_options(name: str, make: Callable[..., Policy], options: dict[str, Any]) -> None:
    allowed = list(inspect.signature(make).parameters)[1:]
    unknown = [option for option in options if option not in allowed]
    if unknown:
        raise ValueError(
            f"policy {name!r} has no option {', '.join(unknown)}; its options: {', '.join(allowed) or 'none'}"
        )
