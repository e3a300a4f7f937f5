"""Names of all objects of a plant's field: those of its world, and the parts of the rover."""

from collections.abc import Sequence

from tetherlab.plant.model import Plant


def object_names(plant: Plant, world: Sequence[str]) -> tuple[str, ...]:
    """world: names of the objects of the world, which come first in the field."""
    names = [*world, *("" for _ in plant.field.objects[len(world) :])]
    for parts, name in ((plant.deck, "the rover's deck"), (plant.chassis, "the rover's chassis")):
        for part in parts:
            names[part] = name
    return tuple(names)
