#!/usr/bin/env python3
"""Holds what `export --format managed` writes to PyPI's leveldb-export, which must read the documents that JSON Lines have.

    python3 leveldb_reading.py path/to/gymmigrate python-that-has-leveldb-export [documents]

The sample of the gym and random documents are exported in both formats from one database. leveldb-export tells values of a
document apart by their Datastore type. Inside maps it knows numbers, texts and booleans, and takes an empty text for nothing; times
are microseconds there, and all else is left out of the comparison. It needs an older protobuf than Google's client, so it has
a Python of its own, to which this file gives itself with --read.
"""

import base64
import datetime
import json
import pathlib
import random
import re
import subprocess
import sys
import tempfile

SAMPLE = pathlib.Path(__file__).parent.parent.parent / "samples/gym"
EPOCH = datetime.datetime(1970, 1, 1)
SKIPPED = ["skipped"]


def read(folder):
    """Prints what leveldb-export has of a folder: a path and tagged values a line."""
    from google.appengine.api import datastore_types
    from leveldb_export import parse_leveldb_documents

    def told(value):
        if isinstance(value, bytes):
            return ["bytes", base64.b64encode(value).decode()]
        if isinstance(value, datetime.datetime):
            return ["time", (value - EPOCH) // datetime.timedelta(microseconds=1)]
        if isinstance(value, datastore_types.GeoPt):
            return ["point", value.lat, value.lon]
        if isinstance(value, datastore_types.Key):
            return ["reference", "/".join(map(str, value.to_path()))]
        if isinstance(value, list):
            return ["array", [told(one) for one in value]]
        if isinstance(value, dict):
            return ["map", {name: told(one) for name, one in value.items()}]
        return [type(value).__name__, repr(value) if isinstance(value, float) else value]

    for file in sorted(pathlib.Path(folder).rglob("output-*")):
        for document in parse_leveldb_documents(str(file)):
            path = document.pop("_key")["path"]
            print(json.dumps([path, {name: told(value) for name, value in document.items()}]))


def microseconds(text):
    whole, _, fraction = text.removesuffix("Z").partition(".")
    return (datetime.datetime.fromisoformat(whole) - EPOCH) // datetime.timedelta(seconds=1) * 10**6 + int(f"{fraction:0<6}"[:6])


def wanted(value):
    """What a typed value of a line is there."""
    ((kind, inner),) = value.items()
    if kind == "nullValue":
        return ["NoneType", None]
    if kind == "integerValue":
        return ["int", int(inner)]
    if kind == "doubleValue":
        return ["float", repr(float(inner))]
    if kind == "timestampValue":
        return ["time", microseconds(inner)]
    if kind == "referenceValue":
        return ["reference", re.sub("/__id(-?[0-9]+)__", r"/\1", inner.split("/documents/", 1)[1])]
    if kind == "geoPointValue":
        return ["point", inner.get("latitude", 0), inner.get("longitude", 0)]
    if kind == "arrayValue":
        return ["array", [wanted(one) for one in inner.get("values", [])]]
    if kind == "mapValue":
        if inner.get("fields", {}).get("__type__") == {"stringValue": "__vector__"}:
            return wanted(inner["fields"]["value"])
        return ["map", {name: nested(one) for name, one in inner.get("fields", {}).items()}]
    return [{"booleanValue": "bool", "stringValue": "str", "bytesValue": "bytes"}[kind], inner]


def nested(value):
    """The same inside a map, where only some types are told."""
    ((kind, inner),) = value.items()
    if kind in ("referenceValue", "geoPointValue", "bytesValue"):
        return SKIPPED
    if kind == "timestampValue":
        return ["int", microseconds(inner)]
    if kind == "doubleValue" and inner in ("NaN", "Infinity", "-Infinity"):
        return ["str", inner]
    if kind == "arrayValue":
        return ["array", [nested(one) for one in inner.get("values", [])]]
    return ["NoneType", None] if value == {"stringValue": ""} else wanted(value)


def same(found, value):
    if value == SKIPPED:
        return True
    if found[0] != value[0]:
        return False
    if value[0] == "array":
        return len(found[1]) == len(value[1]) and all(map(same, found[1], value[1]))
    if value[0] == "map":
        return found[1].keys() == value[1].keys() and all(same(found[1][name], value[1][name]) for name in value[1])
    return found == value


def compare(binary, python, folder, schema):
    """Exports the database of the folder twice, and says how many documents were read alike."""
    for place, format in [("managed", "managed"), ("lines", "jsonl")]:
        export = [binary, "export", "--all", "-e", "local", "--schema", schema, "-o", place, "--format", format, "-q"]
        subprocess.run(export, cwd=folder, check=True)
    lines = [json.loads(line) for file in sorted((folder / "lines").glob("*.jsonl")) for line in file.read_text().split("\n") if line]
    reader = subprocess.run([python, __file__, "--read", folder / "managed"], stdout=subprocess.PIPE, text=True, check=True)
    found = dict(json.loads(line) for line in reader.stdout.splitlines())
    documents = {line["name"]: line.get("fields", {}) for line in lines}
    if found.keys() != documents.keys():
        sys.exit(f"leveldb-export: {len(found)} documents, not {len(documents)}: {sorted(found.keys() ^ documents.keys())[:3]}")
    for path, fields in documents.items():
        for name in found[path].keys() | fields.keys():
            if name not in found[path] or name not in fields or not same(found[path][name], wanted(fields[name])):
                sys.exit(f"leveldb-export: {name!r} of {path!r} is {found[path].get(name)}, not {fields.get(name)}")
    return len(documents)


def random_lines(count, seed=1):
    from random_documents import Maker

    root = "projects/sajarubox/databases/(default)"
    for path, fields in Maker(random.Random(seed), root).documents(count).items():
        # It takes no path with a numeric id in it.
        if "/__id" not in path:
            yield json.dumps({"name": f"{root}/documents/{path}", "fields": fields})


def main():
    if sys.argv[1] == "--read":
        return read(sys.argv[2])
    binary, python, count = str(pathlib.Path(sys.argv[1]).resolve()), sys.argv[2], int((sys.argv[3:] or [2000])[0])
    with tempfile.TemporaryDirectory() as name:
        gym, loose = pathlib.Path(name) / "gym", pathlib.Path(name) / "loose"
        for folder in (gym, loose):
            folder.mkdir()
        subprocess.run([binary, "import", SAMPLE, "-e", "local", "-q"], cwd=gym, check=False, stderr=subprocess.DEVNULL)
        (loose / "random.jsonl").write_text("\n".join(random_lines(count)) + "\n")
        subprocess.run([binary, "import", "random.jsonl", "-e", "local", "--schema", "none", "-q"], cwd=loose, check=True)
        read_alike = compare(binary, python, gym, "gym") + compare(binary, python, loose, "none")
    print(f"leveldb-export: {read_alike} documents of managed exports are those of JSON Lines.")


if __name__ == "__main__":
    main()
