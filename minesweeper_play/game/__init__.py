"""Logic of the game, without a user interface: moves, hints, the clock, saved games, figures and statistics."""
