# %% [markdown]
# All the ways in which an arm reaches a pose, and one of a redundant arm within its limits.

# %% Six joints: every branch in closed form, by name.
import numpy as np

import torsor

puma = torsor.Robot("puma560")
pose = puma.frame_pose("tool", puma.random_configuration(seed=3))
found = puma.analytic_ik("tool", pose)
print(found.status)
for s in found.solutions:
    error = np.abs(puma.frame_pose("tool", s.q) - pose).max()
    print(f"  {s.branch:45s} {'inside' if s.inside_limits else 'beyond'} limits, error {error:.1e}")

# %% Seven joints: numeric, with what to do about the freedom that is left.
panda = torsor.Robot("panda")
pose = panda.frame_pose("tool", panda.random_configuration(seed=5))
for objective in ("none", "away_from_limits", "manipulability"):
    near = panda.inverse_kinematics("tool", pose, objective=objective)
    print(f"{objective:17s} {near.message}; manipulability "
          f"{panda.manipulability('tool', near.q).measure:.4f}")

# %% Several frames by priority: the tool's position first, then the elbow as high as it goes.
elbow = panda.frame_pose("link_4", near.q)
elbow[2, 3] += 0.3
near = panda.inverse_kinematics([
    {"frame": "tool", "pose": pose, "orientation_weight": [0, 0, 0]},
    {"frame": "link_4", "pose": elbow, "orientation_weight": [0, 0, 0], "priority": 1}], q_start=near.q)
print("levels reached:", near.levels_reached, "of", near.levels)
assert near.targets[0].reached
