#!/usr/bin/env python3
"""Holds imports of random tables to a reader of its own, which was written from docs/importing.md and docs/formats.md alone.

    random_tables.py BINARY [COUNT]
    random_tables.py --self-check BINARY [COUNT]

A seed is a table of CSV, a workbook or JSON Lines with options of an import, and what the database has before. Afterwards the
database has to hold exactly the documents of the reader, or the import was refused: then nothing is written, and rows that
are rejected are listed. Where the pages leave something open, a refusal is right, too. Of the tables in which nothing is wrong at most
one in 200 may be refused; with TABLES_STRICT=1 none. TABLES_SEED=N takes one seed and keeps its folder. With --self-check, what is
expected or the file is broken on purpose for each table, and every one has to fail.
"""

import collections
import csv
import datetime
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import types
from concurrent.futures import ThreadPoolExecutor

import lines_writer
import sheet_writer
import table_pools
import table_writer
from judging import Store, Wrong
from mirror_service import Database
from table_cells import leaves
from table_reader import Expected

MOST_REFUSED = 1 / 200
STRICT = "TABLES_STRICT" in os.environ or "TABLES_SEED" in os.environ
MAKERS = [table_writer.Maker] * 5 + [sheet_writer.Maker] * 4 + [lines_writer.Maker] * 2
counts = collections.Counter()


# Values.


def number(value):
    return repr(float(value)) if not isinstance(value, str) else value


def instant(value):
    found = datetime.datetime.fromisoformat(value.replace("Z", "+00:00"))
    return found.astimezone(datetime.timezone.utc).isoformat() if found.tzinfo else value


def normal(value):
    """A value such that two that are the same are equal, and two of another type are not."""
    if value is None:
        return None
    (name, inner), *_ = value.items()
    if name == "doubleValue":
        inner = number(inner)
    elif name == "timestampValue":
        inner = instant(inner)
    elif name == "geoPointValue":
        inner = number(inner.get("latitude", 0)), number(inner.get("longitude", 0))
    elif name == "arrayValue":
        inner = tuple(normal(one) for one in inner.get("values", []))
    elif name == "mapValue":
        inner = tuple(sorted((key, normal(one)) for key, one in inner.get("fields", {}).items()))
    return name, str(inner) if name == "integerValue" else inner


def take(fields, path):
    """Takes the value at a path out of the fields, and the maps that are empty without it."""
    name, *below = path
    if not below:
        return fields.pop(name, None)
    inner = fields.get(name, {}).get("mapValue", {}).get("fields")
    found = take(inner, below) if inner else None
    if found is not None and not inner:
        del fields[name]
    return found


def differs(fields, columns):
    """What is wrong with the fields of a document; None where they are as they have to be."""
    fields = json.loads(json.dumps(fields))
    for path, values in sorted(columns.items(), key=lambda item: -len(item[0])):
        value = take(fields, path)
        if normal(value) not in [normal(one) for one in values]:
            return f"{'.'.join(path)} is {value}, not {' or '.join(map(str, values))}"
    return f"more fields: {fields}" if fields else None


# What happens to what is there.


def single(fields):
    """Fields as columns with one right value each."""
    return {leaf: [value] for leaf, value in leaves(fields)}


def exact(columns):
    return {path: values[0] for path, values in columns.items() if values[0] is not None}


def after(table, expected):
    """The documents after the import, the fields of those with new ids, and how many are rejected."""
    done = {path: single(fields) for path, fields in table.before.items()}
    if table.mode == "replace":
        rejected, new = expected.rejected + len(expected.anonymous), []
    else:
        rejected, new = expected.rejected, expected.anonymous
    for path, columns in expected.documents.items():
        old = done.get(path)
        if old is None and table.mode == "replace":
            rejected += 1
        elif old is None or table.mode in ("upsert", "replace"):
            done[path] = columns
        elif table.mode == "merge":
            filled = {leaf: values for leaf, values in columns.items() if values != [None]}
            # What is below a map that the file sets as a whole is the same there: `things_before` gives nothing else.
            below = {leaf for leaf in old for other in filled if len(leaf) > len(other) and leaf[: len(other)] == other}
            done[path] = {leaf: values for leaf, values in old.items() if leaf not in below} | filled
        elif exact(columns) != exact(old):
            rejected += 1
    return done, new, rejected


