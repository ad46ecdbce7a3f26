"""Policies whose guess is fitted to practice games of random clicks, after Antimatroid (2012)."""
