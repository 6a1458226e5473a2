# %% [markdown]
# A PUMA 560 that nobody knows the masses of: a motion that shows them, a damaged log, an estimate, and
# the robot that it makes.

# %% A motion that tells the parameters apart. (A real design takes more iterations.)
import numpy as np

import torsor

true = torsor.Robot("puma560")
motion = torsor.design_excitation(true, period=8, starts=2, iterations=15, position_limit=1.5,
                                  velocity_limit=2)
print(f"condition {motion.condition:.0f}, a random motion has {motion.start_condition:.0f}")

# %% What the robot's log would be: 200 Hz, noise, and damage.
random = np.random.default_rng(1)
t = np.arange(0, 3 * motion.duration, 0.005)
m = motion.sample(t)
tau = true.inverse_dynamics(m.q, m.qd, m.qdd)
q = m.q + 2e-5 * random.normal(size=m.q.shape)
tau = tau + 0.01 * np.abs(tau).max(axis=0) * random.normal(size=tau.shape)
q[400:403, 2] = np.nan  # lost rows
tau[1000, 1] = 1e5  # a spike
q[2000:, 0] += 2 * np.pi  # an encoder that wraps

# %% The estimate starts from a robot with wrong numbers.
wrong = true.with_parameters(0.7 * true.parameters)
train = len(t) * 2 // 3
found = torsor.identify(wrong, {"t": t[:train], "q": q[:train], "tau": tau[:train]},
                        validation={"t": t[train:], "q": q[train:], "tau": tau[train:]},
                        bootstrap=40, progress=False)
print(found)
assert found.validation is not None
print(f"residual of the fit {found.train.all:.2f} %, of another motion {found.validation.all:.2f} %")
for repair in found.repairs[:5]:
    print(f"  rows {repair.first_row} to {repair.last_row}: {repair.what}")

# %% Parameters with intervals; found.to_pandas() is the same as a table.
for p in found.parameters[:5]:
    print(f"  {p.name:16s} {p.value:9.4f}  [{p.low:.4f}, {p.high:.4f}] {p.unit}")

# %% The robot with these numbers, and how near its torques are to the true ones.
robot = found.write_back().robot
check = true.random_configuration(1, count=1000)
zero = np.zeros_like(check)
off = [np.linalg.norm(r.gravity_torque(check) - true.gravity_torque(check)) for r in (wrong, robot)]
print(f"weight off by {off[0]:.1f} before, {off[1]:.1f} after")
assert off[1] < 0.2 * off[0]
robot.save("puma_identified.yaml")
