"""Language models: a policy behind a chat server, and environments of the libraries that train and test models."""
