"""Work of commands on several processes and clusters."""
