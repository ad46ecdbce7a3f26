"""Shards: parts of a suite or of a study of seeds that are computed apart, and the checks before they are merged."""
