"""DQN with action masks."""
