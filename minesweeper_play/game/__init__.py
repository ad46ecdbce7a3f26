"""The played game without any screen: moves, hints, the clock, saved games, figures and statistics."""
