#!/usr/bin/env python3
"""Holds `--max-reads`, `--max-writes`, `--max-cost` and the limits of a day, and what a summary says was billed, to a bill made from Google's price page.

    python3 bills.py path/to/gymmigrate [seeds [seed]]

A proxy before the embedded store bills what the store answers, whether the answer arrives or not: each document and each name that
is looked up, a query without results as one, an aggregation by 1,000 index entries, a page of IDs of collections as one, each
write and each delete. A seed is a database, a command and bounds: the command is run without them, with them, resumed with more, through
faults, and killed and resumed; or it is divided among tasks that share a bound, work side by side and are killed. It never may be
billed more than the bound of the moment, has to say what it was billed, and has to end as without a bound once that suffices. BILLS=N takes N seeds. Needs nothing but Python's own library.
"""

import collections
import fractions
import json
import random
import signal
import threading

from judging import Wrong, need, played, report, run_judge, scratch, seeds_asked, text
from mirror_service import Database, Program, Proxy

AGAIN = 75
# US dollars for 100,000 operations, as the configuration has them.
PRICES = {"reads": "0.06", "writes": "0.18", "deletes": "0.02"}
counts = collections.Counter()


class Biller(Proxy):
    """Bills what is passed on."""

    def reset(self):
        super().reset()
        self.billed = collections.Counter()

    def count(self, method, path, body, status, answer):
        if status != 200:
            return
        target = path.partition("?")[0]
        # The settings of a database are no read.
        verb = target.rpartition("/")[2].rpartition(":")[2] if method == "POST" else "list" if "/documents/" in target else "settings"
        with self.gate:
            self.billed += getattr(self, f"bill_{verb}", self.nothing)(json.loads(body or "{}"), json.loads(answer))

    def nothing(self, asked, said):
        return collections.Counter()

    def bill_list(self, asked, said):
        return collections.Counter(reads=max(1, len(said.get("documents", []))))

    def bill_runQuery(self, asked, said):
        return collections.Counter(reads=max(1, sum("document" in one for one in said)))

    def bill_batchGet(self, asked, said):
        return collections.Counter(reads=len(asked["documents"]))

    def bill_runAggregationQuery(self, asked, said):
        values = [value for one in said for value in one["result"]["aggregateFields"].values()]
        return collections.Counter(reads=max(1, *(-(-int(value["integerValue"]) // 1000) for value in values)))

    def bill_listCollectionIds(self, asked, said):
        return collections.Counter(reads=1)

    bill_partitionQuery = bill_listCollectionIds

    def bill_commit(self, asked, said):
        kinds = ["deletes" if "delete" in write else "writes" for write in asked.get("writes", [])]
        return collections.Counter(kinds)


class Scene:
    def __init__(self, store, proxy, binary, folder, seed):
        folder.mkdir()
        self.store = store
        self.random, self.proxy, self.folder = random.Random(seed), proxy, folder
        self.program = Program(binary, folder, proxy)
        self.source, self.target = (Database(store, f"{name}{seed}") for name in ("from", "into"))
        for database in (self.source, self.target):
            self.program.know(database.name)
        with (folder / "places.yaml").open("a") as file:
            file.write(f"prices: {{ {', '.join(f'{name}: {price}' for name, price in PRICES.items())} }}\n")
        proxy.share = 0.0
        self.documents = self.make()
        self.source.commit_all([self.source.set(path, fields) for path, fields in self.documents.items()])

    def make(self):
        documents = {}
        for number in range(self.random.randint(1, 6)):
            for n in range(self.random.choice([1, 20, 300, 301, 700, 1400])):
                documents[f"kind{number}/d{n}"] = {"n": text(str(n))}
                if number == 0 and n % 40 == 0:
                    documents[f"kind{number}/d{n}/below/x"] = {"n": text("x")}
        return documents

    # Commands: their words, and what they leave.

    def export(self):
        return ["export", "--all", "-e", self.source.name, "-o", "out/", "--format", "jsonl", *self.parallel()], None

    def count(self):
        return ["count", *(f"kind{number}" for number in range(3)), "-e", self.source.name], None

    def diff(self):
        return ["diff", "--all", "--from", self.source.name, "--to", self.target.name, *self.parallel()], None

    def imported(self):
        lines = [json.dumps({"name": path, "fields": fields}) for path, fields in self.documents.items()]
        (self.folder / "all.jsonl").write_text("\n".join(lines) + "\n")
        size = self.random.choice(["20", "100", "300"])
        return ["import", "all.jsonl", "-e", self.target.name, "--mode", "upsert", "--batch-size", size], self.documents

    def copy(self):
        return ["copy", "--all", "--subcollections", "--from", self.source.name, "--to", self.target.name, *self.parallel()], self.documents

    def fix(self):
        self.target.commit_all([self.target.set(path, fields) for path, fields in self.documents.items()])
        left = {path: fields | ({"m": {"integerValue": "1"}} if path.startswith("kind0/") and path.count("/") == 1 else {}) for path, fields in self.documents.items()}
        return ["fix", "kind0", "-e", self.target.name, "--set", "m=1", "--all-documents"], left

    def restore(self):
        self.program("export", "--all", "-e", self.source.name, "-o", "backup", "--format", "jsonl", "-q")
        some = self.random.sample(sorted(self.documents), min(len(self.documents), 400))
        self.target.commit_all([self.target.set(path, {}) for path in some] + [self.target.set("kind0/more", {})])
        words = ["restore", "--all", "--from", "backup", "--source", self.source.root, "-e", self.target.name, "--max-delete", "1"]
        return words, self.documents

    def migrate(self):
        self.target.commit_all([self.target.set(path, fields) for path, fields in self.documents.items()])
        names = sorted({path.partition("/")[0] for path in self.documents})
        for name in names:
            (self.folder / f"{name}.yaml").write_text(f"id: {name}\nsummary: S.\ncollection: {name}\nsteps:\n  - set: {{m: 1}}\n")
        files = [f"{name}.yaml" for name in names] + ["-e", self.target.name, *self.random.choice([[], ["--parallel", "8"]])]
        if self.random.random() < 0.4:
            return ["migrate", self.random.choice(["plan", "verify"]), *files], None
        left = {path: fields | ({"m": {"integerValue": "1"}} if path.count("/") == 1 else {}) for path, fields in self.documents.items()}
        return ["migrate", "apply", *files], left

    def parallel(self):
        return self.random.choice([[], ["--parallel", "4"]])

    # Judging.

    def play(self):
        make = self.random.choice([self.export, self.count, self.diff, self.imported, self.imported, self.copy, self.copy, self.fix, self.restore, self.migrate, self.migrate])
        words, left = make()
        counts[make.__name__] += 1
        self.words, self.writes = [*words, "-y"] if left else words, left is not None
        if self.random.random() < 0.4:
            self.proxy.share = 0.2
            counts["with faults"] += 1
        if not self.writes and self.random.random() < 0.3:
            return self.day()
        if not self.writes and self.random.random() < 0.5:
            return self.whole()
        divided = make in (self.export, self.imported, self.copy) or words[:2] in (["migrate", "plan"], ["migrate", "apply"])
        if divided and self.random.random() < 0.35:
            self.shared()
        else:
            self.bounded()
        if left:
            # Its connection may have been idle for too long.
            found = Database(self.store, self.target.name).all()
            need(found == left, f"{words[0]} left {len(found)} documents, not {len(left)}, or others")

    def run(self, words, *bounds, place=True):
        """Its exit code and its summary."""
        ends = (0, 1, AGAIN)
        code, output, errors = self.program(*words, *bounds, ends=ends, place=place)
        summary = max((self.folder / ".gymmigrate/runs").glob("*/summary.json"), key=lambda file: file.stat().st_mtime_ns, default=None)
        if code == AGAIN:
            need("might be billed more than " in errors, f"it ends in {AGAIN}, and not for its bound:\n{errors[-800:]}")
        return code, json.loads(summary.read_text()) if summary and words[0] != "count" else None

    def whole(self):
        self.proxy.reset()
        _, summary = self.run(self.words)
        if summary:
            self.same(summary)

    def same(self, summary):
        """What was billed is what the summary says; where answers were lost, up to what it says besides."""
        for kind in ("reads", "writes", "deletes"):
            said, real = summary["billed"][kind], self.proxy.billed[kind]
            most = said + summary.get("perhapsBilled", {}).get(kind, 0)
            need(said <= real <= most, f"{real} {kind} were billed, and the summary says {said} to {most}")
        counts["bills compared"] += 1

    def day(self):
        """A command again and again on an environment whose day has a limit."""
        kind, most = self.random.choice([("reads", self.random.choice([40, 900, 3000])), ("cost", self.random.choice(["0.0005", "0.002"]))])
        places = self.folder / "places.yaml"
        lines = places.read_text().splitlines()
        limits = f", limits: {{ day: {{ {kind}: {most} }} }} }}"
        places.write_text("".join((line[:-2] + limits if line.startswith("  ") else line) + "\n" for line in lines))
        self.proxy.reset()
        for _ in range(6):
            code, _ = self.run(self.words)
            billed = self.proxy.billed
            need(billed["reads"] <= most if kind == "reads" else self.price(billed) <= fractions.Fraction(most), f"{billed} was billed, and {most} {kind} a day allowed")
            counts["days kept"] += 1
            counts["days ended"] += code == AGAIN

    @staticmethod
    def price(billed):
        return sum(billed[kind] * fractions.Fraction(price) for kind, price in PRICES.items()) / 100000

    def bounded(self):
        self.proxy.reset()
        reads, writes = self.random.choice([0, 30, 700, 2000]), self.random.choice([0, 10, 150, 900])
        words, place = self.words, True
        # A bound in dollars, alone or beside the others.
        cost = self.random.choice([None, None, fractions.Fraction(self.random.choice([0, 20, 600, 2500]), 1000000)])
        alone = cost is not None and self.random.random() < 0.5
        killed = False
        if self.writes and self.random.random() < 0.4:
            bounds = ["--max-reads", 60000, "--max-writes", 60000]
            when = self.random.choice(["before", "after"])
            if self.program.killed(*words, *bounds, at=self.random.randint(1, 12), when=when):
                killed = True
                counts["killed"] += 1
                words, place = ["runs", "resume", self.last()], False
                # What it may have been billed before it was killed is told from the last time that it was saved.
                reads, writes, cost, alone = 60000, 60000, None, False
            else:
                words = self.words
                self.proxy.reset()
        for _ in range(40):
            bounds = ["--max-reads", reads, "--max-writes", writes]
            if cost is not None:
                bounds = [*([] if alone else bounds), "--max-cost", f"{float(cost):.9f}"]
            code, summary = self.run(words, *bounds, place=place)
            billed = self.proxy.billed
            if cost is not None:
                need(self.price(billed) <= cost, f"{billed} was billed, and {float(cost)} USD allowed")
                counts["dollars kept"] += 1
            need(alone or billed["reads"] <= reads, f"{billed['reads']} reads were billed, and {reads} allowed")
            need(alone or billed["writes"] + billed["deletes"] <= writes, f"{billed} was billed, and {writes} writes allowed")
            counts["bounds kept"] += 1
            # A killed process takes what it was billed last with it.
            if summary and not killed:
                self.same(summary)
            if code != AGAIN:
                return
            counts["ended for a bound"] += 1
            if self.writes and summary and summary.get("canResume"):
                words, place = ["runs", "resume", self.last()], False
            else:
                self.proxy.reset()
            reads, writes = reads * 2 + 500, writes * 2 + 300
            cost = None if cost is None else cost * 2 + fractions.Fraction(1, 10000)
        raise Wrong(f"it does not end, with {reads} reads and {writes} writes")

    def shared(self):
        """The command among tasks that have one bound, side by side; some are killed and started again."""
        words = self.words[:self.words.index("-o")] if "-o" in self.words else self.words
        tasks = self.random.randint(2, 4)
        reads, writes = self.random.choice([0, 90, 700, 2000]), self.random.choice([0, 10, 150, 900])
        # A bound in dollars, in place of the others.
        cost = self.random.choice([None, None, fractions.Fraction(self.random.choice([20, 600, 2500]), 1000000)])
        folder, todo, isPlanned = "share", set(range(tasks)), False
        self.proxy.reset()
        counts["divided"] += 1
        for turn in range(60):
            bounds = ["--max-reads", reads, "--max-writes", writes] if cost is None else ["--max-cost", f"{float(cost):.9f}"]
            if not isPlanned:
                folder = f"share{turn}"
                code, _, errors = self.program("shard", "plan", "--shards", tasks, "--to", folder, "--", *words, *bounds, ends=(0, AGAIN))
                isPlanned, codes = code == 0, [code]
            else:
                codes, errors = self.work(folder, todo, bounds if self.random.random() < 0.5 or turn > 30 else [])
            billed = self.proxy.billed
            if cost is not None:
                need(self.price(billed) <= cost, f"{billed} was billed to all tasks, and {float(cost)} USD allowed")
                counts["dollars kept"] += 1
            else:
                need(billed["reads"] <= reads, f"{billed['reads']} reads were billed to all tasks, and {reads} allowed")
                need(billed["writes"] + billed["deletes"] <= writes, f"{billed} was billed to all tasks, and {writes} writes allowed")
            counts["bounds kept"] += 1
            if isPlanned and not todo:
                self.program("shard", "finish", folder, place=False)
                need(cost is not None or self.proxy.billed["writes"] + self.proxy.billed["deletes"] <= writes, "the end was billed more than is allowed")
                return
            if AGAIN in codes:
                need("might be billed more than " in errors, f"it ends in {AGAIN}, and not for its bound:\n{errors[-800:]}")
                counts["tasks ended for a bound"] += 1
                if not isPlanned:
                    self.proxy.reset()
                reads, writes = reads * 2 + 500, writes * 2 + 300
                cost = None if cost is None else cost * 2 + fractions.Fraction(1, 10000)
        raise Wrong(f"its tasks do not end, with {reads} reads and {writes} writes")

    def work(self, folder, todo, bounds):
        """Starts what is left of the tasks together, perhaps kills one, and takes those that are done out of what is left."""
        kill = self.random.randint(1, 30) if self.random.random() < 0.4 else 0
        processes, seen, ready = {}, [0], threading.Event()

        def hook(*_):
            ready.wait(60)
            seen[0] += 1
            if seen[0] == kill:
                victim = self.random.choice(list(processes.values()))
                victim.send_signal(signal.SIGKILL)
                counts["tasks killed"] += 1

        self.proxy.before = hook
        for task in sorted(todo):
            processes[task] = self.program.start("shard", "work", folder, "--task", task, *bounds, place=False)
        ready.set()
        codes, all = [], ""
        for task, process in processes.items():
            code, _, errors = self.program.end(process, (0, AGAIN, -signal.SIGKILL))
            codes.append(code)
            all += errors if code == AGAIN else ""
            if code == 0:
                todo.discard(task)
        self.proxy.before = None
        return codes, all

    def last(self):
        return max((self.folder / ".gymmigrate/runs").iterdir(), key=lambda run: (run / "run.json").stat().st_mtime_ns).name


def main():
    asked, number, first = seeds_asked("BILLS", 40)
    with scratch(asked) as (folder, binary, store):
        proxy = Biller(store, random.Random(first))
        played(
            range(first, first + number), lambda seed: Scene(store, proxy, binary, folder / f"s{seed}", seed), counts, "seeds",
            lambda scene: " ".join(map(str, getattr(scene, "words", []))),
        )
    report("bills", first, counts)


if __name__ == "__main__":
    run_judge("bills", main)
