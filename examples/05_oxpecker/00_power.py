"""A drone is fed through its tether: what it draws, what is lost on the way, what converters would change.

The drone of paper 003 circles on its power cable. The run records voltage, current, loss and heat. The same
flight is then fed again, from the record: with the return conductor counted, and with 400 V on the cable.
"""

import dataclasses

import numpy as np

import tetherlab as tl
from tetherlab.scenario.power import power_spec
from tetherlab.vehicles.power import Converter, PowerSupply

POWERED = {"power": "oxpecker", "run.duration_max_s": 12.0}


def main(show=True):
    """Fly 12 s; returns the log, and by a word the table `power` of each way to feed this flight."""
    log = tl.run("constant_tension", POWERED)
    spec = power_spec(tl.Scenario.load("constant_tension", POWERED))
    both = dataclasses.replace(spec, cable=dataclasses.replace(spec.cable, return_conductor=True))
    raised = dataclasses.replace(spec, converter=Converter(voltage=400.0))
    ways = {"as the paper counts": spec, "with the way back": both, "at 400 V": raised}
    tables = {word: PowerSupply(way).run_log(log) for word, way in ways.items()}
    if show:
        draw(log, tables)
    return log, tables


def draw(log, tables):
    """Power that is drawn, and what is lost on the way to it."""
    from pathlib import Path

    import matplotlib.pyplot as plt

    figure, (above, below) = plt.subplots(2, 1, figsize=(8, 6), sharex=True, layout="constrained")
    above.plot(log["power"]["time_s"], log["power"]["power_W"], color="0.3")
    above.set(ylabel="drawn by the drone [W]")
    for word, color in zip(tables, ("#1f4e79", "#c05a1a", "#3b7d4f"), strict=True):
        below.plot(tables[word]["time_s"], tables[word]["loss_W"], color=color, label=word)
    below.set(xlabel="time [s]", ylabel="lost on the way [W]")
    below.legend(frameon=False)
    path = Path("runs") / "oxpecker_power.png"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=110)
    plt.close(figure)
    print(f"{log.metrics['energy_Wh']:.2f} Wh drawn, {log.metrics['loss_share_percent']:.1f} % lost; {path}")


def check(result):
    """Nothing is lost from the books, the record is what the supply says, and the way back costs most."""
    log, tables = result
    table, own = log["power"], tables["as the paper counts"]
    inner = table["battery_voltage_V"] + 0.03 * table["battery_current_A"]
    winch = inner * table["battery_current_A"] - table["power_W"] - table["loss_W"]  # what else is drawn
    assert winch.min() > -1e-6 and 0.5 < winch.max() < 0.01 * table["power_W"].max()
    assert np.allclose(own["loss_W"][10:], table["loss_W"][10:], rtol=0.01)
    flying = log["uav"]["thrust_N"] > 20.0
    cable = {word: np.mean(rows["current_A"][flying] ** 2) for word, rows in tables.items()}
    lost = {word: np.mean(rows["loss_W"][flying]) for word, rows in tables.items()}
    assert lost["with the way back"] > 1.5 * lost["as the paper counts"]
    assert cable["at 400 V"] < 0.1 * cable["as the paper counts"]  # "at least ten times", as the paper hopes
    assert lost["at 400 V"] > 20.0  # but converters lose some, too


if __name__ == "__main__":
    check(main())
