"""Internal: the search behind `azulejos_env.search`."""
