#!/usr/bin/env python3
"""Holds what --id-column, --rename and --types make of headings to a reference that was written from docs/importing.md alone.

    renamed_headings.py BINARY [COUNT [FIRST_SEED]]

A seed is a table of CSV whose headings and options are few names, some of which read alike, so that fields are swapped and
headings have the names of other columns' fields. In half of the tables one cell is wrong: its row is skipped, corrected in the
list of rejects, and imported with the same options. Afterwards the database has to hold the documents of the reference, or
the import was refused as it has to be, and nothing is written.
"""

import csv
import io
import pathlib
import random
import subprocess
import sys
import types
import unicodedata
from concurrent.futures import ThreadPoolExecutor

from judging import Wrong, need, scratch
from mirror_service import Database

HEADINGS = ["a", "b", "c", "A", "á", "b ", "Mi a", "mi_a", "d"]
FIELDS = ["a", "b", "c", "A", "d", "mi_a", "z"]


def folded(text):
    """A text without what does not matter in the name of a heading: case, accents and spaces."""
    plain = "".join(one for one in unicodedata.normalize("NFD", text.lower()) if not unicodedata.combining(one))
    return " ".join(plain.split())


class Refused(Exception):
    pass


class Table:
    """A table, its options, and what they mean."""

    def __init__(self, seed):
        chance = random.Random(seed)
        count = chance.randint(2, 4)
        self.headings = [one.strip() for one in chance.sample(HEADINGS, count)]
        if len(set(self.headings)) < count:
            self.headings = ["a", "b", "c", "d"][:count]
        self.id = chance.choice(self.headings if chance.random() < 0.7 else FIELDS)
        named = chance.sample(self.headings, chance.randint(0, count))
        self.renames = [(self.spelled(one, chance), chance.choice(FIELDS)) for one in named]
        named = chance.sample(self.headings, chance.randint(0, 2))
        kinds = ["text", "integer", "double"]
        self.types = [(self.spelled(one, chance), chance.choice(kinds)) for one in named]
        if chance.random() < 0.2:
            self.types.append((chance.choice(FIELDS), chance.choice(kinds)))
        self.rows = [[str(10 * row + column) for column in range(count)] for row in range(1, 4)]
        self.breaks = chance.random() < 0.5

    @staticmethod
    def spelled(heading, chance):
        return chance.choice([heading] * 4 + [heading.upper(), heading.replace("a", "á")])

    def rename(self, heading):
        for name, field in reversed(self.renames):
            if name == heading:
                return field
        for name, field in reversed(self.renames):
            if name not in self.headings and folded(name) == folded(heading):
                return field
        return heading

    def columns(self, name, alike):
        """The columns that an option means by a name: of that heading, or else that field, or else those that read alike."""
        renamed = [field for heading, field in self.renames if heading == name]
        for means in (lambda at: self.headings[at] == name, lambda at: self.fields[at] in [name, *renamed],
                      lambda at: any(alike(one, name) for one in (self.headings[at], self.fields[at]))):
            if found := [at for at in range(len(self.headings)) if means(at)]:
                return found
        return []

    def read(self):
        """Finds the fields, the types and the column of the ids; raises `Refused` where the options cannot be meant so."""
        self.fields = [self.rename(heading) for heading in self.headings]
        if len(set(self.fields)) < len(self.fields):
            raise Refused("two columns for one field")
        if any(field not in self.fields for _, field in self.renames):
            raise Refused("a rename of nothing")
        said_by = [heading for heading, _ in self.renames]
        exact = lambda name: name in self.headings or name in self.fields or name in said_by
        said = {}
        for at, (name, kind) in enumerate(self.types):
            for column in self.columns(name, lambda one, other: folded(one) == folded(other)):
                if column not in said or exact(name) or not said[column][2]:
                    said[column] = at, kind, exact(name)
        if len({at for at, *_ in said.values()}) < len(self.types):
            raise Refused("a type of nothing")
        self.kinds = {column: kind for column, (_, kind, _) in said.items()}
        ids = self.columns(self.id, lambda one, other: unicodedata.normalize("NFC", one) == unicodedata.normalize("NFC", other))
        if not ids:
            raise Refused("no column of ids")
        self.ids = ids[0]

    def value(self, column, cell):
        kind = self.kinds.get(column, "text" if column == self.ids else "integer")
        if kind == "text":
            return {"stringValue": cell}
        return {"integerValue": cell} if kind == "integer" else {"doubleValue": float(cell)}

    def documents(self):
        return {
            f"own/{row[self.ids]}": {self.fields[at]: self.value(at, cell) for at, cell in enumerate(row)} for row in self.rows
        }

    def bad_column(self):
        """A column in which a cell can be wrong; None if there is none."""
        columns = [at for at in range(len(self.headings)) if at != self.ids and self.kinds.get(at) in ("integer", "double")]
        # A list has no headings of the table, so an option cannot mean one that only reads like what was renamed.
        known = [heading for heading, _ in self.renames]
        lost = [name for name in self.headings if name not in known and self.rename(name) != name]
        named = [self.id, *(name for name, _ in self.types)]
        return columns[0] if self.breaks and columns and not set(lost) & set(named) else None

    def options(self):
        words = ["--schema", "none", "--collection", "own", "--id-column", self.id]
        words += ["--rename", ",".join("=".join(one) for one in self.renames)] if self.renames else []
        return words + (["--types", ",".join("=".join(one) for one in self.types)] if self.types else [])


