#!/usr/bin/env python3
"""Holds `gymmigrate restore` to a model of what a database was, after random accidents.

    python3 restore_accidents.py [--self-check] [--emulator] [--only moments|folders] path/to/gymmigrate [seeds [seed]]

A seed is a database of random documents with every type of value, odd ids, subcollections and parents that are missing; a moment,
or an export of it as a folder, with increments, gzipped, in a bucket, of another database, in Google's format, a file, a mirror; then an accident in one or two phases, through plain commits: deletions,
whole collections and subcollections gone, overwrites, renamed fields, changed types, insertions, documents made again. Then a
restore: of all of it, of collections, of single documents, of a part by `--only`, `--where` or `--keep-changed-since`, from a
partial export, by a plan file, with another writer, through faults, or killed and resumed. Every document has to be what the model says, what
is right already unwritten, `-n` and a refusal without effect and `-n` right in its numbers; and an undo brings the accident back
exactly. With --only each seed restores to a moment, or from what was exported. With --emulator the database is Google's. With --self-check each seed spoils the database after a command, which has to be found out. RESTORE_ACCIDENTS=N takes N
seeds. Buckets need google-crc32c (requirements.txt), and are left out without it; all else is Python's own library.
"""

import argparse
import collections
import contextlib
import datetime
import gzip
import json
import os
import pathlib
import random
import shutil
import sqlite3
import struct
import tempfile
import threading
import time
import types

import google_emulator
import storage_service
from judging import Store, Wrong, integer, need, report, run_judge, text
from mirror_service import Database, Program, Proxy
import random_documents
from random_documents import FIELDS, IDS, SUBS, TOPS, Maker, difference

SCHEMA = """
schema: clubs
collections:
  people:
    update-time: updatedAt
    fields: { n: integer, name: string, updatedAt: timestamp }
  notes:
    update-time: { field: changedOn, set-by: client }
    fields: { n: integer, changedOn: timestamp }
  bare:
    fields: { n: integer }
"""
# The field with the time of the last change, by root collection.
TIMES = {"people": "updatedAt", "notes": "changedOn"}
# What `--only` calls what people did, and what takes it back.
ONLY = {"deleted": "create", "created": "delete", "updated": "update"}
# Where the wanted state is.
KINDS = ["at", "at", "at", "folder", "folder", "gzip", "file", "mirror", "shallow", "elsewhere", "increments", "managed"]
BUCKETS = ["bucket", "bucket file", "bucket increments", "bucket increments", "bucket managed"]
# Of the requests in a scene with faults, to the database and to the bucket.
FAULTS = 0.2
USAGE, MALFORMED, MISSING, NOT_PERMITTED = 64, 65, 66, 77
NEGATIVE_ZERO = struct.pack("<d", -0.0)
counts = collections.Counter()
keeps_no_sign = False
only = None


class Base(Database):
    """A database, whose documents are read with their update times."""

    def read(self):
        status, answer = self.call("documents:runQuery", {"structuredQuery": {"from": [{"allDescendants": True}]}})
        need(status == 200, f"runQuery: {status} {answer}")
        found = [part["document"] for part in answer if "document" in part]
        found = {one["name"].removeprefix(self.prefix): one for one in found}
        found = {path: one for path, one in found.items() if not path.startswith("_gymmigrate")}
        times, made = ({path: one[name] for path, one in found.items()} for name in ("updateTime", "createTime"))
        return State({path: one.get("fields", {}) for path, one in found.items()}, times, made)


class Bucket:
    """A strict Cloud Storage, that fails where it is told to."""

    def __init__(self):
        self.store = storage_service.Handler.store = storage_service.Store(None)
        self.variables = {"STORAGE_EMULATOR_HOST": storage_service.QuietServer(storage_service.Handler).endpoint}

    def folders(self, prefix):
        names = {name.removeprefix(prefix).split("/")[0] for _, name in list(self.store.objects) if name.startswith(prefix)}
        return sorted(name for name in names if name[:1].isdigit())

    def read(self, prefix):
        """The objects below, by what follows."""
        return {name.removeprefix(prefix): one["data"] for (_, name), one in self.store.objects.items() if name.startswith(prefix)}

    def end(self):
        need(not self.store.violations, f"the bucket refused {self.store.violations[:3]}")


class State:
    """The documents of a moment."""

    def __init__(self, fields, times=None, made=None):
        self.fields, self.times, self.made = fields, times or {}, made or {}
        self.exact = {path: exact_fields(one) for path, one in fields.items()}


def exact_fields(fields):
    """As `random_documents` has it; Google's emulator knows no negative zero."""
    return positive(random_documents.exact_fields(fields)) if keeps_no_sign else random_documents.exact_fields(fields)


def positive(value):
    if isinstance(value, dict):
        return {name: positive(one) for name, one in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)(map(positive, value))
    return bytes(8) if value == NEGATIVE_ZERO else value


def now():
    return datetime.datetime.now(datetime.timezone.utc)


def instant(time):
    whole, _, fraction = time.removesuffix("Z").partition(".")
    return f"{whole}.{fraction:0<9}"


def pause():
    """Lets the clock go on, so that moments before and after are apart."""
    time.sleep(0.003)


# Accidents.


