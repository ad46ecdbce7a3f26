"""Parts that several learning algorithms use."""
