#!/usr/bin/env python3
"""Holds `mirror pull`, `status`, `verify` and `push` to docs/mirror.md, over random histories of a service that fails.

    python3 mirror_histories.py path/to/gymmigrate [seed [rounds [scenario …]]]

Other writers create, change and delete odd documents over REST, with and without their time of last change; a proxy between
the program and its embedded store counts what is read, loses requests and answers, and is where the program is killed.
A mirror is compared with what the service itself answers, its tables with a reference made from the page alone. Every
scenario has a database of its own. MIRROR_SEEDS=N judges N seeds, MIRROR_ROUNDS=N makes the histories longer. Needs nothing
but Python's own library.
"""

import collections
import datetime
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
import threading
import unicodedata

from judging import Wrong, integer, need, report, run_judge, scratch, text
from mirror_service import (
    ODD_FIELDS, ODD_IDS, TIMES, TOPS, Database, Program, Proxy, a_customer, a_double, a_text, a_time, an_integer,
    check_tables, documents, kind_of, moment, some,
)

counts = collections.Counter()


class Scene:
    """A database, its mirror, and what they are to be."""

    def __init__(self, name, store, program, seed):
        self.name, self.program, self.proxy = name, program, program.proxy
        self.random = random.Random(f"{seed} {name}")
        self.base = Database(store, name)
        self.file = program.folder / name / "mirror.sqlite"
        self.file.parent.mkdir()
        self.place = f"mirror:{self.file}"
        program.know(name)
        self.proxy.reset()

    def pull(self, *more, ends=(0,)):
        counts["pulls"] += 1
        return self.program("mirror", "pull", "-e", self.name, "-o", self.file, "-q", *more, ends=ends)

    def push(self, *more, ends=(0,)):
        counts["pushes"] += 1
        return self.program("mirror", "push", self.file, "-q", *more, ends=ends)

    def resume(self, command):
        """Resumes a push that was killed."""
        if self.random.random() < 0.5:
            self.program("runs", "resume", "last", "--yes", place=False)
        else:
            self.program(*command)

    def mirrored(self):
        return documents(self.program.export(self.place))

    def sql(self, *statements):
        base = sqlite3.connect(self.file)
        with base:
            for statement, *values in statements:
                base.execute(statement, values)
        base.close()

    def ask(self, statement, *values):
        base = sqlite3.connect(f"file:{self.file}?mode=ro", uri=True)
        rows = base.execute(statement, values).fetchall()
        base.close()
        return rows

    def tables(self, found, what):
        try:
            counts["cells"] += check_tables(self.file, found)
        except Wrong as wrong:
            raise Wrong(f"{what}: {wrong}")

    def equal(self, what, tables=True):
        """The mirror is the service: by two exports to the byte, and by what Python reads."""
        lines = self.program.export(self.place)
        same = lines == self.program.export(self.name)
        found, expected = documents(lines), self.base.all()
        for path in sorted(found.keys() | expected.keys()):
            need(found.get(path) == expected.get(path), f"{what}: {path!r} is {found.get(path)} in the mirror, {expected.get(path)} in the service")
        need(same, f"{what}: the exports of mirror and service differ, though their values are the same")
        counts["documents compared"] += len(found)
        if tables:
            self.tables(found, what)
        return found


# Random histories.


class Writer:
    """Random commits of other programs."""

    def __init__(self, base, random):
        self.base, self.random, self.now = base, random, {}
        self.ids = random.sample(ODD_IDS, 40) + [f"c{number}" for number in range(200)]

    def collection(self):
        choice = self.random.random()
        ids = self.ids
        if choice < 0.45:
            return "customers"
        if choice < 0.6:
            return self.random.choice(["shops", "fooBar", "foo_bar", "invoices"])
        if choice < 0.75:
            return f"customers/{self.random.choice(ids)}/orders"
        if choice < 0.8:
            return f"customers/{self.random.choice(ids)}/orders/{self.random.choice(ids[:9])}/lines"
        if choice < 0.85:
            return f"missing/{self.random.choice(ids)}/kids 'n'"
        return self.random.choice(TOPS)

    def fields(self, collection):
        chance = self.random
        if collection == "customers":
            return a_customer(chance, self.base.root, self.ids)
        if collection == "invoices":
            return {"status": text(chance.choice(["open", "shipped"])), "total": a_double(chance)}
        if collection == "shops":
            return {"name": a_text(chance), "stock": an_integer(chance)}
        if collection.endswith("orders"):
            return {"total": chance.choice([a_double, an_integer])(chance), "shopId": text(chance.choice(["s1", "gone"])), "note": a_text(chance)}
        fields = {"name": a_text(chance), "n": an_integer(chance), "f": a_double(chance), "t": a_time(chance), "m": {"mapValue": {"fields": {"a": a_text(chance)}}}}
        fields = {name: value for name, value in fields.items() if chance.random() < 0.8}
        for _ in range(chance.choice([0, 0, 1, 3])):
            # Where a field is a map in one document and something else in another, see odd_names.
            name = chance.choice([*ODD_FIELDS, "n", "t"])
            fields[name] = some(chance, self.base.root, 3)
            if name == "new":
                fields[name] = {"arrayValue": {"values": [value for value in (some(chance, self.base.root, 2) for _ in range(3)) if "arrayValue" not in value]}}
        return fields

    def step(self, silent, deletes=0.15):
        """One commit: a document is made, changed or deleted; some keep their time of last change, or have none."""
        chance = self.random
        if self.now and chance.random() < deletes:
            path = chance.choice(list(self.now))
            del self.now[path]
            counts["deletions"] += 1
            return self.base.delete(path)
        if self.now and chance.random() < 0.4:
            path = chance.choice(list(self.now))
            collection = path.rpartition("/")[0]
        else:
            collection = self.collection()
            path = f"{collection}/{chance.choice(self.ids)}"
        is_new = path not in self.now
        counts["creations" if is_new else "changes"] += 1
        time = TIMES.get(collection, "updatedAt") if "/" not in collection else "updatedAt"
        fields, is_silent = self.fields(collection), chance.random() < silent
        counts["silent writes"] += is_silent
        if is_silent or not time:
            kind = chance.randrange(4)
            if time and chance.random() < 0.3:  # A clock that is late, by less than what is overlapped.
                late = datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(minutes=chance.randint(1, 8))
                fields[time] = {"timestampValue": late.strftime("%Y-%m-%dT%H:%M:%S.%fZ")}
            elif time and kind == 0:
                fields[time] = {"timestampValue": "2019-05-05T05:05:05.000001Z"}
            elif time and kind == 1:
                fields[time] = chance.choice([text("2030-01-01T00:00:00Z"), {"nullValue": None}, integer(7)])
            elif kind == 2 and not is_new:
                self.now[path] = True
                return self.base.set(path, {"name": a_text(chance)}, mask=["name"])
            self.now[path] = True
            return self.base.set(path, fields)
        self.now[path] = True
        fields.pop(time, None)
        return self.base.set(path, fields, time)

    def steps(self, number, silent, deletes=0.15):
        writes, seen = [], set()
        for _ in range(number):
            write = self.step(silent, deletes)
            name = write.get("delete") or write["update"]["name"]
            if name in seen:  # No document twice in a commit.
                self.base.commit(writes)
                writes, seen = [], set()
            writes.append(write)
            seen.add(name)
        if writes:
            self.base.commit(writes)


