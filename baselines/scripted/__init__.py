"""Players by rule: each sees the board, deduces what it can, and guesses where nothing is certain."""
