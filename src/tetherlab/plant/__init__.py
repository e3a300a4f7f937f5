"""World, tether and bodies together: one model, one state, one step."""
