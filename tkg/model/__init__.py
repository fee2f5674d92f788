"""Frozen values shared by every room above: no behaviour beyond checking and interval arithmetic."""
