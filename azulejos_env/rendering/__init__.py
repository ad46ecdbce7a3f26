"""Internal: drawing of positions as text, as pictures and in a window."""