def lines(rows):
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def corrected(folder, cell):
    """The list of rejects with the cell that was wrong."""
    file, = folder.glob(".gymmigrate/runs/*/rejects.csv")
    return file.read_text(encoding="utf-8-sig").replace("wrong", cell, 1)


def judge(seed, folder, binary, store):
    table, database = Table(seed), Database(types.SimpleNamespace(host=store.host), f"renamed-{seed}")
    folder.mkdir()

    def run(file, *more):
        where = ["--project", "p", "--database", database.name, "--endpoint", f"http://{database.host}"]
        return subprocess.run([binary, "import", file, *table.options(), *more, *where, "-q", "--no-progress"], cwd=folder,
                              capture_output=True, text=True, stdin=subprocess.DEVNULL)

    try:
        table.read()
        refused = None
    except Refused as why:
        refused = why
    bad = None if refused else table.bad_column()
    rows = [list(row) for row in table.rows]
    if bad is not None:
        rows[1][bad] = "wrong"
    (folder / "own.csv").write_text(lines([table.headings, *rows]))
    told = f"seed {seed}: {table.headings} {table.options()} in {folder}"
    done = run("own.csv", *(["--parse-errors", "skip-row"] if bad is not None else []))
    if refused:
        need(done.returncode == 65 and not database.all(), f"{told}: {refused}, exit {done.returncode}\n{done.stderr}")
        return "refused"
    need(done.returncode == (0 if bad is None else 2), f"{told}: exit {done.returncode}\n{done.stderr}")
    if bad is not None:
        (folder / "corrected.csv").write_text(corrected(folder, table.rows[1][bad]))
        done = run("corrected.csv")
        need(done.returncode == 0, f"{told}: the corrected list, exit {done.returncode}\n{done.stderr}")
    found = database.all()
    need(found == table.documents(), f"{told}\n  found {found}\n  not {table.documents()}")
    return "corrected" if bad is not None else "imported"


def main(binary, count=400, first=1):
    counts, wrong = {}, []
    with scratch(binary) as (folder, program, store), ThreadPoolExecutor(2) as pool:
        def one(seed):
            try:
                return judge(seed, pathlib.Path(folder) / f"seed{seed}", program, store)
            except Wrong as what:
                wrong.append(str(what))
                return "wrong"
        for what in pool.map(one, range(int(first), int(first) + int(count))):
            counts[what] = counts.get(what, 0) + 1
    print("renamed headings: " + ", ".join(f"{number} {what}" for what, number in sorted(counts.items())))
    if wrong:
        sys.exit("\n".join(wrong[:10]))


if __name__ == "__main__":
    main(*sys.argv[1:])
