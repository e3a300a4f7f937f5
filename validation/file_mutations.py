"""Good files of each kind, and random ways to spoil them; every file follows from its kind and seed."""

from __future__ import annotations

import copy
import gzip
import io
import json
import random
import re
import shutil
import struct
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

import tetherlab as tl
from tetherlab.assembly.runs import load_scenario
from tetherlab.contracts.documents import parse_yaml
from tetherlab.scenario.team_plan import TeamPlan
from tetherlab.scenario.team_problem import TeamProblem

# name of a kind -> files or folders of the corpus that belong to it
KINDS = {
    "scenario": ("*.scenario.yaml",),
    "map": ("*.bt", "*.stl", "*.obj", "*.ply", "*.xyz", "*.npz", "*.npy", "*.world.yaml"),
    "checkpoint": ("*.checkpoint",),
    "table": ("*.csv",),
    "run": ("*.run",),
    "model": ("*.model", "*.calibration.yaml", "*.problem.yaml", "*.automaton.yaml", "*.columns.yaml"),
}
SCENARIOS = (
    "vertical",
    "theatre",
    "windy",
    "constant_tension",
    "canopy_branch",
    "tether_inertial",
    "oxpecker",
)
SENSED = {"localisation": {"sensors": "tether_inertial"}}
DIGITS = "9" * 5000
WORDS = (
    "nan", ".nan", "inf", "-.inf", ".inf",
    "1e308", "-1e308", "1e-308", "-1", "0", "1", "-0.0", "0.001", "1e5",
    "1e12", "1e-12", str(2**31), str(2**40), str(2**63), str(-(2**63)), DIGITS, f"1e{DIGITS}", "1e400",
    "true", "null", "text", "''", "[]", "{}", "[1, 2]", "{a: 1}", "!!int x", "!!python/name:os.system", "*a",
    "&a [*a]", "? [1]", "\"\\0\"", "é\u2028", "../../etc/passwd", "/dev/zero",
)  # fmt: skip
VALUES: tuple[Any, ...] = (
    float("nan"), float("inf"), -float("inf"), 1e308, -1e308, 1e-308, -1, 0, 1, -0.0, 0.001, 1e5, 1e12, 1e-12,
    2**31, 2**40, 2**63, -(2**63), 10**300, True, False, None, "text", "", "1", [], {}, [1.0, 2.0], [[]],
    {"a": 1}, [0.0, 0.0, 0.0], [1e300, 1e300, 1e300], [-1, 0, 1], "theatre", "paper", "x.yaml", "x" * 10_000,
)  # fmt: skip
NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])")


