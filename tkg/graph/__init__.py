"""Floor 4: the graph projection."""
