"""Floor 4: the append-only truth."""
