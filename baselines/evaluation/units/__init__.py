"""Units of play, which every executor can carry out: what they are, their order, and the loop that hands them out."""
