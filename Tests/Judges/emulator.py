#!/usr/bin/env python3
"""Holds the whole main job, and every command that talks to Firestore, to Google's own emulator.

    python3 emulator.py [--quick] path/to/gymmigrate [SECTION …]

Between program and emulator stands a proxy that counts requests and is where the program is killed. Documents are read from
the emulator by this script itself; what migrations must make of them is said by Tests/Oracle, what a check must find too, and
what a filter selects by a table of hand. What a command prints of documents must be what it prints of the same documents in
the embedded store, which other judges hold to references. `--quick` takes the sections of `make test`. Without the emulator
it says so and ends well.
"""

import argparse
import collections
import json
import os
import pathlib
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

import google_emulator
from judging import Wrong, need
from mirror_service import Database
from recording_proxy import RecordingProxy
from strict_requests import awkward, stopping

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
GYM, ORACLE = REPOSITORY / "samples/gym", REPOSITORY / "Tests/Oracle"
MAIN_JOB = ["users-unify", "user-emails", "is-active"]

# Where the emulator cannot do what the service does, and what is expected instead.
EXPECTED_HERE = {
    "doctor": "it has no admin service: the database is not described, and its clock is in no header",
    "managed": "it has no managed exports: UNIMPLEMENTED or NOT_FOUND, which ends in 69, 77 or 78",
    "read time": "it refuses readTime in GET, so lists are read at the present, with a warning",
    "-0.0": "it stores 0.0 for -0.0 in a REST body",
}

counts = collections.Counter()


class Bench:
    """The program, the emulator, the proxy between them and the folder they work in."""

    def __init__(self, program, folder, host):
        self.program, self.folder, self.host = program, folder, host
        self.proxy = RecordingProxy(host)
        self.proxy.watch = self.count
        self.other = None
        names = ["main-gym", "again", "copy", "kinds", "checked", "kill-import", "kill-apply", "groups", "csv1", "xlsx", "jsonl", "oddities", "shards", "large"]
        lines = [f"  {name}: {{ database: {name} }}" for name in names]
        (folder / "gymmigrate.yaml").write_text("project: p\nschema: gym\nenvironments:\n" + "\n".join(lines) + "\n")

    def count(self, exchange):
        counts["requests"] += 1
        self.proxy.exchanges.clear()
        if self.other:
            self.other(exchange)

    def start(self, *arguments, emulator=True):
        counts["commands"] += 1
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        if emulator:
            environment["FIRESTORE_EMULATOR_HOST"] = self.proxy.endpoint.removeprefix("http://")
        return subprocess.Popen(
            [self.program, *map(str, arguments)], cwd=self.folder, env=environment, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )

    def end(self, process, ends=(0,)):
        try:
            output, errors = process.communicate(timeout=600)
        finally:
            process.kill()
            process.wait()
        need(process.returncode in ends, f"{process.args[1:]} ended in {process.returncode}, not {ends}:\n{errors[-3000:]}")
        return output, errors

    def __call__(self, *arguments, ends=(0,), emulator=True):
        return self.end(self.start(*arguments, emulator=emulator), ends)[0]

    def killed(self, *arguments, at):
        """Runs a command that is killed before its commit number `at` is answered, and resumes it."""
        process = self.start(*arguments)
        self.other = stopping(process, signal.SIGKILL, at)
        process.communicate(timeout=600)
        self.other = None
        need(process.returncode == -signal.SIGKILL, f"{arguments} ended in {process.returncode} before it was killed")
        counts["kills"] += 1
        return self("runs", "resume", "last", ends=(0, 2))

    def base(self, name):
        return Database(self, name)

    def documents(self, name):
        """The fields of every document but those of gymmigrate itself, by path, as the emulator answers."""
        found = {path: fields for path, fields in self.base(name).all().items() if not path.startswith("_gymmigrate")}
        counts["documents"] += len(found)
        return found


