"""Numba leaves: arithmetic that no other room repeats."""
