"""Benchmark: result files of the frozen protocol, their checks, and the leaderboard that is made from them."""
