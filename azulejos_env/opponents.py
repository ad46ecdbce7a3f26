"""Opponents of the environments: compiled ones, and policies that are asked for their moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from azulejos_env.engine import batches
from azulejos_env.engine.games import Games
from azulejos_env.policies import POLICIES, Policy, make_policy
from azulejos_env.position import Position

__all__ = ["Opponent", "find_opponent"]

_COMPILED = {"random": batches.RANDOM, "greedy": batches.GREEDY}


@dataclass(frozen=True)
class Opponent:
    """An opponent.

    Attributes:
        kind: ALONE, RANDOM, GREEDY or ASKED of `engine.batches`.
        policy: the policy to ask, only with ASKED.
    """

    kind: int
    policy: Policy | None = None

    def __call__(self, games: Games, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Asks the policy for the moves of the chosen games.

        A policy with the method `act` of `policies.BatchPolicy` moves in all games at once. Any other policy chooses a
        move for one game at a time, and `reset` with a seed of the game precedes each move.

        Returns:
            (K,) int64, the actions: the first cells of the groups.

        Raises:
            ValueError: the policy chooses a cell without a group.
        """
        assert self.policy is not None
        act = getattr(self.policy, "act", None)
        if act is not None:
            return _act(act, games, chosen)
        actions = []
        boards, progress = games.boards(), games.batch.progress
        for game in chosen.tolist():
            scores, turn = games.batch.scores[game], int(progress[game, batches.TURN])
            position = Position(games.config, boards[game], (int(scores[0]), int(scores[1])), turn)
            self.policy.reset(int(progress[game, batches.SEED]))
            row, col = self.policy.choose(position)
            try:
                actions.append(position.first_cell(row, col))
            except ValueError as error:
                raise ValueError(f"the opponent chose ({row},{col}): {error}") from error
        return np.array(actions, np.int64)


def _act(act: Callable[..., Any], games: Games, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
    """Returns the actions of a policy that plays many games at once, by its method `act`."""
    # The opponents are to move, so their scores come first.
    actions = np.asarray(act(games.boards()[chosen], games.scores()[chosen, ::-1]), np.int64)
    legal = games.show()[1][chosen]
    for i, action in enumerate(actions.tolist()):
        if not (0 <= action < legal.shape[1] and legal[i, action]):
            raise ValueError(f"the opponent chose action {action}, which is not the first cell of a group")
    return actions


def find_opponent(opponent: Any) -> Opponent:
    """Returns an opponent.

    Args:
        opponent: None for a game alone; a `Policy`; or the name of one, which may be followed by options, as in
            "minimax:depth=2,nodes=5000".

    Raises:
        ValueError: there is no such policy or option.
    """
    if opponent is None:
        return Opponent(batches.ALONE)
    if not isinstance(opponent, str):
        if not (callable(getattr(opponent, "choose", None)) and callable(getattr(opponent, "reset", None))):
            raise ValueError(f"opponent must be {_ALLOWED}, not {opponent!r}")
        return Opponent(batches.ASKED, opponent)
    if opponent in _COMPILED:
        return Opponent(_COMPILED[opponent])
    name, _, text = opponent.partition(":")
    if name not in POLICIES:
        raise ValueError(f"opponent must be {_ALLOWED}, not {opponent!r}")
    try:
        policy = make_policy(name, **_options(text))
    except TypeError as error:
        raise ValueError(f"opponent {opponent!r} has an unknown option: {error}") from error
    return Opponent(batches.ASKED, policy)


_ALLOWED = (
    f"None, one of {', '.join(POLICIES)} with options as in 'minimax:depth=2', or an object with choose and reset"
)


def _options(text: str) -> dict[str, float]:
    """Returns the options of "depth=2,seconds=0.5"."""
    options: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            options[name] = float(value) if "." in value else int(value)
        except ValueError as error:
            raise ValueError(f"an option of an opponent must be NAME=NUMBER, as in 'depth=2', not {part!r}") from error
    return options
