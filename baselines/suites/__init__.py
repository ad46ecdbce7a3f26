"""Suites: policies on boards, played in units that survive an interruption, and analysed after the games."""
