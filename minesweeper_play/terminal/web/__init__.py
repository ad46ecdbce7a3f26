"""The terminal game in a web page."""
