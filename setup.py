"""Builds the compiled part of the Python package with CMake.

TORSOR_BUILD_DIR names a build folder to use instead of build/python-package: one that is configured with
TORSOR_BUILD_PYTHON already, whose objects then count.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parent
UNITY_ROOMS = ("linear", "trajectory", "experiments")  # no two sources of these share a name


class CMakeBuild(build_ext):
    """The extension, and the shared libraries that it needs beside it."""

    def run(self):
        folder = Path(os.environ.get("TORSOR_BUILD_DIR") or ROOT / "build" / "python-package")
        if not os.environ.get("TORSOR_BUILD_DIR"):
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            off = [f"-DTORSOR_{part}=OFF" for part in
                   ("BUILD_APPS", "BUILD_TESTS", "BUILD_EXAMPLES", "INSTALL")]
            unity = "-DTORSOR_UNITY_ROOMS=" + ";".join(UNITY_ROOMS)
            self.call("cmake", "-S", str(ROOT), "-B", str(folder), *generator, *off, unity,
                      "-DCMAKE_BUILD_TYPE=Release", "-DTORSOR_BUILD_PYTHON=ON",
                      f"-DPython3_EXECUTABLE={sys.executable}")
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL") or str(os.cpu_count() or 1)
        self.call("cmake", "--build", str(folder), "--target", "torsor_python", "-j", jobs)
        target = Path(self.build_lib) / "torsor"
        target.mkdir(parents=True, exist_ok=True)
        for file in (folder / "python" / "torsor").iterdir():
            if ".so" in file.name:
                shutil.copy2(file, target / file.name)

    def call(self, *command):
        try:
            subprocess.run(command, check=True)
        except FileNotFoundError:
            raise SystemExit(f"torsor: {command[0]} was not found; on Debian or Ubuntu: apt install "
                             "g++ cmake ninja-build pybind11-dev python3-dev libeigen3-dev "
                             "libtinyxml2-dev libyaml-cpp-dev nlohmann-json3-dev")
        except subprocess.CalledProcessError as error:
            raise SystemExit(f"torsor: {command[0]} failed ({error.returncode})")


(ROOT / "build").mkdir(exist_ok=True)  # of the egg-info, which setup.cfg puts there
setup(ext_modules=[Extension("torsor._torsor", [])], cmdclass={"build_ext": CMakeBuild})
