"""Trackers of experiments.

A tracker receives the settings and every row of the log. A resumed training continues its run.
"""
