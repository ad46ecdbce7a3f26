"""Tests that mines lie as the first-click rules claim: samples from the engine, hypotheses and plots."""
