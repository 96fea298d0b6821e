#!/usr/bin/env python3
"""Holds the program's reading and writing of Google's managed export folders to a reader of its own, on whole and on damaged folders.

    python3 managed_folders.py [--self-check] [--emulator] [--fixtures DIR] path/to/gymmigrate [seeds [seed]]

`managed_format.py` reads the folders by the facts about them. First the folders that Google's emulator made: every document is
imported exactly. Then, for each seed: a random folder as production and old emulators write them (several files, padded, of one
collection, texts and properties marked in other ways) is imported; a random database is exported with `--format managed`, read
here, and imported again; and folders are damaged, in their bytes, in their files, and in records whose checksums are right again.
Of a damaged folder every document comes in as the reader here has it, or nothing at all and one line names the file. With
`--emulator` Google's own emulator is started on what the program exported, too. With --self-check what the program did is spoilt in
each seed, which has to be found out. MANAGED_FOLDERS=N takes N seeds.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import shutil
import tempfile
import types
import urllib.request

import google_emulator
import managed_format
from judging import Wrong, need, report, run_judge, scratch
from managed_format import OVERALL, Damaged, Open, Style, read_folder, write_folder, write_log, write_record
from mirror_service import Database, Program, documents as documents_of
from random_documents import Maker, difference, exact_fields

FIXTURES = pathlib.Path(__file__).parent.parent / "Resources/managed-exports"
REFUSED = (65, 66)
SCHEMA = "schema: none\ncollections:\n  other:\n    fields: { name: string }\n"
counts = collections.Counter()


def exact_documents(documents):
    return {path: exact_fields(fields) for path, fields in documents.items()}


def into(value, source, target):
    """A value in which references into the database `source` point into `target`."""
    ((kind, inner),) = value.items()
    if kind == "referenceValue" and inner.startswith(f"{source}/documents/"):
        return {kind: target + inner.removeprefix(source)}
    if kind == "arrayValue":
        return {kind: {"values": [into(one, source, target) for one in inner.get("values", [])]}}
    if kind == "mapValue":
        return {kind: {"fields": fields_into(inner.get("fields", {}), source, target)}}
    return value


def fields_into(fields, source, target):
    return {name: into(value, source, target) for name, value in fields.items()}


class Scene:
    """The program, its store, and folders."""

    def __init__(self, store, binary, folder):
        self.store, self.folder, self.number, self.spoils = store, folder, 0, False
        self.program = Program(binary, folder, types.SimpleNamespace(endpoint=f"http://{store.host}"))
        (folder / "things.yaml").write_text(SCHEMA)

    def database(self):
        """One that is empty."""
        self.number += 1
        name = f"base{self.number}"
        self.program.environments.clear()
        self.program.know(name)
        return Database(self.store, name)

    def fill(self, base, documents):
        base.commit_all([base.set(path, fields) for path, fields in documents.items()])

    def imported(self, source, base, *more, ends=(0,)):
        result = self.program("import", source, "-e", base.name, "-y", *more, ends=ends)
        if self.spoils:
            base.commit([base.set("people/a/kids/spoilt", {"n": {"doubleValue": -0.0}})])
        return result

    def equal(self, base, documents, what):
        wrong = difference(exact_documents(base.all()), exact_documents(documents))
        need(not wrong, f"{what}: {wrong}")
        counts["documents compared"] += len(documents)

    def whole(self, source, what):
        """A folder that has to come in."""
        databases, documents = read_folder(source)
        base = self.database()
        self.imported(source, base, "-n")
        self.equal(base, {}, f"{what}, after -n")
        self.imported(source, base)
        self.equal(base, as_imported(databases, documents, base), what)
        return base, documents


def as_imported(databases, documents, base):
    plainly = len(databases) == 1
    project, database = next(iter(databases)) if plainly else ("", "")
    source = f"projects/{project}/databases/{database}"
    return {path: fields_into(fields, source, base.root) for path, fields in documents.items()}


# Whole folders.


def fixtures(scene, place):
    for folder in sorted(path for path in place.iterdir() if path.is_dir()):
        wanted = documents_of((folder.parent / f"{folder.name}.jsonl").read_text().strip("\n").split("\n"))
        wrong = difference(exact_documents(read_folder(folder)[1]), exact_documents(wanted))
        need(not wrong, f"the reader here, {folder.name}: {wrong}")
        base, _ = scene.whole(folder, folder.name)
        scene.program("diff", "--all", "--from", folder, "--to", base.name, "-q")
        counts["fixtures"] += 1


def random_folder(chance, place, count):
    """As production and old emulators write them; gives the documents."""
    style = Style(
        chance.choice(["s~proj", "e~proj", "dev~proj", "proj"]), chance.choice(["(default)", "(default)", "zweite"]),
        texts=chance.random() < 0.3, indexed=chance.random() < 0.3, old_vectors=chance.random() < 0.3,
    )
    maker = Maker(chance, f"projects/proj/databases/{style.database}")
    documents = maker.documents(count)
    records = [write_record(path, fields, style) for path, fields in documents.items()]
    cuts = sorted(chance.choices(range(len(records) + 1), k=chance.choice([0, 0, 1, 3])))
    files = [records[start:end] for start, end in zip([0, *cuts], [*cuts, len(records)])]
    write_folder(place, "made", files, pad=chance.random() < 0.3, kind=chance.choice([None, None, "people"]))
    wrong = difference(exact_documents(read_folder(place)[1]), exact_documents(documents))
    need(not wrong, f"the reader and the writer here: {wrong}")
    return documents


def made(scene, chance, seed):
    place = scene.folder / f"made{seed}"
    random_folder(chance, place, chance.choice([0, 1, 5, 60, 60, 200]))
    scene.whole(place, "a random folder")
    counts["random folders"] += 1


def exported(scene, chance, seed):
    """What the program exports is read here, by the program, and, if there is one, by the emulator."""
    base, place = scene.database(), scene.folder / f"out{seed}"
    documents = Maker(chance, base.root).documents(chance.choice([1, 5, 60, 200]))
    scene.fill(base, documents)
    scene.program("export", "--all", "-e", base.name, "-o", place, "--format", "managed", "-q", ends=(0,))
    databases, found = read_folder(place)
    need(databases <= {("p", base.name)}, f"the export is of {databases}")
    wrong = difference(exact_documents(found), exact_documents(documents))
    need(not wrong, f"export --format managed: {wrong}")
    scene.whole(place, "the program's own folder")
    counts["exports read"] += 1
    return place, base, documents


def seeded(program, place, base, documents):
    """Google's emulator gives an export back that it was started with, also with the manifest of a masked one."""
    (place / "manifest.json").touch()
    with google_emulator.running(program, f"--seed_from_export={managed_format.overall_of(place)}", seconds=120) as host:
        body = json.dumps({"structuredQuery": {"from": [{"allDescendants": True}]}}).encode()
        headers = {"Authorization": "Bearer owner", "Content-Type": "application/json"}
        request = urllib.request.Request(f"http://{host}/v1/{base.root}/documents:runQuery", body, headers)
        with urllib.request.urlopen(request, timeout=60) as response:
            answer = json.loads(response.read())
    found = {part["document"]["name"].removeprefix(base.prefix): part["document"].get("fields", {}) for part in answer if "document" in part}
    wrong = difference(exact_documents(found), exact_documents(documents))
    need(not wrong, f"the emulator, started with an export: {wrong}")
    counts["exports that seeded the emulator"] += 1


