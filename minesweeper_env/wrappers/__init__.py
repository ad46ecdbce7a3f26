"""Gymnasium wrappers for single and vector environments. The modules of the package are internal."""

from minesweeper_env.wrappers.action_mask import ActionMaskObservation
from minesweeper_env.wrappers.mine_probabilities import MineProbabilities, VectorMineProbabilities

__all__ = ["ActionMaskObservation", "MineProbabilities", "VectorMineProbabilities"]
