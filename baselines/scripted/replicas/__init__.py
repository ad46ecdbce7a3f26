"""Faithful replicas of published players, faults included."""
