"""PPO with action masks."""
