"""The `value` agent: the oracle's mine probabilities, and a network that says what a risk is worth taking for."""
