"""Commands and settings of a scene that make no sense are answered and change nothing."""

import pytest

import tetherlab as tl


@pytest.fixture
def scene():
    return tl.Scene.load("drone_on_two_winches")


@pytest.mark.parametrize("key", ["take_off", "land", "hold"])
@pytest.mark.parametrize("value", ["no", False, 1])
def test_what_is_only_asked_for_takes_true_alone(scene, key, value):
    sim = tl.Simulation(scene)
    with pytest.raises(tl.InputError, match=f"{key} must be True"):
        sim.command("drone", **{key: value})
    assert sim.events == []


def test_an_end_is_released_once(scene):
    sim = tl.Simulation(scene)
    sim.release("west", "end")
    with pytest.raises(tl.InputError, match="the end of 'west' is released already"):
        sim.release("west", "end")
    assert len(sim.events) == 1


def test_settings_of_a_run_have_their_types(scene):
    with pytest.raises(tl.InputError, match="controllers must be a dict"):
        tl.Simulation(scene, controllers="position")
    with pytest.raises(tl.InputError, match="seed must be a whole number"):
        tl.Simulation(scene, seed=1.5)
