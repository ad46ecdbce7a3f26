"""How far `value` looks at play, unless told otherwise."""

LAYOUTS = 4000
"""The most layouts of the end of a game that is searched exactly."""

NODES = 100_000
"""The sets of layouts that such a search examines before it takes the best it has found."""

SLACK = 0.12
"""How much more than the least risk a click may have to be weighed."""

BREADTH = 8
"""The most clicks that are weighed, those of least risk."""
