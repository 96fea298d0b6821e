#!/usr/bin/env python3
"""Holds increments and mirrors to the database, whatever wrote to it, in random histories.

    python3 time_histories.py path/to/gymmigrate [histories [seed]]

A history is a database with old times of last change, an export of it, a mirror, and then writes of every kind in random
order: one-off fixes, imports in each mode from lines, tables and folders, migrations in YAML and plan files, copies, soft deletions,
pushes of the mirror, undos, restores of the whole export, and other programs that let the server set the time, write to subcollections, and delete.
In between come increments and pulls. In the end the export and its increments, imported one after the other or at once, have to be the database,
and the mirror, too; a restore from them finds nothing to do, and puts back what is damaged. The marks of the exports are set to their beginning, and pulls overlap by nothing, so that no
document is found for having been written a moment before. TIME_HISTORIES=N takes N histories. Needs nothing but Python's own
library.
"""

import collections
import csv
import datetime
import json
import random
import sqlite3
import types

from judging import Wrong, integer, need, report, run_judge, scratch, seeds_asked, text
from mirror_service import Database, Program

SCHEMA = """
schema: clubs
collections:
  people:
    update-time: updatedAt
    soft-delete: isActive
    fields:
      name: { type: string, required: true }
      status: { type: string, values: [open, shut] }
      n: integer
      isActive: boolean
      updatedAt: timestamp
  notes:
    update-time: { field: changedOn, set-by: client }
    fields: { name: string, n: integer, changedOn: timestamp }
  bare:
    fields: { name: string, n: integer }
  people/*/visits:
    fields: { name: string, n: integer }
"""
# The field with the time of the last change; `loose` is not declared.
TIMES = {"people": "updatedAt", "notes": "changedOn", "bare": None, "loose": "updatedAt"}
MIGRATION = """
id: m{number}
summary: Changes numbers.
collection: {collection}
where: n >= {least}
touch: {touch}
steps:
  - set: {{ n: {value} }}
"""
counts = collections.Counter()


def time_of(year, random):
    return {"timestampValue": f"{year}-0{random.randint(1, 9)}-{random.randint(10, 28)}T12:00:0{random.randint(0, 9)}Z"}


