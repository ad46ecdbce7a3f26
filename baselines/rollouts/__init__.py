"""Games that are played on from given positions, and what they tell about clicks."""
