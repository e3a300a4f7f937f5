"""From a scene to a run: the room that knows all others by name."""
