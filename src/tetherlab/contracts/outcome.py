"""How a run ended, as sentences for people."""

from enum import Enum


class Outcome(Enum):
    """The end of a run; `value` is the sentence, `name` the word that files keep."""

    COMPLETED = "the mission was completed"
    BROKEN_OFF = "the mission was broken off"
    COLLISION = "a vehicle hit an obstacle or the other vehicle"
    TETHER_OVERLOAD = "the tension of the tether exceeded its strength"
    TETHER_TOO_SHORT = "the tether on the drum was too short for the mission"
    POWER_LOST = "the drone did not get the power that it needs"
    TANGLED = "the tether came into a rotor or wound itself round an object"
    TURNED_OVER = "the robot turned over about the point where its tether is tied"
    PERCH_LOST = "the perch did not hold against the pull of the tether"
    REELED_IN = "the tether was reeled in all the way to its anchor"
    ANCHOR_HIT = "a branch went through the anchor of the tether"
    BRANCH_OVERBENT = "a branch was bent farther than the model of it is good for"
    DIVERGED = "the motion could not be computed any further"
    TIMED_OUT = "the longest allowed duration was reached before the end of the mission"
    CONTROLLER_FAILED = "a controller raised an error or gave a command that is none"
    STOPPED = "the run was stopped by its user"