def make_corpus(folder: Path) -> None:
    """Write good files of every kind."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SCENARIOS:
        loaded = load_scenario(name, SENSED if name == "tether_inertial" else None)
        loaded.save(folder / f"{name}.scenario.yaml")
    source = Path(tl.__file__).parent / "data"
    for name in ("vertical", "wall", "canopy_indoor"):
        shutil.copy(source / "scenarios" / f"{name}.yaml", folder / f"{name}_short.scenario.yaml")
    for name in ("mine", "pillars", "theatre", "wall"):
        shutil.copy(source / "worlds" / f"{name}.yaml", folder / f"{name}.world.yaml")
    for name in ("over_the_wall", "with_an_arm"):
        shutil.copy(source / "plans" / f"{name}.yaml", folder / f"{name}.problem.yaml")
    shutil.copy(source / "trajectories" / "vertical.csv", folder / "trajectory.csv")
    _plan(folder)
    _maps(folder)
    _run(folder)
    _others(folder)


def _plan(folder: Path) -> None:
    from tetherlab.planning.cooperative import plan

    given = TeamProblem.load("over_the_wall")
    found = plan(
        given.problem, automata=given.automata, cells=given.search.cells, time_limit=given.search.time_limit
    )
    TeamPlan.of(given, found).save(folder / "plan.scenario.yaml")


def _maps(folder: Path) -> None:
    import trimesh

    for ending in ("stl", "obj", "ply"):
        trimesh.creation.icosphere(2).export(folder / f"ball.{ending}")
    (folder / "text.ply").write_bytes(trimesh.creation.box().export(file_type="ply", encoding="ascii"))
    points = np.random.default_rng(1).uniform(-1.0, 1.0, (300, 3))
    np.savetxt(folder / "cloud.xyz", points)
    np.savez(folder / "cloud.npz", points=points)
    axis = np.linspace(-1.0, 1.0, 21)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    values = (np.sqrt(x * x + y * y + z * z) - 0.5).astype(np.float32)
    np.savez(folder / "grid.npz", values=values, origin=np.full(3, -1.0), spacing=np.float64(0.1))
    np.save(folder / "heights.npy", np.random.default_rng(2).uniform(0.0, 0.1, (20, 30)).astype(np.float32))
    (folder / "tree.bt").write_bytes(_octomap())


def _octomap() -> bytes:
    """A tree with leaves at several depths: each inner node has one inner child, and leaves."""
    nodes, data = 1, b""
    for level in range(16):
        last = level == 15
        kinds = [0] * 8
        kinds[7 if level == 0 else 0] = 2 if last else 3
        if level > 10:
            kinds[3], kinds[5] = 2, 1
        nodes += sum(kind > 0 for kind in kinds)
        data += struct.pack("<H", sum(kind << 2 * child for child, kind in enumerate(kinds)))
    header = f"# Octomap OcTree binary file\nid OcTree\nsize {nodes}\nres 0.1\ndata\n"
    return header.encode() + data


def _run(folder: Path) -> None:
    for name, until in (("load_on_two_drones", 2.5), ("vertical", 3.0), ("theatre", 4.0), ("windy", 2.0)):
        simulation = tl.Simulation(name)
        simulation.run(until=until)
        simulation.checkpoint(folder / f"{name}.checkpoint")
    simulation.run(until=4.0)
    simulation.log.save(folder / "windy.run")
    for table in ("uav", "winch"):
        shutil.copy(folder / "windy.run" / f"{table}.csv", folder / f"{table}.csv")
    sensed = tl.Simulation("tether_inertial", SENSED)
    sensed.run(until=2.0)
    sensed.log.save(folder / "sensed.run")
    shutil.copy(folder / "sensed.run" / "measurements.csv", folder / "measurements.csv")


def _others(folder: Path) -> None:
    from tetherlab.estimation.decision_tree import DecisionTree
    from tetherlab.estimation.sparse_fit import fit_gp
    from tetherlab.sensors.calibration import ADC, COUNTS, Calibration, SensorLaw

    generator = np.random.default_rng(3)
    inputs = generator.uniform(-1.0, 1.0, (60, 2))
    with warnings.catch_warnings(action="ignore"):
        fit_gp(inputs, np.sin(inputs), inducing=8).save(folder / "residual.model")
    tree = DecisionTree.fit(inputs, ["a" if row[0] > 0.0 else "b" for row in inputs])
    tree.save(folder / "tree.npz")
    (folder / "tree.npz").rename(folder / "tree.model")
    laws = {
        "length": SensorLaw(
            input=COUNTS, unit="m", coefficients=(0.0, 1e-3), residual_deviation=0.01, input_range=(0.0, 1e5)
        ),
        "tension": SensorLaw(
            input=ADC, unit="N", coefficients=(1.0, 0.02), residual_deviation=0.3, input_range=(0.0, 1e3)
        ),
    }
    Calibration(laws).save(folder / "sensors.calibration.yaml")
    (folder / "length_samples.csv").write_text(
        "counts,length_m\n" + "".join(f"{1000 * k},{k}.0{k % 3}\n" for k in range(20))
    )
    (folder / "angle_samples.csv").write_text(
        "axis,adc,reference_adc,angle_deg\n"
        + "".join(f"base_elevation,{20 * k},1000,{k}.{k % 3}\n" for k in range(40))
    )
    (folder / "two.columns.yaml").write_text("uav: {time_s: time_s, x_m: x_m, z_mm: z_m}\n")
    (folder / "switch.automaton.yaml").write_text(
        "locations: {off: {}, on: {invariant: x <= 3, activity: {x: '1'}}}\nevents:\n"
        "- {from: off, label: up, to: on}\n- {from: on, label: down, to: off, guard: x >= 1, reset: {x: '0'}}"
        "\ninitial: off\nlabels: [up, down]\nvariables: {x: 0}\n"
    )


def good_files(corpus: Path, kind: str) -> list[Path]:
    """What there is of a kind, in a fixed order."""
    return sorted(path for pattern in KINDS[kind] for path in corpus.glob(pattern))


def spoil(corpus: Path, kind: str, seed: int, folder: Path) -> Path:
    """A file or folder of a kind that was good before something random happened to it."""
    chance = random.Random(f"{kind} {seed}")
    good = chance.choice(good_files(corpus, kind))
    bad = folder / good.name
    if good.is_dir():
        shutil.copytree(good, bad)
        part = chance.choice(sorted(bad.iterdir()))
        if chance.random() < 0.1:
            part.unlink()
        else:
            part.write_bytes(_spoiled(part, part.read_bytes(), chance))
        return bad
    bad.write_bytes(_spoiled(good, good.read_bytes(), chance))
    return bad


def _spoiled(path: Path, content: bytes, chance: random.Random) -> bytes:
    """One to three mutations that fit the kind of file."""
    ways: list[Callable[[bytes, random.Random], bytes]] = [_flip, _cut]
    if path.suffix in (".npz", ".model", ".checkpoint"):
        ways = [_rewrite_arrays] * 8 + [_bomb, *ways]
        if path.suffix == ".checkpoint":
            ways += [_rewrite_head] * 6
    elif path.suffix == ".npy":
        ways = [_rewrite_array] * 4 + ways
    elif path.suffix == ".json":
        ways += [_rewrite_json] * 6 + [_words, _lines]
    elif path.suffix in (".yaml", ".yml"):
        ways += [_rewrite_yaml] * 12 + [_words, _words, _lines, _laugh, _nest]
    elif path.suffix in (".csv", ".xyz", ".obj") or path.name == "text.ply":
        ways += [_words] * 4 + [_lines] * 2
        if path.suffix == ".csv":
            ways += [_hole, _wide, _encoded]
    elif path.suffix in (".bt", ".ply", ".stl"):
        ways += [_header, _header, _floats]
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        content = chance.choice(ways)(content, chance)
    return content


def _flip(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content or b"\0")
    for _ in range(chance.choice((1, 1, 3, 20))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    return bytes(data)


def _cut(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(len(content) + 1)]


def _words(content: bytes, chance: random.Random) -> bytes:
    """Numbers replaced by extremes, or by something that is no number."""
    text = content.decode("utf-8", errors="replace")
    places = list(NUMBER.finditer(text))
    for place in sorted(
        chance.sample(places, min(len(places), chance.choice((1, 1, 2, 5)))), key=lambda p: -p.start()
    ):
        text = text[: place.start()] + chance.choice(WORDS) + text[place.end() :]
    return text.encode("utf-8", errors="replace")


def _lines(content: bytes, chance: random.Random) -> bytes:
    """A line duplicated, removed, moved, emptied or cut."""
    lines = content.split(b"\n")
    at, to = chance.randrange(len(lines)), chance.randrange(len(lines))
    match chance.randrange(5):
        case 0:
            lines.insert(to, lines[at])
        case 1:
            del lines[at]
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            lines[at] = b""
        case 4:
            lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]
    return b"\n".join(lines)


def _hole(content: bytes, chance: random.Random) -> bytes:
    """A run of one byte, as a disk leaves it that lost its power."""
    at = chance.randrange(len(content) + 1)
    return (
        content[:at]
        + chance.choice((b"\0", b"1", b",", b"\n")) * chance.choice((10, 5000, 3_000_000))
        + content[at:]
    )


def _wide(content: bytes, chance: random.Random) -> bytes:
    """Thousands of columns more."""
    count = chance.choice((10, 1000, 100_000))
    first, _, rest = content.partition(b"\n")
    names = b"".join(b",extra_%d" % k for k in range(count))
    return first + names + b"\n" + rest[:20_000].replace(b"\n", b",1" * count + b"\n")


def _encoded(content: bytes, chance: random.Random) -> bytes:
    """Compressed, or in another encoding."""
    text = content.decode("utf-8", errors="replace")
    return chance.choice(
        (
            gzip.compress(content, mtime=0),
            text.encode("utf-16"),
            text.encode("utf-8-sig"),
            text.encode("utf-32"),
        )
    )


def _header(content: bytes, chance: random.Random) -> bytes:
    """Numbers and words of the first lines changed."""
    end = max(content.find(b"end_header"), content.find(b"\ndata"), 84)
    return (
        _words(content[:end], chance) + content[end:]
        if chance.random() < 0.5
        else _flip(content[:end], chance) + content[end:]
    )


def _floats(content: bytes, chance: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(chance.choice((1, 3, 30))):
        value = chance.choice((float("nan"), float("inf"), 3e38, -3e38, 1e-38, 0.0, 1e9))
        at = chance.randrange(max(len(data) - 4, 1))
        data[at : at + 4] = struct.pack("<f", value)
    return bytes(data)


def _laugh(content: bytes, chance: random.Random) -> bytes:
    """Aliases of aliases."""
    depth = chance.choice((3, 10, 60))
    laughs = "".join(f"a{i}: &a{i} [*a{i - 1}, *a{i - 1}]\n" for i in range(1, depth))
    return f"a0: &a0 [1, 1]\n{laughs}".encode() + content


def _nest(content: bytes, chance: random.Random) -> bytes:
    depth, pair = chance.choice((10, 45, 200, 100_000)), chance.choice(("[]", "{}", "- "))
    nested = "- " * depth if pair == "- " else pair[0] * depth + pair[1] * chance.choice((0, depth))
    return content + f"\nextra: {nested}\n".encode()


def _rewrite_yaml(content: bytes, chance: random.Random) -> bytes:
    try:
        value = parse_yaml(content.decode("utf-8", errors="replace"), "")
    except tl.InputError:  # it is spoiled already
        return _flip(content, chance)
    _change(value, chance)
    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    return yaml.dump(value, Dumper=dumper, sort_keys=False).encode("utf-8", errors="replace")


def _rewrite_json(content: bytes, chance: random.Random) -> bytes:
    try:
        value = json.loads(content)
    except ValueError:
        return _flip(content, chance)
    _change(value, chance)
    return json.dumps(value).encode()


def _change(value: Any, chance: random.Random) -> None:
    """One place somewhere in mappings and lists: another value, gone, twice, or a key with another name."""
    held: list[Any] = []

    def walk(inner: Any) -> None:
        if isinstance(inner, (dict, list)) and inner:
            held.append(inner)
            for item in inner.values() if isinstance(inner, dict) else inner:
                walk(item)

    walk(value)
    numbers = [(place, key) for place in held for key in _keys(place) if type(place[key]) in (int, float)]
    if numbers and chance.random() < 0.5:  # which may well be allowed, and get far
        place, key = chance.choice(numbers)
        place[key] = chance.choice((place[key], place[key], 1, 1.0)) * 10.0 ** chance.uniform(-9.0, 9.0)
        if chance.random() < 0.2:
            place[key] = chance.choice((-place[key], round(place[key]), 0))
        return
    if not held:
        return
    place = chance.choice(held)
    key = chance.choice(_keys(place))
    what = chance.random()
    if what < 0.65:
        place[key] = copy.deepcopy(chance.choice(VALUES))
    elif what < 0.75:
        del place[key]
    elif what < 0.85 and isinstance(place[key], (int, float)):
        place[key] = place[key] * chance.choice((-1, 1e-6, 1e-3, 1e3, 1e6, 1e12))
    elif isinstance(place, list):
        place.extend([copy.deepcopy(place[key])] * chance.choice((1, 10, 1000)))
    else:
        place[chance.choice((f"{key}x", str(key).upper(), "like", "type", "é"))] = place.pop(key)


def _keys(place: Any) -> list[Any]:
    return list(place) if isinstance(place, dict) else list(range(len(place)))


def _unpacked(content: bytes) -> dict[str, bytes] | None:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    except Exception:  # it is spoiled already
        return None


def _packed(members: dict[str, bytes]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return stream.getvalue()


def _rewrite_head(content: bytes, chance: random.Random) -> bytes:
    members = _unpacked(content)
    if members is None or "head.json" not in members:
        return _flip(content, chance)
    return _packed({**members, "head.json": _rewrite_json(members["head.json"], chance)})


def _rewrite_arrays(content: bytes, chance: random.Random) -> bytes:
    members = _unpacked(content)
    names = sorted(name for name in members or () if name.endswith(".npy"))
    if members is None or not names:
        return _flip(content, chance)
    name, what = chance.choice(names), chance.random()
    if what < 0.05:
        del members[name]
    elif what < 0.1:
        members[chance.choice(names)] = members[name]
    else:
        members[name] = _rewrite_array(members[name], chance)
    return _packed(members)


def _rewrite_array(content: bytes, chance: random.Random) -> bytes:
    """An array with other values, another type or shape, a header that lies, or objects in it."""
    try:
        array = np.load(io.BytesIO(content), allow_pickle=False)
    except Exception:  # it is spoiled already
        return _flip(content, chance)
    what = chance.random()
    if what < 0.06:
        lie = chance.choice(("(1000000000000,)", "(99999999999999999999999,)", "(-5,)", "(1, 'a')", "()"))
        return re.sub(rb"\([\d, ]*\)", lie.encode(), content[:256], count=1) + content[256:]
    with np.errstate(all="ignore"), warnings.catch_warnings(action="ignore"):
        if what < 0.8:
            array = _other_values(array, chance)
        elif what < 0.9:
            array = _other_shape(array, chance)
        elif what < 0.95:
            kind = chance.choice(
                (np.float32, np.int64, np.int8, np.complex128, np.bool_, ">f8", "U5", "M8[s]")
            )
            numbers = array.dtype.kind in "iufb"
            array = array.astype(kind) if numbers else np.frombuffer(array.tobytes(), np.uint8)
        else:
            array = np.array([{"run": "this"}], dtype=object)
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, allow_pickle=True)
    return stream.getvalue()


def _other_values(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    array = array.copy()
    part = array[chance.choice(array.dtype.names)] if array.dtype.names else array
    numbers = (
        (-1, 0, 1, 2, 7, 2**31, 2**40, 2**62, -(2**63))
        if part.dtype.kind in "iu"
        else (float("nan"), float("inf"), -1.0, 0.0, 1.0, 1e-300, 1e6, 1e12, 1e300, -1e308)
    )
    if part.size == 0 or part.dtype.kind not in "iufb":
        return array
    flat = part.reshape(-1) if part.flags.c_contiguous else part.flat
    value = np.array(chance.choice(numbers)).astype(part.dtype)
    for _ in range(chance.choice((1, 1, part.size))):
        flat[chance.randrange(part.size)] = value
    return array


def _other_shape(array: NDArray[Any], chance: random.Random) -> NDArray[Any]:
    match chance.randrange(5):
        case 0:
            return array.reshape(-1)[: array.size // 2]
        case 1:
            return array[None]
        case 2:
            return array.T.copy()
        case 3:
            return np.concatenate([array.reshape(-1)] * 2)
    return array.reshape(-1)[:0]


def _bomb(content: bytes, chance: random.Random) -> bytes:
    """Zeros that take a thousandth of their size in the file."""
    members = _unpacked(content) or {}
    header = io.BytesIO()
    count = chance.choice((10_000_000, 40_000_000))
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": (count,)})
    name = chance.choice([*members, "extra.npy"])
    return _packed({**members, name: header.getvalue() + bytes(8 * count)})