def after_delta(before, service, marks):
    """How the mirror may lag behind the service after a pull by delta: what it finds by times of last change alone."""
    expected = dict(service)
    for collection in {path.split("/")[0] for path in before | service}:
        mark, time = marks.get(collection), TIMES.get(collection, "updatedAt")
        if mark is None:
            continue
        mine = lambda paths: {path: fields for path, fields in paths.items() if path.split("/")[0] == collection and path.count("/") == 1}
        old, new = mine(before), mine(service)
        found = {
            path: fields for path, fields in new.items()
            if "timestampValue" in fields.get(time, {}) and moment(fields[time]["timestampValue"]) >= moment(mark)
        }
        for path in old.keys() | new.keys():
            expected.pop(path, None)
        expected |= old | found
    return expected


def histories(scene, rounds):
    """Creations, changes and deletions of everything, with and without their time, between pulls."""
    writer = Writer(scene.base, scene.random)
    writer.steps(700, 0.3, 0.05)
    # See `gone`, which is about the last document below a root collection that has none itself.
    keep = "missing/keep/kids 'n'/keep"
    scene.base.commit([scene.base.set(keep, {"n": integer(1)})])
    scene.pull()
    before = scene.equal("the first pull")
    for number in range(rounds):
        silent = scene.random.choice([0, 0, 0.02, 0.4])
        kinds = {kind_of(path) for path in before}
        writer.steps(scene.random.choice([3, 40, 300]), silent, scene.random.choice([0, 0.1, 0.5]))
        marks = dict(scene.ask("SELECT collection, mark FROM _mirror_collections"))
        service = scene.base.all()
        overlap = scene.random.choice([0, 0, 600])
        scene.pull(*(["--overlap", "0s"] if overlap == 0 else []))
        status = json.loads(scene.program("mirror", "status", scene.file, "--offline", "--json")[1])
        shown = datetime.datetime.fromisoformat(status["readTime"].replace("Z", "+00:00")) - datetime.timedelta(seconds=overlap)
        for collection, mark in scene.ask("SELECT collection, mark FROM _mirror_collections WHERE mark IS NOT NULL"):
            behind = shown - datetime.datetime.fromisoformat(moment(mark).replace("Z", "+00:00"))
            need(datetime.timedelta() <= behind < datetime.timedelta(milliseconds=2), f"round {number}: the mark of {collection} is {mark}, the moment less --overlap {shown}")
        found, least = scene.mirrored(), after_delta(before, service, marks)
        # What is deleted or created without a time hides only behind as many of the other kind.
        for collection, mark in marks.items():
            if mark:
                have = [sum(path.rpartition("/")[0] == collection for path in paths) for paths in (found, service)]
                need(have[0] == have[1], f"round {number}: the mirror has {have[0]} documents of {collection}, the service {have[1]}")
        for path in found.keys() | service.keys():
            if found.get(path) == service.get(path):
                continue
            # A kind of subcollection that neither the schema nor the mirror has is not promised.
            is_new_kind = path not in found and path.count("/") > 1 and kind_of(path) not in kinds
            may_lag = least.get(path) != service.get(path) and found.get(path) == least.get(path)
            need(is_new_kind or may_lag, f"round {number}: after a delta {path!r} is {found.get(path)} in the mirror, {service.get(path)} in the service, and was {before.get(path)}")
            counts["documents behind after a delta"] += 1
        scene.tables(found, f"round {number}, after a delta")
        code, output, _ = scene.program("diff", "--all", "--from", scene.place, "--to", scene.name, ends=(0, 1))
        need((code == 0) == (found == service), f"round {number}: diff ends in {code}: {output[:500]}")
        before = found
        if number % 3 == 2 or number == rounds - 1:
            scene.pull("--full")
            before = scene.equal(f"round {number}, after --full")
            scene.program("mirror", "verify", scene.file)
    # Everything goes.
    scene.base.commit_all([scene.base.delete(path) for path in scene.base.all() if path != keep])
    scene.pull()
    need(scene.equal("after everything was deleted").keys() == {keep}, "documents stay")


def gone(scene):
    """Subcollections are read whole, also where nothing is left in them or above them."""
    base = scene.base
    paths = ["missing/a/kids/1", "log/1", "log/1/parts/1", "shops/1/parts/1", "customers/1/orders/1", "customers/2/notes/1"]
    base.commit([base.set(path, {"n": integer(1)}) for path in paths])
    scene.pull()
    base.commit([base.delete(path) for path in paths])
    scene.pull()
    scene.pull("--full")
    left = set(scene.mirrored())
    need(not left, f"{left} stay in the mirror")


