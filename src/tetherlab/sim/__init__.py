"""The clock: who runs when, where everybody should be, what is recorded, and how a run ends."""
