"""The tether engine beside its peers: the same scene, the same physics, CPU time and error of each.

`scene` says what is simulated, `reference` knows the answer, the `peer_*` files and `ours` are engines,
`measure` runs one of them, `compare` runs them all in turn, and `table` prints what was found.
"""

from tetherlab.apps.bench.compare import Row, run_tether_bench

__all__ = ["Row", "run_tether_bench"]