def plain(value):
    """A value whose spelling does not count: times without zeros at their end, doubles as doubles."""
    if isinstance(value, dict):
        if "doubleValue" in value:
            number = float(value["doubleValue"])
            return ("double", repr(number + 0.0) if number != 0 else "0.0")
        if "timestampValue" in value:
            return ("time", re.sub(r"\.?0*Z$", "Z", value["timestampValue"]) if "." in value["timestampValue"] else value["timestampValue"])
        if "nullValue" in value:
            return ("null",)
        if "geoPointValue" in value:
            return ("place", *(float(value["geoPointValue"].get(name, 0)) for name in ("latitude", "longitude")))
        if "arrayValue" in value:
            return ("array", tuple(plain(item) for item in value["arrayValue"].get("values", [])))
        if "mapValue" in value:
            return ("map", plain_fields(value["mapValue"].get("fields", {})))
        return tuple(value.items())
    return value


def plain_fields(fields):
    return tuple(sorted((name, plain(value)) for name, value in fields.items()))


def same(found, expected, what, but=()):
    """`found` are the documents `expected`; a time of the run stands where the oracle says SERVER_TIME."""
    for path in sorted(found.keys() | expected.keys()):
        need(path in found, f"{what}: {path} is missing")
        need(path in expected, f"{what}: {path} is too many")
        left, right = dict(plain_fields(found[path])), dict(plain_fields(expected[path]))
        for name in left.keys() | right.keys():
            if right.get(name) == ("time", "SERVER_TIME"):
                need(left.get(name, ("",))[0] == "time" and left[name][1] > "2026-01-01", f"{what}: {path} {name} is {left.get(name)}, no time of the run")
            elif name not in but:
                need(left.get(name) == right.get(name), f"{what}: {path} {name} is {left.get(name)}, not {right.get(name)}")
    counts["compared"] += len(expected)


def lines(text):
    return {document["name"]: document.get("fields", {}) for document in map(json.loads, text.split("\n")[:-1])}


def sample():
    found = {}
    for path in sorted(GYM.glob("*.jsonl")):
        found |= lines(path.read_text())
    return found


def oracle(bench, before, *flags):
    """What the main job must leave, by the oracle."""
    source = bench.folder / "before"
    source.mkdir(exist_ok=True)
    for old in source.iterdir():
        old.unlink()
    collected = collections.defaultdict(list)
    for path, fields in before.items():
        collected[path.split("/")[0]].append(json.dumps({"name": path, "fields": fields}, ensure_ascii=False))
    for collection, documents in collected.items():
        (source / f"{collection}.jsonl").write_text("\n".join(documents) + "\n")
    target = bench.folder / "expected"
    subprocess.run([sys.executable, str(ORACLE / "expected.py"), str(source), "-o", str(target), *flags], check=True)
    found = {}
    for path in target.glob("*.jsonl"):
        found |= lines(path.read_text())
        path.unlink()
    return found


def load(bench, name, *flags):
    # One commit at a time: where a user has no createdAt, the order of creation decides about the index.
    bench("import", *sorted(map(str, GYM.glob("*.jsonl"))), "-e", name, "-q", "--validate", "warn", "--in-flight", "1", *flags)
    return bench.documents(name)


# The sections.


def main_job(bench):
    """Seed, plan, apply, stale, again, verify, status, undo."""
    before = load(bench, "main-gym")
    same(before, sample(), "import")
    bench("migrate", "plan", *MAIN_JOB, "-e", "main-gym", "-o", "plan.jsonl", "-q")
    same(bench.documents("main-gym"), before, "a plan writes nothing")
    expected = oracle(bench, before)
    # Another writer changes a document that the plan changes: it is listed, and left.
    path = json.loads((bench.folder / "plan.jsonl").read_text().splitlines()[1])
    stale = next(iter(re.findall(r'users/[A-Za-z0-9]{20,28}', json.dumps(path))), None)
    need(stale in before, f"no user in the plan: {path}")
    base = bench.base("main-gym")
    base.commit([base.set(stale, {**before[stale], "phone": {"stringValue": "999"}})])
    bench("migrate", "apply", "--plan", "plan.jsonl", "-e", "main-gym", "-q", ends=(2,))
    found = bench.documents("main-gym")
    need(plain(found[stale]["phone"]) == plain({"stringValue": "999"}), f"{stale} was written though it changed")
    same({k: v for k, v in found.items() if k != stale}, {k: v for k, v in expected.items() if k != stale}, "apply --plan")
    bench("migrate", "apply", *MAIN_JOB, "-e", "main-gym", "-q", ends=(2,))
    second = oracle(bench, {**before, stale: {**before[stale], "phone": {"stringValue": "999"}}})
    now = bench.documents("main-gym")
    same(now, second, "apply")
    summary = json.loads(bench("migrate", "apply", *MAIN_JOB, "-e", "main-gym", "-q", "--json", ends=(2,)))["totals"]
    need(summary["written"] == summary["created"] == 0, f"a second apply writes {summary}")
    bench("migrate", "verify", *MAIN_JOB, "-e", "main-gym", "-q")
    need("users-unify" in bench("migrate", "status", "-e", "main-gym"), "status knows no run")
    # Three of these runs wrote: the two applied ones are undone, the last one first.
    bench("migrate", "undo", "last", "-e", "main-gym", "-q", "-n")
    same(bench.documents("main-gym"), now, "a planned undo writes nothing")
    bench("migrate", "undo", "last", "-e", "main-gym", "-q")
    bench("runs", "undo", "last", "-q")
    same(bench.documents("main-gym"), {**before, stale: {**before[stale], "phone": {"stringValue": "999"}}}, "undo")
    bench("runs", "list")
    bench("migrate", "apply", *MAIN_JOB, "-e", "main-gym", "-q", ends=(2,))


