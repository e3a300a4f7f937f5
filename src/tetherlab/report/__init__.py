"""Pictures of numbers: a log becomes one HTML page, alone or beside another log."""

from tetherlab.contracts.extras import require

require("report")
from tetherlab.report.page import write_report  # noqa: E402 (needs what was just required)

__all__ = ["write_report"]
