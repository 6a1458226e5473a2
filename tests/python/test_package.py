"""The built package: symbols, size, wheel; README and examples."""
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
                          "tests/test_robot.py", "tests/test_states.py"],
                         capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert run.returncode == 0, run.stdout[-2000:]


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


def table_rows():
    """(peer, its call, ours) of docs/python.md."""
    rows = []
    text = (ROOT / "docs" / "python.md").read_text().split("## Coming from another library")[1]
    for line in text.split("\n"):
        cells = re.findall(r"`([^`]*)`", line)
        if line.startswith("|") and len(cells) == 2:
            rows.append(cells)
    return rows


def test_our_side_of_the_table_of_calls_runs():
    robot = torsor.Robot("panda")
    q, qd, qdd, tau = robot.neutral(), np.zeros(7), np.zeros(7), np.zeros(7)
    T = robot.frame_pose("tool", np.array([0, 0.2, 0, -1.5, 0, 1.7, 0]))
    law = torsor.control.ComputedTorque(robot, Kp=100, Kd=20)
    rows = table_rows()
    assert len(rows) > 20
    for _, ours in rows:
        exec(ours, {"torsor": torsor, "np": np, "robot": robot, "q": q, "qd": qd, "qdd": qdd, "q1": q,
                    "tau": tau, "v": qd, "T": T, "law": law, "p": robot.parameters})


@pytest.mark.parametrize("peer", ["pinocchio", "roboticstoolbox", "mujoco", "pydrake"])
def test_peer_side_of_the_table_runs(peer):
    pytest.importorskip(peer)
    if peer != "pinocchio":
        pytest.skip("no rows are compared by number for this peer yet")
    import pinocchio

    robot = torsor.Robot("panda")
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    data = model.createData()
    q, v, a = np.random.default_rng(1).normal(size=(3, 7)) * 0.3
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a, effects=torsor.Effects(friction=False)),
                               pinocchio.rnea(model, data, q, v, a), atol=1e-8)
