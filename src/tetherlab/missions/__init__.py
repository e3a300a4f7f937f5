"""Missions on board: tasks that look at readings of sensors and command the vehicle through a `Commander`."""
