# %% [markdown]
# An adaptive law of one's own on a UR5: it learns the mass in its hand while it moves.
#
#     tau = Y(q, qd, v, a) p_hat + Kd s        s = qd_d - qd + Lambda e,  v = qd_d + Lambda e,  a = v'
#     p_hat' = Gamma Y^T s                     Slotine & Li 1987

# %%
from typing import Any, Sequence, Tuple

import numpy as np

import torsor
from torsor.results import Array, ControlInput


class Adaptive(torsor.ControlLaw):
    """Adapts mass and first moments of the last link; the rest is the model's."""

    n_states = 4
    state_names = ["m", "mx", "my", "mz"]

    def __init__(self, robot: torsor.Robot, link: str, Lambda: float, Kd: Array,
                 Gamma: Sequence[float]) -> None:
        self.robot, self.Lambda, self.Kd, self.Gamma = robot, Lambda, Kd, np.asarray(Gamma)
        self.columns = [robot.parameter_names.index(f"{link}.{name}") for name in self.state_names]

    def errors(self, i: ControlInput) -> Tuple[Array, Array]:
        e, edot = i.q_d - i.q, i.qd_d - i.qd
        s = edot + self.Lambda * e
        Y = self.robot.two_velocity_torque_regressor(
            i.q, i.qd, i.qd_d + self.Lambda * e, i.qdd_d + self.Lambda * edot)
        return s, Y

    def initial_state(self) -> Array:
        return self.robot.parameters[self.columns]

    def torque(self, input: ControlInput) -> Any:
        i = input
        s, Y = self.errors(i)
        p = self.robot.parameters
        p[self.columns] = i.x_c
        return Y @ p + self.Kd * s + self.robot.friction_torque(i.q, i.qd)

    def state_derivative(self, input: ControlInput) -> Any:
        s, Y = self.errors(input)
        return self.Gamma * (Y[:, self.columns].T @ s)

    def filtered_error(self, input: ControlInput) -> Array:
        return self.errors(input)[0]


# %% The robot carries 2 kg that the law does not know of.
robot = torsor.Robot("ur5").with_effects(torsor.Effects(rotors=False, friction=False))
link = robot.body_names[-1]
loaded = robot.attach_payload(link, 2.0, [0, 0, 0.08])
Kd = np.array([40, 40, 20, 5, 5, 0.05])  # N m s: a wrist is light, and a sampled law must not be stiffer
law = Adaptive(robot, link, Lambda=5, Kd=Kd, Gamma=[20, 0.01, 0.01, 0.5])


def reference(t: float) -> Tuple[Array, Array, Array]:
    """All joints swing with different frequencies."""
    w, a, q0 = np.array([1.1, 0.9, 1.3, 1.7, 1.5, 1.9]), 0.5, np.array([0, -1.2, 1.2, -1.0, 1.0, 0])
    return q0 + a * np.sin(w * t), a * w * np.cos(w * t), -a * w * w * np.sin(w * t)


q0, qd0, _ = reference(0.0)
run = torsor.simulate(robot, law, reference, plant=loaded, duration=6, q0=q0, qd0=qd0, period=0.001)
fixed = torsor.simulate(robot, torsor.control.PassivityTracking(robot, Lambda=5, Kd=Kd), reference,
                        plant=loaded, duration=6, q0=q0, qd0=qd0, period=0.001)

# %%
late = run.t > 4
learnt = run["x_c"][-1, 0] - robot.parameters[law.columns[0]]
print(f"mass in the hand: learnt {learnt:.2f} kg of 2")
print(f"error after 4 s: {np.abs(run['e'][late]).max():.5f} rad, "
      f"without adaptation {np.abs(fixed['e'][late]).max():.5f}")
assert np.abs(run["e"][late]).max() < 0.2 * np.abs(fixed["e"][late]).max()