def cost(scene):
    """A pull by delta reads what changed, and a few dozen names where the number differs; status reads counts."""
    base, chance = scene.base, scene.random
    customers = [f"customers/c{number}" for number in range(2500)]
    base.commit_all([base.set(path, {"name": a_text(chance)}, "updatedAt") for path in customers])
    base.commit_all([base.set(f"foo_bar/f{number}", {"name": a_text(chance)}, "updatedAt") for number in range(400)])
    scene.pull("--overlap", "0s")

    def pull(changed, names, what):
        scene.proxy.reset()
        scene.pull("--overlap", "0s")
        need(scene.proxy.documents <= 1.2 * changed, f"{what}: {scene.proxy.documents} documents are read for {changed} changes")
        need(scene.proxy.names <= names, f"{what}: {scene.proxy.names} names are read, not {names} at most")
        counts["documents read by deltas"] += scene.proxy.documents

    # The mark is in milliseconds: what was written in that of the last pull may come once more.
    pull(5, 0, "nothing changed")
    for _ in range(3):
        paths = chance.sample(customers, 200)
        base.commit_all([base.set(path, {"name": a_text(chance)}, "updatedAt") for path in paths])
        made = [f"customers/n{chance.randrange(10**9)}" for _ in range(50)]
        base.commit_all([base.set(path, {"name": a_text(chance)}, "updatedAt") for path in made])
        customers += made
        pull(250, 0, "changed and created")
    gone, made = chance.sample(customers, 30), [f"customers/m{number}" for number in range(30)]
    base.commit_all([base.delete(path) for path in gone])
    base.commit_all([base.set(path, {"name": a_text(chance)}, "updatedAt") for path in made])
    pull(30, 40 * len(gone), "as many deleted as created")
    scene.equal("after the deltas", tables=False)
    gone = chance.sample(sorted(path for path in base.all() if path.startswith("customers/") and path.count("/") == 1), 3)
    base.commit_all([base.delete(path) for path in gone])
    pull(0, 3 * 24, "three deleted")
    # A read for each name, and one for each of the counts that led there.
    billed, limit = scene.proxy.billed, 2 * len(customers) / 1000 + 40 * len(gone) + 100
    need(billed <= limit, f"three deletions of {len(customers)} documents are billed as {billed} reads, not {limit} at most")
    # As many deleted as created without a time, where a count of all of them is the same.
    base.commit_all([base.delete(path) for path in chance.sample(sorted(path for path in base.all() if path.startswith("customers/c1") and path.count("/") == 1), 2)])
    base.commit_all([base.set(f"customers/z{number}", {"name": a_text(chance)}) for number in range(2)])
    scene.pull("--overlap", "0s", "--thorough")
    scene.equal("after a thorough pull", tables=False)

    scene.proxy.reset()
    scene.program("mirror", "status", scene.file, "--json")
    # One query asks which times were set back.
    others = {verb: count for verb, count in scene.proxy.verbs.items() if verb != "runAggregationQuery"}
    need(others in ({}, {"runQuery": 1}), f"status sends {scene.proxy.verbs}")
    need(scene.proxy.documents + scene.proxy.names == 0, f"status reads {scene.proxy.documents} documents")
    scene.proxy.reset()
    scene.program("mirror", "status", scene.file, "--offline")
    need(scene.proxy.requests == 0, f"status --offline sends {scene.proxy.requests} requests")


# Writers, kills and faults during a pull.


def pairs(chance, base, n, value):
    """A commit of documents that always say the same."""
    writes = []
    for path, time in ((f"customers/p{n}", "updatedAt"), (f"foo_bar/p{n}", "updatedAt"), (f"shops/p{n}", None), (f"customers/x/orders/p{n}", None), (f"log entries/p{n}", "updatedAt")):
        writes.append(base.delete(path) if value is None else base.set(path, {"value": integer(value)}, time))
    return writes


class Busy:
    """A writer that writes all the time, until it is told to end."""

    def __init__(self, step):
        self.ends, self.commits, self.error = threading.Event(), 0, None
        self.begun = threading.Event()

        def run():
            try:
                while not self.ends.is_set():
                    step(self.commits)
                    self.commits += 1
                    self.begun.set()
            except Exception as error:
                self.error = error
            self.begun.set()

        self.thread = threading.Thread(target=run, daemon=True)

    def __enter__(self):
        self.thread.start()
        self.begun.wait()
        return self

    def __exit__(self, *_):
        self.ends.set()
        self.thread.join()
        counts["commits of a busy writer"] += self.commits
        if self.error:
            raise self.error


def busy(scene, share, pulls):
    """The mirror is one moment while others write, and equal once they have ended."""
    chance, base = scene.random, scene.base
    base.commit_all([base.set(f"customers/c{number}", {"name": text("x")}, "updatedAt") for number in range(700)])
    scene.proxy.share = share

    def step(number):
        base.commit(pairs(chance, base, chance.randrange(12), None if chance.random() < 0.1 else number))

    with Busy(step):
        for number in range(pulls):
            scene.pull(*(["--full"] if number == 2 else ["--overlap", "5s"] if number % 2 else []))
            values = {}
            for path, fields in scene.mirrored().items():
                if path.split("/")[-1].startswith("p"):
                    values.setdefault(path.split("/")[-1], []).append(int(fields["value"]["integerValue"]))
            for id, all in values.items():
                need(len(all) == 5 and len(set(all)) == 1, f"pull {number}: the mirror shows two moments of {id}: {all}")
            counts["moments compared"] += len(values)
    scene.pull()
    scene.proxy.share = 0.0
    scene.equal("after the writer has ended")


def state(scene):
    return scene.program.export(scene.place)


def left_behind(scene, what):
    names = sorted(path.name for path in scene.file.parent.iterdir())
    need(set(names) <= {"mirror.sqlite", "mirror.sqlite-wal", "mirror.sqlite-shm"}, f"{what}: the folder holds {names}")


def traces(scene):
    """What the mirror's files look like from outside."""
    found = []
    for entry in os.scandir(scene.file.parent):
        try:
            found.append((entry.name, entry.stat().st_size, entry.stat().st_mtime_ns))
        except FileNotFoundError:
            pass
    return sorted(found)


