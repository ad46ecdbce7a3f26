"""Network of the learned agents: input planes, tower, heads, precision, symmetries, masks."""