class History:
    """A database, what it was exported to, its mirror, and the commands that change it."""

    def __init__(self, store, binary, folder, seed):
        self.random = random.Random(seed)
        self.folder = folder
        folder.mkdir()
        self.program = Program(binary, folder, types.SimpleNamespace(endpoint=f"http://{store.host}"))
        (folder / "things.yaml").write_text(SCHEMA)
        names = [f"{name}{seed}" for name in ("real", "other", "again")]
        for name in names:
            self.program.know(name)
        self.name, self.other, self.again = names
        self.base, self.source, self.rebuilt = (Database(store, name) for name in names)
        self.number = 0
        self.log = []
        self.steps = [
            self.fix, self.fix, self.lines, self.lines, self.lines, self.table, self.table, self.kept, self.restored, self.migration,
            self.planned, self.soft, self.push, self.undo, self.undo, self.undo, self.copied, self.others,
            self.removed, self.removed, self.removed, self.below, self.put_back,
        ]

    def run(self, *arguments, ends=(0, 2)):
        self.log.append(" ".join(map(str, arguments)))
        return self.program(*arguments, ends=ends)

    def file(self, ending):
        self.number += 1
        return f"f{self.number}.{ending}"

    def collection(self):
        return self.random.choice(["people", "people", "notes", "bare", "loose"])

    def ids(self):
        return self.random.sample([f"d{number}" for number in range(12)], self.random.randint(1, 4))

    def fields(self, collection, old=False):
        chance = self.random
        fields = {"name": text(f"t{chance.randrange(1000)}"), "n": integer(chance.randrange(100))}
        if collection == "people" and chance.random() < 0.5:
            fields["status"] = text(chance.choice(["open", "shut"]))
        if (time := TIMES[collection]) and (old or chance.random() < 0.7):
            fields[time] = time_of(2019 if old else chance.choice([2018, 2020, 2024]), chance)
        return fields

    # The writes.

    def others(self):
        """Another program writes, and the server sets the time."""
        collection = self.random.choice(["people", "loose"])
        writes = []
        for id in self.ids():
            fields = self.fields(collection)
            fields.pop("updatedAt", None)
            writes.append(self.base.set(f"{collection}/{id}", fields, "updatedAt"))
        self.log.append(f"others write {collection}")
        self.base.commit(writes)

    def removed(self):
        """Another program deletes, sometimes the last document of a collection."""
        paths = sorted(self.base.all())
        chosen = self.random.sample(paths, min(len(paths), self.random.randint(1, 5)))
        if self.random.random() < 0.1:
            collection = self.collection()
            chosen = [path for path in paths if path.startswith(f"{collection}/")]
        self.log.append(f"others delete {chosen}")
        if chosen:
            self.base.commit([self.base.delete(path) for path in chosen])

    def below(self):
        """Another program writes to subcollections, also of missing documents."""
        paths = [f"people/{id}/visits/v{self.random.randrange(4)}" for id in self.ids()]
        paths += [f"loose/{id}/seen/s{self.random.randrange(2)}" for id in self.ids()] if self.has_seen else []
        self.log.append(f"others write {paths}")
        self.base.commit([self.base.set(path, {"n": integer(self.random.randrange(100))}) for path in paths])

    def put_back(self):
        """The database becomes what the whole export has."""
        whole = self.nights()[0]
        self.run("restore", "--all", "--from", f"nightly/{whole}", "--max-delete", "1000", "-e", self.name, "-q")

    def nights(self):
        return sorted(folder.name for folder in (self.folder / "nightly").iterdir() if folder.is_dir() and not folder.is_symlink())

    def fix(self):
        touch = ["--no-touch"] if self.random.random() < 0.3 else []
        least, value = self.random.randrange(90), self.random.randrange(100, 200)
        self.run("fix", self.collection(), "--where", f"n >= {least}", "--set", f"n={value}", *touch, "-e", self.name, "-q")

    def written(self, collection):
        path = self.file("jsonl")
        lines = [json.dumps({"fields": self.fields(collection), "name": f"{collection}/{id}"}) for id in self.ids()]
        (self.folder / path).write_text("\n".join(lines) + "\n")
        return path

    def lines(self):
        mode = self.random.choice(["create", "merge", "upsert", "replace"])
        times = ["--server-times"] if self.random.random() < 0.2 else []
        self.run("import", self.written(self.collection()), "--mode", mode, *times, "-e", self.name, "-q")

    def kept(self):
        self.run("import", self.written(self.collection()), "--mode", "upsert", "--keep-times", "-e", self.name, "-q")

    def table(self):
        collection, path = self.collection(), self.file("csv")
        with open(self.folder / path, "w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(["__name__", "name", "n"])
            rows.writerows([id, f"t{self.random.randrange(1000)}", self.random.randrange(100)] for id in self.ids())
        mode = self.random.choice(["merge", "upsert"])
        self.run("import", path, "--collection", collection, "--mode", mode, "-e", self.name, "-q")

    def restored(self):
        """A folder of an export goes into the database."""
        self.fill_other()
        folder = self.file("folder")
        self.run("export", "--all", "-e", self.other, "-o", folder, "--format", "jsonl", "-q")
        self.run("import", folder, "--mode", self.random.choice(["merge", "upsert"]), "-e", self.name, "-q")

    def fill_other(self):
        writes = {}
        for _ in range(3):
            collection = self.collection()
            for id in self.ids():
                writes[f"{collection}/{id}"] = self.fields(collection, old=True)
        self.source.commit([self.source.set(path, fields) for path, fields in writes.items()])

    def copied(self):
        self.fill_other()
        self.run("copy", "--all", "--from", self.other, "--to", self.name, "--mode", self.random.choice(["create", "upsert", "merge"]),
                 "--keep-personal-data", "-q")

    def migration_file(self):
        path = self.file("yaml")
        values = dict(number=self.number, collection=self.collection(), least=self.random.randrange(90), value=self.random.randrange(200, 300),
                      touch=self.random.choice(["true", "true", "false"]))
        (self.folder / path).write_text(MIGRATION.format(**values))
        return path

    def migration(self):
        self.run("migrate", "apply", self.migration_file(), "-e", self.name, "-q")

    def planned(self):
        plan = self.file("plan")
        self.run("migrate", "plan", self.migration_file(), "-e", self.name, "-o", plan, "-q")
        if len((self.folder / plan).read_text().splitlines()) > 1:
            self.run("migrate", "apply", "--plan", plan, "-e", self.name, "-q")

    def soft(self):
        self.run("delete", "people", "--where", f"n >= {self.random.randrange(95)}", "-e", self.name, "-q")

    def push(self):
        """Rows of the mirror are edited as it is, which may be behind, and pushed."""
        base = sqlite3.connect(self.folder / "mirror.sqlite")
        with base:
            table = self.random.choice(["people", "notes", "bare"])
            base.execute(f"UPDATE {table} SET n = ? WHERE n >= ?", (self.random.randrange(300, 400), self.random.randrange(95)))
        base.close()
        self.run("mirror", "push", "mirror.sqlite", "-e", self.name, "-q")
        self.pull("--discard-edits")

    def undo(self):
        """Any run that was not undone yet, also one that others came after."""
        runs = self.folder / ".gymmigrate/runs"
        found = []
        for run in sorted(runs.iterdir()) if runs.exists() else []:
            record = json.loads((run / "run.json").read_text())
            if record["writes"] and record["database"].endswith(self.name) and not record["command"].startswith("migrate undo"):
                if not (run / "verdict.json").exists():
                    found.append(run.name)
        if found:
            run = found[-1] if self.random.random() < 0.6 else self.random.choice(found)
            self.run("runs", "undo", run, "-e", self.name, "-q")
            counts["undos"] += 1

    # What has to follow.

    def pull(self, *more):
        self.run("mirror", "pull", "-e", self.name, "-o", "mirror.sqlite", "--overlap", "0s", "-q", *more, ends=(0,))
        real, found = self.base.all(), {}
        for line in self.program.export(f"mirror:{self.folder / 'mirror.sqlite'}"):
            document = json.loads(line)
            found[document["name"]] = document.get("fields", {})
        self.compare(real, found, "the mirror")
        counts["pulls"] += 1

    def export(self, *more):
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        self.run("export", "--all", "-e", self.name, "-o", "nightly", "--dated", "-q", *more, ends=(0,))
        marks = self.folder / "nightly/.high-water-mark.json"
        found = json.loads(marks.read_text())
        for mark in found["marks"]:
            mark["since"] = now
        marks.write_text(json.dumps(found))
        counts["exports"] += 1

    def rebuild(self):
        folders = [f"nightly/{name}" for name in self.nights()]
        real = self.base.all()
        for some in [folders] if self.random.random() < 0.3 else [[folder] for folder in folders]:
            self.run("import", *some, "--mode", "upsert", "--max-delete", "1000", "-e", self.again, "-q", ends=(0,))
        self.compare(real, self.rebuilt.all(), "the rebuilt database")
        for folder in folders:
            lines = [json.loads(line) for path in (self.folder / folder).glob("deleted.jsonl") for line in path.read_text().splitlines()]
            counts["deletions listed"] += len(lines)
        # What happens after the last export is put back.
        places = [word for folder in folders for word in ("--from", folder)]
        for damage in (lambda: None, self.removed, self.others):
            damage()
            self.run("restore", "--all", *places, "--max-delete", "1000", "-e", self.name, "-q", ends=(0,))
            self.compare(real, self.base.all(), "the restored database")

    def compare(self, real, found, what):
        for path in sorted(real.keys() | found.keys()):
            need(found.get(path) == real.get(path), f"{what}: {path} is {found.get(path)}, and {real.get(path)} in the database, after\n" + "\n".join(self.log))
        counts["documents compared"] += len(real)

    def play(self):
        self.has_seen = self.random.random() < 0.5
        for collection in TIMES:
            self.base.commit([self.base.set(f"{collection}/d{number}", self.fields(collection, old=True)) for number in range(0, 12, 2)])
        self.below()
        self.export()
        self.pull()
        for _ in range(self.random.randint(3, 7)):
            step = self.random.choice(self.steps)
            step()
            counts[step.__name__] += 1
            if self.random.random() < 0.3:
                self.export("--since", "last")
            if self.random.random() < 0.3:
                self.pull()
        self.pull()
        self.export("--since", "last")
        self.rebuild()


def main():
    asked, number, first = seeds_asked("TIME_HISTORIES", 30)
    with scratch(asked) as (folder, binary, store):
        for seed in range(first, first + number):
            try:
                History(store, binary, folder / f"h{seed}", seed).play()
            except Wrong as wrong:
                raise Wrong(f"seed {seed}: {wrong}")
            counts["histories"] += 1
    report("time histories", first, counts)


if __name__ == "__main__":
    run_judge("time histories", main)
