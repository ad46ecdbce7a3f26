"""The commands of `evaluate.py`, `train.py` and `python -m baselines`."""
