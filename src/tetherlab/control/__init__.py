"""Controllers that come with the package. They go through the same door as a user's own."""
