"""What every test may rely on: nothing is swallowed, and randomness can be repeated."""

import signal
import zlib

import numpy as np
import pytest

from tetherlab.math.compile_notice import COUNT


def pytest_configure(config: pytest.Config) -> None:
    """Any warning that our package causes is a failure."""
    config.addinivalue_line("filterwarnings", "error:::tetherlab")
    COUNT.said = True  # tests look at what is printed, and must not depend on what was compiled before
    # Who is started in the background ignores Ctrl-C, and so would all that tests start.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def invalid_values_are_errors():
    """NumPy raises where it would make a NaN, in our code and in the tests."""
    with np.errstate(invalid="raise"):
        yield


@pytest.fixture
def random(request: pytest.FixtureRequest) -> np.random.Generator:
    """A generator whose seed follows from the test's name; pytest shows it when the test fails."""
    seed = zlib.crc32(request.node.nodeid.encode())
    print(f"random seed {seed}")
    return np.random.default_rng(seed)
