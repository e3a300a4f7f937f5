"""Measures how far the engine is from the truth and writes docs/validation.md: `python -m validation`.

One module per subject, each with `run(say) -> Study`. The truth is a closed form where there is one, else a
converged solution found by other means or with far smaller steps; every study says which.
"""
