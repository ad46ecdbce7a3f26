"""Internal: window in which a person plays the machine."""
