#!/usr/bin/env python3
"""Runs gymmigrate against its embedded store and reads every request and answer strictly into Google's messages.

    pip install google-cloud-firestore
    python3 strict_requests.py path/to/gymmigrate [--samples samples/gym]

Exits 0 where every request and every answer of every command is what `google.firestore.v1` wants, no more and no less,
where what was meant to be written was written, and where everything that should occur did.
"""

import argparse
import base64
import json
import os
import pathlib
import subprocess
import sys

from google.cloud.firestore_v1 import types
from google.protobuf import json_format

from changing_commands import DATABASES, change
from judging import scratch
from recording_proxy import RecordingProxy
from strict_messages import Judge, Wrong

PROJECT, DATABASE = "p", "data"
ROOT = f"projects/{PROJECT}/databases/{DATABASE}"
COPY = f"projects/{PROJECT}/databases/copy"


def awkward():
    """Documents with every type and its extremes, at paths of every kind, as this script spells them in JSON."""
    string = lambda text: {"stringValue": text}
    wrapped = lambda levels: string("deep") if levels == 0 else {"mapValue": {"fields": {"a": wrapped(levels - 1)}}}
    values = {
        "null": {"nullValue": None},
        "true": {"booleanValue": True},
        "false": {"booleanValue": False},
        "integers": {"arrayValue": {"values": [{"integerValue": str(n)} for n in (0, -1, 2**63 - 1, -(2**63), 2**53 + 1)]}},
        "doubles": {
            "arrayValue": {
                "values": [
                    {"doubleValue": d}
                    for d in (0.0, -0.0, 1.0, 1e7, 5e-324, 1.7976931348623157e308, 0.1, "NaN", "Infinity", "-Infinity")
                ]
            }
        },
        "times": {
            "arrayValue": {
                "values": [
                    {"timestampValue": t}
                    for t in (
                        "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z", "1970-01-01T00:00:00.001Z",
                        "2026-02-28T23:59:59.123450Z",
                    )
                ]
            }
        },
        "texts": {"arrayValue": {"values": [string(t) for t in ("", "\0", '"\\/\n', "é", "e\u0301", "😀", "\u2028", "\uffff")]}},
        "bytes": {"bytesValue": base64.b64encode(bytes(range(256))).decode()},
        "no bytes": {"bytesValue": ""},
        "own": {"referenceValue": f"{ROOT}/documents/users/50%"},
        "foreign": {"referenceValue": "projects/other/databases/(default)/documents/c/d"},
        "zero": {"geoPointValue": {}},
        "pole": {"geoPointValue": {"latitude": -90, "longitude": 180}},
        "west": {"geoPointValue": {"longitude": -0.5}},
        "empty array": {"arrayValue": {}},
        "empty map": {"mapValue": {}},
        "vector": {
            "mapValue": {
                "fields": {
                    "__type__": string("__vector__"),
                    "value": {"arrayValue": {"values": [{"doubleValue": 1.5}, {"doubleValue": -2.0}]}},
                }
            }
        },
        "deep": wrapped(20),
        "map": {"mapValue": {"fields": {k: string(k) for k in ("a.b", "`", "\\", "\0", "é", "1a", "_", "with space", "__x")}}},
    }
    ids = ["a:b", "50%", "%2F", "#?&=", "a b", "é", "e\u0301", "😀", "__id7__", "__id-5__", "a\0b", "...", "a+b", "~", "x" * 1500]
    yield "awkward/values", values
    yield "awkward/none", {}
    for number, id in enumerate(ids):
        yield f"awkward/{id}", {"n": {"integerValue": str(number)}, "m": {"mapValue": {"fields": {"x y": string(id)}}}}
        yield f"above:missing/{id}/below %/d", {"n": {"integerValue": str(number)}}
    for key, value in values.items():
        yield f"kinds/{key}", {"v": value, "list": {"arrayValue": {"values": [string(key), string("all")]}}}


def line(name, fields):
    return json.dumps({"name": name, "fields": fields}) + "\n"


