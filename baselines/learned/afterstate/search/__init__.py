"""Search one click ahead at a guess, with what the network learned."""
