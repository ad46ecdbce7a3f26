"""Agents on the Hugging Face hub: their names, their download into the client's cache, and their upload."""
