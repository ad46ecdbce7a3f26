"""The screen on which a person plays, and what works behind it."""