def kills(scene, moments):
    """Killed anywhere, a pull leaves the old state or the new one, and the next one works."""
    base, chance = scene.base, scene.random
    writer = Writer(base, chance)
    writer.steps(500, 0.2, 0.05)
    at = 1
    while scene.program.killed("mirror", "pull", "-e", scene.name, "-o", scene.file, at=at):
        need(not scene.file.exists(), f"killed at request {at}, the first pull left a file of the mirror's name")
        at += 5
        counts["kills"] += 1
    scene.pull("--full")
    left_behind(scene, "after a killed first pull and a whole one")
    requests = [12, 12]
    for number in range(moments):
        old = state(scene)
        writer.steps(60, 0, 0.1)
        more = ["--full"] if number % 3 == 2 else []
        new = scene.program.export(scene.name)
        if number % 2:
            killed = scene.program.killed("mirror", "pull", "-e", scene.name, "-o", scene.file, *more, at=chance.randint(1, 14), when=chance.choice(["before", "after"]))
        else:  # Some moment after the last requests, in which the file is written.
            process, asked = scene.program.start("mirror", "pull", "-e", scene.name, "-o", scene.file, *more), threading.Event()
            last = requests[bool(more)] - chance.choice([0, 0, 0, 1, 3])
            scene.proxy.reset()
            scene.proxy.after = lambda number, *_: number >= last and asked.set()
            ended = threading.Thread(target=lambda: (process.wait(), asked.set()))
            ended.start()
            asked.wait()
            if chance.random() < 0.5:
                try:
                    process.wait(chance.random() * 0.15)
                except subprocess.TimeoutExpired:
                    process.kill()
            else:  # As soon as something has been written there, a few times.
                before, changes = traces(scene), chance.randint(1, 4)
                while process.poll() is None and changes:
                    now = traces(scene)
                    changes -= now != before
                    before = now
                process.kill()
            ended.join()
            scene.proxy.after = None
            killed = process.returncode != 0
            process.communicate()
        counts["kills"] += killed
        found = state(scene)
        need(found in (old, new), f"kill {number}: the mirror is neither as before nor as after")
        need(killed or found == new, f"kill {number}: a pull that ended is not as after")
        counts["killed pulls"] += killed
        scene.tables(documents(found), f"kill {number}")
        counts["killed pulls that had written"] += killed and found == new and old != new
        scene.proxy.reset()
        scene.pull(*more)
        requests[bool(more)] = scene.proxy.requests
        need(state(scene) == new, f"kill {number}: the next pull is not as after")
        left_behind(scene, f"kill {number}")
    # While a pull is under way: another reads the old state, and whoever writes is told that it is locked.
    old, seen = state(scene), []
    writer.steps(100, 0, 0.1)

    def meanwhile(number, *_):
        if number == 6:
            scene.proxy.before = None
            seen.append(state(scene) == old)
            # It waits 20 seconds first, so this is for a longer history.
            seen.append(75 if moments < 10 else scene.pull(ends=(75,))[0])
            try:
                base = sqlite3.connect(scene.file, timeout=0)
                with base:
                    base.execute("UPDATE shops SET stock = 1")
                seen.append("an SQL tool could write")
            except sqlite3.OperationalError as error:
                seen.append(str(error))

    scene.proxy.reset()
    scene.proxy.before = meanwhile
    scene.pull()
    need(seen == [True, 75, "database is locked"], f"while a pull is under way: {seen}")
    scene.equal("after a pull with others beside it")


def faults(scene, rounds):
    """A pull over a service that fails ends equal, or leaves the old state and says why."""
    writer = Writer(scene.base, scene.random)
    writer.steps(300, 0.2, 0.05)
    scene.proxy.share = 1.0
    code, _, _ = scene.pull("--retry-for", "300ms", ends=(69, 75))
    need(not scene.file.exists(), "a first pull that failed left a file")
    scene.proxy.share = 0.2
    scene.pull("--full")
    for number in range(rounds):
        scene.proxy.share = 0.0
        old = state(scene)
        writer.steps(80, 0, 0.15)
        new = scene.program.export(scene.name)
        scene.proxy.share = 0.2 if number % 2 else 0.5
        code, _, errors = scene.pull(*([] if number % 2 else ["--retry-for", "20ms"]), ends=(0,) if number % 2 else (0, 69, 75))
        scene.proxy.share = 0.0
        counts["pulls that failed"] += code != 0
        need(state(scene) == (new if code == 0 else old), f"round {number}: a pull over faults ended in {code}, and the mirror is not as {'after' if code == 0 else 'before'}")
    scene.pull()
    scene.equal("after faults")


# Pushes.

TYPED = {
    "name": ("name", lambda r: f"ñ'{r.randrange(10**6)}\"", text), "age": ("age", lambda r: r.randrange(-(2**63), 2**63), integer),
    "weight": ("weight", lambda r: r.choice([r.random(), 3.0, -1e300]), lambda v: {"doubleValue": v}),
    "ok": ("ok", lambda r: r.randrange(2), lambda v: {"booleanValue": bool(v)}),
    "born": ("born", lambda r: f"20{r.randint(10, 99)}-01-3{r.randrange(2)}{r.choice(['T18:00:00Z', ' 18:00:00', 'T18:00:00.123456Z'])}", lambda v: {"timestampValue": v.replace(" ", "T").removesuffix("Z") + "Z"}),
    "tags": ("tags", lambda r: json.dumps([r.choice(["a", 1, 2.5, True, None]) for _ in range(r.randrange(4))]), lambda v: array(json.loads(v))),
    "address_city": ("address.city", lambda r: f"c{r.randrange(10**6)}", text), "address_zip": ("address.zip", lambda r: r.randrange(10**5), integer),
    "address_geo_lat": ("address.geo.lat", lambda r: r.random() * 90, lambda v: {"doubleValue": v}),
}


def array(values):
    def one(value):
        if value is None:
            return {"nullValue": None}
        if isinstance(value, bool):
            return {"booleanValue": value}
        return integer(value) if isinstance(value, int) else {"doubleValue": value} if isinstance(value, float) else text(value)

    return {"arrayValue": {"values": [one(value) for value in values]} if values else {}}


def with_field(fields, path, value):
    """The fields with the value at the path, or without it."""
    name, _, rest = path.partition(".")
    fields = dict(fields)
    if rest:
        inner = with_field(fields.get(name, {}).get("mapValue", {}).get("fields", {}), rest, value)
        if value is not None or "mapValue" in fields.get(name, {}):
            fields[name] = {"mapValue": {"fields": inner} if inner else {}}
    elif value is None:
        fields.pop(name, None)
    else:
        fields[name] = value
    return fields


def same(fields, expected, time):
    """Equal but for the time that the server sets, which is to be there."""
    plain = lambda fields: {name: normal(value) for name, value in fields.items() if name != time}
    return plain(fields) == plain(expected) and (not time or "timestampValue" in fields.get(time, {}))


def normal(value):
    """Times of one form; a map that lost its last field may stay empty or be gone."""
    if "timestampValue" in value:
        return {"timestampValue": moment(value["timestampValue"])}
    if "mapValue" in value:
        return {"mapValue": {name: normal(one) for name, one in value["mapValue"].get("fields", {}).items()}}
    return value


