"""Policy of a user, with the checks and the error messages of the policies of this package."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.entries.errors import own_code
from baselines.policy import PolicyError
from baselines.support.act_inputs import checked_act
from minesweeper_env.config import BoardConfig, whole_number

METHODS = ("act", "reset", "finishes")
"""The methods that an object of the user may have; `act` is required."""


class EntryPolicy:
    """Plays as an object of the user does. `batch_size` and `finishes` exist if the object has them.

    Attributes:
        name: the specification.
        config: the games.
        policy: the object of the user.
    """

    def __init__(self, policy: Any, name: str, config: BoardConfig) -> None:
        """Wraps an object that has `act`.

        Raises:
            PolicyError: an attribute of the object does not keep the protocol.
        """
        self.policy, self.name, self.config = policy, name, config
        with own_code(name):
            found = {attribute: getattr(policy, attribute, None) for attribute in (*METHODS, "batch_size")}
        for method in METHODS:
            if found[method] is not None and not callable(found[method]):
                raise PolicyError(f"{name}: {method} must be a method, not {found[method]!r}")
        if found["batch_size"] is not None:
            try:
                self.batch_size = whole_number("batch_size", found["batch_size"], 1)
            except ValueError as error:
                raise PolicyError(f"{name}: {error}") from error
        if found["finishes"] is not None:
            self.finishes = self._finishes

    @property
    def counters(self) -> dict[str, int]:
        """The counters of the object; empty if it has none."""
        with own_code(self.name):
            return {str(name): operator.index(total) for name, total in getattr(self.policy, "counters", {}).items()}

    def reset(self, seed: int) -> None:
        """Resets the object if it has `reset`."""
        reset = getattr(self.policy, "reset", None)
        if reset is not None:
            with own_code(self.name, reset):
                reset(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Returns the actions of the object as (N,) int64; it may return N whole numbers of any type.

        Raises:
            OwnCodeError: the object raised an exception.
            PolicyError: the object returned something else.
        """
        with own_code(self.name, self.policy.act):
            answer = self.policy.act(observations, action_masks)
            actions = np.asarray(answer)
        if actions.shape != (len(observations),) or actions.dtype.kind not in "iu":
            found = f"{actions.dtype} {actions.shape}" if actions.dtype.kind != "O" else type(answer).__name__
            raise PolicyError(
                f"{self.name}: act must return one whole number for each of {len(observations)} games, shape "
                f"({len(observations)},), not {found}"
            )
        return actions.astype(np.int64)

    def _finishes(self, board: NDArray[np.int8]) -> bool:
        with own_code(self.name, self.policy.finishes):
            return bool(self.policy.finishes(board))
