"""The command line of `play.py`."""