class Run:
    """The program, the store, the proxy between them and the folder they work in."""

    def __init__(self, program, folder, proxy):
        self.program, self.folder, self.proxy = program, folder, proxy
        self.help = subprocess.run([program, "--help"], capture_output=True, check=True).stdout.decode()

    def __call__(self, phase, *arguments, ends=0, place=None, stop=None):
        """Runs a command through the proxy and returns its output; its requests are judged under the phase.

        `ends` is the exit code, or those that are right; `place` the options that name the database, if not the one of
        this script. `stop` is a signal, and the number of the commit of documents before whose answer it is sent.
        """
        self.proxy.phase = phase
        place = ["--schema", "gym", "--endpoint", self.proxy.endpoint, "--project", PROJECT, "--database", DATABASE] if place is None else place
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder)}
        process = subprocess.Popen(
            [self.program, *arguments, *place], cwd=self.folder, env=environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        )
        self.proxy.watch = stop and stopping(process, *stop)
        try:
            output, errors = process.communicate(timeout=300)
        finally:
            self.proxy.watch = None
            process.kill()
            process.wait()
        if process.returncode not in (ends if isinstance(ends, tuple) else (ends,)):
            raise Wrong(f"{phase}: {arguments} ended in {process.returncode}, not {ends}: {errors.decode()[-2000:]}")
        return output.decode()

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")
        return name


def stopping(process, signal, number):
    """What sends a signal before a commit of documents is answered."""
    left = number

    def watch(exchange):
        nonlocal left
        if exchange.target.partition("?")[0].endswith(":commit") and b"/documents/_gymmigrate" not in exchange.body:
            left -= 1
            if left == 0:
                process.send_signal(signal)

    return watch


def commands(run, samples, documents):
    """Every command that talks to the service, in as many ways as its options have; returns an export of all."""
    everything = "".join(line(name, fields) for name, fields in documents.items())
    run("create", "import", run.write("awkward.jsonl", everything))
    run("create again", "import", "awkward.jsonl")
    changed = {name: dict(fields, n={"stringValue": "changed"}) for name, fields in documents.items()}
    run.write("changed.jsonl", "".join(line(name, fields) for name, fields in changed.items()))
    run("create refused", "import", "changed.jsonl", ends=2)
    added = {"a.b": {"nullValue": None}, "`\\": {"booleanValue": True}, "é": {"mapValue": {}}}
    some = run.write("some.jsonl", "".join(line(name, {"added": {"mapValue": {"fields": added}}}) for name in documents))
    run("partial merge", "import", some, "--mode", "merge")
    run("partial merge again", "import", some, "--mode", "merge")
    run("upsert", "import", "changed.jsonl", "--mode", "upsert")
    run("replace", "import", "awkward.jsonl", "--mode", "replace")
    run("replace refused", "import", run.write("new.jsonl", line("new/n", {})), "--mode", "replace", ends=2)
    run("moved", "import", "awkward.jsonl", "--collection", "kept/é:%/moved", "--flatten", "--duplicates", "last", "--mode", "upsert")

    many = "".join(line(f"many/{n:05}", {"n": {"integerValue": str(n)}}) for n in range(1203))
    run("many", "import", run.write("many.jsonl", many), "--batch-size", "500", "--no-ramp")
    large = "".join(line(f"large/{n}", {"t": {"stringValue": ("\0" if n == 7 else "x") * 1_000_000}}) for n in range(11))
    run("large", "import", run.write("large.jsonl", large), "--batch-size", "500", "--no-ramp")

    names = ["users", "members", "user_emails", "groups", "classes", "products"]
    run("samples", "import", *[str(samples / f"{name}.jsonl") for name in names])
    run("plan", "migrate", "plan", "--all")
    run("partial apply", "migrate", "apply", "--all", "--prune", "--max-delete", "999", "--accept-proposals", ends=2)
    run("partial apply again", "migrate", "apply", "--all", "--prune", "--max-delete", "999", "--accept-proposals", ends=2)
    return reads(run)


