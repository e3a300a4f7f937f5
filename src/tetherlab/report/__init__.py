"""Pictures of numbers: a log becomes one HTML page, alone or beside another log."""

from tetherlab.report.page import write_report

__all__ = ["write_report"]
