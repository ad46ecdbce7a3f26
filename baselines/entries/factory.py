"""Factories of policies, with options and without a board: of a class or function of a user, and of any policy."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from baselines.entries.loading import Specification, load
from baselines.entries.policy import EntryPolicy, own_code
from baselines.policy import DEFAULT_MOVES, Policy, PolicyError
from minesweeper_env.config import BoardConfig

BOARD = ("size", "mines", "first_click")
"""The keyword arguments that every class or function of a user is called with."""


_MOVES: dict[tuple[Any, ...], Any] = {}
"""The moves of the policies that functions return, by function, board and options."""


class EntryFactory:
    """Calls a class or function of the user with a board and options."""

    def __init__(self, specification: Specification, options: Mapping[str, Any]) -> None:
        """Loads the class or function, and checks its arguments.

        Args:
            specification: names it.
            options: the options to call it with.

        Raises:
            ValueError: it cannot be loaded, or does not take the board or an option; the message is one line.
            OwnCodeError: the user's code fails while it is loaded.
        """
        self._name = specification.text
        self._target = load(specification)
        check_arguments(f"{specification.base}:{specification.attribute}", self._target, options)

    def moves_on(self, config: BoardConfig, options: Mapping[str, Any]) -> tuple[str, ...]:
        """Returns the moves that games must offer: the attribute `moves` of the class or function, or of its policy.

        A class says so itself. A function without the attribute is called once per board to find out.
        """
        moves = getattr(self._target, "moves", None)
        if moves is None and not isinstance(self._target, type):
            moves = self._moves_of_result(config, options)
        if moves is None:
            return DEFAULT_MOVES
        return self._checked_moves(moves, config)

    def __call__(self, config: BoardConfig, **options: Any) -> EntryPolicy:
        """Makes the policy.

        Raises:
            ValueError: the user's code raised it, which means that the policy does not play this board.
            PolicyError: the result is no policy, or the code raised another exception.
        """
        policy = call_with_board(self._name, self._target, config, options)
        moves = getattr(policy, "moves", None)
        if moves is not None and self._checked_moves(moves, config) != config.moves:
            raise PolicyError(
                f"{self._name}: the policy plays with the moves {', '.join(moves)}, but its class or function does not "
                "say so; give that the attribute moves"
            )
        return EntryPolicy(policy, self._name, config)

    def _checked_moves(self, moves: Any, config: BoardConfig) -> tuple[str, ...]:
        try:
            return tuple(replace(config, moves=moves).moves)
        except ValueError as error:
            raise PolicyError(f"{self._name}: {error}") from error

    def _moves_of_result(self, config: BoardConfig, options: Mapping[str, Any]) -> Any:
        key = (self._target, replace(config, moves=DEFAULT_MOVES), repr(sorted(options.items())))
        if key not in _MOVES:
            _MOVES[key] = getattr(call_with_board(self._name, self._target, config, options), "moves", None)
        return _MOVES[key]


def call_with_board(name: str, target: Callable[..., Any], config: BoardConfig, options: Mapping[str, Any]) -> Any:
    """Returns what a class or function of the user returns for a board, an object with `act`.

    Raises:
        ValueError: the user's code raised it, which means that the policy does not play this board.
        PolicyError: the result is no policy, or the code raised another exception.
    """
    with own_code(name, target, may_refuse=True):
        policy = target(size=(config.rows, config.cols), mines=config.mines, first_click=config.first_click, **options)
        plays = hasattr(policy, "act")
    if type(policy) is target and not plays:
        raise PolicyError(
            f"{name} needs a method act(observations, action_masks); docs/how-to/own-policy.md shows one, and adapters "
            "for other methods"
        )
    if isinstance(policy, type) or not plays:
        found = f"the class {policy.__name__}" if isinstance(policy, type) else f"{type(policy).__name__}"
        raise PolicyError(f"{name} must return an object with the method act(observations, action_masks), not {found}")
    return policy


def check_arguments(name: str, target: Any, options: Mapping[str, Any]) -> None:
    """Raises a ValueError unless a callable takes the board and the options as keyword arguments."""
    for option in options.keys() & set(BOARD):
        raise ValueError(f"policy {name!r} gets {option} from its games; it is no option")
    try:
        parameters = list(inspect.signature(target).parameters.values())
    except (TypeError, ValueError):
        # Some callables written in C have no signature; the call itself shows what is wrong.
        return
    keywords = [each for each in parameters if each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY)]
    names = [each.name for each in keywords]
    takes_any = any(each.kind is each.VAR_KEYWORD for each in parameters)
    lacking = [each for each in BOARD if each not in names]
    if lacking and not takes_any:
        raise ValueError(
            f"{name} takes ({', '.join(map(str, parameters))}) and lacks {', '.join(lacking)}; it must take "
            "size=(rows, cols), mines=, first_click= and its options, or **kwargs (adapters.FunctionPolicy wraps "
            "a function of one board)"
        )
    allowed = [each for each in names if each not in BOARD]
    unknown = [option for option in options if option not in allowed]
    if unknown and not takes_any:
        raise ValueError(
            f"policy {name!r} has no option {', '.join(unknown)}; its options: {', '.join(allowed) or 'none'}"
        )
    needed = [each.name for each in keywords if each.default is each.empty and each.name in allowed]
    missing = [each for each in needed if each not in options]
    if missing:
        raise ValueError(f"policy {name!r} needs {', '.join(missing)}: write {name}:{missing[0]}=VALUE")


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
    def precision(self) -> str | None:
        """The number format of the policy's network, given or by default; None if the policy has no such choice."""
        if isinstance(self.make, EntryFactory):
            return None
        choice = inspect.signature(self.make).parameters.get("precision")
        return None if choice is None else str(self.options.get("precision", choice.default))

    def moves_on(self, config: BoardConfig) -> tuple[str, ...]:
        """Returns the moves that games of this board must offer for the policy."""
        if isinstance(self.make, EntryFactory):
            return self.make.moves_on(config, self.options)
        return getattr(self.make, "moves", DEFAULT_MOVES)

    def config_for(self, config: BoardConfig) -> BoardConfig:
        """Returns the configuration with those moves."""
        return replace(config, moves=self.moves_on(config))

    def __call__(self, config: BoardConfig, seed: int = 0) -> Policy:
        """Makes the policy for a configuration, and resets it with `seed`.

        Raises:
            ValueError: an option or the board is not allowed; the message names the allowed values.
        """
        policy = self.make(config, **self.options)
        # Messages name the policy as its user does.
        policy.name = self.name  # type: ignore[attr-defined]
        policy.reset(seed)
        return policy
