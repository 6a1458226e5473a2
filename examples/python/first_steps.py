# %% [markdown]
# First steps: a robot, its numbers, one state and a hundred thousand.

# %%
import time

import numpy as np

import torsor

robot = torsor.Robot("panda")  # built in; or a .urdf or .yaml file
print(robot, "\n", robot.joint_names)

# %% One state: vectors of n numbers.
q = robot.random_configuration(seed=1)
qd, qdd = np.zeros(7), np.ones(7)
print("tool at", robot.frame_pose("tool", q)[:3, 3].round(3))
print("torques", robot.inverse_dynamics(q, qd, qdd).round(3))
print("condition of M", np.linalg.cond(robot.mass_matrix(q)).round(1))

# %% Many states: rows. The same verbs, in registers and threads.
n = 100_000
q = robot.random_configuration(seed=1, count=n)
qd, qdd = np.random.default_rng(1).normal(size=(2, n, 7))
begin = time.perf_counter()
tau = robot.inverse_dynamics(q, qd, qdd)
print(f"{n} inverse dynamics in {1e3 * (time.perf_counter() - begin):.0f} ms, {tau.shape}")

# %% Derivatives are exact, with respect to the state and to any parameter by name.
d = robot.inverse_dynamics_derivatives(q[0], qd[0], qdd[0])
print("dtau/dq", d.dtau_dq.shape)
by = robot.inverse_dynamics_derivatives(q[0], qd[0], qdd[0], parameters="link_7.mass,gravity.z")
print("dtau by", by.names, "\n", by.dtau.round(4))

# %% A robot never changes; surgery makes another one.
loaded = robot.attach_payload("link_7", mass=2.0, com=[0, 0, 0.1])
print("2 kg in the hand:", (loaded.gravity_torque(q[0]) - robot.gravity_torque(q[0])).round(3))