class Accident:
    """Writes to a database as people, apps and scripts do by mistake."""

    def __init__(self, base, random):
        self.base, self.random, self.maker = base, random, Maker(random, base.root)
        self.log = []
        self.steps = [
            self.delete, self.delete, self.delete_collection, self.delete_below, self.delete_parents, self.overwrite, self.overwrite, self.patch,
            self.rename, self.retype, self.touch, self.insert, self.insert, self.insert_below, self.again, self.everything_in_one,
        ]

    def fields_for(self, path, old=False):
        fields = self.maker.fields()
        if (name := TIMES.get(path.split("/")[0])) and path.count("/") == 1 and (old or self.random.random() < 0.6):
            fields[name] = {"timestampValue": "2020-05-05T05:05:05Z"} if old or self.random.random() < 0.5 else {"timestampValue": now().strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
        return fields

    def fill(self, count):
        documents = {}
        for _ in range(count):
            path = self.maker.path()
            documents[path] = self.fields_for(path, old=True)
        return documents, self.commit([self.base.set(path, fields) for path, fields in documents.items()])

    def commit(self, writes):
        moment = None
        while writes:
            size = self.random.choice([1, 5, 100, 300])
            moment, writes = self.base.commit(writes[:size])["commitTime"], writes[size:]
        return moment

    def play(self):
        for _ in range(self.random.randint(1, 4)):
            step = self.random.choice(self.steps)
            fields = self.base.read().fields
            self.log.append(step.__name__)
            self.commit(step(fields))
            counts[step.__name__.replace("_", " ")] += 1

    def some(self, fields):
        paths = sorted(fields)
        return self.random.sample(paths, min(len(paths), self.random.choice([1, 2, 5, 20])))

    def set(self, path, fields):
        name = TIMES.get(path.split("/")[0]) if path.count("/") == 1 else None
        return self.base.set(path, fields, name if name and name not in fields and self.random.random() < 0.7 else None)

    def delete(self, fields):
        return [self.base.delete(path) for path in self.some(fields)]

    def delete_collection(self, fields):
        top = self.random.choice(TOPS)
        return [self.base.delete(path) for path in fields if path.split("/")[0] == top]

    def delete_below(self, fields):
        """The subcollections of a document, which stays."""
        parents = sorted({"/".join(path.split("/")[:2]) for path in fields if path.count("/") > 1})
        parent = self.random.choice(parents) if parents else "none"
        return [self.base.delete(path) for path in fields if path.startswith(f"{parent}/")]

    def delete_parents(self, fields):
        """Documents whose subcollections stay."""
        parents = {"/".join(path.split("/")[:-2]) for path in fields}
        return [self.base.delete(path) for path in sorted(fields.keys() & parents)]

    def overwrite(self, fields):
        return [self.set(path, self.fields_for(path)) for path in self.some(fields)]

    def patch(self, fields):
        return [self.base.set(path, {"n": integer(self.random.randrange(100, 200))}, mask=["n", "s"]) for path in self.some(fields)]

    def rename(self, fields):
        old, new, top = self.random.choice(FIELDS), self.random.choice([*FIELDS, "renamed"]), self.random.choice(TOPS)
        writes = []
        for path, one in fields.items():
            if path.split("/")[0] == top and old in one:
                writes.append(self.base.set(path, {new if name == old else name: value for name, value in one.items()}))
        return writes

    def retype(self, fields):
        writes = []
        for path in self.some(fields):
            one = {name: self.other_type(value) for name, value in fields[path].items()}
            writes.append(self.base.set(path, one))
        return writes

    def other_type(self, value):
        ((kind, inner),) = value.items()
        if kind == "integerValue":
            return self.random.choice([{"doubleValue": float(inner)}, text(inner)])
        if kind == "doubleValue" and inner == 0:
            return {"doubleValue": 0.0 if str(inner).startswith("-") else -0.0}
        return {"nullValue": None} if kind == "stringValue" and not inner else value

    def touch(self, fields):
        """The same fields again: nothing has changed but the update time."""
        return [self.base.set(path, fields[path]) for path in self.some(fields)]

    def again(self, fields):
        paths = self.some(fields)
        self.commit([self.base.delete(path) for path in paths])
        return [self.base.set(path, fields[path]) for path in paths]

    def insert(self, fields):
        paths = [self.maker.path(self.random.choice([None, None, "new", "new/doc/new"])) for _ in range(self.random.choice([1, 3, 20]))]
        return [self.set(path, self.fields_for(path)) for path in dict.fromkeys(paths) if path.count("/") % 2]

    def insert_below(self, fields):
        """Below documents that are there, or once were."""
        parents = [*self.some(fields), "bare/gone", f"people/{self.random.choice(IDS)}"]
        return [self.base.set(f"{path}/{self.random.choice(SUBS)}/i{number}", self.maker.fields()) for number, path in enumerate(parents) if path.count("/") < 8]

    def everything_in_one(self, fields):
        """Each document of a root collection has the values of one."""
        top = self.random.choice(TOPS)
        paths = [path for path in sorted(fields) if path.split("/")[0] == top]
        return [self.base.set(path, fields[paths[0]]) for path in paths]


# The model.


def kind_of(path):
    """The collection, whatever the documents on the way to it are called."""
    return tuple(path.split("/")[::2])


def within(path, names):
    """Whether it is one of these documents, or below one of these documents or collections."""
    return any(path == name or path.startswith(f"{name}/") for name in names)


def in_database(value, source, target):
    """A value, or fields, whose references into one database lead into another."""
    if isinstance(value, dict):
        return {name: in_database(one, source, target) for name, one in value.items()}
    if isinstance(value, list):
        return [in_database(one, source, target) for one in value]
    return target + value.removeprefix(source) if isinstance(value, str) and value.startswith(f"{source}/documents/") else value


def files_of(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def lines_of(files):
    """The lines of the files of an export, which are given by their names."""
    plain = {name.removesuffix(".gz"): gzip.decompress(data) if name.endswith(".gz") else data for name, data in files.items()}
    return [json.loads(line) for name, data in plain.items() if name.endswith(".jsonl") for line in data.decode().split("\n") if line]


def read_lines(files):
    """The fields of the documents that an export has."""
    return {one["name"].rpartition("/documents/")[2]: one.get("fields", {}) for one in lines_of(files) if "lastSeen" not in one}


def deleted_lines(files):
    """The documents that an increment lists as deleted."""
    return {one["name"].rpartition("/documents/")[2] for one in lines_of(files) if "lastSeen" in one}


def matches(fields, least):
    """n >= least"""
    ((kind, inner),) = fields.get("n", {"nullValue": None}).items()
    return kind in ("integerValue", "doubleValue") and float(inner) >= least


def plan_of(wanted, present, scope=lambda path: True):
    """What has to be done, by path."""
    found = {}
    for path in wanted.exact.keys() | present.exact.keys():
        one, other = wanted.exact.get(path), present.exact.get(path)
        if one != other and scope(path):
            found[path] = "create" if other is None else "delete" if one is None else "update"
    return found


def merged(present, stated):
    """The fields of a document with those that a file states; only a map goes into a map, and a vector is none."""
    found = dict(present)
    for name, value in stated.items():
        maps = [one["mapValue"].get("fields", {}) for one in (found.get(name), value) if one and "mapValue" in one]
        if len(maps) == 2 and all(one.get("__type__") != {"stringValue": "__vector__"} for one in maps):
            value = {"mapValue": {"fields": merged(*maps)}}
        found[name] = value
    return found


def done(plan, wanted, present):
    """The exact documents once the plan is carried out."""
    found = {path: fields for path, fields in present.exact.items() if plan.get(path) != "delete"}
    return found | {path: wanted.exact[path] for path, kind in plan.items() if kind != "delete"}


def deletions(plan):
    return list(plan.values()).count("delete")


def numbers_of(plan, kept=0, conflicts=0):
    kinds = collections.Counter(plan.values())
    return {"creates": kinds["create"], "updates": kinds["update"], "deletes": kinds["delete"], "kept": kept, "conflicts": conflicts}


# Scenes.


class Scene:
    """A database before and after an accident, and the commands that restore it."""

    def __init__(self, store, proxy, bucket, binary, folder, seed):
        self.random, self.folder, self.proxy, self.bucket = random.Random(seed), folder, proxy, bucket
        self.place = f"backups/{seed}/"
        folder.mkdir()
        through = self.random.random() < 0.3
        endpoint = proxy.endpoint if through else f"http://{store.host}"
        self.program = Program(binary, folder, types.SimpleNamespace(endpoint=endpoint))
        if through:
            self.program.proxy = proxy
        if bucket:
            bucket.store.random = None
            self.program.variables |= bucket.variables
        (folder / "things.yaml").write_text(SCHEMA)
        self.name, self.through, self.log = f"real{seed}", through, []
        self.program.know(self.name)
        self.base = Base(store, self.name)
        self.accident = Accident(self.base, self.random)
        self.spoil = None
        proxy.share = 0.0

    def run(self, *arguments, ends=(0,)):
        self.log.append(" ".join(map(str, arguments)))
        result = self.program(*arguments, ends=ends)
        if self.spoil and arguments[0] in ("restore", "migrate", "runs"):
            self.base.commit(self.spoil(self))
            self.spoil = None
        return result

    def play(self):
        documents, moment = self.accident.fill(self.random.choice([4, 30, 80, 150]))
        self.wanted = self.base.read()
        wrong = difference(self.wanted.exact, {path: exact_fields(fields) for path, fields in documents.items()})
        need(not wrong, f"the store: {wrong}")
        pause()
        if self.random.random() < 0.5:
            moment = now().isoformat().replace("+00:00", "Z")
            pause()
        self.at = moment
        ways = [
            self.whole, self.whole, self.parts, self.documents, self.only, self.where, self.kept, self.planned, self.planned, self.raced, self.partial,
        ]
        if self.through:
            ways = [self.killed, self.faulty, self.raced, self.whole]
        if only == "moments":
            ways = [way for way in ways if way != self.partial]
        way = self.random.choice(ways)
        self.source = self.sources(way)
        self.accident.play()
        pause()
        self.between = now().isoformat().replace("+00:00", "Z")
        pause()
        if self.random.random() < 0.5:
            self.accident.play()
        self.before, self.stored = self.base.read(), self.wanted
        if self.kind == "file":
            # It may be of an export of some fields, so what a document has beyond it stays.
            self.wanted = State({path: merged(self.before.fields.get(path, {}), fields) for path, fields in self.wanted.fields.items()})
        self.log.append(way.__name__)
        counts[way.__name__] += 1
        way()

    def sources(self, way):
        """Where the wanted state is; exported, if it is a place."""
        kinds = [kind for kind in (KINDS + BUCKETS if self.bucket else KINDS) if not only or (kind == "at") == (only == "moments")]
        kind = self.random.choice(kinds)
        if way == self.partial:
            kind = "part"
        counts[f"from {kind}"] += 1
        # Where it is, and what it is.
        where, _, self.kind = kind.rpartition(" ")
        if self.kind == "bucket":
            where, self.kind = "bucket", self.random.choice(["folder", "gzip"])
        self.root = f"gs://{self.place}" if where else ""
        if where:
            self.bucket.store.random = self.random if self.through else None
        return getattr(self, f"from_{self.kind}", self.from_export)()

    def files(self, place):
        return self.bucket.read(f"{self.place.partition('/')[2]}{place}/") if self.root else files_of(self.folder / place)

    def exports(self, place):
        """The dated exports of a folder, in their order."""
        if self.root:
            return self.bucket.folders(f"{self.place.partition('/')[2]}{place}/")
        return sorted(path.name for path in (self.folder / place).iterdir() if path.is_dir() and not path.is_symlink())

    def from_at(self):
        return ["--at", self.at]

    def from_part(self):
        return []

    def from_mirror(self):
        self.run("mirror", "pull", "-e", self.name, "-o", "mirror.sqlite", "-q")
        return ["--from", "mirror:mirror.sqlite"]

    def marks(self):
        """The collections that the mirror lists, with the time from which a pull reads what changed; None where it reads all."""
        with contextlib.closing(sqlite3.connect(self.folder / "mirror.sqlite")) as mirror:
            return dict(mirror.execute("SELECT collection, mark FROM _mirror_collections"))

    def from_export(self, name=None):
        place = self.root + ("backup.jsonl" if self.kind == "file" else "backup")
        more = {"gzip": ["--gzip"], "file": ["--subcollections"], "shallow": ["--no-subcollections"]}.get(self.kind, [])
        self.run("export", "--all", "-e", name or self.name, "-o", place, "--format", "jsonl", "-q", *more)
        return ["--from", place]

    def from_managed(self):
        self.run("export", "--all", "-e", self.name, "-o", f"{self.root}backup", "--format", "managed", "-q")
        return ["--from", f"{self.root}backup", "--scope", "partial"]

    def from_elsewhere(self):
        """The folder of another database, in which references lead into that one."""
        other = Base(types.SimpleNamespace(host=self.base.host), f"other{self.name}")
        other.commit_all([other.set(path, in_database(fields, self.base.root, other.root)) for path, fields in self.wanted.fields.items()])
        self.program.know(other.name)
        found = self.from_export(other.name)
        self.restore("--all", source=found, more=["-n"], ends=(NOT_PERMITTED,))
        return [*found, "--source", other.root]

    def from_increments(self):
        """A whole export and an increment, which lists what was deleted between them."""
        more = ["--dated", "-q"] + self.random.choice([[], ["--gzip"]])
        place = f"{self.root}nightly"
        self.run("export", "--all", "-e", self.name, "-o", place, *more)
        self.accident.play()
        pause()
        self.run("export", "--all", "-e", self.name, "-o", place, *more, "--since", "last")
        names = self.exports("nightly")
        files = [self.files(f"nightly/{name}") for name in names]
        manifest = json.loads(files[1]["manifest.json"])
        if not any("since" in file for file in manifest["files"]):
            # Without a time of last change anywhere it is no increment.
            self.kind, self.wanted, self.at = "at", self.base.read(), now().isoformat().replace("+00:00", "Z")
            pause()
            return self.from_at()
        self.moment = instant(manifest["readTime"])
        # What the increment has whole says what was deleted, too.
        wholes = [file["collection"] for file in manifest["files"] if "since" not in file]
        before = {path: fields for path, fields in read_lines(files[0]).items() if path.count("/") > 1 or path.split("/")[0] not in wholes}
        gone = deleted_lines(files[1])
        self.wanted = State({path: fields for path, fields in (before | read_lines(files[1])).items() if path not in gone})
        # What is deleted and made again looks as if it had not been there.
        self.accident.steps.remove(self.accident.again)
        pause()
        return [word for name in names for word in ("--from", f"{place}/{name}")]

    # Commands.

    def plan(self, scope=lambda path: True):
        """What has to be done."""
        found = plan_of(self.wanted, self.before, scope)
        return {path: kind for path, kind in found.items() if self.is_known(path, kind)}

    def is_known(self, path, kind):
        """Whether the source can know: a file has no manifest that says what is all of it, nor has an export of Google's, and increments do not have every change."""
        if self.kind in ("file", "managed"):
            return kind != "delete"
        if self.kind == "mirror":
            # Below a root collection of which a pull reads what changed it looks at the kinds of collections that the mirror lists.
            marks, pattern = self.marks(), "/*/".join(kind_of(path))
            return kind != "delete" or pattern in marks or not marks.get(path.split("/")[0])
        if self.kind == "shallow":
            return path.count("/") == 1
        if self.kind == "increments" and kind != "create":
            return instant(self.before.times[path]) > self.moment and (kind == "update" or instant(self.before.made[path]) > self.moment)
        return True

    def restore(self, *what, source=None, ends=(0,), more=()):
        arguments = ["restore", *what, *(source or self.source), "-e", self.name, "-y", "--json", *more]
        code, output, errors = self.run(*arguments, ends=ends)
        return code, json.loads(output) if output.startswith("{") else {}, errors

    def unchanged(self, what):
        found = self.base.read()
        self.equal(found, self.before.exact, what)
        for path, time in self.before.times.items():
            need(found.times.get(path) == time, f"{what}: {path!r} was written")

    def equal(self, found, wanted, what):
        wrong = difference(found.exact, wanted)
        need(not wrong, f"{what}: {wrong}")
        counts["documents compared"] += len(wanted)

    def check(self, plan, *what, kept=0, source=None, more=(), deep=True):
        """Asks with -n, is refused without a bound, restores, and takes it back; not deep where nothing below is looked at."""
        stranding = self.stranding(plan, deep)
        bound = deletions(plan)
        if self.random.random() < 0.7:
            code, summary, _ = self.restore(*what, source=source, more=[*more, "-n"], ends=(0, 2) if stranding else (0,))
            left = self.left(code, stranding)
            self.same_numbers(summary, numbers_of({path: kind for path, kind in plan.items() if path not in left}, kept), "-n")
            self.unchanged("after -n")
        if bound and self.random.random() < 0.4:
            less = self.random.choice([[], ["--max-delete", bound - 1]])
            self.restore(*what, source=source, more=[*more, *less], ends=(NOT_PERMITTED,))
            self.unchanged("after a refusal")
            counts["refused by --max-delete"] += 1
        # A deletion that would leave documents below it that are not restored may be left, and is listed.
        code, summary, _ = self.restore(*what, source=source, more=[*more, "--max-delete", bound], ends=(0, 2) if stranding else (0,))
        left = self.left(code, stranding)
        counts["deletions left for what is below"] += len(left)
        plan = {path: kind for path, kind in plan.items() if path not in left}
        self.same_numbers(summary, numbers_of(plan, kept), "restore")
        self.restored(plan)
        self.undo(plan)

    def left(self, code, stranding):
        left = self.program.rejects() if code == 2 else {}
        need(left.keys() <= stranding, f"listed are {sorted(left)}")
        return left

    def stranding(self, plan, deep):
        """Deletions that would leave documents below them which the plan does not look at, though they were not there then."""
        known = self.wanted.exact.keys() if deep and self.kind != "shallow" else set()
        stays = [path for path in self.before.exact if path not in plan and path not in known]
        return {path for path, kind in plan.items() if kind == "delete" and any(one.startswith(f"{path}/") for one in stays)}

    def same_numbers(self, summary, expected, what):
        found = {name: summary.get("restore", summary).get(name) for name in expected}
        need(found == expected, f"{what}: the numbers are {found}, not {expected}")

    def restored(self, plan):
        found = self.base.read()
        self.equal(found, done(plan, self.wanted, self.before), "restored")
        for path, time in self.before.times.items():
            need(path in plan or found.times.get(path) == time, f"{path!r} was right, and is written")
        counts["documents restored"] += len(plan)

    def undo(self, plan, after=None):
        if plan:
            self.run("runs", "undo", "last", "-e", self.name, "-y", "-q", ends=(0, 2) if after else (0,))
        self.equal(self.base.read(), self.before.exact if after is None else after, "undone")
        counts["undone"] += bool(plan)

    # Ways.

    def whole(self):
        plan = self.plan()
        if self.random.random() < 0.3 and self.kind in ("at", "folder", "gzip", "file", "mirror"):
            self.differences(f"{self.name}@{self.at}" if self.kind == "at" else self.source[1], plan_of(self.stored, self.before))
        if self.random.random() < 0.3 and self.kind == "at":
            self.reads()
        self.check(plan, "--all")

    def differences(self, place, plan):
        """`diff` sees the plan."""
        code, output, _ = self.run("diff", "--all", "--from", place, "--to", self.name, "--format", "json", ends=(0, 1))
        signs = {"+": "create", "-": "delete", "*": "update"}
        found = {one["path"]: signs[one["mark"]] for one in json.loads(output)}
        need(code == bool(plan) and found == plan, f"diff ends in {code}: {found}, not {plan}")
        counts["differences"] += 1

    def reads(self):
        """`count` and `get` at the moment."""
        wanted = self.wanted.exact
        for top in self.random.sample(TOPS, 2):
            number = sum(path.startswith(f"{top}/") and path.count("/") == 1 for path in wanted)
            output = self.run("count", top, "-e", self.name, "--read-time", self.at, "-q")[1]
            need(output.rpartition("\t")[2].strip() == str(number), f"count {top} --read-time: {output}, not {number}")
        chosen = self.random.sample(sorted(wanted), min(3, len(wanted)))
        if not chosen:
            return
        output = self.run("get", *chosen, "-e", self.name, "--read-time", self.at, "--json", "-q")[1]
        found = {one["name"]: exact_fields(one.get("fields", {})) for one in json.loads(output)}
        need(found == {path: wanted[path] for path in chosen}, f"get --read-time: {found}")
        counts["reads of the moment"] += 1

    def parts(self):
        tops = self.random.sample([*TOPS, "new"], self.random.randint(1, 4))
        tops = [top for top in tops if any(path.split("/")[0] == top for path in self.wanted.exact.keys() | self.before.exact.keys())]
        if tops:
            self.check(self.plan(lambda path: within(path, tops)), *tops)

    def documents(self):
        # What neither side has is no document that anybody can name.
        stored = [path for path in self.wanted.exact if self.kind != "shallow" or path.count("/") == 1]
        paths = sorted(self.before.exact.keys() | stored)
        changed = sorted(self.plan())
        chosen = self.random.sample(paths, min(3, len(paths))) + self.random.sample(changed, min(3, len(changed)))
        chosen = [path for path in dict.fromkeys(chosen) if "*" not in path]
        if chosen:
            self.check(self.plan(lambda path: within(path, chosen)), *chosen)

    def only(self):
        names = self.random.sample(sorted(ONLY), self.random.choice([1, 1, 2]))
        plan = self.plan()
        plan = {path: kind for path, kind in plan.items() if kind in [ONLY[name] for name in names]}
        self.check(plan, "--all", more=[word for name in names for word in ("--only", name)])

    def where(self):
        least = self.random.choice([10, 50, 90, 120])
        both = (self.wanted.fields, self.before.fields)
        # A filter means the documents of the collections alone, as everywhere.
        plan = self.plan(lambda path: path.count("/") == 1 and any(matches(fields.get(path, {}), least) for fields in both))
        self.check(plan, "--all", more=["--where", f"n >= {least}"], deep=False)

    def kept(self):
        plan = self.plan()
        later = {path for path, kind in plan.items() if kind != "create" and self.changed(path) > instant(self.between)}
        plan = {path: kind for path, kind in plan.items() if path not in later}
        counts["documents kept"] += len(later)
        self.check(plan, "--all", kept=len(later), more=["--keep-changed-since", self.between])

    def changed(self, path):
        name = TIMES.get(path.split("/")[0]) if path.count("/") == 1 else None
        value = self.before.fields[path].get(name, {})
        return instant(value.get("timestampValue", self.before.times[path]))

    def rival(self, plan):
        """Another program writes to some of what is planned, and to some of what is not; gives what it leaves there."""
        paths, right = sorted(plan), sorted(self.before.exact.keys() - plan.keys())
        chosen = self.random.sample(paths, min(len(paths), self.random.choice([1, 3]))) + self.random.sample(right, min(len(right), 2))
        left = {path: {"n": integer(self.random.randrange(500, 600))} for path in chosen}
        for path in chosen:
            if path in self.before.exact and self.random.random() < 0.3:
                left[path] = None
        if left:
            self.base.commit([self.base.delete(path) if fields is None else self.base.set(path, fields) for path, fields in left.items()])
        counts["documents of another writer"] += len(left)
        return {path: fields and exact_fields(fields) for path, fields in left.items()}

    def beside(self, left, exact):
        """The documents of `exact`, but what another program left."""
        found = exact | left
        return {path: fields for path, fields in found.items() if fields is not None}

    def planned(self):
        """A plan file is applied after another program has written."""
        plan = self.plan()
        stranding = self.stranding(plan, True)
        code, summary, _ = self.restore("--all", more=["-n", "-o", "plan.jsonl", "--html", "plan.html"], ends=(0, 2) if stranding else (0,))
        left = self.left(code, stranding)
        plan = {path: kind for path, kind in plan.items() if path not in left}
        self.same_numbers(summary, numbers_of(plan), "-n -o")
        self.unchanged("after -n -o")
        if not plan:
            return
        lines = [json.loads(line) for line in (self.folder / "plan.jsonl").read_text().strip("\n").split("\n")]
        found = {line["path"].rpartition("/documents/")[2] for line in lines if "path" in line}
        need(found == plan.keys(), f"the plan has {sorted(found ^ plan.keys())[:5]} too much or too little")
        need((self.folder / "plan.html").stat().st_size > 1000, "no page")
        left = self.rival(plan) if self.random.random() < 0.7 else {}
        arguments = ["migrate", "apply", "--plan", "plan.jsonl", "-e", self.name, "-y", "-q", "--max-delete", deletions(plan)]
        code, _, errors = self.run(*arguments, ends=(0, 2))
        # Nobody vouches for a file: what would leave documents below it that the file does not delete stays, and is listed.
        after = self.beside(left, done(plan, self.wanted, self.before))
        bare = {path for path, kind in plan.items() if kind == "delete" and any(one.startswith(f"{path}/") for one in after)}
        listed = self.program.rejects() if code == 2 else {}
        stranding = {path for path in bare if "has-subcollections" in listed.get(path, ())}
        counts["deletions left for what is below"] += len(stranding)
        self.applied({path: kind for path, kind in plan.items() if path not in stranding}, left, code, errors, stranding)

    def applied(self, plan, left, code, errors, listed_besides=frozenset()):
        self.equal(self.base.read(), self.beside(left, done(plan, self.wanted, self.before)), "restored beside another writer")
        # What another program changed is listed, if it is not as it should be.
        stay = {path for path in left if path in plan and left[path] != self.wanted.exact.get(path)}
        listed = self.program.rejects() if code == 2 else {}
        need(listed.keys() == stay | listed_besides, f"listed are {sorted(listed)}, not {sorted(stay)}\n{errors}")
        counts["conflicts"] += len(stay)
        self.undo(plan.keys() - left.keys(), self.beside(left, self.before.exact))

    def raced(self):
        """Another program writes just before the first commit of the restore."""
        if not self.through:
            return self.planned()
        plan, left, turn = self.plan(), {}, threading.Lock()
        marks = [f"/documents/{path}" for path in plan]

        def hook(_, target, body):
            written = json.loads(body).get("writes", []) if target.partition("?")[0].endswith((":commit", ":batchWrite")) else []
            names = [write.get("delete") or write["update"]["name"] for write in written]
            # Another commit that is sent at the same time waits until all of it is written.
            with turn:
                if not left and any(name.endswith(mark) for name in names for mark in marks):
                    left.update(self.rival(plan))

        self.proxy.before = hook
        self.fail(self.random.random() < 0.5)
        try:
            code, _, errors = self.restore("--all", more=["--max-delete", deletions(plan)], ends=(0, 2))
        finally:
            self.proxy.before = None
            self.fail(False)
        need(bool(left) == bool(plan), "nothing was planned, or nothing written")
        self.applied(plan, left, code, errors)

    def killed(self):
        plan = self.plan()
        arguments = ["restore", "--all", *self.source, "-e", self.name, "-y", "-q", "--max-delete", deletions(plan)]
        self.log.append(" ".join(map(str, arguments)))
        self.fail(self.random.random() < 0.5)
        when = self.random.choice(["before", "after"])
        if self.program.killed(*arguments, at=self.random.randint(1, 8), verb=":commit", when=when):
            runs = self.folder / ".gymmigrate/runs"
            last = max(runs.iterdir(), key=lambda run: (run / "run.json").stat().st_mtime_ns).name
            self.program("runs", "resume", last, "-y", place=False)
            counts["resumed"] += 1
        self.restored(plan)
        self.undo(plan)
        self.fail(False)

    def faulty(self):
        plan = self.plan()
        self.fail()
        self.restore("--all", more=["--max-delete", deletions(plan)])
        self.restored(plan)
        self.undo(plan)
        self.fail(False)

    def fail(self, fails=True):
        """From now on a part of the requests fail."""
        self.proxy.share = FAULTS if fails else 0.0
        counts["with faults"] += fails

    def partial(self):
        """An export of a part: what it cannot know stays."""
        least, fields = self.random.choice([10, 50, 90]), self.random.sample(["n", "s", "name", "m"], 2)
        # The accident was written after the moment, so the export of that moment is made only now.
        how = self.random.choice([["--where", f"n >= {least}"], ["--fields", ",".join(fields)], ["--limit", "2"]])
        self.run("export", *TOPS, "-e", self.name, "-o", "part", "--format", "jsonl", "-q", "--read-time", self.at, *how)
        exported = read_lines(files_of(self.folder / "part"))
        self.restore("--all", source=["--from", "part"], more=["--max-delete", 10000], ends=(NOT_PERMITTED,))
        self.unchanged("after a refusal of a part")
        self.restore("--all", source=["--from", "part"], more=["--max-delete", 10000, "--scope", "partial"])
        wanted = dict(self.before.exact)
        for path, part in exported.items():
            rest = {name: value for name, value in wanted.get(path, {}).items() if name not in fields} if how[0] == "--fields" else {}
            wanted[path] = rest | exact_fields(part)
        self.equal(self.base.read(), wanted, "restored from a part")
        self.undo(wanted != self.before.exact)


# Faults that have to be found out.


def add(scene):
    return [scene.base.set("log entries/x/kids/added", {})]


def lose(scene):
    paths = sorted(scene.base.read().fields)
    return [scene.base.delete(scene.random.choice(paths))] if paths else add(scene)


def change(scene):
    fields = scene.base.read().fields
    if not fields:
        return add(scene)
    path = scene.random.choice(sorted(fields))
    return [scene.base.set(path, fields[path] | {"spoilt": {"doubleValue": -0.0}})]


def swap_zero(scene):
    """The sign of a zero, or an added one."""
    for path, fields in sorted(scene.base.read().fields.items()):
        for name, value in fields.items():
            if value.get("doubleValue") == 0:
                sign = 0.0 if str(value["doubleValue"]).startswith("-") else -0.0
                return [scene.base.set(path, fields | {name: {"doubleValue": sign}})]
    return add(scene)


def self_check(scene):
    """Whether a fault stays unseen: its name, or None."""
    fault = scene.random.choice([lose, add, change, swap_zero])
    scene.spoil = fault
    try:
        scene.play()
    except Wrong:
        counts["faults found out" if scene.spoil is None else "seeds wrong before"] += 1
        return None
    return None if scene.spoil else fault.__name__


def lives_of(written):
    """The versions of a document, from each creation to the deletion."""
    lives = [[]]
    for version in written:
        if version[1] is None:
            lives.append([])
        else:
            lives[-1].append(version)
    return [life for life in lives if life]


def histories(scene):
    """The versions of documents are those that were written, each with its time."""
    base, chance = scene.base, scene.random
    for number in range(4):
        path, written = f"people/{chance.choice(IDS)}/kids/v{number}", []
        for _ in range(chance.randint(1, 6)):
            gone = number > 1 and written and written[-1][1] and chance.random() < 0.3
            fields = None if gone else scene.accident.maker.fields() | {"v": integer(len(written))}
            time = base.commit([base.delete(path) if gone else base.set(path, fields)])["commitTime"]
            written.append((instant(time), fields and exact_fields(fields)))
            pause()
        # 66 where it was there too briefly, and is not any more.
        code, output, _ = scene.run("history", path, "-e", scene.name, "--json", ends=(0, MISSING) if written[-1][1] is None else (0,))
        if code == MISSING:
            counts["lives that ended"] += len(lives_of(written))
            continue
        shown = json.loads(output)
        versions = [one["document"] for one in shown["versions"] if "document" in one]
        found = [(instant(one["updateTime"]), exact_fields(one.get("fields", {}))) for one in versions]
        # What was deleted again may have been there too briefly to be found between two looks; if it is found, then all of it.
        lives = lives_of(written)
        sure = lives.pop() if written[-1][1] is not None else []
        seen = [life for life in lives if life[-1] in found]
        need(found == [version for life in [*seen, sure] for version in life], f"history of {path!r}: {found}, not {lives}, {sure}")
        need((shown["versions"][-1]["event"] == "deleted") == (written[-1][1] is None), f"history of {path!r} ends in {shown['versions'][-1]}")
        counts["lives that ended"] += len(lives)
        counts["of these found"] += len(seen)
        need(shown["isComplete"] and shown["reads"] <= 100, f"history of {path!r}: {shown['reads']} reads")
        # One is for the service's time.
        bound = chance.randint(3, 6)
        shown = json.loads(scene.run("history", path, "-e", scene.name, "--json", "--max-reads", bound)[1])
        need(shown["reads"] <= bound, f"history of {path!r}: {shown['reads']} reads of {bound}")
        counts["versions"] += len(found)


def refusals(scene):
    """What is refused with one sentence, and nothing is written."""
    base, folder = scene.base, scene.folder
    scene.accident.fill(30)
    scene.run("export", "--all", "-e", scene.name, "-o", "backup", "--format", "jsonl", "-q")
    for name in ("cut", "flipped", "lost", "foreign"):
        shutil.copytree(folder / "backup", folder / name)
    files = {name: max((folder / name).glob("*.jsonl"), key=lambda path: path.stat().st_size) for name in ("cut", "flipped", "lost")}
    os.truncate(files["cut"], files["cut"].stat().st_size // 2)
    files["flipped"].write_text(files["flipped"].read_text().replace('"name":', '"nane":', 1))
    files["lost"].unlink()
    manifest = folder / "foreign/manifest.json"
    manifest.write_text(manifest.read_text().replace(f'/databases/{scene.name}"', '/databases/elsewhere"'))
    scene.accident.play()
    scene.before = base.read()
    hours = lambda number: (now() + datetime.timedelta(hours=number)).strftime("%Y-%m-%dT%H:%M:00Z")
    cases = [
        ("a moment to come", ["--at", hours(1)], USAGE), ("a moment long ago", ["--at", hours(-200)], MISSING), ("no moment", ["--at", "yesterday"], USAGE),
        ("a moment before the window", ["--at", hours(-2)], MISSING), ("a folder cut short", ["--from", "cut"], MALFORMED),
        ("a flipped folder", ["--from", "flipped"], MALFORMED), ("a folder that misses a file", ["--from", "lost"], MALFORMED),
        ("a foreign folder", ["--from", "foreign"], NOT_PERMITTED), ("no folder", ["--from", "nowhere"], MISSING), ("neither", [], USAGE),
        ("both", ["--from", "backup", "--at", hours(0)], USAGE), ("a protected environment", ["--from", "backup"], NOT_PERMITTED),
    ]
    for what, source, expected in cases:
        if what.startswith("a protected"):
            scene.program.environments["safe"] = f"  safe: {{ endpoint: 'http://{base.host}', database: {scene.name}, protected: true }}\n"
            scene.program.know(scene.name)
        command = ["restore", "--all", *source, "-e", "safe" if what.startswith("a protected") else scene.name, "-y", "--max-delete", "9999"]
        code, output, errors = scene.run(*command, ends=(USAGE, MALFORMED, MISSING, NOT_PERMITTED, 78))
        lines = [line for line in errors.split("\n") if line.lower().startswith("error:")]
        need(len(lines) == 1 and code == expected, f"{what} is refused in {code}, not {expected}, with {len(lines)} sentences:\n{errors}")
        scene.unchanged(what)
        counts["refusals"] += 1


def tried(part, scene):
    try:
        part(scene)
    except Wrong as wrong:
        return [f"{part.__name__}: {wrong}"]
    return []


def one(scene, seed, checks):
    """What is wrong with a seed."""
    if checks:
        unseen = self_check(scene)
        return [f"seed {seed}: the fault {unseen} was not found out"] if unseen else []
    try:
        scene.play()
    except Wrong as wrong:
        return [f"seed {seed}: {wrong}\nafter {', '.join(scene.accident.log)}\n" + "\n".join(scene.log)]
    return []


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--self-check", action="store_true")
    reader.add_argument("--emulator", action="store_true")
    reader.add_argument("--only", choices=["moments", "folders"])
    reader.add_argument("binary")
    reader.add_argument("seeds", nargs="?", type=int, default=int(os.environ.get("RESTORE_ACCIDENTS", 40)))
    reader.add_argument("seed", nargs="?", type=int, default=1)
    asked = reader.parse_args()
    globals()["only"] = asked.only
    with contextlib.ExitStack() as stack:
        folder, binary = pathlib.Path(stack.enter_context(tempfile.TemporaryDirectory())), os.path.abspath(asked.binary)
        if asked.emulator:
            globals()["keeps_no_sign"] = True
            store = types.SimpleNamespace(host=stack.enter_context(google_emulator.running(google_emulator.found_or_skip("restores"))))
        else:
            store = stack.enter_context(Store(binary, folder))
        proxy = Proxy(store, random.Random(asked.seed))
        bucket = Bucket() if storage_service.google_crc32c else None
        if not bucket:
            counts["buckets, for there is no google-crc32c"] = 0
        wrongs = []
        if asked.seed == 1 and not asked.self_check and not asked.emulator:
            for number, part in enumerate([refusals, histories]):
                wrongs += tried(part, Scene(store, proxy, bucket, binary, folder / part.__name__, 10**6 + number))
        for seed in range(asked.seed, asked.seed + asked.seeds):
            scene = Scene(store, proxy, bucket, binary, folder / f"s{seed}", seed)
            wrongs += one(scene, seed, asked.self_check)
            shutil.rmtree(folder / f"s{seed}")
            counts["seeds"] += 1
        if bucket:
            bucket.end()
    need(not wrongs, "\n\n".join(wrongs[:20]) + f"\n\n{len(wrongs)} of {asked.seeds} seeds fail")
    report("restore accidents", asked.seed, counts)


if __name__ == "__main__":
    run_judge("restore accidents", main)
