"""Sweeps: search for hyperparameters by many trainings on Ray Tune."""