def prune(fields):
    """Without maps that hold nothing."""
    result = {}
    for name, value in fields.items():
        if "mapValue" in value:
            inner = prune(value["mapValue"].get("fields", {}))
            if not inner:
                continue
            value = {"mapValue": {"fields": inner}}
        result[name] = value
    return result


class Editor:
    """Random edits of a mirror by SQL, and the documents that they are to come to."""

    def __init__(self, scene, found):
        self.scene, self.random, self.found = scene, scene.random, found
        self.expected, self.statements, self.deleted = {}, [], 0
        self.left = [path for path in found if kind_of(path) in ("customers", "customers/*/orders", "shops")]
        self.random.shuffle(self.left)

    def edit(self, number):
        chance = self.random
        for path in self.left[:number]:
            parts, kind = path.split("/"), kind_of(path)
            where = ("customers_id = ? AND _id = ?", [parts[1], parts[3]]) if len(parts) == 4 else ("_id = ?", [parts[1]])
            table = {"customers": "customers", "shops": "shops"}.get(kind, "customers_orders")
            fields = self.found[path]
            # One with collections below it is not deleted (docs/undoing.md).
            if chance.random() < 0.2 and not any(other.startswith(path + "/") for other in self.found):
                self.statements.append((f"DELETE FROM {table} WHERE {where[0]}", *where[1]))
                self.expected[path], self.deleted = None, self.deleted + 1
                continue
            columns = {
                "shops": {"name": TYPED["name"], "stock": ("stock", TYPED["age"][1], integer)},
                "customers_orders": {"total": ("total", TYPED["weight"][1], TYPED["weight"][2])},
            }.get(table, TYPED)
            new = fields
            for column in chance.sample(list(columns), min(len(columns), chance.randint(1, 3))):
                field, make, value = columns[column]
                outer, below = new.get(field.partition(".")[0], {}), field.partition(".")[2]
                if below and outer and ("mapValue" not in outer or "." in below and "mapValue" not in outer["mapValue"].get("fields", {}).get("geo", {"mapValue": 0})):
                    continue  # Where something else than a map is, the page does not say what a cell of it comes to.
                cell = None if chance.random() < 0.2 else make(chance)
                was = outer_value(new, field)
                if cell is None and was is not None and "nullValue" in was:
                    continue  # NULL was there already.
                self.statements.append((f"UPDATE {table} SET {column} = ? WHERE {where[0]}", cell, *where[1]))
                new = with_field(new, field, None if cell is None else value(cell))
            if new != fields:
                self.expected[path] = new
        del self.left[:number]
        for id in chance.sample(ODD_IDS, 8):
            if any(c.isspace() or unicodedata.category(c) in ("Cc", "Cf") for c in (id[0], id[-1])):
                continue  # A new row's id has no white space or invisible character around it.
            if f"customers/{id}" not in self.found and f"customers/{id}" not in self.expected:
                name = TYPED["name"][1](chance)
                self.statements.append(("INSERT INTO customers (_id, name, address_city, weight) VALUES (?, ?, ?, ?)", id, name, "ç", 2))
                city = {"mapValue": {"fields": {"city": text("ç")}}}
                self.expected[f"customers/{id}"] = {"name": text(name), "address": city, "weight": {"doubleValue": 2.0}}
        return self

    def apply(self):
        self.scene.sql(*self.statements)


def outer_value(fields, path):
    for name in path.split("."):
        value = fields.get(name)
        if value is None or "mapValue" not in value:
            return value
        fields = value["mapValue"].get("fields", {})
    return value


def is_as(found, expected, path):
    if expected is None or found is None:
        return expected is None and found is None
    return same(prune(found), prune(expected), "updatedAt" if kind_of(path) == "customers" else None)


def typed_service(scene):
    """A service of documents that a push is let change."""
    writer, base, chance = Writer(scene.base, scene.random), scene.base, scene.random
    writes = []
    for number in range(150):
        fields = {name: value for name, value in a_customer(chance, base.root, ["c1", "c2"]).items() if name not in ("boss", "shopId", *ODD_FIELDS)}
        for name, kinds in (("name", ["stringValue"]), ("age", ["integerValue"]), ("weight", ["doubleValue", "integerValue"]), ("ok", ["booleanValue"]), ("born", ["timestampValue"]), ("tags", ["arrayValue"]), ("address", ["mapValue"])):
            if name in fields and next(iter(fields[name])) not in kinds:
                del fields[name]
        if "__type__" in json.dumps(fields.get("address")):
            del fields["address"]  # A vector is no map that takes a field.
        fields = json.loads(json.dumps(fields).replace("\\u0000", "0"))  # See odd_names.
        writes.append(base.set(f"customers/{ODD_IDS[number] if number < 20 else f'c{number}'}", fields, "updatedAt"))
        writes.append(base.set(f"shops/s{number}", {"name": text(f"n{number}"), "stock": integer(number), "odd.name": a_double(chance)}))
        writes.append(base.set(f"customers/c{number}/orders/o'{number % 7}", {"total": a_double(chance), "note": text("é")}))
    base.commit_all(writes)


def pushed(scene, editor, service, rivals, what):
    """Holds the service to the edits, but where a rival was faster."""
    found = scene.base.all()
    for path in sorted(found.keys() | service.keys() | editor.expected.keys()):
        if path in rivals:
            need(found.get(path) == rivals[path], f"{what}: {path!r} was changed by another to {rivals[path]}, and is {found.get(path)}")
        elif path in editor.expected:
            need(is_as(found.get(path), editor.expected[path], path), f"{what}: {path!r} is {found.get(path)}, not {editor.expected[path]}, and was {service.get(path)}")
            counts["edits pushed"] += 1
        else:
            need(found.get(path) == service.get(path), f"{what}: {path!r} was not edited, and is {found.get(path)}, not {service.get(path)}")
    return found


