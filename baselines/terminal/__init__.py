"""Output on terminals, drawn by rich: tables that fit their width, and displays that are drawn again."""
