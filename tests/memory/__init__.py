"""Tests of the facade."""
