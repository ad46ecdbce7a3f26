"""Afterstate learning: one network rates safety, counts and worth, and a search one or two clicks ahead uses them."""
