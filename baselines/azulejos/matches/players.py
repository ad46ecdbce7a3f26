"""Players of matches: policies that choose moves in many games at once, whose moves are checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine import batches
from azulejos_env.engine.games import Games
from azulejos_env.position import Position
from baselines.entries.policy import own_code
from baselines.evaluation.seeds import derived_seed
from baselines.policy import PolicyError

Cells = NDArray[np.int64]


class Player(Protocol):
    """A policy that moves in the chosen ones of some games."""

    @property
    def in_batches(self) -> bool:
        """True if one call chooses the moves of many games."""

    def begin(self, seed: int) -> None:
        """Begins a batch of games; the moves depend on the seed and the games alone."""

    def __call__(self, games: Games, chosen: Cells) -> Cells:
        """Returns the actions of the players to move in the `chosen` games, (K,) int64 each, first cells of groups."""


@dataclass(frozen=True)
class CompiledPlayer:
    """A compiled policy; its random moves come from the generator of each game.

    Attributes:
        kind: RANDOM or GREEDY of `azulejos_env.engine.batches`.
    """

    kind: int
    in_batches = True

    def begin(self, seed: int) -> None:
        """Does nothing: each game has its own generator."""

    def __call__(self, games: Games, chosen: Cells) -> Cells:
        """Returns the actions; see `Player`."""
        return games.choose_actions(self.kind, chosen)


class OwnPlayer:
    """A policy object, which chooses one move at a time with `choose`, or many at once with `act`."""

    def __init__(self, name: str, policy: Any) -> None:
        """Wraps a policy.

        Args:
            name: its name in messages.
            policy: an object with `choose(position)`, or with `act(boards, scores)`, which goes before; perhaps with
                `reset(seed)`.
        """
        self.name, self.policy = name, policy
        self._act = getattr(policy, "act", None)

    @property
    def in_batches(self) -> bool:
        """True if the policy has `act`."""
        return self._act is not None

    def begin(self, seed: int) -> None:
        """Resets the policy."""
        reset = getattr(self.policy, "reset", None)
        if reset is not None:
            with own_code(self.name, reset):
                reset(seed)

    def __call__(self, games: Games, chosen: Cells) -> Cells:
        """Returns the actions; see `Player`.

        Raises:
            PolicyError: the policy chose something else than a tile of a group, or its code failed.
        """
        boards, scores = games.boards()[chosen], _scores_of_movers(games, chosen)
        if self._act is None:
            turns = games.batch.progress[chosen, batches.TURN]
            cells = [
                self._choose(games, game, _position(games, board, pair, turn))
                for game, board, pair, turn in zip(
                    chosen.tolist(), boards, scores.tolist(), turns.tolist(), strict=True
                )
            ]
            return np.array(cells, np.int64)
        with own_code(self.name, self._act):
            answer = np.asarray(self._act(boards, scores))
        if answer.shape != (len(chosen),) or answer.dtype.kind not in "iu":
            raise PolicyError(
                f"{self.name}: act must return one whole number for each of {len(chosen)} positions, shape "
                f"({len(chosen)},), not {answer.dtype} {answer.shape}"
            )
        return self._checked(games, answer.astype(np.int64), chosen)

    def _choose(self, games: Games, game: int, position: Position) -> int:
        """Returns the action of a policy that sees one position, after a reset with a seed of this game and turn."""
        progress = games.batch.progress[game]
        self.begin(derived_seed(int(games.batch.rng[game]), int(progress[batches.STEPS]), int(progress[batches.TURN])))
        with own_code(self.name, self.policy.choose):
            answer = self.policy.choose(position)
        try:
            row, col = answer
            return position.first_cell(int(row), int(col))
        except (TypeError, ValueError) as error:
            raise PolicyError(
                f"{self.name}: choose must return the (row, col) of a tile of a group: {error}"
            ) from error

    def _checked(self, games: Games, actions: Cells, chosen: Cells) -> Cells:
        """Returns the actions of `act`; raises a PolicyError unless each is the first cell of a group."""
        legal = games.show()[1][chosen]
        inside = (actions >= 0) & (actions < legal.shape[1])
        wrong = ~inside | (legal[np.arange(len(actions)), np.where(inside, actions, 0)] == 0)
        if wrong.any():
            raise PolicyError(f"{self.name}: act chose {actions[wrong][0]}, which is not the first cell of a group")
        return actions


def _scores_of_movers(games: Games, chosen: Cells) -> NDArray[np.int64]:
    """Returns (K, 2) int64, the score of the player to move in each game and that of the other."""
    turn = games.batch.progress[chosen, batches.TURN]
    return np.take_along_axis(games.batch.scores[chosen], np.stack([turn, 1 - turn], axis=1), axis=1)


def _position(games: Games, board: NDArray[np.int8], scores: tuple[int, int], player: int) -> Position:
    """Returns a position from the scores of the player to move and of the other."""
    own, other = scores
    return Position(games.config, board, (own, other) if player == 0 else (other, own), player)
