"""Every public name has a docstring, every example in one runs, and the stubs say what there is."""
import ast
import doctest
import inspect
import keyword
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import torsor
from conftest import ROOT

PACKAGE = Path(torsor.__file__).parent


def public(owner, prefix=""):
    names = getattr(owner, "__all__", None) or [n for n in dir(owner) if not n.startswith("_")]
    return [(prefix + name, getattr(owner, name)) for name in names]


def everything():
    found = public(torsor, "torsor.")
    for name, value in list(found):
        if inspect.isclass(value) and not issubclass(value, (Exception, KeyboardInterrupt, tuple)):
            found += [(f"{name}.{member}", thing) for member, thing in vars(value).items()
                      if not member.startswith("_")]
    found += public(torsor.control, "torsor.control.")
    found += [(f"torsor.results.{n}", c) for n, c in vars(torsor.results).items()
              if inspect.isclass(c) and c.__module__ == "torsor.results"]
    return found


NAMES = dict(everything())


def needs_an_example(name, value):
    """Functions and classes; a named tuple is told by the verb that returns it."""
    a_tuple = inspect.isclass(value) and issubclass(value, tuple)
    return callable(value) and not a_tuple and "multi_arm" not in name and not name.startswith(
        "torsor.control.MultiArm")  # these need a robot that holds an object: none is built in


@pytest.mark.parametrize("name", sorted(NAMES))
def test_docstring_and_its_examples(name, monkeypatch):
    monkeypatch.setattr("webbrowser.open", lambda url: True)
    value = NAMES[name]
    doc = value.__doc__ or ""
    if name not in ("torsor.ControlLaw.n_states", "torsor.ControlLaw.state_names"):
        assert len(doc.split()) >= 1, f"{name} has no docstring"
    if name in ("torsor.View", "torsor.View.close", "torsor.Robot.show") and not torsor._torsor._view_page()[1]:
        pytest.skip("built without its pages")
    test = doctest.DocTestParser().get_doctest(doc, {"torsor": torsor, "np": np}, name, name, 0)
    out = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    runner.run(test, out=out.append)
    assert runner.failures == 0, "".join(out)
    assert bool(test.examples) or not needs_an_example(name, value), f"{name} has no example"
    if "plot" in name:
        sys.modules["matplotlib.pyplot"].close("all")


def test_docstrings_are_not_ragged():
    """A line is not broken where the next word still had room."""
    for name, value in NAMES.items():
        lines = (value.__doc__ or "").split("\n")
        for line, following in zip(lines, lines[1:]):
            prose = following and line and not following.startswith((" ", ">", "array", "-")) and ">>>" not in line
            alone = prose and len(line) > 60 and len(following) < 12 and not following.endswith((".", ")", "]"))
            assert not alone, f"{name}: {line} / {following}"


def methods_of(node):
    """{name: argument names} of a class in a stub."""
    found = {}
    for item in node.body:
        if isinstance(item, ast.FunctionDef):
            arguments = item.args.posonlyargs + item.args.args + item.args.kwonlyargs
            is_property = any(getattr(d, "id", "") == "property" for d in item.decorator_list)
            found[item.name] = None if is_property else [a.arg for a in arguments if a.arg != "self"]
    return found


def test_stubs_have_the_names_and_arguments_of_the_module():
    tree = ast.parse((PACKAGE / "_torsor.pyi").read_text())
    stubs = {node.name: node for node in tree.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
    module = torsor._torsor
    names = {n for n in vars(module) if not n.startswith(("__", "_empty", "_batch"))}  # yardsticks
    assert names == set(stubs)
    for name, node in stubs.items():
        value = getattr(module, name)
        if isinstance(node, ast.FunctionDef):
            arguments = [a.arg for a in node.args.args + node.args.kwonlyargs]
            assert arguments == list(inspect.signature(value).parameters), name
            continue
        stub = methods_of(node)
        runtime = {n: v for n, v in vars(value).items() if not n.startswith("_")}
        assert set(runtime) == {n for n in stub if not n.startswith("_")}, name
        for member, thing in runtime.items():
            if stub[member] is not None and not inspect.isfunction(thing) \
                    and getattr(thing, "__text_signature__", None):
                parameters = [p for p in inspect.signature(thing).parameters if p != "self"]
                assert stub[member] == parameters, f"{name}.{member}"


def mypy_environment(tmp_path):
    """mypy finds what is installed by itself, and refuses a path to it."""
    environment = dict(os.environ, MYPY_CACHE_DIR=str(tmp_path / "c"))
    if PACKAGE.parent.name not in ("site-packages", "dist-packages"):
        environment["MYPYPATH"] = str(PACKAGE.parent)
    return environment


def test_mypy_accepts_the_package_and_a_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np\nimport torsor\n"
        "robot = torsor.Robot('panda')\n"
        "tau: np.ndarray = robot.inverse_dynamics(robot.neutral(), np.zeros(7), np.zeros(7))\n"
        "d = robot.inverse_dynamics_derivatives(robot.neutral(), np.zeros(7), np.zeros(7))\n"
        "law = torsor.control.make('computed_torque', robot, Kp=100, Kd=20)\n"
        "run = torsor.simulate(robot, law, robot.neutral(), duration=0.1)\n"
        "e: np.ndarray = run['e']\n"
        "print(robot.name.upper(), d, run.summary()['rms_error'] + 1.0)\n")
    wrong = tmp_path / "wrong.py"
    wrong.write_text("import torsor\nx: int = torsor.Robot('panda').name\n"
                     "torsor.Robot('panda').mass_matrx\n")
    environment = mypy_environment(tmp_path)

    def mypy(*arguments):
        return subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports",
                               "--python-executable", sys.executable, *arguments],
                              capture_output=True, text=True, env=environment, cwd=tmp_path)

    pytest.importorskip("mypy")
    good = mypy("--strict", "-p", "torsor")
    assert good.returncode == 0, good.stdout
    good = mypy(str(program))
    assert good.returncode == 0, good.stdout
    bad = mypy(str(wrong))
    assert bad.returncode != 0 and len(re.findall("error:", bad.stdout)) == 2, bad.stdout


