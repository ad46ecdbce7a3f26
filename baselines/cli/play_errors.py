"""Errors that end play."""

from __future__ import annotations

from baselines.evaluation.workers import WorkerError
from baselines.policy import PolicyError
from baselines.suites.parts import DamagedPartError
from minesweeper_env.inference import PositionTooHardError

PLAY_ERRORS = (OSError, PolicyError, PositionTooHardError, WorkerError, DamagedPartError)
"""Errors that end play: an unwritable file, a broken policy, a position that is too hard, a killed worker, or damaged
files of games."""
