"""Reads what a browser sends: only messages that our pages use, with values that their controls can have."""

from __future__ import annotations

import math
from typing import Any

import msgspec
from viser import (
    GuiButtonGroupHandle,
    GuiButtonHandle,
    GuiCheckboxHandle,
    GuiDropdownHandle,
    GuiSliderHandle,
    ViserServer,
    _messages,
)

FAR = 1e5  # no camera and no target is farther from the origin, along an axis [m]


class UnreadableError(ValueError):
    """Not a message of viser's at all."""


class _GuiUpdate(msgspec.Struct):
    uuid: str
    updates: dict[str, Any]


class _CommandTrigger(msgspec.Struct):
    uuid: str


class _Drag(msgspec.Struct):
    name: str
    owner: str = ""


class _HandleUpdate(msgspec.Struct):
    name: str
    wxyz: tuple[float, float, float, float]
    position: tuple[float, float, float]
    owner: str = ""


class _Camera(msgspec.Struct):
    wxyz: tuple[float, float, float, float]
    position: tuple[float, float, float]
    fov: float
    near: float
    far: float
    image_height: float
    image_width: float
    look_at: tuple[float, float, float]
    up_direction: tuple[float, float, float]


FORMS = {
    _messages.GuiUpdateMessage: _GuiUpdate,
    _messages.CommandTriggerMessage: _CommandTrigger,
    _messages.TransformControlsUpdateMessage: _HandleUpdate,
    _messages.TransformControlsDragStartMessage: _Drag,
    _messages.TransformControlsDragEndMessage: _Drag,
    _messages.ViewerCameraMessage: _Camera,
}
KINDS = {kind.__name__: kind for kind in FORMS}


def read(raw: bytes | str, server: ViserServer) -> _messages.Message | None:
    """The message for viser, with its numbers within the range of their control; None if it is ignored.

    Raises UnreadableError for what no viser client sends.
    """
    if not isinstance(raw, bytes):
        raise UnreadableError
    try:
        content = msgspec.msgpack.decode(raw)
    except (msgspec.MsgspecError, ValueError, RecursionError):
        raise UnreadableError from None
    if not isinstance(content, dict) or not isinstance(name := content.get("type"), str):
        raise UnreadableError
    if name not in KINDS:
        return None
    kind = KINDS[name]
    try:
        given: Any = msgspec.convert(content, FORMS[kind])
    except msgspec.ValidationError:
        return None
    if isinstance(given, _GuiUpdate):
        return _gui_update(given, server)
    if isinstance(given, _CommandTrigger):
        return _messages.CommandTriggerMessage(given.uuid)
    if isinstance(given, _Camera):
        return _camera(given)
    return _handle(kind, given, server)


def is_click(message: _messages.Message, server: ViserServer) -> bool:
    """Whether each one has an effect of its own; of a slider or a camera only the last message counts."""
    if isinstance(message, _messages.GuiUpdateMessage):
        handle = server.gui._gui_input_handle_from_uuid.get(message.uuid)
        return isinstance(handle, GuiButtonHandle | GuiButtonGroupHandle)
    return isinstance(message, _messages.CommandTriggerMessage | _messages.TransformControlsDragEndMessage)


def _gui_update(given: _GuiUpdate, server: ViserServer) -> _messages.Message | None:
    handle = server.gui._gui_input_handle_from_uuid.get(given.uuid)
    if handle is None or given.updates.keys() != {"value"} or handle.disabled or not handle.visible:
        return None
    value = _control_value(handle, given.updates["value"])
    return None if value is None else _messages.GuiUpdateMessage(given.uuid, {"value": value})


def _control_value(handle: Any, value: Any) -> bool | float | str | None:
    """What the control is set to; None if it cannot have such a value."""
    if isinstance(handle, GuiButtonHandle):
        return True if value is True else None
    if isinstance(handle, GuiCheckboxHandle):
        return value if isinstance(value, bool) else None
    if isinstance(handle, GuiDropdownHandle | GuiButtonGroupHandle):
        return value if isinstance(value, str) and value in handle.options else None
    if isinstance(handle, GuiSliderHandle):
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return None
        within = min(max(value, handle.min), handle.max)
        return round(within) if isinstance(handle.value, int) else float(within)
    return None


def _handle(kind: Any, given: Any, server: ViserServer) -> _messages.Message | None:
    """Something that is dragged in the scene."""
    handle = server.scene._handle_from_transform_controls_name.get(given.name)
    if handle is None:
        return None
    if isinstance(given, _Drag):
        dragged: _messages.Message = kind(name=given.name, owner=given.owner)
        return dragged
    wxyz = tuple(map(float, handle.wxyz)) if handle.disable_rotations else given.wxyz
    if not _finite(*given.position) or not _turns(wxyz):
        return None
    position = tuple(min(max(value, -FAR), FAR) for value in given.position)
    moved: _messages.Message = kind(name=given.name, wxyz=wxyz, position=position, owner=given.owner)
    return moved


def _camera(given: _Camera) -> _messages.Message | None:
    vectors = (*given.position, *given.look_at, *given.up_direction)
    lens = (given.near, given.far, given.image_height, given.image_width)
    if not (_finite(*vectors, *lens, given.fov) and _turns(given.wxyz) and 0.0 < given.fov < math.pi):
        return None
    if max(map(abs, (*vectors, *lens))) > FAR:
        return None
    return _messages.ViewerCameraMessage(
        wxyz=given.wxyz,
        position=given.position,
        fov=given.fov,
        near=given.near,
        far=given.far,
        image_height=int(given.image_height),
        image_width=int(given.image_width),
        look_at=given.look_at,
        up_direction=given.up_direction,
    )


def _finite(*values: float) -> bool:
    return all(map(math.isfinite, values))


def _turns(wxyz: Any) -> bool:
    """Whether it is a rotation."""
    return _finite(*wxyz) and 0.1 < math.hypot(*wxyz) < 10.0
