"""Work of commands on several processes, clusters and shards."""
