"""Floor 3, pure: what holds, what contradicts, what stands."""
