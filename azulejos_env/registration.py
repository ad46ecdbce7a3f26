"""Registration of the environment id."""

from __future__ import annotations

__all__ = ["ENV_ID", "register_envs"]

ENV_ID = "Azulejos-v0"
"""The registered id."""


def register_envs() -> None:
    """Registers the id unless it is in Gymnasium's registry."""
    from gymnasium.envs.registration import register, registry

    if ENV_ID not in registry:
        register(
            id=ENV_ID,
            entry_point="azulejos_env.env:AzulejosEnv",
            vector_entry_point="azulejos_env.vector_env:AzulejosVectorEnv",
            # The environments themselves raise ResetNeeded.
            order_enforce=False,
        )
