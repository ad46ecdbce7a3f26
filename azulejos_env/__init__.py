"""Azulejos for reinforcement learning: a two-player game of falling tiles, its environments, and its minimax."""
