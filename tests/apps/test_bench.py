"""The bench: its scene and reference are right, its peers follow them, its table says what it found."""

import io
import itertools
import json
import math
from dataclasses import replace

import numpy as np
import pytest

from tetherlab.apps.bench import compare
from tetherlab.apps.bench.compare import KINDS, Row, choose_setting, meets, run_tether_bench
from tetherlab.apps.bench.engine import EngineKind
from tetherlab.apps.bench.measure import measure_errors, measure_speed
from tetherlab.apps.bench.ours import OurSetting
from tetherlab.apps.bench.peer_chain import ChainSetting
from tetherlab.apps.bench.peer_flex import FlexSetting
from tetherlab.apps.bench.peer_moordyn import MoorDynSetting
from tetherlab.apps.bench.reference import SAMPLE, Solution, solve
from tetherlab.apps.bench.scene import STATION_COUNT, Scene, stations
from tetherlab.apps.bench.table import markdown, rich_table, write_json
from tetherlab.contracts.errors import InputError
from tetherlab.contracts.extras import MissingExtraError

SCENE = Scene(12.0)
SHORT = replace(SCENE, duration=0.2)
PEERS = [
    ("mujoco", "mujoco-flex", FlexSetting(0.005)),
    ("mujoco", "mujoco-flex", FlexSetting(0.005, "implicitfast", "hard")),
    ("mujoco", "mujoco-flex", FlexSetting(0.0001, "Euler", "spring")),
    ("mujoco", "mujoco-chain", ChainSetting(0.002)),
    ("moordyn", "moordyn", MoorDynSetting("RK2", 1e-4)),
]
OURS = ("tetherlab", "tetherlab", OurSetting(0.002))
# Shape [% of length] and tension [N]; hard edges only stand in for the law, and our engine spaces the given
# nodes evenly, which shakes its tension at first.
LIMITS = [(0.006, 0.07), (0.022, 0.5), (0.006, 0.02), (0.006, 0.2), (0.006, 0.07), (0.006, 0.35)]


def test_the_end_flies_a_smooth_path_of_2_m_per_s_and_comes_to_rest():
    time = np.linspace(-0.1, SCENE.duration, 4001)
    position, velocity, acceleration = SCENE.end_motion(time)
    dt = time[1] - time[0]
    assert np.abs(np.gradient(position, dt, axis=0) - velocity)[1:-1].max() < 1e-4
    # The third derivative jumps at start and stop, so the difference quotient is of first order there.
    assert np.abs(np.gradient(velocity, dt, axis=0) - acceleration)[1:-1].max() < 1e-2
    assert np.linalg.norm(velocity, axis=1).max() == pytest.approx(2.0, abs=0.05)
    assert np.abs(position[time >= SCENE.motion_time] - SCENE.end).max() < 1e-12
    assert np.linalg.norm(position - SCENE.base, axis=1).max() < 0.95 * SCENE.length


def test_the_hanging_nodes_are_in_equilibrium():
    count = 30
    nodes = SCENE.hanging_nodes(count)
    rest = SCENE.length / count
    chord = np.diff(nodes, axis=0)
    length = np.linalg.norm(chord, axis=1, keepdims=True)
    pull = SCENE.axial_stiffness * (length / rest - 1.0) * chord / length
    weight = SCENE.linear_density * rest * SCENE.gravity
    assert np.abs(np.diff(pull, axis=0) - [0.0, 0.0, weight]).max() < 1e-7 * weight * count
    assert np.abs(nodes[-1] - SCENE.end).max() < 1e-9


def test_stations_lie_on_the_chain_at_equal_rest_length():
    nodes = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 2.0, 0.0]])
    points = stations(nodes)
    assert points.shape == (STATION_COUNT, 3)
    assert points[10] == pytest.approx([0.5, 0.0, 0.0])
    assert points[20] == pytest.approx(nodes[1])
    assert points[30] == pytest.approx([1.0, 1.0, 0.0])


def test_the_reference_converges_with_the_square_of_the_element():
    scene = replace(SCENE, duration=1.2, motion_time=4.0)
    shapes = [solve(scene, count).stations for count in (40, 80, 160)]  # stations are nodes
    steps = [np.linalg.norm(b - a, axis=2).mean() for a, b in itertools.pairwise(shapes)]
    assert math.log2(steps[0] / steps[1]) == pytest.approx(2.0, abs=0.1)


def test_the_reference_keeps_the_balance_of_energy():
    scene = replace(
        SCENE, duration=1.0, axial_damping=0.0, drag_normal=0.0, drag_tangential=0.0, motion_time=2.0
    )
    run = solve(scene, 12)
    time = SAMPLE * np.arange(len(run.pull))
    power = -(run.pull * scene.end_motion(time)[1]).sum(axis=1)  # what the holder puts in
    work = np.concatenate(([0.0], np.cumsum(0.5 * SAMPLE * (power[1:] + power[:-1]))))
    # The half element at the end moves with the holder; its inertia and weight are part of both sides.
    gained = run.energy - run.energy[0]
    assert np.ptp(work) > 1.0
    assert np.abs(gained - work).max() < 0.01 * np.ptp(work)


