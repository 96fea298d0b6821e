#!/usr/bin/env python3
"""Prints what the program is made of, as a software bill of materials (CycloneDX 1.6, JSON):

    generate-sbom.py PROGRAM VERSION >gymmigrate.cdx.json

The Swift packages and their revisions are those of Package.resolved, the Swift runtime is linked into the program, and the C
libraries are what it loads: packages of Debian where dpkg knows them, else their names. The same program gives the same bytes:
there is no time and no random number in it.
"""
import json
import os
import pathlib
import re
import subprocess
import sys

LICENCES = [("Apache-2.0", "Apache License"), ("MIT", "Permission is hereby granted, free of charge")]


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def licences(folder):
    """The licences by the text of the package's file; none where it is neither of the two."""
    for file in sorted(folder.glob("LICENSE*")):
        text = file.read_text(encoding="utf-8", errors="replace")
        return [{"license": {"id": id}} for id, words in LICENCES if words in text][:1]
    return []


def packages():
    for pin in json.loads(pathlib.Path("Package.resolved").read_text())["pins"]:
        place, state = pin["location"].removesuffix(".git"), pin["state"]
        version = state.get("version", state["revision"])
        found = licences(pathlib.Path(".build/checkouts") / place.rsplit("/", 1)[1])
        yield {
            "type": "library",
            "name": place.rsplit("/", 1)[1],
            "version": version,
            "purl": f"pkg:swift/{place.removeprefix('https://')}@{version}",
            **({"licenses": found} if found else {}),
            "properties": [{"name": "revision", "value": state["revision"]}],
        }


def runtime():
    version = re.search(r"Swift version (\S+)", output(*os.environ.get("SWIFT", "swift").split(), "--version"))
    yield {
        "type": "framework",
        "name": "swift-runtime",
        "version": version[1] if version else "unknown",
        "description": "The Swift runtime with Foundation and ICU, linked into the program.",
        "licenses": [{"license": {"id": "Apache-2.0"}}, {"license": {"id": "Unicode-3.0"}}],
    }


def libraries(program):
    """The libraries that it loads itself, not those that these load."""
    needed = re.findall(r"\(NEEDED\)[^\[]*\[([^\]]+)\]", output("readelf", "--dynamic", program))
    places = dict(re.findall(r"^\s*(\S+) => (\S+)", output("ldd", program), re.MULTILINE))
    for name in sorted(name for name in needed if not name.startswith("ld-")):
        try:
            # Where /lib is a link, dpkg knows some files by it and others by what it leads to.
            place = os.path.realpath(places[name]).removeprefix("/usr")
            package = output("dpkg-query", "--search", f"*{place}").split(":", 1)[0]
            version, architecture = output(
                "dpkg-query", "--show", "--showformat=${Version}\n${Architecture}", package
            ).split("\n")
        except (KeyError, OSError, subprocess.CalledProcessError):
            yield {"type": "library", "name": name}
            continue
        yield {
            "type": "library",
            "name": package,
            "version": version,
            "purl": f"pkg:deb/debian/{package}@{version.replace('+', '%2B').replace(':', '%3A')}?arch={architecture}",
            "description": f"Loaded as {name}.",
        }


def main(program, version):
    parts = [*packages(), *runtime(), *libraries(program)]
    unique = {part.get("purl", part["name"]): part for part in parts}
    program = {"type": "application", "bom-ref": "gymmigrate", "name": "gymmigrate", "version": version}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": program | {"licenses": [{"license": {"id": "Apache-2.0"}}]}},
        "components": [{"bom-ref": ref, **part} for ref, part in unique.items()],
        "dependencies": [{"ref": "gymmigrate", "dependsOn": list(unique)}],
    }
    json.dump(bill, sys.stdout, indent=2, ensure_ascii=False)
    print()


if __name__ == "__main__":
    main(*sys.argv[1:])
