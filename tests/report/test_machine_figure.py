"""The table of a mission as a picture: no box or word of it hides another."""

import pytest

from tetherlab.contracts.log import Event, Log
from tetherlab.report.inspection_graphs import draw_mission


@pytest.fixture
def drawn():
    """A mission that was broken off while it approached its wall."""
    said = ["drive, done (2 places): take off", "take off, done: approach", "approach, failed: abort"]
    events = [Event(float(k), "mission", sentence) for k, sentence in enumerate(said)]
    figure = draw_mission(Log(tables={}, scenario={"inspection": {"map": True}}, events=events))
    assert figure is not None
    figure.canvas.draw()
    return figure.axes[0].texts


def test_no_text_lies_on_another(drawn):
    texts = [text for text in drawn if text.get_text()]
    extents = [text.get_window_extent() for text in texts]
    for k, one in enumerate(extents):
        for text, other in zip(texts[k + 1 :], extents[k + 1 :], strict=True):
            assert not one.overlaps(other), f"{texts[k].get_text()!r} and {text.get_text()!r}"


def test_states_that_it_was_in_are_bold(drawn):
    bold = {text.get_text() for text in drawn if text.get_fontweight() == "bold"}
    assert bold == {"drive", "take off", "approach", "abort"}


def test_a_run_that_is_no_inspection_has_no_such_picture():
    assert draw_mission(Log(tables={}, scenario={})) is None