# Damage.


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def output_of(chance, folder):
    return chance.choice([path for path in files_of(folder) if path.name.startswith("output-") and path.stat().st_size])


def flip(chance, folder):
    path = chance.choice([path for path in files_of(folder) if path.stat().st_size])
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 1, 1, 2, 8])):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def flip_header(chance, folder):
    """A bit of a length or a type, which the checksum covers in part or not at all."""
    path = output_of(chance, folder)
    data = bytearray(path.read_bytes())
    starts, at = [], 0
    while at + 7 <= len(data):
        if 32_768 - at % 32_768 < 7:
            at += 32_768 - at % 32_768
            continue
        starts.append(at)
        length = int.from_bytes(data[at + 4 : at + 6], "little")
        at = at + 7 + length if length or data[at + 6] else at - at % 32_768 + 32_768
    data[chance.choice(starts) + chance.randrange(7)] ^= 1 << chance.randrange(8)
    path.write_bytes(data)


def zero(chance, folder):
    path = chance.choice(files_of(folder))
    data = bytearray(path.read_bytes())
    start = chance.randrange(len(data) + 1)
    end = min(len(data), start + chance.choice([1, 7, 100, 40_000]))
    data[start:end] = bytes(end - start)
    path.write_bytes(data)


def truncate(chance, folder):
    path = chance.choice(files_of(folder))
    size = path.stat().st_size
    sizes = [0, chance.randrange(size + 1), max(0, size - chance.randint(1, 8)), size - size % 32_768]
    os.truncate(path, min(chance.choice(sizes), size))


