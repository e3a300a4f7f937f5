"""Words that every room uses: errors, input checks, the log of a run, and the one door for YAML."""
