"""Settings and hyperparameters of a training."""