def test_mypy_accepts_the_examples_strictly(tmp_path):
    pytest.importorskip("mypy")
    environment = mypy_environment(tmp_path)
    examples = sorted(str(p) for p in (ROOT / "examples" / "python").glob("*.py"))
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports",
                          "--python-executable", sys.executable, *examples],
                         capture_output=True, text=True, env=environment, cwd=tmp_path)
    assert run.returncode == 0, run.stdout


def stub_of_laws():
    """control.pyi, from the registry."""
    lines = ['''"""Types of torsor.control. tests/python/test_names.py holds it to the registry of laws."""''',
             "from typing import Any, List, Optional, Sequence, Union", "",
             "from numpy.typing import ArrayLike", "", "from ._torsor import Law, Robot",
             "from .results import LawEntry", "", "Gain = Union[float, ArrayLike]", "", "",
             "def laws() -> List[LawEntry]: ...",
             "def make(name: str, robot: Robot, **gains: Any) -> Law: ...", ""]
    kinds = {"gain": "Gain", "number": "float", "vector": "ArrayLike", "word": "str",
             "words": "Union[str, Sequence[str]]"}
    for entry in torsor.control.laws():
        gains = {gain.name: gain for gain in entry.gains}
        maker = getattr(torsor.control, "None_" if entry.name == "none" else
                        "".join(w.capitalize() for w in entry.name.split("_")))
        assert not keyword.iskeyword(maker.__name__)
        text = f"def {maker.__name__}("
        for name, parameter in inspect.signature(maker).parameters.items():
            kind = kinds[gains[name].kind] if name in gains else "Any"
            piece = ("robot: Robot, *, " if name == "robot" else
                     "**gains: Any" if parameter.kind is parameter.VAR_KEYWORD else
                     f"{name}: {kind}, " if parameter.default is parameter.empty else
                     f"{name}: Optional[{kind}] = None, ")
            if len(text.split("\n")[-1] + piece) > 100:
                text = text.rstrip() + "\n" + " " * (5 + len(maker.__name__))
            text += piece
        text = text.replace("*, **", "**").rstrip(", *")  # no gain that has a place of its own
        lines.append(text + ") -> Law: ...")
    source = (PACKAGE / "control.py").read_text()
    lines += ["", "", "class ControlLaw:", "    n_states: int", "    state_names: List[str]", "    @property",
              "    def name(self) -> str: ..."]
    lines += ["    " + line.strip()[:-1] + ": ..." for line in
              source[source.index("class ControlLaw:"):].split("\n")
              if line.startswith("    def ") and "def name" not in line]
    return "\n".join(lines) + "\n"


def test_the_stub_of_the_laws_is_that_of_the_registry():
    assert (PACKAGE / "control.pyi").read_text() == stub_of_laws()


def test_every_verb_of_the_cpp_robot_is_there():
    text = (ROOT / "include" / "torsor" / "robot.hpp").read_text()
    text = text[text.index("class Robot {"):text.index(" private:")]
    text = re.sub(r"//.*", "", text)
    text = re.sub(r"struct [^;{]*\{.*?\n  \};", "", text, flags=re.S)
    verbs = set(re.findall(r"\b([a-z_0-9]+)\(", text)) - {"model", "operator", "bool"}
    assert len(verbs) > 90
    assert verbs - set(dir(torsor.Robot)) == set()
