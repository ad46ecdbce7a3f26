"""Suites: policies on boards, played in units that survive an interruption, and the analysis apart from the games."""
