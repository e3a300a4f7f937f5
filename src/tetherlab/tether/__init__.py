"""The tether: closed-form curves at rest, and the dynamic engine."""
