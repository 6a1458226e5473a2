# %% [markdown]
# Four control laws in one experiment: a two-link arm carries a load that they do not know of.

# %%
import torsor

experiment = {
    "robot": "planar2r",
    "plant": {"payloads": [{"link": "link_2", "mass": 0.5, "com": [1, 0, 0]}]},
    "reference": {"quintic": {"from": [0, 0.5], "to": [1.5, -0.5], "duration": 2}},
    "start": {"q": [0, 0.5]},
    "run": {"duration": 4},
}
laws = {
    "pd_gravity": {"Kp": 200, "Kd": 40},
    "computed_torque": {"Kp": 100, "Kd": 20},
    "passivity_tracking": {"Lambda": 10, "Kd": 30},
    "slotine_li": {"Lambda": 10, "Kd": 30, "adaptation": 2},
}
runs = torsor.compare([dict(experiment, controller={"law": law, "gains": gains})
                       for law, gains in laws.items()])

# %% Figures of every run; with pandas, runs.to_pandas() is the same as a table.
for name, figures in runs.summary().items():
    print(f"{name:20s} rms error {figures['rms_error']:.5f} rad, final {figures['final_error']:.1e}, "
          f"torque up to {figures['max_torque']:.1f} N m")
assert runs["slotine_li"].summary()["final_error"] < runs["computed_torque"].summary()["final_error"]

# %% What each proof asks for, with the numbers of this run.
for name, run in runs.items():
    missed = [c for c in run.conditions if c.verdict != "holds"]
    print(f"{name:20s} {len(run.conditions) - len(missed)} of {len(run.conditions)} conditions hold"
          + "".join(f"; {c.verdict}: {c.name}" for c in missed[:1]))

# %% Pictures. runs.show() opens the page in a browser.
try:
    runs.plot(joints=["joint_1"]).savefig("laws.png")
except ImportError:
    print("no matplotlib")