def formats(bench):
    """Every format out, and back into a database of its own."""
    if not bench.documents("main-gym"):
        load(bench, "main-gym")
    everything = bench.documents("main-gym")
    bench("export", "--all", "-e", "main-gym", "-o", "all.jsonl", "--subcollections", "-q")
    same(lines((bench.folder / "all.jsonl").read_text()), everything, "export")
    bench("export", "--all", "-e", "main-gym", "-o", "folder", "--format", "jsonl", "-q")
    bench("export", "verify", "folder", "-q")
    bench("import", "folder", "-e", "jsonl", "-q", "--validate", "warn")
    same(bench.documents("jsonl"), everything, "JSON Lines")
    bench("export", "--all", "-e", "main-gym", "-o", "book.xlsx", "--subcollections", "-q")
    bench("import", "book.xlsx", "-e", "xlsx", "-q", "--keep-spaces", "--validate", "warn")
    same(bench.documents("xlsx"), everything, "a workbook")
    for header in ("", "spanish"):
        target = f"tables{header}"
        bench("export", "products", "expenses", "exercises", "-e", "main-gym", "-o", target, "--format", "csv", "-q", *(["--header", header] if header else []))
        bench("import", target, "-e", "main-gym", "-q", "--mode", "upsert", "--validate", "warn", ends=(0, 2))
    same(bench.documents("main-gym"), everything, "tables over what they were made of")
    bench("export", "--all", "-e", "main-gym", "-o", "once.sqlite", "--format", "sqlite", "-q")
    bench("export", "check_ins", "-e", "main-gym", "-o", "ranges.jsonl", "--parallel", "8", "--page-size", "100", "-q")
    bench("export", "check_ins", "-e", "main-gym", "-o", "pages.jsonl", "-q")
    need((bench.folder / "ranges.jsonl").read_bytes() == (bench.folder / "pages.jsonl").read_bytes(), "ranges are not pages")
    bench("export", "users", "-e", "main-gym", "-o", "some.csv", "--fields", "firstName,email", "--order-by", "email", "--limit", "20", "-q")
    bench("export", "members", "--group", "-e", "main-gym", "-o", "group.jsonl", "-q")
    need(set(lines((bench.folder / "group.jsonl").read_text())) == {p for p in everything if p.split("/")[-2] == "members"}, "a group of collections")


def odd_documents(bench):
    """Every type, its extremes, and ids of every kind, there and back."""
    documents = {name: fields for name, fields in awkward()}
    text = json.dumps(documents).replace("projects/p/databases/data/", "projects/p/databases/oddities/")
    documents = json.loads(text)
    (bench.folder / "odd.jsonl").write_text("".join(json.dumps({"name": n, "fields": f}) + "\n" for n, f in documents.items()))
    bench("import", "odd.jsonl", "-e", "oddities", "--schema", "none", "-q")
    same(bench.documents("oddities"), documents, "odd documents")
    bench("export", "--all", "--subcollections", "-e", "oddities", "--schema", "none", "-o", "odd-out.jsonl", "-q")
    same(lines((bench.folder / "odd-out.jsonl").read_text()), documents, "odd documents exported")
    # The two documents with -0.0 are not what was stored: see EXPECTED_HERE.
    bench("import", "odd.jsonl", "-e", "oddities", "--schema", "none", "-q", ends=(2,))
    rejects = max((bench.folder / ".gymmigrate/runs").glob("*/rejects.jsonl"), key=lambda path: path.stat().st_mtime)
    need({json.loads(line)["document"]["name"] for line in rejects.read_text().split("\n")[:-1]} == {"awkward/values", "kinds/doubles"}, "only -0.0 differs")
    names = list(documents)[2:9]
    need(lines(bench("get", *names, "-e", "oddities", "--schema", "none")).keys() == set(names), "get")