def things_before(table, expected, random):
    """Some of the documents as they are to be, others, and some with other fields."""
    if not expected.sure or expected.refused or expected.anonymous:
        return {}
    before = {}
    for path, columns in expected.documents.items():
        if any(len(values) > 1 for values in columns.values()):
            continue
        chance = random.random()
        flat = {leaf[0]: value for leaf, value in exact(columns).items() if len(leaf) == 1}
        nested = any(len(leaf) > 1 for leaf in columns)
        if chance < 0.15 and not nested:
            before[path] = flat
        elif chance < 0.4 and ("m",) not in columns:
            before[path] = {"other": {"integerValue": "1"}, "m": {"mapValue": {"fields": {"kept": {"booleanValue": True}}}}}
    return before


# A table.


class Trial:
    def __init__(self, seed, binary, store, folder):
        self.seed, self.binary, self.folder = seed, binary, folder
        self.database = Database(types.SimpleNamespace(host=store.host), f"table-{seed}")
        maker = MAKERS[seed % len(MAKERS)](seed, self.database.root)
        self.table = maker.make()
        self.expected = self.table.expected()
        if self.table.parse_errors != "stop" and not self.expected.sure:
            self.stop_at_errors()
        if maker.chance(0.4):
            self.table.before = things_before(self.table, self.expected, maker.random)
        if self.table.before:
            self.database.commit([self.database.set(path, fields) for path, fields in self.table.before.items()])

    def stop_at_errors(self):
        """With what the pages leave open, nobody knows which rows are skipped."""
        at = self.table.arguments.index("--parse-errors")
        del self.table.arguments[at : at + 2]
        self.table.parse_errors = "stop"
        self.expected = self.table.expected()

    def command(self):
        where = ["--project", "p", "--database", self.database.name, "--endpoint", f"http://{self.database.host}"]
        files = [self.table.file] + (["others.csv"] if self.table.second else [])
        return ["import", *files, "--schema", "gym", *self.table.arguments, *where, "-q", "--no-progress"]

    def run(self):
        self.folder.mkdir()
        (self.folder / self.table.file).write_bytes(self.table.content)
        (self.folder / "others.csv").write_bytes(self.table.second)
        (self.folder / "schema.yaml").write_text(table_pools.SCHEMA)
        return subprocess.run([self.binary, *self.command()], cwd=self.folder, capture_output=True, text=True, stdin=subprocess.DEVNULL)

    def judge(self, strict):
        """Raises what is wrong. A refusal of a good table is wrong where `strict`; otherwise it is counted."""
        done = self.run()
        found = self.database.all()
        wrong = self.verdict(done, found, strict)
        if wrong:
            raise Wrong(self.report(wrong, done, found))

    def verdict(self, done, found, strict):
        """What is wrong; None where nothing is."""
        expected, table = self.expected, self.table
        kept = compare(found, {path: single(fields) for path, fields in table.before.items()}, [])
        if done.returncode not in (0, 2):
            if kept or done.returncode != table.code:
                return f"it was refused, and {kept}" if kept else f"exit {done.returncode}, not {table.code}"
            return self.refused(strict)
        if expected.unknown:
            counts["not judged"] += 1
            return None
        if expected.refused:
            return f"exit {done.returncode}, and {expected.refused}" if expected.sure else None
        if table.dry:
            return kept and f"it was a dry run, and {kept}"
        return self.imported(done, found)

    def refused(self, strict):
        if self.expected.refused or not self.expected.sure:
            counts["refused" if self.expected.refused else "refused, where the pages are not plain"] += 1
            return None
        counts["good, and refused"] += 1
        return "a good table is refused" if strict else None

    def imported(self, done, found):
        counts["imported"] += 1
        documents, new, rejected = after(self.table, self.expected)
        if wrong := compare(found, documents, new, self.table.new_ids):
            return wrong
        if self.expected.sure and (done.returncode == 2) != (rejected > 0):
            return f"exit {done.returncode}, where {rejected} are rejected"
        return self.listed(self.expected.rejected)

    def listed(self, rejected):
        """Rows that are rejected are in the list of the run."""
        if not rejected or self.table.parse_errors != "skip-row" or self.table.kind == "jsonl":
            return None
        lists = list((self.folder / ".gymmigrate/runs").glob("*/rejects.csv"))
        rows = sum(len(self.rows(file)) - 1 for file in lists)
        return None if rows == rejected else f"{rows} rows in rejects.csv, where {rejected} are rejected"

    @staticmethod
    def rows(file):
        """The rows of a list of rejects, which has the delimiter of its table."""
        with open(file, newline="", encoding="utf-8-sig") as lines:
            text = lines.read()
        delimiter = re.search('__reason__[^",;\t|]*"?([,;\t|])"?__raw__', text).group(1)
        return list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))

    def report(self, wrong, done, found):
        return "\n".join([
            f"seed {self.seed}: {wrong}",
            f"  {' '.join(map(repr, self.command()))}",
            f"  in {self.folder}: {self.table.file} {self.table.content[:600] if self.table.kind != 'xlsx' else self.table.headings}",
            *[f"  {line}" for line in done.stderr.splitlines()[-6:]],
            f"  expected: {self.wanted()}",
            f"  found: {short(found)}",
        ])

    def wanted(self):
        expected = self.expected
        what = f"refused: {expected.refused}" if expected.refused else short(expected.documents or expected.anonymous)
        return what if expected.sure else f"{what}; open: {expected.why}"


