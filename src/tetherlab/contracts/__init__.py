"""Words that every room uses: errors, input checks, and the one door through which YAML is read."""
