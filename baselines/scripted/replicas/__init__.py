"""Replicas of published players, faults included; README.md names the sources and the faults."""