def copies(bench):
    """Copy and diff: the same, then three differences."""
    source = bench.documents("main-gym") or load(bench, "main-gym")
    bench("copy", "--all", "--from", "main-gym", "--to", "copy", "-q")
    same(bench.documents("copy"), moved(source, "main-gym", "copy"), "copy")
    bench("diff", "--all", "--from", "main-gym", "--to", "copy", "-q")
    base, names = bench.base("copy"), sorted(source)
    base.commit([base.delete(names[3]), base.set(names[50], {}), base.set("users/only-here", {})])
    found = bench("diff", "--all", "--from", "main-gym", "--to", "copy", "-q", ends=(1,)).split("\n")
    wanted = {f"+ {names[3]}", f"* {names[50]}", "- users/only-here"}
    need(wanted == {line for line in found if line}, f"diff prints {found}")
    bench("copy", "--all", "--from", "main-gym", "--to", "copy", "-q", "--mode", "upsert", "--delete-extraneous", "--max-delete", "1")
    bench("diff", "--all", "--from", "main-gym", "--to", "copy", "-q")
    bench("diff", "users", "--from", "main-gym", "--to", "all.jsonl", "-q", ends=(0, 1)) if (bench.folder / "all.jsonl").exists() else None


def moved(documents, source, target):
    return json.loads(json.dumps(documents).replace(f"projects/p/databases/{source}/", f"projects/p/databases/{target}/"))


KINDS = {
    "null": {"nullValue": None}, "true": {"booleanValue": True}, "false": {"booleanValue": False}, "nan": {"doubleValue": "NaN"},
    "zero": {"integerValue": "0"}, "seven": {"integerValue": "7"}, "half": {"doubleValue": 7.5}, "seven0": {"doubleValue": 7.0},
    "time": {"timestampValue": "2026-01-31T12:00:00Z"}, "empty": {"stringValue": ""}, "digits": {"stringValue": "007"},
    "text": {"stringValue": "x"}, "bytes": {"bytesValue": "AQ=="}, "place": {"geoPointValue": {"latitude": 1, "longitude": 2}},
    "reference": {"referenceValue": "projects/p/databases/kinds/documents/kinds/true"},
    "array": {"arrayValue": {"values": [{"integerValue": "7"}]}}, "map": {"mapValue": {"fields": {"a.b": {"stringValue": "a.b"}}}},
}
VALUED = set(KINDS) - {"null"}
# What each filter selects, by docs/filters.md.
FILTERS = {
    "v == true": {"true"}, "v == 7": {"seven", "seven0"}, "v == null": {"null"}, "v != null": VALUED, "v != 7": VALUED - {"seven", "seven0"},
    "v < 7": {"zero"}, "v <= 7.0": {"zero", "seven", "seven0"}, "v > 7": {"half"}, "v >= 7": {"seven", "seven0", "half"},
    "v > 0 and v < 7.5": {"seven", "seven0"}, 'v > ""': {"digits", "text"}, 'v >= "007"': {"digits", "text"}, "v < true": {"false"},
    "v in [true, 7, 7.5, x]": {"true", "seven", "seven0", "half", "text"}, "v not-in [true, 7]": VALUED - {"true", "seven", "seven0"},
    "list array-contains all": set(KINDS) | {"missing"}, "list array-contains-any [map, text]": {"map", "text"},
    "v array-contains 7": {"array"}, "v is-null": {"null"}, "v is-not-null": VALUED, "v is-nan": {"nan"}, "v is-not-nan": VALUED - {"nan"},
    "v == ts(2026-01-31T12:00:00Z)": {"time"}, "v <= ts(2026-02-01)": {"time"}, "v == ref(kinds/true)": {"reference"},
    "v == true or v == false": {"true", "false"}, "v == true and list array-contains all or v is-null": {"true", "null"},
    "v.`a.b` == a.b": {"map"}, "n > 3 or v == true": {"missing"}, "__name__ == kinds/map": {"map"}, "__name__ > kinds/text": {"time", "true", "zero"},
    "__name__ in [kinds/nan, kinds/none]": {"nan"}, "__name__ <= kinds/bytes": {"array", "bytes"}, "__name__ != kinds/map and v == 7": {"seven", "seven0"},
}


