"""What a team of robots is to do, found by search: automata, tethers among obstacles, plans."""

from tetherlab.planning import automata, cooperative, homotopy

__all__ = ["automata", "cooperative", "homotopy"]
