"""Policy of an agent with a method `predict`, one observation at a time."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.adapters.function import FunctionPolicy

MASK_NAMES = ("action_masks", "action_mask", "mask")


class PredictPolicy(FunctionPolicy):
    """Calls `agent.predict(observation)` with each board, one at a time.

    `predict` returns an action, or a tuple that begins with one, such as the (action, state) of Stable-Baselines3. If
    it has a parameter `action_masks`, `action_mask` or `mask`, it also receives the mask, (actions,) int8.
    """

    def __init__(
        self,
        agent: Any,
        size: int | Sequence[int],
        mines: int | None = None,
        first_click: str = "opening",
        **options: Any,
    ) -> None:
        """Stores the agent and lets it predict once, for an empty board.

        Args:
            agent: an object with a method `predict`; a method `reset(seed)` is called before each batch of games.
            size: side of a square board, or (rows, cols).
            mines: number of mines; None follows the size.
            first_click: "opening", "safe", "any" or "corners".
            **options: `moves`, `observation` and `illegal`, as `FunctionPolicy` takes them.

        Raises:
            PolicyError: `predict` does not return an action of the board.
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        if not callable(getattr(agent, "predict", None)):
            raise ValueError(f"an agent with a method predict is needed, not {type(agent).__name__}")
        super().__init__(_Predict(agent), size, mines, first_click, **options)


class _Predict:
    """Calls the `predict` of an agent as a function of (observation, action_mask)."""

    def __init__(self, agent: Any) -> None:
        self.__name__ = type(agent).__name__
        self._predict = agent.predict
        self._mask_name = _mask_name(agent.predict)
        self.reset = getattr(agent, "reset", None)

    def __call__(self, observation: NDArray[Any], action_mask: NDArray[np.int8]) -> Any:
        masks = {} if self._mask_name is None else {self._mask_name: action_mask}
        found = self._predict(observation, **masks)
        return found[0] if isinstance(found, tuple) else found


def _mask_name(predict: Any) -> str | None:
    """Returns the parameter of `predict` that takes the mask, or None if there is none."""
    try:
        parameters = inspect.signature(predict).parameters
    except (TypeError, ValueError):
        return None
    return next((name for name in MASK_NAMES if name in parameters), None)
