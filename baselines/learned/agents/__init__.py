"""Storage and play of trained agents."""
