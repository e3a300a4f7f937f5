"""AVOCADO's own sensors and estimator in the loop: what a controller on the real robot is told."""

from tetherlab.assembly.canopy_run import CanopyRun
from tetherlab.estimation.avocado import AvocadoEstimate, AvocadoEstimator, AvocadoEstimatorSpec
from tetherlab.sensors.avocado_suite import AvocadoSensors, AvocadoSensorSpec
from tetherlab.sensors.avocado_truth import AvocadoTruth
from tetherlab.vehicles.avocado import AvocadoSpec, AvocadoState


class OnBoard:
    """For `CanopyRun(sensing=...)`; the memory of one run.

    start: where the robot knows to hang when it is switched on, until its sensors have all been heard.
    """

    def __init__(
        self,
        robot: AvocadoSpec,
        start: AvocadoState,
        *,
        seed: int = 0,
        sensors: AvocadoSensorSpec | None = None,
        estimator: AvocadoEstimatorSpec | None = None,
    ) -> None:
        sensors = AvocadoSensorSpec() if sensors is None else sensors
        self.sensors = AvocadoSensors(sensors, seed)
        self.estimator = AvocadoEstimator(robot, sensors, estimator)
        self.estimate: AvocadoEstimate | None = None  # the last
        self._believed = start

    def __call__(self, run: CanopyRun) -> AvocadoState:
        """What is believed now of the robot in a run."""
        state = run.state
        truth = AvocadoTruth(
            time=run.time,
            rotation=run.rotation,
            angular_velocity=run.angular_velocity,
            phi=state.phi,
            length=state.tether_length,
            tension=run.tension,
            position=run.position - run.anchor,
        )
        self.estimate = self.estimator.update(truth.time, self.sensors.sense(truth), run.command)
        if self.estimate.state is not None:
            self._believed = self.estimate.state
        return self._believed