def filters(bench):
    """Every operator, by the emulator (export, count) and by the program itself (a pattern)."""
    base = bench.base("kinds")
    writes = [base.set(f"kinds/{id}", {"v": value, "list": {"arrayValue": {"values": [{"stringValue": id}, {"stringValue": "all"}]}}}) for id, value in KINDS.items()]
    writes.append(base.set("kinds/missing", {"n": {"integerValue": "4"}, "list": {"arrayValue": {"values": [{"stringValue": "all"}]}}}))
    base.commit(writes)
    for filter, wanted in FILTERS.items():
        place = ["-e", "kinds", "--schema", "none", "-q"]
        found = set(lines(bench("export", "kinds", "--where", filter, "-o", "-", "--format", "jsonl", *place)))
        need(found == {f"kinds/{id}" for id in wanted}, f"{filter} selects {sorted(found)}, not {sorted(wanted)}")
        number = bench("count", "kinds", "--where", filter, *place).split()[1]
        need(int(number) == len(wanted), f"{filter} counts {number}, not {len(wanted)}")
        found = set(lines(bench("export", "kind*", "--where", filter, "-o", "-", "--format", "jsonl", *place)))
        need(found == {f"kinds/{id}" for id in wanted}, f"{filter} selects {sorted(found)} here, not {sorted(wanted)}")
        counts["filters"] += 1


def checks(bench):
    """check as the oracle has it; fix and delete, undone."""
    subprocess.run([sys.executable, str(GYM / "generate.py"), "--out", str(bench.folder / "small"), "--users", "60"], check=True, capture_output=True)
    subprocess.run([sys.executable, str(ORACLE / "check_damage.py"), str(bench.folder / "small"), "-o", str(bench.folder / "broken"), "--seed", "3"], check=True, capture_output=True)
    bench("import", "broken/all.jsonl", "-e", "checked", "-q")
    (bench.folder / "found.json").write_text(bench("check", "-e", "checked", "--json", "-q", ends=(1,)))
    judged = subprocess.run([sys.executable, str(ORACLE / "check_expected.py"), str(bench.folder / "broken"), "--compare", str(bench.folder / "found.json")], capture_output=True, text=True)
    need(judged.returncode == 0 and " findings of " in judged.stdout, f"check: {judged.stdout[-2000:]}{judged.stderr}")
    before = bench.documents("checked")
    bench("fix", "products", "--all-documents", "--set", "marked=true", "-e", "checked", "--schema", "none", "-q")
    found = bench.documents("checked")
    marked = {path for path, fields in found.items() if fields.get("marked") == {"booleanValue": True}}
    need(marked == {path for path in before if path.startswith("products/") and path.count("/") == 1}, "fix marks all products")
    bench("runs", "undo", "last", "-q")
    same(bench.documents("checked"), before, "fix undone")
    faulty = {finding["path"] for finding in json.loads((bench.folder / "found.json").read_text())["findings"]}
    users = [path for path in sorted(before) if path.startswith("users/") and path not in faulty and before[path].get("isActive") == {"booleanValue": True}][:3]
    need(len(users) == 3, "three users without findings")
    bench("delete", "users", *[f"--id={path.split('/')[1]}" for path in users], "-e", "checked", "-q")
    found = bench.documents("checked")
    need(all(found[path]["isActive"] == {"booleanValue": False} for path in users), "delete deactivates")
    bench("delete", "check_ins", "--all-documents", "--hard", "--max-delete", "100000", "-e", "checked", "-q", ends=(0, 2))
    need(not any(path.startswith("check_ins/") for path in bench.documents("checked")), "delete --hard")
    bench("runs", "undo", "last", "-q")
    bench("runs", "undo", "last", "-q")
    same(bench.documents("checked"), before, "deletions undone")


