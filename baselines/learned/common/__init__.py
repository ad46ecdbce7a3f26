"""Building blocks that the learning algorithms share."""