def pushes(scene, rounds):
    """Edits come to what the page says, conflicts are left alone, and an undo brings everything back."""
    base, chance = scene.base, scene.random
    typed_service(scene)
    scene.pull()
    for number in range(rounds):
        service = scene.base.all()
        editor = Editor(scene, scene.mirrored()).edit(40)
        editor.apply()
        scene.push("-n", ends=(0, 2))
        need(scene.base.all() == service, "push -n wrote something")
        # Without --max-delete nothing is deleted. A run that was refused would be in the way of the next.
        rivals, conflicts = {}, set()
        if number % 2:
            for path in chance.sample(sorted(editor.expected), 8):
                expected = editor.expected[path]
                if chance.random() < 0.3 and path in service:
                    base.commit([base.delete(path)])
                    rivals[path] = None
                    conflicts |= {path} if expected is not None else set()
                else:
                    base.commit([base.set(path, {"other": text(f"by another, {number}")}, "updatedAt" if chance.random() < 0.5 else None, mask=["other"])])
                    rivals[path] = base.all()[path]
                    conflicts.add(path)
        scene.push("--max-delete", editor.deleted, ends=(2,) if conflicts else (0,))
        rejects = scene.program.rejects()
        need(rejects == {path: {"conflict"} for path in conflicts}, f"round {number}: the rejects are {rejects}, not conflicts of {conflicts}")
        counts["conflicts"] += len(conflicts)
        found = pushed(scene, editor, service, rivals, f"round {number}")
        mirrored = scene.mirrored()
        for path in editor.expected.keys() - rivals.keys():
            need(mirrored.get(path) == found.get(path), f"round {number}: {path!r} was pushed, and the mirror has {mirrored.get(path)}, the service {found.get(path)}")
        if conflicts:
            scene.pull(ends=(75,))
            scene.pull("--discard-edits")
        else:
            scene.equal(f"round {number}, after a push")
            scene.pull()
            scene.program("runs", "undo", "last", "-e", scene.name)
            need(scene.base.all() == service, f"round {number}: an undo does not bring the service back")
            counts["undos"] += 1
        scene.pull("--full")
        scene.equal(f"round {number}, after --full")


def rejected(scene):
    """What is refused stays in the mirror under its code, and the service stays as it is."""
    base = scene.base
    base.commit([base.set(f"invoices/{id}", {"status": text(status), "total": {"doubleValue": 5.0}}, "updatedAt") for id, status in (("a", "open"), ("b", "shipped"), ("c", "open"), ("d", "open"), ("e", "open"), ("f", "open"))])
    base.commit([base.set("shops/s1", {"name": text("x")})])
    base.commit([base.set("shops/s2", {"name": text("x")}), base.set("shops/s2/parts/1", {"name": text("x")})])
    scene.pull()
    before = base.all()
    scene.sql(
        ("UPDATE invoices SET total = 'much' WHERE _id = 'a'",), ("UPDATE invoices SET total = 9 WHERE _id = 'b'",),
        ("UPDATE invoices SET updated_at = '2020-01-01T00:00:00Z' WHERE _id = 'c'",), ("UPDATE invoices SET total = -1 WHERE _id = 'd'",),
        ("UPDATE invoices SET status = 'lost' WHERE _id = 'e'",), ("UPDATE invoices SET total = 6 WHERE _id = 'f'",), ("DELETE FROM shops",),
    )
    scene.push(ends=(77,))
    need(base.all() == before, "a push that needs --max-delete wrote something")
    scene.push("--max-delete", 0, ends=(77,))
    scene.push("--max-delete", 2, ends=(2,))
    found = base.all()
    need("shops/s1" not in found, "a deleted row did not delete its document")
    for id in "abcde":
        need(found[f"invoices/{id}"] == before[f"invoices/{id}"], f"invoices/{id} should be refused, and is {found[f'invoices/{id}']}")
    need(found["invoices/f"]["total"] == {"doubleValue": 6.0}, "invoices/f is not pushed")
    codes = scene.program.rejects()
    for id, code in (("a", "not-a-value"), ("b", "immutable"), ("c", "server-time")):
        need(codes.get(f"invoices/{id}") == {code}, f"invoices/{id} is refused with {codes.get(f'invoices/{id}')}, not {code}")
    need(found["shops/s2"] == before["shops/s2"] and codes.pop("shops/s2", None) == {"has-subcollections"}, f"shops/s2 has collections below: {codes}")
    need(set(codes) == {f"invoices/{id}" for id in "abcde"}, f"the rejects are {codes}")
    need(scene.ask("SELECT total FROM invoices WHERE _id = 'a'") == [("much",)], "a refused edit did not stay")
    scene.pull(ends=(75,))
    scene.pull("--discard-edits")
    scene.equal("after the refused edits were dropped")
    # What writes refuses a mirror.
    scene.program("delete", "shops", "--all-documents", "--hard", "-y", "--max-delete", "9", "-e", scene.place, ends=(77,))


