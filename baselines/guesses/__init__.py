"""Comparison of rules for guesses: by paired playouts, on every layout of tiny boards, and by exact values.

`benchmarks/guesses.py` is the command; benchmarks/README.md describes it.
"""
