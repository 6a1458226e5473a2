"""The built package: symbols, size, wheel; README and examples."""
import ast
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest

import torsor
from conftest import ROOT

PACKAGE = Path(torsor.__file__).parent
MODULE = Path(torsor._torsor.__file__)


def output(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=True, **options).stdout


@pytest.mark.skipif(not shutil.which("nm"), reason="needs binutils")
def test_the_module_exports_one_function():
    lines = output("nm", "-D", "--defined-only", str(MODULE)).split("\n")
    assert [line.split()[-1] for line in lines if line] == ["PyInit__torsor"]


@pytest.mark.skipif(not shutil.which("readelf"), reason="needs binutils")
def test_what_the_module_needs_is_there_or_everywhere():
    everywhere = re.compile(r"lib(stdc\+\+|m|gcc_s|c|pthread|dl)\.so|ld-linux")
    for library in PACKAGE.glob("*.so*"):
        for needed in re.findall(r"NEEDED.*\[(.*)\]", output("readelf", "-d", str(library))):
            assert everywhere.match(needed) or (PACKAGE / needed).exists(), needed
    assert "$ORIGIN" in output("readelf", "-d", str(MODULE))


def test_size(tmp_path):
    """What is sent around is under 20 MB; unpacked it holds the sweeps of three instruction sets."""
    packed = Path(shutil.make_archive(str(tmp_path / "torsor"), "zip", PACKAGE))
    assert packed.stat().st_size < 20e6


def run_elsewhere(tmp_path, folder, code):
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    return output(sys.executable, "-c", code, cwd=tmp_path, env=dict(environment, PYTHONPATH=str(folder)))


def test_the_folder_may_be_taken_elsewhere(tmp_path):
    shutil.copytree(PACKAGE, tmp_path / "there" / "torsor")
    code = "import torsor; print(torsor.__file__, torsor.Robot(torsor.Robot('panda').to_urdf()).n_v)"
    text = run_elsewhere(tmp_path, tmp_path / "there", code)
    assert str(tmp_path) in text and text.strip().endswith("7")


@pytest.mark.skipif("TORSOR_BINARY_DIR" not in os.environ, reason="needs a build folder")
def test_the_wheel_passes_its_own_tests_elsewhere(tmp_path):
    pytest.importorskip("pip")
    pytest.importorskip("wheel")
    environment = dict(os.environ, TORSOR_BUILD_DIR=os.environ["TORSOR_BINARY_DIR"])
    environment.pop("PYTHONPATH")
    subprocess.run([sys.executable, "-m", "pip", "wheel", str(ROOT), "--no-build-isolation",
                    "--no-deps", "--no-index", "-q", "-w", str(tmp_path)], check=True,
                   env=environment, cwd=tmp_path)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.stat().st_size < 20e6
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        metadata = archive.read(next(n for n in names if n.endswith("METADATA"))).decode()
        archive.extractall(tmp_path / "site")
    requires = [line for line in metadata.split("\n")
                if line.startswith("Requires-Dist") and "extra" not in line]
    assert len(requires) == 1 and "numpy" in requires[0]
    assert {"torsor/py.typed", "torsor/_torsor.pyi", "torsor/__init__.py"} <= set(names)
    assert sorted(n for n in names if ".so" in n) == sorted("torsor/" + f.name for f in
                                                             PACKAGE.glob("*.so*"))
    shutil.copytree(ROOT / "tests" / "python", tmp_path / "tests")
    environment["PYTHONPATH"] = str(tmp_path / "site")
    run = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider",
                          *(f"tests/test_{part}.py" for part in ("robot", "states", "kinematics", "control",
                                                                 "identification"))],
                         capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert run.returncode == 0, run.stdout[-2000:]


@pytest.mark.skipif("TORSOR_BINARY_DIR" not in os.environ or not shutil.which("cmake"),
                    reason="needs a build folder and cmake")
def test_cmake_installs_the_package_where_it_is_asked_to(tmp_path):
    for component in ("python", "python_libraries"):
        subprocess.run(["cmake", "--install", os.environ["TORSOR_BINARY_DIR"], "--component", component,
                        "--prefix", str(tmp_path / "prefix")], check=True, capture_output=True)
    (package,) = (tmp_path / "prefix").glob("**/torsor")
    there = {f.name for f in package.iterdir()}
    assert there >= {f.name for f in PACKAGE.iterdir() if f.suffix in (".py", ".pyi", ".so", ".typed")}
    code = "import torsor; print(torsor.__file__, torsor.Robot('panda').n_v)"
    text = run_elsewhere(tmp_path, package.parent, code)
    assert text.startswith(str(package)) and text.split()[-1] == "7"