def edits(scene):
    """One edit of each kind that the page names, and rows that can be no documents."""
    base = scene.base
    before = {
        "shops/id": {"name": text("x"), "stock": integer(1), "f": {"doubleValue": -0.0}}, "shops/null": {"name": {"nullValue": None}},
        "shops/brace": {"name": text("{}"), "stock": integer(5)}, "shops/type": {"name": text("m"), "stock": {"doubleValue": 2.5}},
        "shops/same": {"name": text("m")}, "shops/again": {"name": text("m"), "stock": integer(3), "more": integer(1)},
        "customers/n": {"weight": {"doubleValue": "NaN"}, "name": text("n"), "tags": {"arrayValue": {"values": [{"timestampValue": "2020-01-01T00:00:00Z"}, text("{}")]}}, "address": {"mapValue": {}}},
    }
    base.commit([base.set(path, fields) for path, fields in before.items()])
    scene.pull()
    scene.sql(
        ("UPDATE shops SET _id = 'new id' WHERE _id = 'id'",), ("UPDATE shops SET name = 'set' WHERE _id = 'null'",),
        ("UPDATE shops SET stock = 6 WHERE _id = 'brace'",), ("UPDATE shops SET name = 'five' WHERE _id = 'type'",),
        ("UPDATE shops SET name = 'm' WHERE _id = 'same'",), ("INSERT OR REPLACE INTO shops (_id, name, stock) VALUES ('again', 'n', 3)",),
        ("UPDATE customers SET name = 'nn', address_city = 'ç' WHERE _id = 'n'",),
    )
    scene.push("--max-delete", 1)
    found = base.all()
    expected = dict(before)
    expected["shops/new id"] = {name: value for name, value in expected.pop("shops/id").items()}
    expected["shops/null"] = {"name": text("set")}
    expected["shops/brace"] = before["shops/brace"] | {"stock": integer(6)}
    expected["shops/type"] = before["shops/type"] | {"name": text("five")}
    del expected["shops/again"]
    need(found.pop("shops/again", {}).get("name") == text("n"), "a replaced row is not pushed")
    expected["customers/n"] = before["customers/n"] | {"name": text("nn"), "address": {"mapValue": {"fields": {"city": text("ç")}}}}
    for path in found.keys() | expected.keys():
        need(is_as(found.get(path), expected.get(path), path), f"{path} came to {found.get(path)}, not {expected.get(path)}")
    scene.equal("after a push of one edit of each kind")
    # A row that can be no document ends the push before anything is written.
    before_stock = base.all()["shops/same"].get("stock")
    for number, id in enumerate(["a/b", "a/parts/1", "", ".", "..", "__x__", "x" * 1501]):
        scene.sql(("INSERT INTO shops (_id, name) VALUES (?, 'n')", id), ("UPDATE shops SET stock = ? WHERE _id = 'same'", number))
        _, _, errors = scene.push(ends=(65,))
        need("shops" in errors, f"a row with the ID {id[:9]!r}: {errors}")
        need(base.all()["shops/same"].get("stock") == before_stock, f"a row with the ID {id[:9]!r}: others were pushed")
        need(set(base.all()) == set(found) | {"shops/again"}, f"a row with the ID {id[:9]!r} came to {set(base.all())}")
        scene.pull("--discard-edits")
    # Where the schema does not declare the collection, its time is `updatedAt`, too.
    base.commit([base.set("log/1", {"a": text("q"), "updatedAt": {"timestampValue": "2020-01-01T00:00:00Z"}})])
    scene.pull()
    scene.sql(("UPDATE log SET a = 'r'",))
    scene.push()
    need(base.all()["log/1"]["a"] == text("r"), "log/1 is not pushed")
    need(
        base.all()["log/1"]["updatedAt"] != {"timestampValue": "2020-01-01T00:00:00Z"},
        "a push does not set updatedAt in a collection that is not declared, so no delta of another mirror finds the change",
    )


def killed_pushes(scene, moments):
    """A push that was killed, and resumed, ends as one that was not."""
    typed_service(scene)
    scene.pull()
    for number in range(moments):
        service = scene.base.all()
        editor = Editor(scene, scene.mirrored()).edit(50)
        editor.apply()
        runs = scene.program.folder / ".gymmigrate/runs"
        earlier = set(runs.iterdir())
        at, when = scene.random.randint(1, 12), scene.random.choice(["before", "after"])
        command = ["mirror", "push", scene.file, "--max-delete", editor.deleted, "--batch-size", "10", "--in-flight", "2"]
        if scene.program.killed(*command, at=at, when=when, verb=":commit") or scene.program.killed(*command, at=1, when=when, verb=":batchWrite"):
            counts["killed pushes"] += 1
            scene.resume(command)
        found = pushed(scene, editor, service, {}, f"push {number}, killed {when} commit {at} and resumed")
        need(scene.mirrored() == found, f"push {number}, killed and resumed: the mirror is not the service")
        need(scene.ask("SELECT * FROM _mirror_edits") == [], f"push {number}, killed and resumed: edits are left")
        # One that was killed when all was written is done, and the same command once more is a run of its own.
        pushes = [run for run in set(runs.iterdir()) - earlier if json.loads((run / "run.json").read_text())["command"] == "mirror push"]
        for run in sorted(pushes, key=lambda run: (run / "run.json").stat().st_mtime_ns, reverse=True):
            scene.program("runs", "undo", run.name, "-e", scene.name)
        need(scene.base.all() == service, f"push {number}, killed, resumed and undone: the service is not as before")
        scene.pull("--full")
    scene.equal("after killed pushes")


