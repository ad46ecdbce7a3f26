"""Dynamic programme that counts mine layouts and computes exact posteriors; see docs/studies/inference.md."""
