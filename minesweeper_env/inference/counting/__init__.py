"""Dynamic programme that counts mine layouts and computes exact posteriors.

Internal: import from `minesweeper_env.inference`.
"""
