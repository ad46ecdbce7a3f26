"""Factory of a policy: its class and its options, without a board."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from baselines.entries.factory import EntryFactory
from baselines.policy import DEFAULT_MOVES, Policy
from minesweeper_env.config import BoardConfig


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
