"""Floor 6, the facade: opens stores, calls the rooms below, and does all the writing."""
