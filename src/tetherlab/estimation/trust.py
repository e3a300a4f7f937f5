"""How long and how far estimators that go on from a known place trust what they heard last."""

DRIFT_MAX = 0.15  # deviation up to which the IMU alone is flown by [m]
PLACED = 0.01  # deviation of a place that is known [m], and of a velocity [m/s]
SILENT = 0.5  # time after which a reading counts as missing [s]
