"""Bayesian-network policy after Antolín & de la Torre (2018), with exact inference by pgmpy or the compiled oracle."""
