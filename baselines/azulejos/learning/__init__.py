"""Agents that learn Azulejos by masked PPO against a mix of opponents."""
