"""Derive the equations of motion of AVOCADO and write them as compiled kernels.

    python tools/derive_avocado.py            writes src/tetherlab/vehicles/avocado/equations.py
    python tools/derive_avocado.py --check    writes nothing and fails if that file is stale

Two derivations of the same model (docs/theory/avocado.md has the mathematics):

- Euler-Lagrange in the paper's coordinates l, Omega, theta, psi, phi, with every force projected on the
  velocity of the point where it acts. Its mass matrix is singular at theta = 0.
- The same energies and forces with the turning rates w of the tether frame in place of the rates of Omega,
  theta and psi (Boltzmann-Hamel). Only the vertical as seen from the tether frame, G, is left of the angles,
  and the mass matrix is singular nowhere while l > 0. The damping of Omega and psi, which belongs to the
  paper's coordinates and is infinite at theta = 0, is left out here.

Before anything is written both are compared, in exact arithmetic, at random rational points. What is written
of the first is the second put into the paper's coordinates: the same functions, in a quarter of the terms.
"""

import random
import subprocess
import sys
from pathlib import Path

import sympy as sp
from sympy.printing.pycode import PythonCodePrinter

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "src" / "tetherlab" / "vehicles" / "avocado" / "equations.py"
POINTS = 3  # where the two derivations are compared

# Parameters: field of AvocadoModel -> symbol.
m, Jx, Jy, Jz, lg, lt, g, k_v, k_x, k_y, k_z, dph, dom, dps = sp.symbols(
    "m Jx Jy Jz lg lt g k_v k_x k_y k_z dph dom dps", positive=True
)
FIELDS = {
    "mass": m,
    "inertia_x": Jx,
    "inertia_y": Jy,
    "inertia_z": Jz,
    "mass_arm": lg,
    "thrust_arm": lt,
    "gravity": g,
    "drag": k_v,
    "drag_x": k_x,
    "drag_y": k_y,
    "drag_z": k_z,
    "damping_phi": dph,
    "damping_heading": dom,
    "damping_psi": dps,
}
lp = sp.Symbol("lp", positive=True)  # distance of the motors; it cancels
l, phi, thrust, torque = sp.symbols("ell phi thrust torque")  # noqa: E741 (as in the paper)
Om, th, ps = sp.symbols("Om th ps")
q = sp.Matrix([l, Om, th, ps, phi])
qd = sp.Matrix(sp.symbols("ell_d Om_d th_d ps_d phi_d"))
v = sp.Matrix(sp.symbols("v0:5"))  # rate of l, w1, w2, w3, rate of phi
vd = sp.Matrix(sp.symbols("a0:5"))  # their rates
G = sp.Matrix(sp.symbols("G0:3"))  # unit vector downwards, in the tether frame
EX, EY, EZ = (sp.Matrix([int(i == j) for j in range(3)]) for i in range(3))


