"""Policies of a plain function, and of an agent with a method `predict`, one observation at a time."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.adapters.base import BoardPolicy, random_legal
from baselines.policy import DEFAULT_MOVES, PolicyError
from baselines.support.act_inputs import checked_act
from baselines.support.checks import one_of
from minesweeper_env.observations import Encoder

ILLEGAL = ("error", "random")


class FunctionPolicy(BoardPolicy):
    """Calls a function with each board, one at a time.

    The function may have a method `reset(seed)`, which is called before each batch of games.

    Example:
        >>> def first_covered(observation, action_mask):
        ...     return action_mask.argmax()
        >>> policy = FunctionPolicy(first_covered, size=8, mines=14)
    """

    def __init__(
        self,
        function: Callable[[NDArray[Any], NDArray[np.int8]], Any],
        size: int | Sequence[int],
        mines: int | None = None,
        first_click: str = "opening",
        *,
        moves: Sequence[str] = DEFAULT_MOVES,
        observation: str = "codes",
        illegal: str = "error",
    ) -> None:
        """Stores the function and calls it once, with an empty board.

        Args:
            function: called with an observation of one board and its mask (actions,) int8, 1 for each legal action;
                returns an action, a whole number.
            size: side of a square board, or (rows, cols).
            mines: number of mines; None follows the size.
            first_click: "opening", "safe", "any" or "corners".
            moves: the moves of the actions.
            observation: encoding of the observation: "codes", "planes" or "flat".
            illegal: what happens when the function returns an illegal action: "error" ends the evaluation, "random"
                plays a uniformly random legal action instead.

        Raises:
            PolicyError: the function does not return an action of the board.
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        if not callable(function):
            raise ValueError(f"a function of (observation, action_mask) is needed, not {type(function).__name__}")
        super().__init__(getattr(function, "__name__", type(function).__name__), size, mines, first_click, moves)
        self._function = function
        self._encoder = Encoder(observation, self.config)
        self._illegal = one_of("illegal", illegal, ILLEGAL)
        self.reset(0)
        self._answer(self.empty_board()[0], np.ones(self.config.actions, np.bool_))

    def reset(self, seed: int) -> None:
        """Seeds the random actions, and the function if it has a method `reset`; see `baselines.policy.Policy`."""
        self._rng = np.random.default_rng(seed)
        reset = getattr(self._function, "reset", None)
        if callable(reset):
            reset(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one action per board; see `baselines.policy.Policy.act`.

        Raises:
            PolicyError: the function returned an illegal action, or none.
            ValueError: the boards or the masks have another shape or type.
        """
        masks = self.legal(action_masks)
        answers = [self._answer(board, mask) for board, mask in zip(observations, masks, strict=True)]
        actions = np.array(answers, np.int64)
        illegal = ~masks[np.arange(len(masks)), actions]
        if illegal.any() and self._illegal == "error":
            raise PolicyError(
                f"{self.name} chose action {actions[illegal][0]}, which its mask forbids; "
                'illegal="random" plays a random legal action instead'
            )
        actions[illegal] = random_legal(masks[illegal], self._rng)
        return actions

    def _answer(self, board: NDArray[np.int8], mask: NDArray[np.bool_]) -> int:
        observation = self._encoder.encode(board[None])[0]
        found = self._function(observation, mask.astype(np.int8))
        try:
            action = operator.index(found.item() if isinstance(found, np.ndarray) and found.size == 1 else found)
        except TypeError:
            action = -1
        if isinstance(found, bool) or not 0 <= action < self.config.actions:
            raise PolicyError(
                f"{self.name} returned {found!r} for a board; it must return an action, "
                f"0 to {self.config.actions - 1} on {self.board}"
            )
        return action


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
