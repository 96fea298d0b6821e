#!/usr/bin/env python3
"""Judges what comes back of a workbook that openpyxl or LibreOffice saved.

    edited_workbooks.py BINARY [SEED...]

Exports sample gyms into workbooks, every second one with links, and imports them with `merge`: as the other program saved them,
and with a cell edited for each kind of value. The documents may differ in these cells alone, and in the time of last change of
documents that differ. What the programs themselves do not keep is allowed: openpyxl rounds dates to milliseconds, LibreOffice
keeps 15 digits of them and no carriage returns, and an .ods hundredths of seconds. LibreOffice is a judge where `soffice` is, or what
$SOFFICE names; once as it saves .xlsx, and once by way of an .ods.
"""
import datetime
import json
import os
import random
import re
import shutil
import sys
import tempfile
import zoneinfo
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import openpyxl
from judging import run_or_exit

ROOT = Path(__file__).resolve().parents[2]
ZONE = zoneinfo.ZoneInfo("America/Mexico_City")
OFFICE = os.environ.get("SOFFICE") or shutil.which("soffice")
UPDATED = "updatedAt"
# What programs keep: whether carriage returns, and the microseconds of a step of time, of which half is lost by rounding.
# An .ods is cut to hundredths of a second, so that a whole one is lost.
KEPT = {"openpyxl": (True, 1000), "LibreOffice": (False, 1000), "LibreOffice by .ods": (False, 20_000)}


def documents(files):
    """The fields of the documents by their names."""
    found = {}
    for file in files:
        for line in file.read_text(encoding="utf-8").splitlines():
            document = json.loads(line)
            found[document["name"]] = document.get("fields", {})
    return found


def at(fields, heading):
    """The value under a heading, a path of names; None where there is none."""
    *maps, last = heading.split(".")
    for name in maps:
        fields = fields.get(name, {}).get("mapValue", {}).get("fields", {})
    return fields.get(last)


def put(fields, heading, value):
    *maps, last = heading.split(".")
    for name in maps:
        fields = fields.setdefault(name, {"mapValue": {}})["mapValue"].setdefault("fields", {})
    fields[last] = value


# The edits.


def moment(value):
    return datetime.datetime.fromisoformat(value["timestampValue"].replace("Z", "+00:00"))


def text(rng, old):
    return rng.choice(["Edited, \"ñ\"", " 007", "=1+1", "TRUE", "31/12/2026", "1e5", "two\nlines"])


EDITS = {
    # The kind of value, and a new value: what is typed, and the value that it is.
    "id": lambda rng, old: (new := f"{rng.randrange(10**9):012}", {"stringValue": new}),
    "text": lambda rng, old: (new := text(rng, old), {"stringValue": new}),
    "new text": lambda rng, old: (new := f"typed {rng.random()}", {"stringValue": new}),
    "integer": lambda rng, old: (new := int(old["integerValue"]) + rng.randint(1, 99), {"integerValue": str(new)}),
    "double": lambda rng, old: (new := round(old["doubleValue"], 2) + rng.choice([0.25, 10.2, 1e-7]), {"doubleValue": new}),
    "boolean": lambda rng, old: (new := not old["booleanValue"], {"booleanValue": new}),
    "time": lambda rng, old: a_time(moment(old), rng),
    "time of microseconds": lambda rng, old: a_time(moment(old), rng),
    "array": lambda rng, old: ('["a",1,true]', {"arrayValue": {"values": [
        {"stringValue": "a"}, {"integerValue": "1"}, {"booleanValue": True}]}}),
    "blank": lambda rng, old: (None, old),
}


def a_time(old, rng):
    local = old.astimezone(ZONE).replace(hour=12, minute=rng.randrange(60), microsecond=250_000, tzinfo=None)
    new = local + datetime.timedelta(days=rng.randint(1, 9))
    return new, {"timestampValue": new.replace(tzinfo=ZONE).astimezone(datetime.timezone.utc).isoformat()}


