"""Step-by-step logical deduction with reasons. Internal: import from `minesweeper_env.inference`."""