def test_drag_and_damping_only_take_energy():
    held = replace(SCENE, duration=2.0, motion_time=1.5)
    for loss in ({"air_density": 10.0}, {"axial_damping": 100.0, "air_density": 0.0}):
        energy = solve(replace(held, **loss), 12).energy[round(held.motion_time / SAMPLE) :]
        assert np.diff(energy).max() < 1e-9  # the end is at rest and puts nothing in
        assert energy[-1] < energy[0] - 0.01


@pytest.mark.parametrize(("package", "name", "setting"), PEERS, ids=lambda value: str(value))
def test_a_peer_hangs_like_the_catenary_when_its_end_hardly_moves(package, name, setting):
    pytest.importorskip(package)
    count = 30
    engine = KINDS[name].build(SHORT, count, setting)
    hanging = SHORT.hanging_nodes(count)
    assert np.abs(engine.nodes() - hanging).max() < 1e-9
    positions, velocities = SHORT.path
    for position, velocity in zip(positions[1:], velocities[1:], strict=True):
        pull = engine.advance(position, velocity)
    assert np.abs(engine.nodes() - hanging).max() < 0.01
    # Within 0.2 s the end has moved by millimetres, so it still holds the static weight.
    assert np.linalg.norm(pull) == pytest.approx(_static_tension(), rel=0.03)
    assert pull[2] < 0.0
    moved = engine.nodes()
    engine.reset()
    for position, velocity in zip(positions[1:], velocities[1:], strict=True):
        engine.advance(position, velocity)
    assert np.abs(engine.nodes() - moved).max() < 1e-9


@pytest.mark.parametrize(
    ("peer", "limits"), list(zip([*PEERS, OURS], LIMITS, strict=True)), ids=lambda value: str(value[-1])
)
def test_an_engine_obeys_the_law_of_the_scene_in_thick_air(peer, limits):
    package, name, setting = peer
    pytest.importorskip(package)
    # Drag is large here: leaving its tangential part out would give 0.025 %, a sixth less across 0.011 %.
    scene = replace(SCENE, duration=1.0, motion_time=4.0, air_density=100.0, drag_tangential=0.6)
    engine = KINDS[name].build(scene, 60, setting)
    errors = measure_errors(engine, scene, _truth(scene))
    assert errors.covered == scene.duration
    assert errors.shape < limits[0] and errors.tension < limits[1]


def _static_tension() -> float:
    nodes = SCENE.hanging_nodes(400)
    last = np.linalg.norm(nodes[-1] - nodes[-2])
    return SCENE.axial_stiffness * (last / (SCENE.length / 400) - 1.0)


_TRUTHS: dict[Scene, Solution] = {}


def _truth(scene: Scene) -> Solution:
    if scene not in _TRUTHS:
        _TRUTHS[scene] = solve(scene, 120)
    return _TRUTHS[scene]


def _made_up(scene: Scene) -> Solution:
    """Any smooth motion will do where only its comparison is tested."""
    time = SAMPLE * np.arange(round(scene.duration / SAMPLE) + 1)
    place = np.linspace(0.0, 10.0, STATION_COUNT)
    shape = np.stack(
        [place + 0 * time[::4, None], np.sin(place + time[::4, None]), 0 * place + time[::4, None]], -1
    )
    pull = np.stack([5.0 + np.sin(9.0 * time), np.cos(7.0 * time), -6.0 + 0 * time], -1)
    return Solution(shape, pull, np.zeros(len(time)))


