"""Floor 5: the right few things, with their reasons."""
