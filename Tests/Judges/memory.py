#!/usr/bin/env python3
"""Holds the peak memory of every command that carries documents to one bound, whatever the size of a document.

    python3 memory.py path/to/gymmigrate [DOCUMENTS:BYTES ...] [--limit MIB] [--only WORD] [--report]

Documents of each size go through import, export, copy, diff, a mirror, a migration, a restore and its undo, each from and into the
embedded store of another process, whose memory does not count. The peak is the kernel's. Beside the bound a command may
take what the largest document needs, and what the binary takes by itself more than the packaged program does. `--only`
reports the commands whose name holds a word, `--report` prints every peak and fails for none. Needs nothing but Python's own library.
"""

import argparse
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

from judging import Store, Wrong, need, run_judge

MIB = 1 << 20
# What the packaged program takes before it does anything, in MiB. The build of the tests takes more, because its libraries are apart.
PROGRAM = 30
# Copies of a document that is taken alone: the line or the response that brings it, its tape, its values, its write, the body of its
# commit. A line of a plan or a journal has it as it was and as it will be.
COPIES, BOTH = 8, 16
SMALL_RUN = ["20:1048000", "1500:20000"]
SCHEMA = "schema: things\ncollections:\n  things:\n    update-time: changedOn\n    fields: {number: integer, changedOn: timestamp}\n"
MIGRATION = "id: marks\nsummary: Marks every document.\ncollection: things\nsteps:\n  - set: {mark: seen}\n"


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=lambda path: str(pathlib.Path(path).resolve()))
    parser.add_argument("sizes", nargs="*", default=SMALL_RUN)
    parser.add_argument("--limit", type=float, default=64)
    parser.add_argument("--only", default="")
    parser.add_argument("--report", action="store_true")
    return parser.parse_intermixed_args()


def fields(number, size, source):
    """Fields of a document of about so many bytes: a number, a time, and texts that neither compress to nothing nor fill a cell."""
    made = {"number": {"integerValue": str(number)}, "changedOn": {"timestampValue": f"2025-03-{1 + number % 28:02}T17:30:00Z"}}
    left, piece = size - 400, min(8000, max(40, size // 3))
    while left > 5:
        text = "".join(source.choices(WORDS, k=min(piece, left) // 6))
        made[f"text{len(made):03}"] = {"stringValue": text}
        left -= len(text.encode()) + 8
    return made


WORDS = ["salón ", "clase ", "lunes ", "yoga  ", "abono ", "enero ", '"más" ', "socio "]


def measured(command, folder):
    """The exit code, the peak in MiB, and the end of what was said."""
    with open(pathlib.Path(folder) / "errors", "w+") as errors:
        process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=errors, stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return process.returncode, usage.ru_maxrss / 1024, errors.read()[-600:]


def own_peak(binary):
    with tempfile.TemporaryDirectory() as folder:
        return measured([binary, "--version"], folder)[1]


class Scene:
    """Documents of one size, and the commands that carry them."""

    def __init__(self, options, folder, store, count, size):
        self.options, self.folder, self.count, self.size = options, folder, count, size
        self.limit = options.limit + max(0, own_peak(options.binary) - PROGRAM)
        self.peaks = []
        endpoint = f"endpoint: http://{store.host}"
        places = "".join(f"  {name}: {{ database: {name}, {endpoint} }}\n" for name in ("left", "right"))
        (folder / "gymmigrate.yaml").write_text(f"project: p\nschema: things.yaml\nenvironments:\n{places}")
        (folder / "things.yaml").write_text(SCHEMA)
        (folder / "marks.yaml").write_text(MIGRATION)
        source = random.Random(size)
        with open(folder / "things.jsonl", "w") as good, open(folder / "bad.jsonl", "w") as bad:
            for number in range(count):
                document = {"name": f"things/d{number:06}", "fields": fields(number, size, source)}
                good.write(json.dumps(document, ensure_ascii=False) + "\n")
                if number == count // 2:
                    document["fields"]["__bad__"] = {"nullValue": None}
                bad.write(json.dumps(document, ensure_ascii=False) + "\n")

    def run(self, name, *words, code=0):
        started = time.monotonic()
        found, peak, said = measured([self.options.binary, *words, "--no-progress", "-q"], self.folder)
        need(found == code, f"{words}: {found}, not {code}\n{said}")
        if self.options.only in name:
            self.note(name, peak, time.monotonic() - started)

    def note(self, name, peak, seconds):
        copies = BOTH if name.startswith(("migrate", "restore", "undo")) else COPIES
        wrong = peak > self.limit + copies * self.size / MIB
        self.peaks.append((name, peak, wrong))
        if wrong or self.options.report:
            print(f"{self.count:>7} x {self.size:>8}  {name:<34} {peak:6.1f} MiB {seconds:6.1f} s{'  WRONG' if wrong else ''}", flush=True)

    def play(self):
        into = ["-e", "left", "--no-ramp"]
        self.run("import", "import", "things.jsonl", *into)
        self.run("import, nothing to do", "import", "things.jsonl", *into)
        self.run("import, one bad", "import", "bad.jsonl", "-e", "right", "--no-ramp", "--batch-size", "500", code=2)
        for parallel in ("1", "16"):
            for format in ("jsonl", "csv", "xlsx", "json"):
                words = ["export", "things", "-e", "left", "--format", format, "-o", f"{format}{parallel}/", "--parallel", parallel]
                self.run(f"export {format} --parallel {parallel}", *words)
            both = ["--from", "left", "--to", "right", "--parallel", parallel]
            self.run(f"copy --parallel {parallel}", "copy", "things", *both, "--no-ramp", "--mode", "upsert")
            self.run(f"diff --parallel {parallel}", "diff", "things", *both)
        for format in ("csv", "xlsx"):
            self.run(f"import {format}", "import", f"{format}1/things.{format}", "-e", "right", "--no-ramp", "--mode", "upsert")
        self.run("mirror pull", "mirror", "pull", "-e", "left", "-o", "mirror.sqlite")
        self.run("migrate plan", "migrate", "plan", "marks.yaml", "-e", "left")
        self.run("migrate apply --parallel 16", "migrate", "apply", "marks.yaml", "-e", "left", "--no-ramp", "--parallel", "16")
        self.run("diff, all differ", "diff", "things", "--from", "left", "--to", "right", code=1)
        self.run("mirror pull, all changed", "mirror", "pull", "-e", "left", "-o", "mirror.sqlite", "--full")
        self.run("restore", "restore", "things", "--from", "jsonl1", "--scope", "partial", "-e", "left", "--no-ramp")
        self.run("undo", "migrate", "undo", "last", "-e", "left", "--no-ramp", "--yes")


def main():
    options = arguments()
    wrong = 0
    for words in options.sizes:
        count, size = map(int, words.split(":"))
        with tempfile.TemporaryDirectory() as folder, Store(options.binary, folder, ["--data", "store"]) as store:
            scene = Scene(options, pathlib.Path(folder), store, count, size)
            scene.play()
            wrong += sum(one[2] for one in scene.peaks)
            name, peak, _ = max(scene.peaks, key=lambda one: one[1])
            print(f"memory: {count:,} documents of {size:,} bytes, {len(scene.peaks)} commands: at most {peak:.0f} MiB ({name}); the bound is {scene.limit:.0f} and the largest document's copies")
    if wrong and not options.report:
        raise Wrong(f"{wrong} commands took more than the bound")


if __name__ == "__main__":
    run_judge("memory", main)
