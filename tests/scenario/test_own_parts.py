"""Parts of one's own take the place of those of a scenario."""

import tetherlab as tl


class StandStill:
    """A controller of the ground robot that counts how often it was asked."""

    rate_hz = 50.0

    def __init__(self):
        self.calls = 0

    def init(self):
        return None

    def __call__(self, memory, observation, reference):
        self.calls += 1
        return memory, tl.UgvCommand(0.0, 0.0, 0.0)


def test_a_run_takes_a_controller_of_the_ground_robot():
    mine = StandStill()
    tl.run("vertical", {"run.duration_max_s": 0.1}, ugv_controller=mine)
    assert mine.calls == 5
