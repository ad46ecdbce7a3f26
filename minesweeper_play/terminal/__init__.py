"""The full-screen game, watching and the web page, in a terminal (Textual)."""
