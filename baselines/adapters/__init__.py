"""Adapters that let agents from other libraries, networks and plain functions play as policies.

Each adapter is a `baselines.policy.Policy` for one board. PyTorch and Stable-Baselines3 are imported only by the
adapter that needs them. Nothing here loads a file: a Stable-Baselines3 ``.zip`` holds pickled code, so only code of
your own should open one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from minesweeper_env.lazy import lazy_exports

if TYPE_CHECKING:
    from baselines.adapters.function import FunctionPolicy, PredictPolicy
    from baselines.adapters.sb3 import SB3Policy
    from baselines.adapters.torch_network import TorchPolicy

__all__ = ["FunctionPolicy", "PredictPolicy", "SB3Policy", "TorchPolicy"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "FunctionPolicy": "baselines.adapters.function",
        "PredictPolicy": "baselines.adapters.function",
        "SB3Policy": "baselines.adapters.sb3",
        "TorchPolicy": "baselines.adapters.torch_network",
    },
)