def short(documents):
    return str(documents)[:1500]


def compare(found, documents, anonymous, new_ids=None):
    """What is wrong with the documents of a database; None where they are as they have to be."""
    extra = [path for path in found if path not in documents]
    if missing := [path for path in documents if path not in found]:
        return f"{missing[:3]} are missing"
    if len(extra) != len(anonymous):
        return f"{extra[:3]} are not expected, {len(anonymous)} new ids are"
    for path, columns in documents.items():
        if wrong := differs(found[path], columns):
            return f"{path}: {wrong}"
    return match(found, extra, anonymous, new_ids)


def match(found, extra, anonymous, new_ids):
    """Finds a row for each document with a new id."""
    form = {"uuid": r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "auto": r"[A-Za-z0-9]{20}"}.get(new_ids, "")
    rows = list(anonymous)
    for path in extra:
        id = path.rsplit("/", 1)[1]
        if not re.fullmatch(form, id):
            return f"{id} is no new id"
        for at, row in enumerate(rows):
            columns = row | {("id",): [{"stringValue": id}]} if ("id",) in row else row
            if not differs(found[path], columns):
                # By its place: 0.0 and -0.0 are equal.
                del rows[at]
                break
        else:
            return f"{path} is no row: {found[path]}"
    return None


# Self-check: what is expected, or the file, is wrong on purpose.


def less(trial):
    del trial.expected.documents[next(iter(trial.expected.documents))]


def other(trial):
    path = next(iter(trial.expected.documents))
    columns = trial.expected.documents[path]
    trial.expected.documents[path] = columns | {next(iter(columns), ("more",)): [{"stringValue": "something else"}]}


def refusal(trial):
    trial.expected = Expected(refused="it is broken on purpose")


def file(trial):
    trial.table.content = trial.table.content[: len(trial.table.content) // 2]


BREAKS = [less, other, refusal, file]


def self_check(trial):
    """Whether something wrong is found out; None where it is, or where there is nothing to break."""
    expected, table = trial.expected, trial.table
    plain = expected.documents and expected.sure and not expected.refused and not expected.rejected
    if not plain or table.dry or table.before or table.mode == "replace":
        return None
    spoil = BREAKS[trial.seed % len(BREAKS)]
    spoil(trial)
    try:
        trial.judge(strict=True)
    except Wrong:
        counts["broken, and found out"] += 1
        return None
    return f"seed {trial.seed}: {spoil.__name__} was not found out"


def one(seed, binary, store, folder, checks):
    try:
        trial = Trial(seed, binary, store, folder / f"seed{seed}")
        if checks:
            return self_check(trial)
        trial.judge(STRICT)
    except Wrong as wrong:
        return str(wrong)
    counts["tables"] += 1
    if not STRICT:
        shutil.rmtree(trial.folder)
    return None


def summary(failures):
    print("random tables: " + ", ".join(f"{count} {what}" for what, count in sorted(counts.items())))
    if failures:
        sys.exit("random tables: " + "\n".join(failures[:20]) + f"\n{len(failures)} failures")


def main(arguments):
    checks = "--self-check" in arguments
    binary, *numbers = [argument for argument in arguments if argument != "--self-check"]
    count, first = [*map(int, numbers), 2000, 1][:2] if len(numbers) != 1 else (int(numbers[0]), 1)
    seed = int(os.environ.get("TABLES_SEED", 0))
    seeds = [seed] if seed else range(first, first + count)
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tables."))
    with Store(os.path.abspath(binary), folder) as store, ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda seed: one(seed, os.path.abspath(binary), store, folder, checks), seeds)
        failures = [failure for failure in found if failure]
    refused = counts["good, and refused"]
    if not checks and refused > len(seeds) * MOST_REFUSED:
        failures.append(f"{refused} of {len(seeds)} tables are good and were refused")
    if not failures and not seed:
        shutil.rmtree(folder)
    summary(failures)


if __name__ == "__main__":
    main(sys.argv[1:])