def reads(run):
    everything = run("export", "export", "--all", "--subcollections", "-o", "-", "--format", "jsonl")
    run("export folder", "export", "--all", "--subcollections", "-o", "folder/", "--format", "jsonl")
    run("pages", "export", "users", "kinds", "--page-size", "7", "-o", "pages.jsonl")
    run("ranges", "export", "many", "awkward", "kinds", "--page-size", "20", "--parallel", "5", "-o", "ranges.jsonl")
    run("group", "export", "moved", "below %", "--group", "-o", "group.jsonl")
    run("group of collections", "count", "below %", "--group")
    run("below", "export", "above:missing/😀/below %", "kept/é:%/moved", "-o", "below.jsonl")
    run("fields", "export", "awkward", "--fields", "m.`x y`,n,`empty map`", "-o", "fields.csv")
    run("fields where", "export", "awkward", "--fields", "m,n", "--where", "n >= 3", "-o", "fields.jsonl")
    run("fields equal", "export", "awkward", "--fields", "m.`x y`", "--where", "n == 3", "-o", "fields.jsonl")
    run("limit", "export", "many", "--limit", "310", "-o", "limit.jsonl")
    run("order", "export", "users", "--order-by", "fullName,createdAt desc", "--limit", "20", "-o", "order.jsonl")
    run("order of pages", "export", "many", "--order-by", "n desc", "--page-size", "100", "-o", "down.jsonl")
    filters = [
        "v == true", "v != null", "v != 7", "v < 5", "v <= 5.5", 'v > ""', 'v >= "007"', "v in [true, 7, 7.5, x]",
        "v not-in [true, 7]", "list array-contains all", "list array-contains-any [all, bytes]", "v is-null",
        "v is-not-null", "v is-nan", "v is-not-nan", "v == ts(2026-01-31T12:00:00Z)", "v == ref(users/50%)",
        "v == true or v == false", "v == true and list array-contains all or v is-null", "v.`a.b` == a.b",
        "__name__ == ref(kinds/true)", "__name__ >= ref(kinds/m)",
    ]
    for filter in filters:
        run(f"where {filter}", "export", "kinds", "--where", filter, "-o", "where.jsonl")
        run(f"count {filter}", "count", "kinds", "--where", filter)
    run("where twice", "export", "users", "--where", "role in [admin, trainer]", "--where", "isActive == true", "-o", "w.csv")
    run("where below", "export", "moved", "--group", "--where", "n > 2", "--order-by", "n desc", "--page-size", "3", "-o", "w.csv")
    run("count", "count", "--all")
    then = json.loads((run.folder / "folder/manifest.json").read_text())["readTime"]
    for options in (["users"], ["kinds", "--where", "v != null"], ["below %", "--group"]):
        run(f"past {options[0]}", "export", *options, "--read-time", then, "-o", "past.jsonl")
    run("too old", "export", "users", "--read-time", "2020-01-01T00:00:00Z", "-o", "past.jsonl", ends=66)
    run("too old query", "export", "members", "--group", "--read-time", "2020-01-01T00:00:00Z", "-o", "past.jsonl", ends=66)
    run("present", "export", "users", "--read-time", "none", "-o", "present.jsonl")
    if "\n  find " in run.help:
        run("find", "find", "a", "--collection", "users,members")
    return everything


def judged(exchanges, judge):
    """Judges all exchanges; returns the documents that were written by phase and name, and how much was wrong."""
    written, wrong = {}, 0
    for exchange in exchanges:
        if (exchange.phase, exchange.method, exchange.target) == ("doctor", "GET", "/"):
            # Any answer shows whether the service can be reached, and its time.
            continue
        try:
            message = judge.exchange(exchange)
        except Wrong as error:
            wrong += 1
            if wrong <= 20:
                print(f"WRONG   {exchange.phase}: {exchange.method} {exchange.target[:300]}: {str(error)[:600]}")
            continue
        read = getattr(message, "collection_id", None) and f"{message.parent}/{message.collection_id}"
        # Whether a moment can be read is asked with a collection of the tool's own.
        if read and not read.endswith("/_gymmigrate") and exchange.phase in READS and read.removeprefix(f"{ROOT}/documents/") not in READS[exchange.phase]:
            wrong += 1
            print(f"WRONG   {exchange.phase}: {read} is read")
        if exchange.status == 200 and message.DESCRIPTOR.name == "CommitRequest":
            for write in message.writes:
                if write.WhichOneof("operation") == "update":
                    written.setdefault(exchange.phase, {})[write.update.name] = write.update
    return written, wrong


def lines(judge, exported, root):
    """The documents of an export, by their names in the database that it is of."""
    found = {}
    for text in exported.split("\n")[:-1]:
        document = judge.parse(types.Document, text.encode(), "line")
        document.name = f"{root}/documents/{document.name}"
        found[document.name] = document
    return found


def differences(found, documents, root):
    """What differs from the documents of this script, in protobuf's deterministic bytes."""
    for name, fields in documents.items():
        wanted = types.Document.pb(types.Document(name=f"{root}/documents/{name}"))
        json_format.ParseDict({"fields": fields}, wanted)
        other = found.get(wanted.name)
        if other is None:
            yield f"{name} is missing"
        elif wanted.SerializeToString(deterministic=True) != stripped(other).SerializeToString(deterministic=True):
            yield f"{name} is not what it was"


