"""`play.py --window`: the game in a window, with mouse and keyboard."""
