"""Output on terminals: tables that fit their width, and lines that are drawn again."""