def append(chance, folder):
    with open(chance.choice(files_of(folder)), "ab") as file:
        file.write(chance.choice([bytes(7), bytes(100), chance.randbytes(3), chance.randbytes(50), b"\n"]))


def lose(chance, folder):
    chance.choice(files_of(folder)).unlink()


def swap(chance, folder):
    """Two files change places."""
    one, other = chance.sample(files_of(folder), k=2)
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


def foreign(chance, folder):
    """A file of another export is in the place of one."""
    with tempfile.TemporaryDirectory() as name:
        other = pathlib.Path(name) / "made"
        random_folder(chance, other, 5)
        path = chance.choice(files_of(folder))
        same = [file for file in files_of(other) if file.suffix == path.suffix and file.name[:6] == path.name[:6] or file.suffix == path.suffix == OVERALL]
        path.write_bytes(chance.choice(same or files_of(other)).read_bytes())


def double(chance, folder):
    path = chance.choice(files_of(folder))
    names = ["output-77", f"{path.name}.bak", f"other{OVERALL}", ".DS_Store"]
    shutil.copy(path, path.parent / chance.choice(names))


def block(chance, folder):
    """A block is missing, or there twice."""
    path = output_of(chance, folder)
    data = path.read_bytes()
    start = chance.randrange(len(data) // 32_768 + 1) * 32_768
    piece = data[start : start + 32_768]
    path.write_bytes(data[:start] + piece * chance.choice([0, 2]) + data[start + 32_768 :])


def records_of(path):
    return list(managed_format.read_log(path.read_bytes(), path.name))


def twice(chance, folder):
    """A record is missing or there twice, and its checksum right."""
    path = output_of(chance, folder)
    records = records_of(path)
    at = chance.randrange(len(records))
    records[at : at + 1] = [records[at]] * chance.choice([0, 2])
    path.write_bytes(write_log(records))


def rewrite(chance, folder):
    """Bytes of a record change, and its checksum is right."""
    path = output_of(chance, folder)
    records = records_of(path)
    at = chance.randrange(len(records))
    record = bytearray(records[at])
    for _ in range(chance.choice([1, 1, 2])):
        place = chance.randrange(len(record))
        new = [chance.choice([0, 1, 127, 128, 255, record[place] ^ 1 << chance.randrange(8)])]
        record[place : place + chance.choice([0, 1, 1, 1])] = chance.choice([new, new, new, []])
    records[at] = bytes(record)
    path.write_bytes(write_log(records))


def property_of(chance):
    """A meaning and a value, which more often than not belong together."""
    field, fixed, group = managed_format.field, managed_format.fixed, managed_format.group
    entity = field(13, field(13, b"") + field(14, b"")) + field(16, b"")
    property = field(15, field(3, "k") + field(4, 0) + field(5, b""))
    point, reference = group(5, fixed(6, 1.0) + fixed(7, -2.0)), group(12, field(13, "s~q") + group(14, field(15, "c") + field(17, "d")))
    pairs = [
        (None, b""), (None, field(1, -(2**63))), (None, field(2, 1)), (None, field(3, "é")), (15, field(3, "e\u0301")), (None, fixed(4, -0.0)), (31, fixed(4, 1.5)),
        (None, reference), (7, field(1, 253_402_300_799_999_999)), (7, field(1, -62_135_596_800_000_000)), (9, point), (14, field(3, b"\xff")), (19, field(3, entity)),
        (19, field(3, entity + property)), (24, b""),
    ]
    meaning, value = chance.choice(pairs)
    if chance.random() < 0.2:
        meaning = chance.choice([None, 7, 9, 14, 15, 19, 20, 21, 22, 24, 31, 18, 99, 16])
    if chance.random() < 0.2:
        value = chance.choice([
            field(3, b"\xff"), field(1, 253_402_300_800_000_000), field(1, -62_135_596_800_000_001), group(5, fixed(6, 91.0) + fixed(7, 0.0)), group(5, fixed(6, 1.0)),
            group(12, field(13, "s~q")), field(1, 1) + field(2, 1), field(6, "x"), group(8, field(9, "a@b.c")), field(3, property), field(3, entity + property * 2),
        ])
    return meaning, value


def odd(chance, folder):
    """A record has properties of any meaning with any value."""
    path = output_of(chance, folder)
    records = records_of(path)
    at, name = chance.randrange(len(records)), chance.choice(["odd", "odd", "odd", "odd", "", "__x__", b"\xff", "n"])
    parts, multiple, first = b"", chance.choice([0, 0, 1]), property_of(chance)
    for _ in range(chance.choice([1, 1, 2, 3])):
        meaning, value = first if chance.random() < 0.6 else property_of(chance)
        multiple = chance.choice([0, 1]) if chance.random() < 0.1 else multiple
        parts += managed_format.write_property(chance.choice([15, 15, 15, 14]), name, multiple, meaning, value)
        name = name if multiple else chance.choice([name, "other"])
    records[at] += parts
    path.write_bytes(write_log(records))


IN_BYTES = [flip, flip, flip_header, zero, truncate, truncate, append, lose, swap, foreign, double, block]
IN_RECORDS = [twice, rewrite, rewrite, odd, odd]


def damaged(scene, chance, seed, number, place):
    folder = scene.folder / f"damaged{seed}-{number}"
    if chance.random() < 0.6:
        shutil.copytree(chance.choice(sorted(path for path in place.iterdir() if path.is_dir())), folder)
        for path in [folder, *folder.rglob("*")]:
            path.chmod(0o755 if path.is_dir() else 0o644)
    else:
        random_folder(chance, folder, chance.choice([1, 5, 60]))
    origin, before = read_folder(folder)
    files = {path.name: path.read_bytes() for path in files_of(folder)}
    damage = chance.choice(IN_BYTES + IN_RECORDS)
    damage(chance, folder)
    what = f"{damage.__name__} in {folder.name}"
    counts["damaged"] += 1
    try:
        databases, documents = read_folder(folder)
        state, why = "readable", ""
    except Damaged as reason:
        state, why = "damaged", reason
    except Open as reason:
        state, why = "open", reason
    base = scene.database()
    dry, _, _ = scene.imported(folder, base, "-n", ends=(0, 2, 64, *REFUSED)) if chance.random() < 0.3 else (None, 0, 0)
    scene.equal(base, {}, f"{what}, after -n")
    several = (64,) if damage == double else ()
    code, output, errors = scene.imported(folder, base, ends=(0, 2, *several, *REFUSED))
    need(dry in (None, code) or (dry, code) == (0, 2), f"{what}: -n ends in {dry}, the import in {code}")
    found = base.all()
    if code >= 64:
        need(not found, f"{what}: refused, but {len(found)} documents were written")
        lines = [line for line in errors.splitlines() if line.startswith("error:")]
        need(len(lines) == 1, f"{what}: {len(lines)} lines say why:\n{errors}")
        # A number of documents that is wrong, and a file that nobody named and is missing, are of the folder.
        whole = state != "damaged" or damage in (lose, double, swap, foreign, block, twice) or " documents" in str(why)
        names = files.keys() | {path.name for path in files_of(folder)} | ({folder.name} if whole else set())
        need(any(name in lines[0] for name in [*names, f"{folder.name}/"]), f"{what}: no file is named:\n{lines[0]}")
        counts[f"{state}: refused"] += 1
        if state == "readable" and not difference(exact_documents(documents), exact_documents(before)):
            counts["of which nothing was lost"] += 1
        return
    if state == "readable":
        wanted = exact_documents(as_imported(databases, documents, base))
        if code == 2:
            lost = wanted.keys() - found.keys()
            need(damage in (rewrite, odd) and len(lost) == 1, f"{what}: {len(lost)} documents are rejected:\n{errors}")
            wanted = {path: fields for path, fields in wanted.items() if path in found}
            counts["one rejected"] += 1
        wrong = difference(exact_documents(found), wanted)
        need(not wrong, f"{what}: {wrong}\n{errors}")
    elif state == "damaged":
        # Only one file has no checksums, and what nobody looks at there may be damaged.
        wrong = difference(exact_documents(found), exact_documents(as_imported(origin, before, base)))
        changed = {path.name for path in files_of(folder) if files.get(path.name) != path.read_bytes()}
        harmless = changed == {name for name in files if name.endswith(".export_metadata")} and not wrong
        need(harmless, f"{what}: taken, though {why} ({code}); {wrong}\n{errors}")
    counts[f"{state}: taken"] += 1


def trials(scene, chance, seed, fixtures, emulator):
    """What is tried with a seed."""
    if emulator:
        yield lambda: seeded(emulator, *exported(scene, chance, seed))
    elif seed % 2 == 0:
        yield lambda: [exported, made][seed // 2 % 2](scene, chance, seed)
    for number in range(3):
        yield lambda: damaged(scene, chance, seed, number, fixtures)


def one(scene, seed, fixtures, emulator, checks):
    """What is wrong with a seed."""
    scene.spoils, wrongs, number = checks, [], 0
    for trial in trials(scene, random.Random(seed), seed, fixtures, emulator):
        try:
            trial()
        except Wrong as wrong:
            wrongs.append(f"seed {seed}: {wrong}")
        number += 1
    counts["seeds"] += 1
    if checks:
        counts["faults found out"] += len(wrongs)
        return [] if len(wrongs) == number else [f"seed {seed}: what was spoilt was not found out"]
    return wrongs


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("--self-check", action="store_true")
    reader.add_argument("--emulator", action="store_true")
    reader.add_argument("--fixtures", type=pathlib.Path, default=FIXTURES)
    reader.add_argument("binary")
    reader.add_argument("seeds", nargs="?", type=int, default=int(os.environ.get("MANAGED_FOLDERS", 40)))
    reader.add_argument("seed", nargs="?", type=int, default=1)
    asked = reader.parse_args()
    emulator = google_emulator.found_or_skip("what is exported") if asked.emulator else None
    with scratch(asked.binary) as (folder, binary, store):
        scene, wrongs = Scene(store, binary, folder), []
        fixtures(scene, asked.fixtures.resolve())
        for seed in range(asked.seed, asked.seed + asked.seeds):
            wrongs += one(scene, seed, asked.fixtures.resolve(), emulator, asked.self_check)
    need(not wrongs, "\n".join(wrongs[:20]) + f"\n{len(wrongs)} failures")
    report("managed folders", asked.seed, counts)


if __name__ == "__main__":
    run_judge("managed folders", main)
