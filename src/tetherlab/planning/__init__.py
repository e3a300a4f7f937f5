"""What a team of robots is to do, found by search: automata, tethers among obstacles, plans."""
