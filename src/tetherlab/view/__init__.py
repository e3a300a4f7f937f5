"""Runs in three dimensions in the browser: live, replayed, or inside one file."""

from tetherlab.contracts.extras import require

require("view")
