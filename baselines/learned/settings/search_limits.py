"""Default limits of the search of `value`."""

LAYOUTS = 4000
"""Maximum number of layouts at which the end of a game is searched exactly."""

NODES = 100_000
"""Maximum number of sets of layouts that the exact search examines; after it, the best click so far is taken."""

SLACK = 0.12
"""Excess over the least risk up to which a click is rated."""

BREADTH = 8
"""Maximum number of rated clicks; the least risky ones are rated."""

GUESSES = ("auto", "network", "lookahead")
"""The choices of who weighs the guesses of `value`."""

NEAR = 2.0
"""Most cells of a board on which "auto" trusts the network of `value`, as a multiple of its largest training board."""

GUESS_SLACK = 0.3
"""Excess over the least risk up to which `afterstate` weighs a click, on boards of at most 64 cells."""

GUESS_BREADTH = 20
"""Maximum number of clicks that `afterstate` weighs."""

SURE = 0.95
"""Safety from which `afterstate` clicks a cell without weighing others."""
