"""Commands of the second game, Azulejos."""
