"""Inverse dynamics from the installed Python module: the rod again, and one round trip of an arm."""
import pathlib

import numpy as np
import torsor

here = pathlib.Path(__file__).parent
assert torsor.__file__.startswith("/usr/lib/python3/"), torsor.__file__
rod = torsor.Robot(str(here / "rod.urdf"))
tau = rod.inverse_dynamics(np.zeros(1), np.zeros(1), np.zeros(1))
assert abs(tau[0] + 2 * 9.81 * 0.5) < 1e-12, tau

arm = torsor.Robot("puma560")
q = arm.random_configuration(1)
qd, qdd = np.linspace(-1, 1, 6), np.linspace(2, -2, 6)
back = arm.forward_dynamics(q, qd, arm.inverse_dynamics(q, qd, qdd))
assert np.abs(back - qdd).max() < 1e-9, back
