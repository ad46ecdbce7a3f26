"""Pictures of games that policies played: animations move by move, and galleries of final boards."""
