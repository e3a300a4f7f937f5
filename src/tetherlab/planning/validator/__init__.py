"""An independent judge of plans, which shares no code with the planners."""

from tetherlab.planning.validator.replay import validate

__all__ = ["validate"]
