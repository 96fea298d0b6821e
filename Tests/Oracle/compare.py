"""Compares two folders of JSON Lines, document by document.

    compare.py EXPECTED ACTUAL

Where EXPECTED has the value {"timestampValue": "SERVER_TIME"}, any timestamp of ACTUAL will do, but it must not be
older than every other one: it has to have been set by the run. Files are paired by their names; subcollections in
EXPECTED that have no file in ACTUAL are left out. Prints each difference and ends in 1 when there is one.
"""

import json
import pathlib
import sys

SERVER_TIME = {"timestampValue": "SERVER_TIME"}


def documents(folder):
    found = {}
    for path in sorted(pathlib.Path(folder).glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").split("\n"):
            if line:
                document = json.loads(line)
                found[document["name"]] = (document.get("fields", {}), line)
    return found


def differences(expected, actual, before):
    """Names of fields that differ; `before` is the newest time that existed before the run."""
    for name in sorted(set(expected) | set(actual)):
        left, right = expected.get(name), actual.get(name)
        if left == SERVER_TIME:
            if not isinstance(right, dict) or right.get("timestampValue", "") <= before:
                yield name, "a time of this run", right
        elif left != right:
            yield name, left, right


def main():
    expected, actual = documents(sys.argv[1]), documents(sys.argv[2])
    with_subcollections = any(name.count("/") > 1 for name in actual)
    if not with_subcollections:
        expected = {name: value for name, value in expected.items() if name.count("/") == 1}
    count = 0
    for name in sorted(set(expected) | set(actual)):
        if name not in expected or name not in actual:
            print(f"{name}: only in {'ACTUAL' if name in actual else 'EXPECTED'}")
            count += 1
            continue
        # Every time in the made-up gym lies before this one.
        for field, left, right in differences(expected[name][0], actual[name][0], "2026-01-01"):
            print(f"{name}: {field}: expected {json.dumps(left)}, found {json.dumps(right)}")
            count += 1
    print(f"{len(expected)} documents compared, {count} differences")
    sys.exit(1 if count else 0)


if __name__ == "__main__":
    main()
