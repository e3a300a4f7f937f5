"""Scenario files: YAML to a checked specification in SI, and the packaged robots, tethers, worlds and missions."""
