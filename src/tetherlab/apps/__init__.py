"""Programs at the edge: they convert, show and print, and hold no physics."""
