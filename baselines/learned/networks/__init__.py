"""Networks that rate the cells of a board."""
