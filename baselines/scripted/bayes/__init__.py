"""Bayesian-network policy, built on pgmpy."""
