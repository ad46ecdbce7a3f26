"""Pictures of games that policies played, move by move."""
