"""Random, greedy and minimax policies, and the lookup of a policy by its name."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from azulejos_env.position import Position
from azulejos_env.search import check_limits, search

__all__ = ["POLICIES", "GreedyPolicy", "MinimaxPolicy", "Policy", "RandomPolicy", "find_policy"]


class Policy(Protocol):
    """Anything that chooses moves."""

    def reset(self, seed: int) -> None:  # noqa: ARG002 - a policy that draws nothing inherits it
        """Begins a game; the moves of a policy depend on the seed and the positions alone."""
        return

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the (row, col) of a tile of the group to remove; the game is not over."""


class RandomPolicy(Policy):
    """Removes a group drawn uniformly; `reset` seeds it."""

    def reset(self, seed: int) -> None:
        """Seeds the moves of a game."""
        self._generator = np.random.default_rng(seed)

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of a random group."""
        return position.groups[self._generator.integers(len(position.groups))][:2]


class GreedyPolicy(Policy):
    """Removes the group that adds most to the player's score; of equal groups the first in reading order."""

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of that group."""
        # A group that clears the board, and so earns the bonus, is the only one.
        points = position.config.rules.points
        return max(position.groups, key=lambda group: int(points[group.size]))[:2]


class MinimaxPolicy(Policy):
    """Makes the move of a search within limits."""

    def __init__(
        self, depth: int | None = None, seconds: float | None = None, nodes: int | None = None, prune: bool = True
    ) -> None:
        """Sets the arguments of `search`; without any limit, it looks 4 moves ahead."""
        depth = 4 if depth is seconds is nodes is None else depth
        check_limits(depth, seconds, nodes)
        self._arguments: dict[str, Any] = {"depth": depth, "seconds": seconds, "nodes": nodes, "prune": bool(prune)}

    def choose(self, position: Position) -> tuple[int, int]:
        """Returns the first cell of the group to remove."""
        move = search(position, **self._arguments).move
        assert move is not None
        return move


POLICIES: dict[str, Callable[..., Policy]] = {"random": RandomPolicy, "greedy": GreedyPolicy, "minimax": MinimaxPolicy}
"""The policies by name."""

_FORM = "options are NAME=NUMBER, as in 'minimax:depth=2,nodes=5000'"


def find_policy(policy: str | Policy) -> Policy:
    """Returns a policy object as it is, or the policy of a name such as "minimax:depth=2,nodes=5000".

    Raises:
        ValueError: there is no such policy or option.
    """
    if not isinstance(policy, (str, type)) and all(callable(getattr(policy, key, None)) for key in ("choose", "reset")):
        return policy
    name, _, text = str(policy).partition(":")
    if name not in POLICIES:
        rule = f"a policy must be one of {', '.join(POLICIES)}, or an object with choose and reset"
        raise ValueError(f"{rule}, not {policy!r}; {_FORM}")
    pairs = [part.partition("=") for part in text.split(",") if part]
    try:
        options = {key: float(value) if "." in value else int(value) for key, _, value in pairs}
        if len(options) < len(pairs):
            raise ValueError("an option is given once")
        return POLICIES[name](**options)
    except (TypeError, ValueError) as error:
        raise ValueError(f"policy {policy!r}: {error}; {_FORM}") from error