@pytest.mark.skipif(not shutil.which("nm"), reason="needs binutils")
def test_no_symbol_is_left_to_other_libraries():
    """Python, libc, libm, libstdc++, libgcc, and what lies beside the module."""
    beside = {name for library in PACKAGE.glob("lib*.so*") for name in re.findall(
        r" [TWVBDRi] (\S+?)(?:@|$)", output("nm", "-D", "--defined-only", str(library)), re.M)}
    for module in PACKAGE.glob("_*.so"):
        for line in output("nm", "-D", "--undefined-only", str(module)).split("\n"):
            kind, _, name = line.strip().partition(" ")
            if not name or kind == "w" or name.startswith(("Py", "_Py")):
                continue
            symbol, _, version = name.partition("@")
            assert version.startswith(("GLIBC", "CXXABI", "GCC_")) or symbol in beside, name


@pytest.mark.parametrize("name", ["README.md", "README.zh.md"])
def test_the_example_of_the_readme_runs(name, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(compile(block, name, "exec"), {})


def test_the_examples_of_the_documentation_run(monkeypatch, tmp_path):
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "docs" / "python.md").read_text(), re.S)
    assert len(blocks) >= 3
    names = {}
    for block in blocks:  # one after the other, as they are read
        if "robot.show(" not in block or torsor._torsor._view_page()[1]:  # built with its pages
            exec(compile(block, "docs/python.md", "exec"), names)


EXAMPLES = sorted((ROOT / "examples" / "python").glob("*.py"))


def test_there_are_five_examples():
    assert len(EXAMPLES) == 5


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda p: p.stem)
def test_example_runs(example, tmp_path):
    environment = dict(os.environ, MPLBACKEND="Agg")
    run = subprocess.run([sys.executable, str(example)], capture_output=True, text=True,
                         cwd=tmp_path, env=environment, timeout=120)
    assert run.returncode == 0, run.stderr[-2000:]
    assert run.stdout.strip()


class Peers:
    """Names of the left column, made of the same robot file; a fresh set for each row."""

    def __init__(self, folder):
        self.folder = folder
        self.robot = torsor.Robot("panda").without_friction()
        random = np.random.default_rng(1)
        self.q, self.q1 = self.robot.random_configuration(1, count=2)
        self.qd, self.qdd, self.tau = 0.3 * random.normal(size=(3, 7))
        self.path, self.mjcf = str(folder / "panda.urdf"), str(folder / "panda.mjcf")
        self.robot.save(self.path)
        self.robot.save(self.mjcf)

    def torsor(self):
        r, six = self.robot, torsor.Robot("puma560").random_configuration(3)
        law = torsor.control.ComputedTorque(r, Kp=100, Kd=20)
        return {"torsor": torsor, "np": np, "robot": r, "q": self.q, "q1": self.q1, "qd": self.qd,
                "qdd": self.qdd, "tau": self.tau, "T": r.frame_pose("tool", self.q), "law": law,
                "path": self.path, "mjcf": self.mjcf, "q6": six, "qd6": np.ones(6), "qdd6": np.ones(6),
                "T6": torsor.Robot("puma560").frame_pose("tool", six)}

    def pinocchio(self):
        import pinocchio

        model = pinocchio.buildModelFromUrdf(self.path)
        return {"pin": pinocchio, "model": model, "data": model.createData(), "v": self.qd, "a": self.qdd,
                "frame": model.getFrameId("tool")}

    def roboticstoolbox(self):
        import roboticstoolbox
        from spatialmath import SE3

        return {"rtb": roboticstoolbox, "puma": roboticstoolbox.models.DH.Puma560(),
                "T6": SE3(self.torsor()["T6"])}

    def mujoco(self):
        import mujoco

        m = mujoco.MjModel.from_xml_path(self.mjcf)
        m.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
        d = mujoco.MjData(m)
        d.qpos[:], d.qvel[:], d.qfrc_applied[:] = self.q, self.qd, self.tau
        mujoco.mj_forward(m, d)
        d.qacc[:] = self.qdd
        return {"mujoco": mujoco, "m": m, "d": d, "M": np.zeros((7, 7)), "jacp": np.zeros((3, 7)),
                "jacr": np.zeros((3, 7)), "dq": np.zeros(7), "body": m.body("link_7").id}

    def pydrake(self):
        import pydrake.all as drake

        plant = drake.MultibodyPlant(0.0)
        names = {"plant": plant, "Parser": drake.Parser, "InverseKinematics": drake.InverseKinematics,
                 "JacobianWrtVariable": drake.JacobianWrtVariable, "vd": self.qdd}
        drake.Parser(plant).AddModels(self.path)
        plant.WeldFrames(plant.world_frame(), plant.GetFrameByName("link_0"))
        plant.Finalize()
        context = plant.CreateDefaultContext()
        plant.SetPositions(context, self.q)
        plant.SetVelocities(context, self.qd)
        return {**names, "context": context, "forces": drake.MultibodyForces(plant),
                "frame": plant.GetFrameByName("tool"), "world": plant.world_frame()}


