"""Texts of the game in English and Spanish, one folder per language, one module per part of the game."""
