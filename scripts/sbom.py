#!/usr/bin/env python3
"""Writes what a release is made of as SPDX 2.3 (JSON) to standard output.

    scripts/sbom.py FOLDER VERSION COMMIT

Files and their checksums are those of FOLDER, scripts of pages those of viewer/package-lock.json, other
libraries those that dpkg says are installed. The time is SOURCE_DATE_EPOCH.
"""
import base64
import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Debian package, licence, and whether its code is in our files (headers) or is loaded by them.
LIBRARIES = [
    ("libeigen3-dev", "MPL-2.0", "in"), ("nlohmann-json3-dev", "MIT", "in"),
    ("libcli11-dev", "BSD-3-Clause", "in"), ("pybind11-dev", "BSD-3-Clause", "in"),
    ("libtinyxml2-dev", "Zlib", "loaded"), ("libyaml-cpp-dev", "MIT", "loaded"),
    ("libcpp-httplib-dev", "MIT", "loaded"), ("libopenmpi-dev", "BSD-3-Clause-Open-MPI", "loaded")]
TOOLS = ["g++", "cmake", "binutils"]


def installed(package):
    """The version that dpkg knows, or nothing."""
    try:
        found = subprocess.run(["dpkg-query", "-W", "-f=${Version}", package], check=False,
                               capture_output=True, text=True)
    except FileNotFoundError:
        return ""
    return found.stdout if found.returncode == 0 else ""


def package(name, version, licence, **more):
    """One package of the list, with everything that SPDX requires."""
    return {"SPDXID": "SPDXRef-" + name.replace("+", "p"), "name": name, "versionInfo": version or "unknown",
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": licence,
            "licenseDeclared": licence, "copyrightText": "NOASSERTION", **more}


def document(folder, version, commit):
    """The whole document as a dictionary."""
    time = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), datetime.timezone.utc)
    packages = [package("torsor", version, "Apache-2.0", sourceInfo=f"commit {commit}")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-torsor")]
    lock = json.loads((ROOT / "viewer/package-lock.json").read_text())
    for name in json.loads((ROOT / "viewer/package.json").read_text())["dependencies"]:
        entry = lock["packages"]["node_modules/" + name]
        kind, digest = entry["integrity"].split("-", 1)
        packages.append(package(name, entry["version"], entry["license"], checksums=[
            {"algorithm": kind.upper(), "checksumValue": base64.b64decode(digest).hex()}]))
        relations.append(("SPDXRef-torsor", "CONTAINS", "SPDXRef-" + name))
    for name, licence, use in LIBRARIES:
        packages.append(package(name, installed(name), licence))
        relations.append(("SPDXRef-torsor", "CONTAINS" if use == "in" else "DEPENDS_ON", "SPDXRef-" + name))
    for name in TOOLS:
        packages.append(package(name, installed(name), "NOASSERTION"))
        relations.append((packages[-1]["SPDXID"], "BUILD_TOOL_OF", "SPDXRef-torsor"))
    files = []
    for path in sorted(pathlib.Path(folder).iterdir()):
        data = path.read_bytes()
        files.append({"SPDXID": f"SPDXRef-File-{len(files)}", "fileName": "./" + path.name, "checksums": [
            {"algorithm": kind.upper(), "checksumValue": hashlib.new(kind, data).hexdigest()}
            for kind in ("sha1", "sha256")], "licenseConcluded": "Apache-2.0", "copyrightText": "NOASSERTION"})
        relations.append((files[-1]["SPDXID"], "GENERATED_FROM", "SPDXRef-torsor"))
    return {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"torsor-{version}", "documentNamespace": f"urn:torsor:{version}:{commit}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "creators": ["Tool: scripts/sbom.py"]},
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b}
                          for a, kind, b in relations]}


if __name__ == "__main__":
    if len(sys.argv) != 4 or not pathlib.Path(sys.argv[1]).is_dir():
        print("sbom: usage: scripts/sbom.py FOLDER VERSION COMMIT", file=sys.stderr)
        sys.exit(2)
    json.dump(document(*sys.argv[1:]), sys.stdout, indent=1)
    print()