def groups(bench):
    """Ten at most, from nine places at once; remove, delete."""
    base = bench.base("groups")
    users = [f"u{number:02}" for number in range(14)]
    role = {"role": {"stringValue": "member"}, "isActive": {"booleanValue": True}}
    base.commit([base.set(f"users/{user}", {"fullName": {"stringValue": f"Persona {user}"}, **role}) for user in users])
    place = ["-e", "groups", "-q"]
    group = bench("groups", "create", "Grupo", "--owner", "u00", *place).split()[0]

    def members():
        found = bench.documents("groups")
        inside = {path.rsplit("/", 1)[1] for path in found if path.startswith(f"groups/{group}/members/")}
        need(found[f"groups/{group}"]["memberCount"] == {"integerValue": str(len(inside))}, f"memberCount is not {len(inside)}")
        return inside

    processes = [bench.start("groups", "add", group, user, "--state-dir", f"state-{user}", *place) for user in users[1:10]]
    for process in processes:
        bench.end(process)
    need(members() == set(users[:10]), f"nine at once: {sorted(members())}")
    processes = [bench.start("groups", "add", group, user, "--state-dir", f"state-{user}", *place) for user in users[10:13]]
    for process in processes:
        bench.end(process, ends=(2,))
    need(members() == set(users[:10]), "nobody is the eleventh")
    bench("groups", "remove", group, "u00", *place, ends=(2,))
    bench("groups", "remove", group, "u03", "u04", *place)
    need(members() == set(users[:10]) - {"u03", "u04"}, "removed")
    bench("runs", "undo", "last", "-q")
    need(members() == set(users[:10]), "removed and undone")
    need(group in bench("groups", "list", *place) and "u05" in bench("groups", "show", group, *place), "shown")
    bench("groups", "delete", group, "--max-delete", "99", *place)
    need(not any(path.startswith("groups/") for path in bench.documents("groups")), "deleted")


def gym_services(bench):
    """Addresses, the first admin, classes, reports, find, get, count: as on the embedded store."""
    load(bench, "again")
    bench("import", *sorted(map(str, GYM.glob("*.jsonl"))), "-e", "local", "-q", "--validate", "warn", "--in-flight", "1", emulator=False)
    user = next(line for line in bench("get", "app_config/setup", "-e", "again").splitlines())
    admin = json.loads(user)["fields"]["adminUserId"]["stringValue"]
    same_output = [
        ["report", "month", "2026-01", "--json"], ["report", "week", "--json", "2026-01-05"], ["report", "owner", "--from", "2025-06-01", "--to", "2026-01-31", "--json"],
        ["find", "ana"], ["find", "(72) 9"], ["count", "--all"], ["setup", "show"], ["groups", "list", "--json"], ["check", "--json"],
        ["classes", "week", "--of", "2026-01-05", "--json"], ["classes", "attendance", "--month", "2026-01", "--json"], ["schema", "infer"], ["schema", "drift"],
    ]
    for command in same_output:
        ends = (0, 1) if command[0] in ("check", "schema") else (0,)
        left, right = (undated(bench(*command, "-e", place, "-q", ends=ends, emulator=place == "again")) for place in ("again", "local"))
        differing = [pair for pair in zip(left.splitlines(), right.splitlines()) if pair[0] != pair[1]]
        need(left == right, f"{command} differs from what it prints of the embedded store: {str(differing[:2])[:1500]}")
        counts["outputs compared"] += 1
    addresses = bench.documents("again")
    free = next(
        (path.split("/")[1], fields["email"]["stringValue"]) for path, fields in sorted(addresses.items())
        if path.startswith("users/") and re.fullmatch(r"[a-z.0-9]+@example\.com", fields.get("email", {}).get("stringValue", ""))
        and path != f"users/{admin}" and f"user_emails/{fields['email']['stringValue']}" not in addresses
    )
    bench("email", "register", free[1].upper(), free[0], "-e", "again", "-q", "-n")
    bench("email", "register", free[1].upper(), free[0], "-e", "again", "-q")
    need(free[0] in bench("email", "resolve", free[1], "-e", "again", "-q"), "resolve")
    bench("email", "register", free[1], free[0], "-e", "again", "-q")
    bench("email", "register", free[1], admin, "-e", "again", "-q", ends=(2,))
    bench("setup", "set", admin, "-e", "again", "-q", ends=(0, 1))
    series = ["classes", "generate", "--nombre", "Remo", "--days", "mon,wed", "--from", "2027-01-04", "--to", "2027-01-31", "--start", "07:00", "--minutes", "60", "--capacity", "9", "-e", "again", "-q"]
    bench(*series, "-n")
    identifier = bench(*series).split()[0]
    made = {path for path, fields in bench.documents("again").items() if fields.get("recurrenceGroupId") == {"stringValue": identifier}}
    need(len(made) == 8, f"{len(made)} classes on Mondays and Wednesdays of January 2027 from the 4th on, not 8")
    bench(*series)
    bench("classes", "cancel-series", identifier, "-e", "again", "-q", "-n")
    bench("classes", "cancel-series", identifier, "--from", "2027-01-18", "-e", "again", "-q")
    found = bench.documents("again")
    cancelled = sum(found[path]["isActive"] == {"booleanValue": False} for path in made)
    need(cancelled == 4, f"{cancelled} classes are cancelled from the 18th on, not 4")
    bench("report", "month", "2026-01", "-e", "again", "-o", "report.html", "-q")
    bench("report", "month", "2026-01", "-e", "again", "-o", "report.xlsx", "-q")
    doctor = bench("doctor", "-e", "again", ends=(0, 1, 2))
    need("error" not in re.findall(r"^\w+", doctor, re.M), f"doctor: {doctor}")
    bench("managed", "list", "-e", "again", ends=(69, 77, 78))
    bench("env", "seed", "again", "--from", str(REPOSITORY / "samples/seed"), "--yes", "-q", ends=(0, 2, 64, 77))


