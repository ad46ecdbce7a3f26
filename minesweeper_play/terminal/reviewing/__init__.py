"""The coach's review of a game on the screen."""
