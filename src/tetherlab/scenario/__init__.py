"""Scenario files: YAML to a checked specification in SI, and the packaged data by name."""
