"""Measurements: `python -m benchmarks` lists them, `python -m benchmarks NAME …` runs some; CONTRIBUTING says how.

Not part of the package. Every time is printed beside what it is a multiple of, measured in the same run, and a target
that is missed is said to be missed.
"""
