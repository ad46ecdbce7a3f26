"""`baselines.evaluate`: policies of any kind, scored and compared in one call."""
