"""Dynamic programme that counts mine layouts and computes exact posteriors; docs/inference.md states the method."""
