"""Ctrl-C in whatever may take long: it stops at once, and keeps what is done where that is something."""
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest

pytestmark = pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")

# Every verb that can run for more than a second: {name: (what is to be done, what is kept)}. `result` is what
# torsor.Interrupted holds; None: nothing is kept, and KeyboardInterrupt comes as it is.
LONG = {
    "simulate": ("""
        robot = torsor.Robot("panda")
        law = torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
        work = lambda: torsor.simulate(robot, law, np.full(7, 0.1), duration=1e5, period=0.001)
        """, "result.stop == 'interrupted' and len(result.t) > 1 and result.t[-1] < 1e5"),
    "simulate with a law in Python": ("""
        class Law(torsor.ControlLaw):
            def torque(self, i):
                return -i.qd
        work = lambda: torsor.simulate("panda", Law(), duration=1e5, period=0.001)
        """, "result.stop == 'interrupted'"),
    "simulate with a reference in Python": ("""
        robot = torsor.Robot("planar2r")
        law = torsor.control.PdGravity(robot, Kp=100, Kd=20)
        reference = lambda t: np.zeros(2)
        work = lambda: torsor.simulate(robot, law, reference, duration=1e5, period=0.001)
        """, "result.stop == 'interrupted' and result.t[-1] < 1e5"),
    "run_scenario": ("""
        work = lambda: torsor.run_scenario({
            "robot": "panda", "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
            "reference": {"hold": [0.1] * 7}, "run": {"duration": 1e4}})
        """, "result.stop == 'interrupted'"),
    "compare": ("""
        work = lambda: torsor.compare([{
            "robot": "panda", "controller": {"law": law, "gains": {"Kp": 100, "Kd": 20}},
            "reference": {"hold": [0.1] * 7}, "run": {"duration": 1e4}}
            for law in ("pd_gravity", "computed_torque")])
        """, "len(result) >= 1"),
    "sweep": ("""
        work = lambda: torsor.sweep(SWEEP, samples=100000, threads=2)
        """, "0 < len(result) < 100000"),
    "Sweep.page": ("""
        work = torsor.sweep(dict(SWEEP, run={"duration": 150, "period": 1e-3}), samples=4).page
        """, None),
    "identify": ("""
        robot = torsor.Robot("planar2r")
        t = np.arange(1500) * 0.005
        q = np.sin(np.outer(t, [2.0, 3.0]))
        tau = robot.inverse_dynamics(q, np.gradient(q, t, axis=0), np.zeros(2))
        def begun(share):
            if share > 0.65:
                time.sleep(0.01)  # the bootstrap lasts
        work = lambda: torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=3_000_000, progress=begun)
        """, "any('stopped after' in note for note in result.notes)"),
    "identify before there is a fit": ("""
        robot = torsor.Robot("puma560")
        t = np.arange(100_000) * 0.005
        q = np.sin(np.outer(t, [2.0, 3.0, 1.0, 1.5, 2.5, 0.5]))
        log = torsor.log(robot, t=t, q=q, tau=q)
        work = lambda: torsor.identify(robot, 50 * [log], bootstrap=0)
        """, None),
    "design_excitation": ("""
        work = lambda: torsor.design_excitation("puma560", iterations=100000, starts=50, position_limit=2,
                                                velocity_limit=2)
        """, "result.condition > 0"),
    "Excitation.sample": ("""
        found = torsor.design_excitation("puma560", iterations=1, starts=1, position_limit=2,
                                         velocity_limit=2)
        t = np.linspace(0, 10, 10_000_000)
        work = lambda: [found.sample(t) for k in range(100)]
        """, None),
    "calibrate": ("""
        robot = torsor.Robot("puma560")
        q = robot.random_configuration(1, count=200)
        random = np.random.default_rng(1)
        points = robot.frame_pose("tool", q)[:, :3, 3] + 1e-4 * random.normal(size=(200, 3))
        work = lambda: torsor.calibrate(robot, q, points, parameters=["offsets"], bootstrap=10_000_000)
        """, "result.after.position_rms < 1e-3 and max(p.bootstrap_sigma for p in result.parameters) > 0"),
    "base_parameters": ("""
        robot = torsor.Robot("humanoid38")
        work = lambda: [torsor.base_parameters(robot) for k in range(100_000)]
        """, None),
    "inverse_kinematics": ("""
        T = np.eye(4)
        T[:3, 3] = 5, 5, 5  # nobody reaches so far
        robot = torsor.Robot("panda")
        work = lambda: robot.inverse_kinematics("tool", T, max_iterations=2**31 - 1, max_restarts=2**31 - 1)
        """, "not result.converged and result.restarts > 0"),
    "inverse_kinematics of several frames": ("""
        robot = torsor.Robot("humanoid38")
        far = np.eye(4)
        far[:3, 3] = 50, 50, 50
        targets = [{"frame": name, "pose": far, "priority": k}
                   for k, name in enumerate(robot.body_names[-3:])]
        work = lambda: robot.inverse_kinematics(targets, max_iterations=2**31 - 1, max_restarts=2**31 - 1)
        """, "not result.converged"),
    "assembly_modes": ("""
        robot = torsor.Robot("four_bar")
        q = robot.assemble(robot.neutral()).q
        work = lambda: robot.assembly_modes(q, robot.joint_names[1:], 2**31 - 1)
        """, "result.shape == (2, 3) or result.shape[0] == 2"),
    "nearest_singularity": ("""
        robot = torsor.Robot("puma560")
        work = lambda: robot.nearest_singularity("tool", [0, 0.3, 0.2, 0, 0.1, 0], starts=2**31 - 1)
        """, "result.converged and abs(result.distance - 0.1) < 1e-6"),
    "joint_path": ("""
        robot = torsor.Robot("panda")
        q = np.array([0, 0.2, 0, -1.5, 0, 1.7, 0])
        T = robot.frame_pose("tool", q)
        work = lambda: robot.joint_path("tool", lambda t: T, 1.0, q, 10_000_000)
        """, "not result.complete and 0 < result.solved_until < 1"),
    "line_path": ("""
        robot = torsor.Robot("panda")
        q = np.array([0, 0.2, 0, -1.5, 0, 1.7, 0])
        T = robot.frame_pose("tool", q)
        up = T.copy()
        up[2, 3] += 0.1
        work = lambda: robot.line_path("tool", T, up, q, velocity=0.1, segments=10_000_000)
        """, "not result.complete and 0 < result.solved_until < 1.875"),
    "Law.conditions": ("""
        robot = torsor.Robot("humanoid38")
        law = torsor.control.make("pd_gravity", robot, Kp=1e4, Kd=1e3)
        work = lambda: [law.conditions() for k in range(1_000_000)]
        """, None),
    "many states": ("""
        robot = torsor.Robot("panda")
        q = np.tile(robot.random_configuration(1, count=1000), (3000, 1))
        work = lambda: robot.inverse_velocity("tool", q, np.ones(6))
        """, None),
    "many states of the room batch": ("""
        robot = torsor.Robot("panda")
        q = robot.random_configuration(1, count=1_000_000)
        out = np.empty((1_000_000, 7, 7))
        work = lambda: [robot.coriolis_matrix(q, q, out=out) for k in range(1000)]
        """, None),
    "many states with loops": ("""
        robot = torsor.Robot("stewart")
        q = np.tile(robot.neutral(), (1_000_000, 1))
        work = lambda: robot.assemble(q)
        """, None),
    "random_configuration": ("""
        robot = torsor.Robot("humanoid38")
        work = lambda: robot.random_configuration(1, count=5_000_000)
        """, None),
    "Trajectory.sample": ("""
        motion = torsor.Robot("panda").configuration_trajectory(np.zeros(7), np.ones(7), 1.0)
        t = np.linspace(0, 1, 10_000_000)
        work = lambda: [motion.sample(t) for k in range(100)]
        """, None),
}

