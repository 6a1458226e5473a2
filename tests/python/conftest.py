"""What the tests share: the built package comes by PYTHONPATH, the command by TORSOR_COMMAND."""
import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest

import torsor

ROOT = Path(os.environ.get("TORSOR_SOURCE_DIR", Path(__file__).resolve().parents[2]))


@pytest.fixture(autouse=True)
def print_options():
    with np.printoptions(precision=6, suppress=True):
        yield


@pytest.fixture
def command():
    """torsor eval ROBOT: another way to the same numbers."""
    program = os.environ.get("TORSOR_COMMAND", "")
    if not os.path.exists(program):
        pytest.skip("the command is not built")

    def evaluate(robot, states, frame=None, *options):
        request = {"states": states}
        if frame:
            request["frame"] = frame
        run = subprocess.run([program, "eval", robot, "-", *options], input=json.dumps(request),
                             capture_output=True, text=True, check=True)
        return json.loads(run.stdout)

    return evaluate


class Motion:
    """A robot with states that its loops allow."""

    def __init__(self, name, count=5, seed=3):
        self.robot = torsor.Robot(name)
        r = self.robot
        random = np.random.default_rng(seed)
        q = r.random_configuration(seed, count=count)
        self.qd = random.normal(size=(count, r.n_v))
        self.qdd = random.normal(size=(count, r.n_v))
        self.tau = random.normal(size=(count, r.n_v))
        if r.n_constraints:
            q = r.assemble(q).q
            self.qd = r.project_velocity(q, self.qd).rates
            self.qdd = r.project_acceleration(q, self.qd, self.qdd).rates
        self.q = q
        self.frame = r.body_names[-1]


@pytest.fixture(params=["panda", "puma560", "humanoid38", "scara", "four_bar"])
def motion(request):
    return Motion(request.param)


@pytest.fixture
def arm():
    return Motion("panda")