def stripped(document):
    document.ClearField("create_time")
    document.ClearField("update_time")
    return document


# What is listed when these are asked for: a name in a URL must come out as it went in.
READS = {"below": ("above:missing/😀/below %", "kept/é:%/moved"), "fields": ("awkward",), "pages": ("users", "kinds")}

REQUIRED = (
    "GET pageSize", "GET pageToken", "GET mask", "GET readTime", "readTime in a body", "encoded path", "collection group",
    "all collections below", "select", "limit", "startAt", "order 1", "order 2", "updateMask", "updateTransforms",
    "write update", "write delete", "precondition exists", "precondition update_time", "error ALREADY_EXISTS",
    "read in a transaction", "transaction commit",
) + tuple(
    f"filter {op}"
    for op in (
        "EQUAL", "NOT_EQUAL", "LESS_THAN", "LESS_THAN_OR_EQUAL", "GREATER_THAN", "GREATER_THAN_OR_EQUAL", "IN", "NOT_IN",
        "ARRAY_CONTAINS", "ARRAY_CONTAINS_ANY", "IS_NULL", "IS_NOT_NULL", "IS_NAN", "IS_NOT_NAN", "AND", "OR",
    )
) + tuple(
    f"{side} {kind}Value"
    for side in ("request", "answer")
    for kind in ("null", "boolean", "integer", "double", "timestamp", "string", "bytes", "reference", "geoPoint", "array", "map")
)
METHODS = (
    "commit", "batchGet", "runQuery", "runAggregationQuery", "listCollectionIds", "listDocuments", "getDatabase",
    "beginTransaction",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--samples", type=pathlib.Path, default=pathlib.Path("samples/gym"))
    arguments = parser.parse_args()
    samples = arguments.samples.resolve()
    documents = dict(awkward())
    with scratch(arguments.program) as (folder, program, store):
        proxy = RecordingProxy(store.host)
        run = Run(program, folder, proxy)
        exported = commands(run, samples, documents)
        copied = change(run, samples)
        proxy.close()
    return verdict(proxy.exchanges, exported, copied, documents)


def verdict(exchanges, exported, copied, documents):
    """Judges everything that was recorded and prints the result; returns the exit code."""
    judge = Judge(*(f"projects/{PROJECT}/databases/{name}" for name in DATABASES))
    written, failed = judged(exchanges, judge)
    for (phase, database), moments in judge.moments.items():
        if not phase.startswith(("export", "past", "copy", "diff")):
            continue
        # The target of a copy is read as it is.
        if len(moments) != 1 or "" in moments and not (phase.startswith("copy") and database.endswith("/copy")):
            failed += 1
            print(f"WRONG   {phase}: documents of {database} of the moments {moments}")
    if judge.open:
        failed += 1
        print(f"WRONG   {len(judge.open)} transactions are neither committed nor rolled back")
    # References into the database that is copied lead into the copy.
    moved = json.loads(json.dumps(documents).replace(f"{ROOT}/", f"{COPY}/"))
    for what, where, wanted, root in (
        ("import", written.get("create", {}), documents, ROOT),
        ("export", lines(judge, exported, ROOT), documents, ROOT),
        ("copy", written.get("copy", {}), moved, COPY),
        ("export of the copy", lines(judge, copied, COPY), moved, COPY),
    ):
        for complaint in differences(where, wanted, root):
            failed += 1
            print(f"WRONG   {what}: {complaint}")
    missing = [kind for kind in METHODS if not judge.requests[kind] or not judge.answers[kind]]
    missing += [kind for kind in REQUIRED if not judge.seen[kind]]
    for kind in missing:
        print(f"MISSING {kind} did not occur")
    for kind in sorted(judge.requests):
        print(f"ok      {kind}: {judge.requests[kind]} requests, {judge.answers[kind]} answers")
    print(
        f"{sum(judge.requests.values())} requests, {sum(judge.answers.values())} responses parsed strictly"
        f" ({judge.answers['error']} of them errors, {judge.seen['empty updateMask']} empty masks)"
    )
    return 1 if failed or missing else 0


if __name__ == "__main__":
    sys.exit(main())