PROGRAM = """
import numpy as np, time, torsor
SWEEP = {"robot": "planar2r", "controller": {"law": "pd_gravity", "gains": {"Kp": 100, "Kd": 20}},
         "reference": {"hold": [0.3, 0.2]}, "run": {"duration": 2},
         "sweep": {"uncertainties": {"parameter_factor": [0.9, 1.1]}}}
WORK
print("begin", flush=True)
try:
    work()
    print("ended by itself")
except torsor.Interrupted as stopped:
    result = stopped.result
    print("kept" if KEPT else "lost")
except KeyboardInterrupt:
    print("stopped")
print(time.process_time(), flush=True)
"""


@pytest.mark.parametrize("what", sorted(LONG))
def test_control_c_stops_within_half_a_second(what):
    work, kept = LONG[what]
    program = PROGRAM.replace("WORK", textwrap.dedent(work)).replace("KEPT", kept or "False")
    run = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    try:
        assert run.stdout.readline() == "begin\n"
        begin = before = processor_seconds(run.pid)
        while run.poll() is None and before < begin + 0.3:
            time.sleep(0.01)
            before = processor_seconds(run.pid)
        assert run.poll() is None, run.stdout.read()  # it goes on
        run.send_signal(signal.SIGINT)
        rest, _ = run.communicate(timeout=60)
    finally:
        run.kill()
    said, after = rest.splitlines()
    assert said == ("stopped" if kept is None else "kept"), rest
    # Of all threads together, since other programs may be busy beside this one.
    assert float(after) - before < 0.5 * min(os.cpu_count(), 4), rest


def processor_seconds(pid):
    """Of a process with its threads, so far."""
    with open(f"/proc/{pid}/stat") as file:
        user, system = file.read().rsplit(")", 1)[1].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")
