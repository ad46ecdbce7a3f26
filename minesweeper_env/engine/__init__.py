"""Compiled rules of the game, on batches of boards. Internal: `MinesweeperVectorEnv` plays many games at once."""
