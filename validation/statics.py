"""The tether at rest: its shape against the catenary, and the noise that is left in its tension."""

import math
from collections.abc import Callable

import numpy as np

import tetherlab as tl
from validation.figure import COLOURS, GREY, MARKERS, drawing
from validation.table import Picture, Row, Study, at_most, within

SPANS = (5.0, 10.0, 15.0)  # [m]
ELEMENTS = (0.05, 0.10, 0.15, 0.20)  # [m]
SLACK = 1.2
LINEAR_DENSITY = 0.0667  # [kg/m]
AXIAL_STIFFNESS = 1e5  # [N]
# Quadratic drag works best where coefficient * amplitude is about constant, so each stage, which starts at
# rest where the last one ended, has ten times the drag.
DRAG_STAGES = (1e2, 1e3, 1e4, 1e5, 1e6, 1e7)
STAGE_TIME = 6.0  # [s]


def run(say: Callable[[str], None]) -> Study:
    """Shapes for every span and element length, then the noise at rest."""
    study = Study(
        title="Statics: the shape of a hanging tether",
        model=(
            "Tether of 0.0667 kg/m and EA = 100 kN with 20 % slack, released as a V of two straight legs "
            "and left to settle in simulation under strong drag. Error: mean distance of the nodes from "
            "the points of the true curve at the same unstretched arc length, in % of the tether's "
            "length."
        ),
        truth=("`tl.ElasticCatenary` and `tl.Catenary` (does not stretch), closed forms."),
    )
    elastic = np.empty((len(SPANS), len(ELEMENTS)))
    rigid = np.empty_like(elastic)
    slowest = 0.0
    for i, span in enumerate(SPANS):
        say(f"ends {span:g} m apart")
        for j, element in enumerate(ELEMENTS):
            nodes, speed = settle(span, element)
            slowest = max(slowest, speed)
            elastic[i, j], rigid[i, j] = shape_errors(nodes, span)
    orders = [np.polyfit(np.log(ELEMENTS), np.log(row), 1)[0] for row in elastic]
    published = "published for a Gazebo chain: 0.26 to 0.88 %"
    study.rows += [
        at_most("largest error against the catenary", "% of length", 0.01, rigid.max(), published),
        at_most("largest error against the elastic catenary", "% of length", 0.01, elastic.max()),
        *(
            within(f"order of convergence, ends {span:g} m apart", "", 2.0, 0.2, order)
            for span, order in zip(SPANS, orders, strict=True)
        ),
        at_most("largest speed when the shape was taken", "m/s", 1e-5, slowest),
        *rest_noise(say),
    ]
    _draw(elastic, rigid)
    study.pictures.append(
        Picture("validation_statics.svg", "Error of the settled shape over the element length")
    )
    return study


def settle(span: float, element: float) -> tuple[np.ndarray, float]:
    """Nodes of the tether at rest, released as a V, and its largest speed then [m/s]."""
    length = SLACK * span
    depth = 0.5 * math.sqrt(length**2 - span**2)
    shape = np.array([[0.0, 0.0, 0.0], [0.5 * span, 0.0, -depth], [span, 0.0, 0.0]])
    for drag in DRAG_STAGES:
        spec = tl.TetherSpec(
            linear_density=LINEAR_DENSITY,
            diameter=0.008,
            axial_stiffness=AXIAL_STIFFNESS,
            axial_damping=300.0,
            drag_coefficient=drag,
            drag_coefficient_tangential=drag,
        )
        tether = tl.Tether(
            spec, base=shape[0], end=shape[-1], length=length, element_length=element, shape=shape
        )
        for _ in range(round(STAGE_TIME / 0.1)):
            tether.step(0.1)
        shape = tether.nodes
    return shape, float(np.abs(tether.velocities).max())


def shape_errors(nodes: np.ndarray, span: float) -> tuple[float, float]:
    """Mean distance from the elastic and from the inextensible catenary [% of length]."""
    base, end, length = (0.0, 0.0, 0.0), (span, 0.0, 0.0), SLACK * span
    curves = (
        tl.ElasticCatenary.between(base, end, length, LINEAR_DENSITY, AXIAL_STIFFNESS),
        tl.Catenary.between(base, end, length),
    )
    first, second = (np.linalg.norm(nodes - curve.sample(len(nodes)), axis=1).mean() for curve in curves)
    return 100.0 * float(first) / length, 100.0 * float(second) / length


def rest_noise(say: Callable[[str], None]) -> list[Row]:
    """Standard deviation of the tension at the end over one second, long after all motion has died."""
    spec = tl.TetherSpec(linear_density=LINEAR_DENSITY, diameter=0.008, drag_coefficient=1e3)
    box = tl.World([tl.shapes.Box(lower=(-1.0, -1.0, -3.0), upper=(0.0, 1.0, 0.0))])
    pole = tl.World([tl.shapes.Cylinder(start=(0.0, -1.0, 0.0), end=(0.0, 1.0, 0.0), radius=0.01)])
    over_edge = np.array([[-0.9, 0.0, 0.3], [0.003, 0.0, 0.004], [0.6, 0.0, -2.0]])
    round_pole = np.array([[-2.0, 0.0, -1.0], [0.0, 0.0, 0.0145], [2.0, 0.0, -1.0]])
    cases = {
        "hanging": (tl.World(), np.array([[0.0, 0.0, 0.0], [10.0, 0.0, 0.0]]), 12.0, None),
        "over a box edge": (box, over_edge, 0.0, over_edge),
        "round a 2 cm pole": (pole, round_pole, 0.0, round_pole),
    }
    rows = []
    for name, (world, ends, length, shape) in cases.items():
        say(f"noise at rest, {name}")
        if shape is not None:
            length = float(np.linalg.norm(np.diff(shape, axis=0), axis=1).sum())
        tether = tl.Tether(spec, base=ends[0], end=ends[-1], length=length, shape=shape, world=world)
        while shape is not None and np.linalg.norm(tether.step(0.01, reel_speed=-0.02).on_end) < 20.0:
            pass
        for _ in range(400):
            tether.step(0.05)
        pull = np.array([np.linalg.norm(tether.step(0.005).on_end) for _ in range(200)])
        rows.append(
            at_most(
                f"noise of the end tension at rest, {name}",
                "N",
                0.02,
                pull.std(),
                f"mean {pull.mean():.2f} N",
            )
        )
    return rows


def _draw(elastic: np.ndarray, rigid: np.ndarray) -> None:
    with drawing("validation_statics.svg", columns=2) as axes:
        slope = 0.5 * elastic[2, 0] * (np.array(ELEMENTS) / ELEMENTS[0]) ** 2
        axes[0].loglog(ELEMENTS, slope, color=GREY, linestyle=":", label="second order")
        for axis, errors, title in zip(
            axes, (elastic, rigid), ("against the elastic catenary", "against the catenary"), strict=True
        ):
            for i, span in enumerate(SPANS):
                label = f"ends {span:g} m apart"
                axis.loglog(ELEMENTS, errors[i], marker=MARKERS[i], color=COLOURS[i], label=label)
            axis.axhline(0.01, color=GREY, linestyle="--", linewidth=1)
            axis.text(0.05, 0.0105, "target", color=GREY, va="bottom")
            axis.set_xticks(ELEMENTS, [f"{element:g}" for element in ELEMENTS])
            axis.minorticks_off()
            axis.set_ylim(2e-5, 3e-2)
            axis.set_xlabel("element length [m]")
            axis.set_title(title)
        axes[0].set_ylabel("mean error [% of length]")
        axes[1].legend(*axes[0].get_legend_handles_labels(), loc="lower right")
