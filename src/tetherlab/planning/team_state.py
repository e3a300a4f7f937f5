"""Where a team is: the place of each member, who flies or is perched, and how tethers run."""

from __future__ import annotations

from typing import NamedTuple

from tetherlab.planning.homotopy import TautTether
from tetherlab.planning.problem import Point

AIR, GROUND, PERCHED = "air", "ground", "perched"
THERE, PLACED = "there", "placed"  # of the object; in between it is in the hand of an arm: its name


class Link(NamedTuple):
    """The tether of a ground robot, held by a flying one."""

    holder: int  # index of the agent that holds the other end
    bends: tuple[Point, ...] = ()  # taut, from the ground robot on, then the perch; nothing: only latched
    upper: tuple[bool, ...] = ()  # of each: whether a robot can hang from it; the perch always
    turn: float = 0.0  # of all bends together [rad]
    trail: tuple[Point, ...] = ()  # of one that is carried through the air: where it came along

    @classmethod
    def along(cls, holder: int, tether: TautTether) -> Link:
        """One that is pulled taut."""
        return cls(
            holder,
            tuple(rounded(point) for point in tether.points[1:]),
            (*(bend.upper for bend in tether.bends), True),
            sum(abs(bend.turn) for bend in tether.bends),
        )

    @property
    def anchored(self) -> bool:
        """Its other end is at a perch."""
        return bool(self.bends)

    @property
    def hinge(self) -> Point:
        """From which the robot hangs first."""
        return self.bends[self.upper.index(True)]

    @property
    def beyond(self) -> Point:
        """Where the tether goes from the hinge, if that is a corner."""
        return self.bends[self.upper.index(True) + 1]

    @property
    def on_perch(self) -> bool:
        """No corner is left: it hangs from the perch."""
        return self.upper.index(True) == len(self.bends) - 1


class TeamState(NamedTuple):
    """All of a team that an action can change. Places are rounded, so that equal ones are equal."""

    places: tuple[Point, ...]
    modes: tuple[str, ...]
    links: tuple[Link | None, ...]
    cargo: str = THERE
    due: tuple[str, int] | None = None  # label and agent that come next: a pair finishes what it began

    def moved(self, index: int, place: Point, mode: str | None = None) -> TeamState:
        """With one agent elsewhere."""
        places = (*self.places[:index], rounded(place), *self.places[index + 1 :])
        modes = self.modes if mode is None else (*self.modes[:index], mode, *self.modes[index + 1 :])
        return self._replace(places=places, modes=modes)

    def holds(self, index: int) -> bool:
        """Whether a flying robot holds somebody's tether."""
        return any(link is not None and link.holder == index for link in self.links)

    def linked(self, index: int, link: Link | None) -> TeamState:
        """With another tether."""
        return self._replace(links=(*self.links[:index], link, *self.links[index + 1 :]))


def rounded(place: Point) -> Point:
    """To a nanometre."""
    return round(float(place[0]), 9), round(float(place[1]), 9)