PEERS = {"Pinocchio": "pinocchio", "Robotics Toolbox": "roboticstoolbox", "MuJoCo": "mujoco", "Drake": "pydrake"}


def table_rows():
    """(module of the peer, its call, ours) of docs/python.md."""
    text = (ROOT / "docs" / "python.md").read_text().split("## Coming from another library")[1]
    rows, peer = [], None
    for line in text.split("\n"):
        head = re.match(r"\| ([A-Z][^|`]*) \| Torsor \|", line)
        peer = PEERS[head[1]] if head else peer
        cells = re.findall(r"`([^`]*)`", line)
        if line.startswith("|") and len(cells) == 2:
            rows.append((peer, *cells))
    return rows


def value(code, names):
    """Of the last expression, after the statements before it."""
    tree = ast.parse(code)
    exec(compile(ast.Module(tree.body[:-1], []), "docs/python.md", "exec"), names)
    return eval(compile(ast.Expression(tree.body[-1].value), "docs/python.md", "eval"), names)


def test_every_row_is_code_and_ours_runs(tmp_path):
    rows = table_rows()
    assert {peer for peer, _, _ in rows} == set(PEERS.values()) and len(rows) > 45
    peers = Peers(tmp_path)
    for _, theirs, ours in rows:
        ast.parse(theirs)
        assert value(ours, peers.torsor()) is not None, ours


def same_as_ours(theirs, call, ours):
    """Twists of Pinocchio have the linear part first; robots have as many velocities."""
    if isinstance(ours, torsor.Robot):
        n = getattr(theirs, "nv", getattr(theirs, "n", None))
        assert n is None or n == ours.n_v
        return
    if isinstance(ours, tuple):
        for part, mine in zip(theirs, ours):
            same_as_ours(part, "", mine)
        return
    theirs = np.asarray(theirs)
    if any(word in call for word in ("pin.computeFrameJacobian", "getFrameVelocity", "pin.ccrba")):
        theirs = np.roll(theirs, 3, axis=0)
    np.testing.assert_allclose(theirs, ours, rtol=1e-5, atol=1e-5, err_msg=call)


@pytest.mark.parametrize("peer, theirs, ours", table_rows())
def test_both_sides_of_the_table_agree(peer, theirs, ours, tmp_path):
    pytest.importorskip(peer)
    peers = Peers(tmp_path)
    names = {**peers.torsor(), **getattr(peers, peer)()}
    if "mj_fullM" in theirs and tuple(map(int, names["mujoco"].__version__.split(".")[:2])) < (3, 10):
        theirs = "mujoco.mj_fullM(m, M, d.qM); M"
    if theirs.startswith("Parser"):
        names["plant"] = type(names["plant"])(0.0)
    answer, mine = value(theirs, names), value(ours, peers.torsor())
    if "oriolis" in theirs:  # the matrix is not the same for all, its product is
        answer, mine = np.asarray(answer) @ peers.qd[:len(mine)], mine @ peers.qd[:len(mine)]
    # The toolbox has a PUMA 560 of its own; inverse kinematics and steps have answers of their own kind.
    if peer != "roboticstoolbox" and not any(word in theirs for word in ("mj_step", "InverseKin", "Parser",
                                                                         "from_xml_path")):
        same_as_ours(answer, theirs, mine)
