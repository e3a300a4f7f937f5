"""Names of all objects of a plant's field: those of its world, and the parts of the rover."""

from collections.abc import Sequence

from tetherlab.plant.model import Plant


def object_names(plant: Plant, world: Sequence[str]) -> tuple[str, ...]:
    """world: names of the objects of the world, which come first in the field."""
    names = [*world, *("" for _ in plant.field.objects[len(world) :])]
    decks = set(plant.berth["deck"].tolist())
    for part in plant.graph.ride["object"].tolist():
        names[part] = "the rover's deck" if part in decks else "the rover's chassis"
    return tuple(names)
