"""The commands `evaluate.py` and `train.py`."""
