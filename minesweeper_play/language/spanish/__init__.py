"""Spanish texts."""
