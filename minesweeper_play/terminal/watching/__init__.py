"""Watching policies play: games in the engine, ratings of cells, and the screen."""
