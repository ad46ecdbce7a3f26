"""Agents that learn from play: one network for every board, PPO and DQN to train it."""
