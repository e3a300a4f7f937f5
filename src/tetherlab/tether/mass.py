"""Where the mass of an element sits: half way between its two nodes and all along it.

With masses at the nodes alone, waves of wavenumber k are too slow by (k l)^2 / 24; with masses spread along
straight elements they are too fast by as much. Half way, the kinetic energy of an element is that of its
nodes and q |v[j+1] - v[j]|^2 / 2 beside it, q = -rho rest / 12, and the two errors cancel.
"""

from tetherlab.math.kernel import kernel
from tetherlab.tether.contact_books import book_gain
from tetherlab.tether.model import COUNT, open_model, open_state, open_work, touches


@kernel
def _square_of_difference(vectors, j):
    square = 0.0
    for k in range(3):
        square += (vectors[j + 1, k] - vectors[j, k]) ** 2
    return square


@kernel
def share_masses(memory):
    """Set `shared` for this step; by how much the kinetic energy changes where it changes goes to the books.

    The first and the last element have none, so that what holds an end feels the mass of its node alone and
    the winch may change the length of its element. Nor have wrapped ones, whose nodes move in different
    directions although the tether runs through.
    """
    model, state = open_model(memory), open_state(memory)
    count = state.number[COUNT]
    for j in range(count):
        q = 0.0
        if 0 < j < count - 1 and state.wrap[j].active == 0:
            q = -model.linear_density * state.rest[j] / 12.0
        if q != state.shared[j]:
            book_gain(memory, 0.5 * (q - state.shared[j]) * _square_of_difference(state.v, j))
            state.shared[j] = q


@kernel
def shared_loss(memory, h):
    """What shared masses lose in a step in which some nodes touch and go by backward Euler [J]."""
    state, work = open_state(memory), open_work(memory)
    lost = 0.0
    for j in range(1, state.number[COUNT] - 1):
        for i in range(j, j + 2):
            if touches(work, i):
                other = 2 * j + 1 - i
                for k in range(3):
                    a = state.a[i, k]
                    lost += 0.5 * h * h * state.shared[j] * a * (a - state.a[other, k])
    return lost