def kind(value, cell, heading, only_text):
    """The kind of value that a cell has; None for one that is left alone."""
    if value is None:
        return "new text" if only_text and cell.value is None else None
    if "stringValue" in value and only_text:
        if not isinstance(cell.value, str) or len(cell.value) > 1000:
            return None
        return "id" if heading.endswith("Id") else "text"
    names = {"integerValue": int, "doubleValue": float, "booleanValue": bool, "timestampValue": datetime.datetime}
    for name, type in names.items():
        if name in value:
            # A number under another type than its column's is marked, or shown as text.
            plain = isinstance(cell.value, type) or (type is float and isinstance(cell.value, int))
            if name == "timestampValue" and plain:
                return "time of microseconds" if moment(value).microsecond % 1000 else "time"
            return name.removesuffix("Value") if plain else None
    if "arrayValue" in value and isinstance(cell.value, str) and cell.value.startswith("["):
        return "array"
    return None


def edit(book, expected, rng):
    """Edits one cell of each kind, each in another document; returns what was edited."""
    found = {}
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible" or sheet["A1"].value != "__name__":
            continue
        headings = [cell.value for cell in sheet[1]]
        rows = list(sheet.iter_rows(min_row=2))
        for column, heading in enumerate(headings[1:], 1):
            if "`" in heading or heading == UPDATED or heading == "id":
                continue
            values = [at(expected[f"{sheet.title}/{row[0].value}"], heading) for row in rows]
            only_text = all(value is None or "stringValue" in value for value in values) and any(values)
            for row, value in zip(rows, values):
                name = kind(value, row[column], heading, only_text)
                if name:
                    found.setdefault(name, []).append((sheet.title, heading, row[0].value, row[column], value))
                    if name == "text":
                        found.setdefault("blank", []).append(found[name][-1])
    edited = {}
    for name, cells in sorted(found.items()):
        cells = [cell for cell in cells if f"{cell[0]}/{cell[2]}" not in edited]
        sheet, heading, id, cell, old = rng.choice(cells)
        typed, value = EDITS[name](rng, old)
        cell.value = typed
        if isinstance(typed, str):
            # As a text, also where it begins with a sign of equality.
            cell.data_type = "s"
        put(expected[f"{sheet}/{id}"], heading, value)
        edited[f"{sheet}/{id}"] = (name, heading)
    return edited


# The comparison.


def same(one, other, kept):
    """Whether a value is what it was, but for what the programs do not keep."""
    if one == other:
        return True
    if one is None or other is None or one.keys() != other.keys():
        return False
    (name, a), (_, b) = *one.items(), *other.items()
    if name == "timestampValue":
        difference = abs(moment(one) - moment(other))
        step = kept[1]
        return not difference or (moment(one).microsecond % step > 0 and difference <= datetime.timedelta(microseconds=step / 2))
    if name == "stringValue" and not kept[0]:
        return a.replace("\r\n", "\n") == b
    if name == "mapValue":
        a, b = a.get("fields", {}), b.get("fields", {})
        return a.keys() == b.keys() and all(same(a[key], b[key], kept) for key in a)
    if name == "arrayValue":
        a, b = a.get("values", []), b.get("values", [])
        return len(a) == len(b) and all(same(*pair, kept) for pair in zip(a, b))
    return False


def is_coarse(fields, kept):
    """Whether a program may have changed another field than the time of last change."""
    lost = r"\.\d{4,}Z|\\r" if kept[1] < 10_000 else r"\.\d+Z|\\r"
    return any(name != UPDATED and re.search(lost, json.dumps(value)) for name, value in fields.items())


def compare(what, expected, found, edited, kept):
    if expected.keys() != found.keys():
        sys.exit(f"{what}: other documents: {sorted(expected.keys() ^ found.keys())[:3]}")
    for name, fields in expected.items():
        for field in fields.keys() | found[name].keys():
            one, other = fields.get(field), found[name].get(field)
            if same(one, other, kept) or (field == UPDATED and (name in edited or is_coarse(fields, kept))):
                continue
            sys.exit(f"{what}: {name}, {field}: {other}, not {one}; edited: {edited.get(name)}")


# A seed.