class Replay:
    """An engine that knows the answer, and adds to it what it is told."""

    def __init__(
        self, scene: Scene, truth: Solution, shift: float = 0.0, pull: float = 0.0, mean: bool = False
    ):
        self.scene, self.truth, self.shift, self.extra, self.pull_is_mean = scene, truth, shift, pull, mean

    def reset(self) -> None:
        self.chunk = 0

    def advance(self, position, velocity):
        self.chunk += 1
        pulls = self.truth.pull[2 * self.chunk - 2 : 2 * self.chunk + 1]
        pull = np.array([1.0, 4.0, 1.0]) @ pulls / 6.0 if self.pull_is_mean else pulls[-1]
        return pull * (1.0 + self.extra * (-1) ** self.chunk / np.linalg.norm(pull))

    def nodes(self):
        return self.truth.stations[self.chunk // 2] + np.array([0.0, self.shift, 0.0])


@pytest.mark.parametrize("mean", [False, True])
def test_errors_are_zero_for_the_answer_itself_and_as_large_as_they_are_made(mean):
    scene = replace(SCENE, duration=1.0, motion_time=0.3)
    truth = _made_up(scene)
    perfect = measure_errors(Replay(scene, truth, mean=mean), scene, truth)
    assert perfect.shape < 1e-9 and perfect.tension < 1e-9 and perfect.noise < 1e-9
    wrong = measure_errors(Replay(scene, truth, shift=0.12, pull=0.5, mean=mean), scene, truth)
    assert wrong.shape == pytest.approx(1.0)  # 0.12 m of 12 m
    assert wrong.tension == pytest.approx(0.5)
    assert wrong.noise == pytest.approx(
        0.5 * 4.0 / math.sqrt(6.0)
    )  # an alternating error, in terms of white noise
    broken = measure_errors(Replay(scene, truth, shift=math.nan), scene, truth)
    assert broken.shape == math.inf


def test_speed_is_simulated_time_over_cpu_time_and_gives_up_at_its_budget():
    scene = replace(SCENE, duration=0.5)
    truth = _made_up(scene)
    engine = Replay(scene, truth)
    assert measure_speed(engine, scene) > 0.0
    assert engine.chunk == scene.chunk_count
    measure_speed(engine, scene, budget=0.0)
    assert engine.chunk < scene.chunk_count


def test_the_fastest_setting_below_the_error_line_is_chosen(monkeypatch):
    scene = replace(SCENE, duration=0.2)
    truth = _made_up(scene)
    monkeypatch.setattr(compare, "reference", lambda scene: truth)
    ladder = [math.nan, 0.12, 0.006, 0.0]  # broken, 1 %, 0.05 %, exact
    kind = EngineKind(
        "replay", lambda element: ladder, lambda scene, count, shift: Replay(scene, truth, shift)
    )
    assert choose_setting(kind, scene, 0.2)[1] == 0.006
    assert choose_setting(kind, scene, 0.2, line=2.0)[1] == 0.12
    only_bad = kind._replace(ladder=lambda element: [0.24, 0.12])
    assert choose_setting(only_bad, scene, 0.2)[1] == 0.12
    assert choose_setting(kind._replace(ladder=lambda element: [math.nan]), scene, 0.2) is None
    assert meets(0.1004, 0.1) and not meets(0.1006, 0.1)


def test_a_missing_peer_is_a_row_that_says_so_and_ratios_are_ours_over_theirs(monkeypatch):
    scene_truth = _made_up(replace(SCENE, duration=0.2))

    def missing(scene, count, setting):
        raise MissingExtraError("moordyn is not installed")

    def replay(scene, count, setting):
        return Replay(scene, scene_truth)

    monkeypatch.setattr(compare, "Scene", lambda length: replace(SCENE, length=length, duration=0.2))
    monkeypatch.setattr(compare, "reference", lambda scene: scene_truth)
    monkeypatch.setattr(compare, "measure_speed", lambda engine, scene: next(speeds))
    kinds = {
        "tetherlab": compare.OURS._replace(build=replay),
        "mujoco-flex": compare.FLEX._replace(build=replay),
        "moordyn": compare.MOORDYN._replace(build=missing),
    }
    monkeypatch.setattr(compare, "KINDS", kinds)
    monkeypatch.setattr(compare, "OURS", kinds["tetherlab"])
    speeds = iter([10.0, 30.0, 20.0, 50.0])  # peer, ours, peer, ours
    said: list[str] = []
    ours, flex, moordyn = run_tether_bench([12.0], [0.2], 2, kinds, said.append)
    assert (flex.speed, flex.ratio, flex.ratio_min, flex.ratio_max) == (15.0, 2.75, 2.5, 3.0)
    assert ours.ratio == 1.0
    assert moordyn.speed is None and moordyn.note == "moordyn is not installed"
    assert any("reference" in message for message in said)


def test_unknown_engines_and_bad_numbers_get_one_clear_sentence():
    with pytest.raises(InputError, match="Did you mean 'moordyn'"):
        run_tether_bench(engines=["moordin"])
    with pytest.raises(InputError, match="element must be > 0, got -1"):
        run_tether_bench(elements=[-1.0])
    with pytest.raises(InputError, match="repeats must be >= 1, got 0"):
        run_tether_bench(repeats=0)


ROWS = [
    Row(12.0, 0.2, "tetherlab", "5 ms", 0.0201, 0.3, 0.01, 10.0, 700.0, 650.0, 720.0, 1.0, 1.0, 1.0),
    Row(12.0, 0.2, "mujoco-flex", "10 ms", 0.0204, 0.4, None, 10.0, 100.0, 90.0, 110.0, 7.0, 6.5, 7.5),
    Row(12.0, 0.1, "moordyn", note="not installed: moordyn"),
]


def test_the_tables_show_every_row():
    from rich.console import Console

    console = Console(width=120, record=True, file=io.StringIO())
    console.print(rich_table(ROWS))
    shown = console.export_text()
    for word in ("tetherlab", "mujoco-flex", "0.020", "700", "not installed"):
        assert word in shown
    lines = markdown(ROWS).splitlines()
    assert len({line.count("|") for line in lines[:5]}) == 1
    assert "100 (90 to 110) | 7 (6.5 to 7.5)" in lines[3]
    assert "| 12 | 0.10 | moordyn |  |  |  |  |  |  | not installed: moordyn |" in lines


def test_json_rows_carry_every_field(tmp_path):
    write_json(ROWS, tmp_path / "rows.json")
    stored = json.loads((tmp_path / "rows.json").read_text())
    assert [Row(**row) for row in stored] == ROWS
