"""Floor 3, pure: what may be written."""
