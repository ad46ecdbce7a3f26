"""Size of a network; this module imports no PyTorch, so that settings can be read without it."""

from __future__ import annotations

from dataclasses import dataclass

from minesweeper_env.config import BoardConfig, whole_number

MAX_CHANNELS, MAX_DEPTH = 1024, 64
PRECISIONS = ("float32", "bfloat16")
"""Number formats of the convolutions."""


@dataclass(frozen=True)
class NetworkSize:
    """Size of a network.

    Attributes:
        channels: features per cell.
        depth: number of times the residual block is applied; each has two 3x3 convolutions and a global pooling.

    Raises:
        ValueError: a field is out of range; the message names the allowed values.
    """

    channels: int = 32
    depth: int = 6

    def __post_init__(self) -> None:
        """Checks the fields."""
        for name, value, most in (("channels", self.channels, MAX_CHANNELS), ("depth", self.depth, MAX_DEPTH)):
            if whole_number(name, value, 1) > most:
                raise ValueError(f"{name} must be 1 to {most}, not {value}")


def check_radius(config: BoardConfig) -> None:
    """Raises ValueError for a board of another radius than 1."""
    if config.radius != 1:
        raise ValueError(f"a learned agent plays boards of radius 1, not {config.radius}")
