"""The version is the same wherever it is stated, and the list of parts of a release is well formed."""
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

import torsor

ROOT = pathlib.Path(os.environ["TORSOR_SOURCE_DIR"])


def stated(path, pattern):
    found = re.search(pattern, (ROOT / path).read_text(), re.MULTILINE)
    assert found, f"{path} states no version"
    return found.group(1)


def test_one_version_everywhere():
    version = stated("CMakeLists.txt", r"^project\(torsor VERSION ([\d.]+)")
    assert stated("pyproject.toml", r'^version = "(.*)"') == version
    assert stated("CHANGELOG.md", r"^## ([\d.]+)$") == version
    assert stated("packaging/vcpkg/torsor/vcpkg.json", r'"version": "(.*)"') == version
    assert stated("packaging/conda/meta.yaml", r'^  version: "(.*)"') == version
    assert stated("viewer/package.json", r'"version": "(.*)"') == version
    assert stated("viewer/package-lock.json", r'"version": "(.*)"') == version
    assert torsor.__version__ == version
    program = os.environ.get("TORSOR_COMMAND", "")
    if not os.path.exists(program):
        return  # of a package without the command
    command = subprocess.run([program, "--version"], check=True, capture_output=True, text=True)
    assert command.stdout.split()[:2] == ["torsor", version]


def test_recipes_ask_for_options_that_exist():
    files = [*(ROOT / "packaging").rglob("*"), ROOT / "scripts/release", ROOT / "setup.py"]
    wanted = {name for file in files if file.is_file()
              for name in re.findall(r"\bD?(TORSOR_[A-Z_]+)\b(?=[=)\s])", file.read_text())}
    build = "".join(file.read_text() for file in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake"),
                                                  *ROOT.glob("*/CMakeLists.txt")])
    known = set(re.findall(r"option\((TORSOR_\w+)|set\((TORSOR_\w+)[^)]*?\sCACHE\s", build))
    known = {name for pair in known for name in pair if name} | {"TORSOR_BUILD_DIR"}  # setup.py's own
    assert {"TORSOR_BUILD_TESTS", "TORSOR_BUILD_MPI", "TORSOR_BUILD_VIEWER"} <= wanted
    assert wanted <= known, wanted - known


def test_bill_of_materials_names_parts_and_files(tmp_path):
    (tmp_path / "thing.deb").write_bytes(b"torsor")
    made = subprocess.run([sys.executable, ROOT / "scripts/sbom.py", tmp_path, "1.2.3", "c0ffee"], check=True,
                          capture_output=True, text=True, env={**os.environ, "SOURCE_DATE_EPOCH": "86400"})
    bill = json.loads(made.stdout)
    assert bill["spdxVersion"] == "SPDX-2.3" and bill["dataLicense"] == "CC0-1.0"
    assert bill["creationInfo"]["created"] == "1970-01-02T00:00:00Z"
    names = {package["name"]: package for package in bill["packages"]}
    assert names["torsor"]["versionInfo"] == "1.2.3"
    for name in json.loads((ROOT / "viewer/package.json").read_text())["dependencies"]:
        assert names[name]["versionInfo"] != "unknown" and names[name]["checksums"]
    # Every package that cmake/dependencies.cmake looks for has a line, under some spelling.
    text = (ROOT / "cmake/dependencies.cmake").read_text()
    plain = re.sub("[^a-z0-9 ]", "", " ".join(names).lower().replace("cpp", ""))
    for wanted in re.findall(r"find_package\((\S+)", text):
        if wanted not in ("Threads", "GTest", "benchmark"):
            assert re.sub("[^a-z0-9]", "", wanted.lower().replace("cpp", "")) in plain, wanted
    sums = {each["algorithm"]: each["checksumValue"] for each in bill["files"][0]["checksums"]}
    assert sums["SHA256"] == hashlib.sha256(b"torsor").hexdigest()
    # Every relation is between things that exist.
    known = {"SPDXRef-DOCUMENT"} | {each["SPDXID"] for each in bill["packages"] + bill["files"]}
    for relation in bill["relationships"]:
        assert {relation["spdxElementId"], relation["relatedSpdxElement"]} <= known


def test_bill_of_materials_refuses_a_missing_folder():
    made = subprocess.run([sys.executable, ROOT / "scripts/sbom.py", "/nowhere", "1", "c"], check=False,
                          capture_output=True, text=True)
    assert made.returncode == 2 and made.stderr.count("\n") == 1
