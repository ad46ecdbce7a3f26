"""Policy of a plain function of one observation."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from baselines.adapters.board import BoardPolicy
from baselines.adapters.choice import random_legal
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
