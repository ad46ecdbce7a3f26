"""Training runs: learner, checkpoints, evaluation, curves."""
