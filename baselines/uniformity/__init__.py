"""Do the mines lie as the first-click rules claim? Samples from the engine, tests of them, and plots."""
