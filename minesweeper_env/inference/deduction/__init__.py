"""Step-by-step logical deduction with reasons."""
