"""Internal: the command line."""
