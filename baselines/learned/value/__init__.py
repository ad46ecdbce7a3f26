"""The `value` agent: the oracle's mine probabilities, and a network that values boards."""