def turn_y(angle):
    """Rotation about y."""
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def turn_z(angle):
    """Rotation about z."""
    c, s = sp.cos(angle), sp.sin(angle)
    return sp.Matrix([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def rate_of(matrix):
    """Its derivative by time, for rates qd of q."""
    return sum((matrix.diff(x) * xd for x, xd in zip(q, qd, strict=True)), sp.zeros(*matrix.shape))


def plate_moments():
    """Mean squares of the distances y, z on an elliptic plate with half axes a, b, by integration."""
    a, b, r, t = sp.symbols("a b r t", positive=True)
    y, z, dA = a * r * sp.cos(t), b * r * sp.sin(t), a * b * r

    def mean(f):
        return sp.simplify(sp.integrate(f * dA, (r, 0, 1), (t, 0, 2 * sp.pi)) / (sp.pi * a * b))

    assert mean(y) == mean(z) == mean(y * z) == 0
    assert (mean(y**2), mean(z**2)) == (a**2 / 4, b**2 / 4)  # what AvocadoModel is built with


def plate_drag(velocity, omega):
    """Half the power lost to F = -c_D v dA on the plate: k_v of the centre, k_x, k_y, k_z of turning."""
    return (
        k_v * velocity.dot(velocity) + k_x * omega[0] ** 2 + k_y * omega[1] ** 2 + k_z * omega[2] ** 2
    ) / 2


def lagrange():
    """M(q) and h of M q'' = h in the paper's coordinates, the frame of the paper: y down."""
    frame = turn_y(Om) * turn_z(th) * turn_y(ps)  # of the tether, turned by the roll
    body = frame * turn_z(phi)
    tied = l * (turn_y(Om) * turn_z(th) * EY)

    def velocity(point):
        return point.jacobian(q) * qd

    def project(point, force):
        return velocity(point).jacobian(qd).T * force

    centre = tied + body * (lg * EY)
    spin = body.T * rate_of(body)
    omega = sp.Matrix([spin[2, 1], spin[0, 2], spin[1, 0]])
    speed = velocity(centre)
    kinetic = m * speed.dot(speed) / 2 + (Jx * omega[0] ** 2 + Jy * omega[1] ** 2 + Jz * omega[2] ** 2) / 2
    potential = -m * g * centre[1]
    momentum = sp.Matrix([kinetic]).jacobian(qd).T
    # The tension pulls at P along the tether: its part is (-tension, 0, 0, 0, 0), left to the caller.
    assert sp.simplify(project(tied, -tied / l)) == -sp.eye(5)[:, 0]
    forces = sp.zeros(5, 1)
    left, right = (thrust + torque / lp) / 2, (thrust - torque / lp) / 2
    forces += project(tied + body * (lt * EY - lp * EZ), -left * body * EX)
    forces += project(tied + body * (lt * EY + lp * EZ), -right * body * EX)
    loss = plate_drag(speed, omega) + (dph * qd[4] ** 2 + dom * qd[1] ** 2 + dps * qd[3] ** 2) / 2
    forces -= sp.Matrix([loss]).jacobian(qd).T
    h = forces + sp.Matrix([kinetic - potential]).jacobian(q).T - momentum.jacobian(q) * qd
    return momentum.jacobian(qd), h


def hamel():
    """M and r of M v' = r with the rates v = (l', w, phi') in the tether frame."""
    w = sp.Matrix(v[1:4])
    arm = turn_z(phi) * EY
    turning = w + v[4] * EZ
    omega = turn_z(phi).T * turning

    def velocity(distance):
        """Of a point on the robot's axis."""
        return v[0] * EY + l * w.cross(EY) + distance * turning.cross(arm)

    speed = velocity(lg)
    kinetic = m * speed.dot(speed) / 2 + (Jx * omega[0] ** 2 + Jy * omega[1] ** 2 + Jz * omega[2] ** 2) / 2
    kinetic = sp.expand(kinetic)
    M = sp.hessian(kinetic, list(v)).applyfunc(sp.trigsimp)
    momentum = M * v
    forces = velocity(lg).jacobian(v).T * (m * g * G)
    forces += velocity(lt).jacobian(v).T * (-thrust * turn_z(phi) * EX)
    forces += turning.jacobian(v).T * (torque * arm)
    loss = plate_drag(speed, omega) + dph * v[4] ** 2 / 2
    forces -= sp.Matrix([loss]).jacobian(v).T
    r = forces - (M.diff(l) * v[0] + M.diff(phi) * v[4]) * v
    r[0] += kinetic.diff(l)
    r[4] += kinetic.diff(phi)
    turned = w.cross(sp.Matrix(momentum[1:4]))
    for i in range(3):
        r[1 + i] -= turned[i]
    return M, r


def rates():
    """A of v = A q': l', w and phi' from the rates of the paper's coordinates; and the vertical G."""
    vertical = turn_y(-ps) * turn_z(-th) * EY
    w = qd[1] * vertical + qd[2] * (turn_y(-ps) * EZ) + qd[3] * EY
    return sp.Matrix([qd[0], *w, qd[4]]).jacobian(qd), vertical


def in_angles(regular):
    """M and h of M q'' = h in the paper's coordinates, from those of the tether frame."""
    (M, r), (A, vertical) = regular, rates()
    seen = dict(zip(v, A * qd, strict=True)) | dict(zip(G, vertical, strict=True))
    damping = sp.Matrix([0, dom * qd[1], 0, dps * qd[3], 0])
    return A.T * M * A, A.T * (r.xreplace(seen) - M * rate_of(A) * qd) - damping


def compare(paper, other):
    """Assert that two pairs M, h are equal, exactly, at rational points."""
    draw = random.Random(1)

    def number():
        return sp.Rational(draw.randint(1, 40), draw.randint(3, 30))

    for _ in range(POINTS):
        point = {x: number() for x in (*FIELDS.values(), lp, l, thrust, torque, *qd)}
        for angle in (Om, th, ps, phi):
            t = number()  # of half the angle
            point |= {sp.cos(angle): (1 - t**2) / (1 + t**2), sp.sin(angle): 2 * t / (1 + t**2)}
        for first, second in zip(paper, other, strict=True):
            assert (first.xreplace(point) - second.xreplace(point)).is_zero_matrix


class Printer(PythonCodePrinter):
    """Small powers as products, and functions of `math`."""

    def _print_Pow(self, expr, rational=False):
        base, power = expr.as_base_exp()
        if power.is_Integer and 1 < abs(power) <= 4:
            inner = self.parenthesize(base, 100)
            product = " * ".join([inner] * abs(int(power)))
            return f"({product})" if power > 0 else f"1.0 / ({product})"
        return super()._print_Pow(expr, rational=rational)

    def _print_Rational(self, expr):
        return repr(float(expr))

    def _print_Zero(self, expr):
        return "0.0"


def write_function(name, docstring, arguments, inputs, outputs):
    """Source of a kernel that fills arrays with expressions; outputs: (text before the `=`, expression)."""
    printer = Printer({"fully_qualified_modules": True})
    parts, finals = sp.cse([value for _, value in outputs], symbols=sp.numbered_symbols("x"), order="none")
    used = set().union(*(e.free_symbols for e in (*finals, *(value for _, value in parts))))
    lines = ["", "", "@kernel", f"def {name}({', '.join(arguments)}):", f'    """{docstring}"""']
    lines += [f"    {symbol} = model.{field}" for field, symbol in FIELDS.items() if symbol in used]
    lines += [f"    {symbol} = {text}" for symbol, text in inputs if symbol in used]
    lines += [f"    {symbol} = {printer.doprint(value)}" for symbol, value in parts]
    lines += [
        f"    {text} = {printer.doprint(value)}" for (text, _), value in zip(outputs, finals, strict=True)
    ]
    return lines


def elements(name, matrix):
    """What to assign to each element of an array."""
    rows, columns = matrix.shape
    if columns == 1:
        return [(f"{name}[{i}]", matrix[i]) for i in range(rows)]
    return [(f"{name}[{i}, {j}]", matrix[i, j]) for i in range(rows) for j in range(columns)]


HEAD = '''"""Equations of motion of AVOCADO. Generated by tools/derive_avocado.py: change that, not this.

All without the tension, which belongs into the first row of r with a minus. model: an AvocadoModel.
Tether frame: ell is l; v: (l', w1, w2, w3, phi'), (5,); G: unit vector downwards, (3,). Paper's coordinates:
q = (l, Omega, theta, psi, phi), (5,), and v = q'. See docs/theory/avocado.md.
"""

import math

from tetherlab.math.kernel import kernel'''


def generate():
    """The text of the kernel file."""
    plate_moments()
    M, r = hamel()
    M_angles, h = in_angles((M, r))
    compare(lagrange(), (M_angles, h))
    inputs = [*zip(v, (f"v[{i}]" for i in range(5)), strict=True)]
    rates_in = [*zip(vd, (f"rate[{i}]" for i in range(5)), strict=True)]
    seen = [*zip(G, (f"G[{i}]" for i in range(3)), strict=True), *inputs]
    angles = [
        *zip(q, (f"q[{i}]" for i in range(5)), strict=True),
        *zip(qd, (f"v[{i}]" for i in range(5)), strict=True),
    ]
    frame = ["model", "ell", "phi", "G", "v", "thrust", "torque"]
    paper = ["model", "q", "v", "thrust", "torque"]
    rest, rest_angles = r - M * vd, h - M_angles * vd
    by_place = sp.Matrix.hstack(*(rest.diff(x) for x in (l, *G, phi)))
    lines = HEAD.splitlines()
    lines += write_function(
        "fill_equations",
        "M (5, 5) and r (5,) of M v' = r in the tether frame, without damping of Omega and psi.",
        [*frame, "M", "r"],
        seen,
        elements("M", M) + elements("r", r),
    )
    lines += write_function(
        "fill_sensitivities",
        "Derivatives of r - M v', (5, 5) each: by l, G1, G2, G3, phi, and by v; rate: v' (5,).",
        [*frame, "rate", "by_place", "by_rate"],
        [*seen, *rates_in],
        elements("by_place", by_place) + elements("by_rate", r.jacobian(v)),
    )
    lines += write_function(
        "fill_angle_equations",
        "M (5, 5) and r (5,) of M q'' = r in the paper's coordinates; M is singular at theta = 0.",
        [*paper, "M", "r"],
        angles,
        elements("M", M_angles) + elements("r", h),
    )
    lines += write_function(
        "fill_angle_sensitivities",
        "Derivatives of r - M q'', (5, 5) each: by q, and by q'; rate: q'' (5,).",
        [*paper, "rate", "by_place", "by_rate"],
        [*angles, *rates_in],
        elements("by_place", rest_angles.jacobian(q)) + elements("by_rate", h.jacobian(qd)),
    )
    return formatted("\n".join(lines) + "\n")


def formatted(text):
    """As the project's formatter has it."""
    command = [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(TARGET), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=ROOT).stdout


def main():
    """Write or compare the file."""
    text = generate()
    if "--check" in sys.argv:
        if not TARGET.exists() or TARGET.read_text(encoding="utf-8") != text:
            raise SystemExit(f"{TARGET.relative_to(ROOT)} is stale: run python tools/derive_avocado.py")
        return
    TARGET.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