def undated(text):
    """Without what hangs on the moment or the place of a run."""
    if text.startswith('{"findings"'):
        return text.partition("\n],")[0]
    text = re.sub(r"^# Inferred.*|^schema: .*", "", text, flags=re.M)
    text = re.sub(r'"(readTime|generatedAt|asOf|now)":"[^"]*"', "", text)
    return re.sub(r"\b(projects/p|projects/[a-z-]+)/databases/\w+", "DB", re.sub(r'"database":"\w+"', "", text))


def mirrors(bench):
    """pull, status, verify, edits pushed, a change pulled, exports of the mirror."""
    source = bench.documents("main-gym") or load(bench, "main-gym")
    file = "gym.sqlite"
    bench("mirror", "pull", "-e", "main-gym", "-o", file, "-q")
    same(lines(bench("export", "--all", "--subcollections", "-e", f"mirror:{file}", "-o", "-", "--format", "jsonl", "-q")), moved(source, "main-gym", "main-gym"), "mirror")
    bench("mirror", "status", file)
    bench("mirror", "verify", file, "-e", "main-gym", "-q")
    base = sqlite3.connect(bench.folder / file)
    with base:
        product = base.execute("SELECT _id FROM products ORDER BY _id").fetchone()[0]
        base.execute("UPDATE products SET stock = 4321 WHERE _id = ?", [product])
    base.close()
    bench("mirror", "push", file, "-e", "main-gym", "-q", "-n")
    bench("mirror", "push", file, "-e", "main-gym", "-q", ends=(0, 2))
    need(bench.documents("main-gym")[f"products/{product}"]["stock"] == {"integerValue": "4321"}, "pushed")
    service = bench.base("main-gym")
    service.commit([service.set("products/pulled", {"name": {"stringValue": "Remo"}}, "updatedAt")])
    bench("mirror", "pull", "-e", "main-gym", "-o", file, "-q")
    bench("mirror", "verify", file, "-e", "main-gym", "-q")
    service.commit([service.delete("products/pulled")])
    bench("mirror", "pull", "-e", "main-gym", "-o", file, "-q", "--full")
    bench("mirror", "verify", file, "-e", "main-gym", "-q")
    same(lines(bench("export", "--all", "--subcollections", "-e", f"mirror:{file}", "-o", "-", "--format", "jsonl", "-q")), bench.documents("main-gym"), "mirror pulled again")


