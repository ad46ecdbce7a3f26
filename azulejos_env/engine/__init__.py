"""Internal: rules of the game as compiled kernels."""
