"""One module per paper: its experiments, repeated here, and its printed numbers beside ours."""
