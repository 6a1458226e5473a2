"""What people see while work is done: a line in a terminal, the same in a notebook, nothing elsewhere."""
import os
import subprocess
import sys
import textwrap
import types

import numpy as np
import pytest

import torsor
from torsor.progress import Bar, Shown, in_notebook

SCENARIO = {"robot": "panda", "controller": {"law": "computed_torque", "gains": {"Kp": 100, "Kd": 20}},
            "reference": {"hold": [0.1] * 7}, "run": {"duration": 200, "period": 0.001}}


def test_a_line_appears_after_a_second_and_goes(capsys, monkeypatch):
    now = [0.0]
    monkeypatch.setattr("torsor.progress.time.monotonic", lambda: now[0])
    bar = Bar("simulate")
    now[0] = 0.5
    bar(0.1)
    assert capsys.readouterr().err == ""
    now[0] = 2.0
    bar(0.5)
    line = capsys.readouterr().err
    assert line.startswith("\rsimulate [###") and " 50 %, 2 s left" in line and "\n" not in line
    for odd in (-1.0, 0.0, 2.0):
        bar(odd)
    assert "100 %" in capsys.readouterr().err
    bar.end()
    assert capsys.readouterr().err.strip() == ""


@pytest.mark.parametrize("kernel", [True, False])
def test_a_notebook_is_known(kernel, monkeypatch):
    shell = types.SimpleNamespace(kernel=1) if kernel else types.SimpleNamespace()
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    assert in_notebook() is kernel
    with Shown(None, "work") as told:
        assert (told is not None) is (kernel or sys.stderr.isatty())
    with Shown(False, "work") as told:
        assert told is None
    with Shown(True, "work") as told:
        assert told is not None


def test_a_terminal_shows_it():
    """In a pseudo terminal, as people have it."""
    pty = pytest.importorskip("pty")
    program = textwrap.dedent(f"""
        import torsor, torsor.progress
        torsor.progress.Bar.width = 10
        begin = torsor.progress.time.monotonic
        torsor.progress.time.monotonic = lambda: 50 * begin()  # no test waits for a second
        torsor.run_scenario({SCENARIO!r})
        """)
    ours, theirs = pty.openpty()
    run = subprocess.Popen([sys.executable, "-c", program], stderr=theirs, stdout=subprocess.DEVNULL)
    os.close(theirs)
    text = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        text += part
    os.close(ours)
    assert run.wait(60) == 0
    assert b"scenario [" in text and b" % " in text.replace(b"%,", b"% ")


def test_nobody_looks_nothing_is_written():
    program = f"import torsor; torsor.run_scenario({dict(SCENARIO, run={'duration': 0.1})!r})"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stderr == run.stdout == ""


@pytest.mark.parametrize("work", ["simulate", "compare", "sweep", "identify", "excitation", "calibrate",
                                  "assembly_modes", "nearest_singularity", "line_path"])
def test_every_long_work_tells_how_far_it_is(work):
    told = []
    sweep = dict(SCENARIO, robot="planar2r", reference={"hold": [0, 0]}, run={"duration": 2},
                 sweep={"uncertainties": {"parameter_factor": [0.9, 1.1]}})
    robot = torsor.Robot("planar2r")
    t = np.arange(3000) * 0.01
    q = np.column_stack([np.sin(t), np.cos(0.7 * t)])
    tau = robot.inverse_dynamics(q, np.gradient(q, t, axis=0), np.zeros(2))
    puma, loop = torsor.Robot("puma560"), torsor.Robot("four_bar")
    p, closed = puma.random_configuration(1, count=40), loop.assemble(loop.neutral()).q
    T = puma.frame_pose("tool", p)
    up = T[0].copy()
    up[2, 3] += 0.01
    {"calibrate": lambda: torsor.calibrate(puma, p, T, bootstrap=5, progress=told.append),
     "assembly_modes": lambda: loop.assembly_modes(closed, progress=told.append),
     "nearest_singularity": lambda: puma.nearest_singularity("tool", p[0], progress=told.append),
     "line_path": lambda: puma.line_path("tool", T[0], up, p[0], velocity=1, progress=told.append),
     "simulate": lambda: torsor.run_scenario(SCENARIO, progress=told.append),
     "compare": lambda: torsor.compare([SCENARIO, SCENARIO], progress=told.append),
     "sweep": lambda: torsor.sweep(sweep, samples=500, progress=told.append),
     "identify": lambda: torsor.identify(robot, t=t, q=q, tau=tau, bootstrap=300, progress=told.append),
     "excitation": lambda: torsor.design_excitation("puma560", iterations=8, starts=4, position_limit=2,
                                                    velocity_limit=2, progress=told.append)}[work]()
    assert told and told == sorted(told) and 0 <= told[0] and told[-1] <= 1
