"""Clusters of Ray: the connection, the checks of their nodes, and an executor on them (the extra `ray`)."""
