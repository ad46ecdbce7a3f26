"""Default limits of the search of `afterstate`."""

GUESS_SLACK = 0.3
"""Excess over the least risk up to which `afterstate` weighs a click, on boards of at most 64 cells."""

GUESS_BREADTH = 20
"""Maximum number of clicks that `afterstate` weighs."""

SURE = 0.95
"""Safety from which `afterstate` clicks a cell without weighing others."""
