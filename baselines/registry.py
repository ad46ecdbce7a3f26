"""The policies by name; a policy's module is loaded when it is first made."""

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
"""The scripted policies, weakest first, and where their classes are."""

DEFAULT_MOVES: tuple[str, ...] = ("click",)
"""The moves of the games that a policy plays, unless its class has other ones as its attribute `moves`."""

AGENT_FILE = "agent.json"
"""The file that makes a folder a run folder, whose agent plays under the folder's path as its name."""

AGENTS_FOLDER = Path(__file__).parent / "learned" / "weights"
"""The agents that come with the package: a run folder each, by its name."""


def agent_names() -> list[str]:
    """Returns the names of the trained agents that come with the package."""
    return sorted(path.parent.name for path in AGENTS_FOLDER.glob(f"*/{AGENT_FILE}"))


def agent_folder(name: str) -> Path | None:
    """Returns the run folder of this name: that of an agent that comes with the package, or a path."""
    for folder in (AGENTS_FOLDER / name, Path(name)):
        if (folder / AGENT_FILE).is_file():
            return folder
    return None


def policy_names() -> list[str]:
    """Returns the names of the scripted policies, weakest first, and of the trained agents."""
    return [*SCRIPTED, *agent_names()]


@dataclass(frozen=True)
class PolicyMaker:
    """A policy with its options, yet to be made for a board.

    Attributes:
        name: the specification that it was found by.
        make: its class, or what else makes it of a `BoardConfig` and the options.
        options: those given, all of which it has.
    """

    name: str
    make: Callable[..., Policy]
    options: dict[str, Any]

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that the games for this policy must have."""
        return getattr(self.make, "moves", DEFAULT_MOVES)

    def __call__(self, config: BoardConfig, seed: int = 0) -> Policy:
        """Makes the policy for a configuration, its random choices begun from `seed`.

        Raises:
            ValueError: an option or the board is not allowed; the message says what is.
        """
        policy = self.make(config, **self.options)
        policy.reset(seed)
        return policy


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
        name: one of `policy_names()`, also with options, as `find_policy` takes it, or the path of a run folder
            that ``train.py`` wrote.
        size: side of a square board, or (rows, cols).
        mines: the number of mines.
        first_click: "opening", "safe", "any" or "corners".
        seed: begins the policy's random choices; at least 0.
        **options: those of the policy.

    Raises:
        ValueError: the name, an option or the board is not allowed; the message says what is.
        MissingExtraError: the policy needs a package that is not installed.
    """
    maker = find_policy(name, **options)
    config = BoardConfig.of_size(size, mines, first_click=first_click, moves=maker.moves)
    return maker(config, seed)


def build_policy(name: str, config: BoardConfig, seed: int = 0, **options: Any) -> Policy:
    """Makes a policy for a configuration, as `make_policy` does for its parts."""
    return find_policy(name, **options)(config, seed)


def config_for(name: str, config: BoardConfig) -> BoardConfig:
    """Returns the configuration with the moves that the games for this policy must have."""
    return replace(config, moves=find_policy(name).moves)


def find_policy(name: str, **options: Any) -> PolicyMaker:
    """Returns what makes the policy of this specification.

    Args:
        name: ``name`` or ``name:option=value,option=value``, where a value is a whole number, a number, true, false
            or none, and else a text; or the path of a run folder.
        **options: more of the policy's options.

    Raises:
        ValueError: the name is unknown, or the policy has no such option, or one is given twice.
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
            f"unknown policy {base!r}; there are {', '.join(policy_names())}, and folders with {AGENT_FILE}, "
            "as train.py writes"
        )
    for option in given.keys() & options.keys():
        raise ValueError(f"option {option} of policy {name!r} is given twice")
    _check_options(base, make, given | options)
    return PolicyMaker(name, make, given | options)


def _read_specification(text: str) -> tuple[str, dict[str, Any]]:
    """Returns the name in a specification, and its options."""
    name, colon, rest = text.partition(":")
    if not colon or (Path(text) / AGENT_FILE).is_file():
        return text, {}
    options: dict[str, Any] = {}
    for part in rest.split(","):
        option, equals, value = part.partition("=")
        if not option or not equals:
            raise ValueError(f"a policy with options is written name:option=value,option=value, not {text!r}")
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