def kills(bench):
    """kill -9 at some commits of an import, of a migration and of an undo; what is resumed is what was to be."""
    files = sorted(map(str, GYM.glob("*.jsonl")))
    expected = sample()
    for at in (1, 7, 30):
        bench.killed("import", *files, "-e", "kill-import", "-q", "--validate", "warn", "--in-flight", "1", "--no-ramp", at=at)
        same(bench.documents("kill-import"), expected, f"import killed at commit {at}")
        bench("env", "reset", "kill-import", "--yes", "-q", ends=(0, 64, 77, 78))
        clear(bench, "kill-import")
    before = load(bench, "kill-apply")
    wanted = oracle(bench, before)
    for at in (1, 3):
        bench.killed("migrate", "apply", *MAIN_JOB, "-e", "kill-apply", "-q", at=at)
        same(bench.documents("kill-apply"), wanted, f"apply killed at commit {at}")
        bench.killed("runs", "undo", "last", "-q", at=at)
        same(bench.documents("kill-apply"), before, f"undo killed at commit {at}")


def clear(bench, name):
    base = bench.base(name)
    base.commit_all([base.delete(path) for path in base.all()])


def shards(bench):
    """A command divided in two: what the parts make together is what one process makes."""
    before = load(bench, "shards")
    bench("shard", "plan", "--shards", "2", "--to", "share", "--", "export", "users", "payments", "-e", "shards")
    for task in (0, 1):
        bench("shard", "work", "share", "--task", task, "--tasks", "2")
    bench("shard", "status", "share")
    bench("shard", "finish", "share")
    found = lines("".join(path.read_text() for path in sorted((bench.folder / "share/parts").glob("*.jsonl"))))
    same(found, {path: fields for path, fields in before.items() if path.split("/")[0] in ("users", "payments")}, "shards")


def large(bench):
    """Documents of 0.9 MB, several of which pass what the emulator takes in one commit."""
    documents = {f"large/{number}": {"t": {"stringValue": "x" * 900_000}} for number in range(11)}
    (bench.folder / "large.jsonl").write_text("".join(json.dumps({"name": n, "fields": f}) + "\n" for n, f in documents.items()))
    bench("import", "large.jsonl", "-e", "large", "--schema", "none", "-q", "--batch-size", "500", "--retry-for", "5s")
    same(bench.documents("large"), documents, "large documents")


def rehearsals(bench):
    """Migrations are rehearsed in an emulator that the program starts, and says the same as in its own store."""
    bench("import", *sorted(map(str, GYM.glob("*.jsonl"))), "-e", "local", "-q", "--validate", "warn", emulator=False)
    words = ["migrate", "test", *MAIN_JOB, "--from", "local", "--on", "emulator", "--json"]
    report = json.loads(bench(*words, emulator=False))
    need(report["findings"] == [], f"a rehearsal in the emulator finds {report['findings']}")
    expected = oracle(bench, sample())
    changed = sum(expected.get(path) != fields for path, fields in sample().items()) + len(expected.keys() - sample().keys())
    totals = sum(migration["changes"] for migration in report["migrations"])
    need(totals >= changed > 0, f"{totals} changes of {changed} documents")


SECTIONS = {
    "main-job": main_job, "formats": formats, "odd": odd_documents, "copies": copies, "filters": filters, "checks": checks, "groups": groups,
    "services": gym_services, "mirrors": mirrors, "kills": kills, "shards": shards, "large": large, "rehearsals": rehearsals,
}
QUICK = ["main-job", "odd", "groups", "mirrors", "large"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("sections", nargs="*")
    arguments = parser.parse_args()
    emulator = google_emulator.found_or_skip("the commands")
    sections = arguments.sections or (QUICK if arguments.quick else list(SECTIONS))
    failed = []
    with tempfile.TemporaryDirectory() as folder, google_emulator.running(emulator) as host:
        bench = Bench(str(arguments.program.resolve()), pathlib.Path(folder), host)
        for name in sections:
            begun, number = time.monotonic(), counts["commands"]
            try:
                SECTIONS[name](bench)
                print(f"ok      {name}: {counts['commands'] - number} commands in {time.monotonic() - begun:.0f} s")
            except (Wrong, KeyError, ValueError, IndexError, StopIteration) as wrong:
                failed.append(name)
                print(f"WRONG   {name}: {wrong}")
            sys.stdout.flush()
    print(
        f"Google's emulator: {counts['commands']} commands, {counts['requests']} requests, {counts['documents']} documents read back,"
        f" {counts['compared']} of them compared, {counts['filters']} filters, {counts['kills']} kills; {len(failed)} sections wrong."
    )
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
