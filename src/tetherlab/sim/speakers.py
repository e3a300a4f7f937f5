"""Those who decide, two controllers and a winch rule: what they must be and return, and where they failed."""

from __future__ import annotations

import math
import sysconfig
import traceback
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tetherlab.contracts.errors import InputError
from tetherlab.contracts.messages import UavCommand, UgvCommand, WinchCommand
from tetherlab.plant.command import Command
from tetherlab.vehicles.winch import LENGTH, SPEED, TENSION

Vector = NDArray[np.float64]
NAMES = ("UAV controller", "UGV controller", "winch rule")
COMMANDS = (UavCommand, UgvCommand, WinchCommand)
HERE = str(Path(__file__).parents[1])
LIBRARIES = tuple(sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib"))


def rate_of(who: Any, index: int) -> float:
    """Calls per second of a speaker that has all that it needs [1/s]."""
    name, kind = NAMES[index], type(who).__name__
    if isinstance(who, type):
        raise InputError(f"{name}: {who.__name__} is a class, pass an instance of it: {who.__name__}(...)")
    absent = [word for word in ("init", "__call__") if not callable(getattr(who, word, None))]
    if not hasattr(who, "rate_hz"):
        absent.append("rate_hz")
    if absent:
        raise InputError(
            f"{name}: {kind} has no {' and no '.join(absent)}; it needs rate_hz, init() and "
            f"__call__(memory, observation, reference) -> (memory, {COMMANDS[index].__name__})"
        )
    rate = who.rate_hz
    if not isinstance(rate, (int, float)) or not 0.0 < rate <= 2000.0:
        raise InputError(f"{name}: rate_hz must be a number > 0 and at most 2000, got {rate!r}")
    return float(rate)


def checked(answer: Any, kind: type) -> Any:
    """Memory and command, if this is what a speaker returned."""
    if isinstance(answer, tuple) and len(answer) == 2 and isinstance(answer[1], kind):
        return answer
    if isinstance(answer, kind):
        got = f"only the {kind.__name__}"
    elif isinstance(answer, tuple) and len(answer) == 2:
        got = f"(memory, {type(answer[1]).__name__})"
    else:
        got = "None" if answer is None else f"a {type(answer).__name__}"
    raise TypeError(f"it must return (memory, {kind.__name__}), got {got}")


def place_of_failure(error: Exception, who: Any) -> str:
    """File and line where a speaker's own code raised an error, or where the speaker is defined."""
    frames = [
        frame
        for frame in traceback.extract_tb(error.__traceback__)
        if not _within(frame, HERE) and not frame.filename.startswith("<")  # written by a program
    ]
    own = [frame for frame in frames if not any(_within(frame, folder) for folder in LIBRARIES)]
    for frame in (*own[-1:], *frames[-1:]):
        return f"{frame.filename}:{frame.lineno}"
    code = getattr(who, "__code__", None) or getattr(type(who).__call__, "__code__", None)
    return f"{code.co_filename}:{code.co_firstlineno}" if code else type(who).__name__


def _within(frame: traceback.FrameSummary, folder: str) -> bool:
    return Path(frame.filename).is_relative_to(folder)


def write_flight(command: Command, flight: UavCommand) -> None:
    """Into the plant's command."""
    force, yaw = flight
    try:
        x, y, z = force
        finite = math.isfinite(x + y + z) and math.isfinite(yaw)
    except (TypeError, ValueError):
        raise TypeError(f"force must be three numbers and yaw a number, got {flight}") from None
    if not finite:
        _finite(x, y, z, yaw)
    command.flight["force_W"][0] = x, y, z
    command.flight["yaw"] = yaw


def write_drive(command: Command, drive: UgvCommand) -> None:
    """Into the plant's command."""
    try:
        x, y, turn = map(float, drive)
    except (TypeError, ValueError):
        raise TypeError(f"forward, left and turn must be numbers, got {drive}") from None
    if not math.isfinite(x + y + turn):
        _finite(x, y, turn)
    command.drive[0] = x, y, turn


def write_reel(command: Command, reel: WinchCommand) -> None:
    """Into the plant's command."""
    length, speed, tension = reel
    try:
        if tension is not None and length is None:
            mode, value, rate = TENSION, float(tension), 0.0 if speed is None else float(speed)
        elif tension is None and length is not None:
            mode, value, rate = LENGTH, float(length), 0.0 if speed is None else float(speed)
        elif tension is None and speed is not None:
            mode, value, rate = SPEED, float(speed), 0.0
        else:
            raise ValueError
    except (TypeError, ValueError):
        raise TypeError(f"a WinchCommand gives a length, a tension or a speed, got {reel}") from None
    if not math.isfinite(value + rate):
        _finite(value, rate)
    command.reel[0] = mode, value, rate


def _finite(*values: float) -> None:
    for value in values:
        if not math.isfinite(value):
            raise ValueError(f"its command holds {value}")