class Gym:
    def __init__(self, binary, seed, folder):
        self.binary, self.seed, self.folder = binary, seed, folder
        self.rng = random.Random(seed)
        gym, base = folder / "gym", folder / "base"
        base.mkdir(parents=True)
        run_or_exit([sys.executable, ROOT / "samples/gym/generate.py", "--out", gym, "--users", 10, "--seed", seed], folder)
        files = sorted(gym.glob("*.jsonl"))
        self.refine(files)
        # What is below other documents is on sheets of its own.
        self.changed = {name: fields for name, fields in documents(files).items() if name.count("/") == 1}
        self.program(base, "import", *files, "--validate", "off")
        self.program(base, "export", "--all", "-o", folder / "book.xlsx", *(["--links"] if seed % 2 else []))
        book = openpyxl.load_workbook(folder / "book.xlsx")
        book.save(folder / "openpyxl.xlsx")
        self.edited = edit(book, self.changed, self.rng)
        book.save(folder / "openpyxl-edited.xlsx")

    def refine(self, files):
        """Gives times of creation the digits that they have where a service or an app set them."""
        def refined(found):
            digits = self.rng.choice(["", f".{self.rng.randrange(1000):03}", f".{self.rng.randrange(10**6):06}"])
            return f"{found[1]}{digits}Z"
        for file in files:
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub(r'("createdAt":\{"timestampValue":"[^".]*)Z', refined, text), encoding="utf-8")

    def program(self, folder, *command):
        run_or_exit([self.binary, *command, "-e", "local", "-q", "--no-progress"], folder)

    def judge(self, program):
        """Imports the workbook as it was saved, then with its edits; what the first one changes stays changed."""
        base = self.folder / program
        shutil.copytree(self.folder / "base", base)
        for name in "", "-edited":
            book = self.folder / f"{program}{name}.xlsx"
            self.program(base, "import", book, "--mode", "merge", "--validate", "off", "--keep-spaces", "--time-zone", ZONE.key)
        self.program(base, "export", "--all", "-o", "all.jsonl", "--no-subcollections")
        found = documents([base / "all.jsonl"])
        compare(f"seed {self.seed}, {program}", self.changed, found, self.edited, KEPT[program])
        shutil.rmtree(self.folder / program)
        return len(self.edited)


def save_in_office(folder, gyms):
    """Lets LibreOffice save what openpyxl saved: with the results of formulas, and as it writes cells."""
    for name in "", "-edited":
        books = []
        for gym in gyms:
            books.append(folder / f"{gym.seed}{name}.xlsx")
            shutil.copy(gym.folder / (f"openpyxl{name}.xlsx" if name else "book.xlsx"), books[-1])
        saved = convert(folder, books, "xlsx", f"saved{name}")
        others = convert(folder, convert(folder, books, "ods", f"ods{name}"), "xlsx", f"again{name}")
        for gym, book, other in zip(gyms, saved, others):
            shutil.move(book, gym.folder / f"LibreOffice{name}.xlsx")
            shutil.move(other, gym.folder / f"LibreOffice by .ods{name}.xlsx")


def convert(folder, books, format, name):
    saved = folder / name
    profile = f"-env:UserInstallation=file://{folder}/profile"
    run_or_exit([OFFICE, profile, "--headless", "--convert-to", format, "--outdir", saved, *books], folder)
    return [saved / f"{book.stem}.{format}" for book in books]


def main(binary, seeds):
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:
        folder = Path(folder)
        gyms = list(pool.map(lambda seed: Gym(binary, seed, folder / f"seed{seed}"), seeds))
        programs = ["openpyxl"]
        if OFFICE:
            save_in_office(folder, gyms)
            programs += ["LibreOffice", "LibreOffice by .ods"]
        else:
            print("edited_workbooks: LibreOffice is skipped, because there is no soffice")
        for program in programs:
            edits = sum(pool.map(lambda gym: gym.judge(program), gyms))
            kinds = len({name for gym in gyms for name, _ in gym.edited.values()})
            print(f"{program}: {len(gyms)} workbooks, {edits} edited cells of {kinds} kinds; nothing else differs")


if __name__ == "__main__":
    main(str(Path(sys.argv[1]).resolve()), [int(seed) for seed in sys.argv[2:]] or range(1, 21))
