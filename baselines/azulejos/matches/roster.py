"""Policies of Azulejos by specification: compiled, scripted, learned, or a user's own class or function."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from azulejos_env.config import GameConfig
from baselines.azulejos.agent_folders import agent_folder, agent_names
from baselines.entries.loading import Specification, existing_file, load, parse_specification
from baselines.entries.policy import own_code
from baselines.hub.cache import pinned_within
from baselines.hub.errors import naming
from baselines.hub.names import is_hub_name
from baselines.policy import PolicyError
from baselines.support.extras import check_extra, import_extra
from baselines.support.run_folders import AGENT_FILE

SCRIPTED = ("random", "greedy", "minimax")
"""The names of `azulejos_env.policies.POLICIES`, whose module loads the compiler."""

BOARD = ("size", "colours")
"""The keyword arguments with the board, which a user's class or function gets if it takes them."""

_LEARNED = "baselines.azulejos.learning.agents"


def check_names(names: Sequence[str]) -> None:
    """Checks the form of specifications, and that their policies, run folders and files exist; loads nothing.

    Raises:
        ValueError: there are fewer than two, one is given twice or unknown, or has another form.
        MissingExtraError: one is an agent of the hub, whose client is not installed.
    """
    if len(names) < 2:
        raise ValueError(f"a match needs two policies or more, not {', '.join(names)} alone: --policy NAME NAME ...")
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"policy {name!r} is given twice; a policy plays the others, not itself")
        specification = read_specification(name)
        if is_hub_name(specification.base):
            check_extra("huggingface_hub", "hub")
        if specification.in_file:
            existing_file(specification)
        elif specification.attribute is None and not _is_name(specification.base):
            raise ValueError(_unknown(specification.base))


def read_specification(name: str) -> Specification:
    """Returns the parts of a specification; loads nothing.

    Raises:
        ValueError: the specification has another form.
    """
    return parse_specification(name, _is_name)


def pinned(name: str) -> str:
    """Returns a specification with the commit of its agent of the hub; see `baselines.registry.pinned`."""
    return pinned_within(name, read_specification(name).base)


def make_policy(name: str, config: GameConfig) -> Any:
    """Makes the policy of a specification.

    Args:
        name: one of `policy_names()`, the path of a run folder, an agent of the Hugging Face hub as
            ``hf:user/repo@revision``, or a class or function as ``package.module:NAME`` or ``path/file.py:NAME``;
            perhaps followed by ``:option=value,option=value``.
        config: the games that it plays.

    Returns:
        An object with `choose(position)`, or with `act(boards, scores)`; see `azulejos_env.policies.Policy`.

    Raises:
        ValueError: the name or an option is not allowed, or the policy does not play these games.
        PolicyError: the code of the user fails, or returns no policy.
        MissingExtraError: the policy needs a package that is not installed.
    """
    specification = read_specification(name)
    options = specification.options
    if specification.attribute is not None:
        return _make_own(specification, config)
    if specification.base in SCRIPTED:
        make = import_module("azulejos_env.policies").POLICIES[specification.base]
        _check_options(specification.base, make, options)
        return make(**options)
    folder = agent_folder(specification.base)
    if folder is None:
        raise ValueError(_unknown(specification.base))
    for module in ("torch", "safetensors"):
        import_extra(module)
    load_agent: Callable[..., Any] = import_module(_LEARNED).load_agent
    if options:
        raise ValueError(f"an agent of a run folder has no options, and {name!r} gives {', '.join(options)}")
    return naming(specification.base, folder, load_agent)(folder)


def _make_own(specification: Specification, config: GameConfig) -> Any:
    """Calls a class or function of the user."""
    target = load(specification)
    board: dict[str, Any] = {"size": (config.rows, config.cols), "colours": config.colours}
    taken = {name: value for name, value in board.items() if _takes(target, name)}
    _check_options(f"{specification.base}:{specification.attribute}", target, specification.options)
    with own_code(specification.text, target, may_refuse=True):
        policy = target(**taken, **specification.options)
        plays = any(callable(getattr(policy, method, None)) for method in ("choose", "act"))
    if isinstance(policy, type) or not plays:
        raise PolicyError(
            f"{specification.text} must return an object with the method choose(position) or act(boards, scores), not "
            f"{policy.__name__ if isinstance(policy, type) else type(policy).__name__}"
        )
    return policy


def _takes(target: Callable[..., Any], name: str) -> bool:
    parameters = _parameters(target)
    return name in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def _parameters(target: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    try:
        return inspect.signature(target).parameters
    except (TypeError, ValueError):
        # Some callables written in C have no signature.
        return {}


def _check_options(name: str, target: Callable[..., Any], options: Mapping[str, Any]) -> None:
    for option in options.keys() & set(BOARD):
        raise ValueError(f"policy {name!r} gets {option} from its games; it is no option")
    unknown = [option for option in options if not _takes(target, option)]
    if unknown:
        allowed = ", ".join(each for each in _parameters(target) if each not in BOARD)
        raise ValueError(f"policy {name!r} has no option {', '.join(unknown)}; its options: {allowed or 'none'}")


def _is_name(text: str) -> bool:
    return text in SCRIPTED or is_hub_name(text) or agent_folder(text) is not None


def policy_names() -> list[str]:
    """Returns the names of the scripted policies, weakest first, and of the shipped agents."""
    return [*SCRIPTED, *agent_names()]


def _unknown(name: str) -> str:
    near = get_close_matches(name, policy_names(), 1)
    hint = f"; did you mean {near[0]}?" if near else ""
    return (
        f"unknown policy {name!r}; there are {', '.join(policy_names())}, run folders of train.py --env Azulejos-v0, "
        f"which hold {AGENT_FILE}, and your own classes and functions as package.module:NAME or path/file.py:NAME{hint}"
    )
