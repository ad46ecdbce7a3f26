"""Base classes of the adapters: the board, the legal actions, and the choice by scores."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from baselines.policy import DEFAULT_MOVES, PolicyError
from baselines.support.act_inputs import checked_act
from baselines.support.board_names import size_name
from minesweeper_env.codes import MOVE_NAMES
from minesweeper_env.config import BoardConfig, parse_size, whole_number


class BoardPolicy:
    """A policy for one board; subclasses choose the actions.

    Attributes:
        name: name of the policy in tables.
        config: the board that the policy plays.
        moves: the moves of its actions, as `baselines.policy.Policy` describes.
    """

    def __init__(
        self, name: str, size: int | Sequence[int], mines: int | None, first_click: str, moves: Sequence[str]
    ) -> None:
        """Checks the board.

        Raises:
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        self.name = name
        self.config = BoardConfig.of_size(size, mines, first_click=first_click, moves=moves)
        self.moves = tuple(self.config.moves)

    def __repr__(self) -> str:
        """Returns the class, the name and the board."""
        return f"{type(self).__name__}({self.name}, {self.board})"

    @property
    def board(self) -> str:
        """The board in words, such as "8x8 with moves click"."""
        return f"{size_name(self.config.rows, self.config.cols)} with moves {', '.join(self.moves)}"

    def reset(self, seed: int) -> None:
        """Does nothing, since no choice is random.

        Args:
            seed: ignored.
        """

    def empty_board(self) -> NDArray[np.int8]:
        """Returns (1, rows, cols) int8, a board without an open cell."""
        return np.full((1, self.config.rows, self.config.cols), self.config.codes.hidden, np.int8)

    def legal(self, action_masks: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Returns the masks of the policy's own actions, (N, actions) bool; games may offer further moves."""
        return action_masks[:, : self.config.actions] != 0


def moves_of(actions: int, size: int | Sequence[int], moves: Sequence[str] | None, owner: str) -> tuple[str, ...]:
    """Returns the moves of an agent with a given number of actions.

    Args:
        actions: number of actions of the agent.
        size: side of a square board, or (rows, cols).
        moves: the moves; None finds them: click alone, click and flag, or all.
        owner: the agent in words, for the error.

    Raises:
        ValueError: the number of actions does not fit the board; the message names both.
    """
    rows, cols = parse_size(size)
    known = (DEFAULT_MOVES, ("click", "flag"), MOVE_NAMES)
    fitting = [each for each in known if actions == len(each) * rows * cols]
    chosen = tuple(moves) if moves is not None else (fitting or known)[0]
    if actions != len(chosen) * rows * cols:
        raise ValueError(
            f"{owner} has {actions} actions, but {size_name(rows, cols)} with moves {', '.join(chosen)} "
            f"has {len(chosen) * rows * cols}; set size= and moves= as in its training"
        )
    return chosen


def choose(
    name: str, scores: NDArray[np.floating], masks: NDArray[np.bool_], rng: np.random.Generator | None = None
) -> NDArray[np.int64]:
    """Returns one legal action per game, (N,) int64.

    Args:
        name: name of the policy, for the error.
        scores: (N, actions), logits or Q-values; the scores of illegal actions have no effect.
        masks: (N, actions) bool, True for each legal action.
        rng: samples an action with probability softmax(scores) among the legal ones, by the Gumbel-max trick; None
            takes the highest score, and of equal ones the first.

    Raises:
        PolicyError: the score of a legal action is not a number.
    """
    legal = scores[masks].astype(np.float64)
    if np.isnan(legal).any():
        raise PolicyError(f"{name} gives a legal action a score that is not a number (NaN)")
    if rng is not None:
        legal += rng.gumbel(size=legal.shape)
    # A legal action with score -inf still goes before the illegal ones.
    filled = np.full(scores.shape, -np.inf)
    filled[masks] = np.maximum(legal, np.finfo(np.float64).min)
    return filled.argmax(axis=1)


def random_legal(masks: NDArray[np.bool_], rng: np.random.Generator) -> NDArray[np.int64]:
    """Returns a uniformly random legal action per game, (N,) int64."""
    return np.where(masks, rng.random(masks.shape), -1.0).argmax(axis=1)


BATCH_SIZE = 500
"""Default number of games that an adapter of a network plays side by side."""


class ScoredPolicy(BoardPolicy, ABC):
    """Plays the legal action with the highest score, or samples one; subclasses rate the actions.

    Attributes:
        batch_size: number of games to play side by side.
    """

    def __init__(
        self,
        name: str,
        size: int | Sequence[int],
        mines: int | None,
        first_click: str,
        moves: Sequence[str],
        *,
        deterministic: bool,
        batch_size: int,
    ) -> None:
        """Checks the board and the batch size.

        Raises:
            ValueError: a value is not allowed; the message names the allowed ones.
        """
        super().__init__(name, size, mines, first_click, moves)
        self.batch_size = whole_number("batch_size", batch_size, 1)
        self._rng = None if deterministic else np.random.default_rng(0)

    def reset(self, seed: int) -> None:
        """Seeds the sampled actions; see `baselines.policy.Policy.reset`."""
        if self._rng is not None:
            self._rng = np.random.default_rng(seed)

    @checked_act
    def act(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int64]:
        """Chooses one action per board; see `baselines.policy.Policy.act`.

        Raises:
            PolicyError: the score of a legal action is not a number (NaN).
            ValueError: the boards or the masks have another shape or type.
        """
        masks = self.legal(action_masks)
        parts = [self._choose(observations[batch], masks[batch]) for batch in self._batches(len(masks))]
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    def _batches(self, count: int) -> Iterator[slice]:
        """Yields the slices of `count` boards that are rated together."""
        return (slice(start, start + self.batch_size) for start in range(0, count, self.batch_size))

    def _choose(self, boards: NDArray[np.int8], masks: NDArray[np.bool_]) -> NDArray[np.int64]:
        return choose(self.name, self._rate(boards, masks), masks, self._rng)

    @abstractmethod
    def _rate(self, boards: NDArray[np.int8], masks: NDArray[np.bool_], /) -> NDArray[np.floating]:
        """Returns the logits or Q-values, (N, actions)."""