def rival_pushes(scene, rounds):
    """Over faults and beside a busy writer, no write of another is lost, and every edit is pushed or listed."""
    base, chance = scene.base, scene.random
    typed_service(scene)
    scene.pull()
    for number in range(rounds):
        service = base.all()
        editor = Editor(scene, scene.mirrored()).edit(60)
        editor.apply()
        paths, last, rival = sorted(editor.expected), {}, random.Random(f"{number} rival")
        contested, one = rival.sample(paths, len(paths) // 3), threading.Lock()
        # The writer begins with the first commit of the push, and writes once more before each of its commits, so that they meet.
        begins, earliest = threading.Event(), {}

        def write(chosen):
            with one:
                path, token = rival.choice(chosen), f"rival {number} {rival.random()}"
                answer = base.commit([base.set(path, {"name": text(token)}, mask=["name"])])
                last[path] = token
                earliest.setdefault(path, moment(answer["commitTime"]))

        def step(turn):
            if turn == 0:
                begins.wait()
            write(contested[::2])

        def before(_, path, body):
            if ":commit" in path or ":batchWrite" in path:
                begins.set()
                names = {write.get("delete") or write["update"]["name"] for write in json.loads(body)["writes"]}
                if chosen := [path for path in contested if base.prefix + path in names]:
                    write(chosen)

        writer = Busy(step)
        writer.begun.set()
        scene.proxy.reset()
        scene.proxy.share, scene.proxy.before = 0.2, before
        with writer:
            try:
                code, _, _ = scene.push("--max-delete", editor.deleted, "--batch-size", "5", ends=(0, 2))
            finally:
                begins.set()
        scene.proxy.share, scene.proxy.before = 0.0, None
        rejects, found = scene.program.rejects(), base.all()
        for path, time in scene.proxy.written:
            need(path not in earliest or time < earliest[path], f"round {number}: {path!r} was written at {time}, after another had written it at {earliest.get(path)}")
        for path, token in last.items():
            need(found.get(path, {}).get("name") == text(token), f"round {number}: {path!r} was written by another as {token!r}, and is {found.get(path)}")
        for path in paths:
            if path in last:
                continue
            if path in rejects:
                raise Wrong(f"round {number}: nobody else wrote {path!r}, and it is listed with {rejects[path]}")
            need(is_as(found.get(path), editor.expected[path], path), f"round {number}: {path!r} is {found.get(path)}, not {editor.expected[path]}")
            counts["edits pushed over faults"] += 1
        for path, fields in service.items():
            need(path in editor.expected or found.get(path) == fields, f"round {number}: {path!r} was not edited, and is {found.get(path)}")
        need(set(rejects) <= last.keys() and (code == 2) == bool(rejects), f"round {number}: ended in {code} with {rejects}")
        counts["conflicts"] += len(rejects)
        scene.pull("--full", "--discard-edits")
        scene.equal(f"round {number}, after --full")


# Verify.


def verifies(scene):
    """1 where less than 99.9 % of a collection are the same: 1 of 1,000 is not, 2 are."""
    base = scene.base
    base.commit_all([base.set(f"customers/c{number}", {"name": text("x")}, "updatedAt") for number in range(1000)])
    base.commit_all([base.set(f"shops/s{number}", {"name": text("x")}) for number in range(20)])
    scene.pull("--overlap", "0s")
    scene.program("mirror", "verify", scene.file)
    silent = lambda id: base.commit([base.set(f"customers/{id}", {"name": text("silent")}, mask=["name"])])
    silent("c7")
    scene.program("mirror", "verify", scene.file)  # It reads the mirror's own moment.
    scene.pull("--overlap", "0s")  # Which is later now, and the change is not found.
    need(scene.mirrored()["customers/c7"]["name"] == text("x"), "a delta found a silent change; the judge is to be thought over")
    _, output, _ = scene.program("mirror", "verify", scene.file, "--json")
    silent("c8")
    scene.pull("--overlap", "0s")
    _, output, _ = scene.program("mirror", "verify", scene.file, "--json", ends=(1,))
    row = next(row for row in json.loads(output)["collections"] if row["collection"] == "customers")
    need((row["mirror"], row["service"], row["same"]) == (1000, 1000, 998), f"verify counts {row}")
    need(row["mirrorSha256"] != row["serviceSha256"], "the checksums of two different sides are the same")
    scene.pull("--full")
    scene.program("mirror", "verify", scene.file)
    copy = scene.file.with_name("damaged.sqlite")
    for statement in (
        "DELETE FROM documents WHERE path IN ('customers/c1', 'customers/c2')",
        "UPDATE documents SET fields = replace(fields, '\"x\"', '\"y\"') WHERE path IN ('customers/c1', 'customers/c2')",
        "DELETE FROM documents WHERE path = 'shops/s1'",
    ):
        shutil.copy(scene.file, copy)
        damaged = sqlite3.connect(copy)
        with damaged:
            need(damaged.execute(statement).rowcount > 0, "nothing was damaged")
        damaged.close()
        scene.program("mirror", "verify", copy, ends=(1,))
        counts["damages found"] += 1
    copy.unlink()


def verify_after_push(scene):
    """What was pushed is read back, so the mirror is still the service."""
    base = scene.base
    base.commit([base.set(f"shops/s{number}", {"name": text("x")}) for number in range(20)])
    scene.pull()
    scene.sql(("UPDATE shops SET stock = 5 WHERE _id = 's1'",))
    scene.push()
    scene.equal("after a push")
    scene.program("mirror", "verify", scene.file)


def odd_names(scene):
    """Names that are legal, and that SQLite is not fond of, one kind after the other."""
    base = scene.base
    tries = {
        "a collection whose name begins with sqlite_": "sqlite_x/1", "a collection with NUL in its name": "c\0d/1",
        "two fields of one name but for their bytes": "log/2", "two collections of one name but for their bytes": "é/1",
        "a field that is a map here and a text there": "log/3", "a text with NUL beside an edited cell": "shops/1", "an ID with NUL": "shops/a\0b", "an ID above with NUL": "customers/a\0b/orders/1", "a field with NUL in its name": "log/1",
    }
    for what, path in tries.items():
        field = "n\0m" if "field" in what else "name"
        written = {path: {field: text("x\0y")}}
        if "two fields" in what:
            written = {path: {"é": text("x"), "e\u0301": text("y")}}
        if "map here" in what:
            written = {"log/3": {"m": {"mapValue": {"fields": {"a": text("x")}}}}, "log/4": {"m": text("y")}}
        if "two collections" in what:
            written["e\u0301/1"] = {field: text("y")}
        base.commit([base.set(path, fields) for path, fields in written.items()])
        try:
            scene.file.unlink(missing_ok=True)
            scene.pull()
            scene.pull()
            found = scene.equal(what)
            if path.startswith("shops"):
                scene.sql(("UPDATE shops SET stock = 1",))
                scene.push("--max-delete", 1)
                expected = {"name": text("x\0y"), "stock": integer(1)}
                need(base.all().get(path) == expected, f"an edited row came to {base.all().get(path)}, not {expected}")
        except Wrong as wrong:
            raise Wrong(f"{what}: {wrong}")
        base.commit([base.delete(path) for path in written])
    scene.file.unlink(missing_ok=True)


def main():
    program = sys.argv[1]
    first = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else int(os.environ.get("MIRROR_ROUNDS", 4))
    chosen = sys.argv[4:]
    scenarios = {
        "histories": lambda scene: histories(scene, rounds), "cost": cost, "busy": lambda scene: busy(scene, 0.0, max(4, rounds // 2)),
        "busy-faults": lambda scene: busy(scene, 0.2, 3), "kills": lambda scene: kills(scene, rounds), "faults": lambda scene: faults(scene, max(3, rounds // 2)),
        "pushes": lambda scene: pushes(scene, max(2, rounds // 2)), "rejected": rejected, "edits": edits, "killed-pushes": lambda scene: killed_pushes(scene, max(2, rounds // 2)),
        "rival-pushes": lambda scene: rival_pushes(scene, max(2, rounds // 3)), "verifies": verifies, "verify-after-push": verify_after_push, "gone": gone, "odd-names": odd_names,
    }
    for seed in range(first, first + int(os.environ.get("MIRROR_SEEDS", 1))):
        with scratch(program) as (folder, program, store):
            # Requests come in another order each time, so the proxy draws for itself.
            run = Program(program, folder, Proxy(store, random.Random(seed)))
            for name, scenario in scenarios.items():
                if chosen and name not in chosen:
                    continue
                try:
                    scenario(Scene(name, store, run, seed))
                except Wrong as wrong:
                    raise Wrong(f"seed {seed}, {name}: {wrong}")
            counts["commands"] += run.commands
            counts["faults"] += run.proxy.faults
    report("mirror histories", first, counts)


if __name__ == "__main__":
    run_judge("mirror histories", main)
