"""Estimates of the memory and disk space of a training, checked before it starts."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from baselines.learned.networks.board import BoardPlanes
from baselines.learned.settings.hyperparameters import DQNHyperparameters, PPOHyperparameters
from baselines.learned.settings.training import TrainingSettings

GIGA, MEGA = 1e9, 1e6
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")

_FLOAT, _LONG = 4, 8
_WEIGHT_COPIES = 4
"""Copies of the weights in memory: the weights, their gradients, and the two moments of Adam."""


def check_resources(settings: TrainingSettings, folder: Path) -> None:
    """Checks that this machine has enough memory and disk space for a training.

    Args:
        settings: the settings of the training.
        folder: the run folder; it need not exist yet.

    Raises:
        ValueError: the training needs more memory than the machine has, or more disk space than is free.
    """
    check_memory(memory_needed(settings), "batch_size, buffer_size, envs, channels or board")
    needed, free = 2 * checkpoint_size(settings), _free_disk(folder)
    if needed > free:
        raise ValueError(
            f"the checkpoints need about {_amount(needed)} of disk, and {_amount(free)} are free for {folder}"
        )


def check_memory(needed: int, smaller: str) -> None:
    """Checks that this machine has `needed` bytes of memory.

    Args:
        needed: in bytes.
        smaller: what the user can choose smaller, such as "envs or board".

    Raises:
        ValueError: the machine has less.
    """
    there = machine_memory()
    if needed > there:
        raise ValueError(
            f"the training needs about {_amount(needed)} of memory, and this machine has {_amount(there)}; "
            f"choose a smaller {smaller}"
        )


def _amount(size: int) -> str:
    """Returns a number of bytes as text, such as "7.2 MB"."""
    return f"{size / GIGA:.1f} GB" if size >= GIGA else f"{size / MEGA:.1f} MB"


def memory_needed(settings: TrainingSettings) -> int:
    """Returns the approximate size of the buffers, the weights and the largest minibatch, in bytes."""
    own, layers = settings.hyperparameters, 3 * settings.depth + 4
    largest = 0
    for config in settings.configs:
        batch = settings.scaled(own.batch_size, config.cells)
        games = settings.scaled(settings.envs, config.cells)
        learning = batch * layers * settings.channels + batch * BoardPlanes.COUNT
        playing = games * (3 * settings.channels + BoardPlanes.COUNT)
        largest = max(largest, config.cells * _FLOAT * max(learning, playing))
    return _buffer_bytes(settings) + _WEIGHT_COPIES * _weight_bytes(settings) + largest


def checkpoint_size(settings: TrainingSettings) -> int:
    """Returns the approximate size of a checkpoint in bytes: the weights, their moments, and the replay buffers."""
    return _WEIGHT_COPIES * _weight_bytes(settings) + _memory_bytes(settings)


def _buffer_bytes(settings: TrainingSettings) -> int:
    """Returns the size of the replay buffers and of the rollouts of PPO, in bytes."""
    own, total = settings.hyperparameters, _memory_bytes(settings)
    if isinstance(own, PPOHyperparameters):
        for config in settings.configs:
            # A board and a mask of float32, twice while minibatches are made of them.
            total += own.n_steps * settings.scaled(settings.envs, config.cells) * 4 * _FLOAT * config.cells
    return total


def _memory_bytes(settings: TrainingSettings) -> int:
    """Returns the size of the replay buffers in bytes; an entry has two boards, a safety map and four numbers."""
    own = settings.hyperparameters
    if not isinstance(own, (DQNHyperparameters, PPOHyperparameters)):
        return 0
    return sum(own.buffer_size * (3 * config.cells + 2 * _LONG + 2 * _FLOAT) for config in settings.configs)


def _weight_bytes(settings: TrainingSettings) -> int:
    width = settings.channels
    convolutions = 9 * width * (BoardPlanes.COUNT + 2 * width)
    return _FLOAT * (convolutions + 2 * width * width)


def machine_memory() -> int:
    """Returns the memory of this machine in bytes, or the limit of its control group if that is lower."""
    installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 1 << 62
    try:
        return min(installed, int(CGROUP_LIMIT.read_text(encoding="ascii")))
    except (OSError, ValueError):
        return installed


def _free_disk(folder: Path) -> int:
    existing = folder.absolute()
    while not existing.exists():
        existing = existing.parent
    return shutil.disk_usage(existing).free
