"""How the force at the end answers to a change of the end's velocity."""

from tetherlab.math.kernel import njit
from tetherlab.tether.band import solve_band
from tetherlab.tether.bending import add_bending, bending_forces, resists_bending
from tetherlab.tether.chain import solve_chain
from tetherlab.tether.element import assemble, element_forces
from tetherlab.tether.model import COUNT, FREE, KIND_BASE, open_model, open_state, open_work
from tetherlab.tether.prepare import prepare


@njit(cache=True, error_model="numpy", _nrt=False)
def end_response(memory, wind, h, response):
    """Change of the end's mean velocity over a step h per unit of h F / 2 on it, (3, 3), into `response`.

    The chain as it is now, as if its end were free; contacts are left out.
    """
    state, work = open_state(memory), open_work(memory)
    count = state.number[COUNT]
    first = 0 if state.number[KIND_BASE] == FREE else 1
    stiff = resists_bending(open_model(memory))
    prepare(memory, wind, h, 0.0)
    work.damping[0] = 0.0
    for column in range(3):
        element_forces(memory, count, h)
        assemble(memory, first, count, h)
        if stiff:
            bending_forces(memory, h)
            add_bending(memory, h)
        for i in range(first, count + 1):
            for k in range(3):
                work.rhs[i, k] = 0.0
        work.rhs[count, column] = 1.0
        if stiff:
            solve_band(
                first, count, False, False, work.diagonal, work.rhs, work.band, work.inverse, work.solved
            )
        else:
            solve_chain(
                first, count, False, False, work.diagonal, work.rhs, work.link, work.inverse, work.solved
            )
        for k in range(3):
            response[k, column] = work.solved[count, k]
