"""The coach: boards as text, analysis of positions, reviews of games."""
