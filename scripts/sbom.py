#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes the bill of materials of a build folder, SPDX 2.3 in JSON, to the standard output.

usage: sbom.py BUILD

It lists the tracked sources of the library and the plugin with their checksums and SPDX tags, and the
dependencies that Meson found, with their versions. Configure BUILD with -Dtests=false, or the tests'
dependencies are listed, too. The time is that of SOURCE_DATE_EPOCH or of the last commit, so that the same
sources give the same bytes.
"""
import datetime
import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def output(*command):
    return subprocess.check_output(command, cwd=ROOT, text=True)


def file_entry(name):
    data = (ROOT / name).read_bytes()
    tag = re.search(rb"SPDX-License-Identifier: ([\w.+-]+)", data[:500])
    return {
        "SPDXID": "SPDXRef-File-" + re.sub(r"[^A-Za-z0-9.]", "-", name),
        "fileName": "./" + name,
        "checksums": [{"algorithm": a, "checksumValue": hashlib.new(a, data).hexdigest()} for a in ("SHA1", "SHA256")],
        "licenseConcluded": tag[1].decode() if tag else "LGPL-2.1-or-later",
        "licenseInfoInFiles": [tag[1].decode() if tag else "NOASSERTION"],
        "copyrightText": "NOASSERTION",
    }


def package(name, version, **more):
    return {"SPDXID": "SPDXRef-Package-" + re.sub(r"[^A-Za-z0-9.]", "-", name), "name": name, "versionInfo": version,
            "downloadLocation": "NOASSERTION", "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
            "licenseDeclared": "NOASSERTION", "copyrightText": "NOASSERTION", **more}


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


if len(sys.argv) != 2:
    sys.exit(__doc__)
build = pathlib.Path(sys.argv[1]).resolve()
project = json.loads(output("meson", "introspect", "--projectinfo", str(build)))
dependencies = json.loads(output("meson", "introspect", "--dependencies", str(build)))

names = output("git", "ls-files", "LICENSE", *(f"{folder}/*.{kind}" for folder in ("gst", "kernels")
                                                   for kind in ("cpp", "h", "cu", "cuh"))).splitlines()
files = [file_entry(name) for name in sorted(names)]
sums = "".join(sorted(file["checksums"][0]["checksumValue"] for file in files))
code = hashlib.sha1(sums.encode()).hexdigest()
own = package(project["descriptive_name"], project["version"], filesAnalyzed=True,
              packageVerificationCode={"packageVerificationCodeValue": code},
              licenseConcluded="LGPL-2.1-or-later", licenseDeclared="LGPL-2.1-or-later",
              licenseInfoFromFiles=["LGPL-2.1-or-later"], hasFiles=[file["SPDXID"] for file in files])
others = {d["name"]: package(d["name"], d["version"]) for d in dependencies if d["name"] not in ("threads", "")}
relations = [relation("SPDXRef-DOCUMENT", "DESCRIBES", own["SPDXID"])]
relations += [relation(own["SPDXID"], "DYNAMIC_LINK", other["SPDXID"]) for _, other in sorted(others.items())]

# The CUDA runtime is inside, where there are CUDA kernels. Its version is that of nvcc.
ninja = (build / "build.ninja").read_text(encoding="utf-8")
if "cudart_static" in ninja:
    nvcc = re.search(r"\S+/nvcc(?= )", ninja)[0]
    others["cudart_static"] = package("cudart_static", re.search(r"release ([\d.]+)", output(nvcc, "--version"))[1])
    relations.append(relation(own["SPDXID"], "STATIC_LINK", others["cudart_static"]["SPDXID"]))

epoch = int(os.environ.get("SOURCE_DATE_EPOCH") or output("git", "log", "-1", "--format=%ct"))
json.dump({
    "spdxVersion": "SPDX-2.3",
    "dataLicense": "CC0-1.0",
    "SPDXID": "SPDXRef-DOCUMENT",
    "name": f"{project['descriptive_name']}-{project['version']}",
    "documentNamespace": f"https://spdx.org/spdxdocs/{project['descriptive_name']}-{project['version']}-{code}",
    "creationInfo": {
        "created": datetime.datetime.fromtimestamp(epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "creators": ["Tool: sbom.py"],
    },
    "packages": [own, *(other for _, other in sorted(others.items()))],
    "files": files,
    "relationships": relations,
}, sys.stdout, indent=1)
print()
