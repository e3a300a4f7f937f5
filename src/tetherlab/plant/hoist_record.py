"""A row of every table of a hoist, as a plant writes it."""

from tetherlab.math.kernel import kernel
from tetherlab.plant import hoist_model as H
from tetherlab.plant.record import sample_tether, write_motion, write_surroundings, write_winch


@kernel
def record_hoist(plant, target, length_reference, row, stations):
    """Write a row; target: references of drone and rover, (2, 3). stations: float32, (164,)."""
    time, end = plant.clock[0], 0
    drone, rover = H.DRONE, H.ROVER
    at_centre = plant.scratch[0].centre  # the drone's origin is its centre of mass
    end = write_motion(row, end, time, plant.body[drone], at_centre, plant.acceleration[drone])
    row[end] = plant.drone[0].thrust
    end = write_surroundings(row, end + 1, plant.pull[drone], plant.seen[drone], target[0])
    end = write_motion(row, end, time, plant.body[rover], plant.rover_origin, plant.acceleration[rover])
    end = write_surroundings(row, end, plant.pull[rover], plant.seen[rover], target[1])
    write_winch(row, end, time, plant.winch[0], length_reference, plant.seen[H.DISTANCE])
    sample_tether(plant.memory, stations)
