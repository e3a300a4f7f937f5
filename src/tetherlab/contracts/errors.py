"""What tetherlab raises when a user can act on it."""


class InputError(ValueError):
    """Something the user gave is wrong; the message says where, what, and what is allowed."""


class SimulationError(RuntimeError):
    """A run cannot go on; the message says why. What was computed so far is kept."""
