"""Floor 4: the text index projection."""
