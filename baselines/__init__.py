"""Players of Minesweeper, scripted and learned, and the evaluation that scores them on the same games."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from baselines.policy import Policy
    from baselines.registry import make_policy, policy_names

__all__ = ["Policy", "make_policy", "policy_names"]


def __getattr__(name: str) -> Any:
    """Loads the public names when they are first asked for."""
    if name == "Policy":
        from baselines.policy import Policy

        return Policy
    if name in __all__:
        from baselines import registry

        return getattr(registry, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
