"""English texts."""
