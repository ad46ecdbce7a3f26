"""Agents of run folders, checked and described for others."""
