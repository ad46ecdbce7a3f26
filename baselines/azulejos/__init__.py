"""Learning and matches of the second game, Azulejos."""
