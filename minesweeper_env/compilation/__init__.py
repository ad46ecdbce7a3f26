"""Compilation of kernels: how numba links them, and what a user sees while it lasts."""
